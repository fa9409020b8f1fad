"""Labels: what lifts counting mechanisms to histograms. Read numbers, kernel, live and language first.

Trusted for: what a histogram releases of each label, on every dataset that it accepts, is what is seen here of three labels
that nobody can tell apart, FIRST, HAND and LAST, and of OTHER, which may occur and is not listed. That three stand for all:
code goes over labels, rows and arrays by loops and comprehensions that carry nothing on and have no way out (language.py), and
by what is summarized below, so that what it does for one it does for each. It cannot pick one out: it can look up a label in a
table that was made of labels, but not compare it with another, nor ask what stands at a number; of how many there are nothing
is known; and of a count but whether it is above 0. What ends a release for some data only is seen, since each case is run:
which labels occur, in what order, once or twice, what their draws are above. No loop runs within another (live.note).

By a private counting mechanism is meant one with outputs in 0..n, whose probabilities of each output at neighbouring counts
are within the factor R, whose cdf(c, z) is d F(c, z) with F(c, z) = Pr[M(c) <= z], and whose draws are independent.
"""

import collections
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count as numbered
from itertools import product
from typing import Any

import attrs

from finitedp.proofs_check.proofs.live_checker import live
from finitedp.proofs_check.proofs.live_checker.kernel import *
from finitedp.proofs_check.proofs.live_checker.live import DRAWING, HISTOGRAMS, Num, Some, aside, term_of
from finitedp.proofs_check.proofs.live_checker.numbers import *


class Label(Some):
    """A label. rank: where it stands in order, which `sorted` alone knows."""

    def __init__(self, rank: int) -> None:
        self.__dict__["rank "] = rank

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:  # tables find labels by their hashes, which differ
        need(not live.WATCHED[0], "labels are compared")
        return self is other


class Place(Some):
    """Where an item stands, of which code may only look up what stands there."""

    def __init__(self, place: int) -> None:
        self.__dict__["place "] = place

    def __index__(self) -> int:
        return self.__dict__["place "]  # type: ignore[no-any-return]  # as it was made


class Listed(tuple[Any, ...]):
    """What code has in order: it may look up what stands at a Place, and nothing else."""

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        need(isinstance(at, Place), "it is asked what stands at a number")
        return super().__getitem__(at.__index__())

    def __eq__(self, other: object) -> bool:
        need(not live.WATCHED[0], "labels are compared")
        return super().__eq__(other)

    def __repr__(self) -> str:
        raise Refused("code asks for the text of labels")

    def __contains__(self, label: object) -> bool:
        return any(one is label for one in self)

    def __hash__(self) -> int:
        raise Refused("labels are a key")


LABELS = Listed((FIRST := Label(0), HAND := Label(1), LAST := Label(2)))
OTHER = Label(3)


class Draw(Some):
    """A draw of the mechanism at a count: it is above a bound or not, as the case says; bounds: those that were asked."""

    def __init__(self, at: Poly, above: bool) -> None:
        self.__dict__.update({"at ": at, "above ": above, "bounds ": []})

    @aside
    def __gt__(self, bound: Any) -> bool:
        self.__dict__["bounds "].append(term_of(bound))
        return bool(self.__dict__["above "])


class Array(Some):
    """An array, by its items."""

    def __init__(self, items: Any) -> None:
        self.__dict__["items "] = list(items)

    @aside
    def __getitem__(self, at: Any) -> "Array":
        items, places = items_of(self), items_of(at)
        if places and all(isinstance(one, bool) for one in places):
            return Array(one for one, kept in zip(items, places, strict=True) if kept)
        need(all(isinstance(one, Place) for one in places), "an array is asked for other than places or a mask")
        return Array(items[one.__index__()] for one in places)

    @aside
    def __gt__(self, bound: Any) -> "Array":
        return Array(one > bound for one in items_of(self))

    def tolist(self) -> Listed:
        """As of an array."""
        return Listed(items_of(self))


def items_of(value: Any) -> list[Any]:
    """The items of an array, or of a list."""
    return list(value.__dict__["items "] if isinstance(value, Array) else value)


def var(name: str, kind: str = "rat") -> Poly:
    """A variable."""
    return variable(("v", name, kind))


