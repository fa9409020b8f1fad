"""finitedp.impl.counting.geometric at sizes beyond enumeration: fuzzed with Hypothesis. The exact laws are in the ledger."""

import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.impl.arithmetic import kernels
from finitedp.impl.counting import geometric as counting
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.randomness.coins import BitMeter, SeededBits, StrictCoins
from finitedp.spec import counting as spec
from finitedp.spec.pmf import Pmf

geo = st.builds(GeoSample, st.integers(1, 120), st.integers(1, 400).map(lambda q: mpq(1, q)))
fast = st.builds(
    FastSample,
    st.integers(1, 400),
    st.integers(1, 60).map(lambda q: mpq(1, q)),
    st.integers(2, 2**60).map(lambda g: mpq(1, g)),
)
mechanisms = st.one_of(geo, fast)


def law_from_cdf(mechanism: GeoSample | FastSample, count: int) -> Pmf[int]:
    values = [0, *(mechanism.cdf(count, z) for z in range(mechanism.n + 1))]
    assert values[-1] == mechanism.d, "the law sums to one"
    return Pmf({z: b - a for z, (a, b) in enumerate(pairwise(values))})


@given(geo, st.data())
def test_geo_sample_cdf_is_that_of_the_definition(mechanism: GeoSample, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, mechanism.n))
    assert law_from_cdf(mechanism, count) == spec.geo_sample(mechanism.n, mechanism.epsilon, count)


@given(st.integers(1, 80), st.integers(1, 12), st.integers(2, 2**30), st.data())
def test_fast_sample_cdf_is_that_of_the_definition(n: int, q: int, g: int, data: st.DataObject) -> None:
    mechanism, count = FastSample(n, mpq(1, q), mpq(1, g)), data.draw(st.integers(0, n))
    assert law_from_cdf(mechanism, count) == spec.fast_sample(n, mpq(1, q), mpq(1, g), count)


@pytest.mark.deep
@given(mechanisms, st.data())
def test_neighbouring_counts_stay_within_the_claimed_ratio(mechanism: GeoSample | FastSample, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, mechanism.n - 1))
    ratio = mechanism.claim().ratio
    assert ratio is not None
    here, there = law_from_cdf(mechanism, count), law_from_cdf(mechanism, count + 1)
    for z in range(mechanism.n + 1):
        assert there[z] <= ratio * here[z]
        assert here[z] <= ratio * there[z]


@given(mechanisms, st.data())
def test_non_decreasing_in_u(mechanism: GeoSample | FastSample, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, mechanism.n))
    draws = sorted(data.draw(st.lists(st.integers(1, int(mechanism.d)), min_size=2, max_size=8)))
    outputs = [mechanism.apply(count, u) for u in draws]
    assert outputs == sorted(outputs)
    for u, z in zip(draws, outputs, strict=True):
        assert mechanism.cdf(count, z) >= u
        assert z == 0 or mechanism.cdf(count, z - 1) < u


@given(mechanisms, st.integers(0, 2**64), st.data())
def test_strict_replay_and_cost(mechanism: GeoSample | FastSample, seed: int, data: st.DataObject) -> None:
    """The same bits give the same output, and the cost is the one that cost() states, for every count."""
    count, cost = data.draw(st.integers(0, mechanism.n)), mechanism.cost()
    outputs = []
    for _ in range(2):
        meter = BitMeter(SeededBits(seed, not_private=True))
        outputs.append(mechanism.release(count, StrictCoins(meter)))
        assert (meter.reads, meter.total_bits) == (cost.draws, cost.bits)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("mechanism", [GeoSample(40, "1/3"), FastSample(40, "1/3", "1/16"), FastSample(70, 1, "1/2")])
def test_the_table_of_tails_changes_nothing(mechanism: GeoSample | FastSample, monkeypatch: pytest.MonkeyPatch) -> None:
    from attrs import evolve

    with_table = [mechanism.cdf(20, z) for z in range(-1, mechanism.n + 1)]
    monkeypatch.setattr(counting, "TABLE_BITS", 0)
    without = evolve(mechanism)
    assert [without.cdf(20, z) for z in range(-1, mechanism.n + 1)] == with_table


