"""Re-checks proofs for all parameters: python proof_checker.py PROOF.json...

It imports the standard library only, trusts no finder, and executes the functions that a proof names itself: it reads their
source beside it and runs it on polynomials instead of numbers, or on one label of a histogram, and asks the proof at each
comparison. A proof is a list of nodes; each states that hypotheses imply conclusions for all values of its variables. What a
claim of some kind means is written here, or derived here from the code; its nodes have to say just that.

The file is in the order of dependence, and each section begins with what it is trusted for. Besides, the Python semantics of
the few constructs that are executed are trusted, and that parameters are those that the classes accept.
"""

import ast
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass, replace
from fractions import Fraction as Q
from functools import cache
from itertools import product, zip_longest
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
                for mono, e in _times(a, b, c * d).items():
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
    bits = base.numerator.bit_length() + base.denominator.bit_length()
    need(e.denominator == 1 and abs(e) * bits <= MOST_BITS, "a power is too large, or none")
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
    return variable(("p", base), int(value))


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


def single_atom(poly: Poly) -> Any:
    """The atom that a polynomial is, or None."""
    for mono, c in poly.terms.items():
        for atom, _ in mono:
            return atom if poly == variable(atom) and c else None
    return None


def plain_variable(value: Any, name: str) -> Any:
    """The atom of a name that stands for a variable."""
    atom = single_atom(value) if isinstance(value, Poly) else None
    need(atom and atom[0] == "v", f"{name!r} is no variable here")
    return atom


def shown(poly: Poly, env: dict[str, Any]) -> str:
    """A polynomial as an expression; atoms that a name stands for are shown by it."""
    names = {single_atom(value): name for name, value in env.items() if isinstance(value, Poly)}

    def one(atom: Any) -> str:
        stepped(50)  # what is within many others is shown as often
        if atom in names:
            return names[atom]
        parts = [of(part) if isinstance(part, Poly) else str(part) for part in atom[1:]]
        if atom[0] == "f":
            return f"{atom[1]}({', '.join(map(of, atom[2]))})"
        if atom[0] == "div":
            return f"(({parts[0]})//({parts[1]}))"
        if atom[0] == "sum":
            return f"Sum({atom[1][1].replace('$', 'i')}, {parts[2]}, {parts[3]}, {parts[1]})"
        if atom[0] == "loop":
            return f"<the loop's {parts[1]}>"
        texts = {"v": parts[0].replace("$", "i"), "p": f"({parts[0]})", "bits": f"({parts[0]}).bit_length()"}
        return texts.get(atom[0], f"ln({parts[0]})")

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
# value for a variable everywhere but where a sum binds it, `atoms` misses none, and `key` tells different values apart.


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
    if isinstance(value, Code):
        return ("code", value.name, key(value.bound))
    need(value is None or isinstance(value, Poly | bool | tuple | str), "a loop reads what cannot be told from others")
    return value


def replaced(value: Any, old: Any, new: Poly) -> Any:
    """A value with a variable's atom replaced by a polynomial; what is bound by a sum stays."""
    stepped()
    if isinstance(value, Poly):
        total = ZERO
        for mono, c in value.terms.items():
            term = number(c)
            for atom, e in mono:
                other = replaced(atom[1], old, new) if atom[0] == "p" else simple(_inside(atom, old, new))
                term = term * raised(new if atom == old else other, replaced(as_poly(e), old, new))
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
    stepped()
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


# Sequents: what is known, and what is to be shown. Trusted for: `holds`, `decide` and `sign` say yes only of what follows from
# the facts, for all values of the variables that satisfy them.

Fact = tuple[Poly, str]  # poly >= 0, poly > 0 or poly == 0, by the sign's text ">=", ">", "=="


@cache
def parsed(text: str) -> Any:
    """An expression of the statement language."""
    known = type(text) is str and len(text) <= MOST_TERMS and text.isascii()
    need(known, "an expression is no text, too long, or not ASCII")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError) as error:
        raise Refused(f"{text[:60]!r} is no expression") from error


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


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """For all its variables, `where` implies `then`. The names that it reads otherwise are in env."""

    variables: dict[str, str]
    where: list[str]
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
    """Conclusions, the names in them, and statements of a loop's body that run first. Or facts as they are."""

    texts: list[str]
    env: dict[str, Any]
    body: Any = None
    facts: list[Fact] | None = None

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
            if self.sign(variable(atom)):
                rest = [_times(mono, Mono({(atom, -1)}), c) for mono, c in poly.terms.items()]
                return self.at_least(Poly({mono: c for terms in rest for mono, c in terms.items()}))
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
        self.env, self.goal = replaced(self.env, atom, new), self.goal.replaced(atom, new)
        self.hypotheses = {k: replace(h, env=replaced(h.env, atom, new)) for k, h in self.hypotheses.items()}
        self.whole = {_inside(a, atom, new) for a in self.whole if a != atom}
        self.facts, self.signs = [], {}
        for fact in facts:
            self.add(fact)


# The source that is executed. Trusted for: a qualified name leads to the definition that Python would run, by way of imports,
# or is refused; what was executed or taken at its word is noted in `used`, and compared with what the document recorded. What
# is taken at its word is not executed: somebody has read the text that has this hash, and the checker says what it does.

