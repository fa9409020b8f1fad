"""What a hunt finds, on statements of which it is known where they fail."""

from itertools import count
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check.hunting import hunting
from finitedp.proofs_check.hunting.hunting import Hunt
from finitedp.proofs_check.hunting.seen import Hunted
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Entry, Finding, OutOfScopeError, cases
from tests.proofs_check.hunting import toys
from tests.proofs_check.hunting.toys import Listed, Number, Two


def ticking(step: float) -> Any:
    """A clock that is the same in every run."""
    return map(step.__mul__, count()).__next__


def hunted(entry: Entry, seconds: float = 20, seed: int = 1) -> Hunted:
    return Hunt(entry, seconds, seed, clock=ticking(0.0005)).run()


def counterexample(entry: Entry) -> Any:
    found = hunted(entry).counterexample
    assert found is not None
    return found.instance


def test_a_statement_that_is_false_from_forty_on_and_the_least_such_number() -> None:
    assert counterexample(toys.FALSE_FROM_40) == Number(40)


def test_a_statement_that_is_false_where_two_numbers_are_equal() -> None:
    found = counterexample(toys.FALSE_WHERE_EQUAL)
    assert found.a == found.b


def test_the_load_leads_to_a_failure_far_away() -> None:
    assert counterexample(toys.UPHILL).n >= 3_000_000


def test_a_list_whose_order_matters() -> None:
    found = counterexample(toys.ORDERED).items
    assert list(found) == sorted(found)
    assert len(found) == 5


def test_atoms_are_tried_where_the_grid_has_instances() -> None:
    assert counterexample(toys.ATOMS) == Number(17)


def test_a_true_statement_has_none_and_its_load_does_not_rise() -> None:
    found = hunted(toys.TRUE)
    assert found.counterexample is None
    assert not found.rising
    assert found.tried > 50
    assert found.reached["n"] > 1_000


def test_a_load_that_rises_is_told() -> None:
    found = hunted(toys.RISING)
    assert found.counterexample is None
    assert found.rising
    assert found.best is not None
    assert found.best.load > found.grid_load == mpq(6, 7)


def test_errors_are_told_and_are_no_counterexamples() -> None:
    found = hunted(toys.RAISING)
    assert list(found.raised) == ["RuntimeError: odd"]
    assert found.counterexample is not None
    assert found.counterexample.instance == Number(40)


def test_one_error_of_each_kind_is_told_and_what_the_library_refuses_is_out_of_an_undeclared_scope() -> None:
    def check(_subject: object, instance: Number | Two) -> Finding:
        raise (ParameterError if sum(instance) % 2 else RuntimeError)(f"no {sum(instance)}")

    declared, undeclared = (hunted(evolve(toy, check=check), 2) for toy in (toys.TRUE, toys.FALSE_WHERE_EQUAL))
    assert sorted(declared.raised) == ["ParameterError: no 1", "RuntimeError: no 2"]
    assert list(undeclared.raised) == ["RuntimeError: no 12"]
    assert undeclared.out_of_scope > 0


def test_every_instance_is_noted_before_it_is_decided() -> None:
    noted: list[str] = []

    def check(_subject: object, instance: Number) -> Finding:
        assert noted[-1] == repr(instance)
        return Finding(True, mpq(0), "")

    found = Hunt(evolve(toys.TRUE, check=check), 5, 1, lambda text, _found: noted.append(text), ticking(0.01)).run()
    assert not found.raised
    assert len(noted) > found.tried > 0


@pytest.mark.parametrize("entry", [toys.RISING, toys.FALSE_WHERE_EQUAL, toys.ORDERED, toys.ATOMS], ids=lambda x: x.id)
def test_the_seed_alone_decides_what_is_tried_by_the_same_clock(entry: Entry) -> None:
    def tried(seed: int) -> list[str]:
        noted: list[str] = []
        Hunt(entry, 3, seed, lambda text, _found: noted.append(text), ticking(0.01)).run()
        return noted

    assert tried(1) == tried(1)
    assert tried(1) != tried(2)


def test_where_there_is_nothing_more_to_try_the_hunt_ends() -> None:
    class Only(Number):
        def check_scope(self) -> None:
            if self.n not in (1, 2, 3):
                raise OutOfScopeError

    found = Hunt(evolve(toys.TRUE, grid=Cases([Only(1)])), 10**9, 1).run()
    assert found.reached == {"n": 3}
    assert found.out_of_scope > 0


def test_an_instance_that_its_own_scope_does_not_know_is_told_and_ends_nothing() -> None:
    class Odd(Number):
        def check_scope(self) -> None:
            super().check_scope()
            if self.n > 10:
                raise TypeError("what is this")

    found = Hunt(evolve(toys.TRUE, grid=Cases([Odd(1)])), 50, 1, clock=ticking(0.01)).run()
    assert found.reached == {"n": 10}
    assert list(found.raised) == ["TypeError: what is this"]


def test_slow_instances_are_not_grown() -> None:
    now = [0.0]

    def check(_subject: object, instance: Number) -> Finding:
        now[0] += instance.n**3
        return Finding(True, mpq(0), "")

    def clock() -> float:
        now[0] += 0.001
        return now[0]

    found = Hunt(evolve(toys.TRUE, check=check), 400_000, 1, clock=clock).run()
    assert found.tried > 5
    assert 20 <= found.reached["n"] <= 60


# What a hunt must not do


def test_an_instance_out_of_a_declared_scope_is_no_counterexample() -> None:
    def check(_subject: object, instance: Number) -> Finding:
        return Finding(instance.n >= 1, mpq(0), "")

    entry = evolve(toys.TRUE, check=check)
    assert hunted(entry).counterexample is None


def test_a_hunt_that_ignores_the_verdict_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keep = Hunt._keep
    monkeypatch.setattr(Hunt, "_keep", lambda self, tried: keep(self, evolve(tried, holds=True)))
    assert hunted(toys.FALSE_FROM_40, 2).counterexample is None


def test_a_hunt_that_never_leaves_the_grid_finds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hunt, "_try_made", lambda _self, _instance: None)
    found = hunted(toys.FALSE_FROM_40, 2)
    assert found.counterexample is None
    assert found.tried == 0


def test_a_hunt_without_scope_counts_what_the_statement_does_not_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_subject: object, instance: Number) -> Finding:
        return Finding(instance.n >= 1, mpq(0), "")

    entry = evolve(toys.TRUE, check=check)
    monkeypatch.setattr(hunting, "why_out_of_scope", lambda _instance, _inferred: None)
    found = hunted(entry).counterexample
    assert found is not None
    assert found.instance.n < 1


# Checks of atoms


@over(lambda case: range(case))
def _small(subject: int, atom: int) -> Finding:
    return Finding(atom < subject, mpq(atom, subject), f"at {atom}")


def test_a_check_of_atoms_is_of_all_atoms_up_to_the_first_that_fails() -> None:
    assert _small(5, 3) == Finding(True, mpq(2, 5), "at 2")
    assert _small(5, 9) == Finding(False, mpq(1), "at 5")
    assert _small(5, 1) == Finding(True, mpq(0), "at 0, and so on all 1")
    with pytest.raises(ValueError, match="no case"):
        _small(5, 0)


def test_grids_are_in_their_declared_scope() -> None:
    assert list(cases(Number, [1, 2]).of("quick")) == [Number(1), Number(2)]
    with pytest.raises(OutOfScopeError, match="n >= 1"):
        cases(Number, [1, 0])
    with pytest.raises(OutOfScopeError):
        cases(Listed, [((1, 2),)], [((1,),)])
