"""The verdict on a pipeline: what the shifts show for all neighbours, and where they do not show the claim, a witness."""

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any, Literal

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.audit.pipelines.bounds import Bound, about, bound_of, within
from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.audit.pipelines.regions import Region, merged, regions
from finitedp.proofs_check.audit.pipelines.witnesses import Witness, witness_of

PipelineVerdict = Literal["holds, if the primitives are ideal", "fails", "fails by rounding only", "unknown"]
ROUNDING = mpq(1, 2**40)
"""Relative differences up to which a failure is one of rounding."""


@frozen
class Decision:
    """The verdict. bounds: of all ordered pairs; worst: the one that decides; witness: where the claim fails."""

    verdict: PipelineVerdict
    worst: Bound
    witness: Witness | None
    bounds: tuple[Bound, ...]
    regions: Mapping[Any, tuple[Region, ...]]


def decide(
    paths: Mapping[Any, Sequence[Path]], pairs: Sequence[tuple[Any, Any]], claim: PrivacyClaim, *, merging: bool = True
) -> Decision:
    """Whether a claim holds for the ideal draws of these paths, by input, at all pairs of neighbours."""
    of = {data: regions(found) for data, found in paths.items()}
    together = {data: merged(found) for data, found in of.items()} if merging else of
    bounds = tuple(_bound(left, right, (together, of), claim) for left, right in pairs)
    left = [bound for bound in bounds if not bound.holds(claim)]
    if not left:
        return Decision("holds, if the primitives are ideal", max(bounds, key=_size), None, bounds, of)
    found = [one for bound in left if (one := witness_of(bound, of[bound.left], of[bound.right], claim)) is not None]
    worst = max(left, key=_size)
    if not found:
        return Decision("unknown", worst, None, bounds, of)
    witness = max(found, key=lambda one: (one.loss, one.delta))
    verdict: PipelineVerdict = "fails by rounding only" if all(_by_rounding(bound, of, claim) for bound in left) else "fails"
    return Decision(verdict, witness.bound, witness, bounds, of)


def _bound(left: Any, right: Any, ways: Sequence[Mapping[Any, tuple[Region, ...]]], claim: PrivacyClaim) -> Bound:  # noqa: ANN401
    """The bound of two inputs, of regions as they are merged or as they are: the first that shows the claim, or the least."""
    found = list[Bound]()
    for of in ways:
        if not found or of[left] is not ways[0][left] or of[right] is not ways[0][right]:
            found.append(bound_of(left, right, of[left], of[right]))
        if found[-1].holds(claim):
            return found[-1]
    return min(found, key=_size)


def _size(bound: Bound) -> tuple[mpq, float, mpq]:
    ratio, cost = bound.epsilon
    return bound.open, about(cost) + about(ratio), bound.squares


def _by_rounding(bound: Bound, of: Mapping[Any, tuple[Region, ...]], claim: PrivacyClaim) -> bool:
    """Whether the claim holds up to 2^-40 of it once all numbers are rounded to 40 bits."""
    ratio = None if claim.ratio is None else claim.ratio * (1 + ROUNDING)
    nearly = evolve(claim, epsilon=claim.epsilon * (1 + ROUNDING) + (0 if ratio is None else 1), ratio=ratio)
    if bound.squares or not all(
        match.shift is not None and within(nearly, match.ratio, match.shift.cost) for match in bound.matches
    ):
        sides = [tuple(map(_rounded, of[data])) for data in (bound.left, bound.right)]
        again = bound_of(bound.left, bound.right, *sides)
        return not again.squares and again.holds(nearly)
    return True


def _rounded(region: Region) -> Region:
    forms = tuple(_of_bits(form) for form in region.forms)
    rows = tuple(_of_bits(row) for row in region.rows)
    return evolve(region, forms=forms, rows=rows, shape=_rounded_shape(region.shape))


def _of_bits(form: Any) -> Any:  # noqa: ANN401  # a form or a row
    """The same with numbers of 40 bits."""
    return form._replace(items=tuple((k, _bits(v)) for k, v in form.items), constant=_bits(form.constant))


def _bits(number: mpq) -> mpq:
    """The nearest number of 40 bits."""
    if not number:
        return number
    size = number.numerator.bit_length() - number.denominator.bit_length() - 40
    unit = mpq(2) ** size
    return mpq(floor(number / unit + mpq(1, 2))) * unit


def _rounded_shape(shape: Any) -> Any:  # noqa: ANN401  # nested tuples
    if isinstance(shape, tuple) and len(shape) == 3 and shape[0] == "value" and "float" in str(shape[1]):
        return (*shape[:2], f"{float(str(shape[2]).split('(')[-1].rstrip(')')):.12g}")
    return tuple(map(_rounded_shape, shape)) if isinstance(shape, tuple) else shape
