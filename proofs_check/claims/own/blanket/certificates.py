"""BlanketHistogram, our own: how plans are chosen, certificates that are checked by themselves, and what is refused."""

import json
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any

from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.proofs_check import blanket_certificate as checker
from finitedp.proofs_check.claims.own.blanket.chances import Bins, chernoff, numbers_of
from finitedp.proofs_check.claims.own.blanket.replays import Chosen, changed
from finitedp.proofs_check.claims.own.blanket.subjects import specified
from finitedp.proofs_check.ledger.entry import Cases, Finding, but, is_taken
from finitedp.proofs_check.ledger.findings import all_of, equal, own
from finitedp.spec import blanket as spec

Make = Callable[[Chosen], BlanketPlan]
FEW = [Chosen(40, 2**64), Chosen(20, 2**20 + 1, "add-remove", "5"), Chosen(50, 2**7, epsilon="6/5")]
MORE = [
    Chosen(150, 2**64),
    Chosen(90, 2**128 + 1, "add-remove", "2", 30),
    Chosen(40, 50, epsilon="8", invented=2),
    Chosen(40, 40, epsilon="8"),
]
SKEWED = Chosen(60, 2**64, skewed=True)
MANY = [Chosen(10**6, 2**64, epsilon="1/10", invented=1)]
LARGE = [Chosen(10**4, 2**64, epsilon="1/3", invented=1)]
MANY_MORE = [Chosen(10**6, 2**64, epsilon="1/100", invented=1), Chosen(10**5, 2**129, "add-remove", "1/7", 50)]

# How a plan is chosen


