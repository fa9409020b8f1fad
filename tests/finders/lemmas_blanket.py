"""Finds the proof that BlanketHistogram's inequalities are privacy again, for lemmas.py, by the steps of docs/blanket.md.

x is the label that loses its last row. Up to what both datasets share, an output weighs the sum over N of W(N), for the slots
that hold other labels, N of them, times the ways in which i more hold x: c(N, i) is binomial(G - N, i) y^i.
"""

from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.finding import Finder, Hints, NotFound, known_texts, multipliers
from tests.finders.tactics import Tactic, Writer

WAYS = {
    "name": "ways",
    "for": {"others": "int", "copies": "int"},
    "where": ["0 <= others", "others <= G", "0 <= copies"],
    "then": [
        "c(others, 0) == 1",
        "c(others, copies) >= 0",
        "(copies + 1)*c(others, copies + 1) == (G - others - copies)*y*c(others, copies)",
    ],
}
NUMBERS = ["U >= 1", "D >= 1", "0 <= s", "s <= 1", "1 <= L", "L + 1 <= G", "q >= 1", "f >= 1", "d >= 1"]
HIDDEN = ["(1 - s)*f*d <= U*(f*d - G*q)", "1 <= D*(1 - s)"]  # (A)
SHOWN = ["m >= 0", "t >= 0", "m*(f*d + (G - L)*q) <= U*t*(G - L)*q", "t*G*q <= D*m*(f*d - G*q)"]  # (B) and (C)
HITS = "(i + 1)*f*H(i + 1) == (G - i)*q*H(i)"
CAPPED = "s*(L + 1)*f <= (U - 1)*(G - L)*q"  # (D)
SLOTS = "U rat; D rat; s rat; L int; G int; q int; f int; d int"


def blanket() -> dict[str, Any]:
    """Another row of a label that remains; a label that is not listed, listed, or withheld; a row that is replaced."""
    w = Writer("BlanketHistogram's conditions are privacy")
    _sums(w)
    _copies(w)
    _another_row(w)
    _unseen(w)
    _seen(w)
    _withheld(w)
    w.add(
        "replaced", "U rat; D rat; p rat; m rat; r rat", ["U >= 1", "p <= U*m", "m <= D*r"], ["p <= U*D*r"], w.solve(_ratios)
    )
    return w.document(FD_Blanket_private_all=["another row", "unseen", "seen", "withheld", "replaced"])


def _ratios(_: pc.Sequent) -> list[list[str]]:
    return [["U", "D*r - m >= 0"]]


def _sums(w: Writer) -> None:
    """Sums whose terms are compared, with weights."""
    term = {"name": "term", "for": {"N": "int"}, "where": ["0 <= N", "N <= k - 1"], "then": ["W(N) >= 0", "u*a(N) <= v*b(N)"]}
    base, step = (
        w.know(f"Sum(N, 0, {last}, W(N)*a(N))", w.know(f"Sum(N, 0, {last}, W(N)*b(N))", w.solve(_weighted)))
        for last in ("-1", "before")
    )
    then = ["u*Sum(N, 0, k - 1, W(N)*a(N)) <= v*Sum(N, 0, k - 1, W(N)*b(N))"]
    by = w.induct("k", "0", base, w.use("term", step, N="before"))
    w.add("weighted", "k int; u rat; v rat; W int -> rat; a int -> rat; b int -> rat", ["0 <= k", term], then, by)


def _weighted(sequent: pc.Sequent) -> list[list[str]]:
    equal = [text for text, _ in known_texts(sequent) if text.endswith("== 0")]
    term = ["1", "W(before) >= 0", "v*b(before) - u*a(before) >= 0"]
    return [term] * ("before" in sequent.env) + [[m, text] for m in "uv" for text in equal]


