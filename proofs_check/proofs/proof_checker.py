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
from functools import cache, lru_cache
from itertools import product, zip_longest
from keyword import iskeyword
from math import gcd
from pathlib import Path
from typing import Any, ClassVar

MOST_BYTES, MOST_TERMS, MOST_DEPTH, MOST_STEPS, MOST_POWER, MOST_BITS = 4_000_000, 3000, 120, 4_000_000, 40, 4000
STEPS, TOO_LONG = [0], "a number is too long"
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError, MemoryError)


class Refused(Exception):  # noqa: N818  # what the reader sees
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


# Values that are no polynomials, and how values are told from each other and rewritten. Trusted for: `replaced` puts the same
# value for a variable everywhere, `atoms` misses none of a term, and `key` tells different values apart.


class Lambda:
    """A function with the environment in which it was made."""

    def __init__(self, node: Any, env: dict[str, Any]) -> None:
        self.node, self.names = node, [a.arg for a in node.args.args]
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
        return ("lambda", len(self.names), ast.dump(body), tuple(key(self.env[name]) for name in free))


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
    if isinstance(value, tuple):
        return ("tuple", tuple(map(key, value)))
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
                yield from atom[1:2] if atom[0] == "sum" else ()  # the variable that it binds
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
    """Conclusions, and the names in them; before, the statements of a loop's body may run, which give names other values.

    loops: those that run where the node's hypotheses get their values, which have to end, too.
    """

    texts: list[str]
    env: dict[str, Any]
    body: Callable[["Run"], dict[str, Any]] | None = None
    loops: frozenset[Any] = frozenset()


class Sequent:
    """Facts, hypotheses that have variables of their own, what names mean, and the goal."""

    def __init__(self, checker: "Checker", env: dict[str, Any], goal: Goal) -> None:
        self.checker, self.env, self.goal = checker, env, goal
        self.facts: list[Fact] = []
        self.signs: dict[Any, str] = {}
        self.whole: set[Poly] = set()  # what is an integer by a hypothesis
        self.kept: set[Any] = set()  # the loops of which an invariant is shown, or which are supposed to give something
        self.hypotheses: dict[str, Hypothesis] = {}

    def copy(self, goal: Goal | None = None) -> "Sequent":
        """The same, to be changed."""
        new = Sequent(self.checker, dict(self.env), goal or self.goal)
        new.facts, new.signs = list(self.facts), dict(self.signs)
        new.whole, new.hypotheses, new.kept = set(self.whole), dict(self.hypotheses), set(self.kept)
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
        raise Undecided(poly, kind)

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
        loops = frozenset(replaced(loop, atom, new) for loop in goal.loops)
        self.env, self.goal = replaced(self.env, atom, new), replace(goal, env=replaced(goal.env, atom, new), loops=loops)
        self.kept = {replaced(loop, atom, new) for loop in self.kept}
        self.hypotheses = {k: replace(h, env=replaced(h.env, atom, new)) for k, h in self.hypotheses.items()}
        self.whole = {replaced(poly, atom, new) for poly in self.whole}
        self.facts, self.signs = [], {}
        for fact in facts:
            self.add(fact)


# The source that is executed. Trusted for: a qualified name leads to the definition that Python would run, by way of imports,
# or is refused; what was executed or trusted without proof is noted in `used`, and compared with the document. What
# is trusted without proof is not executed: somebody has read the text that has this hash, and the checker says what it does.

MADE = (ast.FunctionDef, ast.ClassDef)
ELSEWHERE = {  # what is read by what is trusted without proof, and refuses input, is re-checked for each release, or a curve
    *("finitedp.impl.counting.dyadic_bulk._check_plan", "finitedp.impl.counting.dyadic_bulk._strict"),
    *("finitedp.impl.counting.dyadic_plan.plan_of", "finitedp.impl.counting.dyadic_table.dyadic_table"),
    *("finitedp.exact._nearby", "finitedp.data.engines.optional", "finitedp.data.columns.checked_labels"),
    *(f"finitedp.impl.accounting.pairs.{name}" for name in ("one_bin", "two_bins", "threshold_curve")),
}
TAKEN = {
    "finitedp.exact.integer": "c67ba90fd7256d4de4e68629dc8c471e",
    "finitedp.exact.is_integer": "0c21cd107ac92bfdefc52f41dec777a3",
    "finitedp.exact.is_exact": "8cb93111035144d5b0d57961385c407f",
    "finitedp.exact._converted": "b99abce4a77eefb352e6f50f3aaf0063",
    "finitedp.impl.counting.geometric._refuse_incomplete": "b11e17592f8764e29261d0cc60f1993c",
    "finitedp.impl.arithmetic.kernels._least_reaching_step": "fb77db089420d87128fb81b3d389d86d",
    "finitedp.impl.histograms.basic._count_of": "c5f9ac5a8179eb165e45183f1d5b5248",
    "finitedp.exact.unit_fraction": "57570a19217123597ac6b0759c0b047a",
    "finitedp.exact.rational": "27f159d0badb261c26ebcb35bb69e138",
    "finitedp.impl.counting.geometric._remembered": "ac49f499d3ef5ab6c50f8dfacbff67d0",
    "finitedp.impl.counting.geometric.checked_mechanism": "5c8a9cd52fa33c8fffb6f3f90cbdc59b",
    "finitedp.impl.counting.dyadic_bulk.release_array": "dd9180269ca8725e5a3e5b3fb544257c",
    "finitedp.impl.counting.dyadic_bulk._released": "a88dc7eb0bd6e6f816e7b45e6fc9bfd3",
    "finitedp.impl.counting.dyadic_bulk._by_chunks": "f6810030e0c0d81027688a78fcdf41b9",
    "finitedp.impl.counting.dyadic_bulk._plan": "87fcd425a55831ccfcf148b0e3a64761",
    "finitedp.impl.counting.dyadic_bulk._room": "e8e48a1d8f86cc41c11570e6bfcb94ca",
    "finitedp.impl.counting.dyadic_bulk.random_words": "1e5870b469844f9fc1ac592372f8f82e",
    "finitedp.impl.counting.dyadic_bulk.checked_counts": "ded1e49680520e8ece1c1b20455618b7",
    "finitedp.impl.histograms.basic.BasicHistogram._rows": "d371a7953b8396fa9e52f053d4e1125c",
    "finitedp.impl.histograms.stability._in_order": "15baee4cbbcfae2388eb62fe410b498b",
    "finitedp.impl.histograms.dyadic._noise": "a9c839cb0443395cf006bd38dec5c9d8",
    "finitedp.impl.histograms.dyadic.total": "14aadb5c4e3f0fc25c7a666e2fcaffbe",
    "finitedp.data.frames.LabelCounts.dense": "63086b375a26f996dd61746af4640d38",
    "finitedp.claim.PrivacyClaim": "adc8e0849f3bd06c944c0fb8f7701cf3",
    "finitedp.data.noisy_histogram.NoisyHistogram": "f6f54dea37bbd2b0a2eb136fecdf10a5",
    "finitedp.impl.histograms.basic.ordered_labels": "04580e287d83bb4cc51a72e95e363234",
    "finitedp.impl.histograms.basic.distinct_labels": "ee815bb65024f3537666059f7d24c1bd",
    "finitedp.impl.histograms.basic.BasicHistogram._refuse_other_labels": "e378ed257921e275e26b77d8e9820296",
    "finitedp.impl.histograms.basic.BasicHistogram.accuracy": "b4ef7544fcf5caaebd08fd75cc27c916",
    "finitedp.impl.histograms.stability._is_plain": "e06e0a1fca9acf9c773887d35cf75b6a",
    "finitedp.impl.histograms.stability._threshold": "652e6b29507d918b2c14b5c38acd17d1",
    "finitedp.impl.histograms.stability.StabilityHistogram.__attrs_post_init__": "a0d6d027ea2d4ef6e041708f88738116",
    "finitedp.impl.histograms.stability.StabilityHistogram._pad": "5ef4319fedc4a41503da021acdb13e17",
    "finitedp.impl.histograms.stability.StabilityHistogram.draws": "e2f837f8ff6e662800281cfac565a856",
    "finitedp.impl.histograms.dyadic.on_a_table": "a2702ab7939a26fc9c952ad084c235da",
    "finitedp.impl.histograms.dyadic._checked": "49754a6513a0e9c88e6e9973ca1aec5b",
    "finitedp.impl.histograms.dyadic._clamped": "f3cd509c41e0d7a3192c67b341eb8ed4",
    "finitedp.impl.histograms.dyadic._row": "7d91f6d2df622646e01b932f59a03400",
    "finitedp.data.drawing._sorted": "f771506729af56fdabf2403b2e7d034a",
    "finitedp.data.drawing._at_most": "bcda66a51eb117edc052dea24744616e",
    "finitedp.impl.histograms.dyadic.threshold_accuracy": "66d55ea9ab110f75b747b2d6d0a96646",
    "finitedp.claim._epsilon": "13a49bd8b1b7314ca0c728007b2b97be",
    "finitedp.claim.delta_of_text": "e4d5905ab9aa200fad36ca043ff823b5",
    "finitedp.claim._ratio": "d20529cabc5f4c3e7508f2decc506388",
    "finitedp.claim.check_neighbours": "432a4701dc83a47b015d0c766c438a0a",
    "finitedp.exact._from_text": "9243b1020acb23dcee1dbb7f5e5933ed",
    "finitedp.exact.probability": "d5c9bf39c04daaf8c98487cb7a4b893c",
    "finitedp.impl.arithmetic.kernels.least_reaching": "297a7927a4873fa86c335e1e88a7c164",
    "finitedp.impl.counting.dyadic.DyadicSample.table": "e6269808a44d38083055dee769def6cc",
    "finitedp.impl.counting.dyadic_table.DyadicTable.sums": "6a92a55eb5ef5c8fa06251c19eab5a01",
    "finitedp.impl.counting.dyadic_table.DyadicTable.first": "f7510d3db703140bc7df0b27b4417128",
    "finitedp.impl.counting.dyadic_plan.limbs": "090fc990d5212468f141e7381b0df1df",
    "finitedp.impl.counting.geometric.FastSample.__attrs_post_init__": "cc36453f301e47f927c0e09cd2ee3e0d",
    "finitedp.impl.counting.geometric.GeoSample.__attrs_post_init__": "965884f95dccf1d4c190ccf49db8789d",
    "finitedp.impl.counting.geometric._check_size": "6acfab0a0df3344915e9cb64863e121e",
    "finitedp.impl.histograms.dyadic._missed": "476a6bf5e5cabb41bc0f034e9ab70fce",
    "finitedp.impl.randomness.coins.random_bytes": "86efec5bbb55e7c3c5422aee078d7e61",
    "finitedp.impl.histograms.empty_bins.EmptyBinSampler.__attrs_post_init__": "de107d290ad53d45a5afc4b39ca10b1c",
    "finitedp.data.frames.LabelCounts": "b225c97614d330d81b48fd5f63764634",
    "finitedp.claim.PrivacyClaim.__attrs_post_init__": "52df55fe931e528022cb017dc81a830c",
    "finitedp.exact.compare_exp": "c1b8c7661f2f5ebde89fff61deb3f0a7",
    "finitedp.impl.histograms.basic.check_counts": "92a05e8859fceb9a90f5b5a3fccad1cb",
    "finitedp.exact.sign": "7c4d507310c12bc91a9cd82f03209006",
    "finitedp.exact.sign_of": "f05712cc3fb378bab2dd03dea469c9cb",
    "finitedp.exact.to_arb": "27d61f657c7dda86b76700d71557d509",
}
WHOLE = "claim add_remove_claim curve_of"
TELLS = {  # what tells users what a claim of a kind means: all that it executes has the text that somebody has read
    ("inverse", "finitedp.impl.counting.geometric.GeoSample"): ("release cost", "62b02168b2ea8ed3aa772c0c2689c9f2"),
    ("inverse", "finitedp.impl.counting.geometric.FastSample"): ("release cost", "959b75c27d9f974a2a0b458273a75038"),
    ("private", "finitedp.impl.counting.geometric.GeoSample"): ("claim", "5381dfadfef354b54177ed9c8b941407"),
    ("private", "finitedp.impl.counting.geometric.FastSample"): ("claim", "8b34c3cd598931605aad22ce88eae891"),
    ("accurate", "finitedp.impl.counting.geometric.GeoSample"): ("accuracy", "4df2bc588431770452daa65fadbf80a4"),
    ("accurate", "finitedp.impl.counting.geometric.FastSample"): ("accuracy", "2d733e95c4c7db7521c17681754df1a8"),
    ("histogram", "finitedp.impl.histograms.basic.BasicHistogram"): (WHOLE, "3e4ea20e6ef5a93d5b07eaeb542533a9"),
    ("histogram", "finitedp.impl.histograms.stability.StabilityHistogram"): (WHOLE, "299261c83009b803cf3c8c3d59a1e933"),
}
UNSAID = ("finitedp.errors.", "finitedp.units.")  # what is read there refuses input, or is of it


