"""finitedp.impl.counting.dyadic and its tables: fuzzed with Hypothesis. The exact laws of running code are in the ledger."""

from itertools import pairwise
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import assume, given
from hypothesis import strategies as st

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.counting import dyadic_table as tables
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable, dyadic_table, ratio_below
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import BitMeter, ExactCoins, SeededBits, StrictCoins
from finitedp.spec import dyadic as spec
from finitedp.spec.pmf import Pmf

epsilons = st.fractions("1/40", 12).map(mpq)
MECHANISMS = [
    DyadicSample(3, "1/2", 8),
    DyadicSample(200, "1/10", 48),
    DyadicSample(10**9, "1/10"),
    DyadicSample(70, "4", 128),
]


@given(st.integers(1, 60), epsilons, st.integers(2, 70))
def test_the_table_is_the_definition_s(n: int, epsilon: mpq, word: int) -> None:
    ratio = spec.ratio_below(epsilon, word)
    expected = spec.table(n, ratio, word)
    assert ratio_below(epsilon, word) == ratio
    if expected is None:
        with pytest.raises(ParameterError, match=f"no table of {word} bits exists for n = {n}"):
            dyadic_table(n, epsilon, word)
        return
    table = dyadic_table(n, epsilon, word)
    assert tuple(table.weight(j) for j in range(n + 1)) == expected
    assert [table.upper(j) for j in range(n + 2)] == [*spec.tails(expected), 0]
    assert table.excess() == spec.excess(expected[0], ratio, word)
    k = table.excess_exponent()
    assert table.excess() == 0 if k is None else mpq(1, 2 << k) < table.excess() <= mpq(1, 1 << k)
    assert table.mean_absolute_noise() == spec.mean_absolute_noise(expected)
    assert len(set(table.head)) == len(table.head)
    assert table.tail not in table.head


@given(st.integers(1, 10**12), epsilons, st.sampled_from([64, 128]), st.data())
def test_apply_inverts_the_cdf(n: int, epsilon: mpq, word: int, data: st.DataObject) -> None:
    mechanism = DyadicSample(n, epsilon, word)
    count = data.draw(st.integers(0, n))
    ends = [mechanism.cdf(count, data.draw(st.integers(-1, n))) + step for step in (0, 1)]
    draws = sorted({min(max(u, 1), mechanism.d) for u in (data.draw(st.integers(1, mechanism.d)), *ends)})
    outputs = [mechanism.apply(count, u) for u in draws]
    assert outputs == sorted(outputs)
    for u, z in zip(draws, outputs, strict=True):
        assert 0 <= z <= n
        assert mechanism.cdf(count, z) >= u
        assert z == 0 or mechanism.cdf(count, z - 1) < u


@given(st.integers(1, 10**9), epsilons, st.data())
def test_neighbouring_counts_stay_within_the_claimed_ratio(n: int, epsilon: mpq, data: st.DataObject) -> None:
    mechanism = DyadicSample(n, epsilon)
    ratio, count, z = mechanism.claim().ratio, data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n))
    here, there = (mechanism.cdf(c, z) - mechanism.cdf(c, z - 1) for c in (count, count + 1))
    assert ratio is not None
    assert 0 < there <= ratio * here
    assert here <= ratio * there


