from functools import cache

import pytest
from gmpy2 import mpq

from finitedp.errors import DataError, ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.anonymized.prevalences import checked_pairs, sorted_distance, total_of
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.impl.anonymized.released import Released
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.randomness.coins import BitMeter, SeededBits, StrictCoins
from finitedp.proofs_check.checks.outcomes import law_by_outcomes, with_listed_noise
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.anonymized import priv_hist as spec
from finitedp.spec.anonymized.histograms import Histogram, from_prevalences, histograms, prevalences
from finitedp.spec.dyadic import dyadic_sample
from tests.sampling import sampled

E = mpq(7, 5)
ZIPF = ((1, 500), (2, 167), (3, 83), (5, 60), (9, 30), (20, 17), (55, 6), (143, 2), (1000, 1))
Output = tuple[Histogram, int]


def _output(released: Released) -> Output:
    return from_prevalences(released.histogram), released.total


def _spec(mechanism: PrivHist) -> spec.Parameters:
    universe, word = mechanism.n, mechanism.word
    split, e3 = universe + 2, mechanism.epsilon3
    return spec.Parameters(
        universe,
        lambda total: spec.paper_threshold(total, mechanism.epsilon),
        lambda _: 1,
        cache(lambda v: dyadic_sample(universe, 2 * mechanism.epsilon1, word, v)),
        cache(lambda v: dyadic_sample(split, 2 * mechanism.epsilon2, word, v)),
        cache(lambda v: dyadic_sample(3 * universe, 2 * e3, word, v + universe).shifted(-universe)) if e3 else None,
        lambda _: 2,
        lambda total, s: spec.finite_stride(total, e3, s),
    )


def _running(mechanism: PrivHist, h: Histogram) -> dict[Output, mpq]:
    names = ("items", "parts", "blocks") if mechanism.branch == "smooth" else ("items", "parts")
    listed = with_listed_noise(mechanism, names)
    law = law_by_outcomes(lambda coins: _output(listed.release_pairs(prevalences(h), coins)), mechanism.word)
    return {out: law[out] for out in law}


@pytest.mark.parametrize("h", sampled([(), (1,), (2,), (1, 1)], 1))
def test_the_running_split_has_the_law_of_the_definition(h: Histogram) -> None:
    mechanism = PrivHist(2, 1, E, word=7, fakes=1)
    law = spec.split_law(h, _spec(mechanism))
    assert _running(mechanism, h) == {out: law[out] for out in law}


@pytest.mark.parametrize("h", [(), (1,)])
def test_the_running_smooth_branch_has_the_law_of_the_definition(h: Histogram) -> None:
    mechanism = PrivHist(1, 1, E, E, "smooth", word=7, fakes=1, last=2)
    law = spec.smooth_law(h, _spec(mechanism))
    assert _running(mechanism, h) == {out: law[out] for out in law}


@pytest.mark.deep
def test_the_running_split_with_three_items() -> None:
    mechanism = PrivHist(3, 1, E, word=7, fakes=1)
    law = spec.split_law((2, 1), _spec(mechanism))
    assert _running(mechanism, (2, 1)) == {out: law[out] for out in law}
    assert len(law) == 1307
    assert law[(2, 1), 3] == mpq(5543531415, 34359738368)


@pytest.mark.deep
def test_the_explorer_finds_the_same_law_from_the_words() -> None:
    mechanism = PrivHist(1, 1, E, word=5, fakes=1)
    law = explore(lambda coins: _output(mechanism.release_pairs(((1, 1),), coins))).law()
    assert law == spec.split_law((1,), _spec(mechanism))


class _Silent:
    """A table without noise."""

    def __init__(self, n: int) -> None:
        self.n = n

    def release(self, count: int, _coins: object) -> int:
        assert 0 <= count <= self.n
        return count


@pytest.mark.parametrize("branch", ["split", "smooth"])
@pytest.mark.parametrize("threshold", [None, "1/4", 3])
def test_without_noise_the_histogram_comes_back(branch: str, threshold: str | int | None) -> None:
    e3 = 1 if branch == "smooth" else 0
    mechanism = PrivHist(9, 1, 1, e3, branch, threshold, last=2 if e3 else None)
    for name in ("items", "parts", "blocks")[: 3 if e3 else 2]:
        mechanism.__dict__[name] = _Silent(getattr(mechanism, name).n)
    for h in histograms(7):
        released = mechanism.release_pairs(prevalences(h), StrictCoins())
        assert (released.histogram, released.total) == (prevalences(h), sum(h))


