"""Cases of tables: built from parameters, and lists of weights of which one condition fails, or is just attained."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve
from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.proofs_check.vectors.groups import Dice, Group, borders, refused, valid
from finitedp.proofs_check.vectors.tables import Table, broken, built, of_weights
from finitedp.spec import dyadic

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
    flags = ["RatioWhole" if epsilon / 2 >= bits else "RatioFormula", *borders(n)]
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
    ([8, 4, 4], 5, "2", ["WrongSum"]),  # 2(w_0 + ... + w_n) = 2^B
    ([2, 6], 4, "3/2", ["NOne", "WrongSum"]),
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


def _condition(table: Table, epsilon: mpq, ratio: mpq, flags: list[str]) -> dict[str, Any]:
    """A test of a table, or of what is none, with what fails, and the flags that follow from it."""
    failed = broken(table, epsilon, ratio)
    above = [a > ratio * b for a, b in table.quotients]
    found = {
        "FailsIIAtEnd": failed == ["ii"] and above.index(True) == len(above) - 1,
        "FailsDescentAlone": failed == ["descent"],
        "AttainsI": any(a == ratio * b for a, b in table.steps),
        "AttainsII": any(a == ratio * b for a, b in table.quotients),
        "EqualWeights": len(set(table.head)) < len(table.head),
        "LongHead": table.n > len(table.head) and table.tail in table.head,
        "LastRises": table.last > table.tail,
        **{flag: name in failed for name, flag in _FAILURES.items()},
    }
    hunted = [*flags, *borders(table.n), *(flag for flag, there in found.items() if there)]
    given = {**table.fields, "epsilon": epsilon, "ratio": ratio}
    if failed:
        return refused(f"fails: {', '.join(failed)}", hunted, reasons=failed, **given)
    return valid("a table", hunted or ["Basic"], **given)


def _enough(ratio: mpq) -> mpq:
    """A short epsilon with e^(epsilon/2) >= R."""
    return next(mpq(k, 10) for k in range(1, 10**4) if exp_bounds(mpq(k, 20))[0] > ratio)


def table_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Table."""
    dice, tests = Dice("table"), list[dict[str, Any]]()
    listed = [*_WEIGHTS, *_three_halves(dice, 1500 if large else 40)]
    for weights, bits, ratio, flags in listed:
        tests.append(_condition(of_weights(weights, bits), _enough(mpq(ratio)), mpq(ratio), flags))
    for n, epsilon, bits in _REAL:
        tests += _of_real(n, mpq(epsilon), bits)
    yield {}, tests


_REAL = [(3, "1", 64), (40, "1", 64), (40, "1/3", 20), (12, "2", 128), (300, "3", 64)]
_REAL += [((1 << 32) + 1, "3", 64), ((1 << 53) + 1, "4", 128), ((1 << 62) - 1, "6", 64), ((1 << 63) + 1, "6", 128)]


def _of_real(n: int, epsilon: mpq, bits: int) -> Iterator[dict[str, Any]]:
    """The table that is built, for other epsilons and ratios, and with single numbers changed."""
    ratio, table = built(n, epsilon, bits)
    if table is None:
        return
    low, high = exp_bounds(epsilon / 2, 60)
    near = [mpq(int(end * 10**15), 10**15) for end in (low, high)]
    yield _condition(table, epsilon, ratio, ["Basic"])
    yield _condition(table, epsilon * mpq(99, 100), ratio, ["OtherEpsilon"])
    yield _condition(table, epsilon / 2, ratio, ["OtherEpsilon"])
    for other in (ratio + mpq(1, ratio.denominator), *near):
        yield _condition(table, epsilon, other, ["RatioNear"])
    for other in (mpq(1), mpq(9, 10)):
        yield _condition(table, epsilon, other, ["RatioOne"])
    for made in _edited(table):
        yield _condition(made, epsilon, ratio, ["Float"] if bits > 53 else [])


def _edited(table: Table) -> Iterator[Table]:
    """The table with one number changed, and where it can be, another one so that the sum stays."""
    first, *others = table.head
    stretch = table.n - len(table.head)
    for step in (2, -2, 1 << (table.bits // 2)):
        yield evolve(table, head=(first + step, *others), last=table.last - step // 2)
    for step in (1, -1):
        yield evolve(table, head=(first - 2 * step, *others), last=table.last + step)
        yield evolve(table, tail=table.tail + step, last=table.last - step * stretch)
        yield evolve(table, last=table.last + step)
        yield evolve(table, n=table.n + step)
        yield evolve(table, bits=table.bits + step)
        if others:
            yield evolve(table, head=(first, others[0] + step, *others[1:]), last=table.last - step)
            yield evolve(table, head=(first, *others[:-1], others[-1] + step), last=table.last - step)
    if table.n < 100:
        for more in (1, stretch, stretch + 1):
            yield evolve(table, head=table.head + (table.tail,) * more)
