"""A report on certificates: all that is said of them, in one dict that JSON can hold.

Every certificate is re-checked with the lone checker first. Of one that it rejects only the reason is shown.
page.py writes the report as HTML, markdown.py as Markdown.
"""

import hashlib
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.numbers import brief, decimal, outward, power_of_two
from finitedp.proofs_check import checker, pipeline_certificate
from finitedp.proofs_check.audit.certificate import laws_of, masses, read_certificate, read_json
from finitedp.proofs_check.audit.rows import as_row
from finitedp.proofs_check.deciders.composing import composed
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.profile import worst_profile
from finitedp.proofs_check.inputs import neighbouring
from finitedp.proofs_check.report import figures, wording
from finitedp.proofs_check.report.declared import outputs_words
from finitedp.proofs_check.report.divergences import DIVERGENCES, divergence_words
from finitedp.proofs_check.report.laws import drawn, exactly, law_columns, law_table, tail_lines
from finitedp.proofs_check.report.more_delta import verdict_label
from finitedp.proofs_check.report.said import said

Document = dict[str, Any]
Law = Mapping[str, mpq]
ZERO = mpq(0)

_OF_DIVERGENCES = [(about, f"{about} claim") for about in DIVERGENCES.values()]
_WORDS = {
    "fails": ("FAILS", "FAIL"),
    figures.ROUNDING: ("FAILS, by rounding only", "FAIL, by rounding only"),
    "differs": ("DIFFERS from its specification", "DIFFER from their specifications"),
    "undecided": ("is UNDECIDED", "are UNDECIDED"),
    "equal": ("equals its specification", "equal their specifications"),
    "holds with delta + u": ("holds with delta + u", "hold with delta + u"),
    "holds": ("holds", "hold"),
}


def report(files: Sequence[Path], progress: Callable[[int, int], None] = lambda _done, _of: None) -> Document:
    """The report on the certificates in these files.

    Parameters: progress, called with the number of certificates that are read, and of all.
    Raises: DataError, in one line, for a file that cannot be read or is no certificate.
    """
    audits, pipelines = list[Document](), list[Document]()
    for i, path in enumerate(files):
        progress(i, len(files))
        document = read_json(path)
        if document.get("format") == pipeline_certificate.FORMAT:
            pipelines.append(_pipeline(document, path))
        else:
            audits.append(_entry(f"audit-{len(audits) + 1}", path))
    return {
        "format": "finitedp report",
        "version": 1,
        "finitedp": version("finitedp"),
        "checker_sha256": hashlib.sha256(Path(checker.__file__).read_bytes()).hexdigest(),
        "summary": _summary(audits, pipelines),
        "rejected": sum(not audit["accepted"] for audit in (*audits, *pipelines)),
        "audits": audits,
        **({"pipelines": pipelines} if pipelines else {}),
    }


def _summary(audits: Sequence[Document], pipelines: Sequence[Document]) -> str:
    """How many claims hold, in one sentence for each question that was asked."""
    taken = [audit for audit in audits if audit["accepted"]]
    number, rejected = len(audits) + len(pipelines), sum(not audit["accepted"] for audit in (*audits, *pipelines))
    parts = [_number(number, "certificate")]
    if rejected:
        parts.append(f"{rejected} REJECTED")
    said = Counter(verdict["verdict"] for audit in pipelines for verdict in audit["verdicts"])
    parts += [f"{_number(times, 'claim')} of pipelines: {verdict}" for verdict, times in sorted(said.items())]
    for about, noun in (("Privacy", "privacy claim"), ("Law", "law"), ("Accuracy", "accuracy claim"), *_OF_DIVERGENCES):
        counts = Counter(verdict["verdict"] for audit in taken for verdict in audit["verdicts"] if verdict["about"] == about)
        for word in _WORDS:
            if counts[word]:
                by = _by_how_much(taken, word) if about == "Privacy" else ""
                parts.append(f"{_number(counts[word], noun)} {_verb(counts[word], word)}{by}")
    return "; ".join(parts) + "."


def _by_how_much(audits: Sequence[Document], verdict: str) -> str:
    """By how much of delta the claims fail, or what has to be added to it."""
    excesses = [mpq(a["excess"]) for a in audits if a["verdicts"][0]["verdict"] == verdict and a["excess"] is not None]
    if not excesses:
        return ""
    words = power_of_two(max(excesses)) if verdict == "holds with delta + u" else decimal(max(excesses), 4)
    most = "up to " if len(excesses) > 1 else ""
    return f", u = {most}{words}" if verdict == "holds with delta + u" else f", by {most}{words} in delta"


def _number(k: int, noun: str) -> str:
    return f"{k} {noun}{'' if k == 1 else 's'}"


def _verb(k: int, verdict: str) -> str:
    return _WORDS[verdict][k != 1]


# One certificate


