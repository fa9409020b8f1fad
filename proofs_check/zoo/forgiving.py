"""Statistics that are accurate up to a few rows left out: private or not, and accurate as claimed or not, in all four ways.

All stand on one-sided noise J in 0..2 with the weights 14, 36, 14 of 64, drawn by one word of 6 bits for each bar: delta is
14/64 = 7/32 at epsilon = 1. Datasets are neighbours that differ by a row more. What is left out of two bars is at most 2 rows
of the bar above the answer.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Literal, TypedDict, Unpack

from gmpy2 import mpq

from finitedp.claim import FlexibleAccuracy, PrivacyClaim
from finitedp.exact import RationalLike
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.zoo.exhibit import Exhibit

Data = tuple[int, ...]
ENDS = (14, 50)  # of 64: J is the number of them that a word is not below


def _noise(coins: Coins) -> int:
    word = coins.bits(6)
    return sum(bool(word >= end) for end in ENDS)


def _counts(data: Data, bars: int = 2) -> list[int]:
    return [data.count(i) for i in range(bars)]


def histogram(data: Data, coins: Coins) -> Data:
    """max(0, x - J) with a J for each of two bars."""
    return tuple(max(0, x - _noise(coins)) for x in _counts(data))


def _last(counts: Sequence[int], default: int = 0) -> int:
    return max((i for i, count in enumerate(counts) if count), default=default)


def maximum(data: Data, coins: Coins) -> int:
    """The last bar with a row left; 0 where there is none."""
    return _last(histogram(data, coins))


def mode(data: Data, coins: Coins) -> int:
    """The bar with the most rows left, the first of equals."""
    zero, one = histogram(data, coins)
    return int(one > zero)


def support(data: Data, coins: Coins) -> Data:
    """The bars with a row left."""
    return tuple(i for i, count in enumerate(histogram(data, coins)) if count)


def median(data: Data, coins: Coins) -> int:
    """The lower median of the rows left."""
    zero, one = histogram(data, coins)
    return int(one > zero)


def of_buckets(data: Data, coins: Coins) -> int:
    """The centre, 1 or 4, of the last of the buckets 0..2 and 3..5 with a row left."""
    return 1 + 3 * maximum(tuple(x // 3 for x in data), coins)


def last_by_default(data: Data, coins: Coins) -> int:
    """1 where no row is left: of no rows always, and 0 is what they have."""
    return _last(histogram(data, coins), 1)


def longer_noise(data: Data, coins: Coins) -> int:
    """Noise 1..3. At (0, 3): J = 3 has 14/64, and three rows are gone."""
    return _last([max(0, x - 1 - _noise(coins)) for x in _counts(data)])


def at_least_one(data: Data, coins: Coins) -> int:
    """A bar that is occupied keeps a row: at (0, 1) against (0, 0), 1 has the probability 1 against 0."""
    return _last([max(1, x - _noise(coins)) if x else 0 for x in _counts(data)])


def cut_noise(data: Data, coins: Coins) -> int:
    """Noise above the count is drawn again: at (0, 1) against (0, 0), 1 has 14 / (14 + 36) against 0."""

    def cut(x: int) -> int:
        if x > 1:
            return max(0, x - _noise(coins))
        return int(coins.uniform(50) <= 14) if x else 0

    return _last([cut(x) for x in _counts(data)])


def shared(data: Data, coins: Coins) -> Data:
    """One J for both bars: at (3, 2) against (2, 2) the difference of the counts tells, with probability 1."""
    j = _noise(coins)
    return tuple(max(0, x - j) for x in _counts(data))


def of_the_size(data: Data, coins: Coins) -> int:
    """Noise below q = |x| / 2: for three rows or fewer there is none. At (1, 1) against (1, 0), 1 has 1 against 0."""
    q = max(1, len(data) // 2)
    return _last([max(0, x - coins.uniform(q) + 1) for x in _counts(data)])


def occupied_alone(data: Data, coins: Coins) -> tuple[tuple[int, int], ...]:
    """Rows of the output for occupied bars alone: at (0, 1) against (0, 0), bar 1 is there, or is not."""
    return tuple((i, max(0, x - _noise(coins))) for i, x in enumerate(_counts(data)) if x)


PAPER = "Data, Prabhakaran 2022, Flexible Accuracy for Differential Privacy: "
CLAIM = PrivacyClaim(1, "add-remove", mpq(7, 32))


class _More(TypedDict, total=False):
    """What an exhibit has of its own."""

    n: int
    universe: Iterable[Hashable]
    private: Literal["holds", "fails"]
    tight: bool
    accurate: Literal["holds", "fails"]
    worst_ratio: RationalLike
    delta: RationalLike
    miss: RationalLike
    truth: Callable[[Any], Any]


USUAL: _More = {"n": 4, "universe": (0, 1), "private": "holds", "tight": True, "accurate": "holds"}


def _exhibit(
    name: str,
    mechanism: Callable[..., Any],
    accuracy: FlexibleAccuracy,
    source: str,
    says: str,
    **more: Unpack[_More],
) -> Exhibit:
    """An exhibit that is private and accurate as claimed, where nothing else is said."""
    given: _More = USUAL | more
    if given["tight"]:
        given.setdefault("delta", CLAIM.delta)
    return Exhibit(name=name, source=source, says=says, mechanism=mechanism, accuracy=accuracy, claim=CLAIM, **given)


def _max(dropped: int = 2, gamma: str = "0", **more: Any) -> FlexibleAccuracy:  # noqa: ANN401  # the fields
    return FlexibleAccuracy(more.pop("statistic", "max"), more.pop("beta", 0), gamma, dropped, **more)


ALG = f"{PAPER}Algorithm 1 with a public q and whole rows, "

EXHIBITS = (
    _exhibit(
        "forgiving-max",
        maximum,
        _max(),
        f"{ALG}and Corollary 2; the table is ours",
        "An output is the maximum of the data without the rows of the bars above it, which came out empty.",
        miss=0,
    ),
    _exhibit(
        "forgiving-max/likely",
        maximum,
        _max(1, "7/32"),
        f"{ALG}and Corollary 2; the table is ours",
        "With one row forgiven instead of two, the answer is off where two rows of bar 1 are lost: J = 2.",
        miss="7/32",
    ),
    _exhibit(
        "forgiving-max/too-few",
        maximum,
        _max(1),
        "as forgiving-max; the claim is ours (folklore bug)",
        "One row is forgiven, as if noise below q = 3 took less than 2 rows of a bar.",
        accurate="fails",
        miss="7/32",
    ),
    _exhibit(
        "forgiving-max/buckets",
        of_buckets,
        _max(2, beta=1),
        f"{PAPER}Algorithm 3 on integers, and Corollary 2",
        "Buckets of three values: the answer is within 1 of a maximum, and no more rows are lost.",
        universe=range(6),
        n=3,
        miss=0,
    ),
    _exhibit(
        "forgiving-max/buckets-as-exact",
        of_buckets,
        _max(2),
        "as forgiving-max/buckets; the claim is ours (folklore bug)",
        "The centres of buckets are answered, and beta = 0 is claimed.",
        universe=range(6),
        n=3,
        accurate="fails",
        miss="1",
    ),
    _exhibit(
        "forgiving-max/last-by-default",
        last_by_default,
        _max(),
        "as forgiving-max; the default is ours (folklore bug)",
        "What is answered when no row is left is public, and so it is private; but it is not what no rows have.",
        accurate="fails",
        miss="1",
    ),
    _exhibit(
        "forgiving-max/longer-noise",
        longer_noise,
        _max(),
        "as forgiving-max; noise 1..q for 0..q-1 is ours (folklore bug)",
        "The same delta, and one row more is lost than is said.",
        accurate="fails",
        miss="7/32",
    ),
    _exhibit(
        "forgiving-max/at-least-one",
        at_least_one,
        _max(0),
        "as forgiving-max; the bug is ours",
        "Always the exact maximum, since an occupied bar is never emptied: accurate, and nothing is hidden.",
        private="fails",
        tight=False,
        worst_ratio="infinite",
        delta=1,
        miss=0,
    ),
    _exhibit(
        "forgiving-max/cut-noise",
        cut_noise,
        _max(),
        "as forgiving-max; truncating to the count is ours (folklore bug)",
        "Noise that is drawn again where it is above the count keeps a single row too often: 7/25 is above 7/32.",
        private="fails",
        tight=False,
        worst_ratio="infinite",
        delta="7/25",
        miss=0,
    ),
    _exhibit(
        "forgiving-max/noise-of-the-size",
        of_the_size,
        _max(),
        f"{PAPER}Algorithm 1, where q = tau |x|, at tau = 1/2, uniform",
        "A q that follows the size of the data: small data has no noise at all, and no delta of its own.",
        private="fails",
        tight=False,
        worst_ratio="infinite",
        delta=1,
        miss=0,
    ),
    _exhibit(
        "forgiving-mode",
        mode,
        _max(2, statistic="mode"),
        f"{ALG}and Theorem 5; the table is ours",
        "An output is the mode once the other bar is cut down to what is left of it.",
        miss=0,
    ),
    _exhibit(
        "forgiving-median",
        median,
        _max(4, statistic="median"),
        f"{ALG}and Theorem 5; the table is ours",
        "A rank moves with every row that is lost, in both bars.",
        n=5,
        miss=0,
    ),
    _exhibit(
        "forgiving-median/as-max",
        median,
        _max(1, statistic="median"),
        "as forgiving-median; the claim is ours (folklore bug)",
        "The rows of one bar are forgiven, and fewer than it loses.",
        n=5,
        accurate="fails",
    ),
    _exhibit(
        "forgiving-support",
        support,
        _max(4, statistic="support", metric="hausdorff"),
        f"{ALG}and Corollary 3; the table is ours",
        "A point is missing where its bar came out empty, and no point is there that does not occur.",
        n=5,
        miss=0,
    ),
    _exhibit(
        "forgiving-histogram/one-noise",
        shared,
        _max(4, statistic="counts"),
        "as forgiving-max; one draw for all bars is ours (folklore bug)",
        "One word for all bars: as accurate as two, and the difference of two counts is exact.",
        n=5,
        private="fails",
        tight=False,
        worst_ratio="infinite",
        delta=1,
        miss=0,
        truth=lambda data: tuple(_counts(data)),
    ),
    _exhibit(
        "forgiving-histogram/occupied-alone",
        occupied_alone,
        _max(4, statistic="counts", metric="equal"),
        "as forgiving-max; listing what occurs is ours (folklore bug)",
        "The list of bars is that of the data, so that a bar of one row is there, or is not; empty bars are listed too.",
        private="fails",
        tight=False,
        worst_ratio="infinite",
        delta=1,
        accurate="fails",
        truth=lambda data: tuple((i, x) for i, x in enumerate(_counts(data)) if x),
    ),
)
