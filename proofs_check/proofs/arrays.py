"""What the strict path of dyadic_bulk does to every word there is, for one table: executed on intervals of words.

A word is its first bit and m, the other bits, or their complement where the first one is 1. The functions `_fold`, `_bisect`,
`_stretch` and `_finish` run as they ship, on one element of which the first bit is known and m is any integer of an interval;
numpy
is replaced by the few operations below, on values modulo 2^64. Where an operation depends on how m compares with a number, the
interval is cut there and the run starts again on either part. So a few runs for each weight of the table cover all 2^word
words. Anything else that the functions do is refused.
"""

from collections.abc import Callable
from types import FunctionType, SimpleNamespace

from attrs import evolve

from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import TOP, Plan, plan_of
from finitedp.proofs_check.proofs.one_element import ALL, COUNT, Cell, Cut, Limb, Noisy, Numpy, Quotient, ensure, number

__all__ = ["same_as_the_table"]

MOST_RUNS = 1 << 20

_STEPS = ("_fold", "_bisect", "_stretch", "_finish")


def _strict(plan: Plan, up: int, low: int, high: int) -> Noisy:
    """What the strict path gives for m in low..high. Raises: Cut, ClaimError."""
    numpy = Numpy(plan, low, high)
    room = SimpleNamespace(folded=[Cell() for _ in range(plan.limbs)])
    for name in ("up", "steps", "high", "place", "borrow", "less", "equal"):
        setattr(room, name, Cell())
    first = Limb(0, -1, numpy.mask) if up else Limb(0, 1, 0)
    others = [Limb(i, -1, ALL) if up else Limb(i, 1, 0) for i in range(1, plan.limbs)]
    out, known = Cell(), dict[str, Callable[..., None]]()
    for name in _STEPS:
        shipped = getattr(dyadic_bulk, name)
        known[name] = FunctionType(shipped.__code__, {**shipped.__globals__, "np": numpy}, name)
    strict = FunctionType(dyadic_bulk._strict.__code__, {**vars(dyadic_bulk), "np": numpy, **known}, "_strict")
    strict(plan, Cell(COUNT), [Cell(x) for x in (first, *others)], room, out)
    ensure(isinstance(out.value, Noisy) and (out.value.low, out.value.high) == (0, plan.n), "it does not end clamped to 0..n")
    return out.value  # type: ignore[no-any-return]  # as checked


def same_as_the_table(mechanism: DyadicSample) -> int:
    """How many intervals of m were run, which cover all words, to see that arrays give clamp(count +- |Z|, 0, n) on each.

    |Z| is the number of j in 1..n with m < S_j, and the sign is minus where the first bit is 0. Raises: ClaimError where not.
    """
    plan, table, n = plan_of(mechanism), mechanism.table, mechanism.n
    ensure(plan.n == n and 2 * n < TOP, "counts of more than 62 bits")
    runs = 0
    for up in (0, 1):
        waiting = [(0, mechanism.d // 2 - 1)]
        while waiting:
            low, high = waiting.pop()
            try:
                size = _strict(plan, up, low, high).size
            except Cut as cut:
                waiting += [(low, cut.args[0] - 1), (cut.args[0], high)]
                continue
            runs += 1
            ensure(runs <= MOST_RUNS, "too many intervals")
            sign = 1 if up else -1
            if isinstance(size, Quotient):
                right = evolve(size, sign=size.sign * sign, shift=size.shift * sign)
                ensure(right == Quotient(table.last, table.tail, -1, n - 1) and high < table.sums[-1], "another stretch")
            else:
                j = sign * number(size)
                ensure(0 <= j <= n and table.upper(j + 1) <= low and (j == 0 or high < table.upper(j)), "another noise")
    return runs
