"""The runner itself: each way in which it can say no, and what it does where something raises."""

import pickle
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, cast

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import rational
from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.ledger import rejections
from finitedp.proofs_check.ledger import verify as runner
from finitedp.proofs_check.ledger.entry import Cases, Entry, Finding
from finitedp.proofs_check.ledger.verify import Raised, Result, settled, verify, with_premises
from finitedp.proofs_check.parallel import run as in_this_process
from tests.sampling import sampled

FIRST = find("BV.Def2.1")[0]


def finding(holds: bool) -> Finding:
    return Finding(holds, mpq(0), "made up")


def made_up(**changes: Any) -> Entry:
    plain = evolve(FIRST, check=lambda subject, x: finding(subject(x)), subject=lambda _x: True, twins={"t": lambda x: x > 1})
    return evolve(evolve(plain, grid=Cases([1, 2], lambda: [3])), **changes)


def run(monkeypatch: pytest.MonkeyPatch, *made: Entry, grid: Any = "quick", jobs: int = 1) -> list[Result]:
    known: Mapping[str, Entry] = {entry.id: entry for entry in made}
    monkeypatch.setattr(runner, "entries", lambda: known)
    runner._instances.cache_clear()
    try:
        return verify(made, grid, jobs)
    finally:
        runner._instances.cache_clear()


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        (made_up(), "verified"),
        (made_up(subject=lambda x: x != 2), "FAILED"),
        (made_up(twins={"t": lambda _x: True}), "BLIND"),
        (made_up(expects="refuted"), "FAILED"),
        (made_up(expects="refuted", subject=lambda x: x != 2, twins={}), "refuted"),
        (made_up(reach="everything"), "verified (symbolic)"),
        (made_up(proof="an object"), "proved"),
        (made_up(proof="an object", subject=lambda x: x != 2), "FAILED"),
        (made_up(proof="an object", twins={"t": lambda _x: True}), "BLIND"),
        (made_up(sampled="two of them"), "sampled"),
        (made_up(sampled="two of them", subject=lambda x: x != 2), "FAILED"),
        (made_up(measured="calls, at two sizes"), "measured"),
        (made_up(measured="calls, at two sizes", subject=lambda x: x != 2), "FAILED"),
    ],
)
def test_outcomes(entry: Entry, outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (result,) = run(monkeypatch, entry)
    assert result.outcome == outcome
    assert result.good == (outcome not in ("FAILED", "BLIND"))
    assert (result.entry.verdict == outcome) == result.good
    assert result.raised == ()


def literal(**changes: Any) -> Entry:
    return made_up(id="literal", expects="refuted", twins={}, **changes)


def test_a_claim_is_repaired_where_the_same_run_refuted_the_printed_text(monkeypatch: pytest.MonkeyPatch) -> None:
    repair = made_up(id="repair", repairs="literal")
    assert [r.outcome for r in run(monkeypatch, literal(subject=lambda x: x != 2), repair)] == ["refuted", "repaired"]
    assert [r.outcome for r in run(monkeypatch, repair)] == ["verified"]
    assert [r.outcome for r in run(monkeypatch, literal(), repair)] == ["FAILED", "verified"]
    assert [r.outcome for r in run(monkeypatch, literal(subject=raises_at_2), repair)] == ["FAILED", "verified"]


# What is derived


def derived(*premises: str, **changes: Any) -> Entry:
    return made_up(**{"id": "derived"} | changes, derived_from=premises, by="a lemma")


PREMISES = {
    "verified": made_up(id="premise"),
    "verified (symbolic)": made_up(id="premise", reach="everything"),
    "proved": made_up(id="premise", proof="an object"),
    "FAILED": made_up(id="premise", subject=lambda x: x != 2),
    "BLIND": made_up(id="premise", twins={"t": lambda _x: True}),
    "sampled": made_up(id="premise", sampled="two of them"),
    "measured": made_up(id="premise", measured="calls, at two sizes"),
    "refuted": made_up(id="premise", expects="refuted", subject=lambda x: x != 2, twins={}),
}


@pytest.mark.parametrize(("outcome", "premise"), PREMISES.items())
def test_what_is_derived_needs_all_its_premises_in_the_same_run(
    outcome: str, premise: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds = outcome.startswith(("verified", "proved"))
    follows, found, _ = run(monkeypatch, derived("premise", "other"), premise, made_up(id="other"))
    assert found.outcome == outcome
    assert (follows.outcome, follows.good) == (("derived", True) if holds else ("CONDITIONAL", False))
    assert follows.missing == (() if holds else (f"premise: {outcome}",))


def test_a_premise_that_was_not_run_leaves_a_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    follows, _ = run(monkeypatch, derived("premise", "other"), made_up(id="other"))
    assert (follows.outcome, follows.good, follows.missing) == ("CONDITIONAL", False, ("premise: not run",))


def test_a_premise_may_be_derived_or_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = derived("second"), derived("premise", "repair", id="second")
    repair = made_up(id="repair", repairs="literal")
    found = run(monkeypatch, first, second, made_up(id="premise"), literal(subject=lambda x: x != 2), repair)
    assert [r.outcome for r in found] == ["derived", "derived", "verified", "refuted", "repaired"]
    broken = run(monkeypatch, first, second, repair)
    assert [r.outcome for r in broken] == ["CONDITIONAL", "CONDITIONAL", "verified"]
    assert broken[0].missing == ("second: CONDITIONAL",)


def test_a_circle_of_premises_derives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run(monkeypatch, derived("b", id="a"), derived("a", id="b"), derived("c", id="c"))
    assert [r.outcome for r in found] == ["CONDITIONAL"] * 3
    assert [r.outcome for r in settled(settled(found))] == ["CONDITIONAL"] * 3


def test_a_derivation_that_fails_or_is_blind_is_so_whatever_its_premises_are(monkeypatch: pytest.MonkeyPatch) -> None:
    fails, blind = derived("p", subject=lambda x: x != 2), derived("p", id="blind", twins={"t": lambda _x: True})
    assert [r.outcome for r in run(monkeypatch, fails, blind, made_up(id="p"))] == ["FAILED", "BLIND", "verified"]


def test_what_is_derived_repairs_a_text_without_being_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    repair = derived("p", id="repair", repairs="literal")
    found = run(monkeypatch, literal(subject=lambda x: x != 2), repair, made_up(id="p"))
    assert [r.outcome for r in found] == ["refuted", "derived", "verified"]


def test_a_verdict_forgets_no_premise_when_it_is_settled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    follows, premise = run(monkeypatch, derived("premise"), made_up(id="premise"))
    assert [r.outcome for r in settled([follows, premise])] == ["derived", "verified"]
    assert [r.outcome for r in settled([follows])] == ["CONDITIONAL"]


def test_premises_run_with_what_is_derived_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {e.id: e for e in (made_up(id="x"), made_up(id="p"), derived("p", id="q"), derived("q", id="r"), made_up(id="y"))}
    monkeypatch.setattr(runner, "entries", lambda: known)
    monkeypatch.setattr(runner, "in_order", lambda ids: [e for e in known.values() if e.id in ids])
    assert [e.id for e in with_premises([known["r"]])] == ["p", "q", "r"]
    assert [e.id for e in with_premises([known["y"], known["x"]])] == ["x", "y"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"derived_from": ("p",)},
        {"by": "a lemma"},
        {"sampled": "x", "reach": "y"},
        {"sampled": "x", "derived_from": ("p",)},
        {"measured": "x", "reach": "y"},
        {"measured": "x", "sampled": "y"},
    ],
    ids=str,
)
def test_an_entry_says_in_one_way_what_establishes_it(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="accepted"):
        made_up(**wrong)


