"""BlanketHistogram, our own: the same draws for every dataset and result."""

from collections.abc import Iterator

from finitedp.impl.histograms.blanket.histogram import BlanketHistogram, draw
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.own.blanket.slots import LEAST, THREE, Numbers
from finitedp.proofs_check.claims.own.blanket.subjects import Draw, Unchecked, built, counted, datasets
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import Finding, but, cases
from finitedp.proofs_check.ledger.findings import equal, own

RUNNING = "finitedp.impl.histograms.blanket.histogram"

# Draws


class _Skipping:
    """Broken coins, on which some draws of a run are not made: which, the broken copy says."""

    def __init__(self, plan: BlanketPlan, rows: int, coins: Coins) -> None:
        self.slack, self.uniform, self._coins = coins.slack, coins.uniform, coins
        self.plan, self.rows, self.made, self.hits = plan, rows, 0, 0

    def bits(self, b: int) -> int:
        at, self.made = self.made, self.made + 1
        if self.skips(at):
            return 0
        drawn = self._coins.bits(b)
        if self.plan.n <= at < self.plan.n + self.plan.slots:
            self.hits += bool(drawn < self.plan.hit)
        return drawn

    def skips(self, at: int) -> bool:
        raise NotImplementedError  # of a twin, each of which says its own


class _HitsOnly(_Skipping):
    """Labels and counts for slots that hit, and no others."""

    def skips(self, at: int) -> bool:
        place = at - self.plan.n - self.plan.slots
        return place >= 0 and place % self.plan.cap >= self.hits


def _on(kind: type[_Skipping]) -> Draw:
    return lambda plan, data, coins: draw(plan, data, kind(plan, sum(data.values()), coins))


@own(
    "FD.Blanket.work",
    """A release makes the same draws for every dataset and result, as stated: n of B bits, G of h, L of k and L of C.""",
    over="every dataset of at most n rows, every path of the running code by the explorer",
    code=[f"{RUNNING}.draw", f"{RUNNING}.BlanketHistogram.cost"],
    grid=cases(Numbers, [LEAST], [LEAST._replace(cap=2, slots=3, t=(3, 1)), THREE]),
    subject=draw,
    twins={
        "no dummy draws": _on(but(_Skipping, skips=lambda self, at: self.rows <= at < self.plan.n)),
        "labels for hits only": _on(_HitsOnly),
        "an early exit": _on(
            but(_Skipping, skips=lambda self, at: at >= self.plan.n + self.plan.slots and self.hits > self.plan.cap)
        ),
    },
)
def same_draws(run: Draw, numbers: Numbers) -> Iterator[Finding]:
    plan, found = built(numbers, kind=Unchecked), set[tuple[int, ...]]()
    for rows in datasets(numbers):
        explored = explore(lambda coins, rows=rows: run(plan, counted(rows), coins))  # type: ignore[misc]
        found |= {ranges for ranges, _ in explored.shapes}
        if len(found) > 1:
            break
    bits = [plan.mechanism.word] * plan.n + [plan.hit_bits] * plan.slots
    bits += [plan.label_bits] * plan.cap + [plan.count_bits] * plan.cap
    histogram = BlanketHistogram[int](plan, Integers(0, plan.size - 1))
    first = counted(next(iter(datasets(numbers))))
    found |= {ranges for ranges, _ in explore(lambda coins: histogram.release_counts(first, coins)).shapes}
    stated = histogram.cost()
    yield equal(found, {tuple(2**b for b in bits)}, "draws")
    yield equal((stated.draws, stated.bits, stated.exact), (len(bits), sum(bits), True), "stated draws and bits")
