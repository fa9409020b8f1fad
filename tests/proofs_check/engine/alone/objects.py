"""Samplers that make objects, or that hold code which they never reach: with the laws that their docstrings state."""

import random
import secrets
import time
from typing import Any

import numpy as np

from tests.proofs_check.engine.alone import samplers

KEPT: list[int] = []
SYSTEM = secrets.SystemRandom()
OF_NUMPY = np.random.default_rng(5)


class Wrapped:
    """As libraries wrap a generator."""

    most = 7

    def __init__(self, coins: Any) -> None:
        self._source = coins
        self._used = 0

    def word(self, size: int) -> int:
        """Uniform on 0..size - 1; after a huge size by rejection."""
        self._used = self._used + 1
        if size > 2**63:
            KEPT.append(size)
        return int(self._source.uniform(size)) - 1

    def small(self, size: int) -> int:
        """Uniform on 0..size - 1, size <= 8, by a method that calls itself."""
        drawn = self.word(self.most + 1)
        return drawn if drawn < size else self.small(size)


def die(coins: Any) -> int:
    """Uniform on 1..6."""
    while True:
        drawn = Wrapped(coins).word(8)
        if drawn < 6:
            return int(drawn) + 1


def third(coins: Any) -> int:
    """Uniform on 0..2, up to what never ends."""
    return Wrapped(coins).small(3)


def carried(coins: Any) -> int:
    """1 or 2, with probability 1/2, by an object that lives as long as the loop."""
    source = Wrapped(coins)
    while source.word(2) == 0:
        if source.word(2) == 0:
            return 2
    return 1 if source.word(2) == 0 else 2


def unreached(coins: Any, rng: Any = None) -> bool:
    """True with probability 1/3."""
    if rng is not None:
        rng = samplers.log
        rng.append(1)
        KEPT[0] = int(time.time())
    try:
        while True:
            word = coins.bits(2)
            if word < 3:
                return bool(word == 0)
    except ValueError:
        KEPT.append(1)
        raise


def own_generator(rng: Any = None) -> int:
    """0 or 1 or 2, with probability 1/3 each."""
    if rng is None:
        rng = random.SystemRandom()
    while True:
        word = rng.getrandbits(2)
        if word < 3:
            return int(word)


def shared_generator() -> int:
    """0 or 1 or 2, with probability 1/3 each."""
    while True:
        word = SYSTEM.getrandbits(2)
        if word < 3:
            return int(word)


def of_numpy() -> Any:
    """np.int64 0 or 1 or 2, with probability 1/3 each."""
    rng = np.random.default_rng()
    drawn = rng.integers(4)
    while drawn == 3:
        drawn = rng.integers(4)
    return drawn


def few_leaves(coins: Any) -> bool:
    """True with probability 1/1000; int() does not need the value."""
    return int(coins.uniform(1000)) == 1


def same_source(rng: Any, other: Any) -> bool:
    """Whether both are one object, after a loop."""
    while rng.getrandbits(1) == 0:
        pass
    return bool(rng == other)


def calls_sampler(coins: Any) -> int:
    """Another sampler, which is never taken alone."""
    return int(rare_clock(coins, 2**10)) + 1


# What is not taken alone, or not beyond what is looked at


def rare_clock(coins: Any, size: int) -> int:
    """The time with probability 1/size."""
    if coins.uniform(size) == 1:
        return int(time.perf_counter_ns())
    return 0


def late_clock(coins: Any) -> int:
    """k with probability 2^-(k+1), for k up to 200; then the time."""
    k = 0
    while coins.uniform(2) == 1:
        k += 1
        if k > 200:
            return int(time.perf_counter_ns())
    return k


class Counting:
    seen = 0

    def draw(self, coins: Any) -> int:
        Counting.seen += 1
        return int(coins.uniform(2))


class Listing:
    seen: list[int] = []  # noqa: RUF012

    def draw(self, coins: Any) -> int:
        self.seen.append(1)
        return int(coins.uniform(2))


class Property:
    @property
    def next(self) -> int:
        KEPT.append(1)
        return len(KEPT)


class Answering:
    def __getattr__(self, name: str) -> int:
        KEPT.append(1)
        return 1


class Meta(type):
    def __call__(cls, *arguments: Any) -> Any:
        KEPT.append(1)
        return super().__call__(*arguments)


