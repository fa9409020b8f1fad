"""Writes the arithmetic of proof objects for Coq: python -m tests.coq.export FOLDER [OBJECT.json...]

The live checker decides an object as always, and each answer of its arithmetic becomes a lemma over the real numbers: that a
combination of facts shows a goal, that a comparison follows from one fact, that a term is an integer, and that an operation or
a substitution gives this term. Quotients, logarithms, sums and values of functions stand as unknowns; b^(2k + L + 3) of an
exponent that is no number stands as p^2 p' b^3 with unknowns p and p' above 0 for b^k and b^L. Base.v has what is proved once.
"""

import ast
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs.live_checker import kernel, language, live, numbers
from finitedp.proofs_check.proofs.live_checker.kernel import Checker, Fact, Poly, Run, Sequent
from finitedp.proofs_check.proofs.structure import OBJECTS

SIGN = {">=": "<=", ">": "<", "==": "="}


class Resists(Exception):  # noqa: N818  # what the list says
    """What the export has no lemma for."""


class Lemma:
    """A lemma that is being written: its unknowns and hypotheses."""

    def __init__(self, sequent: Sequent | None) -> None:
        self.sequent = sequent
        self.names: dict[Any, str] = {}  # of atoms, and of powers of them with an exponent that is unknown
        self.given: dict[str, str] = {}  # the hypotheses' names
        self.fraction = False  # whether there is a division

    def suppose(self, text: str) -> str:
        """The name of a hypothesis."""
        return self.given.setdefault(text, f"H{len(self.given)}")

    def name(self, what: Any) -> str:
        """The name of an unknown."""
        if what not in self.names:
            plain = what[0] == "v" and f"v_{what[1]}".isidentifier()
            self.names[what] = f"v_{what[1]}" if plain else f"a{len(self.names)}"
        return self.names[what]

    def factors(self, atom: Any, e: Any) -> Iterator[str]:
        """The factors of atom^e."""
        if isinstance(e, int):
            base = self.base(atom)
            if e < 0:
                self.fraction = True
                self.suppose(f"0 < {base}")
            yield f"/ {base} ^ {-e}" if e < -1 else f"/ {base}" if e == -1 else f"{base} ^ {e}" if e > 1 else base
            return
        for mono, c in sorted(e.terms.items(), key=lambda term: str(sorted(map(spoken, term[0])))):
            if c.denominator != 1:
                raise Resists("a coefficient in an exponent is no integer")
            if mono:
                self.suppose(f"0 < {self.name((atom, mono))}")
                yield from self.factors((atom, mono), int(c))
            else:
                yield from self.factors(atom, int(c))

    def base(self, atom: Any) -> str:
        """What is raised to a power that is a number."""
        return f"({self.poly(atom[1])})" if atom[0] == "p" else self.name(atom)

    def mono(self, mono: Any, c: Any) -> str:
        """A monomial."""
        self.fraction = self.fraction or c.denominator != 1
        parts = [one for atom, e in sorted(mono, key=spoken) for one in self.factors(atom, e)]
        number = str(c.numerator) if c.numerator >= 0 else f"({c.numerator})"
        number = number if c.denominator == 1 else f"{number} * / {c.denominator}"
        return " * ".join(([] if c == 1 and parts else [number]) + parts)

    def poly(self, poly: Poly) -> str:
        """A term."""
        return " + ".join(self.mono(*term) for term in ordered(poly)) or "0"

    def fact(self, fact: Fact) -> str:
        """A comparison."""
        return f"0 {SIGN[fact[1]]} {self.poly(fact[0])}"

    def signs(self, poly: Poly) -> str:
        """A term that is manifestly at least 0, what is above 0 first; the signs of its atoms are hypotheses."""
        sequent, first, rest = self.sequent, list[str](), list[str]()
        assert sequent
        for mono, c in ordered(poly):
            known = {atom: sequent.signs.get(atom, ">=" if atom[0] == "bits" else None) for atom, _ in mono if atom[0] != "p"}
            for atom, sign in known.items():
                if sign and numbers.as_poly(dict(mono)[atom]).terms.get(numbers.NOTHING):
                    self.suppose(f"0 {SIGN[sign]} {self.name(atom)}")
            (rest if ">=" in known.values() else first).append(self.mono(mono, c))
            for atom, _ in mono:
                if atom[0] == "p":
                    self.suppose(f"0 < {self.base(atom)}")
        return " + ".join(first + rest) or "0"

    def written(self, goal: str, proof: str) -> str:
        """The lemma's statement and proof, without its name."""
        unknowns = f"forall {' '.join(self.names.values())} : R, " if self.names else ""
        given = "".join(f"{text} ->\n    " for text in self.given)
        intro = "".join(f" {name}" for name in (*self.names.values(), *self.given.values()))
        return f"  {unknowns}{given}{goal}.\nProof.{f' intros{intro}.' if intro else ''} {proof} Qed."

    def identity(self) -> str:
        """The tactic for an equation."""
        return "divided" if self.fraction else "ring"


