"""Re-checks proofs for all parameters: python proof_checker.py PROOF.json...

It imports the standard library only, trusts no finder, and executes the functions that a proof names itself: it reads their
source beside it, runs it on polynomials instead of numbers, and asks the proof at each comparison. A proof is a list of nodes;
each states that hypotheses imply conclusions for all values of its variables. Integers are mathematical; monomials
may have powers such as x**(c - z) whose exponents are polynomials. What is trusted: this file, the Python semantics of the few
constructs that `Run` executes, and that parameters are those that the classes accept. How nodes follow is told at each rule.
"""

import ast
import difflib
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction as Q
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any

MOST_BYTES, MOST_TERMS, MOST_DEPTH, MOST_STEPS, MOST_POWER, MOST_BITS = 4_000_000, 3000, 120, 4_000_000, 40, 4000
MEMO = """
def _remembered(tail, bits):
    known: dict[int, int] = {}
    room = TABLE_BITS // bits

    def look_up(m):
        value = known.get(m)
        if value is None:
            value = tail(m)
            if len(known) < room:
                known[m] = value
        return value

    return look_up
"""  # the one function that is taken for what it returns: its first argument, with a memory
Mono = frozenset  # of (atom, exponent); an exponent is an int, or a Poly that is not constant
NOTHING: Any = Mono()
STEPS = [0]


class Refused(Exception):  # noqa: N818  # what the reader sees
    """Why a proof is refused."""


class Undecided(Refused):
    """A comparison that the facts do not decide."""

    def __init__(self, poly: "Poly", kind: str, text: str) -> None:
        super().__init__(f"whether {text} is not decided here")
        self.poly, self.kind, self.text = poly, kind, text


class Raised(Refused):
    """Code that surely raises an exception."""


def need(condition: object, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise Refused(message)


# Polynomials over atoms. An atom is ("v", name, kind), ("f", name, arguments, kind), ("p", base), ("div", a, b), ("bits", m),
# ("ln", t), ("sum", bound, body, low, high), ("loop", site, name, what it reads)


class Poly:
    """A sum of rational coefficients times monomials."""

    __slots__ = ("hash", "terms", "whole")

    def __init__(self, terms: dict[Any, Any]) -> None:
        self.terms = {mono: c for mono, c in terms.items() if c}
        need(len(self.terms) <= MOST_TERMS, "a term is too large")
        self.hash: int | None = None
        self.whole: Poly | None = None  # what `collected` gave

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self.hash is None:
            self.hash = hash(frozenset(self.terms.items()))
        return self.hash

    def __add__(self, other: "Poly") -> "Poly":
        terms = dict(self.terms)
        for mono, c in other.terms.items():
            terms[mono] = terms.get(mono, 0) + c
        return Poly(terms)

    def __neg__(self) -> "Poly":
        return Poly({mono: -c for mono, c in self.terms.items()})

    def __sub__(self, other: "Poly") -> "Poly":
        return self + -other

    def __mul__(self, other: "Poly") -> "Poly":
        need(len(self.terms) * len(other.terms) <= MOST_TERMS * 20, "a product is too large")
        STEPS[0] += 1 + len(self.terms) * len(other.terms)
        need(STEPS[0] <= MOST_STEPS, "the proof takes too many steps")
        terms: dict[Any, Q] = {}
        for a, c in self.terms.items():
            for b, d in other.terms.items():
                for mono, e in _times(a, b, c * d).items():
                    terms[mono] = terms.get(mono, 0) + e
        return Poly(terms)

    def constant(self) -> Any:
        """Its value, where it has no variable."""
        return 0 if not self.terms else self.terms.get(NOTHING) if len(self.terms) == 1 else None


def number(value: Any) -> Poly:
    """A constant."""
    need(value.numerator.bit_length() + value.denominator.bit_length() <= MOST_BITS, "a number is too long")
    return Poly({NOTHING: value.numerator if value.denominator == 1 else value})


def variable(atom: Any, exponent: Any = 1) -> Poly:
    """An atom as a polynomial."""
    return Poly({Mono(((atom, exponent),)): 1})


ZERO, ONE = number(0), number(1)


def as_poly(exponent: Any) -> Poly:
    """An exponent as a polynomial."""
    return exponent if isinstance(exponent, Poly) else number(exponent)


def _times(a: Any, b: Any, c: Q) -> dict[Any, Q]:
    """The terms of c a b."""
    if not a or not b:
        return {a or b: c}
    powers, plain_ = dict(a), True
    for atom, e in b:
        if atom in powers:
            other = powers[atom]
            whole = isinstance(e, int) and isinstance(other, int)
            powers[atom] = e + other if whole else as_poly(other) + as_poly(e)
            plain_ = plain_ and whole and atom[0] != "p" and powers[atom] != 0
        else:
            powers[atom] = e
    return {Mono(powers.items()): c} if plain_ else _normal(powers, c).terms


def _normal(powers: dict[Any, Any], c: Any) -> Poly:
    """The product of c and powers of atoms: exponents that are constant are ints, numbers leave powers, sums are expanded."""
    kept: dict[Any, Any] = {}
    factors: list[tuple[Poly, int]] = []
    for atom, power in powers.items():
        e = as_poly(power)
        base = atom[1].constant() if atom[0] == "p" else None
        if base is not None:  # b^(L + 3) is b^3 b^L
            free = e.terms.get(NOTHING, 0)
            c, e = c * _number_power(base, free), e - number(free)
        value = e.constant()
        if value is None:
            kept[atom] = e
        elif value:
            need(value.denominator == 1 and abs(value) <= MOST_BITS, "an exponent is no integer, or too large")
            if atom[0] == "p" and value > 0:
                factors.append((atom[1], int(value)))
            else:
                kept[atom] = int(value)
    result = Poly({Mono(kept.items()): c})
    for sum_, times in factors:
        result = result * repeated(sum_, times)
    return result


def _number_power(base: Any, e: Any) -> Q:
    need(
        e.denominator == 1 and abs(e) * (base.numerator.bit_length() + base.denominator.bit_length()) <= MOST_BITS, "too large"
    )
    return Q(base) ** int(e)


def repeated(base: Poly, e: int) -> Poly:
    """base^e for an integer e >= 0, multiplied out."""
    if len(base.terms) == 1:
        ((mono, c),) = base.terms.items()
        return _normal({atom: as_poly(f) * number(e) for atom, f in mono}, _number_power(c, e))
    need(e <= MOST_POWER, "a power is too large to be multiplied out")
    result = ONE
    for _ in range(e):
        result = result * base
    return result


def raised(base: Poly, e: Poly) -> Poly:
    """base^e; the base is positive unless e is a constant of at least 0, which the caller has checked."""
    value = e.constant()
    if value is not None and value >= 0:
        need(value.denominator == 1, "an exponent is no integer")
        return repeated(base, int(value))
    if len(base.terms) == 1:
        ((mono, c),) = base.terms.items()
        powers = {atom: as_poly(f) * e for atom, f in mono}
        if value is not None:
            return _normal(powers, _number_power(c, value))
        return _normal(powers, 1) * (ONE if c == 1 else _normal({("p", number(c)): e}, 1))
    if value is None:
        return variable(("p", base), e)
    numerator, denominator = 0, 1
    for c in base.terms.values():
        numerator, denominator = gcd(numerator, c.numerator), denominator * c.denominator // gcd(denominator, c.denominator)
    content = Q(numerator, denominator)
    return number(_number_power(content, value)) * variable(("p", base * number(1 / content)), int(value))


def collected(poly: Poly) -> Poly:
    """The same value, where of the powers (a + b)^(L + i) the least is a common factor, and the rest is multiplied out."""
    if poly.whole is None:
        poly.whole = _collected(poly)
    return poly.whole


def _collected(poly: Poly) -> Poly:
    for base in {atom for mono in poly.terms for atom, _ in mono if atom[0] == "p" and atom[1].constant() is None}:
        split = []
        least: dict[Poly, Q] = {}
        for mono, c in poly.terms.items():
            e = as_poly(dict(mono).get(base, 0))
            free = e.terms.get(NOTHING, 0)
            shape = e - number(free)
            least[shape] = min(free, least.get(shape, free))
            split.append((Mono((a, f) for a, f in mono if a != base), c, shape, free))
        if len(split) > len(least):
            terms: dict[Any, Q] = {}
            for mono, c, shape, free in split:
                need(free - least[shape] <= MOST_POWER, "a power is too large to be multiplied out")
                common = _normal({base: shape + number(least[shape])}, 1)
                for m, d in (Poly({mono: c}) * repeated(base[1], int(free - least[shape])) * common).terms.items():
                    terms[m] = terms.get(m, 0) + d
            poly = Poly(terms)
    return poly


def replaced(value: Any, old: Any, new: Poly) -> Any:
    """A value with a variable's atom replaced by a polynomial; what is bound by a sum stays."""
    if isinstance(value, Poly):
        total = ZERO
        for mono, c in value.terms.items():
            term = number(c)
            for atom, e in mono:
                base = (
                    new if atom == old else replaced(atom[1], old, new) if atom[0] == "p" else simple(_inside(atom, old, new))
                )
                term = term * raised(base, replaced(as_poly(e), old, new))
            total = total + term
        return total
    if isinstance(value, tuple):
        return type(value)(replaced(v, old, new) for v in value)
    if isinstance(value, dict):
        return {k: replaced(v, old, new) for k, v in value.items()}
    if isinstance(value, Lambda):
        return Lambda(value.node, replaced(value.env, old, new), value.module)
    if isinstance(value, Code):
        return Code(value.name, value.node, replaced(value.bound, old, new))
    return Record(value.cls, replaced(value.fields, old, new)) if isinstance(value, Record) else value


def simple(atom: Any) -> Poly:
    """An atom as a polynomial: the number that it is, where it is a quotient or bit length of numbers."""
    values = [part.constant() if isinstance(part, Poly) else None for part in atom[1:]]
    if atom[0] == "bits" and values[0] is not None and values[0] >= 0:
        return number(int(values[0]).bit_length())
    if atom[0] == "div" and values[0] is not None and values[1] is not None and values[1] > 0:
        return number(values[0] // values[1])
    return variable(atom)


def _inside(atom: Any, old: Any, new: Poly) -> Any:
    if atom[0] == "v":
        return atom
    if atom[0] == "sum" and atom[1] == old:
        return (*atom[:3], replaced(atom[3], old, new), replaced(atom[4], old, new))
    return tuple(replaced(part, old, new) if isinstance(part, Poly | tuple | Lambda | Record) else part for part in atom)


def atoms(value: Any) -> Iterator[Any]:
    """All atoms in a value, those inside of others too."""
    if isinstance(value, Poly):
        for mono in value.terms:
            for atom, e in mono:
                yield atom
                yield from atoms(atom[1:])
                yield from atoms(e)
    elif isinstance(value, tuple | frozenset):
        if isinstance(value, tuple) and len(value) == 3 and value[0] == "v":  # a bound variable
            yield value
        for part in value:
            yield from atoms(part)
    elif isinstance(value, dict):
        yield from atoms(tuple(value.values()))
    elif isinstance(value, Lambda | Record):
        yield from atoms(value.env if isinstance(value, Lambda) else value.fields)
    elif isinstance(value, Code):
        yield from atoms((value.bound,))


# Values that are no polynomials


class Lambda:
    """A function with the environment in which it was made."""

    def __init__(self, node: Any, env: dict[str, Any], module: str | None) -> None:
        self.node, self.names, self.module = node, [a.arg for a in node.args.args], module
        self.env = {name: env[name] for name in _read(node.body) - set(self.names) if name in env}

    def key(self) -> Any:
        """The text of the body with its names numbered, and what those that are bound outside mean."""
        body = ast.parse(ast.unparse(self.node.body))
        names = list(dict.fromkeys(n.id for n in ast.walk(body) if isinstance(n, ast.Name)))
        free = [name for name in names if name in self.env]
        rank = {name: f"@{i}" for i, name in enumerate(free)} | {name: f"${i}" for i, name in enumerate(self.names)}
        for n in ast.walk(body):
            if isinstance(n, ast.Name):
                n.id = rank.get(n.id, n.id)
        elsewhere = self.module if set(names) - set(rank) else None
        return ("lambda", elsewhere, ast.dump(body), tuple(key(self.env[name]) for name in free))


@cache
def _read(node: Any) -> frozenset[str]:
    """The names in an expression."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


class Record:
    """An object: its class, and its fields."""

    def __init__(self, cls: str, fields: dict[str, Any]) -> None:
        self.cls, self.fields = cls, fields


class Symbol:
    """An unknown function of integers, of which only the hypotheses tell something."""

    def __init__(self, name: str, arity: int, kind: str) -> None:
        self.name, self.arity, self.kind = name, arity, kind


class Code:
    """A function or a class of the library, or one that is built in."""

    def __init__(self, name: str, node: Any = None, bound: Any = None) -> None:
        self.name, self.node, self.bound = name, node, bound


def key(value: Any) -> Any:
    """A value as something hashable that tells it from others."""
    if isinstance(value, Lambda):
        return value.key()
    if isinstance(value, Record):
        return ("record", value.cls, tuple(sorted((k, key(v)) for k, v in value.fields.items())))
    if isinstance(value, Symbol):
        return ("symbol", value.name)
    if isinstance(value, Code):
        return ("code", value.name, key(value.bound))
    need(value is None or isinstance(value, Poly | bool | tuple | str), "a loop reads what cannot be told from others")
    return value


# The source that is executed


class Library:
    """The modules of finitedp as they stand on the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.used: dict[str, tuple[str, int]] = {}
        self.text: dict[str, str] = {}
        self.module = cache(self._module)

    def _module(self, name: str) -> dict[str, tuple[str, Any]]:
        need(
            name.startswith("finitedp.") and name.replace(".", "").replace("_", "").isalnum(),
            f"{name} is no module of finitedp",
        )
        parts = name.split(".")[1:]
        found = [
            p
            for p in (self.root.joinpath(*parts), self.root.joinpath("src", "finitedp", *parts))
            if p.with_suffix(".py").is_file()
        ]
        need(found, f"there is no module {name}")
        self.text[name] = text = found[0].with_suffix(".py").read_text(encoding="utf-8")
        names: dict[str, tuple[str, Any]] = {}
        tree = ast.parse(text)
        need(not any(isinstance(n, ast.Global) for n in ast.walk(tree)), f"{name} changes its names in functions")
        for node in tree.body:
            bound: list[tuple[str, tuple[str, Any]]] = []
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                bound = [(node.name, ("here", node))]
            elif isinstance(node, ast.ImportFrom):
                bound = [(a.asname or a.name, ("import", f"{node.module}.{a.name}")) for a in node.names]
            elif isinstance(node, ast.Import):
                bound = [(a.asname or a.name, ("other", None)) for a in node.names]
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                bound = [(ast.unparse(target), ("other", node.value)) for target in targets]
                need(all(isinstance(target, ast.Name) for target in targets), f"line {node.lineno} of {name} binds no name")
            else:
                known = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                need(known, f"line {node.lineno} of {name} might change what its names mean")
            for one, what in bound:
                need(one not in names and one != "*", f"{name}.{one} is defined twice, or is no name")
                names[one] = what
        return names

    def find(self, name: str) -> Code:
        """A function or class by its qualified name, by way of imports."""
        module, _, last = name.rpartition(".")
        if name in PRIMITIVES:
            return Code(name)
        kind, node = self.module(module).get(last, ("", None))
        if kind == "import":
            return self.find(node)
        if kind == "other" and isinstance(node, ast.Constant | ast.BinOp):
            return Code(name, ast.Lambda(ast.arguments([], [], None, [], [], None, []), node))
        need(kind == "here", f"there is no function {name} that can be executed")
        return Code(name, node)

    def method(self, cls: str, name: str) -> tuple[str, Any] | None:
        """A method or property of a class: how it is called, and its node."""
        node = self.find(cls).node
        found = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == name]
        need(len(found) <= 1, f"{cls}.{name} is defined twice")
        if not found:
            return None
        how = [ast.unparse(d) for d in found[0].decorator_list]
        meant = {"property": None, "cached_property": ("import", "functools.cached_property")}
        names = self.module(cls.rpartition(".")[0])
        known = not how or (len(how) == 1 and how[0] in meant and names.get(how[0]) == meant[how[0]])
        need(known, f"{cls}.{name} has a decorator that is not known")
        return ("property" if how else "method"), found[0]

    def members(self, code: "Code") -> dict[str, Any]:
        """The fields and methods of a frozen class of attrs, whose attributes are what it says. Raises: Refused, of others."""
        node, module = code.node, code.name.rpartition(".")[0]
        frozen: list[Any] = [(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        known = len(frozen) == 1 and isinstance(frozen[0], ast.Name) and not node.bases and not node.keywords
        known = known and self.module(module).get(frozen[0].id) == ("import", "attrs.frozen")
        need(known, f"{code.name} is no plain class of attrs")
        found: dict[str, Any] = {}
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                harmless = part.name == "__attrs_post_init__" and not _writes(part)
                need(harmless or not part.name.startswith("__"), f"{code.name}.{part.name} may do anything")
                name = part.name
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                name = part.target.id
            else:
                only = isinstance(part, ast.Expr | ast.Pass)
                need(only, f"line {part.lineno}: {code.name} has other than fields and methods")
                continue
            need(name not in found, f"{code.name} has two things of one name")
            found[name] = part
        return found

    def fields(self, code: "Code") -> dict[str, Any]:
        """The fields of a class of attrs, in order, with their converters or None. Raises: Refused where it has more."""
        module, found = code.name.rpartition(".")[0], dict[str, Any]()
        for name, part in self.members(code).items():
            if isinstance(part, ast.AnnAssign):
                found[name] = None
                if isinstance(part.value, ast.Call):
                    given = {k.arg: k.value for k in part.value.keywords}
                    plain_ = ast.unparse(part.value.func) == "field" and not part.value.args and set(given) == {"converter"}
                    plain_ = plain_ and self.module(module).get("field") == ("import", "attrs.field")
                    need(plain_, f"the field {name} of {code.name} is not known")
                    found[name] = self.find(f"{module}.{ast.unparse(given['converter'])}")
        return found

    def use(self, name: str, node: Any) -> None:
        """Note that a function is executed."""
        if name not in self.used:
            self.used[name] = (plain(node), node.lineno)

    def changed(self, name: str, source: str) -> str | None:
        """How the source of a function differs from the one recorded; None where it does not, but for comments and types."""
        node = self.named(name)
        now = plain(node)
        if ast.dump(ast.parse(source)) == ast.dump(ast.parse(now)):
            return None
        differ = [line for line in difflib.ndiff(source.splitlines(), now.splitlines()) if line[0] in "-+"]
        was, new = (next((line[2:].strip() for line in differ if line[0] == sign), "nothing") for sign in "-+")
        known = {ast.unparse(part) for part in ast.walk(ast.parse(source)) if isinstance(part, ast.stmt)}
        parts = [
            part
            for part in ast.walk(node)
            if isinstance(part, ast.stmt) and ast.unparse(part) not in known and part is not node
        ]
        texts = [part for part in parts if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))] or [node]
        return f"line {texts[-1].lineno} is {new[:100]!r} and was {was[:100]!r} ({len(differ)} lines differ)"

    def named(self, name: str) -> Any:
        """The definition of a function, class or method."""
        outer, _, last = name.rpartition(".")
        if outer.rpartition(".")[2][:1].isupper():
            found = self.method(outer, last)
            need(found, f"{name} is not there")
            return found[1]  # type: ignore[index]
        return self.find(name).node


def _writes(node: Any) -> bool:
    """Whether a method might change an object."""
    named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & {"object", "setattr", "vars", "super"}
    stored = any(isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load) for n in ast.walk(node))
    return bool(named) or stored or any(isinstance(n, ast.Attribute) and n.attr.startswith("__") for n in ast.walk(node))