TAKEN = {
    "finitedp.exact.integer": "68cff0e0aa149960601fc82ab343c0d0",
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
        self.module, self.method = cache(self._module), cache(self._method)

    def _module(self, name: str) -> dict[str, Any]:
        """What the names of a module mean: the node of a definition or a value, or the qualified name that is imported."""
        first, *parts = name.split(".")
        known = first == "finitedp" and parts and all(part.isidentifier() for part in parts)
        need(known, f"{name} is no module of finitedp")
        folders = [self.root.joinpath(*above, *parts[:-1]) for above in ((), ("src", "finitedp"))]
        near = [path for folder in folders for path in folder.glob(f"{parts[-1]}*") if path.stem.split(".")[0] == parts[-1]]
        found = list({path.resolve() for path in near if path.suffix in ("", ".py", ".so", ".pyd")})
        need(len(found) == 1 and found[0].suffix == ".py", f"there is no module {name}, or two of the name")
        text = self.text[name] = found[0].read_text(encoding="utf-8")
        told = any(sign in line for line in text.split("\n")[:2] for sign in ("coding:", "coding="))
        need(not told, f"{name} may have another encoding than UTF-8")
        tree = ast.parse(text)
        names: dict[str, Any] = {}
        for node in tree.body:
            known = all(_harmless(part, names) for part in _at_import(node))
            need(known, f"line {node.lineno} of {name} might change what its names mean")
            for bound, what in _bound(node).items():
                known = bound not in names and bound.isidentifier() and (not bound.startswith("__") or bound == "__all__")
                need(known, f"{name}.{bound} is defined twice, or is no name")  # as are * and __builtins__
                names[bound] = what
        need(not any(isinstance(n, ast.Global) for n in ast.walk(tree)), f"{name} changes its names in functions")
        return names

    def find(self, name: str) -> Code:
        """A function, class or constant by its qualified name, by way of imports; what is not of finitedp has no node."""
        module, _, last = name.rpartition(".")
        if not name.startswith("finitedp."):
            return Code(name)
        found = self.module(module).get(last)
        if isinstance(found, str):
            return self.find(found)
        known = isinstance(found, ast.FunctionDef | ast.ClassDef | ast.Constant | ast.BinOp)
        need(known, f"there is no function {name} that can be executed")
        return Code(name, found)

    def _method(self, cls: str, name: str) -> tuple[str, Any] | None:
        """A method or property of a class: how it is called, and its node."""
        node = self.members(self.find(cls)).get(name)
        if not isinstance(node, ast.FunctionDef):
            return None
        how = [_meant(d, self.module(cls.rpartition(".")[0])) for d in node.decorator_list]
        known = how in ([], ["builtins.property"], ["functools.cached_property"])
        need(known, f"{cls}.{name} has a decorator that is not known")
        return ("property" if how else "method"), node

    def members(self, code: Code) -> dict[str, Any]:
        """The fields and methods of a frozen class of attrs, whose attributes are what it says. Raises: Refused, of others."""
        node, module = code.node, code.name.rpartition(".")[0]
        names, found = self.module(module), dict[str, Any]()
        made, bases = [ast.unparse(d) for d in node.decorator_list], [ast.unparse(base) for base in node.bases]
        known = made in (["frozen"], ["frozen(slots=False)"], ["frozen(eq=False)"]) and names.get("frozen") == "attrs.frozen"
        known = known and (not bases or (bases == ["Generic[L]"] and names.get("Generic") == "typing.Generic"))
        need(known and "ClassVar" not in self.text[module], f"{code.name} is no plain class of attrs")
        for part in node.body:
            if isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
                continue
            field = isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            need(field or isinstance(part, ast.FunctionDef), f"{code.name} has other than fields and methods")
            name = part.target.id if field else part.name
            known = not name.startswith("_" if field else "__") or (name == "__attrs_post_init__" and _looks_only(part))
            need(known, f"{code.name}.{name} may do anything")
            known = name not in found and name not in names and name != "property"  # as what the class reads
            need(known, f"{code.name} has two things of one name, or {name} is the name of what the class reads")
            found[name] = part
        special = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr.startswith("__")}
        need(special <= {"__getitem__"}, f"{code.name} may do anything")
        return found

    def fields(self, code: Code) -> dict[str, Any]:
        """The fields of a class of attrs, in order, with their converters, or None; others may have a constant as default."""
        found, module = dict[str, Any](), code.name.rpartition(".")[0]
        for name, part in self.members(code).items():
            value = getattr(part, "value", None)  # a method has none
            if isinstance(value, ast.Call):
                known = _meant(value.func, self.module(module)) == "attrs.field" and not value.args
                need(known and [k.arg for k in value.keywords] == ["converter"], f"a field of {code.name} is not known")
                found[name] = self.find(f"{module}.{ast.unparse(value.keywords[0].value)}")
            elif isinstance(part, ast.AnnAssign):
                need(value is None or isinstance(value, ast.Constant), f"a field of {code.name} is not known")
                found[name] = None
        return found

    def use(self, name: str, node: Any = None) -> None:
        """Note that a function is executed, or taken at its word: then it must be the one that is known."""
        if name.startswith("finitedp.") and name not in self.used:
            source = self.used[name] = plain(self.named(name) if node is None else node)
            same = name not in TAKEN or TAKEN[name] == fingerprint(source)[:32]
            need(same, f"{name} is taken at its word, and is another one")

    def changed(self, name: str, source: str) -> str | None:
        """How the source of a function differs from the one recorded; None where it does not, but for comments and types."""
        node = self.named(name)
        now = plain(node)
        if fingerprint(source) == fingerprint(now):
            return None
        pairs = zip_longest(source.splitlines(), now.splitlines(), fillvalue="nothing")
        was, new = next(((a.strip(), b.strip()) for a, b in pairs if a != b), ("", ""))
        at = [n.lineno for n in ast.walk(node) if isinstance(n, ast.stmt) and ast.unparse(n).startswith(new)] or [node.lineno]
        return f"line {at[-1]} is {new[:100]!r} and was {was[:100]!r}"

    def named(self, name: str) -> Any:
        """The definition of a function, class or method."""
        outer, _, last = name.rpartition(".")
        if outer.rpartition(".")[2][:1].isupper():
            found = self.method(outer, last)
            need(found, f"{name} is not there")
            return found[1]  # type: ignore[index]
        return self.find(name).node


FORM = (  # what a module may consist of, but for the bodies of functions; of some of these, `_harmless` asks for more
    *(ast.Import, ast.ImportFrom, ast.alias, ast.AnnAssign, ast.Expr, ast.Pass, ast.Constant, ast.Name, ast.Attribute),
    *(ast.Subscript, ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.keyword, ast.arguments, ast.arg, ast.operator),
    *(ast.Load, ast.Store),
)
AT_IMPORT = {  # what may be called where a module is imported
    *("attrs.field", "attrs.frozen", "builtins.classmethod", "builtins.property", "functools.cached_property"),
    *("functools.lru_cache", "gmpy2.mpq", "re.compile", "typing.TypeVar"),
}
SPECIAL = ("__attrs_post_init__", "__init__", "__call__", "__hash__", "__add__")  # methods that no import calls


