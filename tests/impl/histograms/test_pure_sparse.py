"""finitedp.impl.histograms.pure_sparse. The exact laws are in the ledger."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import ceil_log, compare_exp
from finitedp.impl.arithmetic.kernels import least_reaching
from finitedp.impl.counting import geometric as counting
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms import binomial, order_statistics
from finitedp.impl.histograms.distinct import OrderStatisticTree
from finitedp.impl.histograms.pure_sparse import (
    PureSparseHistogram,
    pure_sparse_accuracy,
    pure_sparse_histogram_with_fast_sample,
    pure_sparse_histogram_with_geo_sample,
    random_histogram,
)
from finitedp.impl.histograms.universe import Integers, Strings, as_universe
from finitedp.impl.randomness.coins import BitMeter, Coins, ExactCoins, SeededBits, StrictCoins, slack_of, strict_bits
from finitedp.proofs_check.checks.work import work_of
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from tests.sampling import sampled

LARGE = Integers(0, 2**64 - 1)


class FirstWord:
    """Bits whose first word decides which output is kept."""

    def __init__(self, random: bool, seed: int = 1) -> None:
        self.random, self.read, self.rest = random, False, SeededBits(seed, not_private=True)

    def __call__(self, b: int) -> int:
        first, self.read = not self.read, True
        return self.rest(b) if not first else 0 if self.random else 2**b - 1


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def pure(n: int, guarded: bool = True) -> PureSparseHistogram[int]:
    return pure_sparse_histogram_with_geo_sample(LARGE, n, 1, "1/20", guarded=guarded)


def with_its_tails(made: PureSparseHistogram[int], n: int) -> PureSparseHistogram[int]:
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


class Draw(int):
    """A draw or rank that counts some of the comparisons that are made with it."""

    made = 0

    def __ge__(self, other: int) -> bool:
        Draw.made += 1
        return int(self) >= other

    def __le__(self, other: int) -> bool:
        Draw.made += 1
        return int(self) <= other

    def __sub__(self, other: int) -> "Draw":
        return Draw(int(self) - other)


class Counted(StrictCoins):
    """Coins whose first draw, the choice, counts what it is compared with."""

    chosen = False

    def uniform(self, d: int, most: int | None = None) -> int:
        drawn = super().uniform(d, most)
        first, self.chosen = not self.chosen, True
        return Draw(drawn) if first else drawn


@pytest.fixture
def comparisons(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How many comparisons of draws were made since the last time of asking."""
    walk = OrderStatisticTree.free
    Draw.made = 0

    def counted(cdf: Any, n: int, u: int) -> int:
        def probe(z: int) -> int:
            Draw.made += 1
            return int(cdf(z))

        return least_reaching(probe, n, u)

    for module in (counting, binomial, order_statistics):
        monkeypatch.setattr(module, "least_reaching", counted)
    monkeypatch.setattr(OrderStatisticTree, "free", lambda tree, rank: walk(tree, Draw(rank)))

    def made() -> int:
        found, Draw.made = Draw.made, 0
        return found

    return made


# What is released


UNIVERSES: list[Any] = [LARGE, range(-3, 10**6), Strings(8), ["z", ("b", 1), None, 4, "e", "a", -1, "\udcff", b"x", "", ()]]


@given(st.sampled_from(UNIVERSES), st.integers(1, 5), st.integers(0, 2**32), st.booleans(), st.data())
def test_at_most_n_labels_in_the_order_of_the_universe_with_counts_from_1_to_n(
    labels: Any, n: int, seed: int, random: bool, data: st.DataObject
) -> None:
    universe = as_universe(labels)
    rows = [universe.label(i) for i in data.draw(st.lists(st.integers(0, universe.size - 1), max_size=n))]
    made: PureSparseHistogram[Any] = pure_sparse_histogram_with_geo_sample(labels, n, "1/3", "1/9")
    released = made.release(rows, StrictCoins(FirstWord(random, seed)))
    found = [universe.index(label) for label, _ in released]
    assert len(released) <= n
    assert found == sorted(set(found))
    assert all(1 <= count <= n for _, count in released)


