"""Re-checks proofs about the structure of code, for all parameters: python structure_checker.py FILE...

It imports the standard library only, and reads the source of the code that a proof speaks of beside it. A proof does not say
what it proves: it names a statement of STATEMENTS, and this file derives from the source, or from the lemma's hypotheses, the
inequalities that
the statement comes down to. What the proof gives is how each follows: goal = sum of coefficient * product of hypotheses,
where every
coefficient and every hypothesis is at least 0. That is decided by comparing polynomials with rational coefficients.

A histogram's code is executed for one label at a time, here called the label at hand, on every kind of dataset that matters:
without
rows of the label, with one, with any number. An expression that is not understood is refused. Loops over labels carry nothing
from
one label to the next, since no statement inside of them that could do so is accepted; each draw inside is one of the label's
own.
So the released tuple is made of independent cells, one for each label, which depend on the label's count alone; where a row is
replaced two cells change. Arrays are seen likewise, as families of one element for each label, and so is what aligns with
them.

Some functions are taken at their word, not executed; a proof records their sources too, so that a change is seen:
counts of labels (LabelCounts.dense), and the noise of a whole array (release_array, _padded: a draw of each element's own).

By a *counting mechanism that is private* is meant one with outputs in 0..n, whose probabilities of each
output at neighbouring counts are within the factor R, whose cdf(c, z) is d Pr[M(c) <= z], and whose draws are independent.
"""

import ast
import hashlib
import json
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction as Q
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "finitedp structure proof"
KEYS = {"format", "version", "statement", "code", "steps"}
MOST_BYTES, MOST_TERMS, MOST_FACTORS, MOST_DIGITS, MOST_DEPTH = 10**6, 300, 8, 60, 60


class Refused(ValueError):  # noqa: N818  # what a reader sees
    """What a proof does not show, or code that this checker does not understand."""


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise Refused(message)


# Polynomials with rational coefficients

Monomial = tuple[tuple[str, int], ...]


class Poly:
    """A polynomial in named variables."""

    def __init__(self, terms: Mapping[Monomial, Q] | None = None) -> None:
        self.terms = {m: c for m, c in (terms or {}).items() if c}

    def __add__(self, other: "Poly | int | Q") -> "Poly":
        terms = dict(self.terms)
        for m, c in poly(other).terms.items():
            terms[m] = terms.get(m, Q(0)) + c
        return Poly(terms)

    def __mul__(self, other: "Poly | int | Q") -> "Poly":
        terms: dict[Monomial, Q] = {}
        for (m, c), (n, d) in product(self.terms.items(), poly(other).terms.items()):
            powers = dict(m)
            for name, power in n:
                powers[name] = powers.get(name, 0) + power
            key = tuple(sorted(powers.items()))
            terms[key] = terms.get(key, Q(0)) + c * d
        return Poly(terms)

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: "Poly | int | Q") -> "Poly":
        return self + poly(other) * -1

    def __rsub__(self, other: "int | Q") -> "Poly":
        return poly(other) - self

    def __pow__(self, power: int) -> "Poly":
        result = poly(1)
        for _ in range(power):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly | int | Q) and poly(other).terms == self.terms

    def __repr__(self) -> str:
        return str(self)

    __hash__ = None  # type: ignore[assignment]  # compared, never a key

    def constant(self) -> Q | None:
        """Its value, if it is a constant."""
        return self.terms.get((), Q(0)) if set(self.terms) <= {()} else None

    def over(self, name: str) -> "Poly":
        """Itself divided by a variable that every term has."""
        terms: dict[Monomial, Q] = {}
        for m, c in self.terms.items():
            powers = dict(m)
            need(name in powers, f"a quotient by {name} is no polynomial")
            powers[name] -= 1
            terms[tuple(sorted((x, p) for x, p in powers.items() if p))] = c
        return Poly(terms)

    def variables(self) -> set[str]:
        """The names of its variables."""
        return {name for m in self.terms for name, _ in m}

    def at(self, point: Mapping[str, Q]) -> Q:
        """Its value at a point."""
        total = Q(0)
        for m, c in self.terms.items():
            for name, power in m:
                c = c * point[name] ** power  # noqa: PLW2901  # the term so far
            total += c
        return total

    def __str__(self) -> str:
        def one(m: Monomial, c: Q) -> str:
            factors = [x if p == 1 else f"{x}^{p}" for x, p in m]
            return "*".join(factors if c == 1 and factors else [str(c), *factors])

        return " + ".join(one(m, c) for m, c in sorted(self.terms.items())) or "0"


def poly(value: "Poly | int | Q") -> Poly:
    """A number as a polynomial."""
    return value if isinstance(value, Poly) else Poly({(): Q(value)})


def var(name: str) -> Poly:
    """A variable."""
    return Poly({((name, 1),): Q(1)})


class Obligation(NamedTuple):
    """goal >= 0 wherever every hypothesis is >= 0."""

    name: str
    hypotheses: dict[str, Poly]
    goal: Poly


def follows(obligation: Obligation, terms: Any) -> None:  # noqa: ANN401  # whatever the proof holds
    """Whether the goal is the sum of coefficient * product of hypotheses that the proof gives. Raises: Refused."""
    name = obligation.name
    need(type(terms) is list and len(terms) <= MOST_TERMS, f"{name}: no list of at most {MOST_TERMS} terms")
    total = poly(0)
    for term in terms:
        need(type(term) is list and len(term) == 2 and type(term[1]) is list, f"{name}: a term is no [coefficient, factors]")
        text, factors = term
        need(type(text) is str and len(text) <= MOST_DIGITS and set(text) <= set("/0123456789"), f"{name}: no coefficient")
        need(len(factors) <= MOST_FACTORS and not text.startswith("/") and not text.endswith("/"), f"{name}: too many factors")
        part = poly(Q(text))
        for factor in factors:
            need(type(factor) is str and factor in obligation.hypotheses, f"{name}: {str(factor)[:60]!r} is no hypothesis")
            part = part * obligation.hypotheses[factor]
        total = total + part
    need(total == obligation.goal, f"{name}: the terms do not add up to the goal {str(obligation.goal)[:200]}")


# Executing a method for the label at hand


class Mark(str):
    """A value of which only its identity is known: the label at hand, another label, coins, the mechanism, self, ..."""


LABEL, OTHER, COINS, SELF, MECHANISM, FOUND = map(
    Mark, ("the label", "another label", "coins", "self", "the mechanism", "the counts that were found")
)
PUBLIC, HIDDEN, NOISE = map(Mark, ("a public value", "a value that depends on the data", "noise for each element of an array"))


class Rows(NamedTuple):
    """A dataset, with so many rows of the label at hand."""

    at: Poly


class Numbered(NamedTuple):
    """The rows, each with its number."""

    rows: Rows


