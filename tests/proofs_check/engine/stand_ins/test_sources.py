"""finitedp.proofs_check.engine.other_randomness: code that reaches for its randomness itself, however it imported it."""

import _random
import base64
import copy
import functools
import importlib.util
import math
import os
import pickle
import posix
import random
import secrets
import ssl
import sys
import threading
import uuid
from collections.abc import Callable
from math import floor, log
from os import urandom
from random import Random, SystemRandom, choice, gauss
from random import random as uniform
from secrets import randbelow, randbits
from ssl import RAND_bytes
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest
from gmpy2 import mpq
from numpy.random import default_rng

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import Style, explored
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.engine.alone.untouched import is_source
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.other_randomness import calls_the_hidden_generator, exploring, stood_in
from finitedp.proofs_check.engine.stand_ins import sources
from finitedp.proofs_check.engine.stand_ins.numpy_places import ROUTED

HIDDEN = random.random.__self__  # type: ignore[attr-defined]  # what random's functions draw from
GENERATOR = np.random.default_rng(5)
LEGACY = np.random.RandomState(5)
RANDOM = random.Random(5)
RANDOM_STATE = RANDOM.getstate()
SEEDED = random.Random("five").random()
BELOW = random.Random._randbelow  # type: ignore[attr-defined]
SYSTEM = secrets.SystemRandom()
ORIGINALS = [random.random, os.urandom, math.log, np.random.default_rng, np.random.rand, random.Random.random, int.from_bytes]


