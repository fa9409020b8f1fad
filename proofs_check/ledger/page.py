"""The claims table of the manual, generated from a run. It holds no times, so that the same run gives the same page."""

from collections.abc import Sequence

from finitedp.proofs_check.ledger.entry import Grid
from finitedp.proofs_check.ledger.verify import Result

__all__ = ["claims_page"]

_HEAD = """# Claims

<!-- generated: finitedp verify --page docs/claims.md -->

Every numbered statement of Sections 2 to 8 and Appendix A of Balcer and Vadhan, *Differential Privacy on Finite Computers*
(Journal of Privacy and Confidentiality, 2019), in our own words, with what a run of `finitedp verify{option}` found.
Ids that start with `BV` are theirs, `BV.Err` are misprints, `FD` are our own claims. {total} claims, {instances} instances,
{twins} negative twins rejected.

- **verified**: the check held on every instance of the grid;
- **verified (symbolic)**: it held for more than the instances, by an argument that the check carries out (an identity of
  polynomials, or monotonicity between two exact comparisons); the column *checked over* says for what;
- **refuted**: the literal text fails, with a counterexample; **repaired**: the corrected statement was verified, and its
  literal text refuted, in the same run.

| claim | verdict | statement | checked over | instances (quick / full) | worst case | twins rejected |
|---|---|---|---|---|---|---|
"""


def claims_page(results: Sequence[Result], grid: Grid) -> str:
    """The page as MyST Markdown. Parameters: results of a run on the grid, in the order of the table."""
    rows = []
    for r in results:
        sizes = f"{len(r.entry.instances('quick'))} / {len(r.entry.instances('full'))}"
        over = r.entry.quantifiers if r.entry.reach == "grid" else f"{r.entry.quantifiers} (reach: {r.entry.reach})"
        worst = r.worst.detail if len(r.worst.detail) <= 160 else r.worst.detail[:157] + "..."
        cells = (f"`{r.entry.id}`", f"**{r.outcome}**", r.entry.statement, over, sizes, f"{worst}", ", ".join(r.rejected))
        rows.append("| " + " | ".join(_cell(cell) for cell in cells) + " |\n")
    option = "" if grid == "quick" else f" --grid {grid}"
    totals = {"instances": sum(r.instances for r in results), "twins": sum(len(r.rejected) for r in results)}
    return _HEAD.format(option=option, total=len(results), **totals) + "".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*" if not text.startswith("**") else "*").replace("<", "&lt;")
