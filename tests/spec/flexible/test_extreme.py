import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.flexible import extreme
from finitedp.spec.flexible.extreme import Chain
from finitedp.spec.pmf import Pmf


def test_right_answers_by_hand() -> None:
    assert extreme.answers((0, 3, 1), 1) == {2, 3}
    assert extreme.answers((1, 0), 1) == {0, 1}


def test_delta_star_by_hand() -> None:
    assert extreme.delta_star(1, 2, mpq(2)) == mpq(1, 4)  # 1 + 1 + 2
    assert extreme.delta_star(2, 3, mpq(2)) == mpq(1, 5)  # 1 + 1 + 1 + 2


def test_a_composition_is_made_from_the_top() -> None:
    assert extreme.composition((5, 2), 3) == [0, 2, 2]
    assert extreme.composition((0, 1), 3) == [3, 0, 1]


def test_below_delta_star_some_counts_have_no_answer() -> None:
    assert extreme.delta_star(1, 3, mpq(2)) == mpq(1, 6)
    with pytest.raises(ParameterError, match=r"the probabilities of \(2,\) do not reach 1 at delta = 1/7"):
        extreme.lowest_pmf((2,), 3, mpq(2), mpq(1, 7))


def test_what_is_wrong_with_a_mechanism_is_said() -> None:
    assert extreme.violation({(0,): Pmf.point(1)}, 1, mpq(2), mpq(1)) == "answer 1 is wrong of (0,)"
    sharp: dict[tuple[int, ...], Pmf[int]] = {(0,): Pmf.point(0), (1,): Pmf.point(1)}
    assert extreme.violation(sharp, 1, mpq(2), mpq(1, 2)) == "delta 1 between (0,) and (1,)"
    assert extreme.violation(sharp, 1, mpq(2), mpq(1)) is None


def test_a_certificate_with_a_gap_or_a_right_end_shows_nothing() -> None:
    right = extreme.chain(1, 3)
    assert extreme.bound_is_shown(right, 1, 3, mpq(2), extreme.delta_star(1, 3, mpq(2)))
    edits: list[dict[int, list[tuple[int, ...]]]] = [{1: [(2,), (0,)]}, {1: [(2,), (1,)]}, {0: []}, {1: []}]
    for edit in edits:
        steps = right.steps | edit
        assert not extreme.bound_is_shown(Chain(right.at, steps), 1, 3, mpq(2), mpq(1, 1000))
