"""Finds the proof about the pair of a dyadic table again, for lemmas.py: it dominates all neighbouring counts."""

from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.finding import known_texts
from tests.finders.tactics import Tactic, Writer

UP, DOWN = "S({0}) - g*S({0} + 1)", "S({0} + 1) - g*S({0})"  # of an atom, and of its mirror image
Side = tuple[str, str, str]  # positive parts of the atoms, and of the last one; tails that they are of
FORTH, BACK = ("m", "M", UP), ("r", "N", DOWN)


def _for(name: str, variable: str, least: str, most: str, *then: str) -> dict[str, Any]:
    where = [f"{least} <= {variable}", f"{variable} <= {most}"]
    return {"name": name, "for": {variable: "int"}, "where": where, "then": [*then]}


def _laws(c: str, d: str) -> dict[str, Any]:
    """P and Q are 2^B times the probabilities of z at two counts."""
    law = "{0}(z) == clamped_cdf(S, S(0) + S(1), n, {1}, z) - clamped_cdf(S, S(0) + S(1), n, {1}, z - 1)"
    return _for("laws", "z", "0", "n", law.format("P", c), law.format("Q", d))


def _atom(of: str, i: str) -> str:
    """p - gamma q of the weights i and i + 1."""
    return f"{of.format(i)} - ({of.format(f'{i} + 1')})"


def _said(p: str, q: str, z: str) -> str:
    return f"e({z})*({p}({z}) - g*{q}({z}))"


LAWS = _laws("c", "c + 1")
ORDERS = [("P", "Q"), ("Q", "P")]
SAME = {name: name for name in ("n", "c", "i", "g", "S", "P", "Q")}


def pairs() -> dict[str, Any]:
    """Sums in another order; one half of the outputs; both; and that the pair's curve is that of n - 1 and n."""
    w = Writer("One pair for all counts of a dyadic table", ["finitedp.impl.arithmetic.kernels.clamped_cdf"])
    _sums(w)
    _half(w)
    _one_output(w)
    _dominates(w)
    _attained(w)
    return w.document(FD_Pair_dyadic_all=["dominates", "attained"])


def _sums(w: Writer) -> None:
    step = w.know("Sum(i, 0, before, h(c - i))", w.know("Sum(z, 0, c - before, h(z))", w.solve()))
    then = ["Sum(i, 0, k - 1, h(c - i)) + Sum(z, 0, c - k, h(z)) == Sum(z, 0, c, h(z))"]
    by = w.induct("k", "0", w.know("Sum(i, 0, -1, h(c - i))", w.solve()), step)
    w.add("reversed", "k int; c int; h int -> rat", ["0 <= k <= c + 1"], then, by)
    step = w.know("Sum(i, 0, before, h(c + 1 + i))", w.know("Sum(z, 0, c + 1 + before, h(z))", w.solve()))
    then = ["Sum(z, 0, c, h(z)) + Sum(i, 0, k - 1, h(c + 1 + i)) == Sum(z, 0, c + k, h(z))"]
    by = w.induct("k", "0", w.know("Sum(i, 0, -1, h(c + 1 + i))", w.solve()), step)
    w.add("continued", "k int; c int; h int -> rat", ["0 <= k", "c >= 0"], then, by)
    base, step = (
        w.know(f"Sum(i, 0, {last}, a(i))", w.know(f"Sum(i, 0, {last}, b(i))", w.solve())) for last in ("-1", "before")
    )
    where, then = (
        ["0 <= k", _for("term", "i", "0", "k - 1", "a(i) <= b(i)")],
        ["Sum(i, 0, k - 1, a(i)) <= Sum(i, 0, k - 1, b(i))"],
    )
    by = w.induct("k", "0", base, w.use("term", step, i="before"))
    w.add("termwise", "k int; a int -> rat; b int -> rat", where, then, by)


