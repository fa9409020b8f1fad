"""The kernel: sequents, what statements say, rules, and what claims mean. Read numbers.py first.

A proof is a list of nodes; each states that hypotheses imply conclusions for all values of its variables. What runs installed
code is not here: `Live` of live.py gives what is named, attributes and what calls give.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction as Q
from functools import cache
from keyword import iskeyword
from math import gcd
from typing import Any

from finitedp.proofs_check.proofs.live_checker.numbers import *

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
    read = frozenset[str]().union(*(read_names(parsed(text)) for text in (*where, *then)))
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
        if not below:
            return [fact for fact in self.facts if not poly.terms.keys().isdisjoint(fact[0].terms)]
        near = self.facts
        for mono, c in below:
            near = [fact for fact in near if fact[0].terms.get(mono, 0) <= c]
        return near

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


# What statements say. Trusted for: the value of an expression is what Python gives for all integers and rationals that the
# variables may be; where that depends on a comparison, the sequent decides it, or Undecided is raised.

_OPS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
SIGNS: dict[Any, str] = dict(zip(_OPS, ["+", "-", "*", "/", "//", "%", "**"], strict=True))
FORMS = ("Sum", "Raises", "Comparisons")  # what is no function: its arguments are not evaluated first
BUILT_IN = {*FORMS, "min", "max", "ln", "integer", "Some"}


class Run:
    """Evaluates the expressions of statements in a sequent; code, which is run for them, asks it for what numbers are.

    code: whether code asks. loops: those that were run: their names before, what they give, rounds, and how a round is run.
    """

    def __init__(self, sequent: Sequent) -> None:
        self.sequent, self.names, self.host = sequent, sequent.checker.names, sequent.checker.code
        self.code, self.loops, self.tally, self.depth, self.counting = False, list[Any](), 0, 0, False
        self.objects: dict[int, Any] = {}  # what code was given for objects of statements

    def value(self, node: Any, env: dict[str, Any]) -> Any:
        """The value of an expression."""
        stepped()
        match node:
            case ast.Constant(value) if type(value) in (int, bool):
                return number(value) if type(value) is int else value
            case ast.Name(name):
                need(env.get(name, ZERO) is not None, f"{name!r} is no number")
                return env[name] if name in env else self.named(name)
            case ast.Tuple(parts):
                return tuple(self.value(part, env) for part in parts)
            case ast.Lambda():
                need(plain_parameters(node) and not node.args.defaults, "a lambda has other than plain arguments")
                return Lambda(node, env)
            case ast.Subscript(whole, place):
                whole, index = self.value(whole, env), as_number(self.value(place, env)).constant()
                need(type(whole) is tuple and index in range(len(whole)), "an index is not known, or out of range")
                return whole[int(index)]
            case ast.Compare():
                return all(self.sequent.decide(_fact(*pair)) for pair in self.pairs(node, env))
            case ast.BoolOp(op, parts):
                stop = isinstance(op, ast.Or)
                return stop if any(self.true(part, env) == stop for part in parts) else not stop
            case ast.UnaryOp(ast.USub(), part):
                return -self.poly(part, env)
            case ast.BinOp(left, op, right) if type(op) in SIGNS:
                return self.operation(SIGNS[type(op)], self.poly(left, env), self.poly(right, env))
            case ast.Attribute(part, name):
                of = self.value(part, env)
                need(isinstance(of, Record) and name.isascii(), f"what has no fields is asked for {name!r}")
                return of.fields[name] if name in of.fields else self.host.attribute(self, of, name)
            case ast.Call(ast.Name(name), arguments) if name in FORMS and name not in env:
                need(len(arguments) == (4 if name == "Sum" else 1) and not node.keywords, f"{name} has other arguments")
                return getattr(self, name.lower())(env, *arguments)
            case ast.Call(function, arguments, named):
                return self.call(function, arguments, named, env)
        raise Refused(f"{ast.unparse(node)[:60]!r} is no expression of statements")

    def call(self, node: Any, arguments: list[Any], named: list[Any], env: dict[str, Any]) -> Any:
        """A call: of what statements know, of an unknown function, of a lambda, or of code."""
        if isinstance(node, ast.Name) and node.id in BUILT_IN and node.id not in env:
            known = {part.arg: self.value(part.value, env) for part in named}
            need(node.id == "Some" or not known, f"{node.id} has no names")
            return getattr(self, f"_{node.id.lower()}")(*[self.value(part, env) for part in arguments], **known)
        if isinstance(node, ast.Attribute) and node.attr == "bit_length" and not (arguments or named):
            return self.bits(self.poly(node.value, env))
        function, given = self.value(node, env), [self.value(part, env) for part in arguments]
        need(not named, "an argument has a name")
        if isinstance(function, Symbol | Lambda):
            return self.applied(function, given)
        need(isinstance(function, Host), "what is called is no function")
        return self.deeper(lambda: self.host.called(self, function.value, *given))

    def applied(self, function: Any, given: list[Any]) -> Any:
        """The value of an unknown function, or of a lambda."""
        if isinstance(function, Lambda):
            need(len(given) == len(function.names), "a lambda has another number of arguments")
            env = function.env | dict(zip(function.names, given, strict=True))
            return self.deeper(lambda: self.value(function.node.body, env))
        whole = all(isinstance(a, Poly) and self.sequent.is_whole(a) for a in given)
        need(len(given) == function.arity and whole, f"{function.name} has other arguments, or they are not surely integers")
        return variable(("f", function.name, tuple(given), function.kind))

    def deeper(self, call: Callable[[], Any]) -> Any:
        """What a call gives, unless calls are nested too deeply."""
        self.depth += 1
        need(self.depth <= MOST_DEPTH, "calls are nested too deeply")
        try:
            return call()
        finally:
            self.depth -= 1

    def named(self, name: str) -> Any:
        """What a name means that is not bound: what the document declares."""
        need(name in self.names, f"the name {name!r} means nothing here")
        return Host(self.host.named(self.names[name]))

    def poly(self, node: Any, env: dict[str, Any]) -> Poly:
        """The value of an expression that must be a number."""
        return as_number(self.value(node, env), node)

    def true(self, node: Any, env: dict[str, Any]) -> bool:
        """Whether a condition holds. Raises: Undecided."""
        value = self.value(node, env)
        if isinstance(value, bool):
            return value
        raise Refused(f"{ast.unparse(node)[:60]!r} is no condition")

    def pairs(self, node: Any, env: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
        """The comparisons in a chain, one after the other."""
        left = self.value(node.left, env)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part, env)
            yield left, op, right
            left = right

    def ran(self) -> set[Any]:
        """The loops that were run: where they stand, for how many rounds, and what they read."""
        return {(atom[1], atom[3]) for loop in self.loops for atom in loop[1].values()}

    # numbers

    def whole(self, value: Any, what: str) -> Poly:
        """A number that is surely an integer."""
        found = as_number(value)
        need(self.sequent.is_whole(found), f"{what} of what is not surely an integer")
        return found

    def operation(self, sign: str, a: Poly, b: Poly) -> Poly:
        """An operation of two numbers, with the meaning that Python gives it on integers and rationals."""
        if sign in "+-*":
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        if sign == "**":
            value = b.constant()
            need(self.sequent.is_whole(b), "an exponent is not surely an integer")
            need(not self.code or self.sequent.decide((b, ">=")), "code raises an integer to a negative power here")
            need((value is not None and value >= 0) or self.sequent.sign(a) == ">", "a base is not manifestly positive")
            return raised(a, b)
        if sign == "/":
            return self.quotient(a, b)
        need(self.sequent.is_whole(a) and self.sequent.is_whole(b), f"{sign} of what is not surely an integer")
        if sign in ("<<", ">>"):
            need(self.sequent.decide((b, ">=")), "a shift by less than 0")
            return self.operation("*" if sign == "<<" else "//", a, raised(number(2), b))
        need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
        i, j = a.constant(), b.constant()
        quotient = number(i // j) if None not in (i, j) else a if b == ONE or a == ZERO else variable(("div", a, b))
        return quotient if sign == "//" else a - b * quotient

    def quotient(self, a: Poly, b: Poly) -> Poly:
        """a/b, where b is surely above 0."""
        need(self.sequent.sign(b) == ">", "a divisor is not manifestly positive")
        return a * raised(b, number(-1))

    def bits(self, a: Poly) -> Poly:
        """How many bits an integer of at least 0 has."""
        need(self.sequent.decide((self.whole(a, "bit_length"), ">=")), "bit_length of what is below 0")
        value = a.constant()
        return variable(("bits", a)) if value is None else number(int(value).bit_length())

    # what statements may say beside

    def _min(self, a: Any, b: Any) -> Poly:
        return as_number(a if self.sequent.decide((as_number(b) - as_number(a), ">=")) else b)

    def _max(self, a: Any, b: Any) -> Poly:
        return as_number(b if self.sequent.decide((as_number(b) - as_number(a), ">=")) else a)

    def _ln(self, a: Any) -> Poly:
        t = as_number(a)
        need(self.sequent.sign(t) == ">", "ln of what is not manifestly positive")
        return variable(("ln", t)) if t != ONE else ZERO

    def _integer(self, a: Any) -> bool:
        need(not isinstance(a, bool), "an integer is no condition")
        return self.sequent.is_whole(self.whole(a, "integer"))

    def _some(self, *classes: Any, **fields: Any) -> Record:
        """Some(a=x): any object with this attribute. Some(Class, a=x): any of a class; properties are given, or executed."""
        if not classes:
            return Record("some object", fields)
        need(len(classes) == 1 and isinstance(classes[0], Host), "Some has other than a class and named attributes")
        return Record(self.host.some(classes[0].value, fields), fields)

    def sum(self, env: dict[str, Any], place: Any, first: Any, last: Any, term: Any) -> Poly:
        """Sum(i, low, high, body)."""
        need(isinstance(place, ast.Name), "a Sum is over no variable")
        need(not self.counting, "the comparisons of a Sum's terms are not counted")
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
        """Raises(call): the code comes to where it raises. It is never false: no code is shown not to."""
        try:
            self.value(call, env)
        except Raised:
            return True
        raise Refused(f"it is not shown that {ast.unparse(call)[:60]} raises")

    def comparisons(self, env: dict[str, Any], call: Any) -> Poly:
        """Comparisons(call): how many comparisons of numbers the code makes; those of unknown functions are not known."""
        run = Run(self.sequent)
        run.counting, run.depth = True, self.depth
        run.value(call, env)
        need(not run.loops, "the comparisons of a loop are not counted")
        return number(run.tally)


def plain_parameters(node: Any) -> bool:
    """Whether a lambda's parameters are plain ones, each of another name."""
    of, names = node.args, {a.arg for a in node.args.args}
    return not (of.vararg or of.kwarg or of.kwonlyargs or of.posonlyargs) and len(names) == len(of.args)


