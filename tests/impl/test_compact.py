"""finitedp.impl.compact, empty_bins, compact_release and compact_encoding. The exact laws are in the ledger."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.impl.coins import BitMeter, ExactCoins, SeededBits, StrictCoins
from finitedp.impl.compact import (
    CompactHistogram,
    compact_accuracy,
    compact_histogram_with_fast_sample,
    compact_histogram_with_geo_sample,
    least_level,
)
from finitedp.impl.compact_release import CompactRelease
from finitedp.impl.counting import FastSample, GeoSample
from finitedp.impl.empty_bins import EmptyBinSampler
from finitedp.impl.universe import Integers, Listed, Strings
from finitedp.proofs_check.compact_toys import ToyTable


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def fast(n: int = 4, universe: Any = range(2**32)) -> CompactHistogram[Any]:
    return compact_histogram_with_fast_sample(universe, n, 1, "1/20")


# Releasing


@pytest.mark.parametrize("labels", [range(3), range(-5, 2**32), ["b", "a", 7], Strings(8)])
def test_every_label_has_a_count(labels: Any) -> None:
    histogram = fast(3, labels)
    first, last = histogram.universe.label(0), histogram.universe.label(histogram.universe.size - 1)
    release = histogram.release([last, first, last], coins())
    assert len(release.coefficients) == 4
    assert all(0 <= count <= 3 for _, count in release.counts([first, last]))


def test_labels_that_occur_have_the_noisy_counts_drawn_for_them() -> None:
    histogram = fast(9)
    for seed in range(8):
        drawn = histogram.noisy({5: 7, 123: 2}, ExactCoins(SeededBits(seed, not_private=True)))
        release = histogram.release_counts({5: 7, 123: 2, 8: 0}, ExactCoins(SeededBits(seed, not_private=True)))
        assert {label: release.count(label) for label in drawn} == drawn


def test_noise_is_small_with_a_large_epsilon_and_many_rows() -> None:
    # sampled, with a fixed seed: 60 rows of one label, an error of at most 19 with probability 0.95
    release = fast(60).release([77] * 60, coins(3))
    assert release.count(77) >= 41
    assert sum(count <= 19 for _, count in release.counts(range(100, 140))) >= 34


def test_the_same_draws_bits_and_counts_for_every_dataset() -> None:
    histogram, cost = fast(5), fast(5).cost()
    for data in ([], [1], [1] * 5, [1, 2, 3, 4, 5], [2**32 - 1, 0, 0, 0, 9]):
        meter = BitMeter()
        histogram.release(data, StrictCoins(meter))
        assert (meter.reads, meter.total_bits) == (cost.draws, cost.bits)
    assert cost.exact
    assert (cost.draws, cost.steps) == (11, 15)


def test_wrong_data() -> None:
    histogram = fast(3)
    with pytest.raises(DataError, match="more than n = 3 rows"):
        histogram.release([1, 2, 3, 4], coins())
    with pytest.raises(DataError, match="outside of the universe"):
        histogram.release([2**32], coins())
    with pytest.raises(DataError, match="out of range"):
        histogram.release_counts({1: -1}, coins())


# Parameters and claims


def test_the_least_field() -> None:
    assert [least_level(size) for size in (1, 4, 5, 64, 65, 2**18, 2**18 + 1)] == [0, 0, 1, 1, 2, 2, 3]
    with pytest.raises(ParameterError, match="a field with 2\\^1062883 elements is needed"):
        least_level(2**1062882 + 1)


def test_the_instance_of_theorem_8_6() -> None:
    histogram = fast(500)
    # epsilon' = 1/ceil(10/9), gamma = 1/(2 * 20 * 2^32); d of 1113 bits needs l = 6
    assert histogram.mechanism == FastSample(500, "1/2", mpq(1, 40 * 2**32))
    assert (histogram.level, histogram.base.bits) == (6, 1458)
    assert histogram.claim().epsilon == 1
    per_query, simultaneous = compact_accuracy(2**32, 1, "1/20")
    # 5 ln 40 = 18.4; 5 ln(40 * 2^32) = 129.3
    assert (per_query.a, simultaneous.a) == (19, 130)
    assert (per_query.kind, simultaneous.kind) == ("per-query", "simultaneous")


def test_the_instance_with_geo_sample() -> None:
    histogram = compact_histogram_with_geo_sample(range(100), 10, "1/3")
    assert histogram.mechanism == GeoSample(10, "1/4")
    assert histogram.claim().epsilon == mpq(1, 3)


def test_the_claim_covers_the_slack_of_every_draw() -> None:
    histogram: CompactHistogram[int] = CompactHistogram(GeoSample(4, 1), range(10))
    exact, strict = histogram.claim(), histogram.claim(StrictCoins())
    assert exact.ratio is not None
    assert strict.ratio is not None
    assert exact.ratio == mpq(9, 4) * histogram.sampler.growth()
    assert exact.ratio * StrictCoins.slack**9 <= strict.ratio <= exact.ratio * StrictCoins.slack**10
    assert exact.epsilon < strict.epsilon


def test_an_epsilon_that_the_ratio_does_not_imply() -> None:
    with pytest.raises(ClaimError, match="exceeds"):
        CompactHistogram(GeoSample(4, 1), range(10), epsilon="1/2").claim()


def test_a_mechanism_whose_noisy_counts_zero_never_has() -> None:
    with pytest.raises(ParameterError, match="noisy count 1 to some count but never to 0"):
        CompactHistogram(ToyTable(((0, 0, 0), (0, 0, 1))), range(2))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: CompactHistogram(GeoSample(4, 1), range(10), 0),
            "level = 0 gives a field too small.*accepted: an integer from 2",
        ),
        (lambda: CompactHistogram(GeoSample(4, 1), range(2**40), 2), "level = 2 gives a field too small"),
        (lambda: CompactHistogram(GeoSample(4, 1), range(10), 13), "level = 13 is out of range"),
        (lambda: CompactHistogram(GeoSample(4, 1), [1, 1]), "twice"),
        (lambda: CompactHistogram(None, range(4)), "mechanism = None has no n"),  # type: ignore[arg-type]  # the point
        (lambda: EmptyBinSampler(GeoSample(4, 1), 100), "d_0 is below 4/3 d"),
        (lambda: EmptyBinSampler(GeoSample(1, 1), 64).interval(2), "v = 2 is out of range"),
        (lambda: EmptyBinSampler(GeoSample(1, 1), 64).apply(65), "u_0 is out of range"),
        (lambda: EmptyBinSampler(ToyTable(((0, 0), (0, 1))), 4).sample(1, coins()), "v = 1 is never the noisy count of 0"),
        (lambda: compact_histogram_with_fast_sample(range(9), 4, "2/3", 1), "epsilon = 2/3 is not admissible"),
        (lambda: compact_accuracy(0, 1, "1/2"), "universe_size = 0 is out of range"),
    ],
)
def test_wrong_parameters(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_more_counts_than_a_polynomial_can_meet() -> None:
    with pytest.raises(ParameterError, match="3 counts are to be met; accepted: at most n = 2"):
        fast(2).consistent({1: 0, 2: 0, 3: 0}, coins())


def test_field_sizes_at_the_edge() -> None:
    # d = 3 and d_0 = 4 is 4/3 d exactly; n + 1 = 4 elements are all of the field
    toy = ToyTable(((0, 0, 1), (0, 0, 1), (0, 1, 1), (0, 1, 1)))
    histogram: CompactHistogram[int] = CompactHistogram(toy, range(4))
    assert histogram.level == 0
    assert sorted(histogram.points({3: 0, 1: 1}, coins())[0]) == [0, 1, 2, 3]


# Saving and loading


@pytest.fixture(scope="module")
def saved() -> CompactRelease[Any]:
    return fast(3).release([1, 1, 9], coins())


@pytest.mark.parametrize(
    "histogram",
    [
        fast(2),
        fast(2, Strings(8)),
        fast(2, ["a", "\udcff\n", 7]),
        fast(2, [5]),
        compact_histogram_with_geo_sample(range(-3, 9), 4, "1/2", "1/3"),
        CompactHistogram(GeoSample(3, 1), Integers(-5, 2**64)),
    ],
    ids=lambda histogram: str(histogram.universe)[:20],
)
def test_round_trips(histogram: CompactHistogram[Any]) -> None:
    release = histogram.release([histogram.universe.label(0)], coins())
    both: list[CompactRelease[Any]]
    both = [CompactRelease.from_json(release.to_json()), CompactRelease.from_bytes(release.to_bytes())]
    for again in both:
        assert again == release
        assert again.count(histogram.universe.label(0)) == release.count(histogram.universe.label(0))
    assert CompactRelease.from_json(release.to_json().encode()) == release
    assert CompactRelease.from_json(json.dumps(json.loads(release.to_json()))) == release  # another layout, the same content
    without = evolve(release, claim=None, accuracy=())
    assert CompactRelease.from_bytes(without.to_bytes()) == without


def test_the_encodings_are_as_documented(saved: CompactRelease[Any]) -> None:
    data, document = saved.to_bytes(), json.loads(saved.to_json())
    assert data.startswith(b"finitedp compact\1")
    end = 21 + int.from_bytes(data[17:21], "big")
    header, raw = json.loads(data[21:end]), data[end:-32]
    size = -(-2 * 3**saved.level // 8)
    assert tuple(int.from_bytes(raw[i : i + size], "big") for i in range(0, len(raw), size)) == saved.coefficients
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    assert b64decode(document.pop("coefficients")) == raw
    assert document.pop("sha256") == data[-32:].hex()
    assert document == header
    assert header["mechanism"] == {"name": "FastSample", "n": 3, "epsilon": "1/2", "gamma": str(mpq(1, 40 * 2**32))}
    assert header["universe"] == {"kind": "integers", "low": 0, "high": 2**32 - 1}
    assert (header["format"], header["version"], header["field"]) == ("finitedp compact histogram", 1, saved.level)
    assert header["claim"]["neighbours"] == "replace-one"
    assert [one["kind"] for one in header["accuracy"]] == ["per-query", "simultaneous"]


@given(st.data())
def test_a_changed_byte_is_refused(saved: CompactRelease[Any], data: st.DataObject) -> None:
    whole = bytearray(saved.to_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(DataError, match="the compact histogram"):
        CompactRelease.from_bytes(bytes(whole))


@given(st.data())
def test_changed_json_is_refused_or_means_the_same(saved: CompactRelease[Any], data: st.DataObject) -> None:
    whole = bytearray(saved.to_json().encode())
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    with suppress(DataError):
        assert CompactRelease.from_json(bytes(whole)) == saved  # white space for white space


@given(st.data())
def test_a_file_cut_short_or_extended_is_refused(saved: CompactRelease[Any], data: st.DataObject) -> None:
    binary, text = saved.to_bytes(), saved.to_json()
    for cut in (binary[: data.draw(st.integers(0, len(binary) - 1))], binary + data.draw(st.binary(min_size=1, max_size=9))):
        with pytest.raises(DataError):
            CompactRelease.from_bytes(cut)
    with pytest.raises(DataError):
        CompactRelease.from_json(text[: data.draw(st.integers(0, len(text) - 3))])


@given(st.one_of(st.binary(max_size=60), st.text(max_size=60)))
def test_foreign_files_are_refused(content: bytes | str) -> None:
    with pytest.raises(DataError):
        CompactRelease.from_json(content)
    with pytest.raises(DataError):
        CompactRelease.from_bytes(content)  # type: ignore[arg-type]  # text is refused too
    if isinstance(content, bytes):
        with pytest.raises(DataError):
            CompactRelease.from_bytes(b"finitedp compact\1" + content)


def hashed(header: dict[str, Any], raw: bytes, version: int = 1) -> bytes:
    """A file with a right hash, as someone who forges one can make it."""
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    content = b"finitedp compact" + bytes([version]) + len(text).to_bytes(4, "big") + text + raw
    return content + hashlib.sha256(content).digest()


def parts(release: CompactRelease[Any]) -> tuple[dict[str, Any], bytes]:
    data = release.to_bytes()
    end = 21 + int.from_bytes(data[17:21], "big")
    return json.loads(data[21:end]), data[end:-32]


FORGED: list[tuple[str, Any]] = [
    ("format", "something else"),
    ("version", 2),
    ("version", 1.0),
    ("version", True),
    ("finitedp", 3),
    ("field", -1),
    ("field", 10**9),
    ("field", 1),
    ("field", 12),
    ("field", "6"),
    ("mechanism", None),
    ("mechanism", {"name": "FastSample"}),
    ("mechanism", {"name": ["GeoSample"], "n": 3, "epsilon": "1/2"}),
    ("mechanism", {"name": "Laplace", "n": 3, "epsilon": "1/2"}),
    ("mechanism", {"name": "GeoSample", "n": 10**30, "epsilon": "1/2"}),
    ("mechanism", {"name": "GeoSample", "n": 2, "epsilon": "1/2"}),
    ("mechanism", {"name": "GeoSample", "n": 3, "epsilon": "1/" + "9" * 900}),
    ("mechanism", {"name": "GeoSample", "n": 3, "epsilon": "1/" + "9" * 1100}),
    ("mechanism", {"name": "GeoSample", "n": 3, "epsilon": 1}),
    ("mechanism", {"name": "GeoSample", "n": 3, "epsilon": "2/3"}),
    ("mechanism", {"name": "FastSample", "n": 3, "epsilon": "1/2", "gamma": "1"}),
    ("mechanism", {"name": "FastSample", "n": 3, "epsilon": "1/1000000", "gamma": "1/2"}),
    ("universe", []),
    ("universe", {"kind": "words"}),
    ("universe", {"kind": "strings", "most": 10**6}),
    ("universe", {"kind": "strings", "most": -1}),
    ("universe", {"kind": "integers", "low": 0, "high": -1}),
    ("universe", {"kind": "integers", "low": 0, "high": 2**2000}),
    ("universe", {"kind": "integers", "low": 0.5, "high": 2}),
    ("universe", {"kind": "listed", "labels": []}),
    ("universe", {"kind": "listed", "labels": ["a", "a"]}),
    ("universe", {"kind": "listed", "labels": [None]}),
    ("universe", {"kind": "listed", "labels": "ab"}),
    ("universe", {"kind": ["listed"], "labels": ["a"]}),
    ("claim", 7),
    ("claim", {"epsilon": "1", "neighbours": "friends", "ratio": None, "source": ""}),
    ("claim", {"epsilon": "-1", "neighbours": "counts", "ratio": None, "source": ""}),
    ("claim", {"epsilon": "1", "neighbours": "counts", "ratio": "3", "source": ""}),
    ("claim", {"epsilon": "1/0", "neighbours": "counts", "ratio": None, "source": ""}),
    ("accuracy", {}),
    ("accuracy", [7]),
    ("accuracy", [{"a": -1, "beta": "1/2", "kind": "per-query", "source": ""}]),
    ("accuracy", [{"a": 1, "beta": "3/2", "kind": "per-query", "source": ""}]),
    ("accuracy", [{"a": 1, "beta": "1/2", "kind": [], "source": ""}]),
    ("extra", 1),
]


@pytest.mark.parametrize(("key", "value"), FORGED, ids=lambda value: str(value)[:50])
def test_forged_headers_are_refused(saved: CompactRelease[Any], key: str, value: Any) -> None:
    header, raw = parts(saved)
    with pytest.raises(DataError) as caught:
        CompactRelease.from_bytes(hashed(header | {key: value}, raw))
    assert "\n" not in str(caught.value)


def test_forged_contents_are_refused(saved: CompactRelease[Any]) -> None:
    header, raw = parts(saved)
    assert CompactRelease.from_bytes(hashed(header, raw)) == saved
    for wrong in (b"", raw[:-1], raw + raw[: len(raw) // 4], b"\xff" * len(raw)):
        with pytest.raises(DataError):
            CompactRelease.from_bytes(hashed(header, wrong))
    with pytest.raises(DataError, match="has version 2; accepted: 1"):
        CompactRelease.from_bytes(hashed(header, raw, version=2))
    short = {key: value for key, value in header.items() if key != "claim"}
    with pytest.raises(DataError, match="does not have the keys"):
        CompactRelease.from_bytes(hashed(short, raw))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "is not JSON"),
        ('{"n": ' + "9" * 5000 + "}", "is not JSON"),
        ('{"n": 1.5}', "holds the float 1.5"),
        ('{"n": NaN}', "holds the float NaN"),
        ('{"n": 1, "n": 1}', "has a key twice"),
        ("[]", "is not a JSON object"),
        ("{}", "does not have the keys"),
        (None, "is a NoneType, not text"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_json_that_is_none(text: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        CompactRelease.from_json(text)


def test_json_with_other_coefficients(saved: CompactRelease[Any]) -> None:
    document = json.loads(saved.to_json())
    for wrong in (7, "", "?", document["coefficients"][4:], "AAAA" + document["coefficients"][4:]):
        with pytest.raises(DataError):
            CompactRelease.from_json(json.dumps(document | {"coefficients": wrong}))
    with pytest.raises(DataError, match="was changed: its hash is not the one that it states"):
        CompactRelease.from_json(json.dumps(document | {"sha256": "0" * 64}))


@pytest.mark.parametrize(
    ("histogram", "message"),
    [
        (
            CompactHistogram(ToyTable(((0, 1), (0, 1))), range(2)),
            "mechanism = .* has no encoding; accepted: GeoSample or FastSample",
        ),
        (fast(2, [("a", 1)]), "the universe .* has no encoding"),
        (fast(2, [True]), "the universe .* has no encoding"),
    ],
    ids=["toy", "tuples", "bool"],
)
def test_what_has_no_encoding(histogram: CompactHistogram[Any], message: str) -> None:
    release = histogram.release([], coins())
    for save in (release.to_json, release.to_bytes):
        with pytest.raises(ParameterError, match=message):
            save()
    assert release.count(histogram.universe.label(0)) >= 0  # it works in memory


# The released value


def test_labels_outside_of_the_universe() -> None:
    release = fast(2, ["a", "b"]).release(["a"], coins())
    for label in ("c", 7, None, ["a"]):
        with pytest.raises(DataError, match="label"):
            release.count(label)
    with pytest.raises(DataError, match="outside of the universe"):
        list(release.counts(["a", "z"]))


def test_parameters_that_do_not_fit_together() -> None:
    universe: Any = Listed(("a", "b"))
    geo = GeoSample(1, 1)
    assert CompactRelease(1, geo, universe, (0, 63)).count("a") in (0, 1)
    for level, labels, coefficients in (
        (1, universe, (0,)),
        (1, universe, (0, 64)),
        (1, universe, (0, -1)),
        (0, universe, (0, 1)),  # d = 5 needs d_0 >= 7
        (1, Integers(1, 65), (0, 1)),
    ):
        with pytest.raises(ParameterError):
            CompactRelease(level, geo, labels, coefficients)


def test_what_was_stated_is_kept(saved: CompactRelease[Any]) -> None:
    assert isinstance(saved.claim, PrivacyClaim)
    assert (saved.claim.epsilon, saved.claim.delta, saved.claim.neighbours) == (mpq(1), mpq(0), "replace-one")
    single, every = saved.accuracy
    assert isinstance(single, Accuracy)
    assert (single.kind, every.kind, single.beta) == ("per-query", "simultaneous", mpq(1, 20))
    bounds = compact_accuracy(2**32, 1, "1/20")
    assert single.a <= bounds[0].a
    assert every.a <= bounds[1].a
