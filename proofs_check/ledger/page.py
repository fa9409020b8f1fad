"""The claims page that the repository holds: a short table for each paper, of the verdict that a run gave each claim."""

import re
from collections.abc import Mapping
from itertools import groupby

from finitedp.proofs_check.claims import sections

_HEAD = """# Claims

<!-- generated: finitedp verify --page docs/claims.md -->

Every numbered statement of four papers, and our own claims, with the verdict of a run of `finitedp verify`:

- BV: Balcer and Vadhan, *Differential Privacy on Finite Computers* (Journal of Privacy and Confidentiality, 2019);
- PH: Suresh, *Differentially Private Anonymized Histograms* (NeurIPS 2019);
- GK: Ghazi, Kamath, Kumar and Manurangsi, *Anonymized Histograms in Intermediate Privacy Models* (NeurIPS 2022), its appendix;
- FA: Bansal, Chunduru, Data and Prabhakaran, *Flexible Accuracy for Differential Privacy* (AISTATS 2022);
- FD: claims of finitedp itself.

{number} claims: {counts}. [What each verdict means](verdicts.md). A verdict holds for sizes, such as *verified for n <= 6,
m <= 3; hunted to n = 96*, which `finitedp claims ID` and the built manual say beside each.

The built manual has all of them in one table that sorts and filters, and a page for each section: statements, scopes,
witnesses, and links to the code and the check. It is linked below. Without it, `finitedp claims ID` shows one claim.
"""

_TREE = "\n## In the built manual\n\n```{toctree}\n:maxdepth: 1\n:glob:\n\nclaims/*\n```\n"

_KINDS = {
    "Alg": "Algorithm",
    "App": "Appendix",
    "Claim": "Claim",
    "Cor": "Corollary",
    "Def": "Definition",
    "Eq": "Equation",
    "Err": "Misprint",
    "Fig": "Figure",
    "Fn": "Footnote",
    "Lem": "Lemma",
    "Obs": "Observation",
    "Prop": "Proposition",
    "Rem": "Remark",
    "Sec": "Section",
    "Thm": "Theorem",
}
_NUMBERED = re.compile(rf"({'|'.join(_KINDS)})\.?([A-Z]?\.?\d[\d.]*\d|[A-Z]?\.?\d|[A-Z])\.?(.*)")


def claims_page(verdicts: Mapping[str, str]) -> str:
    """The page as MyST Markdown. Parameters: the verdict of each claim by id, in the order of the ledger."""
    numbers = {verdict: sum(v == verdict for v in verdicts.values()) for verdict in verdicts.values()}
    counts = ", ".join(f"{number} {verdict}" for verdict, number in sorted(numbers.items(), key=lambda x: -x[1]))
    parts = [_HEAD.format(number=len(verdicts), counts=counts)]
    for paper, of_paper in groupby(verdicts, key=lambda claim: _paper_and_title(claim)[0]):
        parts.append(f"\n## {paper}\n\n| section | verdict | claims |\n|---|---|---|\n")
        for title, of_section in groupby(of_paper, key=lambda claim: _paper_and_title(claim)[1]):
            ids = list(of_section)
            for verdict in dict.fromkeys(verdicts[claim] for claim in ids):
                named = ", ".join(claim.removeprefix(f"{paper}.") for claim in ids if verdicts[claim] == verdict)
                parts.append(f"| {title} | {verdict} | {named} |\n")
    return "".join([*parts, _TREE])


def _paper_and_title(id: str) -> tuple[str, str]:  # noqa: A002  # the field's name
    paper, _, title = sections()[id].partition(" ")
    return ("FD", title.partition(": ")[2]) if paper == "Our" else (paper, title)


def numbered(id: str) -> str:  # noqa: A002  # the field's name
    """How the paper counts a claim, such as "Theorem 4.10 iii"; nothing for a claim of our own."""
    paper, _, rest = id.partition(".")
    found = None if paper == "FD" else _NUMBERED.match(rest)
    if not found:
        return ""
    part = re.sub(r"\.?literal$", ", as printed", re.sub(r"\.?all$", ", for all parameters", found[3]))
    return f"{_KINDS[found[1]]} {found[2]}{'' if part.startswith(',') else ' '}{part}".rstrip()
