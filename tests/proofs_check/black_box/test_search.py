"""The black-box audit on mechanisms whose laws are known. Samplers are seeded, so that a run always gives the same."""

import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from random import Random
from time import monotonic
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import GeoSample, PrivacyClaim
from finitedp.errors import ParameterError, SamplerError
from finitedp.exact import log_bounds
from finitedp.proofs_check.black_box import search
from finitedp.proofs_check.black_box.clopper_pearson import binomial_tail, lower, upper
from finitedp.proofs_check.black_box.commands import Command
from finitedp.proofs_check.black_box.events import Event, features_of
from finitedp.proofs_check.black_box.fit import GeometricLaw, TableLaw, as_law
from finitedp.proofs_check.black_box.samplers import Source, plain, sampled
from finitedp.proofs_check.black_box.search import BlackBoxResult, black_box_audit, briefly
from finitedp.spec.counting import geo_sample
from finitedp.spec.pmf import Pmf

RR = PrivacyClaim("11/10", "replace-one")  # a little more than ln 3 = 1.0986


def response(data: Any, rng: Random) -> int:
    """Randomised response: the truth with probability 3/4, so that the worst ratio is 3."""
    return int(data[0] if rng.random() < 0.75 else 1 - data[0])


def geometric(count: int, rng: Random) -> int:
    """Two-sided geometric noise with ratio 1/2."""
    return count + sum(sign * next(i for i in range(10**9) if rng.getrandbits(1)) for sign in (1, -1))


def of_response(epsilon: str, samples: int = 20_000, seed: int = 1, **more: Any) -> BlackBoxResult:
    claim = PrivacyClaim(epsilon, "replace-one", more.pop("delta", 0), more.pop("ratio", None))
    return black_box_audit(sampled(response, seed), claim, universe=[0, 1], samples=samples, **more)


# Verdicts


def test_a_violation_is_found() -> None:
    found = of_response("1")
    assert (found.violated, found.private, found.law) == (True, "violated", "not specified")
    assert 1 < found.epsilon_at_least < mpq(11, 10)
    assert found.says.startswith("violated with confidence 99/100: epsilon is at least 1.0")
    assert (found.samples, found.inputs, found.pairs, found.trials) == (20_000, 2, 2, 5000)


def test_a_true_claim_is_not_called_verified() -> None:
    found = of_response("11/10")
    assert (found.violated, found.private) == (False, "no violation found")
    assert found.says.startswith("no violation found in 20,000 samples (epsilon is at least 1.0")
    for result in (found, of_response("1")):
        assert not any(word in result.says for word in ("verified", "private", "holds"))


def test_the_bounds_are_those_of_the_counts() -> None:
    found = of_response("1", confidence="9/10")
    assert found.in_left_at_least == lower(found.hits_left, found.trials, "1/20")
    assert found.in_right_at_most == upper(found.hits_right, found.trials, "1/20")
    ratio = found.in_left_at_least / found.in_right_at_most
    low, high = log_bounds(ratio)
    assert found.epsilon_at_least <= low
    assert high - found.epsilon_at_least < mpq(2, 10**6)
    assert found.delta_at_least > 0


def test_delta_is_counted() -> None:
    """At epsilon = 0 randomised response needs delta = 1/2 exactly."""
    assert not of_response("0", delta="1/2").violated
    assert of_response("0", delta="2/5").violated
    found = of_response("0", delta="2/5")
    assert mpq(2, 5) < found.delta_at_least < mpq(1, 2)


def test_a_claimed_ratio_is_what_is_tested() -> None:
    assert not of_response("11/10", ratio=3).violated
    found = of_response("11/10", ratio="5/2", samples=100_000)
    assert found.violated
    assert "the claim is ln(5/2)" in found.says


def test_events_of_probability_0_on_one_side() -> None:
    def leaks(count: int, rng: Random) -> str:
        return "leak" if count == 1 and rng.random() < 0.05 else "-"

    found = black_box_audit(sampled(leaks, 3), PrivacyClaim(2, "counts", "1/100"), samples=10_000)
    assert found.violated
    assert (found.left, found.right, found.hits_right) == (1, 0, 0)
    assert not black_box_audit(sampled(leaks, 3), PrivacyClaim(2, "counts", "1/20"), samples=10_000).violated


def test_outputs_that_never_come_twice_are_an_event_too() -> None:
    def junk(count: int, rng: Random) -> Any:
        return ("id", rng.getrandbits(80)) if count else "-"

    found = black_box_audit(sampled(junk, 3), PrivacyClaim(1, "counts"), samples=10_000)
    assert found.violated
    assert found.epsilon_at_least > 5


