"""Laws with exact tails: closed forms of random programs, the clamped programs, verdicts, and what must be rejected."""

import copy
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from fractions import Fraction as Q
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp import Accuracy, FlexibleAccuracy, PrivacyClaim, audit
from finitedp.errors import DataError, ExplorationError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit import auditing
from finitedp.proofs_check.audit import laws as audit_laws
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.tables import read_table
from finitedp.proofs_check.black_box.fit import as_law
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.deciders.privacy import decide_privacy
from finitedp.proofs_check.deciders.tails import InLine, in_line
from finitedp.proofs_check.deciders.verdict import decide_law
from finitedp.proofs_check.engine import other_randomness
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.engine.path import tail_of
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.facts import report
from finitedp.proofs_check.report.markdown import as_markdown
from tests.sampling import sampled

Document = dict[str, Any]


def two_sided(count: int, coins: Any) -> int:
    """The geometric mechanism over all integers at the ratio 2: z has a probability of 2^-|z| / 3."""
    side, size = coins.uniform(3), coins.geometric("1/2")
    return int(count) if side == 1 else count + 1 + size if side == 2 else count - 1 - size


def one_sided(count: int, coins: Any) -> int:
    return count + coins.geometric("1/2")  # type: ignore[no-any-return]


def stated(count: int) -> Mapping[Any, Any]:
    return {count: "1/3", Tail(count + 1, "1/2"): "1/3", Tail(count - 1, "1/2", -1): "1/3"}


def audited(mechanism: Any, epsilon: Any = "7/10", n: int = 2, **more: Any) -> Any:
    """The result of an audit (whose numbers are compared with plain ones here)."""
    claim = PrivacyClaim(epsilon, "counts", more.pop("delta", 0), more.pop("ratio", None))
    return audit(mechanism, claim, n=n, **more)


# The two-sided geometric mechanism over all integers


@pytest.mark.parametrize(
    ("claim", "private", "tight"),
    [
        ({"epsilon": "7/10"}, "holds", False),
        ({"epsilon": "7/10", "ratio": 2}, "holds", True),
        ({"epsilon": "69/100"}, "fails", False),
        ({"epsilon": "7/10", "ratio": "199/100"}, "fails", False),
        ({"epsilon": "3/10", "ratio": "5/4", "delta": "1/4"}, "holds", True),
        ({"epsilon": "3/10", "ratio": "5/4", "delta": "249/1000"}, "fails", False),
    ],
    ids=str,
)
def test_noise_over_all_integers_is_decided_exactly(claim: Any, private: str, tight: bool) -> None:
    """At the ratio 5/4, delta is P[z <= 0] - 5/4 Q[z <= 0] = 2/3 - 5/4 * 1/3 = 1/4."""
    found = audited(two_sided, specified=stated, **claim)
    assert (found.private, found.tight, found.unresolved, found.worst_ratio) == (private, tight, 0, 2)
    assert (found.law, found.u) == ("equal", None)
    assert found.profile == ((1, mpq(1, 3)), (2, 0))
    assert (found.witness.in_left, found.witness.in_right) == (mpq(2, 3), mpq(1, 3))
    assert Tail(-1, "1/2", -1) in found.witness.event
    document = certificate(found)
    assert document["version"] == 3
    validate(document, schema(), "it")
    assert checker.check(document) is None


def test_a_tail_on_one_side_is_never_pure() -> None:
    """An output that is impossible at the neighbour: the ratio is infinite, however small the rest."""
    found = audited(one_sided, "20")
    assert (found.private, found.worst_ratio, found.unresolved) == ("fails", "infinite", 0)
    assert audited(one_sided, "7/10", delta="1/2").private == "holds"  # P[0] = 1/2, and the ratio 1/2 elsewhere
    assert audited(one_sided, "7/10", delta="49/100").private == "fails"


def test_the_loops_that_have_tails() -> None:
    def counted(count: int, coins: Any) -> int:
        return count - coins.count_while(lambda c: c.uniform(3) <= 2)  # type: ignore[no-any-return]

    found = audited(counted, n=1)
    assert found.laws[0].probabilities == {Tail(0, "2/3", -1): mpq(1)}
    assert found.laws[1].probabilities == {1: mpq(1, 3), Tail(0, "2/3", -1): mpq(2, 3)}


# Random programs against closed forms


class Part(NamedTuple):
    """With probability weight / all weights: count + shift + sign g, clamped to low.. and ..high where these are given."""

    weight: int
    sign: int
    shift: int
    low: int | None
    high: int | None
    least: int  # below it, the draw is thrown away and shift is the output

    def value(self, count: int, g: int) -> int:
        z = count + self.shift + self.sign * g if g >= self.least else count + self.shift
        z = z if self.low is None else max(self.low, z)
        return z if self.high is None else min(self.high, z)


