"""Cases of tables: built from parameters, and lists of weights of which one condition fails, or is just attained."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.proofs_check.vectors.groups import Dice, Group, borders, refused, valid
from finitedp.proofs_check.vectors.tables import Table, broken, built, of_weights
from finitedp.spec import dyadic

__all__ = ["build_groups", "table_groups"]

# Building

_PARAMETERS = [
    *((n, e, b) for n in (1, 2, 3, 10, 1000) for e in ("1", "1/2", "4") for b in (64, 128)),
    *((n, "2", 8) for n in (1, 2, 3, 5, 20, 29, 30, 31, 64, 128)),
    *((n, "5", 64) for n in ((1 << 31) - 1, 1 << 32, (1 << 53) + 1, (1 << 61) + 1, (1 << 62) + 1, (1 << 63) - 1)),
    ((1 << 64) + 1, "5", 128),
    *((3, e, 8) for e in ("16", "159/10", "17", "1000")),
    *((3, e, 64) for e in ("128", "127", "129", "1000000")),
    *((100, e, 32) for e in ("2/3", "3/5", "7/4", "22/7", "355/113", "1/1", "99999999/100000000")),
    *((2, e, 5) for e in ("1", "1/2", "1/8", "1/100", "3")),
    *((1, e, 2) for e in ("1", "2", "5", "1/10")),
]


def build_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Build."""
    dice, every = Dice("build"), list(_PARAMETERS)
    if large:
        every += [(10**9, "1/10", 64), (10**9, "1/4", 128), (10**7, "1/20", 64)]
        every += [
            (1 + dice.bits(1 + dice.below(40)), f"{1 + dice.below(60)}/{1 + dice.below(12)}", 2 + dice.below(140))
            for _ in range(500)
        ]
    yield {}, [*(_build(n, mpq(epsilon), bits) for n, epsilon, bits in every), *_no_parameters()]


def _build(n: int, epsilon: mpq, bits: int) -> dict[str, Any]:
    ratio, table = built(n, epsilon, bits)
    given = {"n": n, "epsilon": epsilon, "bits": bits}
    flags = ["RatioWhole" if epsilon / 2 >= bits else "RatioFormula", *borders(n), *(["WideCount"] if n >> 63 else [])]
    if table is None:
        return refused("there is no table", [*flags, "NoTable"], **given)
    more = {"ratio": ratio, **{name: table.fields[name] for name in ("head", "tail", "last")}}
    return valid("the table", flags, **given, **more)


def _no_parameters() -> Iterator[dict[str, Any]]:
    for n, epsilon, told in ((0, "1", "n = 0"), (-1, "1", "n = -1"), (5, "0", "epsilon = 0"), (5, "-1", "epsilon = -1")):
        yield refused(told, ["BadParameter"], n=n, epsilon=epsilon, bits=64)


# Conditions

_WEIGHTS = [
    # weights, bits, R, flags; what fails is computed
    ([10, 5, 6], 5, "2", ["AttainsI"]),
    ([12, 5, 5], 5, "2", ["FailsI"]),
    ([10, 4, 7], 5, "2", ["FailsI"]),
    ([10, 6, 5], 5, "2", ["FailsIIAtEnd"]),
    ([10, 5, 5], 5, "2", ["WrongSum"]),
    ([10, 5, 7], 5, "2", ["WrongSum"]),
    ([20, 5, 6], 5, "2", ["WrongSum", "FailsI"]),
    ([4, 6, 8], 5, "2", ["FailsDescentAlone"]),
    ([8, 6, 6], 5, "2", ["AttainsII"]),
    ([2, 7], 4, "3/2", ["NOne"]),
    ([4, 6], 4, "3/2", ["NOne", "FailsIIAtEnd"]),
    ([2, 1, 1, 2, 2, 8], 5, "2", ["FailsDescentAlone"]),
    ([6, 4, 4, 2, 1, 1, 1], 5, "2", ["AttainsI", "AttainsII"]),
    ([2, 2, 1, 12], 5, "2", ["LastRises", "AttainsI"]),
    ([0, 8, 8], 5, "2", ["BadShape"]),
    ([10, 11, 0], 5, "2", ["BadShape"]),
    ([10, -5, 16], 5, "2", ["BadShape"]),
]


def _three_halves(dice: Dice, many: int) -> Iterator[tuple[list[int], int, str, list[str]]]:
    """Tables for R = 3/2, 2 and 5/4 with the least weights, where w q/p is often an integer, and with one weight moved by one.

    The sum is kept where it can be: by twice the opposite at w_0, and else by the opposite at w_n.
    """
    for bits, n, ratio in (
        (5, 2, "3/2"),
        (6, 3, "3/2"),
        (8, 4, "3/2"),
        (10, 6, "3/2"),
        (7, 3, "2"),
        (9, 4, "5/4"),
        (64, 5, "3/2"),
    ):
        for table in _least(n, mpq(ratio), bits, 4):
            yield table, bits, ratio, ["RatioThreeHalves"]
            for i in range(len(table)):
                for step in (-1, 1):
                    moved = list(table)
                    moved[i] += step
                    yield moved, bits, ratio, []  # the sum is wrong
                    moved[-1 if i < n else 0] -= step if 0 < i < n else 2 * step if i == n else 0
                    if i == 0:
                        moved[0], moved[-1] = table[0] + 2 * step, table[-1] - step
                    yield moved, bits, ratio, []
    for _ in range(many):
        bits, n = 6 + dice.below(8), 1 + dice.below(6)
        ratio = dice.of(("3/2", "2", "5/4", "4/3", "7/5"))
        found = dyadic.table(n, mpq(ratio), bits)
        if found is None:
            continue
        moved, i, j, step = list(found), dice.below(n + 1), dice.below(n + 1), 1 + dice.below(3)
        moved[i] += step * (2 if i == 0 else 1)
        moved[j] -= step * (2 if j == 0 else 1)
        yield moved, bits, ratio, []


