"""finitedp.impl.histograms.binomial. The exact laws, and the bound on how often a guard decides nothing, are in the ledger."""

from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import FinitedpError, ParameterError
from finitedp.impl.arithmetic.convolution import approx_binomial_cdf
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.histograms import binomial
from finitedp.impl.histograms.binomial import ApproxBinSample, guard_error
from finitedp.impl.randomness.coins import BitMeter, ExactCoins, SeededBits, StrictCoins, strict_bits

S = 2**3000
GUARD = 350


class Rigged(ExactCoins):
    """Coins that answer what they are told."""

    def __init__(self, answers: list[int]) -> None:
        super().__init__()
        self.answers = answers

    def uniform(self, d: int, most: int | None = None) -> int:
        answer = self.answers.pop(0)
        assert 1 <= answer <= d
        return answer


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


@st.composite
def trials(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """m, p, q, t, of which some have few successes in many trials, as in a release."""
    m = draw(st.one_of(st.integers(1, 30), st.integers(2**60, 2**64)))
    q = draw(st.integers(1, 2**70))
    p = draw(st.one_of(st.integers(0, q), st.integers(0, min(q, 12 * q // m + 1))))
    return m, p, q, draw(st.integers(0, 12))


def literal(m: int, p: int, q: int, t: int, s: int, u: int) -> int:
    """The least k < t with F_k >= u, or t."""
    cdf = approx_binomial_cdf(m, s * p // q, s, max(t, 1))
    return next((k for k in range(t) if cdf[k] >= u), t)


@st.composite
def near(draw: st.DrawFn, m: int, p: int, q: int, s: int, guard: int, t: int = 12) -> int:
    """A draw from 1..s: anywhere, or so near to some F_k that a guard of so many bits may not decide."""
    boundary = draw(st.sampled_from(approx_binomial_cdf(m, s * p // q, s, t)))
    window = (guard_error(m, t) << s.bit_length() - 1) >> guard
    offsets = st.one_of(st.integers(-2, 2), st.integers(-2 * window, 2 * window))
    return min(max(draw(st.one_of(st.integers(1, s), offsets.map(lambda o: boundary + o))), 1), s)


@pytest.mark.deep
@given(trials(), st.data())
def test_the_guard_changes_no_draw(trial: tuple[int, int, int, int], data: st.DataObject) -> None:
    m, p, q, t = trial
    for s, guard in ((S, GUARD), (S, 90), (3**1500, GUARD), (2**100 - 1, 80), (2**64, 3)):
        u = data.draw(near(m, p, q, s, guard))
        expected = literal(m, p, q, t, s, u)
        assert ApproxBinSample(s).release(m, p, q, t, Rigged([u])) == expected
        assert ApproxBinSample(s, guard).release(m, p, q, t, Rigged([u]), 70) == expected


@pytest.fixture
def denominators(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The denominators at which distribution functions were computed."""
    used: list[int] = []

    def noted(m: int, success: int, s: int, length: int, depth: int | None = None) -> list[int]:
        used.append(s)
        return approx_binomial_cdf(m, success, s, length, depth)

    monkeypatch.setattr(binomial, "approx_binomial_cdf", noted)
    return used


@pytest.mark.parametrize("length", [1, 2, 4, 8])
def test_a_draw_in_the_undecided_window_takes_the_literal_path(denominators: list[int], length: int) -> None:
    sampler, m, success = ApproxBinSample(S, GUARD), 2**64, 5 * S >> 64
    cdf = approx_binomial_cdf(m, success, S, length)
    for k in range(length // 2, length):
        assert 0 < cdf[k] < S
        for u, expected in ((cdf[k], k), (cdf[k] + 1, k + 1)):
            denominators.clear()
            assert sampler.round(u, m, success, length) == min(expected, length)
            assert denominators == [1 << GUARD, S]


@pytest.mark.parametrize("length", [1, 2, 4, 8])
def test_a_draw_outside_of_the_undecided_window_is_decided_with_few_bits(denominators: list[int], length: int) -> None:
    sampler, m, success = ApproxBinSample(S, GUARD), 2**64, 5 * S >> 64
    cdf = approx_binomial_cdf(m, success, S, length)
    away = (2 * guard_error(m, length) + 2) * (S >> GUARD)
    for k in range(length // 2, length):
        for u, expected in ((cdf[k] - away, k), (cdf[k] + away, k + 1)):
            denominators.clear()
            assert sampler.round(u, m, success, length) == expected
            assert denominators == [1 << GUARD]


def test_an_s_of_fewer_bits_than_the_guard_needs_no_guard(denominators: list[int]) -> None:
    sampler = ApproxBinSample(2**100, 101)
    sampler.round(2**99, 50, 2**98, 8)
    assert denominators == [2**100]
    assert sampler.undecided(50, 8) == ApproxBinSample(2**100).undecided(50, 8) == 0
    assert sampler.steps(8) == ApproxBinSample(2**100).steps(8)


@pytest.mark.parametrize("guard", [None, GUARD])
@pytest.mark.parametrize("length", [1, 2, 4, 32])
def test_steps_are_the_comparisons_of_a_round(monkeypatch: pytest.MonkeyPatch, guard: int | None, length: int) -> None:
    probes: list[int] = []

    def counted(cdf: Any, n: int, u: int) -> int:
        def probe(z: int) -> int:
            probes.append(z)
            return int(cdf(z))

        return least_reaching(probe, n, u)

    monkeypatch.setattr(binomial, "least_reaching", counted)
    sampler = ApproxBinSample(S, guard)
    for u in (S // 3, S // 2, S - S // 10**9):
        probes.clear()
        sampler.round(u, 2**64, 5 * S >> 64, length)
        assert len(probes) == sampler.steps(length) == (1 if guard is None else 2) * (length - length // 2).bit_length()


def test_undecided_at_real_parameters() -> None:
    undecided = ApproxBinSample(S, GUARD).undecided(2**64, 8)
    assert undecided == 4 * mpq(2 * (16 * (2**64 - 1) + 2**65) + 3, 2**GUARD)
    assert ApproxBinSample(S).undecided(2**64, 8) == 0


@given(trials(), st.integers(0, 2**32))
def test_the_lengths_of_the_rounds_are_powers_of_two_up_to_the_result(trial: tuple[int, int, int, int], seed: int) -> None:
    m, p, q, t = trial
    lengths: list[int] = []
    result = ApproxBinSample(S, GUARD).release(m, p, q, t, coins(seed), told=lengths.append)
    assert 0 <= result <= t
    assert lengths == [1 << j for j in range(len(lengths))]
    assert not lengths or lengths[-1] < 2 * (result + 1)


@given(trials())
def test_one_draw_of_a_fixed_number_of_bits(trial: tuple[int, int, int, int]) -> None:
    meter = BitMeter()
    m, p, q, t = trial
    ApproxBinSample(S, GUARD).release(m, p, q, t, StrictCoins(meter))
    assert (meter.reads, meter.total_bits) == (1, strict_bits(S))


def test_results_by_hand() -> None:
    # Bin(2, 1/2) at s = 16: F = 4, 12, 16
    sampler = ApproxBinSample(16)
    assert [sampler.release(2, 1, 2, 2, Rigged([u])) for u in (1, 4, 5, 12, 13, 16)] == [0, 0, 1, 1, 2, 2]
    assert [sampler.release(2, 1, 2, 1, Rigged([u])) for u in (4, 5, 16)] == [0, 1, 1]
    assert sampler.release(0, 1, 2, 0, Rigged([16])) == 0
    assert [sampler.release(5, 0, 1, 3, Rigged([16])), sampler.release(5, 1, 1, 3, Rigged([1]))] == [0, 3]


@pytest.mark.parametrize(
    ("trial", "message"),
    [
        ((5, 3, 2, 1), "p = 3, q = 2; accepted: integers 0 <= p <= q, q >= 1"),
        ((5, -1, 2, 1), "p = -1, q = 2"),
        ((5, 0, 0, 1), "p = 0, q = 0"),
        ((0, 1, 2, 1), "m = 0 is out of range; accepted: an integer from 1 to 100"),
        ((101, 1, 2, 1), "m = 101 is out of range; accepted: an integer from 1 to 100"),
        ((101, 1, 2, 0), "m = 101 is out of range; accepted: an integer from 0 to 100"),
        ((5, 1, 2, -1), "t = -1 is out of range; accepted: an integer of at least 0"),
        ((2.5, 1, 2, 1), r"m = 2\.5 is not an integer"),
    ],
)
def test_wrong_trials(trial: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ApproxBinSample(100).release(*trial, coins())  # type: ignore[call-arg]  # a tuple of four


def test_wrong_denominators_and_guards() -> None:
    with pytest.raises(ParameterError, match="s = 0 is out of range; accepted: an integer of at least 1"):
        ApproxBinSample(0)
    with pytest.raises(ParameterError, match="guard = 0 is out of range; accepted: an integer of at least 1"):
        ApproxBinSample(5, 0)


@pytest.mark.parametrize(("p", "q", "message"), [(0.5, 1, r"0\.5"), (1, 2.5, r"2\.5"), ("1", 2, "'1'")])
def test_probabilities_that_are_not_of_integers_are_refused(p: Any, q: Any, message: str) -> None:
    with pytest.raises(FinitedpError, match=message):
        ApproxBinSample(100).release(5, p, q, 2, coins())


def test_probabilities_of_many_digits_are_neither_printed_nor_a_crash() -> None:
    with pytest.raises(FinitedpError):
        ApproxBinSample(100).release(5, 2**100_000, 2, 2, coins())


@pytest.mark.parametrize(
    ("u", "success", "decided"),
    [
        (8, 4, True),  # F_0 = 6/8, less the error 4/8, is at least 8/16
        (9, 4, False),  # and not at least 9/16, which rounds up to 5/8
        (13, 8, False),  # F_0 = 4/8, with the error 6/8, may be 13/16, which rounds down to 6/8
        (14, 8, True),  # and is below 14/16
        (8, 5, True),  # 5/16 rounds down to 2/8, so that F_0 = 6/8 once more
        (9, 5, False),
        (13, 9, False),
        (14, 9, True),
    ],
)
def test_the_guard_rounds_draws_outwards_and_success_down(
    denominators: list[int], u: int, success: int, decided: bool
) -> None:
    """One trial at s = 16 with a guard of 3 bits, where the error is 2/8."""
    assert guard_error(1, 1) == 2
    expected = 0 if 16 - success >= u else 1
    assert ApproxBinSample(16, 3).round(u, 1, success, 1) == expected
    assert denominators == ([8] if decided else [8, 16])


@pytest.mark.parametrize(("m", "length", "error"), [(1, 1, 2), (2, 1, 6), (3, 4, 22), (10, 8, 164)])
def test_the_guard_s_error_by_hand(m: int, length: int, error: int) -> None:
    assert guard_error(m, length) == error
