"""The verdicts on a pipeline in words, and as JSON."""

from collections.abc import Iterator, Mapping
from math import exp, inf, log, sqrt
from typing import Any

from gmpy2 import mpq

from finitedp.numbers import brief
from finitedp.proofs_check.audit.pipelines.auditing import IDEAL, PipelineResult
from finitedp.proofs_check.audit.pipelines.deciding import Bound
from finitedp.proofs_check.audit.pipelines.searching import about
from finitedp.proofs_check.pipeline_certificate import BY_ROUNDING, FAILS, HOLDS, UNKNOWN, delta_ends
from finitedp.proofs_check.report.figures import ROUNDING

WORDS = {
    HOLDS: "HOLDS for all neighbouring inputs of this universe, if the primitives are ideal.",
    FAILS: "FAILS, also for ideal primitives.",
    BY_ROUNDING: "FAILS BY ROUNDING ONLY; with numbers of 40 bits and (1 + 2^-40) of what is claimed it holds, if the "
    "primitives are ideal.",
    UNKNOWN: "is UNKNOWN: no shift of the noise shows it, and no event that breaks it was found.",
}
ABOUT = {"private": "privacy", "renyi": "Renyi", "zcdp": "zCDP"}


def rows_of(result: PipelineResult) -> list[tuple[str, str]]:
    """Questions and answers."""
    found = [("claim", "\n".join(claim_words(result, name) for name in result.claims))]
    for name, verdict in result.decision.verdicts.items():
        asked = "" if name == "private" else f" ({ABOUT[name]})"
        found.append(((f"{name} as claimed"), f"The {ABOUT[name]} claim {_words(verdict)}"))
        found.append((f"bound{asked}", bound_words(result, name)))
        if name in result.decision.witnesses:
            found.append((f"witness{asked}", "\n".join(witness_lines(result, name))))
        elif verdict == UNKNOWN:
            found.append((f"not shown{asked}", "\n".join(_left_open(result, result.decision.worst[name]))))
    paths, pairs = sum(map(len, result.paths.values())), len(result.decision.bounds)
    looked = f"{len(result.paths)} inputs, {pairs} ordered pairs of neighbours, {paths} paths"
    drawn = [f"{place}: {times} calls" for place, times in result.calls.items()]
    return [*found, ("looked at", ", ".join([looked, *drawn])), ("rests on", "\n".join([IDEAL, *result.facts]))]


def verdict_in_short(result: PipelineResult) -> str:
    """The worst verdict, in the words of other audits: "fails", one by rounding, "undecided", "holds"."""
    short = {HOLDS: "holds", UNKNOWN: "undecided", BY_ROUNDING: ROUNDING, FAILS: "fails"}
    found = (short.get(verdict, "holds") for verdict in result.decision.verdicts.values())
    return max(found, key=[*short.values()].index)


def _words(verdict: str) -> str:
    return WORDS.get(verdict) or WORDS[HOLDS][:-1] + verdict.removeprefix(HOLDS) + "."


def claim_words(result: PipelineResult, name: str) -> str:
    """A claim in one line."""
    claim, relation = result.claims[name], result.claim.neighbours
    if name == "private":
        ratio = "" if claim["ratio"] is None else f", ratio {brief(claim['ratio'])}"
        return f"({brief(claim['epsilon'])}, {brief(claim['delta'])})-differential privacy, {relation}{ratio}"
    if name == "renyi":
        return f"({brief(claim['order'])}, {brief(claim['epsilon'])})-Renyi differential privacy, {relation}"
    return f"{brief(claim['rho'])}-zCDP, {relation}"


def bound_words(result: PipelineResult, name: str) -> str:
    """What the shifts show of the pair that decides."""
    bound, claim = result.decision.worst[name], result.claims[name]
    left, right = _inputs(result, bound)
    if bound.open:
        return f"for the inputs {left} and {right} outputs of probability up to {brief(min(bound.open, mpq(1)))} have no shift"
    if name != "private":
        order = claim.get("order", 1)
        found = max((p / q, cost + order * squares / 2) for p, q, cost, squares in bound.losses)
        back = result.decision.bounds.get(bound.pair[::-1])
        both = [*bound.losses, *(back.losses if back is not None else ())]
        if back is not None and not any(p > q or squares for p, q, _, squares in both):  # of costs in both directions
            found = found[0], min(found[1], order * max(one[2] for one in both) ** 2 / 2)
        what = f"divergence of order {brief(order)} <= " if name == "renyi" else "rho = "
        return f"{what}{_loss(*found)}, at the inputs {left} and {right}"
    ratio, cost = bound.epsilon
    if not bound.squares:
        return f"epsilon = {_loss(ratio, cost)}, at the inputs {left} and {right}"
    ratio, cost = max(p / q for p, q, *_ in bound.losses), max(one[2] for one in bound.losses)
    low, high = delta_ends(bound.losses, bound.open, claim)
    normal = f"Gaussian noise shifted by mu = {sqrt(about(bound.squares)):.6g}"
    epsilon = f", and epsilon = {_loss(ratio, cost)}" if cost or ratio != 1 else ""
    return f"{normal}{epsilon}: delta = {about(low + high) / 2:.6g} at the claimed epsilon"


