"""One exact pair of laws for all counts of a dyadic table, and for the bins of a histogram on any counting mechanism.

The pair of a table has the atoms (w_i, w_(i+1)) for i <= n - 2, (S_(n-1), S_n), and the mirror image of each. Its curve is the
largest of those of all neighbouring counts, at every gamma. For gamma >= 1 the curve of the counts c and c + 1 is
(S_c - gamma S_(c+1))+ + sum_(i < c) (w_i - gamma w_(i+1))+, which does not fall with c, since (a + b)+ <= a+ + b+, so that
c = n - 1 is the worst; below 1 the mirror images do the same. Equal weights are one atom: O(B / epsilon) in all.
"""

from functools import lru_cache
from itertools import pairwise

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import Curve, Pair
from finitedp.impl.counting.dyadic_table import DyadicTable

__all__ = ["curve_of_table", "dyadic_pair", "either_way", "one_bin", "threshold_curve", "threshold_pair", "two_bins"]


@lru_cache(maxsize=256)
def dyadic_pair(table: DyadicTable) -> Pair:
    """What dominates any two counts that differ by one. Source: FD.Pair.dyadic. Cost: O(bits / epsilon) atoms."""
    steps = list(pairwise((*table.head, table.tail)))[: table.n - 1]
    level = table.tail * (table.n - 1 - len(steps))  # the constant stretch
    last = (table.upper(table.n - 1), table.upper(table.n))
    return Pair(atom for p, q in [*steps, (level, level), last] for atom in ((p, q), (q, p)))


def curve_of_table(table: DyadicTable) -> Curve:
    """The curve of one count. Source: FD.Pair.dyadic."""
    return Curve([dyadic_pair(table)], "counts", "FD.Pair.dyadic")


def one_bin(count: PrivacyClaim) -> Curve:
    """A row more or less: one count changes, by one. Parameters: count, the claim of the mechanism of each bin."""
    of = count.curve()
    return Curve(of.pairs, "add-remove", of.source, of.least)


def two_bins(count: PrivacyClaim) -> Curve:
    """A row that is replaced: two counts change, independently of each other.

    Source: FD.Pair.replace. Parameters: count, the claim of the mechanism of each bin.
    """
    of = count.curve()
    return Curve(of.pairs * 2, "replace-one", "FD.Pair.replace", of.least * 2)


def threshold_pair(pair: Pair, delta: mpq) -> Pair:
    """A count that loses a row, and is not shown at 0: the curve is max(the count's, delta), at every gamma >= 0.

    A label of one row shows with probability delta, and without the row never. From the gamma on at which the count's curve
    is below delta, a mass of delta at infinity takes its place: the atoms above are one.
    Source: FD.Pair.stability. Parameters: pair, of two neighbouring counts in either order; delta in [0, 1], a rational.
    """
    scale = int(delta.denominator)
    shown, atoms = int(delta.numerator) * pair.total, [(p * scale, q * scale) for p, q in pair.atoms]
    if pair.infinite >= delta:
        return pair
    atoms.sort(key=lambda atom: (not atom[1], mpq(*atom) if atom[1] else mpq(0)))  # by quotient; infinite ones last
    in_p = in_q = 0
    while atoms:
        p, q = atoms[-1]
        if q and (in_p - shown) * q >= p * in_q:
            break  # at this quotient the count's curve is at least delta
        in_p, in_q = in_p + p, in_q + q
        atoms.pop()
    return Pair([*atoms, (in_p - shown, in_q), (shown, 0)])


def threshold_curve(count: PrivacyClaim, delta: mpq, neighbours: str) -> Curve:
    """A bin that is shown above a threshold: delta is the probability that a label of one row is.

    A row more or less may be either, so that the pair is made symmetric; of a row that is replaced, one bin loses it and the
    other one gains it. Source: FD.Pair.stability. Parameters: count, the claim of the mechanism of each bin, whose curve is
    that of one pair, which is its own mirror image; neighbours, replace-one or add-remove.
    """
    of = count.curve()
    lost, least = (threshold_pair(pair, delta) for (pair,) in (of.pairs, of.least))
    if neighbours == "replace-one":
        return Curve([lost, lost.mirrored()], neighbours, "FD.Pair.stability", [least, least.mirrored()])
    return Curve([either_way(lost)], neighbours, "FD.Pair.stability", [either_way(least)])


def either_way(lost: Pair) -> Pair:
    """The pair whose curve is that of `lost` from gamma = 1 on, and its own mirror image."""
    above = [(p, q) for p, q in lost.atoms if p > q]
    rest = lost.total - sum(p + q for p, q in above)
    return Pair([*above, (rest, rest), *((q, p) for p, q in above)])
