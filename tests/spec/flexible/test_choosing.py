from gmpy2 import mpq

from finitedp.spec.flexible import choosing as spec
from finitedp.spec.pmf import Pmf

GATE = (1, 2, 1)
NONE = Pmf.point(0)


def test_the_gate_is_below_the_highest_bar() -> None:
    assert [spec.passed(GATE, highest) for highest in (0, 1, 2, 3, 9)] == [0, mpq(1, 4), mpq(3, 4), 1, 1]


def test_one_choice_among_occupied_bars() -> None:
    """Weights 2^2 and 2^3, and nothing for the empty bar: a row alone passes a quarter of the time."""
    assert spec.one_choice((2, 0, 3), GATE, mpq(2)) == Pmf({0: 1, 2: 2})
    assert spec.one_choice((0, 1), GATE, mpq(2)) == Pmf({None: 3, 1: 1})
    assert spec.one_choice((0, 0), GATE, mpq(2)) == Pmf.point(None)


def test_the_delta_of_a_choice_is_the_largest_of_three() -> None:
    """At h = 1, 2, 3: 1/4 of 1/2, 3/4 of 1/3, 1 of 1/5, and a quarter for the first row and for the last noise."""
    assert spec.one_choice_delta(GATE, mpq(2)) == mpq(1, 4)
    assert spec.one_choice_delta(GATE, mpq(3, 2)) == mpq(4, 13)
    assert spec.one_choice_delta((1, 1, 3), mpq(100)) == mpq(3, 5)


def test_a_chosen_bar_is_not_chosen_again() -> None:
    law = spec.points((3, 3), GATE, mpq(2), NONE, 3, 9)
    assert law == Pmf({((0, 3), (1, 3)): 1, ((1, 3), (0, 3)): 1})


def test_rounds_end_where_the_gate_refuses() -> None:
    law = spec.points((3, 1), GATE, mpq(2), NONE, 2, 9)
    assert law[((0, 3),)] == mpq(4, 5) * mpq(3, 4)
    assert spec.chosen_counts((3, 1), GATE, mpq(2), 2)[(0, 1)] == mpq(4, 5) * mpq(3, 4)


def test_heights_are_cut_off() -> None:
    law = spec.points((3,), GATE, mpq(2), Pmf({-9: 1, 0: 2, 9: 1}), 1, 5)
    assert law == Pmf({((0, 0),): 1, ((0, 3),): 2, ((0, 5),): 1})


def test_the_last_chosen_bar_that_is_high_enough() -> None:
    assert spec.answer_of_max_k(((2, 4), (5, 1), (3, 7)), 4) == 3
    assert spec.answer_of_max_k((), 1) == 0
    assert spec.law_of_max_k((3, 3, 0), GATE, mpq(2), NONE, 1, 3) == Pmf({0: 1, 1: 1})
    assert spec.law_of_max_k((3, 3, 0), GATE, mpq(2), Pmf({-1: 1, 0: 1}), 2, 3) == Pmf({0: 1, 1: 1})
