"""Appendix D: Lemma 27 and its proof, as printed, with what is true of the search, and with a search that mends it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.subjects import Search, Single, affine_reach, levels_of, phi_b_up_to, uncapped
from finitedp.proofs_check.claims.ph.each_case import Bounded, bounded, largest_load
from finitedp.proofs_check.claims.ph.subjects import l1
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, erratum, in_scope
from finitedp.proofs_check.ledger.findings import lemma

HASHING = "finitedp.impl.anonymized.hashing"
Pick = Callable[[Sequence[int], int, int], list[int]]


def atoms(case: Search | Single) -> Iterable[Single]:
    """Each histogram with each targets."""
    return case.atoms


def _one_large(m: int, ones: int, more: int = 1) -> Single:
    """A count of m and `ones` ones, with the targets ones + more, 1, ..., 1: from x_2 on, 0 is found."""
    return Single((m, *(1,) * ones), (ones + more, *(1,) * (m - 1)))


TWELVE = Single((4, *(1,) * 8), (11, 1, 1))
FOURTEEN = Single((3, *(1,) * 11), (12, 1, 1))
THIRTY_THREE = Single((6, *(1,) * 27), (28, 1, 1, 1, 1, 1, 0), 62)
GRID = Cases(
    [
        *(Search(2, 1, 7, 2), Search(3, 2, 19, 3), Search(4, 2, 25, 4), TWELVE, FOURTEEN, THIRTY_THREE),
        *(_one_large(8, 30), _one_large(9, 35, 0), _one_large(20, 75)),
    ],
    [
        *(Search(n, m, 3 * n * m + 1, n) for n, m in ((4, 3), (5, 3), (6, 2), (8, 4), (12, 3))),
        *(Search(n, m, 10 * n * m, n) for n, m in ((6, 3), (9, 3))),
        *(_one_large(m, k, more) for m, k in ((12, 45), (16, 60), (30, 113)) for more in (0, 1)),
    ],
)
OVER = """all histograms with n <= 4 items and all non-increasing targets, in full to n = 12, m = 3; one large count among ones
to n = 95, m = 20, in full to n = 143, m = 30"""


of_search = partial(erratum, over=OVER, code=[f"{HASHING}.unhashed"], grid=GRID, kind="lemma")


class Levels(NamedTuple):
    """What is found for an atom: x, the true levels, and |Phi_B(h)_r - target_r| for every r; where, in words."""

    x: list[int]
    true: list[int]
    off: list[mpq]
    where: str


_levels = lru_cache(maxsize=4096)(levels_of)


@lru_cache(maxsize=4096)
def _picked(pick: Pick, targets: tuple[int, ...], n: int, buckets: int) -> list[int]:
    return pick(targets, n, buckets)


def _compared(pick: Pick, atom: Single) -> Levels:
    x = _picked(pick, atom.targets, atom.n, atom.buckets)
    reached = phi_b_up_to(atom.h, atom.buckets, atom.m)
    off = [abs(x - t) for x, t in zip(reached, atom.targets, strict=True)]
    where = f"h={_shown(atom.h)}, targets {_shown(atom.targets)}, x={_shown(tuple(x))}, {atom}"
    return Levels(x, _levels(atom.h, atom.m), off, where)


@lru_cache(maxsize=4096)
def _shown(values: tuple[int, ...]) -> str:
    """3, 1 x 11 for 3, 1, ..., 1."""
    counted = Counter(values).items()
    return "(" + ", ".join(f"{v} x {many}" if many > 3 else ", ".join([str(v)] * many) for v, many in counted) + ")"


def _capped(x: Sequence[int], true: Sequence[int], level: int) -> bool:
    """Whether x_l, l = level + 1, is at its upper bound x_{l-1}, and below the true level."""
    return bool(level) and x[level - 1] == x[level] < true[level]


# (12)


class Nearest(NamedTuple):
    """A search; and whether (12) is asked too where x_l is at its upper bound x_{l-1} and the true level is above that."""

    pick: Pick
    everywhere: bool = False


@of_search(
    "GK.Eq12",
    """(12): given x_1, ..., x_{l-1}, Algorithm 7's search finds an x_l in 0..x_{l-1} for which Phi_B (continued affinely above
    x_{l-1}) is at least as near to the target as for the true phi_{>=l}.""",
    """Corrected: given x_1, ..., x_{l-1}, Algorithm 7's search finds an x_l in 0..x_{l-1} for which Phi_B (continued affinely
    above x_{l-1}) is at least as near to the target as for the true phi_{>=l}, or x_l = x_{l-1} < phi_{>=l}: then the error is
    no larger than that of the level before, phi_{>=l} - x_l <= phi_{>=l-1} - x_{l-1}.""",
    as_printed=("at the upper bound x_{l-1}, too", Nearest(unhashed, everywhere=True)),
    subject=Nearest(unhashed),
    twins={
        "one less": Nearest(lambda t, n, b: [max(0, x - 1) for x in unhashed(t, n, b)]),
        "targets in the opposite order": Nearest(lambda t, n, b: unhashed(t[::-1], n, b)),
    },
)
@over(atoms)
@bounded("(12)")
def optimal(nearest: Nearest, atom: Single) -> Bounded:
    x, true, _off, where = _compared(nearest.pick, atom)
    for level, target in enumerate(atom.targets):
        before, at = x[:level], f"l={level + 1}, {where}"
        if _capped(x, true, level) and not nearest.everywhere:
            yield true[level] - x[level], true[level - 1] - x[level - 1], f"error, {at}"
        else:
            one, other = (abs(affine_reach(before, atom.buckets, y) - target) for y in (x[level], true[level]))
            yield one, other, at


# (13)


class Factors(NamedTuple):
    """The factors of (13) and of the step after it; and whether both are asked where x_l is at its upper bound, too."""

    sum_before: mpq | int
    here: mpq | int
    after: mpq | int
    everywhere: bool = False


@of_search(
    "GK.Eq13",
    """(13) and the step after it: |Phi_B(phi_1, ..., phi_{l-1}, x_l)_l - target_l| <= |Phi_B(n)_l - target_l| + 2 (n/B) sum
    over r < l of |phi_r - x_r|, and |x_l - phi_l| <= 3 |Phi_B(n)_l - target_l| + 3 (n/B) of that sum.""",
    """Corrected: unless x_l = x_{l-1} < phi_l, the x_l of Algorithm 7 has |Phi_B(phi_1, ..., phi_{l-1}, x_l)_l - target_l| <=
    |Phi_B(n)_l - target_l| + 2 (n/B) sum over r < l of |phi_r - x_r|, and |x_l - phi_l| <= 3 |Phi_B(n)_l - target_l| + 3 (n/B)
    of that sum; always |x_l - phi_l| is at most the larger of the latter bound and |x_{l-1} - phi_{l-1}|.""",
    as_printed=("at the upper bound x_{l-1}, too", Factors(2, 3, 3, everywhere=True)),
    subject=Factors(2, 3, 3),
    twins={"1/2 for 3": Factors(2, mpq(1, 2), mpq(1, 2)), "without the sum": Factors(0, mpq(9, 10), 0)},
)
@over(atoms)
@bounded("step")
def induction(factors: Factors, atom: Single) -> Bounded:
    share = mpq(atom.n, atom.buckets)
    x, true, off, where = _compared(unhashed, atom)
    for level, target in enumerate(atom.targets):
        apart, at = share * l1(x[:level], true[:level]), f"l={level + 1}, {where}"
        value, allowed = abs(x[level] - true[level]), factors.here * off[level] + factors.after * apart
        if _capped(x, true, level) and not factors.everywhere:
            allowed = max(allowed, mpq(abs(x[level - 1] - true[level - 1])))
        else:
            reached = abs(affine_reach(true[:level], atom.buckets, x[level]) - target)
            yield reached, off[level] + factors.sum_before * apart, f"(13), {at}"
        yield value, allowed, f"after (13), {at}"


# (11) and Lemma 27


class Bound(NamedTuple):
    """A bound of the error up to level l: a factor, of n/B and l, times what is said of the first l misses of the targets."""

    factor: Callable[[mpq, int], mpq]
    of: Callable[[Iterable[mpq]], Iterable[mpq]]


def _largest(misses: Iterable[mpq]) -> Iterable[mpq]:
    return accumulate(misses, max)


def _sum_of_largest(misses: Iterable[mpq]) -> Iterable[mpq]:
    """The sum over r of the largest of the first r."""
    return accumulate(_largest(misses))


def _power(constant: mpq | int, share: int) -> Callable[[mpq, int], mpq]:
    return lambda ratio, level: constant * (1 + share * ratio) ** level


@of_search(
    "GK.Eq11",
    """(11): the sum over r <= l of |x_r - phi_{>=r}| is at most 3 (1 + 3n/B)^l times the sum over r <= l of |Phi_B(n)_r -
    target_r|, for every l <= m.""",
    """Corrected: for B > 3nm and every l <= m the levels of Algorithm 7 have a sum over r <= l of |x_r - phi_{>=r}| of at most
    3 (1 + 3n/B)^l times the sum over r <= l of the largest of |Phi_B(n)_1 - target_1|, ..., |Phi_B(n)_r - target_r|.""",
    as_printed=("the sum of the misses", Bound(_power(3, 3), accumulate)),
    subject=Bound(_power(3, 3), _sum_of_largest),
    twins={
        "1/2 for 3": Bound(_power(mpq(1, 2), 3), _sum_of_largest),
        "(1 - 3n/B)^l/2": Bound(_power(mpq(1, 2), -3), _sum_of_largest),
    },
)
@over(atoms)
def by_level(bound: Bound, atom: Single) -> Finding:
    return largest_load("(11)", _errors(unhashed, bound, atom))


def _errors(pick: Pick, bound: Bound, atom: Single, *, last: bool = False) -> Iterator[tuple[int, mpq, object]]:
    """(error, bound, where) up to every level, or up to m alone."""
    ratio = mpq(atom.n, atom.buckets)
    x, true, off, where = _compared(pick, atom)
    errors = accumulate(abs(a - b) for a, b in zip(x, true, strict=True))
    for level, (error, of) in enumerate(zip(errors, bound.of(off), strict=True), 1):
        if level == atom.m or not last:
            yield error, bound.factor(ratio, level) * of, f"l={level}, {where}"


E_BELOW, E_ABOVE = mpq(27, 10), mpq(2719, 1000)


@of_search(
    "GK.Lem27",
    """Lemma 27, with the constant 3e of its proof: for B > 3nm the sum over r <= m of |x_r - phi_{>=r}| is at most 3e times
    ||Phi_B(n) - targets||_1 (2719/1000 > e stands for it).""",
    """Corrected: for B > 3nm Algorithm 7's levels have a sum over r <= m of |x_r - phi_{>=r}| of at most 3em times the largest
    |Phi_B(n)_r - target_r|, r <= m, and so 3em times ||Phi_B(n) - targets||_1 (27/10 < e stands for it).""",
    as_printed=("without the factor m", Bound(lambda _ratio, _m: 3 * E_ABOVE, accumulate)),
    subject=Bound(lambda _ratio, m: 3 * E_BELOW * m, _largest),
    twins={"1/4": Bound(lambda _ratio, m: mpq(m, 4), _largest), "0": Bound(lambda _ratio, _m: mpq(0), _largest)},
)
@over(atoms)
def recovered(bound: Bound, atom: Single) -> Finding:
    return largest_load("(10)", _errors(unhashed, bound, atom, last=True))


class Tall(NamedTuple):
    """A count of m >= 2 among about 15m/4 ones."""

    m: int

    def check_scope(self) -> None:
        in_scope(self.m >= 2, "m >= 2")

    @property
    def ones(self) -> range:
        return range(15 * self.m // 4, 15 * self.m // 4 + 3 + self.m // 20)


@lemma(
    "GK.Lem27.constant",
    """Lemma 27 needs a factor that grows with m: for a count of m among k ones and the targets k + 1, 1, ..., 1, some k
    near 15m/4, the sum over r <= m of |x_r - phi_{>=r}| is more than m times ||Phi_B(n) - targets||_1; Algorithm 7's search
    finds 0 from x_2 on.""",
    over="m on the grid, to 20, in full to 40; the least B above 3nm",
    code=[f"{HASHING}.unhashed"],
    grid=cases(Tall, [2, 5, 10, 20], [16, 30, 40]),
    subject=unhashed,
    twins={"the corrected search": uncapped},
)
def without_constant(pick: Pick, case: Tall) -> Finding:
    def found() -> Iterator[Finding]:
        for ones in case.ones:
            x, true, off, where = _compared(pick, _one_large(case.m, ones))
            yield largest_load("m ||Phi_B - targets||", [(case.m * sum(off), l1(x, true), where)])

    return min(found(), key=lambda one: one.load)


@lemma(
    "GK.Lem27.uncapped",
    """Lemma 27 for a search without the upper bound: let x_r be the integer in 0..n for which Phi_B(w_1, ..., w_{r-1}, x)_r is
    nearest to target_r, where w_1 >= ... >= w_{r-1} are nearest in l1 to x_1, ..., x_{r-1} and Phi_B is continued affinely
    above w_{r-1}. Then for B > 3nm the sum over r <= l of |x_r - phi_{>=r}| is at most 3 (1 + 6n/B)^l <= 3e^2 times the sum
    over r <= l of |Phi_B(n)_r - target_r|, for every l <= m.""",
    over=OVER,
    code=["finitedp.impl.anonymized.l1_isotonic.l1_isotonic", f"{HASHING}.expected_reaching"],
    grid=GRID,
    subject=(uncapped, 3),
    twins={
        "Algorithm 7's search": (unhashed, 3),
        "targets one too large": (lambda t, n, b: uncapped([x + 1 for x in t], n, b), 3),
        "1/2 for 3": (uncapped, mpq(1, 2)),
    },
)
@over(atoms)
def mended(search: tuple[Pick, mpq | int], atom: Single) -> Finding:
    pick, constant = search
    return largest_load("(11)", _errors(pick, Bound(_power(constant, 6), accumulate), atom))
