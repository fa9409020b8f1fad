"""Mechanisms of other libraries as samplers, each with the claim that the library itself makes. The packages are optional.

An adapter is a reading of the library's documentation: which call is one run, and between which inputs the claim is made.
Floating-point parameters are what these libraries take; the claim that is tested is about the exact value of the float.
"""

import importlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.errors import ParameterError, SamplerError
from finitedp.exact import RationalLike, integer, rational
from finitedp.proofs_check.black_box.fit import GeometricLaw, Interval, Law, enclosed
from finitedp.proofs_check.black_box.samplers import Sampler
from finitedp.proofs_check.black_box.search import BlackBoxResult, black_box_audit

_AT_ONCE = 100_000  # independent entries of one call, where a library's call takes many


@frozen
class Adapter:
    """A library's mechanism with its own claim.

    package: its name and version; says: the call, and what is claimed of it; sampler, claim, n, universe: as in
    black_box_audit; law: the law that its documentation promises at each input, or None where it promises none.
    """

    package: str
    says: str
    sampler: Sampler
    claim: PrivacyClaim
    n: int
    universe: tuple[Hashable, ...] = ()
    law: Callable[[Any], Law] | None = None

    def audit(
        self,
        samples: int,
        confidence: RationalLike = "99/100",
        n: int | None = None,
        pairs: Sequence[tuple[Any, Any]] | None = None,
    ) -> BlackBoxResult:
        """black_box_audit of it, whose parameters these are."""
        return black_box_audit(
            self.sampler,
            self.claim,
            samples=samples,
            n=self.n if n is None else n,
            universe=self.universe,
            confidence=confidence,
            pairs=pairs,
            specified=self.law,
            name=f"{self.package}: {self.says}",
        )


# Packages and parameters


def _package(module: str, package: str, beside: str = "") -> tuple[Any, str]:
    """A module of an optional package, and the package's name and version. Raises: SamplerError.

    Parameters: beside, what pip has to install with it so that they fit.
    """
    advice = f"pip install {package}{beside}"
    try:
        return importlib.import_module(module), f"{package} {version(package)}"
    except ModuleNotFoundError as error:
        raise SamplerError(f"{package} is not installed (no module {error.name}): {advice}") from None
    except ImportError as error:
        raise SamplerError(f"{package} cannot be imported ({error}): {advice} installs versions that fit") from None


def _positive(value: RationalLike) -> float:
    """Epsilon as the float that a library takes."""
    epsilon = rational(value, "epsilon")
    if not mpq(1, 10**9) <= epsilon <= 700:
        raise ParameterError(f"epsilon = {epsilon} is out of range; accepted: a rational from 10^-9 to 700")
    return int(epsilon.numerator) / int(epsilon.denominator)


def _claim(epsilon: float, neighbours: Neighbours, delta: float = 0) -> PrivacyClaim:
    """The claim about the exact values of a library's floats."""
    return PrivacyClaim(Fraction(epsilon), neighbours, min(Fraction(delta), Fraction(1)))


def _one_by_one(run: Callable[[Any], Any]) -> Sampler:
    """One call for each sample."""

    def sampler(data: Any, samples: int) -> Iterator[Any]:  # noqa: ANN401  # inputs and outputs of any kind
        return (run(data) for _ in range(samples))

    return sampler


def _entry_by_entry(run: Callable[[list[int]], Iterable[Any]]) -> Sampler:
    """Calls with a vector of equal counts: the entries of the result are the samples."""

    def sampler(data: int, samples: int) -> Iterator[Any]:
        for start in range(0, samples, _AT_ONCE):
            yield from run([data] * min(_AT_ONCE, samples - start))

    return sampler


# OpenDP


def _opendp() -> tuple[Any, str]:
    module, package = _package("opendp.prelude", "opendp")
    module.enable_features("contrib")
    return module, package


def opendp_discrete_laplace(epsilon: RationalLike = 1, n: int = 2) -> Adapter:
    """OpenDP's make_laplace on integers, with scale 1 / epsilon.

    Law: the two-sided geometric law of the float scale's exact value, saturated at the ends of 64-bit integers.
    """
    dp, package = _opendp()
    scale = 1 / _positive(epsilon)
    run = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)
    says = f"make_laplace(vector of i64, scale={scale!r}), one entry a sample"
    return Adapter(
        package,
        says,
        _entry_by_entry(run),
        _claim(run.map(1), "counts"),
        integer(n, "n", at_least=1),
        law=lambda count: GeometricLaw(1 / Fraction(scale), count, -(2**63), 2**63 - 1),
    )


