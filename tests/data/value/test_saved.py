"""Releases as JSON documents: everything comes back, and what a document states wrongly is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from finitedp import NoisyHistogram, release
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.impl.histograms.universe import Strings
from finitedp.impl.randomness.words import SeededWords

SOME = {"a": 600, "b": 500, "\udcff": 300}
NUMBERS = {7: 1000, 8: 500, 10**30: 500}
RELEASED: dict[str, dict[str, Any]] = {
    "array": {"data": np.array([600, 0, 400]), "epsilon": 1},
    "counts": {"data": SOME, "epsilon": "1/3", "universe": ["b", "a", "\udcff", 'x"\n'], "word": 100, "beta": "1/1000"},
    "integers, backwards": {"data": NUMBERS, "epsilon": 2, "universe": [10**30, 8, 7]},
    "text and integers": {"data": {"1": 5, 1: 7}, "epsilon": 2, "universe": [1, "1"]},
    "a bound": {"data": SOME, "epsilon": 1, "universe": list(SOME), "n": 10**9},
    "add-remove": {"data": SOME, "epsilon": 1, "universe": list(SOME), "n": 3000, "neighbours": "add-remove"},
    "seeded": {"data": SOME, "epsilon": 1, "universe": list(SOME), "words": SeededWords(1, not_private=True)},
    "delta": {"data": SOME, "epsilon": 1, "delta": "1/1000"},
    "delta, not padded": {"data": NUMBERS, "epsilon": 1, "delta": "1/1000", "padded": False},
    "delta, add-remove": {"data": SOME, "epsilon": "1/2", "delta": "1/1000", "n": 3000, "neighbours": "add-remove"},
    "delta, nothing": {"data": {"a": 1}, "epsilon": 1, "delta": "1/1000", "n": 100},
    "pure sparse": {"data": SOME, "epsilon": 1, "kind": "pure-sparse", "universe": Strings(8), "invented": "1/10"},
    "pure sparse, skewed": {"data": NUMBERS, "epsilon": 1, "kind": "pure-sparse", "universe": range(2**100), "skewed": True},
    "pure sparse, add-remove": {
        "data": NUMBERS,
        "epsilon": 1,
        "kind": "pure-sparse",
        "universe": range(2**100),
        "n": 5000,
        "neighbours": "add-remove",
    },
}


def made(name: str) -> NoisyHistogram:
    noisy: NoisyHistogram = release(**RELEASED[name])
    return noisy


@pytest.mark.parametrize("name", RELEASED)
def test_everything_comes_back(name: str, tmp_path: Path) -> None:
    noisy, file = made(name), tmp_path / "release.json"
    file.write_text(noisy.to_json())
    for given in (noisy.to_json(), noisy.to_json().encode(), file, str(file)):
        again = NoisyHistogram.from_json(given)
        assert list(again.items()) == list(noisy.items())
        assert list(map(type, again)) == list(map(type, noisy))
        for field in attrs.fields(NoisyHistogram):
            if field.name not in ("labels", "counts"):
                assert getattr(again, field.name) == getattr(noisy, field.name), field.name
        assert again.counts.dtype == noisy.counts.dtype
        assert again.metadata() == noisy.metadata()
        assert again.to_json() == noisy.to_json()
        assert repr(again) == repr(noisy)


def test_what_is_read_again_can_be_asked_as_before() -> None:
    noisy = made("array")
    again = NoisyHistogram.from_json(noisy.to_json())
    assert again.labels == range(3)
    assert again.between(0, 1) == noisy.between(0, 1)
    assert again.consistent().as_dict() == noisy.consistent().as_dict()
    sparse = made("pure sparse")
    assert NoisyHistogram.from_json(sparse.to_json()).total(["a", "z"]) == sparse.total(["a", "z"])


def test_a_withheld_release_comes_back() -> None:
    noisy = attrs.evolve(made("pure sparse"), labels=[], counts=np.empty(0, np.int64), withheld=True)
    assert NoisyHistogram.from_json(noisy.to_json()).withheld
    with pytest.raises(DataError, match="withheld is not whether the release is withheld, and empty"):
        NoisyHistogram.from_json(changed("pure sparse", lambda x: x["parameters"].update(withheld=True)))


def test_a_label_that_json_cannot_hold() -> None:
    with pytest.raises(ParameterError, match="a label cannot be written"):
        release({}, epsilon=1, n=5, universe=[10**5000]).to_json()


# What is refused

Change = Callable[[dict[str, Any]], object]


def changed(name: str, change: Change) -> str:
    document = json.loads(made(name).to_json())
    change(document)
    return json.dumps(document)


def _first(**given: Any) -> Change:
    return lambda document: document["histogram"][0].update(given)


def _set(key: str, value: object, part: str | None = None) -> Change:
    return lambda document: (document if part is None else document[part]).update({key: value})


def _without(key: str, part: str | None = None) -> Change:
    return lambda document: (document if part is None else document[part]).pop(key)


CHANGES: dict[str, tuple[str, Change, str]] = {
    "another format": ("delta", _set("format", "finitedp query"), "is no release; accepted: .*'finitedp release', version 1"),
    "another version": ("delta", _set("version", 2), "is no release"),
    "no histogram": ("delta", _without("histogram"), "the release has no histogram; accepted: all of"),
    "no word": ("delta", _without("word", "parameters"), "the release is damaged: 'word' is missing"),
    "no draws": ("array", _without("draws", "randomness"), "'draws' is missing"),
    "the paper's": (
        "array",
        _set("mechanism", "BasicHistogram with FastSample"),
        "'BasicHistogram with FastSample' is no Noisy",
    ),
    "a mechanism that is a list": ("array", _set("mechanism", []), "is no NoisyHistogram"),
    "a count that is no integer": ("array", _first(count=3.0), "a count"),
    "a count that is a bool": ("array", _first(count=True), "a count"),
    "a count that is text": ("array", _first(count="3"), "a count"),
    "a negative count": ("array", _first(count=-1), "a count = -1"),
    "a count above n": ("array", _first(count=1001), "a count = 1001"),
    "a count below the threshold": ("delta", _first(count=5), "a count is listed that is not above the threshold"),
    "a label twice": ("array", _first(label=1), "a label is there twice"),
    "a label that is a bool": ("array", _first(label=True), "a label is there twice"),
    "a label that is null": ("array", _first(label=None), "the label None is no text, no integer, and none of the others"),
    "a bin that is none": ("array", lambda x: x["histogram"].append(7), "damaged"),
    "no labels": ("array", lambda x: x["histogram"].clear(), "damaged"),
    "one label more": ("array", lambda x: x["histogram"].append({"label": 9, "count": 1}), "damaged|labels does not follow"),
    "another n": ("array", _set("n", 2000), "does not follow from the release's parameters"),
    "n of 0": ("array", _set("n", 0), "n = 0"),
    "another epsilon": ("array", _set("epsilon", "1/2", "parameters"), "claim does not follow"),
    "epsilon with a dot": ("array", _set("epsilon", "1.0", "parameters"), "does not follow|damaged"),
    "a lesser claim": ("array", _set("epsilon", "1/2", "claim"), "claim does not follow"),
    "another claim's delta": ("delta", _set("delta", "1/2000", "claim"), "claim does not follow"),
    "another delta": ("delta", _set("delta", "1/10", "parameters"), "does not follow"),
    "no claim": ("array", _set("claim", None), "private and claim contradict each other"),
    "not private": ("array", _set("private", False), "private and claim contradict each other"),
    "seeded and private": ("seeded", _set("private", True), "private and claim contradict each other"),
    "another threshold": ("delta", _set("threshold", 3), "threshold does not follow"),
    "a threshold that is a bool": ("delta", _set("threshold", True), "threshold does not follow"),
    "another word": ("array", _set("word", 128, "parameters"), "does not follow"),
    "other neighbours": ("array", _set("neighbours", "add-remove", "parameters"), "does not follow"),
    "unknown neighbours": ("array", _set("neighbours", "rows", "parameters"), "damaged: .*neighbours"),
    "a bar that is narrower": ("array", lambda x: x["accuracy"][0].update(a=1), "accuracy does not follow"),
    "another number of draws": ("array", _set("draws", 4, "randomness"), "draws = 4 is not their number"),
    "more rows": ("array", _set("total", 999), "total does not follow"),
    "rows that are not public": ("add-remove", _set("total", 3000), "total does not follow"),
    "another plan": ("pure sparse", _set("cap", 9, "parameters"), "parameters does not follow"),
    "a larger universe": ("pure sparse", _set("universe_size", str(2**70), "parameters"), "does not follow|draws"),
    "a source that is no text": ("array", _set("bits_from", 7, "randomness"), "bits_from is no text"),
    "parameters that are a list": ("array", _set("parameters", []), "damaged"),
    "listed above text": ("delta", _set("listed_above", "7"), "listed_above"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_document_that_is_none_is_refused_in_one_line(name: str) -> None:
    of, change, message = CHANGES[name]
    with pytest.raises(DataError, match=message) as caught:
        NoisyHistogram.from_json(changed(of, change))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "the text is no JSON document"),
        ("{}", "the text is no release"),
        ('{"format": 1, "format": 2}', "a key is there twice"),
        ("[]", "is neither a JSON object nor a file that can be read"),
        ("no/such/file.json", "'no/such/file.json' is neither a JSON object nor a file"),
        ("", "neither a JSON object nor a file"),
        ("\0", "neither a JSON object nor a file"),
        (b"\xff\xfe\x00", "the text is no JSON document"),
        ('{"a":' * 100_000, "is no JSON document"),
        (7, "a release is read from a int"),
        (None, "a release is read from a NoneType"),
    ],
)
def test_what_is_no_document_at_all(given: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NoisyHistogram.from_json(given)


def test_a_document_of_before_the_total_was_written() -> None:
    text = changed("array", _without("total"))
    assert NoisyHistogram.from_json(text).rows is None


@pytest.mark.parametrize("name", ["array", "delta, add-remove", "pure sparse, skewed"])
def test_any_value_that_is_replaced_is_refused_or_changes_nothing_else(name: str) -> None:
    """Each leaf of the document in turn: only the counts, labels and the source are data, all else follows."""
    document = json.loads(made(name).to_json())
    free = {"label", "count", "bits_from", "column", "rows", "finitedp", "total"}

    def leaves(value: Any, path: tuple[Any, ...] = ()) -> Any:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, below in pairs:
            yield from leaves(below, (*path, key))
        if not isinstance(value, dict | list):
            yield path

    for path in leaves(document):
        if path[-1] in free:
            continue
        others: tuple[Any, ...] = (None, [], "x", 3)
        for other in others:
            copy = json.loads(json.dumps(document))
            at = copy
            for key in path[:-1]:
                at = at[key]
            if at[path[-1]] == other:
                continue
            at[path[-1]] = other
            with pytest.raises(FinitedpError):
                NoisyHistogram.from_json(json.dumps(copy))