class Family(NamedTuple):
    """A collection of at most one item for each label, seen from the label at hand.

    keyed: whether it is a mapping from labels. here: whether the label at hand has an item, or is a key. item: that item, or
    the key's
    value. tests: further conditions on the item, on draws. order: public, sorted (by label) or data. axis: of an array or
    list, what it is aligned with: two of one axis have the label's items at one place.
    """

    keyed: bool
    here: bool
    item: Any
    order: str
    tests: tuple[Any, ...] = ()
    axis: str = ""


class Position(NamedTuple):
    """The place of the label's item in what has this axis."""

    axis: str


class Length(NamedTuple):
    """How many items a family has."""

    of: Family


class Items(NamedTuple):
    """The function from a place to a family's item there."""

    of: Family


class Mask(NamedTuple):
    """Of an array, which items pass a test."""

    test: Any
    axis: str


class Released(NamedTuple):
    """What is released, a number for each label, and what is claimed of it."""

    bins: Family
    claim: Any


class Draw(NamedTuple):
    """The output of the mechanism at a count; own: a draw of this label alone."""

    at: Poly
    own: bool
    number: int


class Test(NamedTuple):
    """Whether a draw is above a bound."""

    draw: Draw
    bound: Poly


class Claim(NamedTuple):
    """epsilon and delta, and the ratio, or None; least: what delta is at most, each of them."""

    epsilon: Any
    delta: Any
    ratio: Any
    neighbours: Any = None


class Least(NamedTuple):
    """The least of several numbers."""

    parts: tuple[Poly, ...]


class Returned(Exception):  # noqa: N818  # no error
    """Carries what a method returns."""


class Raises(Exception):  # noqa: N818  # no error of this checker
    """The code refuses the input."""