class Response:
    """A mechanism with a generator of its own, and as an object."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(5)
        self.system = secrets.SystemRandom()

    def of_numpy(self, _data: Any) -> bool:
        return bool(self.rng.random() < 0.75)

    def of_the_system(self, _data: Any) -> bool:
        return self.system.random() < 0.75

    def __call__(self, _data: Any) -> bool:
        return bool(self.rng.integers(4))


MADE = Response()
LISTED: list[dict[str, Any]] = [{"made": Response(), "rng": np.random.default_rng(5)}]


def called_in_turn(data: Any, inner: Response = MADE) -> bool:
    return inner.of_numpy(data)


def closed_over() -> Callable[[Any], bool]:
    rng = np.random.default_rng(5)
    return lambda _data: bool(rng.random() < 0.75)


def law(mechanism: Callable[..., Any], style: Style = "none") -> PartialLaw[Any]:
    return explored(mechanism, 0, style, "tuple", Budget()).law


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda _data: random.random() < 0.75,
        lambda _data: uniform() < 0.75,
        lambda _data: random.uniform(0, 4) < 3,
        lambda _data: choice([True, True, True, False]),
        lambda _data: random.choices([True, False], [3, 1])[0],
        lambda _data: random.SystemRandom().randrange(4) > 0,
        lambda _data: SystemRandom().random() < 0.75,
        lambda _data: Random().random() < 0.75,
        lambda _data: RANDOM.random() < 0.75,
        lambda _data: RANDOM.randrange(4) > 0,
        lambda _data: BELOW(RANDOM, 4) > 0,
        lambda _data: SYSTEM.getrandbits(2) > 0,
        lambda _data: secrets.randbelow(4) > 0,
        lambda _data: randbelow(4) > 0,
        lambda _data: randbits(2) > 0,
        lambda _data: secrets.choice([True, True, False, True]),
        lambda _data: secrets.token_bytes(1)[0] >= 64,
        lambda _data: int(secrets.token_hex(1), 16) >= 64,
        lambda _data: int.from_bytes(os.urandom(8), "big") < 3 * 2**62,
        lambda _data: int.from_bytes(os.getrandom(8), "big") < 3 * 2**62,
        lambda _data: int.from_bytes(posix.urandom(8), "big") < 3 * 2**62,
        lambda _data: int.from_bytes(ssl.RAND_bytes(8), "big") < 3 * 2**62,
        lambda _data: int.from_bytes(RAND_bytes(8), "big") < 3 * 2**62,
        lambda _data: int.from_bytes(ssl._ssl.RAND_bytes(8), "big") < 3 * 2**62,  # type: ignore[attr-defined]
        lambda _data: int.from_bytes(urandom(3), "little") / 2**24 < 0.75,
        lambda _data: (int.from_bytes(urandom(7), "big") >> 3) * 2.0**-53 < 0.75,
        lambda _data: bool(np.random.rand() < 0.75),
        lambda _data: bool(np.random.random(1)[0] < 0.75),
        lambda _data: bool(np.random.ranf() < 0.75),
        lambda _data: bool(np.random.sample(1)[0] < 0.75),
        lambda _data: np.random.randint(4) > 0,
        lambda _data: np.random.mtrand._rand.randint(4) > 0,  # as scikit-learn does
        lambda _data: bool(np.random.default_rng().random() < 0.75),
        lambda _data: bool(default_rng().integers(4)),
        lambda _data: bool(np.random.default_rng(GENERATOR).integers(4)),
        lambda _data: bool(np.random.RandomState().rand() < 0.75),
        lambda _data: bool(GENERATOR.random() < 0.75),
        lambda _data: bool(LEGACY.random_sample() < 0.75),
        lambda _data: floor(-log(1 - uniform()) / log(2) / 2) == 0,
        Response().of_numpy,
        Response().of_the_system,
        Response(),
        closed_over(),
        functools.partial(Response.of_numpy, Response()),
        lambda data: MADE.of_numpy(data),
        lambda data: LISTED[0]["made"].of_numpy(data),
        lambda data, made=MADE: made.of_numpy(data),
        lambda data: called_in_turn(data),
    ],
)
def test_each_way_to_draw_three_in_four_is_followed(mechanism: Callable[[Any], Any]) -> None:
    found = law(mechanism)
    assert found.unresolved == 0
    assert found.probabilities == {True: mpq(3, 4), False: mpq(1, 4)}


def test_afterwards_everything_is_as_it_was() -> None:
    held = Response()
    rng = held.rng
    law(held.of_numpy)
    assert held.rng is rng
    assert type(GENERATOR) is np.random.Generator
    now = [random.random, os.urandom, math.log, np.random.default_rng, np.random.rand, random.Random.random, int.from_bytes]
    assert now == ORIGINALS
    assert "random" not in vars(random.Random)
    assert uniform is random.random
    assert log is math.log
    with pytest.raises(ExplorationError):
        law(lambda _data: gauss(0, 1))
    assert gauss == random.gauss


LATER: dict[str, Any] = {}


def made_when_first_asked(_data: Any) -> bool:
    if "rng" not in LATER:
        LATER["rng"] = np.random.default_rng(), random.Random(), np.random.RandomState()
    first, second, third = LATER["rng"]
    return bool(first.integers(2)) or (second.randrange(2) > 0 and third.randint(3) < 3)


def test_generators_are_not_copied_within_a_run() -> None:
    for copied in (copy.copy, copy.deepcopy):
        for mechanism in (
            lambda _data, copied=copied: copied(GENERATOR) and 0,
            lambda _data, copied=copied: copied(LEGACY) and 0,
            lambda _data, copied=copied: copied(np.random.default_rng()) and 0,
        ):
            with pytest.raises(ExplorationError, match="copies what it draws from"):
                law(mechanism)
        with pytest.raises(ExplorationError, match="asks for the state"):
            law(lambda _data, copied=copied: copied(RANDOM) and 0)
        made: Any = ROUTED[np.random.Generator](np.random.default_rng(5))
        assert copied(made).random() == np.random.default_rng(5).random()


def test_bytes_are_one_object_when_they_are_copied() -> None:
    def mechanism(_data: Any) -> bool:
        drawn = os.urandom(1)
        return copy.copy(drawn)[0] == copy.deepcopy([drawn])[0][0] == drawn[0] and pickle.loads(pickle.dumps(drawn)) == drawn  # noqa: S301

    assert law(mechanism).probabilities == {True: 1}


def test_generators_that_a_run_makes_and_keeps_serve_the_next_ones_and_what_comes_after() -> None:
    assert law(made_when_first_asked).probabilities[True] == mpq(3, 4)
    assert type(made_when_first_asked(0)) is bool
    assert type(LATER["rng"][0].random()) is float
    assert isinstance(LATER["rng"][0], np.random.Generator)


def test_what_is_given_by_style() -> None:
    assert law(lambda _data, rng: bool(rng.random() < 0.75), "numpy").probabilities[True] == mpq(3, 4)
    assert law(lambda _data, random_state: random_state.randint(4) > 0, "numpy").probabilities[True] == mpq(3, 4)
    assert law(lambda _data, rng: rng.random() < 0.75, "random").probabilities[True] == mpq(3, 4)


def legacy(_data: Any, rng: np.random.RandomState) -> bool:
    return bool(rng.rand() < 0.75)


def test_a_random_state_is_given_where_the_annotation_says_so() -> None:
    assert law(legacy, "numpy").probabilities[True] == mpq(3, 4)
    with pytest.raises(ExplorationError, match="raised AttributeError"):
        law(lambda _data, rng: rng.rand(), "numpy")


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda _data: random.Random(5).random() < 0.75,
        lambda _data: int(10**6 * random.Random("five").random()),
        lambda _data: bool(np.random.default_rng(5).random() < 0.75),
        lambda _data: bool(np.random.RandomState(5).rand() < 0.75),
    ],
)
def test_a_generator_with_a_seed_of_its_own_gives_what_the_seed_says(mechanism: Callable[[Any], Any]) -> None:
    """That is a constant, and no noise."""
    assert law(mechanism).probabilities == {mechanism(0): 1}


def test_what_is_no_seed_changes_nothing() -> None:
    def drawn(_data: Any, *seeds: int) -> int:
        rng = random.Random(*seeds)
        try:
            rng.seed([])  # type: ignore[arg-type]
        except TypeError:
            return rng.randrange(4)
        return 5

    assert law(drawn).probabilities == {value: mpq(1, 4) for value in range(4)}
    assert law(lambda data: drawn(data, 5)).probabilities == {random.Random(5).randrange(4): 1}


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_a_seed_may_be_a_draw(kind: Callable[[int], Any]) -> None:
    drawn = {seed: int(kind(seed).random() * 10**6) for seed in range(2)}
    assert len(set(drawn.values())) == 2
    assert law(lambda _data: int(kind(secrets.randbelow(2)).random() * 10**6)).probabilities == dict.fromkeys(
        drawn.values(), mpq(1, 2)
    )


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (lambda _data: random.seed(5), "seeds its generator"),
        (lambda _data: HIDDEN.seed(5), "seeds the generator of the module random"),
        (lambda _data: np.random.seed(5), "seeds numpy's generator"),
        (lambda _data: RANDOM.getstate(), "asks for the state"),
        (lambda _data: RANDOM.setstate(RANDOM_STATE), "sets the state"),
        (lambda _data: random.getstate(), "asks for the state"),
        (lambda _data: random.setstate(RANDOM_STATE), "sets the state"),
        (lambda _data: RANDOM.gauss(0, 1), r"uses random.gauss\(\)"),
        (lambda _data: SYSTEM.gauss(0, 1), r"uses random.gauss\(\)"),
        (lambda _data: SYSTEM.gammavariate(2, 1), r"uses random.gammavariate\(\)"),
        (lambda _data: random.gauss(0, 1), r"uses random.gauss\(\)"),
        (lambda _data: gauss(0, 1), r"uses random.gauss\(\)"),
        (lambda _data: np.random.laplace(), r"numpy's RandomState.laplace"),
        (lambda _data: GENERATOR.normal(), r"numpy's Generator.normal"),
        (lambda _data: os.urandom(8), "uses them otherwise than by"),
        (lambda _data: os.urandom(8).hex(), "needs the values of 8 random bytes"),
        (lambda _data: len(os.urandom(8)), "uses them otherwise than by"),
        (lambda _data: ssl.RAND_bytes(8), "uses them otherwise than by"),
        (
            lambda _data: uuid.uuid4().int,
            "needs the values? of (16 random bytes|a draw .* about 2.128 values)",
        ),
        (lambda _data: np.random.PCG64() and 0, "makes a bit generator of numpy"),
        (lambda _data: np.random.Generator(np.random.PCG64()).random() < 1, "makes a bit generator"),
    ],
)
def test_what_cannot_be_followed_is_refused(mechanism: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        law(mechanism)


def test_a_token_for_addresses_is_of_uniform_bytes() -> None:
    expected = {base64.urlsafe_b64encode(bytes([byte])).rstrip(b"=").decode(): mpq(1, 256) for byte in range(256)}
    assert law(lambda _data: secrets.token_urlsafe(1)).probabilities == expected


@pytest.mark.skipif(not hasattr(ssl, "RAND_pseudo_bytes"), reason="a Python without RAND_pseudo_bytes")
@pytest.mark.filterwarnings("ignore:ssl.RAND_pseudo_bytes:DeprecationWarning")
def test_pseudo_random_bytes_are_uniform_and_said_to_be_strong() -> None:
    def mechanism(_data: Any) -> tuple[bool, bool]:
        drawn, strong = cast(Any, ssl).RAND_pseudo_bytes(8)
        return int.from_bytes(drawn, "big") < 3 * 2**62, strong

    assert law(mechanism).probabilities == {(True, True): mpq(3, 4), (False, True): mpq(1, 4)}


MAKING_BYTES = [name for name in ("RAND_bytes", "RAND_pseudo_bytes") if hasattr(ssl, name)]


@pytest.mark.filterwarnings("ignore:ssl.RAND_pseudo_bytes:DeprecationWarning")
@pytest.mark.parametrize("size", [-1, -2, 0, 1, 9])
@pytest.mark.parametrize("name", MAKING_BYTES)
def test_what_openssl_says_of_a_size(name: str, size: int) -> None:
    def says(_data: Any = None) -> str:
        try:
            made = getattr(ssl, name)(size)
        except ValueError as error:
            return str(error)
        drawn = made[0] if type(made) is tuple else made
        return "some" if drawn and int.from_bytes(drawn, "big") >= 0 else "none"

    assert law(says).probabilities == {says(): 1}


def test_without_coins_each_answers_as_its_original() -> None:
    with stood_in():
        made = [os.urandom(2), os.getrandom(2), ssl.RAND_bytes(2), posix.urandom(2), RANDOM.randbytes(2)]
        tokens = secrets.token_hex(2), secrets.token_urlsafe(3)
        assert random.Random("five").random() == SEEDED
        RANDOM.setstate(RANDOM_STATE)
        assert RANDOM.random() == random.Random(5).random()
        assert type(SYSTEM.random()) is type(random.random()) is type(SYSTEM.gauss(0, 1)) is float
    assert [(type(value), len(value)) for value in made] == [(bytes, 2)] * 5
    assert [(type(value), len(value)) for value in tokens] == [(str, 4), (str, 4)]
    assert cast(Any, sources._bytes(lambda size, flags: bytes([size, flags])))(3, flags=0) == bytes([3, 0])


def test_a_python_without_openssl_has_the_other_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ssl", None)
    named = importlib.util.spec_from_file_location("without_openssl", sources.__file__)
    assert named is not None
    assert named.loader is not None
    module = importlib.util.module_from_spec(named)
    named.loader.exec_module(module)
    ours, theirs = ({(place.owner, place.name) for place in kind.replacements()} for kind in (sources, module))
    assert {name for _, name in ours - theirs} == set(MAKING_BYTES)
    assert theirs < ours


KEPT = (np.random.default_rng(5),)


def test_a_numpy_generator_out_of_sight_is_noticed() -> None:
    with pytest.raises(ExplorationError, match="draws from a generator that is not followed"):
        law(lambda _data: bool(KEPT[0].random() < 2))


def test_outside_of_an_exploration_a_seed_is_a_seed() -> None:
    state = HIDDEN.getstate()
    try:
        drawn = []
        for _ in range(2):
            HIDDEN.seed(5)
            drawn.append(HIDDEN.random())
    finally:
        HIDDEN.setstate(state)
    assert drawn[0] == drawn[1] == random.Random(5).random()


def test_other_threads_keep_their_generators() -> None:
    """In a thread that does not explore, everything answers as ever."""
    seen: list[Any] = []

    def elsewhere() -> None:
        seen.extend(
            [random.random(), os.urandom(2), GENERATOR.random(), np.random.rand(), math.log(2.0), random.Random(5).random()]
        )

    with stood_in(elsewhere):
        exploring.coins = object()
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert [type(value) for value in seen] == [float, bytes, float, float, float, float]
    assert seen[-1] == random.Random(5).random()
    assert exploring.coins is None


def test_the_hidden_generator_is_seen_where_it_is_called() -> None:
    assert calls_the_hidden_generator(random.random)
    assert calls_the_hidden_generator(lambda: random.getrandbits(3))
    assert not calls_the_hidden_generator(lambda: RANDOM.random())
    assert not calls_the_hidden_generator(lambda: random.random)  # which only names it


class Own(random.Random):
    """A generator whose words are its own: their law is what its code makes of the system's."""

    def random(self) -> float:
        return secrets.randbelow(4) / 4

    def getrandbits(self, k: int) -> int:
        return secrets.randbits(k)


