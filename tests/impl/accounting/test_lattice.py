"""Random laws on coarse lattices with few bits: never unsound, on either side, alone and multiplied."""

from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.curve import Pair
from finitedp.exact import exp_bounds
from finitedp.impl.accounting.lattice import Lower, Upper, delta_of, epsilon_of_delta, power
from finitedp.proofs_check.claims.own.accounting.subjects import Placed, atoms_of, lower_atoms, upper_atoms
from finitedp.spec import accounting as spec

WEIGHTS = st.integers(1, 4).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 40), min_size=n, max_size=n)] * 2))


@st.composite
def placed(draw: st.DrawFn) -> Placed:
    p, q = draw(WEIGHTS.filter(lambda pair: all(map(sum, pair))))
    return Placed(tuple(p), tuple(q), str(draw(st.fractions("1/20", 3, max_denominator=20))), 16)


@given(placed(), placed())
def test_the_lower_curve_is_never_above_and_the_upper_never_below(one: Placed, other: Placed) -> None:
    pairs = [one.pair, other.pair]
    uppers, lowers = [Upper.of(pair, one.h, 16) for pair in pairs], [Lower.of(pair, one.h, 16) for pair in pairs]
    for pair, upper, lower in zip(pairs, uppers, lowers, strict=True):
        assert spec.dominates(upper_atoms(upper), atoms_of(pair))
        assert spec.dominates(atoms_of(pair), lower_atoms(lower))
    together = spec.joint(*map(atoms_of, pairs))
    assert spec.dominates(upper_atoms(uppers[0].times(uppers[1]).cut()), together)
    assert spec.dominates(together, lower_atoms(lowers[0].times(lowers[1]).cut()))


@given(placed(), st.integers(1, 4), st.fractions(0, 3, max_denominator=30), st.fractions(0, 1, max_denominator=30))
def test_what_is_read_off_a_law_is_on_its_side(one: Placed, times: int, epsilon: mpq, delta: mpq) -> None:
    """delta_of and epsilon_of_delta against the exact delta of the power, at both ends of an enclosure of e^epsilon."""
    pairs, at, allowed = [atoms_of(one.pair)] * times, mpq(epsilon), mpq(delta)
    upper, lower = power(Upper.of(one.pair, one.h, 16), times), power(Lower.of(one.pair, one.h, 16), times)
    before, behind = exp_bounds(at)
    assert delta_of(upper, at) >= spec.composed_delta(pairs, behind)
    assert delta_of(lower, at) <= spec.composed_delta(pairs, before)
    if allowed * (1 << 16) > upper.infinite:
        assert spec.composed_delta(pairs, exp_bounds(epsilon_of_delta(upper, allowed))[1]) <= allowed
    if allowed * (1 << 16) > lower.infinite:
        needed = epsilon_of_delta(lower, allowed)
        assert needed <= 0 or spec.composed_delta(pairs, exp_bounds(needed)[0]) >= allowed


def test_atoms_of_one_law_alone() -> None:
    """What Q alone has is at no loss of P, and what P alone has is at infinity."""
    pair = Pair([(1, 0), (0, 1)])
    assert (Upper.of(pair, mpq(1)).infinite, sum(Upper.of(pair, mpq(1)).p)) == (1 << 128, 0)
    assert (Lower.of(pair, mpq(1)).infinite, sum(Lower.of(pair, mpq(1)).p)) == (1 << 128, 0)


def test_losses_on_the_lattice_stay_there_and_a_law_of_one_loss_has_one_mass() -> None:
    equal = Pair([(3, 3)])
    assert Upper.of(equal, mpq(1, 7)).p[0] == 1 << 128
    assert list(Lower.of(equal, mpq(1, 7)).p) == [1 << 128]
