"""An audit of a pipeline: its inputs, its paths, its verdict, and what the verdict rests on."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from attrs import frozen

from finitedp.claim import PrivacyClaim
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check.audit.laws import Rows, Style
from finitedp.proofs_check.audit.pipelines.deciding import Decision, decide
from finitedp.proofs_check.audit.pipelines.paths import Path, followed
from finitedp.proofs_check.audit.pipelines.primitives import Primitive, in_place
from finitedp.proofs_check.audit.relation import Relation
from finitedp.proofs_check.audit.styles import found_as, guessed_source, source_of
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.limits import Budget

IDEAL = (
    "The noise is that of ideal primitives, real numbers: how floats round it, and what is computed of it, is not looked at."
)


@frozen
class PipelineResult:
    """What an audit of a pipeline found. facts: what it rests on and what could not be looked into; calls: of primitives."""

    name: str
    relation: Relation
    paths: Mapping[Any, tuple[Path, ...]]
    decision: Decision
    facts: tuple[str, ...]
    calls: Mapping[str, int]
    derived: Mapping[str, Any]

    @property
    def claim(self) -> PrivacyClaim:
        """What is claimed."""
        return self.relation.claim

    @property
    def private(self) -> str:
        """The verdict."""
        return self.decision.verdict


def audit_pipeline(
    mechanism: Callable[..., Any],
    relation: Relation,
    *,
    style: Style | None = None,
    rows: Rows = "tuple",
    parameters: Mapping[str, Any] | None = None,
    primitives: Sequence[Primitive] = (),
    budget: Budget | None = None,
    samplers: Sequence[Callable[..., Any] | str] = (),
    name: str = "mechanism",
    derived: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PipelineResult:
    """Decide a claim for code that draws continuous noise, if its primitives are ideal.

    Parameters: relation, the inputs and neighbours, with the claim (audit.relation.relation_of); primitives, functions that
    draw noise; the others as those of audit(). Raises: ParameterError, ExplorationError.
    """
    given, declared = parameters or {}, Declared.of(samplers)
    found_style, function = source_of(mechanism, style, given)
    whole = partial(cast(Callable[..., Any], function), **given)
    facts, calls = dict[str, None](), Counter[str]()

    def paths(kind: Style) -> dict[Any, tuple[Path, ...]]:
        found = dict[Any, tuple[Path, ...]]()
        with in_place(primitives, mechanism) as counted:
            for data in relation.inputs:
                found[data], seen = followed(whole, data, kind, rows, budget or Budget(), declared)
                facts.update(dict.fromkeys((*seen.law.assumptions, *(f"not looked into: {x}" for x in seen.not_looked_into))))
                if progress is not None:
                    progress(len(found), len(relation.inputs))
        calls.update(counted)
        return found

    _, found = found_as(found_style, guessed_source(mechanism, given) if style is None else None, paths)
    never = [one.place for one in primitives if not calls[one.place]]
    if never:
        raise ParameterError(
            f"the primitive {never[0]} was declared and never called; accepted: one that the mechanism calls, by the class or "
            "module that has it"
        )
    if all(_raises(path) for each in found.values() for path in each):
        words = next(path.shape for each in found.values() for path in each)
        raise ExplorationError(
            f"the mechanism raises on every path, {words[2][-1]}: {words[3][-1]}; accepted: one that returns an output"
        )
    decision = decide(found, relation.pairs, relation.claim)
    return PipelineResult(name, relation, found, decision, tuple(sorted(facts)), dict(calls), derived or {})


def _raises(path: Path) -> bool:
    return isinstance(path.shape, tuple) and path.shape[1:2] == (("value", "str", "raises"),)
