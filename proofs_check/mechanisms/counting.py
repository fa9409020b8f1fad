"""The counting mechanisms of the registry, and the options by which others choose the one that they stand on."""

from functools import cache
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import log_bounds, positive, rational, unit_fraction
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.proofs_check.mechanisms.kinds import Law, Mechanism, Option, Subject, integer_from, refuse_many, unit
from finitedp.spec import counting as spec
from finitedp.spec import dyadic as spec_dyadic

WORD = 64  # bits of a draw from a dyadic table, unless others are asked for


def _decay(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    number = rational(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational in (0, 1)")
    return number


_GAMMA_HELP = "FastSample's share of uniform noise, 1/g."
_WORD_CHECK = integer_from(2, LARGEST_WORD)

N = Option("n", "integer", "The largest count: the number of rows.", integer_from(1))
EPSILON = Option("epsilon", "rational", "Privacy parameter, 1/q.", unit())
_DECAY = Option("decay", "rational", "e^(-epsilon/2), in (0, 1).", _decay)
_GAMMA = Option("gamma", "rational", _GAMMA_HELP, unit(2))
_ANY_EPSILON = Option("epsilon", "rational", "Privacy parameter, any p/q above 0.", positive)
_WORD = Option("word", "integer", "Bits of a draw from the dyadic table.", _WORD_CHECK, required=False, default=WORD)


def stands_on_options(*, tables: bool) -> tuple[Option, ...]:
    """The options that choose a counting mechanism: GeoSample, FastSample with a gamma or, with `tables`, a dyadic table."""
    gamma = Option("gamma", "rational", f"Stand on FastSample, not GeoSample. {_GAMMA_HELP}", unit(2), required=False)
    if not tables:
        return EPSILON, gamma
    epsilon = Option("epsilon", "rational", "Privacy parameter, 1/q; with --word any p/q above 0.", positive)
    word = Option("word", "integer", "Stand on a dyadic table with draws of so many bits.", _WORD_CHECK, required=False)
    return epsilon, gamma, word


def stands_on(n: int, epsilon: mpq, gamma: mpq | None = None, word: int | None = None) -> CountingMechanism:
    """The running counting mechanism: FastSample with a gamma, DyadicSample with a word, else GeoSample.

    Raises: ParameterError, also for a dyadic table of more counts than a law may have, before it is built.
    """
    if gamma is not None and word is not None:
        raise ParameterError(
            "gamma and word contradict each other: a mechanism stands on FastSample with gamma, on a dyadic table with word, "
            "and on GeoSample with neither"
        )
    if word is not None:
        refuse_many(n + 1)
        return DyadicSample(n, epsilon, word)
    try:
        unit_fraction(epsilon, "epsilon")
    except ParameterError as error:
        raise ParameterError(f"{error}; on a dyadic table any rational above 0") from None
    return GeoSample(n, epsilon) if gamma is None else FastSample(n, epsilon, gamma)


def counting_law(code: CountingMechanism) -> Law:
    """The law by definition of what stands_on gives."""
    if isinstance(code, FastSample):
        return cache(lambda count: spec.fast_sample(code.n, code.epsilon, code.gamma, count))
    if isinstance(code, DyadicSample):
        return cache(lambda count: spec_dyadic.dyadic_sample(code.n, code.epsilon, code.word, count))
    assert isinstance(code, GeoSample)  # noqa: S101  # there are only three
    return cache(lambda count: spec.geo_sample(code.n, code.epsilon, count))


def bits_of(code: CountingMechanism) -> int:
    """About how many bits the law of one count takes for each of its outputs, the noise before clamping included."""
    noise = 2 * code.t // (code.n + 1) + 1 if isinstance(code, FastSample) else 1
    return int(code.d).bit_length() * noise


def _geometric(n: int, decay: mpq) -> Subject:
    claim = PrivacyClaim(log_bounds(1 / decay)[1], "counts", ratio=1 / decay, source="BV.Thm4.6.i")
    return Subject(n, lambda count: spec.geometric_mechanism(n, decay, count), claim, None, n * 64, n + 1, n + 1)


def _sample(n: int, epsilon: mpq, gamma: mpq | None = None, word: int | None = None) -> Subject:
    code = stands_on(n, epsilon, gamma, word)
    return Subject(n, counting_law(code), code.claim(), code.release, bits_of(code), n + 1, n + 1)


COUNTING = (
    Mechanism(
        name="geometric",
        summary="Noise of two-sided decay, clamped to 0..n (Algorithm 4.5).",
        options=(N, _DECAY),
        make=_geometric,
        claims=("BV.Alg4.5", "BV.Thm4.6.i", "BV.Thm4.6.ii", "BV.Thm4.6.ii.clamped"),
    ),
    Mechanism(
        name="geo-sample",
        summary="Noise of two-sided decay, from one uniform integer (Algorithm 4.8).",
        options=(N, EPSILON),
        make=_sample,
        claims=("BV.Alg4.8", "BV.Thm4.7.i", "BV.Thm4.7.i.private", "BV.Thm4.7.i.accurate", "BV.Thm4.7.ii"),
    ),
    Mechanism(
        name="fast-sample",
        summary="GeoSample, truncated and mixed with uniform noise (Algorithm 4.11).",
        options=(N, EPSILON, _GAMMA),
        make=_sample,
        claims=("BV.Alg4.11", "BV.Thm4.10.i", "BV.Thm4.10.ii", "BV.Thm4.10.iii"),
    ),
    Mechanism(
        name="dyadic",
        summary="Noise from one word of random bits, by a dyadic table (ours).",
        options=(N, _ANY_EPSILON, _WORD),
        make=_sample,
        claims=("FD.Dyadic.law", "FD.Dyadic.private", "FD.Dyadic.accuracy", "FD.Dyadic.cost"),
    ),
)
