"""What explored code gets in place of numpy.random.Generator and numpy.random.RandomState.

It is assumed that the bit generator gives independent uniform words. What a method makes of them is what numpy does
(numpy_draws.py); a method of which the installed numpy makes something else is refused (numpy_replay.py).
"""

import math
from collections.abc import Callable
from operator import index
from typing import Any, ClassVar

import numpy as np

from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.stand_ins.arrays import LazyArray
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes, whole
from finitedp.proofs_check.engine.stand_ins.numpy_draws import (
    READ,
    binomial,
    checked_weights,
    distinct,
    searched,
    shuffled_places,
    weighted_distinct,
)
from finitedp.proofs_check.engine.stand_ins.replay.numpy_replay import replayed
from finitedp.proofs_check.engine.stand_ins.standard import Source
from finitedp.proofs_check.engine.stand_ins.wide import WideInteger

NARROW = 4096
"""Values of a whole number up to which it is decided when it is drawn, so that it is numpy's own scalar."""

ASSUMED = (
    f"numpy {np.__version__}: its bit generators give independent uniform words, and its methods make of them what those of "
    f"{READ} do"
)


class _Source(Source):
    """What both generators share."""

    legacy: ClassVar[bool]

    def __init__(self, coins: Coins) -> None:
        super().__init__(coins)
        if hasattr(coins, "assume"):
            coins.assume(ASSUMED)

    def _shape(self, size: Any, *, may_be_empty: bool = False) -> tuple[int, ...]:
        """Raises: TypeError and ValueError where numpy does."""
        shape = tuple(index(part) for part in size) if isinstance(size, list | tuple) else (index(size),)
        if min(shape, default=0) < 0:
            raise ValueError("negative dimensions are not allowed")
        if not (shape or may_be_empty) or isinstance(size, bool):
            self._refuse(f"draws an array of the size {size!r}")
        return shape

    def _refuse_arrays(self, name: str, *ends: Any) -> None:
        if any(isinstance(end, np.ndarray | list | tuple) for end in ends):
            self._refuse(f"draws {name}() between arrays")

    @staticmethod
    def _has(array: Any, axis: int) -> bool:
        return bool(-array.ndim <= axis < array.ndim)

    # Floats

    def _floats(self, size: Any, one: Callable[[], Any]) -> Any:
        if size is None:
            return one()
        shape = self._shape(size)
        if not math.prod(shape):
            return np.empty(shape)
        drawn = [one() for _ in range(math.prod(shape))]
        if type(drawn[0]) is float:
            return np.array(drawn).reshape(shape)
        cells = np.empty(len(drawn), dtype=object)
        cells[:] = [value.of_numpy() for value in drawn]
        return LazyArray(self._coins, cells.reshape(shape))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """low + (high - low) * random(), in floats; where continuous noise is followed, ideal."""
        if (ideal := self._continuous("uniform")) is not None:
            return ideal(low, high, size)
        self._refuse_arrays("uniform", low, high)
        bottom, span = float(low), float(high) - float(low)
        if span < 0:
            self._refuse("draws uniform() from high to low")
        return self._floats(size, lambda: bottom + span * self._word())

    # Whole numbers

    def _whole(self, low: int, high: int, size: Any, dtype: Any) -> Any:
        """Uniform on low..high: for the type int itself and no size an int of Python, within the bounds of numpy's."""
        kind = np.dtype(dtype)
        if not np.issubdtype(kind, np.integer) or not kind.isnative:
            self._refuse(f"draws whole numbers of type {kind}")
        if low > high:
            raise ValueError("low >= high")
        if low < np.iinfo(kind).min or high > np.iinfo(kind).max:
            raise ValueError(f"low or high is out of bounds for {kind}")
        if size is None:
            drawn = low + whole(self._coins, high - low + 1)
            if dtype is int:
                return drawn
            narrow = high - low < NARROW and not self._is_in_a_copy()
            return kind.type(int(drawn)) if narrow or type(drawn) is int else WideInteger(self._coins, drawn, kind)
        shape = self._shape(size, may_be_empty=True)
        flat = [int(low + whole(self._coins, high - low + 1)) for _ in range(math.prod(shape))]
        return np.array(flat, dtype=kind).reshape(shape)

    def _is_in_a_copy(self) -> bool:
        """Whether the copy of a declared sampler draws, in which int() leaves a draw undecided."""
        rules = getattr(self._coins, "rules", None)
        return getattr(getattr(rules, "solver", None), "in_copies", False) is True

    def bytes(self, length: int) -> bytes:
        """Uniform bytes, for int.from_bytes()."""
        if index(length) < 0:
            self._refuse("draws fewer than no bytes")
        return LazyBytes.drawn(self._coins, index(length))

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """The number of successes, of n min(p, 1 - p) <= 30: by the thresholds of numpy's inversion, which are floats."""
        trials, chances = np.asarray(n), np.asarray(p, dtype=np.float64)
        if size is None and trials.ndim == chances.ndim == 0:
            return binomial(self._coins, int(trials), float(chances), legacy=self.legacy)
        shape = np.broadcast_shapes(trials.shape, chances.shape) if size is None else self._shape(size, may_be_empty=True)
        together = zip(np.broadcast_to(trials, shape).flat, np.broadcast_to(chances, shape).flat, strict=True)
        flat = [binomial(self._coins, int(count), float(chance), legacy=self.legacy) for count, chance in together]
        return np.array(flat, dtype=np.int64).reshape(shape)

    # Orders

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """A uniform order along an axis, in place."""
        if type(x) is np.ndarray and self._has(x, axis):
            x[...] = np.take(x, shuffled_places(self._coins, x.shape[axis]), axis=axis)
        elif axis or not isinstance(x, list | bytearray):
            self._refuse("shuffles what is neither an array nor a list, or a list along an axis")
        else:
            x[:] = [x[i] for i in shuffled_places(self._coins, len(x))]

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """A uniform order of an array along an axis, or of 0..x - 1."""
        if isinstance(x, int | np.integer):
            return np.arange(x)[shuffled_places(self._coins, int(x))]
        array = np.asarray(x)
        if not self._has(array, axis):
            self._refuse("permutes along an axis that there is not")
        return np.take(array, shuffled_places(self._coins, array.shape[axis]), axis=axis)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """Elements of a; with p at the places where numpy's cumulated floats reach a uniform one.

        The generators differ in how they draw without replacement.
        """
        pool = np.asarray(a)
        if pool.ndim == 0 and not isinstance(pool.item(), int):
            raise ValueError(f"a must be a sequence or an integer, not {type(a)}")
        n = int(pool.item()) if pool.ndim == 0 else pool.shape[axis]
        shape = () if size is None else self._shape(size)
        k = math.prod(shape)
        if n <= 0 and k:
            raise ValueError("a must be a positive integer unless no samples are taken")
        weights = None if p is None else checked_weights(p, n, legacy=self.legacy)
        if not replace and k > n:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if weights is not None:
            draws = [searched(self._word, weights) for _ in range(k)] if replace else weighted_distinct(self._word, weights, k)
        elif replace:
            draws = [int(whole(self._coins, n)) for _ in range(k)]
        elif self.legacy:
            draws = shuffled_places(self._coins, n)[:k]
        else:
            draws = distinct(self._coins, n, k, shuffle=shuffle)
        if pool.ndim == 0:
            return draws[0] if size is None else np.array(draws, dtype=np.int64).reshape(shape)
        places = np.array(draws[0] if size is None else draws, dtype=np.intp)
        return pool.take(places if size is None else places.reshape(shape), axis=axis)


