"""Changes at random in proofs: numbers, signs, names, the order, number or lack of parts, in nodes of every size."""

import copy
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.proofs_check.proofs.evaluation import named, refuted

SIGNS = ["<=", "<", ">=", ">", "=="]


TOKEN = re.compile(r"\d+|<=|>=|==|<|>|\*\*|//|[+*/%-]|[A-Za-z_]\w*")
OPERATIONS = ["+", "-", "*", "**", "//", "/"]
KINDS = ["int", "rat", "int -> int", "int -> rat"]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # JSON
    if isinstance(value, dict | list):
        yield path
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(part, (*path, key))
    else:
        yield path


def _text(text: str, chance: random.Random, names: list[str]) -> str:
    """A text with another number, sign or name, or with two of them exchanged."""
    found = list(TOKEN.finditer(text))
    if not found:
        return text
    match = chance.choice(found)
    old = match.group()
    alike = [m for m in found if m.group() != old and m.group().isidentifier() == old.isidentifier()]
    if alike and chance.random() < 0.2:
        first, second = sorted([match, chance.choice(alike)], key=lambda m: m.start())
        middle = text[first.end() : second.start()]
        return text[: first.start()] + second.group() + middle + first.group() + text[second.end() :]
    if old.isdigit():
        new = str(chance.choice([int(old) + 1, max(int(old) - 1, 0), 0, 2 * int(old)]))
    elif old in SIGNS:
        new = chance.choice(SIGNS)
    elif not old.isidentifier():
        new = chance.choice(OPERATIONS)
    else:
        new = chance.choice(names)
    return text[: match.start()] + new + text[match.end() :]


def _within(holder: Any, last: Any, chance: random.Random, names: list[str]) -> None:
    """Change what stands at a place: a text, the order or number of a list's parts, or which part of an object is which."""
    value = holder[last]
    if isinstance(value, list) and value:
        what = chance.randrange(3)
        if what == 0:
            value.pop(chance.randrange(len(value)))
        elif what == 1:
            value.append(copy.deepcopy(chance.choice(value)))
        else:
            chance.shuffle(value)
    elif isinstance(value, dict) and len(value) > 1:
        one, two = chance.sample(sorted(value), 2)
        if chance.random() < 0.8:
            value[one], value[two] = value[two], value[one]
        else:
            del value[one]
    elif isinstance(value, str):
        holder[last] = chance.choice(KINDS) if value in KINDS and chance.random() < 0.5 else _text(value, chance, names)


def changed(node: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """A node with one to three changes, more than half of them in its statement."""
    new = copy.deepcopy(dict(node))
    lets = [part["let"][0] for part in new["where"] if isinstance(part, dict) and "let" in part]
    inner = [name for part in new["where"] if isinstance(part, dict) and "for" in part for name in part["for"]]
    names = [*new["for"], *lets, *inner] or ["n"]
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        part = chance.choice(["then", "where", "then", "where", "proof", "proof", "proof", "for"])
        places = list(_places(new[part]))
        place = chance.choice(places)
        holder: Any = new
        for step in (part, *place)[:-1]:
            holder = holder[step]
        _within(holder, (part, *place)[-1], chance, names)
    return new


class Target:
    """A document all of whose nodes are proved, so that one of them can be changed and checked alone."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.checker = pc.Checker(document["names"], Path(pc.__file__).resolve().parents[2])
        self.names = named(document["names"])
        self.nodes = list(document["nodes"])

    def attack(self, chance: random.Random, points: int = 60, tries: int = 1500) -> tuple[str, dict[str, Any], Any]:
        """What became of one changed node: refused, accepted as it was, not refuted, or REFUTED with the point."""
        place = chance.randrange(len(self.nodes))
        node = changed(self.nodes[place], chance)
        self.checker.proved = {one["name"]: one for one in self.nodes[:place]}
        pc.STEPS[0] = 0
        try:
            self.checker.node(node)
        except (pc.Refused, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            return "refused", node, None
        if all(node[key] == self.nodes[place][key] for key in ("for", "where", "then")):
            return "same statement", node, None
        point = refuted(node, self.names, chance, points, tries)
        return ("REFUTED" if point else "not refuted"), node, point