def test_a_subclass_with_words_of_its_own_keeps_them() -> None:
    own = Own()
    assert law(lambda _data: own.random() == 0.5).probabilities[True] == mpq(1, 4)
    assert law(lambda _data: own.choices("ab")[0]).probabilities["a"] == mpq(1, 2)


# The generator in C


class Made(_random.Random):
    """Made of the generator in C, past random.Random."""

    def third(self) -> float:
        return super().random() / 3


class Plain(Made):
    __slots__ = ()


BARE = _random.Random
OF_THE_CLASS, IN_A_TUPLE = BARE.random, (BARE,)
IN_C = BARE(5)
IN_A_LIST = [(BARE(5),)]
MADE_BEFORE, PLAIN_BEFORE = Made(5), Plain(5)


class KeepsOne:
    def __init__(self) -> None:
        self.kept = {"in C": [(BARE(5),)]}


IN_OBJECTS = [{"one": KeepsOne()}]


class HoldsOne:
    in_c = BARE(5)

    def __call__(self, _data: Any) -> bool:
        return random.randrange(1000) == 7 and self.in_c.random() < 0.5


def in_a_cell() -> Callable[[Any], bool]:
    kept = BARE(5)
    return lambda _data: random.randrange(1000) == 7 and kept.random() < 0.5