def _pipeline(document: Document, path: Path) -> Document:
    """What is said of an audit of a pipeline: its verdicts, which are re-derived, and as it tells it, which is not."""
    reason, file = pipeline_certificate.recheck(document), wording.legible(str(path))
    answers = [] if reason is not None else document["derived"].get("told", [])
    verdicts = {} if reason is not None else document["verdicts"]
    short = {pipeline_certificate.BY_ROUNDING: figures.ROUNDING, pipeline_certificate.UNKNOWN: "undecided"}
    return {
        "file": file,
        "laws_file": None,
        "sha256": document.get("sha256"),
        "checker": "pipeline_certificate.py",
        "name": wording.legible(str(document.get("name"))) or "(no name)",
        "accepted": reason is None,
        "reason": None if reason is None else wording.legible(reason),
        "recheck": [f"finitedp check {shlex.quote(file)}", f"python pipeline_certificate.py {shlex.quote(file)}"],
        "verdicts": [
            {"about": about, "verdict": said, "tone": short.get(said, said.partition(",")[0])}
            for about, said in verdicts.items()
        ],
        "claims": {
            name: " ".join(f"{key} = {value}" for key, value in claim.items() if value is not None)
            for name, claim in (document["claims"] if reason is None else {}).items()
        },
        "told": [(wording.legible(str(q)), [*map(wording.legible, str(a).splitlines())]) for q, a in answers],
    }


def _entry(name: str, path: Path) -> Document:
    document = read_certificate(path)
    reason = _rejection(document, path)
    file, laws_file = wording.legible(str(path)), document["laws"].get("file")
    entry = {
        "id": name,
        "file": file,
        "laws_file": None if laws_file is None else wording.legible(str(path.parent / Path(laws_file).name)),
        "name": wording.legible(document["name"]) or "(no name)",
        "accepted": reason is None,
        "reason": None if reason is None else wording.legible(reason),
        "recheck": [f"finitedp check {shlex.quote(file)}", f"python checker.py {shlex.quote(file)}"],
    }
    return entry if reason is not None else {**entry, **_content(document, laws_of(document, path.parent))}


def _rejection(document: Document, path: Path) -> str | None:
    """Why the lone checker rejects the certificate, or None. Raises: DataError where its laws are not there."""
    try:
        return checker.check(document, path.parent)
    except OSError as error:
        laws_of(document, path.parent)  # says which file is missing, and how it was made
        return f"its laws cannot be read: {error.strerror}"
    except Exception as error:  # whatever is in the file, it is not accepted
        return f"it cannot be read: {type(error).__name__}: {error}"


def _content(document: Document, laws: Document) -> Document:
    """What is said of an accepted certificate."""
    derived = [_law(entry) for entry in laws["found"]]
    inputs = [x if isinstance(x, int) else tuple(map(as_row, x)) for x in document["inputs"]]
    pairs = _pairs(document, inputs)
    unresolved = mpq(document["unresolved"])
    witness = document["witness"]
    sides = [derived[witness["left"]], derived[witness["right"]]]
    left, right = (_texts(side.probabilities) for side in sides)
    entries = [laws["found"][witness["left"]], laws["found"][witness["right"]]]
    shown, shaded = drawn(entries, witness["event"])
    runs, by_input = document["claim"].get("compose", 1), dict(zip(inputs, derived, strict=True))
    corners = worst_profile(by_input, pairs) if runs == 1 else worst_profile(*composed(by_input, pairs, runs))
    return {
        "sha256": document["sha256"],
        "claim": _claim(document),
        "scope": _scope(document, len(pairs)),
        "verdicts": _verdicts(document, laws),
        "deciding": figures.deciding_words(document),
        "excess": _excess(document),
        "assumptions": [wording.legible(words) for words in _assumptions(document)],
        "worst_ratio": _worst_ratio(document),
        "delta": figures.delta(document),
        "witness": _witness(document, laws),
        "laws": {
            **law_table(left, right, set(witness["event"])),
            "unresolved": [exactly(side.unresolved) for side in sides],
            "columns": list(law_columns(shown[0], shown[1], shaded)),
            "tails": list(tail_lines(*entries)),
        },
        "profile": _profile(document, corners, unresolved),
        "unresolved": {**exactly(unresolved), "words": _unresolved_words(unresolved, "outputs" in document)},
        "said": list(said(document)),
    }


