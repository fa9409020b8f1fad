"""Plans for BlanketHistogram: certified ones at random, extreme ones, and the condition that is exact.

Everything is derived from the text of the mechanism alone; what spec and impl have of it, the claims compare with this.
"""

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from gmpy2 import mpq

from finitedp.proofs_check.claims.own.blanket.ratios import shown_alone
from finitedp.proofs_check.claims.own.blanket.slots import Numbers


def certified(numbers: Numbers, *, more: int = 1, taken: int = 1, power: int = 1) -> dict[str, bool]:
    """The conditions (A), whose second half is a, to (D), each as it is stated.

    Parameters: more, taken and power, which are 1 there: what is added to L in (D), how often L is taken from G, R's exponent.
    """
    single, r = shown_alone(numbers), numbers.ratio**power
    sigma, misses, slots = sum(single.values(), mpq(0)), (1 << numbers.h) - numbers.q, numbers.slots
    room, left = misses * numbers.indices - slots * numbers.q, slots - taken * numbers.cap
    if room <= 0 or numbers.cap >= slots or min(numbers.t) < 1:
        return dict.fromkeys("AaBCD", False)
    low, high = mpq(left * numbers.q, misses * numbers.indices), mpq(slots * numbers.q, room)
    share = {v: mpq(t, sum(numbers.t)) for v, t in zip(single, numbers.t, strict=True)}
    return {
        "A": (1 - sigma) * (1 + high) <= r,
        "a": r * (1 - sigma) >= 1,
        "B": all(m * (1 + low) <= r * share[v] * low for v, m in single.items()),
        "C": all(share[v] * high <= r * m for v, m in single.items()),
        "D": sigma * (numbers.cap + more) * misses <= (r - 1) * left * numbers.q,
    }


# Plans at random


def random_plans(
    seed: int, number: int, *, most_rows: int = 4, bits: int = 3, slots: int = 40, but: str = ""
) -> Iterator[Numbers]:
    """So many plans at random of which exactly the conditions `but` fail: n of 1 to most_rows, |X| up to 2^bits, few slots.

    Half of them have the fewest hits, or the most, that the conditions allow, and counts of slots with as much on one end.
    """
    random, found = Random(seed), 0  # noqa: S311  # plans, not noise
    while found < number:
        plan = _tried(random, most_rows, bits, slots)
        if plan is not None and "".join(name for name, holds in certified(plan).items() if not holds) == but:
            found += 1
            yield plan


