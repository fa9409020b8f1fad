"""finitedp.impl.histograms.compact_release and compact_encoding: saving, loading, and reading counts."""

import hashlib
import json
from base64 import b64decode
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.compact import (
    CompactHistogram,
    compact_accuracy,
    compact_histogram_with_fast_sample,
    compact_histogram_with_geo_sample,
)
from finitedp.impl.histograms.compact_encoding import MAGIC
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.universe import Integers, Listed, Strings
from finitedp.impl.randomness.coins import SeededBits, StrictCoins
from finitedp.proofs_check.claims.bv.compact.toys import ToyTable


def coins(seed: int = 1) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def fast(n: int = 4, universe: Any = range(2**32)) -> CompactHistogram[Any]:
    return compact_histogram_with_fast_sample(universe, n, 1, "1/20")


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


@pytest.mark.deep
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
    with pytest.raises(DataError, match="does not have its keys"):
        CompactRelease.from_bytes(hashed(short, raw))


@pytest.mark.parametrize("content", [b"", b"\1", b"\1\0\0\0", b"\1\0\0\0\0", b"\1\0\0\0\2{}", b"\1\xff\xff\xff\xff{}"])
def test_a_short_file_with_a_right_hash_is_refused(content: bytes) -> None:
    whole = MAGIC + content
    with pytest.raises(DataError, match="the compact histogram"):
        CompactRelease.from_bytes(whole + hashlib.sha256(whole).digest())


@pytest.mark.parametrize("magic", [b"finitedp Compact", b"finitedp compacu", b"\0" * 16])
def test_another_beginning_with_a_right_hash_is_refused(saved: CompactRelease[Any], magic: bytes) -> None:
    assert len(magic) == len(MAGIC)
    whole = magic + saved.to_bytes()[len(MAGIC) : -32]
    with pytest.raises(DataError, match="does not start as a compact histogram does"):
        CompactRelease.from_bytes(whole + hashlib.sha256(whole).digest())


def never_built(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> None:
    """Have the test fail where that property is asked for."""

    def refuse(_self: object) -> int:
        pytest.fail(f"{kind.__name__}.{name} is built from what a file says")

    monkeypatch.setattr(kind, name, property(refuse))


# for a field of 2^1458 elements
TOO_LARGE = {
    "a small epsilon": {"name": "GeoSample", "n": 3, "epsilon": "1/" + "9" * 900},
    "an epsilon somewhat too small": {"name": "GeoSample", "n": 3, "epsilon": f"1/{2**486}"},
    "a small epsilon, fast": {"name": "FastSample", "n": 3, "epsilon": "1/1000", "gamma": "1/2"},
    "a small gamma, fast": {"name": "FastSample", "n": 3, "epsilon": "1/2", "gamma": "1/" + "9" * 900},
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_a_mechanism_too_large_for_the_field_is_refused_before_its_range_is_built(
    monkeypatch: pytest.MonkeyPatch, saved: CompactRelease[Any], case: str
) -> None:
    header, raw = parts(saved)
    for kind in (GeoSample, FastSample):
        never_built(monkeypatch, kind, "d")
    with pytest.raises(DataError, match="has a field that is too small for its mechanism"):
        CompactRelease.from_bytes(hashed(header | {"mechanism": TOO_LARGE[case]}, raw))


@pytest.mark.parametrize("n", [64, 40_000])
def test_many_rows_over_a_small_field_are_refused_before_the_range_is_built(
    monkeypatch: pytest.MonkeyPatch, saved: CompactRelease[Any], n: int
) -> None:
    header, _ = parts(saved)
    never_built(monkeypatch, GeoSample, "d")
    forged = header | {"field": 1, "mechanism": {"name": "GeoSample", "n": n, "epsilon": "1"}}
    with pytest.raises(DataError, match="has a field that is too small for its mechanism"):
        CompactRelease.from_bytes(hashed(forged, bytes(n + 1)))


@pytest.mark.parametrize("beyond", [1, 10**5, 10**9, 10**400])
def test_strings_longer_than_a_field_element_are_refused_before_they_are_counted(
    monkeypatch: pytest.MonkeyPatch, saved: CompactRelease[Any], beyond: int
) -> None:
    header, raw = parts(saved)
    never_built(monkeypatch, Strings, "size")
    most = 2 * 3**saved.level // 8 + beyond
    with pytest.raises(DataError, match="has a wrong most"):
        CompactRelease.from_bytes(hashed(header | {"universe": {"kind": "strings", "most": most}}, raw))


@pytest.mark.parametrize("junk", ["!", "\n", " ", "\0", "-", "\u00e9"])
def test_characters_between_those_of_base64_are_refused(saved: CompactRelease[Any], junk: str) -> None:
    document = json.loads(saved.to_json())
    text = document["coefficients"]
    for place in (0, 4, 5, len(text)):
        wrong = text[:place] + junk + text[place:]
        with pytest.raises(DataError, match="does not hold coefficients in base64"):
            CompactRelease.from_json(json.dumps(document | {"coefficients": wrong}))


def test_a_claim_with_a_delta_has_no_encoding(saved: CompactRelease[Any]) -> None:
    release = evolve(saved, claim=PrivacyClaim(1, "replace-one", delta=mpq(1, 10**30)))
    for save in (release.to_json, release.to_bytes):
        with pytest.raises(ParameterError, match="delta"):
            save()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "is not JSON"),
        ('{"n": ' + "9" * 5000 + "}", "is not JSON"),
        ('{"n": 1.5}', "holds the float 1.5"),
        ('{"n": NaN}', "holds the float NaN"),
        ('{"n": 1, "n": 1}', "has a key twice"),
        ("[]", "is not a JSON object"),
        ("{}", "does not have its keys"),
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
            "mechanism = .* has no encoding; accepted: GeoSample, FastSample or DyadicSample",
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
    assert single.a <= bounds.per_query.a
    assert every.a <= bounds.simultaneous.a


@pytest.mark.parametrize("note", [5, None, "x" * 4001])
def test_a_note_that_could_not_be_read_is_not_written(saved: CompactRelease[Any], note: Any) -> None:
    with pytest.raises(ParameterError, match="randomness is not a string of at most 4000 characters"):
        evolve(saved, randomness=note)
    told = evolve(saved, randomness="the operating system's generator, \u00e4\n")
    assert CompactRelease.from_json(told.to_json()) == CompactRelease.from_bytes(told.to_bytes()) == told


def test_a_listed_label_that_would_be_read_as_another_is_not_written() -> None:
    """Two surrogates that are a pair are one character in JSON."""
    release = fast(2, ["\ud83d\ude00", "\U0001f600", "\udcc3\udca9"]).release(["\U0001f600"], coins())
    for written in (release.to_json, release.to_bytes):
        with pytest.raises(ParameterError, match="has no encoding"):
            written()
    alone = fast(2, ["\udcc3\udca9", "\u00e9", "\udcc3"]).release(["\u00e9"], coins())
    assert type(alone).from_json(alone.to_json()).universe == alone.universe
    assert type(alone).from_bytes(alone.to_bytes()).universe == alone.universe