# What raises


def raises_at_2(x: int) -> bool:
    if x == 2:
        raise ZeroDivisionError("by\n nothing")
    return x < 2


HERE = "test_verify.py"


def test_a_check_that_raises_fails_its_claim_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = run(monkeypatch, made_up(id="broken", subject=raises_at_2), made_up(id="whole"))
    assert (broken.outcome, broken.good, whole.outcome) == ("FAILED", False, "verified")
    (raised,) = broken.raised
    assert (raised.twin, raised.where) == (None, "2")
    assert raised.error.startswith(f"ZeroDivisionError: by nothing ({HERE}:")
    assert (broken.instances, broken.worst, broken.where) == (2, finding(True), "1")
    assert broken.rejected == ("t",)


def test_an_error_names_the_innermost_line_of_finitedp(monkeypatch: pytest.MonkeyPatch) -> None:
    def subject(_x: int) -> bool:
        return bool(rational("many", "n"))

    (broken,) = run(monkeypatch, made_up(subject=subject))
    assert [raised.where for raised in broken.raised] == ["1", "2"]
    assert broken.raised[0].error.startswith(f"{ParameterError.__name__}: n = 'many' ")
    assert "(src/finitedp/exact.py:" in broken.raised[0].error
    assert (broken.worst.holds, broken.worst.detail) == (False, "no instance was decided")