N, D, B, ROW = (var(name, "int") for name in ("n", "d", "b", "row"))
DELTA, R, EPSILON = (var(name) for name in ("delta", "R", "epsilon"))
SHOWN = variable(("f", "F", (ONE, B), "rat"))  # F(1, b) = Pr[M(1) <= b]
COLUMN, BETA, NAME, ACCURACY, COINS = (Some() for _ in range(5))
SLACK, FRESH = var("slack"), numbered(1)
ON: Any = Some()  # coins that are not exact
ON.slack = Num(SLACK)


class Case(Some):
    """A dataset with what its draws are above, and the mechanism. counts: of the labels that are given, in order."""

    def __init__(self, counts: dict[Label, Poly], above: set[Poly], ratio: Poly | None, *, padded: bool) -> None:
        self.given, self.above, self.ratio, self.padded, self.bounded = counts, above, ratio, padded, True
        self.clamped: dict[Label, Poly] = {}
        self.on = ratio and ratio * SLACK  # what the mechanism claims on coins
        self.mechanism, self.source, self.histogram = Some(), Some(), Some()
        asked = {"release": self.release, "cdf": self.cdf, "claim": self.claim_of}
        vars(self.mechanism).update({"n": Num(N), "d": Num(D), **asked})
        vars(self.source)["name"], self.labels, self.rounds = NAME, Listed(counts), 0
        self.counts = Array(map(number_of, counts.values()))

    @aside
    def release(self, count: Any, coins: Any) -> Draw:
        """A draw at a count."""
        need(coins is COINS, "other coins")
        return Draw(term_of(count), term_of(count) in self.above)

    @aside
    def cdf(self, count: Any, z: Any) -> Num:
        """d F(count, z)."""
        return Num(D * variable(("f", "F", (term_of(count), term_of(z)), "rat")))

    @aside
    def claim_of(self, coins: Any = None) -> Any:
        """What the mechanism claims."""
        need(coins is None or coins is ON, "a claim on other coins")
        ratio = self.ratio if coins is None else self.on
        return Claimed(Num(EPSILON), "counts", 0, ratio and Num(ratio))

    @aside
    def dense(self, labels: Any, column: Any) -> Array:
        """The counts of labels, of which other ones are refused."""
        need(labels == LABELS and column is COLUMN, "other labels are asked of the counts that were found")
        return Array(number_of(self.given.get(label, ZERO)) for label in LABELS)

    @aside
    def drawn(self, mechanism: Any, counts: Any, source: Any) -> Array:
        """release_array: a draw for each count."""
        need(mechanism is self.mechanism and source is self.source, "other noise")
        return Array(self.release(count, COINS) for count in items_of(counts))

    def rows(self) -> Listed:
        """Rows of these labels, each there once or twice."""
        return Listed(label for label in self.given for _ in range(max(1, self.rounds)))

    @aside
    def counted(self, rows: Any) -> dict[Label, Any]:
        """Counter: the counts of rows."""
        need(Listed(rows) == self.rows(), "a count of what are not the rows")
        return {label: number_of(count) for label, count in self.given.items()}


def number_of(term: Poly) -> Any:
    """A count as code has it."""
    return 0 if term == ZERO else Num(term)


def rounds(n: Any) -> Listed:
    """range: of a number that may be 0 or more, nothing or two things, by the case."""
    need(isinstance(n, Num), "a range of a number that is known")
    return Listed(Some() for _ in range(AT_HAND[-1].rounds))


def total(counts: Any) -> Any:
    """sum: of counts, each of another label."""
    terms = [term_of(one) for one in counts]
    some = [one for one in terms if one != ZERO]
    need(len(set(some)) == len(some) and set(some) <= set(AT_HAND[-1].given.values()), "a sum of what are not the counts")
    return Num(sum(some, ZERO)) if some else 0


def in_order(labels: Any) -> Listed:
    """_in_order: labels by rank."""
    return Listed(sorted(labels, key=lambda label: label.__dict__["rank "]))


def sorted_pairs(labels: Any, counts: Any) -> tuple[Listed, Array]:
    """_sorted: labels and an array, both by the labels' rank."""
    pairs = sorted(zip(labels, items_of(counts), strict=True), key=lambda pair: pair[0].__dict__["rank "])
    return Listed(label for label, _ in pairs), Array(count for _, count in pairs)


