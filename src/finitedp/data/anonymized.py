"""AnonymizedHistogram: what a release of an anonymized histogram gives, and what can be read from it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.data.engines import optional
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.impl.anonymized import properties
from finitedp.impl.anonymized.prevalences import Pairs, checked_pairs, sorted_distance, total_of

__all__ = ["AnonymizedHistogram"]

FORMAT, VERSION = "finitedp anonymized release", 1
_KEYS = {"format", "version", "private", "mechanism", "n", "total", "parameters", "claim", "randomness", "prevalences"}
Interval = tuple[mpq, mpq]


def _count(value: int) -> int:
    return int(integer(value, "a number of items", at_least=0))


@frozen
class AnonymizedHistogram:
    """How many labels have each count, and how many items there are, as released; the labels are not in it.

    prevalences: pairs (r, phi_r) in ascending order of the count r. total: N, the noisy number of items, which is nearer than
    the sum of the counts. n: the public bound of the number of items. claim: None where the words are not private.
    parameters: of the mechanism, as text. randomness: where the words came from, and how many were drawn.
    Raises: DataError, ParameterError for parts that are no histogram.
    """

    prevalences: Pairs = field(converter=checked_pairs)
    total: int = field(converter=_count)
    n: int = field(converter=_count)
    claim: PrivacyClaim | None
    mechanism: str
    parameters: dict[str, str] = field(factory=dict)
    randomness: dict[str, Any] = field(factory=dict)

    # Reading

    @property
    def labels(self) -> int:
        """The number of labels."""
        return properties.support_size(self.prevalences)

    @property
    def items(self) -> int:
        """The sum of the released counts; `total` is nearer to the true number of items."""
        return total_of(self.prevalences)

    def prevalence(self, count: int) -> int:
        """How many labels have this count. Parameters: count >= 1."""
        r = integer(count, "count", at_least=1)
        return dict(self.prevalences).get(r, 0)

    def rank(self, count: int) -> int:
        """How many labels have at least this count: the last rank of one that has it. Parameters: count >= 1."""
        r = integer(count, "count", at_least=1)
        return sum(many for other, many in self.prevalences if other >= r)

    def count_at(self, rank: int) -> int:
        """The count of the label at a rank, 1 for the most frequent; 0 beyond the last."""
        left = integer(rank, "rank", at_least=1)
        for r, many in reversed(self.prevalences):
            left -= many
            if left <= 0:
                return r
        return 0

    def top(self, beta: int) -> int:
        """The items of the beta most frequent labels: of passwords, how many accounts fall to beta guesses. beta >= 0."""
        left, found = integer(beta, "beta", at_least=0), 0
        for r, many in reversed(self.prevalences):
            taken = min(left, many)
            found, left = found + r * taken, left - taken
        return found

    def distance(self, other: "AnonymizedHistogram | Sequence[tuple[int, int]]") -> int:
        """The sorted l1 distance to another histogram, or to pairs of counts and prevalences. Source: PH.Lem1."""
        pairs = other.prevalences if isinstance(other, AnonymizedHistogram) else checked_pairs(other)
        return sorted_distance(self.prevalences, pairs)

    # Properties of the distribution behind it: post-processing

    def entropy(self, *, corrected: bool = True) -> Interval:
        """An interval around the entropy in nats: Miller and Madow's, or the plug-in one; not a confidence interval."""
        estimate = properties.entropy_miller_madow if corrected else properties.entropy
        return estimate(self.prevalences, self.total)

    def renyi_entropy(self, order: int) -> Interval | None:
        """An interval around the Renyi entropy in nats; None where too few labels come again. order: an integer >= 2."""
        return properties.renyi_entropy(self.prevalences, self.total, order)

    def distance_to_uniformity(self, k: int) -> mpq:
        """The l1 distance to the uniform distribution on k labels, exactly."""
        return properties.distance_to_uniformity(self.prevalences, self.total, k)

    def support_coverage(self, times: RationalLike, k: int = 8) -> mpq:
        """How many new labels `times` N further items would bring, by the smoothed Good-Toulmin estimate, exactly."""
        return properties.support_coverage(self.prevalences, times, k)

    # Documents

    def as_json(self) -> dict[str, Any]:
        """The whole of it as a JSON document: counts as integers, rationals as "p/q"."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "private": self.claim is not None,
            "mechanism": self.mechanism,
            "n": self.n,
            "total": self.total,
            "parameters": self.parameters,
            "claim": None if self.claim is None else self.claim.as_json(),
            "randomness": self.randomness,
            "prevalences": [{"count": r, "prevalence": many} for r, many in self.prevalences],
        }

    @classmethod
    def from_json(cls, document: Any) -> "AnonymizedHistogram":  # noqa: ANN401  # as read from JSON
        """What as_json wrote. Raises: DataError."""
        if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (FORMAT, VERSION):
            raise DataError(
                f"this is no anonymized release; accepted: a JSON object of the format {FORMAT!r}, version {VERSION}"
            )
        if set(document) != _KEYS or not isinstance(document["prevalences"], list):
            raise DataError(
                f"an anonymized release has the keys {', '.join(sorted(_KEYS))}; accepted: these, and a list of rows"
            )
        claim, rows = document["claim"], document["prevalences"]
        if any(not isinstance(row, dict) or set(row) != {"count", "prevalence"} for row in rows):
            raise DataError("a row of the release is none; accepted: objects with the keys count and prevalence")
        if document["private"] is not (claim is not None):
            raise DataError("private and claim contradict each other; accepted: a claim exactly where it is private")
        try:
            return cls(
                [(row["count"], row["prevalence"]) for row in rows],
                document["total"],
                document["n"],
                None if claim is None else PrivacyClaim.from_json(claim),
                document["mechanism"],
                document["parameters"],
                document["randomness"],
            )
        except FinitedpError as error:
            raise DataError(f"the release is damaged: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the JSON document to a file. Raises: OSError."""
        Path(path).write_text(json.dumps(self.as_json(), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "AnonymizedHistogram":
        """Read what save wrote. Raises: DataError for anything else, OSError."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path} is no JSON document: {error}") from None
        return cls.from_json(document)

    def to_frame(self, backend: str) -> Any:  # noqa: ANN401  # any engine's frame
        """A data frame with the columns count and prevalence. Parameters: backend, "pandas", "polars" or "pyarrow".

        Raises: ParameterError for another, where it is missing, or for counts beyond 64 bits.
        """
        if backend not in ("pandas", "polars", "pyarrow"):
            raise ParameterError(f"backend = {backend!r} is unknown; accepted: pandas, polars, pyarrow")
        optional(backend)
        narwhals = optional("narwhals")
        if any(max(pair) >= 1 << 63 for pair in self.prevalences):
            raise ParameterError("a count does not fit into a column of 64-bit integers; accepted: prevalences itself")
        schema = {"count": narwhals.Int64(), "prevalence": narwhals.Int64()}
        columns = {"count": [r for r, _ in self.prevalences], "prevalence": [many for _, many in self.prevalences]}
        return narwhals.from_dict(columns, schema=schema, backend=backend).to_native()

    def plot(self, path: str | Path | None = None, *, true: Sequence[tuple[int, int]] | None = None) -> Any:  # noqa: ANN401
        """Rank against count, both on logarithmic axes, as steps; the true histogram beside it where it is given.

        Parameters: path, a file for the picture; true, pairs of counts and prevalences (a picture of them is not private).
        Returns: matplotlib's figure. Raises: ParameterError where matplotlib is missing, OSError.
        """
        figure = optional("matplotlib.figure").Figure(figsize=(6.4, 4.2), layout="constrained")
        axes = figure.subplots()
        if true is not None:
            axes.plot(*_steps(checked_pairs(true)), color="0.6", linewidth=3, label="true: not private")
        said = "NOT PRIVATE" if self.claim is None else f"released, epsilon = {self.claim.epsilon}"
        axes.plot(*_steps(self.prevalences), color="C0", linewidth=1.2, label=said)
        axes.set(xscale="log", yscale="log", xlabel="rank of a label", ylabel="its count")
        axes.legend(frameon=False)
        if path is not None:
            figure.savefig(path)
        return figure


def _steps(pairs: Pairs) -> tuple[list[int], list[int]]:
    """The ends of the ranks that have each count, from the most frequent label on."""
    ranks, counts, rank = list[int](), list[int](), 0
    for r, many in reversed(pairs):
        ranks += [rank + 1, rank + many]
        counts += [r, r]
        rank += many
    return ranks, counts
