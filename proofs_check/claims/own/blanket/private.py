"""BlanketHistogram, our own: exact privacy over all pairs of neighbours, and which conditions that needs."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain, islice
from types import FunctionType
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import Neighbours
from finitedp.proofs_check import blanket_certificate as checker
from finitedp.proofs_check.claims.own.blanket import twins
from finitedp.proofs_check.claims.own.blanket.plans import certified, extreme_plans, off_by_one, random_plans
from finitedp.proofs_check.claims.own.blanket.ratios import Worst, worst_of
from finitedp.proofs_check.claims.own.blanket.slots import LEAST, THREE, Numbers, Release, Slots, check_numbers
from finitedp.proofs_check.claims.own.blanket.subjects import Unchecked, accepts, built, counted, specified
from finitedp.proofs_check.deciders.verdict import check_privacy
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, in_turn, of_privacy, own
from finitedp.spec import blanket as spec
from finitedp.spec.divergence import max_ratio
from finitedp.spec.neighbours import neighbouring_multisets
from finitedp.spec.pmf import Pmf

OUTSIDE = Numbers(4, (8, 5, 3, 4), mpq(2), 2, 2, 6, 5, 5, (2,))
BOTH: tuple[Neighbours, ...] = ("add-remove", "replace-one")
CODE = ["finitedp.impl.histograms.blanket.plan.BlanketPlan.claim", "finitedp.spec.blanket.conditions"]

# Every pair, by the steps


def _some(seed: int, number: int) -> Iterator[Numbers]:
    some = random_plans(seed, 10**6, most_rows=3, bits=2, slots=6)
    return islice((x for x in some if x.size >= 3 and (x.indices * len(x.t)) ** x.cap <= 200), number)


def _pairs(numbers: Numbers, relation: Neighbours) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All of at most n rows: n is a bound, not their number."""
    sizes = range(1, numbers.n + 1) if relation == "replace-one" else [numbers.n]
    return chain.from_iterable(neighbouring_multisets(range(numbers.size), rows, relation) for rows in sizes)


def _law(steps: Slots) -> Callable[[tuple[int, ...]], Pmf[Release]]:
    return lru_cache(maxsize=None)(lambda rows: steps.law(counted(rows)))


@own(
    "FD.Blanket.pairs",
    """A certified BlanketHistogram is (ln R, 0)-differentially private for add-remove and (2 ln R, 0)-private for replace-one,
    what is withheld told apart from an empty release, and phantoms shown.""",
    over="certified plans, chosen and at random, n <= 3, |X| = 3, 4; every pair of datasets of at most n rows, every output",
    code=CODE,
    grid=Cases([LEAST, THREE, OUTSIDE], lambda: list(_some(4, 40))),
    subject=Slots,
    twins=twins.NOT_PRIVATE,
)
def pairs(steps: Callable[[Numbers], Slots], numbers: Numbers) -> Finding:
    law = _law(steps(numbers))
    claims = {relation: built(numbers, relation).claim() for relation in BOTH}
    return in_turn(of_privacy(check_privacy(law, _pairs(numbers, of), claim), claim) for of, claim in claims.items())


# By classes