def _weights(random: Random, n: int, ratio: mpq) -> tuple[int, ...]:
    """Weights that are a table for R, from the last one inward; what is left over goes to the last."""
    last = random.randint(1, 12)
    while int((ratio - 1) * last) < 1:
        last *= 2
    inward = [random.randint(1, int((ratio - 1) * last))]
    while len(inward) < n:
        inward.append(random.randint(inward[-1], int(ratio * inward[-1])))
    if inward[-1] % 2 and inward[-1] + 1 > ratio * (inward[-2] if n > 1 else inward[-1] + 1):
        inward = [2 * weight for weight in inward]
        last *= 2
    centre, *others = reversed(inward)
    weights = [centre + centre % 2, *others]
    whole = weights[0] + 2 * (sum(others) + last)
    return (*weights, last + ((1 << (whole - 1).bit_length()) - whole) // 2)


def _tried(random: Random, most_rows: int, bits: int, slots: int) -> Numbers | None:
    """Numbers that may be a plan: q between what (D), (B) and (A), (C) leave, counts of slots between (B) and (C)."""
    n, ratio = random.randint(1, most_rows), random.choice([mpq(5, 4), mpq(4, 3), mpq(3, 2), mpq(2), mpq(3), mpq(5), mpq(9)])
    weights = _weights(random, n, ratio)
    size, cap = random.randint(2, 2**bits), random.randint(1, min(4, slots - 1))
    b, slot = random.randint(0, n - 1), random.randint(cap + 1, slots)
    blank = Numbers(size, weights, ratio, b, cap, slot, 1, 1, (1,))
    single, d = shown_alone(blank), blank.indices
    sigma = sum(single.values(), mpq(0))
    odds = max(sigma * (cap + 1) / ((ratio - 1) * (slot - cap)), d * sigma / ((ratio - sigma) * (slot - cap)))
    most = min(ratio / (1 - sigma) - 1, sigma * ratio)
    room = most * d / ((1 + most) * slot)
    if odds > room:
        return None
    for h in range(1, 24):
        least, largest = -(-(odds * 2**h) // (1 + odds)), room * 2**h // (1 + room)
        if max(least, 1) <= largest and random.random() < 0.5:
            q = random.choice([int(max(least, 1)), int(largest), random.randint(int(max(least, 1)), int(largest))])
            if q < 2**h:
                return _with_counts(random, blank._replace(q=q, h=h))
    return None


def extreme_plans(seed: int, number: int) -> Iterator[Numbers]:
    """So many certified plans at random with q = 2^h - 1, or with G = L + 1: D is up to 2^14, and L up to 6."""
    random, found = Random(seed), 0  # noqa: S311  # plans, not noise
    while found < number:
        n, ratio, cap = random.randint(1, 4), mpq(random.choice([2, 3, 5, 9, 100, 1000])), random.randint(1, 6)
        weights, b, h = _weights(random, n, ratio), random.randint(0, n - 1), random.randint(1, 9)
        slots = cap + random.choice([1, 1, 2, 30])
        q = 2**h - 1 if slots > cap + 1 or random.random() < 0.5 else random.randint(1, 2**h - 1)
        size = random.randint(2, 2 ** random.randint(1, 14))
        plan = _with_counts(random, Numbers(size, weights, ratio, b, cap, slots, q, h, (1,)))
        if plan is not None and all(certified(plan).values()):
            found += 1
            yield plan


def _with_counts(random: Random, numbers: Numbers) -> Numbers | None:
    single, misses = shown_alone(numbers), (1 << numbers.h) - numbers.q
    if misses * numbers.indices <= numbers.slots * numbers.q:
        return None
    low = mpq((numbers.slots - numbers.cap) * numbers.q, misses * numbers.indices)
    high = mpq(numbers.slots * numbers.q, misses * numbers.indices - numbers.slots * numbers.q)
    r = numbers.ratio
    for bits in range(1, 24):
        least = [int(-((-m * (1 + low) * 2**bits) // (r * low))) for m in single.values()]
        most = [int(r * m * 2**bits // high) for m in single.values()]
        if sum(least) <= 2**bits <= sum(most) and all(1 <= a <= c for a, c in zip(least, most, strict=True)):
            if random.random() < 0.5:
                continue
            return numbers._replace(t=_between(random, least, most, 2**bits))
    return None


def _between(random: Random, least: list[int], most: list[int], whole: int) -> tuple[int, ...]:
    """Integers between least and most with a sum: filled up one after the other in a random order, wholly or in part."""
    t, order = list(least), random.sample(range(len(least)), len(least))
    greedy = random.random() < 0.5
    for i in order:
        room = min(most[i] - t[i], whole - sum(t))
        t[i] += room if greedy else random.randint(0, room)
    for i in order:
        t[i] += min(most[i] - t[i], whole - sum(t))
    return tuple(t)


def off_by_one(numbers: Numbers) -> Iterator[Numbers]:
    """The numbers with one of them changed by the least step, whether a plan or not: q, L, G, D, a count of a slot, b."""
    t, whole = numbers.t, 1 << numbers.h
    yield from (numbers._replace(q=q) for q in (numbers.q - 1, numbers.q + 1) if 0 < q < whole)
    yield from (numbers._replace(cap=cap) for cap in (numbers.cap - 1, numbers.cap + 1) if 0 < cap < numbers.slots)
    yield from (numbers._replace(slots=slots) for slots in (numbers.slots - 1, numbers.slots + 1) if slots > numbers.cap)
    yield from (numbers._replace(size=size) for size in (numbers.size // 2, 2 * numbers.size) if size >= 2)
    for i, j in pairwise(range(len(t))):
        moved = ((*t[:i], t[i] + step, t[j] - step, *t[j + 1 :]) for step in (-1, 1))
        yield from (numbers._replace(t=counts) for counts in moved if min(counts) >= 1)
    if numbers.b and t[0] > 1:
        yield numbers._replace(b=numbers.b - 1, t=(1, t[0] - 1, *t[1:]))