@pytest.mark.deep
def test_thresholds_join_what_single_outputs_do_not_show() -> None:
    """Continuous noise half as wide as claimed, in units without a lowest bit that could tell."""

    def wide(count: int, rng: Random) -> Fraction:
        return Fraction(int((count + rng.gauss(0, 1)) * 2**20), 2**20 * 3)

    found = black_box_audit(sampled(wide, 3), PrivacyClaim("1/2", "counts"), samples=20_000)
    assert found.violated
    assert found.event.kind in ("at most", "at least")


def test_the_lowest_bit_tells_what_floating_point_noise_was_added_to() -> None:
    """Mironov 2012; Haney, Desfontaines, Hartman and others 2022: 0 + noise has bits that 1 + noise has not."""

    def laplace(count: int, rng: Random) -> float:
        u = rng.random() - 0.5
        return count + math.copysign(math.log(1 - 2 * abs(u)), -u)

    found = black_box_audit(sampled(laplace, 3), PrivacyClaim(1, "counts"), samples=20_000)
    assert found.violated
    assert "lowest bit" in found.event.feature
    assert found.epsilon_at_least > 4


@pytest.mark.deep
def test_histograms_are_looked_at_by_label() -> None:
    def histogram(data: Any, rng: Random) -> dict[str, int]:
        noisy = {label: geometric(data.count(label), rng) for label in set(data)}
        return {label: count for label, count in noisy.items() if count >= 2}

    found = black_box_audit(sampled(histogram, 3), PrivacyClaim(1, "add-remove", "1/10"), n=2, universe="ab", samples=50_000)
    assert found.violated
    assert not black_box_audit(
        sampled(histogram, 3), PrivacyClaim(1, "add-remove", "1/3"), n=2, universe="ab", samples=50_000
    ).violated


def test_features_of_one_s_own() -> None:
    def parity(count: int, rng: Random) -> str:
        word = rng.getrandbits(40)
        return str(2 * word + (count if rng.random() < 0.9 else 1 - count))

    claim = PrivacyClaim(1, "counts")
    assert not black_box_audit(sampled(parity, 5), claim, samples=20_000).violated
    found = black_box_audit(sampled(parity, 5), claim, samples=20_000, features={"parity": lambda x: int(x) % 2})
    assert found.violated
    assert str(found.event).startswith("parity in")


def test_pairs_of_one_s_own() -> None:
    big = 2**60

    def rounds(count: int, rng: Random) -> float:
        return float(count) + geometric(0, rng)

    claim = PrivacyClaim(1, "counts")
    found = black_box_audit(sampled(rounds, 5), claim, samples=20_000, pairs=[(big + 128, big + 129)])
    assert (found.violated, found.inputs, found.pairs) == (True, 2, 2)
    rows = black_box_audit(sampled(response, 5), RR, samples=9000, pairs=[([0], [1])])
    assert {rows.left, rows.right} == {(0,), (1,)}


def test_coins_and_the_operating_system_are_sources() -> None:
    mechanism = GeoSample(2, 1)
    sampler = sampled(lambda c, coins: mechanism.release(c, coins), 5, "coins")
    specified = {c: geo_sample(2, 1, c) for c in range(3)}
    found = black_box_audit(sampler, mechanism.claim(), n=2, samples=20_000, specified=specified)
    assert (found.violated, found.law) == (False, "no difference found")
    wrong = black_box_audit(sampler, PrivacyClaim("1/10", "counts"), n=2, samples=20_000)
    assert wrong.violated
    for style in ("coins", "random"):
        assert sum(Source(sampled(lambda _, source: 7 if source else 8, style=style)).draw(0, 5).values()) == 5


# False alarms: no more than the confidence allows

RUNS = 300