def spoken(value: Any) -> str:
    """A text to sort by."""
    if isinstance(value, Poly):
        return f"[{'+'.join(sorted(f'{c}{sorted(map(spoken, mono))}' for mono, c in value.terms.items()))}]"
    return f"({','.join(map(spoken, value))})" if isinstance(value, tuple) else str(value)


def ordered(poly: Poly) -> list[tuple[Any, Any]]:
    """The summands, always in the same order."""
    return sorted(poly.terms.items(), key=lambda term: str(sorted(map(spoken, term[0]))))


class Export:
    """The lemmas of one object."""

    def __init__(self) -> None:
        self.lemmas: dict[str, tuple[str, str]] = {}  # by what they say: their kind, and the node where they were first used
        self.leaves: Counter[str] = Counter()  # by node: how often its proof ends in `known` or `combine`
        self.resists: Counter[tuple[str, str, str]] = Counter()  # by node, kind and reason
        self.node = ""

    def note(self, kind: str, sequent: Sequent | None, write: Callable[[Lemma], str]) -> None:
        """Keep a lemma, or why there is none."""
        try:
            text = write(Lemma(sequent))
        except Resists as why:
            self.resists[self.node, kind, str(why)] += 1
            return
        self.lemmas.setdefault(text, (kind, self.node))

    def equation(self, kind: str, left: Callable[[Lemma], str], result: Poly) -> None:
        """An identity of terms."""

        def write(lemma: Lemma) -> str:
            sides = f"{left(lemma)} = {lemma.poly(result)}"
            return lemma.written(sides, f"{lemma.identity()}.")

        self.note(kind, None, write)

    def follows(self, found: bool, sequent: Sequent, fact: Fact) -> None:
        """A comparison is manifest, or follows from one fact; or an integer is above 0 where it is at least 1."""
        poly, kind = fact
        if not found or kind == "==" or poly.constant() is not None:
            return  # two others; or numbers
        near: list[Any] = [(numbers.ZERO, ""), *sequent.near(poly)]
        for known, strict in near:
            sign = sequent.sign(poly - known)
            if sign is not None and (kind == ">=" or ">" in (sign, strict)):
                break
        else:
            if kind == ">=" or not sequent.is_whole(poly):
                self.note("follows", sequent, lambda of: of.written(of.fact(fact), "manifest."))  # which Coq refuses
                return
            self.follows(True, sequent, (poly - numbers.ONE, ">="))
            self.integer(True, sequent, poly)
            self.note(
                "above", sequent, lambda of: of.written(f"0 <= {of.poly(poly - numbers.ONE)} -> {of.fact(fact)}", "above.")
            )
            return

        def write(lemma: Lemma) -> str:
            by = lemma.suppose(lemma.fact((known, strict))) if strict else ""
            rest, goal = lemma.signs(numbers.collected(poly - known)), lemma.fact(fact)
            sides = f"{lemma.poly(poly)} = {lemma.poly(known)} + ({rest})" if strict else f"{lemma.poly(poly)} = {rest}"
            how = f"{'strict' if kind == '>' and strict == '>' else 'more'} {by}" if strict else "manifest"
            return lemma.written(goal, f"assert (E : {sides}) by {lemma.identity()}. same E. {how}.")

        self.note("follows", sequent, write)

    def combining(self, _: None, checker: Checker, sequent: Sequent, proof: dict[str, Any]) -> None:
        """A sum of products of what is at least 0 is not above 0, and it is."""
        parts = [(checker.poly(sequent, text), [checker.fact(sequent, one) for one in said]) for text, *said in proof["with"]]
        goal = checker.goals(sequent)[0] if "goal" in proof else None
        if goal:
            parts.append((checker.poly(sequent, proof["goal"]), [sequent.negated(goal)]))

        def write(lemma: Lemma) -> str:
            total, products, proofs = numbers.ZERO, list[str](), list[tuple[bool, str]]()
            said, steps = lemma.fact(goal) if goal else "False", list[str]()
            for multiplier, facts in parts:
                opposite = goal is not None and facts == [sequent.negated(goal)]
                names = ["N" if opposite else lemma.suppose(lemma.fact(fact)) for fact in facts]
                sign, kinds = sequent.sign(multiplier), {kind for _, kind in facts}
                factor = lemma.signs(multiplier) if sign else lemma.poly(multiplier)
                products.append(" * ".join(f"({one})" for one in (factor, *(lemma.poly(poly) for poly, _ in facts))))
                if "==" in kinds:
                    at = names[[kind for _, kind in facts].index("==")]
                    proofs.append((False, f"apply Req_le; rewrite <- {at}; ring"))
                else:
                    strict, proof = sign == ">" and kinds == {">"}, "manifest"
                    for name, (_, kind) in zip(names, facts, strict=True):
                        exact = f"exact {name}" if strict or kind == ">=" else f"exact (Rlt_le _ _ {name})"
                        proof = f"apply {'Rmult_lt_0_compat' if strict else 'Rmult_le_pos'}; [{proof} | {exact}]"
                    proofs.append((strict, proof))
                product = multiplier
                for poly, _ in facts:
                    product = product * poly
                total = total + product
            left = lemma.signs(numbers.collected(-total))
            proofs.append((sequent.sign(-total) == ">", "manifest"))
            if goal:
                contrary = lemma.fact(sequent.negated(goal))
                turn = "not_lt" if goal[1] == ">=" else "not_le"
                steps.append(f"apply {turn}; intro N0. assert (N : {contrary}) by (clear - N0; lra).")
            products.append(f"({left})")
            chain, order = "", sorted(range(len(products)), key=lambda i: not proofs[i][0])  # what is above 0 comes first
            for i, (strict, proof) in enumerate(proofs):
                steps.append(f"assert (P{i} : 0 {'<' if strict else '<='} {products[i]}) by ({proof}).")
            for i in order:
                step = f"(Rlt_le _ _ P{i})" if proofs[i][0] else f"P{i}"
                chain = f"(Rplus_lt_le_0_compat _ _ {chain} {step})" if chain else f"P{i}"
            steps.append(f"assert (E : {' + '.join(products[i] for i in order)} = 0) by {lemma.identity()}.")
            steps.append(f"exact (none _ E {chain}).")
            return lemma.written(said, "\n  ".join(steps))

        self.note("combine", sequent, write)

    def integer(self, found: bool, sequent: Sequent, poly: Poly) -> None:
        """A term is an integer."""
        if not found or poly in sequent.whole or poly.constant() is not None:
            return

        def write(lemma: Lemma) -> str:
            parts = list[str]()
            for mono, c in ordered(poly):
                factors, rest = list[str](), c
                for atom, e in sorted(mono, key=spoken):
                    if isinstance(e, int) and atom[0] != "p":
                        lemma.suppose(f"whole {lemma.name(atom)}")
                        factors += [f"{lemma.name(atom)} ^ {e}"]
                        continue
                    shift, base = 1, atom[1].constant() if atom[0] == "p" else None
                    while base is not None and base.denominator == 1 and Fraction(rest * shift).denominator != 1:
                        shift *= int(base)
                    inner = lemma.name((atom, e, shift))  # base^e over the power of the base that the coefficient needs
                    lemma.suppose(f"whole {inner}")
                    rest *= shift
                    factors += [inner]
                parts.append(" * ".join([str(rest) if rest >= 0 else f"({rest})", *factors]))
            goal = f"whole ({' + '.join(parts)})"
            return lemma.written(goal, "closed.")

        self.note("integer", sequent, write)

    def added(self, sequent: Sequent, poly: Poly, kind: str) -> None:
        """What is known besides: an integer above 0 is at least 1, and of what is at least a number the sign."""
        if kind == "==":
            return
        if kind == ">" and sequent.is_whole(poly):
            self.integer(True, sequent, poly)
            least = poly - numbers.ONE
            self.note(
                "least",
                None,
                lambda of: of.written(
                    f"whole ({of.poly(poly)}) -> {of.fact((poly, '>'))} -> {of.fact((least, '>='))}", "least."
                ),
            )
            poly, kind = least, ">="
        free = poly.terms.get(numbers.NOTHING, 0)
        atom = numbers.single_atom(poly - numbers.number(free))
        if atom and free <= 0:
            sign = ">" if free < 0 else kind
            self.note(
                "sign",
                None,
                lambda of: of.written(f"{of.fact((poly, kind))} -> 0 {SIGN[sign]} {of.name(atom)}", "intro. lra."),
            )

    def negated(self, found: Fact, _: Sequent, fact: Fact) -> None:
        """What holds where a comparison does not."""
        self.note("negated", None, lambda of: of.written(f"({of.fact(fact)} -> False) -> {of.fact(found)}", "contrary."))

    def counted(self, found: Poly, run: Run, sign: str, a: Poly, b: Poly) -> None:
        """What an operation gives; quotients of fractions are noted for themselves."""
        if sign == "%":
            quotient = run.operation("//", a, b)
            self.equation("operation", lambda of: f"({of.poly(a)}) - ({of.poly(b)}) * ({of.poly(quotient)})", found)
        elif sign != "/":
            self.operated(sign, a, b, found)

    def operated(self, sign: str, a: Poly, b: Poly, result: Poly) -> None:
        """What an operation gives."""
        value = b.constant()
        if sign in "+-*" and len(sign) == 1:
            self.equation("operation", lambda of: f"({of.poly(a)}) {sign} ({of.poly(b)})", result)
        elif sign == "/":
            self.equation("operation", lambda of: f"({of.poly(a)}) / {positive(of, b)}", result)
        elif sign == "**" and value is not None:
            if value >= 0:
                self.equation("operation", lambda of: f"({of.poly(a)}) ^ {value}", result)
            else:
                self.equation("operation", lambda of: f"/ {positive(of, a)} ^ {-value}", result)
        elif sign == "**":
            self.power(a, b)

    def stated(self, found: Fact, a: Any, op: Any, b: Any) -> None:
        """A comparison is one of a difference with 0."""
        if isinstance(a, Poly) and isinstance(b, Poly):
            first, second = (b, a) if isinstance(op, ast.LtE | ast.Lt) else (a, b)
            self.operated("-", first, second, found[0])

    def subtracted(self, _: bool, x: Any, __: str, y: Any) -> None:
        """So is one that code makes."""
        a, b = live.term_of(x), live.term_of(y)
        self.operated("-", a, b, a - b)

    def replaced(self, result: Any, value: Any, old: Any, new: Poly) -> None:
        """What a substitution gives."""
        if not isinstance(value, Poly) or result == value:
            return
        self.equation("substitution", lambda of: substituted(of, value, old, new), result)
        for atom, e in {power for mono in value.terms for power in mono}:
            exponent = numbers.replaced(numbers.as_poly(e), old, new)
            if exponent.constant() is None:
                self.power(numbers._replaced(atom, old, new), exponent)

    def power(self, a: Poly, e: Poly) -> None:
        """A power of a product is the product of the powers."""

        def write(lemma: Lemma) -> str:
            ((mono, c),) = a.terms.items()
            exponent = f"({lemma.poly(e)})"
            bases, powers = ([lemma.mono(numbers.NOTHING, c)] if c != 1 else []), list[str]()
            for atom, f in sorted(mono, key=spoken):
                base, inner = lemma.base(atom), numbers.as_poly(f)
                lemma.suppose(f"0 < {base}")
                bases.append(f"Rpower {base} ({lemma.poly(inner)})")
                powers.append(f"Rpower {base} ({lemma.poly(inner * e)})")
            left = f"Rpower ({' * '.join(bases)}) {exponent}"
            right = " * ".join(([f"Rpower ({bases[0]}) {exponent}"] if c != 1 else []) + powers)
            return lemma.written(f"{left} = {right}", "powers.")

        if a.constant() is None and len(a.terms) == 1 and numbers.single_atom(a) is None:
            self.note("power", None, write)

    def known(self, text: str, sequent: Sequent, facts: list[Fact]) -> None:
        """What `know` adds is what Base.v proves of quotients, bit lengths, powers, logarithms and sums."""
        run, node = Run(sequent), kernel.parsed(text)
        value = run.poly(node, sequent.env)
        match node:
            case ast.BinOp(left, op, right):
                a, b = (run.poly(part, sequent.env) for part in (left, right))
                forms = ["({a}) - ({b}) * ({q})", "({b}) * ({q}) + ({b}) - 1 - ({a})"]
                if isinstance(op, ast.Pow):
                    forms = ["({q}) - 1", "({q}) - 1 - ({b}) * (({a}) - 1)"]
            case ast.Call(ast.Attribute(left, "bit_length")):
                a, b = run.poly(left, sequent.env), numbers.raised(numbers.number(2), value)
                forms = ["({q})", "({b}) - ({a}) - 1", "({a}) + ({a}) + 1 - ({b})"]
            case ast.Call(ast.Name("ln"), [left]):
                a = b = run.poly(left, sequent.env)
                forms = ["({a}) - 1 - ({q})", "(({a}) + 1) * ({q}) - ({a}) - ({a}) + 2"]
            case _:
                self.unfolded(value, facts)
                return
        for form, (poly, _) in zip(forms, facts, strict=True):

            def write(lemma: Lemma, form: str = form) -> str:
                return form.format(a=lemma.poly(a), b=lemma.poly(b), q=lemma.poly(value))

            self.equation("know", write, poly)

    def unfolded(self, value: Poly, facts: list[Fact]) -> None:
        """A Sum is its last term and the rest; or 0."""
        _, bound, body, low, high, kind = numbers.single_atom(value)
        rest = numbers.variable(("sum", bound, body, low, high - numbers.ONE, kind))

        def write(lemma: Lemma) -> str:
            whole = f"({lemma.poly(value)}) - (({lemma.poly(rest)}) + ({substituted(lemma, body, bound, high)}))"
            return whole if facts[0][0] != value else lemma.poly(value)

        self.equation("know", write, facts[0][0])