@lru_cache(maxsize=128)
def _understood(name: str, text: str) -> tuple[dict[str, Any], list[str], set[str], set[str]]:
    """Of a module's text: what its names mean, what else of finitedp is read, what is bound, what methods give values to."""
    told = any(sign in line for line in text.split("\n")[:2] for sign in ("coding:", "coding="))
    need(not told, f"{name} may have another encoding than UTF-8")
    tree = ast.parse(text)
    names, early = dict[str, Any](), set[str]()  # what is bound, and what was read when it was not
    read, members, stored = list[str](), set[str](), set[str]()
    for node in tree.body:
        parts = list(_at_import(node))
        early |= {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - set(names)
        known = all(_harmless(part, names) for part in parts)
        need(known, f"line {node.lineno} of {name} might change what its names mean")
        asked = [base for part in parts for base in getattr(part, "bases", [])]
        asked += [part.value for part in parts if isinstance(part, ast.Subscript)]
        read += [_meant(one, names) for one in asked]  # bases, and what has an index: where these are made is read
        for bound, what in _bound(node).items():
            known = bound.isidentifier() and (not bound.startswith("__") or bound == "__all__")
            need(known, f"{name}.{bound} is no name")  # as are * and __builtins__
            need(bound not in {*names, *early}, f"{name}.{bound} is defined twice, or behind where it is read")
            names[bound] = what
        if isinstance(node, ast.ClassDef) and node.decorator_list:
            members |= {member for part in node.body for member in _bound(part)}
    for n in ast.walk(tree):
        kept = n if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load) else None
        stored |= {kept.attr} if kept else set()
        hidden = isinstance(n, ast.Attribute) and n.attr.startswith("__") and n.attr not in ("__getitem__", "__name__")
        other = kept is not None and ast.unparse(kept.value) != "self"
        known = not (hidden or other or isinstance(n, ast.Global) or _reflects(n))
        need(known, f"line {getattr(n, 'lineno', 0)} of {name} might change what its names mean")
    return names, [one for one in read if one.startswith("finitedp.")], {*members, *names}, stored