def listed(labels: Any = ()) -> set[Any]:
    """set: of the labels that are listed."""
    need(labels is LABELS, "a set of other than the labels")
    return set(labels)


class Claimed(Some):
    """What PrivacyClaim holds. told: whose claim it is, who has its curve."""

    def __init__(
        self, epsilon: Any, neighbours: str, delta: Any = 0, ratio: Any = None, source: str = "", told: Any = None
    ) -> None:
        self.epsilon, self.neighbours, self.delta, self.ratio = epsilon, neighbours, delta, ratio
        self.source, self.told = source, told

    def holds(self) -> tuple[Any, ...]:
        """Its parts."""
        ratio = None if self.ratio is None else term_of(self.ratio)
        return term_of(self.epsilon), self.neighbours, term_of(self.delta), ratio, self.source

    def is_of(self, *whose: Any) -> bool:
        """Whether it is the claim of a mechanism, on some coins."""
        return type(self.told) is tuple and [id(one) for one in self.told] == [id(one) for one in whose]


class Noisy(Some):
    """What NoisyHistogram holds."""

    def __init__(self, labels: Any, counts: Any, claim: Any, /, *record: Any, neighbours: str = "replace-one") -> None:
        self.pairs, self.claim, self.record = Listed(zip(items_of(labels), items_of(counts), strict=True)), claim, record
        need(neighbours == claim.neighbours, "it is for other neighbours than its claim")


AT_HAND: list[Case] = []  # the case that is run


def summaries() -> dict[str, tuple[Any, Any]]:
    """What cannot take labels, and what it is instead."""
    numpy: Any = Some()
    numpy.flatnonzero = aside(lambda a: Array(Place(i) for i, x in enumerate(items_of(a)) if live.compared(x, "!=", 0)))
    numpy.minimum = aside(lambda a, most: Array(live.least(x, most) for x in items_of(a)))
    others: dict[str, tuple[Any, Callable[..., Any]]] = {
        "Counter": (collections.Counter, lambda rows, *_: AT_HAND[-1].counted(rows)),
        "enumerate": (enumerate, lambda rows, start: Listed((Num(ROW), row) for row in rows if start == 1)),
        "len": (len, Several),
        "sum": (sum, total),
        "range": (range, rounds),
        "set": (set, listed),
        "tuple": (tuple, Listed),
        "evolve": (attrs.evolve, lambda claim, **changes: Claimed(**{**vars(claim), **changes})),
    }
    own: dict[str, Callable[..., Any]] = {
        f"{live.COUNTING}.dyadic_bulk.release_array": lambda *of: Case.drawn(AT_HAND[-1], *of),
        f"{HISTOGRAMS}.dyadic._noise": lambda histogram, *of: AT_HAND[-1].drawn(histogram.mechanism, *of),
        f"{HISTOGRAMS}.dyadic.on_a_table": lambda histogram: histogram.mechanism,
        f"{HISTOGRAMS}.dyadic.threshold_accuracy": lambda histogram, beta: beta is BETA and ACCURACY,
        f"{HISTOGRAMS}.dyadic._checked": lambda histogram, counts: counts,
        f"{HISTOGRAMS}.dyadic._clamped": lambda histogram, counts: numpy.minimum(counts, Num(N)),
        f"{HISTOGRAMS}.stability._in_order": in_order,
        f"{DRAWING}._sorted": sorted_pairs,
        "finitedp.claim.PrivacyClaim": Claimed,
        "finitedp.data.noisy_histogram.NoisyHistogram": Noisy,
    }
    others |= {name.rpartition(".")[2]: (live.taken(name), other) for name, other in own.items()}
    return others | {"np": (sys.modules["numpy"], numpy)}


@contextmanager
def standing(cls: Any) -> Iterator[None]:
    """The summaries stand, and of the class the accuracy that is taken at its word."""
    genuine = vars(cls).get("accuracy")
    with live.standing(summaries()):
        if genuine:
            live.USED.add(f"{cls.__module__}.{cls.__name__}.accuracy")
            cls.accuracy = aside(lambda _, beta: beta is BETA and ACCURACY)
        try:
            yield
        finally:
            if genuine:
                cls.accuracy = genuine


