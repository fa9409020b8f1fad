"""finitedp.proofs_check.engine.bit_generators: every bit generator is met, wherever it is held and however it was made."""

import copy
import gc
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.random.bit_generator as module
import pytest

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.stating import privacy_claim
from finitedp.proofs_check.engine import bit_generators as search
from finitedp.proofs_check.engine.bit_generators import bit_generators
from tests.sampling import sampled

BEFORE = np.random.default_rng(5)
AGES: dict[str, Callable[[], object]] = {"young": lambda: None, "old": gc.collect, "frozen": gc.freeze}


class Slotted:
    """What neither a module nor a dict names."""

    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


class Derived(np.random.PCG64):
    """A class of somebody's own."""


WAYS: dict[str, Callable[[], Any]] = {
    **{kind.__name__: kind for kind in (np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64, Derived)},
    "default_rng": lambda: np.random.default_rng(1).bit_generator,
    "RandomState": lambda: np.random.RandomState(1)._bit_generator,
    "spawned": lambda: BEFORE.spawn(1)[0].bit_generator,
    "jumped": lambda: np.random.PCG64(1).jumped(),
    "copied": lambda: copy.deepcopy(BEFORE).bit_generator,
    "unpickled": lambda: pickle.loads(pickle.dumps(BEFORE)).bit_generator,  # noqa: S301  # its own
    "in another thread": lambda: _in_a_thread(np.random.PCG64),
}


def _in_a_thread(make: Callable[[], Any]) -> Any:
    made = list[Any]()
    thread = threading.Thread(target=lambda: made.append(make()))
    thread.start()
    thread.join()
    return made[0]


@pytest.fixture
def frozen_no_longer() -> Iterator[None]:
    yield
    gc.unfreeze()


def _is_met(generator: Any) -> bool:
    return any(found is generator for found in bit_generators())


@pytest.mark.parametrize("age", sampled(AGES, 1))
@pytest.mark.usefixtures("frozen_no_longer")
def test_what_is_made_after_the_first_look_is_met(age: str) -> None:
    bit_generators()
    holders = {name: Slotted(make()) for name, make in WAYS.items()}
    AGES[age]()
    for _ in range(2):  # and is not forgotten
        assert {name: _is_met(holder.held) for name, holder in holders.items()} == dict.fromkeys(WAYS, True)


@pytest.mark.parametrize("age", sampled(AGES, 1))
@pytest.mark.usefixtures("frozen_no_longer")
def test_what_was_made_before_the_first_look_is_met(monkeypatch: pytest.MonkeyPatch, age: str) -> None:
    monkeypatch.setattr(module, "RLock", threading.RLock, raising=False)  # what is made now is not remembered
    monkeypatch.setattr(module, "Lock", threading.Lock, raising=False)
    holder = Slotted(np.random.PCG64())
    AGES[age]()
    monkeypatch.setattr(search, "_alive", search._Alive())
    assert _is_met(holder.held)


@pytest.mark.deep
def test_the_heap_is_looked_through_again_only_for_what_is_old_and_was_not_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = list[None]()
    original = search._in_the_heap

    def counted() -> list[Any]:
        looks.append(None)
        return original()

    monkeypatch.setattr(search, "_in_the_heap", counted)
    monkeypatch.setattr(search, "_alive", search._Alive())
    assert _is_met(BEFORE.bit_generator)
    assert len(looks) == 1
    assert _is_met(BEFORE.bit_generator)
    young = Slotted(np.random.PCG64())
    assert _is_met(young.held)
    np.random.PCG64()  # dead at once
    assert _is_met(BEFORE.bit_generator)
    assert len(looks) == 1
    old = Slotted(np.random.PCG64())
    gc.collect()
    assert _is_met(old.held)
    assert len(looks) == 2
    assert _is_met(young.held)
    assert _is_met(old.held)
    assert len(looks) == 2


def test_what_nobody_else_holds_is_let_go() -> None:
    held = Slotted(np.random.PCG64())
    gone = Slotted(np.random.PCG64())
    gone_id = id(gone.held)
    assert _is_met(held.held)
    assert gone_id in map(id, bit_generators())
    del gone
    bit_generators()
    assert gone_id not in map(id, search._alive.met)
    assert _is_met(held.held)


@pytest.mark.deep
@pytest.mark.parametrize("broken", ["no lock is asked for", "another lock is kept"])
def test_where_locks_are_made_otherwise_the_heap_is_looked_through_each_time(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    monkeypatch.setattr(search, "_alive", search._Alive())
    name = "RLock" if hasattr(module, "RLock") else "Lock"
    if broken == "no lock is asked for":
        monkeypatch.delattr(module, name)
        monkeypatch.setattr(search, "_ways_to_make_one", lambda: pytest.fail("nothing is tried"))
    else:
        monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards
        monkeypatch.setattr(search, "_ways_to_make_one", lambda: [lambda: BEFORE.bit_generator])
    assert _is_met(BEFORE.bit_generator)
    assert search._alive.locks is None
    monkeypatch.undo()
    fresh = search._Alive(looked=True)
    monkeypatch.setattr(search, "_alive", fresh)
    held = Slotted(np.random.PCG64())
    gc.collect()
    assert _is_met(held.held)


SOURCE = Slotted(np.random.default_rng(7))


def leaks_rarely(data: tuple[int, ...]) -> int:
    """A reader of data with probability 2^-20, by a generator that no name leads to."""
    return data[0] if SOURCE.held.integers(1 << 20) == 0 else -1


@pytest.mark.usefixtures("frozen_no_longer")
@pytest.mark.parametrize("looked", [False, True])
def test_a_leak_by_a_frozen_generator_is_refused(monkeypatch: pytest.MonkeyPatch, looked: bool) -> None:
    monkeypatch.setattr(search, "_alive", search._Alive())
    if looked:
        bit_generators()
    monkeypatch.setattr(SOURCE, "held", np.random.default_rng(7))
    gc.freeze()
    with pytest.raises(ExplorationError, match="draws from a generator that is not followed"):
        audit(leaks_rarely, privacy_claim(0, "replace-one"), n=1, universe=[0, 1], style="none")