def test_the_numbers_that_are_public_are_the_paper_s() -> None:
    for epsilon in (mpq(1, 10), mpq(3, 7), mpq(6, 5), mpq(5, 2)):  # 6/5 spends 4/5, yet has the T of 6/5
        printed = priv_hist_as_printed(10**6, epsilon)
        for total in (1, 2, 3, 77, 4096, 10**6):
            assert printed.threshold_at(total) == spec.paper_threshold(total, epsilon)
            assert printed.fakes_at(total) == spec.paper_fakes(total, epsilon / 3)
            if printed.branch == "smooth":
                assert printed.last_at(total) == spec.paper_last(total, epsilon / 3)
                t, last = printed.threshold_at(total), printed.last_at(total)
                large = (last - 1, last, 2 * total, 2 * total + 1, last)
                if total < 5000:
                    stride = lambda s, n=total, e=epsilon / 3: spec.finite_stride(n, e, s)  # noqa: E731  # the grid's
                    assert printed.places_at(total, large) == spec.boundaries(total, t, last, stride, large)


def test_shares_of_epsilon_and_numbers_by_hand() -> None:
    split, smooth = priv_hist(1000, 1), priv_hist(1000, "1/25")
    assert (split.branch, split.epsilon1, split.epsilon2, split.epsilon3) == ("split", mpq(1, 20), mpq(19, 20), mpq(0))
    shares = (smooth.epsilon1, smooth.epsilon2, smooth.epsilon3)
    assert (smooth.branch, shares) == ("smooth", (mpq(1, 250), mpq(1, 125), mpq(7, 250)))
    assert [priv_hist(1000, 1, branch="smooth").branch, priv_hist(1000, "1/25", branch="split").branch] == ["smooth", "split"]
    # of one item 1/epsilon2 decides, as ln 1 = 0; of 1000, 2 + 2/epsilon2 ln 1000 = 16.5...
    assert (smooth.fakes_at(1), split.fakes_at(1000)) == (125, 17)
    # 2 + n/2 + 2M + T words at most
    assert (split.threshold_at(1000), split.cost().draws) == (16, 2 + 500 + 34 + 16)


@pytest.mark.parametrize("epsilon", sampled(["1/100", "1/10", "3/7", 1, 4], 2))
def test_the_claim_is_the_product_of_the_ratios(epsilon: str | int) -> None:
    for make in (priv_hist, priv_hist_as_printed):
        mechanism = make(10**6, epsilon)
        claim = mechanism.claim()
        assert claim.neighbours == "add-remove"
        assert claim.ratio is not None
        assert compare_exp(claim.ratio, claim.epsilon) <= 0
        spent = mpq(epsilon) * (mpq(2, 3) if make is priv_hist_as_printed and mechanism.branch == "split" else 1)
        assert claim.epsilon == spent
        replaced = mechanism.replace_one_claim()
        assert (replaced.ratio, replaced.neighbours) == (claim.ratio**2, "replace-one")


@pytest.mark.parametrize("epsilon", ["1/40", "1/10", 1])
def test_words_are_as_many_as_what_was_released_says(epsilon: str | int) -> None:
    for make in (priv_hist, priv_hist_as_printed):
        mechanism, meter = make(4000, epsilon), BitMeter(SeededBits(7, not_private=True))
        released = mechanism.release_pairs(ZIPF, StrictCoins(meter))
        assert meter.reads == mechanism.draws(released) <= mechanism.cost().draws
        assert meter.total_bits == meter.reads * mechanism.word


def test_a_release_is_near_at_large_epsilon() -> None:
    mechanism, coins = priv_hist(10**4, 20), StrictCoins(SeededBits(3, not_private=True))
    released = mechanism.release_pairs(ZIPF, coins)
    assert total_of(ZIPF) == 3609
    assert abs(released.total - 3609) <= 10
    assert sorted_distance(released.histogram, checked_pairs(ZIPF)) <= 10