@replayed
class GeneratorStandIn(_Source):
    """numpy.random.Generator for explored code. Its names and options are numpy's."""

    stands_for = np.random.Generator
    legacy = False

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Multiples of 2^-53, uniform on 0..1 - 2^-53."""
        if np.dtype(dtype) != np.dtype(np.float64) or out is not None:
            self._refuse("draws random() of another type, or into an array that is there")
        return self._floats(size, self._word)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
        """Exactly uniform on low..high - 1, or to high with `endpoint`."""
        low, high = (0, low) if high is None else (low, high)
        self._refuse_arrays("integers", low, high)
        return self._whole(int(low), int(high) - (not endpoint), size, dtype)


@replayed
class RandomStateStandIn(_Source):
    """numpy.random.RandomState, and numpy's own functions of its names, for explored code."""

    stands_for = np.random.RandomState
    legacy = True

    def random_sample(self, size: Any = None) -> Any:
        """Multiples of 2^-53, uniform on 0..1 - 2^-53."""
        return self._floats(size, self._word)

    random = random_sample

    def rand(self, *shape: int) -> Any:
        """random_sample() of a shape."""
        return self.random_sample(shape or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Exactly uniform on low..high - 1."""
        low, high = (0, low) if high is None else (low, high)
        self._refuse_arrays("randint", low, high)
        return self._whole(int(low), int(high) - 1, size, "long" if dtype is int and size is not None else dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Exactly uniform on low..high, or on 1..low."""
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, int(high) + 1, size, "long")

    def shuffle(self, x: Any) -> None:  # type: ignore[override]  # numpy's has no axis, and neither have the next two
        """A uniform order along the first axis, in place."""
        super().shuffle(x)

    def permutation(self, x: Any) -> Any:  # type: ignore[override]
        """A uniform order of an array along its first axis, or of 0..x - 1."""
        return super().permutation(x)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:  # type: ignore[override]
        """Elements of a; with p at the places where numpy's cumulated floats reach a uniform one."""
        if np.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return super().choice(a, size, replace, p)

    def seed(self, seed: Any = None) -> None:
        """Refused: after a seed there is no randomness."""
        self._refuse(
            "seeds numpy's generator, so that what it draws is no longer random", following="next: leave the seed out"
        )
