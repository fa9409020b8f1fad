"""finitedp.impl.histograms.sampled_sparse. The exact laws are in the ledger."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.exact import compare_exp, exp_bounds
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting import geometric as counting
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms import binomial, order_statistics
from finitedp.impl.histograms.distinct import OrderStatisticTree
from finitedp.impl.histograms.sampled_sparse import (
    SampledKeepHeavy,
    SparseHistogram,
    claimed_on,
    sparse_histogram_with_fast_sample,
)
from finitedp.impl.histograms.universe import Integers, Listed, Strings, as_universe
from finitedp.impl.randomness.coins import BitMeter, Coins, ExactCoins, SeededBits, StrictCoins, UnusedDraws, slack_of
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from tests.sampling import sampled

LARGE = Integers(0, 2**64 - 1)
DELTA = mpq(1, 2**1000)  # so that s has more bits than the guard


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def sparse(n: int, guarded: bool = True, delta: mpq = DELTA) -> SparseHistogram[int]:
    return SparseHistogram(GeoSample(n, 1), LARGE, delta, guarded)


def with_its_tails(made: SparseHistogram[int], n: int) -> SparseHistogram[int]:
    """The same, after its mechanism has computed what it remembers from then on, which is work of the first release alone."""
    for z in range(n):
        made.mechanism.cdf(n, z)
    return made


def datasets(n: int) -> list[list[int]]:
    """No label, one label n times, n labels, and something between."""
    return [[], [2**63] * n, list(range(n)), [5, 5, 2**64 - 1]]


def work(run: Callable[[], object]) -> Counter[str]:
    """The functions called, but for those that read the dataset or write the result."""
    reading = (".index", ".label", ".size", "indexed", "heavier_than", "_count_of", "<genexpr>")
    return Counter({name: times for name, times in work_of(run).items() if not any(part in name for part in reading)})


class Rank(int):
    """A rank that counts the comparisons that are made with it."""

    made = 0

    def __ge__(self, other: int) -> bool:
        Rank.made += 1
        return int(self) >= other

    def __sub__(self, other: int) -> "Rank":
        return Rank(int(self) - other)


@pytest.fixture
def comparisons(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many comparisons of draws were made since the last time of asking."""
    walk = OrderStatisticTree.free
    Rank.made = 0

    def counted(cdf: Any, n: int, u: int) -> int:
        def probe(z: int) -> int:
            Rank.made += 1
            return int(cdf(z))

        return least_reaching(probe, n, u)

    for module in (counting, binomial, order_statistics):
        monkeypatch.setattr(module, "least_reaching", counted)
    monkeypatch.setattr(OrderStatisticTree, "free", lambda tree, rank: walk(tree, Rank(rank)))

    def made() -> int:
        found, Rank.made = Rank.made, 0
        return found

    return made


# What is released


UNIVERSES: list[Any] = [
    LARGE,
    range(-3, 10**6),
    Strings(8),
    ["z", ("b", 1), None, 4, "e", "a", -1, "\udcff", frozenset({1}), b"x", 2**70, "", (), "q", "r"],
]


@given(st.sampled_from(UNIVERSES), st.integers(1, 7), st.integers(0, 2**32), st.data())
def test_at_most_n_labels_in_the_order_of_the_universe_with_counts_from_1_to_n(
    labels: Any, n: int, seed: int, data: st.DataObject
) -> None:
    universe = as_universe(labels)
    positions = data.draw(st.lists(st.one_of(st.integers(0, 5), st.integers(0, universe.size - 1)), max_size=n))
    rows = [universe.label(i) for i in positions]
    for delta in (mpq(1, 10), DELTA):
        made: SparseHistogram[Any] = SparseHistogram(GeoSample(n, 1), labels, delta)
        released = made.release(rows, coins(seed))
        found = [universe.index(label) for label, _ in released]
        assert len(released) <= n
        assert found == sorted(set(found))
        assert all(1 <= count <= n for _, count in released)


