"""Why loads rise: every rising result has a reason, and what reasons say in numbers is so."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gmpy2 import mpq

from finitedp.cli.claims import claims
from finitedp.exact import ceil_log
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.kept import decided_again
from finitedp.proofs_check.hunting.reasons import REASONS, reasons
from finitedp.proofs_check.hunting.results import FILE, recorded
from finitedp.proofs_check.hunting.running import why_not_hunted

DOCS = Path(__file__).parents[3] / "docs"
LEDGER = entries()
KNOWN = recorded(LEDGER.values(), FILE)
RISING = [id for id, one in KNOWN.items() if one.found.rising]  # noqa: A001  # the field's name
KINDS = ("tight", "below", "choice", "unexplained")


def test_every_rising_load_has_a_reason_and_every_reason_a_load_to_explain() -> None:
    """A longer look at the grid may reach what a hunt did, so that a load is large and rises no more: its reason stays."""
    assert RISING
    assert [id for id in RISING if id not in reasons()] == []  # noqa: A001  # the field's name
    assert [id for id in reasons() if id in KNOWN and mpq(KNOWN[id].found.load) <= mpq(1, 2)] == []  # noqa: A001  # as above
    assert [id for id in reasons() if id not in LEDGER or why_not_hunted(LEDGER[id]) is not None] == []  # noqa: A001  # as above


def test_no_reason_is_given_twice() -> None:
    tables = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    assert set(tables) <= set(KINDS)
    assert sum(map(len, tables.values())) == len(reasons())
    texts = Counter(one.text for one in reasons().values())
    assert texts.most_common(1)[0][1] == 1
    assert min(map(len, texts)) > 40


def test_the_manual_counts_them() -> None:
    kinds = Counter(one.kind for one in reasons().values())
    said = ", ".join(f"{kinds[kind]} *{kind}*" for kind in KINDS)
    assert f"{len(reasons())} claims have a reason: {said}." in " ".join((DOCS / "hunting.md").read_text().split())


def test_a_claim_is_told_with_the_reason_for_its_load() -> None:
    rising, other = RISING[0], next(id for id in KNOWN if id not in reasons())  # noqa: A001  # as above
    why = reasons()[rising]
    told = " ".join(CliRunner().invoke(claims, [rising], catch_exceptions=False).output.split())
    assert f"its load {why.kind}: {why.text}" in told
    assert "its load " not in CliRunner().invoke(claims, [other], catch_exceptions=False).output
    document = CliRunner().invoke(claims, [rising, "--json"], catch_exceptions=False).output
    assert f'"why": "{why.kind}: ' in document


def _best(ratio: str, **fields: Any) -> dict[str, Any]:
    return {"size": 2, "a": 0, "ratio": ratio, "delta": 0, "bins": 0} | fields


def _bar(root: str, n: int) -> dict[str, Any]:
    return {"scale": {"root": root, "parts": 4}, "tau": "1/2", "nu": 0, "x": [n]}


Y = mpq(11, 10)


@pytest.mark.parametrize(
    ("id", "document", "load"),
    [
        ("FD.SampledKeepHeavy.delta", {"n": 3, "d": 1000, "ratio": 1}, 1 - mpq(1, 2000)),
        ("FD.Packing.two", _best("4000", kind={"text": "'sparse'"}, size=3, bins=1), 1 - mpq(2, 4000)),
        ("PH.Eq15", 13, 1 - mpq(2, 13)),
        ("GK.Eq8", {"universe": 5, "buckets": 5}, 1 - mpq(1, 5**4)),
        ("GK.Eq9", {"universe": 8, "buckets": 2}, (1 - mpq(1, 2**6)) / (1 - mpq(1, 2**7))),
        ("GK.Eq6", {"g": [1] * 7, "h": [1] * 6, "n": 7}, mpq(3, 4) / (1 - mpq(1, 29)) ** 6),
        ("GK.Thm25.tail", [1, "999/1000"], mpq(999, 1000)),
        ("FA.Lem5", {"p": [6, 0, 0], "q": [0, 0, 6], "gamma": 0}, 1 - mpq(1, 6)),
        ("FA.Thm3.ii", {"scale": {"root": "9/8", "parts": 8}, "tau": "15/16", "x": [60, 0]}, mpq(56, 60) / mpq(15, 16)),
        ("FA.Claim4", _bar("11/10", 2), (Y**3 - 1) / ((Y**2 + 1) * (Y**2 - 1))),
        ("FA.Claim4", _bar("11/10", 5), (Y**6 - 1) / ((Y**2 + 1) * (Y**5 - 1))),
        ("FD.Extreme.per-bar", {"k": 2, "dropped": 4, "ratio": 7}, mpq(1 + 1 + 7, 3 + 2 * 7)),
        ("BV.Prop6.15.iii", {"a": [30], "i": 2, "s": 901}, mpq(900, 901)),
        ("BV.Err.4", {"a": [20, 10], "i": 2, "s": 401}, mpq(400, 401)),
        ("BV.Prop6.17", {"m": 1, "p": 1, "q": 33, "t": 1, "s": 32, "guard": 0}, mpq(32, 33)),
    ],
)
def test_loads_in_closed_form(id: str, document: Any, load: mpq) -> None:  # noqa: A002  # the field's name
    found = decided_again(LEDGER[id], document)
    assert (found.holds, found.load) == (True, load)


@pytest.mark.parametrize(
    ("n", "q", "b", "m"),
    [(65, 1, 2, 4), *(pytest.param(*x, marks=pytest.mark.deep) for x in ((150, 1, 20, 7), (230, 3, 2, 13), (420, 5, 2, 32)))],
)
def test_figure_5_in_closed_form(n: int, q: int, b: int, m: int) -> None:
    """At m rows it is m/ceil(9/(2 epsilon) (m ln(1/p) - ln(2/(1+p)))), p = 2^k/(2^k + 1), and these m have the largest."""
    line = {"fast": {"text": "False"}, "n": n, "size": 2 * n + 1, "q": q, "beta": f"1/{b}"}
    found = decided_again(LEDGER["BV.Fig5"], line)
    p = 1 / (1 + mpq(1, 1 << (2 * q - 1).bit_length()))
    assert (found.holds, found.load) == (True, mpq(m, ceil_log(mpq(9 * q, 2), (1 + p) / (2 * p**m))))


@pytest.mark.parametrize("p", [mpq(1, 10), mpq(99, 100)])
def test_the_variance_with_two_noises_in_closed_form(p: mpq) -> None:
    """At c - r = -d it is p^d (A + B d (1-p))/(1-p)^7, and 5 (1 + d (1-p)) p^d/(1-p)^7 is allowed."""
    found = decided_again(LEDGER["GK.E.variance"], {"decay": str(p), "reach": 20})
    twice_a = 1 - 4 * p + 8 * p**2 - 4 * p**4 + 12 * p**5 - 5 * p**6 + 2 * p**7
    twice_b = 1 + 4 * p**2 + 4 * p**4 + p**6
    assert "c - r = -20" in found.detail
    assert found.load == (twice_a + twice_b * 20 * (1 - p)) / (1 + p) / (5 * (1 + 20 * (1 - p)))
