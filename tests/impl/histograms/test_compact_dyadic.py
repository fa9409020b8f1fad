"""CompactHistogram on dyadic tables. The exact laws are in the ledger (FD.Dyadic.compact)."""

import hashlib
import json
from collections import Counter
from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.arithmetic.field import Slots
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_histogram_with_dyadic_sample,
    compact_histogram_with_fast_sample,
)
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.coins import BitMeter, ExactCoins, SeededBits, StrictCoins


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def dyadic(n: int = 4, universe: Any = range(2**64), epsilon: str = "1/10", word: int = 162) -> CompactHistogram[Any]:
    return compact_histogram_with_dyadic_sample(universe, n, epsilon, word)


# The field


@pytest.mark.parametrize(
    ("size", "word", "bits"),
    [
        *((2**64, 162, 162), (2**161, 162, 162), (2**162, 162, 162), (2**162 + 1, 162, 486), (2**200, 64, 486)),
        *((2**54, 54, 54), (2**54 + 1, 54, 162), (2**64, 64, 162), (9, 163, 486), (9, 256, 486)),
        *((9, 18, 18), (9, 6, 6), (9, 5, 6), (2, 7, 18)),
    ],
)
def test_the_field_is_the_least_that_holds_the_words_and_the_labels(size: int, word: int, bits: int) -> None:
    histogram = dyadic(2, range(size), "3", word)
    assert (histogram.base.bits, histogram.sampler.r, histogram.sampler.q) == (bits, 0, 2 ** (bits - word))
    last = histogram.release([size - 1, 0], coins()).count(size - 1)
    assert 0 <= last <= 2


@pytest.mark.parametrize("word", [162, 54, 18])
def test_words_that_are_field_elements(word: int) -> None:
    histogram = dyadic(3, range(9), "1/2", word)
    assert histogram.base.order == histogram.mechanism.d
    assert all(histogram.sampler.stretched(u) == u for u in (1, 2, 77, histogram.base.order))


def test_a_universe_beyond_every_field_is_refused() -> None:
    with pytest.raises(ParameterError, match="a field with 2\\^1199993 elements is needed; accepted: at most 2\\^1062882"):
        dyadic(2, Strings(149_999))


# Claims


@given(st.integers(1, 60), st.fractions(min_value="1/50", max_value=9), st.sampled_from([54, 64, 162]))
def test_nothing_is_lost_between_noise_and_field(n: int, epsilon: Any, word: int) -> None:
    histogram = compact_histogram_with_dyadic_sample(range(2**32), n, mpq(epsilon), word)
    mechanism = histogram.mechanism
    assert isinstance(mechanism, DyadicSample)
    exact, strict = histogram.claim(), histogram.claim(StrictCoins())
    assert exact.ratio == mechanism.table.ratio**2
    assert exact.epsilon == strict.epsilon == epsilon
    assert exact.ratio is not None
    assert strict.ratio is not None
    assert exact.ratio * StrictCoins.slack <= strict.ratio < exact.ratio * StrictCoins.slack**2
    assert compare_exp(exact.ratio * (1 + mpq(1, 2**100)), mpq(epsilon)) > 0  # and hardly anything is given away


def test_the_claim_does_not_depend_on_the_number_of_rows() -> None:
    few, many = (dyadic(n).claim(StrictCoins()) for n in (1, 3000))
    assert few == many
    assert few.source == "FD.Dyadic.compact.private"


def test_the_error_is_that_of_the_noise_alone() -> None:
    histogram, fast = dyadic(1000, range(2**32), "1"), compact_histogram_with_fast_sample(range(2**32), 1000, 1, "1/20")
    single, _, every = histogram.accuracy("1/20")
    alone = DyadicSample(1000, 1 - mpq(1, 2**126), 162)
    assert (single.a, every.a) == (alone.accuracy("1/20").a, alone.accuracy(mpq(1, 20 * 2**32)).a)
    theirs = fast.accuracy("1/20")
    assert (single.a, every.a) < (theirs.per_query.a, theirs.simultaneous.a)
    assert every.a < theirs.simultaneous.a


# Releasing


def test_labels_that_occur_have_the_noisy_counts_drawn_for_them() -> None:
    histogram = dyadic(9)
    for seed in range(8):
        drawn = histogram.noisy({5: 7, 123: 2}, ExactCoins(SeededBits(seed, not_private=True)))
        release = histogram.release_counts({5: 7, 123: 2, 8: 0}, ExactCoins(SeededBits(seed, not_private=True)))
        assert {label: release.count(label) for label in drawn} == drawn


def test_a_release_by_the_tree() -> None:
    histogram = dyadic(300, epsilon="1")
    data = dict.fromkeys(sorted(label * 11400714819323198485 % 2**64 for label in range(300)), 1)
    drawn = histogram.noisy(data, ExactCoins(SeededBits(5, not_private=True)))
    release = histogram.release_counts(data, ExactCoins(SeededBits(5, not_private=True)))
    assert {label: release.count(label) for label in drawn} == drawn


def test_counts_of_other_labels_look_like_noise() -> None:
    # sampled, with a fixed seed: 3000 counts of a law whose shares are known
    histogram = dyadic(50, epsilon="2")
    release = histogram.release([1] * 50, coins(4))
    found = Counter(count for _, count in release.counts(range(1000, 4000)))
    for v in range(3):
        share = mpq(histogram.mechanism.cdf(0, v) - histogram.mechanism.cdf(0, v - 1), histogram.mechanism.d)
        assert abs(found[v] - 3000 * share) < 110  # four deviations


DATASETS: tuple[list[int], ...] = ([], [1], [1] * 5, [1, 2, 3, 4, 5], [2**64 - 1, 0, 0, 0, 9])


