"""tests/benchmarks/dudect.py: its statistics find a difference that is there, and none that is not. No time is asserted."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PATH = Path(__file__).parents[1] / "benchmarks" / "dudect.py"


@pytest.fixture(scope="module")
def dudect() -> Any:
    spec = importlib.util.spec_from_file_location("dudect", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["dudect"] = module
    spec.loader.exec_module(module)
    return module


def test_welch_s_t_by_hand(dudect: Any) -> None:
    # means 2 and 5, variances 1 and 4, three and four elements: -3 / sqrt(1/3 + 1)
    first, second = np.array([1.0, 2.0, 3.0]), np.array([5 - 6**0.5, 5.0, 5.0, 5 + 6**0.5])
    assert dudect.welch(first, second) == pytest.approx(-3 / (1 / 3 + 1) ** 0.5)
    assert dudect.welch(first, first) == dudect.welch(first[:1], second) == 0


def noisy(shift: float, size: int = 100_000) -> tuple[Any, Any]:
    """Times of 1000 ns, one in fifty with an interruption of up to 10 ms; the second class is later by `shift`."""
    rng = np.random.default_rng(7)
    classes = rng.integers(0, 2, size).astype(np.bool_)
    times = 1000 + rng.normal(0, 20, size) + (rng.random(size) < 0.02) * rng.exponential(10**6, size)
    return times + shift * classes, classes


def test_cropping_finds_what_interruptions_hide(dudect: Any) -> None:
    found = dudect.cropped(*noisy(2))
    assert abs(found[1.0]) < dudect.SUSPECT
    assert max(abs(t) for t in found.values()) > dudect.CERTAIN
    assert len(found) == 101


def test_nothing_is_found_where_nothing_is(dudect: Any) -> None:
    times, classes = noisy(0)
    assert max(abs(t) for t in dudect.cropped(times, classes).values()) < dudect.SUSPECT
    assert abs(dudect.second_order(times, classes)) < dudect.SUSPECT


def test_a_difference_of_spread_is_of_the_second_order(dudect: Any) -> None:
    times, classes = noisy(0)
    assert abs(dudect.second_order(np.where(classes, 1000 + (times - 1000) * 1.2, times), classes)) > dudect.CERTAIN


def test_the_classes_of_a_pair_reach_the_code_that_is_timed(dudect: Any) -> None:
    for pair in dudect.pairs():
        seen = []
        for second in (False, True):
            pair.prepare(second, 5)
            seen.append(repr(pair.run()))
        if "extreme" in pair.name:
            assert seen[0] != seen[1]
    times, classes = dudect.measure(dudect.pairs()[0], 400)
    assert times.shape == classes.shape == (400,)
    assert times.min() > 0
    assert 100 < classes.sum() < 300
