"""The claims page of the manual, generated from a run.

It holds no times and no line numbers, so that the same run gives the same page, and an edit elsewhere leaves it as it is.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from finitedp.proofs_check.claims import sections
from finitedp.proofs_check.hunting.words import verdict_in_words
from finitedp.proofs_check.ledger.entry import Entry, Grid
from finitedp.proofs_check.ledger.references import establishes, place_of, speaks_of, specification
from finitedp.proofs_check.ledger.verify import Result

__all__ = ["claim_block", "claims_page", "page_head"]

_HEAD = """# Claims

<!-- generated: finitedp verify --page docs/claims.md -->

Every numbered statement of Balcer and Vadhan, *Differential Privacy on Finite Computers*
(Journal of Privacy and Confidentiality, 2019), Suresh, *Differentially Private Anonymized Histograms* (NeurIPS 2019), and
the appendix of Ghazi, Kamath, Kumar and Manurangsi, *Anonymized Histograms in Intermediate Privacy Models* (NeurIPS 2022), in
our own words, with what a run of `finitedp verify{option}` found. Ids that start with `BV`, `PH` and `GK` are theirs, in that
order, `BV.Err` are misprints, `FD` are our own claims. {total} claims, {instances} instances, {twins} negative twins rejected.
{proved} are proved for all parameters.

- **proved**: it holds for all parameters, by a proof object that was re-checked against the code as it is;
- **verified**: the check held on every instance of the grid; *for n <= 6* are the largest values there, and *hunted to
  n = 96* is how far [a search for counterexamples](hunting.md) went beyond it, and found none;
- **verified (symbolic)**: it held for more than the instances, by an argument that the check carries out (an identity of
  polynomials, or monotonicity between two exact comparisons); *a run shows* says for what;
- **derived**: it follows from other entries, which held in the same run, by the lemma or step that *a run shows* names; at the
  parameters of the grid what it speaks of was not explored, or only in part;
- **sampled**: it held on what was drawn, and nothing is said about the rest;
- **measured**: the cost was counted at several sizes, where it grew no faster than the asymptotic bound; nothing is said
  beyond;
- **refuted**: the literal text fails, with a counterexample; **repaired**: the corrected statement was verified, and its
  literal text refuted, in the same run.

`finitedp claims ID` shows one claim with the line of its check, `pytest -k ID` tests it. The [ledger](ledger.md) explains the
rest.
"""

_LONGEST = 160
_SPECIAL = re.compile(r"([\\`*_\[\]<>$|~{}])")


def claims_page(results: Sequence[Result], grid: Grid) -> str:
    """The page as MyST Markdown. Parameters: results of a run on the grid, in the order of the ledger."""
    parts = [page_head([r.entry for r in results], grid)]
    for title, group in groupby(results, key=lambda r: sections()[r.entry.id]):
        parts += [f"## {title}\n", *(claim_block(result, grid) for result in group)]
    return "\n".join(parts)


def page_head(entries: Sequence[Entry], grid: Grid) -> str:
    """What stands above the claims."""
    option = "" if grid == "quick" else f" --grid {grid}"
    totals = {"instances": sum(len(e.instances(grid)) for e in entries), "twins": sum(len(e.twins) for e in entries)}
    totals["proved"] = sum(e.verdict == "proved" for e in entries)
    return _HEAD.format(option=option, total=len(entries), **totals)


def claim_block(result: Result, grid: Grid) -> str:
    """What the page says of one claim: its verdict and statement, and under a fold all that leads to its check and test."""
    entry, place = result.entry, place_of(result.entry)
    quick, full = len(entry.instances("quick")), len(entry.instances("full"))
    refuted, found = result.outcome == "refuted", _cut(result.worst.detail)
    facts = [
        ("checked over", _plain(entry.quantifiers)),
        *([] if entry.verdict == "verified" else [("a run shows", _plain(establishes(entry)))]),
        ("counterexample", _plain(f"{found} ({_cut(result.where)})")) if refuted else ("worst case", _plain(found)),
        ("instances", f"{quick} quick, {full} full"),
        ("code", _names(speaks_of(entry)) or "none: the claim is about the specification itself"),
        ("compared with", _names(specification(entry)) or "nothing of `finitedp.spec`: the check says what must hold"),
        ("check", f"`{place.function}` in `{place.file}`"),
        ("twins rejected", _plain("; ".join(result.rejected)) or "none: its repair has twins"),
    ]
    folded = "".join(f"- {label}: {text}\n" for label, text in facts)
    head = f"**`{entry.id}`** {_plain(verdict_in_words(entry, result.outcome, grid))}. {_plain(entry.statement)}\n"
    return f'{head}\n<details id="{entry.id}"><summary>how it is checked</summary>\n\n{folded}\n</details>\n'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _names(dotted: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in dotted)


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing to mark."""
    return _SPECIAL.sub(r"\\\1", text)