class Library:
    """The modules of finitedp as they stand on the disk."""

    def __init__(self, root: Path) -> None:
        self.root, self.used, self.text = root, dict[str, str](), dict[str, str]()
        self.module, self.method = cache(self._module), cache(self._method)
        self.bound = {one.rpartition(".")[2] for one in (*Run.known, *LabelRun.known)}  # what names something, anywhere
        self.stored = set[str]()  # attributes to which some method gives a value

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
        names, read, bound, stored = _understood(name, text)
        for used in read:
            self.find(used)
        self.bound |= bound
        self.stored |= stored
        both = self.stored & self.bound
        need(not both, f"a method that gives a value to {sorted(both)[:1]} might change what its names mean, in {name}")
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
        types = [one for part in node.body if isinstance(part, ast.AnnAssign) for one in _read(part.annotation)]
        said = f"{self.text[module]} {[self.means(module, one) for one in types]}"  # a type may have another name here
        need(known and "ClassVar" not in said, f"{code.name} is no plain class of attrs")
        for part in node.body:
            if isinstance(part, ast.Pass) or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
                continue
            field = isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            need(field or isinstance(part, ast.FunctionDef), f"{code.name} has other than fields and methods")
            name = part.target.id if field else part.name
            known = not name.startswith("_" if field else "__") or name == "__attrs_post_init__"
            need(known, f"{code.name}.{name} may do anything")
            known = name not in found and name not in names and name != "property"  # as what the class reads
            need(known, f"{code.name} has two things of one name, or {name} is the name of what the class reads")
            found[name] = part
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

    def post_init(self, cls: str) -> None:
        """Note what a class does where its objects are made: it refuses some, and is trusted without proof."""
        name = f"{cls}.__attrs_post_init__"
        known = (name in TAKEN) == bool(self.method(cls, "__attrs_post_init__"))
        need(known, f"{name} is not trusted without proof, or is gone")
        if name in TAKEN:
            self.use(name)

    def use(self, name: str, node: Any = None) -> None:
        """Note that a function is executed, or trusted without proof: then it, and what it reads, must be what is known."""
        if name.startswith("finitedp.") and name not in self.used:
            self.used[name] = plain(self.named(name) if node is None else node)
            if name in TAKEN:
                need(
                    TAKEN[name] == self.said(name),
                    f"{name} is trusted without proof, and it or what its names mean is another",
                )
                for other in self.reads(name).values():
                    if type(other) is str and other not in ELSEWHERE:
                        made = isinstance(self.find(other).node, ast.FunctionDef)
                        need(other in TAKEN or not made, f"{name} is trusted without proof, and reads {other}, which is not")
                        if other in TAKEN:
                            self.use(other)

    def reads(self, name: str) -> dict[str, Any]:
        """What the names in a definition mean that its module binds; those in its errors are not looked at."""
        module = name.rpartition(".")[0]
        module = module.rpartition(".")[0] if module.rpartition(".")[2][:1].isupper() else module
        node = ast.parse(plain(self.named(name)))
        errors = {n for part in ast.walk(node) if isinstance(part, ast.Raise) for n in ast.walk(part)}
        read = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n not in errors}
        return {one: self.means(module, one) for one in sorted(read & set(self.module(module)))}

    def means(self, module: str, name: str) -> Any:
        """What a name in a module means: a qualified name, or the text of a constant and what the names in that mean."""
        found = self.module(module).get(name, f"builtins.{name}")
        if isinstance(found, str):
            outer, _, last = found.rpartition(".")
            value = self.module(outer).get(last) if outer.startswith("finitedp.") and found not in ELSEWHERE else None
            return found if value is None or isinstance(value, MADE) else self.means(outer, last)
        if isinstance(found, MADE):
            return f"{module}.{name}"
        inside = {n.id for n in ast.walk(found) if isinstance(n, ast.Name)}
        return [ast.unparse(found), [self.means(module, one) for one in sorted(inside)]]

    def said(self, name: str) -> str:
        """The fingerprint of a definition, all of it, and of what its names mean."""
        return digest([fingerprint(plain(self.named(name), whole=True)), self.reads(name)])[:32]

    def reached(self, name: str, found: dict[str, str] | None = None) -> dict[str, str]:
        """The fingerprints of a definition and of all that it reads, by name, of its own class, or by way of these."""
        found = {} if found is None else found
        if name in found or name in ELSEWHERE or name.startswith(UNSAID):
            return found
        found[name], outer = self.said(name), name.rpartition(".")[0]
        others = [one for one in self.reads(name).values() if type(one) is str and one.startswith("finitedp.")]
        others = [one for one in others if one in ELSEWHERE or isinstance(self.find(one).node, MADE)]
        if outer.rpartition(".")[2][:1].isupper():
            asked = {n.attr for n in ast.walk(self.named(name)) if isinstance(n, ast.Attribute)}
            others += [f"{outer}.{one}" for one in sorted(asked - {"apply", "d", "k"}) if self.method(outer, one)]  # executed
        for one in others:
            self.reached(one, found)
        return found

    def tells(self, kind: str, cls: str) -> None:
        """Stop unless what users are told of a claim, with coins and at every beta, is what somebody has read."""
        if (kind, cls) in TELLS:
            methods, meant = TELLS[kind, cls]
            same = self.told(cls, methods) == meant
            need(same, f"{cls}.{methods}, which is not executed for all that it is asked, or what it reads, is another")

    def told(self, cls: str, methods: str) -> str:
        """The fingerprint of methods, and of all that they read."""
        found = dict[str, str]()
        return digest([self.reached(f"{cls}.{method}", found) for method in methods.split()][-1])[:32]

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
REFLECTION = {  # names that nobody may use, nor import
    *("builtins", "vars", "exec", "eval", "compile", "setattr", "delattr", "globals", "locals", "__import__", "__builtins__"),
}
ERRORS = ("Exception", "ValueError", "ArithmeticError", "RuntimeError", "KeyError")
BASES = {"typing.Generic", "typing.Protocol", "typing.NamedTuple", *(f"builtins.{name}" for name in ERRORS)}
_SPECIAL = "attrs_post_init init call hash add repr str len iter contains getitem"
SPECIAL = {f"__{name}__" for name in _SPECIAL.split()}  # methods that no import calls