@given(st.sampled_from(UNIVERSES), st.integers(1, 30), st.integers(0, 2**32))
def test_a_random_histogram_has_at_most_n_labels_in_order(labels: Any, n: int, seed: int) -> None:
    universe, meter = as_universe(labels), BitMeter(SeededBits(seed, not_private=True))
    released = random_histogram(universe, n, StrictCoins(meter))
    found = [universe.index(label) for label, _ in released]
    assert found == sorted(set(found))
    assert len(found) <= n
    assert all(1 <= count <= n for _, count in released)
    assert meter.reads == 2 * n
    assert meter.total_bits == n * (strict_bits(universe.size) + strict_bits(n + 1))


def test_a_label_drawn_twice_has_its_first_count() -> None:
    answers = iter([4, 2, 4, 5, 1 + 1, 1 + 3, 1 + 4, 1 + 0])  # labels 3, 1, 3, 4 with counts 1, 3, 4, 0

    class Told(ExactCoins):
        """Coins that answer what they are told."""

        def uniform(self, d: int, most: int | None = None) -> int:
            return next(answers)

    assert random_histogram(Integers(0, 9), 4, Told()) == ((1, 3), (3, 1))


@pytest.mark.parametrize("n", [1, 4, 20])
def test_a_random_output_does_not_see_the_data_and_the_other_is_the_sparse_histogram(n: int) -> None:
    made = pure(n)
    for seed in (1, 2):
        randoms = {made.release(rows[:n], StrictCoins(FirstWord(True, seed))) for rows in datasets(n)}
        assert len(randoms) == 1
        for rows in datasets(n):
            kept = made.release(rows[:n], StrictCoins(FirstWord(False, seed)))
            assert kept == made.sparse.release(rows[:n], coins(seed))


@pytest.mark.deep
@given(st.integers(0, 2**32), st.booleans(), st.integers(0, 3))
def test_the_guard_changes_no_result(seed: int, random: bool, which: int) -> None:
    rows = datasets(9)[which]
    both = [pure(9, guarded).release(rows, StrictCoins(FirstWord(random, seed))) for guarded in (True, False)]
    assert both[0] == both[1]


# What it costs


@pytest.mark.parametrize("random", sampled([False, True], 1), ids=["sparse is kept", "random is kept"])
@pytest.mark.parametrize("n", [20, 60])
def test_draws_and_bits_are_the_stated_ones(n: int, random: bool) -> None:
    made = pure(n)
    cost = made.cost()
    assert cost.exact
    assert cost.draws == 5 * n + 2
    for rows in datasets(n):
        for seed in (1, 2):
            meter = BitMeter(FirstWord(random, seed))
            made.release(rows, StrictCoins(meter))
            assert (meter.reads, meter.total_bits) == (cost.draws, cost.bits)


@pytest.mark.parametrize("guarded", sampled([True, False], 1))
@pytest.mark.parametrize("random", [False, True], ids=["sparse is kept", "random is kept"])
def test_comparisons_are_the_stated_ones(comparisons: Callable[[], int], random: bool, guarded: bool) -> None:
    made = pure(20, guarded)
    for rows in datasets(20):
        made.release(rows, Counted(FirstWord(random)))
        assert comparisons() == made.cost().steps


def test_more_steps_are_never_seen() -> None:
    assert 0 < pure(60).cost().otherwise < mpq(1, 2**256)
    assert pure(20, guarded=False).cost().otherwise == 0


@pytest.mark.deep
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("random", [False, True], ids=["sparse is kept", "random is kept"])
def test_the_same_functions_are_called_for_every_dataset_and_draw(random: bool, guarded: bool) -> None:
    """With n + 1 a power of two, so that no probe of a search is moved to the end."""
    made = with_its_tails(pure(15, guarded), 15)
    sources = [StrictCoins(FirstWord(random, seed)) for seed in range(8)]
    works = [work(lambda: made.release(rows, sources.pop())) for rows in datasets(15) for _ in (1, 2)]  # noqa: B023  # at once
    assert all(found == works[0] for found in works)