def test_the_same_bits_in_the_same_order_for_every_dataset() -> None:
    histogram, source = dyadic(5), SeededBits(3, not_private=True)
    shapes = set()
    for data in DATASETS:
        sizes: list[int] = []

        def bits(b: int, sizes: list[int] = sizes) -> int:
            sizes.append(b)
            return source(b)

        histogram.release(data, StrictCoins(bits))
        shapes.add(tuple(sizes))
    assert shapes == {(162,) * 5 + (162 + 128,) * 6}
    cost = histogram.cost()
    assert (cost.draws, cost.bits, cost.steps, cost.exact) == (
        11,
        sum(max(shapes)),
        5 * histogram.mechanism.cost().steps,
        True,
    )


def test_the_same_products_for_every_dataset(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram, made, product = dyadic(5), list[int](), Slots.product

    def counted(self: Slots, left: int, right: int) -> int:
        made.append(self.bits)
        return product(self, left, right)

    monkeypatch.setattr(Slots, "product", counted)
    tallies = set()
    for seed, data in enumerate(DATASETS):
        made.clear()
        histogram.release(data, coins(seed))
        tallies.add(tuple(made))
    assert len(tallies) == 1


def test_wrong_data() -> None:
    for data in ([1, 2, 3, 4, 5], [2**64], [-1]):
        with pytest.raises(DataError):
            dyadic(4).release(data, coins())


def test_no_bits_are_read_where_the_data_is_refused() -> None:
    meter = BitMeter()
    with pytest.raises(DataError):
        dyadic(4).release([2**64], StrictCoins(meter))
    assert meter.reads == 0


@pytest.mark.parametrize(
    ("n", "epsilon", "word", "message"),
    [
        (4, "0", 162, "epsilon = 0 is not positive"),
        (4, mpq(1, 2**126), 162, "is too small; accepted: a rational above 2\\^-126"),
        (4, "1", 4, "no table of 4 bits exists for n = 4, epsilon = 1 \\(less 2\\^-126\\); accepted: word = 64"),
        (4, "1", 257, "word = 257 is out of range"),
        (0, "1", 162, "n = 0 is out of range"),
        (10**9, "1/10000000000", 162, "needs a table of up to"),
    ],
)
def test_wrong_parameters(n: int, epsilon: Any, word: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        compact_histogram_with_dyadic_sample(range(9), n, epsilon, word)


# Files


@pytest.mark.parametrize("universe", [range(-3, 2**64), Strings(8), ["b", "a", 7], range(2**161)], ids=str)
@pytest.mark.parametrize("word", [162, 64, 54])
def test_round_trips(universe: Any, word: int) -> None:
    histogram = compact_histogram_with_dyadic_sample(universe, 6, "1/3", word, "1/20")
    first = histogram.universe.label(0)
    release = histogram.release([first] * 5, coins())
    both: list[CompactRelease[Any]]
    both = [CompactRelease.from_json(release.to_json()), CompactRelease.from_bytes(release.to_bytes())]
    for again in both:
        assert again == release
        assert again.count(first) == release.count(first)
        assert again.claim == histogram.claim(StrictCoins())


def signed(release: CompactRelease[Any], **changed: object) -> bytes:
    """The binary form with another mechanism in its header, and a hash that fits."""
    data = release.to_bytes()
    end = 21 + int.from_bytes(data[17:21], "big")
    header = json.loads(data[21:end])
    header["mechanism"] |= changed
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    content = data[:17] + len(text).to_bytes(4, "big") + text + data[end:-32]
    return content + hashlib.sha256(content).digest()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"table": "0" * 64}, "was made with another dyadic table than this version of finitedp builds"),
        ({"word": 64}, "was made with another dyadic table"),
        ({"epsilon": "1/11"}, "was made with another dyadic table"),
        ({"word": 163}, "has a field that is too small for its mechanism"),
        ({"word": 10**9}, "has a wrong word"),
        ({"word": 2}, "no table of 2 bits exists"),
        ({"n": 5}, "has a wrong n"),
        ({"n": 3}, "has 5 coefficients, which is not n \\+ 1"),
        ({"epsilon": "0"}, "epsilon = 0 is not positive"),
        ({"gamma": "1/2"}, "is not one of GeoSample, FastSample or DyadicSample"),
    ],
)
def test_headers_that_do_not_fit(changed: dict[str, object], message: str) -> None:
    release = dyadic(4).release([1, 1], coins())
    assert CompactRelease.from_bytes(signed(release)) == release
    with pytest.raises(DataError, match=message):
        CompactRelease.from_bytes(signed(release, **changed))


def test_a_file_may_not_claim_more_than_its_table_gives() -> None:
    release = dyadic(4).release([1], coins())
    data = json.loads(release.to_json())
    assert data["mechanism"]["name"] == "DyadicSample"
    modest = dyadic(4, epsilon="1/20").claim()
    stolen = CompactRelease(release.level, release.mechanism, release.universe, release.coefficients, modest)
    with pytest.raises(DataError, match="states a claim that its mechanism does not have"):
        CompactRelease.from_json(stolen.to_json())


def test_the_hash_of_a_table_is_that_of_its_certificate_in_one_canonical_form() -> None:
    """A file that was written once stays readable: the hash in its header does not depend on how the table is built."""
    histogram = compact_histogram_with_dyadic_sample(range(9), 6, "1/3", 64, "1/20")
    header = json.loads(histogram.release([1], coins()).to_json())["mechanism"]
    assert isinstance(histogram.mechanism, DyadicSample)
    certificate = DyadicSample(6, histogram.mechanism.epsilon, 64).table.certificate()
    text = json.dumps({key: certificate[key] for key in sorted(certificate)}, separators=(",", ":"))
    assert header["table"] == hashlib.sha256(text.encode()).hexdigest()