class Several(Num):
    """How many items a collection has: a number of which nothing is known, not even whether it is that of another one."""

    __slots__ = ("_of_",)

    def __init__(self, of: Any) -> None:
        super().__init__(var(f"how many {next(FRESH)}", "int"))
        self._of_ = items_of(of)


BASIC, STABILITY = f"{HISTOGRAMS}.basic.BasicHistogram", f"{HISTOGRAMS}.stability.StabilityHistogram"
HISTOGRAM = {  # by what a claim is about: class; whether it shows each listed label; source; neighbours
    BASIC: (BASIC, True, "BV.Thm5.2.i", "replace-one"),
    STABILITY: (STABILITY, False, "BV.Thm5.5.i", "replace-one"),
    f"{DRAWING}._basic": (BASIC, True, "FD.Dyadic.basic.private", "replace-one"),
    f"{DRAWING}._stability": (STABILITY, False, "FD.Dyadic.stability.private", "replace-one"),
    f"{DRAWING}._basic_add_remove": (BASIC, True, "FD.Dyadic.basic.add-remove", "add-remove"),
    f"{DRAWING}._stability_add_remove": (STABILITY, False, "FD.Dyadic.stability.add-remove", "add-remove"),
}


def cases(way: str, relation: str, *, every: bool) -> Iterator[Case]:
    """All cases: which labels are given, in what order, with rows or none, at most n or above, and what draws are above."""
    rows = {label: var(f"c{i}", "int") for i, label in enumerate((*LABELS, OTHER))}
    given = (*LABELS, *((OTHER,) if way == "rows" else ()))
    states = ("none", "some") if way == "rows" else ("none", "zero", "some")
    many = {HAND: (*states, "many")} if relation == "add-remove" else {}
    for chosen in product(*(many.get(label, states) for label in given)):
        state = dict(zip(given, chosen, strict=True))
        there = {label: ZERO if one == "zero" else rows[label] for label, one in state.items() if one != "none"}
        counts = [N if one == "many" else rows[label] for label, one in state.items() if one in ("some", "many")]
        counts += [] if every else [ZERO]  # what a draw at 0 is above nobody may see
        draws = product((True,) if every else (True, False), repeat=len(counts))
        for (rounds, order), kept in product(((2, list(there)), (0, list(there)[::-1])), draws):
            above = {count for count, one in zip(counts, kept, strict=True) if one}
            ratio = R if len(order) != 1 else None
            case = Case({label: there[label] for label in order}, above, ratio, padded=len(order) % 2 == 0)
            case.rounds = rounds
            case.clamped, case.bounded = {HAND: N} if "many" in chosen else {}, relation == "replace-one"
            yield case


def facts(sequent: Sequent, case: Case, *, too_many: bool = False) -> None:
    """What is known of the numbers of a case."""
    total = ZERO
    for label, count in case.given.items():
        if count != ZERO:
            big = label in case.clamped
            for fact in (count - ONE, *((count - N - ONE,) if big else (N - count,))):
                sequent.add((fact, ">="))
            total = total + count
    if case.bounded:
        sequent.add((total - N - ONE if too_many else N - total, ">="))
    for fact in (N - ONE, B, SHOWN, SLACK - ONE, ONE - SHOWN, ROW - N - ONE if too_many else N - ROW, ROW - ONE):
        sequent.add((fact, ">="))
    sequent.add((D, ">"))


