"""Rigorous bounds on a probability from counts: binomial tails and Clopper-Pearson's limits, proved by ball arithmetic.

The tail Pr[Bin(N, p) >= k] is the regularised incomplete beta function I_p(k, N - k + 1), which python-flint's arb encloses.
Every number that is returned is a rational on the safe side of what the enclosure proves.
"""

from flint import arb, ctx
from gmpy2 import mpq

from finitedp.exact import RationalLike, integer, probability, to_arb
from finitedp.proofs_check.limits import MOST_TRIALS

STEPS = 1 << 48
"""The limits are multiples of 1 / STEPS."""
_PRECISIONS = (64, 128, 256)  # bits, one after another until they decide


def lower(successes: int, trials: int, alpha: RationalLike) -> mpq:
    """A p with Pr[Bin(trials, p) >= successes] <= alpha, so that a true probability below it is seen with at most alpha.

    With confidence 1 - alpha, the probability of a success is at least this. It is the largest multiple of 2^-48 for which
    256 bits prove the inequality.
    Parameters: 0 <= successes <= trials, with 1 <= trials <= 10^9; alpha in (0, 1), a rational. Raises: ParameterError.
    """
    k, n, a = _counts(successes, trials, alpha)
    # low is proved, high is not: at p >= k / n the tail is at least 1/2, as n p rounded down is at most the median
    low, high = 0, STEPS if a >= mpq(1, 2) else min(k * STEPS // n + 1, STEPS)
    trial, stride = min(max(_guess(k, n, a), 1), high - 1), 1
    while high - low > 1:
        if _proved(k, n, mpq(trial, STEPS), a):
            low, beside = trial, trial + stride
        else:
            high, beside = trial, trial - stride
        stride *= 2
        trial = beside if low < beside < high else (low + high) // 2
    return mpq(low, STEPS)


def upper(successes: int, trials: int, alpha: RationalLike) -> mpq:
    """A p with Pr[Bin(trials, p) <= successes] <= alpha: with confidence 1 - alpha, the probability is at most this.

    Parameters: as of lower. It is above 0 whatever was counted.
    """
    k, n, a = _counts(successes, trials, alpha)
    return 1 - lower(n - k, n, a)


def binomial_tail(successes: int, trials: int, p: RationalLike, *, at_least: bool = True) -> mpq:
    """An upper bound on Pr[Bin(trials, p) >= successes], or with at_least = False on Pr[Bin(trials, p) <= successes].

    Exceeds the tail by a relative 2^-30 at most. Parameters: 0 <= successes <= trials <= 10^9; p in [0, 1], a rational.
    Raises: ParameterError.
    """
    n = integer(trials, "trials", 1, MOST_TRIALS)
    k, share = integer(successes, "successes", 0, n), probability(p, "p")
    if not at_least:
        k, share = n - k, 1 - share
    if k == 0 or share == 1:
        return mpq(1)
    if share == 0:
        return mpq(0)
    for precision in (*_PRECISIONS, 512, 1024):
        with ctx.workprec(precision):
            tail = _tail(k, n, share)
            if tail.is_finite() and tail.rel_accuracy_bits() >= 32:
                return min(enclosure(tail)[1], mpq(1))
    return mpq(1)


def enclosure(ball: arb) -> tuple[mpq, mpq]:
    """The rational ends of a finite ball."""
    low, high = (_exactly(end) for end in (ball.lower(), ball.upper()))
    return low, high


def _exactly(point: arb) -> mpq:
    mantissa, exponent = (int(part) for part in point.man_exp())
    return mpq(mantissa << exponent) if exponent >= 0 else mpq(mantissa, 1 << -exponent)


def _counts(successes: int, trials: int, alpha: RationalLike) -> tuple[int, int, mpq]:
    n = integer(trials, "trials", 1, MOST_TRIALS)
    return integer(successes, "successes", 0, n), n, probability(alpha, "alpha", zero=False, one=False)


def _tail(k: int, n: int, p: mpq) -> arb:
    """A ball around Pr[Bin(n, p) >= k], for 1 <= k <= n."""
    return to_arb(p).beta_lower(k, n - k + 1, 1)


def _guess(k: int, n: int, alpha: mpq) -> int:
    """About the limit, in steps, by Newton's method for ln Pr[Bin(n, p) >= k] = ln(alpha) in ln p, where it is concave.

    A guess needs no proof: the search that starts from it ends at the same limit whatever it is.
    """
    if k == 0:
        return 0
    p = to_arb(mpq(k, n) if k < n else mpq(1, 2))
    for precision in (64,) * 9 + (128,):
        with ctx.workprec(precision):
            tail, beta = p.beta_lower(k, n - k + 1, 1), arb(k).lgamma() + arb(n - k + 1).lgamma() - arb(n + 1).lgamma()
            slope = (k * p.log() + (n - k) * (1 - p).log() - beta).exp() / tail
            better = (p * ((to_arb(alpha).log() - tail.log()) / slope).exp()).mid()
            if not better.is_finite() or not 0 < better < 1:
                break
            p = better
    return int(enclosure(p)[0] * STEPS)


def _proved(k: int, n: int, p: mpq, alpha: mpq) -> bool:
    """Whether Pr[Bin(n, p) >= k] <= alpha is proved; what 256 bits leave open counts as not proved."""
    if p == 0 or k == 0:
        return k > 0
    for precision in _PRECISIONS:
        with ctx.workprec(precision):
            tail, bound = _tail(k, n, p), to_arb(alpha)
            if tail <= bound:
                return True
            if tail > bound:
                return False
    return False