@own(
    "FD.Blanket.classes",
    """The worst ratio over all pairs of neighbours and outputs is the largest one over classes: the counts and places of the
    labels that change, and how many others occur, are shown, and are invented.""",
    over="plans, certified or one off, n <= 3, |X| <= 4; both relations; against every pair and output, by the steps",
    code=["finitedp.spec.blanket.law"],
    grid=Cases(
        [LEAST, THREE, THREE._replace(cap=1), Numbers(3, (2, 1, 14), mpq(3), 1, 4, 6, 1, 4, (8,))],
        lambda: [OUTSIDE, *_some(5, 10), *(y for x in _some(6, 3) for y in off_by_one(x) if y.size <= 4)],
    ),
    subject=worst_of,
    twins={
        "no phantoms": lambda numbers: worst_of(numbers._replace(size=numbers.indices // 2)),
        "nothing withheld": partial(worst_of, withheld=False),
    },
)
def classes(of: Callable[[Numbers], Worst], numbers: Numbers) -> Iterator[Finding]:
    check_numbers(numbers)
    law, found = _law(Slots(numbers)), of(numbers)
    removed = _largest(law, _pairs(numbers, "add-remove"))
    replaced = _largest(law, _pairs(numbers, "replace-one"))
    yield equal(max(found.more, found.fewer), removed, "worst ratio for add-remove")
    yield equal(found.replaced, replaced, "worst ratio for replace-one")


def _largest(law: Callable[[tuple[int, ...]], Pmf[Release]], every: Iterator[tuple[tuple[int, ...], tuple[int, ...]]]) -> mpq:
    return max(max_ratio(law(left), law(right)).value for left, right in every)


# The certificate


class Near(NamedTuple):
    """So many certified plans at random, from a seed, and of each those that are one off in one number."""

    seed: int
    number: int
    bits: int
    slots: int

    def plans(self) -> Iterator[Numbers]:
        """The certified ones. Raises: OutOfScopeError."""
        in_scope(self.number >= 1 and self.bits >= 1 and self.slots >= 2, "plans that there are")
        return random_plans(self.seed, self.number, bits=self.bits, slots=self.slots)

    def __str__(self) -> str:
        return f"{self.number} plans from seed {self.seed}, |X| to 2^{self.bits}, to {self.slots} slots"


class Extreme(NamedTuple):
    """So many certified plans at random with G = L + 1 or q = 2^h - 1, from a seed."""

    seed: int
    number: int

    def plans(self) -> Iterator[Numbers]:
        return extreme_plans(self.seed, self.number)

    def __str__(self) -> str:
        return f"{self.number} plans from seed {self.seed} with G = L + 1 or q = 2^h - 1"


Plans = Near | Extreme
NEAR = cases(Near, [(1, 4, 3, 9), (2, 4, 6, 60)], [(3, 300, 3, 12), (4, 300, 5, 40), (5, 60, 8, 200)])
Certifies = Callable[[Numbers], bool]


def _without(name: str) -> Certifies:
    """A certificate that does not look at one condition, and that (C) implies the first half of (A) forgotten."""
    return lambda numbers: all(holds for of, holds in certified(numbers).items() if of not in (name, "A"))


def _with(**changes: int) -> Certifies:
    """A certificate with other terms."""
    return lambda numbers: all(certified(numbers, **changes).values())


BROKEN: Mapping[str, Certifies] = {
    "without 1 <= R(1 - sigma)": _without("a"),
    "without (B)": _without("B"),
    "without (C)": _without("C"),
    "without (D)": _without("D"),
    "L for L + 1 in (D)": _with(more=0),
    "G for G - L": _with(taken=0),
    "R^2 for R": _with(power=2),
}
NEEDED = {
    "a": Numbers(4, (2, 1), mpq(3), 0, 1, 7, 1, 2, (2,)),
    "B": Numbers(8, (2, 1, 1, 5), mpq(5), 0, 1, 6, 1, 2, (1, 2, 1)),
    "C": Numbers(8, (10, 5, 2, 2, 2), mpq(3), 2, 1, 15, 1, 2, (1, 3)),
    "D": Numbers(3, (4, 6), mpq(9), 0, 4, 5, 1, 2, (8,)),
}
SLACK = {
    "a": Numbers(2, (20, 4, 2), mpq(5), 0, 3, 8, 5, 5, (3, 1)),
    "B": Numbers(10, (2, 1, 2), mpq(2), 1, 2, 8, 3, 3, (2,)),
    "C": Numbers(5, (2, 1, 2), mpq(2), 1, 2, 9, 3, 3, (2,)),
    "D": Numbers(3, (2, 1, 14), mpq(3), 1, 4, 20, 1, 4, (8,)),
}
FULL_SLOTS = Numbers(16, (2, 3), mpq(5), 0, 3, 7, 1, 2, (2,))
"""One that G for G - L would accept."""
ALONE = [*NEEDED.values(), FULL_SLOTS]


@own(
    "FD.Blanket.private",
    """A certified plan is private: a row more changes the probability of every output by a factor in [1/R, R], a replaced one
    by one in [1/R^2, R^2]; the stated claim has ratio R for add-remove and R^2 for replace-one, on all coins.""",
    over="971 random certified plans (quick: 11), n <= 4, |X| to 2^14, to 200 slots, some with q = 2^h - 1 or G = L + 1, and"
    " those one off in a number; all pairs and outputs by classes",
    code=[*CODE, "finitedp.impl.histograms.blanket.plan.BlanketPlan.violations"],
    grid=Cases([*ALONE, *NEAR.of("quick"), Extreme(1, 3)], [*NEAR.of("full"), Extreme(2, 300)]),
    subject=accepts,
    twins=BROKEN,
    derived_from=("FD.Blanket.law", "FD.Blanket.closed", "FD.Blanket.classes"),
    by="the largest ratio of the closed form over all classes of pairs and outputs, an exact rational",
)
def private(certifies: Certifies, case: Numbers | Plans) -> Finding:
    if isinstance(case, Numbers):
        return _private(certifies, case)
    near = ([x, *off_by_one(x)] for x in case.plans())
    return all_of([_private(certifies, numbers) for every in near for numbers in every])


def _private(certifies: Certifies, numbers: Numbers) -> Finding:
    if not certifies(numbers):
        return Finding(True, mpq(0), f"refused: {numbers}")
    found, ratio = _worst(numbers), numbers.ratio
    claims = [built(numbers, relation, kind=Unchecked).claim() for relation in BOTH]
    return all_of(
        [
            at_most(max(found.more, found.fewer), ratio, f"a row more or less, {numbers}:"),
            at_most(found.replaced, ratio**2, f"a row replaced, {numbers}:"),
            equal(
                [(claim.ratio, claim.neighbours) for claim in claims], [(ratio, BOTH[0]), (ratio**2, BOTH[1])], "stated claims"
            ),
        ]
    )


_worst = lru_cache(maxsize=512)(worst_of)


# What it rests on


def _rechecked(numbers: Numbers, forgotten: str | None = None) -> bool:
    """Whether the lone checker takes the plan for private; of a twin, but for the condition whose message begins so."""
    document = built(numbers, kind=Unchecked).certificate() | {"invented": "1"}

    def need(condition: bool, why: str) -> None:
        checker.need(condition or (forgotten is not None and why.startswith(forgotten)), why)

    private = FunctionType(checker.private.__code__, {**vars(checker), "need": need})
    return is_taken(lambda: private(checker.Plan(document)), ValueError)


@own(
    "FD.Blanket.conditions",
    """A plan is accepted exactly where the conditions (A) to (D) hold, as spec has them from their definition.""",
    over="random certified plans, those one off in a number, and plans of which one condition alone fails",
    code=["finitedp.impl.histograms.blanket.plan.BlanketPlan.violations", "finitedp.spec.blanket.conditions"],
    grid=Cases([*ALONE, *SLACK.values(), *NEAR.of("quick"), Extreme(1, 3)], [*NEAR.of("full"), Extreme(2, 300)]),
    subject=accepts,
    twins=BROKEN,
)
@own(
    "FD.Blanket.conditions.rechecked",
    """The lone checker takes a plan for private exactly where the conditions (A) to (D) hold, as spec has them.""",
    over="random certified plans, those one off in a number, and plans of which one condition alone fails; their certificates",
    code=["finitedp.proofs_check.blanket_certificate.recheck"],
    grid=Cases([*ALONE, *SLACK.values(), *NEAR.of("quick"), Extreme(1, 3)], [*NEAR.of("full"), Extreme(2, 300)]),
    subject=_rechecked,
    twins={
        "without 1 <= R(1 - sigma)": lambda numbers: _rechecked(numbers, "(A) fails: 1 >"),
        "without (B)": lambda numbers: _rechecked(numbers, "(B)"),
        "without (C)": lambda numbers: _rechecked(numbers, "(C)"),
        "without (D)": lambda numbers: _rechecked(numbers, "(D)"),
    },
)
def conditions(certifies: Certifies, case: Numbers | Plans) -> Finding:
    every = [case] if isinstance(case, Numbers) else [y for x in case.plans() for y in (x, *off_by_one(x))]
    return in_turn(finding for numbers in every for finding in _conditions(certifies, numbers))


def _conditions(certifies: Certifies, numbers: Numbers) -> Iterator[Finding]:
    stated, own = spec.conditions(specified(numbers), numbers.ratio), certified(numbers)
    yield equal({name: stated[name] for name in own}, own, f"conditions of {numbers}")
    yield equal(certifies(numbers), all(stated.values()), f"whether {numbers} is accepted")


class Alone(NamedTuple):
    """A condition, and which plan that fails it alone: one that is not private, or one that is."""

    name: str
    private: bool

    @property
    def numbers(self) -> Numbers:
        return (SLACK if self.private else NEEDED)[self.name]

    def check_scope(self) -> None:
        in_scope(self.name in NEEDED, "a condition with plans of its own")


Fails = Callable[[Numbers], set[str]]


def _fails(numbers: Numbers) -> set[str]:
    """The names of the conditions that fail, but for the half of (A) that (C) implies."""
    return {name for name, holds in spec.conditions(specified(numbers), numbers.ratio).items() if not holds} - {"A"}


@own(
    "FD.Blanket.needed",
    """Each of 1 <= R(1 - sigma), (B), (C) and (D) is needed: with it alone left out, some accepted plan is not private. None
    is necessary: some plan that fails it alone is private.""",
    over="a plan for each condition that is not private, and (in full) one that is; all pairs and outputs by classes",
    code=["finitedp.spec.blanket.conditions"],
    grid=cases(
        Alone,
        [(name, False) for name in NEEDED],
        [(name, True) for name in SLACK],
    ),
    subject=_fails,
    twins={"without (D)": lambda numbers: _fails(numbers) - {"D"}, "(B) and (C) as one": lambda x: _fails(x) & {"a", "D"}},
)
def needed(fails: Fails, case: Alone) -> Iterator[Finding]:
    yield equal(fails(case.numbers), {case.name}, f"conditions that fail for {case.numbers}")
    yield equal(_worst(case.numbers).within(case.numbers.ratio, case.numbers.ratio), case.private, "whether it is private")
