"""The limits: what they are, as the manual states them, and what a Budget takes."""

from pathlib import Path

import attrs
import pytest

from finitedp.errors import ParameterError
from finitedp.proofs_check import limits as others
from finitedp.proofs_check.engine import limits
from finitedp.proofs_check.engine.limits import Budget

MANUAL = Path(__file__).parents[3] / "docs" / "explorer.md"


def test_the_limits_are_the_stated_ones() -> None:
    """A raised one is more work than was meant, a lowered one refuses what was taken before."""
    found = {name: value for name, value in (vars(others) | vars(limits)).items() if name.isupper()}
    assert found == {
        "LARGEST_EPSILON": 1_000,
        "LARGEST_INLINE": 1_000_000,
        "MOST_JOBS": 256,
        "MOST_LABELS_OF_A_LAW": 12,
        "MOST_PROBABILITIES": 200_000,
        "MOST_PROBABILITY_BITS": 100_000_000_000,
        "MOST_PAIRS": 20_000,
        "MOST_TRIALS": 1_000_000_000,
        "MOST_AT_ONCE": 1_000_000,
        "MOST_OPEN_BITS": 100_000,
        "MOST_BYTES": 1_073_741_824,
    }


def test_a_budget_has_the_manual_s_defaults() -> None:
    rows = [line.split("|")[1:3] for line in MANUAL.read_text().splitlines() if line.startswith("| `")]
    stated = {name.strip(" `"): int(default.replace(",", "")) for name, default in rows}
    assert attrs.asdict(Budget()) == stated


@pytest.mark.parametrize("name", ["runs", "depth", "draws", "fanout", "inputs", "bits"])
def test_a_budget_has_integers_of_at_least_one(name: str) -> None:
    assert getattr(Budget(**{name: 1}), name) == 1
    for wrong in (0, -1, 1.5, "1"):
        with pytest.raises((ParameterError, TypeError), match=f"budget of {name}"):
            Budget(**{name: wrong})  # type: ignore[arg-type]


def test_the_bound_on_open_mass_has_a_bound_or_is_none() -> None:
    assert Budget(bits=limits.MOST_OPEN_BITS).bits == limits.MOST_OPEN_BITS
    assert Budget(bits=None).bits is None
    with pytest.raises(ParameterError, match="budget of bits = 100001"):
        Budget(bits=limits.MOST_OPEN_BITS + 1)


def test_a_budget_is_a_value() -> None:
    assert Budget(runs=3) == Budget(runs=3) != Budget(runs=4)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Budget().runs = 2  # type: ignore[misc]
