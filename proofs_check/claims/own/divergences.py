"""Our own: Renyi divergences and zero-concentrated privacy of exact laws, also of laws known in part, and several runs."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.claim import RenyiClaim
from finitedp.exact import compare_exp, log_bounds
from finitedp.proofs_check.deciders.completions import farthest, nearest
from finitedp.proofs_check.deciders.composing import composed
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.renyi import Divergence, decide_renyi, decide_zcdp
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.proofs_check.ledger.grids import LAW_PAIRS, LawPair, small_laws
from finitedp.spec.divergence import max_ratio, privacy_profile
from finitedp.spec.pmf import Pmf
from finitedp.spec.pmf import product as joint
from finitedp.spec.renyi import Atoms, atoms, power_sum, renyi_divergence

DECIDERS = "finitedp.proofs_check.deciders"
Law = Pmf[int]
End = mpq | str
Enclosed = tuple[mpq, mpq] | str


def _sum(p: Law, q: Law, a: int) -> End:
    """The sum of P[x]^a Q[x]^(1 - a), output by output."""
    if any(q[x] == 0 for x in p.support):
        return "infinite"
    return sum((p[x] ** a / q[x] ** (a - 1) for x in p.support), mpq(0))


def _around(power: End, scale: mpq, found: Enclosed, what: str) -> Finding:
    """Whether ln(power) / scale is in what was found, and that is narrow."""
    if power == "infinite" or isinstance(found, str) or isinstance(power, str):
        return equal(found, power, what)
    low, high = found
    holds = compare_exp(power, scale * low) >= 0 >= compare_exp(power, scale * high) and (high - low) * 10**15 <= high
    return Finding(holds, mpq(0 if holds else 1), f"{what}: the power sum {power}")


# One order


def _scaled_by_order(p: Law, q: Law, order: mpq) -> Enclosed:
    found = renyi_divergence(p, q, order)
    return found if isinstance(found, str) else (found[0] * (order - 1) / order, found[1] * (order - 1) / order)


RenyiDivergence = Callable[[Law, Law, mpq], Enclosed]


@own(
    "FD.Renyi",
    """The Renyi divergence of order a > 1 is ln(sum P[x]^a Q[x]^(1 - a)) / (a - 1), in nats: infinite where an output is
    possible under P only; the power sum is exact at integer orders.""",
    over="all pairs of laws at the orders 2, 3 and 7; at 3/2 pairs of laws whose power sum has a rational square",
    code=["finitedp.spec.renyi.renyi_divergence", "finitedp.spec.renyi.power_sum", "finitedp.spec.renyi.atoms"],
    grid=LAW_PAIRS,
    subject=renyi_divergence,
    twins={"Q against P": lambda p, q, order: renyi_divergence(q, p, order), "divided by a, not by a - 1": _scaled_by_order},
)
def renyi(divergence: RenyiDivergence, pair: LawPair) -> Finding:
    findings = list[Finding]()
    for a in (2, 3, 7):
        expected = _sum(*pair, a)
        findings.append(equal(power_sum(atoms(*pair), a), expected, f"the power sum at {a}"))
        findings.append(_around(expected, mpq(a - 1), divergence(*pair, mpq(a)), f"order {a}"))
    return all_of([*findings, _at_three_halves(divergence, pair)])


def _at_three_halves(divergence: RenyiDivergence, pair: LawPair) -> Finding:
    """Of the laws whose probabilities are as the squares of the weights plus 1: (sum (x^3 / y))^2 B / A^3."""
    x, y = ([law.weight(i) + 1 for i in range(3)] for law in pair)
    p, q = (Pmf({i: w**2 for i, w in enumerate(weights)}) for weights in (x, y))
    square = sum((mpq(a**3, b) for a, b in zip(x, y, strict=True)), mpq(0)) ** 2 * q.total / mpq(p.total) ** 3
    return _around(square, mpq(1), divergence(p, q, mpq(3, 2)), "order 3/2")


# All orders


class Pure(NamedTuple):
    """A pair of laws on the same outputs."""

    p: Law
    q: Law

    @property
    def laws(self) -> Mapping[int, Law]:
        """The laws of the inputs 0 and 1."""
        return dict(enumerate(self))


def _pure_pairs(outcomes: int, total: int) -> list[Pure]:
    laws = [law for law in small_laws(outcomes, total) if len(law.support) == outcomes]
    return [Pure(p, q) for p, q in product(laws, repeat=2)]


PURE = cases(Pure, _pure_pairs(2, 7) + _pure_pairs(3, 5), _pure_pairs(3, 7) + _pure_pairs(2, 30))
BOTH = [(0, 1), (1, 0)]
ORDERS = (mpq(1001, 1000), mpq(3, 2), mpq(2), mpq(7, 2), mpq(10), mpq(100))


def _at_order_2(pair: Pure) -> Divergence[int]:
    """Half of the divergence of order 2, which a single order is."""
    found = decide_renyi(pair.laws.__getitem__, BOTH, RenyiClaim(2, 2))
    low, high = _finite((found.low, found.high))
    return Divergence(mpq(1), low / 2, high / 2, found.left, found.right, mpq(2))


@own(
    "FD.Concentrated",
    """The least rho of zero-concentrated privacy is enclosed: at every order a the divergence is at most a times its upper
    end in both directions, at the order that is named it is at least a times the lower end; both differ by 2^-16 of it.""",
    over="all pairs of laws with the same outputs; that the upper end is enough at the orders 1.001, 3/2, 2, 7/2, 10 and 100",
    code=[f"{DECIDERS}.renyi.decide_zcdp", f"{DECIDERS}.concentrated.least_rho"],
    grid=PURE,
    subject=lambda pair: decide_zcdp(pair.laws.__getitem__, BOTH, mpq(1)),
    twins={
        "order 2 alone": _at_order_2,
        "one direction alone": lambda pair: decide_zcdp(pair.laws.__getitem__, BOTH[:1], mpq(1)),
    },
)
def concentrated(least: Callable[[Pure], Divergence[int]], pair: Pure) -> Finding:
    found = least(pair)
    ends = _finite((found.low, found.high))
    findings = [at_most((ends[1] - ends[0]) * 2**16, ends[1] * (1 + mpq(1, 2**20)), "width")]
    for (left, right), order in product(BOTH, ORDERS):
        low, _ = _finite(renyi_divergence(pair[left], pair[right], order))
        findings.append(at_most(low, ends[1] * order, f"order {order}: divergence"))
    _, high = _finite(renyi_divergence(pair[found.left], pair[found.right], found.order))
    return all_of([*findings, at_most(ends[0] * found.order, high, f"rho needed at order {found.order}:")])


def _finite(found: tuple[End, End] | str) -> tuple[mpq, mpq]:
    low, high = ("infinite", "infinite") if isinstance(found, str) else found
    if isinstance(low, str) or isinstance(high, str):
        raise TypeError(found)
    return low, high


@own(
    "FD.Concentrated.pure",
    "(epsilon, 0)-differential privacy implies zero-concentrated privacy with rho = epsilon^2 / 2.",
    over="all pairs of laws with the same outputs; epsilon, the larger logarithm of both directions' worst ratios, rounded up",
    code=[f"{DECIDERS}.renyi.decide_zcdp"],
    grid=PURE,
    subject=lambda low, high: max(low, high) ** 2 / 2,
    twins={
        "a third of the square": lambda low, high: max(low, high) ** 2 / 3,
        "the smaller of both directions": lambda low, high: min(low, high) ** 2 / 2,
    },
)
def pure(rho: Callable[[mpq, mpq], mpq], pair: Pure) -> Finding:
    one, other = (log_bounds(max_ratio(pair[i], pair[j]).value)[1] for i, j in BOTH)
    allowed = rho(one, other)
    found = decide_zcdp(pair.laws.__getitem__, BOTH, allowed)
    low, high = _finite((found.low, found.high))
    return at_most(high, allowed, "rho:") if found.verdict == "holds" else at_most(low, allowed, "rho needed:")


# Laws known in part


class Known(NamedTuple):
    """What is known of two laws with the denominator 5: weights; the rest of each is unresolved."""

    p: tuple[int, int]
    q: tuple[int, int]


KNOWN = [Known(p, q) for p, q in product([(a, b) for a in range(6) for b in range(6 - a)], repeat=2)]
Both = tuple[Atoms, tuple[Atoms | None, ...]]
Completions = Callable[[PartialLaw[int], PartialLaw[int]], Both]


def _partial(weights: tuple[int, ...]) -> PartialLaw[int]:
    return PartialLaw({x: mpq(w, 5) for x, w in enumerate(weights) if w}, mpq(5 - sum(weights), 5))


def _completions(p: PartialLaw[int], q: PartialLaw[int]) -> Both:
    return nearest(p, q), farthest(p, q)


@own(
    "FD.Renyi.partial",
    """Of two laws that are known in part, the unresolved mass of which may belong to any outputs, every Renyi divergence is
    at least that of the completions that are most alike, and at most that of those that differ most.""",
    over="all weights of two outputs with the denominator 5; the rest, in fifths, wherever on these and two more; orders 2, 5",
    code=[f"{DECIDERS}.completions.nearest", f"{DECIDERS}.completions.farthest"],
    grid=cases(Known, [known for known in KNOWN if sum(known.p) + sum(known.q) >= 7], KNOWN),
    subject=_completions,
    twins={
        "unresolved mass left out": lambda p, q: (atoms(p, q), (atoms(p, q),)),
        "unresolved mass of Q on the smallest ratio": lambda p, q: (_onto_the_last(p, q), farthest(p, q)),
        "an output that P alone has is impossible": lambda p, q: (nearest(p, q), (atoms(p, q),)),
    },
)
def partial_laws(completions: Completions, known: Known) -> Iterator[Finding]:
    near, far = completions(_partial(known.p), _partial(known.q))
    for p, q in product(_completed(known.p), _completed(known.q)):
        for a in (2, 5):
            power = _sum(p, q, a)
            least, most = power_sum(near, a), _largest(far, a)
            holds = _at_most(least, power) and _at_most(power, most)
            yield Finding(holds, mpq(not holds), f"{power} of {p!r} and {q!r}, between {least} and {most}")


def _largest(far: tuple[Atoms | None, ...], a: int) -> End:
    powers = ["infinite" if one is None else power_sum(one, a) for one in far]
    return "infinite" if "infinite" in powers else max(mpq(power) for power in powers)


def _at_most(one: End, other: End) -> bool:
    return other == "infinite" or (one != "infinite" and mpq(one) <= mpq(other))


def _completed(weights: tuple[int, int]) -> list[Law]:
    rest = 5 - sum(weights)
    return [
        Pmf({x: w + more[x] for x, w in enumerate((*weights, 0, 0))})
        for more in product(range(rest + 1), repeat=4)
        if sum(more) == rest
    ]


def _onto_the_last(p: PartialLaw[int], q: PartialLaw[int]) -> Atoms:
    """The completion with all that is unresolved of Q on the output with the smallest ratio."""
    *others, last = atoms(p, q)
    return (*others, type(last)(last.p + p.unresolved, last.q + q.unresolved))


# Several runs


class Runs(NamedTuple):
    """A pair of laws, and how many runs."""

    p: Law
    q: Law
    times: int


def _pair_of_runs(p: Law, q: Law, times: int) -> tuple[PartialLaw[object], PartialLaw[object]]:
    laws = {i: PartialLaw({x: law[x] for x in law.support}) for i, law in enumerate((p, q))}
    found, pairs = composed(laws, BOTH, times)
    left, right = pairs[0]
    return found[left], found[right]  # type: ignore[return-value]  # outcomes by ratio are outcomes


@own(
    "FD.Runs",
    """Several runs on the same data: the laws by the probability ratio of all runs together have the privacy profile, in both
    directions, and the power sums of the laws of tuples of outputs; the latter are the powers of those of one run.""",
    over="pairs of laws, 1 to 4 runs; all tuples of outputs",
    code=[f"{DECIDERS}.composing.composed"],
    grid=cases(
        Runs,
        [(p, q, k) for p, q in product(small_laws(3, 3), repeat=2) for k in (1, 3)],
        [(p, q, k) for p, q in product(small_laws(3, 4), repeat=2) for k in (2, 4)],
    ),
    subject=_pair_of_runs,
    twins={
        "one run less": lambda p, q, times: _pair_of_runs(p, q, times - 1 or 1),
        "one run repeated": lambda p, q, _times: _pair_of_runs(p, q, 1),
    },
)
def runs(together: Callable[[Law, Law, int], tuple[PartialLaw[object], PartialLaw[object]]], case: Runs) -> Iterator[Finding]:
    p, q = (joint([law] * case.times) for law in case[:2])
    found = together(case.p, case.q, case.times)
    for (one, other), (p_all, q_all), (p_one, q_one) in (
        (found, (p, q), (case.p, case.q)),
        (found[::-1], (q, p), (case.q, case.p)),
    ):
        yield equal(privacy_profile(one, other), privacy_profile(p_all, q_all), "profile")
        of_one = power_sum(atoms(p_one, q_one), 3)
        expected = of_one if of_one == "infinite" else of_one**case.times
        yield equal(power_sum(atoms(one, other), 3), expected, "power sum")