def test_a_long_message_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def subject(_x: int) -> bool:
        raise ValueError("x" * 10_000)

    (broken,) = run(monkeypatch, made_up(subject=subject))
    assert len(broken.raised[0].error) < 400
    message = broken.raised[0].error.removeprefix("ValueError: ").rsplit(" (", 1)[0]
    assert message == "x" * 297 + "..."


@pytest.mark.parametrize("length", [299, 300])
def test_a_message_that_is_not_too_long_is_whole(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def subject(_x: int) -> bool:
        raise ValueError("x" * length)

    (broken,) = run(monkeypatch, made_up(subject=subject))
    assert broken.raised[0].error.startswith("ValueError: " + "x" * length + " (")


def test_a_twin_that_raises_is_not_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    twins = {"crashes": raises_at_2, "t": lambda x: x > 1}
    (broken,) = run(monkeypatch, made_up(twins=twins))
    assert (broken.outcome, broken.rejected, broken.accepted) == ("FAILED", ("t",), ())
    assert [(raised.twin, raised.where) for raised in broken.raised] == [("crashes", "2")]


def test_a_refutation_is_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def subject(x: int) -> bool:
        return x == 2 or raises_at_2(x + 1)

    (broken,) = run(monkeypatch, literal(subject=subject))
    assert broken.outcome == "FAILED"
    assert [raised.where for raised in broken.raised] == ["1"]


def raising_grid() -> Iterator[int]:
    yield 1
    raise RuntimeError("no more")


@pytest.mark.parametrize("grid", [Cases(raising_grid), Cases([1, 2], raising_grid)], ids=["quick", "full"])
def test_a_grid_that_raises_fails_its_claim_and_no_other(grid: Cases, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = run(monkeypatch, made_up(id="broken", grid=grid), made_up(id="whole"), grid="full")
    assert (broken.outcome, broken.instances, whole.outcome) == ("FAILED", 0, "verified")
    assert [(raised.where, raised.error.split(" (")[0]) for raised in broken.raised] == [
        ("the full grid", "RuntimeError: no more")
    ]


def test_an_empty_grid_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (empty,) = run(monkeypatch, made_up(grid=Cases([])))
    assert empty.outcome == "FAILED"
    assert empty.raised == (Raised(None, "the quick grid", "no instances"),)


def test_a_check_that_leaves_or_returns_nothing_is_a_failed_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaves(_x: int) -> bool:
        raise SystemExit(0)

    left, nothing = run(monkeypatch, made_up(id="left", subject=leaves), made_up(id="no", check=lambda _s, _x: None))
    assert (left.outcome, nothing.outcome) == ("FAILED", "FAILED")
    assert left.raised[0].error.startswith("SystemExit: 0 (")
    assert nothing.raised[0].error.startswith("TypeError: the check returned a NoneType; accepted: a Finding (")


def test_an_instance_that_cannot_be_shown_is_a_failed_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def __str__(self) -> str:
            raise ValueError("no words")

        __repr__ = object.__repr__

    (broken,) = run(monkeypatch, made_up(grid=Cases([Odd()]), subject=lambda _x: True, twins={}))
    assert broken.outcome == "FAILED"


def test_an_exception_in_another_process_does_not_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = made_up(id="known here only")  # the other processes have the real ledger
    known = {e.id: e for e in (stranger, *find("BV.Lem4.9")[:1])}
    monkeypatch.setattr(runner, "entries", lambda: known)
    broken, whole = verify(list(known.values()), jobs=2)
    assert (broken.outcome, whole.outcome) == ("FAILED", "verified (symbolic)")
    assert [raised.error.split(" (")[0] for raised in broken.raised] == ["KeyError: 'known here only'"] * 3


def test_an_interruption_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_x: int) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, made_up(subject=interrupted))