@given(st.integers(1, 40), epsilons, st.integers(8, 64), st.fractions("1/1000", 1))
def test_accuracy_is_the_least(n: int, epsilon: mpq, word: int, beta: mpq) -> None:
    weights = spec.table(n, spec.ratio_below(epsilon, word), word)
    assume(weights is not None)
    assert weights is not None
    mechanism = DyadicSample(n, epsilon, word)
    a = mechanism.accuracy(beta).a
    assert mechanism.miss(a) == spec.worst_miss(weights, a) <= beta
    assert a == 0 or spec.worst_miss(weights, a - 1) > beta


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("coins", [StrictCoins, ExactCoins])
def test_one_draw_of_a_word(mechanism: DyadicSample, coins: type[StrictCoins] | type[ExactCoins]) -> None:
    """The same bits give the same output, and the cost is the one that cost() states."""
    for count in (0, mechanism.n // 2, mechanism.n):
        outputs = []
        for _ in range(2):
            meter = BitMeter(SeededBits(5, not_private=True))
            outputs.append(mechanism.release(count, coins(meter)))
            assert (meter.reads, meter.total_bits) == (1, mechanism.word) == (mechanism.cost().draws, mechanism.cost().bits)
        assert outputs[0] == outputs[1]


def test_strict_coins_leave_no_trace_in_the_claim() -> None:
    mechanism = DyadicSample(1000, "2/7")
    assert mechanism.claim(StrictCoins()) == mechanism.claim(ExactCoins()) == mechanism.claim()
    assert mechanism.claim().epsilon == mpq(1, 7)
    assert mechanism.claim().ratio == mechanism.table.ratio


def test_nothing_of_epsilon_is_lost() -> None:
    """GeoSample's ratio at epsilon = 1/10 is 33/32; ours is e^(1/20) to 38 digits."""
    ratio = DyadicSample(1000, "1/10").claim().ratio
    assert ratio is not None
    assert ratio > mpq(105127109637602403969, 10**20)


@pytest.mark.parametrize(("n", "epsilon", "word", "entries"), [(10**9, "1/10", 64, 768), (10**15, "1/10", 128, 1655)])
def test_the_size_of_a_table_does_not_depend_on_n(n: int, epsilon: str, word: int, entries: int) -> None:
    assert dyadic_table(n, epsilon, word).entries == entries
    assert abs(dyadic_table(n // 1000, epsilon, word).entries - entries) < 10


def test_a_count_in_the_middle_of_a_long_stretch() -> None:
    """n = 10^15 with 64 bits: noise that large has probability 10^-3, and the words that give it are found by a quotient."""
    mechanism = DyadicSample(10**15, "1/10")
    middle, first = 5 * 10**14, mechanism.table.sums[-1]
    assert mechanism.apply(middle, 1) == 0
    assert mechanism.apply(middle, mechanism.d) == 10**15
    for u in (1, 2, 10**9, first - 1, first, first + 1):
        z = mechanism.apply(middle, u)
        assert mechanism.cdf(middle, z) >= u > mechanism.cdf(middle, z - 1)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_histograms_take_it_unchanged(mechanism: CountingMechanism) -> None:
    n = mechanism.n
    basic: BasicHistogram[str] = BasicHistogram(mechanism, "abc")
    released = basic.release("aab", StrictCoins())
    assert [label for label, _ in released] == ["a", "b", "c"]
    assert all(0 <= count <= n for _, count in released)
    one, both = mechanism.claim(), basic.claim(StrictCoins())
    assert one.ratio is not None
    assert (both.epsilon, both.ratio) == (2 * one.epsilon, one.ratio**2)
    stable: StabilityHistogram[str] = StabilityHistogram(mechanism, 2, padded=False)
    assert stable.delta() == 1 - mpq(mechanism.cdf(1, 2), mechanism.d)
    assert all(count > 2 for _, count in stable.release("aab", StrictCoins()))


def test_mechanisms_are_values() -> None:
    assert DyadicSample(3, "1/2") == DyadicSample(3, mpq(1, 2), 64)
    assert len({DyadicSample(3, "1/2"), DyadicSample(3, "2/4"), DyadicSample(3, "1/2", 128)}) == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: DyadicSample(0, 1), "n = 0 is out of range; accepted: an integer of at least 1"),
        (lambda: DyadicSample(3, 0.1), r"epsilon = 0\.1 is a float.*for example '1/10'"),  # type: ignore[arg-type]
        (lambda: DyadicSample(3, 0), "epsilon = 0 is not positive; accepted: a rational above 0"),
        (lambda: DyadicSample(3, 1, 1), "word = 1 is out of range; accepted: an integer from 2 to 256"),
        (lambda: DyadicSample(3, 1, 257), "word = 257 is out of range"),
        (lambda: DyadicSample(10**6, 2, 16), r"no table of 16 bits .* accepted: word = 64 \(the fewest bits .* are 21\)"),
        (lambda: DyadicSample(10**20, "1/10"), r"no table of 64 bits .* word = 128 \(the fewest bits with a table are 69\)"),
        (lambda: DyadicSample(10**40, "1/10", 128), r"no table of 128 bits .* accepted: word = 135$"),
        (lambda: DyadicSample(3, mpq(1, 10**99)), "no table of 64 bits .* 256 bits are not enough either"),
        (lambda: DyadicSample(10**9, mpq(1, 10**6)), "needs a table of up to 89600022 entries"),
        (lambda: DyadicSample(3, 1).accuracy(0), r"beta = 0 is out of range; accepted: a rational in \(0, 1\]"),
        (lambda: DyadicSample(3, 1).miss(-1), "a = -1 is out of range"),
        (lambda: DyadicSample(3, 1, 8).apply(1, 0), "u = 0 is out of range; accepted: an integer from 1 to 256"),
        (lambda: DyadicSample(3, 1, 8).apply(1, 257), "u = 257 is out of range"),
    ],
)
def test_wrong_parameters_say_what_is_accepted(build: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()  # type: ignore[operator]


@pytest.mark.parametrize("count", [-1, 4, 1.5, True])
def test_wrong_counts(count: int) -> None:
    with pytest.raises(DataError, match=f"count = {count} .*accepted: an integer from 0 to 3"):
        DyadicSample(3, 1).apply(count, 1)


def changed(table: DyadicTable, **changes: Any) -> DyadicTable:
    from attrs import evolve

    return evolve(table, **changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratio": mpq(1)}, "R = 1 is not above 1"),
        ({"ratio": mpq(13, 10)}, r"R is above e\^\(epsilon/2\)"),
        ({"last": 60}, "the weights sum to 4184, not to 2"),
        ({"last": 14}, r"\(ii\) fails: S_29 > R S_30"),
        ({"tail": 3, "last": 24}, r"\(i\) fails: w_21 > R w_22"),
        ({"tail": 6, "last": 30}, "w_21 < w_22"),
        ({"n": 22}, "w_0, ..., w_21. are 22 weights"),
    ],
)
def test_a_table_certifies_itself(change: dict[str, object], message: str) -> None:
    table = dyadic_table(30, "1/2", 12)
    assert (table.n, len(table.head), table.tail, table.last) == (30, 22, 4, 16)
    with pytest.raises(ClaimError, match=message.replace("w_21.", r"w_\(n-1\)")):
        changed(table, **change)