@pytest.mark.parametrize("guarded", [True, False])
def test_the_same_functions_are_called_whichever_output_is_kept(guarded: bool) -> None:
    """Which one it is, is not to be told: without the choice hidden the release is that of SparseHistogram."""
    made, sources = with_its_tails(pure(15, guarded), 15), [StrictCoins(FirstWord(random)) for random in (True, False)]
    works = [work(lambda: made.release([1, 2, 2], source)) for source in sources]  # noqa: B023  # at once
    assert works[0] == works[1]


# Claims


@pytest.mark.parametrize(("n", "q", "k"), [(20, 1, 1), (60, 10, 5), (30, 3, 3), (5, 64, 7)])
def test_the_claim_is_keep_heavy_s_ratio_and_pure(n: int, q: int, k: int) -> None:
    made = pure_sparse_histogram_with_geo_sample(LARGE, n, mpq(1, q), "1/20")
    ratio = (1 + mpq(1, 2**k)) ** 2
    claim, strict = made.claim(), made.claim(StrictCoins())
    assert (claim.epsilon, claim.delta, claim.ratio, claim.neighbours) == (mpq(1, q), mpq(0), ratio, "replace-one")
    assert made.claim(ExactCoins()) == claim
    assert strict.ratio == ratio * slack_of(StrictCoins(), 5 * n + 2)
    assert strict.ratio >= ratio * StrictCoins.slack ** (5 * n + 2)
    assert compare_exp(strict.ratio, mpq(1, q)) < 0
    assert (strict.epsilon, strict.delta) == (mpq(1, q), mpq(0))


def test_the_claim_where_inequality_3_1_needs_more_than_keep_heavy_s_ratio() -> None:
    made: PureSparseHistogram[int] = PureSparseHistogram(ToyGeometric(2, mpq(99, 100)), range(9), 1, "1/2")
    ratio = made.claim().ratio
    assert ratio is not None
    distance, least = made.sparse.distance, mpq(2, 27**2)
    assert ratio > mpq(100, 99) ** 2
    assert (ratio - 1) / (ratio + 1) * least == distance  # beta_1/(1 - beta_1) is 1
    assert compare_exp(ratio, 1) < 0


def test_the_claim_of_a_mechanism_without_a_ratio() -> None:
    class Plain(ToyGeometric):
        """A toy that states no ratio."""

        def claim(self, coins: Any = None) -> Any:
            from attrs import evolve

            return evolve(super().claim(coins), ratio=None)

    made: PureSparseHistogram[int] = PureSparseHistogram(Plain(2, mpq(4, 5)), range(9), 1, "1/2")
    assert (made.claim().epsilon, made.claim().ratio) == (mpq(1), None)
    with pytest.raises(ParameterError, match="exactly uniform draws only"):
        made.claim(StrictCoins())


def test_the_distance_is_the_one_of_step_1() -> None:
    made = pure(20)
    assert made.sparse.delta == mpq(1, 3 * 80 * (3 * 2**64) ** 20)
    assert made.sparse.s == 1 << (440 * 2**64 * 240 * (3 * 2**64) ** 20 - 1).bit_length()


def test_the_instances_of_theorem_6_11_and_figure_5() -> None:
    assert pure_sparse_histogram_with_geo_sample(LARGE, 30, "1/2", "1/20") == PureSparseHistogram(
        GeoSample(30, "1/2"), LARGE, "1/2", "1/80"
    )
    assert pure_sparse_histogram_with_fast_sample(Integers(0, 98), 30, "1/2", "1/20", guarded=False) == PureSparseHistogram(
        FastSample(30, "1/2", mpq(1, 8 * 99 * 20)), Integers(0, 98), "1/2", "1/80", False
    )


