"""What the strict path of dyadic_bulk does to every word there is, for one table: executed on intervals of words.

A word is its first bit and m, the other bits, or their complement where the first one is 1. The functions of the strict
path run as they ship, on one element of which the first bit is known and m is any integer of an interval;
numpy
is replaced by the few operations below, on values modulo 2^64. Where an operation depends on how m compares with a number, the
interval is cut there and the run starts again on either part. So a few runs for each weight of the table cover all 2^word
words. Anything else that the functions do is refused. What the noise has to be is summed from the weights of the table's
certificate, which is re-checked elsewhere: nothing else of the table is asked.
"""

from collections.abc import Callable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any

from attrs import evolve

from finitedp.impl.counting import dyadic_bulk
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import LIMB, TOP, Plan, plan_of
from finitedp.proofs_check.proofs.one_element import ALL, COUNT, Cell, Cut, Limb, Noisy, Numpy, Quotient, ensure, number

MOST_RUNS = 1 << 20

_STEPS = ("_strict", "_fold", "_bisect", "_enter", "_descend", "_compare", "_leave", "_stretch", "_finish")


def _strict(plan: Plan, up: int, low: int, high: int) -> Noisy:
    """What the strict path gives for m in low..high. Raises: Cut, ClaimError."""
    numpy = Numpy(plan, low, high)
    room = SimpleNamespace(folded=[Cell() for _ in range(plan.limbs)])
    for name in ("up", "steps", "high", "place", "narrow", "bit", "below", "less", "equal"):
        setattr(room, name, Cell())
    first = Limb(0, -1, numpy.mask) if up else Limb(0, 1, 0)
    others = [Limb(i, -1, ALL) if up else Limb(i, 1, 0) for i in range(1, plan.limbs)]
    out, known = Cell(), {**vars(dyadic_bulk), "np": numpy}
    for name in _STEPS:
        known[name] = FunctionType(getattr(dyadic_bulk, name).__code__, known, name)
    known["_strict"](plan, Cell(COUNT), [Cell(x) for x in (first, *others)], room, out)
    ensure(isinstance(out.value, Noisy) and (out.value.low, out.value.high) == (0, plan.n), "it does not end clamped to 0..n")
    return out.value  # type: ignore[no-any-return]  # as checked


def tails(certificate: Mapping[str, Any]) -> Callable[[int], int]:
    """From j >= 0 to S_j = w_j + ... + w_n, summed from the weights that a table's certificate lists; 0 beyond n."""
    n, tail, last = (int(certificate[name]) for name in ("n", "tail", "last"))
    head = [int(weight) for weight in certificate["head"]]
    sums = [last + (n - len(head)) * tail]
    for weight in reversed(head):
        sums.append(sums[-1] + weight)
    sums.reverse()
    return lambda j: sums[j] if j < len(sums) else last + (n - j) * tail if j <= n else 0


def same_as_the_table(mechanism: DyadicSample) -> int:
    """How many intervals of m were run, which cover all words, to see that arrays give clamp(count +- |Z|, 0, n) on each.

    |Z| is the number of j in 1..n with m < S_j, and the sign is minus where the first bit is 0. Raises: ClaimError where not.
    """
    certificate: Mapping[str, Any] = mechanism.table.certificate()
    n, word = mechanism.n, mechanism.word
    last, tail, upper = int(certificate["last"]), int(certificate["tail"]), tails(certificate)
    ensure((certificate["n"], certificate["bits"]) == (str(n), word), "a table of other parameters")
    plan, size = plan_of(mechanism), -(-word // LIMB)
    ensure(plan.n == n and 2 * n < TOP, "counts of more than 62 bits")
    ensure((plan.limbs, plan.top_bits) == (size, word - LIMB * (size - 1)), "words of another length")
    stretch, runs = upper(len(certificate["head"])), 0
    for up in (0, 1):
        waiting = [(0, (1 << (word - 1)) - 1)]
        while waiting:
            low, high = waiting.pop()
            try:
                found = _strict(plan, up, low, high).size
            except Cut as cut:
                waiting += [(low, cut.args[0] - 1), (cut.args[0], high)]
                continue
            runs += 1
            ensure(runs <= MOST_RUNS, "too many intervals")
            sign = 1 if up else -1
            if isinstance(found, Quotient):
                right = evolve(found, sign=found.sign * sign, shift=found.shift * sign)
                ensure(right == Quotient(last, tail, -1, n - 1) and high < stretch, "another stretch")
            else:
                j = sign * number(found)
                ensure(0 <= j <= n and upper(j + 1) <= low and (j == 0 or high < upper(j)), "another noise")
    return runs
