"""The public parameters of BlanketHistogram, and the integer inequalities that make them private.

A plan is certified when it is made: whatever does not satisfy (A) to (D) is refused. It says how a row more changes
probabilities, by a factor in [1/R_down, R_up] (both are R on a dyadic table). See docs/blanket.md for the proof.
"""

from collections.abc import Iterator
from functools import cached_property

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim, check_neighbours
from finitedp.errors import ClaimError, ParameterError
from finitedp.exact import integer
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.blanket.skewed import SkewedSample, SkewedTable
from finitedp.impl.histograms.blanket.stretched import Stretched

__all__ = ["LARGEST_LABEL", "BlanketPlan"]

LARGEST_LABEL = 192  # bits


def _relation(value: str) -> Neighbours:
    relation = check_neighbours(value)
    if relation == "counts":
        raise ParameterError("neighbours = 'counts' is not a relation on datasets; accepted: replace-one, add-remove")
    return relation


@frozen(slots=False)
class BlanketPlan:
    """What a release depends on beside the data, certified.

    Source: FD.Blanket.private, FD.Blanket.refusals.
    Parameters: mechanism, the noise of one count in 0..n; neighbours, replace-one or add-remove; size, |X|; label_bits, the
    bits k of a label, 2^k >= |X|; b in 0..n-1, up to which counts are not shown; cap, the largest number L of labels and
    slots; slots, G > L; hit_bits and hit, h and q: a slot hits with probability q/2^h; count_bits, C; counts, the weights
    t_(b+1), ..., t_n of a slot's count, which sum to 2^C; most_invented, what a plan that was chosen was asked for.
    Raises: ParameterError for what is out of range, ClaimError where a condition fails.
    """

    mechanism: DyadicSample | SkewedSample
    neighbours: Neighbours = field(converter=_relation)
    size: int
    label_bits: int
    b: int
    cap: int
    slots: int
    hit_bits: int
    hit: int
    count_bits: int
    counts: Stretched = field(repr=False)
    most_invented: mpq | None = None

    def __attrs_post_init__(self) -> None:
        if isinstance(self.mechanism, SkewedSample) and self.neighbours != "replace-one":
            raise ParameterError("a skewed table is for replace-one; accepted: a dyadic table for add-remove")
        integer(self.label_bits, "label_bits", 0, LARGEST_LABEL)
        integer(self.size, "size", 1, 1 << self.label_bits)
        integer(self.b, "b", 0, self.mechanism.n - 1)
        integer(self.cap, "cap", at_least=1)
        integer(self.slots, "slots", at_least=1)
        integer(self.hit_bits, "hit_bits", 1, 256)
        integer(self.hit, "hit")
        integer(self.count_bits, "count_bits", 0, 256)
        for broken in self.violations():
            raise ClaimError(f"the plan for n = {self.n}, epsilon = {self.epsilon} is not private: {broken}")

    @property
    def n(self) -> int:
        """The largest number of rows."""
        return self.mechanism.n

    @property
    def epsilon(self) -> mpq:
        """Of the release, for its neighbours: the mechanism's own, or half of it where a row is only added or removed."""
        return mpq(self.mechanism.epsilon, 1 if self.neighbours == "replace-one" else 2)

    @property
    def up(self) -> mpq:
        """By which factor a row more raises a probability at most."""
        table = self.mechanism.table
        return table.up if isinstance(table, SkewedTable) else table.ratio

    @property
    def down(self) -> mpq:
        """By which factor a row more lowers a probability at most."""
        table = self.mechanism.table
        return table.down if isinstance(table, SkewedTable) else table.ratio

    @property
    def ratio(self) -> mpq:
        """The worst ratio: of a row more and a row less for replace-one, else of the worse of the two."""
        return self.up * self.down if self.neighbours == "replace-one" else max(self.up, self.down)

    @property
    def labels(self) -> int:
        """D = 2^k: labels and phantoms."""
        return 1 << self.label_bits

    @property
    def invented(self) -> mpq:
        """How many slots hit and hold a label of X, on average: no more labels that do not occur are released."""
        return mpq(self.slots * self.hit * self.size, self.labels << self.hit_bits)

    def one_row(self, v: int) -> int:
        """2^B Pr[M(1) = v], for v in 1..n."""
        return self.mechanism.table.weight(v - 1) if v < self.n else self.mechanism.table.upper(v - 1)

    def claim(self) -> PrivacyClaim:
        """(epsilon, 0) for the plan's neighbours, with the worst ratio, on all coins. Source: FD.Blanket.private."""
        return PrivacyClaim(self.epsilon, self.neighbours, ratio=self.ratio, source="FD.Blanket.private")

    def certificate(self) -> dict[str, object]:
        """The plan as a JSON document, which proofs_check/blanket_certificate.py re-checks by itself.

        Source: FD.Blanket.certificate. Returns: numbers as decimal strings, since many readers of JSON round large ones.
        """
        numbers = {"epsilon": self.epsilon, "ratio": self.ratio, "invented": self.most_invented, "size": self.size}
        numbers |= {"b": self.b, "cap": self.cap, "slots": self.slots, "hit": self.hit}
        bits = {"label_bits": self.label_bits, "hit_bits": self.hit_bits, "count_bits": self.count_bits}
        counts = {"head": [str(t) for t in self.counts.head], "tail": str(self.counts.tail), "last": str(self.counts.last)}
        kind = {"format": "finitedp blanket plan", "version": 1, "neighbours": self.neighbours}
        written = {name: str(number) for name, number in numbers.items()}
        return {**kind, **written, **bits, "counts": counts, "table": self.mechanism.table.certificate()}

    # What makes a plan private

    @cached_property
    def _misses(self) -> int:
        """2^h - q."""
        return (1 << self.hit_bits) - self.hit

    def violations(self) -> Iterator[str]:
        """What is wrong with the plan, in words; nothing for a private one. Cost: a few products for each stored weight."""
        if not (self.cap < self.slots and self.hit >= 1 and self._misses > 0):
            yield "the slots are not more than the cap, or q is not in 1..2^h - 1"
            return
        if self.counts.size != self.n - self.b or self.counts.least < 1:
            yield "the counts of slots are not n - b weights of at least 1"
            return
        if self._free <= 0:
            yield "(2^h - q) D is not above G q"
            return
        if self.counts.total != 1 << self.count_bits:
            yield f"the counts of slots sum to {self.counts.total}, not to 2^{self.count_bits}"
        yield from self._on_hidden_labels()
        yield from self._on_counts()
        yield from self._on_withheld()

    @cached_property
    def _all(self) -> int:
        """(2^h - q) D."""
        return self._misses << self.label_bits

    @cached_property
    def _free(self) -> int:
        """(2^h - q) D - G q."""
        return self._all - self.slots * self.hit

    def _on_hidden_labels(self) -> Iterator[str]:
        (p, q), (r, s) = _parts(self.up), _parts(self.down)
        hidden = self.mechanism.d - self.mechanism.table.upper(self.b)
        if hidden * self._all * q > p * self._free * self.mechanism.d:
            yield "(A) fails: (1 - sigma)(1 + rho_2) > R"
        if self.mechanism.d * s > r * hidden:
            yield "(A) fails: 1 > R (1 - sigma)"

    def places(self) -> Iterator[int]:
        """The counts v in b+1..n to check (B) and (C) at: of equal weights on both sides, one stands for all."""
        explicit = max(self.b + len(self.counts.head), len(self.mechanism.table.head))
        yield from range(self.b + 1, min(explicit + 2, self.n))
        yield self.n

    def _on_counts(self) -> Iterator[str]:
        (p, q), (r, s) = _parts(self.up), _parts(self.down)
        hits = (self.slots - self.cap) * self.hit
        needs, gives = ((self._all + hits) * q) << self.count_bits, p * hits * self.mechanism.d
        costs, allows = (self.slots * self.hit * s) * self.mechanism.d, (r * self._free) << self.count_bits
        for v in self.places():
            once, held = self.one_row(v), self.counts.weight(v - self.b - 1)
            if once * needs > held * gives:
                yield f"(B) fails at {v}: m_1(v)(1 + rho_1) > R tau_v rho_1"
            if held * costs > once * allows:
                yield f"(C) fails at {v}: tau_v rho_2 > R m_1(v)"

    def _on_withheld(self) -> Iterator[str]:
        p, q = _parts(self.up)
        left = self.mechanism.table.upper(self.b) * (self.cap + 1) * self._misses * q
        if left > (p - q) * (self.slots - self.cap) * self.hit * self.mechanism.d:
            yield "(D) fails: sigma (L + 1)(2^h - q) > (R - 1)(G - L) q"


def _parts(ratio: mpq) -> tuple[int, int]:
    return int(ratio.numerator), int(ratio.denominator)
