"""Certificates of lossy distances and one-sided tables, our own: the lone checker accepts right ones, none tampered with."""

from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from functools import reduce
from operator import or_
from random import Random
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check.claims.fa.subjects import Lossy, law, lossy_cases, wasserstein
from finitedp.proofs_check.flexible_certificate import recheck
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec.flexible import shifted_truncated as spec
from finitedp.spec.flexible.certificates import decision_certificate, value_certificate
from finitedp.spec.flexible.flows import Flow, largest_flow, places
from finitedp.spec.flexible.lossy_wasserstein import Decision, absolute, decide_lossy, lossy_infinity, verified

LOSSY = "finitedp.spec.flexible.lossy_wasserstein"
WRITTEN = "finitedp.spec.flexible.certificates"

Document = dict[str, Any]
Check = Callable[[Document], bool]


def _lone(document: Document) -> bool:
    return recheck(document) is None


def _tampered(document: Document) -> Iterator[tuple[Document, str]]:
    """Copies with the other answer, a unit more or less of flow, smaller sets, other masses, a foreign metric."""

    def edited(edit: Callable[[Document], object], name: str) -> tuple[Document, str]:
        copy = deepcopy(document)
        edit(copy)
        return copy, name

    def flow_set(place: int, amount: str) -> Callable[[Document], object]:
        return lambda d: d["flow"][place].__setitem__(2, amount)

    def left_out(key: str, place: int) -> Callable[[Document], object]:
        return lambda d: d[key].pop(place)

    for place, step_of_flow in enumerate(document["flow"]):
        for step in (1, -1):
            yield edited(flow_set(place, str(int(step_of_flow[2]) + step)), f"flow {place} {step:+}")
        yield edited(left_out("flow", place), f"flow {place} left out")
    for place in range(len(document["hall"])):
        yield edited(left_out("hall", place), f"hall without {place}")
    if "answer" in document:
        yield edited(lambda d: d.__setitem__("answer", not d["answer"]), "the other answer")
    yield edited(lambda d: d["P"][0].__setitem__(1, str(int(d["P"][0][1]) + 1)), "a unit more in P")
    yield edited(lambda d: d.__setitem__("metric", "chord"), "a foreign metric")


class Asked(NamedTuple):
    """Two laws with a loss, and b."""

    case: Lossy
    b: mpq


def _asked(total: int, every: int) -> list[Asked]:
    found = [x for x in lossy_cases(total) if x.p != x.q][::every]
    return [Asked(x, b) for x in found for b in (mpq(0), mpq(1), mpq(2), mpq(3))]


@own(
    "FD.Lossy.witness",
    """Both answers have a witness that verified accepts, and the lone checker from the file alone: a flow where the distance
    is at most b, a set of points where it is not. The least values of flows and all of a set are needed: tampered ones are
    refused.""",
    over="laws on three points in thirds (fourths in full), every loss, b = 0..3; flows a unit off or left out; smaller sets",
    code=[f"{LOSSY}.verified", "finitedp.proofs_check.flexible_certificate.recheck", f"{WRITTEN}.decision_certificate"],
    grid=Cases(lambda: _asked(3, 9), lambda: _asked(4, 20)),
    subject=_lone,
    twins={
        "the answer is believed": lambda document: document["metric"] == "absolute",
        "any flow within b": lambda document: _lone(document) or (document["answer"] and bool(document["flow"])),
        "any set": lambda document: _lone(document) or (not document["answer"] and bool(document["hall"])),
    },
)
def witnesses(check: Check, asked: Asked) -> Iterator[Finding]:
    (p, q, gamma), b = asked
    decision: Decision[int] = decide_lossy(law(p), law(q), absolute, b, gamma)
    document = decision_certificate(decision, absolute)
    yield equal(decision.holds, wasserstein(p, q, gamma) <= b, f"the answer at {asked}")
    yield equal(verified(decision, absolute), True, f"the witness of {asked}")
    yield equal(check(document), True, f"the certificate of {asked}")
    for name, forged in _forged(decision):
        yield equal(verified(forged, absolute), False, f"{name}, of the witness of {asked}")
    for copy, name in _tampered(document):
        yield equal(check(copy), _still_right(copy, asked), f"{name}, of the certificate of {asked}")