def _bound(node: Any) -> dict[str, Any]:
    """What a statement of a module binds. What only a checker of types runs binds nothing."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name: node}
    if isinstance(node, ast.Import | ast.ImportFrom):
        start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        return {a.asname or a.name: start + a.name for a in node.names}
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return {target.id: node.value for target in targets if isinstance(target, ast.Name)}


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
        meant, given = _meant(node.func, names), {k.arg for k in node.keywords if ast.unparse(k) != "eq=False"}
        accepted = {"attrs.frozen": {"slots", "eq"}, "attrs.field": {"converter", "default", "repr", "kw_only"}}.get(meant)
        return meant in AT_IMPORT and (accepted is None or (not node.args and given <= accepted))
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        known = len(node.decorator_list) <= 1 and (not node.name.startswith("__") or node.name in SPECIAL)
        known = known and all(isinstance(d, ast.Call) or _meant(d, names) in AT_IMPORT for d in node.decorator_list)
        return known and (isinstance(node, ast.FunctionDef) or _plain_class(node, names))
    if isinstance(node, ast.If):
        return _meant(node.test, names) == "typing.TYPE_CHECKING" and not node.orelse
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, FORM) and not getattr(node, "level", 0) and getattr(node, "simple", 1) == 1


def _reflects(node: Any) -> bool:
    """Whether a name, an attribute or what is imported is one with which meanings are changed."""
    fields = ("id", "attr", "module", *(["name"] if isinstance(node, ast.alias) else []))
    said = [getattr(node, field, None) for field in fields]
    parts = {part for one in said if isinstance(one, str) for part in one.split(".")}
    return not REFLECTION.isdisjoint(parts) and ast.unparse(node) != "re.compile"


def _plain_class(node: Any, names: dict[str, Any]) -> bool:
    """Whether a class has known bases only, and binds no name that means something where it stands."""
    read = {one.rpartition(".")[2] for one in AT_IMPORT}
    for base in node.bases:
        meant = _meant(base.value if isinstance(base, ast.Subscript) else base, names)
        known = meant in BASES or meant.startswith("finitedp.")
        if not (known or isinstance(names.get(ast.unparse(base)), ast.ClassDef)):
            return False
    parts = ast.FunctionDef | ast.Assign | ast.AnnAssign | ast.Expr | ast.Pass
    bound = [(name, part) for part in node.body for name in _bound(part)]
    known = all(name not in read and (name[:2] != "__" or isinstance(part, ast.FunctionDef)) for name, part in bound)
    return known and not node.keywords and all(isinstance(part, parts) for part in node.body)


@cache
def plain(node: Any, *, whole: bool = False) -> str:
    """The source of a function or class without its docstrings, comments and types; of a class the fields, or the whole."""
    copy = ast.parse(ast.unparse(node)).body[0]
    for n in ast.walk(copy):
        if isinstance(n, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(n) is not None:
            n.body = n.body[1:] or [ast.Pass()]
        if isinstance(n, ast.FunctionDef):
            n.returns = None
            for a in n.args.args:
                a.annotation = None
    if isinstance(copy, ast.ClassDef) and not whole:
        copy.body = [n for n in copy.body if isinstance(n, ast.AnnAssign)] or [ast.Pass()]
    return ast.unparse(copy)


@cache
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
WORDS = (  # what any function that is executed may consist of
    *(ast.Assign, ast.Return, ast.Expr, ast.Constant, ast.Name, ast.Tuple, ast.Subscript, ast.Attribute, ast.Call),
    *(ast.keyword, ast.BinOp, ast.Compare, ast.IfExp, ast.operator, ast.cmpop, ast.Load, ast.Store),
)
LANGUAGE = (  # what one that is executed on numbers may, and the message of its errors
    *(*WORDS, ast.If, ast.Raise, ast.For, ast.UnaryOp, ast.BoolOp, ast.unaryop, ast.boolop),
    *(ast.JoinedStr, ast.FormattedValue),
)
NAMED = {"finitedp.claim.PrivacyClaim", "attrs.evolve", "builtins.Some"}  # called with names, if not executed
NAMED |= {"finitedp.exact.integer", "finitedp.exact.unit_fraction", "finitedp.data.noisy_histogram.NoisyHistogram"}
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
        **{f"finitedp.impl.counting.geometric.{name}": f"_{name.strip('_')}" for name in ("_remembered", "checked_mechanism")},
    }

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.library, self.names = sequent, sequent.checker.library, sequent.checker.names
        self.depth, self.loops, self.tally = 0, list[Any](), 0
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
            return self.value(node.body if self.true(node.test, env, module) else node.orelse, env, module)
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
        return Lambda(node, env)

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
            return self.quotient(a, b)
        if sign in ("<<", ">>"):
            need(self.sequent.is_whole(a) and self.sequent.is_whole(b), "a shift is not surely an integer")
            return self.operation("*" if sign == "<<" else "//", a, self.power(number(2), b, "code"), module)
        need(self.sequent.is_whole(a) and self.sequent.is_whole(b), "// or % of what is not surely an integer")
        need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
        i, j = a.constant(), b.constant()
        quotient = number(i // j) if None not in (i, j) else a if b == ONE or a == ZERO else variable(("div", a, b))
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
        """A field, a property that is executed, or a method; of a number, bit_length."""
        if isinstance(value, Poly):
            need(name == "bit_length", f"a number has no {name!r} here")
            return Code("<number>.bit_length", bound=value)
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
            need(self.known or self.tally == before, "the comparisons of a property are not counted")  # it may run again
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
            need(self.known, "the comparisons of a lambda are not counted")
            return self.deeper(lambda: self.value(function.node.body, env))
        if isinstance(function, Symbol):
            need(len(arguments) == function.arity and not named, f"{function.name} has another number of arguments")
            whole = all(isinstance(a, Poly) and self.sequent.is_whole(a) for a in arguments)
            need(whole, f"an argument of {function.name} is not surely an integer")
            return variable(("f", function.name, tuple(arguments), function.kind))
        need(isinstance(function, Code), "what is called is no function")
        given = arguments if function.bound is None else [function.bound, *arguments]
        if function.name in self.known:
            need(function.name in NAMED or not named, f"{function.name} has no parameters with names")
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
        self.library.post_init(cls.name)
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

    def _mpq(self, a: Any, b: Any) -> Any:
        """mpq(1, q), of which code may ask for q: nothing is counted with it, since its powers are floats."""
        need(a == ONE and self.sequent.sign(self.whole(b, "mpq")) == ">", "a fraction is not 1/q")
        return Record("some object", {"numerator": ONE, "denominator": b})

    def quotient(self, a: Any, b: Any) -> Poly:
        """a/b, where b is surely above 0."""
        below = as_number(b)
        need(self.sequent.sign(below) == ">", "a divisor is not manifestly positive")
        return as_number(a) * raised(below, number(-1))

    def _min(self, a: Any, b: Any) -> Any:
        need(not isinstance(a, bool) and not isinstance(b, bool), "min or max of a condition")
        return as_number(a if self.sequent.decide((as_number(b) - as_number(a), ">=")) else b)

    def _max(self, a: Any, b: Any) -> Any:
        return a if self._min(a, b) is b else b

    def _partial(self, method: Any, first: Any) -> Lambda:
        """A method's first argument is given: what is left is a function of another."""
        known = isinstance(method, Code) and isinstance(method.bound, Record)
        need(known, "what is given in part is no method")
        name = method.name.rpartition(".")[2]
        return Lambda(parsed(f"lambda other: owner.{name}(first, other)"), {"owner": method.bound, "first": first})

    def _bit_length(self, a: Any) -> Poly:
        need(self.sequent.decide((self.whole(a, "bit_length"), ">=")), "bit_length of what is below 0")
        value = a.constant()
        return variable(("bits", a)) if value is None else number(int(value).bit_length())

    def _ln(self, a: Any) -> Poly:
        t = as_number(a)
        need(self.sequent.sign(t) == ">", "ln of what is not manifestly positive")
        return variable(("ln", t)) if t != ONE else ZERO

    def _is_integer(self, a: Any) -> bool:
        need(not isinstance(a, bool), "an integer is no condition")
        return self.sequent.is_whole(self.whole(a, "integer"))

    def _some(self, *classes: Any, **fields: Any) -> Record:
        """Some(a=x): any object with this attribute. Some(Class, a=x): any of a class; properties are given, or executed."""
        if not classes:
            return Record("some object", fields)
        cls = classes[0]
        known = len(classes) == 1 and isinstance(cls, Code) and isinstance(cls.node, ast.ClassDef)
        need(known, "Some has other than a class and named attributes")
        for name in fields:
            method, own = self.library.method(cls.name, name), f"{cls.name}.{name}"
            known = method[0] == "property" and own in TAKEN if method else name in self.library.members(cls)
            need(known, f"{cls.name} has no field or property {name!r}, or none that is trusted without proof")
            self.library.use(own if method else cls.name)
        self.library.use(cls.name, cls.node)
        return Record(cls.name, fields)

    def _remembered(self, tail: Any, bits: Any) -> Lambda:
        """A function of one argument whose values, of so many bits, are kept: more than none, as what is above 0 has them."""
        atom = single_atom(self.whole(bits, "bits"))
        some = self.sequent.sign(atom[1] if atom and atom[0] == "bits" else as_number(bits)) == ">"
        need(some and isinstance(tail, Code | Lambda | Symbol), "nothing is remembered of what is no function, or has no bits")
        return Lambda(parsed("lambda m: tail(m)"), {"tail": tail})

    def _checked_mechanism(self, mechanism: Any) -> Any:
        need(isinstance(mechanism, Record), "what is checked is no mechanism")
        return mechanism

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
        need(isinstance(value, Poly), f"{name} is no number")
        below = raised(value, number(-1)) if len(value.terms) == 1 else ZERO
        atom = single_atom(below)
        below = atom[1] if atom and atom[0] == "p" else below  # a sum, written out
        need(self.sequent.is_whole(below) and self.sequent.sign(below) == ">", f"{name} is not surely a unit fraction")
        if not self.sequent.decide((below - as_number(least_denominator), ">=")):
            raise Raised(f"{name} is no such unit fraction")
        return below

    def sum(self, env: dict[str, Any], place: Any, first: Any, last: Any, term: Any) -> Poly:
        """Sum(i, low, high, body)."""
        need(isinstance(place, ast.Name), "a Sum is over no variable")
        low, high = (self.whole(self.value(part, env), "a Sum's end") for part in (first, last))
        fresh, ran = ("v", f"%{self.depth}", "int"), len(self.loops)
        try:
            body = as_number(self.deeper(lambda: self.value(term, env | {place.id: variable(fresh)})))
        except Raised:
            raise Refused("a term of a Sum raises") from None  # if there is one
        need(len(self.loops) == ran, "a term of a Sum runs a loop")
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
        return number(run.tally)

    # statements

    def ran(self) -> set[Any]:
        """The loops that were run: where they stand, for how many rounds, and what they read."""
        return {(atom[1], atom[3]) for loop in self.loops for atom in loop[3].values()}

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
                self.execute(node.body if self.true(node.test, env, module) else node.orelse, env, module)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.bind(node.targets[0], self.value(node.value, env, module), env)
            elif isinstance(node, ast.For) and not node.orelse:
                self.loop(node, env, module)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self.value(node.value, env, module)
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                kind = Raised if isinstance(node, ast.Raise) else Refused
                raise kind(f"line {node.lineno} raises, or cannot be executed")

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


# Execution on a label at hand, of a histogram's code. Trusted for: what it gives is what the code releases of one label, which
# no other label's count or draw decides, on every dataset that the code accepts; all else is refused. A collection of labels
# is seen from the label at hand: what it has for that label, at any count. What a statement does for one label it does for
# each, since none carries anything on from one to the next: there are no loops and branches but comprehensions. In these, a
# count is drawn at, compared with None or 0, and not counted with: what is thrown away might raise for some counts, and tell.
#
# By a counting mechanism that is private is meant one with outputs in 0..n, whose probabilities of each output at neighbouring
# counts are within the factor R, whose cdf(c, z) is d F(c, z) with F(c, z) = Pr[M(c) <= z], and whose draws are independent.


