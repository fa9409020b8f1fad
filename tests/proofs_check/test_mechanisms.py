"""The registry of mechanisms: what each entry says is so, and a new mechanism is one entry."""

import json
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.main import main
from finitedp.cli.offers import OFFERS
from finitedp.errors import ParameterError
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.mechanisms import MECHANISMS
from finitedp.proofs_check.mechanisms.kinds import Mechanism, Option, Subject, integer_from, unit
from finitedp.spec.pmf import Pmf
from tests.sampling import sampled

SMALL: dict[str, dict[str, Any]] = {
    "geometric": {"n": 3, "decay": mpq(1, 2)},
    "geo-sample": {"n": 3, "epsilon": mpq(1)},
    "fast-sample": {"n": 2, "epsilon": mpq(1), "gamma": mpq(1, 4)},
    "dyadic": {"n": 3, "epsilon": mpq(3, 2), "word": 8},
    "basic": {"n": 2, "labels": 2, "epsilon": mpq(1)},
    "stability": {"n": 2, "labels": 2, "threshold": 1, "epsilon": mpq(2, 3), "word": 8},
    "keep-heavy": {"n": 1, "labels": 2, "epsilon": mpq(1)},
    "sampled-keep-heavy": {"n": 1, "labels": 3, "epsilon": mpq(1)},
    "sparse": {"n": 1, "labels": 3, "delta": mpq(1, 9), "epsilon": mpq(1)},
    "pure-sparse": {"n": 1, "labels": 3, "beta_1": mpq(1, 3), "epsilon": mpq(1)},
    "compact": {"n": 1, "labels": 2, "epsilon": mpq(1)},
    "blanket": {"n": 2, "labels": 3, "epsilon": mpq(6), "threshold": 1, "cap": 1, "slots": 2, "hit": mpq(1, 8)},
    "anonymized": {"n": 1, "epsilon1": mpq(2), "epsilon2": mpq(2), "word": 3},
    "shifted-truncated": {"n": 4, "labels": 2, "q": 3, "epsilon": mpq(1), "word": 6},
    "flexible-max": {"n": 4, "labels": 2, "q": 3, "epsilon": mpq(1), "word": 6},
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_every_mechanism_has_a_small_instance_here() -> None:
    assert list(SMALL) == list(MECHANISMS)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_claims_that_cover_a_mechanism_are_in_the_ledger(name: str) -> None:
    claims, known = MECHANISMS[name].claims, entries()
    assert claims
    assert len(set(claims)) == len(claims)
    assert [claim for claim in claims if claim not in known] == []


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_claims_what_is_in_the_ledger(name: str) -> None:
    assert MECHANISMS[name].make(**SMALL[name]).claim.source in entries()


@pytest.mark.parametrize("name", sampled([name for name in MECHANISMS if name != "geometric"], 4))
def test_the_law_by_definition_is_that_of_the_running_code(name: str) -> None:
    made = MECHANISMS[name].make(**SMALL[name])
    release = made.release
    assert release is not None
    for data in [made.labels[:1] * made.n, made.labels[-1:] * made.n] if made.labels else range(made.n + 1):
        assert explore(lambda coins, data=data: release(data, coins)).law() == made.law(data)  # type: ignore[misc]


@pytest.mark.parametrize("name", MECHANISMS)
def test_inputs_are_counts_of_labels_exactly_where_there_are_labels(name: str) -> None:
    mechanism = MECHANISMS[name]
    assert bool(mechanism.make(**SMALL[name]).labels) == (mechanism.input == "counts")
    assert set(SMALL[name]) <= {option.name for option in mechanism.options}


def test_release_offers_mechanisms_of_the_registry() -> None:
    assert list(OFFERS) == ["basic", "stability", "sparse", "pure-sparse", "compact", "anonymized"]
    assert set(OFFERS) <= set(MECHANISMS)
    listed = run("release", "--help").output.split("Commands:")[1]
    assert [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "] == list(OFFERS)
    for name, offer in OFFERS.items():
        options = run("release", name, "--help").output
        for option, taken in (("--delta", offer.takes_delta), ("--n ", offer.bounded), ("--above", offer.noise_alone)):
            assert (f"  {option}" in options) == taken
        assert ("--word" in options) == (offer.word is not None)


def test_contradicting_choices_are_refused() -> None:
    with pytest.raises(ParameterError, match="contradict each other"):
        MECHANISMS["basic"].make(n=2, labels=2, epsilon=1, gamma=Fraction(1, 2), word=8)


# One entry is a mechanism


def _randomized_response(n: int, epsilon: mpq, flips: int) -> Subject:
    """The count or, once in `flips`, another one of 0..n: for n = 1 of ratio flips - 1."""

    def law(count: int) -> Pmf[int]:
        return Pmf.from_probabilities({z: mpq(flips - 1, flips) if z == count else mpq(1, n * flips) for z in range(n + 1)})

    def release(count: int, coins: Any) -> int:
        if coins.uniform(flips) > 1:
            return count
        other: int = coins.uniform(n) - 1
        return other if other < count else other + 1

    return Subject(n, law, PrivacyClaim(epsilon, "counts", source="BV.Def4.1"), release, 64, n + 1, flips * n)


TOY = Mechanism(
    name="toy",
    summary="Randomized response, a toy.",
    options=(
        Option("n", "integer", "The largest count.", integer_from(1)),
        Option("epsilon", "rational", "What it claims, 1/q.", unit()),
        Option("flips", "integer", "How rarely it lies.", integer_from(2, 9), required=False, default=3),
    ),
    make=_randomized_response,
    claims=("BV.Def4.1",),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MECHANISMS, TOY.name, TOY)


@pytest.mark.usefixtures("toy")
def test_one_entry_gives_a_mechanism_its_law() -> None:
    options = ["law", "toy", "--n", "2", "--epsilon", "1", "--count", "1", "--json"]
    for more in ([], ["--running"]):
        printed = json.loads(run(*options, *more).stdout)
        assert [row["probability"] for row in printed["law"]] == ["1/6", "2/3", "1/6"]
        assert printed["parameters"] == {"n": "2", "epsilon": "1", "flips": "3"}
    assert "Randomized response, a toy." in run("law", "--help").output


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(("flips", "code"), [("3", 0), ("4", 1)])
def test_one_entry_gives_a_mechanism_its_privacy(flips: str, code: int) -> None:
    """The claim is e: a ratio of 2 is below it, one of 3 above."""
    for more in ([], ["--running"]):
        result = run("privacy", "toy", "--n", "1", "--epsilon", "1", "--flips", flips, "--json", *more)
        printed = json.loads(result.stdout)
        assert (result.exit_code, printed["worst_ratio"]) == (code, str(int(flips) - 1))
        assert PrivacyClaim.from_json(printed["claim"]) == PrivacyClaim(1, "counts", source="BV.Def4.1")


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("command", ["law", "privacy"])
def test_one_entry_gives_a_mechanism_its_help_and_refusals(command: str) -> None:
    shown = run(command, "toy", "--help").output
    assert all(text in shown for text in ("--n", "--epsilon", "--flips", "How rarely it lies.", "[default: 3]", "--running"))
    for options, message in (
        (["--n", "1"], "Missing option '--epsilon'"),
        (["--n", "1", "--epsilon", "1", "--flips", "10"], "flips = 10 is out of range; accepted: an integer from 2 to 9"),
        (["--n", "1", "--epsilon", "2/5"], "the next admissible value is 1/3"),
        (["--n", "1", "--epsilon", "1", "--gamma", "1/2"], "toy does not take --gamma; accepted: --n, --epsilon, --flips"),
    ):
        result = run(command, "toy", *options)
        assert (result.exit_code, len(result.output.splitlines())) == (2, 1)
        assert message in result.output


def test_options_before_the_mechanism_are_refused() -> None:
    result = run("law", "--json", "geo-sample", "--n", "3")
    assert result.output == "Error: --json stands before the mechanism; accepted: MECHANISM, then its options\n"
    assert result.exit_code == 2


@pytest.mark.usefixtures("toy")
def test_what_is_not_offered_is_not_released() -> None:
    result = run("release", "toy", "--epsilon", "1")
    assert result.exit_code == 2
    assert "'toy' is not one of the mechanisms; accepted: basic, stability, sparse, pure-sparse, compact" in result.output
