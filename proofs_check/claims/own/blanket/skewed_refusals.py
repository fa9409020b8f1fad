"""Skewed tables, our own: both certifiers, of the library and of the lone checker, accept exactly what the definition does."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby, product
from types import FunctionType
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.histograms.blanket.skewed import SkewedTable
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.proofs_check import blanket_certificate as checker
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec import dyadic as spec

Weights = tuple[int, ...]


class Side(NamedTuple):
    """The weights 0..n of one side: so many are written out, the others before the last are equal."""

    weights: Weights
    head: int

    def held(self) -> Stretched:
        n = len(self.weights) - 1
        return Stretched(n + 1, self.weights[: self.head], self.weights[n - 1] if self.head < n else 0, self.weights[n])


class Sides(NamedTuple):
    """What may be a skewed table."""

    epsilon: str
    up: mpq
    down: mpq
    bits: int
    ups: Side
    downs: Side

    @property
    def n(self) -> int:
        return len(self.ups.weights) - 1

    def is_table(self) -> bool:
        """Whether it is one, from the definition."""
        ups, downs = self.ups.weights, self.downs.weights
        return (
            min(self.up, self.down) > 1
            and compare_exp(self.up * self.down, mpq(self.epsilon)) <= 0
            and ups[0] == downs[0]
            and sum(ups) + sum(downs[1:]) == 1 << self.bits
            and all(_holds(side, ratio) for side, ratio in ((ups, self.up), (downs, self.down)))
        )


def _holds(side: Weights, ratio: mpq) -> bool:
    return spec.descends(side) and spec.steps_hold(side, ratio) and spec.tails_hold(side, ratio)


class Box(NamedTuple):
    """All lists w_0, ..., w_n of integers from 0 to `most` on one side, with a constant side that makes up the sum."""

    n: int
    most: int
    epsilon: str
    up: mpq
    down: mpq

    @property
    def tables(self) -> bool:
        """Whether the ratios allow any."""
        return min(self.up, self.down) > 1 and compare_exp(self.up * self.down, mpq(self.epsilon)) <= 0

    def sides(self) -> Iterator[Sides]:
        """What is tried: the list upwards, and downwards; as it is, and with a sum or a w_0 that is one off."""
        for weights in product(range(self.most + 1), repeat=self.n + 1):
            stretch = len(list(next(groupby(reversed(weights[: self.n])))[1]))
            for head in range(self.n - stretch, self.n):
                yield from self._with(Side(weights, head))

    def _with(self, side: Side) -> Iterator[Sides]:
        centre, bits = side.weights[0], (8 * self.n * self.most).bit_length()
        rest = (1 << bits) - sum(side.weights) - (self.n - 1) * centre
        flat = [Side((centre, *[centre] * (self.n - 1), rest + more), 0) for more in (0, 1, -1)]
        if self.n > 1:
            flat.append(Side((centre + 1, *[centre] * (self.n - 1), rest), 1))
        else:
            flat.append(Side((centre + 1, rest), 0))
        for other in flat:
            yield Sides(self.epsilon, self.up, self.down, bits, side, other)
            yield Sides(self.epsilon, self.up, self.down, bits, other, side)

    def __str__(self) -> str:
        return f"n={self.n}, weights up to {self.most}, epsilon={self.epsilon}, R={self.up}, {self.down}"


Accepts = Callable[[Sides], bool]


def accepted(given: Sides, kind: type[SkewedTable] = SkewedTable) -> bool:
    """Whether the library certifies it."""
    at = given.epsilon, given.up, given.down, given.bits, given.n, given.ups.held(), given.downs.held()
    return is_taken(lambda: kind(*at), ClaimError, ParameterError)


def rechecked(given: Sides, table: Callable[[dict[str, Any]], object] = checker.Table) -> bool:
    """Whether the lone checker accepts it."""
    document: dict[str, Any] = {"format": "finitedp skewed table", "version": 1, "bits": given.bits, "n": str(given.n)}
    document["epsilon"] = str(mpq(given.epsilon))
    for name, ratio, side in (("up", given.up, given.ups), ("down", given.down, given.downs)):
        held = side.held()
        numbers = {"head": [str(w) for w in held.head], "tail": str(held.tail), "last": str(held.last)}
        document[name] = {"ratio": str(ratio), **numbers}
    return is_taken(lambda: table(document), ValueError)


def _but_for(message: Callable[[Stretched], str]) -> Accepts:
    """Broken: what has this message is not looked at, on either side."""

    def violations(table: SkewedTable) -> Iterator[str]:
        ends = tuple(f"{name}: {message(side)}" for name, side in (("up", table.ups), ("down", table.downs)))
        return (broken for broken in SkewedTable.violations(table) if not broken.startswith(ends))

    return partial(accepted, kind=but(SkewedTable, violations=violations))


class NoSum(SkewedTable):
    """Broken: the sum is not checked."""

    def violations(self) -> Iterator[str]:
        return (broken for broken in super().violations() if "sum" not in broken)


def _forgetting(message: str) -> Accepts:
    """Broken: the lone checker without what has this message."""

    def need(condition: bool, why: str) -> None:
        checker.need(condition or why == message, why)

    scope = {**vars(checker), "need": need}
    scope["side"] = FunctionType(checker.side.__code__, scope)
    check = FunctionType(checker.Table.__init__.__code__, scope)
    return lambda given: rechecked(given, lambda document: check(checker.Table.__new__(checker.Table), document))


TWO, OTHER = (mpq(3, 2), mpq(2)), (mpq(2), mpq(4, 3))
BOXES = cases(
    Box,
    [
        *((n, most, "5/4", *ratios) for ratios in (TWO, OTHER) for n, most in ((1, 8), (2, 5), (3, 3))),
        *((2, 2, epsilon, *ratios) for epsilon, ratios in (("1", TWO), ("2", (mpq(1), mpq(2))), ("2", (mpq(2), mpq(1))))),
    ],
    [(n, most, "5/4", *ratios) for ratios in (TWO, OTHER) for n, most in ((1, 40), (2, 12), (3, 6), (4, 4))],
)
OVER = (
    "every list of n + 1 integers in a box, upwards and downwards, however much of it is written out; sums and w_0 one off;"
    " ratios of 1 or too large"
)


@own(
    "FD.Blanket.skewed.refusals",
    """A skewed table certifies itself: weights, with their constant stretches held as one number, are accepted exactly where
    they are a table of the definition, 1 < R_up, 1 < R_down and R_up R_down <= e^epsilon. The ends of a stretch decide for
    it.""",
    over=OVER,
    code=["finitedp.impl.histograms.blanket.skewed.SkewedTable.violations"],
    grid=BOXES,
    subject=accepted,
    twins={
        "the head's last step not checked": _but_for(lambda side: f"w_{len(side.head) - 1} is below"),
        "the last sum at n": _but_for(lambda side: f"S_{side.size - 2} > R S_{side.size - 1}"),
        "the sum not checked": lambda given: accepted(given, NoSum),
    },
)
@own(
    "FD.Blanket.skewed.rechecked",
    "The lone checker accepts a skewed table exactly where it is one of the definition.",
    over=OVER,
    code=["finitedp.proofs_check.blanket_certificate.recheck"],
    grid=BOXES,
    subject=rechecked,
    twins={
        name: _forgetting(name)
        for name in ("the weights rise", "(i) fails", "(ii) fails at j = n - 1", "the weights do not sum to 2^bits")
    },
)
def refusals(accepts: Accepts, box: Box) -> Finding:
    wrong = next((given for given in box.sides() if accepts(given) != given.is_table()), None)
    in_scope(any(given.is_table() for given in box.sides()) == box.tables, "whether one is a table, as the box says")
    return equal(wrong, None, "what they differ on")