def _copies(w: Writer) -> None:
    """Of i copies in 1..k: not negative; all with i = 0; and at most G y times those before."""
    where, variables = ["0 <= k", "N >= 0", "N <= G", "y >= 0", WAYS], "k int; N int; G int; y rat; c int, int -> rat"
    step = w.know("Sum(i, 1, before + 1, c(N, i))", w.use("ways", w.solve(), others="N", copies="before + 1"))
    by = w.induct("k", "0", w.know("Sum(i, 1, 0, c(N, i))", w.solve()), step)
    w.add("not negative", variables, where, ["Sum(i, 1, k, c(N, i)) >= 0"], by)
    first = w.know("Sum(i, 0, 0, c(N, i))", w.know("Sum(i, 0, -1, c(N, i))", w.use("ways", w.solve(), others="N", copies="0")))
    first = w.know("Sum(i, 1, 0, c(N, i))", first)
    step = w.know("Sum(i, 1, before + 1, c(N, i))", w.know("Sum(i, 0, before + 1, c(N, i))", w.solve()))
    w.add("all", variables, where, ["Sum(i, 0, k, c(N, i)) == 1 + Sum(i, 1, k, c(N, i))"], w.induct("k", "0", first, step))
    none = w.solve(lambda _: [["G*y", "Sum(i, 0, -1, c(N, i)) == 0"]])
    first = w.know("Sum(i, 0, -1, c(N, i))", w.know("Sum(i, 1, 0, c(N, i))", none))
    step = w.use("ways", w.use("ways", w.solve(_next), others="N", copies="before + 1"), others="N", copies="before")
    step = w.know("Sum(i, 1, before + 1, c(N, i))", w.know("Sum(i, 0, before, c(N, i))", step))
    then = ["Sum(i, 1, k, c(N, i)) <= G*y*Sum(i, 0, k - 1, c(N, i))"]
    w.add("copies", variables, where, then, w.induct("k", "0", first, step))


def _next(_: pc.Sequent) -> list[list[str]]:
    one = "c(N, before) >= 0"
    return [["before", "c(N, before + 1) >= 0"], ["y", "N >= 0", one], ["y", "before >= 0", one], ["G*y", SUMMED]]


SUMMED = "Sum(i, 0, before, c(N, i)) - Sum(i, 0, before - 1, c(N, i)) - c(N, before) == 0"


def _another_row(w: Writer) -> None:
    """x(z): how likely an output is where the noisy count is z, which is the same for both datasets."""
    ratio = {"name": "ratio", "for": {"z": "int"}, "where": ["0 <= z", "z <= n"]}
    ratio |= {"then": ["x(z) >= 0", "P(z) <= U*Q(z)", "Q(z) <= D*P(z)"]}
    then = ["Sum(z, 0, n, x(z)*P(z)) <= U*Sum(z, 0, n, x(z)*Q(z))", "Sum(z, 0, n, x(z)*Q(z)) <= D*Sum(z, 0, n, x(z)*P(z))"]
    one = {"term": w.use("ratio", w.solve(), z="N")}
    by = w.each(
        *(
            w.use("weighted", w.solve(), one, k="n + 1", u="1", v=v, W="x", a=a, b=b)
            for v, a, b in (tuple("UPQ"), tuple("DQP"))
        )
    )
    w.add("another row", "n int; U rat; D rat; x int -> rat; P int -> rat; Q int -> rat", ["n >= 0", ratio], then, by)


def _bound(w: Writer, k: str, then: Tactic) -> Tactic:
    """What is known of the ways in which x is held up to k times."""
    values = {"k": k, "N": "N", "G": "G", "y": "y", "c": "c"}
    return w.use("not negative", w.use("all", w.use("copies", then, **values), **values), **values)