class Run:
    """One execution of a method of a class for the label at hand.

    listed: whether the label is one of `self.labels`. ratio: what the mechanism's claim says of its ratio: R, or None.
    """

    def __init__(self, code: "Code", listed: bool, ratio: Poly | None) -> None:
        self.code, self.listed, self.ratio = code, listed, ratio
        self.found = Family(True, False, None, "data")
        self.own, self.draws, self.depth = False, 0, 0

    def call(self, name: str, *arguments: Any) -> Any:  # noqa: ANN401  # abstract values
        """What a method returns."""
        need(name in self.code.methods, f"there is no method {name}")
        return self.apply(self.code.methods[name], [SELF, *arguments])

    def apply(self, function: ast.FunctionDef, arguments: list[Any]) -> Any:  # noqa: ANN401
        """What a function returns."""
        self.depth += 1
        need(self.depth < MOST_DEPTH, "calls are nested too deeply")
        known = self.bound(function, arguments)
        try:
            self.block(function.body, known)
        except Returned as returned:
            return returned.args[0]
        finally:
            self.depth -= 1
        return None

    def bound(self, method: ast.FunctionDef, arguments: list[Any]) -> dict[str, Any]:
        """The parameters of a function with their values."""
        names, plain = [a.arg for a in method.args.args], method.args
        need(not (plain.vararg or plain.kwarg or plain.kwonlyargs or plain.posonlyargs), f"{method.name}: unusual parameters")
        need(not [d for d in method.decorator_list if not (isinstance(d, ast.Name) and d.id == "property")], "a decorator")
        given = [*arguments]
        for default in plain.defaults[len(plain.defaults) - (len(names) - len(given)) :] if len(given) < len(names) else []:
            given.append(self.value(default, {}))
        need(len(names) == len(given), f"{method.name}: another number of arguments")
        return dict(zip(names, given, strict=True))

    # statements

    def block(self, body: list[ast.stmt], known: dict[str, Any]) -> None:
        """Execute statements."""
        for statement in body:
            self.statement(statement, known)

    def statement(self, node: ast.stmt, known: dict[str, Any]) -> None:
        """Execute one statement."""
        if isinstance(node, ast.Expr):
            self.value(node.value, known)
        elif isinstance(node, ast.Return):
            raise Returned(None if node.value is None else self.value(node.value, known))
        elif isinstance(node, ast.Raise):
            raise Raises
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node.targets[0], self.value(node.value, known), known)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, known), known)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Subscript):
            self.add(node.target, self.value(node.value, known), known)
        elif isinstance(node, ast.If):
            self.branch(node, known)
        elif isinstance(node, ast.Assert):
            kind = isinstance(node.test, ast.Call) and ast.unparse(node.test.func) == "isinstance"
            need(kind, f"line {node.lineno}: an assertion about more than a kind of object")
        elif isinstance(node, ast.For) and not node.orelse:
            self.loop(node, known)
        elif isinstance(node, ast.Try) and not node.orelse and not node.finalbody:
            need(all(all(isinstance(s, ast.Raise) for s in h.body) for h in node.handlers), "a handler does more than raise")
            self.block(node.body, known)
        else:
            raise Refused(f"line {node.lineno}: a statement that the checker does not know")

    def assign(self, target: ast.expr, value: Any, known: dict[str, Any]) -> None:  # noqa: ANN401
        """Give a value to a name, or the parts of one to several."""
        if isinstance(target, ast.Tuple) and isinstance(value, tuple) and type(value) is tuple:
            need(len(target.elts) == len(value), "a tuple of another length")
            for part, x in zip(target.elts, value, strict=True):
                self.assign(part, x, known)
        else:
            need(isinstance(target, ast.Name), "a target that is no name")
            known[target.id] = value  # type: ignore[attr-defined]  # a name

    def add(self, target: ast.Subscript, step: Any, known: dict[str, Any]) -> None:  # noqa: ANN401
        """Add to the value of a key: that of the label at hand, or of another one, which changes nothing here."""
        need(isinstance(target.value, ast.Name) and isinstance(step, Poly), "something else than a number is added")
        name, key = target.value.id, self.value(target.slice, known)  # type: ignore[attr-defined]  # a name
        of: Any = known.get(name)
        need(
            isinstance(of, Family) and of.keyed and key in (LABEL, OTHER),
            "something else than a mapping from labels is added to",
        )
        if key == LABEL:
            known[name] = of._replace(item=self.looked_up(of, key) + step)

    def branch(self, node: ast.If, known: dict[str, Any]) -> None:
        """A condition that is known; or one that is not, both sides of which must leave the same behind, or raise."""
        test = self.value(node.test, known)
        condition = self.truth(test)
        if condition is not None:
            self.block(node.body if condition else node.orelse, known)
            return
        found = []
        for side in (node.body, node.orelse):
            copy = dict(known)
            try:
                self.block(side, copy)
            except Raises:
                continue
            except Returned:
                raise Refused(f"line {node.lineno}: whether it returns depends on more than the label's count") from None
            stores = any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) for part in side for n in ast.walk(part))
            need(test == PUBLIC or not stores, f"line {node.lineno}: a value depends on what is not known")
            found.append(copy)
        need(found != [], "the input is refused on every path")
        need(
            all(copy == found[0] for copy in found), f"line {node.lineno}: what follows depends on more than the label's count"
        )
        known.update(found[0])

    def loop(self, node: ast.For, known: dict[str, Any]) -> None:
        """A loop over labels, or over something that shows nothing of them: it may only draw, or raise."""
        over = self.value(node.iter, known)
        if isinstance(over, Rows | Numbered):
            self.fold(node, over, known)
            return
        need(isinstance(over, Family) or over in (PUBLIC, HIDDEN), f"line {node.lineno}: a loop over something else")
        if isinstance(over, Family):
            need(over.tests == (), "a loop over what depends on draws")
            rounds = [LABEL if over.keyed else over.item] if over.here else []
        else:
            rounds = [over]
        before = dict(known)
        for item in rounds:
            inner = dict(known)
            self.assign(node.target, item, inner)
            own, self.own = self.own, isinstance(over, Family)
            self.block(node.body, inner)
            self.own = own
            target = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            need(
                {x: v for x, v in inner.items() if x not in target} == before,
                f"line {node.lineno}: a loop carries something on",
            )

    def fold(self, node: ast.For, over: Rows | Numbered, known: dict[str, Any]) -> None:
        """A loop over rows: what a row of the label, and one of another, does to a mapping of counts, at any count so far."""
        rows, steps = (over.rows, True) if isinstance(over, Numbered) else (over, False)
        changed = [x for x, v in known.items() if isinstance(v, Family) and v.keyed and type(v.item) is Poly]
        need(len(changed) == 1, "a loop over rows that does not count them")
        name = changed[0]
        start = known[name]
        for label, step in ((LABEL, 1 if start.here else 0), (OTHER, 0)):
            inner = {**known, name: start._replace(item=var("so far"))}
            self.assign(node.target, (PUBLIC, label) if steps else label, inner)
            own, self.own = self.own, False
            self.block(node.body, inner)
            self.own = own
            need(inner[name] == start._replace(item=var("so far") + step), f"line {node.lineno}: a row does not count as one")
            target = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            others = {x: v for x, v in inner.items() if x not in target | {name}}
            need(
                others == {x: v for x, v in known.items() if x != name},
                f"line {node.lineno}: a loop over rows carries more on",
            )
        known[name] = start._replace(item=start.item + rows.at)

    # expressions

    def truth(self, value: Any) -> bool | None:  # noqa: ANN401
        """Whether it counts as true, or None where that is not known."""
        if value is None or type(value) is bool:
            return bool(value)
        if isinstance(value, Poly):
            constant = value.constant()
            if constant is not None:
                return constant != 0
            need(value == var("c"), "whether a number is 0 is not known")
            return True  # c stands for counts of at least 1
        need(value in (PUBLIC, HIDDEN), "a condition on a draw decides more than whether a count is listed")
        return None

    def value(self, node: ast.expr, known: dict[str, Any]) -> Any:  # noqa: ANN401, PLR0911, PLR0912  # one line a kind
        """The value of an expression."""
        if isinstance(node, ast.Constant):
            return poly(node.value) if type(node.value) is int else node.value
        if isinstance(node, ast.Name):
            if node.id not in known and (node.id in (*NOISES, "DyadicSample") or node.id.isupper()):
                return NOISE if node.id in NOISES else PUBLIC  # a constant, or a class
            need(node.id in known, f"line {node.lineno}: the name {node.id} is not known")
            return known[node.id]
        if isinstance(node, ast.Tuple):
            return tuple(self.value(x, known) for x in node.elts)
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value, known), node.attr)
        if isinstance(node, ast.Call):
            return self.called(node, known)
        if isinstance(node, ast.Subscript):
            return self.looked_up(self.value(node.value, known), self.value(node.slice, known))
        if isinstance(node, ast.BinOp):
            return self.arithmetic(node, self.value(node.left, known), self.value(node.right, known))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compared(node.ops[0], self.value(node.left, known), self.value(node.comparators[0], known))
        if isinstance(node, ast.BoolOp):
            return self.either(node, known)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            truth = self.truth(self.value(node.operand, known))
            return HIDDEN if truth is None else not truth
        if isinstance(node, ast.IfExp):
            return self.choice(node, known)
        if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.DictComp):
            return self.comprehension(node, known)
        if isinstance(node, ast.JoinedStr):
            return HIDDEN  # of a message
        raise Refused(f"line {node.lineno}: an expression that the checker does not know")

    def choice(self, node: ast.IfExp, known: dict[str, Any]) -> Any:  # noqa: ANN401
        """A conditional expression: where the condition is public, both values must be."""
        test = self.value(node.test, known)
        truth = self.truth(test)
        if truth is not None:
            return self.value(node.body if truth else node.orelse, known)
        both = self.value(node.body, known), self.value(node.orelse, known)
        if both[0] == both[1] and (isinstance(both[0], Poly) or both[0] == NOISE):  # two public values may differ
            return both[0]
        need(test == PUBLIC and all(map(is_public, both)), f"line {node.lineno}: an expression depends on what is not known")
        return PUBLIC

    def attribute(self, of: Any, name: str) -> Any:  # noqa: ANN401, PLR0911
        """An attribute of a value."""
        if of == FOUND:
            need(name in ("labels", "counts"), f"{name} of the counts is not known")
            return self.found._replace(keyed=False, item=LABEL if name == "labels" else self.found.item, axis="found")
        if isinstance(of, Family):
            need(name in ("ndim", "__getitem__"), f"the attribute {name} of a family is not known")
            return Items(of) if name == "__getitem__" else PUBLIC
        if of == PUBLIC:
            return PUBLIC
        if of == SELF:
            if name == "mechanism":
                return MECHANISM
            if name == "labels":
                return Family(False, self.listed, LABEL, "public", (), "labels")
            return var(name) if name == "b" else PUBLIC
        if of == MECHANISM:
            if name == "epsilon":
                body = self.code.functions["claim"].body
                plain = len(body) <= 2 and all(
                    isinstance(x, ast.Expr) and isinstance(x.value, ast.Constant) for x in body[:-1]
                )
                says = ast.unparse(body[-1])
                half = says.startswith("return PrivacyClaim(mpq(self.epsilon, 2), 'counts', ratio=")
                need(plain and half, "the mechanism claims another epsilon than half")
                return var("epsilon of the mechanism") * 2
            need(name in ("n", "d"), f"the counting claim says nothing of .{name}")
            return var(name)
        if isinstance(of, Claim) and name in Claim._fields:
            return getattr(of, name)
        raise Refused(f"the attribute {name} of {of} is not known")

    def arithmetic(self, node: ast.BinOp, x: Any, y: Any) -> Any:  # noqa: ANN401
        """A sum, difference, product or power of numbers."""
        if any(z == HIDDEN or isinstance(z, Length) for z in (x, y)):
            return HIDDEN
        need(isinstance(x, Poly) and isinstance(y, Poly), f"line {node.lineno}: arithmetic with what is no number")
        if isinstance(node.op, ast.Pow):
            power = y.constant()
            need(power is not None and power.denominator == 1 and 0 <= power <= 9, "a power that is no small number")
            return x ** int(power)
        made: dict[type, Callable[[], Poly]] = {ast.Add: lambda: x + y, ast.Sub: lambda: x - y, ast.Mult: lambda: x * y}
        need(type(node.op) in made, f"line {node.lineno}: arithmetic that the checker does not know")
        return made[type(node.op)]()

    def compared(self, op: ast.cmpop, x: Any, y: Any) -> Any:  # noqa: ANN401, PLR0911
        """A comparison: known, a test of a draw, or not known."""
        if isinstance(op, ast.Is | ast.IsNot):
            need(y is None, "identity with something else than None")
            same = HIDDEN if x == PUBLIC else x is None
            return same if same == HIDDEN else same == isinstance(op, ast.Is)
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(y, Family) and (y.keyed or y.item == LABEL) and x == LABEL and y.tests == ():
                return y.here == isinstance(op, ast.In)
            need(x in (LABEL, OTHER), "a search for something else than a label")
            return HIDDEN
        if isinstance(x, Family) and x.axis and not x.here and is_public(y):
            return Mask(None, x.axis)
        if isinstance(x, Family) and x.axis and isinstance(x.item, Draw):
            test = self.compared(op, x.item, y)
            need(isinstance(test, Test), "an array of draws is compared with something else than a public number")
            return Mask(test, x.axis)
        if isinstance(x, Draw) and isinstance(y, Poly) and y.variables() <= {"b", "n"}:
            need(isinstance(op, ast.Gt | ast.GtE), "a draw is compared in another way than > and >=")
            return Test(x, y if isinstance(op, ast.Gt) else y - 1)
        if isinstance(op, ast.Eq) and isinstance(x, Poly) and x == y:
            return True
        need(not isinstance(x, Draw | tuple) and not isinstance(y, Draw | tuple), "a comparison of draws")
        return HIDDEN

    def either(self, node: ast.BoolOp, known: dict[str, Any]) -> Any:  # noqa: ANN401
        """Whether any, or all, of several conditions hold."""
        decides, unsure = isinstance(node.op, ast.Or), False
        for part in node.values:
            truth = self.truth(self.value(part, known))
            if truth is decides:
                return decides if not unsure else HIDDEN
            unsure = unsure or truth is None
        return HIDDEN if unsure else not decides

    def looked_up(self, of: Any, key: Any) -> Any:  # noqa: ANN401
        """A mapping's value, or what an array has at a place, at places, or where a mask says so."""
        if isinstance(of, Family) and of.axis and isinstance(key, Mask):
            need(key.axis == of.axis and (key.test is None) != of.here, "a mask of another array")
            return of._replace(tests=(*of.tests, key.test) if of.here else (), axis=f"kept of {of.axis}")
        if isinstance(of, Family) and of.axis and isinstance(key, Family):
            need(not key.here or key.item == Position(of.axis), "places in another array")
            return key._replace(item=of.item)
        if isinstance(of, Family) and of.axis and isinstance(key, Position):
            need(key.axis == of.axis and of.here, "a place in another array")
            return of.item
        need(isinstance(of, Family) and of.keyed and key == LABEL and of.here, "a look-up of another label, or of none")
        return of.item

    def comprehension(self, node: Any, known: dict[str, Any]) -> Any:  # noqa: ANN401
        """A list, generator or mapping made label by label."""
        need(len(node.generators) == 1 and not node.generators[0].is_async, "a comprehension of several loops")
        loop = node.generators[0]
        over = self.value(loop.iter, known)
        need(isinstance(over, Family), f"line {node.lineno}: a comprehension over something else than labels")
        keyed = isinstance(node, ast.DictComp)
        axis = over.axis if not loop.ifs else ""
        if not over.here:
            return Family(keyed, False, None, over.order, (), axis)
        inner, tests = dict(known), over.tests
        self.assign(loop.target, LABEL if over.keyed else over.item, inner)
        own, self.own = self.own, True
        for condition in loop.ifs:
            found = self.value(condition, inner)
            if isinstance(found, Test):
                tests = (*tests, found)
                continue
            truth = self.truth(found)
            need(truth is not None, f"line {node.lineno}: what is listed depends on more than the label's count")
            if not truth:
                self.own = own
                return Family(keyed, False, None, over.order)
        item = self.value(node.value if keyed else node.elt, inner)
        need(not keyed or self.value(node.key, inner) == LABEL, "a mapping whose keys are not the labels")
        self.own = own
        return Family(keyed, True, item, over.order, tests, axis)

    def called(self, node: ast.Call, known: dict[str, Any]) -> Any:  # noqa: ANN401, PLR0911
        """What a call gives."""
        given = [self.value(x, known) for x in node.args]
        named = {k.arg: self.value(k.value, known) for k in node.keywords}
        if isinstance(node.func, ast.Name):
            need(known.get(node.func.id, NOISE) == NOISE, f"line {node.lineno}: {node.func.id} is another one here")
            if node.func.id in NOISES or known.get(node.func.id) == NOISE:
                return self.noisy(given)
            return self.function(node.func.id, given, named)
        need(isinstance(node.func, ast.Attribute), f"line {node.lineno}: a call of something else than a name")
        func: Any = node.func  # an attribute
        name, root = func.attr, func.value.id if isinstance(func.value, ast.Name) else ""
        if (root, name) == ("dict", "fromkeys"):
            need(named == {} and len(given) in (1, 2) and isinstance(given[0], Family) and not given[0].keyed, "another dict")
            return Family(True, given[0].here, given[1] if len(given) == 2 else None, given[0].order)
        if (root, name) == ("np", "flatnonzero"):
            return self.nonzero(given)
        of = self.value(func.value, known)
        need(named == {}, f"line {node.lineno}: a call with names")
        if of == SELF:
            return PUBLIC if name == "accuracy" and all(map(is_public, given)) else self.call(name, *given)
        if of == FOUND:
            need(
                name == "dense" and given[0] == self.attribute(SELF, "labels"),
                "something else is asked of the counts that were found",
            )
            return Family(False, self.listed, self.found.item if self.found.here else poly(0), "public", (), "labels")
        if isinstance(of, Family) and of.axis and name == "tolist" and given == []:
            return of
        if of == MECHANISM:
            return self.asked(name, given)
        need(isinstance(of, Family) and of.keyed and of.tests == (), f"the method {name} of {str(of)[:60]} is not known")
        if name == "get" and len(given) == 2 and given[0] == LABEL:
            return of.item if of.here else given[1]
        need(name in ("items", "values") and given == [], f"the method {name} is not known")
        return Family(False, of.here, (LABEL, of.item) if name == "items" else of.item, of.order)

    def asked(self, name: str, given: list[Any]) -> Any:  # noqa: ANN401
        """A method of the mechanism: what the counting claim says of it."""
        if name == "release":
            need(
                len(given) == 2 and isinstance(given[0], Poly) and given[1] == COINS,
                "a release of something else than a count",
            )
            self.draws += 1
            return Draw(given[0], self.own, self.draws)
        if name == "cdf":
            need(len(given) == 2 and all(isinstance(x, Poly) for x in given), "cdf of something else than numbers")
            return var("d") * at_most(given[0], given[1])
        need(name == "claim" and given in ([], [None]), f"the counting claim says nothing of {name}")
        return Claim(var("epsilon of the mechanism"), poly(0), self.ratio)

    def noisy(self, given: list[Any]) -> Family:
        """Noise for each element of an array of counts."""
        need(len(given) == 3 and given[0] == MECHANISM and given[2] == PUBLIC and isinstance(given[1], Family), "other noise")
        counts: Family = given[1]
        need(counts.axis != "" and counts.tests == (), "noise for what is no array of counts")
        if not counts.here:
            return counts
        need(isinstance(counts.item, Poly), "noise for what is no count")
        self.draws += 1
        return counts._replace(item=Draw(counts.item, True, self.draws))

    def nonzero(self, given: list[Any]) -> Family:
        """The places of an array's elements that are not 0."""
        need(
            len(given) == 1 and isinstance(given[0], Family) and given[0].axis != "" and given[0].tests == (),
            "places of no array",
        )
        counts: Family = given[0]
        here = counts.here and self.truth(counts.item)
        need(here is not None, "whether a number is 0 is not known")
        return counts._replace(here=bool(here), item=Position(counts.axis), axis=f"nonzero of {counts.axis}")

    def function(self, name: str, given: list[Any], named: dict[str | None, Any]) -> Any:  # noqa: ANN401, PLR0911, PLR0912
        """A function that the checker knows by name; its module must not define another one of that name."""
        if name == "PrivacyClaim":
            fields: dict[Any, Any] = (
                dict(zip(("epsilon", "neighbours", "delta", "ratio", "source"), given, strict=False)) | named
            )
            need(is_public(fields.get("source")), "the claim shows something that depends on the data")
            return Claim(fields["epsilon"], fields.get("delta", poly(0)), fields.get("ratio"), fields.get("neighbours"))
        if name == "enumerate" and len(given) == 1 and isinstance(given[0], Rows):
            return Numbered(given[0])
        if name == "evolve" and set(named) == {"source"} and len(given) == 1 and isinstance(given[0], Claim):
            need(is_public(named["source"]), "the claim shows something that depends on the data")
            return given[0]
        if name == "sorted" and set(named) == {"key"} and len(given) == 1 and isinstance(given[0], Family):
            places, key = given[0], named["key"]
            need(
                isinstance(key, Items) and key.of.axis == places.axis and key.of.item in (LABEL, None),
                "sorted by something else",
            )
            need(not places.here or places.item == Position(places.axis), "what is sorted is not the places of all items")
            return places._replace(order="sorted", axis=f"sorted {places.axis}")
        need(named == {}, f"a call of {name} with names")
        if name == "NoisyHistogram":
            return self.released(given)
        if name in ("threshold_accuracy", "isinstance"):
            need(all(map(is_public, given)), f"{name} of something that depends on the data")
            return PUBLIC
        if name in self.code.functions and name != "claim":
            return self.apply(self.code.functions[name], given)
        if name == "checked_counts" and len(given) == 2 and given[0] == MECHANISM and isinstance(given[1], Family):
            return given[1]
        if name == "total":
            need(not any(map(drawn, given)), "a total of draws")
            return HIDDEN
        if name == "range" and len(given) == 1 and isinstance(given[0], Length) and given[0].of.axis:
            of = given[0].of
            return of._replace(keyed=False, item=Position(of.axis))
        if name == "Counter" and len(given) == 1 and isinstance(given[0], Rows):
            return Family(True, given[0].at != 0, given[0].at, "data")
        if name == "mpq" and all(isinstance(x, Poly) for x in given) and len(given) in (1, 2):
            if len(given) == 1 or given[1].constant() == 1:
                return given[0]
            need(given[1] == var("d"), "a quotient by something else than d")
            return given[0].over("d")
        if name == "min" and all(isinstance(x, Poly) for x in given):
            return Least(tuple(given))
        if len(given) == 1 and isinstance(given[0], Family):
            family = given[0]
            if name == "sorted":
                need(family.tests == () and (family.keyed or family.item == LABEL), "what is sorted is not the labels")
                return Family(False, family.here, LABEL, "sorted")
            if name == "tuple":
                need(not family.keyed, "a tuple of a mapping")
                return family
            if name == "len":
                return PUBLIC if family == self.attribute(SELF, "labels") else Length(family)
            if name == "sum":
                need(not drawn(family), "a sum of draws")
                return HIDDEN
        if name == "range" and len(given) == 1:
            return HIDDEN
        raise Refused(f"the function {name} is not known, or not with such arguments")

    def released(self, given: list[Any]) -> Released:
        """The record that is released: labels and numbers that are aligned, a claim, and what depends on no data."""
        need(len(given) >= 3 and all(isinstance(x, Family) and x.axis for x in given[:2]), "a record of something else")
        labels, numbers, claim, *others = given
        need(labels._replace(item=None) == numbers._replace(item=None), "labels and numbers are not aligned")
        need(all(map(is_public, others)), "the record shows something else that depends on the data")
        return Released(labels._replace(item=(labels.item, numbers.item)), claim)