def as_number(value: Any, what: Any = "what is counted with") -> Poly:
    """A number, or a condition as 0 or 1. what: its syntax, or words for it."""
    found = number(int(value)) if isinstance(value, bool) else value
    if isinstance(found, Poly):
        return found
    raise Refused(f"{what if isinstance(what, str) else ast.unparse(what)[:60]!r} is no number")


def _fact(a: Any, op: Any, b: Any) -> Fact:
    """A comparison of two numbers as a fact."""
    below = as_number(b, "what is compared") - as_number(a, "what is compared")
    upwards, downwards = {ast.LtE: ">=", ast.Lt: ">"}, {ast.GtE: ">=", ast.Gt: ">", ast.Eq: "=="}
    need(type(op) in upwards | downwards, "a comparison is none of <= < >= > ==")
    return (below, upwards[type(op)]) if type(op) in upwards else (-below, downwards[type(op)])


def is_boolean(node: Any) -> bool:
    """Whether an expression is a condition by its form."""
    return isinstance(node, ast.Compare | ast.BoolOp)


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

    def __init__(self, names: dict[str, str], code: Any = None) -> None:
        self.code, self.names = code, names
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
                found += [_fact(*pair) for pair in run.pairs(node, env)]
            else:
                need(run.true(node, env), f"{text[:60]!r} is false here")  # it is decided, or Undecided is raised
        need(run.ran() | sequent.goal.loops <= sequent.kept, "a loop is run of which no invariant is shown: it might raise")
        return found

    def assume(self, sequent: Sequent, text: str, env: dict[str, Any]) -> None:
        """Add what an expression says to the facts; where that is not decided yet, as a hypothesis to be used later."""
        node, run = parsed(text), Run(sequent)
        try:
            if is_comparison(node):
                for fact in [_fact(*pair) for pair in run.pairs(node, env)]:
                    sequent.add(fact)
                sequent.kept |= run.ran()
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "integer" and "integer" not in env:
                need(len(node.args) == 1 and not node.keywords, "an integer is not integer(value)")
                sequent.whole.add(run.poly(node.args[0], env))
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
        return Run(sequent).poly(parsed(text), sequent.env)

    def fact(self, sequent: Sequent, text: str) -> Fact:
        """A comparison of the proof."""
        node = parsed(text)
        need(isinstance(node, ast.Compare) and len(node.ops) == 1, f"{text[:60]!r} is not one comparison")
        (pair,) = Run(sequent).pairs(node, sequent.env)
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
        need(name in {*sequent.hypotheses, *self.proved}, f"what is used is not proved before: {name[:60]!r}")
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
                a, b = (Run(sequent).poly(part, sequent.env) for part in (left, right))
                facts = [(a - b * value, ">="), (b * value + b - ONE - a, ">=")]
            case ast.Call(ast.Attribute(left, "bit_length")):  # 2^(value - 1) <= a < 2^value; and value = 0 where a = 0
                a, two = Run(sequent).poly(left, sequent.env), raised(number(2), value)
                facts = [(value, ">="), (two - a - ONE, ">="), (a + a + ONE - two, ">=")]
            case ast.BinOp(left, ast.Pow(), right):  # a^b >= 1, and Bernoulli's inequality a^b >= 1 + b (a - 1)
                a, b = (Run(sequent).poly(part, sequent.env) for part in (left, right))
                known = sequent.holds((a - ONE, ">=")) and sequent.holds((b, ">=")) and sequent.is_whole(b)
                need(known, "of b**e something is known for b >= 1 and an integer e >= 0")
                facts = [(value - ONE, ">="), (value - ONE - b * (a - ONE), ">=")]
            case ast.Call(ast.Name("ln"), [left]):  # at 1 all of these are 0; 1, 1/t and 4/(t+1)^2, the derivatives, decrease
                t = Run(sequent).poly(left, sequent.env)
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
        before, result, rounds, again = run.loops[0]
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
            after = again(run, {name: inner[name] for name in result}, rounds - left)
            self.integers(run.sequent, after, result)
            return {**inner, **after}

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
    return known and name not in {*sequent.env, *sequent.checker.names} and name not in BUILT_IN


