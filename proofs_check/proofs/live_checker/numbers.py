"""Numbers: terms with variables, and the values of statements. The first of the files of the live checker.

The live checker re-checks proofs for all parameters. It runs the functions that are installed, as they are, on terms in
place of numbers: read numbers, kernel, live and language in this order, and labels for the histograms. Each section begins
with what it is trusted for. Besides: Python, gmpy2 and attrs do what they say, and parameters are those that classes accept.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as Q
from functools import cache
from typing import Any

MOST_TERMS, MOST_DEPTH, MOST_STEPS, MOST_POWER, MOST_BITS = 3000, 120, 600_000, 40, 4000
STEPS, TOO_LONG = [0], "a number is too long"


class Refused(BaseException):  # what the reader sees; a BaseException, so that no code that runs catches it
    """Why a proof is refused."""


class Undecided(Refused):
    """A comparison that the facts do not decide."""

    def __init__(self, poly: "Poly", kind: str) -> None:
        super().__init__("a comparison is not decided here")
        self.poly, self.kind = poly, kind


class Raised(Refused):
    """Code that surely raises an exception."""


def need(condition: object, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise Refused(message)


def stepped(steps: int = 1) -> None:
    """Count steps, and stop where there are too many."""
    STEPS[0] += steps
    if STEPS[0] > MOST_STEPS:
        raise Refused("the proof takes too many steps")


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
        self.terms = terms if all(terms.values()) else {mono: c for mono, c in terms.items() if c}
        if len(self.terms) > MOST_TERMS:
            raise Refused("a term is too large")
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
        terms = dict(self.terms)
        for mono, c in other.terms.items():
            terms[mono] = terms.get(mono, 0) - c
        return Poly(terms)

    def __mul__(self, other: "Poly") -> "Poly":
        stepped(1 + len(self.terms) * len(other.terms))
        if ONE.terms in (self.terms, other.terms):
            return other if self.terms == ONE.terms else self
        need(len(self.terms) * len(other.terms) <= MOST_TERMS * 20, "a product is too large")
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


# Values that are no polynomials, and how values are told from each other and rewritten. Trusted for: `replaced` puts the same
# value for a variable everywhere, `atoms` misses none of a term, and `key` tells different values apart.


class Lambda:
    """A function with the environment in which it was made."""

    def __init__(self, node: Any, env: dict[str, Any]) -> None:
        self.node, self.names = node, [a.arg for a in node.args.args]
        self.env = {name: env[name] for name in read_names(node.body) - set(self.names) if name in env}

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
        return ("lambda", len(self.names), ast.dump(body), tuple(key(self.env[name]) for name in free))


@cache
def read_names(node: Any) -> frozenset[str]:
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
class Host:
    """What is installed and may be called: a function, a class or a bound method."""

    value: Any


def key(value: Any) -> Any:
    """A value as something hashable that tells it from others."""
    if isinstance(value, Lambda):
        return value.key()
    if isinstance(value, Record):
        return ("record", value.cls, tuple(sorted((k, key(v)) for k, v in value.fields.items())))
    if isinstance(value, Symbol):
        return ("symbol", value.name)
    need(value is None or isinstance(value, Poly | bool | str), "a loop reads what cannot be told from others")
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
    need(not isinstance(value, Lambda | Host), "a variable is set where a lambda may hold it")
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
                yield from atom[1:2] if atom[0] == "sum" else ()  # the variable that it binds
                yield from atoms((*atom[1:], e))
    elif isinstance(value, tuple):
        for part in value:
            yield from atoms(part)