NOISES = ("release_array", "_padded")  # taken at their word


def is_public(value: Any) -> bool:  # noqa: ANN401  # abstract
    """Whether a value depends on no data."""
    if isinstance(value, Poly):
        return value.variables() <= {"b", "n", "d", "delta asked for", "epsilon of the mechanism"}
    return value is None or type(value) in (bool, str) or (isinstance(value, Mark) and value in (PUBLIC, MECHANISM, SELF))


def drawn(value: Any) -> bool:  # noqa: ANN401  # abstract
    """Whether a value depends on draws."""
    return isinstance(value, Draw | Test) or (isinstance(value, tuple) and any(map(drawn, value)))


def at_most(count: Poly, z: Poly) -> Poly:
    """Pr[M(count) <= z] as a variable."""
    return var(f"F({count}; {z})")


# What a histogram's code comes down to


class Cell(NamedTuple):
    """What a label shows: a draw at a count, where it is above `bound` if that is not None."""

    at: Poly
    bound: Poly | None


def cell_of(released: Any) -> Cell | None:  # noqa: ANN401  # what a method returned
    """What is released of the label at hand; None where nothing is."""
    need(isinstance(released, Family) and not released.keyed, "what is released is no tuple of one item for a label")
    need(released.order in ("public", "sorted"), "the order of what is released depends on the order of the rows")
    if not released.here:
        return None
    item = released.item
    need(type(item) is tuple and len(item) == 2 and item[0] == LABEL, "an item is not a label with a number")
    need(isinstance(item[1], Draw), "the number of a label is not a draw of the mechanism")
    need(item[1].own, "one draw serves several labels")
    need(len(released.tests) <= 1, "several conditions on the draw")
    need(all(test.draw == item[1] for test in released.tests), "a condition on another draw than the one that is released")
    return Cell(item[1].at, released.tests[0].bound if released.tests else None)


