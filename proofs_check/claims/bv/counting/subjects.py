"""The running counting mechanisms as the explorer sees them, and the checks that GeoSample and FastSample share."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.arithmetic.kernels import ceil_log2
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.randomness.coins import strict_bits
from finitedp.proofs_check.deciders.verdict import check_accuracy, check_privacy
from finitedp.proofs_check.engine.explorer import Exploration, explore
from finitedp.proofs_check.ledger.entry import Finding, in_scope
from finitedp.proofs_check.ledger.every_beta import for_every_beta
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, of_accuracy, of_privacy
from finitedp.spec import counting as spec
from finitedp.spec.accuracy import miss_probability
from finitedp.spec.neighbours import count_pairs
from finitedp.spec.pmf import Pmf

BETAS = (mpq(1, 2), mpq(1, 10), mpq(1, 20), mpq(1, 100), mpq(1, 10**6))


class Count(NamedTuple):
    """A count c in 0..n, and a decay where it is needed."""

    n: int
    c: int
    decay: mpq = mpq(1, 2)


def counts(lengths: Iterable[int], decays: Sequence[mpq] = (mpq(1, 2),)) -> list[Count]:
    """Every count of every length, with each decay."""
    return [Count(n, c, decay) for n in lengths for c in range(n + 1) for decay in decays]


def remade(make: Callable[..., FastSample], mechanism: Any) -> FastSample:  # noqa: ANN401  # a FastSample, if it is as stated
    """What `make` makes of the parameters of a FastSample: a broken copy of it."""
    return make(mechanism.n, mechanism.epsilon, mechanism.gamma)


@lru_cache(maxsize=4096)  # more than the quick grid's mechanisms and counts, so that its claims share them
def exploration(mechanism: CountingMechanism, count: int) -> Exploration[int]:
    """What the explorer finds for one count: the exact law of the running code, and its paths."""
    return explore(lambda coins: mechanism.release(count, coins), keep_paths=True)


def running_law(mechanism: CountingMechanism) -> Callable[[int], Pmf[int]]:
    """The exact law of the running code, by count."""
    return lambda count: _law(mechanism, count)


@lru_cache(maxsize=4096)
def _law(mechanism: CountingMechanism, count: int) -> Pmf[int]:
    return exploration(mechanism, count).law()


def private(mechanism: CountingMechanism, right: GeoSample | FastSample, source: str) -> Finding:
    """Finds (epsilon/2, 0)-privacy with worst ratio 1/decay, which the theorems claim, by spec alone; `right` states it."""
    epsilon = right.epsilon
    claim = PrivacyClaim(epsilon / 2, "counts", ratio=1 / spec.sample_decay(epsilon), source=source)
    found = of_privacy(check_privacy(running_law(mechanism), count_pairs(right.n), claim), claim)
    return all_of([found, equal(right.claim(), claim, "stated claim")])


def accurate_as_stated(mechanism: CountingMechanism, right: GeoSample | FastSample, gamma: mpq, source: str) -> Finding:
    """Finds the accuracy that `right` states to hold at every beta above gamma, and to be what the theorem says."""
    betas = [gamma + beta for beta in (*BETAS, mpq(1)) if gamma + beta <= 1]
    some_below(right.n, [right.accuracy(betas[0]).a])
    miss = worst_miss_of(running_law(mechanism), right.n)
    every = for_every_beta(lambda beta: right.accuracy(beta).a, miss, right.n, gamma)
    return all_of([every, *(states(right, beta, beta - gamma, source) for beta in betas)])


def states(mechanism: GeoSample | FastSample, beta: mpq, tail: mpq, source: str) -> Finding:
    """Finds accuracy(beta) to be the least a with (1/decay)^a >= 1/tail, as the theorem states it."""
    base, stated = 1 / spec.sample_decay(mechanism.epsilon), mechanism.accuracy(beta)
    least = base**stated.a >= 1 / tail and (stated.a == 0 or base ** (stated.a - 1) < 1 / tail)
    return equal((least, stated), (True, Accuracy(stated.a, beta, "counting", source)), "stated accuracy")


def is_ceiling(a: int, q: int, argument: mpq) -> bool:
    """Whether a is the least integer of at least 9/(2 epsilon) ln(argument), epsilon = 1/q, by comparisons with e^x alone."""
    step = mpq(2, 9 * q)
    return compare_exp(argument, a * step) <= 0 < compare_exp(argument, (a - 1) * step)


def refuses(make: Callable[[], object]) -> bool:
    """Whether the library refuses the parameters."""
    try:
        make()
    except ParameterError:
        return True
    return False


def some_below(n: int, bounds: list[int]) -> None:
    """Some claimed error is below n: where none is, the instance says nothing. Raises: OutOfScopeError."""
    in_scope(min(bounds) < n, "an error below n")


def accurate(law: Callable[[int], Pmf[int]], n: int, claims: list[tuple[mpq, int]], above: int = -1) -> Finding:
    """Finds each claimed (beta, a) to hold for every count above `above`; the load is the largest miss over its beta."""

    def verdict(beta: mpq, a: int) -> Finding:
        misses = ((f"count {c}", miss_probability(law(c), c, a)) for c in range(above + 1, n + 1))
        return of_accuracy(check_accuracy(misses, beta), beta, a)

    return all_of([verdict(beta, a) for beta, a in claims])


def worst_miss_of(law: Callable[[int], Pmf[int]], n: int, above: int = -1) -> Callable[[int], mpq]:
    """The largest probability, over the counts above `above`, of an error above a, for 0 <= a <= n."""

    @cache
    def by_count() -> list[list[mpq]]:
        return [_misses(law(c), c, n) for c in range(above + 1, n + 1)]

    return lambda a: max(misses[a] for misses in by_count())


def _misses(law: Pmf[int], truth: int, n: int) -> list[mpq]:
    """Pr[|X - truth| > a] for a = 0..n, by integer sums."""
    errors = law.pushforward(lambda x: abs(x - truth))
    within = accumulate(errors.weight(a) for a in range(n + 1))
    return [mpq(errors.total - weight, errors.total) for weight in within]


def fixed_cost(mechanism: GeoSample | FastSample, n: int, bits: int) -> Finding:
    """Finds the stated draws, comparisons and bits on every path of every count, and at most `bits` bits in d."""
    cost = mechanism.cost()
    shapes = frozenset().union(*(exploration(mechanism, c).shapes for c in range(n + 1)))
    # two comparisons check that u is in 1..d; the others are the search
    expected = frozenset({((mechanism.d,), cost.steps + 2)})
    return all_of(
        [
            equal(shapes, expected, "the same draws and comparisons on every path"),
            equal((cost.draws, cost.steps), (1, ceil_log2(n + 1)), "draws and steps"),
            equal(cost.bits, strict_bits(mechanism.d), "bits of the strict coins"),
            at_most(int(mechanism.d).bit_length(), bits, "bits of d:"),
        ]
    )


def monotone(mechanism: CountingMechanism, n: int) -> Finding:
    """Finds the output to be non-decreasing in the draw, for every count."""
    findings = []
    for count in range(n + 1):
        paths = sorted(exploration(mechanism, count).paths, key=lambda path: path.draws)
        intervals = [(low, high) for path in paths for low, high, _ in path.draws]
        covered = intervals[0][0] == 1 and intervals[-1][1] == mechanism.d
        seamless = all(a[1] + 1 == b[0] for a, b in pairwise(intervals))
        findings.append(equal(covered and seamless, True, f"intervals of u at count {count} cover 1..d"))
        rising = all(a.output <= b.output for a, b in pairwise(paths))
        findings.append(equal(rising, True, f"outputs rise with u at count {count}"))
    return all_of(findings)
