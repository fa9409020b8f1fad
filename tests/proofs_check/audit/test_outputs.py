"""Declared outputs: what unresolved mass then decides, what it never does, and certificates that say so."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp import Accuracy, FlexibleAccuracy, PrivacyClaim, RenyiClaim, Tail
from finitedp.cli.main import main
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.description import read_descriptions
from finitedp.proofs_check.audit.exploring import ExploredLaws
from finitedp.proofs_check.audit.outputs import declared, in_short
from finitedp.proofs_check.deciders.partial_law import PartialLaw, declared_outputs
from finitedp.proofs_check.deciders.privacy import decide_privacy
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.declared import outputs_words
from finitedp.proofs_check.report.divergences import divergence_words
from finitedp.proofs_check.report.facts import report
from finitedp_pytest import assert_private
from tests.proofs_check.audit.described import found_by
from tests.proofs_check.audit.test_certificate import rehashed

pytestmark = pytest.mark.usefixtures("unrecorded")
IF = ", if every output is one of the declared ones"
TWO = PrivacyClaim(2, "counts")
Mechanism = Callable[[int, random.Random], Any]


def rejecting(count: int, rng: random.Random) -> int:
    """1 to 6, and the count + 1 more often: the worst ratio of what is resolved is 3."""
    while True:
        u = rng.getrandbits(3)
        if u < 6:
            return u + 1 if rng.randrange(4) else count + 1


def with_a_list(count: int, rng: random.Random) -> int:
    drawn = []
    while True:
        drawn.append(rng.getrandbits(3))
        if drawn[-1] < 6:
            return drawn[-1] + 1 if rng.randrange(4) else count + 1


def calling_itself(count: int, rng: random.Random) -> int:
    u = rng.getrandbits(3)
    if u < 6:
        return u + 1 if rng.randrange(4) else count + 1
    return calling_itself(count, rng)


def sneaky(count: int, rng: random.Random) -> int:
    """After forty rounds, which are not followed, it returns what was declared, and tells the count."""
    for _ in range(40):
        u = rng.getrandbits(3)
        if u < 6:
            return u + 1
    return 6 * count + 1


def audited(mechanism: Any = rejecting, claim: PrivacyClaim = TWO, **more: Any) -> AuditResult:
    return audit(mechanism, claim, n=more.pop("n", 2), **more)


def checked(found: AuditResult) -> dict[str, Any]:
    """The certificate, of the right form, which the checker accepts."""
    document = certificate(found)
    validate(document, schema(), "it")
    assert checker.check(document) is None
    return document


def words(found: AuditResult) -> str:
    document = certificate(found)
    return wording.private_words(document, document["laws"])


# What it decides


@pytest.mark.parametrize("mechanism", [rejecting, with_a_list, calling_itself])
@pytest.mark.parametrize("outputs", ["1..6", [6, 5, 4, 3, 2, 1], range(1, 7)])
def test_a_pure_claim_holds_through_an_open_loop(mechanism: Mechanism, outputs: Any) -> None:
    before, found = audited(mechanism), audited(mechanism, outputs=outputs)
    assert (before.private, before.outputs) == ("holds with delta + u", None)
    assert (found.private, found.u, found.unresolved) == ("holds", None, before.unresolved)
    assert found.unresolved > 0
    document = checked(found)
    assert (document["version"], document["outputs"]) == (6, ["1", "2", "3", "4", "5", "6"])
    assert words(found) == f"The privacy claim HOLDS for all neighbouring inputs of this universe{IF}."
    assert ("assumed", "every output is one of the 6 declared ones: 1..6") in wording.found_lines(document)
    assert wording.bound_words(document).endswith(f"At the claimed epsilon, delta is 0{IF}.")
    assert wording.witness_lines(document, document["laws"])[-1].startswith("P[S at A] <= ")
    assert checker.about(document) == " (if every output is one of the 6 declared ones)"


def test_the_advice_of_the_verdict_is_taken() -> None:
    assert "declared outputs (outputs = '1..6'), where it can return a few values only" in words(audited())
    assert "declared outputs" not in words(audited(outputs="1..6"))
    assert words(audited(outputs="1..7")).count("whether it can return 7 at all, declared and not seen at every input") == 1


def test_a_tight_claim_and_one_that_fails_stay_what_they_are() -> None:
    """Their ratio is 3 exactly: what is open may lie on either side of it."""
    tight = audited(claim=PrivacyClaim("11/10", "counts", ratio=3), outputs="1..6")
    assert tight.private == "holds with delta + u"
    assert "less open mass, or another epsilon, since the bound is attained or nearly so" in words(tight)
    assert f"universe{IF}: certain is" in words(tight)
    fails = audited(claim=PrivacyClaim(1, "counts"), outputs="1..6")
    assert fails.private == "fails"
    assert IF not in words(fails)
    for found in (tight, fails):
        checked(found)


def test_an_open_end_is_not_taken_to_be_like_what_was_seen() -> None:
    """Its claim of (1/1000, 0) is false: 2^-80 at the count tells it. So much is told apart only by more bits."""
    found = audited(sneaky, PrivacyClaim("1/1000", "counts"), n=1, outputs="1..7")
    assert found.private == "holds with delta + u"
    assert audited(sneaky, PrivacyClaim(0, "counts"), n=1, outputs="1..6").private == "holds with delta + u"


def test_complete_laws_rest_on_nothing() -> None:
    found = audited(lambda count, rng: count if rng.random() < 0.5 else 1 - count, n=1, outputs=[0, 1])
    assert (found.private, found.unresolved) == ("holds", mpq(0))
    document = checked(found)
    assert IF not in words(found)
    assert outputs_words(document) == []
    assert checker.about(document) == ""


def test_divergences_are_enclosed() -> None:
    """Of 3/8, 1/8 and 1/8, ..., and three eighths: sum p^2 / q = 9/8 + 1/24 + 4/8."""
    claims: dict[str, Any] = {"renyi": RenyiClaim(2, "1"), "zcdp": "1/2"}
    before, found = audited(**claims), audited(outputs="1..6", **claims)
    assert before.renyi is not None
    assert found.renyi is not None
    assert found.zcdp is not None
    assert (before.renyi.verdict, before.renyi.high) == ("undecided", "infinite")
    assert (found.renyi.verdict, found.zcdp.verdict) == ("holds", "holds")
    document = checked(found)
    assert divergence_words(document, "renyi").startswith(
        f"The Renyi claim HOLDS{IF}: the largest divergence of order 2 is in ["
    )
    alone = audited(claim=PrivacyClaim(0, "counts", 1), outputs="1..6", compose=2, renyi=RenyiClaim(2, "2"))
    assert alone.renyi is not None
    assert alone.renyi.verdict == "holds"
    checked(alone)


def test_runs_together_are_one_run_with_less() -> None:
    with pytest.raises(
        ParameterError, match=r"compose = 2; accepted: one run with epsilon / 2 \(the same, where delta is 0\)"
    ):
        audited(compose=2, outputs="1..6")


@pytest.mark.parametrize(
    ("a", "beta", "before", "verdict"),
    [
        (5, "0", "fails", "fails"),
        (6, "0", "undecided", "holds"),
        (0, "99/100", "fails", "fails"),
        (3, "3/8", "undecided", "undecided"),
    ],
)
def test_accuracy_where_all_that_is_left_is_accurate(a: int, beta: str, before: str, verdict: str) -> None:
    """At the count 0 an error above 3 is 4, 5 or 6, of probability 3/8; what is open may be 1 or 4, but not 7."""
    for outputs, expected in ((None, before), ("1..6", verdict)):
        found = audited(accuracy=Accuracy(a, beta), outputs=outputs, truth=lambda count: count)
        assert found.accuracy == expected, outputs
        checked(found)


def test_accuracy_where_all_that_is_left_misses() -> None:
    found = audited(accuracy=Accuracy(0, "1"), truth=lambda _count: 100, outputs="1..6")
    assert found.miss is not None
    assert (found.accuracy, found.miss.probability) == ("holds", mpq(1))
    assert wording.accuracy_words(checked(found)).startswith(f"The accuracy claim HOLDS{IF}")
    assert audited(accuracy=Accuracy(0, mpq(1) - mpq(1, 2**100)), truth=lambda _count: 100, outputs="1..6").accuracy == "fails"


def test_accuracy_of_declared_outputs_that_are_no_numbers() -> None:
    """Where nothing is open they are not asked about; else they have no error."""
    complete = audited(
        lambda count, rng: count, accuracy=Accuracy(0, 0), claim=PrivacyClaim(0, "counts", 1), outputs=[0, 1, 2, "no"]
    )
    assert complete.accuracy == "holds"
    checked(complete)
    with pytest.raises(ParameterError, match="an output is 'no'; an accuracy claim needs integers"):
        audited(accuracy=Accuracy(0, 0), outputs=[1, 2, 3, 4, 5, 6, "no"])


def test_accuracy_up_to_rows_left_out() -> None:
    def largest(rows: tuple[int, ...], rng: random.Random) -> int:
        while True:
            u = rng.getrandbits(2)
            if u < 2:
                return max((*rows, 0)) if rng.randrange(4) else u

    claim = FlexibleAccuracy(statistic="max", beta=1, gamma=0, dropped=0)
    for outputs, verdict in ((None, "undecided"), ("0..1", "holds")):
        more: dict[str, Any] = {"universe": [0, 1], "n": 1, "accuracy": claim, "outputs": outputs}
        found = audit(largest, PrivacyClaim(3, "replace-one"), **more)
        assert found.accuracy == verdict
        checked(found)


# What is refused


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (7, r"7 \(int\)"),
        (True, r"True \(bool\)"),
        (1.0, r"1\.0 \(float\)"),
        (np.int64(1), r"np\.int64\(1\) \(numpy\.int64\)"),
        ("1", r"'1' \(str\)"),
        ((1,), r"\(1,\) \(tuple\(int\)\)"),
        (Fraction(3, 2), r"mpq\(3,2\) \(mpq\)|Fraction\(3, 2\) \(Fraction\)"),
    ],
)
def test_what_is_returned_and_not_declared_is_an_error(output: Any, shown: str) -> None:
    says = (
        rf"at the input 0 the mechanism returned ({shown}), which is none of the declared outputs, 1\.\.6; accepted: all that"
    )
    with pytest.raises(ParameterError, match=says):
        audited(lambda _count, rng: (output, rng.random() < 0.5)[0], outputs="1..6")


@pytest.mark.parametrize("outputs", [[True, False], [Fraction(1, 2), 1.5], [(1, "a"), [2]], [None, np.int64(1)], ["a", b"a"]])
def test_any_outputs_may_be_declared_as_they_are_returned(outputs: list[Any]) -> None:
    def either(count: int, rng: random.Random) -> Any:
        while True:
            u = rng.getrandbits(2)
            if u < 2:
                return outputs[(u + count) % 2] if rng.randrange(2) else outputs[u]

    found = audited(either, n=1, outputs=outputs)
    assert (found.private, found.unresolved > 0) == ("holds", True)
    checked(found)


@pytest.mark.parametrize("outputs", ["0..6", [0, Tail(0, "1/2")]])
def test_a_tail_is_never_declared(outputs: Any) -> None:
    with pytest.raises(ParameterError, match=r"at the input 0 the mechanism returned 0, 1, \.\.\. \(int\), which is none of"):
        audited(lambda _count, coins: coins.geometric("1/2"), style="coins", outputs=outputs)


def test_a_specified_law_has_declared_outputs_only() -> None:
    law = {count: {**dict.fromkeys(range(1, 6), "1/8"), 7: "3/8"} for count in range(3)}
    with pytest.raises(ParameterError, match=r"at the input 0 the specified law has 7 \(int\), which is none"):
        audited(specified=law, outputs="1..6")


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ([], r"outputs has 0 values; accepted: 2 to 10,000"),
        ([1], r"outputs has 1 values; accepted: 2 to 10,000"),
        (range(10_001), r"outputs has 10,001 values; accepted: 2 to 10,000"),
        ([1, 1], r"outputs lists 1 twice"),
        ([1, True], r"outputs lists True twice, or what is equal to it"),
        ("a", r"outputs is 'a'; accepted: a list of values, or a range of integers, '0\.\.3'"),
        ("6..1", r"outputs is '6\.\.1'; accepted: FROM\.\.TO, upwards"),
        (7, r"outputs = 7 cannot be used; accepted: a list of values, or a range, '1\.\.6'"),
        (lambda: 1 // 0, r"`outputs` raised ZeroDivisionError"),
        (lambda _x: [0, 1], r"`outputs` raised TypeError"),
    ],
)
def test_what_declares_no_outputs(outputs: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        declared(outputs)


def test_declared_outputs_in_short() -> None:
    assert in_short(["10", "8", "9"]) == "8..10"
    assert in_short(["1", "3"]) == "1, 3"
    assert in_short(["'a'", "'b'"]) == "'a', 'b'"
    assert in_short([repr(x) for x in "abcdefg"]) == "'a', 'b', 'c', 'd', 'e', 'f', ... (7)"


# By all completions, whose extreme ones have all that is open on one output


def in_part(weights: list[int], rest: int, outputs: frozenset[int] | None = None) -> PartialLaw[int]:
    whole = sum(weights) + rest
    return PartialLaw({x: mpq(w, whole) for x, w in enumerate(weights) if w}, mpq(rest, whole), outputs=outputs)


def literal(laws: list[PartialLaw[int]], r: mpq, delta: mpq, size: int) -> tuple[bool, bool]:
    """Whether P[S] <= r Q[S] + delta for all events of two laws, at every vertex; and whether some event breaks it at all."""
    sure, broken = True, False
    for bits in product((False, True), repeat=size):
        p, q = ([law.probabilities.get(x, mpq(0)) for x in range(size)] for law in laws)
        ends = [
            sum((a + laws[0].unresolved * (x == i) for x, a in enumerate(p) if bits[x]), mpq(0))
            - r * sum((b + laws[1].unresolved * (x == j) for x, b in enumerate(q) if bits[x]), mpq(0))
            for i, j in product(range(size), repeat=2)
        ]
        sure, broken = sure and max(ends) <= delta, broken or min(ends) > delta
    return sure, broken


@given(
    st.integers(2, 4).flatmap(
        lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=2, max_size=2)
    ),
    st.lists(st.integers(0, 4), min_size=2, max_size=2),
    st.sampled_from(["1", "3/2", "2", "7"]),
    st.sampled_from(["0", "1/50", "1/7"]),
)
def test_the_decider_and_the_checker_agree_with_all_vertices(
    weights: list[list[int]], rests: list[int], ratio: str, delta: str
) -> None:
    size = len(weights[0])
    rests = [rest if any(row) else max(rest, 1) for row, rest in zip(weights, rests, strict=True)]
    laws = [in_part(row, rest, frozenset(range(size))) for row, rest in zip(weights, rests, strict=True)]
    claim = PrivacyClaim(2, "counts", delta, ratio) if mpq(ratio) < 7 else PrivacyClaim(3, "counts", delta, ratio)
    found = decide_privacy(laws.__getitem__, [(0, 1), (1, 0)], claim)
    (sure, broken), (back, too) = (literal(pair, mpq(ratio), mpq(delta), size) for pair in (laws, laws[::-1]))
    assert (found.verdict == "holds") == (sure and back)
    assert (found.verdict == "fails") == (broken or too)
    if found.u is not None and found.verdict != "fails":
        beyond = [literal(pair, mpq(ratio), mpq(delta) + more, size)[0] for pair in (laws, laws[::-1]) for more in (found.u,)]
        assert all(beyond)
    if all(law.probabilities for law in laws):
        listed: Any = [
            ({repr(x): Fraction(str(p)) for x, p in law.probabilities.items()}, Fraction(str(law.unresolved))) for law in laws
        ]
        claimed = {"epsilon": str(claim.epsilon), "delta": str(claim.delta), "ratio": str(claim.ratio)}
        private, u, *_ = checker.privacy(claimed, listed, [(0, 1)], [repr(x) for x in range(size)])
        assert (private, str(u)) == (found.verdict, str(found.u))


@pytest.mark.parametrize(("delta", "verdict"), [("3/8", "holds"), ("37/100", "undecided"), ("1/5", "undecided")])
def test_not_all_outputs_are_without_the_open_mass(delta: str, verdict: str) -> None:
    """5/8 > 2/8 and 3/8 > 2/8, but 3/4 is open at Q: all is on one output at the worst, and the other one has 3/8 too much."""
    outputs = frozenset((0, 1))
    laws = [in_part([5, 3], 0, outputs), in_part([1, 1], 6, outputs)]
    assert decide_privacy(laws.__getitem__, [(0, 1), (1, 0)], PrivacyClaim(1, "counts", delta, 2)).verdict == verdict
    listed: Any = [
        ({repr(x): Fraction(str(p)) for x, p in law.probabilities.items()}, Fraction(str(law.unresolved))) for law in laws
    ]
    assert checker.privacy({"epsilon": "1", "delta": delta, "ratio": "2"}, listed, [(0, 1)], ["0", "1"])[0] == verdict


def test_laws_of_declared_outputs() -> None:
    half = {0: mpq(1, 2)}
    for outputs in (frozenset((1, 2)), frozenset((0,))):
        with pytest.raises(ParameterError, match="among its declared ones; accepted: two outputs or more"):
            PartialLaw(half, mpq(1, 2), outputs=outputs)
    one, other = (PartialLaw(half, mpq(1, 2), outputs=frozenset(outputs)) for outputs in ((0, 1), (0, 2)))
    assert declared_outputs(one, one) == {0, 1}
    assert declared_outputs(one, other) == declared_outputs(one, PartialLaw(half, mpq(1, 2))) == frozenset()


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(st.sampled_from([0, 0, 1, 7]), min_size=3, max_size=3),
    st.sampled_from(["0", "1/50"]),
    st.sampled_from([None, "2", "5/2"]),
    st.sampled_from([None, "1/2"]),
    st.sampled_from([None, 0, 1]),
)
def test_the_checker_derives_what_audits_of_declared_outputs_say(
    weights: list[list[int]], rests: list[int], delta: str, order: str | None, zcdp: str | None, a: int | None
) -> None:
    laws = {
        i: in_part(row, rest if any(row) else max(rest, 1)) for i, (row, rest) in enumerate(zip(weights, rests, strict=True))
    }
    more: dict[str, Any] = {} if a is None else {"accuracy": Accuracy(a, "3/4")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "finitedp.proofs_check.audit.auditing.explored_laws", lambda *_given, **_more: ExploredLaws(laws, None, {})
        )
        found = audited(
            lambda data, _coins: data,
            PrivacyClaim(1, "counts", delta),
            style="coins",
            outputs="0..2",
            renyi=None if order is None else RenyiClaim(order, "1/2"),
            zcdp=zcdp,
            **more,
        )
    checked(found)


# Certificates that say more than is so


def forged(document: dict[str, Any], **other: Any) -> dict[str, Any]:
    return rehashed({**document, **other})


def test_a_false_verdict_of_who_takes_the_rest_to_be_like_what_was_seen_is_rejected() -> None:
    """The verdict of a decider that spreads what is open over 1..6, where 7 may be returned too."""
    document = checked(audited(outputs="1..6"))
    more = forged(document, outputs=[*document["outputs"], "7"])
    assert checker.check(more) == "what it says of verdicts does not follow from its laws"
    derived = checker.derive(more, more["laws"])
    assert (derived["verdicts"]["private"], derived["u"]) == ("holds with delta + u", Fraction(1, 2**66))


def test_a_false_verdict_of_who_ignores_what_is_open_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    found = audited(outputs="1..7")
    ignoring = evolve(found, private="holds", u=None)
    assert checker.check(certificate(ignoring)) == "what it says of verdicts does not follow from its laws"
    privacy = checker.privacy  # and a checker that takes only outputs that were seen would accept it
    monkeypatch.setattr(checker, "privacy", lambda claim, laws, groups, outputs: privacy(claim, laws, groups, outputs[:-1]))
    assert checker.check(certificate(ignoring)) is None


def test_a_certificate_cannot_drop_what_its_verdict_rests_on() -> None:
    document = checked(audited(outputs="1..6"))
    undeclared = {key: value for key, value in document.items() if key != "outputs"}
    claim = {**document["claim"]}
    assert (
        checker.check(forged(undeclared, version=5, claim=claim)) == "what it says of verdicts does not follow from its laws"
    )


@pytest.mark.parametrize(
    "outputs",
    [
        *([], ["1"], ["1", "1", "2", "3", "4", "5", "6"], ["1", "2", "3", "4", "5"], [1, 2, 3, 4, 5, 6], "123456", None),
        *({"1": 0, "2": 0}, ["1", "2", "3", "4", "5", 6], 6),
    ],
)
def test_outputs_that_are_none_are_rejected(outputs: Any) -> None:
    document = forged(checked(audited(outputs="1..6")), outputs=outputs)
    try:
        reason = checker.check(document)
    except (ValueError, TypeError) as error:
        reason = str(error)
    assert reason is not None
    if outputs != []:  # no texts that are distinct and two or more
        with pytest.raises(DataError):
            validate({**document, "outputs": outputs if outputs != ["1", "2", "3", "4", "5"] else None}, schema(), "it")


def test_the_checker_knows_no_tail_among_declared_outputs() -> None:
    """A tail would count as one output, and none of its own has as much."""
    found = audited(lambda count, coins: count + coins.geometric("1/2"), PrivacyClaim(1, "counts", "1/2"), style="coins", n=1)
    document = certificate(found)
    texts = sorted({*(x for law in document["laws"]["found"] for x in law["probabilities"]), "1, 2, ...", "0"})
    more = {"compose": 1, "renyi": None, "zcdp": None}
    newer = {**document, "version": 6, "outputs": texts, "claim": {**document["claim"], **more}}
    newer["verdicts"] = {**document["verdicts"], "renyi": "not claimed", "zcdp": "not claimed"}
    with pytest.raises(ValueError, match="none of the declared ones"):
        checker.check(forged(newer, divergences={"renyi": None, "zcdp": None}))


# From outside

CODE = """
def rejecting(count, rng):
    while True:
        u = rng.getrandbits(3)
        if u < 6:
            return u + 1 if rng.randrange(4) else count + 1

