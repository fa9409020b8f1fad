"""Finds the proof of (3.1) at the parameters of Theorem 6.11 again, for lemmas.py."""

from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.tactics import Writer

Document = dict[str, Any]


def sparse() -> Document:
    """(3.1) at the parameters of Theorem 6.11, by (m + 1)^m <= 3 m^m and a bound on n!."""
    w = Writer("Theorem 6.11", ["finitedp.impl.counting.geometric.GeoSample"])
    then = ["(m + 1)**k*m**2 <= m**k*(m**2 + k*m + k**2)"]
    w.add("power", "m int; k int", ["m >= 1", "0 <= k <= m"], then, w.induct("k", "0", w.solve(), w.solve(_powers)))
    three = {"rule": "combine", "goal": "m**2", "with": [["1", "m**m*(m**2 + m*m + m**2) - (m + 1)**m*m**2 >= 0"]]}
    w.add("three", "m int", ["m >= 1"], ["(m + 1)**m <= 3*m**m"], w.use("power", lambda _: three, m="m", k="m"))
    factorial = {"name": "factorial", "for": {"j": "int"}, "where": ["0 <= j"], "then": ["f(j + 1) == (j + 1)*f(j)"]}
    step = w.use("factorial", w.use("three", w.solve(_factorials), m="n"), j="before")
    by = w.induct("n", "1", w.use("factorial", w.solve(), j="0"), step)
    where = ["n >= 1", "f(0) == 1", factorial]
    w.add("n!", "n int; f int -> rat", where, ["2*3**n*f(n) >= 3*(n + 1)**n"], by)
    made = {"let": ["x", "2**GeoSample(n, 1/q).k"]}
    where = ["n >= 1", "q >= 1", made]
    spread = w.know("(2*q - 1).bit_length()", w.solve(_spread))
    w.add("spread", "n int; q int", where, ["2*(2*x**2 + 2*x + 1) <= 9*q*(2*x + 1)"], spread)
    where = ["n >= 1", "q >= 1", "b >= 2", "X >= 1", "f(0) == 1", factorial, made, {"let": ["r", "(1 + 1/x)**2"]}]
    then = ["1/(3*q*b*(3*X)**n)*(r + 1)*(1 - 1/b) <= (r - 1)*(1/b)*f(n)/((n + 1)**n*X**n)"]
    last = w.use("n!", w.use("spread", w.solve(_cleared), n="n", q="q"), n="n", f="f")
    w.add("(3.1)", "n int; q int; b int; X int; f int -> rat", where, then, last)
    return w.document(BV_Thm6_11_i_distance_all=["(3.1)"])


def _powers(_: pc.Sequent) -> list[list[str]]:
    return [
        ["m + 1", "m**before*(m**2 + before*m + before**2) - (m + 1)**before*m**2 >= 0"],
        ["m**before*k", "m - k >= 0"],
        ["m**before", "before >= 0"],
    ]


def _factorials(_: pc.Sequent) -> list[list[str]]:
    return [
        ["2*3**n", "f(n) == n*f(before)"],
        ["3*n", "2*3**before*f(before) - 3*n**before >= 0"],
        ["3", "3*n**n - (n + 1)**n >= 0"],
    ]


def _spread(_: pc.Sequent) -> list[list[str]]:
    return [["2*x + 1", "4*q - 1 - x >= 0"], ["1", "4*q - 1 - x >= 0"]]


def _cleared(_: pc.Sequent) -> list[list[str]]:
    return [
        ["(2*x + 1)*x**(-2)*b**(-1)*X**(-n)*(n + 1)**(-n)*3**(-n)", "2*3**n*f(n) - 3*(n + 1)**n >= 0"],
        ["b**(-1)*x**(-2)*X**(-n)*3**(-n)*q**(-1)", "9*q*(2*x + 1) - 2*(2*x**2 + 2*x + 1) >= 0"],
    ]
