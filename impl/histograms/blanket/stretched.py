"""A long list of weights of which most are equal, and draws from it: the counts of the blanket's labels."""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from attrs import field, frozen

from finitedp.exact import integer

__all__ = ["Stretched"]


def _weights(value: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(weight) for weight in value)


@frozen(slots=False)
class Stretched:
    """`size` weights: those of head, then as many of `tail` as are needed, then `last`.

    Parameters: size >= 1; head, fewer than size weights; tail, 0 where none is needed; last.
    Raises: ParameterError where the sizes do not fit. Weights are not judged here.
    """

    size: int
    head: tuple[int, ...] = field(converter=_weights, repr=False)
    tail: int
    last: int

    def __attrs_post_init__(self) -> None:
        integer(self.size, "size", at_least=len(self.head) + 1)
        integer(self.tail, "tail", 0, None if self.stretch else 0)
        integer(self.last, "last", at_least=0)

    @property
    def stretch(self) -> int:
        """How many weights are `tail`."""
        return self.size - 1 - len(self.head)

    def weight(self, place: int) -> int:
        """The weight at a place in 0..size-1."""
        if place < len(self.head):
            return self.head[place]
        return self.tail if place < self.size - 1 else self.last

    @property
    def least(self) -> int:
        """The least of all weights."""
        return min((*self.head, self.tail if self.stretch else self.last, self.last))

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return self.sums[0]

    @cached_property
    def sums(self) -> tuple[int, ...]:
        """The sums of the weights from each place of the head on, and from the first behind it on."""
        end = self.last + self.stretch * self.tail
        return tuple(reversed(tuple(accumulate(reversed(self.head), initial=end))))

    def from_place(self, place: int) -> int:
        """The sum of the weights from a place on; 0 beyond all."""
        if place < len(self.sums):
            return self.sums[place]
        return self.last + (self.size - 1 - place) * self.tail if place < self.size else 0

    def __iter__(self) -> Iterator[int]:
        return (self.weight(place) for place in range(self.size))

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The powers of two of the bisection over the head, largest first."""
        return tuple(1 << shift for shift in reversed(range(len(self.head).bit_length())))

    @cached_property
    def _padded(self) -> tuple[int, ...]:
        return self.sums + (0,) * (2 * sum(self.strides[:1]) - len(self.sums))

    def place(self, word: int) -> int:
        """The place that a word in 0..total-1 means: the number of places p >= 1 whose weights from p on sum to more than it.

        Cost: the same comparisons for every word.
        """
        near = 0
        for stride in self.strides:
            near += stride * (word < self._padded[near + stride])
        if not self.tail:
            return near
        far = min(self.size - 2 - (word - self.last) // self.tail, self.size - 1)
        return (near, far)[word < self.sums[-1]]