@pytest.mark.parametrize("epsilon", ["1/40", 1])
def test_no_items_and_a_threshold_above_all_counts(epsilon: str | int) -> None:
    mechanism, coins = priv_hist(4000, epsilon), StrictCoins(SeededBits(5, not_private=True))
    for pairs in ((), ((1, 1),), ((1, 4000),)):
        for _ in range(20):
            released = mechanism.release_pairs(pairs, coins)
            assert checked_pairs(released.histogram) == released.histogram
            assert (released.total == 0) <= (released.histogram == ())


def _mean(mechanism: DyadicSample) -> mpq:
    """The mean of |Z| without a clamp: 2 (S_1 + ... + S_n) / 2^word."""
    table, head = mechanism.table, len(mechanism.table.sums) - 1  # S_j = w_n + (n - j) w_h from j = h on
    stretch = mechanism.n - head
    later = stretch * table.last + table.tail * (stretch * (stretch - 1) // 2)
    return mpq(2 * (sum(table.sums[1:]) + later), 1 << mechanism.word)


@pytest.mark.parametrize(
    ("n", "epsilon"), sampled([(4 * 10**5, "1/5"), (29 * 10**4, "1/10"), (10**5, "1/30"), (3 * 10**6, 20)], 1, names=2)
)
def test_words_are_long_enough_for_the_mean_of_the_noise(n: int, epsilon: str | int) -> None:
    chosen, longer = priv_hist(n, epsilon), priv_hist(n, epsilon, word=256)
    for one, other in zip(chosen.mechanisms, longer.mechanisms, strict=True):
        assert abs(_mean(one) - _mean(other)) < _mean(other) / 1000 + mpq(1, 10**6)


def test_words_of_64_bits_are_not_long_enough_for_large_n() -> None:
    short, chosen = (priv_hist(7 * 10**7, 4, word=word) for word in (64, None))
    assert chosen.word == 128
    assert _mean(short.parts) > _mean(chosen.parts) * mpq(1001, 1000) + mpq(1, 10**6)


def test_the_defaults_are_those_of_the_manual() -> None:
    for epsilon, branch, shares, threshold in (
        ("1/20", "split", ("1/20", "19/20", 0), mpq(1, 2)),
        ("1/21", "smooth", ("1/10", "1/5", "7/10"), None),
        (1, "split", ("1/20", "19/20", 0), mpq(1, 2)),
    ):
        made = priv_hist(1000, epsilon)
        assert (made.branch, made.threshold, made.word) == (branch, threshold, 64)
        assert [e / mpq(epsilon) for e in (made.epsilon1, made.epsilon2, made.epsilon3)] == [mpq(e) for e in shares]
    assert [priv_hist(7 * 10**7, e).word for e in ("1/10", 4)] == [128, 128]


def test_rows_of_labels_are_counted() -> None:
    mechanism = priv_hist(100, 50)
    released = mechanism.release("abracadabra", StrictCoins(SeededBits(3, not_private=True)))
    assert released.histogram == ((1, 2), (2, 2), (5, 1))


def test_too_many_items_are_refused_before_anything_is_drawn() -> None:
    def none(_b: int) -> int:
        raise AssertionError

    with pytest.raises(DataError, match=r"101 items, more than n = 100; nothing was drawn.*outside of the privacy claim"):
        priv_hist(100, 1).release_pairs({101: 1}, StrictCoins(none))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 0}, "n = 0"),
        ({"epsilon1": 0}, "not positive"),
        ({"epsilon1": 0.1}, "epsilon"),
        ({"epsilon3": 1}, "does not fit"),
        ({"branch": "smooth"}, "does not fit"),
        ({"branch": "middle"}, "unknown"),
        ({"threshold": 0}, "not positive"),
        ({"fakes": 0}, "fakes"),
        ({"n": 10**13}, "n = 10000000000000 is out of range"),
        ({"n": 10**9, "word": 20}, "no table of 20 bits"),
    ],
)
def test_what_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PrivHist(**({"n": 10, "epsilon1": 1, "epsilon2": 1} | given))  # type: ignore[arg-type]  # wrong on purpose
