"""Renyi and zero-concentrated privacy against claims: verdicts of complete laws, and of laws known in part."""

from itertools import product
from typing import Any, Literal

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import RenyiClaim
from finitedp.errors import ParameterError
from finitedp.exact import compare_exp, log_bounds
from finitedp.proofs_check.deciders.completions import farthest, nearest
from finitedp.proofs_check.deciders.concentrated import Curve, least_rho
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.renyi import Divergence, decide_renyi, decide_zcdp
from finitedp.spec.renyi import Atom, atoms, power_sum

BOTH = [(0, 1), (1, 0)]


def known(*probabilities: str) -> PartialLaw[int]:
    """What is known of a law: the rest is unresolved."""
    listed = {x: mpq(p) for x, p in enumerate(probabilities) if mpq(p)}
    return PartialLaw(listed, 1 - sum(listed.values(), mpq(0)))


RESPONSE = [known("3/4", "1/4"), known("1/4", "3/4")]


def renyi(laws: list[PartialLaw[int]], order: str, epsilon: str, times: int = 1) -> Divergence[int]:
    return decide_renyi(laws.__getitem__, BOTH, RenyiClaim(order, epsilon), times)


def test_a_verdict_next_to_the_divergence_itself() -> None:
    """ln(7/3) is 0.84729786038720361... Beyond it a decimal of hundreds of digits is told from it too."""
    assert renyi(RESPONSE, "2", "0.8472978603872036").verdict == "fails"
    assert renyi(RESPONSE, "2", "0.8472978603872037").verdict == "holds"
    low, high = log_bounds(mpq(7, 3), 400)
    assert [renyi(RESPONSE, "2", end).verdict for end in (str(low), str(high))] == ["fails", "holds"]
    found = renyi(RESPONSE, "2", "1")
    assert found.power_sum == mpq(7, 3)
    assert compare_exp(mpq(7, 3), found.low) > 0 > compare_exp(mpq(7, 3), found.high)


def finite(*ends: mpq | Literal["infinite"]) -> list[mpq]:
    assert "infinite" not in ends
    return [mpq(end) for end in ends]


def ends_of_least_rho() -> list[mpq]:
    return finite(*least_rho([Curve(atoms(*RESPONSE)), Curve(atoms(*RESPONSE[::-1]))])[:2])


def test_a_verdict_next_to_the_least_rho_itself() -> None:
    """ln(3)/2 is enclosed by ends that differ by 2^-16 of it; a rho between them is decided, and is the end from then on."""
    low, high = ends_of_least_rho()
    limit = log_bounds(mpq(3), 100)[0] / 2
    below, above = limit * (1 - mpq(1, 10**9)), limit * (1 + mpq(1, 10**6))
    assert low < below < above < high
    found: list[Any] = [decide_zcdp(RESPONSE.__getitem__, BOTH, rho) for rho in (below, above)]
    assert [each.verdict for each in found] == ["fails", "holds"]
    (of_below, _), (lowest, highest) = (finite(each.low, each.high) for each in found)
    assert low * (1 - mpq(1, 2**47)) < lowest < low < highest == above
    assert below < of_below < limit


def test_the_ends_that_are_told_are_further_apart() -> None:
    ends = ends_of_least_rho()
    for times in (1, 3):
        found: Any = decide_zcdp(RESPONSE.__getitem__, BOTH, mpq(7), times)
        low, high = (times * end for end in ends)
        lowest, highest = finite(found.low, found.high)
        assert low * (1 - mpq(1, 2**47)) < lowest < low < high < highest < high * (1 + mpq(1, 2**47))


@pytest.mark.parametrize(("times", "verdict"), [(1, "holds"), (2, "holds"), (3, "fails")])
def test_divergences_of_several_runs_add_up(times: int, verdict: str) -> None:
    assert renyi(RESPONSE, "2", "2", times).verdict == verdict
    assert decide_zcdp(RESPONSE.__getitem__, BOTH, mpq(5, 4), times).verdict == verdict


def test_equal_laws_hold_at_0() -> None:
    assert renyi([RESPONSE[0]] * 2, "3/2", "0").verdict == "holds"
    found = decide_zcdp([RESPONSE[0]].__getitem__, [(0, 0)], mpq(0))
    assert (found.low, found.high, found.verdict) == (mpq(0), mpq(0), "holds")
    assert renyi(RESPONSE, "3/2", "0").verdict == "fails"
    assert decide_zcdp(RESPONSE.__getitem__, BOTH, mpq(0)).verdict == "fails"


def test_an_output_of_one_input_alone_is_infinite() -> None:
    laws = [known("1/2", "1/2"), known("0", "1/2", "1/2")]
    found = renyi(laws, "2", "1000")
    assert (found.verdict, found.low, found.high, found.power_sum) == ("fails", "infinite", "infinite", "infinite")
    assert decide_zcdp(laws.__getitem__, BOTH, mpq(1000)).verdict == "fails"


def test_unresolved_mass_leaves_the_upper_end_open() -> None:
    laws = [known("3/4", "1/8"), known("1/4", "3/4")]
    found = renyi(laws, "2", "1")
    assert (found.verdict, found.high, found.power_sum) == ("undecided", "infinite", None)
    assert renyi(laws, "2", "1/100").verdict == "fails"
    zcdp = decide_zcdp(laws.__getitem__, BOTH, mpq(1))
    assert (zcdp.verdict, zcdp.high) == ("undecided", "infinite")
    assert decide_zcdp(laws.__getitem__, BOTH, mpq(1, 1000)).verdict == "fails"


