"""Flexible accuracy and sensitivities: closed forms, the definition, and hand-made cases."""

from functools import partial
from itertools import product

import pytest
from gmpy2 import mpq

from finitedp.spec.flexible import statistics
from finitedp.spec.flexible.accuracy import (
    accuracy_gamma,
    accuracy_holds,
    definition_holds,
    distortion_sensitivity,
    error_sensitivity,
    flexible_error,
    flexible_values,
    metric_sensitivity,
)
from finitedp.spec.flexible.distortion import drop, move
from finitedp.spec.flexible.lossy_wasserstein import absolute
from finitedp.spec.flexible.shifted_truncated import histogram
from finitedp.spec.pmf import Pmf

SMALL = list(product(range(4), repeat=3))
PAIRS = list(product(range(3), repeat=2))
WEIGHTS = (14, 36, 14)


@pytest.mark.parametrize("dropped", range(8))
def test_flexible_sets_are_those_of_all_parts(dropped: int) -> None:
    for x in SMALL:
        for k in (1, 2):
            assert flexible_values(partial(statistics.max_k, k=k), x, dropped) == statistics.flexible_max_k(x, k, dropped)
        assert flexible_values(statistics.mode, x, dropped) == statistics.flexible_mode(x, dropped)
        assert flexible_values(statistics.median, x, dropped) == statistics.flexible_median(x, dropped)


def test_the_mass_outside_is_the_least_gamma_of_the_definition() -> None:
    """An X' that follows the output attains it; no mixture of two parts does with a smaller gamma."""
    for x in PAIRS:
        law = histogram(WEIGHTS, x).pushforward(statistics.maximum)
        for alpha in ("0", "1/2", "1"):
            gamma = accuracy_gamma(law, x, statistics.maximum, alpha, 0, absolute)
            allowed = [y for y in product(*(range(c + 1) for c in x)) if (d := drop(x, y)) is not None and d <= mpq(alpha)]
            laws = [Pmf({y: i, z: 8 - i}) if y != z else Pmf.point(y) for y in allowed for z in allowed for i in range(9)]
            if gamma:
                below = gamma - mpq(1, 10**6)
                assert not any(definition_holds(law, i, statistics.maximum, 0, below, absolute) for i in laws)
            part = {statistics.maximum(z): z for z in (*reversed(allowed), x)}
            followed: dict[tuple[int, ...], int] = {}
            for y, weight in law.weights.items():
                followed[part.get(y, x)] = followed.get(part.get(y, x), 0) + weight
            follow = Pmf(followed)
            assert definition_holds(law, follow, statistics.maximum, 0, gamma, absolute)


def test_the_worst_input_is_named() -> None:
    laws = {x: histogram(WEIGHTS, x).pushforward(statistics.maximum) for x in PAIRS}
    assert accuracy_holds(laws, statistics.maximum, 1, 0, 0, absolute) is None
    worst = accuracy_holds(laws, statistics.maximum, 0, 0, "1/10", absolute)
    assert worst is not None
    assert (worst.x, worst.bad, worst.mass) == ((0, 1), (0,), mpq(50, 64))


def test_errors() -> None:
    assert flexible_error(3, {1, 7}, absolute) == 2
    assert flexible_error(3, [], absolute) is None


def test_metric_sensitivities() -> None:
    """Of histograms of one size on 0, 1, 2: an order statistic moves as far as a row, the range twice as far."""
    between = lambda x, y: move(x, y, (0, 1, 2), absolute)  # noqa: E731
    for beta in (0, 1, 2):
        for f in (statistics.maximum, statistics.median, lambda x: statistics.minimum(x, 2)):
            assert metric_sensitivity(f, SMALL, between, absolute, beta) == beta
    length = lambda x: statistics.maximum(x) - statistics.minimum(x, 2) if sum(x) else 0  # noqa: E731
    assert metric_sensitivity(length, SMALL, between, absolute, 1) == 2
    assert metric_sensitivity(statistics.mode, SMALL, between, absolute, 1) == 2  # from one end to the other
    assert metric_sensitivity(lambda x: x, SMALL, between, lambda x, y: 0 if x == y else None, 1) is None


def test_distortion_sensitivity() -> None:
    assert distortion_sensitivity(lambda x: x, PAIRS, PAIRS, drop, drop, "1/2") == mpq(1, 2)
    assert distortion_sensitivity(lambda x: x, PAIRS, PAIRS, drop, drop, 0) == 0
    assert distortion_sensitivity(lambda x: (0, 0), PAIRS, PAIRS, drop, lambda x, y: 0, 0) is None  # nothing maps to (1, 0)


def test_error_sensitivity_at_0_is_accuracy() -> None:
    laws = {x: histogram(WEIGHTS, x) for x in PAIRS}
    same = lambda x, y: 0 if x == y else None  # noqa: E731
    identity = lambda x: x  # noqa: E731
    apart = lambda x, y: max(absolute(a, b) for a, b in zip(x, y, strict=True))  # noqa: E731
    assert error_sensitivity(laws, identity, same, drop, apart, 0, 1) == 0
    assert error_sensitivity(laws, identity, same, drop, apart, 0, 0) == 2
    assert error_sensitivity(laws, identity, same, drop, apart, 0, 0, 1) == 0
    assert error_sensitivity(laws, identity, same, drop, same, 0, 0) is None


def test_error_sensitivity_where_some_of_the_input_is_lost() -> None:
    laws = {x: Pmf.point(x) for x in (0, 10)}
    identity = lambda x: x  # noqa: E731
    same = lambda x, y: 0 if x == y else None  # noqa: E731

    def tau(beta_1: int, gamma_2: str, gamma_1: str) -> mpq | None:
        return error_sensitivity(laws, identity, absolute, same, absolute, beta_1, 0, gamma_2, gamma_1)

    assert tau(0, "1/4", "1/4") == 0  # as much is lost again
    assert tau(0, "1/4", "1/2") == 10
    assert tau(0, "0", "1/100") == tau(10, "0", "0") == tau(0, "1/2", "1") == 10
    assert tau(10, "1/2", "1/2") == 10
    assert tau(10, "1", "1") == 0


def test_statistics_by_hand() -> None:
    x = (0, 3, 1, 3)
    assert (statistics.maximum(x), statistics.minimum(x), statistics.mode(x), statistics.median(x)) == (3, 1, 1, 2)
    assert statistics.max_k((0, 0), 1, default=1) == 1
    assert statistics.quantile(x, 0) == 1
    assert statistics.quantile(x, 1) == 3
    assert statistics.interquartile_range(x) == 2
    assert statistics.spread(x) == (1, 3)
    assert statistics.spread((0, 0)) is None
    assert statistics.separator((1, 0, 2, 0, 0, 1)) == mpq(3, 2)
    assert statistics.separator((1, 0), default=7) == 7