@pytest.mark.parametrize(
    ("labels", "rows", "expected"),
    [
        (Integers(-9, 9), [4, -9, 4, 4, -9], [(-9, 2), (4, 3)]),
        (["z", None, "a", *range(20)], ["a", "z", "z", None, "a"], [("z", 2), (None, 1), ("a", 2)]),
        (Strings(3), ["b", "\u00e9", "b", "", "B"], [("", 1), ("B", 1), ("b", 2), ("\u00e9", 1)]),
    ],
    ids=["integers", "mixed", "strings"],
)
def test_sampled_counts_come_out_with_hardly_any_noise(
    labels: Any, rows: Sequence[Any], expected: list[tuple[Any, int]]
) -> None:
    """A draw that is off has a probability below 1/100, and the seed is fixed."""
    toy = ToyGeometric(5, mpq(1, 10**4))
    both: list[Any] = [SparseHistogram(toy, labels, mpq(1, 1000)), SampledKeepHeavy(toy, labels)]
    for made in both:
        if as_universe(labels).size < 10**6:
            assert made.release(rows, coins()) == tuple(expected)


@pytest.mark.deep
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 20]), st.integers(0, 3))
def test_the_guard_changes_no_result(seed: int, n: int, which: int) -> None:
    rows = datasets(n)[which][:n]
    assert sparse(n).release(rows, coins(seed)) == sparse(n, guarded=False).release(rows, coins(seed))


def test_counts_and_rows_are_the_same_data() -> None:
    made = sparse(5)
    assert made.release([7, 1, 7], coins(3)) == made.release_counts({1: 1, 9: 0, 7: 2}, coins(3))
    exact: SampledKeepHeavy[int] = SampledKeepHeavy(GeoSample(5, 1), range(11))
    assert exact.release([7, 1, 7], coins(3)) == exact.release_counts({7: 2, 1: 1}, coins(3))


# What it costs


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("n", sampled([20, 31, 60], 1))
def test_draws_bits_and_comparisons_are_the_stated_ones(comparisons: Callable[[], int], n: int, guarded: bool) -> None:
    made = sparse(n, guarded)
    cost = made.cost()
    assert cost.exact
    assert cost.draws == 3 * n + 1
    for rows in datasets(n):
        for seed in (1, 2):
            meter = BitMeter(SeededBits(seed, not_private=True))
            made.release(rows, StrictCoins(meter))
            assert (meter.reads, meter.total_bits, comparisons()) == (cost.draws, cost.bits, cost.steps)


def test_more_steps_are_never_seen() -> None:
    assert 0 < sparse(60).cost().otherwise < mpq(1, 2**256)
    assert sparse(60, guarded=False).cost().otherwise == 0
    assert sparse(60, delta=mpq(1, 10)).cost().otherwise == 0  # an s below the guard's denominator needs no guard


@pytest.mark.deep
@pytest.mark.parametrize("guarded", sampled([True, False], 1))
def test_the_same_functions_are_called_for_every_dataset_and_draw(guarded: bool) -> None:
    """With n + 1 a power of two, so that no probe of a search is moved to the end."""
    made = with_its_tails(sparse(31, guarded), 31)
    works = [work(lambda: made.release(rows, coins(seed))) for rows in datasets(31) for seed in (1, 2, 3)]  # noqa: B023
    assert all(found == works[0] for found in works)
    assert works[0]["approx_binomial_cdf"] == 92  # 1 round for each of 31 + 31 + 16 + 8 + 4 + 2


@pytest.mark.deep
@pytest.mark.parametrize("n", [20, 40])
def test_the_same_functions_are_called_for_every_dataset_and_draw_where_probes_are_moved(n: int) -> None:
    made = with_its_tails(sparse(n), n)
    works = [work(lambda: made.release(rows, coins(seed))) for rows in datasets(n) for seed in (1, 2, 3)]  # noqa: B023
    assert all(found == works[0] for found in works)