def test_one_direction_where_mass_is_unresolved_at_the_other_input_only() -> None:
    laws = [known("1/2", "1/2"), known("1/4", "1/2")]
    found = decide_renyi(dict(enumerate(laws)).__getitem__, BOTH[:1], RenyiClaim(2, 1))
    assert found.low == 0
    high: Any = found.high
    assert compare_exp(mpq(3, 2), high) < 0 < compare_exp(mpq(3, 2) + mpq(1, 10**12), high)
    assert found.verdict == "holds"
    assert decide_zcdp(laws.__getitem__, BOTH[:1], mpq(1)).verdict == "holds"


def test_no_pairs_are_refused() -> None:
    with pytest.raises(ParameterError, match="no neighbouring pairs"):
        decide_renyi(dict(enumerate(RESPONSE)).__getitem__, [], RenyiClaim(2, 1))


SIXTHS = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda w: known(*(str(mpq(x, 6)) for x in w)))


@given(SIXTHS, SIXTHS)
def test_the_completions_that_are_most_alike_are_laws_and_no_others_are_more_alike(
    p: PartialLaw[int], q: PartialLaw[int]
) -> None:
    near, (far,) = nearest(p, q), farthest(p, q)
    assert [sum(atom[i] for atom in near) for i in (0, 1)] == [1, 1]
    assert (far is None) == (p.unresolved > 0)
    thirds = [[known(*(str(mpq(w, 6)) for w in weights)) for weights in _completed(law)] for law in (p, q)]
    for one, other in product(*thirds):
        found: Any = power_sum(atoms(one, other), 2)
        most: Any = "infinite" if far is None else power_sum(far, 2)
        assert found == "infinite" or found >= power_sum(near, 2)
        assert most == "infinite" or (found != "infinite" and found <= most)


def _completed(law: PartialLaw[int]) -> list[tuple[int, ...]]:
    had = [int(6 * law.probabilities.get(x, mpq(0))) for x in range(2)]
    rest = 6 - sum(had)
    return [(had[0] + a, had[1] + b, rest - a - b) for a in range(rest + 1) for b in range(rest + 1 - a)]


SEVENTHS = st.lists(st.integers(0, 3), min_size=7, max_size=7).map(
    lambda had: PartialLaw(
        {x: mpq(had.count(x) * 5 + 1, 40) for x in range(3)},
        1 - mpq(5 * (7 - had.count(3)) + 3, 40),
        outputs=frozenset(range(3)),
    )
)


@given(SEVENTHS, SEVENTHS)
def test_the_completions_that_differ_most_are_beyond_all_vertices(p: PartialLaw[int], q: PartialLaw[int]) -> None:
    """A convex function is largest at a vertex: all unresolved mass of each law on one declared output."""
    for order in (2, 3, 7):
        found = [power_sum(atoms(one, other), order) for one, other in product(_vertices(p), _vertices(q))]
        most = [power_sum(far, order) for far in farthest(p, q) if far is not None]
        assert max(map(mpq, most)) >= max(map(mpq, found))
        without = [power_sum(atoms(one, PartialLaw(q.probabilities)), order) for one in _vertices(p)]
        assert max(map(mpq, most)) == max(map(mpq, without))  # but for what is added to Q it is attained


def _vertices(law: PartialLaw[int]) -> list[PartialLaw[int]]:
    assert law.outputs is not None
    return [PartialLaw({**law.probabilities, x: law.probabilities.get(x, 0) + law.unresolved}) for x in law.outputs]


def test_declared_outputs_close_the_upper_end() -> None:
    """By hand: all of 1/100 on the output of the largest ratio, (51/100)^2 / (1/4) + (49/100)^2 / (1/2) + ..."""
    outputs, rest = frozenset(range(3)), mpq(1, 100)
    laws = [
        PartialLaw({0: mpq(1, 2), 1: mpq(1, 4), 2: mpq(1, 4) - rest}, rest, outputs=outputs),
        PartialLaw({0: mpq(1, 4), 1: mpq(1, 2), 2: mpq(1, 4) - rest}, rest, outputs=outputs),
    ]
    (far,) = farthest(*laws)
    assert far is not None
    assert power_sum(far, 2) == mpq(51, 100) ** 2 * 4 + mpq(1, 16) * 2 + mpq(24, 100)
    top = power_sum(far, 2)
    low, high = log_bounds(mpq(top), 200)
    assert [renyi(laws, "2", str(end)).verdict for end in (low, high)] == ["undecided", "holds"]
    assert decide_zcdp(laws.__getitem__, BOTH, mpq(1, 2)).verdict == "holds"
    assert decide_zcdp(laws.__getitem__, BOTH, mpq(1, 100)).verdict == "fails"


def test_a_declared_output_that_q_has_not_leaves_the_upper_end_open() -> None:
    outputs = frozenset(range(3))
    p, q = (PartialLaw({0: mpq(1, 2), 1: mpq(1, 4)}, mpq(1, 4), outputs=outputs) for _ in range(2))
    assert farthest(p, q) == (None,)
    assert renyi([p, q], "2", "9").verdict == "undecided"


def test_completions_by_hand() -> None:
    half, quarter = mpq(1, 2), mpq(1, 4)
    assert nearest(known("1/2", "1/2"), known("1/8", "5/8")) == (Atom(half, 3 * quarter / 2), Atom(half, 5 * quarter / 2))
    assert nearest(known("1/2", "1/2"), known("1/4", "1/4")) == (Atom(mpq(1), mpq(1)),)
