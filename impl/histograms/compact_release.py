"""The release of a CompactHistogram: the noisy counts of all labels, held as the coefficients of one polynomial.

It is an ordinary value, as public as any release: reading a count from it draws nothing and is not timed for secrecy.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Generic, TypeVar

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.exact import compare_exp, integer
from finitedp.impl.arithmetic.field import MOST_LEVEL, Field, Polynomial
from finitedp.impl.counting.geometric import CountingMechanism
from finitedp.impl.histograms import compact_encoding as encoding
from finitedp.impl.histograms.empty_bins import EmptyBinSampler
from finitedp.impl.histograms.universe import Universe

__all__ = ["CompactRelease"]

T = TypeVar("T")


@frozen(slots=False)
class CompactRelease(Generic[T]):
    """A noisy count for every label of the universe: M_0 of the polynomial's value at the label's field element.

    Source: BV.Lem8.1.iii.
    Parameters: level, the paper's l; mechanism, the counting-query mechanism M that M_0 is made from; universe; coefficients,
    n + 1 field elements, the constant first; claim and accuracy, what was stated at the release; randomness, where its random
    bits came from, in words.
    Raises: ParameterError for parameters that do not fit together.
    """

    level: int = field(validator=lambda _self, _attribute, value: integer(value, "level", 0, MOST_LEVEL))
    mechanism: CountingMechanism
    universe: Universe[T]
    coefficients: tuple[int, ...] = field(repr=False)
    claim: PrivacyClaim | None = None
    accuracy: tuple[Accuracy, ...] = ()
    randomness: str = field(default="", validator=lambda _self, _attribute, value: encoding.check_note(value))

    def __attrs_post_init__(self) -> None:
        n, order = self.mechanism.n, self.base.order
        if len(self.coefficients) != n + 1 or not all(0 <= integer(c, "coefficient") < order for c in self.coefficients):
            raise ParameterError(f"the coefficients are not {n + 1} elements of a field of 2^{self.base.bits}")
        if self.universe.size > order:
            raise ParameterError(f"the universe has more elements than the field, 2^{self.base.bits}")
        _ = self.sampler  # refuses a field that is too small for the mechanism

    @cached_property
    def base(self) -> Field:
        """The field of the coefficients."""
        return Field(self.level)

    @cached_property
    def sampler(self) -> EmptyBinSampler:
        """M_0."""
        return EmptyBinSampler(self.mechanism, self.base.order)

    @cached_property
    def _polynomial(self) -> Polynomial:
        return Polynomial(self.base, self.coefficients)

    def count(self, label: T) -> int:
        """The noisy count of a label, in 0..n. Source: BV.Lem8.1.iii.

        Raises: DataError for a label outside of the universe. Cost: n + 1 products of field elements and one search.
        """
        try:
            place = self.universe.index(label)
        except TypeError:
            raise DataError(f"the label {label!r} cannot be a label of the universe") from None
        return int(self.sampler.apply(self._polynomial.value(place) + 1))

    def counts(self, labels: Iterable[T]) -> Iterator[tuple[T, int]]:
        """The pairs (label, noisy count), one after another. Raises: DataError for a label outside of the universe."""
        return ((label, self.count(label)) for label in labels)

    def to_json(self) -> str:
        """The release as JSON: see finitedp.impl.histograms.compact_encoding.

        Raises: ParameterError for a mechanism other than GeoSample, FastSample and DyadicSample, a universe of a kind of its
        own, or listed labels that are neither integers nor strings.
        """
        return encoding.to_json(self._parts())

    def to_bytes(self) -> bytes:
        """The release in the binary form: see finitedp.impl.histograms.compact_encoding. Raises: as `to_json`."""
        return encoding.to_bytes(self._parts())

    def _parts(self) -> encoding.Parts:
        stated = (self.claim, self.accuracy, self.randomness)
        return encoding.Parts(self.level, self.mechanism, self.universe, self.coefficients, *stated)

    @classmethod
    def from_json(cls, text: str | bytes) -> "CompactRelease[T]":
        """The release that `to_json` wrote. Raises: DataError for anything else, a changed file included."""
        return cls._from(encoding.from_json(text))

    @classmethod
    def from_bytes(cls, data: bytes) -> "CompactRelease[T]":
        """The release that `to_bytes` wrote. Raises: DataError for anything else, a changed file included."""
        return cls._from(encoding.from_bytes(data))

    @classmethod
    def _from(cls, parts: encoding.Parts) -> "CompactRelease[T]":
        try:
            loaded = cls(*parts)
        except ParameterError as error:
            raise DataError(f"the compact histogram contradicts itself: {error}") from None
        loaded.check_statements()
        return loaded

    def check_statements(self) -> None:
        """Whether the claim and the accuracy are ones that the mechanism has, as far as this can be computed from the release.

        Source: BV.Thm8.3.i to iii, FD.Dyadic.compact.private. Raises: DataError.
        """
        one, claim = self.mechanism.claim(), self.claim
        if claim is not None and one.ratio is not None:
            ratio = one.ratio**2 * self.sampler.growth()
            within = compare_exp(ratio, claim.epsilon) <= 0 and (claim.ratio is None or claim.ratio >= ratio)
            if claim.neighbours != "replace-one" or not within:
                raise DataError("the compact histogram states a claim that its mechanism does not have")
        for stated in self.accuracy:
            each = {"per-query": 1, "simultaneous": self.universe.size}.get(stated.kind)
            if each is None or not stated.beta or stated.a < self._least_error(stated.beta, each):
                raise DataError("the compact histogram states an accuracy that its mechanism does not have")

    def _least_error(self, beta: mpq, labels: int) -> int:
        try:
            return self.mechanism.accuracy(mpq(beta, labels)).a
        except ParameterError:
            return self.mechanism.n  # nothing is claimed at so small a beta, but no error is larger
