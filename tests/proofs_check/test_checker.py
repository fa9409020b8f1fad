"""The lone checker: an independent oracle, and a forged certificate for each of its guards."""

import copy
import hashlib
import json
import re
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.exact import compare_exp
from finitedp.proofs_check import checker
from finitedp.proofs_check.deciders.completions import farthest, nearest
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.spec.pmf import Pmf
from finitedp.spec.renyi import renyi_divergence

Document = dict[str, Any]


def law(*probabilities: str, unresolved: str = "0") -> Document:
    """The law of the outputs 0, 1, ..."""
    return {"probabilities": {str(i): p for i, p in enumerate(probabilities) if p != "0"}, "unresolved": unresolved}


RESPONSE = [law("3/4", "1/4"), law("1/4", "3/4")]


def certified(found: list[Document], claim: Document, **more: Any) -> Document:
    """A certificate of what the checker itself derives: a forger with the best of tools."""
    document = {
        "format": "finitedp certificate",
        "version": 2,
        "name": "forged",
        "neighbours": "replace-one",
        "universe": [0, 1],
        "n": 1,
        "accuracy": None,
        "claim": claim,
        "laws": {"found": found, "specified": None},
        "derived": {"finitedp": "1", "python": "3", "strict_time": None, "style": "table"},
        **more,
    }
    return hashed({**document, **derived(document)})