def positive(lemma: Lemma, poly: Poly) -> str:
    """A term that is above 0 by a hypothesis, in brackets."""
    text = f"({lemma.poly(poly)})"
    lemma.suppose(f"0 < {text}")
    return text


@contextmanager
def traced(export: Export) -> Iterator[None]:
    """What the arithmetic of the kernel answers is noted, but not what is asked for the notes themselves."""
    busy, asked, added = [False], list[str](), list[list[Fact]]()  # of `know`: what it is asked of, and what it adds
    genuine = list[tuple[Any, str, Any]]()

    def noting(of: Any, name: str, tell: Callable[..., object], *, before: bool = False) -> None:
        real = getattr(of, name)
        genuine.append((of, name, real))

        def noted(*given: Any) -> Any:
            found = None if before else real(*given)
            if not busy[0]:
                busy[0] = True
                try:
                    tell(found, *given)
                finally:
                    busy[0] = False
            return real(*given) if before else found

        setattr(of, name, noted)

    def begun(_: None, __: Checker, sequent: Sequent, proof: dict[str, Any]) -> None:
        export.leaves[export.node] += proof["rule"] in ("known", "combine")
        if added:
            export.known(asked.pop(), sequent, added.pop())

    def asking(_: None, __: Checker, ___: Sequent, proof: dict[str, Any]) -> None:
        asked.append(proof["of"])
        added.append([])

    def adding(_: None, sequent: Sequent, fact: Fact) -> None:
        for facts in added:
            facts.append(fact)
        export.added(sequent, *fact)

    live.OWN.add(id(globals()))
    noting(Sequent, "holds", export.follows)
    noting(Sequent, "is_whole", export.integer)
    noting(Run, "operation", export.counted)
    noting(Run, "quotient", lambda found, _, a, b: export.operated("/", a, b, found))
    noting(Sequent, "negated", export.negated)
    noting(Sequent, "add", adding, before=True)
    noting(Checker, "_combine", export.combining)
    noting(Checker, "_know", asking, before=True)
    noting(Checker, "prove", begun, before=True)
    noting(kernel, "_fact", export.stated)
    noting(live, "compared", export.subtracted)
    noting(numbers, "replaced", export.replaced)
    kernel.replaced, kept = numbers.replaced, kernel.replaced
    try:
        yield
    finally:
        kernel.replaced = kept
        for of, name, real in genuine:
            setattr(of, name, real)