@pytest.mark.deep
@pytest.mark.parametrize("guarded", sampled([True, False], 1))
def test_the_same_functions_are_called_where_draws_are_not_used(guarded: bool) -> None:
    made, strict = with_its_tails(sparse(31, guarded), 31), coins()
    unused: Coins = UnusedDraws(strict)
    used = work(lambda: made.release([], strict))
    for rows in datasets(31):
        found = work(lambda: made.release(rows, unused))  # noqa: B023  # at once
        assert found == used + Counter({"UnusedDraws.uniform": 94})


# Claims


@pytest.mark.parametrize(("n", "q", "k"), [(20, 1, 1), (60, 10, 5), (30, 3, 3)])
def test_the_claim_is_kept_heavy_s_at_a_delta(n: int, q: int, k: int) -> None:
    made: SparseHistogram[int] = SparseHistogram(GeoSample(n, mpq(1, q)), LARGE, "1/1000000")
    ratio = (1 + mpq(1, 2**k)) ** 2
    claim, strict = made.claim(), made.claim(StrictCoins())
    assert (claim.epsilon, claim.neighbours, claim.ratio) == (mpq(1, q), "replace-one", None)
    assert claim.delta == (ratio + 1) * mpq(1, 10**6)
    assert made.claim(ExactCoins()) == claim
    slack = slack_of(StrictCoins(), 3 * n + 1)
    assert strict.delta == (ratio * slack + 1) * mpq(1, 10**6) * slack
    assert claim.delta < strict.delta < claim.delta * (1 + mpq(1, 2**100))
    assert made.distance <= made.delta < 2 * made.distance


def test_a_delta_of_at_most_1_is_stated() -> None:
    assert SparseHistogram(GeoSample(2, 1), LARGE, "1/2").claim().delta == 1


def test_the_claim_of_a_mechanism_without_a_ratio_is_at_e_to_the_epsilon() -> None:
    class Plain(ToyGeometric):
        """A toy that states no ratio."""

        def claim(self, coins: Coins | None = None) -> Any:
            return evolve(super().claim(coins), ratio=None)

    made: SparseHistogram[int] = SparseHistogram(Plain(2, mpq(1, 2)), range(9), "1/100")
    low, high = exp_bounds(2)
    assert (low + 1) / 100 < made.claim().delta <= (high + 1) / 100
    with pytest.raises(ParameterError, match="exactly uniform draws only"):
        made.claim(StrictCoins())
    with pytest.raises(ParameterError, match="exactly uniform draws only"):
        SampledKeepHeavy(Plain(2, mpq(1, 2)), range(9)).claim(StrictCoins())


class Approximate(ToyGeometric):
    """A toy that claims a delta of 1/100 as well."""

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        return evolve(super().claim(coins), ratio=None, delta=mpq(1, 100))


def test_a_mechanism_s_delta_counts_twice() -> None:
    toy = Approximate(2, mpq(1, 2))
    exact: SampledKeepHeavy[int] = SampledKeepHeavy(toy, range(9))
    assert claimed_on(toy, None, 7, "") == PrivacyClaim(2, "replace-one", mpq(1, 50))
    assert (exact.claim().epsilon, exact.claim().delta) == (mpq(2), mpq(1, 50))
    made: SparseHistogram[int] = SparseHistogram(toy, range(9), "1/1000")
    for claim in (made.claim(), made.claim(ExactCoins())):
        assert (claim.epsilon, claim.delta) == (mpq(2), mpq(1, 50) + (exp_bounds(2)[1] + 1) * mpq(1, 1000))


def test_the_claim_of_the_exact_sampler() -> None:
    exact: SampledKeepHeavy[int] = SampledKeepHeavy(GeoSample(2, 1), range(9))
    assert exact.claim().ratio == exact.claim(ExactCoins()).ratio == mpq(9, 4)
    strict = exact.claim(StrictCoins())
    assert strict.ratio == mpq(9, 4) * slack_of(StrictCoins(), 7)
    assert compare_exp(mpq(9, 4) * StrictCoins.slack**7, strict.epsilon) < 0
    assert strict.ratio >= mpq(9, 4) * StrictCoins.slack**7
    assert (strict.epsilon, strict.delta, strict.neighbours) == (mpq(1), mpq(0), "replace-one")