def _least_cap(mean: mpq) -> int:
    """The least L for which Chernoff's bound of Pr[X > L] is at most 2^-64, at the mean rounded up."""
    above = max(1, int(-(-mean.numerator // mean.denominator)))
    return next(cap for cap in range(above - 1, 10**6) if chernoff(mpq(above), cap + 1, mpq(1, 2**64)))


def _rules(chosen: Chosen, plan: BlanketPlan, b: int) -> tuple[int, int, int, int, int]:
    """L, G, C and the most hits q that `invented` allows, and the sum of the counts that (B) asks for then."""
    hits = chosen.invented * mpq(plan.labels, plan.size)
    cap = _least_cap(Bins(changed(plan, b=b)).most() + hits)
    share = 4 / (plan.up**2 - 1)
    slots = cap * (65 + int(share.numerator // share.denominator))
    ceiling = int(-(-hits.numerator // hits.denominator))
    bits = max(64, plan.mechanism.word - plan.label_bits + (ceiling - 1).bit_length())
    most = int(hits * 2**64 / slots)
    return cap, slots, bits, most, _needed(plan, b, cap, slots, most, bits)


def _needed(plan: BlanketPlan, b: int, cap: int, slots: int, hit: int, bits: int) -> int:
    """The sum of the least counts that (B) allows, by spec."""
    numbers = numbers_of(plan)._replace(b=b, cap=cap, slots=slots, q=hit, t=(1,) * (plan.n - b))
    return sum(int(t) for t in spec.least_counts(specified(numbers), plan.up, bits)) if hit else 2**bits + 1


def _one_off(**steps: int) -> Make:
    """The plan with numbers that are one off."""
    return lambda chosen: changed(plan := chosen.built(), **{name: getattr(plan, name) + step for name, step in steps.items()})


def _rest_on_last(chosen: Chosen) -> BlanketPlan:
    """What is left over goes to t_n."""
    plan = chosen.built()
    t = [*plan.counts]
    least = numbers_of(plan)._replace(t=(1,) * len(t))
    first = spec.least_counts(specified(least), plan.up, plan.count_bits)[0]
    t[-1], t[0] = t[-1] + t[0] - first, first
    return changed(plan, counts=Stretched(len(t), tuple(t[:-2]), t[-2], t[-1]))


@own(
    "FD.Blanket.plan",
    """A plan follows the rules: k the least with 2^k >= |X|; L by Chernoff's bound, G = L(65 + floor(4/(R^2 - 1))); the least
    q at which the counts that (B) asks for sum to at most 2^C, the rest on t_(b+1); no more labels invented than asked for;
    and b is the least for which these rules give a private plan.""",
    over="plans with n to 150 (quick: 40), |X| to 2^128 + 1; every smaller b; weights by spec, bounds decided exactly",
    code=["finitedp.impl.histograms.blanket.building.blanket_plan", "finitedp.spec.blanket.least_counts"],
    grid=Cases(FEW, MORE),
    subject=Chosen.built,
    twins={
        "q + 1": _one_off(hit=1),
        "L + 1": _one_off(cap=1),
        "G + 1": _one_off(slots=1),
        "k + 1": _one_off(label_bits=1),
        "the rest on t_n": _rest_on_last,
    },
)
def plan_rules(make: Make, chosen: Chosen) -> Iterator[Finding]:
    plan = make(chosen)
    cap, slots, bits, most, _ = _rules(chosen, plan, plan.b)
    yield equal(plan.labels >= plan.size > plan.labels // 2, True, f"whether k = {plan.label_bits} is the least")
    found = (plan.mechanism.word, plan.hit_bits, plan.count_bits, plan.cap, plan.slots)
    yield equal(found, (128 if plan.label_bits <= 64 else 192, 64, bits, cap, slots), "B, h, C, L, G")
    yield equal(plan.hit <= most and plan.invented <= chosen.invented, True, "whether no more labels are invented")
    numbers = numbers_of(plan)
    least = spec.least_counts(specified(numbers), plan.up, bits)
    first = 2**bits - sum(least[1:])
    yield equal(([*plan.counts], first >= least[0]), ([first, *least[1:]], True), "t_(b+1), ..., t_n")
    yield equal(_needed(plan, plan.b, cap, slots, plan.hit - 1, bits) > 2**bits, True, "whether q is the least")
    yield equal([b for b in range(plan.b) if _fits(chosen, plan, b)], [], "smaller thresholds that fit")


def _fits(chosen: Chosen, plan: BlanketPlan, b: int) -> bool:
    """Whether the rules make a private plan with this threshold: some q will do for (B), and the least one for the others."""
    cap, slots, bits, most, needed = _rules(chosen, plan, b)
    if needed > 2**bits:
        return False
    low, high = 0, most  # 0 slots hit is too few
    while high - low > 1:
        middle = (low + high) // 2
        enough = _needed(plan, b, cap, slots, middle, bits) <= 2**bits
        low, high = (low, middle) if enough else (middle, high)
    numbers = numbers_of(plan)._replace(b=b, cap=cap, slots=slots, q=high, t=(1,) * (plan.n - b))
    least = [int(t) for t in spec.least_counts(specified(numbers), plan.up, bits)]
    counts = (2**bits - sum(least[1:]), *least[1:])
    return all(spec.conditions(specified(numbers._replace(t=counts)), plan.up).values())


# What is refused


Refuses = Callable[[BlanketPlan, dict[str, object]], bool]


def _refused(plan: BlanketPlan, changes: dict[str, object], kind: type[BlanketPlan] = BlanketPlan) -> bool:
    """Whether the plan with these changes is refused."""
    return not is_taken(lambda: changed(plan, kind=kind, **changes), ClaimError, ParameterError)


def _looking_at(places: Callable[[BlanketPlan], Iterable[int]]) -> Refuses:
    """Broken: of the counts of slots these alone are looked at."""
    kind = but(BlanketPlan, places=lambda self: iter(places(self)))
    return lambda plan, changes: _refused(plan, changes, kind)


def _worse(plan: BlanketPlan) -> dict[str, dict[str, object]]:
    """Every number, one off to the side that costs privacy; a count of a slot is one less, and the first makes up for it."""
    t = plan.counts
    first, *rest = t.head
    later = {
        "t in the head": Stretched(t.size, (first + 1, *rest[:-1], rest[-1] - 1), t.tail, t.last),
        "t in the stretch": Stretched(t.size, (first + t.stretch, *rest), t.tail - 1, t.last),
        "t_n": Stretched(t.size, (first + 1, *rest), t.tail, t.last - 1),
        "the sum of t": Stretched(t.size, (first + 1, *rest), t.tail, t.last),
    }
    numbers: dict[str, dict[str, object]] = {
        "q": {"hit": plan.hit - 1},
        "L": {"cap": plan.cap + 1},
        "G": {"slots": plan.slots - 1},
    }
    fewer = Stretched(t.size + 1, (1, first - 1, *rest), t.tail, t.last)
    numbers |= {"D": {"label_bits": plan.label_bits + 1}, "b": {"b": plan.b - 1, "counts": fewer}}
    return numbers | {name: {"counts": counts} for name, counts in later.items()}


@own(
    "FD.Blanket.refusals",
    """A plan that is one off in q, L, G, D, b, or a count of a slot in the head, in the stretch or at the end, to the side
    that costs privacy, is refused when it is made, at n = 10^6.""",
    over="plans with n to 10^6, epsilon to 1/100, |X| to 2^129; each number by one, and D by a factor of 2",
    code=["finitedp.impl.histograms.blanket.plan.BlanketPlan.violations"],
    grid=Cases(MANY, MANY_MORE),
    subject=_refused,
    twins={
        "the first count alone": _looking_at(lambda plan: [plan.b + 1]),
        "the head alone": _looking_at(lambda plan: range(plan.b + 1, plan.b + len(plan.counts.head) + 1)),
    },
)
def refusals(refuses: Refuses, chosen: Chosen) -> Finding:
    plan = chosen.built()
    accepted = [name for name, changes in _worse(plan).items() if not refuses(plan, changes)]
    return all_of([equal(accepted, [], "accepted"), equal(refuses(plan, {}), False, "whether the plan itself is refused")])


# Certificates


Document = dict[str, Any]


def _part_alone(part: Callable[[checker.Plan], object]) -> Callable[[Document], str | None]:
    """Broken: one part of the checks of a plan is all that is made."""

    def recheck(document: Document) -> str | None:
        try:
            part(checker.Plan(document))
        except ValueError as error:
            return str(error)
        return None

    return recheck


def _edits(document: Document) -> Iterator[tuple[str, Document]]:
    """Each number one off, either way; the counts also so that their sum stays; the claim; R."""
    for name in ("b", "cap", "slots", "hit", "size", "label_bits", "hit_bits", "count_bits"):
        for step in (-1, 1):
            edited, value = deepcopy(document), document[name]
            edited[name] = str(int(value) + step) if isinstance(value, str) else value + step
            if name != "size" or int(edited[name]) > 2 ** document["label_bits"]:  # as many labels would do as well
                yield f"{name} {step:+}", edited
    last = len(document["counts"]["head"]) - 1
    for place in (0, last, "tail", "last"):
        for step, kept in ((-1, False), (1, False), (-1, True), (1, True)):
            edited = deepcopy(document)
            counts = edited["counts"]
            where, key = (counts["head"], place) if isinstance(place, int) else (counts, place)
            where[key] = str(int(where[key]) + step)
            if kept and place != 0:
                times = int(document["table"]["n"]) - int(document["b"]) - 2 - last if place == "tail" else 1
                counts["head"][0] = str(int(counts["head"][0]) - step * times)
            yield f"t {place} {step:+}", edited
    yield "epsilon", document | {"epsilon": str(mpq(document["epsilon"]) * mpq(99, 100))}
    yield "ratio", document | {"ratio": str(mpq(document["ratio"]) - mpq(1, 2**200))}
    yield "neighbours", document | {"neighbours": {"replace-one": "add-remove"}.get(document["neighbours"], "replace-one")}
    edited = deepcopy(document)
    side = edited["table"].get("down", edited["table"])  # of a skewed table the side that the rest is on
    side["last"] = str(int(side["last"]) + 1)
    yield "table", edited


@own(
    "FD.Blanket.certificate",
    """The lone checker accepts the certificate of a plan, on a skewed table too, and rejects it with any number one off, be it
    private or not.""",
    over="plans with n to 10^6, |X| to 2^129; about forty edits of each, through JSON",
    code=[
        "finitedp.proofs_check.blanket_certificate.recheck",
        "finitedp.impl.histograms.blanket.plan.BlanketPlan.certificate",
    ],
    grid=Cases([*LARGE, SKEWED], [*MANY, *MANY_MORE, *MORE, *FEW]),
    subject=checker.recheck,
    twins={"private alone": _part_alone(checker.private), "chosen alone": _part_alone(checker.chosen)},
)
def certificate(recheck: Callable[[Document], str | None], chosen: Chosen) -> Finding:
    document = json.loads(json.dumps(chosen.built().certificate()))
    accepted = [name for name, edited in _edits(document) if recheck(edited) is None]
    return all_of([equal(recheck(document), None, "the certificate"), equal(accepted, [], "edits that are accepted")])
