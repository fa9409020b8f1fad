"""Flexible accuracy of laws for deterministic statistics, and the sensitivities that compose it, from their definitions.

A mechanism is (alpha, beta, gamma)-accurate for f where for each x some random X' with distortion at most alpha has
W_gamma^infinity(M(x), f(X')) <= beta. For a deterministic f that is Pr[M(x) is within beta of some f(x')] >= 1 - gamma, x'
over the inputs with distortion(x, x') <= alpha: let X' follow M(x) to the x' of its output.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, probability, rational
from finitedp.spec.flexible.distortion import Histogram, allowed_drops, sub_histograms
from finitedp.spec.flexible.lossy_wasserstein import Distance, decide_lossy, lossy_infinity
from finitedp.spec.pmf import Pmf, mixture

__all__ = [
    "Outside",
    "accuracy_gamma",
    "accuracy_holds",
    "definition_holds",
    "distortion_sensitivity",
    "error_sensitivity",
    "flexible_error",
    "flexible_values",
    "good_mass",
    "metric_sensitivity",
]

Y = TypeVar("Y", bound=Hashable)
Statistic = Callable[[Any], Hashable]


def flexible_values(f: Callable[[Histogram], Y], x: Histogram, dropped: int) -> frozenset[Y]:
    """F_a(x): the values of f where at most `dropped` rows are left out, by enumeration."""
    return frozenset(f(y) for y in sub_histograms(x, dropped))


def _near(y: Any, values: Iterable[Any], distance: Distance, beta: mpq) -> bool:  # noqa: ANN401  # outputs of any kind
    return any(d is not None and d <= beta for d in (distance(y, v) for v in values))


def good_mass(law: Pmf[Any], values: Collection[Any], distance: Distance, beta: RationalLike) -> mpq:
    """Pr[the output is within beta of one of the values]."""
    bound = rational(beta, "beta")
    return law.probability(lambda y: _near(y, values, distance, bound))


def accuracy_gamma(
    law: Pmf[Any], x: Histogram, f: Statistic, alpha: RationalLike, beta: RationalLike, distance: Distance
) -> mpq:
    """The least gamma with (alpha, beta, gamma)-accuracy at x, for a deterministic f and the distortion drop.

    Source: FA.Def3. Parameters: law, the mechanism's at the histogram x; alpha >= 0, the share of rows; beta >= 0.
    """
    return 1 - good_mass(law, flexible_values(f, x, allowed_drops(alpha, sum(x))), distance, beta)


@frozen
class Outside:
    """Where an accuracy claim fails: the input, its flexible set, and the outputs outside of it, with their mass."""

    x: Any
    values: frozenset[Any]
    bad: tuple[Any, ...]
    mass: mpq


def accuracy_holds(
    laws: Mapping[Histogram, Pmf[Any]],
    f: Statistic,
    alpha: RationalLike,
    beta: RationalLike,
    gamma: RationalLike,
    distance: Distance,
) -> Outside | None:
    """None where the mechanism is (alpha, beta, gamma)-accurate on these inputs, else the worst input. Source: FA.Def3."""
    allowed, bound, worst = probability(gamma, "gamma"), rational(beta, "beta"), None
    for x, law in laws.items():
        values = flexible_values(f, x, allowed_drops(alpha, sum(x)))
        bad = tuple(y for y in law if not _near(y, values, distance, bound))
        mass = law.probability(bad)
        if mass > allowed and (worst is None or mass > worst.mass):
            worst = Outside(x, values, bad, mass)
    return worst


def definition_holds(
    law: Pmf[Any], inputs: Pmf[Any], f: Statistic, beta: RationalLike, gamma: RationalLike, distance: Distance
) -> bool:
    """Whether W_gamma^infinity(M(x), f(X')) <= beta for one given law of X': the definition at an X'. Source: FA.Def3."""
    return decide_lossy(law, inputs.pushforward(f), distance, beta, gamma).holds


def flexible_error(y: Any, values: Iterable[Any], distance: Distance) -> mpq | None:  # noqa: ANN401  # outputs of any kind
    """The distance of an output to the nearest flexible value; None where all are infinitely far."""
    return min((mpq(d) for d in (distance(y, v) for v in values) if d is not None), default=None)


# Sensitivities, for deterministic f on finite sets


def distortion_sensitivity(
    f: Statistic, inputs: Sequence[Any], outputs: Sequence[Any], before: Distance, after: Distance, alpha: RationalLike
) -> mpq | None:
    """sigma_f(alpha): the largest over (x, y) with after(f(x), y) <= alpha of the least before(x, x') with f(x') = y.

    Point masses suffice: choose the best x' for each y. None where some y has no such x' at a finite distortion.
    Source: FA.Def4.
    """
    bound, worst = rational(alpha, "alpha"), mpq(0)
    for x in inputs:
        for y in outputs:
            apart = after(f(x), y)
            if apart is None or apart > bound:
                continue
            costs = [mpq(d) for d in (before(x, z) for z in inputs if f(z) == y) if d is not None]
            if not costs:
                return None
            worst = max(worst, min(costs))
    return worst


def error_sensitivity(
    laws: Mapping[Any, Pmf[Any]],
    f: Statistic,
    between: Distance,
    distortion: Distance,
    distance: Distance,
    beta_1: RationalLike,
    alpha_2: RationalLike,
    gamma_2: RationalLike = 0,
    gamma_1: RationalLike = 0,
) -> mpq | None:
    """tau^(alpha_2, gamma_2)(beta_1, gamma_1): the largest least b such that W_gamma_2^infinity(M(X), f(X'')) <= b.

    X and X' are random with W_gamma_1^infinity(X, X') <= beta_1, and X'' is within alpha_2 of X'. A b is too small where for a
    set A Pr[M(X) in A] exceeds the probability that X' has a value within b of A by more than gamma_2: that is linear in the
    joint law of X and X', so that points suffice with gamma_1 = 0, and else one pair of points within beta_1, with
    probability 1 - gamma_1, and any other pair.
    Source: FA.Def5. Parameters: laws, the mechanism's by point. Returns: None where it is infinite.
    """
    near, share, allowed = rational(beta_1, "beta_1"), rational(alpha_2, "alpha_2"), probability(gamma_2, "gamma_2")
    lost, pairs, worst = probability(gamma_1, "gamma_1"), list(product(laws, repeat=2)), mpq(0)
    values = {z: {f(y) for y in laws if (d := distortion(z, y)) is not None and d <= share} for z in laws}

    def error(y: Any, z: Any) -> mpq | None:  # noqa: ANN401  # outputs and inputs of any kind
        return flexible_error(y, values[z], distance)

    for x, other in pairs:
        apart = between(x, other)
        if apart is None or apart > near:
            continue
        leasts = [_least_error(laws[x], values[other], distance, allowed)]
        for y, another in pairs if lost else ():
            outputs = mixture([(1 - lost, laws[x]), (lost, laws[y])])
            points = mixture([(1 - lost, Pmf.point(other)), (lost, Pmf.point(another))])
            if not decide_lossy(outputs, points, error, worst, allowed).holds:
                leasts.append(lossy_infinity(outputs, points, error, allowed).value)
        for least in leasts:
            if least is None:
                return None
            worst = max(worst, least)
    return worst


def _least_error(law: Pmf[Any], values: Iterable[Any], distance: Distance, allowed: mpq) -> mpq | None:
    """The least b with Pr[M is not within b of the values] <= allowed."""
    listed = list(values)
    errors = {y: flexible_error(y, listed, distance) for y in law}
    for b in sorted({mpq(0), *(e for e in errors.values() if e is not None)}):
        far = [y for y, e in errors.items() if e is None or e > b]
        if law.probability(far) <= allowed:
            return b
    return None


def metric_sensitivity(
    f: Statistic, inputs: Sequence[Any], between: Distance, distance: Distance, beta: RationalLike
) -> mpq | None:
    """Delta_f(beta): the largest distance(f(x), f(x')) over inputs with between(x, x') <= beta; None where it is infinite.

    Source: FA.Def6. Parameters: between, such as `move` on histograms of equal size.
    """
    bound, worst = rational(beta, "beta"), mpq(0)
    if bound < 0:
        raise ParameterError(f"beta = {bound} is negative; accepted: a rational of at least 0")
    for x in inputs:
        for y in inputs:
            apart = between(x, y)
            if apart is not None and apart <= bound:
                error = distance(f(x), f(y))
                if error is None:
                    return None
                worst = max(worst, mpq(error))
    return worst