def declare(sequent: Sequent, name: str, kind: str) -> Any:
    """A new variable or unknown function."""
    need(new_name(sequent, name), f"{name[:60]!r} is no new name")
    places, _, result = kind.rpartition(" -> ")
    known = result in ("int", "rat") and all(one == "int" for one in places.split(", ") if kind != result)
    need(known, f"{kind[:60]!r} is no kind of variable")
    sequent.env[name] = Symbol(name, kind.count(",") + 1, result) if "->" in kind else variable(("v", name, result))
    return sequent.env[name]


# What claims mean. Trusted for: the statements are what their names say. Those about counting-query mechanisms are written
# here. What histograms' claims mean is derived from their code: see labels.py.

GEO, FAST = "finitedp.impl.counting.geometric.GeoSample", "finitedp.impl.counting.geometric.FastSample"
PARAMETERS = {  # of a mechanism, as for all n, epsilon = 1/q and gamma = 1/g
    GEO: ("n q", "n >= 1; q >= 1; M := GeoSample(n, 1/q)"),
    FAST: ("n q g", "n >= 1; q >= 1; g >= 2; M := FastSample(n, 1/q, 1/g)"),
}
MASS = "(M.cdf({0}, z) - M.cdf({0}, z - 1))"
RATIO = f"x*{MASS.format('c')} <= (x + 1)*{MASS.format('e')}"
INVERSE = "0 <= M.apply(c, u); M.apply(c, u) <= n; (M.apply(c, u) <= z) == (u <= M.cdf(c, z))"
WITHIN = "M.d - M.cdf(c, min(c + a, n)) + M.cdf(c, max(c - a - 1, -1)) <= beta*M.d"
MEANING = {  # integers (beta: a rational) beside the parameters; hypotheses => conclusions
    "inverse": [
        f"c z u: 0 <= c <= n; 0 <= z <= n; 1 <= u <= M.d => {INVERSE}",
        "c: 0 <= c <= n => M.cdf(c, -1) == 0; M.cdf(c, n) == M.d; M.d >= 1",
    ],
    "private": [
        f"c z e: 0 <= c <= n; 0 <= e <= n; -1 <= c - e <= 1; 0 <= z <= n; x := 2**M.k => {RATIO}",
        ":  => ln(1 + 1/2**M.k) <= 1/(2*q)",
    ],
    "accurate": [f"c a beta: 0 <= c <= n; a >= 0; x := 2**M.k; (x/(x + 1))**a <= {{beta}} => {WITHIN}"],
    "monotone": ["c u v: 0 <= c <= n; 1 <= u <= v; v <= M.d => M.apply(c, u) <= M.apply(c, v)"],
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


def meaning(kind: str, cls: str) -> list[dict[str, Any]]:
    """The statements that a claim of some kind about a counting-query mechanism is, for all of its parameters.

    inverse: M(c, u) is the least output whose F is at least u, and F(c, -1) = 0, F(c, n) = d; so that for U uniform on 1..d,
    where the integers u in F(z-1) < u <= F(z) are F(z) - F(z-1) many, d Pr[M(c, U) = z] = F(c, z) - F(c, z-1).
    private: the ratio of these of neighbouring counts is at most 1 + 2^-k, and that is at most e^(1/(2q)).
    accurate: d Pr[|M(c, U) - c| > a] <= beta d for every integer a >= 0 with (1 + 2^-k)^-a <= beta (FastSample: beta - 1/g).
    monotone: M(c, u) <= M(c, v) for u <= v.
    geometric: GeoSample: d Pr[M(c, U) = z] is that of c + Z clamped to 0..n, Pr[Z = j] = (1-a)/(1+a) a^|j|, a = 1/(1 + 2^-k),
    whose tails are Pr[Z >= j] = Pr[Z <= -j] = a^j/(1+a). FastSample: the same with all mass of Z beyond +-t moved to 0, mixed
    with the uniform law on 0..n, whose share is 1/g.
    """
    need(cls in PARAMETERS, f"{cls} is not known")
    (places, law), (names, given) = LAW[cls], PARAMETERS[cls]
    lemma = "c z: 0 <= c <= n; 0 <= z <= n; x := 2**M.k; a := x/(x + 1); "
    table = MEANING | {"geometric": [f"{lemma}{where} => {law.format(mass)}" for where, mass in places.items()]}
    need(kind in table, f"a claim of the kind {kind!r} is not known")
    beta = "beta - 1/g" if cls == FAST else "beta"
    return [stated(text.replace("{beta}", beta), names, given) for text in table[kind]]


def stated(text: str, names: str = "", given: str = "", kind: str = "int") -> dict[str, Any]:
    """A statement, for more variables and under more hypotheses."""
    more, _, rest = text.partition(":")
    where, _, then = rest.strip().partition("=> ")
    parts = [part.strip().split(" := ") for part in f"{given}; {where}".split(";") if part.strip()]
    kinds = {name: "rat" if name == "beta" else kind for name in f"{names} {more}".split()}
    return {"for": kinds, "where": [{"let": part} if len(part) == 2 else part[0] for part in parts], "then": then.split("; ")}