def _loss(ratio: Any, cost: Any) -> str:  # noqa: ANN401  # rationals
    return brief(cost) if ratio == 1 else f"{brief(cost)} + ln {brief(ratio)}" if cost else f"ln {brief(ratio)}"


def _inputs(result: PipelineResult, bound: Bound) -> tuple[str, str]:
    return repr(result.relation.inputs[bound.pair[0]]), repr(result.relation.inputs[bound.pair[1]])


def witness_lines(result: PipelineResult, name: str) -> Iterator[str]:
    """Inputs, event, probabilities, and which draws are too small."""
    witness, bound, claim = result.decision.witnesses[name], result.decision.worst[name], result.claims[name]
    yield "inputs A = {} and B = {}".format(*_inputs(result, bound))
    output, p, q = shape_words(witness.region.shape), witness.here, witness.there
    if witness.written["kind"] == "curve":
        noise = f"noise shifted by mu = {sqrt(about(bound.squares)):.6g}" if bound.squares else "noise"
        what = {"private": "delta", "renyi": "e^((order - 1) divergence)", "zcdp": "rho"}[name]
        yield f"{'Gaussian ' if bound.squares else ''}{noise}, all of it in the output: {what} = {p:.6g}, more than {q:.6g}"
    elif witness.written["kind"] == "space":
        yield f"output {output}, with its numbers where B never has them: possible at A, of probability 0 at B"
    else:
        yield f"output {output}{''.join(map(_condition_words, witness.written['conditions']))}"
        factor = exp(about(claim["epsilon"])) if claim["ratio"] is None else about(claim["ratio"])
        loss = "infinite" if witness.loss == inf else f"{witness.loss:.6g}"
        yield f"P at A = {p:.6g}, at B = {q:.6g}; loss {loss}; more than {factor:.6g} * {q:.6g} + {brief(claim['delta'])}"
    yield from dict.fromkeys(_shift_lines(result, bound))


def _shift_lines(result: PipelineResult, bound: Bound) -> Iterator[str]:
    """Draws that are shifted by more than their scale allows, each with its line."""
    regions, epsilon = result.decision.sides[bound.pair[0]].regions, result.claim.epsilon
    for i, _, by, *_ in bound.matches:
        cost = sum(abs(about(x)) for k, x in by.items() if regions[i].kinds.get(k) != "normal")
        for k, x in by.items() if cost > about(epsilon) else ():
            kind, _, _, line, scale = regions[i].paths[0].draws[k]
            moves, allowed = brief(abs(x) * scale), brief(scale * epsilon)
            yield (
                f"{line}: {kind} noise of scale {brief(scale)}; its value moves by {moves}, where this scale allows {allowed} "
                f"at epsilon {brief(epsilon)}"
            )


def _left_open(result: PipelineResult, bound: Bound) -> Iterator[str]:
    yield "inputs A = {} and B = {}".format(*_inputs(result, bound))
    regions = result.decision.sides[bound.pair[0]].regions
    alone = next((regions[i] for i, j, *_ in bound.matches if j is None), None)
    if alone is None:
        yield "every output has a shift, and all of them together show the bound alone"
    else:
        yield f"output {shape_words(alone.shape)} of A has no shift into B; its draws:"
        yield from (f"{alone.paths[0].draws[k][3]}: {kind}" for k, kind in alone.kinds.items())


def _condition_words(condition: tuple[int, int, Any]) -> str:
    place, up, at = condition
    return f", number {place + 1} {'above' if up > 0 else 'below'} {about(at):.6g}"


def shape_words(shape: Any) -> str:  # noqa: ANN401  # nested tuples
    """An output's discrete part, as Python might write it."""
    if not isinstance(shape, tuple):
        return str(shape)
    if shape[0] == "value":
        return str(shape[2]) if shape[1] != "str" else repr(shape[2])
    if shape[0] == "dict":
        return "{" + ", ".join(f"{name!r}: {shape_words(part)}" for name, part in shape[1:]) + "}"
    inner = ", ".join(map(shape_words, shape[2:] if shape[0] == "array" else shape[1:]))
    return {"tuple": f"({inner})", "list": f"[{inner}]"}.get(shape[0], f"array([{inner}])")


def as_json(result: PipelineResult) -> dict[str, Any]:
    """The verdicts and what they rest on, for programs."""
    decision, worst = result.decision, result.decision.worst["private"]
    (left, right), (ratio, cost) = _inputs(result, worst), worst.epsilon
    found: Mapping[str, Any] = {"left": left, "right": right, "ratio": ratio, "cost": cost, "squares": worst.squares}
    return {
        "name": result.name,
        "kind": "pipeline",
        "claims": {name: claim_words(result, name) for name in result.claims},
        "private": result.private,
        "verdict": verdict_in_short(result),
        "verdicts": dict(decision.verdicts),
        "bound": {
            **{key: str(value) for key, value in {**found, "open": worst.open}.items()},
            "epsilon": None if worst.open or worst.squares else about(cost) + log(about(ratio)),
        },
        "bounds": {name: bound_words(result, name) for name in result.claims},
        "witness": list(witness_lines(result, "private")) if "private" in decision.witnesses else None,
        "witnesses": {name: list(witness_lines(result, name)) for name in decision.witnesses},
        "rests_on": [IDEAL, *result.facts],
        **({"derived": dict(result.derived)} if result.derived else {}),
    }