@pytest.mark.parametrize(("size", "q", "beta"), [(2**64, 1, "1/20"), (2**64, 10, "1/3"), (121, 2, "1/1000")])
def test_the_accuracy_of_the_theorem_by_logarithms(size: int, q: int, beta: str) -> None:
    b, scale = mpq(beta), mpq(9 * q, 2)
    for fast, twice in ((False, 1), (True, 2)):
        single, above, every = pure_sparse_accuracy(size, mpq(1, q), beta, fast=fast)
        assert (single.a, single.beta, single.kind) == (ceil_log(scale, 4 * twice / b), b, "per-query")
        assert above == 2 * ceil_log(scale, 4 * twice * size / b)
        assert (every.a, every.beta, every.kind) == (2 * ceil_log(scale, 2 * twice * size / b), b, "simultaneous")


def test_the_accuracy_of_the_theorem_by_hand() -> None:
    single, above, every = pure_sparse_accuracy(2**64, 1, "1/20")
    # 4.5 ln 80 = 19.7; 4.5 (64 ln 2 + ln 80) = 219.3; 4.5 (64 ln 2 + ln 40) = 216.2
    assert (single.a, above, every.a) == (20, 440, 434)


@pytest.mark.parametrize(("q", "b"), [(1, 20), (10, 2), (3, 1000)])
def test_the_theorem_s_accuracy_covers_the_instance_s_own(q: int, b: int) -> None:
    """At the beta for which 2 beta_1 + 2 beta, or 2 beta_1 + beta, is beta_0."""
    made = pure_sparse_histogram_with_geo_sample(LARGE, 60, mpq(1, q), mpq(1, b))
    stated = pure_sparse_accuracy(2**64, mpq(1, q), mpq(1, b))
    per_query, _, _ = made.accuracy(mpq(1, 4 * b))
    _, _, simultaneous = made.accuracy(mpq(1, 2 * b))
    assert (per_query.beta, simultaneous.beta) == (mpq(1, b), mpq(1, b))
    assert per_query.a <= stated[0].a
    assert made.accuracy(mpq(1, 4 * b))[1] <= stated[1]
    assert simultaneous.a <= stated[2].a


def test_accuracy_is_the_mechanism_s_and_twice_beta_1() -> None:
    made = pure(60)
    single, above, every = made.accuracy("1/10")
    one, all_labels = (GeoSample(60, 1).accuracy(b).a for b in (mpq(1, 10), mpq(1, 10 * 2**64)))
    assert (single.a, single.beta, single.kind) == (one, mpq(2, 80) + mpq(2, 10), "per-query")
    assert above == every.a == 2 * all_labels
    assert (every.beta, every.kind) == (mpq(2, 80) + mpq(1, 10), "simultaneous")