def test_the_exact_sampler_s_draws_are_counted_and_its_bits_bounded() -> None:
    exact: SampledKeepHeavy[int] = SampledKeepHeavy(GeoSample(3, 1), range(20))
    for rows in ([], [4] * 3, [1, 2, 3]):
        meter = BitMeter()
        exact.release(rows, StrictCoins(meter))
        assert meter.reads == exact.cost().draws == 10
        assert meter.total_bits <= exact.cost().bits
    assert not exact.cost().exact


def test_the_exact_sampler_over_a_large_universe() -> None:
    exact: SampledKeepHeavy[int] = SampledKeepHeavy(GeoSample(1, 1), range(2**64))
    meter = BitMeter()
    for rows in ([], [2**63], [2**64], [1, 2]):  # refused whatever the data is
        with pytest.raises(ParameterError, match=f"m = {2**64} needs integers of about"):
            exact.release(rows, StrictCoins(meter))
    assert meter.reads == 0


def test_the_claim_of_the_exact_sampler_over_a_large_universe() -> None:
    """It is the one of KeepHeavy over 3n + 1 draws; no integer of about |X| bits is needed to state it."""
    assert SampledKeepHeavy(GeoSample(1, 1), range(2**64)).claim().ratio == mpq(9, 4)


def test_the_cost_of_the_exact_sampler_over_a_large_universe_is_a_number_or_refused() -> None:
    try:
        cost = SampledKeepHeavy(GeoSample(1, 1), range(2**64)).cost()
    except FinitedpError:
        return
    assert cost.bits >= 2**64


@pytest.mark.parametrize("beta", ["1/10", "1/3", "1/1000"])
def test_accuracy_is_the_mechanism_s_and_delta(beta: str) -> None:
    made: SparseHistogram[int] = SparseHistogram(GeoSample(60, "1/2"), LARGE, "1/1000")
    single, above, every = made.accuracy(beta)
    one, all_labels = (GeoSample(60, "1/2").accuracy(b).a for b in (mpq(beta), mpq(beta) / 2**64))
    assert (single.a, single.beta, single.kind) == (one, 2 * mpq(beta) + mpq(1, 1000), "per-query")
    assert above == every.a == 2 * all_labels
    assert (every.beta, every.kind) == (mpq(beta) + mpq(1, 1000), "simultaneous")


def test_the_instance_with_fast_sample_has_the_delta_that_was_asked_for() -> None:
    made = sparse_histogram_with_fast_sample(LARGE, 30, "1/2", "1/1000000", "1/20")
    assert made.mechanism == FastSample(30, "1/2", mpq(1, 8 * 20 * 2**64))
    claim = made.claim()
    assert (claim.epsilon, claim.neighbours) == (mpq(1, 2), "replace-one")
    assert mpq(9, 10) * mpq(1, 10**6) < claim.delta <= mpq(1, 10**6)
    assert made.claim(StrictCoins()).delta <= mpq(1, 10**6)
    assert 1 / made.delta >= (exp_bounds("1/2")[0] + 1) * 10**6 > 1 / made.delta - 1


