"""finitedp.impl.histograms.order_statistics. The exact laws are in the ledger."""

from collections import Counter
from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.impl.arithmetic.convolution import approx_binomial_cdf
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms import binomial, order_statistics
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample, binomial_cdf
from finitedp.impl.randomness.coins import BitMeter, Coins, ExactCoins, SeededBits, StrictCoins, UnusedDraws, strict_bits
from finitedp.proofs_check.checks.work import work_of

SIZE = 2**64
S = 2**1400
GUARD = 350


class Rigged(ExactCoins):
    """Coins that answer shares of the range: 0 is the least draw, 2^64 - 1 the largest."""

    def __init__(self, shares: list[int]) -> None:
        super().__init__()
        self.shares = list(shares)

    def uniform(self, d: int, most: int | None = None) -> int:
        share = self.shares.pop(0)
        return d if share == SIZE - 1 else 1 + (share * d >> 64)


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def largest(n: int, guard: int | None = GUARD, s: int = S, most: int = SIZE) -> ApproxOrdSample:
    return ApproxOrdSample(n, GeoSample(n, 1).scaled_cdf, s, most, guard)


# OrdSample


@given(st.integers(0, 12), st.integers(1, 9), st.data())
def test_binomial_cdf_is_the_sum_of_its_terms(trials: int, total: int, data: st.DataObject) -> None:
    success, k = data.draw(st.integers(0, total)), data.draw(st.integers(0, 15))
    terms = (comb(trials, j) * success**j * (total - success) ** (trials - j) for j in range(trials + 1) if j <= k)
    assert binomial_cdf(trials, success, total, k) == sum(terms)
    assert binomial_cdf(trials, success, total, trials) == total**trials


@given(st.integers(1, 6), st.integers(0, 20))
def test_values_fall_and_are_n_plus_1(n: int, more: int) -> None:
    drawn = OrdSample(n, GeoSample(n, 1).scaled_cdf).release(n + 1 + more, ExactCoins())
    assert len(drawn) == n + 1
    assert list(drawn) == sorted(drawn, reverse=True)
    assert all(0 <= z <= n for z in drawn)


def test_too_few_draws() -> None:
    with pytest.raises(ParameterError, match=r"m = 3 is below n \+ 1 = 4"):
        OrdSample(3, GeoSample(3, 1).scaled_cdf).release(3, ExactCoins())
    with pytest.raises(ParameterError, match="n = 0 is out of range"):
        OrdSample(0, GeoSample(3, 1).scaled_cdf)


def test_the_cost_of_the_exact_sampler_is_a_bound() -> None:
    sampler = OrdSample(4, GeoSample(4, 1).scaled_cdf)
    for m in (5, 20, 40):
        meter = BitMeter()
        sampler.release(m, StrictCoins(meter))
        cost = sampler.cost(40)
        assert meter.reads == cost.draws == 4
        assert meter.total_bits <= cost.bits
        assert not cost.exact


# ApproxOrdSample


@pytest.mark.deep
@given(st.integers(1, 24), st.integers(0, 2**32), st.sampled_from([None, GUARD]), st.data())
def test_approximate_values_fall_and_are_n_plus_1(n: int, seed: int, guard: int | None, data: st.DataObject) -> None:
    m = data.draw(st.one_of(st.just(n + 1), st.just(SIZE), st.integers(n + 1, SIZE)))
    drawn = largest(n, guard).release(m, coins(seed))
    assert len(drawn) == n + 1
    assert list(drawn) == sorted(drawn, reverse=True)
    assert all(0 <= z <= n for z in drawn)