def asked(case: Case, name: str, way: str, coins: Any = None, *known_: Fact, too_many: bool = False) -> Any:
    """What a histogram releases or claims in a case. Raises: Raised."""
    cls = live.Live.named(HISTOGRAM[name][0])
    sequent = Sequent(Checker({}, live.Live), {}, Goal([], {}))
    facts(sequent, case, too_many=too_many)
    for fact in known_:
        sequent.add(fact)
    histogram = case.histogram = object.__new__(cls)
    known = {"mechanism": case.mechanism, "labels": LABELS, "universe": Listed((*LABELS, OTHER)), "b": Num(B)}
    known["padded"] = case.padded
    for field in attrs.fields(cls):
        object.__setattr__(histogram, field.name, known[field.name])
    data = {label: number_of(count) for label, count in case.given.items()}
    function: Any = live.module(name.rpartition(".")[0])[name.rpartition(".")[2]]
    given = (COLUMN, histogram) if HISTOGRAM[name][1] else (histogram, Num(DELTA))
    calls: dict[str, Callable[[], Any]] = {
        "rows": lambda: histogram.release(case.rows(), COINS),
        "counts": lambda: histogram.release_counts(data, COINS),
        "claim": lambda: histogram.claim(coins),
        "add_remove_claim": lambda: histogram.add_remove_claim(coins),
        "arrays": lambda: function(case, *given, BETA, case.source),
    }
    AT_HAND[:] = [case]
    return live.coded(Run(sequent), calls[way])


def shows(name: str, case: Case, pairs: Any) -> None:
    """Stop unless what is released shows just what it should, and each time a draw of its own."""
    every, at = HISTOGRAM[name][1], {label: case.clamped.get(label, count) for label, count in case.given.items()}
    meant = LABELS if every else [label for label in (*LABELS, OTHER) if at.get(label, ZERO) in case.above - {ZERO}]
    whole = type(pairs) is Listed and all(type(pair) is tuple and len(pair) == 2 for pair in pairs)
    need(whole, "what is released are no pairs")
    others = "other labels are shown than are listed, or are above, or in another order"
    need([label for label, _ in pairs] == list(meant), others)
    for label, draw in pairs:
        need(isinstance(draw, Draw), "a label shows what is no draw")
        need(draw.__dict__["at "] == at.get(label, ZERO), "a label shows a draw at another count")
        need(draw.__dict__["bounds "] == ([] if every else [B]), "a draw is compared with other than the threshold")
    need(len({id(draw) for _, draw in pairs}) == len(pairs), "two labels show one draw")


def as_claimed(name: str) -> list[dict[str, Any]]:
    """That a histogram is as private as it claims, over every private mechanism: see PRIVATE. Raises: Refused.

    BasicHistogram, over any list of distinct labels, and StabilityHistogram, over any threshold b, from rows or counts to
    output, on any dataset of at most n rows; and the functions of finitedp.data.drawing, from the counts of labels to what is
    returned, for any delta of at least Pr[M(1) > b], those for a row more or less on any dataset. It has to claim 2 epsilon
    and R^2 or no ratio (add-remove: epsilon and R), and delta; and more rows than n are refused.
    """
    need(name in HISTOGRAM, f"{name[:60]!r} is no histogram that is known")
    cls, every, _, relation = HISTOGRAM[name]
    with standing(live.Live.named(cls)):
        judge(name)
    shown = ("listed" if every else "occurring") + ("" if relation == "replace-one" else ", add-remove")
    return [stated(text, kind="rat") for text in PRIVATE[shown]]


def judge(name: str) -> None:
    """Stop unless a histogram shows and claims what it should in all cases."""
    cls, every, source, relation = HISTOGRAM[name]
    for way in ("rows", "counts") if name == cls else ("arrays",):
        for case in cases(way, relation, every=every):
            try:
                found = asked(case, name, way)
            except Raised as error:
                raise Refused(f"from {way}: {error}, for some data only") from None
            shows(name, case, found.pairs if way == "arrays" else found)
            if way == "arrays":
                draws = None if every or not case.padded else N
                told = [ACCURACY, case.mechanism, ZERO if every else DELTA, None if every else B, NAME]
                claimed(case, found.claim, case.ratio, DELTA, relation, source, every=every)
                *record, last = [term_of(one) if type(one) in (Num, *live.PLAIN) else one for one in found.record]
                same = all(one is two or (isinstance(two, Poly) and one == two) for one, two in zip(record, told, strict=True))
                number = isinstance(last, Several) and last._of_ == list(LABELS) if every else last == draws
                need(same and number, "the record says what is not true of the release")
            elif len(case.given) > 1 and case.given.get(HAND):
                try:
                    asked(case, name, way, too_many=True)
                except Raised:
                    continue
                raise Refused("more rows than n are not refused")
    for way in ("claim", "add_remove_claim") if name == cls else ():
        relation, source = ("replace-one", source) if way == "claim" else ("add-remove", MORE[every])
        for ratio, on in ((R, R), (R, R * SLACK), (None, None)):  # of the mechanism, exactly and on coins
            for coins, most in ((None, ONE), (ON, ONE), (ON, ZERO)):  # delta times the slack is at most 1, or above
                case, delta = Case({}, set(), ratio, padded=True), ONE - SHOWN
                case.on, given = on, []
                if coins is not None and not every and on != R:  # where the ratio is affected, the slack is above 1
                    clipped = (delta * SLACK - ONE, ">") if most == ZERO else (ONE - delta * SLACK, ">=")
                    given, delta = [(R * SLACK - R, ">"), clipped], ONE if most == ZERO else delta * SLACK
                found = asked(case, name, way, coins, *given)
                claimed(case, found, ratio if coins is None else on, delta, relation, source, every=every, coins=coins)


