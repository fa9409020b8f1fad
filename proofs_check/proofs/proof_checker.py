"""Re-checks proofs for all parameters: python proof_checker.py PROOF.json...

It imports the standard library only, trusts no finder, and executes the functions that a proof names itself: it reads their
source beside it and runs it on polynomials instead of numbers, or on one label of a histogram, and asks the proof at each
comparison. A proof is a list of nodes; each states that hypotheses imply conclusions for all values of its variables. What a
claim of some kind means is written here, or derived here from the code; its nodes have to say just that.

The file is in the order of dependence, and each section begins with what it is trusted for. Besides, the Python semantics of
the few constructs that are executed are trusted, and that parameters are those that the classes accept.
"""

import ast
import difflib
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass, replace
from fractions import Fraction as Q
from functools import cache
from itertools import product
from keyword import iskeyword
from math import gcd
from pathlib import Path
from typing import Any, ClassVar

MOST_BYTES, MOST_TERMS, MOST_DEPTH, MOST_STEPS, MOST_POWER, MOST_BITS = 4_000_000, 3000, 120, 4_000_000, 40, 4000
STEPS = [0]
TOO_LONG = "a number is too long"
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError, MemoryError)


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


def stepped(steps: int = 1) -> None:
    """Count steps, and stop where there are too many."""
    STEPS[0] += steps
    need(STEPS[0] <= MOST_STEPS, "the proof takes too many steps")


# Terms: sums of rational coefficients times monomials, which are powers of atoms. An atom is ("v", name, kind),
# ("f", name, arguments, kind), ("p", base), ("div", a, b), ("bits", m), ("ln", t), ("sum", bound, body, low, high, kind) or
# ("loop", site, name, what it reads). Trusted for: equal terms have equal values wherever the powers in them have a meaning,
# that is, bases are positive or exponents are numbers of at least 0. Every caller of `raised` sees to that.

Mono = frozenset  # of (atom, exponent); an exponent is an int, or a Poly that is not constant
NOTHING: Any = Mono()


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
        stepped(1 + len(self.terms) * len(other.terms))
        terms: dict[Any, Q] = {}
        for a, c in self.terms.items():
            for b, d in other.terms.items():
                mono, e = _times(a, b, c * d)
                terms[mono] = terms.get(mono, 0) + e
        need(all(c.numerator.bit_length() + c.denominator.bit_length() <= 4 * MOST_BITS for c in terms.values()), TOO_LONG)
        return Poly(terms)

    def constant(self) -> Any:
        """Its value, where it has no variable."""
        return 0 if not self.terms else self.terms.get(NOTHING) if len(self.terms) == 1 else None


def number(value: Any) -> Poly:
    """A constant."""
    need(value.numerator.bit_length() + value.denominator.bit_length() <= MOST_BITS, TOO_LONG)
    return Poly({NOTHING: value.numerator if value.denominator == 1 else value})


def variable(atom: Any) -> Poly:
    """An atom as a polynomial."""
    return Poly({Mono(((atom, 1),)): 1})


ZERO, ONE = number(0), number(1)


def as_poly(exponent: Any) -> Poly:
    """An exponent as a polynomial."""
    return exponent if isinstance(exponent, Poly) else number(exponent)


def _times(a: Any, b: Any, c: Q) -> tuple[Any, Q]:
    """c a b, as a monomial and its coefficient."""
    if not a or not b:
        return a or b, c
    powers, simple = dict(a), True
    for atom, e in b:
        other = powers.get(atom)
        whole = other is None or (isinstance(e, int) and isinstance(other, int))
        powers[atom] = e if other is None else e + other if whole else as_poly(e) + as_poly(other)
        simple = simple and whole and powers[atom] != 0
    return (Mono(powers.items()), c) if simple else _product(powers, c)


def _product(powers: dict[Any, Any], c: Any) -> tuple[Any, Q]:
    """The product of c and powers of atoms: exponents that are constant are ints, and b^(L + 3) of a number b is b^3 b^L."""
    kept: dict[Any, Any] = {}
    for atom, power in powers.items():
        e = as_poly(power)
        base = atom[1].constant() if atom[0] == "p" else None
        if base is not None:
            free, size = e.terms.get(NOTHING, 0), base.numerator.bit_length() + base.denominator.bit_length()
            need(free.denominator == 1 and abs(free) * size <= MOST_BITS, "a power is too large, or none")
            c, e = c * Q(base) ** int(free), e - number(free)
        value = e.constant()
        need(value is None or (value.denominator == 1 and abs(value) <= MOST_BITS), "an exponent is no integer, or too large")
        if value != 0:
            kept[atom] = e if value is None else int(value)
    return Mono(kept.items()), c


def _term(powers: dict[Any, Any]) -> Poly:
    return Poly(dict([_product(powers, 1)]))


def raised(base: Poly, e: Poly) -> Poly:
    """base^e; the base is positive unless e is a constant of at least 0, which the caller has checked."""
    value, result = e.constant(), ONE
    need(value is None or value.denominator == 1, "an exponent is no integer")
    if len(base.terms) == 1:
        ((mono, c),) = base.terms.items()
        return _term({atom: as_poly(f) * e for atom, f in mono}) * (ONE if c == 1 else _term({("p", number(c)): e}))
    if value is None or value < 0:
        return _term({("p", base): e})
    need(value <= MOST_POWER, "a power is too large to be multiplied out")
    for _ in range(int(value)):
        result = result * base
    return result


def collected(poly: Poly) -> Poly:
    """The same value, where of the powers (a + b)^(L + i) the least is a common factor, and the rest is multiplied out."""
    if poly.whole is None:
        whole = poly
        for base in {atom for mono in poly.terms for atom, _ in mono if atom[0] == "p" and atom[1].constant() is None}:
            whole = _collected(whole, base)
        poly.whole = whole
    return poly.whole


def _collected(poly: Poly, base: Any) -> Poly:
    terms, alike = dict[Any, Q](), dict[Poly, list[Any]]()  # by the exponent of the base without its number
    for mono, c in poly.terms.items():
        e = as_poly(dict(mono).get(base, 0))
        free = e.terms.get(NOTHING, 0)
        alike.setdefault(e - number(free) if free else e, []).append((mono, c, free))
    for shape, parts in alike.items():
        least = number(min(free for _, _, free in parts))
        for mono, c, free in parts:
            found = {mono: c}
            if len(parts) > 1:
                rest = Poly({Mono(power for power in mono if power[0] != base): c})
                found = (rest * raised(base[1], number(free) - least) * _term({base: shape + least})).terms
            for m, d in found.items():
                terms[m] = terms.get(m, 0) + d
    return Poly(terms)


def single_atom(poly: Poly) -> Any:
    """The atom that a polynomial is, or None."""
    found = [atom for mono in poly.terms for atom, _ in mono]
    return found[0] if len(found) == 1 and poly == variable(found[0]) else None


SHOWN = {"v": "{0}", "p": "({0})", "div": "(({0})//({1}))", "bits": "({0}).bit_length()", "ln": "ln({0})", "f": "{0}({1})"}
SHOWN |= {"sum": "Sum({0}, {2}, {3}, {1})", "loop": "<the loop's {1}>"}


def shown(poly: Poly, env: dict[str, Any]) -> str:
    """A polynomial as an expression; atoms that a name stands for are shown by it."""
    names = {single_atom(value): name for name, value in env.items() if isinstance(value, Poly)}

    def part(value: Any) -> str:
        listed = isinstance(value, tuple) and all(isinstance(one, Poly) for one in value)
        return of(value) if isinstance(value, Poly) else ", ".join(map(of, value)) if listed else str(value)

    def one(atom: Any) -> str:
        stepped(50)  # what is within many others is shown as often
        bound = (atom[1][1], *atom[2:]) if atom[0] == "sum" else atom[1:]
        return names[atom] if atom in names else SHOWN[atom[0]].format(*map(part, bound)).replace("$", "i")

    def of(p: Poly) -> str:
        found = []
        for mono, c in p.terms.items():
            powers = sorted(one(atom) + (f"**({of(as_poly(e))})" if e != 1 else "") for atom, e in mono)
            size = [] if abs(c) == 1 and powers else [str(abs(c)) if c.denominator == 1 else f"({abs(c)})"]
            found.append((c < 0, "*".join(size + powers)))
        text = "".join((" - " if below else " + ") + term for below, term in sorted(found))
        return ("-" + text[3:] if text.startswith(" -") else text[3:]) or "0"

    return of(poly)


# Values that are no polynomials, and how values are told from each other and rewritten. Trusted for: `replaced` puts the same
# value for a variable everywhere, `atoms` misses none of a term, and `key` tells different values apart.


class Lambda:
    """A function with the environment in which it was made."""

    def __init__(self, node: Any, env: dict[str, Any], module: str | None) -> None:
        self.node, self.names, self.module = node, [a.arg for a in node.args.args], module
        self.env = {name: env[name] for name in _read(node.body) - set(self.names) if name in env}

    def key(self) -> Any:
        """The text of the body with its names numbered, and what those that are bound outside mean."""
        need(not any(isinstance(n, ast.Lambda) for n in ast.walk(self.node.body)), "a loop reads a lambda that makes others")
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


@dataclass(eq=False)
class Record:
    """An object: its class, and its fields."""

    cls: str
    fields: dict[str, Any]


@dataclass(eq=False)
class Symbol:
    """An unknown function of integers, of which only the hypotheses tell something."""

    name: str
    arity: int
    kind: str


@dataclass(eq=False)
class Code:
    """A function or class, by its qualified name; no node where it is none of finitedp. bound: what it is a method of."""

    name: str
    node: Any = None
    bound: Any = None


def key(value: Any) -> Any:
    """A value as something hashable that tells it from others."""
    if isinstance(value, Lambda):
        return value.key()
    if isinstance(value, Record):
        return ("record", value.cls, tuple(sorted((k, key(v)) for k, v in value.fields.items())))
    if isinstance(value, Symbol):
        return ("symbol", value.name)
    need(value is None or isinstance(value, Poly | bool | tuple | str), "a loop reads what cannot be told from others")
    return value


def replaced(value: Any, old: Any, new: Poly) -> Any:
    """A value with a variable's atom replaced by a polynomial."""
    stepped()
    if isinstance(value, Poly):
        total = ZERO
        for mono, c in value.terms.items():
            term = number(c)
            for atom, e in mono:
                term = term * raised(_replaced(atom, old, new), replaced(as_poly(e), old, new))
            total = total + term
        return total
    if isinstance(value, tuple):
        return tuple(replaced(v, old, new) for v in value)
    if isinstance(value, dict):
        return {k: replaced(v, old, new) for k, v in value.items()}
    need(not isinstance(value, Lambda | Code), "a variable is set where a lambda may hold it")
    return Record(value.cls, replaced(value.fields, old, new)) if isinstance(value, Record) else value


def _replaced(atom: Any, old: Any, new: Poly) -> Any:
    """An atom with a variable replaced; of a power its base, and of a number its bit length."""
    if atom == old or atom[0] == "v":
        return new if atom == old else variable(atom)
    need(atom[0] != "sum" or atom[1] != old, "a variable is set that a Sum binds")
    found = replaced(atom, old, new)
    value = found[1].constant() if atom[0] == "bits" else None
    if value is not None and value >= 0:
        return number(int(value).bit_length())
    return found[1] if atom[0] == "p" else variable(found)


def atoms(value: Any) -> Iterator[Any]:
    """All atoms in a term, those inside of others too."""
    stepped()
    if isinstance(value, Poly):
        for mono in value.terms:
            for atom, e in mono:
                yield atom
                yield from atoms((*atom[1:], e))
    elif isinstance(value, tuple):
        for part in value:
            yield from atoms(part)


# Sequents: what is known, and what is to be shown. Trusted for: `holds`, `decide` and `sign` say yes only of what follows from
# the facts, for all values of the variables that satisfy them.

Fact = tuple[Poly, str]  # poly >= 0, poly > 0 or poly == 0, by the sign's text ">=", ">", "=="


@cache
def parsed(text: str) -> Any:
    """An expression of the statement language."""
    need(len(text) <= MOST_TERMS and text.isascii(), "an expression is too long, or not ASCII")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError) as error:
        raise Refused(f"{text[:60]!r} is no expression") from error


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """For all its variables, `where` implies `then`. The names that it reads otherwise are in env."""

    variables: dict[str, str]
    where: list[Any]
    then: list[str]
    env: dict[str, Any]


def hypothesis(document: dict[str, Any], env: dict[str, Any]) -> Hypothesis:
    """A hypothesis as a document writes it, where its names mean what they mean in env."""
    variables, where, then = document["for"], document["where"], document["then"]
    read = frozenset[str]().union(*(_read(parsed(text)) for text in (*where, *then)))
    kept = {name: value for name, value in env.items() if name in read and name not in variables}
    return Hypothesis(variables, where, then, kept)


@dataclass(frozen=True, eq=False)
class Goal:
    """Conclusions, and the names in them; before, the statements of a loop's body may run, which give names other values."""

    texts: list[str]
    env: dict[str, Any]
    body: Callable[["Run"], dict[str, Any]] | None = None