@pytest.mark.deep
@given(st.integers(1, 12), st.data())
def test_the_guard_changes_no_result(n: int, data: st.DataObject) -> None:
    share = st.one_of(st.sampled_from([0, 1, SIZE // 2, SIZE - 1]), st.integers(0, SIZE - 1))
    shares = data.draw(st.lists(share, min_size=n, max_size=n))
    m = data.draw(st.one_of(st.integers(n + 1, n + 5), st.integers(n + 1, SIZE)))
    literal = largest(n, None).release(m, Rigged(shares))
    assert largest(n).release(m, Rigged(shares)) == literal
    assert largest(n, 80).release(m, Rigged(shares)) == literal


def test_rounds_by_hand() -> None:
    assert list(largest(1).rounds()) == [(1, 1), (2, 1)]
    assert list(largest(3).rounds()) == [(1, 3), (2, 3), (4, 2)]
    assert list(largest(20).rounds()) == [(1, 20), (2, 20), (4, 10), (8, 5), (16, 2), (32, 1)]


@pytest.mark.deep
@given(st.integers(1, 20), st.data())
def test_every_release_makes_the_rounds_that_are_stated(n: int, data: st.DataObject) -> None:
    shares = data.draw(st.lists(st.integers(0, SIZE - 1), min_size=n, max_size=n))
    m = data.draw(st.one_of(st.integers(n + 1, 3 * n), st.integers(n + 1, SIZE)))
    made, run = Counter[int](), ApproxBinSample.round

    def counted(self: ApproxBinSample, u: int, m: int, success: int, length: int, depth: int | None = None) -> int:
        made[length] += 1
        return run(self, u, m, success, length, depth)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ApproxBinSample, "round", counted)
        largest(n).release(m, Rigged(shares))
    assert made == dict(largest(n).rounds())


@pytest.mark.parametrize("n", [1, 20, 60])
def test_rounds_that_pad_are_decided_by_the_guard(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """All of them, since they do not depend on what is drawn."""
    denominators: list[int] = []

    def noted(m: int, success: int, s: int, length: int, depth: int | None = None) -> list[int]:
        denominators.append(s)
        return approx_binomial_cdf(m, success, s, length, depth)

    monkeypatch.setattr(binomial, "approx_binomial_cdf", noted)
    for s in (S, 3**900):
        sampler, inner = largest(n, GUARD, s), ApproxBinSample(s, GUARD)
        for length, _ in sampler.rounds():
            inner.round(1, SIZE, s // SIZE, length, SIZE.bit_length())
        assert set(denominators) == {1 << GUARD}
        denominators.clear()
        assert sampler.release(SIZE, coins())
        assert s not in denominators
        denominators.clear()


@pytest.mark.deep
@pytest.mark.parametrize("guard", [None, GUARD])
def test_the_same_functions_are_called_whatever_m_and_the_draws(guard: int | None) -> None:
    sampler = largest(15, guard)
    works = [work_of(lambda: sampler.release(m, coins(seed))) for m in (SIZE, SIZE - 15, 2**40, 16) for seed in (1, 2)]  # noqa: B023
    assert all(work == works[1] for work in works[1:])  # the first one computes tails that are remembered
    assert works[1]["ApproxBinSample.round"] == sum(times for _, times in sampler.rounds())


@pytest.mark.deep
@pytest.mark.parametrize("guard", [None, GUARD])
def test_the_same_functions_are_called_where_draws_are_not_used(guard: int | None) -> None:
    """Draws that are not used have to be ones that the guard decides, or else they show."""
    sampler = largest(31, guard)
    strict = coins()
    sampler.release(SIZE, strict)  # computes tails that are remembered
    unused: Coins = UnusedDraws(strict)
    used = work_of(lambda: sampler.release(SIZE, strict))
    assert work_of(lambda: sampler.release(SIZE, unused)) == used + Counter({"UnusedDraws.uniform": 31})


@pytest.mark.parametrize("guard", [None, GUARD])
@pytest.mark.parametrize("n", [1, 7, 20])
def test_draws_bits_and_comparisons_are_the_stated_ones(monkeypatch: pytest.MonkeyPatch, n: int, guard: int | None) -> None:
    probes: list[int] = []

    def counted(cdf: Any, top: int, u: int) -> int:
        def probe(z: int) -> int:
            probes.append(z)
            return int(cdf(z))

        return least_reaching(probe, top, u)

    for module in (binomial, order_statistics):
        monkeypatch.setattr(module, "least_reaching", counted)
    sampler = largest(n, guard)
    for m in (n + 1, 10**6, SIZE):
        meter = BitMeter(SeededBits(m, not_private=True))
        probes.clear()
        sampler.release(m, StrictCoins(meter))
        cost = sampler.cost()
        assert (meter.reads, meter.total_bits, len(probes)) == (cost.draws, cost.bits, cost.steps)
        assert cost.bits == n * strict_bits(S)
        assert cost.exact


def test_how_likely_more_steps_are() -> None:
    assert largest(20, None).cost().otherwise == 0
    inner = ApproxBinSample(S, GUARD)
    by_hand = sum(times * inner.undecided(SIZE, length) for length, times in largest(20).rounds())
    assert 0 < largest(20).cost().otherwise == by_hand < 1
    assert largest(20).cost(1000).otherwise < by_hand
    assert largest(20, 8).cost().otherwise == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 100, 10), "n = 0 is out of range; accepted: an integer of at least 1"),
        ((3, 10, 11), "s = 10 is out of range; accepted: an integer of at least 11"),
        ((3, 10, 3), "most = 3 is out of range; accepted: an integer of at least 4"),
        ((3, 100, 10, -3), "guard = -3 is out of range; accepted: an integer of at least 1"),
    ],
)
def test_wrong_parameters(arguments: tuple[int, ...], message: str) -> None:
    n, *rest = arguments
    with pytest.raises(ParameterError, match=message):
        ApproxOrdSample(n, GeoSample(3, 1).scaled_cdf, *rest)