@dataclass(frozen=True, eq=False)
class Mark:
    """A value of which only its identity is known."""

    words: str


LABEL, ABSENT = Mark("the label at hand"), Mark("no item of the label at hand")
PUBLIC, COINS, SOURCE, NAME = Mark("a public value"), Mark("coins"), Mark("a source of words"), Mark("its name")
MECHANISM, BETA, ACCURACY, DRAWS = Mark("the mechanism"), Mark("beta"), Mark("the accuracy at beta"), Mark("how many draws")
ROWS, SEEN, FOUND = Mark("rows"), Mark("rows that are refused if they are too many"), Mark("the counts that were found")


def kind_of(name: str, *parts: str) -> Any:
    """A kind of value with these parts; two are equal where they are of one kind and their parts are equal."""
    return make_dataclass(name, parts, frozen=True)


Draw = kind_of("Draw", "at", "number")  # the output of the mechanism at a count: a draw of the label's own
Test = kind_of("Test", "draw", "bound")  # whether a draw is above a bound
Place = kind_of("Place", "order")  # where the label stands in what has this order
Length = kind_of("Length", "of")  # how many items a collection has
Claim = kind_of("Claim", "epsilon", "neighbours", "delta", "ratio", "source")  # what finitedp.claim.PrivacyClaim holds


@dataclass(frozen=True)
class Family:
    """A collection of at most one item for each label, seen from the label at hand.

    kind: "dict", from labels; "list", which tuples are too; or "array". item: the label's own, or ABSENT. order: in which the
    items stand; two of one order have the label's items at one place. tests: what must hold of draws for the item to be there.
    """

    kind: str
    item: Any
    order: Any
    tests: tuple[Any, ...] = ()

    def of(self, kind: str, item: Any) -> "Family":
        """A collection in line with this one, of another kind, with another item where this one has one."""
        return Family(kind, ABSENT if self.item is ABSENT else item, self.order, self.tests)


def unconditional(value: Any, *kinds: str) -> Family:
    """A collection of one of these kinds in which no draw decides what is there."""
    need(isinstance(value, Family) and value.kind in kinds, f"this is no {' or '.join(kinds)} of labels' items")
    need(not value.tests, "draws decide what is there")
    return value  # type: ignore[no-any-return]  # a Family


def aligned(labels: Any, numbers: Any) -> Family:
    """A list of pairs, of two lists or arrays that have the label's items at one place."""
    need(all(isinstance(x, Family) and x.kind != "dict" for x in (labels, numbers)), "this is no list or array of items")
    need((labels.order, labels.tests) == (numbers.order, numbers.tests), "labels and numbers are not aligned")
    need((labels.item is ABSENT) == (numbers.item is ABSENT), "labels without numbers")
    return labels.of("list", (labels.item, numbers.item))  # type: ignore[no-any-return]  # a Family


def var(name: str, kind: str = "rat") -> Poly:
    """A variable."""
    return variable(("v", name, kind))


def at_most(count: Poly, z: Poly) -> Poly:
    """F(count, z) = Pr[M(count) <= z]."""
    return variable(("f", "F", (count, z), "rat"))


HISTOGRAMS, BULK, RELEASING = "finitedp.impl.histograms", "finitedp.impl.counting.dyadic_bulk", "finitedp.data.drawing"
BASIC, STABILITY = f"{HISTOGRAMS}.basic.BasicHistogram", f"{HISTOGRAMS}.stability.StabilityHistogram"
CHECKED = "finitedp.impl.counting.geometric.checked_mechanism"
FIELDS = {  # with their converters
    BASIC: {"mechanism": CHECKED, "labels": f"{HISTOGRAMS}.basic.distinct_labels", "universe": None},
    STABILITY: {"mechanism": CHECKED, "b": f"{HISTOGRAMS}.stability._threshold", "padded": None},
}
WAYS = {
    "rows": ("release", "self data coins"),
    "counts": ("release_counts", "self counts coins"),
    "claim": ("claim", "self coins"),
}
RECORD = ("accuracy", "mechanism", "delta", "threshold", "source", "draws")  # of a NoisyHistogram, behind its claim