def halves(count, rng):
    while True:
        u = rng.getrandbits(2)
        if u < 3:
            return (u / 2, u)

def outputs():
    return [(u / 2, u) for u in range(3)]

def texts(count, rng):
    while True:
        u = rng.getrandbits(2)
        if u < 3:
            return "abc"[u]
"""
DESCRIPTION = """mechanism = "code.py:{function}"
n = 1
outputs = {outputs}
claim = {{ neighbours = "counts", epsilon = 2 }}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "code.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("function", "outputs"),
    [
        ("rejecting", '"1..6"'),
        ("rejecting", "[1, 2, 3, 4, 5, 6]"),
        ("texts", '["a", "b", "c"]'),
        ("halves", "[[0.0, 0], [0.5, 1], [1.0, 2]]"),
        ("halves", '"code.py:outputs"'),
    ],
)
def test_a_description_declares_outputs(here: Path, function: str, outputs: str) -> None:
    (here / "a.toml").write_text(DESCRIPTION.format(function=function, outputs=outputs))
    (description,) = read_descriptions(here / "a.toml")
    found = found_by(description)
    assert (found.private, found.unresolved > 0) == ("holds", True)
    checked(found)


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ('"abc"', r"a\.toml: outputs: 'abc' .*"),
        ("6", r"a\.toml: outputs: 6 .*"),
        ("[1]", r"a\.toml: outputs: \[1\] .*"),
        ('"1..b"', r"outputs is '1\.\.b'; accepted: a list of values, or a range"),
        ("[[1, [2]], 3]", r"a\.toml: outputs"),
        ('"code.py:missing"', "missing"),
    ],
)
def test_a_description_that_declares_none(here: Path, outputs: str, says: str) -> None:
    (here / "a.toml").write_text(DESCRIPTION.format(function="rejecting", outputs=outputs))
    with pytest.raises((DataError, ParameterError), match=says):
        read_descriptions(here / "a.toml")[0].run()


