"""What finitedp.count and finitedp.total give: a noisy number, and what is claimed of it."""

import json
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import integer, rational
from finitedp.impl.counting.bounded_total import BoundedTotal
from finitedp.units import Unit

__all__ = ["NoisyNumber"]

FORMAT, VERSION = "finitedp number", 1


@frozen
class NoisyNumber:
    """A noisy number of rows, or a noisy sum.

    value: an integer. claim: None where the words are not private. accuracy: the error exceeds its `a` with probability at
    most beta, of at most n rows whose values are within the bounds. mechanism: what was run. what: of which data, in words.
    source: what the words come from.
    """

    value: int
    claim: PrivacyClaim | None
    accuracy: Accuracy
    mechanism: BoundedTotal
    what: str
    source: str

    def __int__(self) -> int:
        """The value."""
        return self.value

    @property
    def low(self) -> int:
        """The lower end of the error bar: no sum is below it that there may be."""
        return max(self.value - self.accuracy.a, self.mechanism.least)

    @property
    def high(self) -> int:
        """The upper end."""
        return min(self.value + self.accuracy.a, self.mechanism.most)

    def __repr__(self) -> str:
        """The number with its error bar, and what is claimed, in two lines."""
        claim = self.claim
        said = "NOT PRIVATE: the words come from a seed"
        if claim is not None:
            of = claim.neighbours if claim.unit is None else f"{claim.neighbours} of a whole {claim.unit}"
            said = f"({claim.epsilon}, {claim.delta})-differentially private ({of}, n = {self.mechanism.n})"
        bar = f"an error bar fails with probability at most {self.accuracy.beta}"
        return f"{self.what}: {self.value}, error bar {self.low}..{self.high}\n{said}; {bar}"

    def as_json(self) -> dict[str, Any]:
        """All of it as a JSON object: rationals as "p/q", sums as texts, since many readers of JSON round large ones."""
        mechanism, claim = self.mechanism, self.claim
        return {
            "format": FORMAT,
            "version": VERSION,
            "private": claim is not None,
            "what": self.what,
            "value": str(self.value),
            "error_bar": [str(self.low), str(self.high)],
            "mechanism": type(mechanism).__name__,
            "n": str(mechanism.n),
            "bounds": [str(mechanism.low), str(mechanism.high)],
            "parameters": {
                "epsilon": str(mechanism.epsilon),
                "neighbours": mechanism.neighbours,
                "step": str(mechanism.step),
                "word": mechanism.word,
                "missing": mechanism.missing,
                **({} if mechanism.unit is None else {"unit": mechanism.unit.as_json()}),
            },
            "claim": None if claim is None else claim.as_json(),
            "accuracy": {**self.accuracy.as_json(), "a": str(self.accuracy.a)},
            "randomness": {"bits_from": self.source, "word": mechanism.word, "draws": 1},
        }

    def to_json(self) -> str:
        """`as_json` as text."""
        return json.dumps(self.as_json(), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> "NoisyNumber":
        """The number that to_json wrote; all that it states is computed again. Raises: DataError for anything else."""
        try:
            document = json.loads(text)
            if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (FORMAT, VERSION):
                raise DataError(f"it is no JSON object of the format {FORMAT!r}, version {VERSION}")
            found = cls._of(document)
        except (FinitedpError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(f"this is no noisy number: {type(error).__name__}: {error}") from None
        if {"finitedp": None, **document} != {"finitedp": document.get("finitedp"), **found.as_json()}:
            raise DataError("the number's document contradicts itself: what it states does not follow from its parameters")
        return found

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> "NoisyNumber":
        given, (low, high) = document["parameters"], map(int, document["bounds"])
        made = BoundedTotal(
            int(document["n"]),
            low,
            high,
            rational(given["epsilon"], "epsilon"),
            given["neighbours"],
            int(given["step"]),
            integer(given["word"], "word"),
            bool(given["missing"]),
            Unit.from_json(given["unit"]) if "unit" in given else None,
        )
        value = integer(int(document["value"]), "value", made.least, made.most)
        claim, accuracy = made.claim() if document["claim"] is not None else None, made.accuracy(document["accuracy"]["beta"])
        what, source = document["what"], document["randomness"]["bits_from"]
        if not isinstance(what, str) or not isinstance(source, str):
            raise DataError("its words are no text")
        return cls(value, claim, accuracy, made, what, source)