class Program(NamedTuple):
    p: Q
    parts: tuple[Part, ...]

    def run(self, count: int, coins: Any) -> Any:
        u, before = coins.uniform(sum(part.weight for part in self.parts)), 0
        for part in self.parts:
            before += part.weight
            if u <= before:
                return part.value(count, coins.geometric(f"{self.p.numerator}/{self.p.denominator}"))
        raise AssertionError

    def probability(self, count: int, window: int) -> tuple[dict[int, Q], Q, Q]:
        """Of each output in -window..window, and of those below and above: the draws are summed one by one to where the
        unclamped parts have left the window and the clamped ones are constant."""
        total, most = sum(part.weight for part in self.parts), 2 * window + 60
        law = dict.fromkeys(range(-window, window + 1), Q(0))
        below = above = Q(0)
        for part in self.parts:
            share = Q(part.weight, total)
            masses = [((1 - self.p) * self.p**g, part.value(count, g)) for g in range(most)]
            for mass, z in [*masses, (self.p**most, part.value(count, most))]:
                if z < -window:
                    below += share * mass
                elif z > window:
                    above += share * mass
                else:
                    law[z] += share * mass
        return law, below, above


def program(seed: int) -> Program:
    """Of parts with constants, rising and falling noise, one-sided and two-sided clamps, in all sign patterns."""
    made = Random(seed)
    p = made.choice([Q(1, 2), Q(2, 3), Q(1, 10), Q(3, 4), Q(9, 10), Q(made.randint(1, 6), 7)])
    parts = []
    for _ in range(made.randint(1, 4)):
        low, high = made.choice([(None, None)] * 3 + [(-made.randint(0, 4), None), (None, made.randint(1, 5)), (-2, 3)])
        shift = made.randint(-4, 4) * made.choice([0, 1, 1, 3])
        parts.append(Part(made.randint(1, 4), made.choice([-1, 0, 1, 1, -1]), shift, low, high, made.choice([0, 0, 1, 3])))
    return Program(p, tuple(parts))


def at(law: PartialLaw[Any], output: int) -> Q:
    """The probability of an output, in the head or in a tail."""
    shares = (mass * (x.share(output) if isinstance(x, Tail) else x == output) for x, mass in law.probabilities.items())
    found = sum(shares, mpq(0))
    return Q(int(found.numerator), int(found.denominator))


def worst_and_gap(p: Any, q: Any, ratio: Q, r: Q) -> tuple[Q | None, Q]:
    """The worst ratio (None: infinite) and the hockey-stick divergence at r, from closed forms over a window and beyond.

    Beyond the window, each side of a law is geometric with one ratio, so that a side is compared as a whole.
    """
    pairs = [*((p[0][z], q[0][z]) for z in p[0]), *zip(p[1:], q[1:], strict=True)]
    worst: Q | None = Q(0)
    for a, b in pairs:
        worst = None if worst is None or (a and not b) else max(worst, a / b if b else Q(0))
    return worst, sum((max(a - r * b, Q(0)) for a, b in pairs), Q(0))


LOW, HIGH = -5, 6


def pushed_forward(law: PartialLaw[Any]) -> dict[int, mpq]:
    """The law of max(LOW, min(HIGH, z)) for z of a law."""
    found: dict[int, mpq] = {}
    for x, mass in law.probabilities.items():
        points = [(x, mass)]
        if isinstance(x, Tail):
            end = max((HIGH - x.first if x.direction > 0 else x.first - LOW) + 1, 0)  # from there on it is constant
            listed = [(x.first + k * x.direction, mass * (1 - x.ratio) * x.ratio**k) for k in range(end)]
            points = [*listed, (x.first + end * x.direction, mass * x.ratio**end)]
        for z, share in points:
            found[max(LOW, min(HIGH, z))] = found.get(max(LOW, min(HIGH, z)), mpq(0)) + share
    return found


SEEDS = [
    range(10),
    pytest.param(range(10, 220), marks=pytest.mark.deep),
    pytest.param(range(220, 4000), marks=pytest.mark.full),
]