def shown(cell: Cell) -> Poly:
    """The probability that a label shows."""
    return poly(1) if cell.bound is None else 1 - at_most(cell.at, cell.bound)


class Change(NamedTuple):
    """How a label's cell changes where its count does: same, near (by one neighbouring count), gone, new."""

    kind: str
    shows: Poly
    words: str


def change(before: Cell | None, after: Cell | None, words: str) -> Change:
    """How a cell changes."""
    if before is None and after is None:
        return Change("same", poly(0), words)
    if before is None or after is None:
        return Change("gone" if before else "new", shown(before or after), words)  # type: ignore[arg-type]  # one is a Cell
    need((before.bound is None) == (after.bound is None) and before.bound == after.bound, f"{words}: another threshold")
    step = (before.at - after.at).constant()
    need(step in (0, 1, -1), f"{words}: the counts that are drawn at are no neighbours")
    return Change("near" if step else "same", poly(0), words)


def zero_or_more(*names: str) -> dict[str, Poly]:
    """Variables that are at least 0."""
    return {f"{name} >= 0": var(name) for name in names}


def near(p: str, q: str) -> dict[str, Poly]:
    """Two numbers that are within the factor R of each other, and at least 0."""
    a, b, r = var(p), var(q), var("R")
    return {**zero_or_more(p, q), f"{p} <= R {q}": r * b - a, f"{q} <= R {p}": r * a - b}