def rarely(draws: Callable[[], float]) -> Callable[[Any], bool]:
    return lambda _data: random.randrange(1000) == 7 and draws() < 0.5


@pytest.mark.parametrize(
    "mechanism",
    [
        rarely(lambda: _random.Random().random()),
        rarely(lambda: _random.Random(5).random()),
        rarely(lambda: BARE().random()),
        rarely(lambda: BARE.random(RANDOM)),
        rarely(lambda: BARE.getrandbits(IN_C, 1)),
        rarely(lambda: IN_C.random()),
        rarely(IN_C.random),
        rarely(lambda: IN_A_LIST[0][0].random()),
        rarely(lambda: IN_OBJECTS[0]["one"].kept["in C"][0][0].random()),
        rarely(lambda: super(random.Random, RANDOM).random()),
        rarely(lambda: Made().random()),
        rarely(lambda: Made.random(MADE_BEFORE)),
        rarely(lambda: Made.third(MADE_BEFORE)),
        rarely(lambda: MADE_BEFORE.third()),
        rarely(lambda: PLAIN_BEFORE.getrandbits(1)),
        rarely(lambda: Plain().third()),
        rarely(lambda: type("Inside", (_random.Random,), {})().random()),
        rarely(lambda: IN_A_TUPLE[0]().random()),
        rarely(lambda: OF_THE_CLASS(_random.Random())),
        HoldsOne(),
        in_a_cell(),
    ],
)
def test_a_generator_in_c_is_refused_where_it_is_used_rarely(mechanism: Callable[[Any], Any]) -> None:
    with pytest.raises(ExplorationError, match=r"uses _random\.Random past|keeps state between runs|not followed"):
        law(mechanism)


