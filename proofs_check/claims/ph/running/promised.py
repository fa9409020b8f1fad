"""PrivHist, the running code: what is public of its parameters, how many words it takes, and of how many bits they are."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import isqrt
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.claim import Cost
from finitedp.errors import ParameterError
from finitedp.impl.anonymized.priv_hist import Branch, PrivHist, Released, priv_hist, word_for
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.claims.ph.each_case import Compared, compared
from finitedp.proofs_check.claims.ph.running.scripted import Log, logged
from finitedp.proofs_check.claims.ph.subjects import small
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope
from finitedp.proofs_check.ledger.findings import at_most, equal, own
from finitedp.spec.anonymized import priv_hist as spec

IMPL = "finitedp.impl.anonymized.priv_hist"


class Given(NamedTuple):
    """U, epsilon 1 to 3, T' and M; None for the paper's."""

    universe: int
    epsilons: tuple[str, ...]
    last: int | None = None
    fakes: int | None = None

    def of(self, made: type[PrivHist] = PrivHist) -> PrivHist:
        """The mechanism on real tables of 64 bits."""
        first, second, *third = self.epsilons
        spent, branch = (third[0], "smooth") if third else (0, "split")
        return made(self.universe, first, second, spent, branch, None, 64, self.fakes, self.last)

    def __str__(self) -> str:
        return f"U={self.universe}, epsilons {', '.join(self.epsilons)}, T'={self.last}, M={self.fakes}"


# What is public


@own(
    "PH.PrivHist.public",
    """What PrivHist takes for T, M, T', 2^32 q and the largest W at each noisy number of items N is the paper's, from its
    definition, but for q, which has lam = max(1, 7/10 ceil(log2(1/epsilon3))) for ln(1/epsilon3) and is rounded down to 32
    binary places; large counts are drawn where T' <= 2N, and in the branch split always.""",
    over="N = 1 to 12 and 999; epsilons 1/100 to 3",
    code=[f"{IMPL}.PrivHist.{name}_at" for name in ("threshold", "fakes", "last", "stride", "most_large")],
    grid=cases(
        Given,
        [
            (999, ("1/30", "3/10")),
            (999, ("1/10", "1/5", "7/10")),
            (999, ("1/10", "1/5", "1/4")),
            (999, ("1", "2", "3/20")),
            (999, ("3", "3/2", "2")),
        ],
        [(10**6, ("1/3", "1/100")), (10**5, ("1/30", "1/10", "1/100")), (999, ("1/10", "1/5", "1"))],
    ),
    subject=PrivHist,
    twins={
        "T' by epsilon3^2": but(PrivHist, last_at=lambda self, total: spec.ceil_sqrt(100 * total / self.epsilon3**2)),
        "lam = 1": but(PrivHist, stride_at=lambda self, total: isqrt(int((1 << 64) / (total * self.epsilon3)))),
        "M by half": but(PrivHist, fakes_at=lambda self, total: -(-PrivHist.fakes_at(self, total) // 2)),
        "T without epsilon": but(PrivHist, threshold_at=lambda _, total: spec.paper_threshold(total, 1)),
    },
)
@compared("public")
def public(made: type[PrivHist], case: Given) -> Compared:
    mechanism = case.of(made)
    for total in (*range(1, 13), 999):
        t, m = spec.paper_threshold(total, mechanism.epsilon), spec.paper_fakes(total, mechanism.epsilon2)
        yield mechanism.threshold_at(total), t, f"T, N={total}"
        yield mechanism.fakes_at(total), m, f"M, N={total}"
        yield mechanism.most_large_at(total), spec.most_large(case.universe, t, m), f"most large counts, N={total}"
        last = spec.paper_last(total, mechanism.epsilon3) if mechanism.epsilon3 else 0
        yield mechanism.reads_large(total), last <= 2 * total, f"whether large counts are drawn, N={total}"
        if mechanism.epsilon3:
            yield mechanism.last_at(total), last, f"T', N={total}"
            stride = spec.finite_stride(total, mechanism.epsilon3, 1 << 32)
            yield mechanism.stride_at(total), stride, f"2^32 q, N={total}"


# Draws


def _counting(more: Callable[[PrivHist, Released], int]) -> type[PrivHist]:
    """Broken: so many words more."""
    return but(PrivHist, draws=lambda self, released: PrivHist.draws(self, released) + more(self, released))


def _with_draws(less: Callable[[PrivHist], int]) -> type[PrivHist]:
    """Broken: a bound that is so much smaller."""

    def cost(self: PrivHist) -> Cost:
        whole = PrivHist.cost(self)
        draws = whole.draws - less(self)
        return evolve(whole, draws=draws, bits=draws * self.word)

    return but(PrivHist, cost=cost)


def _runs(mechanism: PrivHist, universe: int) -> Iterator[tuple[Log, Released, object]]:
    """Each histogram of H_U with every outcome of N and W: what is drawn, what is released, and where."""
    ranges = [range(mechanism.items.n + 1), range(mechanism.parts.n + 1)]
    for h in small(universe):
        for outcomes in product(*ranges):
            yield *logged(mechanism, h, outcomes), f"{h}, first outcomes {outcomes}"


@own(
    "PH.PrivHist.draws",
    """A release of PrivHist takes as many words as `draws` says of what it released, one where N = 0; never more than its
    `cost`, in words, in bits and in comparisons; that many words at U = 1 in the branch split, or with T' = 2 in the other,
    and in the branch split at U = 2 with T = 1.""",
    over="all histograms of H_U, all outcomes of N and W (where W is not drawn, of N and the first block); U = 1, 2, 3",
    code=[f"{IMPL}.PrivHist.draws", f"{IMPL}.PrivHist.cost"],
    grid=cases(
        Given,
        [
            (1, ("1/3", "1")),
            (1, ("1/10", "1", "1/3"), 2),
            (2, ("1/10", "1/3")),
            (2, ("1/10", "1", "1/3")),
        ],
        [(3, ("1/3", "1")), (3, ("1/10", "1", "1/3"), 3), (4, ("1/3", "1"), None, 1)],
    ),
    subject=PrivHist,
    twins={
        "W is no word": _counting(lambda self, released: -1 if released.total > 0 and self.reads_large(released.total) else 0),
        "two words where N = 0": _counting(lambda _, released: int(released.total == 0)),
        "M for 2M": _with_draws(lambda mechanism: mechanism.fakes_at(mechanism.n)),
        "without N and W": _with_draws(lambda _: 2),
        "one word less": _with_draws(lambda _: 1),
    },
)
def draws(made: type[PrivHist], case: Given) -> Iterator[Finding]:
    mechanism, most = case.of(made), 0
    cost, steps = mechanism.cost(), {name: getattr(mechanism, name).cost().steps for name in ("items", "parts")}
    if mechanism.epsilon3:
        steps["blocks"] = mechanism.blocks.cost().steps
    yield equal(cost.bits, cost.draws * mechanism.word, f"bits, {case}")
    for log, released, where in _runs(mechanism, case.universe):
        most = max(most, len(log))
        yield equal(mechanism.draws(released), len(log), f"words of {where}, {case}")
        yield at_most(sum(steps[name] for name, _ in log), cost.steps, f"comparisons of {where}, {case}:")
    yield at_most(most, cost.draws, f"words, {case}:")
    split = mechanism.branch == "split"
    if (case.universe == 1 and (split or case.last == 2)) or (case.universe == 2 and split and mechanism.threshold_at(2) == 1):
        yield equal(most, cost.draws, f"the most words, {case}")


# Bits of a word


class Noise(NamedTuple):
    """The range of a noise, and the epsilon of one item."""

    n: int
    epsilon: mpq


@cache
def _raised(n: int, epsilon: mpq, bits: int) -> mpq | None:
    """By how much E|Z| is above that of the two-sided geometric law of the table's ratio; None where there is no table."""
    try:
        table = DyadicSample(n, 2 * epsilon, bits).table
    except ParameterError:
        return None
    ideal = 2 * table.ratio / (table.ratio**2 - 1)
    return max(mpq(0), table.mean_absolute_noise() - ideal)


@own(
    "PH.PrivHist.word",
    """For epsilon <= 1, with a word of the bits that word_for says, the mean E|Z| of a table's noise is at most 2^-19 above
    that of the two-sided geometric law; it says 64 or 128, and 128 only where with 64 it would be more than 2^-20 above.""",
    over="n to 10^12 and epsilon from 1/1000 to 1, beside the step and far from it (at epsilon = 6 it is 2^-18.8 for some n)",
    code=[f"{IMPL}.word_for"],
    grid=cases(
        Noise,
        [(10**3, mpq(1)), (2**22, mpq(1)), (2**22 + 1, mpq(1)), (2**23, mpq(1)), (2**20 + 1, mpq(1, 16))],
        [(2**20, mpq(1, 16)), (10**6, mpq(1, 10)), (10**8, mpq(1, 100)), (10**12, mpq(1, 1000)), (10, mpq(1))],
    ),
    subject=word_for,
    twins={
        "64 always": lambda _n, _e: 64,
        "128 always": lambda _n, _e: 128,
        "by n": lambda n, e: 64 if n <= e * 2**44 else 128,
    },
)
def bits(says: Callable[[int, mpq], int], case: Noise) -> Iterator[Finding]:
    in_scope(case.n >= 1 and 0 < case.epsilon <= 1, "n >= 1, and epsilon in (0, 1]")
    said = says(*case)
    raised, shorter = _raised(*case, said), _raised(*case, 64)
    yield equal(said in (64, 128), True, "64 or 128 bits")
    yield at_most(mpq(10**9) if raised is None else raised, mpq(1, 2**19), f"E|Z| with {said} bits more by")
    yield equal(said == 64 or shorter is None or shorter > mpq(1, 2**20), True, "64 bits are too few")


@cache
def _made(case: Noise, branch: Branch | None) -> tuple[object, ...]:
    """The branch, the shares and the bits of a mechanism, and c of its T."""
    made = priv_hist(case.n, case.epsilon, branch=branch)
    return made.branch, made.epsilon1, made.epsilon2, made.epsilon3, made.word, made.threshold


@own(
    "PH.PrivHist.shares",
    """In the branch split, its default from epsilon = 1/20 on, priv_hist splits epsilon into 1/20 and 19/20, with T =
    ceil(sqrt(N)/2); in the branch smooth into 1/10, 2/10 and 7/10, with the paper's T. Its words have the bits that word_for
    says of the least share: of U and epsilon/20, or of 3U and epsilon/10.""",
    over="epsilon from 1/50 to 1, at 1/20 and just below, n to 10^6, of 64 and of 128 bits",
    code=[f"{IMPL}.priv_hist"],
    grid=cases(
        Noise,
        [(10, mpq(1, 50)), (10, mpq(1, 20)), (10, mpq(999, 20000)), (10, mpq(1)), (5 * 10**5, mpq(1))],
        [(10**6, mpq(1)), (10, mpq(20)), (10**5, mpq(1, 30))],
    ),
    subject=_made,
    twins={
        "split always": lambda case, branch: _made(case, branch or "split"),
        "smooth always": lambda case, branch: _made(case, branch or "smooth"),
        "the other branch": lambda case, branch: _made(case, branch and ("smooth" if branch == "split" else "split")),
        "64 bits always": lambda case, branch: (*(made := _made(case, branch))[:4], 64, made[-1]),
    },
)
def shares(made: Callable[[Noise, Branch | None], tuple[object, ...]], case: Noise) -> Iterator[Finding]:
    n, epsilon = case
    split = ("split", epsilon / 20, epsilon * 19 / 20, mpq(0), word_for(n, epsilon / 20), mpq(1, 2))
    smooth = ("smooth", epsilon / 10, epsilon / 5, epsilon * 7 / 10, word_for(3 * n, epsilon / 10), None)
    yield equal(made(case, "split"), split, f"the branch split, {case}")
    yield equal(made(case, "smooth"), smooth, f"the branch smooth, {case}")
    yield equal(made(case, None), split if epsilon >= mpq(1, 20) else smooth, f"the default, {case}")
