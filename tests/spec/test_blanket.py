"""BlanketHistogram's law: by hand, against literal enumerations, and what its probabilities sum to."""

from itertools import islice

import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from finitedp.errors import ParameterError
from finitedp.proofs_check.claims.own.blanket.plans import certified, off_by_one, random_plans
from finitedp.proofs_check.claims.own.blanket.slots import Numbers, Slots
from finitedp.proofs_check.claims.own.blanket.subjects import counted, specified
from finitedp.spec import blanket as spec
from finitedp.spec.blanket import Blanket
from finitedp.spec.pmf import Pmf

COIN = Blanket((2, 1), 0, 1, 1, mpq(1, 2), 2, (1,))
"""n = 1: a label of one row is shown with probability 3/4; one slot, which hits half of the time, and two labels."""


def test_one_row_and_one_slot_by_hand() -> None:
    assert spec.law(COIN, {}) == Pmf({(): 2, ((0, 1),): 1, ((1, 1),): 1})
    # hidden and no hit, or a hit on 0 itself; hidden and a hit on 1; shown and no hit; shown and a hit
    expected = {(): mpq(1, 8) + mpq(1, 16), ((1, 1),): mpq(1, 16), ((0, 1),): mpq(3, 8), None: mpq(3, 8)}
    assert spec.law(COIN, {0: 1}) == Pmf.from_probabilities(expected)
    assert spec.withheld(COIN, {0: 1}) == mpq(3, 8)


def test_two_slots_with_one_label_by_hand() -> None:
    """Two slots that surely hit, two labels: the same twice with 1/2, and then the first one's count."""
    blanket = Blanket((10, 1, 1, 1), 1, 2, 2, mpq(99, 100), 2, (1, 3))
    both = mpq(99, 100) ** 2
    one = 2 * mpq(99, 100) * mpq(1, 100)
    assert spec.probability(blanket, {}, ((0, 2),)) == (both / 4 + one / 2) * mpq(1, 4)
    assert spec.probability(blanket, {}, ((0, 3), (1, 2))) == both / 2 * mpq(3, 16)


@pytest.mark.parametrize("counts", [{}, {2: 1}, {0: 1, 3: 2}, {0: 1, 1: 1, 2: 1}])
def test_three_ways_to_the_same_law(counts: dict[int, int]) -> None:
    numbers = Numbers(4, (42, 23, 16, 68), mpq(5), 1, 2, 3, 14, 5, (1, 3))
    blanket = specified(numbers)
    assert spec.law(blanket, counts) == spec.literal_law(blanket, counts) == Slots(numbers).law(counts)


@given(st.integers(0, 10**9))
@settings(max_examples=10, deadline=None)
def test_the_law_is_one_whatever_the_numbers_are(seed: int) -> None:
    """The closed form sums to 1 for a plan that is certified and for what is one off, private or not."""
    plan = next(random_plans(seed, 1, most_rows=3, bits=2, slots=9))
    for numbers in (plan, *islice(off_by_one(plan), seed % 5, seed % 5 + 2)):
        law = spec.law(specified(numbers), counted(tuple(range(numbers.size))[: numbers.n]))
        assert sum(law[x] for x in law) == 1
        assert len(law) > 2


def test_permuted_labels_have_the_permuted_law() -> None:
    blanket = specified(Numbers(4, (42, 23, 16, 68), mpq(5), 1, 2, 3, 14, 5, (1, 3)))
    left, right = spec.law(blanket, {0: 2, 1: 1}), spec.law(blanket, {3: 2, 0: 1})
    to = {0: 3, 1: 0, 2: 1, 3: 2}
    assert left.pushforward(lambda found: None if found is None else tuple(sorted((to[x], v) for x, v in found))) == right


def test_what_a_sequence_of_slots_holds_is_counted_right() -> None:
    for length, new, old in [(0, 0, 3), (3, 2, 2), (4, 3, 1), (2, 3, 5), (5, 2, 0)]:
        words: list[tuple[int, ...]] = [()]
        for _ in range(length):
            words = [(*word, x) for word in words for x in range(new + old)]
        assert spec._sequences(length, new, old) == sum(set(range(new)) <= set(word) for word in words)


@pytest.mark.parametrize("counts", [{4: 1}, {-1: 1}, {0: 0}, {0: 3, 1: 1}])
def test_data_that_does_not_fit_is_refused(counts: dict[int, int]) -> None:
    blanket = specified(Numbers(4, (42, 23, 16, 68), mpq(5), 1, 2, 3, 14, 5, (1, 3)))
    with pytest.raises(ParameterError, match="data"):
        spec.probability(blanket, counts, ())


@pytest.mark.parametrize(
    "changes", [{"b": 2}, {"b": -1}, {"counts": (1,)}, {"counts": (0, 0)}, {"hit": mpq(1)}, {"counts": (-1, 5)}, {"cap": -1}]
)
def test_numbers_of_no_mechanism_are_refused(changes: dict[str, object]) -> None:
    given_: dict[str, object] = {
        "weights": (10, 1, 2), "b": 0, "cap": 1, "slots": 2, "hit": mpq(1, 2), "labels": 2, "counts": (1, 3),
    }  # fmt: skip
    Blanket(**given_)  # type: ignore[arg-type]  # right as it is
    with pytest.raises(ParameterError, match=r"out of range|do not fit"):
        Blanket(**(given_ | changes))  # type: ignore[arg-type]  # not so


def test_the_first_half_of_a_follows_from_c() -> None:
    """R - (1 - s)(1 + R s) = (R - 1)(1 - s) + R s^2 as polynomials: equal at 3 values of s for each of 2 of R."""
    for ratio, s in [(r, s) for r in (mpq(2), mpq(7, 3)) for s in (mpq(0), mpq(1, 2), mpq(5))]:
        assert ratio - (1 - s) * (1 + ratio * s) == (ratio - 1) * (1 - s) + ratio * s**2
    assert all(certified(numbers)["A"] for numbers in random_plans(8, 60, bits=5))


def test_the_bound_of_the_labels_shown_is_attained_or_above() -> None:
    blanket = specified(Numbers(4, (42, 23, 16, 68), mpq(5), 1, 2, 3, 14, 5, (1, 3)))
    shown = {c: blanket.shown(c) for c in (1, 2, 3)}
    assert spec.most_shown(blanket) == max(3 * shown[1], mpq(3, 2) * shown[2], shown[3])
    assert all(sum(shown[c] for c in counts) <= spec.most_shown(blanket) for counts in [(1, 1, 1), (2, 1), (3,)])