class Sequent:
    """Facts, hypotheses that have variables of their own, what names mean, and the goal."""

    def __init__(self, checker: "Checker", env: dict[str, Any], goal: Goal) -> None:
        self.checker, self.env, self.goal = checker, env, goal
        self.facts: list[Fact] = []
        self.signs: dict[Any, str] = {}
        self.whole: set[Poly] = set()  # what is an integer by a hypothesis
        self.hypotheses: dict[str, Hypothesis] = {}

    def copy(self, goal: Goal | None = None) -> "Sequent":
        """The same, to be changed."""
        new = Sequent(self.checker, dict(self.env), goal or self.goal)
        new.facts, new.signs = list(self.facts), dict(self.signs)
        new.whole, new.hypotheses = set(self.whole), dict(self.hypotheses)
        return new

    def add(self, fact: Fact) -> None:
        """Know something more. An equality is two facts, and where an integer is above 0, it is at least 1."""
        poly, kind = fact
        if kind == "==":
            self.add((poly, ">="))
            self.add((-poly, ">="))
            return
        if kind == ">" and self.is_whole(poly):
            poly, kind = poly - ONE, ">="
        if (poly, kind) not in self.facts:
            self.facts.append((poly, kind))
        free = poly.terms.get(NOTHING, 0)
        atom = single_atom(poly - number(free))
        if atom and free <= 0:
            self.signs[atom] = ">" if free < 0 or ">" in (kind, self.signs.get(atom)) else ">="

    def is_whole(self, poly: Poly) -> bool:
        """Whether a polynomial is surely an integer: it is known to be one, or its coefficients, atoms and powers are."""
        return poly in self.whole or all(self._whole_term(mono, c) for mono, c in poly.terms.items())

    def _whole_term(self, mono: Any, c: Q) -> bool:
        rest = c.denominator
        for atom, power in mono:
            e, base = as_poly(power), atom[1].constant() if atom[0] == "p" else None
            while base is not None and base.denominator == 1 and gcd(rest, int(base)) > 1:  # 2^e / 4 is one where e >= 2
                rest, e = rest // gcd(rest, int(base)), e - ONE
            inside = self.is_whole(atom[1]) if atom[0] == "p" else atom[-1] == "int" or atom[0] in ("div", "bits")
            whole = inside or variable(atom) in self.whole
            value = e.constant()
            if not whole or not (value >= 0 if value is not None else self.is_whole(e) and self.holds((e, ">="))):
                return False
        return rest == 1

    def sign(self, poly: Poly) -> str | None:
        """Which of > and >= a polynomial shows: no coefficient is negative, and no monomial of unknown sign; or None."""
        positive = False
        for mono, c in collected(poly).terms.items():
            known = [">" if atom[0] == "p" else self.signs.get(atom, ">=" if atom[0] == "bits" else None) for atom, _ in mono]
            if c < 0 or None in known:
                return None
            positive = positive or ">=" not in known
        return ">" if positive else ">="

    def holds(self, fact: Fact) -> bool:
        """Whether a comparison is manifest, or follows from one fact."""
        poly, kind = fact
        if kind == "==":
            return self.holds((poly, ">=")) and self.holds((-poly, ">="))
        sign = self.sign(poly)
        if sign is not None and (kind == ">=" or sign == ">"):
            return True
        for known, strict in self.near(poly):
            sign = self.sign(poly - known)
            if sign is not None and (kind == ">=" or ">" in (sign, strict)):
                return True
        return kind == ">" and self.is_whole(poly) and self.holds((poly - ONE, ">="))

    def near(self, poly: Poly) -> list[Fact]:
        """The facts of which each might show by itself that a polynomial is at least 0: they have what is negative in it."""
        sums = [(mono, c) for mono, c in poly.terms.items() if c < 0 and mono]
        below = [(mono, c) for mono, c in sums if not any(a[0] == "p" and len(a[1].terms) > 1 for a, _ in mono)]
        near = [fact for fact in self.facts if all(fact[0].terms.get(mono, 0) <= c for mono, c in below)]
        return [fact for fact in near if below or not poly.terms.keys().isdisjoint(fact[0].terms)]

    def decide(self, fact: Fact) -> bool:
        """Whether a comparison is true, or false. Raises: Undecided."""
        poly, kind = fact
        if self.holds(fact):
            return True
        if any(self.holds(other) for other in self.others(fact)):
            return False
        raise Undecided(poly, kind, f"{shown(poly, self.env)} {kind} 0")

    def others(self, fact: Fact) -> list[Fact]:
        """The comparisons of which one holds where this one does not."""
        poly, kind = fact
        return [(poly, ">"), (-poly, ">")] if kind == "==" else [self.negated(fact)]

    def negated(self, fact: Fact) -> Fact:
        """What holds where a comparison does not."""
        need(fact[1] != "==", "a case cannot be whether two numbers are equal: ask for <= and >=")
        return (-fact[0], ">" if fact[1] == ">=" else ">=")

    def replace(self, atom: Any, new: Poly) -> None:
        """Put a polynomial for a variable, everywhere."""
        goal = self.goal
        need(goal.body is None, "a variable is set before a loop's body has run")
        facts = [(replaced(poly, atom, new), kind) for poly, kind in self.facts]
        self.env, self.goal = replaced(self.env, atom, new), Goal(goal.texts, replaced(goal.env, atom, new))
        self.hypotheses = {k: replace(h, env=replaced(h.env, atom, new)) for k, h in self.hypotheses.items()}
        self.whole = {replaced(poly, atom, new) for poly in self.whole}
        self.facts, self.signs = [], {}
        for fact in facts:
            self.add(fact)


# The source that is executed. Trusted for: a qualified name leads to the definition that Python would run, by way of imports,
# or is refused; what was executed or taken at its word is noted in `used`, and compared with what the document recorded. What
# is taken at its word is not executed: somebody has read the text that has this hash, and the checker says what it does.

TAKEN = {
    "finitedp.exact.integer": "1b9b0c9cbeabc217a4b4e072998989ee",
    "finitedp.exact.unit_fraction": "0ce4b3efb3ce1c3115ea088b3a8d8b24",
    "finitedp.exact.rational": "13be65f395f13c8d29bec7466a6e7000",
    "finitedp.impl.counting.geometric._remembered": "6973059264400e9508b143b03f7b4762",
    "finitedp.impl.counting.geometric.checked_mechanism": "10099f121b36e5699a65d01102181dec",
    "finitedp.impl.counting.dyadic_bulk.release_array": "2c06bf65f0cacd2cf8c9331fd40dc722",
    "finitedp.impl.counting.dyadic_bulk._released": "df4969d08051e8aaad0bfdc27a384f4f",
    "finitedp.impl.counting.dyadic_bulk._by_chunks": "9e84fb19f0efea2be78290820c993409",
    "finitedp.impl.counting.dyadic_bulk.random_words": "a2cb13076f1f0efd5d9e755ef10626fc",
    "finitedp.impl.counting.dyadic_bulk.checked_counts": "c031b8c6d01b04ec123e8a4c1a8d63cc",
    "finitedp.impl.histograms.dyadic._padded": "7be81b6deed7ff2aee25ea15cd10177e",
    "finitedp.impl.histograms.dyadic.total": "b827b21c3cd3c3624582cd57a3589dbb",
    "finitedp.data.frames.LabelCounts.dense": "b37e6abfbc11ac1623511cf26c47eaec",
    "finitedp.claim.PrivacyClaim": "0eca66712fcf909b0edc745bafc7d655",
    "finitedp.data.noisy_histogram.NoisyHistogram": "b732b6f9af6c614b6040901f4695c8ad",
}


class Library:
    """The modules of finitedp as they stand on the disk."""

    def __init__(self, root: Path) -> None:
        self.root, self.used, self.text = root, dict[str, str](), dict[str, str]()
        self.module = cache(self._module)

    def _module(self, name: str) -> dict[str, tuple[str, Any]]:
        """What the names of a module mean: ("here", definition), ("import", qualified name) or ("other", value)."""
        known = name.startswith("finitedp.") and name.replace(".", "").replace("_", "").isalnum()
        need(known, f"{name} is no module of finitedp")
        parts = name.split(".")[1:]
        paths = [self.root.joinpath(*above, *parts).with_suffix(".py") for above in ((), ("src", "finitedp"))]
        found = [path for path in paths if path.is_file()]
        two = len({path.resolve() for path in found}) != 1 or any(path.with_suffix("").is_dir() for path in paths)
        need(not two, f"there is no module {name}, or two of the name")
        self.text[name] = found[0].read_text(encoding="utf-8")
        names: dict[str, tuple[str, Any]] = {}
        tree = ast.parse(found[0].read_bytes())  # as Python does, which may be told of another encoding
        binary = [path for path in found[0].parent.glob(f"{found[0].stem}.*") if path.suffix in (".so", ".pyd")]
        need(not binary, f"there is no module {name}, or two of the name")
        need(not any(isinstance(n, ast.Global) for n in ast.walk(tree)), f"{name} changes its names in functions")
        for node in tree.body:
            for one, what in self._bound(name, node, names):
                known = one not in names and (not one.startswith("__") or one == "__all__") and one != "*"  # __builtins__
                need(known, f"{name}.{one} is defined twice, or is no name")
                names[one] = what
        for n in _at_import(tree):
            stored = isinstance(n, ast.NamedExpr) or (
                isinstance(n, ast.Attribute | ast.Subscript) and type(n.ctx) is not ast.Load
            )
            called = [n.func] if isinstance(n, ast.Call) else getattr(n, "decorator_list", [])
            hook: Any = isinstance(n, ast.ClassDef) and n.keywords
            hook = hook or (isinstance(n, ast.FunctionDef) and n.name in HOOKS)
            frozen = isinstance(n, ast.Call) and names.get(ast.unparse(n.func)) == ("import", "attrs.frozen")
            hook = hook or (frozen and (n.args or not {k.arg for k in n.keywords} <= {"slots", "eq"}))
            known = not hook and not stored and all(isinstance(f, ast.Call) or _harmless(f, names) for f in called)
            need(known, f"line {getattr(n, 'lineno', 0)} of {name} might change what its names mean")
        return names

    def _bound(self, module: str, node: Any, names: dict[str, Any]) -> list[tuple[str, tuple[str, Any]]]:
        """What a statement of a module binds. A stub for types, and what only a checker of types runs, bind nothing."""
        at = f"line {node.lineno} of {module}"
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            stub = [ast.unparse(d) for d in node.decorator_list] == ["overload"] and node.name not in names
            return [] if stub and names.get("overload") == ("import", "typing.overload") else [(node.name, ("here", node))]
        if isinstance(node, ast.ImportFrom):
            need(not node.level and node.module, f"{at} imports from where it stands")
            return [(a.asname or a.name, ("import", f"{node.module}.{a.name}")) for a in node.names]
        if isinstance(node, ast.Import):
            first = [a.name.partition(".")[0] for a in node.names]
            pairs = zip(node.names, first, strict=True)
            return [(a.asname or one, ("import", a.name if a.asname else one)) for a, one in pairs]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            need(all(isinstance(target, ast.Name) for target in targets), f"{at} binds no name")
            return [(ast.unparse(target), ("other", node.value)) for target in targets]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse:
            need(names.get("TYPE_CHECKING") == ("import", "typing.TYPE_CHECKING"), f"{at} might change what its names mean")
            return []
        known = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        need(known, f"{at} might change what its names mean")
        return []

    def find(self, name: str) -> Code:
        """A function, class or constant by its qualified name, by way of imports; what is not of finitedp has no node."""
        module, _, last = name.rpartition(".")
        if not name.startswith("finitedp."):
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
        found = [n for n in self.find(cls).node.body if isinstance(n, ast.FunctionDef) and n.name == name]
        need(len(found) <= 1, f"{cls}.{name} is defined twice")
        if not found:
            return None
        how = [ast.unparse(d) for d in found[0].decorator_list]
        meant = {"property": None, "cached_property": ("import", "functools.cached_property")}
        names = self.module(cls.rpartition(".")[0])
        known = not how or (len(how) == 1 and how[0] in meant and names.get(how[0]) == meant[how[0]])
        need(known, f"{cls}.{name} has a decorator that is not known")
        return ("property" if how else "method"), found[0]

    def members(self, code: Code) -> dict[str, Any]:
        """The fields and methods of a frozen class of attrs, whose attributes are what it says. Raises: Refused, of others."""
        node, meant = code.node, self.module(code.name.rpartition(".")[0])
        frozen: list[Any] = [(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        options = [
            getattr(k, "arg", k) for d in node.decorator_list if isinstance(d, ast.Call) for k in (*d.args, *d.keywords)
        ]
        known = len(frozen) == 1 and isinstance(frozen[0], ast.Name) and not node.keywords and set(options) <= {"slots"}
        known = known and meant.get(frozen[0].id) == ("import", "attrs.frozen")
        generic = [ast.unparse(base) for base in node.bases] == ["Generic[L]"]
        known = known and (not node.bases or (generic and meant.get("Generic") == ("import", "typing.Generic")))
        need(known, f"{code.name} is no plain class of attrs")
        found = dict[str, Any]()
        outside = [n for n in _at_import(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        typed = {id(n) for part in node.body for n in _types(part)}
        read = {n.id for n in outside if id(n) not in typed}
        for part in node.body:
            if isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
                continue
            if isinstance(part, ast.FunctionDef):
                name, known = part.name, part.name == "__attrs_post_init__" and not _writes(part)
                need(known or not name.startswith("__"), f"{code.name}.{name} may do anything")
            else:
                known = isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
                known = known and not part.target.id.startswith("_") and "ClassVar" not in ast.unparse(part.annotation)
                need(known, f"{code.name} has other than fields and methods")
                name = part.target.id
            need(name not in found, f"{code.name} has two things of one name")
            found[name] = part
        need(not read & set(found), f"{code.name}.{min(read & set(found), default='')} has the name of what the class reads")
        return found

    def fields(self, code: Code) -> dict[str, Any]:
        """The fields of a class of attrs, in order, with their converters or None. Raises: Refused where it has more."""
        members = self.members(code).items()
        return {name: self._converter(part, code.name) for name, part in members if isinstance(part, ast.AnnAssign)}

    def _converter(self, part: Any, cls: str) -> Code | None:
        """The converter of a field, which may have a constant as its default instead."""
        if part.value is None or isinstance(part.value, ast.Constant):
            return None
        module = cls.rpartition(".")[0]
        given = {k.arg: k.value for k in part.value.keywords} if isinstance(part.value, ast.Call) else {}
        known = given and ast.unparse(part.value.func) == "field" and not part.value.args and set(given) == {"converter"}
        known = known and self.module(module).get("field") == ("import", "attrs.field")
        need(known, f"the field {part.target.id} of {cls} is not known")
        return self.find(f"{module}.{ast.unparse(given['converter'])}")

    def use(self, name: str, node: Any = None) -> None:
        """Note that a function is executed, or taken at its word: then it must be the one that is known."""
        if name.startswith("finitedp.") and name not in self.used:
            source = plain(self.named(name) if node is None else node)
            self.used[name] = source
            need(
                name not in TAKEN or TAKEN[name] == fingerprint(source)[:32],
                f"{name} is taken at its word, and is another one",
            )

    def changed(self, name: str, source: str) -> str | None:
        """How the source of a function differs from the one recorded; None where it does not, but for comments and types."""
        node = self.named(name)
        now = plain(node)
        if fingerprint(source) == fingerprint(now):
            return None
        differ = [line for line in difflib.ndiff(source.splitlines(), now.splitlines()) if line[0] in "-+"]
        was, new = (next((line[2:].strip() for line in differ if line[0] == sign), "nothing") for sign in "-+")
        known = {ast.unparse(part) for part in ast.walk(ast.parse(source)) if isinstance(part, ast.stmt)}
        parts = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and ast.unparse(n) not in known and n is not node]
        texts = [n for n in parts if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))] or [node]
        return f"line {texts[-1].lineno} is {new[:100]!r} and was {was[:100]!r} ({len(differ)} lines differ)"

    def named(self, name: str) -> Any:
        """The definition of a function, class or method."""
        outer, _, last = name.rpartition(".")
        if outer.rpartition(".")[2][:1].isupper():
            found = self.method(outer, last)
            need(found, f"{name} is not there")
            return found[1]  # type: ignore[index]
        return self.find(name).node


AT_IMPORT = {  # what may be called where a module is imported
    *("attrs.field", "attrs.frozen", "functools.cached_property", "functools.lru_cache", "gmpy2.mpq", "re.compile"),
    *("typing.TypeVar", "typing.overload"),
}


HOOKS = ("__init_subclass__", "__class_getitem__", "__set_name__", "__prepare__")  # what Python calls where none is seen


def _at_import(node: Any) -> Iterator[Any]:
    """What is executed where a module is imported: all but the bodies of functions."""
    yield node
    for name, parts in ast.iter_fields(node):
        for part in parts if isinstance(parts, list) else [parts]:
            if isinstance(part, ast.AST) and not (name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda)):
                yield from _at_import(part)


def _types(node: Any) -> Iterator[Any]:
    """What stands in the annotations of a field or method."""
    for n in ast.walk(node):
        for part in (getattr(n, "annotation", None), getattr(n, "returns", None)):
            yield from ast.walk(part) if part is not None else ()


