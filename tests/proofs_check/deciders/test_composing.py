"""Several runs together, against the laws of tuples of outputs."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders import composing
from finitedp.proofs_check.deciders.composing import composed, unresolved_of_all
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.privacy import decide_privacy
from finitedp.spec.divergence import hockey_stick

BOTH = [(0, 1), (1, 0)]


def law(*weights: int, rest: int = 0) -> PartialLaw[object]:
    total = sum(weights) + rest
    return PartialLaw({x: mpq(w, total) for x, w in enumerate(weights) if w}, mpq(rest, total))


def tuples(one: PartialLaw[object], times: int) -> PartialLaw[object]:
    """The law of all tuples of outputs: the definition."""
    found: dict[object, mpq] = {
        xs: mpq(prod(one.probabilities[x] for x in xs)) for xs in product(one.probabilities, repeat=times)
    }
    return PartialLaw(found, 1 - sum(found.values(), mpq(0)))


WEIGHTS = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)


@given(WEIGHTS, WEIGHTS, st.integers(0, 2), st.integers(1, 4), st.fractions(0, 9, max_denominator=9))
def test_events_are_those_of_tuples(p: list[int], q: list[int], rest: int, times: int, ratio: Fraction) -> None:
    laws = {0: law(*p, rest=rest), 1: law(*q)}
    found, pairs = composed(laws, BOTH, times)
    for (left, right), (i, j) in zip(pairs, BOTH, strict=True):
        direct = tuples(laws[i], times), tuples(laws[j], times)
        assert hockey_stick(found[left], found[right], mpq(ratio)).delta == hockey_stick(*direct, mpq(ratio)).delta
        assert [found[left].unresolved, found[right].unresolved] == [each.unresolved for each in direct]
        assert (left.input, right.input) == (i, j)


def test_sixty_runs_of_randomised_response_have_sixty_one_ratios() -> None:
    found, pairs = composed({0: law(3, 1), 1: law(1, 3)}, BOTH, 60)
    here = found[pairs[0][0]].probabilities
    assert sorted(here.values()) == sorted(comb(60, k) * mpq(3**k, 4**60) for k in range(61))
    assert {repr(x) for x in here} == {f"{3**k}:1" for k in range(2, 61, 2)} | {f"1:{3**k}" for k in range(0, 61, 2)}
    claim = PrivacyClaim("66", "counts", ratio=str(3**60))
    assert decide_privacy(found.__getitem__, pairs, claim).tight


def test_outputs_of_one_input_alone_are_an_infinite_ratio() -> None:
    found, pairs = composed({0: law(1, 1, 0), 1: law(0, 1, 1)}, BOTH, 2)
    left, right = (found[side] for side in pairs[0])
    assert {repr(x): p for x, p in left.probabilities.items()} == {"1:0": mpq(3, 4), "1:1": mpq(1, 4)}
    assert {repr(x): p for x, p in right.probabilities.items()} == {"0:1": mpq(3, 4), "1:1": mpq(1, 4)}


def test_three_inputs_make_two_pairs() -> None:
    pairs = [(0, 1), (1, 0), (1, 2), (2, 1)]
    found, both = composed({i: law(1 + i, 3) for i in range(3)}, pairs, 2)
    assert [(left.input, right.input) for left, right in both] == pairs
    assert len(found) == 4


def test_the_unresolved_mass_of_all_runs() -> None:
    assert unresolved_of_all(mpq(1, 4), 3) == 1 - mpq(27, 64)


@pytest.mark.parametrize(("limit", "least"), [("MOST_RATIOS", 10), ("MOST_PRODUCTS", 40), ("MOST_BITS", 500)])
def test_what_is_too_much_is_refused_in_one_line(limit: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composing, limit, least)
    with pytest.raises(ParameterError, match=r"compose = 20: .*; accepted: a smaller compose, or one run with"):
        composed({0: law(3, 1, 7), 1: law(1, 3, 5)}, BOTH, 20)
    assert composed({0: law(3, 1), 1: law(1, 3)}, BOTH, 2)


def test_as_many_products_as_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ratios of one run take 2 products, and those of the second run 2 * 2; the other pair has as many."""
    laws, pairs = {0: law(3, 1), 1: law(1, 3), 2: law(1, 4)}, [(0, 1), (1, 0), (1, 2), (2, 1)]
    monkeypatch.setattr(composing, "MOST_PRODUCTS", 6)
    assert composed(laws, BOTH, 2)
    with pytest.raises(ParameterError, match="takes more than 6 products"):
        composed(laws, pairs, 2)
    monkeypatch.setattr(composing, "MOST_PRODUCTS", 12)
    assert composed(laws, pairs, 2)
    monkeypatch.setattr(composing, "MOST_PRODUCTS", 5)
    with pytest.raises(ParameterError, match="take more than 5 products"):
        composed(laws, BOTH, 2)


def test_runs_of_which_nothing_is_known() -> None:
    found, pairs = composed({0: law(rest=1), 1: law(rest=1)}, BOTH, 3)
    assert [found[side] for side in pairs[0]] == [PartialLaw({}, mpq(1))] * 2
