"""What finitedp.release gives: noisy counts by label, and what is claimed of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.claim import HistogramAccuracy, Neighbours, PrivacyClaim
from finitedp.data.columns import Label
from finitedp.data.engines import optional
from finitedp.errors import ParameterError
from finitedp.exact import short
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_plan import LIMB
from finitedp.impl.histograms.blanket.bulk import bits_read
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.skewed import SkewedSample
from finitedp.labels import is_utf_8

__all__ = ["NoisyHistogram"]


@frozen(eq=False)
class NoisyHistogram:
    """What is released, and what is claimed of it.

    labels: sorted, or in the order of the universe. counts: their noisy counts, an int64 array of the same length. claim: None
    where the words are not private. accuracy: per query, and simultaneous. mechanism: of each count. delta: as asked for.
    threshold: None for BasicHistogram; else noisy counts up to it are not released, and a label that is not listed has count
    0. source: what the words come from. draws: how many there were, of n labels at most; None where that is no part of the
    release, since it tells how many labels occur. plan: of BlanketHistogram, None for the others. withheld: whether that
    release is empty since it would have held too many labels (with probability 2^-64 or less). neighbours: what epsilon is
    for.
    """

    labels: Sequence[Label]
    counts: NDArray[np.int64]
    claim: PrivacyClaim | None
    accuracy: HistogramAccuracy
    mechanism: DyadicSample | SkewedSample
    delta: mpq
    threshold: int | None
    source: str
    draws: int | None
    plan: BlanketPlan | None = None
    withheld: bool = False
    neighbours: Neighbours = "replace-one"

    @property
    def n(self) -> int:
        """The public bound of the number of rows."""
        return self.mechanism.n

    @property
    def epsilon(self) -> mpq:
        """As asked for: the mechanism's own, or half of it where a row is only added or removed."""
        return mpq(self.mechanism.epsilon, 1 if self.neighbours == "replace-one" else 2)

    def as_dict(self) -> dict[Label, int]:
        """Label to noisy count, in the order of the labels."""
        return dict(zip(self.labels, self.counts.tolist(), strict=True))

    def to_frame(self, backend: str) -> Any:  # noqa: ANN401  # any engine's frame
        """A data frame with the columns label and count; labels are text where none is released.

        Parameters: backend, "pandas", "polars" or "pyarrow". Raises: ParameterError for another, where it is missing, or for
        labels that a column cannot hold: text and integers together, integers beyond 64 bits, bytes that are not UTF-8.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise ParameterError(f"backend = {backend!r} is unknown; accepted: pandas, polars, pyarrow")
        optional(backend)
        narwhals, integers = optional("narwhals"), bool(self.labels) and isinstance(self.labels[0], int)
        schema = {"label": narwhals.Int64() if integers else narwhals.String(), "count": narwhals.Int64()}
        if not all(_fits(label, integers=integers) for label in self.labels):
            raise ParameterError(
                "the labels do not fit into a column of 64-bit integers or of text; accepted: such labels, or as_dict()"
            )
        columns = {"label": list(self.labels), "count": self.counts}
        return narwhals.from_dict(columns, schema=schema, backend=backend).to_native()

    def metadata(self) -> dict[str, Any]:
        """All of it but labels and counts, for a document: rationals as strings "p/q"."""
        claim, mechanism = self.claim, self.mechanism
        kind = (
            "BasicHistogram" if self.threshold is None else "StabilityHistogram" if self.plan is None else "BlanketHistogram"
        )
        return {
            "mechanism": f"{kind} with {type(mechanism).__name__}",
            **({"labels": len(self.labels)} if self.threshold is None else {"threshold": self.threshold}),
            "n": mechanism.n,
            "parameters": {
                "epsilon": str(self.epsilon),
                "delta": str(self.delta),
                "word": mechanism.word,
                "neighbours": self.neighbours,
                **self._blanket(),
            },
            "claim": None if claim is None else claim.as_json(),
            **self._distance(),
            "accuracy": self.accuracy.as_json(),
            "randomness": self.randomness(),
        }

    def _distance(self) -> dict[str, str]:
        """How far a count's law is from the geometric one; a skewed table has another."""
        if isinstance(self.mechanism, SkewedSample):
            return {}
        exponent = self.mechanism.table.excess_exponent()
        return {"distance_from_geometric": "0" if exponent is None else str(mpq(1, 1 << exponent))}

    def randomness(self) -> dict[str, Any]:
        """Where the random words came from, how many were drawn, and how many bits were read for them."""
        word, draws = self.mechanism.word, self.draws
        each = LIMB * -(-word // LIMB)
        read = bits_read(self.plan) if self.plan is not None else None if draws is None else each * draws
        return {"bits_from": self.source, "word": word, "draws": draws, "bits": read}

    def _blanket(self) -> dict[str, Any]:
        """What a plan adds to the parameters: public numbers."""
        plan = self.plan
        if plan is None:
            return {}
        asked = {"universe_size": short(plan.size), "invented": str(plan.most_invented)}
        return {**asked, "cap": plan.cap, "slots": plan.slots, "withheld": self.withheld}


def _fits(label: Label, *, integers: bool) -> bool:
    """Whether a column of integers, or of text, can hold a label."""
    if isinstance(label, int):
        return integers and -(2**63) <= label < 2**63
    return not integers and is_utf_8(label)