def _least(n: int, ratio: mpq, bits: int, most: int) -> Iterator[list[int]]:
    """Tables behind the largest centre, and behind lesser ones: what is left over is on the last weight."""
    found = dyadic.table(n, ratio, bits)
    for less in range(most):
        if found is None or found[0] - 2 * less < 2:
            return
        weights = dyadic.least_weights(found[0] - 2 * less, ratio, n)
        weights[-1] += (2**bits - weights[0] - 2 * sum(weights[1:])) // 2
        yield [int(w) for w in weights]


_FAILURES = {"i": "FailsI", "sum": "WrongSum", "R": "OtherEpsilon", "shape": "BadShape"}


def _condition(weights: list[int], bits: int, ratio: mpq, epsilon: mpq, flags: list[str]) -> dict[str, Any]:
    """A test of weights, with what fails, and the flags that follow from it."""
    table = of_weights(weights, bits)
    failed, n = broken(table, epsilon, ratio), table.n
    body, sums = weights[:-1], dyadic.tails(weights)
    if failed == ["ii"]:
        ends = [a > ratio * b for a, b in pairwise(sums)]
        flags = [*flags, *(["FailsIIAtEnd"] if ends == [False] * (n - 1) + [True] else [])]
    flags = [*flags, *(_FAILURES[name] for name in failed if name in _FAILURES)]
    if failed == ["descent"]:
        flags = [*flags, "FailsDescentAlone"]
    if any(a == ratio * b for a, b in pairwise(body)):
        flags = [*flags, "AttainsI"]
    if any(a == ratio * b for a, b in pairwise(sums)):
        flags = [*flags, "AttainsII"]
    if weights[-1] > weights[-2]:
        flags = [*flags, "LastRises"]
    given = {**table.fields, "epsilon": epsilon, "ratio": ratio}
    if failed:
        return refused(f"fails: {', '.join(failed)}", flags, reasons=failed, **given)
    return valid("a table", flags or ["Basic"], **given)


def _enough(ratio: mpq) -> mpq:
    """A short epsilon with e^(epsilon/2) >= R."""
    return next(mpq(k, 10) for k in range(1, 10**4) if exp_bounds(mpq(k, 20))[0] > ratio)


def table_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Table."""
    dice, tests = Dice("table"), list[dict[str, Any]]()
    listed = [*_WEIGHTS, *_three_halves(dice, 1500 if large else 40)]
    for weights, bits, ratio, flags in listed:
        tests.append(_condition(weights, bits, mpq(ratio), _enough(mpq(ratio)), flags))
    for n, epsilon, bits in ((3, "1", 64), (40, "1", 64), (40, "1/3", 20), (12, "2", 128), (300, "3", 64)):
        tests += _of_real(n, mpq(epsilon), bits)
    yield {}, tests


def _of_real(n: int, epsilon: mpq, bits: int) -> Iterator[dict[str, Any]]:
    """The table that is built, for other epsilons and ratios, and with single weights changed."""
    ratio, table = built(n, epsilon, bits)
    if table is None:
        return
    weights, unit = table.weights, mpq(1, ratio.denominator)
    yield _condition(weights, bits, ratio, epsilon, ["Basic"])
    yield _condition(weights, bits, ratio, epsilon * mpq(99, 100), ["OtherEpsilon"])
    yield _condition(weights, bits, ratio, epsilon / 2, ["OtherEpsilon"])
    yield _condition(weights, bits, ratio + unit, epsilon, ["RatioNear"])
    low, high = exp_bounds(epsilon / 2, 60)
    for near in (low, high):
        yield _condition(weights, bits, mpq(int(near * 10**15), 10**15), epsilon, ["RatioNear"])
    yield _condition(weights, bits, mpq(1), epsilon, ["RatioOne"])
    yield _condition(weights, bits, mpq(9, 10), epsilon, ["RatioOne"])
    for i, j, step in ((0, n, 2), (0, n, -2), (1, n, 1), (n, 0, 1), (n - 1, n, 1), (n - 1, n, -1), (0, n, 1 << (bits // 2))):
        moved = list(weights)
        moved[i] += step
        moved[j] -= step // 2 if i == 0 else 2 * step if j == 0 else step
        yield _condition(moved, bits, ratio, epsilon, ["Float"] if bits > 53 else [])
    for given in (table.head + (table.tail,) * (n - len(table.head)), table.head + (table.tail,) * (n + 1)):
        longer = Table(bits, n, given, table.tail, table.last)
        yield refused(
            "a head of n weights or more",
            ["BadShape"],
            reasons=broken(longer, epsilon, ratio),
            **longer.fields,
            epsilon=epsilon,
            ratio=ratio,
        )