def sides(x: Change, y: Change) -> tuple[dict[str, Poly], Poly, Poly]:
    """Hypotheses, and what an event has before and after, where two cells change and all others are the same.

    An event is cut into parts, by which of the two labels show that cannot show in the other dataset. A part in which one
    does is
    an unknown mass of at most what its probability allows, against nothing; the part in which none does has the other cell's
    masses, before and after, with that cell's factor; where no cell is near, both datasets have the same output there, and
    the part has its probability or nothing.
    """
    hypotheses: dict[str, Poly] = {"R >= 1": var("R") - 1}
    one, before, after = poly(1), poly(0), poly(0)
    parts: list[list[tuple[str, Poly, Poly]]] = []
    for cell in (x, y):
        hidden = one - cell.shows
        gone, new = (
            [("shown", cell.shows, poly(0)), ("hidden", hidden, one)],
            [("shown", poly(0), cell.shows), ("hidden", one, hidden)],
        )
        parts.append({"gone": gone, "new": new}.get(cell.kind, [("any", one, one)]))
        for name in sorted(cell.shows.variables()):
            hypotheses |= {f"{name} >= 0": var(name), f"{name} <= 1": 1 - var(name)}
    for i, ((a, a_before, a_after), (b, b_before, b_after)) in enumerate(product(*parts)):
        had, has = a_before * b_before, a_after * b_after
        if "shown" in (a, b):
            for which, mass in (("before", had), ("after", has)):
                if mass != 0:
                    name = f"part {i} {which}"
                    hypotheses |= {f"{name} >= 0": var(name), f"{name} is at most what shows": mass - var(name)}
                    before, after = (before + var(name), after) if which == "before" else (before, after + var(name))
            continue
        p, q = f"part {i} before", f"part {i} after"
        if "near" in (x.kind, y.kind):
            hypotheses |= near(p, q) | {f"{p} <= 1": 1 - var(p), f"{q} <= 1": 1 - var(q)}
        else:
            q = p
            hypotheses |= {f"{p} >= 0": var(p), f"{p} <= 1": 1 - var(p)}
        before, after = before + had * var(p), after + has * var(q)
    return hypotheses, before, after


def both_near() -> tuple[dict[str, Poly], Poly, Poly]:
    """The same where both cells change to a neighbouring count: masses of one pair of outputs, of which events are sums."""
    names = ("x before", "x after", "y before", "y after")
    hypotheses = {"R >= 1": var("R") - 1} | near(*names[:2]) | near(*names[2:])
    return hypotheses, var(names[0]) * var(names[2]), var(names[1]) * var(names[3])


class Code(NamedTuple):
    """The methods of a class, by name, and functions of modules, by their last names."""

    methods: Mapping[str, ast.FunctionDef]
    functions: Mapping[str, ast.FunctionDef]


class Subject(NamedTuple):
    """What is private: what a label shows, by its count and whether it is listed and given; claims; hypotheses on these."""

    shows: Callable[[Poly, bool, bool], Cell | None]
    claims: list[tuple[str, Claim]]
    given: dict[str, Poly]


def claim_in(words: str, claim: Any) -> tuple[str, Claim]:  # noqa: ANN401
    """A claim for datasets that differ in one row."""
    need(isinstance(claim, Claim) and isinstance(claim.epsilon, Poly), "what is claimed is not known")
    need(claim.neighbours == "replace-one", "the claim is for other neighbours than replace-one")
    return words, claim


def by_rows(code: Code) -> Iterator[Obligation]:
    """A class with `release`, of rows, with `release_counts`, of counts, and with `claim`: what it claims on exact coins."""

    def shows(count: Poly, listed: bool, given: bool) -> Cell | None:
        run = Run(code, listed, var("R"))
        if count == 0 and given:
            return cell_of(run.call("release_counts", Family(True, True, poly(0), "data"), COINS))
        if count == 0:
            other = Run(code, listed, var("R")).call("release_counts", Family(True, False, None, "data"), COINS)
            need(cell_of(other) == cell_of(run.call("release", Rows(poly(0)), COINS)), "counts and rows differ")
            return cell_of(other)
        return cell_of(run.call("release", Rows(count), COINS))

    with_ratio, without = (Run(code, True, ratio).call("claim", None) for ratio in (var("R"), None))
    claims = [claim_in("a ratio is known", with_ratio), claim_in("no ratio is known", without)]
    return private(Subject(shows, claims, {}))