def _forged(decision: Decision[int]) -> Iterator[tuple[str, Decision[int]]]:
    """A flow whose farthest pair is beyond b, and one that sends as much back as it sends too much."""
    apart = [abs(mpq(decision.left[i][0]) - decision.right[j][0]) for i, j, _ in decision.flow]
    if decision.holds and max(apart, default=mpq(0)) > 0:
        yield "a smaller b", evolve(decision, b=max(apart) - mpq(1, 2))
    if decision.holds and decision.flow:
        (i, j, f), *rest = decision.flow
        yield "less than nothing sent", evolve(decision, flow=((i, j, f + 1), (i, j, -1), *rest))


def _still_right(document: Document, asked: Asked) -> bool:
    """Whether an edited certificate still shows its answer: by the definition, of the flow or the set alone."""
    (p, _, gamma), b = asked
    total = sum(p)
    if document["metric"] != "absolute" or sum(int(m) for _, m in document["P"]) != int(document["mass"]):
        return False
    scale = int(document["mass"]) // total
    left = [(x, int(m)) for x, m in document["P"]]
    right = [(x, int(m)) for x, m in document["Q"]]
    near = [[abs(mpq(x) - mpq(y)) <= b for y, _ in right] for x, _ in left]
    if document["answer"]:
        moved = [(i, j, int(f)) for i, j, f in document["flow"]]
        fits = all(sum(f for i, _, f in moved if i == k) <= m for k, (_, m) in enumerate(left))
        fits &= all(sum(f for _, j, f in moved if j == k) <= m for k, (_, m) in enumerate(right))
        fits &= all(near[i][j] and f >= 0 for i, j, f in moved) and document["hall"] == []
        return fits and sum(f for _, _, f in moved) >= (1 - gamma) * total * scale
    hall = document["hall"]
    reached = sum(m for j, (_, m) in enumerate(right) if any(near[i][j] for i in hall))
    return bool(sum(left[i][1] for i in hall) - reached > gamma * total * scale) and document["flow"] == []


@own(
    "FD.Lossy.value",
    "The certificate of a value shows both of its sides; with a smaller or a larger b the lone checker refuses it.",
    over="laws on three points in thirds (fourths in full), every loss; b a half more and less",
    code=[f"{LOSSY}.lossy_infinity", "finitedp.proofs_check.flexible_certificate.recheck", f"{WRITTEN}.value_certificate"],
    grid=Cases(lambda: [x for x in lossy_cases(3) if x.p != x.q][::5], lambda: [x for x in lossy_cases(4) if x.p != x.q][::7]),
    subject=_lone,
    twins={
        "at most b is enough": lambda document: (
            _lone(document) or _lone({**document, "b": str(mpq(document["b"]) - mpq(1, 2))})
        ),
        "b is believed": lambda document: document["gamma"] != "",
    },
)
def values(check: Check, case: Lossy) -> Iterator[Finding]:
    found = lossy_infinity(law(case.p), law(case.q), absolute, case.gamma)
    document = value_certificate(found, absolute)
    yield equal(check(document), True, f"the certificate of {case}")
    for step in (mpq(1, 2), mpq(-1, 2)):
        b = mpq(document["b"]) + step
        if b >= 0:
            yield equal(check({**document, "b": str(b)}), False, f"b {step} more, of {case}")


class Near(NamedTuple):
    """So many relations of nearness between so many points, with masses up to a largest one, from a seed."""

    points: int
    most: int
    number: int
    seed: int

    def tried(self) -> Iterator[tuple[list[int], list[int], list[int]]]:
        """Supplies, demands, and for each point on the left the mask of those it may send to."""
        random = Random(self.seed)  # noqa: S311  # chooses what is checked
        for _ in range(self.number):
            supply, demand = ([random.randint(0, self.most) for _ in range(self.points)] for _ in range(2))
            yield supply, demand, [random.randrange(1 << self.points) for _ in range(self.points)]


def _first_fit(supply: list[int], demand: list[int], near: list[int]) -> tuple[Flow, tuple[int, ...]]:
    """Broken: nothing is sent back."""
    flow, left = dict[tuple[int, int], int](), list(demand)
    for i, amount in enumerate(supply):
        sent = 0
        for j in places(near[i]):
            if f := min(amount - sent, left[j]):
                flow[i, j], left[j], sent = f, left[j] - f, sent + f
    return flow, largest_flow(supply, demand, near)[1]