def _gives_back(node: Any) -> bool:
    """Whether a function of one argument returns that argument, or raises."""
    names = [a.arg for a in node.args.args]
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return)]
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    same = bool(returns) and all(isinstance(n.value, ast.Name) and [n.value.id] == names for n in returns)
    return same and returns[-1] is node.body[-1] and not stored & set(names) and not _writes(node)


def plain(node: Any) -> str:
    """The source of a function or class without its docstrings, comments and annotations of types."""
    copy = ast.parse(ast.unparse(node)).body[0]
    for n in ast.walk(copy):
        if isinstance(n, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(n) is not None:
            n.body = n.body[1:] or [ast.Pass()]
        if isinstance(n, ast.FunctionDef):
            n.returns = None
            for a in n.args.args:
                a.annotation = None
    if isinstance(copy, ast.ClassDef):  # of a class, its fields
        copy.body = [n for n in copy.body if isinstance(n, ast.AnnAssign)] or [ast.Pass()]
    return ast.unparse(copy)


BUILT_IN = ("int", "min", "max", "abs", "range", "reversed", "ln", "integer", "Sum", "Some", "Raises", "Comparisons")
PRIMITIVES = {
    "gmpy2.mpz",
    "gmpy2.mpq",
    "finitedp.exact.integer",
    "finitedp.exact.unit_fraction",
    *(f"builtins.{name}" for name in BUILT_IN),
}
OPERATIONS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


class Returned(Exception):  # noqa: N818  # how a function ends
    """The value of a function."""


# Sequents: what is known, and what is to be shown


Fact = tuple[Poly, str]  # poly >= 0, poly > 0 or poly == 0, by the sign's text ">=", ">", "=="


class Hypothesis:
    """For all its variables, `where` implies `then`. The names that it reads otherwise are in env."""

    def __init__(self, document: dict[str, Any], env: dict[str, Any]) -> None:
        self.variables, self.where, self.then = document["for"], document["where"], document["then"]
        read = frozenset().union(*(_read(parsed(text)) for text in (*self.where, *self.then)))
        self.env = {name: value for name, value in env.items() if name in read and name not in self.variables}


class Goal:
    """Conclusions, the names in them, and statements of a loop's body that run first. Or facts as they are."""

    def __init__(self, texts: list[str], env: dict[str, Any], body: Any = None, facts: list[Fact] | None = None) -> None:
        self.texts, self.env, self.body, self.facts = texts, env, body, facts

    def replaced(self, atom: Any, new: Poly) -> "Goal":
        """The goal with a polynomial for a variable."""
        facts = None if self.facts is None else [(replaced(poly, atom, new), kind) for poly, kind in self.facts]
        return Goal(self.texts, replaced(self.env, atom, new), self.body, facts)


class Sequent:
    """Facts, hypotheses that have variables of their own, what names mean, and the goal."""

    def __init__(self, checker: "Checker", env: dict[str, Any], goal: Goal) -> None:
        self.checker, self.env, self.goal = checker, env, goal
        self.facts: list[Fact] = []
        self.signs: dict[Any, str] = {}
        self.whole: set[Any] = set()
        self.hypotheses: dict[str, Hypothesis] = {}

    def copy(self, goal: Goal | None = None) -> "Sequent":
        """The same, to be changed."""
        new = Sequent(self.checker, dict(self.env), goal or self.goal)
        new.facts, new.signs = list(self.facts), dict(self.signs)
        new.whole, new.hypotheses = set(self.whole), dict(self.hypotheses)
        return new

    def add(self, fact: Fact) -> None:
        """Know something more."""
        poly, kind = fact
        if kind == ">" and self.is_whole(poly):
            poly, kind = poly - ONE, ">="
        if (poly, kind) not in self.facts:
            self.facts.append((poly, kind))
        free = poly.terms.get(NOTHING, 0)
        rest = (poly - number(free)).terms
        if len(rest) == 1 and kind != "==" and free <= 0:
            ((mono, c),) = rest.items()
            if len(mono) == 1 and c > 0 and next(iter(mono))[1] == 1:
                atom = next(iter(mono))[0]
                self.signs[atom] = ">" if free < 0 or kind == ">" or self.signs.get(atom) == ">" else ">="

    def is_whole(self, poly: Poly) -> bool:
        """Whether a polynomial is surely an integer: all its coefficients, atoms and powers are."""
        return all(self._whole_term(mono, c) for mono, c in poly.terms.items())

    def _whole_term(self, mono: Any, c: Q) -> bool:
        rest = c.denominator
        for atom, power in mono:
            e, base = as_poly(power), atom[1].constant() if atom[0] == "p" else None
            while base is not None and base.denominator == 1 and gcd(rest, int(base)) > 1:  # 2^e / 4 is one where e >= 2
                rest, e = rest // gcd(rest, int(base)), e - ONE
            if not self._whole_power(atom, e):
                return False
        return rest == 1

    def _whole_power(self, atom: Any, e: Poly) -> bool:
        value = e.constant()
        if not (value >= 0 if value is not None else self.is_whole(e) and self.at_least(e)):
            return False
        if atom[0] == "p":
            return self.is_whole(atom[1])
        return atom in self.whole or atom[0] in ("div", "bits") or (atom[0] in ("v", "f", "sum") and atom[-1] == "int")

    def sign(self, poly: Poly) -> str | None:
        """Which of > and >= a polynomial shows: no coefficient is negative, and no monomial of unknown sign; or None."""
        positive = False
        for mono, c in collected(poly).terms.items():
            if c < 0:
                return None
            strict = True
            for atom, e in mono:
                known = ">" if atom[0] == "p" else self.signs.get(atom, ">=" if atom[0] == "bits" else None)
                if known is None and not (isinstance(e, int) and e % 2 == 0 and e > 0):
                    return None
                strict = strict and known == ">"
            positive = positive or strict
        return ">" if positive else ">="

    def at_least(self, poly: Poly) -> bool:
        """Whether poly >= 0 is manifest, or follows from one fact, or is an atom of at least 0 times what is."""
        if self.sign(poly) is not None or any(
            self.sign(poly - f) is not None or (kind == "==" and self.sign(poly + f) is not None)
            for f, kind in self.near(poly)
        ):
            return True
        common = Mono.intersection(*(Mono(atom for atom, e in mono if type(e) is int and e > 0) for mono in poly.terms))
        for atom in common:
            unit = variable(atom)
            if self.sign(unit):
                return self.at_least(
                    Poly(
                        {mono: c for term, d in poly.terms.items() for mono, c in _times(term, Mono({(atom, -1)}), d).items()}
                    )
                )
        return False

    def above(self, poly: Poly) -> bool:
        """Whether poly > 0 is manifest, or follows from one fact."""
        if self.sign(poly) == ">" or (self.is_whole(poly) and self.at_least(poly - ONE)):
            return True
        return any(
            self.sign(poly - f) == ">" or (kind == ">" and self.sign(poly - f) is not None) for f, kind in self.near(poly)
        )

    def near(self, poly: Poly) -> list[Fact]:
        """The facts of which each might show by itself that a polynomial is at least 0: they have what is negative in it."""
        sums = [(mono, c) for mono, c in poly.terms.items() if c < 0 and mono]
        below = [(mono, c) for mono, c in sums if not any(a[0] == "p" and len(a[1].terms) > 1 for a, _ in mono)]
        found = [fact for fact in self.facts if fact[1] == "==" or all(fact[0].terms.get(mono, 0) <= c for mono, c in below)]
        known = poly.terms.keys() - {NOTHING}
        return [fact for fact in found if not known.isdisjoint(fact[0].terms)]

    def zero(self, poly: Poly) -> bool:
        """Whether poly == 0 is an identity or a fact."""
        if not collected(poly).terms or (self.at_least(poly) and self.at_least(-poly)):
            return True
        return any(
            kind == "==" and not (collected(poly - f).terms and collected(poly + f).terms) for f, kind in self.near(poly)
        )

    def holds(self, fact: Fact) -> bool:
        """Whether a fact is manifest or known."""
        return fact in self.facts or {">=": self.at_least, ">": self.above, "==": self.zero}[fact[1]](fact[0])

    def decide(self, fact: Fact) -> bool:
        """Whether a comparison is true, or false. Raises: Undecided."""
        poly, kind = fact
        if self.holds(fact):
            return True
        if kind == "==":
            if self.above(poly) or self.above(-poly):
                return False
        elif self.above(-poly) or (kind == ">" and self.at_least(-poly)):
            return False
        raise Undecided(poly, kind, f"{shown(poly, self.env)} {kind} 0")

    def negated(self, fact: Fact) -> Fact:
        """What holds where a comparison does not."""
        need(fact[1] != "==", "a case cannot be whether two numbers are equal: ask for <= and >=")
        return (-fact[0], ">" if fact[1] == ">=" else ">=")

    def replace(self, name: str, new: Poly) -> None:
        """Put a polynomial for a variable, everywhere."""
        atom = plain_variable(self.env.get(name), name)
        facts = [(replaced(poly, atom, new), kind) for poly, kind in self.facts]
        self.env = replaced(self.env, atom, new)
        self.goal = self.goal.replaced(atom, new)
        for hypothesis in (hypotheses := {k: _copied(h) for k, h in self.hypotheses.items()}).values():
            hypothesis.env = replaced(hypothesis.env, atom, new)
        self.whole = {_inside(a, atom, new) for a in self.whole if a != atom}
        self.facts, self.signs, self.hypotheses = [], {}, hypotheses
        for fact in facts:
            self.add(fact)


def _copied(hypothesis: Hypothesis) -> Hypothesis:
    new = Hypothesis.__new__(Hypothesis)
    new.variables, new.where, new.then, new.env = hypothesis.variables, hypothesis.where, hypothesis.then, hypothesis.env
    return new


@cache
def parsed(text: str) -> Any:
    """An expression of the statement language."""
    need(type(text) is str and len(text) <= MOST_TERMS and text.isascii(), "an expression is no text, too long, or not ASCII")
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError) as error:
        raise Refused(f"{text[:60]!r} is no expression") from error
    return node


