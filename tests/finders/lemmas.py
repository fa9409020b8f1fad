"""Finds proofs on dyadic tables and on laws again: python -m tests.finders.lemmas FOLDER.

It needs z3. What it writes is re-checked by proof_checker, which trusts nothing of this.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.finding import known_texts
from tests.finders.lemmas_blanket import blanket
from tests.finders.lemmas_padding import padding
from tests.finders.lemmas_pairs import pairs
from tests.finders.lemmas_sparse import sparse
from tests.finders.tactics import Tactic, Writer

Document = dict[str, Any]


def _known(sequent: pc.Sequent) -> list[str]:
    return [text for text, _ in known_texts(sequent)]


def _pairs(*with_: str) -> Callable[[pc.Sequent], list[Sequence[str]]]:
    """Products of each known fact with those of these that are known."""

    def hints(sequent: pc.Sequent) -> list[Sequence[str]]:
        known = _known(sequent)
        return [["1", a, b] for a in with_ if sequent.holds(sequent.checker.fact(sequent, a)) for b in known]

    return hints


def _sums(*multipliers: str) -> Callable[[pc.Sequent], Sequence[Sequence[str]]]:
    """Products of these with the known equalities, which are those of sums."""
    return lambda sequent: [[m, text] for m in multipliers for text in _known(sequent) if text.endswith("== 0")]


# Dyadic tables


def _forall(name: str, most: str, *then: str, least: str = "0") -> Document:
    return {"name": name, "for": {"j": "int"}, "where": [f"{least} <= j", f"j <= {most}"], "then": [*then]}


FIRST = _forall("i", "n - 2", "S(j) - S(j + 1) <= R*(S(j + 1) - S(j + 2))")
FALLS = _forall("falls", "n - 2", "S(j + 1) - S(j + 2) <= S(j) - S(j + 1)")
SECOND = _forall("ii", "n - 1", "S(j) <= R*S(j + 1)")
TAILS = _forall("tails", "n - 1", "S(j + 1) <= S(j)", "0 <= S(j + 1)")
TABLE = ["n >= 1", "R >= 1", FALLS, TAILS]


def _of(count: str) -> str:
    """2^B times the probability of z at a count: of noise with 2^B Pr[Z >= j] = S(j), where 2^B = S(0) + S(1)."""
    return f"(clamped_cdf(S, S(0) + S(1), n, {count}, z) - clamped_cdf(S, S(0) + S(1), n, {count}, z - 1))"


FORTH, BACK = f"{_of('c')} <= R*{_of('c + 1')}", f"{_of('c + 1')} <= R*{_of('c')}"
PRIVATE = {
    "name": "private",
    "for": {"c": "int", "z": "int"},
    "where": ["0 <= c <= n - 1", "0 <= z <= n"],
    "then": [FORTH, BACK],
}


def dyadic() -> Document:
    """(i) and (ii) are equivalent to privacy; (ii) follows from (i) and its last case; the floor; what is left over."""
    w = Writer("Dyadic tables of any n", ["finitedp.impl.arithmetic.kernels.clamped_cdf"])
    solve = w.solve(_pairs("R - 1 >= 0"))

    def at(j: str, then: Tactic, *names: str) -> Tactic:
        for name in names:
            then = w.use(name, then, j=j)
        return then

    inner = w.cases(
        "z <= c",
        at("c - z", at("c - z + 1", solve, "tails"), "i", "falls", "tails"),
        at("z - c - 1", at("z - c", solve, "tails"), "i", "falls", "tails"),
    )
    end = at("n - c - 1", solve, "tails", "ii")
    outputs = w.cases("z <= 0", at("c", solve, "tails", "ii"), w.cases("z >= n", end, inner))
    where = [*TABLE, FIRST, SECOND, "0 <= c <= n - 1", "0 <= z <= n"]
    w.add("ratio", "n int; R rat; S int -> rat; c int; z int", where, [FORTH, BACK], w.each(outputs))
    private = w.use("private", w.solve(), c="k", z="0")
    private = w.cases("k >= 1", private, private)
    where = ["n >= 1", "R >= 1", "0 <= k <= n - 1", PRIVATE]
    w.add("only if (ii)", "n int; R rat; S int -> rat; k int", where, ["S(k) <= R*S(k + 1)"], private)
    private = w.use("private", w.solve(), c="k + 1", z="1")
    private = w.have("n >= 2", w.solve(), w.cases("k >= 1", private, private))
    where = ["n >= 1", "R >= 1", "0 <= k <= n - 2", PRIVATE]
    w.add("only if (i)", "n int; R rat; S int -> rat; k int", where, ["S(k) - S(k + 1) <= R*(S(k + 1) - S(k + 2))"], private)
    last = "S(n - 1) <= R*S(n)"
    step = w.use("i", w.solve(), j="n - 2 - before")
    where = ["n >= 1", "R >= 1", FIRST, last, "0 <= m <= n - 1"]
    by = w.induct("m", "0", w.solve(), step)
    w.add("(ii) from its end", "n int; R rat; S int -> rat; m int", where, ["S(n - 1 - m) <= R*S(n - m)"], by)
    where = ["R >= 1", "v >= 1", "v + 1 <= w", "w <= R*v"]
    w.add("floor", "R rat; v int; w int", where, ["1 <= (R - 1)*v"], w.solve())
    where = ["R >= 1", "x >= 0", "a <= R*b"]
    w.add("left over", "R rat; a rat; b rat; x rat", where, ["a + x <= R*(b + x)"], w.solve(_pairs("R - 1 >= 0")))
    _geometric(w)
    return w.document(
        BV_Thm4_6_i_all=["geometric"],
        FD_Dyadic_private_all=["ratio"],
        FD_Dyadic_conditions_all=["ratio", "only if (ii)", "only if (i)"],
        FD_Dyadic_induction_all=["(ii) from its end"],
        FD_Dyadic_floor_all=["floor"],
        FD_Dyadic_leftover_all=["left over"],
    )


def _geometric(w: Writer) -> None:
    """Tails that are powers: Theorem 4.6."""
    last = w.solve(_powers)
    two = w.use("tail", w.use("tail", last, j="j + 1"), j="j")
    three = w.use("tail", two, j="j + 2")
    shown = {"i": three, "falls": three, "ii": two, "tails": two}
    by = w.use("ratio", last, shown, n="n", R="1/a", S="S", c="c", z="z")
    by = w.have("1/a >= 1", w.solve(lambda _: [["a**(-1)", "1 - a > 0"]]), by)
    tail = _forall("tail", "n", "S(j) == a**j/(1 + a)")
    where = ["n >= 1", "0 < a", "a < 1", tail, "0 <= c <= n - 1", "0 <= z <= n"]
    then = [f"a*{p} <= {q}" for p, q in ((_of("c"), _of("c + 1")), (_of("c + 1"), _of("c")))]
    w.add("geometric", "n int; a rat; S int -> rat; c int; z int", where, then, by)


def _powers(sequent: pc.Sequent) -> list[Sequence[str]]:
    falls = ["a**j*(1 + a)**(-1)", "1 - a > 0"]
    found = [falls, [*falls, "1 - a > 0"]] if "j" in sequent.env else []
    return [*_sums("a**(-1)")(sequent), *found, *(["a", text] for text in _known(sequent))]


# Laws in general


def mixing() -> Document:
    """Lemma 3.2 i, for one output: its sum over a set of outputs is the lemma."""
    w = Writer("Mixing with a fixed law")
    where = [
        *("r >= 1", "0 < gamma", "gamma < 1", "delta >= 0", "least >= 0", "p >= 0", "q >= 0", "p <= r*q"),
        *("p1 <= p + delta", "q1 >= q - delta", "u >= least", "delta*(r + 1)*(1 - gamma) <= (r - 1)*gamma*least"),
    ]
    then = ["(1 - gamma)*p1 + gamma*u <= r*((1 - gamma)*q1 + gamma*u)"]
    hints = _pairs("1 - gamma > 0", "r - 1 >= 0", "r >= 0")

    def more(sequent: pc.Sequent) -> list[Sequence[str]]:
        return [*hints(sequent), ["gamma", "r - 1 >= 0", "u - least >= 0"], ["r", "1 - gamma > 0", "q1 - q + delta >= 0"]]

    variables = "r rat; gamma rat; delta rat; least rat; p rat; q rat; p1 rat; q1 rat; u rat"
    w.add("mixture", variables, where, then, w.solve(more))
    return w.document(BV_Lem3_2_i_all=["mixture"])


def packing() -> Document:
    """A chain of neighbours, and disjoint events each of which is likely at a dataset that is m rows from one dataset."""
    w = Writer("Chains of neighbours, and packing")
    hop = {"name": "hop", "for": {"j": "int"}, "where": ["0 <= j", "j <= t - 1"], "then": ["a(j) <= r*a(j + 1) + delta"]}
    where = ["r >= 1", "delta >= 0", "0 <= m <= t", hop]
    then = ["(r - 1)*a(0) <= (r - 1)*r**m*a(m) + delta*(r**m - 1)"]
    hints = _pairs("r - 1 >= 0")

    def more(sequent: pc.Sequent) -> list[Sequence[str]]:
        return [*hints(sequent), ["r**before", "r - 1 >= 0", "r*a(m) + delta - a(before) >= 0"]]

    by = w.induct("m", "0", w.solve(), w.use("hop", w.solve(more), j="before"))
    w.add("chain", "m int; t int; r rat; delta rat; a int -> rat", where, then, by)
    likely = {"name": "likely", "for": {"i": "int"}, "where": ["1 <= i", "i <= t"], "then": ["1 - beta <= A*p(i) + D"]}
    where = ["A >= 0", "0 <= m <= t", likely]
    then = ["m*(1 - beta) <= A*Sum(i, 1, m, p(i)) + m*D"]
    last = w.know("Sum(i, 1, m, p(i))", w.solve(_sums("A")))
    by = w.induct("m", "0", last, w.use("likely", last, i="m"))
    w.add("sums", "m int; t int; A rat; beta rat; D rat; p int -> rat", where, then, by)
    where = [
        "A >= 0",
        "t >= 1",
        {"name": "likely", **{k: v for k, v in likely.items() if k != "name"}},
        "Sum(i, 1, t, p(i)) <= 1",
    ]
    by = w.use("sums", w.solve(_pairs("A >= 0")), m="t", t="t", A="A", beta="beta", D="D", p="p")
    w.add("packing", "t int; A rat; beta rat; D rat; p int -> rat", where, ["t*(1 - beta) <= A + t*D"], by)
    return w.document(FD_Group_all=["chain"], FD_Packing_all=["chain", "packing"])


def composition() -> Document:
    """Basic composition, and two replace-one steps from add-remove."""
    w = Writer("Composition")
    one = [
        "0 <= d2",
        "r1 >= 1",
        "r2 >= 1",
        "p >= 0",
        "q >= 0",
        "e >= 0",
        "s <= 1",
        "0 <= t",
        "s <= r2*t + d2",
        "p <= r1*q + e",
    ]

    def more(sequent: pc.Sequent) -> list[list[str]]:
        found = [
            ["1", "s - d2 >= 0", "r1*q + e - p >= 0"],
            ["r1*q", "r2*t + d2 - s >= 0"],
            ["e", "1 - s >= 0"],
            ["e", "d2 >= 0"],
        ]
        known = [x for x in found if all(sequent.holds(sequent.checker.fact(sequent, f)) for f in x[1:])]
        return [*known, ["p", "d2 - s > 0"], ["r1*r2*q*t", "r1 >= 0"]] if "s - d2 >= 0" not in _known(sequent) else known

    def finish(sequent: pc.Sequent) -> Document:
        def hints(q: pc.Sequent) -> list[list[str]]:
            return [x for x in more(q) if all(q.holds(q.checker.fact(q, f)) for f in x[1:])]

        return w.have("r1 >= 0", w.solve(), w.have("r2 >= 0", w.solve(), w.solve(hints)))(sequent)

    variables = "r1 rat; r2 rat; d2 rat; p rat; q rat; e rat; s rat; t rat"
    w.add("one output", variables, one, ["p*s <= r1*r2*q*t + e + d2*p"], w.cases("s >= d2", finish, finish))
    each = {
        "name": "each",
        "for": {"o": "int"},
        "where": ["1 <= o", "o <= k"],
        "then": [
            "p(o) >= 0",
            "q(o) >= 0",
            "e(o) >= 0",
            "s(o) <= 1",
            "0 <= t(o)",
            "s(o) <= r2*t(o) + d2",
            "p(o) <= r1*q(o) + e(o)",
        ],
    }
    parts = ["p(o)*s(o)", "q(o)*t(o)", "e(o)", "p(o)"]
    ps, qt, es, sp = (f"Sum(o, 1, m, {x})" for x in parts)
    where = ["0 <= d2", "r1 >= 1", "r2 >= 1", "0 <= m <= k", each]
    then = [f"{ps} <= r1*r2*{qt} + {es} + d2*{sp}"]

    summed = w.solve(_sums("r1*r2", "d2"))
    for x in parts:
        summed = w.know(f"Sum(o, 1, m, {x})", summed)
    values = {v: f"{v}(m)" for v in "pqest"} | {"r1": "r1", "r2": "r2", "d2": "d2"}
    step = w.use("each", w.use("one output", summed, **values), o="m")
    functions = "; ".join(f"{x} int -> rat" for x in "pqest")
    variables = f"m int; k int; r1 rat; r2 rat; d2 rat; {functions}"
    w.add("sums", variables, where, then, w.induct("m", "0", summed, step))
    sk = {x: f"Sum(o, 1, k, {x})" for x in parts}
    where = ["0 <= d2", "r1 >= 1", "r2 >= 1", "0 <= k", each, f"{sk['e(o)']} <= d1", f"{sk['p(o)']} <= 1"]
    then = [f"{sk['p(o)*s(o)']} <= r1*r2*{sk['q(o)*t(o)']} + d1 + d2"]
    same = {v: v for v in ("r1", "r2", "d2", "p", "q", "e", "s", "t")}
    by = w.use("sums", w.solve(_pairs("d2 >= 0")), m="k", k="k", **same)
    w.add("composition", f"k int; r1 rat; r2 rat; d1 rat; d2 rat; {functions}", where, then, by)
    where = ["r >= 1", "p <= r*m + delta", "m <= r*q + delta", "q >= 0"]
    w.add(
        "replace",
        "r rat; p rat; m rat; q rat; delta rat",
        where,
        ["p <= r**2*q + (1 + r)*delta"],
        w.solve(lambda _: [["r", "r*q + delta - m >= 0"]]),
    )
    return w.document(BV_Lem2_4_all=["composition"], FD_ReplaceOne_all=["replace"])


LEMMAS: dict[str, Callable[[], Document]] = {
    "dyadic": dyadic,
    "mixing": mixing,
    "packing": packing,
    "composition": composition,
    "padding": padding,
    "pairs": pairs,
    "blanket": blanket,
    "sparse": sparse,
}


def main(arguments: Sequence[str]) -> None:
    """Write the proofs into a folder."""
    for name in arguments[1:] or LEMMAS:
        text = json.dumps(LEMMAS[name](), indent=1)
        (Path(arguments[0]) / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