def test_of_a_command_no_outputs_are_declared(here: Path) -> None:
    text = DESCRIPTION.format(function="rejecting", outputs='"1..6"')
    (here / "a.toml").write_text(text.replace('mechanism = "code.py:rejecting"', 'command = ["true"]'))
    (description,) = read_descriptions(here / "a.toml")
    with pytest.raises(DataError, match="no outputs are declared; accepted: no outputs"):
        description.sample()


@pytest.mark.parametrize(
    ("name", "outputs", "code", "says"),
    [
        ("rejecting", "1..6", 0, "1 as claimed"),
        ("rejecting", "1,2,3,4,5,6", 0, "1 as claimed"),
        ("texts", "a,b,c", 0, "1 as claimed"),
        ("halves", "code.py:outputs", 0, "1 as claimed"),
        ("rejecting", "1..7", 1, "1 as claimed with delta + u"),
        ("rejecting", "2..6", 2, "the mechanism returned 1 (int), which is none of the declared outputs, 2..6"),
        ("rejecting", "", 2, "outputs is empty"),
    ],
)
@pytest.mark.usefixtures("here")
def test_the_command_line_declares_outputs(name: str, outputs: str, code: int, says: str) -> None:
    asked = ["audit", f"code.py:{name}", "--epsilon", "2", "--neighbours", "counts", "--n", "1", "--outputs", outputs]
    result = CliRunner().invoke(main, [*asked, "--jobs", "1"])
    assert "Traceback" not in result.output
    assert (result.exit_code, says in result.output) == (code, True), result.output


@pytest.mark.usefixtures("here")
def test_reports_and_code_scanning_name_the_assumption() -> None:
    asked = ["audit", "code.py:rejecting", "--epsilon", "2", "--neighbours", "counts", "--n", "1", "--jobs", "1"]
    CliRunner().invoke(main, [*asked, "--outputs", "1..7", "--sarif", "out.sarif", "--certificates", "kept"])
    (problem,) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert problem["ruleId"] == "delta-needed"
    assert IF in problem["message"]["text"]
    (entry,) = report(sorted(Path("kept").glob("*.json")))["audits"]
    assert entry["assumptions"] == ["every output is one of the 7 declared ones: 1..7"]
    assert "to any declared output" in entry["unresolved"]["words"]


def test_tests_declare_outputs() -> None:
    fields: Any = {"epsilon": 2, "neighbours": "counts", "n": 1}
    assert_private(rejecting, **fields, outputs="1..6")
    with pytest.raises(AssertionError, match="HOLDS WITH DELTA"):
        assert_private(rejecting, **fields)