class Made(metaclass=Meta):
    pass


class Derived(Wrapped):
    pass


class Named:
    def __init__(self, seed: int) -> None:
        self.seed = seed


class Overwritten:
    def __init__(self) -> None:
        self.draw = 1  # type: ignore[assignment,method-assign]

    def draw(self) -> int:
        return 2


class Other:
    def __init__(self) -> None:
        self.count_of = 0

    def sets(self, other: Any, which: bool) -> None:
        (other if which else self).count_of = 1

    def rebinds(self, other: Any) -> None:
        self = other  # noqa: PLW0642  # the twin
        self.count_of = 1


def sets_its_argument(self: Any) -> None:
    self.count_of = 1


class Borrowing:
    set_it = sets_its_argument


class Setting:
    def __init__(self) -> None:
        self.count_of = 0

    def by_an_inner_function(self, other: Any) -> None:
        def put(thing):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202  # annotations are an objection
            thing.count_of = 1

        put(other)  # type: ignore[no-untyped-call]


INSTANCE = Other()


def class_state(coins: Any) -> int:
    return Counting().draw(coins)


def class_list(coins: Any) -> int:
    return Listing().draw(coins)


def side_effect(coins: Any) -> int:
    return int(coins.uniform(2)) + Property().next


def answers_all(coins: Any) -> int:
    return int(coins.uniform(2)) + Answering().anything


def by_a_metaclass(coins: Any) -> int:
    Made()
    return int(coins.uniform(2))


def by_a_base(coins: Any) -> int:
    return Derived(coins).word(2)


def by_a_common_name(coins: Any) -> int:
    return int(coins.uniform(2)) + Named(1).seed


def by_a_name_of_both(coins: Any) -> int:
    return int(coins.uniform(2)) + Overwritten().draw  # type: ignore[operator]


def sets_another(coins: Any) -> int:
    Other().sets(sets_its_argument, coins.uniform(2) == 1)
    return 1


def sets_inside(coins: Any) -> int:
    Setting().by_an_inner_function(sets_its_argument)
    return int(coins.uniform(2))


def by_a_constant(coins: Any) -> int:
    """The constant of a class, or one more, with probability 1/2."""
    return Wrapped(coins).most + Wrapped(coins).word(2)


def sets_by_rebinding(coins: Any) -> int:
    Other().rebinds(sets_its_argument)
    return int(coins.uniform(2))


def sets_a_function(coins: Any) -> int:
    Borrowing()
    Other()
    sets_its_argument(sets_its_argument)
    return int(coins.uniform(2))


def reads_an_instance(coins: Any) -> int:
    return int(coins.uniform(2)) + INSTANCE.count_of


def has_an_instance(coins: Any, held: Any = INSTANCE) -> int:
    return int(coins.uniform(2)) + held.count_of * 0  # type: ignore[no-any-return]


def raises_an_instance(coins: Any) -> int:
    if coins.uniform(2) == 1:
        raise ValueError(Other())
    return 1


def returns_an_instance(coins: Any) -> Any:
    return coins.uniform(2), Other()


def shows_by_str(coins: Any) -> int:
    return int(coins.uniform(2)) + len(str(coins))


def shows_by_an_f_string(coins: Any) -> int:
    return int(coins.uniform(2)) + len(f"{coins!r}")


def compares_ids(coins: Any) -> int:
    one, two = Other(), Other()
    return int(coins.uniform(2)) + (one is two)


def compares_ids_sometimes(coins: Any) -> int:
    one = Other()
    return int(coins.uniform(2)) + (one is (one if coins.uniform(2) == 1 else None))


def deletes_an_attribute(coins: Any) -> int:
    one = Other()
    del one.count_of
    return int(coins.uniform(2))


def hands_on_a_method(coins: Any) -> int:
    counter = Wrapped(coins)
    return coins.count_while(counter.word)  # type: ignore[no-any-return]


def calls_by_the_class(coins: Any) -> int:
    Other.rebinds(INSTANCE, INSTANCE)
    return int(coins.uniform(2))


def reads_what_is_not_there(coins: Any) -> int:
    return int(coins.uniform(2)) + NOT_THERE  # type: ignore[name-defined,no-any-return]  # noqa: F821


def shared_generator_of_numpy() -> int:
    """Uniform on 0..2."""
    return int(OF_NUMPY.integers(3))