def _pairs(document: Document, inputs: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Both orders of all pairs of neighbours."""
    relation = document["neighbours"]
    if isinstance(relation, str):
        labels = [as_row(label) for label in document["universe"]]
        return neighbouring(relation, labels, document["n"])  # type: ignore[arg-type]  # the schema has seen it
    return [(inputs[i], inputs[j]) for pair in relation for i, j in (pair, pair[::-1])]


def _excess(document: Document) -> str | None:
    """What would have to be added to delta: where the claim fails at the least, and u; None for other verdicts."""
    if document["verdicts"]["private"] != "fails":
        return None if document["u"] is None else str(document["u"])
    return str(max(figures.delta_interval(document)[0] - mpq(document["claim"]["delta"]), ZERO))


def _law(entry: Document) -> PartialLaw[str]:
    return PartialLaw(masses(entry), mpq(entry["unresolved"]))


def _texts(law: Mapping[Any, mpq]) -> Law:
    return {str(x): p for x, p in law.items()}


def _claim(document: Document) -> Document:
    return {
        **document["claim"],
        "neighbours": wording.relation_words(document),
        "accuracy": _accuracy(document),
        "words": wording.claim_words(document),
    }


def _witness(document: Document, laws: Document) -> Document:
    witness = document["witness"]
    return {
        "left": wording.input_words(document["inputs"][witness["left"]]),
        "right": wording.input_words(document["inputs"][witness["right"]]),
        "event": [wording.legible(x) for x in witness["event"]],
        "event_words": wording.event_words(document),
        "in_left": exactly(mpq(witness["in_left"])),
        "in_right": exactly(mpq(witness["in_right"])),
        "words": wording.witness_lines(document, laws)[-1],
    }


def _accuracy(document: Document) -> str | None:
    claim = document["accuracy"]
    if claim is None:
        return None
    if claim["kind"] == "flexible":
        return wording.flexible_words(claim)
    return f"an error above {claim['a']} has probability at most {brief(claim['beta'])}, {claim['kind']}"


def _scope(document: Document, pairs: int) -> Document:
    """What was looked at, and what was not."""
    labels, inputs, n = len(document["universe"]), len(document["inputs"]), document["n"]
    kinds = {
        "counts": f"all counts from 0 to {n}",
        "replace-one": f"all datasets of {_number(n, 'row')} from {_number(labels, 'label')}",
        "add-remove": f"all datasets of at most {_number(n, 'row')} from {_number(labels, 'label')}",
    }
    named = kinds[document["neighbours"]] if isinstance(document["neighbours"], str) else wording.relation_words(document)
    looked = f"{named}: {_number(inputs, 'input')}, {_number(pairs, 'ordered pair')} of neighbours"
    others = "larger" if isinstance(document["neighbours"], str) else "other"
    return {
        "inputs": inputs,
        "pairs": pairs,
        "words": f"{wording.neighbours_words(document)} Decided exactly for {looked}. It says nothing of {others} inputs.",
    }


def _verdicts(document: Document, laws: Document) -> list[Document]:
    """The separate verdicts, in words."""
    verdicts = document["verdicts"]
    tight = "tight" if verdicts["tight"] else "not tight" if document["unresolved"] == "0" else "not known"
    return [
        {
            "about": "Privacy",
            "verdict": figures.private_verdict(document),
            "label": verdict_label(document),
            "words": wording.private_words(document, laws),
        },
        {"about": "Law", "verdict": verdicts["law"], "label": verdicts["law"], "words": wording.law_words(document, laws)},
        {"about": "Bound", "verdict": tight, "label": tight, "words": wording.tight_words(document)},
        {
            "about": "Accuracy",
            "verdict": verdicts["accuracy"],
            "label": verdicts["accuracy"],
            "words": wording.accuracy_words(document),
        },
        *(
            {"about": about, "verdict": verdicts[name], "label": verdicts[name], "words": divergence_words(document, name)}
            for name, about in DIVERGENCES.items()
            if document["claim"].get(name) is not None
        ),
    ]


# Numbers


def _worst_ratio(document: Document) -> Document:
    """The worst probability ratio, and the interval around its logarithm, the epsilon at delta = 0."""
    ratio = document["worst_ratio"]
    if ratio is None:
        return {"exact": None, "decimal": "not known", "epsilon": None, "words": "Not known, since mass is unresolved."}
    if ratio == "infinite":
        words = "Infinite: an output is possible at one input and impossible at a neighbouring one, so that delta is above 0."
        return {"exact": ratio, "decimal": ratio, "epsilon": None, "words": words}
    low, high = outward(*log_bounds(mpq(ratio)))
    words = f"Its logarithm, the epsilon at delta = 0, is {low if low == high else f'in [{low}, {high}]'}."
    return {**exactly(mpq(ratio)), "epsilon": [low, high], "words": words}


def _profile(document: Document, corners: Sequence[tuple[mpq, mpq]], unresolved: mpq) -> Document:
    """The corners of the privacy profile, delta against e^epsilon, and the point that is claimed."""
    claim = document["claim"]
    at = claim["epsilon"] if claim["ratio"] is None else f"ln {claim['ratio']}"
    return {
        "corners": [
            {"ratio": str(r), "epsilon": decimal(sum(log_bounds(r), ZERO) / 2), "delta": exactly(delta)}
            for r, delta in corners
        ],
        "unresolved": str(unresolved),
        "claimed": {"epsilon": at, "delta": claim["delta"], "verdict": document["verdicts"]["private"]},
    }


def _assumptions(document: Document) -> list[str]:
    """What the verdicts rest on, as the certificate says, and nothing here checks."""
    derived, outputs = document["derived"], outputs_words(document)
    unseen = derived.get("not_looked_into", [])
    said = [*outputs, *derived.get("assumptions", [])]
    return [*said, *(f"no state is kept between runs in {what}, not looked into" for what in unseen)]


def _unresolved_words(unresolved: mpq, declared: bool) -> str:
    if not unresolved:
        return "None: the laws are complete."
    return (
        f"At most {figures.open_words(unresolved)} at an input: paths that do not end within the budget. It may belong to any "
        f"{'declared ' if declared else ''}output, so a verdict is given only if it is the same wherever that mass lies."
    )