def test_every_violation_is_found() -> None:
    """A table is refused for the first of them. (ii) inside of the head would follow from the rest, and is looked at too."""

    class Unchecked(DyadicTable):
        def __attrs_post_init__(self) -> None:
            pass

    table = dyadic_table(30, "1/2", 12)
    broken = Unchecked(table.epsilon, table.ratio, 12, 30, (2000, *table.head[1:]), 4, 14)
    assert list(broken.violations()) == [
        "(i) fails: w_0 > R w_1",
        "(ii) fails: S_0 > R S_1",
        "(ii) fails: S_29 > R S_30",
        "the weights sum to 5602, not to 2^12",
    ]


@pytest.mark.parametrize("change", [{"head": (4.0, 3)}, {"tail": 0}, {"last": True}, {"bits": 1}])
def test_what_is_no_table_at_all(change: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        changed(dyadic_table(30, "1/2", 12), **change)


def test_a_certificate_holds_the_whole_table() -> None:
    table = dyadic_table(30, "1/2", 12)
    document = table.certificate()
    assert document["head"] == [str(weight) for weight in table.head]
    assert {name: document[name] for name in ("n", "epsilon", "tail", "last", "bits")} == {
        "n": "30",
        "epsilon": "1/2",
        "tail": "4",
        "last": "16",
        "bits": 12,
    }


def test_the_search_for_the_centre_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: about ten tables are tried, not one for each of the 64 bits of w_0."""
    made: list[int] = []
    built = tables._least_weights

    def noted(centre: int, ratio: mpq, n: int) -> tuple[list[int], int, int]:
        made.append(centre)
        return built(centre, ratio, n)

    monkeypatch.setattr(tables, "_least_weights", noted)
    for n, epsilon, word in ((10**9, "1/10", 64), (10**9, "1/100", 128), (200, "1/10", 48), (10**17, "1/10", 64)):
        made.clear()
        dyadic_table(n, epsilon, word)
        assert len(made) <= 14


def test_sampled_releases_look_like_the_law() -> None:
    """A sampled check: 20,000 releases against the exact law, by a bound that fails with probability below 10^-9."""
    mechanism, coins = DyadicSample(20, 1), StrictCoins(SeededBits(7, not_private=True))
    law, samples = spec.dyadic_sample(20, 1, 64, 8), 20_000
    counts = [0] * 21
    for _ in range(samples):
        counts[mechanism.release(8, coins)] += 1
    # Hoeffding: 2 * 21 * exp(-2 * samples * 0.03^2) < 10^-9 for samples = 20,000
    assert all(abs(mpq(k, samples) - law[z]) < mpq(3, 100) for z, k in enumerate(counts))


def test_laws_sum_to_one() -> None:
    mechanism = DyadicSample(9, "5/7", 20)
    for count in range(10):
        values = [mechanism.cdf(count, z) for z in range(-1, 10)]
        assert (values[0], values[-1]) == (0, 2**20)
        assert Pmf({z: b - a for z, (a, b) in enumerate(pairwise(values))}) == spec.dyadic_sample(9, "5/7", 20, count)
    assert mechanism.scaled_cdf(3) == mechanism.cdf(0, 3)


@pytest.mark.parametrize(
    ("bits", "n", "head", "tail", "last", "broken"),
    [
        (4, 2, (2,), 1, 6, r"\(i\) fails: w_0 > R w_1"),  # 2 * 2 = 3 * 1 + 1
        (3, 1, (), 2, 3, r"\(ii\) fails: S_0 > R S_1"),  # 2 * 5 = 3 * 3 + 1
    ],
)
def test_a_table_that_exceeds_its_ratio_by_the_smallest_step_is_refused(
    bits: int, n: int, head: tuple[int, ...], tail: int, last: int, broken: str
) -> None:
    """Every other condition holds: nothing but the comparison with R = 3/2 stands in the way."""
    with pytest.raises(ClaimError, match=broken):
        DyadicTable(mpq(1), mpq(3, 2), bits, n, head, tail, last)
