"""Certificates of audits of pipelines, which proofs_check/pipeline_certificate.py re-checks without a linear program."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult
from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.audit.pipelines.regions import Region
from finitedp.proofs_check.audit.pipelines.witnesses import Witness
from finitedp.proofs_check.audit.rows import as_written
from finitedp.proofs_check.engine.noise.rows import Form, Row, contradiction, inner_point, supports
from finitedp.proofs_check.pipeline_certificate import FAILS, FORMAT, HOLDS

Document = dict[str, Any]


def certificate(result: PipelineResult) -> Document:
    """The certificate. A failure by rounding only is one that fails: that rounding makes it stands in `derived`."""
    relation, decision = result.relation, result.decision
    place = {data: i for i, data in enumerate(relation.inputs)}
    listed = {data: list[Region]() for data in relation.inputs}
    holds = result.private == HOLDS

    def number(data: Any, region: Region) -> int:  # noqa: ANN401  # an input
        found = next((i for i, one in enumerate(listed[data]) if one is region), None)
        if found is None:
            listed[data].append(region)
        return len(listed[data]) - 1 if found is None else found

    matches = [
        [
            [
                number(bound.left, match.source),
                None if match.target is None else number(bound.right, match.target),
                [] if match.shift is None else [[k, str(by)] for k, by in sorted(match.shift.by.items()) if by],
            ]
            for match in bound.matches
        ]
        for bound in (decision.bounds if holds else ())
    ]
    verdict = FAILS if result.private.startswith(FAILS) else result.private
    body = {
        "format": FORMAT,
        "version": 1,
        "name": result.name,
        "neighbours": result.claim.neighbours if relation.stated is None else "stated",
        "universe": [as_written(label) for label in relation.universe],
        "n": int(relation.n),
        "inputs": [x if isinstance(x, int) else [as_written(label) for label in x] for x in relation.inputs],
        "pairs": [[place[left], place[right]] for left, right in relation.pairs],
        "claim": {
            "epsilon": str(result.claim.epsilon),
            "delta": str(result.claim.delta),
            "ratio": None if result.claim.ratio is None else str(result.claim.ratio),
        },
        "paths": [[_path(path) for path in result.paths[data]] for data in relation.inputs],
        "regions": [[_region(region, result.paths[data]) for region in listed[data]] for data in relation.inputs],
        "verdict": verdict,
        "matches": matches,
        "witness": None if decision.witness is None else _witness(decision.witness, result.paths, place),
        "derived": {"finitedp": version("finitedp"), "says": result.private, "rests_on": list(result.facts), **result.derived},
    }
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _form(form: Form) -> list[Any]:
    return [[[k, str(value)] for k, value in form.items], str(form.constant)]


def _row(row: Row) -> list[Any]:
    return [[[k, str(value)] for k, value in row.items], str(row.constant), row.strict]


def _path(path: Path) -> Document:
    return {
        "draws": [[one.kind, list(map(_form, one.of_forms)), one.forks, one.line, str(one.scale)] for one in path.draws],
        "rows": list(map(_row, path.rows)),
        "answers": "".join("y" if answer else "n" for answer in path.answers),
        "shape": repr(path.shape),
        "forms": list(map(_form, path.forms)),
        "weight": str(path.weight),
    }


def _region(region: Region, paths: Sequence[Path]) -> Document:
    members = [i for i, path in enumerate(paths) if any(path is one for one in region.paths)]
    entry = {"paths": members, "rows": list(map(_row, region.rows))}
    if not region.merged:
        return {**entry, "because": None}
    kinds = {k: draw.kind for path in paths for k, draw in enumerate(path.draws)}
    known = supports(sorted(kinds.items()))
    inside = [_multipliers((*known, *paths[i].rows, row.opposite())) for i in members for row in region.rows]
    apart = [_multipliers((*known, *path.rows, *region.rows)) for i, path in enumerate(paths) if i not in members]
    return {**entry, "because": {"inside": inside, "apart": apart}}


def _multipliers(rows: tuple[Row, ...]) -> list[Any]:
    found = contradiction(rows) or ()
    return [[*_row(row)[:2], str(by)] for row, by in zip(rows, found, strict=True) if by]


def _witness(witness: Witness, paths: Mapping[Any, Sequence[Path]], place: Mapping[Any, int]) -> Document:
    mine = paths[witness.left]
    forms = witness.forms
    chosen = next(i for i, path in enumerate(mine) if path.shape == witness.shape and (forms is None or path.forms == forms))
    kinds = supports(enumerate(draw.kind for draw in mine[chosen].draws))
    return {
        "kind": witness.kind,
        "left": place[witness.left],
        "right": place[witness.right],
        "path": chosen,
        "conditions": [[one.place, one.sign, str(one.bound)] for one in witness.conditions],
        "point": [[k, str(value)] for k, value in sorted(inner_point((*kinds, *mine[chosen].rows)).items())]
        if witness.kind == "space"
        else [],
    }