def _half(w: Writer) -> None:
    """Of the outputs on one side of a count: k atoms, and a tail, which is at most the sum of those that follow."""
    parts = _for("parts", "i", "0", "n - 2", "m(i) >= 0", "m(i) >= F(i) - F(i + 1)")
    step = w.know("Sum(i, 0, n - 2 - before, m(i))", w.use("parts", w.solve(_products), i="n - 2 - before"))
    where = ["n >= 1", "M >= 0", "M >= F(n - 1)", "0 <= x", "x <= 1", parts]
    then = ["x*F(n - 1 - d) + Sum(i, 0, n - 2 - d, m(i)) <= Sum(i, 0, n - 2, m(i)) + M"]
    functions = "M rat; x rat; F int -> rat; m int -> rat"
    by = w.induct("d", "0", w.solve(_products), step)
    w.add("tail", f"n int; d int; {functions}", [*where, "0 <= d <= n - 1"], then, by)
    then = ["Sum(i, 0, k - 1, a(i)) + x*F(k) <= Sum(i, 0, n - 2, m(i)) + M"]
    by = w.use("termwise", w.solve(), {"term": w.use("term", w.solve(), i="i")}, k="k", a="a", b="m")
    by = w.use("tail", by, n="n", d="n - 1 - k", M="M", x="x", F="F", m="m")
    term = _for("term", "i", "0", "k - 1", "a(i) <= m(i)")
    w.add("half", f"n int; k int; {functions}; a int -> rat", [*where, "0 <= k <= n - 1", term], then, by)


def _one_output(w: Writer) -> None:
    """An output below c, i places from it, and one above."""
    where = ["n >= 1", "g >= 0", "0 <= c <= n - 1", "0 <= i", LAWS, "0 <= x", "x <= 1"]
    where += [text for m, _, of in (FORTH, BACK) for text in (f"{m} >= 0", f"{m} >= {_atom(of, 'i')}")]
    variables = "n int; c int; i int; g rat; x rat; m rat; r rat; S int -> rat; P int -> rat; Q int -> rat"
    for name, last, z, most in (("below", "c - 1", "c - i", "mr"), ("above", "n - 2 - c", "c + 1 + i", "rm")):
        then = [f"x*({p}({z}) - g*{q}({z})) <= {m}" for (p, q), m in zip(ORDERS, most, strict=True)]
        law = w.use("laws", w.solve(_products), z=z)
        w.add(name, variables, [*where, f"i <= {last}"], then, w.cases("i >= 1", law, law))


def _dominates(w: Writer) -> None:
    event = _for("event", "z", "0", "n", "0 <= e(z)", "e(z) <= 1")
    above = [text for m, _, of in (FORTH, BACK) for text in (f"{m}(i) >= 0", f"{m}(i) >= {_atom(of, 'i')}")]
    ends = [text for _, m, of in (FORTH, BACK) for text in (f"{m} >= 0", f"{m} >= {of.format('n - 1')}")]
    where = ["n >= 1", "g >= 0", "0 <= c <= n - 1", LAWS, event, _for("parts", "i", "0", "n - 2", *above), *ends]
    most = "Sum(i, 0, n - 2, m(i)) + M + Sum(i, 0, n - 2, r(i)) + N"
    then = [f"Sum(z, 0, n, {_said(p, q, 'z')}) <= {most}" for p, q in ORDERS]
    functions = "; ".join(f"{name} int -> rat" for name in "SPQemr")
    by = w.each(_all_outputs(w, "P", "Q", FORTH, BACK), _all_outputs(w, "Q", "P", BACK, FORTH))
    w.add("dominates", f"n int; c int; g rat; M rat; N rat; {functions}", where, then, by)


def _all_outputs(w: Writer, p: str, q: str, near: Side, far: Side) -> Tactic:
    """The outputs up to c, from c down, and those above, from c + 1 on."""
    laws = {"laws": w.use("laws", w.solve(), z="z")}

    def half(node: str, k: str, end: str, z: str, side: Side, then: Tactic) -> Tactic:
        m, most, of = side
        values = {"n": "n", "k": k, "M": most, "x": f"e({end})", "m": m}
        functions = {"F": f"lambda i: {of.format('i')}", "a": f"lambda i: {_said(p, q, z)}"}
        one = SAME | {"x": f"e({z})", "m": "m(i)", "r": "r(i)"}
        term = w.use("event", w.use("parts", w.use(node, w.solve(), laws, **one), i="i"), z=z)
        return w.use("half", then, {"parts": w.use("parts", w.solve(), i="i"), "term": term}, **values, **functions)

    last = w.use("laws", w.use("laws", w.solve(_ends), z="n"), z="0")
    last = w.cases("c >= n - 1", last, last)
    last = w.cases("c >= 1", last, last)
    last = half("above", "n - 1 - c", "n", "c + 1 + i", far, last)
    last = half("below", "c", "0", "c - i", near, last)
    for text in (
        f"i, 0, n - c - 1, {_said(p, q, 'c + 1 + i')}",
        f"z, 0, -1, {_said(p, q, 'z')}",
        f"z, 0, 0, {_said(p, q, 'z')}",
    ):
        last = w.know(f"Sum({text})", last)
    h = f"lambda z: {_said(p, q, 'z')}"
    last = w.use("reversed", w.use("continued", last, k="n - c", c="c", h=h), k="c", c="c", h=h)
    return w.use("event", w.use("event", last, z="n"), z="0")


