"""finitedp.spec.pmf."""

from fractions import Fraction
from itertools import product as pairs

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.spec.pmf import Pmf, convolution, mixture, product

laws = st.dictionaries(st.integers(-6, 6), st.integers(0, 9), min_size=1).filter(lambda w: any(w.values())).map(Pmf)
wide_laws = st.dictionaries(st.integers(-(10**6), 10**6), st.integers(1, 9), min_size=1, max_size=4).map(Pmf)


def test_probabilities_are_exact_rationals() -> None:
    law = Pmf({"a": 1, "b": 2, "c": 0})
    assert law["a"] == Fraction(1, 3)
    assert law["c"] == 0
    assert law["unknown"] == 0
    assert law.support == {"a", "b"}
    assert law.total == 3


def test_equality_is_equality_of_laws_whatever_the_denominator() -> None:
    assert Pmf({0: 1, 1: 2}) == Pmf({1: 20, 0: 10})
    assert Pmf({0: 1, 1: 2}) != Pmf({0: 1, 1: 2, 2: 1})
    assert Pmf({0: 1, 1: 2}) != Pmf({0: 2, 1: 1})
    assert Pmf({0: 10**30 + 1, 1: 10**30}) != Pmf({0: 1, 1: 1})
    assert Pmf({0: 1}) != {0: 1}


def test_a_law_is_not_hashable() -> None:
    with pytest.raises(TypeError):
        hash(Pmf({0: 1}))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({0: 0.5, 1: 0.5}, "is not an integer"),
        ({0: True}, "is not an integer"),
        ({0: -1, 1: 2}, "is negative"),
        ({0: 0}, "sum to 0"),
        ({}, "sum to 0"),
    ],
)
def test_wrong_weights_are_refused(weights: dict[int, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Pmf(weights)


def test_from_probabilities_needs_a_sum_of_exactly_one() -> None:
    assert Pmf.from_probabilities({0: "1/3", 1: Fraction(2, 3)}) == Pmf({0: 1, 1: 2})
    with pytest.raises(ParameterError, match="sum to 999999999/1000000000, not to 1"):
        Pmf.from_probabilities({0: "1/2", 1: mpq(1, 2) - mpq(1, 10**9)})


def test_uniform_refuses_repeated_outcomes() -> None:
    assert Pmf.uniform("ab")["a"] == Fraction(1, 2)
    with pytest.raises(ParameterError, match="listed twice"):
        Pmf.uniform("aa")


def test_the_weights_cannot_be_changed_from_outside() -> None:
    law = Pmf({0: 1})
    with pytest.raises(TypeError):
        law.weights[0] = 5  # type: ignore[index]  # that is the point


def test_mixture_and_conditioning() -> None:
    mixed = mixture([("1/4", Pmf.point(0)), ("3/4", Pmf({0: 1, 1: 2}))])
    assert mixed == Pmf({0: 2, 1: 2})
    assert mixed.given(lambda x: x == 1) == Pmf.point(1)
    with pytest.raises(ParameterError, match="probability 0"):
        mixed.given(lambda x: x > 5)
    with pytest.raises(ParameterError, match="do not sum to 1"):
        mixture([("1/4", Pmf.point(0))])


def test_a_share_of_zero_adds_nothing_to_the_support() -> None:
    assert mixture([(0, Pmf.point(7)), (1, Pmf.point(1))]).support == {1}


def test_quantile_is_the_least_value_that_reaches_the_level() -> None:
    law = Pmf({1: 1, 4: 1, 9: 2})
    assert [law.quantile(level) for level in ("1/8", "1/4", "3/8", "1/2", "1")] == [1, 1, 4, 4, 9]
    with pytest.raises(ParameterError):
        law.quantile(0)


@given(laws, laws)
def test_product_marginals_and_independence(left: Pmf[int], right: Pmf[int]) -> None:
    both = product([left, right])
    assert both.pushforward(lambda xy: xy[0]) == left
    assert both.pushforward(lambda xy: xy[1]) == right
    assert all(both[x, y] == left[x] * right[y] for x, y in pairs(left, right))


@given(st.lists(laws, min_size=0, max_size=4))
def test_convolution_is_the_law_of_the_sum(parts: list[Pmf[int]]) -> None:
    assert convolution(parts) == product(parts).pushforward(lambda xs: sum(xs))


@given(st.lists(wide_laws, min_size=2, max_size=3))
def test_convolution_of_scattered_laws(parts: list[Pmf[int]]) -> None:
    assert convolution(parts) == product(parts).pushforward(lambda xs: sum(xs))


@given(laws, st.integers(-8, 8), st.integers(0, 8))
def test_clamping_moves_tails_to_the_ends(law: Pmf[int], low: int, width: int) -> None:
    clamped = law.clamped(low, low + width)
    assert clamped.support <= set(range(low, low + width + 1))
    assert all(clamped[x] == law[x] for x in range(low + 1, low + width))
    if width:
        assert clamped[low] == law.probability(lambda x: x <= low)


@given(laws)
def test_then_with_point_laws_is_a_pushforward(law: Pmf[int]) -> None:
    assert law.then(lambda x: Pmf.point(x * x)) == law.pushforward(lambda x: x * x)


@given(laws)
def test_cdf_ends_at_one_and_reduced_is_the_same_law(law: Pmf[int]) -> None:
    assert list(law.cdf().values())[-1] == 1
    assert law.reduced() == law
    assert sum((law[x] for x in law), mpq(0)) == 1


def test_clamp_needs_an_interval() -> None:
    with pytest.raises(ParameterError, match="empty"):
        Pmf.point(0).clamped(1, 0)


def test_repr_shows_the_first_outcomes() -> None:
    assert repr(Pmf({0: 1, 1: 3})) == "Pmf({0: 1/4, 1: 3/4})"
    assert repr(Pmf.uniform(range(20))).endswith(", ...})")


def test_uniform_and_point_laws_have_the_least_denominator() -> None:
    assert (Pmf.uniform("abc").total, dict(Pmf.uniform("abc").weights)) == (3, {"a": 1, "b": 1, "c": 1})
    assert (Pmf.point("a").total, dict(Pmf.point("a").weights)) == (1, {"a": 1})


def test_outcomes_without_an_order_are_shown_as_they_come() -> None:
    assert repr(Pmf({"b": 1, 0: 1})) == "Pmf({'b': 1/2, 0: 1/2})"
    assert repr(Pmf({2: 1, 1: 3})) == "Pmf({1: 3/4, 2: 1/4})"
