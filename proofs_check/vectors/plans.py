"""Cases of the public numbers of a BlanketHistogram: plans that hold, and that fail one condition or several."""

from collections.abc import Iterator
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.vectors.groups import Dice, Group, refused, valid
from finitedp.proofs_check.vectors.tables import of_weights
from finitedp.spec import blanket, dyadic


def plan_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Plan: small plans that hold, that fail one condition alone, by little, and that fail several."""
    dice, most = Dice("plan"), 40 if large else 8
    for n, epsilon, bits, label_bits in ((4, "3", 16, 5), (3, "2", 16, 3), (6, "4", 20, 6), (8, "1", 24, 8)):
        ratio = dyadic.ratio_below(mpq(epsilon), bits)
        weights = dyadic.table(n, ratio, bits)
        if weights is None:
            continue
        tests, kept = list[dict[str, Any]](), dict[tuple[str, ...], int]()
        for _ in range(1500):
            made = _plan(tuple(weights), ratio, label_bits, dice)
            failed = tuple(made.get("reasons", ()))
            if not failed and dice.below(2):
                first, *others = made["slotCounts"]
                told = "a plan, but for a sum of one more than 2^countBits"
                made = {**made, "comment": told, "result": "invalid", "slotCounts": [str(int(first) + 1), *others]}
                failed, made["reasons"] = ("sum",), ["shape"]
            if kept.get(failed, 0) < (most if len(failed) < 2 else 1):
                kept[failed] = kept.get(failed, 0) + 1
                tests.append(made)
        group = of_weights(list(map(int, weights)), bits).fields
        yield {**group, "ratio": str(ratio), "labelBits": str(label_bits)}, tests


def _plan(weights: tuple[int, ...], ratio: mpq, label_bits: int, dice: Dice) -> dict[str, Any]:
    """A random plan whose slots' counts are the least that (B) allows, or one more or less, with the rest on one of them."""
    n, count_bits, hit_bits = len(weights) - 1, 10 + dice.below(6), 5 + dice.below(8)
    b, cap = dice.below(n), 1 + dice.below(10)
    slots, hit = cap + dice.below(20), dice.below(1 << hit_bits)

    def made(counts: list[int]) -> blanket.Blanket:
        return blanket.Blanket(weights, b, cap, slots, mpq(hit, 1 << hit_bits), 1 << label_bits, tuple(counts))

    counts = [1] * (n - b)
    if hit and slots > cap:
        counts = [max(1, c + dice.of((0, 0, 0, 1, -1))) for c in blanket.least_counts(made(counts), ratio, count_bits)]
    left = (1 << count_bits) - sum(counts)
    place = dice.below(n - b)
    counts[place] = max(0, counts[place] + left)
    failed = [name for name, holds in blanket.conditions(made(counts), ratio).items() if not holds]
    if "shape" in failed or sum(counts) != 1 << count_bits:  # of other numbers nothing else is asked
        failed = ["shape"]
    numbers = {"b": b, "cap": cap, "slots": slots, "hitBits": hit_bits, "hit": hit, "countBits": count_bits}
    if failed:
        return refused(f"fails: {', '.join(failed)}", ["PlanCondition"], reasons=failed, **numbers, slotCounts=counts)
    return valid("a plan", ["PlanCondition"], **numbers, slotCounts=counts)