@pytest.mark.parametrize("mechanism", [GeoSample(5000, "1/3"), FastSample(10**6, "1/10", "1/1024")])
def test_a_first_release_computes_one_tail_for_each_comparison(
    mechanism: GeoSample | FastSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is computed ahead: that would be quadratic in n, which the paper is not."""
    computed: list[int] = []

    def noted(kernel: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
        def run(x: int, power: int, m: int) -> int:
            computed.append(m)
            return kernel(x, power, m)

        return run

    for name in ("tail_weight", "truncated_tail_weight"):
        monkeypatch.setattr(counting, name, noted(getattr(kernels, name)))
    mechanism.release(mechanism.n // 2, StrictCoins())
    assert 0 < len(computed) <= mechanism.cost().steps


def test_large_parameters_work() -> None:
    """n = 10^9 at epsilon = 1/10: the cost grows with log n only."""
    mechanism = FastSample(10**9, "1/10", mpq(1, 2**40))
    assert mechanism.cost().steps == 30
    assert abs(mechanism.release(5 * 10**8, StrictCoins(SeededBits(3, not_private=True))) - 5 * 10**8) < 10**6


def test_accuracy_by_hand() -> None:
    # epsilon = 1: 1 + 2^-1 = 3/2, and (3/2)^8 = 25.6 is the first power above 20
    assert GeoSample(100, 1).accuracy("1/20").a == 8
    assert FastSample(100, 1, "1/1000").accuracy("1/20").a == 8
    assert GeoSample(100, 1).accuracy(1).a == 0


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GeoSample(0, 1), "n = 0 is out of range; accepted: an integer of at least 1"),
        (
            lambda: GeoSample(3.0, 1),  # type: ignore[arg-type]  # that is the point
            r"n = 3\.0 is not an integer",
        ),
        (
            lambda: GeoSample(3, 0.1),  # type: ignore[arg-type]  # that is the point
            r"epsilon = 0\.1 is a float.*for example '1/10'",
        ),
        (lambda: GeoSample(3, "0.3"), "epsilon = 3/10 is not admissible"),
        (lambda: GeoSample(3, 0), "epsilon = 0 is not positive"),
        (lambda: GeoSample(3, "-1/2"), "epsilon = -1/2 is not positive"),
        (lambda: GeoSample(3, "3/10"), "epsilon = 3/10 is not admissible.*the next admissible value is 1/4"),
        (lambda: GeoSample(3, 2), "the next admissible value is 1/1"),
        (lambda: FastSample(3, 1, 1), "gamma = 1 is not admissible.*q >= 2.*the next admissible value is 1/2"),
        (lambda: FastSample(3, 1, "2/3"), "gamma = 2/3 is not admissible.*the next admissible value is 1/2"),
        (lambda: FastSample(3, 1, "1/2").accuracy("1/2"), "accepted: a rational above gamma = 1/2"),
        (lambda: GeoSample(3, 1).accuracy(0), r"beta = 0 is out of range; accepted: a rational in \(0, 1\]"),
    ],
)
def test_wrong_parameters_say_what_is_accepted(build: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()  # type: ignore[operator]


@pytest.mark.parametrize("count", [-1, 4, 1.5, True])
def test_wrong_counts(count: int) -> None:
    with pytest.raises(DataError, match=f"count = {count} .*accepted: an integer from 0 to 3"):
        GeoSample(3, 1).apply(count, 1)


def test_draw_out_of_range() -> None:
    with pytest.raises(ParameterError, match="u = 0 is out of range"):
        GeoSample(3, 1).apply(1, 0)


def test_mechanisms_are_values() -> None:
    assert GeoSample(3, "1/2") == GeoSample(3, mpq(1, 2))
    assert len({FastSample(3, 1, "1/2"), FastSample(3, 1, "2/4")}) == 1


def test_sampled_releases_look_like_the_law() -> None:
    """A sampled check: 20,000 releases against the exact law, by a bound that fails with probability below 10^-9."""
    mechanism: CountingMechanism = FastSample(20, 1, "1/16")
    coins = StrictCoins(random.Random(7).getrandbits)
    law, samples = spec.fast_sample(20, 1, "1/16", 8), 20_000
    counts = [0] * 21
    for _ in range(samples):
        counts[mechanism.release(8, coins)] += 1
    # Hoeffding: 2 * 21 * exp(-2 * samples * 0.03^2) < 10^-9 for samples = 20,000
    assert all(abs(mpq(k, samples) - law[z]) < mpq(3, 100) for z, k in enumerate(counts))
