"""Changes at random in proofs: a number, a sign, a name, the order or the lack of parts."""

import copy
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.proofs_check.proofs.evaluation import named, refuted

SIGNS = ["<=", "<", ">=", ">", "=="]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # JSON
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _places(part, (*path, key))
    elif isinstance(value, list):
        yield path
        for i, part in enumerate(value):
            yield from _places(part, (*path, i))
    else:
        yield path


def _text(text: str, chance: random.Random, names: list[str]) -> str:
    found = list(re.finditer(r"\d+|<=|>=|==|<|>|[+*-]|[A-Za-z_]\w*", text))
    if not found:
        return text
    match = chance.choice(found)
    old = match.group()
    if old.isdigit():
        new = str(chance.choice([int(old) + 1, max(int(old) - 1, 0), 0, 2 * int(old)]))
    elif old in SIGNS:
        new = chance.choice(SIGNS)
    elif old in "+-*":
        new = chance.choice("+-*")
    else:
        new = chance.choice(names)
    return text[: match.start()] + new + text[match.end() :]


def changed(node: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """A node with one to three changes, half of them in its statement."""
    new = copy.deepcopy(dict(node))
    names = [*new["for"], *(p["let"][0] for p in new["where"] if isinstance(p, dict) and "let" in p)] or ["n"]
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        part = chance.choice([["then"], ["where"], ["then"], ["proof"], ["proof"], ["for"]])[0]
        places = list(_places(new[part]))
        place = chance.choice(places)
        holder: Any = new
        for step in (part, *place)[:-1]:
            holder = holder[step]
        last = (part, *place)[-1]
        value = holder[last]
        if isinstance(value, list):
            if value and chance.random() < 0.5:
                value.pop(chance.randrange(len(value)))
            else:
                chance.shuffle(value)
        elif isinstance(value, str):
            holder[last] = _text(value, chance, names)
    return new


class Target:
    """A document all of whose nodes are proved, so that one of them can be changed and checked alone."""

    def __init__(self, document: Mapping[str, Any], most: int = 4000) -> None:
        self.checker = pc.Checker(document["names"], Path(pc.__file__).resolve().parents[2])
        self.names = named(document["names"])
        self.nodes, self.proved = list(document["nodes"]), list[dict[str, Any]]()
        self.small = [i for i, node in enumerate(self.nodes) if len(str(node)) <= most]

    def attack(self, chance: random.Random, points: int = 60, tries: int = 1500) -> tuple[str, dict[str, Any], Any]:
        """What became of one changed node: refused, accepted as it was, not refuted, or REFUTED with the point."""
        place = chance.choice(self.small)
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
