"""Laws of samplers that were taken alone: their weights, and what a draw from one leaves undecided."""

from typing import Any

import pytest
from gmpy2 import mpq, mpz

from finitedp.proofs_check.engine.alone.derivations import SamplerLaw
from finitedp.proofs_check.engine.alone.keys import typed
from finitedp.proofs_check.engine.lazy.coins import LazyCoins, OutOfDepthError
from finitedp.proofs_check.engine.lazy.rules import Rules, SamplerUse

USES = frozenset({SamplerUse("other", alone=True)})


def law(probabilities: dict[Any, mpq], bits: int = 4) -> SamplerLaw:
    return SamplerLaw.of({typed(x): p for x, p in probabilities.items()}, bits, USES, frozenset({"assumed"}))


def coins() -> LazyCoins:
    return LazyCoins(None, lambda _decision: None, Rules(), 0, None)


def test_weights_are_exact_where_they_sum_to_one() -> None:
    found = law({7: mpq(1, 6), 3: mpq(1, 2), 5: mpq(1, 3), 9: mpq(0)})
    assert (found.values, found.up_to, found.d) == ((3, 5, 7), (0, 3, 5, 6), 6)
    assert (found.uses, found.assumptions) == (USES, frozenset({"assumed"}))
    assert law({True: mpq(1, 2), "b": mpq(1, 2)}).values == (True, "b")
    assert law({2: mpq(1, 2), "b": mpq(1, 4), 1: mpq(1, 4)}).values == (2, "b", 1)


def test_weights_are_rounded_down_to_80_more_bits_where_mass_is_open() -> None:
    found = law({0: mpq(1, 3), 1: mpq(2, 2**85 + 1), 2: mpq(1, 2**84)})
    unit = 2**84
    assert found.values == (0, 2)
    assert [mpq(x, found.d) for x in found.up_to] == [0, mpq(unit // 3, unit), mpq(unit // 3 + 1, unit)]


def test_a_single_value_is_no_draw() -> None:
    run = coins()
    assert law({5: mpq(1)}).draw(run) == 5
    assert run.made == []
    assert (run.cost_seen, run.uses, run.assumptions) == (False, set(USES), {"assumed"})
    drawn: Any = law({5: mpq(1, 2)}).draw(run)
    assert len(run.made) == 1
    assert run.lossy
    assert drawn.ends() == (5, 5)


def test_what_a_draw_leaves_undecided() -> None:
    dense: Any = law({k: mpq(1, 4) for k in (-2, -1, 0, 1)}).draw(coins())
    assert (dense.ends(), dense.parts()[1]) == ((-2, 1), (("+", -3),))
    sparse: Any = law({k: mpq(1, 4) for k in (-2, -1, 0, 2)}).draw(coins())
    assert (sparse.ends(), sparse.parts()[1]) == ((-2, 2), (("table", (-2, -1, 0, 2)),))
    assert law({True: mpq(2, 3), None: mpq(1, 3)}).draw(coins()) is True
    assert law({True: mpq(1, 3), None: mpq(2, 3)}).draw(coins()) is None


def test_no_value_at_all_leaves_the_run_open() -> None:
    run = coins()
    with pytest.raises(OutOfDepthError):
        law({}).draw(run)
    assert run.exhausted


def test_how_a_law_was_derived_is_kept_with_it() -> None:
    use = SamplerUse("one", alone=True)
    found = law({1: mpq(1)})
    assert found.used_by(use).uses == USES | {use}
    assert found.used_by(use).up_to == found.up_to
    assert type(found.d) is type(mpz(1))
