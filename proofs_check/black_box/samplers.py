"""Where samples come from: a Python mechanism or any function of (data, samples); how outputs are taken and counted.

Floating-point numbers are allowed here, and only here, as labels: nothing is computed from them but their order and their
lowest bit, and every probability is a count over a number of samples.
"""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import Any, Literal

from attrs import define, field

from finitedp.errors import FinitedpError, ParameterError, SamplerError
from finitedp.exact import integer
from finitedp.impl.randomness.coins import SeededBits, StrictCoins

Sampler = Callable[[Any, int], Iterable[Any]]
"""A function of (data, samples) that gives that many independent outputs of a mechanism at an input."""

_REMEMBERED = 1000  # outputs of a run that are compared with those of the next
_ENOUGH = 40  # outputs other than the most frequent one that make a repetition by chance less likely than e^-40


def sampled(
    mechanism: Callable[[Any, Any], Any], seed: int | None = None, style: Literal["random", "coins"] = "random"
) -> Sampler:
    """A sampler that runs a Python mechanism again and again.

    Parameters: mechanism, a function of (data, rng) or of (data, coins); seed, for a reproducible run, which never repeats
    outputs within one sampler; without it the operating system is the source; style, what the function draws from: a
    random.Random or Coins. Raises: ParameterError.
    """
    if style not in ("random", "coins"):
        raise ParameterError(f"style = {style!r} is unknown; accepted: random, coins")
    source = _source(None if seed is None else integer(seed, "seed"), style)

    def sampler(data: Any, samples: int) -> Iterator[Any]:  # noqa: ANN401  # inputs and outputs of any kind
        return (mechanism(data, source) for _ in range(samples))

    return sampler


def _source(seed: int | None, style: str) -> random.Random | StrictCoins:
    if style == "coins":
        return StrictCoins() if seed is None else StrictCoins(SeededBits(seed, not_private=True))
    return random.SystemRandom() if seed is None else random.Random(seed)  # noqa: S311  # for reproducible tests


def plain(output: Any) -> Hashable:  # noqa: ANN401  # whatever a mechanism returns
    """An output as a label: lists and arrays as tuples, sets as frozensets, mappings as sorted pairs, NaN as the string 'nan'.

    Numbers of numpy become Python's. What Python calls equal (1, 1.0 and True; 0.0 and -0.0) is one label.
    Raises: SamplerError for what cannot be hashed.
    """
    kind = type(output)
    if kind in _SIMPLE:
        return output if output == output else "nan"
    if kind in _CONTAINERS:
        return _CONTAINERS[kind](output)
    if hasattr(output, "tolist"):  # numpy's arrays and numbers
        return plain(output.tolist())
    try:
        hash(output)
    except TypeError:
        raise SamplerError(f"the output {str(output)[:60]!r} is a {kind.__name__}, which cannot be hashed") from None
    return output  # type: ignore[no-any-return]  # hashable


def _rows(values: Iterable[Any]) -> Hashable:
    return tuple(plain(x) for x in values)


def _set(values: Iterable[Any]) -> Hashable:
    return frozenset(plain(x) for x in values)


def _pairs(values: dict[Any, Any]) -> Hashable:
    return tuple(sorted(((plain(key), plain(value)) for key, value in values.items()), key=repr))


_SIMPLE = frozenset([int, str, float])
_CONTAINERS: dict[type, Callable[[Any], Hashable]] = {
    list: _rows,
    tuple: _rows,
    set: _set,
    frozenset: _set,
    dict: _pairs,
    Counter: _pairs,
}


@define
class Source:
    """A sampler with a count of what was drawn, and a guard against one that repeats itself.

    Parameters: sampler. Attribute: drawn, the number of outputs so far.
    """

    sampler: Sampler
    drawn: int = 0
    _before: dict[Any, list[Hashable]] = field(factory=dict)

    def draw(self, data: Any, samples: int) -> Counter[Hashable]:  # noqa: ANN401  # an input of any kind
        """How often each output was drawn in `samples` new runs. Raises: SamplerError."""
        first: list[Hashable] = []
        counts: Counter[Hashable] = Counter()
        try:
            outputs = (plain(output) for output in islice(self.sampler(data, samples), samples))
            first.extend(islice(outputs, _REMEMBERED))
            counts.update(first)
            counts.update(outputs)
        except FinitedpError as error:
            raise SamplerError(f"at the input {_shown(data)}: {error}") from None
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise SamplerError(f"at the input {_shown(data)} the mechanism raised {what}") from error
        if counts.total() < samples:
            raise SamplerError(f"at the input {_shown(data)} the sampler gave {counts.total()} outputs of {samples}")
        self._refuse_repetition(data, first)
        self.drawn += samples
        return counts

    def _refuse_repetition(self, data: Any, first: list[Hashable]) -> None:  # noqa: ANN401  # an input of any kind
        """A program with a fixed seed gives the same outputs in each run: the second half would be the first again."""
        earlier = self._before.setdefault(data, first)
        shared = min(len(earlier), len(first))
        if earlier is first or earlier[:shared] != first[:shared]:
            return
        if shared - max(Counter(first[:shared]).values(), default=0) >= _ENOUGH:
            raise SamplerError(
                f"at the input {_shown(data)} two runs gave the same {shared} outputs in the same order: the outputs are not "
                "independent; give each run a seed of its own"
            )


def _shown(data: object) -> str:
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."