def _unseen(w: Writer) -> None:
    """x is not listed: it was hidden, and any number of slots held it; or it does not occur, and none did."""
    where = [
        "0 <= k",
        "N >= 0",
        "N <= G",
        "y >= 0",
        WAYS,
        "U >= 0",
        "D >= 0",
        "s <= 1",
        "1 - s <= U*(1 - G*y)",
        "1 <= D*(1 - s)",
        "G*y >= 0",
    ]
    then = ["(1 - s)*Sum(i, 0, k, c(N, i)) <= U", "1 <= D*(1 - s)*Sum(i, 0, k, c(N, i))"]
    by = _bound(w, "k", w.know("Sum(i, 0, k, c(N, i))", w.use("ways", w.solve(_one_unseen), others="N", copies="k")))
    variables = "k int; N int; U rat; D rat; s rat; G int; y rat; c int, int -> rat"
    w.add("one unseen", variables, where, then, by)
    weights = {"name": "weights", "for": {"N": "int"}, "where": ["0 <= N"], "then": ["W(N) >= 0"]}
    where = [*NUMBERS, "f*d - G*q >= 1", *HIDDEN, "0 <= M", "M <= L", {"let": ["y", "q/(f*d)"]}, WAYS, weights]
    held = "Sum(i, 0, M - N, c(N, i))"
    p, r = f"(1 - s)*Sum(N, 0, M, W(N)*{held})", "Sum(N, 0, M, W(N))"
    numbers = {"k": "M - N"} | {name: name for name in ("N", "G", "y", "c", "U", "D", "s")}
    term = {"term": w.use("weights", w.use("one unseen", w.solve(), **numbers), N="N")}
    values = {"k": "M + 1", "W": "W"}
    up = w.use("weighted", w.solve(), term, u="1 - s", v="U", a=f"lambda N: {held}", b="lambda N: 1", **values)
    down = w.use("weighted", w.solve(), term, u="1", v="D*(1 - s)", a="lambda N: 1", b=f"lambda N: {held}", **values)
    by = w.have("1 - s <= U*(1 - G*y)", w.solve(_cleared), w.have("G >= 1", w.solve(), w.each(up, down)))
    w.add("unseen", f"{SLOTS}; M int; c int, int -> rat; W int -> rat", where, [f"{p} <= U*{r}", f"{r} <= D*{p}"], by)


TOTAL = "Sum(i, 0, k, c(N, i)) - 1 - Sum(i, 1, k, c(N, i)) == 0"
BELOW = "Sum(i, 0, k, c(N, i)) - Sum(i, 0, k - 1, c(N, i)) - c(N, k) == 0"
LATER = "G*y*Sum(i, 0, k - 1, c(N, i)) - Sum(i, 1, k, c(N, i)) >= 0"


def _one_unseen(_: pc.Sequent) -> list[list[str]]:
    held, hides = "Sum(i, 1, k, c(N, i)) >= 0", "U*(1 - G*y) - (1 - s) >= 0"
    equal = [[m, text] for m in ("U", "U*G*y", "1", "s", "D", "D*s") for text in (TOTAL, BELOW)]
    return [["1", held, hides], ["1", held, "D*(1 - s) - 1 >= 0"], ["U", LATER], ["U", "G*y >= 0", "c(N, k) >= 0"], *equal]


