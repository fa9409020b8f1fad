"""What the checker executes on numbers gives what Python gives: random programs in its language, and a few that are not."""

import random
from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check.proofs import proof_checker as pc

NAMES = ("a", "b", "c")
SIGNS = ("+", "-", "*", "//", "%", "**", "<<", ">>")
ORDERS = ("<", "<=", ">", ">=", "==")
HEAD = """from functools import partial

from attrs import frozen
from gmpy2 import mpz

K = 3
L = K << 2


def g(x, y=9):
    if x > y:
        return x - y, y
    return y, x


@frozen
class C:
    n: int

    @property
    def twice(self):
        return 2 * self.n

    def add(self, x, y):
        return x + y * self.n + self.twice


"""


def _number(chance: random.Random, names: list[str], depth: int) -> str:
    """An expression, of parts that are a little less deep."""
    if depth == 0 or chance.random() < 0.15:
        return chance.choice([*names, str(chance.randint(0, 5)), "K", "L"])
    x, y = (_number(chance, names, depth - 1) for _ in range(2))
    kind = chance.randint(0, 9)
    if kind < 4:
        sign = chance.choice(SIGNS)
        return f"({x} {sign} {chance.randint(1, 3) if sign in ('**', '<<', '>>') and chance.random() < 0.8 else y})"
    return [
        f"min({x}, {y})",
        f"max({x}, {y})",
        f"({x} if {_condition(chance, names, depth - 1)} else {y})",
        f"({x}, {y}, {_number(chance, names, depth - 1)})[{chance.choice(['0', '1', '2', '3', f'{x} < {y}'])}]",
        f"g({x}, {y})[{chance.randint(0, 1)}]",
        chance.choice([f"C({x}).add({y}, 2)", f"partial(C({x}).add, {y})(3)", f"C(n={x}).twice", f"(-{x})", f"mpz({x})"]),
    ][kind - 4]


def _condition(chance: random.Random, names: list[str], depth: int) -> str:
    x, y, z = (_number(chance, names, max(0, depth - 1)) for _ in range(3))
    first, second = chance.choices(ORDERS, k=2)
    return [
        f"{x} {first} {y}",
        f"{x} {first} {y} {second} {z}",
        f"not {x} {first} {y}",
        f"({x} {first} {y} and {y} {second} {z})",
        f"({x} {first} {y} or {y} {second} {z})",
    ][chance.randint(0, 4)]


def _body(chance: random.Random, names: list[str], depth: int) -> list[str]:
    lines, known = list[str](), list(names)
    for _ in range(chance.randint(1, 3)):
        kind = chance.randint(0, 4)
        if kind == 0:
            lines.append(f"p, q = g({_number(chance, known, 1)}, {_number(chance, known, 1)})")
            known += ["p", "q"]
        elif kind == 1 and depth:
            lines += [f"if {_condition(chance, known, 2)}:", *(f"    {line}" for line in _body(chance, known, depth - 1))]
            lines += ["else:", *(f"    {line}" for line in _body(chance, known, depth - 1))] * chance.randint(0, 1)
        else:
            name = chance.choice([*names, "r"])
            lines.append(f"{name} = {_number(chance, known, 3)}")
            known.append(name)
    ends = [f"return {_number(chance, known, 2)}", f"raise ValueError({chance.choice(known)})"]
    return [*lines, *([chance.choice([ends[0]] * 4 + ends[1:])] if chance.random() < 0.6 else [])]


def _by_python(function: Any, arguments: list[int]) -> Any:  # a number, or the exception's class
    try:
        return function(*arguments)
    except Exception as error:
        return type(error)


@pytest.mark.deep
def test_random_programs_give_what_python_gives(tmp_path: Path) -> None:
    chance, seen = random.Random(7), {"same": 0, "raised": 0, "refused": 0}
    (tmp_path / "impl").mkdir()
    for i in range(120):
        lines = [*_body(chance, [*NAMES], 2), f"return {_number(chance, [*NAMES], 2)}"]
        source = HEAD + "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines)
        (tmp_path / "impl" / f"random{i}.py").write_text(source, encoding="utf-8")
        scope: dict[str, Any] = {}
        exec(source.replace("import mpz", "import mpz as _").replace("mpz(", "int("), scope)  # noqa: S102  # made above
        checker = pc.Checker({"f": f"finitedp.impl.random{i}.f"}, tmp_path)
        for _ in range(4):
            arguments = [chance.randint(-4, 9) for _ in NAMES]
            expected = _by_python(scope["f"], arguments)
            pc.STEPS[0] = 0
            try:
                run = pc.Run(pc.Sequent(checker, {}, pc.Goal([], {})))
                found = run.value(pc.parsed(f"f({', '.join(map(str, arguments))})"), {})
            except pc.Raised:
                assert isinstance(expected, type), source
                seen["raised"] += 1
            except (pc.Refused, *pc.UNREADABLE):
                seen["refused"] += 1
            else:
                assert pc.as_number(found).constant() == expected, f"{source}\n{arguments}"
                seen["same"] += 1
    assert min(seen.values()) >= 25, seen