def substituted(lemma: Lemma, poly: Poly, old: Any, new: Poly) -> str:
    """A term in which a variable is replaced, before it is multiplied out."""
    summands = list[str]()
    for mono, c in ordered(poly):
        factors = [lemma.mono(numbers.NOTHING, c)]
        for atom, e in sorted(mono, key=spoken):
            base, power = numbers._replaced(atom, old, new), numbers.replaced(numbers.as_poly(e), old, new)
            value = power.constant()
            if value is None:
                factors.append(f"({lemma.poly(numbers.raised(base, power))})")  # by its form: it has no other text here
            else:
                factors.append(f"({lemma.poly(base)}) ^ {value}" if value >= 0 else f"/ {positive(lemma, base)} ^ {-value}")
        summands.append(" * ".join(factors))
    return " + ".join(summands) or "0"


def exported(document: dict[str, Any]) -> Export:
    """The lemmas of an object. Raises: Refused, where it is no proof."""
    export, checker = Export(), Checker(document["names"], live.Live)
    numbers.STEPS[0] = -(10**9)  # what is noted is counted, too
    live.monitor()
    language.installed()
    for name in live.TAKEN:
        live.taken(name)
    with live.prepared(), traced(export):
        for node in document["nodes"]:
            export.node = node["name"]
            checker.node(node)
    return export