def _seen(w: Writer) -> None:
    """x is listed: it was shown, and slots held it or not; or it does not occur, and one slot at least held it."""
    where, variables = ["0 <= k", "N >= 0", "N <= G", "y >= 0", WAYS], "k int; N int; G int; y rat; c int, int -> rat"
    first = w.use("ways", w.use("ways", w.solve(_first), others="N", copies="1"), others="N", copies="0")
    first = w.know("Sum(i, 1, 1, c(N, i))", w.know("Sum(i, 1, 0, c(N, i))", first))
    step = w.know("Sum(i, 1, before + 2, c(N, i))", w.use("ways", w.solve(), others="N", copies="before + 2"))
    then = ["Sum(i, 1, k + 1, c(N, i)) >= (G - N)*y"]
    w.add("once", variables, where, then, w.induct("k", "0", first, step))
    where += ["U >= 0", "D >= 0", "p > 0", "p <= (G - N)*y", "m >= 0", "t >= 0", "G >= 1"]
    where += ["m*(1 + p) <= U*t*p", "t*G*y <= D*m*(1 - G*y)"]
    then = [
        "m*Sum(i, 0, k, c(N, i)) <= U*t*Sum(i, 1, k + 1, c(N, i))",
        "t*Sum(i, 1, k + 1, c(N, i)) <= D*m*Sum(i, 0, k, c(N, i))",
    ]
    values = {"N": "N", "G": "G", "y": "y", "c": "c", "k": "k"}
    both = w.each(_scaled(w, "p", _above), w.solve(_below))
    by = w.know("Sum(i, 0, k + 1, c(N, i))", w.use("ways", both, others="N", copies="k + 1"))
    by = _bound(w, "k + 1", w.use("not negative", w.use("all", by, **values), **values))
    more = "; U rat; D rat; m rat; t rat; p rat"
    w.add("one seen", variables + more, where, then, w.use("once", by, **values))
    weights = {"name": "weights", "for": {"N": "int"}, "where": ["0 <= N"], "then": ["W(N) >= 0"]}
    where = [*NUMBERS, "f*d - G*q >= 1", *SHOWN, "0 <= M", "M <= L", {"let": ["y", "q/(f*d)"]}, WAYS, weights]
    shown, held = "Sum(i, 0, M - 1 - N, c(N, i))", "Sum(i, 1, M - N, c(N, i))"
    p, r = (f"Sum(N, 0, M - 1, W(N)*{one})" for one in (shown, held))
    numbers = {"p": "(G - L)*y", "k": "M - 1 - N"} | {name: name for name in ("N", "G", "y", "c", "U", "D", "m", "t")}
    here = w.have("(G - L)*y <= (G - N)*y", w.solve(_fewer), w.use("one seen", w.solve(), **numbers))
    term = {"term": w.use("weights", here, N="N")}
    functions = {"W": "W", "k": "M"}
    up = w.use("weighted", w.solve(), term, u="m", v="U*t", a=f"lambda N: {shown}", b=f"lambda N: {held}", **functions)
    down = w.use("weighted", w.solve(), term, u="t", v="D*m", a=f"lambda N: {held}", b=f"lambda N: {shown}", **functions)
    by = w.each(up, down)
    for text in ("m*(1 + (G - L)*y) <= U*t*(G - L)*y", "t*G*y <= D*m*(1 - G*y)"):
        by = w.have(text, w.solve(_cleared), by)
    by = w.have("(G - L)*y > 0", w.solve(_fewer), w.have("G >= 1", w.solve(), by))
    w.add(
        "seen",
        f"{SLOTS}; m rat; t rat; M int; c int, int -> rat; W int -> rat",
        where,
        [f"m*{p} <= U*t*{r}", f"t*{r} <= D*m*{p}"],
        by,
    )


def _fewer(sequent: pc.Sequent) -> list[list[str]]:
    return [["y", text] for text, _ in known_texts(sequent)]


def _first(_: pc.Sequent) -> list[list[str]]:
    return [["(G - N)*y", "c(N, 0) - 1 == 0"]]


def _above(_: pc.Sequent) -> list[list[str]]:
    """p (U t r - m T) = r (U t p - m (1 + p)) + m (r - p) + m p (1 + r - T), where T = 1 + r - c(N, k + 1)."""
    held = "Sum(i, 1, k + 1, c(N, i)) >= 0"
    equal = [["m*p", text.replace("k", "(k + 1)").replace("(k + 1) - 1", "k")] for text in (TOTAL, BELOW)]
    least = [["m", "Sum(i, 1, k + 1, c(N, i)) - (G - N)*y >= 0"], ["m", "(G - N)*y - p >= 0"]]
    return [["1", held, "U*t*p - m*(1 + p) >= 0"], *least, ["m*p", "c(N, k + 1) >= 0"], *equal]


def _below(_: pc.Sequent) -> list[list[str]]:
    some, late = "Sum(i, 1, k, c(N, i)) >= 0", "D*m*(1 - G*y) - t*G*y >= 0"
    equal = [[m, TOTAL] for m in ("D*m", "D*m*G*y", "t*G*y")]
    return [["1", some, late], ["t", LATER.replace("k", "(k + 1)").replace("(k + 1) - 1", "k")], *equal, ["D*m*G*y", some]]