def derived(document: Document) -> Document:
    """What the checker would derive if it had no guards, so that each guard is all that stands in a forger's way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "need", lambda _condition, _message: None)
        try:
            return checker.derive(document, document["laws"])
        except Exception:  # nothing follows from such laws
            empty: Document = {"inputs": [], "verdicts": {}, "witness": {}, "u": None, "miss": None}
            return {**empty, "unresolved": "0", "worst_ratio": "1"}


def changed(found: list[Document], claim: Document, **more: Any) -> Document:
    """The good certificate with other laws and entries: what would have to be derived takes too long to be forged."""
    return hashed({**GOOD, "laws": {"found": found, "specified": None}, "claim": claim, **more})


def hashed(document: Document) -> Document:
    body = json.loads(json.dumps({key: value for key, value in document.items() if key != "sha256"}, default=str))
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


PURE = {"epsilon": "11/10", "delta": "0", "ratio": "3"}
LOOSE = {"epsilon": "1", "delta": "1/3", "ratio": None}
GOOD = certified(RESPONSE, PURE)
COUNTED = {"a": 0, "beta": "1/4", "kind": "counting", "truths": [[0], [1]]}


def test_the_base_of_the_forgeries_is_accepted() -> None:
    assert checker.check(GOOD) is None
    assert checker.check(certified(RESPONSE, PURE, accuracy=COUNTED)) is None
    assert checker.check(certified(RESPONSE, LOOSE)) is None


FORGED: dict[str, Document] = {
    "no neighbouring inputs": certified([law("1")], {**PURE, "epsilon": "0", "ratio": None}, universe=[0]),
    "fewer laws than inputs": certified(RESPONSE[:1], PURE),
    "more laws than inputs": certified([*RESPONSE, law("1")], PURE),
    "laws that are no list": certified({"0": RESPONSE[0], "1": RESPONSE[1]}, PURE),  # type: ignore[arg-type]
    "fewer specified laws": certified(RESPONSE, PURE, laws={"found": RESPONSE, "specified": RESPONSE[:1]}),
    "more specified laws": certified(RESPONSE, PURE, laws={"found": RESPONSE, "specified": [*RESPONSE, law("1")]}),
    "a specified law with unresolved mass": certified(
        RESPONSE, PURE, laws={"found": RESPONSE, "specified": [law("7/8", unresolved="1/8"), RESPONSE[1]]}
    ),
    "a negative probability": certified([law("5/4", "-1/4"), RESPONSE[1]], PURE),
    "a probability of 0": certified(
        [{"probabilities": {"0": "1", "1": "0"}, "unresolved": "0"}, RESPONSE[1]], {**PURE, "ratio": None}
    ),
    "negative unresolved mass": certified([law("3/4", "1/2", unresolved="-1/4"), RESPONSE[1]], LOOSE),
    "a law that does not sum to 1": certified([law("1/2", "1/4"), RESPONSE[1]], LOOSE),
    "another relation": certified(RESPONSE, PURE, neighbours="any two"),
    "n that is no integer": certified(RESPONSE, PURE, n=True),
    "n below 0": certified(RESPONSE, PURE, n=-1),
    "a universe that is a string": certified(RESPONSE, PURE, universe="ab"),
    "a label that is a list": certified(RESPONSE, PURE, universe=[[0], [1]]),
    "a label that is a bool": certified(RESPONSE, PURE, universe=[False, True]),
    "a label there twice": certified(RESPONSE, PURE, universe=[0, 0]),
    "counts with a universe": certified(RESPONSE, PURE, neighbours="counts"),
    "epsilon below 0": certified(RESPONSE, {**LOOSE, "epsilon": "-1"}),
    "epsilon above 1000": certified(RESPONSE, {**LOOSE, "epsilon": "1001"}),
    "delta above 1": certified(RESPONSE, {**LOOSE, "delta": "2"}),
    "delta below 0": certified(RESPONSE, {**LOOSE, "delta": "-1/2"}),
    "a ratio below 1": certified([RESPONSE[0]] * 2, {**PURE, "ratio": "1/2"}),
    "a ratio that is empty": certified(RESPONSE, {**PURE, "ratio": ""}),
    "a ratio above e^epsilon": certified(RESPONSE, {**PURE, "epsilon": "1"}),
    "a claim with a remark": certified(RESPONSE, {**PURE, "note": "for every universe"}),
    "a law with a remark": certified([{**RESPONSE[0], "note": "x"}, RESPONSE[1]], PURE),
    "laws with a remark": certified(RESPONSE, PURE, laws={"found": RESPONSE, "specified": None, "note": "x"}),
    "a certificate with a remark": certified(RESPONSE, PURE, surprise="private for every universe"),
    "a decimal": certified([law("0.75", "1/4"), RESPONSE[1]], PURE),
    "a number for a rational": certified([law("3/4", "1/4"), RESPONSE[1]], {**LOOSE, "delta": 0}),
    "accuracy with a remark": certified(RESPONSE, PURE, accuracy={**COUNTED, "note": "x"}),
    "accuracy of another kind": certified(RESPONSE, PURE, accuracy={**COUNTED, "kind": "mostly"}),
    "accuracy of half a count": certified(RESPONSE, PURE, accuracy={**COUNTED, "a": 0.5}),
    "accuracy of a true count of a half": certified(RESPONSE, PURE, accuracy={**COUNTED, "truths": [[0.5], [1]]}),
    "accuracy of below 0": certified(RESPONSE, PURE, accuracy={**COUNTED, "a": -1}),
    "accuracy with beta above 1": certified(RESPONSE, PURE, accuracy={**COUNTED, "beta": "2"}),
    "accuracy with beta below 0": certified(RESPONSE, PURE, accuracy={**COUNTED, "beta": "-1"}),
    "accuracy with too few true counts": certified(RESPONSE, PURE, accuracy={**COUNTED, "truths": [[0]]}),
    "accuracy with more true coordinates than outputs have": certified(
        RESPONSE, PURE, accuracy={**COUNTED, "truths": [[0, 0], [1, 1]]}
    ),
    "accuracy about no coordinate": certified(
        [{"probabilities": {"()": "1"}, "unresolved": "0"}] * 2,
        LOOSE,
        accuracy={**COUNTED, "kind": "per-query", "truths": [[], []]},
    ),
    "accuracy of outputs that are text": certified(
        [{"probabilities": {"'a'": "1"}, "unresolved": "0"}] * 2, LOOSE, accuracy=COUNTED
    ),
    "another format": certified(RESPONSE, PURE, format="another"),
    "the version before": certified(RESPONSE, PURE, version=1),
    "another version": certified(RESPONSE, PURE, version=3),
    "a version that is a float": certified(RESPONSE, PURE, version=2.0),
}

HUGE: dict[str, Document] = {
    "n that is huge": changed(RESPONSE, PURE, n=10**30),
    "too many datasets": changed(RESPONSE, PURE, n=50),
    "rows by the thousand": changed([law("1")] * 3000, LOOSE, neighbours="add-remove", universe=[0], n=2999),
    "denominators without end": changed(
        [law(*["1/1" + 18_000 * "0" + str(i) for i in range(1, 40, 2)]), RESPONSE[1]], {**LOOSE, "epsilon": "0"}
    ),
    "a rational of a million digits": changed(RESPONSE, {**LOOSE, "epsilon": "1/1" + 20_000 * "0"}),
}


def said(document: Document) -> str | None:
    """Why the checker does not take a document; None if it does."""
    try:
        return checker.check(document)
    except Exception as error:  # as the checker's main reads it
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", FORGED | HUGE)
def test_a_forged_certificate_is_rejected(name: str) -> None:
    assert said((FORGED | HUGE)[name]) is not None


GUARDS = {
    "no neighbouring inputs": "there are no neighbouring inputs",
    "fewer laws than inputs": "not one law for each input",
    "fewer specified laws": "not one specified law for each input",
    "more specified laws": "not one specified law for each input",
    "a specified law with unresolved mass": "a specified law is not complete",
    "negative unresolved mass": "not positive",
    "a negative probability": "not positive",
    "a universe that is a string": "no list of labels",
    "rows by the thousand": "too many rows",
    "a rational of a million digits": "at most 20000 characters",
    "denominators without end": "common denominator",
    "a ratio above e^epsilon": "no ratio from 1 to e\\^epsilon",
    "a ratio below 1": "no ratio from 1 to e\\^epsilon",
    "the version before": "of version 2",
    "accuracy about no coordinate": "nothing to be accurate about",
    "accuracy of outputs that are text": "neither an integer nor a tuple of integers",
}


@pytest.mark.parametrize("name", GUARDS)
def test_the_reason_says_what_is_wrong(name: str) -> None:
    assert re.search(GUARDS[name], said((FORGED | HUGE)[name]) or "")


@pytest.mark.deep
def test_too_much_work_is_refused_and_said() -> None:
    labels = list(range(400))
    laws = [law(*("2/401" if x == y else "1/401" for x in labels)) for y in labels]
    broken = {"epsilon": "1/2", "delta": "0", "ratio": None}
    document = {**GOOD, "universe": labels, "claim": broken}
    with pytest.raises(ValueError, match="the events of all pairs take 64000000 comparisons, more than 30000000"):
        checker.derive(document, {"found": laws, "specified": None})


@pytest.mark.parametrize("claim", [PURE, {**PURE, "epsilon": str(Fraction(10**2000 + 10**1999 + 1, 10**2000))}])
def test_many_labels_and_long_numbers_are_no_obstacle(claim: Document) -> None:
    """A pure claim that holds takes time linear in the laws; a quadratic checker needs minutes here."""
    labels = list(range(3000))
    document = {**GOOD, "universe": labels, "claim": claim}
    found = checker.derive(document, {"found": [RESPONSE[x % 2] for x in labels], "specified": None})
    assert found["verdicts"]["private"] == "holds"
    assert (found["witness"]["left"], found["witness"]["right"]) == (0, 1)


def test_a_ratio_that_can_not_be_told_from_e_to_the_epsilon_is_refused() -> None:
    low, _high = checker.exp_bounds(Fraction(1), 2**15)
    above = checker.comparison({"epsilon": "1", "ratio": None})
    with pytest.raises(ValueError, match=r"too near to e\^epsilon"):
        above(low, 1 << 2**15)


@given(st.fractions(0, 40, max_denominator=10**6), st.integers(1, 200))
def test_bounds_around_e_to_the_x_hold_and_are_close(x: Fraction, bits: int) -> None:
    low, high = checker.exp_bounds(x, bits)
    scale = 1 << bits
    assert compare_exp(mpq(low, scale), mpq(x)) <= 0 <= compare_exp(mpq(high, scale), mpq(x))
    assert (high - low) * scale <= (bits + 4 * int(x) + 200) * low


# Logarithms and powers, which divergences need


@given(st.fractions(Fraction(1, 10**30), 10**30), st.sampled_from([16, 64, 320]))
def test_bounds_around_a_logarithm_hold_and_are_close(r: Fraction, bits: int) -> None:
    low, high = (checker.log(r, bits, up) for up in (0, 1))
    assert compare_exp(mpq(r), mpq(low, 1 << bits)) >= 0 >= compare_exp(mpq(r), mpq(high, 1 << bits))
    assert (high - low) >> bits // 2 <= 2**14


@pytest.mark.parametrize(("r", "bits"), [("31/12", 16), ("27/10", 64), ("13/5", 320)])
def test_a_logarithm_below_1_is_rounded_down_by_more_than_the_square(r: str, bits: int) -> None:
    """There the square that is taken off is less than a unit, and the roots were rounded down by less than that."""
    assert compare_exp(mpq(r), mpq(checker.log(Fraction(r), bits, 0), 1 << bits)) > 0


@given(st.fractions(-60, 0), st.sampled_from([16, 64, 320]))
def test_bounds_around_a_negative_power_of_e_hold_and_are_close(x: Fraction, bits: int) -> None:
    t = x.numerator * (1 << bits) // x.denominator
    low, high = (checker.exp(t, bits, up) for up in (0, 1))
    assert compare_exp(mpq(low, 1 << bits), mpq(t, 1 << bits)) <= 0 <= compare_exp(mpq(high, 1 << bits), mpq(t, 1 << bits))
    assert high - low <= 2**15


MASSES = st.lists(st.integers(1, 50), min_size=3, max_size=3)


@given(MASSES, MASSES, st.fractions(Fraction(1001, 1000), 40, max_denominator=1000))
def test_bounds_around_a_cumulant_are_those_of_the_library(p: list[int], q: list[int], order: Fraction) -> None:
    known = [(Fraction(a, sum(p)), Fraction(b, sum(q))) for a, b in zip(p, q, strict=True)]
    laws = Pmf(dict(enumerate(p))), Pmf(dict(enumerate(q)))
    low, high = checker.cumulant(checker.logs(known, 320), order, 320)
    ends: Any = renyi_divergence(*laws, order)
    least, most = (end * (mpq(order) - 1) for end in ends)
    assert least <= mpq(high)
    assert mpq(low) <= most
    assert high - low <= Fraction(1, 2**140)


@given(MASSES, MASSES, st.integers(1, 4))
def test_several_runs_are_those_of_tuples(p: list[int], q: list[int], runs: int) -> None:
    sides = [{str(x): Fraction(w, sum(weights)) for x, w in enumerate(weights)} for weights in (p, q)]
    expected: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for xs in product("012", repeat=runs):
        one, other = (Fraction(prod(side[x] for x in xs)) for side in sides)
        before = expected.get(one / other, (Fraction(0), Fraction(0)))
        expected[one / other] = before[0] + one, before[1] + other
    left, right = checker.together(sides[0], sides[1], runs)
    names = {f"{r.numerator}:{r.denominator}": masses for r, masses in expected.items()}
    assert {name: (left[name], right[name]) for name in left} == names


def test_a_bound_over_all_orders_is_proved_or_not() -> None:
    """Of randomised response the least rho is the limit at order 1, ln(3) / 2."""
    parts = checker.logs([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))], 320)
    limit = Fraction(checker.log(Fraction(3), 320, 0), 1 << 321)
    assert checker.below(parts, limit * (1 + Fraction(1, 10**7)), 320)
    assert checker.below(parts, Fraction(2), 320)
    for rho in (limit * (1 - Fraction(1, 10**7)), limit / 2, Fraction(1, 1000)):
        assert not checker.below(parts, rho, 320)


def test_how_near_a_bound_over_all_orders_may_be() -> None:
    """At an order a next to 1 f / (a - 1) is ln(3) / 2 and 3/8 ln(3)^2 (a - 1): the interval from 1 to 1 + 2^-40 is halved."""
    parts = checker.logs([(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))], 320)
    logarithm = Fraction(checker.log(Fraction(3), 320, 0), 1 << 320)
    step = Fraction(3, 8) * logarithm**2 / 2**40
    assert checker.below(parts, logarithm / 2 + step * Fraction(9, 10), 320)
    assert not checker.below(parts, logarithm / 2 + step / 100, 320)


# Completions of laws that are known in part

INFINITE = [(Fraction(1), Fraction(0))]
QUARTERS = st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any)


@given(QUARTERS, QUARTERS, st.booleans())
def test_completions_are_those_of_the_library(left: list[int], right: list[int], declared: bool) -> None:
    """Of both laws the last weight is not known to belong to an output."""
    outputs = ["0", "1", "2"] if declared else []
    known = [{x: Fraction(w, sum(side)) for x, w in zip("012", side[:3], strict=True) if w} for side in (left, right)]
    rests = [Fraction(side[3], sum(side)) for side in (left, right)]
    near, *far = checker.completed(known[0], rests[0], known[1], rests[1], outputs)
    p, q = (
        PartialLaw({x: mpq(w) for x, w in side.items()}, mpq(rest), outputs=frozenset(outputs) or None)
        for side, rest in zip(known, rests, strict=True)
    )
    assert [*map(tuple, near)] == [*map(tuple, nearest(p, q))]
    infinite = ((Fraction(1), Fraction(0)),)
    assert set(map(tuple, far)) == {infinite if atoms is None else atoms for atoms in farthest(p, q)}


def test_atoms_by_hand() -> None:
    """By probability ratio, the largest one first, and an infinite one before."""
    zero, half, third = Fraction(0), Fraction(1, 2), Fraction(1, 3)
    p, q = {"a": half, "b": half / 2, "c": half / 2}, {"b": third, "c": third, "d": third}
    assert checker.atoms(p, q) == [(half, zero), (half, 2 * third), (zero, third)]
    assert checker.pooled(checker.atoms(p, q), Fraction(0)) == checker.atoms(p, q)
    assert checker.pooled(checker.atoms(p, q), third) == [(half, third), (half, 2 * third), (zero, third)]
    assert checker.pooled(checker.atoms(p, q), Fraction(1)) == [(2 * half, 1 + 2 * third), (zero, third)]


def test_completions_that_differ_most_by_hand() -> None:
    """All of the unresolved third on one declared output: on 0 it gives the largest ratio, and no other one is as large."""
    third = Fraction(1, 3)
    p, q = {"0": third, "1": third}, {"0": Fraction(1, 4), "1": Fraction(3, 4)}
    assert checker.completed(p, third, q, Fraction(0), ["0", "1"])[1:] == [
        [(2 * third, Fraction(1, 4)), (third, Fraction(3, 4))]
    ]
    assert checker.completed(p, third, q, Fraction(0), ["0", "1", "2"])[1:] == [[(Fraction(1), Fraction(0))]]
    assert checker.completed(p, third, q, Fraction(0), [])[1:] == [[(Fraction(1), Fraction(0))]]


# An independent oracle: every pair, every output, by the definition


def neighbours_by_definition(relation: str, inputs: list[Any]) -> list[tuple[int, int]]:
    def near(x: Any, y: Any) -> bool:
        if relation == "counts":
            return bool(abs(x - y) == 1)
        if relation == "replace-one":
            return bool(sum(a != b for a, b in zip(x, y, strict=True)) == 1)
        longer, shorter = (x, y) if len(x) > len(y) else (y, x)
        return len(longer) == len(shorter) + 1 and any((*longer[:i], *longer[i + 1 :]) == shorter for i in range(len(longer)))

    return [(i, j) for i, x in enumerate(inputs) for j, y in enumerate(inputs) if near(x, y)]


def excess(p: mpq, q: mpq, claim: Document) -> int:
    """The sign of p - r q, by the library that the checker does not know."""
    if claim["ratio"] is not None:
        gap = p - mpq(claim["ratio"]) * q
        return (gap > 0) - (gap < 0)
    if q == 0:
        return (p > 0) - (p < 0)
    return compare_exp(p / q, mpq(claim["epsilon"])) if q > 0 else -compare_exp(p / q, mpq(claim["epsilon"]))


def oracle(relation: str, inputs: list[Any], laws: list[Document], claim: Document) -> tuple[str, Any, str | None]:
    """The verdict on privacy, the worst ratio and u, straight from Definition 2.1."""
    p = [{x: mpq(value) for x, value in entry["probabilities"].items()} for entry in laws]
    rest, delta = [mpq(entry["unresolved"]) for entry in laws], mpq(claim["delta"])
    fails, highest, ratios = False, list[tuple[mpq, mpq]](), [mpq(1)]
    for i, j in neighbours_by_definition(relation, inputs):
        outputs = sorted({*p[i], *p[j]})
        for kept in product((False, True), repeat=len(outputs)):
            event = [x for x, keep in zip(outputs, kept, strict=True) if keep]
            in_p, in_q = (sum((p[k].get(x, mpq(0)) for x in event), mpq(0)) for k in (i, j))
            fails = fails or (event != [] and excess(in_p - delta, in_q + rest[j], claim) > 0)
            highest.append((in_p + rest[i] - delta, in_q))
        ratios += [p[i][x] / p[j][x] if x in p[j] else mpq(2**300) for x in p[i]]
    worst = None if any(rest) else "infinite" if max(ratios) == 2**300 else str(max(ratios))

    def holds_with(u: mpq) -> bool:
        return all(excess(in_p - u, in_q, claim) <= 0 for in_p, in_q in highest)

    if holds_with(mpq(0)):
        return "holds", worst, None
    if not holds_with(mpq(1, 2**32)):
        return "fails" if fails else "undecided", worst, None
    k = max(k for k in range(32, 240) if holds_with(mpq(1, 2**k)))
    return "fails" if fails else "holds with delta + u", worst, str(mpq(1, 2**k))


def newest(document: Document) -> Document:
    """A certificate of version 5, in which u of a claim that fails is told."""
    claim = {**document["claim"], "compose": 1, "renyi": None, "zcdp": None}
    return {**document, "version": 5, "claim": claim, "divergences": {"renyi": None, "zcdp": None}}


def with_tails(entry: Document) -> Document:
    return {**entry, "tails": []}


def of_divergences(found: list[Document], *, claimed: Document | None = None, **said_of: Document) -> Document:
    """A certificate of what is said of the divergence at order 2, and of the least rho."""
    claim: Document = {"epsilon": "11/10", "delta": "1", "ratio": None, "compose": 1, "renyi": None, "zcdp": None}
    claim |= {name: {"renyi": {"order": "2", "epsilon": "1"}, "zcdp": "1"}[name] for name in said_of} | (claimed or {})
    sides = {"left": 0, "right": 1, "power_sum": None}
    orders = {"renyi": "2", "zcdp": str(1 + Fraction(1, 2**24))}
    entries = {name: said_of.get(name) and {**sides, "order": orders[name], **said_of[name]} for name in orders}
    return certified(list(map(with_tails, found)), claim, version=5, divergences=entries)


LOG_7_3 = {"low": "847297860387203/1000000000000000", "high": "847297860387204/1000000000000000"}
HALF_LOG_3 = {"low": "5493/10000", "high": "5494/10000"}
PARTLY = [law("3/4", "1/8", unresolved="1/8"), RESPONSE[1]]


@pytest.mark.parametrize(
    ("found", "said_of", "verdicts"),
    [
        (RESPONSE, {"renyi": LOG_7_3, "zcdp": HALF_LOG_3}, ("holds", "holds")),
        (
            PARTLY,
            {"renyi": {**LOG_7_3, "high": "infinite"}, "zcdp": {"low": "0", "high": "infinite"}},
            ("undecided", "undecided"),
        ),
        ([RESPONSE[0]] * 2, {"renyi": {"low": "0", "high": "0"}, "zcdp": {"low": "0", "high": "0"}}, ("holds", "holds")),
    ],
    ids=["complete", "in part", "equal"],
)
def test_divergences_that_are_so_are_accepted(found: list[Document], said_of: Document, verdicts: tuple[str, str]) -> None:
    document = of_divergences(found, **said_of)
    assert checker.check(document) is None
    assert (document["verdicts"]["renyi"], document["verdicts"]["zcdp"]) == verdicts


NO_ORDER = "no neighbours, or no such order"
FALSE_DIVERGENCES: dict[str, tuple[Document, str]] = {
    "an order below 1": (of_divergences(RESPONSE, zcdp={**HALF_LOG_3, "order": "1/2"}), NO_ORDER),
    "an order of 1": (of_divergences(RESPONSE, zcdp={**HALF_LOG_3, "order": "1"}), NO_ORDER),
    "rho below 0": (of_divergences(RESPONSE, zcdp=HALF_LOG_3, claimed={"zcdp": "-1"}), NO_ORDER),
    "one input twice": (of_divergences(RESPONSE, zcdp={**HALF_LOG_3, "right": 0}), NO_ORDER),
    "low above the limit": (of_divergences(RESPONSE, zcdp={**HALF_LOG_3, "low": "54931/100000"}), "zcdp is not so"),
    "low below 0": (of_divergences(PARTLY, zcdp={"low": "-1", "high": "infinite"}), "zcdp is not so"),
    "high below the limit": (of_divergences(RESPONSE, zcdp={"low": "549/1000", "high": "5493/10000"}), "zcdp is not so"),
    "high below low": (of_divergences(RESPONSE, zcdp={"low": "5493/10000", "high": "549/1000"}), "zcdp is not so"),
    "a wide enclosure": (of_divergences(RESPONSE, zcdp={"low": "5488/10000", "high": "5494/10000"}), "zcdp is not so"),
    "renyi below": (of_divergences(RESPONSE, renyi={**LOG_7_3, "high": LOG_7_3["low"]}), "renyi is not so"),
    "renyi above": (of_divergences(RESPONSE, renyi={**LOG_7_3, "high": "848/1000"}), "renyi is not so"),
    "a low end of renyi": (of_divergences(RESPONSE, renyi={**LOG_7_3, "low": "847/1000"}), "renyi is not so"),
    "0 for laws that differ": (of_divergences(RESPONSE, renyi={"low": "0", "high": "0"}), "renyi is not so"),
}


@pytest.mark.parametrize("name", FALSE_DIVERGENCES)
def test_divergences_that_are_not_so_are_rejected(name: str) -> None:
    document, why = FALSE_DIVERGENCES[name]
    assert said(document) == f"ValueError: {why}"


WEIGHTS = st.lists(st.sampled_from([0, 1, 1, 2, 3, 5]), min_size=3, max_size=3).filter(any)
CLAIMS = st.tuples(st.sampled_from(["0", "1", "1/2", "3", "7/3"]), st.sampled_from(["0", "1/2", "1/10", "1", "3/7"])) | (
    st.sampled_from([("3", "1"), ("3", "3/2"), ("3", "2"), ("3", "5"), ("3", "20")])
)
PLACES = st.sampled_from([("counts", 3), ("replace-one", 1), ("replace-one", 2), ("add-remove", 1), ("add-remove", 2)])


@given(PLACES, st.data(), st.booleans(), st.booleans(), st.sampled_from([0, 34, 64]))
def test_verdicts_are_those_of_the_definition(place: tuple[str, int], data: Any, partial: bool, pure: bool, tiny: int) -> None:
    relation, n = place
    universe = [] if relation == "counts" else ["a", "b"]
    inputs = checker.all_inputs(relation, universe, n)
    laws = []
    for _ in inputs:
        weights, rest = data.draw(WEIGHTS), data.draw(st.sampled_from([0, 0, 1])) if partial else 0
        if tiny:
            weights = [(w << tiny) + data.draw(st.integers(0, 1)) for w in weights]
        total = sum(weights) + rest
        laws.append(law(*(str(Fraction(w, total)) for w in weights), unresolved=str(Fraction(rest, total))))
    epsilon, other = data.draw(CLAIMS)
    claim = {"epsilon": epsilon, "delta": "0" if pure else other, "ratio": None}
    if Fraction(other) >= 1 and compare_exp(mpq(other), mpq(epsilon)) <= 0:
        claim["ratio"] = other
    if Fraction(claim["delta"]) > 1:
        claim["delta"] = data.draw(st.sampled_from(["0", "1/10"]))
    document = {"version": 2, "neighbours": relation, "universe": universe, "n": n, "claim": claim, "accuracy": None}
    found = checker.derive(document, {"found": laws, "specified": None})
    worst, u = (None if x is None else str(x) for x in (found["worst_ratio"], found["u"]))
    private, ratio, more = oracle(relation, inputs, laws, claim)
    assert (found["verdicts"]["private"], worst, u) == (private, ratio, None if private == "fails" else more)
    newer = checker.derive(newest(document), {"found": [with_tails(entry) for entry in laws], "specified": None})
    assert (newer["verdicts"]["private"], newer["u"] and str(newer["u"])) == (private, more)
    check_witness(found["witness"], laws, claim, found["verdicts"]["private"] == "fails" and not partial)


def check_witness(witness: Document, laws: list[Document], claim: Document, breaks: bool) -> None:
    """The witness is what it says, and where a claim about complete laws fails it breaks it."""
    p, q = (laws[witness[side]]["probabilities"] for side in ("left", "right"))
    in_p, in_q = (sum((mpq(side.get(x, "0")) for x in witness["event"]), mpq(0)) for side in (p, q))
    assert (str(in_p), str(in_q)) == (str(witness["in_left"]), str(witness["in_right"]))
    if breaks:
        assert excess(in_p - mpq(claim["delta"]), in_q, claim) > 0


# A little more delta


def tail(k: int) -> list[Document]:
    """Noise of ratio 2 at two inputs, each known up to 2^-k, and the last known output impossible at the other."""
    rest = Fraction(1, 2**k)
    return [
        law(*(str(Fraction(1, 2**i)) for i in range(1, k + 1)), "0", unresolved=str(rest)),
        law("0", *(str(Fraction(1, 2**i)) for i in range(1, k + 1)), unresolved=str(rest)),
    ]


def test_u_is_the_smallest_power_of_two_with_which_the_claim_is_certain() -> None:
    """At A the first output has 1/2, at B nothing: from delta = 1/2 on it is the 2^-k unresolved at A that count."""
    loose = {"epsilon": "1", "delta": "1/2", "ratio": None}
    document = certified(tail(64), loose)
    assert checker.check(document) is None
    assert (document["verdicts"]["private"], document["u"]) == ("holds with delta + u", str(Fraction(1, 2**64)))
    both = certified(tail(64), {**loose, "ratio": "2"})  # the first output and, at ratio 2, none of the others
    assert (both["verdicts"]["private"], both["u"]) == ("holds with delta + u", str(Fraction(1, 2**64)))


@pytest.mark.parametrize(("delta", "verdict"), [("1/2", "holds with delta + u"), ("0", "fails"), ("3/4", "holds")])
def test_u_is_for_one_verdict_only(delta: str, verdict: str) -> None:
    document = certified(tail(64), {"epsilon": "1", "delta": delta, "ratio": None})
    assert checker.check(document) is None
    assert (document["verdicts"]["private"], document["u"] is None) == (verdict, verdict != "holds with delta + u")


@pytest.mark.parametrize(("k", "verdict"), [(31, "undecided"), (32, "holds with delta + u")])
def test_much_unresolved_mass_leaves_a_claim_undecided(k: int, verdict: str) -> None:
    document = certified(tail(k), {"epsilon": "1", "delta": "1/2", "ratio": None})
    assert checker.check(document) is None
    assert document["verdicts"]["private"] == verdict


def test_a_u_smaller_than_any_that_is_told_is_the_smallest_told() -> None:
    document = certified(tail(1100), {"epsilon": "1", "delta": "1/2", "ratio": None})
    assert checker.check(document) is None
    assert document["u"] == str(Fraction(1, 2**1024))


OPEN = certified(tail(64), {"epsilon": "1", "delta": "1/2", "ratio": None})


@pytest.mark.parametrize(
    "change",
    [
        {"u": str(Fraction(1, 2**65))},
        {"u": str(Fraction(1, 2**63))},
        {"u": "0"},
        {"u": None},
        {"verdicts": {**OPEN["verdicts"], "private": "holds"}},
        {"verdicts": {**OPEN["verdicts"], "private": "holds"}, "u": None},
        {"verdicts": {**OPEN["verdicts"], "private": "undecided"}, "u": None},
        {"unresolved": "0"},
    ],
    ids=str,
)
def test_a_forged_u_is_rejected(change: Document) -> None:
    assert checker.check(OPEN) is None
    assert re.search("does not follow from its laws", said(hashed({**OPEN, **change})) or "")


@pytest.mark.parametrize("document", [GOOD, certified(tail(20), LOOSE)], ids=["holds", "fails"])
def test_a_u_beside_another_verdict_is_rejected(document: Document) -> None:
    assert checker.check(document) is None
    assert said(hashed({**document, "u": str(Fraction(1, 2**64))})) is not None
    verdicts = {**document["verdicts"], "private": "holds with delta + u"}
    assert said(hashed({**document, "u": str(Fraction(1, 2**64)), "verdicts": verdicts})) is not None
    assert said(hashed({key: value for key, value in document.items() if key != "u"})) is not None


HARDLY = [law("1/2", "1/2"), law(str(Fraction(1, 2) - Fraction(3, 2**64)), str(Fraction(1, 2) + Fraction(3, 2**64)))]
ROUNDED = newest({"claim": {"epsilon": "0", "delta": "0", "ratio": None}})
BY_ROUNDING = certified(list(map(with_tails, HARDLY)), ROUNDED.pop("claim"), **ROUNDED)
MUCH = certified(list(map(with_tails, RESPONSE)), BY_ROUNDING["claim"], **ROUNDED)


def test_a_claim_that_fails_by_rounding_says_by_how_much() -> None:
    assert checker.check(BY_ROUNDING) is None
    assert (BY_ROUNDING["verdicts"]["private"], BY_ROUNDING["u"]) == ("fails", str(Fraction(1, 2**62)))
    assert checker.check(MUCH) is None
    assert (MUCH["verdicts"]["private"], MUCH["u"]) == ("fails", None)
    declared = certified(list(map(with_tails, HARDLY)), BY_ROUNDING["claim"], **{**ROUNDED, "version": 6}, outputs=[])
    assert checker.check(declared) is None
    assert (declared["verdicts"]["private"], declared["u"]) == ("fails", BY_ROUNDING["u"])


def test_of_an_older_certificate_no_claim_that_fails_has_a_u() -> None:
    older = certified(HARDLY, {"epsilon": "0", "delta": "0", "ratio": None})
    assert checker.check(older) is None
    assert (older["version"], older["verdicts"]["private"], older["u"]) == (2, "fails", None)
    assert said(hashed({**older, "u": str(Fraction(1, 2**62))})) is not None


@pytest.mark.parametrize(
    "change",
    [
        *(
            {"u": u}
            for u in (None, "0", str(Fraction(1, 2**61)), str(Fraction(1, 2**63)), "1/4294967296", "3/9223372036854775808")
        ),
        *({"verdicts": {**BY_ROUNDING["verdicts"], "private": x}} for x in ("holds", "holds with delta + u", "undecided")),
        {"version": 4},
        {"version": 6},
    ],
    ids=str,
)
def test_a_forged_u_of_a_claim_that_fails_is_rejected(change: Document) -> None:
    assert said(hashed({**BY_ROUNDING, **change})) is not None


def test_what_fails_by_much_does_not_fail_by_rounding() -> None:
    assert said(hashed({**MUCH, "u": "1/4294967296"})) is not None


def test_a_ratio_beside_a_delta_is_compared_with_both() -> None:
    """P[0] - 2 Q[0] = 3/4 - 2/4, and so for the other output."""
    claim = {"epsilon": "1", "delta": "1/4", "ratio": "2"}
    document = certified(RESPONSE, claim)
    assert checker.check(document) is None
    assert (document["verdicts"]["private"], document["verdicts"]["tight"]) == ("holds", True)
    less = certified(RESPONSE, {**claim, "delta": "6/25"})
    assert (less["verdicts"]["private"], less["verdicts"]["tight"]) == ("fails", False)


# Files


def run_alone(*files: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(checker.__file__), *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONIOENCODING": "ascii"})


def test_labels_of_any_script_are_told_on_an_ascii_terminal(tmp_path: Path) -> None:
    file = tmp_path / "½.json"
    file.write_text(json.dumps({**copy.deepcopy(GOOD), "neighbours": "½"}), encoding="utf-8")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(certified([law("½", "1/4"), RESPONSE[1]], PURE)), encoding="utf-8")
    done = run_alone(file, bad)
    assert (done.returncode, done.stderr) == (1, "")
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == ["REJECTED", "REJECTED"]
    assert "\\xbd" in done.stdout


def test_laws_beside_a_certificate_are_checked_as_those_in_it(tmp_path: Path) -> None:
    content = json.dumps(GOOD["laws"]).encode()
    (tmp_path / "laws.json").write_bytes(content)
    apart = {"file": "laws.json", "sha256": hashlib.sha256(content).hexdigest()}
    assert checker.check(hashed({**GOOD, "laws": apart}), tmp_path) is None
    with pytest.raises(ValueError, match="just the keys"):
        checker.check(hashed({**GOOD, "laws": {**apart, "note": "x"}}), tmp_path)
    twice = content.replace(b'{"found"', b'{"specified": null, "found"')
    (tmp_path / "laws.json").write_bytes(twice)
    with pytest.raises(ValueError, match="a key is there twice"):
        checker.check(hashed({**GOOD, "laws": {**apart, "sha256": hashlib.sha256(twice).hexdigest()}}), tmp_path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(checker, "MOST_BYTES", 100)
    file = tmp_path / "c.json"
    file.write_text(json.dumps(GOOD))
    assert checker.main([str(file)]) == 1
    assert "it has more than 100 bytes" in capsys.readouterr().out


def test_a_file_of_just_the_size_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps(GOOD))
    monkeypatch.setattr(checker, "MOST_BYTES", file.stat().st_size)
    assert checker.main([str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: accepted\n"


def test_one_file_that_is_rejected_decides_the_exit_code(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(GOOD))
    bad.write_text(json.dumps({**GOOD, "name": "another"}))
    assert [run_alone(*files).returncode for files in ([good], [bad], [bad, good], [good, bad], [])] == [0, 1, 1, 1, 1]
    assert run_alone().stderr == "usage: checker.py FILE...\n"


# Limits: what is just inside is taken, what is just outside is not


def test_the_limits_are_the_stated_ones() -> None:
    limits = (checker.MOST_BYTES, checker.MOST_DIGITS, checker.MOST_BITS, checker.MOST_COMPARISONS)
    assert limits == (100_000_000, 20_000, 1_000_000, 30_000_000)


@pytest.mark.parametrize(
    ("relation", "labels", "n", "inputs"),
    [
        ("counts", 0, 10_000, 10_001),
        ("counts", 0, 10_001, None),
        ("counts", 0, 0, 1),
        ("replace-one", 1, 10_000, 1),
        ("replace-one", 1, 10_001, None),
        ("replace-one", 100, 2, 10_000),
        ("replace-one", 101, 2, None),
        ("add-remove", 99, 2, 9_901),
        ("add-remove", 100, 2, None),
        ("add-remove", 1, 3, 4),
    ],
)
def test_how_many_inputs_there_may_be(relation: str, labels: int, n: int, inputs: int | None) -> None:
    if inputs is not None:
        assert len(checker.all_inputs(relation, list(range(labels)), n)) == inputs
        return
    with pytest.raises(ValueError, match=r"n is not from 0 to 10,000|no such universe"):
        checker.all_inputs(relation, list(range(labels)), n)


def test_how_many_inputs_may_be_stated() -> None:
    pairs = [[2 * i, 2 * i + 1] for i in range(5000)]
    assert checker.stated(pairs, list(range(10**4)), [], 10**4) == list(range(10**4))
    with pytest.raises(ValueError, match="an input is of another kind"):
        checker.stated([*pairs, [0, 10**4]], list(range(10**4 + 1)), [], 10**4)


@pytest.mark.parametrize("n", [20, 21, 24])
def test_how_many_rows_may_be_left_out_of_datasets(n: int) -> None:
    """n + 1 datasets of up to n rows with one label, each with up to 2^n parts: 21 * 2^20 are few enough."""
    inputs = checker.all_inputs("add-remove", [0], n)
    fields = {"kind": "flexible", "statistic": "size", "metric": "absolute", "alpha": None, "dropped": 0, "beta": "0"}
    claim = fields | {"gamma": "0", "values": [str(len(x)) for x in inputs]}
    laws = [({str(max(len(x), 1)): Fraction(1)}, Fraction(0)) for x in inputs]  # wrong on the dataset of no rows
    if n == 20:
        assert checker.outside(claim, laws, [], [0], n, inputs) == [(Fraction(i == 0), 0, i, None) for i in range(n + 1)]
    else:
        with pytest.raises(ValueError, match="too many rows"):
            checker.outside(claim, laws, [], [0], n, inputs)


def test_how_many_rows_there_may_be() -> None:
    """The rows count quadratically: 100 datasets of 999 rows are just inside, one more is not."""
    rows = (0,) * 999
    assert checker.neighbours("replace-one", [0], [rows] * 100)[0] == tuple(range(100))
    with pytest.raises(ValueError, match="datasets of too many rows"):
        checker.neighbours("replace-one", [0], [rows] * 101)


def test_how_long_a_rational_may_be() -> None:
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert checker.rational("0" * (checker.MOST_DIGITS - 1) + "7") == 7
        with pytest.raises(ValueError, match="at most 20000 characters"):
            checker.rational("0" * checker.MOST_DIGITS + "7")
    finally:
        sys.set_int_max_str_digits(limit)


def test_how_large_a_common_denominator_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_BITS", 8)
    assert checker.denominator([Fraction(1, 255), Fraction(2, 15)]) == 255
    with pytest.raises(ValueError, match="more than 8 bits"):
        checker.denominator([Fraction(1, 256)])
    with pytest.raises(ValueError, match="more than 8 bits"):
        checker.denominator([Fraction(1, 17), Fraction(1, 19)])
    assert checker.denominator([Fraction(1, 128)] * 1000) == 128
    with pytest.raises(ValueError, match="too large a common denominator"):
        checker.denominator([Fraction(1, 128)] * 1001)


def test_as_many_comparisons_as_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {"epsilon": "1/2", "delta": "0", "ratio": None}
    document = {**GOOD, "claim": broken}
    monkeypatch.setattr(checker, "MOST_COMPARISONS", 8)
    assert checker.derive(document, {"found": RESPONSE, "specified": None})["verdicts"]["private"] == "fails"
    monkeypatch.setattr(checker, "MOST_COMPARISONS", 7)
    with pytest.raises(ValueError, match="take 8 comparisons, more than 7"):
        checker.derive(document, {"found": RESPONSE, "specified": None})


@pytest.mark.parametrize(
    ("found", "claim", "private"),
    [
        (RESPONSE, {**LOOSE, "epsilon": "1000"}, "holds"),
        (RESPONSE, {**LOOSE, "epsilon": "0", "delta": "1"}, "holds"),
        (RESPONSE, {**LOOSE, "epsilon": "0", "delta": "1/2"}, "holds"),
        (RESPONSE, {**LOOSE, "epsilon": "0", "delta": "49/100"}, "fails"),
        ([RESPONSE[0]] * 2, {"epsilon": "0", "delta": "0", "ratio": "1"}, "holds"),
        ([law("1"), law("0", "1")], {**LOOSE, "delta": "1"}, "holds"),
        ([law("1"), law("0", "1")], {**LOOSE, "delta": "99/100"}, "fails"),
    ],
)
def test_claims_at_the_ends_of_their_range(found: list[Document], claim: Document, private: str) -> None:
    document = certified(found, claim)
    assert checker.check(document) is None
    assert document["verdicts"]["private"] == private


@pytest.mark.parametrize("ratio", [None, "1", "5/2"])
def test_a_comparison_with_numbers_of_either_sign(ratio: str | None) -> None:
    claim = {"epsilon": "1", "ratio": ratio}
    above = checker.comparison(claim)
    for p, q in product((-7, -3, -2, -1, 0, 1, 2, 3, 7), repeat=2):
        assert above(p, q) == (excess(mpq(p), mpq(q), claim) > 0), (p, q)


@pytest.mark.parametrize(
    ("found", "claim", "tight", "worst"),
    [
        (RESPONSE, PURE, True, "3"),
        (RESPONSE, {**PURE, "ratio": None}, False, "3"),
        (RESPONSE, {**PURE, "epsilon": "2", "ratio": "7/2"}, False, "3"),
        ([RESPONSE[0]] * 2, {"epsilon": "0", "delta": "0", "ratio": None}, True, "1"),
        ([RESPONSE[0]] * 2, {"epsilon": "1", "delta": "0", "ratio": None}, False, "1"),
        (RESPONSE, {**LOOSE, "epsilon": "0", "delta": "1/2"}, True, "3"),
        (RESPONSE, {**LOOSE, "epsilon": "0", "delta": "3/5"}, False, "3"),
        (RESPONSE, {**LOOSE, "delta": "1/2"}, False, "3"),
        ([law("1/2", "1/2"), law("0", "1/2", "1/2")], {**LOOSE, "delta": "1/2"}, True, "infinite"),
        ([law("1/2", "1/2"), law("0", "1/2", "1/2")], {**LOOSE, "delta": "2/3"}, False, "infinite"),
        ([law("1/2", "1/2"), law("0", "1/2", "1/2")], {**LOOSE, "delta": "0", "ratio": "1"}, False, "infinite"),
        ([law("3/4", "1/8", unresolved="1/8"), RESPONSE[1]], {**LOOSE, "delta": "1"}, False, None),
    ],
)
def test_tightness_by_hand(found: list[Document], claim: Document, tight: bool, worst: str | None) -> None:
    document = certified(found, claim)
    assert checker.check(document) is None
    assert (document["verdicts"]["tight"], document["worst_ratio"]) == (tight, worst)


THREE = [law("1/2", "1/4", "1/4"), law("1/4", "1/2", "1/4"), law("1/4", "1/4", "1/2")]


@pytest.mark.parametrize(
    ("kind", "a", "beta", "truths", "verdict", "miss"),
    [
        ("counting", 0, "1/2", [[0], [1], [2]], "holds", {"input": 0, "probability": "1/2", "coordinate": None}),
        ("counting", 0, "49/100", [[0], [1], [2]], "fails", {"input": 0, "probability": "1/2", "coordinate": None}),
        ("counting", 1, "1/4", [[0], [1], [2]], "holds", {"input": 0, "probability": "1/4", "coordinate": None}),
        ("counting", 1, "1/4", [[0], [1], [0]], "fails", {"input": 2, "probability": "1/2", "coordinate": None}),
        ("counting", 2, "0", [[0], [1], [2]], "holds", {"input": 0, "probability": "0", "coordinate": None}),
        ("simultaneous", 3, "1", [[9], [9], [9]], "holds", {"input": 0, "probability": "1", "coordinate": None}),
        ("per-query", 0, "1/2", [[0], [1], [2]], "holds", {"input": 0, "probability": "1/2", "coordinate": 0}),
    ],
)
def test_accuracy_by_hand(kind: str, a: int, beta: str, truths: list[list[int]], verdict: str, miss: Document) -> None:
    claimed = {"a": a, "beta": beta, "kind": kind, "truths": truths}
    document = certified(THREE, LOOSE, universe=[0, 1, 2], accuracy=claimed)
    assert checker.check(document) is None
    assert (document["verdicts"]["accuracy"], document["miss"]) == (verdict, miss)


PAIRS = [
    {"probabilities": {"(0, 0)": "1/2", "(0, 5)": "1/4", "(5, 0)": "1/8", "(5, 5)": "1/8"}, "unresolved": "0"},
    {"probabilities": {"(0, 0)": "1"}, "unresolved": "0"},
]


@pytest.mark.parametrize(("kind", "probability", "coordinate"), [("per-query", "3/8", 1), ("simultaneous", "1/2", None)])
def test_accuracy_of_tuples_by_hand(kind: str, probability: str, coordinate: int | None) -> None:
    claimed = {"a": 4, "beta": probability, "kind": kind, "truths": [[0, 0], [0, 0]]}
    document = certified(PAIRS, LOOSE, accuracy=claimed)
    assert checker.check(document) is None
    assert document["verdicts"]["accuracy"] == "holds"
    assert document["miss"] == {"input": 0, "probability": probability, "coordinate": coordinate}
    assert certified(PAIRS, LOOSE, accuracy={**claimed, "beta": "1/3"})["verdicts"]["accuracy"] == "fails"


def test_mass_that_is_unresolved_may_be_an_error() -> None:
    laws = [law("3/4", "1/8", unresolved="1/8"), law("0", "1")]
    verdicts = [
        certified(laws, LOOSE, accuracy={**COUNTED, "beta": beta})["verdicts"]["accuracy"] for beta in ("1/8", "1/4", "1/9")
    ]
    assert verdicts == ["undecided", "holds", "fails"]


@pytest.mark.parametrize(
    ("found", "specified", "verdict"),
    [
        (RESPONSE, RESPONSE, "equal"),
        (RESPONSE, RESPONSE[::-1], "differs"),
        (RESPONSE, [RESPONSE[0], law("1/5", "4/5")], "differs"),
        ([law("1/2", "1/4", unresolved="1/4"), RESPONSE[1]], RESPONSE, "undecided"),
        ([law("1/2", "3/8", unresolved="1/8"), RESPONSE[1]], RESPONSE, "differs"),
        ([law("1/2", "1/4", "1/8", unresolved="1/8"), RESPONSE[1]], RESPONSE, "differs"),
        ([law("3/4", "1/8", unresolved="1/8"), RESPONSE[1]], RESPONSE, "undecided"),
    ],
)
def test_what_is_said_of_the_laws(found: list[Document], specified: list[Document], verdict: str) -> None:
    document = certified(found, LOOSE, laws={"found": found, "specified": specified})
    assert checker.check(document) is None
    assert document["verdicts"]["law"] == verdict


def test_long_numbers_are_read_only_while_a_certificate_is_checked() -> None:
    limit = sys.get_int_max_str_digits()
    assert checker.check(GOOD) is None
    assert sys.get_int_max_str_digits() == limit
    assert said(hashed({**GOOD, "laws": {"found": [], "specified": None}})) is not None
    assert sys.get_int_max_str_digits() == limit


def test_the_witness_of_a_claim_that_holds_is_the_first_pair_with_the_largest_ratio() -> None:
    chain = [law("4/8", "4/8"), law("6/8", "2/8"), law("6/16", "10/16"), law("6/8", "2/8")]
    document = certified(chain, {**LOOSE, "epsilon": "3", "delta": "0"}, neighbours="counts", universe=[], n=3)
    assert checker.check(document) is None
    witness = document["witness"]
    assert (document["worst_ratio"], witness["left"], witness["right"], witness["event"]) == ("5/2", 2, 1, ["1"])
    assert (witness["in_left"], witness["in_right"]) == ("5/8", "1/4")


def test_laws_of_which_nothing_is_known_are_undecided() -> None:
    unknown: Document = {"probabilities": {}, "unresolved": "1"}
    document = certified([unknown, unknown], LOOSE, accuracy=COUNTED)
    assert checker.check(document) is None
    assert document["verdicts"] == {"private": "undecided", "tight": False, "law": "not specified", "accuracy": "undecided"}
    assert (document["unresolved"], document["worst_ratio"]) == ("1", None)
    assert document["witness"] == {"left": 0, "right": 1, "in_left": "0", "in_right": "0", "event": []}


def test_a_ratio_next_to_e_to_the_0_is_told_from_it() -> None:
    """At epsilon = 0 the ratio is 1, a rational: nothing is too near to it."""
    above = checker.comparison({"epsilon": "0", "ratio": None})
    assert above((1 << 20_000) + 1, 1 << 20_000)
    assert not above(1 << 20_000, 1 << 20_000)


@pytest.mark.parametrize("bits", [1, 8, 64])
def test_bounds_around_1_are_two_units_apart(bits: int) -> None:
    """Every term after the first is 0, rounded up to one unit; the rest of the series is bounded by one more."""
    assert checker.exp_bounds(Fraction(0), bits) == (1 << bits, (1 << bits) + 2)