@pytest.fixture(scope="module")
def remembered() -> Iterator[None]:
    """Limits of the same counts are computed once: 300 runs see few different ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "lower", cache(lower))
        patch.setattr(search, "upper", cache(upper))
        yield


def most_alarms(rate: mpq) -> int:
    """So many that more have a probability below 10^-9."""
    return next(c for c in range(RUNS) if binomial_tail(c + 1, RUNS, rate) < mpq(1, 10**9))


@pytest.mark.deep
@pytest.mark.usefixtures("remembered")
@pytest.mark.parametrize(("epsilon", "delta"), [("10986122886682/10000000000000", 0), ("0", "1/2")])
def test_false_alarms_at_exactly_the_claim(epsilon: str, delta: Any) -> None:
    """ln 3 = 1.09861228866810969...: the claim is true, and attained up to 10^-12."""
    alarms = sum(of_response(epsilon, 600, seed, confidence="9/10", delta=delta).violated for seed in range(1000, 1000 + RUNS))
    assert alarms <= most_alarms(mpq(1, 10))


@pytest.mark.deep
def test_false_alarms_of_the_goodness_of_fit() -> None:
    laws = {(x,): {x: "3/4", 1 - x: "1/4"} for x in (0, 1)}
    alarms = sum(
        of_response("2", 600, seed, confidence="9/10", specified=laws).law == "differs" for seed in range(1000, 1000 + RUNS)
    )
    assert 0 < alarms <= most_alarms(mpq(1, 10))


@pytest.mark.deep
@pytest.mark.usefixtures("remembered")
def test_alarms_where_the_claim_is_wrong() -> None:
    """The twin: the same runs against a claim that is false by far are nearly all alarms."""
    assert sum(of_response("1/4", 600, seed, confidence="9/10").violated for seed in range(1000, 1100)) > 90


# Goodness of fit


def of_geometric(epsilon: Any, samples: int = 30_000, **bounds: int) -> BlackBoxResult:
    def clamped(count: int, rng: Random) -> int:
        return min(max(geometric(count, rng), bounds.get("least", -(10**9))), bounds.get("most", 10**9))

    claim = PrivacyClaim(1, "counts")
    law = lambda count: GeometricLaw(epsilon, count, **bounds)  # noqa: E731  # a law for each input
    return black_box_audit(sampled(clamped, 7), claim, n=2, samples=samples, specified=law)


LN2 = "693147180559945309417/1000000000000000000000"


@pytest.mark.deep
@pytest.mark.parametrize("bounds", [{}, {"least": 0}, {"least": 0, "most": 2}])
def test_a_law_with_irrational_probabilities(bounds: dict[str, int]) -> None:
    found = of_geometric(LN2, **bounds)
    assert found.law == "no difference found"
    assert found.fit is not None
    assert found.fit.says.startswith("no difference from the specified law found in 30,000 samples")
    wrong = of_geometric("4/5", **bounds)
    assert wrong.law == "differs"
    assert wrong.fit is not None
    assert wrong.fit.says.startswith("differs from the specified law with confidence 99/100, p-value at most 10^-")
    assert 0 < wrong.fit.p_value < mpq(1, 1000)


def test_an_impossible_output_refutes_a_law_by_itself() -> None:
    table = {(x,): {x: "3/4", 1 - x: "1/4"} for x in (0, 1)}

    def rare(data: Any, rng: Random) -> int:
        return 2 if rng.random() < 0.001 else response(data, rng)

    found = black_box_audit(sampled(rare, 3), RR, universe=[0, 1], samples=20_000, specified=table)
    assert found.fit is not None
    assert found.law == "differs"
    assert found.fit.impossible == (2,)
    assert found.fit.p_value == 0
    assert "2 is impossible" in found.fit.says


def test_an_output_that_is_missing_refutes_a_law() -> None:
    found = of_response("11/10", specified=lambda data: {data[0]: "7/10", 1 - data[0]: "1/4", "never": "1/20"})
    assert found.law == "differs"


@pytest.mark.deep
@pytest.mark.parametrize("bounds", [(None, None), (0, None), (None, 5), (0, 5)])
def test_enclosures_of_the_geometric_law(bounds: tuple[int | None, int | None]) -> None:
    """At e^-epsilon = 1/2, nearly, against sums of the rational law."""
    law = GeometricLaw(LN2, 3, *bounds)

    def exact(z: int) -> mpq:
        least, most = (-60 if bounds[0] is None else 0), (60 if bounds[1] is None else 5)
        inside = [y for y in range(-200, 201) if min(max(y, least), most) == z]
        return sum((mpq(1, 3) * mpq(1, 2) ** abs(y - 3) for y in inside), mpq(0))

    for z in range(-4, 10):
        low, high = law.mass(z)
        assert 0 <= low <= high <= 1
        assert high - low < mpq(1, 2**150)
        assert abs(low - exact(z)) < mpq(1, 10**15)
        for above in (True, False):
            low, high = law.tail(z, above=above)
            side = range(z, 70) if above else range(-70, z + 1)
            assert abs(low - sum((exact(y) for y in side), mpq(0))) < mpq(1, 10**15)
            assert law.tail(z + 0.5, above=above) == law.tail(z + 1 if above else z, above=above)
    assert law.mass("a") == law.mass(0.5) == (mpq(0), mpq(0))
    assert law.mass(3.0) == law.mass(3)


def test_table_laws_and_what_is_none() -> None:
    law = TableLaw({1: mpq(1, 4), 2: mpq(1, 4), "x": mpq(1, 2)})
    assert law.tail(1, above=True)[0] == mpq(1, 2)
    assert law.tail(1, above=False)[0] == law.tail(1.5, above=True)[0] == mpq(1, 4)
    assert as_law(Pmf({1: 1, 2: 3}), 0).mass(2) == (mpq(3, 4), mpq(3, 4))
    for wrong in ({1: "1/2"}, {1: "3/2", 2: "-1/2"}, 5):
        with pytest.raises(ParameterError):
            as_law(wrong, 0)
    with pytest.raises(ParameterError, match="epsilon"):
        GeometricLaw(mpq(0), 1)
    assert GeometricLaw(1, 0).mass(2**64) == (mpq(0), mpq(1, 2**4096))


# Labels and events


def test_outputs_become_labels() -> None:
    class Array:
        def tolist(self) -> Any:
            return [[1, 2.5], [float("nan")]]

    assert plain(Array()) == ((1, 2.5), ("nan",))
    assert plain({"b": [1], "a": {2}}) == (("a", frozenset({2})), ("b", (1,)))
    assert plain(True) == 1
    with pytest.raises(SamplerError, match="bytearray, which cannot be hashed"):
        plain(bytearray(b"x"))


def test_events_and_their_words() -> None:
    looks = features_of([(("a", 3),), (("a", 2), ("b", 1))])
    assert {"the labels of the output", "the value of 'a'", "the value of 'b'", "the length of the output"} <= looks.keys()
    event = Event("the value of 'b'", "at least", frozenset(), 1, looks["the value of 'b'"])
    assert event.holds((("a", 2), ("b", 1)))
    assert not event.holds((("a", 2),))
    assert str(event) == "the value of 'b' at least 1"
    entries = features_of([(1, 5), (2,)])
    assert entries["entry 1 of the output"]((2,)) is None
    bits = features_of([0.75, 0])["the lowest bit of the output"]
    assert [bits(x) for x in (0.75, 12, 0, 1.0, float("inf"), "x", 2.0**-60)] == [-2, 2, "none", 0, "none", "none", -60]
    many = Event("the output", "not in", frozenset(range(9)), None, lambda x: x)
    assert str(many) == "the output not in {0, 1, 2, 3, ... (9 in all)}"
    assert many.holds("x")


def test_brief_numbers() -> None:
    shown = {"1/3": "1/3", "1/1000000": "0.000001", "1048576/1000000": "1.048576", "7": "7"}
    assert {text: briefly(mpq(text)) for text in shown} == shown
    assert briefly(mpq(Fraction(0.1))).startswith("~0.1")


# Commands

PROGRAM = """
import random, sys
rng, bit = random.SystemRandom(), int(sys.stdin.readline())
for _ in range(int(sys.argv[1])):
    print(bit if rng.random() < 0.9 else 1 - bit)
