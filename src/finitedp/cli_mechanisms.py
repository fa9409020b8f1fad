"""The mechanism that `finitedp law` and `finitedp privacy` speak of, from their options: its law by input, and its claim."""

from collections.abc import Callable
from functools import cache
from typing import Any

import click
from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.console import Rational
from finitedp.errors import ParameterError
from finitedp.exact import integer, rational, unit_fraction
from finitedp.impl.counting import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histogram import BasicHistogram
from finitedp.impl.sparse import KeepHeavy
from finitedp.impl.stability import StabilityHistogram
from finitedp.proofs_check.explorer import explore
from finitedp.spec import counting as spec
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.sparse import keep_heavy
from finitedp.spec.stability import stability_histogram

__all__ = ["HISTOGRAMS", "Chosen", "Law", "choose", "mechanism_options", "refuse_large"]

MECHANISMS = ("geometric", "geo-sample", "fast-sample", "basic", "stability", "keep-heavy")
HISTOGRAMS = ("basic", "stability", "keep-heavy")
MOST_OUTPUTS = 200_000  # outputs over all inputs that one command computes
MOST_BITS = 10**11  # the same, times the bits of a probability's denominator and the support of the noise
MOST_LABELS = 12

Law = Callable[[Any], Pmf[Any]]


def _decay(value: Any, name: str) -> mpq:  # noqa: ANN401
    number = rational(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational in (0, 1)")
    return number


def mechanism_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument MECHANISM and the options that describe it."""
    options = [
        click.argument("mechanism", type=click.Choice(MECHANISMS)),
        click.option("--n", type=int, required=True, help="The largest count: the number of rows."),
        click.option("--epsilon", type=Rational(lambda v, n: mpq(1, unit_fraction(v, n))), help="Privacy parameter, 1/q."),
        click.option("--gamma", type=Rational(lambda v, n: mpq(1, unit_fraction(v, n, 2))), help="fast-sample's share, 1/g."),
        click.option("--decay", type=Rational(_decay), help="geometric's e^(-epsilon/2), in (0, 1)."),
        click.option("--labels", type=int, help="Histograms: the number of labels |X|."),
        click.option("--threshold", type=int, help="stability: counts up to this one are not released."),
        click.option(
            "--running", is_flag=True, help="Derive the law from the running code by the explorer, not from its definition."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@frozen
class Chosen:
    """A mechanism chosen on the command line: its law by input, its claim, and its parameters for the output."""

    law: Law
    claim: PrivacyClaim | None
    parameters: dict[str, str]
    labels: tuple[str, ...]
    bits: int


def choose(mechanism: str, running: bool, given: dict[str, Any]) -> Chosen:
    """The mechanism that the options describe. Raises: ParameterError for a missing, needless or wrong one."""
    n = integer(given["n"], "n", at_least=1)
    needed = {"geometric": ("decay",), "geo-sample": ("epsilon",), "fast-sample": ("epsilon", "gamma")}
    counting = needed["fast-sample" if given["gamma"] else "geo-sample"]
    needed |= {"basic": ("labels", *counting), "stability": ("labels", "threshold", *counting)}
    needed["keep-heavy"] = needed["basic"]
    wanted = needed[mechanism]
    for name in ("epsilon", "gamma", "decay", "labels"):
        if (given[name] is None) == (name in wanted):
            verb = "needs" if name in wanted else "does not take"
            raise ParameterError(f"{mechanism} {verb} --{name}")
    parameters = {"n": str(n), **{name: str(given[name]) for name in wanted}}
    if mechanism == "geometric":
        if running:
            raise ParameterError("geometric is a definition and has no running code; --running goes with the other mechanisms")
        return Chosen(lambda c: spec.geometric_mechanism(n, given["decay"], c), None, parameters, (), n * 64)
    code: CountingMechanism = (
        GeoSample(n, given["epsilon"]) if given["gamma"] is None else FastSample(n, given["epsilon"], given["gamma"])
    )
    if mechanism not in HISTOGRAMS:
        return Chosen(_counting_law(code, running), code.claim(), parameters, (), _bits(code))
    labels = tuple(
        f"x{i:0{len(str(given['labels']))}d}" for i in range(1, integer(given["labels"], "labels", 1, MOST_LABELS) + 1)
    )
    size = _bits(code) * len(labels)
    if mechanism == "stability":
        stability: StabilityHistogram[str] = StabilityHistogram(code, given["threshold"], padded=False)
        return Chosen(_stability_law(stability, running), stability.claim(), parameters, labels, size)
    histogram = BasicHistogram(code, labels)
    if mechanism == "keep-heavy":
        heavy = KeepHeavy(histogram)
        return Chosen(_heavy_law(heavy, running), heavy.claim(), parameters, labels, size)
    return Chosen(_histogram_law(histogram, running), histogram.claim(), parameters, labels, size)


def _bits(code: CountingMechanism) -> int:
    """About how many bits the law of one count takes for each of its outputs, the noise before clamping included."""
    noise = 2 * code.t // (code.n + 1) + 1 if isinstance(code, FastSample) else 1
    return int(code.d).bit_length() * noise


def _counting_law(code: CountingMechanism, running: bool) -> Law:
    if running:
        return cache(lambda c: explore(lambda coins: code.release(c, coins)).law())
    if isinstance(code, FastSample):
        return cache(lambda c: spec.fast_sample(code.n, code.epsilon, code.gamma, c))
    assert isinstance(code, GeoSample)  # noqa: S101  # there are only two
    return cache(lambda c: spec.geo_sample(code.n, code.epsilon, c))


def _histogram_law(histogram: BasicHistogram[str], running: bool) -> Law:
    if running:
        return cache(lambda dataset: explore(lambda coins: histogram.release(dataset, coins)).law())
    one = _counting_law(histogram.mechanism, running=False)
    return cache(lambda dataset: basic_histogram(dataset, tuple(histogram.labels), one))


def _heavy_law(heavy: KeepHeavy[str], running: bool) -> Law:
    if running:
        return cache(lambda dataset: explore(lambda coins: heavy.release(dataset, coins)).law())
    counting, labels = heavy.histogram.mechanism, tuple(heavy.histogram.labels)
    one = _counting_law(counting, running=False)
    return cache(lambda dataset: keep_heavy(dataset, labels, one, counting.n))


def _stability_law(histogram: StabilityHistogram[str], running: bool) -> Law:
    """Without padding, whose draws have no part in the output (the ledger's BV.Alg5.4 checks the padded release)."""
    if running:
        return cache(lambda dataset: explore(lambda coins: histogram.release(dataset, coins)).law())
    one = _counting_law(histogram.mechanism, running=False)
    return cache(lambda dataset: stability_histogram(dataset, one, histogram.b))


def refuse_large(chosen: Chosen, inputs: int) -> None:
    """Refuse what would take too long or too much memory, before it starts."""
    n, labels = int(chosen.parameters["n"]), max(len(chosen.labels), 1)
    outputs = inputs * (n + 1) ** labels
    if outputs > MOST_OUTPUTS:
        shown = f"{outputs:,}" if outputs < 10**15 else f"about 2^{outputs.bit_length() - 1}"
        raise ParameterError(f"that is {shown} outputs, more than {MOST_OUTPUTS:,}: take a smaller n or fewer labels")
    if outputs * chosen.bits > MOST_BITS:
        raise ParameterError(
            f"that is {outputs:,} probabilities of {chosen.bits:,} bits in all, more than {MOST_BITS:,} bits: take a larger "
            "epsilon, a smaller n or fewer labels"
        )
