"""Small plans as spec and impl take them, their datasets, and the law of the running code."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from gmpy2 import mpq

from finitedp.errors import ClaimError
from finitedp.exact import log_bounds
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.impl.histograms.blanket.histogram import draw
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.own.blanket.slots import Numbers, Release
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.ledger.entry import is_taken
from finitedp.spec import blanket as spec
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf

Data = Mapping[int, int]
Draw = Callable[[BlanketPlan, Data, Coins], Release]


class Unchecked(BlanketPlan):
    """A plan that nobody checks."""

    def __attrs_post_init__(self) -> None:
        pass


@lru_cache(maxsize=256)
def specified(numbers: Numbers) -> spec.Blanket:
    """The numbers as spec takes them."""
    hit = mpq(numbers.q, 1 << numbers.h)
    return spec.Blanket(numbers.weights, numbers.b, numbers.cap, numbers.slots, hit, numbers.indices, numbers.t)


def built(numbers: Numbers, neighbours: str = "replace-one", *, kind: type[BlanketPlan] = BlanketPlan) -> BlanketPlan:
    """The running plan of the numbers. Raises: ClaimError where it is not certified, or where the weights are no table."""
    epsilon = mpq(int(2000 * log_bounds(numbers.ratio)[1]) + 1, 1000)  # R is below e^(epsilon/2)
    *head, tail, last = numbers.weights
    table = DyadicTable(epsilon, numbers.ratio, numbers.word, numbers.n, tuple(head), tail, last)
    mechanism, t = DyadicSample(numbers.n, epsilon, numbers.word, given=table), numbers.t
    counts = Stretched(len(t), t[:-2], t[-2] if len(t) > 1 else 0, t[-1])
    at = (numbers.bits, numbers.b, numbers.cap, numbers.slots, numbers.h, numbers.q, numbers.count_bits)
    return kind(mechanism, neighbours, numbers.size, *at, counts)


def accepts(numbers: Numbers) -> bool:
    """Whether the plan certifies itself."""
    return is_taken(lambda: built(numbers), ClaimError)


def counted(rows: tuple[int, ...]) -> dict[int, int]:
    """The counts of the labels that occur."""
    return {x: rows.count(x) for x in dict.fromkeys(rows)}


def datasets(numbers: Numbers, fewest: int = 0) -> Iterator[tuple[int, ...]]:
    """All datasets of at most n rows: n is a bound, not their number."""
    for rows in range(fewest, numbers.n + 1):
        yield from multisets(range(numbers.size), rows)


def running_law(numbers: Numbers, data: Data, run: Draw = draw) -> Pmf[Release]:
    """The exact law of the running code, by the explorer."""
    plan = _plan(numbers)
    return explore(lambda coins: run(plan, data, coins)).law()


@lru_cache(maxsize=64)
def _plan(numbers: Numbers) -> BlanketPlan:
    return built(numbers)
