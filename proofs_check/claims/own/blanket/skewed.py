"""BlanketHistogram on a skewed table, our own: a lower threshold for replaced rows, and its exact privacy."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ClaimError, ParameterError
from finitedp.impl.histograms.blanket.histogram import draw
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample, SkewedTable
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.proofs_check.claims.own.blanket.slots import Release
from finitedp.proofs_check.claims.own.blanket.subjects import counted
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn, of_privacy, own, same_laws
from finitedp.spec import blanket as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import multisets, neighbouring_multisets
from finitedp.spec.pmf import Pmf

CODE = ["finitedp.impl.histograms.blanket.skewed.SkewedTable", "finitedp.impl.histograms.blanket.skewed.SkewedSample"]
EPSILONS = ("3/2", "2", "3", "4", "6", "9")

Weights = Callable[[SkewedTable], tuple[tuple[int, ...], tuple[int, ...]]]


class Near(NamedTuple):
    """So many certified plans at random, from a seed, with up to so many rows."""

    seed: int
    number: int
    rows: int
    cap: int = 3

    def plans(self) -> Iterator[BlanketPlan]:
        return islice((plan for plan in _plans(self.seed, self.rows) if plan.cap <= self.cap), self.number)

    def __str__(self) -> str:
        return f"{self.number} plans from seed {self.seed}, n <= {self.rows}, L <= {self.cap}"


def _plans(seed: int, rows: int) -> Iterator[BlanketPlan]:
    random = Random(seed)  # noqa: S311  # chooses what is checked
    while True:
        try:
            mechanism = SkewedSample(random.randint(1, rows), random.choice(EPSILONS), random.choice((5, 7, 10)))
        except ParameterError:
            continue
        n, b, k, slots = mechanism.n, random.randrange(mechanism.n), random.choice((1, 2)), random.randint(2, 4)
        h, bits = random.choice((2, 3, 4)), random.choice((4, 6, 8))
        table = mechanism.table
        once = [table.weight(v - 1) if v < n else table.upper(v - 1) for v in range(b + 1, n + 1)]
        held = [max(1, (t << bits) // sum(once)) for t in once]
        held[0] += (1 << bits) - sum(held)
        *head, last = held
        counts = Stretched(n - b, tuple(head[:-1]), head[-1] if head else 0, last)
        at = (1 << k, k, b, random.randrange(1, slots), slots, h, random.randrange(1, 1 << h), bits, counts)
        try:
            yield BlanketPlan(mechanism, "replace-one", *at)
        except ClaimError:
            continue


def _weights(table: SkewedTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(table.ups), tuple(table.downs)


def _ends_at(table: SkewedTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Broken: what is left over goes to d_1."""
    ups, (centre, *downs) = _weights(table)
    downs[0], downs[-1] = downs[0] + downs[-1] - 1, 1
    return ups, (centre, *downs)


