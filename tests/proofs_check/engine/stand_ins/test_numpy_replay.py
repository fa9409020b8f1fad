"""finitedp.proofs_check.engine.stand_ins.replay.numpy_replay: this numpy as it is, and numpys that would draw otherwise."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.stand_ins import numpy_sources
from finitedp.proofs_check.engine.stand_ins.chains import answers
from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn
from finitedp.proofs_check.engine.stand_ins.replay import numpy_replay
from finitedp.proofs_check.engine.stand_ins.replay.given_words import Written, first_word
from finitedp.proofs_check.engine.stand_ins.replay.numpy_replay import difference
from finitedp.spec.pmf import Pmf
from tests.proofs_check.engine.stand_ins.given_words import as_numpy_has_it

KINDS: tuple[Any, ...] = (GeneratorStandIn, RandomStateStandIn)
METHODS = [
    (kind, name)
    for kind in KINDS
    for name, _ in inspect.getmembers(kind, inspect.isfunction)
    if not name.startswith("_") and name not in ("on", "seed")
]


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_a_method_is_as_read(kind: Any, name: str) -> None:
    assert difference(kind, name) is None


def test_all_that_draws_is_compared() -> None:
    of_both = {"binomial", "bytes", "choice", "permutation", "random", "shuffle", "uniform"}
    assert {name for kind, name in METHODS if kind is GeneratorStandIn} == of_both | {"integers"}
    of_state = {"rand", "randint", "random_integers", "random_sample"}
    assert {name for kind, name in METHODS if kind is RandomStateStandIn} == of_both | of_state


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_the_first_word_is_the_first_one_that_is_not_rejected(bits: int) -> None:
    size = 1 << bits
    for d in (2, 3, 5, 7, 100, 255, size // 2 + 1, size - 1, size):
        for value in {0, 1, d // 2, d - 1}:
            word = first_word(value, d, bits)
            assert word * d >> bits == value
            assert word * d % size >= size % d
            before = word - 1
            assert before < 0 or before * d >> bits < value or before * d % size < size % d


@pytest.mark.parametrize(("bits", "asked"), [(32, "next_uint32"), (64, "next_uint64")])
def test_words_beyond_those_that_were_written_down_are_of_as_many_bits_and_without_a_pattern(bits: int, asked: str) -> None:
    written = Written("lemire")
    given = written.given()
    words = [getattr(given._interface, asked)(None) for _ in range(64)]
    assert written.failed
    assert len(set(words)) == 64
    assert 1 << bits - 2 < max(words) < 1 << bits
    assert min(words) < 1 << bits - 2


# numpys that draw otherwise


def word_of(rng: Any) -> int:
    return int(np.random.Generator.integers(rng, 0, 1 << 32, dtype=np.uint32))


def narrow(low: int, high: int, size: Any, dtype: Any) -> bool:
    """Whether the method below is for it: a scalar of int64 of at most 32 bits."""
    return size is None and dtype is np.int64 and 2 < high - low < 1 << 32


def lemire(rng: Any, d: int, rejected: Callable[[int, int], bool]) -> int:
    while rejected((product := word_of(rng) * d) & (1 << 32) - 1, (1 << 32) % d):
        pass
    return product >> 32


class AsItIs(np.random.Generator):
    """Written in Python as numpy is in C."""

    rejected: Any = staticmethod(lambda left, threshold: left < threshold)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
        if not narrow(low, high, size, dtype):
            return super().integers(low, high, size, dtype, endpoint)
        return np.int64(low + lemire(self, high - low, self.rejected))


class ByRemainder(AsItIs):
    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
        if not narrow(low, high, size, dtype):
            return super().integers(low, high, size, dtype, endpoint)
        return np.int64(low + word_of(self) % (high - low))


class WithoutRejection(AsItIs):
    rejected = staticmethod(lambda left, threshold: False)


class RejectsOneMore(AsItIs):
    rejected = staticmethod(lambda left, threshold: 0 < threshold >= left)


class RejectsOneLess(AsItIs):
    rejected = staticmethod(lambda left, threshold: left < threshold - 1)


class OfAnotherType(AsItIs):
    def integers(self, *arguments: Any, **named: Any) -> Any:
        drawn = super().integers(*arguments, **named)
        return drawn if isinstance(drawn, np.ndarray) else int(drawn)


class Wasteful(AsItIs):
    def integers(self, *arguments: Any, **named: Any) -> Any:
        word_of(self)
        return super().integers(*arguments, **named)


class Shallow(AsItIs):
    def random(self, *arguments: Any, **named: Any) -> Any:
        return np.floor(super().random(*arguments, **named) * 2.0**52) * 2.0**-52

    def uniform(self, low: Any = 0, high: Any = 1, size: Any = None) -> Any:
        u = super().random(size)
        return low * (1 - u) + high * u


class Reversed(AsItIs):
    def shuffle(self, x: Any, axis: int = 0) -> None:
        super().shuffle(x, axis)
        x[:] = x[::-1]

    def permutation(self, x: Any, axis: int = 0) -> Any:
        return super().permutation(x, axis)[::-1]

    def bytes(self, length: int) -> bytes:
        return super().bytes(length)[::-1]


class Otherwise(AsItIs):
    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True) -> Any:
        if p is None or not replace:
            return super().choice(a, size, replace, p, axis, shuffle)
        return np.cumsum(p).searchsorted(self.random(size), side="right")[()]  # not divided by its last

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """By a power, where numpy takes exp of a logarithm."""
        chance = 1.0 - p if np.ndim(p) == 0 and p > 0.5 else p
        if np.ndim(p) or n == 0 or chance == 0:
            return super().binomial(n, p, size)
        x, left, probability = 0, self.random(), (1.0 - chance) ** n
        while left > probability:
            x += 1
            left -= probability
            probability = ((n - x + 1) * chance * probability) / (x * (1.0 - chance))
            if x > n:
                x, left, probability = 0, self.random(), (1.0 - chance) ** n
        return n - x if chance != p else x


class FromTheFront(AsItIs):
    def choice(self, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True) -> Any:
        if replace:
            return super().choice(a, size, replace, p, axis, shuffle)
        return super().permutation(a, axis=axis)[:size]


class Failing(AsItIs):
    def random(self, *arguments: Any, **named: Any) -> Any:
        raise TypeError("no")


def stand_in_for(kind: Any, base: Any = GeneratorStandIn) -> Any:
    return type("Changed", (base,), {"stands_for": kind})


def test_numpy_written_in_python_is_taken() -> None:
    assert difference(stand_in_for(AsItIs), "integers") is None


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ByRemainder, "integers"),
        (WithoutRejection, "integers"),
        (RejectsOneMore, "integers"),
        (RejectsOneLess, "integers"),
        (OfAnotherType, "integers"),
        (Wasteful, "integers"),
        (Shallow, "random uniform"),
        (Reversed, "shuffle permutation bytes"),
        (Otherwise, "choice binomial"),
        (FromTheFront, "choice"),
        (Failing, "random"),
    ],
)
def test_a_numpy_that_draws_otherwise_is_found(kind: Any, names: str) -> None:
    for name in names.split():
        assert difference(stand_in_for(kind), name), name
    same = next(name for name in ("shuffle", "uniform") if name not in names.split())
    assert difference(stand_in_for(kind), same) is None


class OtherState(np.random.RandomState):
    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        drawn = super().randint(low, high, size, dtype)
        return high - 1 - (drawn - low) if size is None and dtype is int else drawn

    def random_sample(self, size: Any = None) -> Any:
        return 1 - super().random_sample(size)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        return n - super().binomial(n, p, size)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        return np.random.RandomState.permutation(self, a)[:size] if size and p is None else super().choice(a, size, replace, p)


@pytest.mark.parametrize("name", ["randint", "random_sample", "binomial", "choice"])
def test_a_random_state_that_draws_otherwise_is_found(name: str) -> None:
    assert difference(stand_in_for(OtherState, RandomStateStandIn), name)
    assert difference(stand_in_for(OtherState, RandomStateStandIn), "shuffle") is None


@pytest.mark.parametrize(
    ("name", "instead", "methods"),
    [
        ("searched", lambda draw, weights: int(np.cumsum(weights).searchsorted(draw())), "choice"),
        ("shuffled_places", lambda coins, n: [coins.uniform(n) - 1 for _ in range(n)], "shuffle permutation"),
        ("distinct", lambda coins, n, k, shuffle: [coins.uniform(n) - 1 for _ in range(k)], "choice"),
        ("binomial", lambda coins, n, p, legacy: sum(coins.uniform(1 << 53) <= p * 2**53 for _ in range(n)), "binomial"),
    ],
)
def test_a_stand_in_that_draws_otherwise_is_found(
    name: str, instead: Any, methods: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numpy_sources, name, instead)
    for method in methods.split():
        assert difference(GeneratorStandIn, method), method


def changed(name: str, otherwise: Callable[..., Any]) -> Any:
    """A function of numpy that differs; where a draw is not decided, it is the stand-in's."""
    real: Any = getattr(np, name)

    def function(*arguments: Any) -> Any:
        asked = None in arguments or any(isinstance(argument, LazyFloat) for argument in arguments)
        return real(*arguments) if asked else np.float64(otherwise(*arguments))

    setattr(function, "nin", getattr(real, "nin", 0))  # noqa: B010
    return function