def by_arrays(name: str, *more: Any) -> Callable[[Code], Iterator[Obligation]]:  # noqa: ANN401
    """A function that releases an array of counts, and what it returns as its claim; `more` are its further arguments."""

    def derive(code: Code) -> Iterator[Obligation]:
        def released(count: Poly, listed: bool, given: bool, ratio: Poly | None) -> Any:  # noqa: ANN401
            run = Run(code, listed, ratio)
            known = listed and (given or count != 0)
            run.found = Family(True, known, count if known else None, "data")
            return run.apply(code.functions[name], [*more])

        def shows(count: Poly, listed: bool, given: bool) -> Cell | None:
            return cell_of(released(count, listed, given, var("R")).bins)

        ratios = {"a ratio is known": var("R"), "no ratio is known": None}
        claims = [claim_in(words, released(poly(0), True, True, ratio).claim) for words, ratio in ratios.items()]
        return private(
            Subject(shows, claims, {"delta >= Pr[M(1) > b]": var("delta asked for") - 1 + at_most(poly(1), var("b"))})
        )

    return derive


def allowed(claim: Claim) -> list[tuple[Poly, Poly]]:
    """The factor and delta that each part of a claim allows; R stands for the mechanism's ratio, or for e^epsilon of it."""
    times = [k for k in range(1, 7) if claim.epsilon == var("epsilon of the mechanism") * k]
    need(len(times) == 1, f"epsilon is {claim.epsilon}, no multiple of the mechanism's")
    deltas = claim.delta.parts if isinstance(claim.delta, Least) else (claim.delta,)
    need(all(isinstance(delta, Poly) for delta in deltas), "delta is no number that is known")
    found = [(var("R") ** times[0], delta) for delta in deltas]
    if claim.ratio is not None:
        need(isinstance(claim.ratio, Poly) and claim.ratio.variables() <= {"R"}, "the ratio is no number that is known")
        found += [(claim.ratio, delta) for delta in deltas]
    return found


def replaced(subject: Subject, listed: bool) -> list[tuple[str, Change]]:
    """How the cell of a label changes that loses a row."""
    none, one, many = (subject.shows(count, listed, False) for count in (poly(0), poly(1), var("c")))
    need(subject.shows(poly(0), listed, listed) == none, "a count of 0 that is given differs from one that is not")
    more = None
    if many is not None:
        need(many.at == var("c"), "a label's draw is not at its true count")
        more = many._replace(at=var("c") + 1)
    last = change(one, none, "the last row of a label")
    return [("its only row", last), ("one of its rows", change(more, many, "a row of a label"))]


def back(given: Change) -> Change:
    """The same change, backwards."""
    return given._replace(kind={"gone": "new", "new": "gone"}.get(given.kind, given.kind))


WHERE = {True: "listed", False: "not listed"}


def private(subject: Subject) -> Iterator[Obligation]:
    """That a histogram is as private as it claims, for datasets that differ in one row, over every such mechanism."""
    seen = set[tuple[str, str]]()
    changes = {True: replaced(subject, listed=True), False: replaced(subject, listed=False)}
    for (a, b), (i, j) in product(product((True, False), repeat=2), product(range(2), repeat=2)):
        (loses, x), (gains, y) = changes[a][i], changes[b][j]
        y = back(y)
        pointwise = (x.kind, y.kind) == ("near", "near")
        hypotheses, before, after = both_near() if pointwise else sides(x, y)
        for words, claim in subject.claims:
            for k, (ratio, delta) in enumerate(allowed(claim)):
                for direction, (p, q) in {"forth": (before, after), "back": (after, before)}.items():
                    where = f"{WHERE[a]} label loses {loses}, {WHERE[b]} one gains it as {gains}"
                    extra = {
                        f"{n} {s}": h for n in sorted(delta.variables()) for s, h in ((">= 0", var(n)), ("<= 1", 1 - var(n)))
                    }
                    extra |= subject.given if set(subject.given) and delta.variables() else {}
                    spare = poly(0) if pointwise else delta  # what is allowed once cannot be spent at every output
                    goal = ratio * q + spare - p
                    known = str(goal), str(sorted((hypotheses | extra).items(), key=str))
                    if known not in seen:
                        seen.add(known)
                        yield Obligation(f"{where}; {words}, part {k}, {direction}", hypotheses | extra, goal)


BASIC, STABILITY = "finitedp.impl.histograms.basic.BasicHistogram", "finitedp.impl.histograms.stability.StabilityHistogram"
DRAWN = tuple(
    f"finitedp.impl.counting.dyadic_bulk.{name}" for name in ("release_array", "_released", "_by_chunks", "random_words")
)
DRAWN = (*DRAWN, "finitedp.impl.counting.dyadic.DyadicSample.claim")
READ = (*NOISES, "dense", "checked_counts", "_released", "_by_chunks", "random_words")
WORDS = "is as private as its claim says for datasets that differ in one row"
Statement = tuple[tuple[str, ...], str, Callable[[Code], Iterator[Obligation]]]
STATEMENTS: dict[str, Statement] = {
    "BasicHistogram": (
        (BASIC,),
        f"""BasicHistogram, over any private counting mechanism and any list of distinct labels, on any dataset that it
        accepts, {WORDS}: worst ratio at most R^2, where R is the mechanism's.""",
        by_rows,
    ),
    "StabilityHistogram": (
        (STABILITY,),
        f"""StabilityHistogram, over any private counting mechanism, any threshold b and any universe, on any dataset that it
        accepts, {WORDS}: at the ratio R^2 its delta is at most Pr[M(1) > b].""",
        by_rows,
    ),
    "BasicHistogram on arrays": (
        (BASIC, "finitedp.data.releasing._basic", "finitedp.data.frames.LabelCounts.dense", *DRAWN),
        f"finitedp.release with delta = 0, from counts of labels to what is returned, over any private mechanism, {WORDS}.",
        by_arrays("_basic", FOUND, PUBLIC, SELF, PUBLIC, PUBLIC),
    ),
    "StabilityHistogram on arrays": (
        (
            *(STABILITY, "finitedp.data.releasing._stability", "finitedp.data.releasing._sorted"),
            *("finitedp.impl.histograms.dyadic.stability_release_array", "finitedp.impl.histograms.dyadic._on_a_table"),
            *("finitedp.impl.histograms.dyadic._padded", "finitedp.impl.counting.dyadic_bulk.checked_counts", *DRAWN),
        ),
        f"""finitedp.release with delta > 0, from counts of labels to what is released, over any private counting mechanism
        with Pr[M(1) > b] <= delta, {WORDS}.""",
        by_arrays("_stability", FOUND, SELF, var("delta asked for"), PUBLIC, PUBLIC),
    ),
}


# The proof