def is_boolean(node: Any) -> bool:
    """Whether an expression is a condition by its form."""
    return isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


class Run:
    """Executes expressions and statements on polynomials, in a sequent that decides comparisons."""

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.library, self.names = sequent, sequent.checker.library, sequent.checker.names
        self.depth, self.loops = 0, list[Any]()
        self.compared: int | None = None  # where comparisons are counted, how many there were
        self.properties: dict[tuple[int, str], tuple[Any, Any]] = {}  # of objects, within one evaluation

    # expressions

    def value(self, node: Any, env: dict[str, Any], module: str | None = None) -> Any:
        """The value of an expression; module is None in statements, else where the code stands."""
        STEPS[0] += 1
        need(STEPS[0] <= MOST_STEPS, "the proof takes too many steps")
        if isinstance(node, ast.Constant):
            need(type(node.value) in (int, bool), "a constant is no integer")
            return number(node.value) if type(node.value) is int else node.value
        if isinstance(node, ast.Name):
            return env[node.id] if node.id in env else self.named(node.id, module)
        if isinstance(node, ast.Lambda):
            need(
                not (
                    node.args.defaults or node.args.vararg or node.args.kwonlyargs or node.args.kwarg or node.args.posonlyargs
                ),
                "a lambda has other than plain arguments",
            )
            return Lambda(node, env, module)
        if isinstance(node, ast.Tuple):
            return tuple(self.value(part, env, module) for part in node.elts)
        if isinstance(node, ast.IfExp):
            return self.value(node.body if self.true(node.test, env, module) else node.orelse, env, module)
        if isinstance(node, ast.Subscript):
            whole, place = self.value(node.value, env, module), self.value(node.slice, env, module)
            index = number(int(place)) if isinstance(place, bool) else place
            need(
                isinstance(whole, tuple) and isinstance(index, Poly) and index.constant() is not None, "an index is not known"
            )
            need(index.constant() in range(len(whole)), "an index is out of range")
            return whole[int(index.constant() or 0)]
        if is_boolean(node):
            return self.true(node, env, module)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.poly(node.operand, env, module)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            return self.operation(
                OPERATIONS[type(node.op)], self.poly(node.left, env, module), self.poly(node.right, env, module), module
            )
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value, env, module), node.attr)
        if isinstance(node, ast.Call):
            return self.call(node, env, module)
        raise Refused(f"{ast.unparse(node)[:60]!r} is nothing that can be executed here")

    def poly(self, node: Any, env: dict[str, Any], module: str | None) -> Poly:
        """The value of an expression that must be a number."""
        value = self.value(node, env, module)
        value = number(int(value)) if isinstance(value, bool) else value
        if not isinstance(value, Poly):
            raise Refused(f"{ast.unparse(node)[:60]!r} is no number")
        return value

    def named(self, name: str, module: str | None) -> Any:
        """What a name means that is not bound: something of the module, what the document declares, or what is built in."""
        if module is not None and name in self.library.module(module):
            return self.constant(self.library.find(f"{module}.{name}"))
        if module is None and name in self.names:
            return self.library.find(self.names[name])
        need(f"builtins.{name}" in PRIMITIVES, f"the name {name!r} means nothing here")
        need(
            module is None or name not in ("ln", "integer", "Sum", "Some", "Raises"),
            f"the name {name!r} means nothing in code",
        )
        return Code(f"builtins.{name}")

    def constant(self, code: Code) -> Any:
        """A constant of a module is its value; all else is itself."""
        return self.value(code.node.body, {}, code.name.rpartition(".")[0]) if isinstance(code.node, ast.Lambda) else code

    def operation(self, sign: str, a: Poly, b: Poly, module: str | None) -> Poly:
        """An operation of two numbers, with the meaning that Python gives it on integers and rationals."""
        if sign in "+-*":
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        if sign == "**":
            return self.power(a, b, module)
        if sign == "/":
            need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
            need(module is None, "code divides with a remainder left to floats")
            return a * raised(b, number(-1))
        if sign in ("<<", ">>"):
            need(self.sequent.is_whole(b), "a shift is not surely an integer")
            return self.operation("*" if sign == "<<" else "//", a, self.power(number(2), b, "code"), module)
        need(self.sequent.is_whole(a) and self.sequent.is_whole(b), "// or % of what is not surely an integer")
        need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
        x, y = a.constant(), b.constant()
        quotient = number(x // y) if x is not None and y is not None else a if y == 1 or x == 0 else variable(("div", a, b))
        return quotient if sign == "//" else a - b * quotient

    def power(self, a: Poly, b: Poly, module: str | None) -> Poly:
        """a ** b. In code an exponent that is not surely at least 0 must be decided to be."""
        value = b.constant()
        need(self.sequent.is_whole(b), "an exponent is not surely an integer")
        if module is not None:
            need(self.sequent.decide((b, ">=")), "code raises an integer to a negative power here")
        need((value is not None and value >= 0) or self.sequent.sign(a) == ">", "a base is not manifestly positive")
        return raised(a, b)

    def true(self, node: Any, env: dict[str, Any], module: str | None = None) -> bool:
        """Whether a condition holds. Raises: Undecided."""
        if isinstance(node, ast.BoolOp):
            stop = isinstance(node.op, ast.Or)
            return stop if any(self.true(part, env, module) == stop for part in node.values) else not stop
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self.true(node.operand, env, module)
        if isinstance(node, ast.Compare):
            return all(self.compare(pair, module) for pair in self.pairs(node, env, module))
        value = self.value(node, env, module)
        if not isinstance(value, bool):
            raise Refused(f"{ast.unparse(node)[:60]!r} is no condition")
        return value

    def compare(self, pair: Any, module: str | None) -> bool:
        """Whether one comparison holds."""
        if module is not None:
            self.count("comparison")
        return self.same(*pair) if isinstance(pair[0], bool) else self.sequent.decide(_fact(*pair))

    def same(self, a: Any, op: Any, b: Any) -> bool:
        """Whether two conditions are equal."""
        need(isinstance(b, bool) and isinstance(op, ast.Eq), "a condition is compared other than by == with a condition")
        return bool(a == b)

    def pairs(self, node: Any, env: dict[str, Any], module: str | None) -> Iterator[tuple[Any, Any, Any]]:
        """The comparisons in a chain, one after the other."""
        left = self.value(node.left, env, module)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, env, module)
            yield left, op, right
            left = right

    def attribute(self, value: Any, name: str) -> Any:
        """A field, a property that is executed, or a method; of a number, bit_length and the parts of a fraction."""
        if isinstance(value, Poly):
            if name == "bit_length":
                return Code("bit_length", bound=value)
            need(name in ("numerator", "denominator"), f"a number has no {name!r} here")
            return _parts(value, self.sequent)[name == "denominator"]
        need(isinstance(value, Record), f"what has no fields is asked for {name!r}")
        if name in value.fields:
            return value.fields[name]
        need(value.cls != "some object", f"it is not known what {name!r} is")
        found = self.library.method(value.cls, name)
        need(found, f"{value.cls} has no {name!r}")
        how, node = found  # type: ignore[misc]
        method = Code(f"{value.cls}.{name}", node, value)
        if how == "method":
            return method
        if (id(value), name) not in self.properties:  # the object is kept, so that no other has its id
            before = self.compared
            self.properties[id(value), name] = (value, self.run(method, {}))
            need(
                self.compared == before, f"the comparisons of a property, {name!r}, are not counted"
            )  # it may be executed again
        return self.properties[id(value), name][1]

    def call(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A call: of a lambda, an unknown function, a function or class of the library, or of what is built in."""
        if isinstance(node.func, ast.Name) and node.func.id == "Sum" and "Sum" not in env and module is None:
            return self.sum(node, env)
        if isinstance(node.func, ast.Name) and node.func.id == "Raises" and "Raises" not in env and module is None:
            return self.raises(node, env)
        if isinstance(node.func, ast.Name) and node.func.id == "Comparisons" and "Comparisons" not in env and module is None:
            return self.comparisons(node, env)
        function = self.value(node.func, env, module)
        if isinstance(function, Code) and function.name == "finitedp.exact.integer":
            return self.checked(node, env, module)
        if isinstance(function, Code) and function.name == "finitedp.exact.unit_fraction":
            return self.denominator(node, env, module)
        arguments = [self.value(part, env, module) for part in node.args]
        named = {part.arg or "": self.value(part.value, env, module) for part in node.keywords}
        return self.applied(function, arguments, named)

    def applied(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value of a call."""
        if isinstance(function, Lambda):
            need(len(arguments) == len(function.names) and not named, "a lambda has another number of arguments")
            return self.deeper(
                lambda: self.value(
                    function.node.body, function.env | dict(zip(function.names, arguments, strict=True)), function.module
                )
            )
        if isinstance(function, Symbol):
            need(len(arguments) == function.arity and not named, f"{function.name} has another number of arguments")
            need(
                all(isinstance(a, Poly) and self.sequent.is_whole(a) for a in arguments),
                f"an argument of {function.name} is not surely an integer",
            )
            return variable(("f", function.name, tuple(arguments), function.kind))
        need(isinstance(function, Code), "what is called is no function")
        if function.name == "builtins.Some":
            return self.some(arguments, named)
        if function.name == "bit_length" or function.name in PRIMITIVES:
            need(not named, "a built-in function is given named arguments")
            return self.primitive(function, arguments)
        if isinstance(function.node, ast.ClassDef):
            converters = self.library.fields(function)
            names = list(converters)
            need(
                len(arguments) <= len(names) and set(named) == set(names[len(arguments) :]),
                f"{function.name} has other fields",
            )
            self.library.use(function.name, function.node)
            given = dict(zip(names, arguments, strict=False)) | named
            return Record(function.name, {name: self.converted(converters[name], value) for name, value in given.items()})
        parameters = [a.arg for a in function.node.args.args][function.bound is not None :]
        need(
            len(arguments) <= len(parameters) and set(named) == set(parameters[len(arguments) :]),
            f"{function.name} has other arguments",
        )
        return self.run(function, dict(zip(parameters, arguments, strict=False)) | named)

    def some(self, arguments: list[Any], named: dict[str, Any]) -> Record:
        """Some(a=x): any object with this attribute. Some(Class, a=x): any of a class, whose other attributes are executed."""
        if not arguments:
            return Record("some object", named)
        known = len(arguments) == 1 and isinstance(arguments[0], Code) and isinstance(arguments[0].node, ast.ClassDef)
        need(known, "Some has other than a class and named attributes")
        cls, members = arguments[0], self.library.members(arguments[0])
        for name in named:
            part = members.get(name)
            method = self.library.method(cls.name, name) if isinstance(part, ast.FunctionDef) else None
            need(
                isinstance(part, ast.AnnAssign) or (method and method[0] == "property"),
                f"{cls.name} has no field or property {name!r}",
            )
        self.library.use(cls.name, cls.node)
        return Record(cls.name, named)

    def converted(self, converter: Code | None, value: Any) -> Any:
        """What a field holds that is given a value."""
        if converter is not None and isinstance(converter.node, ast.FunctionDef) and _gives_back(converter.node):
            self.library.use(converter.name, converter.node)
            return value
        return value if converter is None else self.applied(converter, [value], {})

    def primitive(self, function: Code, arguments: list[Any]) -> Any:
        """The functions that are built in, on numbers."""
        name = function.name.rpartition(".")[2]
        if name == "reversed":
            need(
                len(arguments) == 1 and isinstance(arguments[0], tuple) and len(arguments[0]) == 4,
                "reversed of what is no range",
            )
            return (*arguments[0][:3], not arguments[0][3])
        numbers = [number(int(a)) if isinstance(a, bool) else a for a in arguments]
        need(all(isinstance(a, Poly) for a in numbers), f"{name} of what is no number")
        whole = self.sequent.is_whole
        if name == "bit_length":
            need(not numbers and whole(function.bound), "bit_length of what is not surely an integer")
            need(self.sequent.decide((function.bound, ">=")), "bit_length of what is below 0")
            value = function.bound.constant()
            return number(int(value).bit_length()) if value is not None else variable(("bits", function.bound))
        if name == "range":
            need(1 <= len(numbers) <= 2 and all(map(whole, numbers)), "a range is not one of integers")
            return ("range", ZERO if len(numbers) == 1 else numbers[0], numbers[-1], False)
        if name in ("min", "max"):
            need(len(numbers) >= 2, f"{name} of fewer than two numbers")
            best = numbers[0]
            self.count("comparison", len(numbers) - 1)
            for other in numbers[1:]:
                less = self.sequent.decide((other - best, ">="))
                best = best if less == (name == "min") else other
            return best
        if name == "abs":
            self.count("abs")
            return numbers[0] if self.sequent.decide((numbers[0], ">=")) else -numbers[0]
        if name == "ln":
            need(len(numbers) == 1 and self.sequent.sign(numbers[0]) == ">", "ln of what is not manifestly positive")
            return variable(("ln", numbers[0])) if numbers[0] != ONE else ZERO
        if name == "mpq" and len(numbers) == 2:
            need(self.sequent.sign(numbers[1]) == ">", "a denominator is not manifestly positive")
            return numbers[0] * raised(numbers[1], number(-1))
        need(len(numbers) == 1 and (name == "mpq" or whole(numbers[0])), f"{name} of what is not surely an integer")
        return numbers[0] if name != "integer" else True

    def sum(self, node: Any, env: dict[str, Any]) -> Poly:
        """Sum(i, low, high, body)."""
        need(len(node.args) == 4 and isinstance(node.args[0], ast.Name), "a Sum is not Sum(i, low, high, body)")
        low, high = (self.poly(part, env, None) for part in node.args[1:3])
        need(self.sequent.is_whole(low) and self.sequent.is_whole(high), "a Sum's ends are not surely integers")
        fresh = ("v", f"%{self.depth}", "int")
        self.depth += 1
        body = self.poly(node.args[3], env | {node.args[0].id: variable(fresh)}, None)
        self.depth -= 1
        level = 1 + max((int(a[1][1:]) for a in atoms(body) if a[0] == "v" and a[1][0] == "$"), default=0)
        bound = ("v", f"${level}", "int")
        return variable(
            ("sum", bound, replaced(body, fresh, variable(bound)), low, high, "int" if self.sequent.is_whole(body) else "rat")
        )

    def raises(self, node: Any, env: dict[str, Any]) -> bool:
        """Raises(call): the code that is executed comes to where it raises. It is never false: no code is shown not to."""
        need(len(node.args) == 1 and not node.keywords, "a Raises is not Raises(call)")
        depth = self.depth
        try:
            self.value(node.args[0], env)
        except Raised:
            self.depth = depth
            return True
        raise Refused(f"it is not shown that {ast.unparse(node.args[0])[:60]} raises")

    def comparisons(self, node: Any, env: dict[str, Any]) -> Poly:
        """Comparisons(call): how many comparisons of numbers the code makes; those of unknown functions are not known."""
        need(len(node.args) == 1 and not node.keywords, "a Comparisons is not Comparisons(call)")
        need(self.compared is None, "a Comparisons stands within another")
        run = Run(self.sequent)  # which has executed no property yet
        run.compared, run.depth = 0, self.depth
        run.value(node.args[0], env)
        need(not run.loops, "the comparisons of a loop are not counted")
        return number(run.compared)

    def count(self, kind: str, many: int = 1) -> None:
        """Note comparisons that are made, if they are counted."""
        need(self.compared is None or kind == "comparison", f"the comparisons of {kind} are not counted")
        self.compared = None if self.compared is None else self.compared + many

    # statements

    def deeper(self, run: Callable[[], Any]) -> Any:
        """What a call gives, unless calls are nested too deeply."""
        self.depth += 1
        need(self.depth <= MOST_DEPTH, "calls are nested too deeply")
        value = run()
        self.depth -= 1
        return value

    def run(self, function: Code, arguments: dict[str, Any]) -> Any:
        """Execute a function of the library."""
        node, module = function.node, function.name.rpartition(".")[0]
        if isinstance(function.bound, Record):
            module = module.rpartition(".")[0]
            arguments = {node.args.args[0].arg: function.bound} | arguments
        need(
            isinstance(node, ast.FunctionDef)
            and not (
                node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults or node.args.posonlyargs
            ),
            f"{function.name} has other than plain arguments",
        )
        others = {name for name in _stored(node) if name in self.library.module(module) or f"builtins.{name}" in PRIMITIVES}
        need(not others, f"{function.name} gives a value to a name that means something outside")
        need(function.bound is not None or not node.decorator_list, f"{function.name} has a decorator")
        self.library.use(function.name, node)
        if node.name == "_remembered":
            need(plain(node) == plain(ast.parse(MEMO).body[0]), f"{function.name} is not the memory that is known")
            self.count("a memory")
            return arguments["tail"]
        made = _makes(node)
        try:
            self.deeper(lambda: self.execute(node.body, arguments | ({"%": True} if made else {}), module))
        except Returned as returned:
            self.depth -= 1
            return returned.args[0]
        return None

    def execute(self, body: list[Any], env: dict[str, Any], module: str) -> None:
        """Execute statements; env is changed."""
        for node in body:
            if isinstance(node, ast.Return):
                raise Returned(None if node.value is None else self.value(node.value, env, module))
            if isinstance(node, ast.If):
                self.execute(node.body if self.true(node.test, env, module) else node.orelse, env, module)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.bind(node.targets[0], self.value(node.value, env, module), env)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and type(node.op) in OPERATIONS:
                self.bind(node.target, self.value(ast.BinOp(ast.Name(node.target.id), node.op, node.value), env, module), env)
            elif isinstance(node, ast.For):
                self.loop(node, env, module)
            elif isinstance(node, ast.Try) and not node.orelse and not node.finalbody:
                again = all(len(part.body) == 1 and isinstance(part.body[0], ast.Raise) for part in node.handlers)
                try:
                    self.execute(node.body, env, module)
                except Raised as raised:
                    raise raised if again else Refused(f"line {node.lineno} raises, or catches what is raised") from None
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self.value(node.value, env, module)
            elif isinstance(node, ast.Raise):
                raise Raised(f"line {node.lineno} raises")
            else:
                need(
                    isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant),
                    f"line {node.lineno} raises, or cannot be executed",
                )

    def checked(self, node: Any, env: dict[str, Any], module: str | None) -> Poly:
        """integer(value, name, low, high): the value, where it is surely an integer within the ends, which may be left out."""
        ends = dict(zip(("at_least", "at_most"), node.args[2:], strict=False)) | {
            part.arg: part.value for part in node.keywords
        }
        need(len(node.args) <= 4 and set(ends) <= {"at_least", "at_most"}, "integer is called otherwise than is known")
        self.count("integer")
        value = self.poly(node.args[0], env, module)
        need(self.sequent.is_whole(value), "integer is called with what is not surely one")
        for name, part in ends.items():
            end = self.poly(part, env, module)
            if not self.sequent.decide((value - end if name == "at_least" else end - value, ">=")):
                raise Raised("an argument is out of range")
        return value

    def denominator(self, node: Any, env: dict[str, Any], module: str | None) -> Poly:
        """unit_fraction(value, name, least_denominator): q, where the value is surely 1/q and q surely that large."""
        ends = [part.value for part in node.keywords if part.arg == "least_denominator"]
        need(len(node.args) == 2 and len(ends) == len(node.keywords) <= 1, "unit_fraction is called otherwise than is known")
        above, below = _parts(self.poly(node.args[0], env, module), self.sequent)
        self.count("unit_fraction")
        least = self.poly(ends[0], env, module) if ends else ONE
        need(above == ONE, "an argument is no unit fraction")
        if not self.sequent.decide((below - least, ">=")):
            raise Raised("an argument is no such unit fraction")
        return below

    def bind(self, target: Any, value: Any, env: dict[str, Any]) -> None:
        """An assignment."""
        if isinstance(target, ast.Tuple):
            need(isinstance(value, tuple) and len(value) == len(target.elts), "an assignment has another number of values")
            for part, one in zip(target.elts, value, strict=True):
                self.bind(part, one, env)
            return
        need(isinstance(target, ast.Name), "an assignment is to other than a name")
        need("%" not in env or target.id not in env, "a name is bound again where a lambda may hold it")
        env[target.id] = value

    def loop(self, node: Any, env: dict[str, Any], module: str) -> None:
        """A loop over a range: what it assigns is then an unknown function of what it reads; the rule `loop` tells more."""
        found = self.value(node.iter, env, module)
        need(
            isinstance(found, tuple) and found[:1] == ("range",) and isinstance(node.target, ast.Name) and not node.orelse,
            "a loop is not one over a range",
        )
        inside = [n for part in node.body for n in ast.walk(part)]
        need(
            not any(isinstance(n, ast.Return | ast.Break | ast.Continue | ast.For | ast.Lambda) for n in inside)
            and "%" not in env,
            "a loop has a way out, or a lambda",
        )
        need(node.target.id not in env, "a loop's variable has a value before")
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - {node.target.id}
        kept = sorted(stored & set(env))
        read = sorted({n.id for n in inside if isinstance(n, ast.Name)} & set(env))
        state = tuple((name, key(env[name])) for name in read)
        result = {name: ("loop", f"{module}:{ast.unparse(node)}", name, (found, state)) for name in kept}
        self.loops.append((node, module, dict(env), result, found))
        env |= {name: variable(atom) for name, atom in result.items()}
        for name in (stored - set(kept)) | {node.target.id}:
            env.pop(name, None)


