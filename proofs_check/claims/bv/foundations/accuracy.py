"""Section 2.2 of Balcer and Vadhan: what accuracy means (2.5 to 2.7)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import Cases, Finding
from finitedp.proofs_check.ledger.findings import all_of, at_most, definition, equal
from finitedp.proofs_check.ledger.grids import law_pairs_quick, small_laws
from finitedp.spec import accuracy
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint


class Bins(NamedTuple):
    """Independent bins: laws and true counts."""

    laws: tuple[Pmf[int], ...]
    truths: tuple[int, ...]


BINS = Cases(
    lambda: [Bins((p, q), (0, 2)) for p, q in law_pairs_quick()],
    lambda: [Bins(laws, (0, 1, 2)) for laws in product(small_laws(3, 3), repeat=3)],
)


@definition(
    "BV.Def2.5",
    """(a, beta)-per-query accuracy: each count is off by more than a with probability at most beta. The marginal formula
    agrees with the enumeration of the joint law.""",
    over="independent bins, a = 0, 1, 2",
    code=["finitedp.spec.accuracy.miss_probability"],
    grid=BINS,
    subject=lambda x, truth, a: abs(x - truth) <= a,
    twins={"strict inequality": lambda x, truth, a: abs(x - truth) < a},
)
def per_query(close: Callable[[int, int, int], bool], bins: Bins) -> Iterator[Finding]:
    together = joint(bins.laws)
    for a, i in product(range(3), range(len(bins.laws))):
        literal = 1 - together.probability(lambda h, i=i, a=a: close(h[i], bins.truths[i], a))  # type: ignore[misc]
        found = accuracy.miss_probability(bins.laws[i], bins.truths[i], a)
        yield equal(found, literal, f"bin {i}, a={a}")


def _union_bound(bins: Bins, a: int) -> mpq:
    misses = (accuracy.miss_probability(law, truth, a) for law, truth in zip(bins.laws, bins.truths, strict=True))
    return sum(misses, mpq(0))


@definition(
    "BV.Def2.6",
    """(a, beta)-simultaneous accuracy: some count is off by more than a with probability at most beta. The product formula
    for independent bins agrees with the enumeration of the joint law.""",
    over="independent bins, a = 0, 1, 2",
    code=["finitedp.spec.accuracy.simultaneous_miss"],
    grid=BINS,
    subject=lambda bins, a: accuracy.simultaneous_miss(list(zip(bins.laws, bins.truths, strict=True)), a),
    twins={"the union bound taken for the probability": _union_bound},
)
def simultaneous(miss: Callable[[Bins, int], mpq], bins: Bins) -> Finding:
    together = joint(bins.laws)

    def all_close(counts: tuple[int, ...], a: int) -> bool:
        return all(abs(x - truth) <= a for x, truth in zip(counts, bins.truths, strict=True))

    literal = [1 - together.probability(lambda h, a=a: all_close(h, a)) for a in range(3)]  # type: ignore[misc]
    return all_of([equal(miss(bins, a), literal[a], f"a={a}") for a in range(3)])


class Threshold(NamedTuple):
    """Counts in 0..n, noise that is -1, 0 or 1, and a threshold b: noisy counts of at most b are set to 0."""

    n: int
    b: int
    noise: Pmf[int]


def _thresholds(lengths: Iterable[int], thresholds: Iterable[int], total: int) -> list[Threshold]:
    noise = [law.shifted(-1) for law in small_laws(3, total)]
    return [Threshold(*case) for case in product(lengths, thresholds, noise)]


@definition(
    "BV.Def2.7",
    """(a, beta)-per-query accuracy on counts larger than t: per-query accuracy required only where the true count is above t.
    A count that is dropped at or below b loses nothing above a + b, as in Theorem 5.5 ii.""",
    over="counts in 0..n with noise of at most 1, dropped at or below b; a = 0, 1; beta the least that the noise allows",
    code=["finitedp.spec.accuracy.miss_probability"],
    grid=Cases(lambda: _thresholds((3, 5), (1, 2), 3), lambda: _thresholds((4, 8), (1, 3), 6)),
    subject=lambda a, b: a + b,
    twins={"all counts instead of the large ones": lambda _a, _b: -1},
)
def on_large_counts(larger_than: Callable[[int, int], int], case: Threshold) -> Finding:
    findings = []
    for a in (0, 1):
        beta = accuracy.miss_probability(case.noise, 0, a)
        for count in range(larger_than(a, case.b) + 1, case.n + 1):
            noisy = case.noise.shifted(count).clamped(0, case.n + 1)
            kept = noisy.pushforward(lambda x: x if x > case.b else 0)
            findings.append(at_most(accuracy.miss_probability(kept, count, a), beta, f"miss at count {count}, a={a}:"))
    return all_of(findings or [Finding(True, mpq(0), "no count is larger")])