@pytest.mark.parametrize(
    ("name", "otherwise", "program"),
    [
        ("clip", lambda x, low, high: min(high, max(x, low)) + 0.0, lambda rng: np.clip(np.rint(rng.random() - 0.5), -0.0, 1)),
        ("rint", lambda x: math.floor(x + 0.5), lambda rng: np.rint(rng.random())),
        ("floor", lambda x: math.floor(x) + 0.0, lambda rng: np.floor(-0.0 * rng.random())),
    ],
)
def test_a_function_that_rounds_is_numpy_s_own(
    name: str, otherwise: Any, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = as_numpy_has_it(program)
    monkeypatch.setattr(np, name, changed(name, otherwise))
    answers.cache_clear()
    assert as_numpy_has_it(program) != before
    answers.cache_clear()


@pytest.mark.parametrize(
    ("name", "otherwise", "program"),
    [
        ("round", lambda x, decimals: np.floor(x * 10.0**decimals + 0.5) / 10.0**decimals, lambda u: np.round(u, 1)),
        ("sign", lambda x: np.copysign(1.0, x), lambda u: np.sign(np.floor(2 * u))),
        ("absolute", lambda x: x if x > 0 else -x, lambda u: np.absolute(np.rint(u - 0.5))),
        ("multiply", lambda x, y: x * y + 0.0, lambda u: np.multiply(np.rint(u - 0.5), 1.0)),
        ("maximum", lambda x, y: min(x, y), lambda u: np.maximum(u, 0.5) > 0.7),
        ("less", lambda x, y: x <= y, lambda u: np.less(np.floor(2 * u), 1)),
    ],
)
def test_another_that_differs_is_seen_at_the_ends_of_a_path(
    name: str, otherwise: Any, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mechanism(_data: Any) -> Any:
        return program(np.random.default_rng().random())

    assert explored(mechanism, 0, "none", "tuple", Budget()).law.unresolved == 0
    monkeypatch.setattr(np, name, changed(name, otherwise))
    with pytest.raises(ExplorationError, match="and the path that holds them gave"):
        explored(mechanism, 0, "none", "tuple", Budget())


# What is said


def test_the_one_that_differs_is_refused_and_the_others_are_followed() -> None:
    kind = stand_in_for(WithoutRejection)
    with pytest.raises(ExplorationError) as refused:
        explore(lambda coins: int(kind(coins).integers(3)))
    said = str(refused.value)
    assert "test_numpy_replay.py" in said
    assert (
        f"uses numpy's WithoutRejection.integers, which in numpy {np.__version__} is not what was read in 2.4.6: it " in said
    )
    assert said.endswith("on the same words; next: install numpy 2.4.6, or draw with another method, such as integers()")
    assert "\n" not in said
    assert explore(lambda coins: int(kind(coins).choice(3))).law() == Pmf({0: 1, 1: 1, 2: 1})


def test_a_refusal_cannot_be_swallowed() -> None:
    kind = stand_in_for(WithoutRejection)

    def swallowing(coins: Any) -> int:
        try:
            return int(kind(coins).integers(3))
        except BaseException:
            return 0

    with pytest.raises(ExplorationError, match=r"WithoutRejection\.integers"):
        explore(swallowing)


def test_a_function_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(numpy_replay, "difference", lambda _kind, name: looked.append(name))
    kind = stand_in_for(type("Fresh", (np.random.Generator,), {}))
    explore(lambda coins: int(kind(coins).integers(3) + kind(coins).integers(2)) + (kind(coins).random() < 0.5))
    assert looked == ["integers", "random"]


def test_a_clip_at_one_end_does_not_choose_between_zeros() -> None:
    """numpy takes the bound there, and between two bounds the value."""
    for bounds in ((None, 0.0), (0.0, None)):
        with pytest.raises(ExplorationError, match=r"of 0\.0 and -0\.0"):
            explore(lambda coins: str(np.clip(np.rint(GeneratorStandIn(coins).random() - 0.5), *bounds)))  # noqa: B023


def test_ranges_are_compared_on_both_sides_of_where_numpy_changes_its_way() -> None:
    """All words of 32 bits, one value more, and so many that one word of 64 bits in four is refused."""
    widths = {high - low for low, high in numpy_replay._BOUNDS}
    assert {1 << 32, (1 << 32) + 1, 3 << 61} <= widths
    assert min(widths) == 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.int64])
def test_of_each_type_all_of_its_range_is_compared_and_all_but_one(dtype: Any) -> None:
    calls = {call.arguments[:2] for call in numpy_replay._of_whole_numbers("lemire") if call.arguments[3:] == (dtype,)}
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) + 1
    assert {(low, high), (low + 1, high)} <= calls


def test_a_method_that_is_compared_goes_by_its_name() -> None:
    kind = GeneratorStandIn
    methods = [(name, method) for name, method in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")]
    assert ("shuffle", kind.shuffle) in methods
    assert all(method.__name__ == name for name, method in methods)