def file_of(export: Export, title: str, part: int = 1, of: int = 1) -> str:
    """What Coq reads: all lemmas, or each of them that is the part-th of so many."""
    lines = [f"(* {title} *)", "Require Import Base."]
    for i, (text, (kind, node)) in enumerate(export.lemmas.items()):
        if (i - part) % of == 0:
            lines += [f"(* {node.replace('*)', '* )')} *)", f"Lemma {kind}_{i} :", text]
    return "\n".join(lines) + "\n"


def main(folder: str, *paths: str) -> None:
    """Base.v, a file for each object, and counts of what is in them."""
    language.imported()
    (Path(folder) / "Base.v").write_text(Path(__file__).with_name("Base.v").read_text(encoding="utf-8"), encoding="utf-8")
    whole, resists = Counter[str](), Counter[tuple[str, str, str]]()
    for path in map(Path, paths or sorted(OBJECTS.glob("*.json"))):
        document = json.loads(path.read_text(encoding="utf-8"))
        export = exported(document)
        (Path(folder) / f"{path.stem}.v").write_text(file_of(export, document["title"]), encoding="utf-8")
        kinds = Counter(kind for kind, _ in export.lemmas.values())
        told = {"nodes": len(document["nodes"]), "leaves": export.leaves.total(), "lemmas": len(export.lemmas), **kinds}
        tell(path.stem, told)
        whole.update(told)
        resists += export.resists
    tell("all", {**whole, "not exported": resists.total()})
    for (node, kind, why), many in resists.items():
        tell(f"not exported: {kind} in {node!r}: {why}", {"times": many})


def tell(of: str, counts: dict[str, int]) -> None:
    """A line of counts."""
    sys.stdout.write(f"{of}: {', '.join(f'{many} {what}' for what, many in counts.items())}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
