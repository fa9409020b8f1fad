"""Budgets: sums, what is refused, threads, and the context."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, Literal

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp import compose, release
from finitedp.budgets.budget import Budget, charged
from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError, PrivacyBudgetError
from finitedp.impl.randomness.words import SeededWords, SystemWords

Relation = Literal["replace-one", "add-remove"]


def claim(epsilon: Any, delta: Any = 0, neighbours: Relation = "replace-one") -> PrivacyClaim:
    return PrivacyClaim(epsilon, neighbours, delta)


def test_epsilons_and_deltas_add_up_exactly() -> None:
    budget = Budget(1, "1/10")
    for k in range(10):
        assert budget.charge(claim("1/10", "1/100"), f"release {k}").number == k + 1
    assert budget.spent == (mpq(1), mpq(1, 10))
    assert budget.left == (mpq(0), mpq(0))
    assert [x.release for x in budget.charges] == [f"release {k}" for k in range(10)]
    budget.charge(claim(0))
    with pytest.raises(PrivacyBudgetError, match=r"epsilon = 1/1000000 .* does not fit: 0 of 1 is left; nothing was charged"):
        budget.charge(claim("1/1000000"))


def test_what_does_not_fit_charges_nothing() -> None:
    budget = Budget(1, "1/10")
    with pytest.raises(PrivacyBudgetError, match="epsilon = 11/10"):
        budget.charge(claim("11/10"))
    with pytest.raises(PrivacyBudgetError, match="delta = 1/9"):
        budget.charge(claim("1/2", "1/9"))
    assert budget.spent == (mpq(0), mpq(0))
    assert budget.charges == ()


@given(st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, 1)), max_size=12), st.fractions(0, 2), st.fractions(0, 1))
def test_no_sequence_of_charges_passes_the_total(asked: list[Any], epsilon: Any, delta: Any) -> None:
    budget, sums = Budget(epsilon, delta), (mpq(0), mpq(0))
    for one in asked:
        after = sums[0] + mpq(one[0]), sums[1] + mpq(one[1])
        fits = after[0] <= epsilon and after[1] <= delta
        try:
            budget.charge(claim(*one))
        except PrivacyBudgetError:
            assert not fits
        else:
            assert fits
            sums = after
    assert budget.spent == sums


def test_another_relation_is_refused_with_its_conversion() -> None:
    with pytest.raises(
        PrivacyBudgetError, match=r"for add-remove, the budget for replace-one; .* \(2 epsilon, \(1 \+ e\^epsilon\)"
    ):
        Budget(1).charge(claim("1/2", neighbours="add-remove"))
    with pytest.raises(PrivacyBudgetError, match="says nothing of one more or less"):
        Budget(1, neighbours="add-remove").charge(claim("1/2"))
    with pytest.raises(PrivacyBudgetError, match="for counts"):
        Budget(1).charge(PrivacyClaim("1/2", "counts"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "neighbours", "says"),
    [
        (-1, 0, "replace-one", "negative"),
        (1, 2, "replace-one", "delta"),
        (0.1, 0, "replace-one", "epsilon"),
        (1, 0, "replace", "unknown"),
        (1, 0, "counts", "relation of one count"),
    ],
)
def test_wrong_totals(epsilon: Any, delta: Any, neighbours: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Budget(epsilon, delta, neighbours=neighbours)


def test_threads_that_charge_at_once() -> None:
    budget = Budget("1/2")

    def fits(_: int) -> bool:
        try:
            budget.charge(claim("1/100"))
        except PrivacyBudgetError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(fits, range(200))) == 50
    assert [x.number for x in budget.charges] == list(range(1, 51))


def test_a_context_charges_before_words_are_given() -> None:
    words = SystemWords()
    with Budget("1/2") as budget:
        assert charged(claim("1/3"), "one", words) is words
        with pytest.raises(PrivacyBudgetError, match="does not fit"):
            charged(claim("1/3"), "two", words)
        with pytest.raises(PrivacyBudgetError, match="from a seed"):
            charged(claim("1/9"), "three", SeededWords(1, not_private=True))
        with pytest.raises(PrivacyBudgetError, match="one at a time"), Budget(1):
            pass
    assert [x.release for x in budget.charges] == ["one"]
    assert charged(claim(9), "outside of it", words) is words
    assert repr(budget) == "Budget(replace-one): epsilon 1/6 (~0.16666667) of 1/2 (0.5) and delta 0 of 0 left, 1 charge"


def test_what_other_threads_draw_within_it_is_charged() -> None:
    def draw(_: int) -> None:
        release({"a": 3}, universe=["a"], epsilon="1/100", n=9)

    with Budget(1) as budget, ThreadPoolExecutor(4) as pool:
        list(pool.map(draw, range(20)))
    assert budget.spent[0] == mpq(1, 5)


def test_threads_that_enter_one_budget() -> None:
    budget, together = Budget(1), Barrier(4)

    def draw(_: int) -> None:
        with budget:
            together.wait(10)  # all are within it
            release({"a": 3}, universe=["a"], epsilon="1/100", n=9)
            together.wait(10)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(draw, range(4)))
    assert len(budget.charges) == 4
    release({"a": 3}, universe=["a"], epsilon=2, n=9)  # nobody is within it any more
    assert len(budget.charges) == 4


# Slots


def table(epsilon: str) -> PrivacyClaim:
    claim = release({"a": 3}, universe=["a"], epsilon=epsilon, n=1000, neighbours="add-remove").claim
    assert claim is not None
    return claim


def test_a_release_takes_the_first_free_slot_that_covers_it() -> None:
    whole, half = table("1"), table("1/2")
    budget = Budget(slots=[half, (PrivacyClaim(1, "add-remove"), 2)])
    assert budget.free == (1, 2)
    assert [budget.charge(half).slot for _ in range(3)] == [0, 1, 1]
    with pytest.raises(PrivacyBudgetError, match="none of the slots that cover it is free; nothing was charged"):
        budget.charge(half)
    assert budget.free == (0, 0)
    other = Budget(slots=[(half, 5)])
    with pytest.raises(PrivacyBudgetError, match="no slot covers it"):
        other.charge(whole)
    assert other.composition.delta(1) == compose([(half, 5)]).delta(1)
    assert repr(other) == "Budget(add-remove): 5 of 5 slots left, 0 charges"


def test_slots_cost_less_than_the_sum() -> None:
    budget = Budget(slots=[(table("1/10"), 100)])
    _, above = budget.composition.epsilon("1/1000000")
    assert above < 5  # of 10 by adding up


def test_a_claim_alone_covers_what_has_no_larger_ratio_nor_delta() -> None:
    covers = Budget(slots=[(PrivacyClaim("1/2", "add-remove", "1/100"), 3)])
    covers.charge(PrivacyClaim("1/2", "add-remove", "1/100"))
    covers.charge(PrivacyClaim("1/4", "add-remove"))
    with pytest.raises(PrivacyBudgetError, match="no slot covers it"):
        covers.charge(PrivacyClaim("1/4", "add-remove", "1/50"))
    with pytest.raises(PrivacyBudgetError, match="for replace-one, the budget for add-remove"):
        covers.charge(PrivacyClaim("1/4", "replace-one"))


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ({}, "epsilon is missing"),
        ({"slots": []}, "nothing"),
        ({"slots": ["a"]}, "a slot is str"),
        ({"slots": [(PrivacyClaim(1, "add-remove"), 0)]}, "how often"),
        ({"slots": [PrivacyClaim(1, "add-remove"), PrivacyClaim(1, "replace-one")]}, "add-remove, replace-one"),
        ({"slots": [PrivacyClaim(1, "counts")]}, "relation of one count"),
        ({"slots": [PrivacyClaim(1, "add-remove")], "epsilon": 1}, "without epsilon"),
    ],
)
def test_wrong_slots(terms: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Budget(**terms)


def test_each_kind_has_what_it_has() -> None:
    with pytest.raises(ParameterError, match="no slots"):
        _ = Budget(1).free
    with pytest.raises(ParameterError, match="adds up no epsilons"):
        _ = Budget(slots=[PrivacyClaim(1, "add-remove")]).spent