@pytest.mark.parametrize("seeds", SEEDS, ids=["few", "some", "many"])
def test_random_programs_have_their_closed_forms(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact laws, not intervals; the worst ratio and delta; the law of the clamped program; and the checker's verdict.

    No other randomness is looked for, which would take most of the time.
    """
    monkeypatch.setattr(other_randomness, "stood_in", lambda _mechanism: nullcontext(lambda: None))
    tails = verdicts = 0
    for seed in seeds:
        made, r = program(seed), Q(3, 2)
        claim: Any = {
            "n": 1,
            "epsilon": "1/2",
            "ratio": "3/2",
            "delta": "1/8",
            "budget": Budget(runs=100, draws=25),
        }  # inline, few
        found = audited(lambda count, coins, m=made: m.run(count, coins), **claim)
        cut = audited(lambda count, coins, m=made: max(LOW, min(HIGH, m.run(count, coins))), **claim)
        window = 40
        closed = [made.probability(count, window) for count in (0, 1)]
        assert found.unresolved == cut.unresolved == 0, seed
        for count in (0, 1):
            law, expected = found.laws[count], closed[count][0]
            assert {z: at(law, z) for z in expected} == expected, seed
            beyond = [(x, m) for x, m in law.probabilities.items() if isinstance(x, Tail)]
            assert all(abs(x.first) < window for x, _ in beyond), seed
            sides = {x.direction: m * x.ratio ** ((window + 1) - x.first * x.direction) for x, m in beyond}
            assert (sides.get(-1, 0), sides.get(1, 0)) == closed[count][1:], seed
            tails += len(beyond)
            assert pushed_forward(law) == cut.laws[count].probabilities, seed
        worst, gap = zip(*(worst_and_gap(p, q, made.p, r) for p, q in (closed, closed[::-1])), strict=True)
        assert found.worst_ratio == ("infinite" if None in worst else max(w for w in worst if w is not None)), seed
        assert found.private == ("holds" if max(gap) <= Q(1, 8) else "fails"), seed
        assert found.witness.in_left - r * found.witness.in_right == max(gap) or max(gap) == 0, seed
        verdicts += found.private == "holds"
        assert checker.check(certificate(found)) is None, seed
    assert tails > len(seeds)
    assert 0 < verdicts < len(seeds)


def test_a_lazy_sign_or_count_is_decided_and_not_the_endless_draw() -> None:
    def signed(count: int, coins: Any) -> Any:
        return count + (2 * coins.uniform(2) - 3) * coins.geometric("1/2")

    def shifted(count: int, coins: Any) -> Any:
        return coins.uniform(2) - coins.geometric("1/2") + count

    found = audited(signed, n=1)
    assert (found.unresolved, at(found.laws[0], 0), at(found.laws[0], -3)) == (0, Q(1, 2), Q(1, 32))
    found = audited(shifted, n=1)
    assert (found.unresolved, at(found.laws[0], 2), at(found.laws[0], -1)) == (0, Q(1, 4), Q(1, 16) + Q(1, 32))


@pytest.mark.parametrize(
    "mechanism",
    sampled(
        [
            lambda count, coins: 2 * coins.geometric("1/2") + count,
            lambda count, coins: (count, coins.geometric("1/2")),
            lambda count, coins: coins.geometric("1/2") - coins.geometric("1/2") + count,
            lambda count, coins: coins.geometric("1/2") // 3 + count,
        ],
        2,
    ),
    ids=["stride", "tuple", "difference", "quotient"],
)
def test_other_outputs_are_open_mass_as_before(mechanism: Any) -> None:
    found = audited(mechanism, n=1)
    assert 0 < found.unresolved <= mpq(1, 2**64)
    assert found.private != "holds"
    assert checker.check(certificate(found)) is None


def test_a_loop_of_the_user_has_no_exact_tail() -> None:
    def looped(count: int, coins: Any) -> int:
        while coins.uniform(2) == 1:
            count += 1
        return count

    found = audited(looped, n=1, epsilon=1)
    assert found.unresolved > 0
    assert not any(isinstance(x, Tail) for law in found.laws.values() for x in law.probabilities)


# Several tails in one direction


def mixed(first: str, second: str) -> Callable[[int, Any], Any]:
    """One ratio or another, each with probability 1/2, from the same output on."""
    return lambda count, coins: coins.geometric(first if coins.uniform(2) == 1 else second)


def test_tails_of_one_ratio_are_one_from_the_last_first_on() -> None:
    def apart(count: int, coins: Any) -> Any:
        return coins.geometric("1/2") + (0 if coins.uniform(4) == 1 else 3)

    law = audited(apart, n=1).laws[0].probabilities
    assert law == {0: mpq(1, 8), 1: mpq(1, 16), 2: mpq(1, 32), Tail(3, "1/2"): mpq(1, 32) + mpq(3, 4)}


@pytest.mark.parametrize("epsilon", [1, 300, 1000])
def test_tails_of_different_ratios_are_never_said_to_hold(epsilon: int) -> None:
    """Within one law, and between two: there the ratio grows without a bound."""

    def by_input(count: int, coins: Any) -> Any:
        return coins.geometric("1/2" if count else "1/3")

    for mechanism in (mixed("1/2", "1/3"), by_input):
        found = audited(mechanism, epsilon, n=1)
        assert found.private in ("holds with delta + u", "fails", "undecided")
        assert found.worst_ratio is None
        assert found.derived["open_tails"] == [
            "the rising tails are listed in part and the rest is unresolved: they have different ratios, 1/3 and 1/2"
        ]
        assert checker.check(certificate(found)) is None
    assert audited(by_input, 1, n=1).private == "fails"


def test_tails_that_begin_far_apart_are_opened() -> None:
    found = audited(lambda count, coins: 10**9 * count + coins.geometric("1/2"), "7/10", n=1)
    assert found.private == "fails"
    assert 0 < found.unresolved <= mpq(1, 2**64)
    assert "more than 250,000 outputs" in found.derived["open_tails"][0]
    assert sum(found.laws[1].probabilities.values()) + found.laws[1].unresolved == 1
    assert checker.check(certificate(found)) is None


def test_the_budget_of_bits_is_that_of_opened_tails() -> None:
    found = audited(mixed("1/2", "1/3"), n=1, budget=Budget(bits=200))
    assert 0 < found.unresolved <= mpq(1, 2**200)
    without = audited(mixed("1/2", "1/3"), n=1, budget=Budget(bits=None))  # that of the default budget
    assert mpq(1, 2**80) < without.unresolved <= mpq(1, 2**64)


@pytest.mark.deep
def test_many_tails_are_one() -> None:
    """count + u + g for u from 1 to 100: a hundred tails in each law, put together in one pass."""
    found = audited(lambda count, coins: count + coins.uniform(100) + coins.geometric("1/2"), n=1, delta="1/100")
    law = found.laws[0]
    assert (found.unresolved, found.private, len(law.probabilities)) == (0, "holds", 101)
    assert [at(law, z) for z in (0, 1, 2, 3)] == [0, Q(1, 200), Q(3, 400), Q(7, 800)]
    assert at(law, 101) == Q(2**100 - 1, 200 * 2**100)


def test_rising_and_falling_tails_that_cross_are_put_apart() -> None:
    def crossed(count: int, coins: Any) -> Any:
        g = coins.geometric("1/2")
        return 5 - g if coins.uniform(2) == 1 else g - 5

    law = audited(crossed, n=1).laws[0]
    assert {x for x in law.probabilities if isinstance(x, Tail)} == {Tail(6, "1/2"), Tail(-6, "1/2", -1)}
    assert [at(law, z) for z in (-6, 0, 5)] == [Q(1, 2**13), Q(1, 64), Q(1, 4) + Q(1, 2**12)]


def test_a_draw_of_another_run_has_no_tail() -> None:
    """Kept from an earlier run, or from a trial that ran alone: refused, as it was before there were tails."""
    kept: list[Any] = []

    def stale(count: int, coins: Any) -> Any:
        kept.append(count + coins.geometric("1/2"))
        return kept[0]

    def stolen(count: int, coins: Any) -> Any:
        inner: list[Any] = []

        def trial(c: Any) -> bool:
            inner.append(c.geometric("1/2"))
            return bool(c.uniform(2) == 1)

        coins.count_while(trial)
        return count + inner[-1]

    for mechanism in (stale, stolen):
        with pytest.raises(ExplorationError, match=r"of the run itself|does not repeat itself|keeps state"):
            audited(mechanism, n=1)


# Types


@pytest.mark.parametrize("other", [True, Q(3), mpq(2)], ids=str)
def test_an_equal_output_of_another_type_is_refused(other: Any) -> None:
    def one_law(count: int, coins: Any) -> Any:
        return other if coins.uniform(2) == 1 else coins.geometric("1/2")

    def two_laws(count: int, coins: Any) -> Any:
        return other if count else coins.geometric("1/2")

    for mechanism in (one_law, two_laws):
        with pytest.raises((ParameterError, ExplorationError), match="different types"):
            audited(mechanism, n=1)


@pytest.mark.parametrize("direction", [1, -1])
def test_the_longest_tail_of_all_laws_holds_it(direction: int) -> None:
    def mechanism(count: int, coins: Any) -> Any:
        if coins.uniform(4) == 1:
            return Q(3 * direction)
        return direction * ((0 if coins.uniform(2) == 1 else 5) + coins.geometric("1/2"))

    with pytest.raises((ParameterError, ExplorationError), match="different types"):
        audited(mechanism, n=1)


def test_other_outputs_stand_beside_a_tail() -> None:
    for other in ("5, 6, ...", None, Q(7, 2), (1, 2)):
        found = audited(lambda count, coins, x=other: x if coins.uniform(2) == 1 else coins.geometric("1/2"), n=1)
        assert found.laws[0].probabilities[other] == mpq(1, 2)
        assert found.private == "holds"
        assert checker.check(certificate(found)) is None


# What looks at the engine's work: the same code, run inline


def late(output: Any, made: Any) -> Tail | None:
    tail = tail_of(output, made)
    return tail and evolve(tail, first=tail.first + tail.direction)


def early(output: Any, made: Any) -> Tail | None:
    tail = tail_of(output, made)
    return tail and evolve(tail, first=tail.first - tail.direction)


def steeper(output: Any, made: Any) -> Tail | None:
    tail = tail_of(output, made)
    return tail and evolve(tail, ratio=tail.ratio / 2)


def turned(output: Any, made: Any) -> Tail | None:
    tail = tail_of(output, made)
    return tail and evolve(tail, direction=-tail.direction)


@pytest.mark.parametrize("broken", [late, early, steeper, turned])
def test_a_wrong_tail_contradicts_the_code_run_inline(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_laws, "tail_of", broken)
    for mechanism in (one_sided, two_sided):
        with pytest.raises(ExplorationError, match="has another probability than inline"):
            audited(mechanism)


def test_unlike_tails_are_not_compared() -> None:
    half = mpq(1, 2)
    law: PartialLaw[Any] = PartialLaw({0: half, Tail(1, "1/2"): half})
    others: list[PartialLaw[Any]] = [
        PartialLaw({0: half, Tail(2, "1/2"): half}),
        PartialLaw({0: half, Tail(1, "1/3"): half}),
        PartialLaw({0: half, 5: half}),
        PartialLaw({0: half, True: half}),
        PartialLaw({Tail(1, "1/2", -1): mpq(1)}),
        PartialLaw({0: half, Tail(1, "1/2"): half / 2, Tail(3, "1/2"): half / 2}),
    ]
    claim = PrivacyClaim(20, "counts")
    for other in others:
        with pytest.raises(ParameterError, match="unlike tails are compared"):
            decide_privacy({0: law, 1: other}.__getitem__, [(0, 1), (1, 0)], claim)
        with pytest.raises(ParameterError, match="unlike tails are compared"):
            decide_law(law, other)
    with pytest.raises(ParameterError, match="unlike tails are compared"):  # both hold the output 1
        decide_law(PartialLaw({Tail(1, "1/2"): mpq(1)}), PartialLaw({Tail(1, "1/2", -1): mpq(1)}))
    assert decide_privacy(lambda _: law, [(0, 1)], claim).holds
    apart: PartialLaw[Any] = PartialLaw({0: mpq(3, 4), Tail(1, "1/2"): mpq(1, 4)})
    assert decide_law(law, apart).distance == mpq(1, 4)
    assert in_line({0: law, 1: others[0]}, None, 64).found[0].probabilities == {
        0: half,
        1: mpq(1, 4),
        Tail(2, "1/2"): mpq(1, 4),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, "1"), "accepted: a rational above 0 and below 1"),
        ((1, 0), "accepted: a rational above 0 and below 1"),
        ((1, 0.5), "is a float"),
        ((True, "1/2"), "is not an integer"),
        ((1.0, "1/2"), "is not an integer"),
        ((1, "1/2", 0), "accepted: 1 (rising) and -1 (falling)"),
        ((1, "1/2", True), "accepted: 1 (rising) and -1 (falling)"),
        ((1, "1/2", 1.0), "accepted: 1 (rising) and -1 (falling)"),
    ],
    ids=str,
)
def test_what_is_no_tail_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        Tail(*arguments)


# The law as specified


@pytest.mark.parametrize(
    ("law", "verdict", "distance"),
    [
        (stated, "equal", "0"),
        (lambda c: {c: "1/3", c + 1: "1/6", Tail(c + 2, "1/2"): "1/6", Tail(c - 1, "1/2", -1): "1/3"}, "equal", "0"),
        (lambda c: {c: "1/3", Tail(c + 1, "1/2"): "1/2", Tail(c - 1, "1/2", -1): "1/6"}, "differs", "1/6"),
        (lambda c: {c: "1/3", Tail(c + 2, "1/2"): "1/3", Tail(c - 1, "1/2", -1): "1/3"}, "differs", "1/6"),
        (lambda c: {c: "1/3", c + 1: "1/3", c - 1: "1/3"}, "differs", "1/3"),
    ],
    ids=["it", "listed later", "other masses", "one late", "no tails"],
)
def test_the_specified_law_is_compared_with_its_tails(law: Any, verdict: str, distance: str) -> None:
    found = audited(two_sided, specified=law)
    document = certificate(found)
    assert (found.law, found.unresolved, checker.check(document)) == (verdict, 0, None)
    assert f"The total variation distance to it is {distance}" in wording.law_words(document, document["laws"])


def test_a_specified_tail_of_another_ratio_differs() -> None:
    found = audited(two_sided, specified=lambda c: {c: "1/3", Tail(c + 1, "1/3"): "1/3", Tail(c - 1, "1/2", -1): "1/3"})
    assert (found.law, found.private) == ("differs", "holds with delta + u")
    assert checker.check(certificate(found)) is None
    with pytest.raises(ParameterError, match="the rising tails of the specified laws cannot be compared: they have different"):
        audited(two_sided, specified=lambda c: {Tail(0, "1/2"): "1/2", Tail(0, "1/3"): "1/2"})
    with pytest.raises(ParameterError, match="sum to 2/3, not to 1"):
        audited(two_sided, specified=lambda c: {c: "1/3", Tail(c + 1, "1/2"): "1/3"})


def test_a_table_of_laws_may_have_tails(tmp_path: Path) -> None:
    law = {"input": 0, "probabilities": {"0": "1/3"}, "tails": []}
    for direction, first in ((1, 1), (-1, -1)):
        law["tails"] += [{"direction": direction, "first": first, "mass": "1/6", "ratio": "1/2"}]  # type: ignore[operator]
    other = copy.deepcopy(law) | {"input": 1}
    (tmp_path / "laws.json").write_text(json.dumps({"laws": [law, other]}))
    table = read_table(tmp_path / "laws.json")
    assert table[0] == {0: mpq(1, 3), Tail(1, "1/2"): mpq(1, 3), Tail(-1, "1/2", -1): mpq(1, 3)}
    assert audited(table, n=1, style="table").worst_ratio == 1
    for key, value, message in (
        ("ratio", "1", "above 0 and below 1"),
        ("first", 1.0, "is not an integer"),
        ("direction", 2, "accepted: 1"),
        ("mass", "-1", "is not from 0 to 1"),
        ("note", "x", "a tail has the keys"),
    ):
        bad = copy.deepcopy(law)
        bad["tails"][0][key] = value  # type: ignore[index]
        (tmp_path / "laws.json").write_text(json.dumps({"laws": [bad, other]}))
        with pytest.raises(DataError, match=message):
            read_table(tmp_path / "laws.json")


def test_samples_are_not_compared_with_tails() -> None:
    with pytest.raises(ParameterError, match="has a tail; accepted for samples: a Law"):
        as_law(stated(0), 0)


# Accuracy


@pytest.mark.parametrize("a", [0, 1, 2, 5, 40])
def test_the_probability_of_an_error_is_exact(a: int) -> None:
    """P[|z| > a] = 2/3 * 2^-a."""
    miss = mpq(2, 3) / 2**a
    for beta, verdict in ((miss, "holds"), (miss - mpq(1, 10**20), "fails")):
        found = audited(two_sided, accuracy=Accuracy(a, beta))
        assert (found.accuracy, found.miss and found.miss.probability, found.unresolved) == (verdict, miss, 0)
        assert checker.check(certificate(found)) is None


def test_accuracy_up_to_rows_left_out_opens_the_tails() -> None:
    found = audit(
        lambda data, coins: max(data, default=0) + coins.geometric("1/2"),
        PrivacyClaim(1, "add-remove", delta=1),
        n=1,
        universe=[0, 1],
        accuracy=FlexibleAccuracy("max", beta=1, gamma="1/3", dropped=0),
    )
    assert (found.accuracy, found.private) == ("holds", "holds")
    assert 0 < found.unresolved <= mpq(1, 2**64)
    assert "looks at single outputs" in found.derived["open_tails"][0]
    assert checker.check(certificate(found)) is None


# Certificates


def rehashed(document: Document) -> Document:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def reason(document: Document) -> str | None:
    """Why the checker rejects a certificate, with a hash that fits; None where it does not."""
    try:
        return checker.check(rehashed(document))
    except ValueError as error:
        return str(error)


def rejected(document: Document) -> bool:
    return reason(document) is not None


GOOD = certificate(audited(two_sided, specified=stated, accuracy=Accuracy(1, "1/2")))
FOUND = GOOD["laws"]["found"]


def edited(change: Callable[[Document], Any]) -> Document:
    """The certificate with its first law changed."""
    document = copy.deepcopy(GOOD)
    change(document["laws"]["found"][0])
    return document


def moved(law: Document, by: int) -> None:
    """The rising tail from another output on, with the mass that its outputs have there."""
    tail = law["tails"][0]
    tail["first"] += by
    tail["mass"] = str(Q(tail["mass"]) * Q(tail["ratio"]) ** by)


def balanced(law: Document) -> None:
    """What is missing to 1 is given to the output 0."""
    tails = sum((Q(t["mass"]) / (1 - Q(t["ratio"])) for t in law["tails"]), Q(0))
    rest = sum((Q(p) for x, p in law["probabilities"].items() if x != "0"), Q(0))
    law["probabilities"]["0"] = str(1 - tails - rest)


def set_tail(**values: Any) -> Callable[[Document], None]:
    return lambda law: law["tails"][0].update(values)


def both(*changes: Callable[[Document], Any]) -> Callable[[Document], None]:
    def change(law: Document) -> None:
        for one in changes:
            one(law)

    return change


ALIKE, SUM, NO_TAIL = "tails of one direction differ in first or ratio", "a law does not sum to 1", "there is no such tail"
DERIVED, LISTED, TWICE = "does not follow from its laws", "an output is listed, and in a tail", "a tail is there twice"
NOT_POSITIVE, FIRST = "a probability that is not positive", GOOD["laws"]["found"][0]["tails"][0]["first"]
EDITS: dict[str, tuple[Callable[[Document], Any], str]] = {
    "no tail": (lambda law: law["tails"].pop(0), SUM),
    "no tail, and a mass to match": (both(lambda law: law["tails"].pop(0), balanced), DERIVED),
    "a mass": (set_tail(mass="1/1000"), SUM),
    "a mass, balanced": (both(set_tail(mass="1/1000"), balanced), DERIVED),
    "a ratio": (set_tail(ratio="1/3"), SUM),
    "a ratio, balanced": (both(set_tail(ratio="1/3"), balanced), ALIKE),
    "a ratio, its total kept": (
        lambda law: law["tails"][0].update(ratio="1/3", mass=str(Q(law["tails"][0]["mass"]) * Q(4, 3))),
        ALIKE,
    ),
    "one late": (set_tail(first=FIRST + 1), ALIKE),
    "one early": (set_tail(first=FIRST - 1), ALIKE),
    "one late, as it is there": (both(lambda law: moved(law, 1), balanced), ALIKE),
    "one early, as it is there": (both(lambda law: moved(law, -1), balanced), ALIKE),
    "the direction": (set_tail(direction=-1), ALIKE),
    "no direction": (set_tail(direction=0), NO_TAIL),
    "a wide direction": (set_tail(direction=2), NO_TAIL),
    "a direction as a truth": (set_tail(direction=True), NO_TAIL),
    "a direction as a float": (set_tail(direction=1.0), NO_TAIL),
    "a first as a truth": (set_tail(first=True), NO_TAIL),
    "a first as a float": (set_tail(first=float(FIRST)), NO_TAIL),
    "a first as a text": (set_tail(first=str(FIRST)), NO_TAIL),
    "the ratio 1": (set_tail(ratio="1", mass="0"), NO_TAIL),
    "a ratio above 1": (set_tail(ratio="3/2", mass="-1/48"), NO_TAIL),
    "the ratio 0": (set_tail(ratio="0", mass="1/24"), NO_TAIL),
    "a negative ratio": (set_tail(ratio="-1/2"), NO_TAIL),
    "a ratio as a float": (set_tail(ratio=0.5), "a rational is no text"),
    "a negative mass": (set_tail(mass="-1/48"), NOT_POSITIVE),
    "no mass": (set_tail(mass="0"), NOT_POSITIVE),
    "a key": (set_tail(note="x"), "does not have just the keys"),
    "the same tail twice": (lambda law: law["tails"].append(law["tails"][0]), TWICE),
    "an output of the tail, listed": (both(lambda law: law["probabilities"].update({"9": "1/1000"}), balanced), LISTED),
    "the first one, listed": (both(lambda law: law["probabilities"].update({str(FIRST): "1/1000"}), balanced), LISTED),
    "the same, written otherwise": (both(lambda law: law["probabilities"].update({"0009": "1/1000"}), balanced), LISTED),
    "the whole mass in the tail's place": (
        lambda law: law["probabilities"].update({str(FIRST): str(Q(law["tails"].pop(0)["mass"]) * 2)}),
        LISTED,
    ),
    "an output with the tail's name": (
        lambda law: law["probabilities"].update({f"{FIRST}, {FIRST + 1}, ...": str(Q(law["tails"].pop(0)["mass"]) * 2)}),
        "no tails",
    ),
    "no list": (lambda law: law.update(tails={}), "no tails"),
    "no key": (lambda law: law.pop("tails"), "does not have just the keys"),
}


@pytest.mark.parametrize(("change", "why"), EDITS.values(), ids=EDITS)
def test_a_certificate_with_an_edited_tail_is_rejected(change: Any, why: str) -> None:
    """For the reason that is meant, so that facts that fit the edited laws would not help."""
    document = edited(change)
    assert json.dumps(document) != json.dumps(GOOD)
    assert why in str(reason(document))


def test_tails_that_overlap_are_rejected() -> None:
    """In all laws alike, so that they differ in nothing: 0, 1, ... and 0, -1, ..."""

    def overlapping(law: Document) -> None:
        tails = [{"direction": d, "first": 0, "mass": "1/4", "ratio": "1/2"} for d in (1, -1)]
        law.update(probabilities={}, tails=tails)

    assert reason(everywhere(GOOD, overlapping)) == "the tails overlap"


def everywhere(document: Document, change: Callable[[Document], Any]) -> Document:
    changed = copy.deepcopy(document)
    for law in (*changed["laws"]["found"], *(changed["laws"]["specified"] or [])):
        change(law)
    return changed


def test_all_laws_changed_alike_are_rejected_or_true() -> None:
    """All tails begin one later, the output before them listed: that is the same law, written longer."""

    def longer(law: Document) -> None:
        tail = law["tails"][0]
        law["probabilities"][str(tail["first"])] = tail["mass"]
        moved(law, 1)

    later = everywhere(GOOD, longer)
    assert {x: later[x] for x in ("verdicts", "worst_ratio", "unresolved")} == {
        x: GOOD[x] for x in ("verdicts", "worst_ratio", "unresolved")
    }
    assert not rejected(later)
    assert rejected(everywhere(GOOD, lambda law: moved(law, 1)))
    assert rejected(everywhere(GOOD, both(lambda law: moved(law, 1), balanced)))


@pytest.mark.parametrize(("a", "off"), [(0, True), (1, False), (2, False)])
@pytest.mark.parametrize("side", [1, -1])
def test_the_tails_of_an_accuracy_claim_are_all_off(a: int, off: bool, side: int) -> None:
    """A tail that begins at an accurate output, or goes on to one, would count as a miss as a whole."""
    found = audited(lambda count, coins: side * (1 + coins.geometric("1/2")) + 0 * count, n=1)
    truths: list[list[int]] = [[0], [0]]
    document = certificate(found) | {"accuracy": {"a": a, "beta": "1", "kind": "counting", "truths": truths}}
    document["verdicts"] = document["verdicts"] | {"accuracy": "holds"}
    document["miss"] = {"input": 0, "probability": "1", "coordinate": None}
    assert reason(document) == (None if off else "a tail is not all off")
    document["accuracy"] = document["accuracy"] | {"truths": [[side * 5], [side * 5]]}  # further on in the tail
    assert reason(document) == "a tail is not all off"
    document["accuracy"] = document["accuracy"] | {"truths": [[0, 0], [0, 0]]}
    assert reason(document) == "a tail is not all off"


def test_versions_tell_whether_there_are_tails() -> None:
    plain = certificate(audited(lambda count, coins: (count + coins.uniform(2)) % 2, n=1))
    assert plain["version"] == 2
    assert checker.check(plain) is None
    assert rejected(plain | {"version": 3})
    assert not rejected(everywhere(plain, lambda law: law.update(tails=[])) | {"version": 3})
    assert rejected(everywhere(plain, lambda law: law.update(tails=[])))
    assert rejected(GOOD | {"version": 2})
    assert rejected(GOOD | {"version": 3.0})


def test_a_flexible_claim_with_a_tail_is_rejected() -> None:
    found = audit(
        lambda data, coins: coins.geometric("1/2"), PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], name="no rows"
    )
    claim = {"kind": "flexible", "statistic": "max", "metric": "equal", "alpha": None, "dropped": 0, "beta": "0", "gamma": "1"}
    document = certificate(found) | {"accuracy": claim | {"values": ["0", "0", "1"]}}
    assert reason(document) == "a flexible claim, and a tail"


def test_a_pure_claim_on_a_one_sided_tail_is_rejected() -> None:
    document = certificate(audited(one_sided, 20, n=1))
    assert document["verdicts"]["private"] == "fails"
    for ratio in ("2", "infinite", None):
        forged = document | {"worst_ratio": ratio, "verdicts": document["verdicts"] | {"private": "holds"}}
        assert rejected(forged)


def test_a_law_that_has_another_tail_is_not_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever forgets to put laws in line compares nothing: the decider refuses."""
    monkeypatch.setattr(auditing, "in_line", lambda found, specified, *_, **__: InLine(found, specified, ()))
    with pytest.raises(ParameterError, match="unlike tails are compared"):
        audited(two_sided)


# The report


def test_the_report_shows_the_tails(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(GOOD))
    opened = certificate(audited(mixed("1/2", "1/3"), n=1))
    (tmp_path / "d.json").write_text(json.dumps(opened))
    (tmp_path / "e.json").write_text(json.dumps(certificate(audited(lambda count, coins: coins.geometric("1/2"), n=1))))
    found = report([tmp_path / name for name in ("c.json", "d.json", "e.json")])
    first, second, third = found["audits"]
    last = FOUND[0]["tails"][0]["first"]
    assert f"{last}, {last + 1}, ..." in {row["output"] for row in first["laws"]["rows"]}
    assert {str(last), str(last + 3)} <= {column["first"] for column in first["laws"]["columns"]}
    assert str(last + 4) not in {column["first"] for column in first["laws"]["columns"]}
    shaded = {column["first"] for column in first["laws"]["columns"] if column["in_event"]}
    assert shaded == {str(x) for x in range(FOUND[0]["tails"][1]["first"] - 3, 1)}
    assert len(first["laws"]["tails"]) == 2
    assert [column["first"] for column in third["laws"]["columns"]] == ["0", "1", "2", "3"]
    text = as_markdown(found)
    assert "each of which has 1/2 (0.5) of the probability of the one before" in text
    assert "they have different ratios, 1/3 and 1/2" in text
    assert second["laws"]["tails"] == []