def test_what_a_worker_sends_back_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_up(subject=raises_at_2)
    monkeypatch.setattr(runner, "entries", lambda: {made.id: made})
    runner._instances.cache_clear()
    done = runner._perform(runner._Task(made.id, "quick", 1, None))
    runner._instances.cache_clear()
    assert isinstance(done.found, Raised)
    assert pickle.loads(pickle.dumps(done)) == done  # noqa: S301  # what was just made


# Grids


def test_the_full_grid_holds_the_quick_one_once() -> None:
    cases = Cases([1, 2], lambda: [2, 3, 3])
    assert (cases.of("quick"), cases.of("full")) == ([1, 2], [1, 2, 3, 3])


def of_module(module: str, **changes: Any) -> Entry:
    """A claim whose check stands in a module."""

    def check(subject: Any, x: Any) -> Finding:
        return finding(subject(x))

    check.__module__ = module
    return made_up(check=check, **changes)


def handed_out(monkeypatch: pytest.MonkeyPatch, *made: Entry, **how: Any) -> list[list[Any]]:
    """The tasks, as they are given to whoever performs them."""
    pieces: list[list[Any]] = []

    def listed(function: Any, tasks: Any, _workers: Any) -> Iterator[Any]:
        pieces.extend(tasks)
        return in_this_process(function, tasks)

    monkeypatch.setattr(runner, "run", listed)
    assert [result.entry.id for result in run(monkeypatch, *made, **how)] == [entry.id for entry in made]
    return pieces


def test_the_modules_come_as_by_lot_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the share of the tasks that is done tells the time that remains, though claims differ in cost a thousandfold."""
    many = [of_module(f"m{i}", id=f"{i} {j}") for i in range(40) for j in range(2)]
    ids = [task.id for piece in handed_out(monkeypatch, *many) for task in piece]
    assert [task.id for piece in handed_out(monkeypatch, *many) for task in piece] == ids
    modules = list(dict.fromkeys(id.split()[0] for id in ids))  # noqa: A001  # the field's name
    assert ids == [f"{module} {j}" for module in modules for j in range(2) for _task in range(3)]
    assert {int(module) for module in modules} == set(range(40))
    assert [int(module) for module in modules] != sorted(map(int, modules))
    assert 5 <= sum(int(module) < 20 for module in modules[:20]) <= 15


@pytest.mark.parametrize(("grid", "most"), [("quick", 500), ("full", 30)])
def test_a_worker_is_given_tasks_of_one_module_and_not_too_many(grid: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [of_module(f"m{i}", id=f"{i} {j}", grid=Cases(range(300))) for i in range(3) for j in range(2)]
    pieces = handed_out(monkeypatch, *many, grid=grid, jobs=2)
    assert all(len({task.id.split()[0] for task in piece}) == 1 for piece in pieces)
    assert {task for piece in pieces for task in piece} == {
        *(runner._Task(e.id, grid, i, None) for e in many for i in range(300)),
        *(runner._Task(e.id, "quick", 0, "t") for e in many),
    }
    assert sum(map(len, pieces)) == 6 * 301
    assert len(pieces) == 3 * -(-602 // most)
    assert max(map(len, pieces)) == most
    assert all(len(piece) == 1 for piece in handed_out(monkeypatch, *many, grid=grid))


# Twins


@pytest.mark.parametrize(("place", "tried"), [(0, [1, 2, 3]), (1, [2]), (2, [3, 1, 2]), (7, [1, 2])])
def test_a_twin_is_tried_first_where_it_was_seen_to_be_rejected(
    place: int, tried: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And then everywhere else: a place that is out of date costs time alone."""
    monkeypatch.setitem(cast(Any, rejections.REJECTED_AT), FIRST.id, {"t": place})
    seen: list[int] = []

    def twin(x: int) -> bool:
        seen.append(x)
        return x != 2

    (result,) = run(monkeypatch, made_up(grid=Cases([1, 2, 3]), twins={"t": twin}))
    assert (result.rejected, seen) == (("t",), tried[: tried.index(2) + 1])