def _scaled(w: Writer, by: str, hints: Hints) -> Tactic:
    """The goal times what is positive."""

    def tactic(sequent: pc.Sequent) -> dict[str, Any]:
        ((poly, kind),) = sequent.checker.goals(sequent)
        product = pc.Run(sequent).poly(pc.parsed(by), sequent.env, None) * poly
        found = multipliers(sequent, (product, kind), Finder(w.checker, hints).candidates(sequent))
        if found is None:
            raise NotFound(f"{by} times {sequent.goal.texts}")
        return {"rule": "combine", "goal": by, "with": found}

    return tactic


def _cleared(sequent: pc.Sequent) -> list[list[str]]:
    return [["f**(-1)*d**(-1)", text] for text, _ in known_texts(sequent)]


def _withheld(w: Writer) -> None:
    """More labels are shown, and slots hit, than L: j others are shown; k slots hit with H(k), and more than k with K(k)."""
    slots = [
        {"name": "slots", "for": {"i": "int"}, "where": [], "then": ["H(i) >= 0", "K(i) >= 0"]},
        {"name": "none", "for": {"i": "int"}, "where": ["i <= -1"], "then": ["H(i) == 0"]},
        {"name": "hits", "for": {"i": "int"}, "where": ["i >= 0"], "then": [HITS, "K(i) == K(i + 1) + H(i + 1)"]},
    ]
    where = [*NUMBERS, CAPPED, *slots]
    then = ["K(k) + s*H(k) <= U*K(k)", "K(k) <= D*(K(k) + s*H(k))"]
    some = w.use(
        "hits",
        w.use("slots", w.use("slots", w.each(_scaled(w, "(k + 1)*f", _capped), w.solve(_shown)), i="k + 1"), i="k"),
        i="k",
    )
    none = w.use("none", w.use("slots", w.solve(_shown), i="k"), i="k")
    functions = "H int -> rat; K int -> rat"
    w.add("one withheld", f"k int; {SLOTS}; {functions}", ["k <= L", *where], then, w.cases("k >= 0", some, none))
    weights = {"name": "weights", "for": {"j": "int"}, "where": ["0 <= j"], "then": ["a(j) >= 0"]}
    both = [f"Sum(j, 0, A, a(j)*({text}))" for text in ("K(L - j) + s*H(L - j)", "K(L - j)")]
    values = {name: name for name in ("U", "D", "s", "L", "G", "q", "f", "d", "H", "K")} | {"k": "L - N"}
    term = {"term": w.use("weights", w.use("one withheld", w.solve(), **values), j="N")}
    p, r = "lambda j: K(L - j) + s*H(L - j)", "lambda j: K(L - j)"
    up = w.use("weighted", w.solve(), term, k="A + 1", u="1", v="U", W="a", a=p, b=r)
    down = w.use("weighted", w.solve(), term, k="A + 1", u="1", v="D", W="a", a=r, b=p)
    then = [f"{both[0]} <= U*{both[1]}", f"{both[1]} <= D*{both[0]}"]
    w.add("withheld", f"{SLOTS}; A int; a int -> rat; {functions}", ["A >= 0", *where, weights], then, w.each(up, down))


def _capped(_: pc.Sequent) -> list[list[str]]:
    capped = "(U - 1)*(G - L)*q - s*(L + 1)*f >= 0"
    later = [["(k + 1)*f", "U - 1 >= 0", "K(k + 1) >= 0"], ["(k + 1)*f*U", "K(k) - K(k + 1) - H(k + 1) == 0"]]
    later += [["(k + 1)*f", "K(k) - K(k + 1) - H(k + 1) == 0"]]
    equal = [[m, "(k + 1)*f*H(k + 1) - (G - k)*q*H(k) == 0"] for m in ("U", "1")]
    rest = [["q", "H(k) >= 0", "U - 1 >= 0", "L - k >= 0"], ["s*f", "H(k) >= 0", "L - k >= 0"]]
    return [["1", "H(k) >= 0", capped], *later, *equal, *rest]


def _shown(_: pc.Sequent) -> list[list[str]]:
    above = [["1", f"{x} - 1 >= 0", "K(k) >= 0"] for x in "UD"]
    return [*above, ["D*s", "H(k) >= 0"], ["s", "H(k) == 0"], ["D*s", "H(k) == 0"]]