@pytest.mark.parametrize("m", [-1, 0, 3, 11])
def test_m_out_of_range(m: int) -> None:
    with pytest.raises(ParameterError, match=f"m = {m} is out of range; accepted: an integer from 4 to 10"):
        largest(3, None, 100, 10).release(m, coins())


@pytest.mark.parametrize("n", [7, 20])
def test_rounds_that_pad_multiply_as_much_as_the_others(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """A probability of success of 0 would leave a polynomial of one term, whose powers take less time."""
    shares: list[tuple[int, int, int]] = []

    def noted(m: int, success: int, s: int, length: int, depth: int | None = None) -> list[int]:
        shares.append((m, success, s))
        return approx_binomial_cdf(m, success, s, length, depth)

    monkeypatch.setattr(binomial, "approx_binomial_cdf", noted)
    for m in (SIZE, n + 1):
        shares.clear()
        largest(n).release(m, coins())
        assert shares
        assert all(0 < success < s for _, success, s in shares)
    assert any(m == SIZE and success == s // SIZE for m, success, s in shares)  # what pads expects one success


def test_the_longest_rounds_that_pad_are_decided_by_the_guard_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 128 values their distribution function is nearer to 1 than the guard can tell; the least draw is decided."""
    denominators = Counter[tuple[int, int]]()

    def noted(m: int, success: int, s: int, length: int, depth: int | None = None) -> list[int]:
        denominators[length, s] += 1
        return approx_binomial_cdf(m, success, s, length, depth)

    monkeypatch.setattr(binomial, "approx_binomial_cdf", noted)
    sampler = largest(130)
    sampler.release(131, coins())
    assert denominators == {(length, 1 << GUARD): times for length, times in sampler.rounds()}


def test_the_cost_of_the_exact_sampler_by_hand() -> None:
    """n draws from ranges of at most F(n)^m: 10 times the bits of F(n), and 128 more."""
    sampler = OrdSample(2, (1, 3, 7).__getitem__)
    assert (sampler.cost(10).draws, sampler.cost(10).bits, sampler.cost(10).steps) == (2, 2 * (10 * 3 + 128), 2 * 2)