@pytest.mark.parametrize("id", sampled(rejections.REJECTED_AT, 6))
def test_where_a_twin_is_tried_first_it_is_rejected(id: str) -> None:  # noqa: A002  # the field's name
    entry = entries()[id]
    instances = entry.instances("quick")
    for twin, place in rejections.REJECTED_AT[id].items():
        assert not entry.check(entry.twins[twin], instances[place]).holds, f"{id}: {twin!r} at {place}: measure again"


# Interruption


def interrupted_at(*ids: str) -> Any:
    def check(subject: Any, x: Any) -> Finding:
        if subject in ids and x == 2:
            raise KeyboardInterrupt
        return finding(subject != "fails" and x != 7)

    return check


def test_an_interruption_leaves_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of work here: what is decided, fails at its first instance, and is interrupted."""
    check = interrupted_at("stops")
    named = ["whole", "fails", "stops", "never"]
    twins = {"t": "fails"}
    made = [made_up(id=name, check=check, subject=name, twins=twins, grid=Cases([1, 2])) for name in named]
    with pytest.raises(runner.Interrupted) as stopped:
        run(monkeypatch, *made)
    assert [(r.entry.id, r.outcome, r.good) for r in stopped.value.results] == [
        ("whole", "verified", True),
        ("fails", "FAILED", False),
    ]


@pytest.mark.parametrize(
    ("found", "changes", "decided"),
    [
        ([finding(True)], {}, False),
        ([finding(False)], {}, True),
        ([finding(False)], {"expects": "refuted"}, False),  # it raises perhaps, further on
        ([Raised(None, "x", "y")], {"expects": "refuted"}, True),
        ([finding(True)], {"expects": "refuted"}, False),
        ([finding(True), finding(True)], {}, False),
        ([finding(True), finding(True), finding(True)], {}, True),
    ],
)
def test_what_is_decided_before_all_of_it_is_done(found: list[Any], changes: Any, decided: bool) -> None:
    entry = made_up(**changes)
    done = [runner._Done(runner._Task(entry.id, "quick", i, None), x, "x", 0.0) for i, x in enumerate(found)]
    assert runner._decided(runner._Plan(entry, 2, None, 0.0), done) == decided


def test_a_twin_that_was_accepted_or_a_grid_that_raised_decides() -> None:
    entry = made_up(twins={"t": None, "u": None})
    task = runner._Task(entry.id, "quick", 0, "t")
    plan = runner._Plan(entry, 2, None, 0.0)
    assert runner._decided(plan, [runner._Done(task, finding(True), "x", 0.0)])
    assert not runner._decided(plan, [runner._Done(task, finding(False), "x", 0.0)])
    assert runner._decided(plan._replace(size=0, broken=Raised(None, "x", "y")), [])


def test_a_result_is_shown_without_the_whole_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    (result,) = run(monkeypatch, made_up())
    assert repr(result).startswith("Result(outcome='verified', ")
    assert "Entry(" not in repr(result)


def test_seconds_are_those_of_the_plan_the_instances_and_the_twins(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = count()
    monkeypatch.setattr(runner, "process_time", lambda: next(ticks))  # one second each time that somebody looks
    (result,) = run(monkeypatch, made_up())
    assert result.seconds == 1 + result.instances + len(result.rejected)
