"""finitedp.proofs_check.engine.state.remembering: what counts its runs anywhere is refused, or the place is named."""

import collections
import contextvars
import functools
import itertools
import queue
import random
import sqlite3
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.engine.state.remembering import remembered
from finitedp.proofs_check.report import wording
from tests.proofs_check.engine.state.places import PLACES, added, appended, set_on
from tests.sampling import sampled

NAMED = {"cycle", "islice", "accumulate", "chain", "tee"} if sys.version_info >= (3, 14) else set()
"""Iterators that tell where they stand up to Python 3.13; later, what they hold may tell it, and else they are named."""


def honest_at_first(act: Callable[[], Any]) -> AuditResult:
    """The audit of what is a coin, but from the thousandth run on its input."""

    def mechanism(count: int, rng: random.Random) -> int:
        return count if act() == "never" else rng.getrandbits(1)

    return audit(mechanism, PrivacyClaim("1", "counts"), n=1, style="random")


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import builtins
    import decimal

    monkeypatch.setenv("KEPT_BY_A_TEST", "0")
    precision, limit = decimal.getcontext().prec, sys.getrecursionlimit()
    yield
    decimal.getcontext().prec = precision
    sys.setrecursionlimit(limit)
    for thing, name in ((builtins, "kept_there"), (sys, "kept_here")):
        vars(thing).pop(name, None)
    sys.modules.pop("a_helper_of_tests", None)


@pytest.mark.parametrize("name", sampled(PLACES, 40))
def test_what_counts_its_runs_is_refused_and_what_only_looks_there_is_audited(name: str) -> None:
    look, _ = PLACES[name]()
    found = honest_at_first(look)
    assert found.private == "holds"
    assert "not_looked_into" not in found.derived or name in NAMED
    _, count = PLACES[name]()
    try:
        named = honest_at_first(count).derived.get("not_looked_into")
    except ExplorationError as error:
        named = "keeps state between runs: " in str(error)
    else:
        assert name in NAMED
    assert named


def test_there_are_many_places() -> None:
    assert len(PLACES) >= 120


# What cannot be looked into


class Blind:
    """Something that holds what nothing here can look into."""

    def __init__(self, held: Any) -> None:
        self.held = held


@pytest.fixture
def databases() -> Iterator[list[sqlite3.Connection]]:
    """Three of them."""
    held = [sqlite3.connect(":memory:") for _ in range(3)]
    for one in held:
        one.execute("create table runs (n)")
    yield held
    for one in held:
        one.close()  # Python 3.13 warns of one that is left open


def counts_rows(held: sqlite3.Connection) -> int:
    held.execute("insert into runs values (1)")
    return int(held.execute("select count(*) from runs").fetchone()[0])


def test_what_cannot_be_looked_into_is_named_in_all_that_is_written(databases: list[sqlite3.Connection]) -> None:
    blind = Blind(databases[0])
    found = honest_at_first(lambda: counts_rows(blind.held))
    assert found.private == "holds"
    words = "sqlite3.Connection (held of blind)"
    assert found.derived["not_looked_into"] == [words]
    document = certificate(found)
    assert document["derived"]["not_looked_into"] == [words]
    validate(document, schema(), "the certificate")
    assert ("not looked into", words) in wording.found_lines(document)


def test_a_file_is_named(tmp_path: Path) -> None:
    with (tmp_path / "runs").open("a+") as file:
        found = honest_at_first(lambda: file.write("a"))
    assert found.derived["not_looked_into"] == ["_io.TextIOWrapper (file of act)"]


@pytest.mark.parametrize("make", [threading.Thread, lambda: zip, lambda: len, lambda: print])
def test_threads_are_named_and_functions_are_not(make: Callable[[], Any]) -> None:
    thing = make()
    found = remembered(lambda: thing)
    assert bool(found.not_looked_into(found)) == isinstance(thing, threading.Thread)


def test_of_a_kind_one_place_is_named(databases: list[sqlite3.Connection]) -> None:
    held = [Blind(database) for database in databases]
    found = remembered(held)
    assert found.not_looked_into(found) == ("sqlite3.Connection (held of item 0)",)


@functools.lru_cache
def boxes(number: int) -> list[int]:
    return [number]


