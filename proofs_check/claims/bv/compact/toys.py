"""A counting mechanism with a draw of a few values, for fields of 4 elements, and the laws that specifications start from.

None of this is ever exported.
"""

from collections.abc import Callable

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy
from finitedp.exact import RationalLike, probability
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.proofs_check.claims.bv.sparse.toys import Toy, ToyGeometric
from finitedp.spec import counting as spec
from finitedp.spec.pmf import Pmf


@frozen
class ToyTable(Toy):
    """M(c, u) looked up in a table: row c lists the noisy counts for u = 1, ..., d, in non-decreasing order.

    Parameters: rows, one for each count 0..n, all of the length d; ratio, the worst ratio of neighbouring counts, which the
    claim states (the checks compute it from the rows).
    """

    rows: tuple[tuple[int, ...], ...]
    ratio: mpq = field(default=mpq(1))

    @property
    def n(self) -> int:
        """The largest count."""
        return len(self.rows) - 1

    @property
    def d(self) -> int:
        """The range of the draw."""
        return len(self.rows[0])

    def cdf(self, count: int, z: int) -> int:
        """How many u have M(count, u) <= z."""
        return sum(noisy <= z for noisy in self.rows[count])

    def accuracy(self, beta: RationalLike) -> Accuracy:
        """The error n, which is always true."""
        return Accuracy(self.n, probability(beta, "beta"))


def defined_law(mechanism: CountingMechanism) -> Callable[[int], Pmf[int]]:
    """The law of the noisy count by its definition, by true count."""

    def law(count: int) -> Pmf[int]:
        if isinstance(mechanism, ToyTable):
            row = mechanism.rows[count]
            return Pmf({v: row.count(v) for v in set(row)})
        if isinstance(mechanism, ToyGeometric):
            return spec.geometric_mechanism(mechanism.n, mechanism.decay, count)
        if isinstance(mechanism, FastSample):
            return spec.fast_sample(mechanism.n, mechanism.epsilon, mechanism.gamma, count)
        assert isinstance(mechanism, GeoSample)  # noqa: S101  # there are no others
        return spec.geo_sample(mechanism.n, mechanism.epsilon, count)

    return law