class LabelRun(Run):
    """One execution of a histogram's code for the label at hand.

    count: of rows with the label. given: whether it is a key of what is counted. listed: whether it is one of `labels`. ratio:
    what the mechanism claims as its ratio, R or None.
    """

    language: ClassVar[tuple[Any, ...]] = (*WORDS, ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.comprehension)
    known: ClassVar[dict[str, str]] = {
        **{f"builtins.{name}": f"_{name}" for name in ("tuple", "len", "min")},
        "gmpy2.mpq": "_mpq",
        "collections.Counter": "_counter",
        "numpy.flatnonzero": "_places",
        "attrs.evolve": "_evolve",
        **{f"<family>.{name}": f"_{name}" for name in ("get", "items", "tolist")},
        **{f"<mechanism>.{name}": f"_{name}" for name in ("release", "cdf", "claim")},
        f"{BASIC}._rows": "_same_rows",
        f"{HISTOGRAMS}.basic.check_counts": "_check_counts",
        f"{BASIC}._refuse_other_labels": "_refuse",
        **{f"{STABILITY}.{name}": f"_{name.strip('_')}" for name in ("_pad", "draws")},
        **dict.fromkeys((f"{BASIC}.accuracy", f"{HISTOGRAMS}.dyadic.threshold_accuracy"), "_accuracy"),
        f"{HISTOGRAMS}.stability._in_order": "_in_order",
        f"{HISTOGRAMS}.dyadic.on_a_table": "_mechanism_of",
        **dict.fromkeys((f"{HISTOGRAMS}.dyadic._checked", f"{HISTOGRAMS}.dyadic._clamped"), "_checked"),
        f"{HISTOGRAMS}.dyadic._noise": "_noise",
        f"{BULK}.release_array": "_release_array",
        "finitedp.data.frames.LabelCounts.dense": "_dense",
        f"{RELEASING}._at_most": "_at_most",
        f"{RELEASING}._sorted": "_sorted",
        "finitedp.claim.PrivacyClaim": "_private",
        "finitedp.data.noisy_histogram.NoisyHistogram": "_noisy_histogram",
    }

    def __init__(self, library: "Library", cls: str, count: Poly, *, given: bool, listed: bool, ratio: Poly | None) -> None:
        checker = Checker({}, library.root)
        checker.library = library
        super().__init__(Sequent(checker, {}, Goal([], {})))
        shown_ = at_most(ONE, var("b", "int"))
        for fact in (var("c", "int") - ONE, shown_, ONE - shown_):
            self.sequent.add((fact, ">="))
        self.sequent.add((var("d", "int"), ">"))
        self.at, self.given, self.listed, self.ratio = count, given or count != ZERO, listed, ratio
        self.numbers, self.within, self.read, self.drawn, self.called = 0, False, False, False, list[str]()  # called in order
        labels = Family("list", LABEL if listed else ABSENT, "labels")
        known = {"mechanism": MECHANISM, "labels": labels, "b": var("b", "int")}
        self.library.use(cls)
        self.library.post_init(cls)
        fields = {name: code and code.name for name, code in self.library.fields(self.library.find(cls)).items()}
        need(fields == FIELDS[cls], f"the fields of {cls} have other converters")
        for converter in filter(None, fields.values()):
            self.library.use(converter)
        self.histogram = Record(cls, {name: known.get(name, PUBLIC) for name in fields})

    def released(self, name: str, way: str) -> tuple[Any, Any]:
        """What the histogram releases of the label, and what it claims, where both are asked for at once."""
        method, names = WAYS[way] if way in WAYS else ("", HISTOGRAM[name][2])
        values = {"data": ROWS, "found": FOUND, "source": SOURCE, "beta": BETA, "column": PUBLIC, "delta": var("delta")}
        values |= {"self": self.histogram, "histogram": self.histogram, "coins": None if way == "claim" else COINS}
        values["counts"] = Family("dict", self.at if self.given else ABSENT, "data")
        code = self.attribute(self.histogram, method) if method else self.library.find(name)
        known = isinstance(code, Code) and isinstance(code.node, ast.FunctionDef)
        need(known and [a.arg for a in code.node.args.args] == names.split(), f"{code.name} has other parameters")
        result = self.run(code, [values[one] for one in names.split()], {})
        need(method or (type(result) is tuple and len(result) == 2), "what is returned is no NoisyHistogram")
        return (None, result) if way == "claim" else (result, None) if method else result

    def fresh(self) -> int:
        """A number that nothing else has: of a draw, or an order."""
        self.numbers += 1
        return self.numbers

    # expressions

    def literal(self, value: Any) -> Any:
        """A constant."""
        return value if value is None or type(value) is str else super().literal(value)

    def argument(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """The value of an argument. A generator is only what tuple goes through, at once."""
        made = isinstance(node, ast.GeneratorExp)
        return self.comprehension(node, env, module) if made else self.value(node, env, module)

    def call(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A call."""
        made = [part for part in node.args if isinstance(part, ast.GeneratorExp)]
        function = self.value(node.func, env, module)
        at_once = isinstance(function, Code) and function.name == "builtins.tuple"
        need(not made or at_once, f"line {node.lineno}: a generator that others go through")
        return super().call(node, env, module)

    def applied(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value of a call. In a comprehension, which may have no items, it is not noted."""
        if isinstance(function, Code) and function.name in TAKEN and not self.within:
            self.called.append(function.name.rpartition(".")[2])
        return super().applied(function, arguments, named)

    def other(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A list or mapping that is made label by label."""
        need(isinstance(node, ast.ListComp | ast.DictComp), f"line {node.lineno}: an expression that is not known here")
        return self.comprehension(node, env, module)

    def comprehension(self, node: Any, env: dict[str, Any], module: str | None) -> Family:
        """What is made label by label: each item of the label's own."""
        at = f"line {node.lineno}"
        need(len(node.generators) == 1 and not node.generators[0].is_async, f"{at}: a comprehension of several loops")
        (loop,) = node.generators
        over = self.value(loop.iter, env, module)
        need(isinstance(over, Family) and over.kind == "list", f"{at}: a comprehension over something else than labels")
        need(not self.within, f"{at}: labels within labels")  # of two labels, the checker sees one
        order = ("of", over.order, self.fresh()) if loop.ifs else over.order
        kind = "dict" if isinstance(node, ast.DictComp) else "list"
        if over.item is ABSENT:
            return Family(kind, ABSENT, order)
        inner, tests, kept = dict(env), over.tests, True
        self.bind(loop.target, over.item, inner)
        self.within = True
        for condition in loop.ifs:
            found = self.value(condition, inner, module)
            if isinstance(found, Test):
                tests = (*tests, found)
            else:
                kept = kept and not self.sequent.decide((as_number(found), "=="))
        item = self.value(node.value if kind == "dict" else node.elt, inner, module) if kept else ABSENT
        need(kind == "list" or self.value(node.key, inner, module) is LABEL, f"{at}: a mapping whose keys are not the labels")
        items = item if type(item) is tuple else (item,)
        known = all(isinstance(one, Poly | Draw) or one in (LABEL, ABSENT) for one in items)
        need(known, f"{at}: an item that is not known here")
        self.within = False
        return Family(kind, item, order, tests)

    def compare(self, pair: Any, module: str | None) -> bool:
        """Whether a value is None: no other comparison is decided."""
        x, op, y = pair
        known = isinstance(op, ast.Is) and y is None and (x is None or isinstance(x, Poly))
        need(known, "a comparison that is not known here")
        return x is None

    def condition(self, node: Any, env: dict[str, Any], module: str | None) -> Any:
        """A comparison; that a draw is above a number, or draws in an array, is a test."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Gt):
            x, y = self.value(node.left, env, module), self.value(node.comparators[0], env, module)
            if isinstance(y, Poly) and isinstance(x, Draw):
                return Test(x, y)
            drawn = isinstance(x, Family) and x.kind == "array" and (x.item is ABSENT or isinstance(x.item, Draw))
            if isinstance(y, Poly) and drawn:
                return x.of("array", Test(x.item, y))
        return super().condition(node, env, module)

    def item(self, whole: Any, place: Any) -> Any:
        """A mapping's value, a list's item at a place; of an array what it has at places, or where tests say so."""
        if place is LABEL or isinstance(place, Place):
            found = unconditional(whole, "dict" if place is LABEL else "list")
            need(place in (LABEL, Place(found.order)), "a place in another list")
            need(found.item is not ABSENT, "a look-up of a label that may not be there")
            return found.item
        array, at = unconditional(whole, "array"), unconditional(place, "array")
        if isinstance(at.item, Test):
            need(at.order == array.order, "a mask of another array")
            return Family("array", array.item, ("of", array.order, at.item), (at.item,))
        if at.item is ABSENT:
            return Family("array", ABSENT, ("of", at.order))
        need(at.item == Place(array.order), "places in another array")
        return at.of("array", array.item)

    def operation(self, sign: str, x: Any, y: Any, module: str | None) -> Any:
        """An operation of public numbers."""
        need(not self.within, "arithmetic of one label's count, which might not fit")
        return super().operation(sign, x, y, module)

    def attribute(self, value: Any, name: str) -> Any:
        """An attribute of a value."""
        if value is SOURCE and name == "name":
            return NAME
        if value is FOUND:
            self.library.use("finitedp.data.frames.LabelCounts")
        if value is FOUND and name in ("labels", "counts"):
            kind, item = ("list", LABEL) if name == "labels" else ("array", self.at)
            return Family(kind, item if self.given else ABSENT, "found")
        if value is FOUND and name == "dense":
            return Code("finitedp.data.frames.LabelCounts.dense")
        if value is MECHANISM:
            return var(name, "int") if name in ("n", "d") else Code(f"<mechanism>.{name}")
        if isinstance(value, Claim):
            need(name in ("epsilon", "delta", "ratio"), f"the attribute {name} of a claim is not known")
            return getattr(value, name)
        if isinstance(value, Family):
            return Code(f"<family>.{name}", bound=value)
        if isinstance(value, Code) and value.name == "numpy":
            return Code(f"numpy.{name}")
        need(isinstance(value, Record), f"the attribute {name} of something else")
        return super().attribute(value, name)

    def made(self, cls: Code, arguments: list[Any], named: dict[str, Any]) -> Record:
        """No object is made but those that are known."""
        raise Refused(f"an object of {cls.name} is made")

    # what is not executed

    def _mpq(self, a: Any, b: Any = ONE) -> Any:
        return self.quotient(a, b)

    def whole_data(self, value: Any, kind: str) -> Family:
        """A collection that has the label's count, before any draw; of rows that were looked at, if the label is listed."""
        found = unconditional(value, kind)
        every = found.item == self.at or (found.item is ABSENT and (self.at == ZERO or (self.read and not self.listed)))
        need(every and not self.drawn, "what refuses counts looks at others, or comes behind a draw")
        return found

    def _check_counts(self, counts: Any, most: Any) -> None:
        need(self.whole_data(counts, "dict") and most == var("n", "int"), "counts are refused above another n")

    def _refuse(self, histogram: Any, counts: Any) -> None:
        need(histogram is self.histogram and self.whole_data(counts, "dict"), "another histogram")

    def _pad(self, histogram: Any, drawn: Any, coins: Any) -> None:
        """Draws that nobody sees, beside those of the labels that occur."""
        every = isinstance(drawn, Length) and (drawn.of.item is ABSENT) == (self.at == ZERO)
        need(histogram is self.histogram and coins is COINS and every, "padding to another number of draws")

    def _accuracy(self, histogram: Any, beta: Any) -> Any:
        need(histogram is self.histogram and beta is BETA, "the accuracy of another histogram, or at another beta")
        return ACCURACY

    def _draws(self, histogram: Any) -> Any:
        need(histogram is self.histogram, "another histogram")
        return DRAWS

    def _release(self, count: Any, coins: Any) -> Any:
        need(self.within and count == self.at and coins is COINS, "a release of something else than a label's count")
        self.drawn = True
        return Draw(count, self.fresh())

    def _cdf(self, count: Any, z: Any) -> Poly:
        need(not self.within, "a cdf of one label's count, which might be too large")
        return var("d", "int") * at_most(self.whole(count, "cdf"), self.whole(z, "cdf"))

    def _claim(self, coins: Any = None) -> Any:
        need(coins is None, "a claim on coins")
        return Claim(var("epsilon"), "counts", ZERO, self.ratio, "")

    def _private(self, e: Any, of: Any, delta: Any = ZERO, ratio: Any = None, source: Any = "", told: Any = None) -> Any:
        self.library.post_init("finitedp.claim.PrivacyClaim")
        whole = type(told) is tuple and len(told) == 2 and told[0] is self.histogram and told[1] is None
        need(whole, "a claim is told of another mechanism, which has its curve")
        return Claim(e, of, delta, ratio, source)

    def _evolve(self, claim: Any, /, **changes: Any) -> Any:
        need(isinstance(claim, Claim), "this is no claim")
        return replace(claim, **changes)

    def _same_rows(self, histogram: Any, rows: Any) -> Any:
        need(histogram is self.histogram and rows is ROWS, "another histogram, or other rows")
        return SEEN

    def _counter(self, rows: Any) -> Family:
        known = rows is (SEEN if self.histogram.cls == BASIC else ROWS) and not self.read
        need(known, "a count of what are no rows, or of rows that were counted before, or were not looked at")
        self.read = True
        return Family("dict", self.at if self.at != ZERO else ABSENT, "data")

    def _get(self, of: Any, label: Any, otherwise: Any) -> Any:
        need(label is LABEL, "a look-up of another label")
        return otherwise if unconditional(of, "dict").item is ABSENT else of.item

    def _items(self, of: Any) -> Family:
        return unconditional(of, "dict").of("list", (LABEL, of.item))

    def _in_order(self, of: Any) -> Family:
        return replace(unconditional(of, "dict").of("list", LABEL), order=("of", "sorted", self.fresh()))

    def _tuple(self, of: Any) -> Any:
        need(isinstance(of, Family) and of.kind == "list", "a tuple of a mapping, or of something else")
        return of

    def _tolist(self, of: Any) -> Any:
        need(of.kind == "array", "a list of what is no array")
        return of.of("list", of.item)

    def _len(self, of: Any) -> Any:
        return Length(unconditional(of, "list"))

    def _mechanism_of(self, histogram: Any) -> Any:
        need(histogram is self.histogram, "another histogram")
        return MECHANISM

    def _checked(self, histogram: Any, counts: Any) -> Any:
        need(histogram is self.histogram, "another histogram")
        return self.whole_data(counts, "array")

    def _dense(self, labels: Any, column: Any) -> Family:
        need(labels == self.histogram.fields["labels"], "other labels are asked of the counts that were found")
        return labels.of("array", self.at)  # type: ignore[no-any-return]  # a Family

    def _at_most(self, counts: Any, mechanism: Any) -> Family:
        """Counts above n as n: those of neighbours are neighbours, so that they stand for the counts from here on."""
        need(mechanism is MECHANISM, "counts of at most another number")
        return unconditional(counts, "array")

    def _release_array(self, mechanism: Any, counts: Any, source: Any) -> Family:
        need(mechanism is MECHANISM and source is SOURCE, "other noise")
        array = unconditional(counts, "array")
        need(array.item is ABSENT or isinstance(array.item, Poly), "noise for what is no count")
        self.drawn = True
        return array.of("array", Draw(array.item, self.fresh()))

    def _noise(self, histogram: Any, counts: Any, source: Any) -> Family:
        return self._release_array(self._mechanism_of(histogram), counts, source)

    def _places(self, counts: Any) -> Family:
        array = unconditional(counts, "array")
        here = array.item is not ABSENT and not self.sequent.decide((as_number(array.item), "=="))
        return Family("array", Place(array.order) if here else ABSENT, ("of", array.order, self.fresh()))

    def _sorted(self, labels: Any, counts: Any) -> Any:
        """Both by increasing label."""
        need(labels.kind == "list" and counts.kind == "array", "what is sorted is no list with an array")
        need(aligned(labels, counts).item is ABSENT or labels.item is LABEL, "sorted by something else than the labels")
        order = ("of", "sorted", self.fresh())
        return tuple(replace(x, order=order) for x in (labels, counts))

    def _noisy_histogram(self, labels: Any, numbers: Any, claim: Any, /, *record: Any, neighbours: Any = "replace-one") -> Any:
        """What is returned: labels and numbers that are aligned, a claim, and what the record says of them."""
        need(isinstance(claim, Claim) and neighbours == claim.neighbours, "this is no claim, or one for other neighbours")
        every = self.histogram.cls == BASIC
        threshold, draws = (None, Length(self.histogram.fields["labels"])) if every else (var("b", "int"), DRAWS)
        meant = (ACCURACY, MECHANISM, claim.delta, threshold, NAME, draws)
        need(len(record) == len(meant), "the record says more, or less")
        for name, said, true in zip(RECORD, record, meant, strict=True):
            need(said == true, f"the record says another {name} than is true of the release")
        return aligned(labels, numbers), claim


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
        goal = Goal(node["then"], dict(sequent.env), None, frozenset(sequent.kept))
        sequent.kept = set()
        self.prove(sequent.copy(goal), node["proof"])
        self.proved[name] = node

    def supposed(self, sequent: Sequent, part: Any) -> None:
        """A hypothesis of a node: a comparison, an abbreviation, or one with variables of its own."""
        if isinstance(part, str):
            self.assume(sequent, part, sequent.env)
        elif "let" in part:
            need(len(part["let"]) == 2 and new_name(sequent, part["let"][0]), "a let is not [new name, expression]")
            run = Run(sequent)
            sequent.env[part["let"][0]] = run.value(parsed(part["let"][1]), sequent.env)
            sequent.kept |= run.ran()
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
        need(run.ran() | sequent.goal.loops <= sequent.kept, "a loop is run of which no invariant is shown: it might raise")
        return found

    def assume(self, sequent: Sequent, text: str, env: dict[str, Any]) -> None:
        """Add what an expression says to the facts; where that is not decided yet, as a hypothesis to be used later."""
        node, run = parsed(text), Run(sequent)
        try:
            if is_comparison(node):
                for fact in [_fact(*pair) for pair in run.pairs(node, env, None)]:
                    sequent.add(fact)
                sequent.kept |= run.ran()
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
        need(all(map(sequent.holds, self.goals(sequent))), f"{'; '.join(sequent.goal.texts)[:300]} is not known")

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
        need(sign, f"what is left over of {'; '.join(sequent.goal.texts)[:300]} is not manifestly at least 0")
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
        env, parts, supposed = dict(used.env), list(used.where), set[Any]()
        need(set(values) == set(used.variables), f"the variables of {name!r} are not just those that are given")
        for variable_, kind in used.variables.items():
            value = Run(sequent).value(parsed(values[variable_]), sequent.env)
            env[variable_], more = self.given(sequent, variable_, kind, value)
            parts += more
        for part in parts:
            if isinstance(part, str):
                self.prove(sequent.copy(Goal([part], dict(env))), next(given, {"rule": "known"}))
            elif "let" in part:
                run = Run(sequent)
                env[part["let"][0]] = run.value(parsed(part["let"][1]), env)
                supposed |= run.ran()
            else:
                self.universal(sequent, part, env, next(given, {"rule": "known"}))
        need(next(given, None) is None, "there are more proofs than hypotheses")
        after = sequent.copy()
        after.kept |= supposed
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
        call = f"{name}({', '.join(names)})"
        then = [f"integer({call})" if kind.endswith("int") else f"{call} == {call}"]  # it has a value, by its own loops
        return value, [{"for": dict.fromkeys(names, "int"), "where": [], "then": then}]

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
            case ast.Call(ast.Name("ln"), [left]):  # at 1 all of these are 0; 1, 1/t and 4/(t+1)^2, the derivatives, decrease
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
        node, module, before, result, rounds = run.loops[0]
        texts = proof["invariant"]
        need(sequent.holds((rounds, ">=")), "the number of rounds is not known to be at least 0")
        need(not {"left", *result} & set(sequent.env) and "left" not in before, "a name of the loop is taken")
        self.integers(sequent, before, result)
        outer = {k: v for k, v in sequent.env.items() if k not in before}
        self.prove(sequent.copy(Goal(texts, outer | before | {"left": rounds})), proof["start"])
        step = sequent.copy()
        inner = before | {name: declare(step, name, "int") for name in result}
        left = declare(step, "left", "int")
        for fact in ((left - ONE, ">="), (rounds - left, ">=")):
            step.add(fact)
        for text in texts:
            self.assume(step, text, outer | inner | {"left": left})

        def one_round(run: Run) -> dict[str, Any]:
            env = inner | {node.target.id: rounds - left}
            run.execute(node.body, env, module)
            self.integers(run.sequent, env, result)
            return {name: env[name] for name in inner}

        step.goal = Goal(texts, outer | {"left": left - ONE}, one_round)
        self.prove(step, proof["step"])
        after, values = sequent.copy(), {name: variable(atom) for name, atom in result.items()}
        after.kept |= {(atom[1], atom[3]) for atom in result.values()}
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
    places, _, result = kind.rpartition(" -> ")
    known = result in ("int", "rat") and all(one == "int" for one in places.split(", ") if kind != result)
    need(known, f"{kind[:60]!r} is no kind of variable")
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


NEAR = ["R >= 1", "0 <= p <= 1", "0 <= q <= 1", "p <= R*q", "q <= R*p"]  # masses of one event, at neighbouring counts
GOES = ["0 <= x <= D", "D <= 1", "D <= delta"]
PRIVATE: dict[str, list[tuple[str, str, list[str], str]]] = {  # what a claim comes down to, by what a label shows
    # A draw at its count, if it is listed. A row is replaced, so that the counts of two labels change to neighbouring ones: of
    # two listed labels, outputs z and w have p s before and q t after, with p, q those of z and s, t those of w; where one
    # of them is listed, p and q. Where none is, nothing changes.
    "listed": [
        ("two listed labels", "R p q s t", [*NEAR, "0 <= s", "0 <= t", "s <= R*t", "t <= R*s"], "p*s <= R**2*(q*t)"),
        ("a listed label and another", "R p q", NEAR, "p <= R**2*q"),
    ],
    # A draw at its count, if it occurs and the draw is above b. A label that loses its only row shows before with probability
    # D = 1 - F(1, b), and never after; of an event, x in 0..D is the part of the outputs that show it, and p, q what the
    # event has, before and after, by the other labels where it does not show. The other label that changes has a row more: one
    # of several (p and q are near), or its first (they are equal; y is the part of the outputs that show that label, after).
    "occurring": [
        ("two labels that stay", "R p q s t", [*NEAR, "0 <= s", "0 <= t", "s <= R*t", "t <= R*s"], "p*s <= R**2*(q*t)"),
        ("a label goes, another stays", "R p q x D delta", [*NEAR, *GOES], "x + (1 - D)*p <= R**2*q + delta"),
        ("a label comes, another stays", "R p q x D delta", [*NEAR, *GOES], "q <= R**2*(x + (1 - D)*p) + delta"),
        (
            "a label goes, another comes",
            "R p x y D delta",
            ["R >= 1", "0 <= p <= 1", "0 <= y <= D", *GOES],
            "x + (1 - D)*p <= R**2*(y + (1 - D)*p) + delta",
        ),
    ],
    # The same, where a row is added or removed, so that the count of one label changes to a neighbouring one, of none too.
    "listed, add-remove": [("a listed label", "R p q", NEAR, "p <= R*q")],
    "occurring, add-remove": [
        ("a label that stays", "R p q", NEAR, "p <= R*q"),
        ("a label goes", "R p x D delta", ["R >= 1", "0 <= p <= 1", *GOES], "x + (1 - D)*p <= R*p + delta"),
        ("a label comes", "R p x D delta", ["R >= 1", "0 <= p <= 1", *GOES], "p <= R*(x + (1 - D)*p) + delta"),
    ],
}
ON_LABELS, ON_THOSE = "found column histogram beta source", "found histogram delta beta source"
HISTOGRAM = {  # class of its parameters; whether it shows each listed label; parameters, of a function; source; neighbours
    BASIC: (BASIC, True, "", "BV.Thm5.2.i", "replace-one"),
    STABILITY: (STABILITY, False, "", "BV.Thm5.5.i", "replace-one"),
    f"{RELEASING}._basic": (BASIC, True, ON_LABELS, "FD.Dyadic.basic.private", "replace-one"),
    f"{RELEASING}._stability": (STABILITY, False, ON_THOSE, "FD.Dyadic.stability.private", "replace-one"),
    f"{RELEASING}._basic_add_remove": (BASIC, True, ON_LABELS, "FD.Dyadic.basic.add-remove", "add-remove"),
    f"{RELEASING}._stability_add_remove": (STABILITY, False, ON_THOSE, "FD.Dyadic.stability.add-remove", "add-remove"),
}
CALLED = {  # by the way it is asked: what it calls that is trusted without proof, in this order: no refusal is left out
    BASIC: {"rows": "_rows check_counts _refuse_other_labels", "counts": "check_counts _refuse_other_labels"},
    STABILITY: dict.fromkeys(("rows", "counts"), "check_counts _in_order _pad"),
    f"{RELEASING}._basic": {"arrays": "on_a_table dense release_array PrivacyClaim accuracy NoisyHistogram"},
    f"{RELEASING}._stability": {
        "arrays": "on_a_table threshold_accuracy _checked _noise _sorted PrivacyClaim draws NoisyHistogram"
    },
    f"{RELEASING}._basic_add_remove": {
        "arrays": "on_a_table dense _at_most release_array PrivacyClaim accuracy NoisyHistogram"
    },
    f"{RELEASING}._stability_add_remove": {
        "arrays": "on_a_table threshold_accuracy _clamped _noise _sorted PrivacyClaim PrivacyClaim draws NoisyHistogram"
    },
}


def as_claimed(name: str, library: Library) -> list[tuple[str, dict[str, Any]]]:
    """That a histogram is as private as it claims, where a row is replaced, or added or removed, over every private mechanism.

    BasicHistogram, over any list of distinct labels, and StabilityHistogram, over any threshold b and any universe, from rows
    to output and on any dataset that they accept; and finitedp.release with delta = 0 and with delta > 0, where delta is at
    least Pr[M(1) > b], from the counts of labels to what is returned. Their code is executed on a label, which has to show
    what PRIVATE says, and to claim 2 epsilon, the ratio R^2 or none, and delta (add-remove: epsilon, and R or none); and has
    to call what refuses other input, or clamps it.
    """
    need(name in HISTOGRAM, f"{name[:60]!r} is no histogram that is known")
    cls, every, parameters, source, relation = HISTOGRAM[name]
    changed = 2 if relation == "replace-one" else 1  # counts
    ways = CALLED[name] | ({} if parameters else {"claim": "PrivacyClaim"})
    b, c, either = var("b", "int"), var("c", "int"), (False, True)
    delta = ZERO if every else var("delta") if parameters else ONE - at_most(ONE, b)
    for way, ratio, count, given, listed in product(ways, (var("R"), None), (ZERO, c), either, either):
        run = LabelRun(library, cls, count, given=given, listed=listed, ratio=ratio)
        released, claim = run.released(name, way)
        need(run.called == ways[way].split(), f"from {way}, {' '.join(run.called)} are called, and not {ways[way]}")
        if way != "claim":
            at = f"from {way}, a label with {'c' if count == c else 'no'} rows that is {'' if listed else 'not '}listed"
            shows(released, at, count if (listed if every else count != ZERO) else None, None if every else b)
        if way in ("claim", "arrays"):
            whole = ratio * ratio if ratio and changed == 2 else ratio
            meant = Claim(var("epsilon") * number(changed), relation, delta, whole if every else None, source)
            said = "2 epsilon for replace-one, R^2" if changed == 2 else "epsilon for add-remove, R"
            need(claim == meant, f"what is claimed is not {said} or no ratio, and delta, by {source}")
    shape = "listed" if every else "occurring"
    return [
        (words, {"for": dict.fromkeys(names.split(), "rat"), "where": where, "then": [then]})
        for words, names, where, then in PRIVATE[shape if changed == 2 else f"{shape}, add-remove"]
    ]


def shows(released: Any, at: str, count: Poly | None, bound: Poly | None) -> None:
    """Stop unless a label shows a draw at its count, if above the bound if there is one; or nothing, without a count."""
    need(isinstance(released, Family) and released.kind == "list", f"{at}: what is released is no tuple of a label's items")
    order = released.order
    while isinstance(order, tuple):
        order = order[1]
    need(order in ("labels", "sorted"), f"{at}: the order of what is released depends on the data")
    need((released.item is ABSENT) == (count is None), f"{at}: it shows where it should not, or does not where it should")
    if count is not None:
        known = type(released.item) is tuple and len(released.item) == 2 and released.item[0] is LABEL
        need(known and isinstance(released.item[1], Draw), f"{at}: what it shows is not the label with a draw")
        draw = released.item[1]
        need(draw.at == count, f"{at}: the draw is at another count")
        need(released.tests == (() if bound is None else (Test(draw, bound),)), f"{at}: it shows under another condition")


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
        checker.library.tells(claim["kind"], of)
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