def test_a_cache_that_fills_is_no_state_and_what_comes_into_it_is_named() -> None:
    @functools.cache
    def square(number: int) -> int:
        return number * number

    def fills(_data: int, rng: random.Random) -> int:
        return square(int(rng.getrandbits(2))) % 2

    found = audit(fills, PrivacyClaim(0, "counts"), n=1, style="random")
    assert (found.private, found.derived.get("not_looked_into")) == ("holds", None)
    before = remembered(boxes)
    boxes(7)
    after = remembered(boxes)
    assert before.changed(after) is None
    assert before.not_looked_into(after) == ("functools.cache (what the mechanism keeps, which came later)",)
    boxes(7).append(1)
    assert after.changed(remembered(boxes)) == "what the mechanism keeps"


def test_what_logs_is_audited() -> None:
    """What a logger keeps for itself is no state."""
    import logging

    log = logging.getLogger("finitedp.tests.places")

    def logs(_data: int, rng: random.Random) -> int:
        bit = rng.getrandbits(1)
        log.debug("drew")
        if bit:
            log.info("drew")
        return bit

    assert audit(logs, PrivacyClaim(0, "counts"), n=1, style="random").private == "holds"


@pytest.mark.deep
def test_what_lies_beyond_200_000_things_is_named() -> None:
    many = [[i] for i in range(200_001)]
    found = remembered(many)
    assert [words.partition(" (")[0] for words in found.not_looked_into(found)] == ["what lies beyond 200,000 things"]
    many[190_000][0] = -1
    assert found.changed(remembered(many)) == "item 190000 of the mechanism"
    flat = [0] * 500_000
    before = remembered(flat)
    flat[-1] = 1
    assert before.not_looked_into(before) == ()
    assert before.changed(remembered(flat)) == "the mechanism"


# Places in places


class Slot:
    __slots__ = ("__weakref__", "held")


def slot(held: Any) -> Any:
    made: Any = Slot()
    made.held = held
    return made


def listed(held: Any) -> Any:
    made = type("Listed", (list,), {})()
    made.held = held
    return made


def local(held: Any) -> Any:
    made = threading.local()
    made.held = held
    return made


def again(held: Any) -> Iterator[Any]:
    while True:
        yield held


def queued(held: Any) -> Any:
    made = queue.SimpleQueue[Any]()
    made.put(held)
    return made


def kept_for_ever(made: Any) -> Any:
    thing = made.get()
    made.put(thing)
    return thing


def returned(held: Any) -> Any:
    @functools.cache
    def box() -> Any:
        return (held, object())

    box()
    return box


def var(held: Any) -> Any:
    made = contextvars.ContextVar[Any]("var")
    made.set(held)
    return made


def of_a_class(held: Any) -> Any:
    return type("Holder", (), {"held": held, "__module__": __name__})


def with_a_default(held: Any) -> Any:
    def inner(kept: Any = held) -> Any:
        return kept

    return inner


def array_of(held: Any) -> Any:
    made = np.empty(2, dtype=object)
    made[0] = held
    return made


def weak(held: Any) -> Any:
    made = slot(held)
    return weakref_to(made), [made]


def weakref_to(made: Any) -> Any:
    import weakref

    return weakref.ref(made)


CARRIERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "list": (lambda x: [x], lambda c: c[0]),
    "tuple": (lambda x: (1, x), lambda c: c[1]),
    "dict": (lambda x: {"a": x}, lambda c: c["a"]),
    "deque": (lambda x: collections.deque([1, x], maxlen=5), lambda c: c[-1]),
    "defaultdict": (lambda x: collections.defaultdict(list, a=x), lambda c: c["a"]),
    "OrderedDict": (lambda x: collections.OrderedDict(a=x), lambda c: c["a"]),
    "ChainMap": (lambda x: collections.ChainMap({}, {"a": x}), lambda c: c["a"]),
    "UserList": (lambda x: collections.UserList([x]), lambda c: c[0]),
    "mappingproxy": (lambda x: types.MappingProxyType({"a": x}), lambda c: c["a"]),
    "namespace": (lambda x: types.SimpleNamespace(held=x), lambda c: c.held),
    "slot": (slot, lambda c: c.held),
    "list subclass": (listed, lambda c: c.held),
    "thread's own": (local, lambda c: c.held),
    "class": (of_a_class, lambda c: c.held),
    "cell": (lambda x: lambda: x, lambda c: c()),
    "default": (with_a_default, lambda c: c()),
    "partial": (lambda x: functools.partial(lambda y: y, x), lambda c: c()),
    "method": (lambda x: types.MethodType(lambda y: y, x), lambda c: c()),
    "method in C": (lambda x: [x].__getitem__, lambda c: c(0)),
    "generator": (again, next),
    "repeat": (itertools.repeat, next),
    "set": (lambda x: {slot(x)}, lambda c: next(iter(c)).held),
    "key": (lambda x: {slot(x): 1}, lambda c: next(iter(c)).held),
    "error": (lambda x: ValueError(1, x), lambda c: c.args[1]),
    "queue": (queued, kept_for_ever),
    "cache": (returned, lambda c: c()[0]),
    "context variable": (var, lambda c: c.get()),
    "array of objects": (array_of, lambda c: c[0]),
    "weak reference": (weak, lambda c: c[0]().held),
    "values": (lambda x: {"a": x}.values(), lambda c: next(iter(c))),
    "property": (lambda x: property(lambda _: x), lambda c: c.fget(None)),
}
LEAVES: list[tuple[Callable[[], Any], Callable[[Any], int]]] = [
    (lambda: [0], added),
    (lambda: collections.Counter({0: 0}), added),
    (lambda: np.zeros(1, dtype=np.int64), added),
    (lambda: bytearray(3), appended),
    (lambda: collections.deque([0]), appended),
    (types.SimpleNamespace, set_on),
    (itertools.count, next),
    (lambda: iter(range(10**6)), next),
]


def composed(choices: random.Random) -> tuple[str, Callable[[], Any], Callable[[], Any]]:
    """A place in places: its description, what looks into it, and what counts there."""
    depth = choices.randint(1, 6)
    names = [choices.choice(list(CARRIERS)) for _ in range(depth)]
    leaf = choices.randrange(len(LEAVES))
    make, count = LEAVES[leaf]
    held = make()
    for name in names:
        held = CARRIERS[name][0](held)

    def reach() -> Any:
        thing = held
        for name in reversed(names):
            thing = CARRIERS[name][1](thing)
        return thing

    return f"{leaf} in {' in '.join(names)}", (lambda: reach() is None), (lambda: count(reach()))


@pytest.mark.parametrize("seed", sampled(range(20), 1))
def test_places_in_places_are_found(seed: int) -> None:
    """A search for a place that is overlooked, and for one that is taken for state though nothing changes there."""
    choices = random.Random(seed)
    for _ in range(100):
        what, look, count = composed(choices)
        for act, changes in ((look, False), (count, True)):
            act()
            before = remembered(act)
            act()
            act()
            after = remembered(act)
            assert (before.changed(after) is not None) == changes, what
            assert before.not_looked_into(after) == (), what


def test_what_caches_keep_beyond_100_results_is_named() -> None:
    @functools.cache
    def made(n: int) -> list[int]:
        return [n]

    for n in range(100):
        made(n)
    found = remembered(made)
    assert found.not_looked_into(found) == ()
    made(100)
    found = remembered(made)
    assert [words.partition(" (")[0] for words in found.not_looked_into(found)] == ["what caches keep beyond 100 results"]


def test_what_installed_packages_hold_beyond_2000_things_is_named() -> None:
    pytest.importorskip("pandas")
    held = attrs.make_class("Held", ["things"])
    held.__module__ = "pandas"  # as a class of an installed package
    few, many = (remembered(functools.partial(len, held([[] for _ in range(size)]))) for size in (1_000, 2_001))
    assert few.not_looked_into(few) == ()
    assert [words.partition(" (")[0] for words in many.not_looked_into(many)] == [
        "what installed packages hold beyond 2,000 things"
    ]


def test_a_module_that_a_run_imports_is_no_state_and_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_on_rare_draws.py").write_text("found = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def mechanism(_count: int, rng: Any) -> bool:
        if rng.random() < 2**-10:
            import imported_on_rare_draws  # type: ignore[import-not-found]  # noqa: F401  # what is tried

        return bool(rng.random() < 0.5)

    found = audit(mechanism, PrivacyClaim(0, "counts"), n=1, style="random")
    sys.modules.pop("imported_on_rare_draws")
    assert found.private == "holds"
    assert found.derived["not_looked_into"] == ["modules imported after the first run (imported_on_rare_draws)"]