# What is refused


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: SparseHistogram(GeoSample(3, 1), range(6), "1/10"), r"\|X\| = 6 is below 2n \+ 1 = 7.*BasicHistogram"),
        (lambda: SampledKeepHeavy(GeoSample(2, 1), ["a", "b", "c", "d"]), r"\|X\| = 4 is below 2n \+ 1 = 5.*BasicHistogram"),
        (lambda: SparseHistogram(GeoSample(3, 1), LARGE, 0), "delta = 0 is not positive; accepted: 1/q"),
        (lambda: SparseHistogram(GeoSample(3, 1), LARGE, "-1/2"), "delta = -1/2 is not positive"),
        (lambda: SparseHistogram(GeoSample(3, 1), LARGE, 1), "delta = 1 is not admissible.*the next admissible value is 1/2"),
        (lambda: SparseHistogram(GeoSample(3, 1), LARGE, "2/7"), "delta = 2/7 is not admissible.* 1/4"),
        (lambda: SparseHistogram(GeoSample(3, 1), LARGE, 0.1), r"delta = 0\.1 is a float"),  # type: ignore[arg-type]
        (lambda: SparseHistogram(GeoSample(3, 1), range(9), "1/10", s=1349), "s = 1349 is out of range.* at least 1350"),
        (lambda: SparseHistogram(GeoSample(3, 1), range(9), "1/10", s=1350.0), r"s = 1350\.0 is not an integer"),  # type: ignore[arg-type]
        (lambda: SparseHistogram(None, LARGE, "1/10"), "mechanism = None has no n"),  # type: ignore[arg-type]
        (lambda: SampledKeepHeavy(GeoSample(1, 1), ["a", "b", "a"]), "a label twice"),
        (lambda: SampledKeepHeavy(GeoSample(1, 1), {"a", "b", "c"}), "has no order"),
        (lambda: SparseHistogram(GeoSample(1, 1), "abc", "1/2"), "has no order"),
        (lambda: SparseHistogram(GeoSample(1, 1), Listed(["a", "b"]), "1/2"), r"\|X\| = 2 is below"),
        (lambda: sparse(3).accuracy(0), r"beta = 0 is out of range; accepted: a rational in \(0, 1\]"),
        (lambda: sparse(3, delta=mpq(1, 10)).accuracy("1/2"), "beta = 11/10 is out of range"),
        (lambda: sparse_histogram_with_fast_sample(LARGE, 3, 1, 1, "1/20"), "delta = 1 is not admissible"),
        (lambda: sparse_histogram_with_fast_sample(LARGE, 3, 1, "1/20", 2), "beta_0 = 2 is not admissible"),
        (lambda: sparse_histogram_with_fast_sample(LARGE, 3, "2/3", "1/9", 1), "epsilon = 2/3 is not admissible"),
    ],
)
def test_wrong_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_the_paper_s_own_s_is_accepted() -> None:
    made: SparseHistogram[int] = SparseHistogram(GeoSample(3, 1), range(9), "1/10", s=1350)
    assert made.distance == mpq(1, 10)
    assert SparseHistogram(GeoSample(3, 1), range(9), "1/10").s == 2048


MAKERS: dict[str, Callable[[Any], Any]] = {
    "sparse": lambda universe: SparseHistogram(GeoSample(3, 1), universe, "1/10"),
    "exact": lambda universe: SampledKeepHeavy(GeoSample(3, 1), universe),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("universe", "counts", "message"),
    [
        (range(9), {9: 1}, r"the label 9 is outside of the universe 0\.\.8"),
        (range(9), {-1: 1}, "the label -1 is outside"),
        (range(9), {True: 1}, "the label True is outside"),
        (range(9), {"1": 1}, "the label '1' is outside"),
        (list("abcdefgh"), {"z": 1}, "the label 'z' is outside of the universe of 8 listed labels"),
        (Strings(2), {"abc": 1}, "the label 'abc' is not a string of at most 2 bytes"),
        (range(9), {1: 2, 2: 2}, "the dataset has more than n = 3 rows"),
        (range(9), {1: 4}, "count of 1 = 4 is out of range"),
        (range(9), {1: -1}, "count of 1 = -1 is out of range; accepted: an integer from 0 to 3"),
        (range(9), {1: 1.0}, r"count of 1 = 1\.0 is not an integer"),
    ],
)
def test_wrong_data(name: str, universe: Any, counts: dict[Any, Any], message: str) -> None:
    made = MAKERS[name](universe)
    with pytest.raises(DataError, match=message):
        made.release_counts(counts, coins())
    if all(isinstance(count, int) and count > 0 for count in counts.values()):
        with pytest.raises(DataError):
            made.release(Counter(counts).elements(), coins())
