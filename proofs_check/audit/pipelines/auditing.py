"""An audit of a pipeline: its inputs, its paths, its verdicts, what they rest on, and the certificate."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path as FolderPath
from time import time
from typing import Any, cast

from attrs import frozen

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError, FinitedpError, ParameterError
from finitedp.proofs_check.audit.exploring import explored_laws
from finitedp.proofs_check.audit.laws import Style, Table
from finitedp.proofs_check.audit.pipelines.deciding import Claims, Decision, decide
from finitedp.proofs_check.audit.pipelines.primitives import DeclaredBound, Primitive, declared_of, in_place, primitive_of
from finitedp.proofs_check.audit.pipelines.searching import Matches
from finitedp.proofs_check.audit.relation import Relation, relation_of
from finitedp.proofs_check.audit.rows import as_written
from finitedp.proofs_check.audit.styles import found_as, guessed_source, source_of
from finitedp.proofs_check.board import UNWATCHED, Board
from finitedp.proofs_check.engine.noise.runs import traced
from finitedp.proofs_check.engine.stand_ins.refusing import ContinuousNoiseError
from finitedp.proofs_check.parallel import HERE, Workers
from finitedp.proofs_check.pipeline_certificate import FORMAT, SIGNS, Call, Path, contradicted

IDEAL = (
    "The noise is that of ideal primitives, real numbers: how floats round it, and what is computed of it, is not looked at."
)


@frozen
class PipelineResult:
    """What an audit of a pipeline found. facts: what it rests on and what could not be looked into; calls: of primitives."""

    name: str
    relation: Relation
    claims: Claims
    paths: Mapping[Any, tuple[Path, ...]]
    decision: Decision
    facts: tuple[str, ...]
    calls: Mapping[str, int]
    derived: Mapping[str, Any]

    @property
    def claim(self) -> PrivacyClaim:
        """What is claimed of epsilon and delta."""
        return self.relation.claim

    @property
    def draws_noise(self) -> bool:
        """Whether a path has a draw of continuous noise."""
        return any(draw[0] in SIGNS for paths in self.paths.values() for path in paths for draw in path.draws)

    @property
    def private(self) -> str:
        """The verdict on epsilon and delta."""
        return self.decision.verdicts["private"]


def followed(
    mechanism: Callable[..., Any],
    inputs: Sequence[Any],
    style: Style,
    **how: Any,  # noqa: ANN401  # as explored_laws
) -> tuple[dict[Any, tuple[Path, ...]], Mapping[str, Any]]:
    """All paths at each input, and what exploring rests on. Parameters: how, as explored_laws.

    Raises: ExplorationError, with the input and the line, for what is not followed.
    """
    found, listed = explored_laws(traced(mechanism), inputs, style=style, **how), dict[Any, tuple[Path, ...]]()
    for data, law in found.laws.items():
        if law.unresolved:
            why = found.facts.get("stopped", "the budget is spent")
            raise ExplorationError(
                f"at the input {data!r} some paths are not followed to their end ({why}); accepted: more time, a larger "
                "budget, a smaller universe, or a mechanism without loops that go on"
            )
        records: Any = law.probabilities.items()
        made = ((*record[:5], mass * 2 ** len(record[2]), tuple(map(Call._make, record[5]))) for record, mass in records)
        paths = list(map(Path._make, made))
        listed[data] = tuple(sorted(paths, key=lambda path: (path.answers, str(path.shape)), reverse=True))
    return listed, found.facts


def audit_pipeline(
    mechanism: Callable[..., Any] | Table,
    request: Any,  # noqa: ANN401  # an AuditRequest, whose module imports this one
    workers: Workers = HERE,
    progress: Callable[[int, int], None] | None = None,
    board: Board | None = None,
    folder: FolderPath | None = None,
    refused: ExplorationError | None = None,
) -> PipelineResult:
    """Decide the privacy claims of a request for code that draws continuous noise, if its primitives are ideal.

    Parameters: as those of AuditRequest.decide; refused, what the exact audit refused: it is raised again where that was a
    float alone, and no noise is drawn, or what is drawn is refused, too. Raises: ParameterError; ExplorationError, also where
    the time is up: no verdict is of some paths or pairs.
    """
    if refused is not None and not isinstance(refused, ContinuousNoiseError):
        try:
            tried = audit_pipeline(mechanism, request, workers, progress, board, folder)
        except FinitedpError:
            raise refused from None
        if not tried.draws_noise:
            raise refused
        return tried
    others = ("specified", "accuracy", "truth", "outputs")
    asked = next((name for name in others if getattr(request, name) is not None), "compose" if request.compose > 1 else None)
    if asked is not None or not callable(mechanism):
        what = asked or "a table"
        raise ParameterError(f"{what} is given, and the mechanism draws continuous noise; accepted: claims of privacy")
    relation = relation_of(request.claim, request.universe, request.n, request.budget.inputs, request.neighbours)
    primitives: list[Primitive | DeclaredBound] = [primitive_of(one, folder or FolderPath()) for one in request.primitives]
    primitives += [declared_of(one, folder or FolderPath()) for one in request.bounds]
    given, style = request.parameters, request.style
    calls = Counter[str]()
    found_style, function = source_of(mechanism, style, given)
    whole, watched = partial(cast(Callable[..., Any], function), **given), (board or UNWATCHED).begun()

    def paths(kind: Style) -> tuple[dict[Any, tuple[Path, ...]], Mapping[str, Any]]:
        how: dict[str, Any] = {"workers": HERE if primitives else workers, "progress": progress, "board": board or UNWATCHED}
        how |= {"rows": request.rows, "budget": request.budget, "samplers": request.samplers}
        with in_place(primitives, mechanism) as counted:
            found = followed(whole, relation.inputs, kind, **how)
        calls.update(counted)
        return found

    _, (found, seen) = found_as(found_style, guessed_source(mechanism, given) if style is None else None, paths)
    facts = [*seen.get("assumptions", ()), *(f"not looked into: {what}" for what in seen.get("not_looked_into", ()))]
    never = [one.place for one in primitives if not calls[one.place]]
    if never:
        raise ParameterError(
            f"{never[0]} was declared and never called; accepted: a function that the mechanism calls, by the class or module "
            "that has it"
        )
    shapes = [path.shape for each in found.values() for path in each]
    if all(isinstance(shape, tuple) and shape[1:2] == (("value", "str", "raises"),) for shape in shapes):
        raise ExplorationError(
            f"the mechanism raises on every path, {shapes[0][2][-1]}: {shapes[0][3][-1]}; accepted: one that returns an output"
        )

    def look() -> None:
        if watched.stopped is not None or (watched.ends is not None and time() > watched.ends):
            raise ExplorationError("the time is up before all neighbours are compared; accepted: more time, fewer inputs")

    claim, place = relation.claim, {data: i for i, data in enumerate(relation.inputs)}
    private = {"epsilon": claim.epsilon, "delta": claim.delta, "ratio": claim.ratio}
    claims: dict[str, Mapping[str, Any]] = {"private": private}
    if request.renyi is not None:
        claims["renyi"] = {"order": request.renyi.order, "epsilon": request.renyi.epsilon}
    if request.zcdp is not None:
        claims["zcdp"] = {"rho": request.zcdp}
    pairs = [(place[left], place[right]) for left, right in relation.pairs]
    sides = [found[data] for data in relation.inputs]
    _refuse_contradicted(contradicted(sides, pairs), relation)
    facts += [one.words() for one in primitives if isinstance(one, DeclaredBound)]
    decision = decide(sides, pairs, claims, look=look)
    return PipelineResult(request.name, relation, claims, found, decision, tuple(sorted(facts)), dict(calls), request.derived)


def _refuse_contradicted(wrong: tuple[str, str, tuple[int, ...]] | None, relation: Relation) -> None:
    if wrong is not None:
        name, how, places = wrong
        at = " and ".join(repr(relation.inputs[i]) for i in places)
        raise ParameterError(
            f"the data contradict the declared bound {name!r}: {how} at the input{'s' * (len(places) > 1)} {at}; accepted: a "
            "bound that holds for these data"
        )


def certificate(result: PipelineResult, told: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """What proofs_check/pipeline_certificate.py re-checks, without a linear program. Parameters: told, for readers."""
    relation, decision = result.relation, result.decision
    written = {
        "format": FORMAT,
        "version": 2,
        "name": result.name,
        "neighbours": result.claim.neighbours if relation.stated is None else "stated",
        "universe": [as_written(label) for label in relation.universe],
        "n": int(relation.n),
        "inputs": [x if isinstance(x, int) else [as_written(label) for label in x] for x in relation.inputs],
        "pairs": list(decision.bounds),
        "claims": {name: {key: x if x is None else str(x) for key, x in each.items()} for name, each in result.claims.items()},
        "paths": [[_written(path) for path in found] for found in result.paths.values()],
        "merged": [side.hulls for side in decision.sides],
        "matches": [_matches(one.matches) for one in decision.bounds.values()],
        "rounded": {name: found and list(map(_matches, found)) for name, found in decision.rounded.items()},
        "verdicts": decision.verdicts,
        "witnesses": {name: one.written for name, one in decision.witnesses.items()},
        "derived": {"finitedp": version("finitedp"), "rests_on": list(result.facts), "told": list(told), **result.derived},
    }
    body = json.loads(json.dumps(written, default=str))
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _written(path: Path) -> dict[str, Any]:
    return {name: value for name, value in path._asdict().items() if name != "calls" or value}


def _matches(found: Matches) -> list[Any]:
    def items(by: Mapping[int, Any]) -> list[tuple[int, Any]]:
        return sorted((k, x) for k, x in by.items() if x)

    turned = ([[(w, items(turn)) for w, turn in turns.items()]] * bool(turns) for *_, turns in found)
    return [[i, j, items(by), *more] for (i, j, by, _), more in zip(found, turned, strict=True)]
