"""Finds the proof about padding again, for lemmas.py: from rows that are replaced to rows that are added or removed."""

from typing import Any

from tests.finders.tactics import Writer

PRIVATE = {  # x is replaced by the filler, or the filler by x, in a dataset of N rows: a times x, b fillers, and o others
    "name": "private",
    "for": {"a": "int", "b": "int", "o": "int"},
    "where": ["a >= 0", "b >= 1", "o >= 0", "a + b + o == N"],
    "then": ["P(a, b, o) <= r*P(a + 1, b - 1, o) + delta", "P(a + 1, b - 1, o) <= r*P(a, b, o) + delta"],
}


def padding() -> dict[str, Any]:
    """What is private for N rows of which one is replaced is, on padded datasets, for a row that is added or removed."""
    w = Writer("Padding to a public number of rows", ["finitedp.spec.neighbours.fillers"])
    numbers = "N int; r rat; delta rat; x int; f int; y int; "  # a dataset: x rows of the label at hand, f fillers, y others
    where = ["r >= 1", "delta >= 0", "x >= 0", "f >= 0", "y >= 0", "x + f + y <= N - 1"]
    then = _either("P(x, f + fillers(N, x + f + y), y)", "P(x + 1, f + fillers(N, x + 1 + f + y), y)")
    by = w.use("private", w.solve(), a="x", b="N - x - y", o="y")
    w.add("another row", numbers + "P int, int, int -> rat", [*where, PRIVATE], then, by)
    positive = {"name": "positive", "for": {"b": "int", "o": "int"}, "where": [], "then": ["P(b, o) >= 0"]}
    then = _either("P(f + fillers(N, x + f + y), x + y)", "P(f + 1 + fillers(N, x + f + 1 + y), x + y)")
    by = w.use("positive", w.solve(lambda _: [["P(N - x - y, x + y)", "r - 1 >= 0"]]), b="N - x - y", o="x + y")
    w.add("a filler", numbers + "P int, int -> rat", [*where, positive], then, by)
    return w.document(FD_Padding_all=["another row", "a filler"])


def _either(p: str, q: str) -> list[str]:
    return [f"{p} <= r*{q} + delta", f"{q} <= r*{p} + delta"]