@own(
    "FD.Lossy.flow",
    """A largest flow fits into both masses, goes along near pairs alone, and moves as much as the least of all cuts allows:
    the mass outside of a set of points on the left, and that of all points near the set. The set that comes with it is such a
    cut.""",
    over="seeded relations of 3 to 5 points, not of a line, masses to 3 (9 in full); every cut",
    code=["finitedp.spec.flexible.flows.largest_flow"],
    grid=cases(Near, [(3, 2, 60, 1), (5, 3, 60, 2)], [(4, 9, 500, 3), (6, 4, 300, 4)]),
    subject=largest_flow,
    twins={
        "the first fit": _first_fit,
        "all points for the cut": lambda supply, demand, near: (
            largest_flow(supply, demand, near)[0],
            tuple(range(len(supply))),
        ),
    },
)
def largest(flows: Callable[[list[int], list[int], list[int]], tuple[Flow, tuple[int, ...]]], case: Near) -> Iterator[Finding]:
    for supply, demand, near in case.tried():
        flow, cut = flows(supply, demand, near)

        def allowed(chosen: Collection[int], of: tuple[list[int], list[int], list[int]] = (supply, demand, near)) -> int:
            masses, room, masks = of
            reached = reduce(or_, (masks[i] for i in chosen), 0)
            return sum(m for i, m in enumerate(masses) if i not in chosen) + sum(room[j] for j in places(reached))

        fits = all(sum(f for (i, _), f in flow.items() if i == k) <= m for k, m in enumerate(supply))
        fits &= all(sum(f for (_, j), f in flow.items() if j == k) <= m for k, m in enumerate(demand))
        fits &= all(f > 0 and near[i] >> j & 1 for (i, j), f in flow.items())
        least = min(allowed([*places(mask)]) for mask in range(1 << case.points))
        where = f"supply {supply}, demand {demand}, near {near}"
        yield equal(fits, True, f"whether the flow fits, {where}")
        yield equal(sum(flow.values()), least, f"moved, {where}")
        yield equal(allowed(cut), least, f"the cut {cut}, {where}")


class Table(NamedTuple):
    """q, bits, epsilon and neighbours of a table."""

    q: int
    bits: int
    epsilon: mpq
    neighbours: str = "add-remove"


@own(
    "FD.Shifted.certificate",
    """The lone checker accepts the certificate of a table, and one with units moved between weights exactly where the weights
    are still a table of that delta: units moved near the centre may be; a smaller delta, a larger R or a missing weight never
    is.""",
    over="tables of 3 to 7 weights, both relations; all moves of one unit; delta and R changed in the last place",
    code=["finitedp.impl.flexible.tables.ShiftedTable.certificate", "finitedp.proofs_check.flexible_certificate.recheck"],
    grid=cases(
        Table,
        [(4, 6, mpq(1)), (3, 6, mpq(1)), (5, 8, mpq(1, 2)), (4, 6, mpq(2), "replace-one")],
        [(6, 8, mpq(1)), (7, 6, mpq(1, 2)), (28, 64, mpq(1)), (15, 64, mpq(2))],
    ),
    subject=_lone,
    twins={
        "the ends are not looked at": lambda d: _lone({**d, "delta": "1"}),
        "R is believed": lambda d: _lone({**d, "epsilon": "1000"}),
        "the weights are believed": lambda d: (
            len(d["weights"]) == d["q"] and _lone({**_honest(d), "delta": d["delta"], "ratio": d["ratio"]})
        ),
    },
)
def table_certificates(check: Check, case: Table) -> Iterator[Finding]:
    table = shifted_table(case.q, case.epsilon, case.bits, case.neighbours)
    document: Document = table.certificate()
    yield equal(check(document), True, "the certificate")
    for i, j in ((i, j) for i in range(case.q) for j in range(case.q) if i != j and max(i, j) < 9):
        w = list(table.weights)
        w[i], w[j] = w[i] + 1, w[j] - 1
        first, last = mpq(w[0], 2**case.bits), mpq(w[-1], 2**case.bits)
        delta = max(first, last) if case.neighbours == "add-remove" else 1 - (1 - first) * (1 - last)
        right = spec.is_table(w, table.ratio, case.bits) and delta <= table.delta
        yield equal(check({**document, "weights": [str(x) for x in w]}), right, f"weights {w}")
    less = table.delta - mpq(1, 2 ** (2 * case.bits))
    exponent = case.epsilon / (1 if case.neighbours == "add-remove" else 2)
    above = spec.ratio_below(exponent, case.bits) + mpq(1, 2 ** (case.bits + 64))
    for key, value in (("delta", str(less)), ("ratio", str(above)), ("weights", [str(x) for x in table.weights[1:]])):
        yield equal(check({**document, key: value}), False, f"{key} = {value}")


def _honest(document: Document) -> Document:
    """The certificate of the right table for the parameters of another."""
    made = shifted_table(document["q"], document["epsilon"], document["bits"], document["neighbours"])
    return made.certificate()