def _attained(w: Writer) -> None:
    """From gamma = 1 on no event of the pair shows more than the counts n - 1 and n do, output by output."""
    bound = _for("bound", "z", "0", "n", "b(z) >= 0", "b(z) >= P(z) - g*Q(z)")
    falls = _for("falls", "j", "0", "n - 2", "S(j + 2) <= S(j + 1)", "S(j + 1) - S(j + 2) <= S(j) - S(j + 1)")
    event = _for("event", "i", "0", "n - 2", "0 <= x(i)", "x(i) <= 1", "0 <= y(i)", "y(i) <= 1")
    where = ["n >= 1", "g >= 1", _laws("n - 1", "n"), bound, falls]
    by = w.use("laws", w.use("bound", w.use("falls", w.solve(_events), j="i"), z="n - 1 - i"), z="n - 1 - i")
    variables = "n int; g rat; S int -> rat; P int -> rat; Q int -> rat; b int -> rat"
    said = "{0}*(" + _atom(UP, "i") + ") + {1}*(" + _atom(DOWN, "i") + ")"
    then = [f"{said.format('x', 'y')} <= b(n - 1 - i)"]
    one = [*where, "0 <= i <= n - 2", "0 <= x", "x <= 1", "0 <= y", "y <= 1"]
    w.add("atom", f"{variables}; i int; x rat; y rat", one, then, w.cases("i >= 1", by, by))
    ends = ["0 <= X", "X <= 1", "0 <= Y", "Y <= 1", "0 <= S(n)", "S(n) <= S(n - 1)"]
    sums = f"Sum(i, 0, n - 2, {said.format('x(i)', 'y(i)')})"
    then = [f"{sums} + X*({UP.format('n - 1')}) + Y*({DOWN.format('n - 1')}) <= Sum(z, 0, n, b(z))"]
    last = w.use("laws", w.use("bound", w.use("bound", w.solve(_events), z="n"), z="0"), z="0")
    last = w.cases("n >= 2", last, last)
    for high in ("-1", "0", "n"):
        last = w.know(f"Sum(z, 0, {high}, b(z))", last)
    values = {name: name for name in ("n", "i", "g", "S", "P", "Q", "b")} | {"x": "x(i)", "y": "y(i)"}
    term = w.use("event", w.use("atom", w.solve(), {"laws": w.use("laws", w.solve(), z="z")}, **values), i="i")
    functions = {"a": f"lambda i: {said.format('x(i)', 'y(i)')}", "b": "lambda i: b(n - 1 - i)"}
    last = w.use("reversed", w.use("termwise", last, {"term": term}, k="n - 1", **functions), k="n - 1", c="n - 1", h="b")
    w.add("attained", f"{variables}; x int -> rat; y int -> rat; X rat; Y rat", [*where, event, *ends], then, last)


def _known(sequent: pc.Sequent) -> list[str]:
    return [text for text, _ in known_texts(sequent) if "Sum" not in text]


def _products(sequent: pc.Sequent) -> list[list[str]]:
    """x and 1 - x with each known fact, and gamma x with each equality."""
    known = _known(sequent)
    scaled = [["g", "x >= 0", text] for text in known if text.endswith("== 0")]
    return [*scaled, *(["1", a, text] for a in ("x >= 0", "1 - x >= 0") for text in known)]


def _ends(sequent: pc.Sequent) -> list[list[str]]:
    """The laws at both ends, times an event's weights."""
    equal = [text for text in _known(sequent) if text.endswith("== 0")]
    return [[f"{e}{g}", text] for e in ("e(0)", "e(n)") for g in ("", "*g") for text in equal]


def _events(sequent: pc.Sequent) -> list[list[str]]:
    """The weights of the pair's events with each known fact, and those of mirror images with gamma - 1."""
    known = _known(sequent)
    mirrored = [["1", a, "g - 1 >= 0", b] for a in known if a[0] in "yY" for b in known if b[0] == "S"]
    return [*mirrored, *([m, a, b] for m in ("1", "g") for a in known if a[0] in "xyXY1" for b in known)]
