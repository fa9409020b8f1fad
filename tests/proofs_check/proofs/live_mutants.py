"""Mutants of the functions that proofs run, and the step at which the live checker refuses each.

python -m tests.proofs_check.proofs.live_mutants [EVERY]
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from finitedp.proofs_check.proofs.alone import live_files
from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.proofs_check.proofs.edited_copies import copied
from tests.proofs_check.proofs.mutants import documents, mutants

TABLE = Path(__file__).with_suffix(".md")
REASONS = {  # of edits that change no value
    "finitedp.exact.unit_fraction: line 1: 1 becomes 0": "the denominator of a positive number is at least 1 in any case",
    "finitedp.exact.unit_fraction: line 3: 0 becomes -1": "1/q is above both",
}


@cache
def runs() -> dict[str, set[str]]:
    """By the name of a proof object: the functions that it runs, and those behind summaries."""
    names = list(documents())
    found = live_files([OBJECTS / f"{name}.json" for name in names])
    return {name: {*one["ran"], *one["taken"]} for name, one in zip(names, found, strict=True)}


def refusal(name: str, path: str, source: str) -> str | None:
    """Why the first proof that runs a function is refused, where its module has this source; or None."""
    objects = [OBJECTS / f"{of}.json" for of, ran in runs().items() if name in ran]
    with copied({path: source}) as root:
        for found in (live_files([one], root)[0] for one in objects):
            if "refused" in found:
                return str(found["refused"])
    return None


def judged(every: int = 1) -> Iterator[tuple[str, str, str | None]]:
    """Each mutant, or one of so many: the function, what was done, and why it is refused, or None."""
    chosen = [one for one in list(mutants())[::every] if any(one[0] in ran for ran in runs().values())]
    with ThreadPoolExecutor(2) as pool:  # each runs a process
        refused = pool.map(lambda one: refusal(one[0], one[2], one[3]), chosen)
        for (name, what, *_), why in zip(chosen, refused, strict=True):
            yield name, what, why


def table(rows: list[tuple[str, str, str | None]]) -> str:
    """The table, in Markdown."""
    lines = ["| function | edit | refused at |", "|---|---|---|"]
    for name, what, why in rows:
        said = f"equivalent: {REASONS.get(f'{name}: {what}', 'NOT REFUSED')}" if why is None else why[:160].replace("|", "or")
        lines.append(f"| `{name.removeprefix('finitedp.')}` | {what} | {said} |")
    refused = sum(why is not None for _, _, why in rows)
    return f"{len(rows)} edits: {refused} refused, {len(rows) - refused} equivalent.\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    found = list(judged(int((sys.argv[1:] or ["1"])[0])))
    TABLE.write_text(table(found), encoding="utf-8")
    print(*(f"{name}: {what}" for name, what, why in found if why is None), sep="\n")