# What is refused


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PureSparseHistogram(GeoSample(3, 1), range(6), 1, "1/4"), r"\|X\| = 6 is below 2n \+ 1 = 7.*BasicHistogram"),
        (lambda: pure_sparse_histogram_with_geo_sample(Integers(0, 5), 3, 1, "1/4"), r"\|X\| = 6 is below.*BasicHistogram"),
        (lambda: pure_sparse_histogram_with_fast_sample(Integers(0, 5), 3, 1, "1/4"), r"\|X\| = 6 is below.*BasicHistogram"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 1, 1), "beta_1 = 1 is not admissible.* is 1/2"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 1, 0), "beta_1 = 0 is not positive"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 1, "2/7"), "beta_1 = 2/7 is not admissible.* is 1/4"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, "2/3", "1/4"), "epsilon = 2/3 is not admissible.* is 1/2"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 2, "1/4"), "epsilon = 2 is not admissible.* is 1/1"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 0, "1/4"), "epsilon = 0 is not positive"),
        (lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, 0.5, "1/4"), r"epsilon = 0\.5 is a float"),  # type: ignore[arg-type]
        (
            lambda: PureSparseHistogram(GeoSample(3, 1), LARGE, "1/2", "1/4"),
            r"the mechanism claims \(1/2, 0\); accepted: at most \(epsilon/2, 0\) = \(1/4, 0\)",
        ),
        (lambda: PureSparseHistogram(None, LARGE, 1, "1/4"), "mechanism = None has no n"),  # type: ignore[arg-type]
        (lambda: pure_sparse_histogram_with_geo_sample(LARGE, 3, 1, 2), "beta_0 = 2 is not admissible"),
        (lambda: pure_sparse_histogram_with_geo_sample(LARGE, 0, 1, 1), "n = 0 is out of range"),
        (lambda: pure_sparse_histogram_with_fast_sample(LARGE, 3, 1, "2/3"), "beta_0 = 2/3 is not admissible"),
        (lambda: pure_sparse_histogram_with_geo_sample(Strings(10**6), 100, 1, 1), r"s needs about \d+ bits; accepted"),
        (lambda: pure(3).accuracy("1/2"), "beta = 41/40 is out of range"),
        (lambda: pure(3).accuracy(0), "beta = 0 is out of range"),
        (lambda: pure_sparse_accuracy(100, 1, 0), "beta = 0 is out of range"),
        (lambda: pure_sparse_accuracy(0, 1, "1/2"), "universe_size = 0 is out of range"),
        (lambda: pure_sparse_accuracy(100, "2/3", "1/2"), "epsilon = 2/3 is not admissible"),
    ],
)
def test_wrong_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_a_mechanism_with_a_delta_is_refused() -> None:
    class Approximate(ToyGeometric):
        """A toy that claims some delta."""

        stated = mpq(0)

        def claim(self, coins: Coins | None = None) -> PrivacyClaim:
            return evolve(super().claim(coins), ratio=None, delta=self.stated)

    toy = Approximate(3, mpq(2, 3))
    assert PureSparseHistogram(toy, range(9), 1, "1/4").claim().delta == 0
    Approximate.stated = mpq(1, 10**30)
    with pytest.raises(ParameterError, match="the mechanism"):
        PureSparseHistogram(toy, range(9), 1, "1/4")


@pytest.mark.parametrize("random", [False, True], ids=["sparse is kept", "random is kept"])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([2**64], f"the label {2**64} is outside of the universe"),
        ([-1], "the label -1 is outside"),
        ([1, 1, 2, 2], "the dataset has more than n = 3 rows"),
        ([1] * 4, "count of 1 = 4 is out of range"),
    ],
)
def test_wrong_data_is_refused_before_a_draw(rows: list[int], message: str, random: bool) -> None:
    meter = BitMeter(FirstWord(random))
    with pytest.raises(DataError, match=message):
        pure(3).release(rows, StrictCoins(meter))
    with pytest.raises(DataError, match="count of 5 = -1 is out of range"):
        pure(3).release_counts({5: -1}, StrictCoins(meter))
    assert meter.reads == 0


class Recorded:
    """Strict coins that keep the bounds that draws are asked for by."""

    slack = StrictCoins.slack

    def __init__(self) -> None:
        self.bounds = Counter[int]()
        self._coins = StrictCoins(SeededBits(3, not_private=True))

    def uniform(self, d: int, most: int | None = None) -> int:
        self.bounds[int(most or d)] += 1
        return self._coins.uniform(d, most)

    def bits(self, b: int) -> int:
        return self._coins.bits(b)


def test_labels_are_drawn_from_all_of_a_large_universe() -> None:
    """BV.Thm6.10.iv compares all draws at small |X|, where no bound of 32 or 64 bits shows."""
    made = pure_sparse_histogram_with_geo_sample(Integers(0, 2**128 - 1), 3, 1, mpq(1, 2))
    for data in ([], [5, 5, 2**127]):
        drawn = Recorded()
        made.release(data, drawn)
        expected = {made.beta_1.denominator: 1, made.mechanism.d: 3, 2**128: 3 + 4, made.sparse.s: 3, 4: 3}
        assert drawn.bounds == expected