def opendp_geometric(epsilon: RationalLike = 1, n: int = 2) -> Adapter:
    """OpenDP's make_geometric with bounds 0..n and scale 1 / epsilon. Law: two-sided geometric, clamped to the bounds."""
    dp, package = _opendp()
    scale, most = 1 / _positive(epsilon), integer(n, "n", at_least=1)
    domain, metric = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    run = dp.m.make_geometric(domain, metric, scale=scale, bounds=(0, most))
    return Adapter(
        package,
        f"make_geometric(vector of i64, scale={scale!r}, bounds=(0, {most})), one entry a sample",
        _entry_by_entry(run),
        _claim(run.map(1), "counts"),
        most,
        law=lambda count: GeometricLaw(1 / Fraction(scale), count, 0, most),
    )


def opendp_thresholded_histogram(epsilon: RationalLike = 1, threshold: int = 4, n: int = 1) -> Adapter:
    """OpenDP's make_laplace_threshold on the counts of one label, with scale 1 / epsilon.

    Claim: (epsilon, delta) as its privacy map says it for one row more or less: one label, changed by 1.
    Law: a label with a count above 0 is listed with its noisy count where that is at least the threshold, which is what its
    documentation says.
    """
    dp, package = _opendp()
    scale = 1 / _positive(epsilon)
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64"))
    metric = dp.l01inf_distance(dp.absolute_distance(T="i64"))
    run = dp.m.make_laplace_threshold(domain, metric, scale=scale, threshold=integer(threshold, "threshold", at_least=2))
    return Adapter(
        package,
        f"make_laplace_threshold(map from strings to i64, scale={scale!r}, threshold={threshold})",
        _one_by_one(lambda rows: run({label: rows.count(label) for label in set(rows)})),
        _claim(run.map((1, 1, 1))[0], "add-remove", run.map((1, 1, 1))[1]),
        integer(n, "n", at_least=1),
        ("a",),
        law=lambda rows: _Thresholded(GeometricLaw(1 / Fraction(scale), len(rows)), threshold, not rows),
    )


@frozen
class _Thresholded:
    """Histograms of one label: (("a", x),) for a noisy count x of at least the threshold, else ()."""

    noisy: GeometricLaw
    threshold: int
    empty: bool

    def mass(self, output: Any) -> Interval:  # noqa: ANN401  # a sorted histogram
        if output == ():
            return (mpq(1), mpq(1)) if self.empty else self.noisy.tail(self.threshold - 1, above=False)
        listed = not self.empty and output[0][1] >= self.threshold
        return self.noisy.mass(output[0][1]) if listed else (mpq(0), mpq(0))

    def tail(self, bound: Any, *, above: bool) -> Interval:  # noqa: ANN401  # no output is a number
        return mpq(0), mpq(1)


# diffprivlib


def _diffprivlib(name: str, epsilon: float, **more: object) -> tuple[Any, str]:
    module, package = _package("diffprivlib.mechanisms", "diffprivlib", " 'scikit-learn<1.9'")
    return getattr(module, name)(epsilon=epsilon, **more), package


def diffprivlib_geometric(epsilon: RationalLike = 1, n: int = 2, sensitivity: int = 1) -> Adapter:
    """diffprivlib's Geometric, on `sensitivity` times a count. Law: two-sided geometric."""
    rate, step = _positive(epsilon), integer(sensitivity, "sensitivity", at_least=1)
    mechanism, package = _diffprivlib("Geometric", rate, sensitivity=step)
    return Adapter(
        package,
        f"Geometric(epsilon={rate!r}, sensitivity={step})",
        _one_by_one(lambda count: mechanism.randomise(step * count)),
        _claim(rate, "counts"),
        integer(n, "n", at_least=1),
        law=lambda count: GeometricLaw(Fraction(rate) / step, step * count),
    )


