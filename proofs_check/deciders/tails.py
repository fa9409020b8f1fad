"""Laws with tails, put in line: in each direction one tail, which begins at the same output in all laws of an audit.

So they are compared output by output: between two tails of one direction and one ratio, that begin at one output, all outputs
have one probability ratio. Where tails cannot be put in line, their outputs are listed and what is left is unresolved mass.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from math import isqrt
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq, mpz

from finitedp.errors import ParameterError
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail, whole_number

Laws = Mapping[Any, PartialLaw[Any]]

MOST_LISTED = 250_000
"""Outputs of tails that may be listed, over all laws of an audit, to put them in line in one direction."""
MOST_OF_ONE = 10_000
"""The same of a tail that is not put in line."""
LONGEST, MOST_BITS = 60_000, 1 << 32
"""Bits of the numerator and the denominator of a probability that is listed so, about what a certificate may hold (the
checker's MOST_DIGITS), and of all of them in all laws."""
SPARE_BITS = 8
"""Such a tail is listed until less mass is left than the budget aims at, by so many bits."""
_NAMES = {1: "rising", -1: "falling"}


class InLine(NamedTuple):
    """Laws in line, the specified ones (None where there are none), and why tails were opened, one line each."""

    found: Laws
    specified: Laws | None
    opened: tuple[str, ...]


def in_line(
    found: Laws, specified: Laws | None, bits: int, beside: Iterable[int] = (), uncounted: str | None = None
) -> InLine:
    """The same laws with tails that can be compared.

    Parameters: bits, so that of an opened tail less than 2^-bits is left; beside, integers that no tail may hold;
    uncounted, why outputs must be listed, so that all tails of the code are opened.
    Raises: ParameterError for specified laws whose tails cannot be put in line.
    """
    allowed, opened, numbers = specified or {}, list[str](), list(beside)
    for direction in (1, -1):
        if not _tails((found, allowed), direction):
            continue
        start = _start((found, allowed), direction, numbers)
        why = uncounted if uncounted and _tails((found,), direction) else None
        why = why or _why_not((found, allowed), direction, start)
        if why is not None:
            opened.append(f"the {_NAMES[direction]} tails are listed in part and the rest is unresolved: {why}")
            most = _most_of_one(found, direction)
            found = {data: _opened(law, direction, bits, most) for data, law in found.items()}
            start = _start((found, allowed), direction, numbers)
            why = _why_not((allowed,), direction, start)
            if why is not None:
                raise ParameterError(f"the {_NAMES[direction]} tails of the specified laws cannot be compared: {why}")
        found = {data: _moved(law, direction, start) for data, law in found.items()}
        allowed = {data: _moved(law, direction, start) for data, law in allowed.items()}
    return InLine(found, None if specified is None else allowed, tuple(opened))


def _tails(laws: Sequence[Laws], direction: int) -> list[list[Tail]]:
    """Those of each law that has some."""
    found = (_tails_of(law, direction) for each in laws for law in each.values())
    return [tails for tails in found if tails]


def _tails_of(law: PartialLaw[Any], direction: int) -> list[Tail]:
    """The tails of a law in a direction, the one that begins last first."""
    tails = [x for x in law.probabilities if type(x) is Tail and x.direction == direction]
    return sorted(tails, key=lambda tail: tail.first * direction, reverse=True)


def _start(laws: Sequence[Laws], direction: int, numbers: Iterable[int]) -> int:
    """The first output from which on, in a direction, all laws have only tails of that direction, and these as a whole."""
    outputs = (x for each in laws for law in each.values() for x in law.probabilities)
    farthest = max(
        chain(
            (direction * number + 1 for number in numbers),
            (bound for x in outputs if (bound := _bound(x, direction)) is not None),
        )
    )
    return direction * farthest


def _bound(output: object, direction: int) -> int | None:
    """How far in a direction an output forces a tail to begin, counted in that direction."""
    if type(output) is Tail:
        return direction * output.first + (output.direction != direction)
    number = whole_number(output)
    return None if number is None else direction * number + 1


def _why_not(laws: Sequence[Laws], direction: int, start: int) -> str | None:
    """Why all tails of a direction cannot begin there; None where they can."""
    tails = _tails(laws, direction)
    ratios = sorted({tail.ratio for of_law in tails for tail in of_law})
    if len(ratios) > 1:
        return f"they have different ratios, {ratios[0]} and {ratios[1]}{' and more' if len(ratios) > 2 else ''}"
    listed = [(start - of_law[-1].first) * direction for of_law in tails]
    if sum(listed) > MOST_LISTED:
        return f"more than {MOST_LISTED:,} outputs would have to be listed for all of them to begin at one output"
    size = max(map(_size, ratios), default=0)
    if max(listed, default=0) * size > LONGEST:
        return f"the probabilities would have more than {LONGEST:,} bits, where all of them begin at one output"
    if sum(number**2 for number in listed) * size > 2 * MOST_BITS:
        return f"the probabilities would have more than {MOST_BITS:,} bits in all, where all of them begin at one output"
    return None


def _size(ratio: mpq) -> int:
    """By how many bits each probability of a tail is longer than the one before, at most."""
    return int(ratio.numerator.bit_length() + ratio.denominator.bit_length())


def _most_of_one(laws: Laws, direction: int) -> int:
    """How many outputs are listed of each tail that is opened."""
    ratios = [tail.ratio for of_law in _tails((laws,), direction) for tail in of_law]
    size = max(map(_size, ratios), default=1)
    return min(MOST_OF_ONE, LONGEST // size, isqrt(2 * MOST_BITS // (size * max(len(ratios), 1))))


def _moved(law: PartialLaw[Any], direction: int, start: int) -> PartialLaw[Any]:
    """A law with its tails in a direction as one that begins at an output; what is before it is listed."""
    tails = _tails_of(law, direction)
    if not tails:
        return law
    left, mass, output, last = _without(law, tails), mpq(0), tails[-1].first, tails[0]
    while (start - output) * direction > 0:
        while tails and tails[-1].first == output:
            mass += law.probabilities[tails.pop()]
        left[output] = left.get(output, mpq(0)) + mass * (1 - last.ratio)
        mass, output = mass * last.ratio, output + direction
    mass += sum((law.probabilities[tail] for tail in tails), mpq(0))  # they begin there
    left[evolve(last, first=start)] = mass
    return evolve(law, probabilities=left)


def _opened(law: PartialLaw[Any], direction: int, bits: int, most: int) -> PartialLaw[Any]:
    """A law without its tails in a direction: their first outputs are listed, and the rest is unresolved mass."""
    tails = _tails_of(law, direction)
    if not tails:
        return law
    left, least, rest = _without(law, tails), mpq(1, mpz(1) << bits + SPARE_BITS), law.unresolved
    for tail in tails:
        mass, output = law.probabilities[tail], tail.first
        for _ in range(most):
            if mass < least:
                break
            left[output] = left.get(output, mpq(0)) + mass * (1 - tail.ratio)
            mass, output = mass * tail.ratio, output + direction
        rest += mass
    return evolve(law, probabilities=left, unresolved=rest)


def _without(law: PartialLaw[Any], tails: Sequence[Tail]) -> dict[Any, mpq]:
    return {x: p for x, p in law.probabilities.items() if x not in tails}


def is_tail(output: object) -> bool:
    """Whether an output, which an audit gives with its types, is a tail."""
    return type(output) is tuple and output != () and type(output[0]) is Tail


def held_by_tails(tails: Mapping[Any, mpq], outputs: Iterable[Hashable]) -> dict[Hashable, mpq]:
    """What tails hold of integers, both with their types: of each of these the sum of mass * tail.share(integer).

    One walk through the outputs for each ratio and direction, since tails and outputs may be many thousands.
    """
    alike: dict[Any, list[tuple[int, mpq]]] = {}
    for (tail, *types), mass in tails.items():
        alike.setdefault((tail.ratio, tail.direction, tuple(types)), []).append((tail.first * tail.direction, mass))
    integers = [x for x in outputs if type(x) is tuple and x != () and type(x[0]) is int]
    held = dict[Hashable, mpq]()
    for (ratio, direction, types), begin in alike.items():
        begin.sort(reverse=True)  # the last one begins first
        mass, at = mpq(0), begin[-1][0]
        same = (x for x in integers if x[1:] == types and x[0] * direction >= at)
        for output in sorted(same, key=lambda x: x[0] * direction):
            place = output[0] * direction
            while begin and begin[-1][0] <= place:
                first, more = begin.pop()
                mass, at = mass * ratio ** (first - at) + more, first
            mass, at = mass * ratio ** (place - at), place
            held[output] = held.get(output, mpq(0)) + mass * (1 - ratio)
    return held