def _bound(node: Any) -> dict[str, Any]:
    """What a statement of a module binds. What only a checker of types runs binds nothing."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name: node}
    if isinstance(node, ast.Import | ast.ImportFrom):
        start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        return {a.asname or a.name: start + a.name for a in node.names}
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return {target.id: node.value for target in targets if target}


def _at_import(node: Any) -> Iterator[Any]:
    """What is executed where a module is imported: not the bodies of functions, and of `if TYPE_CHECKING`."""
    yield node
    for name, parts in ast.iter_fields(node):
        for part in parts if isinstance(parts, list) else [parts]:
            if isinstance(part, ast.AST) and not (name == "body" and isinstance(node, ast.FunctionDef | ast.If)):
                yield from _at_import(part)


def _meant(node: Any, names: dict[str, Any]) -> str:
    """The qualified name of what a name in a module means, or one of its attributes."""
    first, dot, rest = ast.unparse(node).partition(".")
    found = names.get(first, f"builtins.{first}")
    return found + dot + rest if isinstance(found, str) else ""


def _harmless(node: Any, names: dict[str, Any]) -> bool:
    """Whether what a module does at its import gives its names their meaning, and changes nothing."""
    if isinstance(node, ast.Call):
        hooked = node.args or not {k.arg for k in node.keywords} <= {"slots", "eq"}
        return _meant(node.func, names) in AT_IMPORT and not (hooked and _meant(node.func, names) == "attrs.frozen")
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        known = all(isinstance(d, ast.Call) or _meant(d, names) in AT_IMPORT for d in node.decorator_list)
        return known and not getattr(node, "keywords", []) and (not node.name.startswith("__") or node.name in SPECIAL)
    if isinstance(node, ast.If):
        return _meant(node.test, names) == "typing.TYPE_CHECKING" and not node.orelse
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, FORM) and not getattr(node, "level", 0) and getattr(node, "simple", 1) == 1


def _looks_only(method: Any) -> bool:
    """Whether a method uses its object for nothing else than the attributes that it has."""
    inside = list(ast.walk(method))
    looks = [n.value for n in inside if isinstance(n, ast.Attribute)]
    hidden = (method.args.args[0].arg, "super", "vars", "locals")
    known = all(n in looks for n in inside if isinstance(n, ast.Name) and n.id in hidden)
    return known and all(isinstance(n, ast.Name) or isinstance(getattr(n, "ctx", ast.Load()), ast.Load) for n in inside)


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


# Execution on numbers. Trusted for: the value of an expression or function is what Python gives for all integers and rationals
# that the variables may be; where that depends on a comparison, the sequent decides it, or Undecided is raised.

OPERATIONS: dict[Any, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
OPERATIONS |= {ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>"}
LANGUAGE = (  # what a function that is executed may consist of, and what the message of its errors may
    *(ast.Assign, ast.If, ast.Return, ast.Raise, ast.For, ast.Expr, ast.Constant, ast.Name, ast.Tuple, ast.Subscript),
    *(ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.operator),
    *(ast.unaryop, ast.boolop, ast.cmpop, ast.Load, ast.Store, ast.JoinedStr, ast.FormattedValue),
)
FORMS = ("Sum", "Raises", "Comparisons")  # what is no function: its arguments are not evaluated first
STATED = (*FORMS, "ln", "integer", "Some")  # what only statements may speak of


class Returned(Exception):  # noqa: N818  # how a function ends
    """The value of a function."""


def is_boolean(node: Any) -> bool:
    """Whether an expression is a condition by its form."""
    return isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


class Run:
    """Executes expressions and statements on polynomials, in a sequent that decides comparisons.

    known: what is not executed, by its qualified name, or <what it is a method of>: the method that gives its value.
    """

    language: ClassVar[tuple[Any, ...]] = LANGUAGE
    known: ClassVar[dict[str, str]] = {
        **{f"builtins.{name}": "" for name in (*FORMS, "range")},  # which have meanings of their own
        **{f"builtins.{name}": f"_{name.lower()}" for name in ("int", "min", "max", "ln", "Some")},
        "builtins.integer": "_is_integer",
        "functools.partial": "_partial",
        "gmpy2.mpz": "_int",
        "gmpy2.mpq": "_mpq",
        "<number>.bit_length": "_bit_length",
        **{f"finitedp.exact.{name}": f"_{name}" for name in ("integer", "unit_fraction")},
        **{f"finitedp.impl.counting.geometric.{name}": "_first" for name in ("_remembered", "checked_mechanism")},
    }

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.library, self.names = sequent, sequent.checker.library, sequent.checker.names
        self.depth, self.loops, self.tally, self.uncounted = 0, list[Any](), 0, False
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
        """A lambda, of a statement."""
        known = isinstance(node, ast.Lambda) and module is None
        need(known, f"{ast.unparse(node)[:60]!r} is nothing that can be executed here")
        need(plain_parameters(node) and not node.args.defaults, "a lambda has other than plain arguments")
        return Lambda(node, env, None)

    def choice(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A conditional expression."""
        return self.value(node.body if self.true(node.test, env, module) else node.orelse, env, module)

    def item(self, whole: Any, place: Any) -> Any:
        """A tuple's part."""
        index = as_number(place).constant()
        need(type(whole) is tuple and index in range(len(whole)), "an index is not known, or out of range")
        return whole[int(index)]

    def poly(self, node: Any, env: dict[str, Any], module: str | None) -> Poly:
        """The value of an expression that must be a number."""
        return as_number(self.value(node, env, module), ast.unparse(node)[:60])

    def named(self, name: str, module: str | None) -> Any:
        """What a name means that is not bound: something of the module, what the document declares, or what is built in."""
        if module is not None and name in self.library.module(module):
            found = self.library.find(f"{module}.{name}")
            constant = isinstance(found.node, ast.Constant | ast.BinOp)
            return self.value(found.node, {}, found.name.rpartition(".")[0]) if constant else found
        if module is None and name in self.names:
            return self.library.find(self.names[name])
        need(self.known.get(f"builtins.{name}"), f"the name {name!r} means nothing here")
        need(module is None or name not in STATED, f"the name {name!r} means nothing in code")
        return Code(f"builtins.{name}")

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
        quotient = a if b == ONE else ZERO if a == ZERO else simple(("div", a, b))
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
        """The value of a comparison, or of several. Raises: Undecided."""
        if isinstance(node, ast.Compare):
            return all(self.compare(pair, module) for pair in self.pairs(node, env, module))
        if isinstance(node, ast.UnaryOp):
            return not self.true(node.operand, env, module)
        stop = isinstance(node.op, ast.Or)
        return stop if any(self.true(part, env, module) == stop for part in node.values) else not stop

    def true(self, node: Any, env: dict[str, Any], module: str | None = None) -> bool:
        """Whether a condition holds. Raises: Undecided."""
        value = self.value(node, env, module)
        need(isinstance(value, bool), f"{ast.unparse(node)[:60]!r} is no condition")
        return bool(value)

    def compare(self, pair: Any, module: str | None) -> bool:
        """Whether one comparison holds."""
        self.tally += module is not None
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
            before = self.tally
            self.properties[id(value), name] = (value, self.run(method, [value], {}))
            self.uncounted = self.uncounted or self.tally != before  # it may run again
        return self.properties[id(value), name][1]

    def call(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A call: of a lambda, an unknown function, a function or class of the library, or of what is known."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if module is None and name in FORMS and name not in env and self.known != {}:
            need(len(node.args) == (4 if name == "Sum" else 1) and not node.keywords, f"{name} has other arguments")
            return getattr(self, name.lower())(env, *node.args)
        function = self.value(node.func, env, module)
        arguments = [self.argument(part, env, module) for part in node.args]
        named = {part.arg or "": self.value(part.value, env, module) for part in node.keywords}
        need(len(named) == len(node.keywords), "an argument is given twice")
        return self.applied(function, arguments, named)

    def argument(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """The value of an argument, which may be a text, for a message."""
        text = isinstance(node, ast.Constant) and type(node.value) is str and module is not None
        return node.value if text else self.value(node, env, module)

    def applied(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value of a call."""
        if isinstance(function, Lambda):
            need(len(arguments) == len(function.names) and not named, "a lambda has another number of arguments")
            env = function.env | dict(zip(function.names, arguments, strict=True))
            return self.deeper(lambda: self.value(function.node.body, env))
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
        need(self.known, "the comparisons of an object that is made are not counted")
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

    def _min(self, a: Any, b: Any) -> Any:
        return a if self.sequent.decide((as_number(b) - as_number(a), ">=")) else b

    def _max(self, a: Any, b: Any) -> Any:
        return b if self.sequent.decide((as_number(b) - as_number(a), ">=")) else a

    def _partial(self, method: Any, first: Any) -> Lambda:
        """A method's first argument is given: what is left is a function of another."""
        known = isinstance(method, Code) and isinstance(method.bound, Record)
        need(known, "what is given in part is no method")
        name = method.name.rpartition(".")[2]
        return Lambda(parsed(f"lambda other: owner.{name}(first, other)"), {"owner": method.bound, "first": first}, None)

    def _bit_length(self, a: Any) -> Poly:
        need(self.sequent.decide((self.whole(a, "bit_length"), ">=")), "bit_length of what is below 0")
        return simple(("bits", a))

    def _ln(self, a: Any) -> Poly:
        t = as_number(a)
        need(self.sequent.sign(t) == ">", "ln of what is not manifestly positive")
        return variable(("ln", t)) if t != ONE else ZERO

    def _is_integer(self, a: Any) -> bool:
        return self.sequent.is_whole(self.whole(a, "integer"))

    def _some(self, *classes: Any, **fields: Any) -> Record:
        """Some(a=x): any object with this attribute. Some(Class, a=x): any of a class, whose other attributes are executed."""
        if not classes:
            return Record("some object", fields)
        cls = classes[0]
        known = len(classes) == 1 and isinstance(cls, Code) and isinstance(cls.node, ast.ClassDef)
        need(known, "Some has other than a class and named attributes")
        members = self.library.members(cls)
        for name in fields:
            method = self.library.method(cls.name, name) or ("property" if name in members else "")
            need(method and method[0] != "method", f"{cls.name} has no field or property {name!r}")
        self.library.use(cls.name, cls.node)
        return Record(cls.name, fields)

    def _first(self, value: Any, *_: Any) -> Any:
        """What is remembered, or checked."""
        return value

    def _integer(self, value: Any, name: str, at_least: Any = None, at_most: Any = None, error: Any = None) -> Poly:
        """finitedp.exact.integer: the value, where it is surely an integer within the ends."""
        need(not isinstance(value, bool), f"{name} is a condition")
        found = self.whole(value, f"integer, for {name},")
        above = at_least is None or self.sequent.decide((found - as_number(at_least), ">="))
        if not (above and (at_most is None or self.sequent.decide((as_number(at_most) - found, ">=")))):
            raise Raised(f"{name} is out of range")
        return found

    def _unit_fraction(self, value: Any, name: str, least_denominator: Any = ONE) -> Poly:
        """finitedp.exact.unit_fraction: q, where the value is surely 1/q and q surely that large."""
        self.library.use("finitedp.exact.rational")  # which it calls
        above, below = _parts(as_number(value), self.sequent)
        need(above == ONE, f"{name} is no unit fraction")
        if not self.sequent.decide((below - as_number(least_denominator), ">=")):
            raise Raised(f"{name} is no such unit fraction")
        return below

    def sum(self, env: dict[str, Any], place: Any, first: Any, last: Any, term: Any) -> Poly:
        """Sum(i, low, high, body)."""
        need(isinstance(place, ast.Name), "a Sum is over no variable")
        low, high = (self.whole(self.value(part, env), "a Sum's end") for part in (first, last))
        fresh = ("v", f"%{self.depth}", "int")
        try:
            body = as_number(self.deeper(lambda: self.value(term, env | {place.id: variable(fresh)})))
        except Raised:
            raise Refused("a term of a Sum raises") from None  # if there is one
        level = 1 + max((int(a[1][1:]) for a in atoms(body) if a[0] == "v" and a[1][0] == "$"), default=0)
        bound, kind = ("v", f"${level}", "int"), "int" if self.sequent.is_whole(body) else "rat"
        return variable(("sum", bound, replaced(body, fresh, variable(bound)), low, high, kind))

    def raises(self, env: dict[str, Any], call: Any) -> bool:
        """Raises(call): the code that is executed comes to where it raises. It is never false: no code is shown not to."""
        try:
            self.value(call, env)
        except Raised:
            return True
        raise Refused(f"it is not shown that {ast.unparse(call)[:60]} raises")

    def comparisons(self, env: dict[str, Any], call: Any) -> Poly:
        """Comparisons(call): how many comparisons of numbers the code makes; those of unknown functions are not known."""
        run = Run(self.sequent)
        run.known = {}  # type: ignore[misc]  # what is not executed is not counted
        run.value(call, env)
        need(not run.uncounted, "the comparisons of a property are not counted")
        return number(run.tally)

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
        node, method, name = function.node, isinstance(function.bound, Record), function.name
        module = (name.rpartition(".")[0] if method else name).rpartition(".")[0]
        need(method or not node.decorator_list, f"{name} has a decorator")
        need(plain_parameters(node), f"{name} has other than plain parameters")
        need(_speaks(node, self.language), f"{name} is not in the language that is executed, or binds names")
        names = [a.arg for a in node.args.args]
        outside = (f"builtins.{one}" in self.known or one in self.library.module(module) for one in (*_stored(node), *names))
        need(not any(outside), f"{name} gives a value to a name that means something outside")
        self.library.use(name, node)
        env = _matched(name, names, arguments, named)
        try:
            self.deeper(lambda: self.execute(node.body, env, module))
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
            elif isinstance(node, ast.For) and not node.orelse:
                self.loop(node, env, module)
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
            need(type(value) is tuple and len(value) == len(target.elts), "an assignment has another number of values")
            for part, one in zip(target.elts, value, strict=True):
                self.bind(part, one, env)
            return
        need(isinstance(target, ast.Name), "an assignment is to other than a name")
        env[target.id] = value

    def loop(self, node: Any, env: dict[str, Any], module: str) -> None:
        """A loop over a range: what it assigns is then an unknown function of what it reads; the rule `loop` tells more."""
        over = node.iter
        known = isinstance(over, ast.Call) and ast.unparse(over.func) == "range" and len(over.args) == 1 and not over.keywords
        known = known and "range" not in (*env, *self.library.module(module)) and self.known != {}
        need(known, "a loop is not one over range(n), or its comparisons are not counted")
        rounds = self.whole(self.value(over.args[0], env, module), "a range")
        inside = [n for part in node.body for n in ast.walk(part)]
        need(not any(isinstance(n, ast.Return | ast.For | ast.Raise) for n in inside), "a loop has a way out, or another")
        need(isinstance(node.target, ast.Name) and node.target.id not in env, "a loop's variable has a value before")
        stored = _stored(node) - {node.target.id}
        kept = sorted(stored & set(env))
        read = sorted({n.id for n in inside if isinstance(n, ast.Name)} & set(env))
        state = tuple((name, key(env[name])) for name in read)
        result = {name: ("loop", f"{module}:{ast.unparse(node)}", name, (rounds, state)) for name in kept}
        need(result, "a loop changes nothing: whether it raises is not shown")
        self.loops.append((node, module, dict(env), result, rounds))
        self.sequent.checker.loops.add(next(iter(result.values()))[1])
        env |= {name: variable(atom) for name, atom in result.items()}
        for name in (stored - set(kept)) | {node.target.id}:
            env.pop(name, None)


@cache
def _stored(node: Any) -> frozenset[str]:
    """The names to which a function or loop gives values."""
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))


@cache
def _speaks(node: Any, language: tuple[Any, ...]) -> bool:
    """Whether a function consists of these, and has no names that a class mangles."""
    inside = [n for part in node.body for n in ast.walk(part)]
    names = [getattr(n, field, None) or "" for n in inside for field in ("id", "attr", "arg")]
    mangled = any(name.startswith("__") and not name.endswith("__") for name in names)
    return not mangled and all(isinstance(n, language) for n in inside)


def plain_parameters(node: Any) -> bool:
    """Whether a function's parameters are plain ones, each of another name."""
    of, names = node.args, {a.arg for a in node.args.args}
    return not (of.vararg or of.kwarg or of.kwonlyargs or of.posonlyargs) and len(names) == len(of.args)


def _matched(name: str, names: list[str], arguments: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Parameters with their values, by place or by name; all are given."""
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
    """Numerator and denominator of an integer, or of 1/q for an integer q >= 1."""
    if sequent.is_whole(value):
        return value, ONE
    below = raised(value, number(-1)) if len(value.terms) == 1 else ZERO
    need(sequent.is_whole(below) and sequent.sign(below) == ">", "the parts of a fraction are not known")
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

    language: ClassVar[tuple[Any, ...]] = (
        *(*LANGUAGE, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.Assert, ast.AnnAssign),
        *(ast.Try, ast.ExceptHandler, ast.AugAssign),
    )
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
        elif isinstance(node, ast.Try) and not node.orelse and not node.finalbody:
            only = all(isinstance(part, ast.Raise) for handler in node.handlers for part in handler.body)
            bound = [handler.name for handler in node.handlers if handler.name]
            known = not any(f"builtins.{name}" in self.known or name in self.library.module(module) for name in bound)
            need(only and known, f"line {node.lineno}: a handler does more than raise")
            self.execute(node.body, env, module)
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

RULES = (  # what a rule has; what ends in ? may be left out
    {"known": "", "alike": "", "combine": "with scale?", "absurd": "with", "both": "le ge", "each": "of"}
    | {"cases": "if yes no", "have": "claim by then", "name": "variable is then", "let": "name is then"}
    | {"set": "variable to equal then", "use": "node then with? where?", "induct": "on from base step under?"}
    | {"sum": "of at then", "know": "of then", "loop": "of invariant start step then"}
)


class Checker:
    """Decides the nodes of one document, in order."""

    def __init__(self, names: dict[str, str], root: Path) -> None:
        self.library, self.names = Library(root), names
        self.proved: dict[str, dict[str, Any]] = {}
        self.path: list[str] = []
        self.loops, self.kept = set[str](), set[str]()  # the loops that are run, and those whose rounds were executed

    def node(self, node: dict[str, Any]) -> None:
        """Decide one node: its variables are arbitrary, its hypotheses are facts."""
        keys(node, ("name", "for", "where", "then", "proof"))
        name = node["name"]
        self.path = [f"node {str(name)[:60]!r}"]
        need(type(name) is str and name not in self.proved, "the name is there twice, or is none")
        sequent = Sequent(self, {}, Goal([], {}))
        for one, kind in mapping(node["for"]):
            declare(sequent, one, kind)
        for part in listed(node["where"]):
            self.supposed(sequent, part)
        need(listed(node["then"]), "there is no conclusion")
        sequent.goal = Goal(single(node["then"]), dict(sequent.env))
        self.prove(sequent, node["proof"])
        self.proved[name] = node

    def supposed(self, sequent: Sequent, part: Any) -> None:
        """A hypothesis of a node: a comparison, an abbreviation, or one with variables of its own."""
        if isinstance(part, str):
            self.assume(sequent, part, sequent.env)
        elif isinstance(part, dict) and "let" in part:
            keys(part, ("let",))
            need(len(listed(part["let"])) == 2 and new_name(sequent, part["let"][0]), "a let is not [new name, expression]")
            sequent.env[part["let"][0]] = Run(sequent).value(parsed(part["let"][1]), sequent.env)
        else:
            keys(part, ("name", "for", "where", "then"))
            need(part["name"] not in (*sequent.hypotheses, *self.proved, "IH"), "a hypothesis' name is there twice")
            inner = sequent.copy()
            for one, kind in mapping(part["for"]):
                declare(inner, one, kind)
            sequent.hypotheses[part["name"]] = hypothesis(part, sequent.env)

    def prove(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """Decide whether a sequent follows by a rule from others. Raises: Refused."""
        known = type(proof) is dict and type(proof.get("rule")) is str and proof["rule"] in RULES
        need(known, f"{str(proof)[:50]} is no rule")
        parts = RULES[proof["rule"]].split()
        self.path.append(proof["rule"])
        optional = tuple(part[:-1] for part in parts if part[-1] == "?")
        keys(proof, ("rule", *(part for part in parts if part[-1] != "?")), optional)
        stepped()
        need(len(self.path) <= MOST_DEPTH, "the proof is too deep")
        getattr(self, f"_{proof['rule']}")(sequent, proof)
        self.path.pop()

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
                whole = isinstance(inner[name], Poly) and sequent.is_whole(inner[name])
                need(whole, f"{name!r} is not surely an integer after a round")
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
                sequent.hypotheses[f"later{i}"] = hypothesis({"for": {}, "where": [], "then": [one]}, env)

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
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "integer"
            need(yes and called and "integer" not in env and len(node.args) == 1, "an assumption is no fact")
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
        known = kind == "==" and len(found) == 2 and sorted(poly.terms.values()) == [-1, 1]
        known = known and all(one and one[0] == "f" for one in found) and len({(one[1], len(one[2])) for one in found}) == 1
        need(known, "the goal is not f(a) == f(b)")
        for a, b in zip(found[0][2], found[1][2], strict=True):
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
            wanted = "0" if kind == "==" else "manifestly at least 0"
            raise Refused(f"{shown(rest, sequent.env)[:300]} is left over, not {wanted}")
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
        need(len(parts) == len(goals) > 0, f"there are {len(goals)} conclusions and {len(parts)} proofs")  # code runs in each
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
        need(new_name(sequent, proof["name"]), "an abbreviation's name is taken, or is none")
        after.env[proof["name"]] = value
        self.prove(after, proof["then"])

    def _use(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A node that was proved before, or a hypothesis, for given values of its variables: its conclusions become facts."""
        name, values, given = proof["node"], dict(mapping(proof.get("with", {}))), iter(listed(proof.get("where", [])))
        local = sequent.hypotheses.get(name) if isinstance(name, str) else None
        known = local or (isinstance(name, str) and name in self.proved)
        need(known, f"{str(name)[:60]!r} is not proved before (a circle is no proof)")
        statement = {"for": local.variables, "where": local.where, "then": local.then} if local else self.proved[name]
        document: dict[str, Any] = statement
        env, parts = dict(local.env) if local else {}, list(document["where"])
        need(set(values) == set(document["for"]), f"the variables of {name!r} are not just those that are given")
        for variable_, kind in document["for"].items():
            value = Run(sequent).value(parsed(values[variable_]), sequent.env)
            env[variable_], more = self.given(sequent, variable_, kind, value)
            parts += more
        for part in parts:
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
        name, goal, under = str(proof["on"]), sequent.goal, listed(proof.get("under", []))
        start, atom = self.poly(sequent, proof["from"]), plain_variable(sequent.env.get(name), name)
        whole = atom[2] == "int" and atom not in set(atoms(start)) and sequent.is_whole(start)
        need(whole, "induction is on an integer, from an integer")
        need(sequent.at_least(variable(atom) - start), "the variable is not known to be at least the start")
        need(goal.body is None and goal.facts is None, "induction is on a statement")
        need("IH" not in sequent.hypotheses, "an induction stands within another")
        read = frozenset[str]().union(*(_read(parsed(text)) for text in under)) & set(goal.env)
        same = all(n in sequent.env and key(goal.env[n]) == key(sequent.env[n]) for n in read)
        need(same, "a name has two meanings")
        for text in under:
            need(sequent.holds(self.fact(sequent, text)), f"{text[:60]!r} is not known")
        free = sequent.copy()
        free.env = {k: v if _lasting(v, atom) else None for k, v in sequent.env.items()}  # 1/m has no meaning at 0
        goal = free.goal = Goal(goal.texts, {k: v if _lasting(v, atom) else None for k, v in goal.env.items()})
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
        step.hypotheses["IH"] = hypothesis({"for": {}, "where": under, "then": goal.texts}, free.env | goal.env)
        for text in under:
            self.assume(step, text, replaced(step.env, atom, following))
        step.goal = goal.replaced(atom, following)
        self.prove(step, proof["step"])

    def _sum(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A Sum is 0 where its range is empty, else its first or last term and the rest."""
        value, at = self.poly(sequent, proof["of"]), proof["at"]
        atom = single_atom(value)
        need(atom and atom[0] == "sum", "what is unfolded is no Sum")
        _, bound, body, low, high, kind = atom
        after = sequent.copy()
        if at == "none":
            need(sequent.holds((low - high - ONE, ">=")), "the Sum's range is not known to be empty")
            after.add((value, "=="))
        else:
            there = at in ("first", "last") and sequent.holds((high - low, ">="))
            need(there, "the Sum's range is not known to have that place")
            ends = (low + ONE, high) if at == "first" else (low, high - ONE)
            rest = variable(("sum", bound, body, *ends, kind))
            after.add((value - rest - replaced(body, bound, low if at == "first" else high), "=="))
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
            facts = self.power_facts(sequent, value)
        for poly in facts:
            after.add((poly, ">="))
        self.prove(after, proof["then"])

    def power_facts(self, sequent: Sequent, value: Poly) -> list[Poly]:
        """b^e >= 1, and Bernoulli's inequality b^e >= 1 + e (b - 1), for b >= 1 and an integer e >= 0."""
        ((mono, times),) = value.terms.items()
        ((atom, e),) = mono
        base, power = (atom[1] if atom[0] == "p" else variable(atom)), as_poly(e)
        b = base.constant() or 0
        while b > 1 and times > 1:  # 2^(L + 1) is 2 2^L
            times, power = Q(times) / b, power + ONE
        while b > 1 and 0 < times < 1:
            times, power = times * b, power - ONE
        need(times == 1, "of a multiple of a power nothing is known")
        known = sequent.at_least(base - ONE) and sequent.is_whole(power)
        need(known, "of b**e something is known for b >= 1 and an integer e >= 0")
        need(sequent.at_least(power), "of b**e something is known for e >= 0")
        return [value - ONE, value - ONE - power * (base - ONE)]

    def _loop(self, sequent: Sequent, proof: dict[str, Any]) -> None:
        """An invariant of a loop that an expression runs: it holds at the start, with `left` rounds to go, and is kept.

        It may speak of the function's local names. What the loop gives are integers for which it holds with no round left.
        """
        run = Run(sequent)
        run.value(parsed(proof["of"]), sequent.env)
        need(run.loops, "no loop is run here")
        node, module, before, result, rounds = run.loops[0]
        texts = single(proof["invariant"])
        need(sequent.holds((rounds, ">=")), "the number of rounds is not known to be at least 0")
        need(not {"left", "%", *result} & set(sequent.env) and "left" not in before, "a name of the loop is taken")
        for name in result:
            whole = isinstance(before[name], Poly) and sequent.is_whole(before[name])
            need(whole, f"{name!r} is not surely an integer before the loop")
        outer = {k: v for k, v in sequent.env.items() if k not in before}
        self.prove(sequent.copy(Goal(texts, outer | before | {"left": rounds})), proof["start"])
        step = sequent.copy()
        inner = before | {name: declare(step, name, "int") for name in result}
        left = declare(step, "left", "int")
        step.add((left - ONE, ">="))
        step.add((rounds - left, ">="))
        for text in texts:
            self.assume(step, text, outer | inner | {"left": left})
        after_one = outer | {"left": left - ONE, "%": inner | {node.target.id: rounds - left}}
        step.goal = Goal(texts, after_one, (node.body, module, tuple(result), node.target.id))
        self.prove(step, proof["step"])
        self.kept.add(next(iter(result.values()))[1])
        after = sequent.copy()
        after.whole |= set(result.values())
        values = {name: variable(atom) for name, atom in result.items()}
        for text in texts:
            self.assume(after, text, outer | before | values | {"left": ZERO})
        self.prove(after, proof["then"])


def _lasting(value: Any, atom: Any) -> bool:
    """Whether a value means something whatever integer a variable's atom is, though facts of it made sense of the value."""
    if isinstance(value, Poly):  # 1/m means nothing at 0; powers without the atom have a base that is positive all the same
        powers = [(base, e) for mono in value.terms for base, e in mono]
        return all(isinstance(e, int) and e > 0 if base == atom else atom not in set(atoms((base, e))) for base, e in powers)
    return atom not in set(atoms(value))


def new_name(sequent: Sequent, name: Any) -> bool:
    """Whether a name may be given a meaning: it has none, and is none that is built in."""
    known = type(name) is str and name.isidentifier() and name.isascii() and not iskeyword(name)
    return known and name not in {*sequent.env, *sequent.checker.names} and f"builtins.{name}" not in Run.known


def declare(sequent: Sequent, name: Any, kind: Any) -> Any:
    """A new variable or unknown function."""
    need(new_name(sequent, name), f"{str(name)[:60]!r} is no new name")
    known = type(kind) is str and kind.replace("int, ", "").removeprefix("int -> ") in ("int", "rat")
    need(known and (kind in ("int", "rat") or "->" in kind), f"{str(kind)[:60]!r} is no kind of variable")
    result = kind[-3:]
    sequent.env[name] = Symbol(name, kind.count(",") + 1, result) if "->" in kind else variable(("v", name, result))
    return sequent.env[name]


# What claims mean. Trusted for: the statements are what their names say. Those about counting-query mechanisms are written
# here. That a histogram is as private as it claims is derived from its code, executed on the label at hand.


def _counting(cls: str) -> tuple[dict[str, str], list[Any]]:
    """The parameters of a counting-query mechanism, and M."""
    share = ", 1/g" if cls.endswith("FastSample") else ""
    kinds = {"n": "int", "q": "int"} | ({"g": "int"} if share else {})
    made = {"let": ["M", f"{cls.rpartition('.')[2]}(n, 1/q{share})"]}
    return kinds, ["n >= 1", "q >= 1", *(["g >= 2"] if share else []), made]


ENDS, UV = ["M.cdf(c, -1) == 0", "M.cdf(c, n) == M.d", "M.d >= 1"], {"u": "int", "v": "int"}
MECHANISMS = ("finitedp.impl.counting.geometric.GeoSample", "finitedp.impl.counting.geometric.FastSample")


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
    need(cls in MECHANISMS, f"{cls} is not known")
    kinds, where = _counting(cls)
    c, at, inside = kinds | {"c": "int"}, kinds | {"c": "int", "z": "int"}, [*where, "0 <= c <= n"]
    x, a, below = {"let": ["x", "2**M.k"]}, {"let": ["a", "x/(x + 1)"]}, "(M.cdf({0}, z) - M.cdf({0}, z - 1))"
    cut = cls.endswith("FastSample")
    beta = "beta - 1/g" if cut else "beta"
    draw, two, place = ["0 <= z <= n", "1 <= u <= M.d"], ["0 <= e <= n", "-1 <= c - e <= 1"], "0 <= z <= n"
    least = ["0 <= M.apply(c, u) <= n", "(M.apply(c, u) <= z) == (u <= M.cdf(c, z))"]
    ratio = f"x*{below.format('c')} <= (x + 1)*{below.format('e')}"
    error = "M.d - M.cdf(c, min(c + a, n)) + M.cdf(c, max(c - a - 1, -1)) <= beta*M.d"
    table: dict[str, list[tuple[dict[str, str], list[Any], list[str]]]] = {
        "inverse": [(at | {"u": "int"}, [*inside, *draw], least), (c, inside, ENDS)],
        "private": [(at | {"e": "int"}, [*inside, *two, place, x], [ratio]), (kinds, where, ["ln(1 + 1/2**M.k) <= 1/(2*q)"])],
        "accurate": [(c | {"a": "int", "beta": "rat"}, [*inside, "a >= 0", x, f"(x/(x + 1))**a <= {beta}"], [error])],
        "geometric": [(at, [*inside, place, x, a, *part], [_mass(cut, mass)]) for part, mass in _masses(cut)],
        "monotone": [(c | UV, [*inside, "1 <= u <= v", "v <= M.d"], ["M.apply(c, u) <= M.apply(c, v)"])],
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
    if mixed:
        return f"(1 + a)*g*(n + 1)*{difference} == M.d*(1 + a + (g - 1)*(n + 1)*({mass}))"
    return f"(1 + a)*{difference} == M.d*({mass})"


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
    found = [(repeated(var("R"), times[0]), delta) for delta in deltas]
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


def claimed(checker: Checker, claim: dict[str, Any]) -> str:
    """The id of a claim whose statements are proved: those that its kind means, or, without a kind, the nodes."""
    keys(claim, ("claim", "nodes"), ("kind", "mechanism"))
    nodes = [checker.proved.get(name) for name in listed(claim["nodes"])]
    known = type(claim["claim"]) is str and claim["claim"].isprintable() and nodes and None not in nodes
    need(known, f"a node of {str(claim['claim'])[:60]} is not proved")
    if "kind" in claim:
        said = [{k: node[k] for k in ("for", "where", "then")} for node in nodes if node]
        mechanism = str(claim.get("mechanism"))
        meant = meaning(claim["kind"], mechanism, checker.library)
        need(said == meant, f"the nodes of {claim['claim']} do not say what it means")
        name = mechanism.rpartition(".")[2]
        need(checker.names.get(name) == mechanism, f"{name} does not stand for {mechanism}")
    return str(claim["claim"])


def check(document: Any, root: Path | None = None, *, stale: bool = False) -> list[str]:
    """The claims that a document proves. Raises: Refused. With stale=True, code that changed is executed as it is now."""
    STEPS[0] = 0
    keys(document, ("format", "version", "title", "names", "proves", "code", "nodes", "sha256"))
    known = document["format"] == "finitedp proof" and repr(document["version"]) == "1"
    need(known, "this is no proof of version 1")
    same = document["sha256"] == digest({k: v for k, v in document.items() if k != "sha256"})
    need(stale or same, "the hash is not that of the proof")
    for name, full in mapping(document["names"]):
        known = name.isidentifier() and type(full) is str and name == full.rpartition(".")[2]
        need(known, f"the name {name!r} stands for another")
        need(f"builtins.{name}" not in Run.known, f"the name {name!r} is built in")
    checker = Checker(document["names"], root or Path(__file__).resolve().parents[2])
    try:
        return decided(checker, document, stale)
    except Refused as error:
        raise Refused(" / ".join([*checker.path, str(error)])) from None
    except UNREADABLE as error:
        raise Refused(" / ".join([*checker.path[:20], f"{type(error).__name__}: {str(error)[:100]}"])) from None


def decided(checker: Checker, document: dict[str, Any], stale: bool) -> list[str]:
    """What `check` gives, for a document of the right form."""
    recorded = dict(mapping(document["code"]))
    for name, entry in recorded.items():
        keys(entry, ("sha256", "source"))
        need(entry["sha256"] == digest(entry["source"]), f"the hash of {name} is not that of its source")
        changed = None if stale else checker.library.changed(name, entry["source"])
        need(changed is None, f"{name} has changed since: {changed}")
    for node in listed(document["nodes"]):
        checker.node(node)
    checker.path = []
    found = [claimed(checker, claim) for claim in listed(document["proves"])]
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