@cache
def _stored(node: Any) -> frozenset[str]:
    """The names to which a function gives values."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


@cache
def _makes(node: Any) -> bool:
    """Whether a function makes others."""
    return any(isinstance(n, ast.Lambda | ast.FunctionDef) for n in ast.walk(node) if n is not node)


def _fact(a: Any, op: Any, b: Any) -> Fact:
    """A comparison of two numbers as a fact."""
    a, b = (number(int(x)) if isinstance(x, bool) else x for x in (a, b))
    need(isinstance(a, Poly) and isinstance(b, Poly), "what is compared is no number")
    for kind, poly, sign in (
        (ast.LtE, b - a, ">="),
        (ast.Lt, b - a, ">"),
        (ast.GtE, a - b, ">="),
        (ast.Gt, a - b, ">"),
        (ast.Eq, a - b, "=="),
    ):
        if isinstance(op, kind):
            return poly, sign
    raise Refused("a comparison is none of <= < >= > ==")


def _parts(value: Poly, sequent: Sequent) -> tuple[Poly, Poly]:
    """Numerator and denominator of an integer, of a constant, or of 1/q for an integer q."""
    constant = value.constant()
    if constant is not None:
        return number(constant.numerator), number(constant.denominator)
    if sequent.is_whole(value):
        return value, ONE
    ((mono, c),) = value.terms.items() if len(value.terms) == 1 else ((NOTHING, 0),)
    ((atom, e),) = mono if len(mono) == 1 else ((("", ""), 0),)
    below: Any = atom[1] if atom[0] == "p" else variable(atom)
    need(
        c == 1 and e == -1 and sequent.is_whole(below) and sequent.sign(below) == ">", "the parts of a fraction are not known"
    )
    return ONE, below


def plain_variable(value: Any, name: str) -> Any:
    """The atom of a name that stands for a variable."""
    atom = single_atom(value) if isinstance(value, Poly) else None
    need(atom and atom[0] == "v", f"{name!r} is no variable here")
    return atom


def single_atom(poly: Poly) -> Any:
    """The atom that a polynomial is, or None."""
    for mono, c in poly.terms.items():
        for atom, _ in mono:
            return atom if poly == variable(atom) and c else None
    return None


def shown(poly: Poly, env: dict[str, Any]) -> str:
    """A polynomial as an expression; atoms that a name stands for are shown by it."""
    names = {single_atom(value): name for name, value in env.items() if isinstance(value, Poly)}

    def one(atom: Any) -> str:
        if atom in names:
            return names[atom]
        parts = [of(part) if isinstance(part, Poly) else str(part) for part in atom[1:]]
        texts = {
            "v": parts[0].replace("$", "i"),
            "p": f"({parts[0]})",
            "bits": f"({parts[0]}).bit_length()",
            "ln": f"ln({parts[0]})",
        }
        if atom[0] == "f":
            return f"{atom[1]}({', '.join(map(of, atom[2]))})"
        if atom[0] == "div":
            return f"(({parts[0]})//({parts[1]}))"
        if atom[0] == "sum":
            return f"Sum({atom[1][1].replace('$', 'i')}, {parts[2]}, {parts[3]}, {parts[1]})"
        return texts.get(atom[0], f"<the loop's {parts[1]}>" if atom[0] == "loop" else "")

    def of(p: Poly) -> str:
        text = ""
        for mono, c in sorted(p.terms.items(), key=lambda pair: pair[1] < 0):
            powers = [one(atom) + (f"**({of(as_poly(e))})" if e != 1 else "") for atom, e in mono]
            size = [] if abs(c) == 1 and powers else [str(abs(c)) if c.denominator == 1 else f"({abs(c)})"]
            text += (" - " if c < 0 else " + ") + "*".join(size + sorted(powers))
        return text.removeprefix(" + ").removeprefix(" ").replace("- ", "-", int(text.startswith(" -"))) or "0"

    return of(poly)


# Rules


def single(texts: Any) -> list[str]:
    """Conclusions, where a chain of comparisons is one for each link."""
    found = []
    for text in listed(texts):
        node = parsed(text)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            ends = [node.left, *node.comparators]
            found += [ast.unparse(ast.Compare(a, [op], [b])) for a, op, b in zip(ends, node.ops, ends[1:], strict=False)]
        else:
            found.append(text)
    return found


RULES = {  # what a rule has; what ends in ? may be left out
    "known": "",
    "combine": "with scale?",
    "absurd": "with",
    "both": "le ge",
    "each": "of",
    "alike": "",
    "cases": "if yes no",
    "have": "claim by then",
    "name": "variable is then",
    "let": "name is then",
    "set": "variable to equal then",
    "use": "node then with? where?",
    "induct": "on from base step under?",
    "sum": "of at then",
    "know": "of then",
    "loop": "of invariant start step then",
}


class Checker:
    """Decides the nodes of one document, in order."""

    def __init__(self, names: dict[str, str], root: Path) -> None:
        self.library, self.names = Library(root), names
        self.proved: dict[str, dict[str, Any]] = {}
        self.path: list[str] = []

    def node(self, node: dict[str, Any]) -> None:
        """Decide one node: its variables are arbitrary, its hypotheses are facts."""
        keys(node, ("name", "for", "where", "then", "proof"))
        name = node["name"]
        self.path = [f"node {str(name)[:60]!r}"]
        need(type(name) is str and name not in self.proved, "the name is there twice, or is none")
        sequent = Sequent(self, {}, Goal([], {}))
        for name_, kind in mapping(node["for"]):
            declare(sequent, name_, kind)
        for part in listed(node["where"]):
            if isinstance(part, str):
                self.assume(sequent, part, sequent.env)
            elif isinstance(part, dict) and "let" in part:
                keys(part, ("let",))
                need(len(listed(part["let"])) == 2 and str(part["let"][0]).isidentifier(), "a let is not [name, expression]")
                need(part["let"][0] not in sequent.env and free_name(part["let"][0]), f"{part['let'][0]!r} is there twice")
                sequent.env[part["let"][0]] = Run(sequent).value(parsed(part["let"][1]), sequent.env)
            else:
                keys(part, ("name", "for", "where", "then"))
                need(part["name"] not in (*sequent.hypotheses, *self.proved, "IH"), "a hypothesis' name is there twice")
                inner = sequent.copy()
                for name_, kind in mapping(part["for"]):
                    declare(inner, name_, kind)
                sequent.hypotheses[part["name"]] = Hypothesis(part, sequent.env)
        need(listed(node["then"]), "there is no conclusion")
        sequent.goal = Goal(single(node["then"]), dict(sequent.env))
        self.prove(sequent, node["proof"])
        self.proved[name] = node

    def prove(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Decide whether a sequent follows by a rule from others. Raises: Refused."""
        need(
            type(proof) is dict and type(proof.get("rule")) is str and proof["rule"] in RULES, f"{str(proof)[:50]} is no rule"
        )
        parts = RULES[proof["rule"]].split()
        required, optional = [part for part in parts if part[-1] != "?"], [part[:-1] for part in parts if part[-1] == "?"]
        self.path.append(proof["rule"])
        keys(proof, ("rule", *required), tuple(optional))
        STEPS[0] += 1
        need(len(self.path) <= MOST_DEPTH and STEPS[0] <= MOST_STEPS, "the proof is too deep, or takes too many steps")
        getattr(self, f"_{proof['rule']}")(sequent, proof)
        self.path.pop()

    def claimed(self, claim: dict[str, Any]) -> str:
        """The id of a claim whose statements are proved: those that its kind means, or, without a kind, the nodes."""
        keys(claim, ("claim", "nodes"), ("kind", "mechanism"))
        nodes = [self.proved.get(name) for name in listed(claim["nodes"])]
        need(
            type(claim["claim"]) is str and nodes and None not in nodes, f"a node of {str(claim['claim'])[:60]} is not proved"
        )
        if "kind" in claim:
            said = [{k: node[k] for k in ("for", "where", "then")} for node in nodes if node]
            mechanism = str(claim.get("mechanism"))
            need(said == meaning(claim["kind"], mechanism), f"the nodes of {claim['claim']} do not say what it means")
            name = mechanism.rpartition(".")[2]
            need(self.names.get(name) == mechanism, f"{name} does not stand for {mechanism}")
        return str(claim["claim"])

    def goals(self, sequent: Sequent) -> list[Fact]:
        """What the goal says, after its code has run; conditions that are true by the facts are left out."""
        goal = sequent.goal
        if goal.facts is not None:
            return goal.facts
        run, env, found = Run(sequent), dict(goal.env), list[Fact]()
        if goal.body is not None:
            statements, module, changed, place = goal.body
            inner = dict(env.pop("%"))
            kept = set(inner)
            run.execute(statements, inner, module)
            for name in changed:
                need(
                    isinstance(inner[name], Poly) and sequent.is_whole(inner[name]),
                    f"{name!r} is not surely an integer after a round",
                )
            env |= {name: inner[name] for name in kept if name != place}
        for text in goal.texts:
            node = parsed(text)
            if isinstance(node, ast.Compare) and not any(map(is_boolean, (node.left, *node.comparators))):
                found += [_fact(*pair) for pair in run.pairs(node, env, None)]
            else:
                need(run.true(node, env), f"{text[:60]!r} is false here")  # it is decided, or Undecided is raised
        return found

    def goal(self, sequent: Sequent) -> Fact:
        """The one comparison that the goal says."""
        found = self.goals(sequent)
        need(len(found) == 1, f"there are {len(found)} comparisons to be shown: use each, or known where there is none")
        return found[0]

    def assume(self, sequent: Sequent, text: str, env: dict[str, Any]) -> None:
        """Add what an expression says to the facts; where that is not decided yet, as a hypothesis to be used later."""
        for one in single([text]):
            try:
                self.assume_node(sequent, parsed(one), env, yes=True)
            except Undecided:
                i = 0
                while f"later{i}" in sequent.hypotheses:
                    i += 1
                sequent.hypotheses[f"later{i}"] = Hypothesis({"for": {}, "where": [], "then": [one]}, env)

    def assume_node(self, sequent: Sequent, node: Any, env: dict[str, Any], *, yes: bool) -> None:
        """Add that a condition is true, or false."""
        run = Run(sequent)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.assume_node(sequent, node.operand, env, yes=not yes)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and all(map(is_boolean, (node.left, node.comparators[0]))):
            need(isinstance(node.ops[0], ast.Eq), "conditions are compared other than by ==")
            for side, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
                known = self.decided(sequent, side, env)
                if known is not None:
                    self.assume_node(sequent, other, env, yes=known == yes)
                    return
            run.true(node.left, env)
        elif isinstance(node, ast.Compare):
            facts = [_fact(*pair) for pair in run.pairs(node, env, None)]
            need(yes or len(facts) == 1, "a chain of comparisons is denied")
            for fact in facts:
                sequent.add(fact if yes else sequent.negated(fact))
        elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) == yes:
            for part in node.values:
                self.assume_node(sequent, part, env, yes=yes)
        elif isinstance(node, ast.BoolOp):
            rest = [part for part in node.values if self.decided(sequent, part, env) != (not yes)]
            need(rest, "the alternatives that are assumed are all false")
            if len(rest) > 1:
                run.true(rest[0], env)
            self.assume_node(sequent, rest[0], env, yes=yes)
        else:
            named = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "integer"
                and "integer" not in env
            )
            need(yes and named and len(node.args) == 1, "an assumption is no fact")
            value = run.poly(node.args[0], env, None)
            if not sequent.is_whole(value):
                need(single_atom(value), "what is said to be an integer is no atom")
                sequent.whole.add(single_atom(value))

    def decided(self, sequent: Sequent, node: Any, env: dict[str, Any]) -> bool | None:
        """Whether a condition is true; None where the facts do not decide."""
        try:
            return Run(sequent).true(node, env)
        except Undecided:
            return None

    def poly(self, sequent: Sequent, text: str) -> Poly:
        """An expression of the proof as a number."""
        return Run(sequent).poly(parsed(text), sequent.env, None)

    def fact(self, sequent: Sequent, text: str) -> Fact:
        """A comparison of the proof."""
        node = parsed(text)
        need(isinstance(node, ast.Compare) and len(node.ops) == 1, f"{text[:60]!r} is not one comparison")
        (pair,) = Run(sequent).pairs(node, sequent.env, None)
        return _fact(*pair)

    # rules that end a branch

    def _known(self, sequent: Sequent, _: dict[str, Any]) -> None:
        """The goal is a fact, manifest, or follows from one fact."""
        for fact in self.goals(sequent):
            if not sequent.holds(fact):
                raise Refused(f"{shown(fact[0], sequent.env)[:300]} {fact[1]} 0 is not known")

    def _combine(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """scale * goal is a sum of products of known facts with multipliers, and of what is manifestly at least 0."""
        poly, kind = self.goal(sequent)
        scale = self.poly(sequent, proof.get("scale", "1"))
        need(sequent.sign(scale) == ">", "the scale is not manifestly positive")
        self.balanced(sequent, scale * poly, kind, proof["with"])

    def _alike(self, sequent: Sequent, _: dict[str, Any]) -> None:
        """An unknown function has the same value where its arguments are known to be equal."""
        poly, kind = self.goal(sequent)
        found = [single_atom(Poly({mono: Q(1)})) for mono in poly.terms]
        need(kind == "==" and len(found) == 2 and sorted(poly.terms.values()) == [-1, 1], "the goal is not f(a) == f(b)")
        one, two = found
        need(
            one and two and one[0] == two[0] == "f" and (one[1], len(one[2])) == (two[1], len(two[2])),
            "the goal is not f(a) == f(b)",
        )
        for a, b in zip(one[2], two[2], strict=True):
            need(sequent.zero(a - b), "that the arguments are equal is not known")

    def _absurd(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """The facts contradict each other: 0 > 0 follows. Then anything holds."""
        self.balanced(sequent, ZERO, ">", proof["with"])

    def balanced(self, sequent: Sequent, poly: Poly, kind: str, parts: Any) -> None:
        """Whether poly has the sign `kind` by the sum of `parts`, each a multiplier and facts."""
        strict = False
        for part in listed(parts):
            need(len(listed(part)) >= 2, "a part is not [multiplier, fact, ...]")
            product = self.poly(sequent, part[0])
            facts = [self.fact(sequent, text) for text in part[1:]]
            for fact, text in zip(facts, part[1:], strict=True):
                need(sequent.holds(fact), f"{text[:80]!r} is not known here")
            if not any(sign == "==" for _, sign in facts):
                need(kind != "==", "an equality rests on an inequality")
                sign = sequent.sign(product)
                need(sign is not None, f"the multiplier {part[0][:60]!r} is not manifestly at least 0")
                strict = strict or (sign == ">" and all(s == ">" for _, s in facts))
            for fact in facts:
                product = product * fact[0]
            poly = poly - product
        rest = collected(poly)
        sign = sequent.sign(rest)
        if rest.terms if kind == "==" else sign is None:
            raise Refused(
                f"{shown(rest, sequent.env)[:300]} is left over, not {'0' if kind == '==' else 'manifestly at least 0'}"
            )
        need(kind != ">" or strict or sign == ">", "at least 0 follows, not above 0")

    # rules that lead to other sequents

    def _both(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An equality by two inequalities."""
        poly, kind = self.goal(sequent)
        need(kind == "==", "the goal is no equality")
        for name, side in (("le", -poly), ("ge", poly)):
            self.prove(sequent.copy(Goal([], {}, facts=[(side, ">=")])), proof[name])

    def _each(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Each conclusion by itself."""
        goal, parts = sequent.goal, listed(proof["of"])
        goals = [Goal([text], goal.env, goal.body) for text in goal.texts]
        goals = goals if goal.facts is None else [Goal([], {}, facts=[fact]) for fact in goal.facts]
        need(len(parts) == len(goals), f"there are {len(goals)} conclusions and {len(parts)} proofs")
        for one, part in zip(goals, parts, strict=True):
            self.prove(sequent.copy(one), part)

    def _cases(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A comparison holds or does not."""
        fact = self.fact(sequent, proof["if"])
        for name, case in (("yes", fact), ("no", sequent.negated(fact))):
            branch = sequent.copy()
            branch.add(case)
            self.prove(branch, proof[name])

    def _have(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Something that is shown first and then known."""
        claim = single(proof["claim"])
        self.prove(sequent.copy(Goal(claim, dict(sequent.env))), proof["by"])
        after = sequent.copy()
        for text in claim:
            self.assume(after, text, after.env)
        self.prove(after, proof["then"])

    def _set(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A variable is equal to a term: it is replaced everywhere."""
        name, new = str(proof["variable"]), self.poly(sequent, proof["to"])
        atom = plain_variable(sequent.env.get(name), name)
        need(atom not in set(atoms(new)), "a variable is set to what contains it")
        self.prove(sequent.copy(Goal([], {}, facts=[(variable(atom) - new, "==")])), proof["equal"])
        after = sequent.copy()
        after.replace(name, new)
        self.prove(after, proof["then"])

    def _name(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A new variable that is equal to a term."""
        value, after = self.poly(sequent, proof["is"]), sequent.copy()
        after.add((declare(after, proof["variable"], "int" if sequent.is_whole(value) else "rat") - value, "=="))
        self.prove(after, proof["then"])

    def _let(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An abbreviation in what follows of this proof."""
        value, after = self.poly(sequent, proof["is"]), sequent.copy()
        need(
            str(proof["name"]).isidentifier() and proof["name"] not in sequent.env and free_name(proof["name"]),
            "an abbreviation's name is taken, or is none",
        )
        after.env[proof["name"]] = value
        self.prove(after, proof["then"])

    def _use(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A node that was proved before, or a hypothesis, for given values of its variables: its conclusions become facts."""
        name, values, given = proof["node"], dict(mapping(proof.get("with", {}))), iter(listed(proof.get("where", [])))
        local = sequent.hypotheses.get(name) if isinstance(name, str) else None
        need(
            local or (isinstance(name, str) and name in self.proved),
            f"{str(name)[:60]!r} is not proved before (a circle is no proof)",
        )
        document = {"for": local.variables, "where": local.where, "then": local.then} if local else self.proved[name]
        env, whole = dict(local.env) if local else {}, []
        need(set(values) == set(document["for"]), f"the variables of {name!r} are not just those that are given")
        for variable_, kind in document["for"].items():
            env[variable_] = value = Run(sequent).value(parsed(values[variable_]), sequent.env)
            if "->" not in kind:
                need(
                    isinstance(value, Poly) and (kind == "rat" or sequent.is_whole(value)),
                    f"{variable_!r} is not surely of its kind",
                )
                continue
            arity = kind.count(",") + 1
            known = isinstance(value, Symbol) and value.arity == arity and kind.endswith(("rat", value.kind))
            need(known or (isinstance(value, Lambda) and len(value.names) == arity), f"{variable_!r} is no such function")
            if not known and kind.endswith("int"):
                names = [f"argument{i}" for i in range(arity)]
                whole.append(
                    {"for": dict.fromkeys(names, "int"), "where": [], "then": [f"integer({variable_}({', '.join(names)}))"]}
                )
        for part in (*document["where"], *whole):
            if isinstance(part, str):
                self.prove(sequent.copy(Goal(single([part]), dict(env))), next(given, {"rule": "known"}))
            elif "let" in part:
                env[part["let"][0]] = Run(sequent).value(parsed(part["let"][1]), env)
            else:
                self.universal(sequent, part, env, next(given, {"rule": "known"}))
        need(next(given, None) is None, "there are more proofs than hypotheses")
        after = sequent.copy()
        for text in document["then"]:
            self.assume(after, text, env)
        self.prove(after, proof["then"])

    def universal(self, sequent: Sequent, part: dict[str, Any], env: dict[str, Any], proof: dict[str, Any]) -> None:
        """A hypothesis with variables of its own: they are arbitrary, and underscores are added to names that are taken."""
        inner, meaning = sequent.copy(), dict(env)
        for name, kind in part["for"].items():
            fresh = name
            while fresh in inner.env:
                fresh += "_"
            meaning[name] = declare(inner, fresh, kind)
        for text in part["where"]:
            self.assume(inner, text, meaning)
        inner.goal = Goal(single(part["then"]), meaning)
        self.prove(inner, proof)

    def _induct(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A variable m >= start: the goal holds at the start, and at m + 1 where it holds at m.

        `under` are comparisons of m that hold now. The base and the step may assume them; who uses the hypothesis "IH" must
        show them at m.
        """
        name, goal, start, under = (
            str(proof["on"]),
            sequent.goal,
            self.poly(sequent, proof["from"]),
            listed(proof.get("under", [])),
        )
        atom = plain_variable(sequent.env.get(name), name)
        need(
            atom[2] == "int" and atom not in set(atoms(start)) and sequent.is_whole(start),
            "induction is on an integer, from an integer",
        )
        need(sequent.at_least(variable(atom) - start), "the variable is not known to be at least the start")
        need(goal.body is None and goal.facts is None, "induction is on a statement")
        need("IH" not in sequent.hypotheses, "an induction stands within another")
        read = frozenset().union(*(_read(parsed(text)) for text in under))
        need(
            all(n in sequent.env and key(goal.env[n]) == key(sequent.env[n]) for n in read & set(goal.env)),
            "a name has two meanings",
        )
        for text in under:
            need(sequent.holds(self.fact(sequent, text)), f"{text[:60]!r} is not known")
        free = sequent.copy()
        free.env = {k: v if _lasting(sequent, v, atom) else None for k, v in sequent.env.items()}  # 1/m has no meaning at 0
        goal = free.goal = Goal(goal.texts, {k: v if _lasting(sequent, v, atom) else None for k, v in goal.env.items()})
        free.facts, free.signs, free.whole = [], {}, {a for a in sequent.whole if atom not in set(atoms((a,)))}
        for fact in sequent.facts:
            if atom not in set(atoms(fact[0])):
                free.add(fact)
        free.hypotheses = {k: h for k, h in sequent.hypotheses.items() if atom not in set(atoms(h.env))}
        base, step, following = free.copy(), free.copy(), variable(atom) + ONE
        base.replace(name, start)
        for text in under:
            self.assume(base, text, base.env)
        self.prove(base, proof["base"])
        step.add((variable(atom) - start, ">="))
        step.hypotheses["IH"] = Hypothesis({"for": {}, "where": under, "then": goal.texts}, free.env | goal.env)
        for text in under:
            self.assume(step, text, replaced(step.env, atom, following))
        step.goal = goal.replaced(atom, following)
        self.prove(step, proof["step"])

    def _sum(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A Sum is 0 where its range is empty, else its first or last term and the rest."""
        value = self.poly(sequent, proof["of"])
        atom = single_atom(value)
        need(atom and atom[0] == "sum", "what is unfolded is no Sum")
        _, bound, body, low, high, kind = atom
        after = sequent.copy()
        if proof["at"] == "none":
            need(sequent.holds((low - high - ONE, ">=")), "the Sum's range is not known to be empty")
            after.add((value, "=="))
        else:
            need(
                proof["at"] in ("first", "last") and sequent.holds((high - low, ">=")),
                "the Sum's range is not known to have that place",
            )
            first = proof["at"] == "first"
            rest = variable(("sum", bound, body, low + ONE if first else low, high if first else high - ONE, kind))
            after.add((value - rest - replaced(body, bound, low if first else high), "=="))
        self.prove(after, proof["then"])

    def _know(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """What holds of a quotient, a bit length, a power or a logarithm."""
        value = self.poly(sequent, proof["of"])
        need(len(value.terms) == 1 and len(next(iter(value.terms))) == 1, "there is nothing to know of this")
        ((atom, e),) = next(iter(value.terms))
        after, unit = sequent.copy(), variable(atom)
        if e == 1 and atom[0] == "div":
            _, a, b = atom
            need(sequent.is_whole(a) and sequent.is_whole(b) and sequent.sign(b) == ">", "the quotient's parts are not known")
            facts = [a - b * unit, b * unit + b - ONE - a]
        elif e == 1 and atom[0] == "bits":
            need(sequent.is_whole(atom[1]) and sequent.at_least(atom[1]), "whose bits these are is not known to be at least 0")
            two = raised(number(2), unit)
            facts = [unit, two - atom[1] - ONE, atom[1] + atom[1] + ONE - two]  # 2^(b-1) <= m < 2^b; and b = 0 where m = 0
        elif e == 1 and atom[0] == "ln":
            t = atom[1]  # at 1 all are 0, and beyond 1 the derivatives 1, 1/t and 4/(t+1)^2 are ordered
            need(sequent.at_least(t - ONE), "of ln(t) something is known for t >= 1")
            facts = [t - ONE - unit, (t + ONE) * unit - t - t + number(2)]
        else:
            base, power = (atom[1] if atom[0] == "p" else unit), as_poly(e)
            times, b = Q(next(iter(value.terms.values()))), base.constant() or 0
            while b > 1 and times > 1:  # 2^(L + 1) is 2 2^L
                times, power = times / b, power + ONE
            while b > 1 and 0 < times < 1:
                times, power = times * b, power - ONE
            need(times == 1, "of a multiple of a power nothing is known")
            need(
                sequent.at_least(base - ONE) and sequent.is_whole(power),
                "of b**e something is known for b >= 1 and an integer e >= 0",
            )
            need(sequent.at_least(power), "of b**e something is known for e >= 0")
            facts = [value - ONE, value - ONE - power * (base - ONE)]  # the latter is Bernoulli's inequality
        for poly in facts:
            after.add((poly, ">="))
        self.prove(after, proof["then"])

    def _loop(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An invariant of a loop that an expression runs: it holds at the start, with `left` rounds to go, and is kept.

        It may speak of the function's local names. What the loop gives are integers for which it holds with no round left.
        """
        run = Run(sequent)
        run.value(parsed(proof["of"]), sequent.env)
        need(run.loops, "no loop is run here")
        node, module, before, result, found = run.loops[0]
        texts, low, high = single(proof["invariant"]), found[1], found[2]
        need(sequent.holds((high - low, ">=")), "the number of rounds is not known to be at least 0")
        need(not {"left", "%", *result} & set(sequent.env) and "left" not in before, "a name of the loop is taken")
        for name in result:
            need(
                isinstance(before[name], Poly) and sequent.is_whole(before[name]),
                f"{name!r} is not surely an integer before the loop",
            )
        rounds, outer = high - low, {k: v for k, v in sequent.env.items() if k not in before}
        self.prove(sequent.copy(Goal(texts, outer | before | {"left": rounds})), proof["start"])
        step = sequent.copy()
        inner = before | {name: declare(step, name, "int") for name in result}
        left = declare(step, "left", "int")
        step.add((left - ONE, ">="))
        step.add((rounds - left, ">="))
        for text in texts:
            self.assume(step, text, outer | inner | {"left": left})
        place = low + left - ONE if found[3] else high - left
        step.goal = Goal(
            texts,
            outer | {"left": left - ONE, "%": inner | {node.target.id: place}},
            (node.body, module, tuple(result), node.target.id),
        )
        self.prove(step, proof["step"])
        after = sequent.copy()
        after.whole |= set(result.values())
        values = {name: variable(atom) for name, atom in result.items()}
        for text in texts:
            self.assume(after, text, outer | before | values | {"left": ZERO})
        self.prove(after, proof["then"])


def _lasting(sequent: Sequent, value: Any, atom: Any) -> bool:
    """Whether a value means something whatever integer a variable's atom is, though facts of it made sense of the value."""

    def power(base: Any, e: Any) -> bool:
        if atom not in set(atoms((base,))):  # then a power with the atom has a base that is positive all the same
            return isinstance(e, int) or _lasting(sequent, e, atom)
        if not (isinstance(e, int) and e > 0):
            return False
        if base[0] == "sum":
            return _lasting(sequent, base[2:5], atom) and (base[-1] == "rat" or sequent.is_whole(base[2]))
        return base == atom or (base[0] == "f" and _lasting(sequent, base[2], atom))

    if isinstance(value, Poly):
        return all(power(base, e) for mono in value.terms for base, e in mono)
    if isinstance(value, tuple):
        return all(_lasting(sequent, part, atom) for part in value)
    return atom not in set(atoms(value)) or (
        isinstance(value, Lambda | Record | Code)
        and _lasting(
            sequent, tuple(getattr(value, "env", getattr(value, "fields", {0: getattr(value, "bound", None)})).values()), atom
        )
    )


def free_name(name: str) -> bool:
    """Whether a name may be given a meaning: it is none that is built in."""
    return f"builtins.{name}" not in PRIMITIVES


def declare(sequent: Sequent, name: Any, kind: Any) -> Any:
    """A new variable or unknown function."""
    need(
        type(name) is str and name.isidentifier() and name.isascii() and name not in sequent.env and free_name(name),
        f"{str(name)[:60]!r} is no new name",
    )
    known = type(kind) is str and kind.replace("int, ", "").removeprefix("int -> ") in ("int", "rat")
    need(known and (kind in ("int", "rat") or "->" in kind), f"{str(kind)[:60]!r} is no kind of variable")
    result = kind[-3:]
    sequent.env[name] = Symbol(name, kind.count(",") + 1, result) if "->" in kind else variable(("v", name, result))
    return sequent.env[name]


def keys(document: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Stop unless an object has the keys that it must have, and no others but optional ones."""
    known = type(document) is dict and set(required) <= set(document) <= set(required + optional)
    need(known, f"an object's keys are not {', '.join(required)}")


def listed(value: Any) -> list[Any]:
    """A list."""
    need(type(value) is list and len(value) <= MOST_TERMS, "a list is none, or too long")
    return list(value)


def mapping(value: Any) -> list[tuple[str, Any]]:
    """The entries of an object."""
    need(type(value) is dict and len(value) <= MOST_TERMS, "an object is none, or too large")
    return list(value.items())


# What a claim about a mechanism means


def _counting(cls: str) -> tuple[dict[str, str], list[Any]]:
    """The parameters of a counting-query mechanism, and M."""
    share = "1/g" if cls.endswith("FastSample") else None
    kinds = {"n": "int", "q": "int"} | ({"g": "int"} if share else {})
    made = f"{cls.rpartition('.')[2]}(n, 1/q{', 1/g' if share else ''})"
    return kinds, ["n >= 1", "q >= 1", *(["g >= 2"] if share else []), {"let": ["M", made]}]


def meaning(kind: str, cls: str) -> list[dict[str, Any]]:
    """The statements that a claim of some kind about a counting-query mechanism is, for all of its parameters.

    inverse: M(c, u) is the least output whose F is at least u, and F(c, -1) = 0, F(c, n) = d; so that for U uniform on 1..d,
    where
    the integers u in F(z-1) < u <= F(z) are F(z) - F(z-1) many, d Pr[M(c, U) = z] = F(c, z) - F(c, z-1).
    private: the ratio of these of neighbouring counts is at most 1 + 2^-k, and that is at most e^(1/(2q)).
    accurate: d Pr[|M(c, U) - c| > a] <= beta d for every integer a >= 0 with (1 + 2^-k)^-a <= beta (FastSample: beta - 1/g).
    monotone: M(c, u) <= M(c, v) for u <= v.
    geometric: GeoSample: d Pr[M(c, U) = z] is that of c + Z clamped to 0..n, Pr[Z = j] = (1-a)/(1+a) a^|j|, a = 1/(1 + 2^-k),
    whose
    tails are Pr[Z >= j] = Pr[Z <= -j] = a^j/(1+a). FastSample: the same with all mass of Z beyond +-t moved to 0, mixed with
    the uniform law on 0..n, whose share is 1/g.
    """
    need(
        cls in ("finitedp.impl.counting.geometric.GeoSample", "finitedp.impl.counting.geometric.FastSample"),
        f"{cls} is not known",
    )
    kinds, where = _counting(cls)
    at = kinds | {"c": "int", "z": "int"}
    inside = [*where, "0 <= c <= n"]
    x = {"let": ["x", "2**M.k"]}
    a = {"let": ["a", "x/(x + 1)"]}
    slack = " - 1/g" if cls.endswith("FastSample") else ""
    table: dict[str, list[tuple[dict[str, str], list[Any], list[str]]]] = {
        "inverse": [
            (
                at | {"u": "int"},
                [*inside, "0 <= z <= n", "1 <= u <= M.d"],
                ["0 <= M.apply(c, u) <= n", "(M.apply(c, u) <= z) == (u <= M.cdf(c, z))"],
            ),
            (kinds | {"c": "int"}, inside, ["M.cdf(c, -1) == 0", "M.cdf(c, n) == M.d", "M.d >= 1"]),
        ],
        "private": [
            (
                at | {"e": "int"},
                [*inside, "0 <= e <= n", "-1 <= c - e <= 1", "0 <= z <= n", x],
                ["x*(M.cdf(c, z) - M.cdf(c, z - 1)) <= (x + 1)*(M.cdf(e, z) - M.cdf(e, z - 1))"],
            ),
            (kinds, where, ["ln(1 + 1/2**M.k) <= 1/(2*q)"]),
        ],
        "accurate": [
            (
                kinds | {"c": "int", "a": "int", "beta": "rat"},
                [*inside, "a >= 0", x, f"(x/(x + 1))**a <= beta{slack}"],
                ["M.d - M.cdf(c, min(c + a, n)) + M.cdf(c, max(c - a - 1, -1)) <= beta*M.d"],
            )
        ],
        "geometric": [
            (at, [*inside, "0 <= z <= n", x, a, *place], [_mass(bool(slack), mass)]) for place, mass in _masses(bool(slack))
        ],
        "monotone": [
            (
                kinds | {"c": "int", "u": "int", "v": "int"},
                [*inside, "1 <= u <= v", "v <= M.d"],
                ["M.apply(c, u) <= M.apply(c, v)"],
            )
        ],
    }
    need(kind in table, f"a claim of the kind {kind!r} is not known")
    return [{"for": for_, "where": where_, "then": then} for for_, where_, then in table[kind]]


def _masses(cut: bool) -> list[tuple[list[str], str]]:
    """Where z is, and (1+a) Pr[c + Z = z] there, Z clamped and perhaps cut off beyond +-t."""
    beyond = "a**(M.t + 1)" if cut else "0"
    found = [
        (["z == c", "1 <= c", "c <= n - 1"], f"1 + a - 2*(a - {beyond})"),
        (["z == c", "c <= 0"], f"1 + {beyond}"),
        (["z == c", "c >= n"], f"1 + {beyond}"),
    ]
    for order, j, end, inner in (("c < z", "z - c", "z >= n", "z <= n - 1"), ("z < c", "c - z", "z <= 0", "z >= 1")):
        near = [f"{j} <= M.t"] if cut else []
        found += [([order, inner, *near], f"(1 - a)*a**({j})"), ([order, end, *near], f"a**({j}) - {beyond}")]
        found += [([order, f"{j} > M.t"], "0")] if cut else []
    return found


def _mass(mixed: bool, mass: str) -> str:
    """That M gives z its probability, multiplied by the denominators."""
    difference = "(M.cdf(c, z) - M.cdf(c, z - 1))"
    return (
        f"(1 + a)*g*(n + 1)*{difference} == M.d*(1 + a + (g - 1)*(n + 1)*({mass}))"
        if mixed
        else f"(1 + a)*{difference} == M.d*({mass})"
    )


# Documents


def check(document: Any, root: Path | None = None, *, stale: bool = False) -> list[str]:
    """The claims that a document proves. Raises: Refused. With stale=True, code that changed is executed as it is now."""
    STEPS[0] = 0
    keys(document, ("format", "version", "title", "names", "proves", "code", "nodes", "sha256"))
    need(document["format"] == "finitedp proof" and document["version"] == 1, "this is no proof of version 1")
    need(
        stale or document["sha256"] == digest({k: v for k, v in document.items() if k != "sha256"}),
        "the hash is not that of the proof",
    )
    for name, full in mapping(document["names"]):
        need(
            name.isidentifier() and type(full) is str and name == full.rpartition(".")[2],
            f"the name {name!r} stands for another",
        )
        need(f"builtins.{name}" not in PRIMITIVES, f"the name {name!r} is built in")
    checker = Checker(document["names"], root or Path(__file__).resolve().parents[2])
    recorded = dict(mapping(document["code"]))
    try:
        for name, entry in recorded.items():
            keys(entry, ("sha256", "source"))
            need(entry["sha256"] == digest(entry["source"]), f"the hash of {name} is not that of its source")
            changed = None if stale else checker.library.changed(name, entry["source"])
            need(changed is None, f"{name} has changed since: {changed}")
        for node in listed(document["nodes"]):
            checker.node(node)
        checker.path = []
        missing = sorted(set(checker.library.used) ^ set(recorded))
        need(not missing, f"{missing[:1]} is executed and not recorded, or recorded and not executed")
        return [checker.claimed(claim) for claim in listed(document["proves"])]
    except Refused as error:
        raise Refused(" / ".join([*checker.path, str(error)])) from None
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        SyntaxError,
        TypeError,
        ValueError,
        MemoryError,
    ) as error:
        raise Refused(" / ".join([*checker.path[:20], f"{type(error).__name__}: {str(error)[:100]}"])) from None


def digest(value: Any) -> str:
    """The hash of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def read(path: Path) -> Any:
    """A JSON document."""
    need(path.stat().st_size <= MOST_BYTES, f"the file has more than {MOST_BYTES} bytes")
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Refused(f"this is no JSON document: {str(error)[:100]}") from None


def main(arguments: list[str]) -> int:
    """One line for each file: 0 where all are proofs."""
    bad = 0
    for path in arguments:
        try:
            print(f"{path}: proved: {', '.join(check(read(Path(path))))}")
        except (Refused, OSError) as error:
            bad += 1
            print(f"{path}: REFUSED: {error}")
    return 1 if bad or not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
