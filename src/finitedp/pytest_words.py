"""What a test says against a mechanism: its verdicts and witness, the next step, and the smallest inputs that fail too."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, cast

from gmpy2 import mpq

from finitedp.certificates import with_plain_labels
from finitedp.numbers import power_of_two
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.audit.styles import source_of
from finitedp.proofs_check.checker import check
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.divergences import DIVERGENCES, divergence_words
from finitedp.proofs_check.report.figures import ROUNDING, private_verdict
from finitedp.pytest_smallest import Patience, smallest

__all__ = ["FAILING", "against", "claim_and_size", "next_steps"]

Document = dict[str, Any]
FAILING = {"fails", "differs"}
"""The verdicts that every test fails for."""
_WORST = FAILING | {ROUNDING}


def claim_and_size(document: Document) -> str:
    """What is claimed, and over which inputs."""
    universe = f", universe {wording.input_words(document['universe'])}" if document["universe"] else ""
    return f"{wording.claim_words(document)}; n = {document['n']}{universe}"


def against(document: Document, bad: set[str]) -> list[str]:
    """The verdicts that are bad, the claim, and the witness in three lines; nothing where none is."""
    law, accuracy = (document["verdicts"][key] in bad for key in ("law", "accuracy"))
    private = private_verdict(document) in bad
    lines = [wording.private_words(document, document["laws"])] if private else []
    lines += [divergence_words(document, name) for name in DIVERGENCES if document["verdicts"].get(name) in bad]
    if law:
        lines.append(wording.law_words(document, document["laws"]))
    if accuracy:
        lines.append(wording.accuracy_words(document))
    if not lines:
        return []
    witness = wording.witness_lines(document, document["laws"]) if private else []
    return [f"finitedp: {lines[0]}", *lines[1:], f"claim: {claim_and_size(document)}", *witness]


# The next step


def next_steps(
    mechanism: Callable[..., Any],
    request: AuditRequest,
    result: AuditResult,
    document: Document,
    bad: set[str],
    late: Patience,
) -> Iterator[str]:
    """What to do about an audit that is not as claimed: the part of the budget to raise, another claim, the smallest."""
    if "undecided" in document["verdicts"].values():
        yield _budget_words(mechanism, request, result)
    if result.unresolved:
        yield from _inline_lines(document)
    if result.u is not None and private_verdict(document) in bad:
        stated = power_of_two(result.u) if not result.claim.delta else f"{result.claim.delta} + {power_of_two(result.u)}"
        passes = 'rounding = "warn"' if result.private == "fails" else 'undecided = "allow"'
        yield f'next: claim it, delta = "{stated}"; or let it pass, {passes}'
    if set(document["verdicts"].values()) & {"fails", "differs"}:
        yield from _smallest_words(mechanism, request, bad, late)


def _smallest_words(mechanism: Callable[..., Any], request: AuditRequest, bad: set[str], late: Patience) -> Iterator[str]:
    """The smallest n and universe that fail too, and their witness; nothing where these are the smallest."""
    try:
        found = smallest(request, mechanism, lambda result: bool(_verdicts_of(result) & bad & _WORST), late)
    except Exception as error:  # the code of others, at inputs that it was not asked for
        yield f"smaller inputs were not looked at: {type(error).__name__} there"
        return
    if found is None:
        if late.over:
            yield "smaller inputs were not all looked at: that took too long"
        return
    document = certificate(with_plain_labels(found))
    rejected = check(document)
    if rejected is not None:
        yield f"a smaller audit fails, but the lone checker rejects it: {rejected}"
        return
    universe = f", universe {wording.input_words(document['universe'])}" if document["universe"] else ""
    said = "smaller (the search for the smallest took too long)" if late.over else "smallest"
    yield f"{said}: n = {found.n}{universe}"
    if private_verdict(document) in bad & _WORST:
        yield from wording.witness_lines(document, document["laws"])
    else:
        yield against(document, bad)[0].removeprefix("finitedp: ")


def _verdicts_of(result: AuditResult) -> set[str]:
    divergences = [found.verdict for found in (result.renyi, result.zcdp) if found is not None]
    private = ROUNDING if result.private == "fails" and result.u is not None else result.private
    return {private, result.law, result.accuracy, *divergences}


def _budget_words(mechanism: Callable[..., Any], request: AuditRequest, result: AuditResult) -> str:
    """Which part of the budget left mass unresolved: the input with most of it is followed once more."""
    runs, budget = 0, request.budget
    style, function = source_of(mechanism, request.style, request.parameters)

    def counted(*given: object) -> Hashable:
        nonlocal runs
        runs += 1
        return cast(Hashable, cast(Callable[..., Any], function)(*given, **request.parameters))

    explored(counted, max(result.laws, key=lambda x: result.laws[x].unresolved), style, request.rows, budget)
    if budget.bits is not None and result.unresolved <= mpq(1, 1 << budget.bits):
        return f"budget: raise bits (now {budget.bits})"
    spent = ("runs",) if runs >= 2 * budget.runs else ("draws", "depth")  # every path is run twice
    return "budget: raise " + " and ".join(f"{part} (now {getattr(budget, part)})" for part in spent)


def _inline_lines(document: Document) -> list[str]:
    """The declared samplers that were not taken alone, and why: what leaves more mass unresolved than their author thinks."""
    names = [sampler["name"] for sampler in document["derived"].get("samplers", []) if not sampler["alone"]]
    lines = [words for what, words in wording.found_lines(document) if what == "sampler"]
    return [f"sampler {words}" for words in lines if any(words.startswith(f"{name}: taken inline") for name in names)]