def test_a_method_in_c_of_a_class_is_refused_as_what_it_is() -> None:
    with pytest.raises(ExplorationError, match=r"uses _random\.Random past random\.Random"):
        law(rarely(lambda: Made.random(MADE_BEFORE)))


def test_what_is_routed_is_a_source_of_the_run() -> None:
    generator = ROUTED[np.random.Generator](np.random.default_rng(1))
    assert generator is not None
    assert is_source(generator)
    assert not is_source(np.random.default_rng(1))


@pytest.mark.skipif(not hasattr(ssl, "RAND_pseudo_bytes"), reason="Python 3.12 has no such function")
def test_pseudo_bytes_are_strong() -> None:
    def mechanism(_data: Any) -> tuple[bool, bool]:
        drawn, strong = cast(Any, ssl).RAND_pseudo_bytes(1)
        return int.from_bytes(drawn, "big") < 128, strong

    assert law(mechanism).probabilities == {(True, True): mpq(1, 2), (False, True): mpq(1, 2)}


def test_afterwards_generators_in_c_are_as_they_were() -> None:
    with pytest.raises(ExplorationError, match="past random"):
        law(lambda _data: Made().random() < 0.5)
    assert BARE is _random.Random
    assert type(BARE(5)) is BARE
    assert Made.random is BARE.random
    assert vars(Made).keys() & {"__getattribute__", "random"} == set()
    assert Made(5).third() == BARE(5).random() / 3
    with stood_in():  # without coins, as in another thread
        assert type(_random.Random(5)) is type(IN_C)
        assert isinstance(IN_C, _random.Random)
        assert issubclass(Made, _random.Random)
        assert _random.Random.random(BARE(5)) == Made(5).random() == BARE(5).random()
        assert len(ssl.RAND_bytes(3)) == 3
        with pytest.raises(ValueError, match="positive"):
            ssl.RAND_bytes(-1)


class Distribution:
    """One that holds the generator of numpy's module from when it was made, as those of scipy do."""

    def __init__(self) -> None:
        self._random_state = np.random.mtrand._rand

    def drawn(self) -> int:
        return int(self._random_state.randint(2))


class Respondent:
    def apply(self, bit: int) -> int:
        return bit ^ int(PACKAGE.stats.fair.drawn())


PACKAGE: Any = ModuleType("a_package_of_distributions")
PACKAGE.stats = ModuleType("a_package_of_distributions.stats")
PACKAGE.stats.fair = Distribution()
PACKAGE.Respondent = Respondent


def inner(_data: Any) -> int:
    def of_it() -> int:
        return int(PACKAGE.stats.fair.drawn())

    return of_it()


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda _data: PACKAGE.stats.fair.drawn(),
        lambda data: PACKAGE.Respondent().apply(data),
        lambda _data: sum(PACKAGE.stats.fair.drawn() for _ in range(1)),
        inner,
    ],
    ids=["name", "class", "generator expression", "inner function"],
)
def test_a_generator_that_an_object_in_a_package_holds_is_followed(mechanism: Callable[[Any], Any]) -> None:
    assert law(mechanism).probabilities == {0: mpq(1, 2), 1: mpq(1, 2)}