def diffprivlib_geometric_truncated(epsilon: RationalLike = 1, n: int = 2) -> Adapter:
    """diffprivlib's GeometricTruncated with bounds 0..n. Law: two-sided geometric, clamped to the bounds."""
    rate, most = _positive(epsilon), integer(n, "n", at_least=1)
    mechanism, package = _diffprivlib("GeometricTruncated", rate, lower=0, upper=most)
    return Adapter(
        package,
        f"GeometricTruncated(epsilon={rate!r}, lower=0, upper={most})",
        _one_by_one(mechanism.randomise),
        _claim(rate, "counts"),
        most,
        law=lambda count: GeometricLaw(Fraction(rate), count, 0, most),
    )


def diffprivlib_laplace(epsilon: RationalLike = 1, n: int = 1) -> Adapter:
    """diffprivlib's Laplace, with sensitivity 1: floating-point outputs."""
    rate = _positive(epsilon)
    mechanism, package = _diffprivlib("Laplace", rate, sensitivity=1)
    says = f"Laplace(epsilon={rate!r}, sensitivity=1)"
    return Adapter(package, says, _one_by_one(mechanism.randomise), _claim(rate, "counts"), integer(n, "n", at_least=1))


# PyDP


def _pydp(epsilon: float) -> tuple[Any, str]:
    module, package = _package("pydp.algorithms.numerical_mechanisms", "python-dp")
    return module.LaplaceMechanism(epsilon=epsilon, sensitivity=1.0), package


def pydp_integers(epsilon: RationalLike = 1, n: int = 2) -> Adapter:
    """PyDP's LaplaceMechanism on integers. Law (our reading; PyDP documents none): Laplace noise rounded to an integer."""
    rate = _positive(epsilon)
    mechanism, package = _pydp(rate)
    return Adapter(
        package,
        f"LaplaceMechanism(epsilon={rate!r}).add_noise(int)",
        _one_by_one(mechanism.add_noise),
        _claim(rate, "counts"),
        integer(n, "n", at_least=1),
        law=lambda count: _RoundedLaplace(mpq(Fraction(rate)), count),
    )


@frozen
class _RoundedLaplace:
    """A count plus Laplace noise of rate epsilon rounded to the nearest integer."""

    epsilon: mpq
    count: int

    def mass(self, output: Any) -> Interval:  # noqa: ANN401  # an integer
        z = abs(output - self.count)
        if z == 0:
            return enclosed(lambda e: 1 - (-e / 2).exp(), self.epsilon)
        return enclosed(lambda e: (-e * z).exp() * (e / 2).sinh(), self.epsilon)

    def tail(self, bound: int, *, above: bool) -> Interval:
        far = (bound - self.count) * (1 if above else -1)  # Pr[Z >= far - 1/2]
        if far >= 1:
            return enclosed(lambda e: (-e * (2 * far - 1) / 2).exp() / 2, self.epsilon)
        return enclosed(lambda e: 1 - (e * (2 * far - 1) / 2).exp() / 2, self.epsilon)


def pydp_laplace(epsilon: RationalLike = 1, n: int = 1) -> Adapter:
    """PyDP's LaplaceMechanism on floating-point numbers."""
    rate = _positive(epsilon)
    mechanism, package = _pydp(rate)
    says = f"LaplaceMechanism(epsilon={rate!r}).add_noise(float)"
    run = _one_by_one(lambda count: mechanism.add_noise(float(count)))
    return Adapter(package, says, run, _claim(rate, "counts"), integer(n, "n", at_least=1))


ADAPTERS: Mapping[str, Callable[..., Adapter]] = MappingProxyType(
    {
        "opendp-discrete-laplace": opendp_discrete_laplace,
        "opendp-geometric": opendp_geometric,
        "opendp-thresholded-histogram": opendp_thresholded_histogram,
        "diffprivlib-geometric": diffprivlib_geometric,
        "diffprivlib-geometric-truncated": diffprivlib_geometric_truncated,
        "diffprivlib-laplace": diffprivlib_laplace,
        "pydp-integers": pydp_integers,
        "pydp-laplace": pydp_laplace,
    }
)
"""The adapters by the names of the command line."""


def adapted(name: str, epsilon: RationalLike = 1, n: int | None = None) -> Adapter:
    """An adapter by its name. Raises: ParameterError for an unknown name, SamplerError where its package is missing."""
    if name not in ADAPTERS:
        raise ParameterError(f"adapter = {name!r} is unknown; accepted: {', '.join(ADAPTERS)}")
    return ADAPTERS[name](epsilon) if n is None else ADAPTERS[name](epsilon, n=n)