MORE = {True: "FD.Dyadic.basic.add-remove", False: "FD.Dyadic.stability.add-remove"}  # by whether it shows each listed label


def claimed(
    case: Case, claim: Any, ratio: Poly | None, delta: Poly, relation: str, source: str, *, every: bool, coins: Any = None
) -> None:
    """Stop unless a claim is the one that a histogram's statements are about."""
    changed = 2 if relation == "replace-one" else 1  # counts
    whole = ratio * ratio if ratio and changed == 2 else ratio
    meant = (number(changed) * EPSILON, relation, ZERO if every else delta, whole if every else None, source)
    same = isinstance(claim, Claimed) and claim.holds() == meant and claim.is_of(case.histogram, coins)
    need(same, f"what is claimed is not 2 epsilon or epsilon, delta and R, by {source}, of the histogram")


NEAR = "R >= 1; 0 <= p <= 1; 0 <= q <= 1; p <= R*q; q <= R*p"  # masses of one event, at neighbouring counts
GOES = "0 <= x <= D; D <= 1; D <= delta"
PRIVATE = {  # what a claim comes down to, by what a label shows
    # A draw at its count, if it is listed. A row is replaced, so that the counts of two labels change to neighbouring ones: of
    # two listed labels, outputs z and w have p s before and q t after, with p, q those of z and s, t those of w; where one
    # of them is listed, p and q. Where none is, nothing changes.
    "listed": [
        f"R p q s t: {NEAR}; 0 <= s; 0 <= t; s <= R*t; t <= R*s => p*s <= R**2*(q*t)",
        f"R p q: {NEAR} => p <= R**2*q",
    ],
    # A draw at its count, if it occurs and the draw is above b. A label that loses its only row shows before with probability
    # D = 1 - F(1, b), and never after; of an event, x in 0..D is the part of the outputs that show it, and p, q what the
    # event has, before and after, by the other labels where it does not show. The other label that changes has a row more: one
    # of several (p and q are near), or its first (they are equal; y is the part of the outputs that show that label, after).
    # In order: two labels stay; one goes, another stays; one comes, another stays; one goes, another comes.
    "occurring": [
        f"R p q s t: {NEAR}; 0 <= s; 0 <= t; s <= R*t; t <= R*s => p*s <= R**2*(q*t)",
        f"R p q x D delta: {NEAR}; {GOES} => x + (1 - D)*p <= R**2*q + delta",
        f"R p q x D delta: {NEAR}; {GOES} => q <= R**2*(x + (1 - D)*p) + delta",
        f"R p x y D delta: R >= 1; 0 <= p <= 1; 0 <= y <= D; {GOES} => x + (1 - D)*p <= R**2*(y + (1 - D)*p) + delta",
    ],
    # The same, where a row is added or removed, so that the count of one label changes to a neighbouring one, of none too.
    "listed, add-remove": [f"R p q: {NEAR} => p <= R*q"],
    "occurring, add-remove": [  # it stays, goes, comes
        f"R p q: {NEAR} => p <= R*q",
        f"R p x D delta: R >= 1; 0 <= p <= 1; {GOES} => x + (1 - D)*p <= R*p + delta",
        f"R p x D delta: R >= 1; 0 <= p <= 1; {GOES} => p <= R*(x + (1 - D)*p) + delta",
    ],
}