def _harmless(function: Any, names: dict[str, Any]) -> bool:
    """Whether a function that is called at import is known to change nothing."""
    first, dot, rest = ast.unparse(function).partition(".")
    kind, name = names.get(first, ("", first))
    return (
        name + dot + rest in AT_IMPORT if kind == "import" else not kind and name + dot + rest in ("property", "classmethod")
    )


def _writes(node: Any) -> bool:
    """Whether a method might change an object."""
    named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & {"object", "setattr", "vars", "super"}
    reads = [n.value for n in ast.walk(node) if isinstance(n, ast.Attribute)]
    given = any(isinstance(n, ast.Name) and n.id == "self" and n not in reads for n in ast.walk(node))
    stored = any(isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load) for n in ast.walk(node))
    return (
        bool(named) or given or stored or any(isinstance(n, ast.Attribute) and n.attr.startswith("__") for n in ast.walk(node))
    )


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


def fingerprint(source: str) -> str:
    """The hash of what a source says, which is the same for each version of Python."""

    def said(value: Any) -> Any:
        if isinstance(value, ast.AST):
            fields = [[name, said(part)] for name, part in ast.iter_fields(value) if part is not None and part != []]
            return [type(value).__name__, *fields]
        return [said(part) for part in value] if isinstance(value, list) else repr(value)

    return digest(said(ast.parse(source)))


