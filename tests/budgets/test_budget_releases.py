"""Every kind of release within a budget: charged once, with its claim, before a draw; not where it is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp import Budget, compose, release, statistic
from finitedp.data.releasing import word_source
from finitedp.data.statistics import separator
from finitedp.errors import DataError, ParameterError, PrivacyBudgetError
from finitedp.impl.randomness.words import SeededWords

COUNTS = {"a": 30, "b": 20}
TERMS: dict[str, Any] = {"epsilon": "1/4", "n": 1000}
MANY = np.array([5, 6, 7])

REPLACED: dict[str, Callable[..., Any]] = {
    "histogram": lambda **more: release(COUNTS, universe=["a", "b"], **TERMS, **more),
    "sparse histogram": lambda **more: release(COUNTS, delta="1/1000000", **TERMS, **more),
    "pure sparse histogram of label": lambda **more: release(
        {1: 50}, kind="pure-sparse", universe=range(1000), epsilon="1/4", n=1000, **more
    ),
    "max": lambda **more: statistic(
        MANY, name="max", universe=range(3), epsilon="1/4", delta="1/1000000", neighbours="replace-one", **more
    ),
}
ADDED: dict[str, Callable[..., Any]] = {
    "histogram": lambda **more: REPLACED["histogram"](neighbours="add-remove", **more),
    "sparse histogram": lambda **more: REPLACED["sparse histogram"](neighbours="add-remove", **more),
    "pure sparse histogram of label": lambda **more: REPLACED["pure sparse histogram of label"](
        neighbours="add-remove", **more
    ),
    "anonymized histogram of labels": lambda **more: release(COUNTS, kind="anonymized", **TERMS, **more),
    "median": lambda **more: statistic(MANY, name="median", universe=range(3), epsilon="1/4", delta="1/1000000", **more),
    "separator": lambda **more: separator(
        {(0, False): 9, (1, True): 9}, universe=range(3), epsilon="1/4", delta="1/1000000", **more
    ),
}
EVERY = [
    *(("replace-one", name, run) for name, run in REPLACED.items()),
    *(("add-remove", name, run) for name, run in ADDED.items()),
]


@pytest.fixture(params=EVERY, ids=[f"{name}, {relation}" for relation, name, _ in EVERY])
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_charged_once_with_the_claim_of_the_release(kind: Any) -> None:
    relation, name, run = kind
    with Budget(1, "1/1000", neighbours=relation) as budget:
        found = run()
        run()
    assert [(x.release, x.claim) for x in budget.charges] == [(name, found.claim)] * 2
    assert found.claim.neighbours == relation


class _Counting:
    name = "counted"
    read_bytes = 0

    def read(self, size: int) -> bytes:
        self.read_bytes += size
        return bytes(size)


def test_refused_before_a_word_is_read(kind: Any) -> None:
    relation, _, run = kind
    words = _Counting()
    with Budget("1/5", "1/1000", neighbours=relation) as budget, pytest.raises(PrivacyBudgetError, match="does not fit"):
        run(words=words)
    assert (words.read_bytes, budget.charges) == (0, ())
    other = Budget(9, "1/2", neighbours="add-remove" if relation == "replace-one" else "replace-one")
    with other, pytest.raises(PrivacyBudgetError, match=f"the claim is for {relation}"):
        run(words=words)
    assert (words.read_bytes, other.charges) == (0, ())


def test_words_from_a_seed_are_refused(kind: Any) -> None:
    relation, _, run = kind
    with Budget(9, "1/2", neighbours=relation) as budget, pytest.raises(PrivacyBudgetError, match="from a seed"):
        run(words=SeededWords(1, not_private=True))
    assert budget.charges == ()


def test_what_forgets_to_charge_gets_no_words() -> None:
    with Budget(1), pytest.raises(PrivacyBudgetError, match="no claim that could be charged"):
        word_source(None).read(8)


def test_wrong_data_is_charged_nothing() -> None:
    with Budget(1, "1/1000") as budget:
        with pytest.raises(DataError):
            release({"c": 3}, universe=["a", "b"], **TERMS)
        with pytest.raises(DataError):
            release({"c": 3000}, delta="1/1000", **TERMS)
        with pytest.raises(ParameterError):
            release(COUNTS, **TERMS)
    assert budget.charges == ()


# Units


def of_people(**more: Any) -> Any:
    frame = pytest.importorskip("pandas").DataFrame({"person": ["ann", "ann", "bob"] * 9, "age": [1, 2, 2] * 9})
    return release(frame, "age", universe=range(4), epsilon="1/4", n=100, neighbours="add-remove", **more)


def test_units_are_a_relation_of_their_own() -> None:
    with Budget(1, neighbours="add-remove", unit="person") as budget:
        noisy = of_people(unit="person", max_rows=2)
        of_people(unit="person", max_labels=1, max_rows_per_label=3)  # other bounds, the same people
        with pytest.raises(
            PrivacyBudgetError, match="for add-remove, the budget for add-remove of person; a claim is for one row"
        ):
            of_people()
    assert budget.charges[0].claim == noisy.claim
    assert budget.spent[0] == mpq(1, 2)
    with (
        Budget(1, neighbours="add-remove"),
        pytest.raises(PrivacyBudgetError, match="for add-remove of person, the budget for"),
    ):
        of_people(unit="person", max_rows=2)
    with (
        Budget(1, neighbours="add-remove", unit="house"),
        pytest.raises(PrivacyBudgetError, match="budget for add-remove of house"),
    ):
        of_people(unit="person", max_rows=2)


def test_claims_of_units_are_not_composed_with_those_of_rows() -> None:
    unit, row = of_people(unit="person", max_rows=2).claim, of_people().claim
    with pytest.raises(ParameterError, match="add-remove, add-remove of person"):
        compose([unit, row])
    assert unit.curve().delta_at(unit.ratio) == 0
    assert compose([unit, unit]).epsilon(0)[1] <= 2 * unit.epsilon
