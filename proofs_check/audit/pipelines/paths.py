"""All paths of a mechanism at an input: symbols for its continuous draws, the exact probability of its discrete ones."""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.audit.laws import Explored, Rows, Style, explored
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.noise.rows import Form, Items, Row
from finitedp.proofs_check.engine.noise.runs import Draw
from finitedp.proofs_check.engine.noise.tracing import traced


@frozen
class Path:
    """One path. weight: the probability of its discrete draws; the rows say which continuous draws take it.

    answers: to the comparisons that were open. shape: the output, with "*" for each number that depends on draws, which is
    in forms.
    """

    draws: tuple[Draw, ...]
    rows: tuple[Row, ...]
    answers: tuple[bool, ...]
    shape: Any
    forms: tuple[Form, ...]
    weight: mpq


def followed(
    mechanism: Callable[..., Any],
    data: Any,  # noqa: ANN401  # an input of any kind
    style: Style,
    rows: Rows,
    budget: Budget,
    samplers: Declared | None = None,
) -> tuple[tuple[Path, ...], Explored]:
    """All paths at one input. Raises: ExplorationError, with the input and the line, for what is not followed."""
    found = explored(traced(mechanism), data, style, rows, budget, samplers=samplers)
    if found.law.unresolved:
        raise ExplorationError(
            f"at the input {data!r} some paths are not followed to their end; accepted: a larger "
            "budget, a smaller universe, or a mechanism without loops that go on"
        )
    paths = [_path(record, mass) for record, mass in found.law.probabilities.items()]
    return tuple(sorted(paths, key=lambda path: (path.answers, str(path.shape)), reverse=True)), found


def _path(record: Sequence[Any], mass: mpq) -> Path:
    draws, rows, answers, shape, forms = record
    made = tuple(Draw(kind, tuple(map(_form, of)), forks, line, scale) for kind, of, forks, line, scale in draws)
    return Path(made, tuple(Row(*row) for row in rows), answers, shape, tuple(map(_form, forms)), mass * 2 ** len(answers))


def _form(parts: tuple[Items, mpq]) -> Form:
    return Form(*parts)
