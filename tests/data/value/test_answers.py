"""Statistics as JSON documents: everything comes back, and what a document states wrongly is refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from finitedp import FlexibleAnswer, statistic
from finitedp.data.statistics import separator
from finitedp.errors import DataError, FinitedpError
from finitedp.impl.randomness.words import SeededWords

ROWS = {3: 400, 9: 200, 20: 150}
SURE: dict[str, Any] = {"universe": range(-5, 30), "epsilon": "1/2", "delta": "1/1000"}
NAMED: dict[str, dict[str, Any]] = {
    "max": {"name": "max"},
    "max of buckets": {"name": "max", "beta": 2},
    "max, replace-one": {"name": "max", "neighbours": "replace-one"},
    "max, gamma": {"name": "max", "gamma": "1/100"},
    "max, dropped": {"name": "max", "dropped": 7},
    "max, a longer word": {"name": "max", "word": 100},
    "min": {"name": "min"},
    "range": {"name": "range", "beta": "3/2"},
    "support": {"name": "support", "beta": 1},
    "max-k": {"name": "max-k", "k": 3},
    "mode": {"name": "mode"},
    "median": {"name": "median"},
    "quantile": {"name": "quantile", "p": "9/10"},
    "iqr": {"name": "iqr"},
    "seeded": {"name": "max", "words": SeededWords(1, not_private=True)},
}


def made(name: str) -> FlexibleAnswer:
    answer: FlexibleAnswer = statistic(ROWS, **NAMED[name], **SURE)
    return answer


def check_same(again: FlexibleAnswer, answer: FlexibleAnswer) -> None:
    assert (again.value, again.claim, again.accuracy, again.source) == (
        answer.value,
        answer.claim,
        answer.accuracy,
        answer.source,
    )
    assert again.metadata() == answer.metadata()
    assert again.to_json() == answer.to_json()
    assert again.mechanism.histogram == answer.mechanism.histogram
    bars = [0] * answer.mechanism.histogram.bars
    bars[2], bars[5] = 4, 3
    assert again.mechanism.answer(bars) == answer.mechanism.answer(bars)  # k and p, too


@pytest.mark.parametrize("name", NAMED)
def test_everything_comes_back(name: str) -> None:
    answer = made(name)
    check_same(FlexibleAnswer.from_json(answer.to_json()), answer)


def test_a_separator_comes_back() -> None:
    answer = separator({(3, False): 300, (9, True): 300}, **SURE)
    check_same(FlexibleAnswer.from_json(answer.to_json().encode()), answer)


@pytest.mark.parametrize("terms", [{"name": "max"}, {"name": "median", "max_rows": 2}])
def test_a_statistic_of_units_comes_back(terms: dict[str, Any]) -> None:
    frame = pytest.importorskip("polars").DataFrame({"person": [i // 4 for i in range(4000)], "stay": [3, 9, 20, 1] * 1000})
    answer = statistic(frame, "stay", unit="person", **terms, **SURE)
    again = FlexibleAnswer.from_json(answer.to_json())
    check_same(again, answer)
    assert again.claim is not None
    assert again.claim.unit is not None
    assert again.claim.unit.column == "person"


Change = Callable[[dict[str, Any]], object]
CHANGES: dict[str, tuple[str, Change, str]] = {
    "another format": ("max", lambda x: x.update(format="finitedp release"), "this is no statistic; accepted: "),
    "another version": ("max", lambda x: x.update(version=2), "this is no statistic"),
    "a value that no bucket has": ("max of buckets", lambda x: x.update(value="1/2"), "the value 1/2 is none that max has"),
    "a value beyond": ("max", lambda x: x.update(value="30"), "outside of the universe -5..29"),
    "a negative range": ("range", lambda x: x.update(value="-1"), "the value -1 is none that range has"),
    "a support in another order": ("support", lambda x: x["value"].reverse(), "the support is not one of the buckets"),
    "a value in other words": ("max", lambda x: x.update(value="6/2"), "value does not follow|the value"),
    "another statistic": ("median", lambda x: x.update(statistic="mode"), "does not follow"),
    "an unknown one": ("max", lambda x: x.update(statistic="mean"), "statistic = 'mean' is unknown"),
    "k of a maximum": ("max", lambda x: x["parameters"].update(k="2"), "accepted: k with max-k alone"),
    "another epsilon": ("max", lambda x: x["parameters"].update(epsilon="1/4"), "does not follow|damaged"),
    "another q": ("max", lambda x: x["parameters"].update(q=3), "does not follow|damaged"),
    "other neighbours": ("max", lambda x: x["parameters"].update(neighbours="replace-one"), "does not follow"),
    "no neighbours": ("max", lambda x: x["parameters"].pop("neighbours"), "damaged: KeyError: 'neighbours'"),
    "a lesser delta": ("max", lambda x: x["claim"].update(delta="0"), "claim does not follow"),
    "a better accuracy": ("max", lambda x: x["accuracy"].update(dropped=1), "accuracy does not follow"),
    "no claim": ("max", lambda x: x.update(claim=None), "private and claim contradict each other"),
    "seeded and private": ("seeded", lambda x: x.update(private=True), "private and claim contradict each other"),
    "a wider universe": ("max", lambda x: x.update(universe=["-5", "99"]), "does not follow|damaged"),
    "more buckets than memory holds": (
        "max",
        lambda x: x.update(universe=["0", str(10**9 - 1)]),
        "there are 35 bars for 10{9} ",
    ),
    "another bucket": ("max", lambda x: x.update(bucket=2), "does not follow|damaged"),
    "fewer draws": ("max", lambda x: x["randomness"].update(draws=1), "randomness does not follow"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_document_is_refused_in_one_line(name: str) -> None:
    of, change, message = CHANGES[name]
    document = json.loads(made(of).to_json())
    if of == "support":
        document["value"] = ["-4", "8"]
    change(document)
    with pytest.raises(DataError, match=message) as caught:
        FlexibleAnswer.from_json(json.dumps(document))
    assert len(str(caught.value).splitlines()) == 1


def test_any_leaf_that_is_replaced_is_refused() -> None:
    document = json.loads(made("quantile").to_json())

    def leaves(value: Any, path: tuple[Any, ...] = ()) -> Any:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, below in pairs:
            yield from leaves(below, (*path, key))
        if not isinstance(value, dict | list):
            yield path

    for path in leaves(document):
        others: tuple[Any, ...] = (None, [], "x", True, 1000)
        for other in others:
            copy = json.loads(json.dumps(document))
            at = copy
            for key in path[:-1]:
                at = at[key]
            if path[-1] in ("bits_from", "column", "finitedp") or at[path[-1]] == other:
                continue
            at[path[-1]] = other
            if path[-1] == "dropped" and other == 1000:
                assert FlexibleAnswer.from_json(json.dumps(copy)).accuracy.dropped == 1000  # less is said, and true
                continue
            with pytest.raises(FinitedpError):
                FlexibleAnswer.from_json(json.dumps(copy))


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"a":' * 100_000, b"\xff\xfe\x00"])
def test_what_is_no_document_at_all(text: str | bytes) -> None:
    with pytest.raises(DataError, match=r"no JSON document|this is no statistic"):
        FlexibleAnswer.from_json(text)
