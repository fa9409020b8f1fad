"""finitedp.proofs_check.black_box.clopper_pearson against sums of binomial probabilities, as rationals."""

from math import comb

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.proofs_check.black_box.clopper_pearson import STEPS, binomial_tail, lower, upper

STEP = mpq(1, STEPS)
ALPHAS = [mpq(1, 2), mpq(1, 20), mpq(1, 200), mpq(1, 10**9), mpq(9, 10)]


def exact_tail(k: int, n: int, p: mpq) -> mpq:
    """Pr[Bin(n, p) >= k], literally."""
    return sum((comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1)), mpq(0))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_the_limits_are_right_and_as_tight_as_their_grid(n: int, alpha: mpq) -> None:
    for k in range(n + 1):
        low, high = lower(k, n, alpha), upper(k, n, alpha)
        assert exact_tail(k, n, low) <= alpha if k else low == 0
        assert k == 0 or exact_tail(k, n, low + 2 * STEP) > alpha
        assert 1 - exact_tail(k + 1, n, high) <= alpha if k < n else high == 1
        assert k == n or 1 - exact_tail(k + 1, n, high - 2 * STEP) > alpha
        assert low <= mpq(k, n) <= high or alpha > mpq(1, 2)
        assert (low / STEP).denominator == (high / STEP).denominator == 1


def test_limits_that_tables_print() -> None:
    # Clopper and Pearson at 95 %: 1 of 10 gives 0.0025 and 0.4450; 5 of 10 gives 0.1871 and 0.8129
    for k, low, high in ((1, "0.0025", "0.4450"), (5, "0.1871", "0.8129")):
        assert abs(lower(k, 10, "1/40") - mpq(low)) < mpq(1, 20000)
        assert abs(upper(k, 10, "1/40") - mpq(high)) < mpq(1, 20000)


@pytest.mark.parametrize("n", [1, 10, 200])
def test_nothing_seen_has_the_closed_form(n: int) -> None:
    high = upper(0, n, "1/20")
    assert (1 - high) ** n <= mpq(1, 20) < (1 - high + 2 * STEP) ** n
    assert lower(n, n, "1/20") == 1 - high


def test_the_rule_of_three() -> None:
    """0 of n excludes 3/n at 95 %, since e^-3 < 1/20, and not 2.99/n."""
    for n in (10**4, 10**6, 10**8):
        assert mpq(299, 100) < n * upper(0, n, "1/20") < 3


@given(st.integers(1, 60), st.data())
def test_tails_are_bounded_from_above_and_closely(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    p = mpq(data.draw(st.integers(0, 97)), 97)
    exact = exact_tail(k, n, p)
    bound = binomial_tail(k, n, p)
    assert exact <= bound <= min(exact * (1 + mpq(1, 2**30)), mpq(1))
    below = binomial_tail(k, n, p, at_least=False)
    assert 1 - exact_tail(k + 1, n, p) <= below <= min((1 - exact_tail(k + 1, n, p)) * (1 + mpq(1, 2**30)), mpq(1))


def test_tails_at_the_ends() -> None:
    assert binomial_tail(0, 5, 0) == binomial_tail(5, 5, 1) == 1
    assert binomial_tail(1, 5, 0) == 0
    assert binomial_tail(4, 5, 1, at_least=False) == 0


@pytest.mark.parametrize(("k", "n"), [(3, 10**8), (3 * 10**7, 10**8), (10**8 - 1, 10**8), (500, 10**6), (10**9, 10**9)])
def test_many_trials(k: int, n: int) -> None:
    alpha = mpq(1, 200)
    low, high = lower(k, n, alpha), upper(k, n, alpha)
    assert low < mpq(k, n) <= high
    close = 1 + mpq(1, 2**10)  # a step of 2^-48 beside a limit of 10^-10
    assert alpha / close <= binomial_tail(k, n, low) <= alpha * close
    if k < n:
        assert alpha / close <= binomial_tail(k, n, high, at_least=False) <= alpha * close


def test_the_normal_approximation_is_no_limit() -> None:
    """The negative twin: p - 1.96 sd is above what is proved, and its tail is above alpha."""
    k, n, alpha = 9, 10, mpq(1, 40)
    wald = mpq(9, 10) - mpq(196, 100) * mpq(948, 10000)
    assert wald > lower(k, n, alpha)
    assert exact_tail(k, n, wald) > alpha


@pytest.mark.parametrize(
    ("k", "n", "alpha", "said"),
    [
        (11, 10, "1/2", "successes = 11"),
        (-1, 10, "1/2", "successes = -1"),
        (0, 0, "1/2", "trials = 0"),
        (0, 10**9 + 1, "1/2", "trials"),
        (1, 2, 0, "alpha = 0"),
        (1, 2, 1, "alpha = 1"),
        (1, 2, "2", "alpha = 2"),
    ],
)
def test_bad_input(k: int, n: int, alpha: str, said: str) -> None:
    for limit in (lower, upper):
        with pytest.raises(ParameterError, match=said):
            limit(k, n, alpha)
    with pytest.raises(ParameterError):
        binomial_tail(k if k > n or k < 0 else n + 1, n, "1/2")