"""


def program(text: str, *arguments: str, timeout: int = 60) -> Command:
    return Command([sys.executable, "-c", text, *arguments], timeout)


def test_a_closed_program_that_is_asked_for_many_samples() -> None:
    """Ratio 9 against a claim of e^1: 300 standard deviations away from being missed."""
    found = black_box_audit(program(PROGRAM, "{samples}"), PrivacyClaim(1, "replace-one"), universe=[0, 1], samples=20_000)
    assert found.violated
    assert found.epsilon_at_least > mpq(3, 2)
    assert found.event.labels <= {0, 1}


@pytest.mark.deep
def test_a_closed_program_that_runs_once_for_each_sample() -> None:
    found = black_box_audit(Command("cat"), PrivacyClaim(1, "counts"), samples=600)
    assert found.violated
    assert found.event.labels in ({0}, {1})


def test_what_a_program_reads_and_prints() -> None:
    assert list(Command(["cat"])(("a", 3, "b c"), 1)) == ["a\n3\nb c"]
    assert list(Command("printf '%s\\n' 1 2.5 07 -0.0 nan x {samples}")(0, 7)) == [1, 2.5, "07", "-0.0", "nan", "x", 7]
    assert list(Command("echo")((), 2)) == ["", ""]
    assert Command("sh -c 'echo a  b'").argv == ("sh", "-c", "echo a  b")


FAILURES = {
    "not found": (["no-such-program-7"], "cannot be run: No such file or directory"),
    "not allowed": (["/"], "cannot be run: Permission denied"),
    "exit code": (["sh", "-c", "echo first >&2; echo the reason >&2; exit 3"], "failed: exit code 3: the reason"),
    "signal": (["sh", "-c", "kill -9 $$"], "failed: Killed"),
    "nothing": (["true"], "printed nothing; accepted: one output"),
    "nothing at all": (["true", "{samples}"], "printed nothing; accepted: 50 lines"),
    "too few": (["echo", "{samples}"], "printed 1 lines; accepted: 50 lines"),
    "no text": (["printf", "\\377"], "is not UTF-8"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_programs_that_fail(what: str) -> None:
    argv, said = FAILURES[what]
    with pytest.raises(SamplerError, match=said):
        Source(Command(argv)).draw(0, 50)


@pytest.mark.deep
@pytest.mark.parametrize("text", ["sleep 60", "sleep 60 & exec 1>&- 2>&-; wait", "(sleep 60 &)", "while :; do echo y; done"])
def test_programs_that_hang_are_ended_with_what_they_started(text: str) -> None:
    start = monotonic()
    with pytest.raises(SamplerError, match=r"took longer than 1 s|printed more than"):
        Source(Command(["sh", "-c", text], 1)).draw(0, 1)
    assert monotonic() - start < 30


@pytest.mark.parametrize("value", ["", "'", [], [1], [""], ["a\0b"]])
def test_commands_that_are_none(value: Any) -> None:
    with pytest.raises(ParameterError):
        Command(value)


@pytest.mark.parametrize("row", [1.5, None, "a\nb", True])
def test_rows_that_cannot_be_written(row: Any) -> None:
    with pytest.raises(SamplerError, match="accepted: "):
        Source(Command("cat")).draw((row,), 1)


# Samplers that cannot be used


def test_a_sampler_that_repeats_itself() -> None:
    seeded = PROGRAM.replace("random.SystemRandom()", "random.Random(5)")
    with pytest.raises(SamplerError, match="two runs gave the same 500 outputs in the same order"):
        black_box_audit(program(seeded, "{samples}"), RR, universe=[0, 1], samples=6000)
    constant = black_box_audit(lambda _data, samples: ["x"] * samples, RR, universe=[0, 1], samples=6000)
    assert not constant.violated


def raises(_data: Any, _rng: Any) -> int:
    raise KeyError("no such row")


def stops(_data: Any, _samples: int) -> Iterator[int]:
    yield from range(7)


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (sampled(raises), r"at the input \(0,\) the mechanism raised KeyError: 'no such row'"),
        (stops, r"at the input \(0,\) the sampler gave 7 outputs of"),
        (sampled(lambda _data, _rng: bytearray(b"x")), "a bytearray, which cannot be hashed"),
        (lambda _data, _samples: None, "TypeError"),
    ],
)
def test_samplers_that_fail(sampler: Any, said: str) -> None:
    with pytest.raises(SamplerError, match=said):
        black_box_audit(sampler, RR, universe=[0, 1], samples=6000)


@pytest.mark.parametrize(
    ("claim", "more", "said"),
    [
        (RR, {"samples": 599}, "samples = 599 is too few for 2 inputs; accepted: at least 600"),
        (RR, {"samples": 10**10}, "samples = 10000000000 is out of range"),
        (RR, {"universe": range(3), "n": 4}, "is too few for 81 inputs"),
        (RR, {"universe": range(10), "n": 9}, "take a smaller universe or smaller n"),
        (RR, {"universe": [0]}, "no neighbouring inputs"),
        (RR, {"confidence": 1}, "confidence = 1 is out of range"),
        (RR, {"confidence": 0.99}, "confidence = 0.99 is a float"),
        (RR, {"n": -1}, "n = -1"),
        (RR, {"pairs": []}, "pairs is empty"),
        (RR, {"pairs": [((0,), (0,))]}, "are not neighbours"),
        (RR, {"pairs": [3]}, "accepted: two neighbouring inputs"),
        (PrivacyClaim(1, "counts"), {"pairs": [(0, 2)]}, "0 and 2 are not neighbours"),
        (PrivacyClaim(1, "counts"), {"pairs": [("a", "b")]}, "count = 'a' is not an integer"),
        (RR, {"specified": {(0,): {0: 1}}}, r"no law is specified for the input \(1,\)"),
    ],
)
def test_bad_input(claim: PrivacyClaim, more: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        black_box_audit(sampled(response, 1), claim, **({"samples": 6000, "universe": [0, 1]} | more))


def test_bad_styles_and_seeds() -> None:
    with pytest.raises(ParameterError, match="accepted: random, coins"):
        sampled(response, 1, "table")  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="seed = 'x'"):
        sampled(response, "x", "coins")  # type: ignore[arg-type]  # what is wrong