BULK, HISTOGRAMS = "finitedp.impl.counting.dyadic_bulk", "finitedp.impl.histograms.dyadic"
KNOWN = {
    "Counter": "collections",
    "mpq": "gmpy2",
    "PrivacyClaim": "finitedp.claim",
    "np": "numpy",
    "evolve": "attrs",
    "frozen": "attrs",
}
KNOWN |= {
    "release_array": BULK,
    "checked_counts": BULK,
    "stability_release_array": HISTOGRAMS,
    "threshold_accuracy": HISTOGRAMS,
}
KNOWN |= {"NoisyHistogram": "finitedp.data.noisy_histogram"}
BUILTINS = {"sorted", "tuple", "sum", "len", "range", "min", "enumerate", "dict", "isinstance"}
ROOT = Path(__file__).resolve().parents[2]  # of impl


def source_of(name: str) -> str:
    """The source of a class, function or method, as it is now. Raises: Refused, also where a name has another meaning."""
    parts, inner = name.removeprefix("finitedp.").split("."), list[str]()
    while parts and not (path := file_of(parts)).is_file():
        inner.insert(0, parts.pop())
    need(bool(parts and inner), f"there is no module of {name}")
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    bound: dict[str, str | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            bound |= {a.asname or a.name: node.module if a.asname is None else None for a in node.names}
        elif isinstance(node, ast.Import):
            bound |= {a.asname or a.name: a.name for a in node.names}
    home, body = ".".join(["finitedp", *parts]), tree.body
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            bound[node.name] = home
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            inside = any(isinstance(n, ast.FunctionDef | ast.ClassDef) for n in ast.walk(node))
            need(not inside, f"the module of {name} defines functions under conditions")
            bound |= {n.id: None for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    need(not BUILTINS & set(bound), f"the module of {name} has a function of its own of a builtin's name")
    for known, origin in KNOWN.items():
        need(bound.get(known, origin) == origin, f"{known} is another one in the module of {name}")
    for step in inner:
        found = [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == step]
        need(len(found) == 1, f"{name} is not there once")
        body = found[0].body
    first = min([found[0].lineno, *(d.lineno for d in found[0].decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : found[0].end_lineno])


def file_of(parts: list[str]) -> Path:
    """The file of a module, in a repository or where the package is installed."""
    inside = ROOT.joinpath(*parts).with_suffix(".py")
    return inside if inside.is_file() else ROOT.joinpath("src", "finitedp", *parts).with_suffix(".py")


def code_of(sources: Mapping[str, str]) -> Code:
    """The methods and functions in sources."""
    methods: dict[str, ast.FunctionDef] = {}
    functions: dict[str, ast.FunctionDef] = {}
    for name, source in sources.items():
        found = ast.parse(textwrap.dedent(source)).body
        need(len(found) == 1 and isinstance(found[0], ast.ClassDef | ast.FunctionDef), f"{name} is no class and no function")
        need(
            not any(isinstance(n, ast.NamedExpr | ast.Global | ast.Nonlocal) for n in ast.walk(found[0])),
            f"{name} binds names",
        )
        if isinstance(found[0], ast.FunctionDef):
            functions[found[0].name] = found[0]
            continue
        of: Any = found[0]  # a class
        made = ast.unparse(of).partition("class ")[0].strip(), [*map(ast.unparse, of.bases)]
        need(made == ("@frozen", ["Generic[L]"]) and not of.keywords, f"{name} is no plain class of attrs")
        for part in of.body:
            known = isinstance(part, ast.FunctionDef | ast.AnnAssign)
            need(
                known or (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)), f"{name} has more than methods"
            )
        inner = [m for m in of.body if isinstance(m, ast.FunctionDef)]
        need(len({m.name for m in inner}) == len(inner) and not methods, f"{name} has two methods of one name")
        methods = {m.name: m for m in inner}
    return Code(methods, {n: f for n, f in functions.items() if n not in READ})


def sources_of(statement: str) -> dict[str, str]:
    """The sources that a statement is about, as they are now. Raises: Refused."""
    need(type(statement) is str and statement in STATEMENTS, f"no statement {str(statement)[:60]!r}")
    return {name: source_of(name) for name in STATEMENTS[statement][0]}


def obligations(statement: str, sources: Mapping[str, str] | None = None) -> list[Obligation]:
    """What a statement comes down to, for the code as it is, or for other sources. Raises: Refused for code not understood."""
    code = code_of(sources_of(statement) if sources is None else sources)
    try:
        found = list(STATEMENTS[statement][2](code))
    except Raises:
        raise Refused("the code refuses what it should accept") from None
    need(found != [], "nothing to prove")
    return found


def changed_lines(then: str, now: str) -> str:
    """Which lines of a source have changed."""
    old, new = then.splitlines(), now.splitlines()
    places = [i + 1 for i in range(max(len(old), len(new))) if old[i : i + 1] != new[i : i + 1]]
    return f"line{'s' if len(places) > 1 else ''} {', '.join(map(str, places[:5]))}{', ...' if len(places) > 5 else ''} of it"


def check(document: dict[str, Any]) -> str:
    """What the proof proves, in words. Raises: Refused where it does not."""
    need(type(document) is dict and set(document) == KEYS, f"a proof has just the keys {', '.join(sorted(KEYS))}")
    need(document["format"] == FORMAT and repr(document["version"]) == "1", f"no {FORMAT} of version 1")
    statement, code, steps = document["statement"], document["code"], document["steps"]
    now = sources_of(statement)
    need(type(code) is dict and set(code) == set(now), f"the code is not {', '.join(now)}")
    need(type(steps) is dict, "the steps are no object")
    for name, source in code.items():
        need(
            type(source) is dict and set(source) == {"sha256", "source"} and type(source["source"]) is str,
            f"no source of {name}",
        )
        digest = hashlib.sha256(source["source"].encode()).hexdigest()
        need(digest == source["sha256"], f"the hash is not that of the source of {name}")
        lines = "" if now[name] == source["source"] else changed_lines(source["source"], now[name])
        need(lines == "", f"{name} has changed since it was proved: {lines}")
    wanted = obligations(statement)
    need(set(steps) == {o.name for o in wanted}, "the steps are not those that the statement comes down to")
    for obligation in wanted:
        follows(obligation, steps[obligation.name])
    return " ".join(STATEMENTS[statement][1].split())


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            need(Path(file).stat().st_size <= MOST_BYTES, f"it has more than {MOST_BYTES} bytes")
            said = f"proved: {check(json.loads(Path(file).read_text(encoding='utf-8'), object_pairs_hook=unique))}"
        except Exception as error:  # whatever is in the file, it proves nothing
            said, code = (
                f"REJECTED: {error if isinstance(error, Refused) else f'it cannot be read: {type(error).__name__}: {error}'}",
                1,
            )
        print(f"{file}: {said}".encode("ascii", "backslashreplace").decode())  # noqa: T201  # its purpose
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: structure_checker.py FILE...")
