"""The verdict on a pipeline in words, and as JSON."""

from collections.abc import Iterator
from math import exp, inf, log, sqrt
from typing import Any

from finitedp.claim import PrivacyClaim
from finitedp.numbers import brief
from finitedp.proofs_check.audit.pipelines.auditing import IDEAL, PipelineResult
from finitedp.proofs_check.audit.pipelines.bounds import Bound, about
from finitedp.proofs_check.audit.pipelines.witnesses import Condition, Witness, value


def rows_of(result: PipelineResult) -> list[tuple[str, str]]:
    """Questions and answers."""
    decision = result.decision
    found = [
        ("claim", claim_words(result.claim)),
        ("private as claimed", private_words(result)),
        ("bound", bound_words(decision.worst, result.claim)),
    ]
    if decision.witness is not None:
        found.append(("witness", "\n".join(witness_lines(decision.witness, result.claim))))
    elif result.private == "unknown":
        found.append(("not shown", "\n".join(_left_open(decision.worst))))
    paths = sum(map(len, result.paths.values()))
    looked = f"{len(result.relation.inputs)} inputs, {len(result.relation.pairs)} ordered pairs of neighbours, {paths} paths"
    drawn = [f"{place}: {times} calls" for place, times in result.calls.items()]
    return [*found, ("looked at", ", ".join([looked, *drawn])), ("rests on", "\n".join([IDEAL, *result.facts]))]


def claim_words(claim: PrivacyClaim) -> str:
    """The claim in one line."""
    ratio = "" if claim.ratio is None else f", ratio {brief(claim.ratio)}"
    return f"({brief(claim.epsilon)}, {brief(claim.delta)})-differential privacy, {claim.neighbours}{ratio}"


def private_words(result: PipelineResult) -> str:
    """The verdict in one sentence."""
    return {
        "holds, if the primitives are ideal": "The privacy claim HOLDS for all neighbouring inputs of this universe, if the "
        "primitives are ideal.",
        "fails": "The privacy claim FAILS, also for ideal primitives.",
        "fails by rounding only": "The privacy claim FAILS BY ROUNDING ONLY; with numbers of 40 bits and epsilon (1 + 2^-40) "
        "it holds, if the primitives are ideal.",
        "unknown": "UNKNOWN: no shift of the noise shows the claim, and no event that breaks it was found.",
    }[result.private]


def bound_words(bound: Bound, claim: PrivacyClaim) -> str:
    """What the shifts show of the pair that decides."""
    if bound.open:
        return (
            f"for the inputs {bound.left!r} and {bound.right!r} outputs of probability up to {brief(bound.open)} have no shift"
        )
    ratio, cost = bound.epsilon
    if bound.squares:
        ratio, cost = bound.ratio, bound.cost
    loss = brief(cost) if ratio == 1 else f"{brief(cost)} + ln {brief(ratio)}" if cost else f"ln {brief(ratio)}"
    if not bound.squares:
        return f"epsilon = {loss}, at the inputs {bound.left!r} and {bound.right!r}"
    delta = float(bound.delta(claim).mid())
    normal = f"Gaussian noise shifted by mu = {sqrt(about(bound.squares)):.6g}"
    return f"{normal}{f', and epsilon = {loss}' if cost or ratio != 1 else ''}: delta = {delta:.6g} at the claimed epsilon"


def witness_lines(witness: Witness, claim: PrivacyClaim) -> Iterator[str]:
    """Inputs, event, probabilities, and which draws are too small."""
    yield f"inputs A = {witness.left!r} and B = {witness.right!r}"
    output = shape_words(witness.shape)
    if witness.kind == "curve":
        mu = sqrt(about(witness.squares))
        yield f"Gaussian noise shifted by mu = {mu:.6g}, all of it in the output: delta = {witness.delta:.6g}"
    elif witness.kind == "space":
        yield f"output {output}, with its numbers where B never has them: possible at A, of probability 0 at B"
    else:
        yield f"output {output}{''.join(map(_condition_words, witness.conditions))}"
        p, q = (0.0 if side is None else value(side) for side in (witness.in_left, witness.in_right))
        factor = exp(about(claim.epsilon)) if claim.ratio is None else about(claim.ratio)
        loss = "infinite" if witness.loss == inf else f"{witness.loss:.6g}"
        yield f"P at A = {p:.6g}, at B = {q:.6g}; loss {loss}; more than {factor:.6g} * {q:.6g} + {brief(claim.delta)}"
    yield from dict.fromkeys(_shift_lines(witness.bound, claim))


def _shift_lines(bound: Bound, claim: PrivacyClaim) -> Iterator[str]:
    """Draws that are shifted by more than their scale allows, each with its line."""
    for match in bound.matches:
        if match.shift is None or about(match.shift.cost) <= about(claim.epsilon):
            continue
        for k, by in match.shift.by.items():
            draw = match.source.draws.get(k)
            if by and draw is not None:
                allowed = brief(draw.scale * claim.epsilon)
                yield (
                    f"{draw.line}: {draw.kind} noise of scale {brief(draw.scale)}; its value moves by "
                    f"{brief(abs(by) * draw.scale)}, where this scale allows {allowed} at epsilon {brief(claim.epsilon)}"
                )


def _left_open(bound: Bound) -> Iterator[str]:
    yield f"inputs A = {bound.left!r} and B = {bound.right!r}"
    for match in bound.matches:
        if match.shift is None:
            yield f"output {shape_words(match.source.shape)} of A has no shift into B; its draws:"
            yield from (f"{draw.line}: {draw.kind}" for draw in match.source.draws.values())
            return
    yield "every output has a shift, and all of them together show the bound alone"


def _condition_words(condition: Condition) -> str:
    return f", number {condition.place + 1} {'above' if condition.sign > 0 else 'below'} {about(condition.bound):.6g}"


def shape_words(shape: Any) -> str:  # noqa: ANN401  # nested tuples
    """An output's discrete part, as Python might write it."""
    if not isinstance(shape, tuple):
        return str(shape)
    if shape[0] == "value":
        return str(shape[2]) if shape[1] != "str" else repr(shape[2])
    parts = shape[2:] if shape[0] == "array" else shape[1:]
    if shape[0] == "dict":
        return "{" + ", ".join(f"{name!r}: {shape_words(part)}" for name, part in parts) + "}"
    inner = ", ".join(map(shape_words, parts))
    return {"tuple": f"({inner})", "list": f"[{inner}]"}.get(shape[0], f"array([{inner}])")


def as_json(result: PipelineResult) -> dict[str, Any]:
    """The verdict and what it rests on, for programs."""
    decision, claim = result.decision, result.claim
    ratio, cost = decision.worst.epsilon
    witness = decision.witness
    return {
        "name": result.name,
        "kind": "pipeline",
        "claim": {"epsilon": str(claim.epsilon), "delta": str(claim.delta), "neighbours": claim.neighbours},
        "private": result.private,
        "bound": {
            "left": repr(decision.worst.left),
            "right": repr(decision.worst.right),
            "ratio": str(ratio),
            "cost": str(cost),
            "squares": str(decision.worst.squares),
            "open": str(decision.worst.open),
            "epsilon": None if decision.worst.open or decision.worst.squares else about(cost) + log(about(ratio)),
        },
        "witness": None if witness is None else list(witness_lines(witness, claim)),
        "rests_on": [IDEAL, *result.facts],
        **({"derived": dict(result.derived)} if result.derived else {}),
    }