def digest(value: Any) -> str:
    """The hash of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@cache
def _stored(node: Any) -> frozenset[str]:
    """The names to which a function gives values."""
    handlers = frozenset(n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler) and n.name)
    return handlers | frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


@cache
def _makes(node: Any) -> bool:
    """Whether a function makes others."""
    return any(isinstance(n, ast.Lambda | ast.FunctionDef) for n in ast.walk(node) if n is not node)


@cache
def _hides(node: Any) -> bool:
    """Whether a function binds names in expressions, or elsewhere; or is a generator; or has names that a class mangles."""
    hides: tuple[Any, ...] = (
        ast.NamedExpr,
        ast.Nonlocal,
        ast.Global,
        ast.Import,
        ast.ImportFrom,
        ast.ClassDef,
        ast.Match,
        ast.Yield,
    )
    hides += (ast.YieldFrom, ast.FunctionDef, ast.AsyncFunctionDef)
    inside = [n for n in ast.walk(node) if n is not node]
    names = [getattr(n, field, None) or "" for n in inside for field in ("id", "attr", "arg")]
    return any(isinstance(n, hides) for n in inside) or any(x.startswith("__") and not x.endswith("__") for x in names)


# Execution on numbers. Trusted for: the value of an expression or function is what Python gives for all integers and rationals
# that the variables may be; where that depends on a comparison, the sequent decides it, or Undecided is raised.

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
STATED = ("ln", "integer", "Sum", "Some", "Raises", "Comparisons")  # what only statements may speak of
RANGE = object()  # what a range begins with: (RANGE, low, high, whether it is reversed)


class Returned(Exception):  # noqa: N818  # how a function ends
    """The value of a function."""


def is_boolean(node: Any) -> bool:
    """Whether an expression is a condition by its form."""
    return isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


class Run:
    """Executes expressions and statements on polynomials, in a sequent that decides comparisons."""

    known: ClassVar[
        dict[str, str]
    ] = {  # what is not executed, by its qualified name, or <what it is a method of>: the method that gives its value
        **{f"builtins.{name}": f"_{name}" for name in ("int", "min", "max", "abs", "range", "reversed", "ln", "Some")},
        **{f"builtins.{name}": f"_{name.lower()}" for name in ("Sum", "Raises", "Comparisons")},
        "builtins.integer": "_is_integer",
        "gmpy2.mpz": "_int",
        "gmpy2.mpq": "_mpq",
        "<number>.bit_length": "_bit_length",
        **{f"finitedp.exact.{name}": f"_{name}" for name in ("integer", "unit_fraction")},
        **{f"finitedp.impl.counting.geometric.{name}": "_first" for name in ("_remembered", "checked_mechanism")},
    }

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.library, self.names = sequent, sequent.checker.library, sequent.checker.names
        self.depth, self.loops = 0, list[Any]()
        self.counted: int | None = None  # where comparisons are counted, how many there were
        self.properties: dict[tuple[int, str], tuple[Any, Any]] = {}  # of objects, within one evaluation

    # expressions

    def value(self, node: Any, env: dict[str, Any], module: str | None = None) -> Any:
        """The value of an expression; module is None in statements, else where the code stands."""
        stepped()
        if isinstance(node, ast.Constant):
            return self.literal(node.value)
        if isinstance(node, ast.Name):
            need(module is not None or env.get(node.id, ZERO) is not None, f"{node.id!r} is no number")  # or no longer
            return env[node.id] if node.id in env else self.named(node.id, module)
        if isinstance(node, ast.Tuple):
            return tuple(self.value(part, env, module) for part in node.elts)
        if isinstance(node, ast.IfExp):
            return self.choice(node, env, module)
        if isinstance(node, ast.Subscript):
            return self.item(self.value(node.value, env, module), self.value(node.slice, env, module))
        if is_boolean(node):
            return self.condition(node, env, module)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.poly(node.operand, env, module)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
            left, right = self.value(node.left, env, module), self.value(node.right, env, module)
            return self.operation(OPERATIONS[type(node.op)], left, right, module)
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value, env, module), node.attr)
        if isinstance(node, ast.Call):
            return self.call(node, env, module)
        return self.other(node, env, module)

    def literal(self, value: Any) -> Any:
        """A constant."""
        need(type(value) in (int, bool), "a constant is no integer")
        return number(value) if type(value) is int else value

    def other(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A lambda."""
        need(isinstance(node, ast.Lambda), f"{ast.unparse(node)[:60]!r} is nothing that can be executed here")
        names = {a.arg for a in node.args.args}
        known = not unusual(node.args) and not node.args.defaults and len(names) == len(node.args.args)
        need(known, "a lambda has other than plain arguments")
        return Lambda(node, env, module)

    def choice(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A conditional expression."""
        return self.value(node.body if self.true(node.test, env, module) else node.orelse, env, module)

    def item(self, whole: Any, place: Any) -> Any:
        """A tuple's part."""
        index = as_number(place).constant()
        known = is_tuple(whole) and index is not None and index in range(len(whole))
        need(known, "an index is not known, or out of range")
        return whole[int(index)]

    def poly(self, node: Any, env: dict[str, Any], module: str | None) -> Poly:
        """The value of an expression that must be a number."""
        return as_number(self.value(node, env, module), ast.unparse(node)[:60])

    def named(self, name: str, module: str | None) -> Any:
        """What a name means that is not bound: something of the module, what the document declares, or what is built in."""
        if module is not None and name in self.library.module(module):
            return self.constant(self.library.find(f"{module}.{name}"))
        if module is None and name in self.names:
            return self.library.find(self.names[name])
        need(f"builtins.{name}" in self.known, f"the name {name!r} means nothing here")
        need(module is None or name not in STATED, f"the name {name!r} means nothing in code")
        return Code(f"builtins.{name}")

    def constant(self, code: Code) -> Any:
        """A constant of a module is its value; all else is itself."""
        return self.value(code.node.body, {}, code.name.rpartition(".")[0]) if isinstance(code.node, ast.Lambda) else code

    def operation(self, sign: str, x: Any, y: Any, module: str | None) -> Any:
        """An operation of two numbers, with the meaning that Python gives it on integers and rationals."""
        a, b = as_number(x), as_number(y)
        if sign in "+-*":
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        if sign == "**":
            return self.power(a, b, module)
        if sign == "/":
            need(module is None, "code divides with a remainder left to floats")
            return self._mpq(a, b)
        if sign in ("<<", ">>"):
            need(self.sequent.is_whole(b), "a shift is not surely an integer")
            return self.operation("*" if sign == "<<" else "//", a, self.power(number(2), b, "code"), module)
        need(self.sequent.is_whole(a) and self.sequent.is_whole(b), "// or % of what is not surely an integer")
        need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
        i, j = a.constant(), b.constant()
        quotient = number(i // j) if i is not None and j is not None else a if j == 1 or i == 0 else variable(("div", a, b))
        return quotient if sign == "//" else a - b * quotient

    def power(self, a: Poly, b: Poly, module: str | None) -> Poly:
        """a ** b. In code an exponent that is not surely at least 0 must be decided to be."""
        value = b.constant()
        need(self.sequent.is_whole(b), "an exponent is not surely an integer")
        if module is not None:
            need(self.sequent.decide((b, ">=")), "code raises an integer to a negative power here")
        need((value is not None and value >= 0) or self.sequent.sign(a) == ">", "a base is not manifestly positive")
        return raised(a, b)

    def condition(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """The value of a comparison, or of several."""
        return self.true(node, env, module)

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
        return self.sequent.decide(_fact(*pair))

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
                return Code("<number>.bit_length", bound=value)
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
            before = self.counted
            self.properties[id(value), name] = (value, self.run(method, [value], {}))
            need(self.counted == before, f"the comparisons of a property, {name!r}, are not counted")  # it may run again
        return self.properties[id(value), name][1]

    def call(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A call: of a lambda, an unknown function, a function or class of the library, or of what is known."""
        special = {"Sum": self.sum, "Raises": self.raises, "Comparisons": self.comparisons} if module is None else {}
        if isinstance(node.func, ast.Name) and node.func.id in special and node.func.id not in env:
            return special[node.func.id](node, env)
        function = self.value(node.func, env, module)
        arguments = [self.argument(part, env, module) for part in node.args]
        need(len({part.arg for part in node.keywords}) == len(node.keywords), "an argument is given twice")
        return self.applied(
            function, arguments, {part.arg or "": self.value(part.value, env, module) for part in node.keywords}
        )

    def argument(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """The value of an argument, which may be a text."""
        text = isinstance(node, ast.Constant) and type(node.value) is str and module is not None
        return node.value if text else self.value(node, env, module)

    def applied(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value of a call."""
        if isinstance(function, Lambda):
            need(len(arguments) == len(function.names) and not named, "a lambda has another number of arguments")
            env = function.env | dict(zip(function.names, arguments, strict=True))
            return self.deeper(lambda: self.value(function.node.body, env, function.module))
        if isinstance(function, Symbol):
            need(len(arguments) == function.arity and not named, f"{function.name} has another number of arguments")
            whole = all(isinstance(a, Poly) and self.sequent.is_whole(a) for a in arguments)
            need(whole, f"an argument of {function.name} is not surely an integer")
            return variable(("f", function.name, tuple(arguments), function.kind))
        need(isinstance(function, Code), "what is called is no function")
        given = arguments if function.bound is None else [function.bound, *arguments]
        if function.name in self.known:
            self.library.use(function.name)
            return getattr(self, self.known[function.name])(*given, **named)
        if isinstance(function.node, ast.ClassDef):
            return self.made(function, arguments, named)
        need(isinstance(function.node, ast.FunctionDef), f"{function.name} is not known here")
        return self.run(function, given, named)

    def made(self, cls: Code, arguments: list[Any], named: dict[str, Any]) -> Record:
        """An object of a class of attrs."""
        converters = self.library.fields(cls)
        given = _matched(cls.name, list(converters), arguments, named)
        self.library.use(cls.name, cls.node)
        for name, converter in converters.items():
            given[name] = given[name] if converter is None else self.applied(converter, [given[name]], {})
        return Record(cls.name, given)

    # what is not executed

    def whole(self, value: Any, what: str) -> Poly:
        """A number that is surely an integer."""
        found = as_number(value)
        need(self.sequent.is_whole(found), f"{what} of what is not surely an integer")
        return found

    def _int(self, a: Any) -> Poly:
        return self.whole(a, "int")

    def _mpq(self, a: Any, b: Any = ONE) -> Poly:
        below = as_number(b)
        need(self.sequent.sign(below) == ">", "a divisor is not manifestly positive")
        return as_number(a) * raised(below, number(-1))

    def _min(self, *given: Any) -> Any:
        return self.extreme(given, least=True)

    def _max(self, *given: Any) -> Any:
        return self.extreme(given, least=False)

    def extreme(self, given: tuple[Any, ...], *, least: bool) -> Poly:
        """The least or the largest of two numbers or more."""
        best, *others = map(as_number, given)
        need(others, "the least or largest of fewer than two numbers")
        self.count("comparison", len(others))
        for other in others:
            best = best if self.sequent.decide((other - best, ">=")) == least else other
        return best

    def _abs(self, a: Any) -> Poly:
        found = as_number(a)
        self.count("abs")
        return found if self.sequent.decide((found, ">=")) else -found

    def _range(self, *ends: Any) -> Any:
        need(1 <= len(ends) <= 2, "a range is not one of integers")
        *low, high = (self.whole(end, "a range") for end in ends)
        return (RANGE, low[0] if low else ZERO, high, False)

    def _reversed(self, of: Any) -> Any:
        need(type(of) is tuple and len(of) == 4 and of[0] is RANGE, "reversed of what is no range")
        return (*of[:3], not of[3])

    def _bit_length(self, a: Any) -> Poly:
        need(self.sequent.decide((self.whole(a, "bit_length"), ">=")), "bit_length of what is below 0")
        value = a.constant()
        return number(int(value).bit_length()) if value is not None else variable(("bits", a))

    def _ln(self, a: Any) -> Poly:
        t = as_number(a)
        need(self.sequent.sign(t) == ">", "ln of what is not manifestly positive")
        return variable(("ln", t)) if t != ONE else ZERO

    def _is_integer(self, a: Any) -> bool:
        return self.sequent.is_whole(self.whole(a, "integer"))

    def _Some(self, *classes: Any, **fields: Any) -> Record:  # noqa: N802  # as in statements
        """Some(a=x): any object with this attribute. Some(Class, a=x): any of a class, whose other attributes are executed."""
        if not classes:
            return Record("some object", fields)
        cls = classes[0]
        known = len(classes) == 1 and isinstance(cls, Code) and isinstance(cls.node, ast.ClassDef)
        need(known, "Some has other than a class and named attributes")
        members = self.library.members(cls)
        for name in fields:
            method = self.library.method(cls.name, name) if isinstance(members.get(name), ast.FunctionDef) else None
            known = isinstance(members.get(name), ast.AnnAssign) or (method is not None and method[0] == "property")
            need(known, f"{cls.name} has no field or property {name!r}")
        self.library.use(cls.name, cls.node)
        return Record(cls.name, fields)

    def _first(self, value: Any, *_: Any) -> Any:
        """What is remembered, or checked."""
        self.count("a memory")
        return value

    def _integer(self, value: Any, name: str, at_least: Any = None, at_most: Any = None) -> Poly:
        """finitedp.exact.integer: the value, where it is surely an integer within the ends."""
        self.count("integer")
        need(not isinstance(value, bool), f"{name} is a condition")
        found = self.whole(value, f"integer, for {name},")
        for end, sign in ((at_least, 1), (at_most, -1)):
            inside = end is None or self.sequent.decide(((found - as_number(end)) * number(sign), ">="))
            if not inside:
                raise Raised(f"{name} is out of range")
        return found

    def _unit_fraction(self, value: Any, name: str, least_denominator: Any = ONE) -> Poly:
        """finitedp.exact.unit_fraction: q, where the value is surely 1/q and q surely that large."""
        self.library.use("finitedp.exact.rational")  # which it calls
        above, below = _parts(as_number(value), self.sequent)
        self.count("unit_fraction")
        need(above == ONE, f"{name} is no unit fraction")
        if not self.sequent.decide((below - as_number(least_denominator), ">=")):
            raise Raised(f"{name} is no such unit fraction")
        return below

    def sum(self, node: Any, env: dict[str, Any]) -> Poly:
        """Sum(i, low, high, body)."""
        need(len(node.args) == 4 and isinstance(node.args[0], ast.Name), "a Sum is not Sum(i, low, high, body)")
        low, high = (self.poly(part, env, None) for part in node.args[1:3])
        need(self.sequent.is_whole(low) and self.sequent.is_whole(high), "a Sum's ends are not surely integers")
        fresh = ("v", f"%{self.depth}", "int")
        self.depth += 1
        need(self.counted is None, "the comparisons of a Sum are not counted")
        try:
            body = self.poly(node.args[3], env | {node.args[0].id: variable(fresh)}, None)
        except Raised:
            raise Refused("a term of a Sum raises") from None  # if there is one
        self.depth -= 1
        level = 1 + max((int(a[1][1:]) for a in atoms(body) if a[0] == "v" and a[1][0] == "$"), default=0)
        bound = ("v", f"${level}", "int")
        return variable(
            ("sum", bound, replaced(body, fresh, variable(bound)), low, high, "int" if self.sequent.is_whole(body) else "rat")
        )

    def raises(self, node: Any, env: dict[str, Any]) -> bool:
        """Raises(call): the code that is executed comes to where it raises. It is never false: no code is shown not to."""
        need(len(node.args) == 1 and not node.keywords, "a Raises is not Raises(call)")
        try:
            self.value(node.args[0], env)
        except Raised:
            return True
        raise Refused(f"it is not shown that {ast.unparse(node.args[0])[:60]} raises")

    def comparisons(self, node: Any, env: dict[str, Any]) -> Poly:
        """Comparisons(call): how many comparisons of numbers the code makes; those of unknown functions are not known."""
        need(len(node.args) == 1 and not node.keywords, "a Comparisons is not Comparisons(call)")
        need(self.counted is None, "a Comparisons stands within another")
        run = Run(self.sequent)  # which has executed no property yet
        run.counted, run.depth = 0, self.depth
        run.value(node.args[0], env)
        need(not run.loops, "the comparisons of a loop are not counted")
        return number(run.counted)

    def count(self, kind: str, many: int = 1) -> None:
        """Note comparisons that are made, if they are counted."""
        need(self.counted is None or kind == "comparison", f"the comparisons of {kind} are not counted")
        self.counted = None if self.counted is None else self.counted + many

    # statements

    def deeper(self, run: Callable[[], Any]) -> Any:
        """What a call gives, unless calls are nested too deeply."""
        self.depth += 1
        need(self.depth <= MOST_DEPTH, "calls are nested too deeply")
        try:
            return run()
        finally:
            self.depth -= 1

    def run(self, function: Code, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Execute a function of the library. A method stands in the module of its class."""
        node, method = function.node, isinstance(function.bound, Record)
        module = function.name.rpartition(".")[0]
        module = module.rpartition(".")[0] if method else module
        need(not unusual(node.args) and not _hides(node), f"{function.name} has other than plain arguments, or binds names")
        outside = (f"builtins.{name}" in self.known or name in self.library.module(module) for name in _stored(node))
        need(not any(outside), f"{function.name} gives a value to a name that means something outside")
        need(method or not node.decorator_list, f"{function.name} has a decorator")
        self.library.use(function.name, node)
        names, defaults = [a.arg for a in node.args.args], node.args.defaults
        need(all(isinstance(part, ast.Constant) for part in defaults), f"{function.name} has a default that is no constant")
        missing = dict(zip(names[len(names) - len(defaults) :], (self.value(part, {}) for part in defaults), strict=True))
        given = set(named) | set(names[: len(arguments)])
        env = _matched(function.name, names, arguments, {k: v for k, v in missing.items() if k not in given} | named)
        try:
            self.deeper(lambda: self.execute(node.body, env | ({"%": True} if _makes(node) else {}), module))
        except Returned as returned:
            return returned.args[0]
        return None

    def execute(self, body: list[Any], env: dict[str, Any], module: str) -> None:
        """Execute statements; env is changed."""
        for node in body:
            stepped()
            if isinstance(node, ast.Return):
                raise Returned(None if node.value is None else self.value(node.value, env, module))
            if isinstance(node, ast.If):
                self.branch(node, env, module)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.bind(node.targets[0], self.value(node.value, env, module), env)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and type(node.op) in OPERATIONS:
                self.bind(node.target, self.value(ast.BinOp(ast.Name(node.target.id), node.op, node.value), env, module), env)
            elif isinstance(node, ast.For) and not node.orelse:
                self.loop(node, env, module)
            elif isinstance(node, ast.Try) and not node.orelse and not node.finalbody:
                only = all(isinstance(part, ast.Raise) for handler in node.handlers for part in handler.body)
                need(only, f"line {node.lineno}: a handler does more than raise")
                self.execute(node.body, env, module)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self.value(node.value, env, module)
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                self.statement(node, env, module)

    def statement(self, node: Any, env: dict[str, Any], module: str) -> None:
        """Any other statement."""
        kind = Raised if isinstance(node, ast.Raise) else Refused
        raise kind(f"line {node.lineno} raises, or cannot be executed")

    def branch(self, node: Any, env: dict[str, Any], module: str) -> None:
        """One side of a condition."""
        self.execute(node.body if self.true(node.test, env, module) else node.orelse, env, module)

    def bind(self, target: Any, value: Any, env: dict[str, Any]) -> None:
        """An assignment."""
        if isinstance(target, ast.Tuple):
            need(is_tuple(value) and len(value) == len(target.elts), "an assignment has another number of values")
            for part, one in zip(target.elts, value, strict=True):
                self.bind(part, one, env)
            return
        need(isinstance(target, ast.Name), "an assignment is to other than a name")
        need("%" not in env or target.id not in env, "a name is bound again where a lambda may hold it")
        env[target.id] = value

    def loop(self, node: Any, env: dict[str, Any], module: str) -> None:
        """A loop over a range: what it assigns is then an unknown function of what it reads; the rule `loop` tells more."""
        found = self.value(node.iter, env, module)
        need(type(found) is tuple and len(found) == 4 and found[0] is RANGE, "a loop is not one over a range")
        inside = [n for part in node.body for n in ast.walk(part)]
        ways = (ast.Return, ast.Break, ast.Continue, ast.For, ast.Lambda, ast.Raise, ast.Assert, ast.Try, ast.Delete)
        out = any(isinstance(n, ways) for n in inside)
        need(not out and "%" not in env, "a loop has a way out, or a lambda")
        need(isinstance(node.target, ast.Name) and node.target.id not in env, "a loop's variable has a value before")
        stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - {node.target.id}
        kept = sorted(stored & set(env))
        read = sorted({n.id for n in inside if isinstance(n, ast.Name)} & set(env))
        state = tuple((name, key(env[name])) for name in read)
        result = {name: ("loop", f"{module}:{ast.unparse(node)}", name, (found, state)) for name in kept}
        need(result, "a loop changes nothing: whether it raises is not shown")
        self.loops.append((node, module, dict(env), result, found))
        self.sequent.checker.loops.add(next(iter(result.values()))[1])
        env |= {name: variable(atom) for name, atom in result.items()}
        for name in (stored - set(kept)) | {node.target.id}:
            env.pop(name, None)


def is_tuple(value: Any) -> bool:
    """Whether a value is a tuple of the code's, and no range."""
    return type(value) is tuple and not any(part is RANGE for part in value)


def unusual(arguments: Any) -> bool:
    """Whether parameters are other than plain ones."""
    return bool(arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs)


def _matched(name: str, names: list[str], arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Parameters with their values, by place or by name."""
    fits = len(arguments) <= len(names) and set(named) == set(names[len(arguments) :])
    need(fits, f"{name} has other arguments, or fields")
    return dict(zip(names, arguments, strict=False)) | named


def as_number(value: Any, text: str = "what is counted with") -> Poly:
    """A number, or a condition as 0 or 1."""
    found = number(int(value)) if isinstance(value, bool) else value
    need(isinstance(found, Poly), f"{text!r} is no number")
    return found


def _fact(a: Any, op: Any, b: Any) -> Fact:
    """A comparison of two numbers as a fact."""
    below = as_number(b, "what is compared") - as_number(a, "what is compared")
    upwards, downwards = {ast.LtE: ">=", ast.Lt: ">"}, {ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=="}
    need(type(op) in upwards | downwards, "a comparison is none of <= < >= > ==")
    return (below, upwards[type(op)]) if type(op) in upwards else (-below, downwards[type(op)])


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
    known = c == 1 and e == -1 and sequent.is_whole(below) and sequent.sign(below) == ">"
    need(known, "the parts of a fraction are not known")
    return ONE, below


# Execution on a label at hand, of a histogram's code, on every kind of dataset that matters: without rows of the label, with
# one, with any number c >= 1. Trusted for: what is not understood is refused, and what is released is made of independent
# cells, one for each label, which depend on the label's count alone: loops over labels carry nothing on, since no statement
# that could do so is accepted inside of them, and each draw inside is one of the label's own. Arrays are seen likewise, as
# families of one element for each label, and so is what aligns with them. Taken at their word are the counts of labels
# (LabelCounts.dense) and the noise of a whole array (release_array, _padded): a draw of each element's own.
#
# By a counting mechanism that is private is meant one with outputs in 0..n, whose probabilities of each output at neighbouring
# counts are within the factor R, whose cdf(c, z) is d F(c, z) with F(c, z) = Pr[M(c) <= z], and whose draws are independent.


@dataclass(frozen=True, eq=False)
class Mark:
    """A value of which only its identity is known: the label at hand, another label, coins, the mechanism, ..."""

    words: str


LABEL, OTHER, COINS = Mark("the label"), Mark("another label"), Mark("coins")
MECHANISM, FOUND = Mark("the mechanism"), Mark("the counts that were found")
PUBLIC, HIDDEN = Mark("a public value"), Mark("a value that depends on the data")


@dataclass(frozen=True)
class Rows:
    """A dataset, with so many rows of the label at hand. numbered: whether each row comes with its number."""

    at: Poly
    numbered: bool = False


@dataclass(frozen=True)
class Family:
    """A collection of at most one item for each label, seen from the label at hand.

    keyed: whether it is a mapping from labels. here: whether the label at hand has an item, or is a key. item: that item, or
    the key's value. tests: further conditions on the item, on draws. order: public, sorted (by label) or data. axis: of an
    array or list, what it is aligned with: two of one axis have the label's items at one place.
    """

    keyed: bool
    here: bool
    item: Any
    order: str
    tests: tuple[Any, ...] = ()
    axis: str = ""


def kind_of(name: str, *parts: str) -> Any:
    """A kind of value with these parts; two are equal where they are of one kind and their parts are equal."""
    return make_dataclass(name, parts, frozen=True)


Position = kind_of("Position", "axis")  # the place of the label's item in what has this axis
Length = kind_of("Length", "of")  # how many items a family has
Mask = kind_of("Mask", "test", "axis")  # of an array, which items pass a test
Draw = kind_of("Draw", "at", "own", "number")  # the output of the mechanism at a count; own: a draw of this label alone
Test = kind_of("Test", "draw", "bound")  # whether a draw is above a bound
Claim = kind_of("Claim", "epsilon", "neighbours", "delta", "ratio")  # what finitedp.claim.PrivacyClaim holds
Least = kind_of("Least", "parts")  # the least of several numbers
Released = kind_of("Released", "bins", "claim")  # a number for each label, and what is claimed of it


class Raises(Exception):  # noqa: N818  # no error of this checker
    """The code refuses the input."""


def var(name: str, kind: str = "rat") -> Poly:
    """A variable."""
    return variable(("v", name, kind))


def at_most(count: Poly, z: Poly) -> Poly:
    """F(count, z) = Pr[M(count) <= z]."""
    return variable(("f", "F", (count, z), "rat"))


PUBLIC_NUMBERS = ("b", "n", "d", "delta", "epsilon")


def is_public(value: Any) -> bool:
    """Whether a value depends on no data."""
    if isinstance(value, Poly):
        return all(atom[0] == "v" and atom[1] in PUBLIC_NUMBERS for atom in atoms(value))
    return value is None or type(value) in (bool, str) or value in (PUBLIC, MECHANISM) or isinstance(value, Record)


def drawn(value: Any) -> bool:
    """Whether a value depends on draws."""
    if isinstance(value, Family | tuple):
        return any(map(drawn, (value.item, *value.tests) if isinstance(value, Family) else value))
    return isinstance(value, Draw | Test | Mask | Released) or (isinstance(value, Length) and value.of.tests != ())


BULK, HISTOGRAMS = "finitedp.impl.counting.dyadic_bulk", "finitedp.impl.histograms"
ON_ARRAYS = ("release_array", "_released", "_by_chunks", "random_words", "checked_counts")
DYADIC = "finitedp.impl.counting.dyadic.DyadicSample"


class LabelRun(Run):
    """One execution of a histogram's code for the label at hand.

    listed: whether the label is one of the histogram's `labels`. ratio: what the mechanism's claim says of its ratio: R, or
    None. found: the counts of labels that an engine found.
    """

    known: ClassVar[dict[str, str]] = {
        **{f"builtins.{name}": f"_{name}" for name in ("sorted", "tuple", "sum", "len", "range", "min", "enumerate")},
        "builtins.isinstance": "_public",
        "builtins.dict": "_dict",
        "builtins.dict.fromkeys": "_fromkeys",
        "collections.Counter": "_counter",
        "gmpy2.mpq": "_mpq",
        "numpy.flatnonzero": "_nonzero",
        "attrs.evolve": "_evolve",
        "finitedp.claim.PrivacyClaim": "_claim",
        "finitedp.data.noisy_histogram.NoisyHistogram": "_released",
        **{f"<family>.{name}": f"_{name}" for name in ("get", "items", "values", "tolist")},
        "<mechanism>.release": "_release",
        "<mechanism>.cdf": "_cdf",
        "<mechanism>.claim": "_claimed",
        f"{HISTOGRAMS}.dyadic.total": "_sum",
        f"{HISTOGRAMS}.dyadic.threshold_accuracy": "_public",
        f"{HISTOGRAMS}.basic.BasicHistogram.accuracy": "_public",
        "finitedp.data.frames.LabelCounts.dense": "_dense",
        f"{BULK}.release_array": "_noisy",
        f"{HISTOGRAMS}.dyadic._padded": "_noisy",
        f"{BULK}.checked_counts": "_checked",
    }

    def __init__(self, sequent: Sequent, cls: str, listed: bool, ratio: Poly | None, found: Any = None) -> None:
        super().__init__(sequent)
        self.ratio, self.found, self.own, self.draws = ratio, found, False, 0
        self.within = False  # a loop or comprehension
        self.counting: tuple[int, str] | None = None  # the mapping that a loop over rows adds to: depth of the call, and name
        for name in ("c", "d"):
            sequent.add((var(name, "int") - ONE, ">="))
        every = Family(False, listed, LABEL, "public", (), "labels")
        known = {"mechanism": MECHANISM, "labels": every, "b": var("b", "int")}
        fields = self.library.fields(self.library.find(cls))
        self.library.use(cls)
        self.histogram = Record(cls, {name: known.get(name, PUBLIC) for name in fields})

    # expressions

    def literal(self, value: Any) -> Any:
        """A constant."""
        need(value is None or type(value) in (int, bool, str), "a constant that is not known")
        return number(value) if type(value) is int else value

    def call(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A call. A generator is only the argument of what goes through it at once, and once."""
        if any(isinstance(part, ast.GeneratorExp) for part in node.args):
            function = self.value(node.func, env, module)
            at_once = isinstance(function, Code) and function.name in ("builtins.tuple", "builtins.sum")
            need(at_once, f"line {node.lineno}: a generator that others go through")
        return super().call(node, env, module)

    def argument(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """The value of an argument."""
        made = isinstance(node, ast.GeneratorExp)
        return self.comprehension(node, env, module) if made else self.value(node, env, module)

    def other(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A list or mapping that is made label by label, or a message."""
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                if isinstance(part, ast.FormattedValue):
                    need(not drawn(self.value(part.value, env, module)), "a message about a draw")
            return HIDDEN
        need(
            isinstance(node, ast.ListComp | ast.DictComp), f"line {node.lineno}: an expression that the checker does not know"
        )
        return self.comprehension(node, env, module)

    def truth(self, value: Any) -> bool | None:
        """Whether it counts as true, or None where that is not known."""
        if value is None or isinstance(value, bool):
            return bool(value)
        if isinstance(value, Poly):
            return not self.sequent.decide((value, "=="))
        need(value in (PUBLIC, HIDDEN), "a condition on a draw decides more than whether a count is listed")
        return None

    def choice(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A conditional expression: where the condition is public, both values must be."""
        test = self.value(node.test, env, module)
        truth = self.truth(test)
        if truth is not None:
            return self.value(node.body if truth else node.orelse, env, module)
        both = self.value(node.body, env, module), self.value(node.orelse, env, module)
        if isinstance(both[0], Poly) and both[0] == both[1]:
            return both[0]
        if test is PUBLIC and all(isinstance(x, Code) and self.known.get(x.name) == "_noisy" for x in both):
            return both[0]  # either gives each element its own noise; what both rest on is noted
        need(test is PUBLIC and all(map(is_public, both)), f"line {node.lineno}: an expression depends on what is not known")
        return PUBLIC  # which of two public values it is may not be known

    def condition(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A comparison, or several: known, a test of a draw, or not known."""
        if isinstance(node, ast.Compare):
            need(len(node.ops) == 1, f"line {node.lineno}: a chain of comparisons")
            sides = self.value(node.left, env, module), self.value(node.comparators[0], env, module)
            return self.compared(node.ops[0], *sides)
        if isinstance(node, ast.UnaryOp):
            truth = self.truth(self.value(node.operand, env, module))
            return HIDDEN if truth is None else not truth
        decides, unsure = isinstance(node.op, ast.Or), False
        for part in node.values:
            value = self.value(part, env, module)
            need(
                value in (PUBLIC, HIDDEN) or isinstance(value, bool),
                f"line {node.lineno}: `and` or `or` of other than conditions",
            )
            truth = self.truth(value)
            if truth is decides:
                return HIDDEN if unsure else decides
            unsure = unsure or truth is None
        return HIDDEN if unsure else not decides

    def compared(self, op: Any, x: Any, y: Any) -> Any:
        """A comparison of two values."""
        if isinstance(op, ast.Is | ast.IsNot):
            need(y is None, "identity with something else than None")
            return HIDDEN if isinstance(x, Mark) else (x is None) == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(y, Family) and (y.keyed or y.item is LABEL) and x is LABEL and y.tests == ():
                return y.here == isinstance(op, ast.In)
            need(x in (LABEL, OTHER) and not drawn(y), "a search for something else than a label")
            return HIDDEN
        if isinstance(x, Family) and x.axis and not x.here and is_public(y):
            return Mask(None, x.axis)
        if isinstance(x, Family) and x.axis and isinstance(x.item, Draw):
            test = self.compared(op, x.item, y)
            need(isinstance(test, Test), "an array of draws is compared with something else than a public number")
            return Mask(test, x.axis)
        if isinstance(x, Draw) and isinstance(y, Poly) and is_public(y):
            need(isinstance(op, ast.Gt | ast.GtE), "a draw is compared in another way than > and >=")
            return Test(x, y if isinstance(op, ast.Gt) else y - ONE)
        if isinstance(x, Poly) and isinstance(y, Poly):
            try:
                return self.sequent.decide(_fact(x, op, y))
            except Undecided:
                return HIDDEN
        simple_ = all((isinstance(z, Poly | Mark | Length | str | bool) or z is None) and not drawn(z) for z in (x, y))
        need(simple_, "a comparison of draws, or of what is no number")
        return HIDDEN

    def operation(self, sign: str, x: Any, y: Any, module: str | None) -> Any:
        """An operation of two numbers."""
        if any(z is HIDDEN or isinstance(z, Length) for z in (x, y)):
            known = all(z is HIDDEN or (isinstance(z, Length | Poly) and not drawn(z)) for z in (x, y))
            need(known, "counting with what is no number, or with draws")
            return HIDDEN
        return super().operation(sign, x, y, module)

    def item(self, whole: Any, place: Any) -> Any:
        """A mapping's value, or what an array has at a place, at places, or where a mask says so."""
        need(isinstance(whole, Family), "a look-up in what is no collection of labels")
        if whole.axis and isinstance(place, Mask):
            need(place.axis == whole.axis and (place.test is None) != whole.here, "a mask of another array")
            tests = (*whole.tests, place.test) if whole.here else ()
            where = f"draw {place.test.draw.number} > {shown(place.test.bound, {})}" if whole.here else "there is none"
            return replace(whole, tests=tests, axis=f"kept of {whole.axis} where {where}")
        if whole.axis and isinstance(place, Family):
            need(not place.here or place.item == Position(whole.axis), "places in another array")
            return replace(place, item=whole.item)
        if whole.axis and isinstance(place, Position):
            need(place.axis == whole.axis and whole.here, "a place in another array")
            return whole.item
        known = whole.keyed and place is LABEL and whole.here and whole.tests == ()
        need(known, "a look-up of another label, or of none")
        return whole.item

    def comprehension(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A list, generator or mapping made label by label."""
        need(len(node.generators) == 1 and not node.generators[0].is_async, "a comprehension of several loops")
        (loop,), keyed = node.generators, isinstance(node, ast.DictComp)
        over = self.value(loop.iter, env, module)
        need(not self.within, f"line {node.lineno}: labels within a loop")  # of two labels, the checker sees one
        need(isinstance(over, Family), f"line {node.lineno}: a comprehension over something else than labels")
        axis = over.axis if not loop.ifs else ""
        if not over.here:
            return Family(keyed, False, None, over.order, (), axis)
        inner, tests = dict(env), over.tests
        self.bind(loop.target, LABEL if over.keyed else over.item, inner)
        self.own = self.within = True
        for condition in loop.ifs:
            found = self.value(condition, inner, module)
            if isinstance(found, Test):
                tests = (*tests, found)
                continue
            truth = self.truth(found)
            need(truth is not None, f"line {node.lineno}: what is listed depends on more than the label's count")
            if not truth:
                self.own = self.within = False
                return Family(keyed, False, None, over.order)
        item = self.value(node.value if keyed else node.elt, inner, module)
        need(not keyed or self.value(node.key, inner, module) is LABEL, "a mapping whose keys are not the labels")
        self.own = self.within = False
        return Family(keyed, True, item, over.order, tests, axis)

    def attribute(self, value: Any, name: str) -> Any:
        """An attribute of a value."""
        if value is PUBLIC:
            need(name in ("name", "ratio"), f"the attribute {name} of a public value might change with the data")
            return PUBLIC
        if isinstance(value, Claim):
            need(name in ("epsilon", "delta", "ratio"), f"the attribute {name} of a claim is not known")
            return getattr(value, name)
        if isinstance(value, Family):
            return PUBLIC if name == "ndim" else Code(f"<family>.{name}", bound=value)
        if isinstance(value, Code) and value.name in ("numpy", "builtins.dict"):
            return Code(f"{value.name}.{name}")
        if value is FOUND:
            need(name in ("labels", "counts", "dense") and self.found is not None, f"{name} of the counts is not known")
            item = LABEL if name == "labels" else self.found.item
            dense = Code("finitedp.data.frames.LabelCounts.dense")
            return dense if name == "dense" else replace(self.found, keyed=False, item=item, axis="found")
        if value is MECHANISM:
            if name in ("n", "d"):
                return var(name, "int")
            return self.epsilon() if name == "epsilon" else Code(f"<mechanism>.{name}")
        need(isinstance(value, Record), f"the attribute {name} of something else")
        return super().attribute(value, name)

    def made(self, cls: Code, arguments: list[Any], named: dict[str, Any]) -> Record:
        """No object is made but those that are known."""
        raise Refused(f"an object of {cls.name} is made")

    def epsilon(self) -> Poly:
        """The parameter epsilon of a mechanism on a dyadic table, twice what it claims: its `claim` is executed."""
        need(self.found is not None, "the counting claim says nothing of epsilon")
        how, node = self.library.method(DYADIC, "claim") or ("", None)
        table = Record("some object", {"epsilon": var("epsilon"), "table": PUBLIC})
        need(how == "method", "the mechanism claims nothing")
        claim = self.run(Code(f"{DYADIC}.claim", node, table), [table, None], {})
        same = isinstance(claim, Claim) and claim.epsilon * number(2) == var("epsilon") and claim.neighbours == "counts"
        need(same, "the mechanism claims another epsilon than half")
        return var("epsilon") * number(2)

    # what is not executed

    def _claimed(self, coins: Any = None) -> Any:
        need(coins is None, "a claim on coins")
        return Claim(var("epsilon"), "counts", ZERO, self.ratio)

    def _release(self, count: Any, coins: Any) -> Any:
        need(isinstance(count, Poly) and coins is COINS, "a release of something else than a count")
        self.draws += 1
        return Draw(count, self.own, self.draws)

    def _cdf(self, count: Any, z: Any) -> Poly:
        return var("d", "int") * at_most(self.whole(count, "cdf"), self.whole(z, "cdf"))

    def _public(self, *given: Any) -> Mark:
        need(all(is_public(x) or isinstance(x, Code) for x in given), "what is asked depends on the data")
        return PUBLIC

    def _claim(self, epsilon: Any, neighbours: Any, delta: Any = ZERO, ratio: Any = None, source: Any = "") -> Any:
        need(is_public(source), "the claim shows something that depends on the data")
        return Claim(epsilon, neighbours, delta, ratio)

    def _evolve(self, claim: Any, source: Any) -> Any:
        need(isinstance(claim, Claim) and is_public(source), "the claim shows something that depends on the data")
        return claim

    def _released(self, labels: Any, numbers: Any, claim: Any, *others: Any) -> Any:
        """The record that is released: labels and numbers that are aligned, a claim, and what depends on no data."""
        need(all(isinstance(x, Family) and x.axis for x in (labels, numbers)), "a record of something else")
        need(replace(labels, item=None) == replace(numbers, item=None), "labels and numbers are not aligned")
        need(all(map(is_public, others)), "the record shows something else that depends on the data")
        return Released(replace(labels, item=(labels.item, numbers.item)), claim)

    def _noisy(self, mechanism: Any, counts: Any, source: Any) -> Any:
        """Noise for each element of an array of counts."""
        for name in (*(f"{BULK}.{one}" for one in ON_ARRAYS), f"{HISTOGRAMS}.dyadic._padded"):
            self.library.use(name)
        need(mechanism is MECHANISM and source is PUBLIC and isinstance(counts, Family), "other noise")
        need(counts.axis and counts.tests == (), "noise for what is no array of counts")
        if not counts.here:
            return counts
        need(isinstance(counts.item, Poly), "noise for what is no count")
        self.draws += 1
        return replace(counts, item=Draw(counts.item, True, self.draws))

    def _checked(self, mechanism: Any, counts: Any) -> Family:
        need(mechanism is MECHANISM and isinstance(counts, Family), "other counts")
        return counts  # type: ignore[no-any-return]  # a Family

    def _dense(self, labels: Any, column: Any = None) -> Family:
        every = self.histogram.fields["labels"]
        need(labels == every, "something else is asked of the counts that were found")
        return replace(every, item=self.found.item if self.found.here else ZERO)  # type: ignore[no-any-return]  # a Family

    def _nonzero(self, counts: Any) -> Any:
        """The places of an array's elements that are not 0."""
        need(isinstance(counts, Family) and counts.axis and counts.tests == (), "places of no array")
        here = counts.here and self.truth(counts.item)
        need(here is not None, "whether a number is 0 is not known")
        return replace(counts, here=bool(here), item=Position(counts.axis), axis=f"nonzero of {counts.axis}")

    def _dict(self, *given: Any) -> None:
        raise Refused("a mapping from something else than labels")

    def _fromkeys(self, keys: Any, value: Any = None) -> Family:
        known = isinstance(keys, Family) and not keys.keyed and keys.tests == () and keys.item is LABEL
        need(known and not isinstance(value, Family), "a mapping from something else than labels")
        return Family(True, keys.here, value, keys.order)

    def _counter(self, rows: Any) -> Family:
        need(isinstance(rows, Rows) and not rows.numbered, "a count of what are no rows")
        return Family(True, rows.at != ZERO, rows.at, "data")

    def _enumerate(self, rows: Any, start: Any = ZERO) -> Rows:
        need(isinstance(rows, Rows), "numbers of what are no rows")
        return replace(rows, numbered=True)  # type: ignore[no-any-return]  # Rows

    def _get(self, of: Any, label: Any, otherwise: Any) -> Any:
        need(of.keyed and of.tests == () and label is LABEL, "a look-up of another label")
        return of.item if of.here else otherwise

    def _items(self, of: Any) -> Family:
        return Family(False, of.here, (LABEL, self._values(of).item), of.order)

    def _values(self, of: Any) -> Family:
        need(of.keyed and of.tests == (), "values of what is no mapping")
        return Family(False, of.here, of.item, of.order)

    def _tolist(self, of: Any) -> Any:
        need(of.axis, "a list of what is no array")
        return of

    def _sorted(self, of: Any, key: Any = None) -> Family:
        need(isinstance(of, Family), "what is sorted is no collection of labels")
        if key is None:
            need(of.tests == () and (of.keyed or of.item is LABEL), "what is sorted is not the labels")
            return Family(False, of.here, LABEL, "sorted")
        by = key.bound if isinstance(key, Code) and key.name == "<family>.__getitem__" else None
        known = isinstance(by, Family) and by.axis and by.axis == of.axis and by.item in (LABEL, None)
        need(known and (not of.here or of.item == Position(of.axis)), "sorted by something else than the labels at places")
        return replace(of, order="sorted", axis=f"sorted {of.axis}")  # type: ignore[no-any-return]  # a Family

    def _tuple(self, of: Any) -> Any:
        need(isinstance(of, Family) and not of.keyed, "a tuple of a mapping, or of something else")
        return of

    def _len(self, of: Any) -> Any:
        need(isinstance(of, Family), "a length of something else")
        return PUBLIC if of == self.histogram.fields.get("labels") else Length(of)

    def _sum(self, of: Any) -> Any:
        need(isinstance(of, Family) and not drawn(of), "a sum of draws, or of something else")
        return HIDDEN

    def _range(self, *ends: Any) -> Any:
        (high,) = ends
        if isinstance(high, Length) and high.of.axis:
            return replace(high.of, keyed=False, item=Position(high.of.axis))
        need(high in (PUBLIC, HIDDEN) or isinstance(high, Poly), "a range of something else")
        return HIDDEN

    def _min(self, *given: Any) -> Any:
        need(all(isinstance(x, Poly) for x in given), "the least of what are no numbers")
        return Least(given)

    # statements

    def statement(self, node: Any, env: dict[str, Any], module: str) -> None:
        """Statements that numbers have no use for."""
        if isinstance(node, ast.Raise):
            raise Raises
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            self.bind(node.target, self.value(node.value, env, module), env)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Subscript):
            self.add(node.target, self.value(node.value, env, module), env, module)
        else:
            kind = isinstance(node, ast.Assert) and isinstance(node.test, ast.Call)
            kind = kind and self.value(node.test.func, env, module).name == "builtins.isinstance"
            need(kind, f"line {node.lineno}: a statement that is not known, or an assertion about more than a kind of object")
            self.value(node.test, env, module)

    def add(self, target: Any, step: Any, env: dict[str, Any], module: str) -> None:
        """Add to the count of a label in a loop over rows; that of another label changes nothing here."""
        counted = isinstance(target.value, ast.Name) and self.counting == (self.depth, target.value.id)
        need(counted and isinstance(step, Poly), "an addition to something else than what a loop over rows counts")
        name, label = target.value.id, self.value(target.slice, env, module)
        need(label in (LABEL, OTHER), "an addition to the count of something else than a label")
        if label is LABEL:
            env[name] = replace(env[name], item=self.item(env[name], label) + step)

    def branch(self, node: Any, env: dict[str, Any], module: str) -> None:
        """A condition that is known; or one that is not, both sides of which must leave the same behind, or raise."""
        test = self.value(node.test, env, module)
        condition = self.truth(test)
        if condition is not None:
            self.execute(node.body if condition else node.orelse, env, module)
            return
        found, at = list[dict[str, Any]](), f"line {node.lineno}"
        for side in (node.body, node.orelse):
            after, state = dict(env), (self.own, self.within, self.counting, self.depth)
            try:
                self.execute(side, after, module)
            except Raises:
                self.own, self.within, self.counting, self.depth = state
                continue
            except Returned:
                raise Refused(f"{at}: whether it returns depends on more than the label's count") from None
            stores = any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) for part in side for n in ast.walk(part))
            need(test is PUBLIC or not stores, f"{at}: a value depends on what is not known")
            found.append(after)
        need(found, "the input is refused on every path")
        need(all(after == found[0] for after in found), f"{at}: what follows depends on more than the label's count")
        env.update(found[0])

    def loop(self, node: Any, env: dict[str, Any], module: str) -> None:
        """A loop over labels, or over something that shows nothing of them: it may only draw, or raise."""
        over, at = self.value(node.iter, env, module), f"line {node.lineno}"
        inside = [n for part in node.body for n in ast.walk(part)]
        need(not any(isinstance(n, ast.Return) for n in inside), f"{at}: a loop returns")  # at whose label, is not known
        stored = any(isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load) for n in inside)
        need(not stored, f"{at}: a loop carries something on")
        if isinstance(over, Rows):
            self.fold(node, over, env, module)
            return
        labels = isinstance(over, Family)
        need(labels or over in (PUBLIC, HIDDEN), f"line {node.lineno}: a loop over something else")
        need(not labels or over.tests == (), "a loop over what depends on draws")
        rounds = ([LABEL if over.keyed else over.item] if over.here else []) if labels else [over]
        for item in rounds:
            inner = self.round(node, item, env, module, own=labels)
            need(inner == env, f"line {node.lineno}: a loop carries something on")

    def round(self, node: Any, item: Any, env: dict[str, Any], module: str, *, own: bool) -> dict[str, Any]:
        """What a round of a loop leaves behind, without the loop's variables."""
        inner = dict(env)
        need(not self.within, f"line {node.lineno}: a loop within a loop")
        targets = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        need(not targets & set(env), f"line {node.lineno}: a loop's variable has a value before")
        self.bind(node.target, item, inner)
        self.own, self.within = own, True
        self.execute(node.body, inner, module)
        self.own = self.within = False
        return {name: value for name, value in inner.items() if name not in targets}

    def fold(self, node: Any, over: Rows, env: dict[str, Any], module: str) -> None:
        """A loop over rows: what a row of the label, and one of another, does to a mapping of counts, at any count so far."""
        changed = [x for x, v in env.items() if isinstance(v, Family) and v.keyed and isinstance(v.item, Poly)]
        need(len(changed) == 1 and self.counting is None, "a loop over rows that does not count them")
        name, so_far = changed[0], var("so far", "int")
        start = env[name]
        self.counting = (self.depth, name)
        for label, step in ((LABEL, ONE if start.here else ZERO), (OTHER, ZERO)):
            item = (PUBLIC, label) if over.numbered else label
            inner = self.round(node, item, env | {name: replace(start, item=so_far)}, module, own=False)
            need(inner[name] == replace(start, item=so_far + step), f"line {node.lineno}: a row does not count as one")
            need(inner | {name: start} == env, f"line {node.lineno}: a loop over rows carries more on")
        self.counting = None
        env[name] = replace(start, item=start.item + over.at)


# Rules: how a statement follows from others. Trusted for: each rule is sound, that is, where the sequents hold to which it
# leads, so does the one from which it came, for all values of the variables.

TEXTS, VALUES = [str], {"": str}
RULES: dict[str, dict[str, Any]] = {  # what a rule has, as the form of a JSON value: see `formed`
    "known": {},
    "combine": {"with": [TEXTS], "goal?": str},
    "each": {"of": [dict]},
    "cases": {"if": str, "yes": dict, "no": dict},
    "have": {"claim": TEXTS, "by": dict, "then": dict},
    "name": {"variable": str, "is": str, "then": dict},
    "let": {"name": str, "is": str, "then": dict},
    "set": {"variable": str, "to": str, "then": dict},
    "use": {"node": str, "with?": VALUES, "where?": [dict], "then": dict},
    "induct": {"on": str, "then": dict},
    "know": {"of": str, "then": dict},
    "loop": {"of": str, "invariant": TEXTS, "start": dict, "step": dict, "then": dict},
}
SUPPOSED = (str, {"let": TEXTS}, {"name": str, "for": VALUES, "where": TEXTS, "then": TEXTS})
NODE = {"name": str, "for": VALUES, "where": [SUPPOSED], "then": TEXTS, "proof": dict}


def formed(value: Any, form: Any) -> bool:
    """Whether a JSON value is of a type, a list of parts of one form, of one of several forms, or an object with these parts.

    A part whose name ends in ? may be left out; "" stands for any names.
    """
    if isinstance(form, list):
        return isinstance(value, list) and len(value) <= MOST_TERMS and all(formed(part, form[0]) for part in value)
    if isinstance(form, tuple):
        return any(formed(value, one) for one in form)
    if isinstance(form, type) or not isinstance(value, dict):
        return isinstance(form, type) and isinstance(value, form)
    needed = {name for name in form if name and name[-1] != "?"}
    known = {name.rstrip("?"): part for name, part in form.items()}
    whole = len(value) <= MOST_TERMS and needed <= set(value) and ("" in form or set(value) <= set(known))
    return whole and all(formed(part, known.get(name, form.get(""))) for name, part in value.items())


class Checker:
    """Decides the nodes of one document, in order."""

    def __init__(self, names: dict[str, str], root: Path) -> None:
        self.library, self.names = Library(root), names
        self.proved: dict[str, dict[str, Any]] = {}
        self.path: list[str] = []
        self.current: dict[str, Any] = {}  # the node that is decided
        self.loops, self.kept = set[str](), set[str]()  # the loops that are run, and those whose rounds were executed

    def node(self, node: dict[str, Any]) -> None:
        """Decide one node: its variables are arbitrary, its hypotheses are facts."""
        need(formed(node, NODE), "a node has another form")
        name = node["name"]
        self.path, self.current = [f"node {name[:60]!r}"], node
        need(name not in self.proved, "the name is there twice")
        sequent = Sequent(self, {}, Goal([], {}))
        for one, kind in node["for"].items():
            declare(sequent, one, kind)
        for part in node["where"]:
            self.supposed(sequent, part)
        need(node["then"], "there is no conclusion")
        self.prove(sequent.copy(Goal(node["then"], dict(sequent.env))), node["proof"])
        self.proved[name] = node

    def supposed(self, sequent: Sequent, part: Any) -> None:
        """A hypothesis of a node: a comparison, an abbreviation, or one with variables of its own."""
        if isinstance(part, str):
            self.assume(sequent, part, sequent.env)
        elif "let" in part:
            need(len(part["let"]) == 2 and new_name(sequent, part["let"][0]), "a let is not [new name, expression]")
            sequent.env[part["let"][0]] = Run(sequent).value(parsed(part["let"][1]), sequent.env)
        else:
            need(part["name"] not in (*sequent.hypotheses, *self.proved, "IH"), "a hypothesis' name is there twice")
            inner = sequent.copy()
            for one, kind in part["for"].items():
                declare(inner, one, kind)
            sequent.hypotheses[part["name"]] = hypothesis(part, sequent.env)

    def prove(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Decide whether a sequent follows by a rule from others. Raises: Refused."""
        rule = proof.get("rule", "")
        need(isinstance(rule, str) and rule in RULES, f"{str(rule)[:50]!r} is no rule")
        self.path.append(rule)
        need(formed(proof, RULES[rule] | {"rule": str}), f"a proof by {rule!r} has another form")
        stepped()
        need(len(self.path) <= MOST_DEPTH, "the proof is too deep")
        getattr(self, f"_{rule}")(sequent, proof)
        self.path.pop()

    def goals(self, sequent: Sequent) -> list[Fact]:
        """The comparisons that the goal says, after its code has run; conditions that are true by the facts are left out."""
        run, found = Run(sequent), list[Fact]()
        env = sequent.goal.env | (sequent.goal.body(run) if sequent.goal.body else {})
        for text in sequent.goal.texts:
            node = parsed(text)
            if is_comparison(node):
                found += [_fact(*pair) for pair in run.pairs(node, env, None)]
            else:
                need(run.true(node, env), f"{text[:60]!r} is false here")  # it is decided, or Undecided is raised
        return found

    def assume(self, sequent: Sequent, text: str, env: dict[str, Any]) -> None:
        """Add what an expression says to the facts; where that is not decided yet, as a hypothesis to be used later."""
        node, run = parsed(text), Run(sequent)
        try:
            if is_comparison(node):
                for fact in [_fact(*pair) for pair in run.pairs(node, env, None)]:
                    sequent.add(fact)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "integer":
                need(len(node.args) == 1 and not node.keywords, "an integer is not integer(value)")
                sequent.whole.add(run.poly(node.args[0], env, None))
            else:
                self.eliminate(sequent, node, env)
        except Undecided:
            later = (f"later{i}" for i in range(MOST_TERMS))
            name = next(name for name in later if name not in sequent.hypotheses)
            sequent.hypotheses[name] = hypothesis({"for": {}, "where": [], "then": [text]}, env)

    def eliminate(self, sequent: Sequent, node: Any, env: dict[str, Any]) -> None:
        """A condition is true: where it is false for all sides of a comparison but one, that side holds."""
        while True:
            try:
                need(Run(sequent).true(node, env), "what is assumed is false here")
                return
            except Undecided as asked:
                fact = (asked.poly, asked.kind)
                possible = [side for side in (fact, *sequent.others(fact)) if not self.denied(sequent, side, node, env)]
                bound = any(atom[0] == "v" and atom[1][0] == "%" for atom in atoms(asked.poly))  # by a Sum: any of its terms
                if bound or len(possible) != 1:
                    raise
                sequent.add(possible[0])

    def denied(self, sequent: Sequent, fact: Fact, node: Any, env: dict[str, Any]) -> bool:
        """Whether a condition is surely false where a fact holds."""
        branch = sequent.copy()
        branch.add(fact)
        try:
            return not Run(branch).true(node, env)
        except Undecided:
            return False

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
        """Facts, and `goal` times the contrary of the goal, contradict each other: a sum of products is and is not above 0."""
        parts = list[tuple[str, list[Fact]]]()
        for text, *said in proof["with"]:
            facts = [self.fact(sequent, one) for one in said]
            unknown = [one for one, fact in zip(said, facts, strict=True) if not sequent.holds(fact)]
            need(facts and not unknown, f"{str(unknown[:1])[1:-1][:80]} is not known here")
            parts.append((text, facts))
        if "goal" in proof:
            goals = self.goals(sequent)
            need(len(goals) == 1, f"there are {len(goals)} comparisons to be shown: use each, or known where there is none")
            parts.append((proof["goal"], [sequent.negated(goals[0])]))
        total, strict = ZERO, False
        for text, facts in parts:
            product = self.poly(sequent, text)
            sign, signs = sequent.sign(product), {kind for _, kind in facts}
            need(sign is not None or "==" in signs, f"the multiplier {text[:60]!r} is not manifestly at least 0")
            strict = strict or (sign == ">" and signs == {">"})
            for poly, _ in facts:
                product = product * poly
            total = total + product
        sign = sequent.sign(-total)
        if sign is None:
            raise Refused(f"{shown(collected(-total), sequent.env)[:300]} is left over, not manifestly at least 0")
        need(strict or sign == ">", "at least 0 follows, not above 0")

    # rules that lead to other sequents

    def _each(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Each conclusion by itself."""
        texts, parts = sequent.goal.texts, proof["of"]
        need(len(parts) == len(texts) > 0, f"there are {len(texts)} conclusions and {len(parts)} proofs")  # code runs in each
        for text, part in zip(texts, parts, strict=True):
            self.prove(sequent.copy(replace(sequent.goal, texts=[text])), part)

    def _cases(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A comparison holds or does not."""
        fact = self.fact(sequent, proof["if"])
        for name, case in (("yes", fact), ("no", sequent.negated(fact))):
            branch = sequent.copy()
            branch.add(case)
            self.prove(branch, proof[name])

    def _have(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Something that is shown first and then known."""
        after, claim = sequent.copy(), proof["claim"]
        self.prove(sequent.copy(Goal(claim, dict(sequent.env))), proof["by"])
        for text in claim:
            self.assume(after, text, after.env)
        self.prove(after, proof["then"])

    def _set(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A variable is known to be equal to a term: it is replaced everywhere."""
        name, new, after = proof["variable"], self.poly(sequent, proof["to"]), sequent.copy()
        atom = single_atom(self.poly(sequent, name))
        need(atom and atom[0] == "v" and atom not in set(atoms(new)), "a variable is set to what contains it, or is none")
        need(sequent.holds((variable(atom) - new, "==")), f"{name[:60]!r} is not known to be that")
        after.replace(atom, new)
        self.prove(after, proof["then"])

    def _name(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A new variable that is equal to a term."""
        value, after = self.poly(sequent, proof["is"]), sequent.copy()
        after.add((declare(after, proof["variable"], "int" if sequent.is_whole(value) else "rat") - value, "=="))
        self.prove(after, proof["then"])

    def _let(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An abbreviation in what follows of this proof."""
        value, after = self.poly(sequent, proof["is"]), sequent.copy()
        need(new_name(sequent, proof["name"]), "an abbreviation's name is taken, or is none")
        after.env[proof["name"]] = value
        self.prove(after, proof["then"])

    def _use(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A node that was proved before, or a hypothesis, for given values of its variables: its conclusions become facts."""
        name, values, given = proof["node"], proof.get("with", {}), iter(proof.get("where", []))
        need(name in {*sequent.hypotheses, *self.proved}, "what is used is not proved before")
        node = self.proved.get(name, {})
        used = sequent.hypotheses.get(name) or Hypothesis(node["for"], node["where"], node["then"], {})
        env, parts = dict(used.env), list(used.where)
        need(set(values) == set(used.variables), f"the variables of {name!r} are not just those that are given")
        for variable_, kind in used.variables.items():
            value = Run(sequent).value(parsed(values[variable_]), sequent.env)
            env[variable_], more = self.given(sequent, variable_, kind, value)
            parts += more
        for part in parts:
            if isinstance(part, str):
                self.prove(sequent.copy(Goal([part], dict(env))), next(given, {"rule": "known"}))
            elif "let" in part:
                env[part["let"][0]] = Run(sequent).value(parsed(part["let"][1]), env)
            else:
                self.universal(sequent, part, env, next(given, {"rule": "known"}))
        need(next(given, None) is None, "there are more proofs than hypotheses")
        after = sequent.copy()
        for text in used.then:
            self.assume(after, text, env)
        self.prove(after, proof["then"])

    def given(self, sequent: Sequent, name: str, kind: str, value: Any) -> tuple[Any, list[dict[str, Any]]]:
        """A value for a variable, and what is to be shown of it: that a lambda's values are integers, if its kind says so."""
        if "->" not in kind:
            whole = isinstance(value, Poly) and (kind == "rat" or sequent.is_whole(value))
            need(whole, f"{name!r} is not surely of its kind")
            return value, []
        arity = kind.count(",") + 1
        if isinstance(value, Symbol) and value.arity == arity and kind.endswith(("rat", value.kind)):
            return value, []
        need(isinstance(value, Lambda) and len(value.names) == arity, f"{name!r} is no such function")
        names = [f"argument{i}" for i in range(arity)]
        then = [f"integer({name}({', '.join(names)}))"]
        return value, [{"for": dict.fromkeys(names, "int"), "where": [], "then": then}] if kind.endswith("int") else []

    def universal(self, sequent: Sequent, part: dict[str, Any], env: dict[str, Any], proof: dict[str, Any]) -> None:
        """A hypothesis with variables of its own: they are arbitrary."""
        inner, meaning = sequent.copy(), dict(env)
        for name, kind in part["for"].items():
            meaning[name] = declare(inner, name, kind)
        for text in part["where"]:
            self.assume(inner, text, meaning)
        self.prove(inner.copy(Goal(part["then"], meaning)), proof)

    def _induct(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """The node that is shown may be used, as "IH", where its integer variable `on` is less than here, and at least 0."""
        on, node, after = proof["on"], self.current, sequent.copy()
        need(len(self.path) == 2, "a proof by induction does not begin with it")
        need(node["for"].get(on) == "int", "induction is on no integer variable of the node")
        need(new_name(sequent, "limit"), "the name 'limit' is taken")
        where = [f"0 <= {on}", f"{on} < limit", *node["where"]]
        after.hypotheses["IH"] = Hypothesis(node["for"], where, node["then"], {"limit": sequent.env[on]})
        self.prove(after, proof["then"])

    def _know(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """What holds of a quotient, a bit length, a logarithm, a power or a Sum that is written as such."""
        value, after = self.poly(sequent, proof["of"]), sequent.copy()
        facts = list[Fact]()
        match parsed(proof["of"]):
            case ast.BinOp(left, ast.FloorDiv(), right):
                a, b = (Run(sequent).poly(part, sequent.env, None) for part in (left, right))
                facts = [(a - b * value, ">="), (b * value + b - ONE - a, ">=")]
            case ast.Call(ast.Attribute(left, "bit_length")):  # 2^(value - 1) <= a < 2^value; and value = 0 where a = 0
                a, two = Run(sequent).poly(left, sequent.env, None), raised(number(2), value)
                facts = [(value, ">="), (two - a - ONE, ">="), (a + a + ONE - two, ">=")]
            case ast.BinOp(left, ast.Pow(), right):  # a^b >= 1, and Bernoulli's inequality a^b >= 1 + b (a - 1)
                a, b = (Run(sequent).poly(part, sequent.env, None) for part in (left, right))
                known = sequent.holds((a - ONE, ">=")) and sequent.holds((b, ">=")) and sequent.is_whole(b)
                need(known, "of b**e something is known for b >= 1 and an integer e >= 0")
                facts = [(value - ONE, ">="), (value - ONE - b * (a - ONE), ">=")]
            case ast.Call(
                ast.Name("ln"), [left]
            ):  # at 1 all of these are 0; then the derivatives 1, 1/t and 4/(t+1)^2 are ordered
                t = Run(sequent).poly(left, sequent.env, None)
                need(sequent.holds((t - ONE, ">=")), "of ln(t) something is known for t >= 1")
                facts = [(t - ONE - value, ">="), ((t + ONE) * value - t - t + number(2), ">=")]
            case ast.Call(ast.Name("Sum")):  # it is 0 where its range is empty, else its last term and the rest
                _, bound, body, low, high, kind = single_atom(value)
                rest = variable(("sum", bound, body, low, high - ONE, kind)) + replaced(body, bound, high)
                empty = sequent.holds((low - high - ONE, ">="))
                need(empty or sequent.holds((high - low, ">=")), "whether the Sum's range is empty is not known")
                facts = [(value if empty else value - rest, "==")]
        need(facts, "there is nothing to know of this")
        for fact in facts:
            after.add(fact)
        self.prove(after, proof["then"])

    def _loop(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An invariant of a loop that an expression runs: it holds at the start, with `left` rounds to go, and is kept.

        It may speak of the function's local names. What the loop gives are integers for which it holds with no round left.
        """
        run = Run(sequent)
        run.value(parsed(proof["of"]), sequent.env)
        need(run.loops, "no loop is run here")
        node, module, before, result, found = run.loops[0]
        texts, low, high = proof["invariant"], found[1], found[2]
        need(sequent.holds((high - low, ">=")), "the number of rounds is not known to be at least 0")
        need(not {"left", *result} & set(sequent.env) and "left" not in before, "a name of the loop is taken")
        self.integers(sequent, before, result)
        rounds, outer = high - low, {k: v for k, v in sequent.env.items() if k not in before}
        self.prove(sequent.copy(Goal(texts, outer | before | {"left": rounds})), proof["start"])
        step = sequent.copy()
        inner = before | {name: declare(step, name, "int") for name in result}
        left = declare(step, "left", "int")
        for fact in ((left - ONE, ">="), (rounds - left, ">=")):
            step.add(fact)
        for text in texts:
            self.assume(step, text, outer | inner | {"left": left})

        def one_round(run: Run) -> dict[str, Any]:
            env = inner | {node.target.id: low + left - ONE if found[3] else high - left}
            run.execute(node.body, env, module)
            self.integers(run.sequent, env, result)
            return {name: env[name] for name in inner}

        step.goal = Goal(texts, outer | {"left": left - ONE}, one_round)
        self.prove(step, proof["step"])
        self.kept.add(next(iter(result.values()))[1])
        after, values = sequent.copy(), {name: variable(atom) for name, atom in result.items()}
        after.whole |= set(values.values())
        for text in texts:
            self.assume(after, text, outer | before | values | {"left": ZERO})
        self.prove(after, proof["then"])

    def integers(self, sequent: Sequent, env: dict[str, Any], names: Any) -> None:
        """What a loop changes are integers, before it and after a round."""
        for name in names:
            whole = isinstance(env[name], Poly) and sequent.is_whole(env[name])
            need(whole, f"{name!r} is not surely an integer before the loop, or after a round")


def is_comparison(node: Any) -> bool:
    """Whether an expression is a comparison of numbers, or a chain of these, by its form."""
    return isinstance(node, ast.Compare) and not any(map(is_boolean, (node.left, *node.comparators)))


def new_name(sequent: Sequent, name: str) -> bool:
    """Whether a name may be given a meaning: it has none, and is none that is built in."""
    known = name.isidentifier() and name.isascii() and not iskeyword(name)
    return known and name not in {*sequent.env, *sequent.checker.names} and f"builtins.{name}" not in Run.known


def declare(sequent: Sequent, name: str, kind: str) -> Any:
    """A new variable or unknown function."""
    need(new_name(sequent, name), f"{name[:60]!r} is no new name")
    known = kind.replace("int, ", "").removeprefix("int -> ") in ("int", "rat")
    need(known and (kind in ("int", "rat") or "->" in kind), f"{kind[:60]!r} is no kind of variable")
    result = kind[-3:]
    sequent.env[name] = Symbol(name, kind.count(",") + 1, result) if "->" in kind else variable(("v", name, result))
    return sequent.env[name]


# What claims mean. Trusted for: the statements are what their names say. Those about counting-query mechanisms are written
# here. That a histogram is as private as it claims is derived from its code, executed on the label at hand.

GEO, FAST = "finitedp.impl.counting.geometric.GeoSample", "finitedp.impl.counting.geometric.FastSample"
PARAMETERS: dict[str, tuple[str, list[Any]]] = {  # of a mechanism, as for all n, epsilon = 1/q and gamma = 1/g
    GEO: ("n q", ["n >= 1", "q >= 1", {"let": ["M", "GeoSample(n, 1/q)"]}]),
    FAST: ("n q g", ["n >= 1", "q >= 1", "g >= 2", {"let": ["M", "FastSample(n, 1/q, 1/g)"]}]),
}
X, A, COUNT, OUTPUT = {"let": ["x", "2**M.k"]}, {"let": ["a", "x/(x + 1)"]}, "0 <= c <= n", "0 <= z <= n"
MASS = "(M.cdf({0}, z) - M.cdf({0}, z - 1))"
RATIO = f"x*{MASS.format('c')} <= (x + 1)*{MASS.format('e')}"
WITHIN = "M.d - M.cdf(c, min(c + a, n)) + M.cdf(c, max(c - a - 1, -1)) <= beta*M.d"
MEANING: dict[str, list[tuple[str, list[Any], list[str]]]] = {  # integers beside the parameters; hypotheses; conclusions
    "inverse": [
        (
            "c z u",
            [COUNT, OUTPUT, "1 <= u <= M.d"],
            ["0 <= M.apply(c, u)", "M.apply(c, u) <= n", "(M.apply(c, u) <= z) == (u <= M.cdf(c, z))"],
        ),
        ("c", [COUNT], ["M.cdf(c, -1) == 0", "M.cdf(c, n) == M.d", "M.d >= 1"]),
    ],
    "private": [
        ("c z e", [COUNT, "0 <= e <= n", "-1 <= c - e <= 1", OUTPUT, X], [RATIO]),
        ("", [], ["ln(1 + 1/2**M.k) <= 1/(2*q)"]),
    ],
    "accurate": [("c a beta", [COUNT, "a >= 0", X, "(x/(x + 1))**a <= {beta}"], [WITHIN])],
    "monotone": [("c u v", [COUNT, "1 <= u <= v", "v <= M.d"], ["M.apply(c, u) <= M.apply(c, v)"])],
}
CLAMPED = {  # where z is: (1 + a) Pr[c + Z = z], where that is clamped to 0..n
    "z == c; 1 <= c; c <= n - 1": "1 - a",
    "z == c; c <= 0": "1",
    "z == c; c >= n": "1",
    "c < z; z <= n - 1": "(1 - a)*a**(z - c)",
    "c < z; z >= n": "a**(z - c)",
    "z < c; z >= 1": "(1 - a)*a**(c - z)",
    "z < c; z <= 0": "a**(c - z)",
}
CUT = {  # the same where all mass of Z beyond +-t, which is a^(t+1)/(1 + a) on either side, is moved to 0
    "z == c; 1 <= c; c <= n - 1": "1 - a + 2*a**(M.t + 1)",
    "z == c; c <= 0": "1 + a**(M.t + 1)",
    "z == c; c >= n": "1 + a**(M.t + 1)",
    "c < z; z <= n - 1; z - c <= M.t": "(1 - a)*a**(z - c)",
    "c < z; z >= n; z - c <= M.t": "a**(z - c) - a**(M.t + 1)",
    "c < z; z - c > M.t": "0",
    "z < c; z >= 1; c - z <= M.t": "(1 - a)*a**(c - z)",
    "z < c; z <= 0; c - z <= M.t": "a**(c - z) - a**(M.t + 1)",
    "z < c; c - z > M.t": "0",
}
LAW = {  # the law of M, multiplied by the denominators
    GEO: (CLAMPED, f"(1 + a)*{MASS.format('c')} == M.d*({{0}})"),
    FAST: (CUT, f"(1 + a)*g*(n + 1)*{MASS.format('c')} == M.d*(1 + a + (g - 1)*(n + 1)*({{0}}))"),
}


def meaning(kind: str, cls: str, library: Library | None = None) -> list[dict[str, Any]]:
    """The statements that a claim of some kind about a counting-query mechanism is, for all of its parameters.

    inverse: M(c, u) is the least output whose F is at least u, and F(c, -1) = 0, F(c, n) = d; so that for U uniform on 1..d,
    where the integers u in F(z-1) < u <= F(z) are F(z) - F(z-1) many, d Pr[M(c, U) = z] = F(c, z) - F(c, z-1).
    private: the ratio of these of neighbouring counts is at most 1 + 2^-k, and that is at most e^(1/(2q)).
    accurate: d Pr[|M(c, U) - c| > a] <= beta d for every integer a >= 0 with (1 + 2^-k)^-a <= beta (FastSample: beta - 1/g).
    monotone: M(c, u) <= M(c, v) for u <= v.
    geometric: GeoSample: d Pr[M(c, U) = z] is that of c + Z clamped to 0..n, Pr[Z = j] = (1-a)/(1+a) a^|j|, a = 1/(1 + 2^-k),
    whose tails are Pr[Z >= j] = Pr[Z <= -j] = a^j/(1+a). FastSample: the same with all mass of Z beyond +-t moved to 0, mixed
    with the uniform law on 0..n, whose share is 1/g.
    histogram: of a class or function of HISTOGRAM: see there.
    """
    if kind == "histogram":
        need(library is not None, "a histogram's code is to be read")
        return [statement for _, statement in as_claimed(cls, library)]  # type: ignore[arg-type]  # as was checked
    need(cls in PARAMETERS, f"{cls} is not known")
    (places, law), (names, where) = LAW[cls], PARAMETERS[cls]
    masses = [("c z", [COUNT, OUTPUT, X, A, *at.split("; ")], [law.format(mass)]) for at, mass in places.items()]
    table, beta = {**MEANING, "geometric": masses}, "beta - 1/g" if cls == FAST else "beta"
    need(kind in table, f"a claim of the kind {kind!r} is not known")
    found = []
    for more, hypotheses, then in table[kind]:
        said = [part.replace("{beta}", beta) if isinstance(part, str) else part for part in hypotheses]
        kinds = {name: "rat" if name == "beta" else "int" for name in f"{names} {more}".split()}
        found.append({"for": kinds, "where": [*where, *said], "then": then})
    return found


Cell = kind_of("Cell", "at", "bound")  # what a label shows: a draw at a count, where it is above `bound` if that is not None
# how a label's cell changes where its count does: same, near (by one neighbouring count), gone, new; and words for it
Change = kind_of("Change", "kind", "shows", "words")


def cell_of(released: Any) -> Any:
    """What is released of the label at hand; None where nothing is."""
    need(isinstance(released, Family) and not released.keyed, "what is released is no tuple of one item for a label")
    need(released.order in ("public", "sorted"), "the order of what is released depends on the order of the rows")
    if not released.here:
        return None
    item = released.item
    need(type(item) is tuple and len(item) == 2 and item[0] is LABEL, "an item is not a label with a number")
    need(isinstance(item[1], Draw), "the number of a label is not a draw of the mechanism")
    need(item[1].own, "one draw serves several labels")
    need(len(released.tests) <= 1, "several conditions on the draw")
    need(all(test.draw == item[1] for test in released.tests), "a condition on another draw than the one that is released")
    return Cell(item[1].at, released.tests[0].bound if released.tests else None)


def change(before: Any, after: Any, words: str) -> Any:
    """How a cell changes."""
    one = before or after
    if one is None:
        return Change("same", ZERO, words)
    if before is None or after is None:
        shows = ONE if one.bound is None else ONE - at_most(one.at, one.bound)
        return Change("gone" if before else "new", shows, words)
    need(before.bound == after.bound, f"{words}: another threshold")
    step = (before.at - after.at).constant()
    need(step in (0, 1, -1), f"{words}: the counts that are drawn at are no neighbours")
    return Change("near" if step else "same", ZERO, words)


def replacing(shows: "Shows", listed: bool) -> list[Any]:
    """How the cell of a label changes that loses a row, its only one or one of c + 1."""
    none, one, many = (shows(count, listed, False) for count in (ZERO, ONE, var("c", "int")))
    need(shows(ZERO, listed, listed) == none, "a count of 0 that is given differs from one that is not")
    need(many is None or many.at == var("c", "int"), "a label's draw is not at its true count")
    more = many and replace(many, at=many.at + ONE)
    return [change(one, none, "its only row"), change(more, many, "one of its rows")]


Sides = tuple[list[Poly], Poly, Poly]  # what is at least 0, and what an event has before and after


def probability(p: Poly) -> list[Poly]:
    """It is in 0..1."""
    return [p, ONE - p]


def near(p: Poly, q: Poly) -> list[Poly]:
    """Two numbers are at least 0 and within the factor R of each other."""
    return [p, q, var("R") * q - p, var("R") * p - q]


def both_near() -> Sides:
    """Two cells change to neighbouring counts: masses of one pair of outputs, of which events are sums."""
    p, q, s, t = map(var, ("x_before", "x_after", "y_before", "y_after"))
    return [var("R") - ONE, *near(p, q), *near(s, t)], p * s, q * t


def sides(x: Any, y: Any) -> Sides:
    """Two cells change, and all others are the same.

    An event is cut into parts, by which of the two labels show that cannot show in the other dataset. A part in which one
    does is an unknown mass of at most what its probability allows, against nothing; the part in which none does has the other
    cell's masses, before and after, with that cell's factor; where no cell is near, both datasets have the same output there,
    and the part has its probability or nothing.
    """
    known, before, after = [var("R") - ONE], ZERO, ZERO
    parts: list[list[tuple[bool, Poly, Poly]]] = []
    for cell in (x, y):
        hidden = ONE - cell.shows
        gone = [(True, cell.shows, ZERO), (False, hidden, ONE)]
        new = [(True, ZERO, cell.shows), (False, ONE, hidden)]
        parts.append({"gone": gone, "new": new}.get(cell.kind, [(False, ONE, ONE)]))
        known += [bound for atom in functions(cell.shows) for bound in probability(atom)]
    for i, ((a, a_before, a_after), (b, b_before, b_after)) in enumerate(product(*parts)):
        had, has = a_before * b_before, a_after * b_after
        p, q = var(f"before{i}"), var(f"after{i}")
        if a or b:
            for mass, part in ((had, p), (has, q)):
                known += [part, mass - part] if mass != ZERO else []
            before, after = before + (p if had != ZERO else ZERO), after + (q if has != ZERO else ZERO)
            continue
        if "near" in (x.kind, y.kind):
            known += [*near(p, q), ONE - p, ONE - q]
        else:
            q = p
            known += probability(p)
        before, after = before + had * p, after + has * q
    return known, before, after


def functions(p: Poly) -> list[Poly]:
    """The values of F in a polynomial."""
    return sorted((variable(atom) for atom in set(atoms(p)) if atom[0] == "f"), key=lambda one: shown(one, {}))


def allowed(claim: Any) -> list[tuple[Poly, Poly]]:
    """The factor and delta that each part of a claim allows; R stands for the mechanism's ratio, or for e^epsilon of it."""
    need(isinstance(claim, Claim) and isinstance(claim.epsilon, Poly), "what is claimed is not known")
    need(claim.neighbours == "replace-one", "the claim is for other neighbours than replace-one")
    times = [k for k in range(1, 7) if claim.epsilon == var("epsilon") * number(k)]
    need(len(times) == 1, f"epsilon is {shown(claim.epsilon, {})}, no multiple of the mechanism's")
    deltas = claim.delta.parts if isinstance(claim.delta, Least) else (claim.delta,)
    known = [isinstance(delta, Poly) and all(a[0] == "f" or a[1] in ("delta", "b") for a in atoms(delta)) for delta in deltas]
    need(all(known), "delta is no number that is known")
    found = [(raised(var("R"), number(times[0])), delta) for delta in deltas]
    if claim.ratio is not None:
        need(isinstance(claim.ratio, Poly) and set(atoms(claim.ratio)) <= {("v", "R", "rat")}, "the ratio is not known")
        found += [(claim.ratio, delta) for delta in deltas]
    return found


def within(p: Poly, ratio: Poly, q: Poly, delta: Poly, known: list[Poly]) -> dict[str, Any]:
    """The statement p <= ratio q + delta, where what is known is at least 0."""
    goal = ratio * q + delta - p
    said = list(dict.fromkeys(f"{shown(one, {})} >= 0" for one in known))
    kinds = {atom[1]: atom[2] if atom[0] == "v" else "int, int -> rat" for one in (goal, *known) for atom in atoms(one)}
    return {"for": dict(sorted(kinds.items())), "where": said, "then": [f"{shown(goal, {})} >= 0"]}


HISTOGRAM = {  # what a claim of the kind histogram is about: the class that holds its parameters, and those of a function
    f"{HISTOGRAMS}.basic.BasicHistogram": (f"{HISTOGRAMS}.basic.BasicHistogram", ""),
    f"{HISTOGRAMS}.stability.StabilityHistogram": (f"{HISTOGRAMS}.stability.StabilityHistogram", ""),
    "finitedp.data.releasing._basic": (f"{HISTOGRAMS}.basic.BasicHistogram", "found column histogram beta source"),
    "finitedp.data.releasing._stability": (
        f"{HISTOGRAMS}.stability.StabilityHistogram",
        "found histogram delta beta source",
    ),
}


def as_claimed(name: str, library: Library) -> list[tuple[str, dict[str, Any]]]:
    """That a histogram is as private as it claims, for datasets that differ in one row, over every private mechanism.

    BasicHistogram, over any list of distinct labels, and StabilityHistogram, over any threshold b and any universe, from rows
    to output and on any dataset that they accept; and finitedp.release with delta = 0 and with delta > 0, where delta is at
    least Pr[M(1) > b], from the counts of labels to what is returned. Each statement is that an event, or an output, that has
    p under one dataset and q under the other has p <= ratio q + delta, for each part of what is claimed.
    """
    need(name in HISTOGRAM, f"{name[:60]!r} is no histogram that is known")
    try:
        found = list(private(*(by_arrays if HISTOGRAM[name][1] else by_rows)(name, library)))
    except Raises:
        raise Refused("the code refuses what it should accept") from None
    need(found, "nothing is to be proved")
    return found


Shows = Callable[
    [Poly, bool, bool], Any
]  # a Cell or None, by the count, whether the label is listed, and whether the count is given


def started(name: str, library: Library, listed: bool, ratio: Poly | None, found: Family | None = None) -> LabelRun:
    """An execution that has no more than begun."""
    checker = Checker({}, library.root)
    checker.library = library
    return LabelRun(Sequent(checker, {}, Goal([], {})), HISTOGRAM[name][0], listed, ratio, found)


RATIOS = {"a ratio is known": var("R"), "no ratio is known": None}


def by_rows(name: str, library: Library) -> tuple[Shows, dict[str, Any], list[Poly]]:
    """A class with `release`, of rows, with `release_counts`, of counts, and with `claim`: what it claims on exact coins."""

    def asked(listed: bool, ratio: Poly | None, method: str, *given: Any) -> Any:
        run = started(name, library, listed, ratio)
        return run.applied(run.attribute(run.histogram, method), list(given), {})

    def shows(count: Poly, listed: bool, given: bool) -> Any:
        if count != ZERO:
            return cell_of(asked(listed, var("R"), "release", Rows(count), COINS))
        counts = Family(True, given, ZERO if given else None, "data")
        cell = cell_of(asked(listed, var("R"), "release_counts", counts, COINS))
        same = given or cell == cell_of(asked(listed, var("R"), "release", Rows(ZERO), COINS))
        need(same, "counts and rows differ")
        return cell

    return shows, {words: asked(True, ratio, "claim", None) for words, ratio in RATIOS.items()}, []


def by_arrays(name: str, library: Library) -> tuple[Shows, dict[str, Any], list[Poly]]:
    """A function that releases an array of counts, and what it returns as its claim."""

    def released(count: Poly, listed: bool, given: bool, ratio: Poly | None) -> Any:
        known = listed and (given or count != ZERO)
        run = started(name, library, listed, ratio, Family(True, known, count if known else None, "data"))
        code = library.find(name)
        values = {"found": FOUND, "histogram": run.histogram, "delta": var("delta")}
        names = HISTOGRAM[name][1].split()
        need([a.arg for a in code.node.args.args] == names, f"{name} has other arguments")
        result = run.applied(code, [values.get(one, PUBLIC) for one in names], {})
        need(isinstance(result, Released), "what is returned is no NoisyHistogram")
        return result

    def shows(count: Poly, listed: bool, given: bool) -> Any:
        return cell_of(released(count, listed, given, var("R")).bins)

    claims = {words: released(ZERO, True, True, ratio).claim for words, ratio in RATIOS.items()}
    return shows, claims, [var("delta") - ONE + at_most(ONE, var("b", "int"))]


def private(shows: Shows, claims: dict[str, Any], given: list[Poly]) -> Iterator[tuple[str, dict[str, Any]]]:
    """That what a label shows is as private as is claimed, in words and as statements, none of them twice."""
    seen = list[dict[str, Any]]()
    changes = {words: replacing(shows, listed) for words, listed in (("listed", True), ("not listed", False))}
    backwards = {"gone": "new", "new": "gone"}
    for (a, b), (i, j) in product(product(changes, repeat=2), product(range(2), repeat=2)):
        x, y = changes[a][i], changes[b][j]
        pointwise = x.kind == y.kind == "near"
        known, before, after = both_near() if pointwise else sides(x, replace(y, kind=backwards.get(y.kind, y.kind)))
        for (words, claim), (p, q, way) in product(claims.items(), ((before, after, "forth"), (after, before, "back"))):
            for k, (ratio, delta) in enumerate(allowed(claim)):
                spent = (
                    [] if delta.constant() is not None else [*(c for f in functions(delta) for c in probability(f)), *given]
                )
                spent += probability(var("delta")) if ("v", "delta", "rat") in set(atoms(delta)) else []
                spare = ZERO if pointwise else delta  # what is allowed once cannot be spent at every output
                statement = within(p, ratio, q, spare, [*known, *spent])
                if statement not in seen:
                    seen.append(statement)
                    yield f"{a} label loses {x.words}, {b} one gains it as {y.words}; {words}, part {k}, {way}", statement


# Documents. Trusted for: a document is read whole, has no more than it must have, what it proves has the statements that its
# kind means, and the code that it was found with is the code that is here.


DOCUMENT = {
    "format": str,
    "version": int,
    "title": str,
    "names": VALUES,
    "proves": [{"claim": str, "nodes": TEXTS, "kind?": str, "mechanism?": str}],
    "code": {"": {"sha256": str, "source": str}},
    "nodes": [NODE],
    "sha256": str,
}


def claimed(checker: Checker, claim: dict[str, Any]) -> Any:
    """The id of a claim whose statements are proved: those that its kind means, or, without a kind, the nodes."""
    name, nodes = claim["claim"], claim["nodes"]
    known = name.isprintable() and nodes and set(nodes) <= set(checker.proved)
    need(known, f"a node of {name[:60]} is not proved")
    if "kind" in claim:
        said = [{k: checker.proved[node][k] for k in ("for", "where", "then")} for node in nodes]
        of = claim.get("mechanism", "")
        need(said == meaning(claim["kind"], of, checker.library), f"the nodes of {name} do not say what it means")
        need(checker.names.get(of.rpartition(".")[2]) == of, f"the name of {of} stands for another")
    return name


def check(document: Any, root: Path | None = None, *, stale: bool = False) -> list[str]:
    """The claims that a document proves. Raises: Refused. With stale=True, code that changed is executed as it is now."""
    STEPS[0] = 0
    need(formed(document, DOCUMENT), "this document has another form")
    known = document["format"] == "finitedp proof" and repr(document["version"]) == "1"
    need(known, "this is no proof of version 1")
    same = document["sha256"] == digest({k: v for k, v in document.items() if k != "sha256"})
    need(stale or same, "the hash is not that of the proof")
    for name, full in document["names"].items():
        need(name.isidentifier() and name == full.rpartition(".")[2], f"the name {name!r} stands for another")
        need(f"builtins.{name}" not in Run.known, f"the name {name!r} is built in")
    checker = Checker(document["names"], root or Path(__file__).resolve().parents[2])
    try:
        return decided(checker, document, stale)
    except (Refused, *UNREADABLE) as error:
        why = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {str(error)[:100]}"
        raise Refused(" / ".join([*checker.path[:20], why])) from None


def decided(checker: Checker, document: dict[str, Any], stale: bool) -> list[str]:
    """What `check` gives, for a document of the right form."""
    recorded = document["code"]
    for name, entry in recorded.items():
        need(entry["sha256"] == digest(entry["source"]), f"the hash of {name} is not that of its source")
        changed = None if stale else checker.library.changed(name, entry["source"])
        need(changed is None, f"{name} has changed since: {changed}")
    for node in document["nodes"]:
        checker.node(node)
    checker.path = []
    found = [claimed(checker, claim) for claim in document["proves"]]
    need(checker.loops <= checker.kept, "a loop is run of which no invariant is shown: it might raise")
    missing = sorted(set(checker.library.used) ^ set(recorded))
    need(not missing, f"{missing[:1]} is executed and not recorded, or recorded and not executed")
    return found


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