def _steep(table: SkewedTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Broken: the first weight behind w_0 is 1, and the last has the rest, so that all sums are within R: a step is not."""
    (centre, *ups), downs = _weights(table)
    return ((centre, 1, *ups[1:-1], ups[-1] + ups[0] - 1) if len(ups) > 1 else (centre, *ups)), downs


def _steep_end(table: SkewedTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Broken: the last weight upwards is 1, and the last downwards has the rest: the last sum is too large, and no step."""
    (*ups, last), (*downs, end) = _weights(table)
    return (*ups, 1), (*downs, end + last - 1)


def specified(plan: BlanketPlan, ups: tuple[int, ...], downs: tuple[int, ...]) -> spec.Blanket:
    """The plan as spec takes it, with weights of its noise."""
    hit = mpq(plan.hit, 1 << plan.hit_bits)
    return spec.Blanket(ups, plan.b, plan.cap, plan.slots, hit, plan.labels, tuple(plan.counts), downs)


def _law(blanket: spec.Blanket) -> Callable[[tuple[int, ...]], Pmf[Release]]:
    return lru_cache(maxsize=None)(lambda rows: spec.law(blanket, counted(rows)))


@own(
    "FD.Blanket.skewed",
    """On a skewed table a certified BlanketHistogram is (ln(R_up R_down), 0)-differentially private for replace-one, and
    R_up R_down <= e^epsilon: a row more raises a probability by a factor of at most R_up, and lowers it by at most R_down.""",
    over="certified plans at random, |X| = 2, 4; every pair of datasets of at most n rows, every output, by the closed form",
    code=[*CODE, "finitedp.spec.blanket.conditions"],
    grid=Cases([Near(1, 12, 3)], lambda: [Near(2, 200, 3), Near(3, 40, 4)]),
    subject=_weights,
    twins={
        "sides exchanged": lambda table: _weights(table)[::-1],
        "down as fast as up": lambda table: (tuple(table.ups), tuple(table.ups)),
        "the last weight of 1": _ends_at,
        "a step of more than R": _steep,
        "a last sum of more than R": _steep_end,
    },
)
def skewed(weights: Weights, near: Near) -> Finding:
    return in_turn(finding for plan in near.plans() for finding in _private(plan, *weights(plan.mechanism.table)))  # type: ignore[arg-type]  # all are skewed


def _private(plan: BlanketPlan, ups: tuple[int, ...], downs: tuple[int, ...]) -> Iterator[Finding]:
    blanket = specified(plan, ups, downs)
    law, labels = _law(blanket), range(plan.labels)
    for longer, shorter in _removals(plan):
        what = f"{shorter} and a row more, {longer}:"
        for p, q, most, how in ((longer, shorter, plan.up, "raised by"), (shorter, longer, plan.down, "lowered by")):
            worst = max_ratio(law(p), law(q))
            yield at_most(10**9 if worst.infinite else worst.value, most, f"{what} {how}")
    claim = PrivacyClaim(plan.epsilon, "replace-one", ratio=plan.up * plan.down)
    yield equal(plan.claim().ratio, claim.ratio, "ratio that is claimed")
    for rows in range(1, plan.n + 1):
        pairs = neighbouring_multisets(labels, rows, "replace-one")
        yield of_privacy(check_privacy(law, pairs, claim), claim)
    holds = spec.conditions(blanket, plan.up, plan.down)
    yield equal([name for name, held in holds.items() if not held], [], "conditions that fail")


def _removals(plan: BlanketPlan) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for rows in range(1, plan.n + 1):
        for longer in multisets(range(plan.labels), rows):
            for i in range(rows):
                yield longer, (*longer[:i], *longer[i + 1 :])


@own(
    "FD.Blanket.skewed.law",
    "The running BlanketHistogram on a skewed table has the law of the closed form.",
    over="certified plans at random, n <= 2, |X| = 2, 4, by the explorer; all datasets of at most n rows",
    code=[*CODE, "finitedp.impl.histograms.blanket.histogram.draw"],
    grid=Cases([Near(5, 2, 2, 1)], lambda: [Near(6, 20, 2, 1), Near(7, 2, 2, 2)]),
    subject=_weights,
    twins={
        "sides exchanged": lambda table: _weights(table)[::-1],
        "down as fast as up": lambda table: (tuple(table.ups), tuple(table.ups)),
        "the last weight of 1": _ends_at,
    },
)
def skewed_law(weights: Weights, near: Near) -> Finding:
    return all_of([_same(plan, *weights(plan.mechanism.table)) for plan in near.plans()])  # type: ignore[arg-type]  # all are skewed


def _same(plan: BlanketPlan, ups: tuple[int, ...], downs: tuple[int, ...]) -> Finding:
    law = _law(specified(plan, ups, downs))
    data = [rows for size in range(plan.n + 1) for rows in multisets(range(plan.labels), size)]
    return same_laws(lambda rows: explore(lambda coins: draw(plan, counted(rows), coins)).law(), law, data)


class Noise(NamedTuple):
    """N, epsilon and bits of a skewed table."""

    n: int
    epsilon: str
    bits: int

    @property
    def mechanism(self) -> SkewedSample:
        return SkewedSample(*self)


Missed = tuple[Callable[[SkewedSample, int], mpq], Callable[[SkewedSample, mpq], int]]


def _stated(mechanism: SkewedSample, beta: mpq) -> int:
    return mechanism.accuracy(beta).a


@own(
    "FD.Blanket.skewed.accuracy",
    """The largest probability over all counts that skewed noise moves one by more than a is what `miss` says, and its stated
    error is the least a at which that is at most beta.""",
    over="tables of 5 to 8 bits, n to 7, all counts, all words; every probability of a miss as beta, and a little less",
    code=[CODE[1]],
    grid=cases(Noise, [(5, "2", 7), (1, "3", 5), (4, "4", 8)], [(7, "3/2", 9), (2, "6", 10)]),
    subject=(SkewedSample.miss, _stated),
    twins={
        "upwards alone": (lambda mechanism, a: mpq(mechanism.table.upper(a + 1) * (a < mechanism.n), mechanism.d), _stated),
        "one more": (SkewedSample.miss, lambda mechanism, beta: _stated(mechanism, beta) + 1),
        "one less": (SkewedSample.miss, lambda mechanism, beta: max(0, _stated(mechanism, beta) - 1)),
    },
)
def skewed_accuracy(made: Missed, case: Noise) -> Iterator[Finding]:
    mechanism, n = case.mechanism, case.n
    apart = [[abs(mechanism.apply(c, u) - c) for u in range(1, mechanism.d + 1)] for c in range(n + 1)]
    worst = [max(mpq(sum(x > a for x in row), mechanism.d) for row in apart) for a in range(n + 1)]
    yield from (equal(made[0](mechanism, a), worst[a], f"miss by more than {a}, {case}") for a in range(n + 1))
    for beta in {x + less for x in worst for less in (0, mpq(1, 2 * mechanism.d), mpq(-1, 2 * mechanism.d))}:
        if 0 < beta <= 1:
            least = next(a for a in range(n + 1) if worst[a] <= beta)
            yield equal(made[1](mechanism, beta), least, f"stated at {beta}, {case}")
