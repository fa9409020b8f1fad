"""The mechanism that `finitedp law` and `finitedp privacy` speak of, from their options: its law by input, and its claim."""

from collections.abc import Callable
from functools import cache
from math import comb, perm
from typing import Any, NamedTuple

import click
from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.cli.console import Rational
from finitedp.errors import ParameterError
from finitedp.exact import integer, rational, unit_fraction
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import LARGEST_WORD, positive_epsilon
from finitedp.impl.counting.geometric import CountingMechanism, FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SampledKeepHeavy, SparseHistogram
from finitedp.impl.histograms.sparse import KeepHeavy
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.histograms.universe import Listed
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.symmetry import relabel_partial_vector, relabel_sorted_vector
from finitedp.spec import compact as spec_compact
from finitedp.spec import counting as spec
from finitedp.spec import dyadic as spec_dyadic
from finitedp.spec import sparse as spec_sparse
from finitedp.spec.histogram import basic_histogram
from finitedp.spec.pmf import Pmf
from finitedp.spec.stability import stability_histogram

__all__ = ["HISTOGRAMS", "WORD", "Chosen", "Law", "choose", "mechanism_options", "refuse_large"]

MOST_OUTPUTS = 200_000  # outputs over all inputs that one command computes
MOST_BITS = 10**11  # the same, times the bits of a probability's denominator and the support of the noise
MOST_LABELS = 12
DYADIC = "dyadic"
WORD = 64  # bits of a draw from a dyadic table, unless others are asked for

Law = Callable[[Any], Pmf[Any]]
Relabel = Callable[[Any, dict[Any, Any]], Any]


@frozen
class Chosen:
    """A mechanism chosen on the command line.

    law: its law by input. claim: what it claims, None for a definition. parameters: for the output. labels: the universe of a
    histogram. bits: about how many bits a probability takes. outputs: about how many outputs, or paths to them, a law has.
    relabel: an output under a renaming of labels; None where a histogram's outputs are not lists of labels and counts.
    """

    law: Law
    claim: PrivacyClaim | None
    parameters: dict[str, str]
    labels: tuple[str, ...]
    bits: int
    outputs: int
    relabel: Relabel | None = None


def _decay(value: Any, name: str) -> mpq:  # noqa: ANN401
    number = rational(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} = {number} is out of range; accepted: a rational in (0, 1)")
    return number


def _unit(least: int) -> Rational:
    """1/q with q >= least."""
    return Rational(lambda value, name: mpq(1, unit_fraction(value, name, least)))


def mechanism_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument MECHANISM and the options that describe it."""
    options = [
        click.argument("mechanism", type=click.Choice(list(_KINDS))),
        click.option("--n", type=int, required=True, help="The largest count: the number of rows."),
        click.option("--epsilon", type=Rational(rational), help="Privacy parameter, 1/q; on a dyadic table any p/q above 0."),
        click.option("--gamma", type=_unit(2), help="fast-sample's share, 1/g."),
        click.option(
            "--word",
            type=click.IntRange(2, LARGEST_WORD),
            help=f"Bits of a draw from a dyadic table.  [default for {DYADIC}: {WORD}]",
        ),
        click.option("--decay", type=Rational(_decay), help="geometric's e^(-epsilon/2), in (0, 1)."),
        click.option("--labels", type=int, help="Histograms: the number of labels |X|."),
        click.option("--threshold", type=int, help="stability: counts up to this one are not released."),
        click.option("--delta", type=_unit(2), help="sparse: the distance from keep-heavy, 1/r."),
        click.option("--beta-1", type=_unit(2), help="pure-sparse: how often its output is random, 1/b."),
        click.option(
            "--running", is_flag=True, help="Derive the law from the running code by the explorer, not from its definition."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def choose(mechanism: str, running: bool, given: dict[str, Any]) -> Chosen:
    """The mechanism that the options describe.

    Raises: ParameterError for a missing, needless or wrong one; BadParameter for an epsilon that the mechanism cannot have.
    """
    if mechanism == DYADIC and given["word"] is None:
        given = {**given, "word": WORD}
    _check_epsilon(given)
    integer(given["n"], "n", at_least=1)
    kind = _KINDS[mechanism]
    stands_on = tuple(name for name in kind.stands_on if given[name] is not None)
    if len(stands_on) > 1:
        raise ParameterError(
            f"--gamma and --word contradict each other: {mechanism} stands on FastSample with --gamma, on a dyadic table with "
            "--word, and on GeoSample with neither"
        )
    wanted = kind.options + stands_on
    for name in ("epsilon", "gamma", "word", "decay", "labels", "threshold", "delta", "beta_1"):
        if (given[name] is None) == (name in wanted):
            verb = "needs" if name in wanted else "does not take"
            raise ParameterError(f"{mechanism} {verb} --{name.replace('_', '-')}")
    asked = {name: given[name] for name in ("n", *wanted)}
    return evolve(kind.build(asked, running), parameters={name: str(value) for name, value in asked.items()})


def _check_epsilon(given: dict[str, Any]) -> None:
    """Whether epsilon is above 0 where there is a word, else of the form 1/q. Raises: BadParameter."""
    if given["epsilon"] is None:
        return
    try:
        if given["word"] is None:
            unit_fraction(given["epsilon"], "epsilon")
        else:
            positive_epsilon(given["epsilon"])
    except ParameterError as error:
        more = "; on a dyadic table (--word B) any rational above 0" if given["word"] is None else ""
        raise click.BadParameter(str(error) + more, param_hint="'--epsilon'") from None


# Counting queries


def _geometric(given: dict[str, Any], running: bool) -> Chosen:
    if running:
        raise ParameterError("geometric is a definition and has no running code; --running goes with the other mechanisms")
    n, decay = given["n"], given["decay"]
    return Chosen(lambda c: spec.geometric_mechanism(n, decay, c), None, {}, (), n * 64, n + 1)


def _code(given: dict[str, Any]) -> CountingMechanism:
    """The running counting mechanism: FastSample with a gamma, DyadicSample with a word, else GeoSample."""
    n, epsilon = given["n"], given["epsilon"]
    if "gamma" in given:
        return FastSample(n, epsilon, given["gamma"])
    if "word" in given:
        _refuse_many(n + 1)  # before its table is built
        return DyadicSample(n, epsilon, given["word"])
    return GeoSample(n, epsilon)


def _counting(given: dict[str, Any], running: bool) -> Chosen:
    code = _code(given)
    law = _explored(code) if running else _counting_law(code)
    return Chosen(law, code.claim(), {}, (), _bits(code), code.n + 1)


def _bits(code: CountingMechanism) -> int:
    """About how many bits the law of one count takes for each of its outputs, the noise before clamping included."""
    noise = 2 * code.t // (code.n + 1) + 1 if isinstance(code, FastSample) else 1
    return int(code.d).bit_length() * noise


def _counting_law(code: CountingMechanism) -> Law:
    """The law by definition."""
    if isinstance(code, FastSample):
        return cache(lambda c: spec.fast_sample(code.n, code.epsilon, code.gamma, c))
    if isinstance(code, DyadicSample):
        return cache(lambda c: spec_dyadic.dyadic_sample(code.n, code.epsilon, code.word, c))
    assert isinstance(code, GeoSample)  # noqa: S101  # there are only three
    return cache(lambda c: spec.geo_sample(code.n, code.epsilon, c))


def _explored(mechanism: Any) -> Law:  # noqa: ANN401  # anything with release(data, coins)
    """The law of the running code."""
    return cache(lambda data: explore(lambda coins: mechanism.release(data, coins)).law())


# Histograms


def _labels(given: dict[str, Any]) -> tuple[str, ...]:
    """x1, x2, ..., of one width, so that their order is the alphabet's."""
    number = integer(given["labels"], "labels", 1, MOST_LABELS)
    return tuple(f"x{i:0{len(str(number))}d}" for i in range(1, number + 1))


def _histogram(given: dict[str, Any], running: bool, code: Any, law: Law, outputs: int, relabel: Relabel | None) -> Chosen:  # noqa: ANN401
    labels = _labels(given)
    bits = _bits(_code(given)) * len(labels)
    return Chosen(_explored(code) if running else law, code.claim(), {}, labels, bits, outputs, relabel)


def _basic(given: dict[str, Any], running: bool) -> Chosen:
    counting, labels = _code(given), _labels(given)
    law = cache(lambda dataset: basic_histogram(dataset, labels, _counting_law(counting)))
    outputs = (counting.n + 1) ** len(labels)
    return _histogram(given, running, BasicHistogram(counting, labels), law, outputs, relabel_partial_vector)


def _stability(given: dict[str, Any], running: bool) -> Chosen:
    """Without padding, whose draws have no part in the output (the ledger's BV.Alg5.4 checks the padded release)."""
    counting, b = _code(given), given["threshold"]
    code: StabilityHistogram[str] = StabilityHistogram(counting, b, padded=False)
    law = cache(lambda dataset: stability_histogram(dataset, _counting_law(counting), b))
    outputs = (counting.n + 1) ** len(_labels(given))
    return _histogram(given, running, code, law, outputs, relabel_sorted_vector)


def _keep_heavy(given: dict[str, Any], running: bool) -> Chosen:
    counting, labels = _code(given), _labels(given)
    law = cache(lambda dataset: spec_sparse.keep_heavy(dataset, labels, _counting_law(counting), counting.n))
    outputs = (counting.n + 1) ** len(labels)
    return _histogram(given, running, KeepHeavy(BasicHistogram(counting, labels)), law, outputs, relabel_sorted_vector)


def _paths(n: int, size: int) -> int:
    """About how many paths KH' has: counts of labels that occur, sequences of others, their order statistics."""
    return max(int((n + 1) ** k) * perm(size - k, n + 1) * comb(2 * n + 1, n) for k in range(1, n + 1))


def _sampled_keep_heavy(given: dict[str, Any], running: bool) -> Chosen:
    counting, labels = _code(given), _labels(given)
    code: SampledKeepHeavy[str] = SampledKeepHeavy(counting, Listed(labels))
    law = cache(lambda dataset: spec_sparse.keep_heavy(dataset, labels, _counting_law(counting), counting.n))
    outputs = _paths(counting.n, len(labels)) if running else (counting.n + 1) ** len(labels)
    return _histogram(given, running, code, law, outputs, relabel_sorted_vector)


def _sparse_law(histogram: SparseHistogram[str], labels: tuple[str, ...]) -> Law:
    one, n = _counting_law(histogram.mechanism), histogram.mechanism.n
    return cache(lambda dataset: spec_sparse.sparse_histogram(dataset, labels, one, n, histogram.s))


def _sparse(given: dict[str, Any], running: bool) -> Chosen:
    counting, labels = _code(given), _labels(given)
    code: SparseHistogram[str] = SparseHistogram(counting, Listed(labels), given["delta"])
    law, outputs = _sparse_law(code, labels), _paths(counting.n, len(labels))
    return _histogram(given, running, code, law, outputs, relabel_sorted_vector)


def _pure_sparse(given: dict[str, Any], running: bool) -> Chosen:
    counting, labels = _code(given), _labels(given)
    universe = Listed(labels)
    code: PureSparseHistogram[str] = PureSparseHistogram(counting, universe, given["epsilon"], given["beta_1"])
    sparse = _sparse_law(code.sparse, labels)
    law = cache(lambda dataset: spec_sparse.pure_sparse_histogram(sparse(dataset), labels, counting.n, code.beta_1))
    outputs = _paths(counting.n, len(labels)) + (len(labels) * (counting.n + 1)) ** counting.n
    return _histogram(given, running, code, law, outputs, relabel_sorted_vector)


@frozen
class _Coefficients:
    """CompactHistogram, of whose releases the polynomial's coefficients are looked at."""

    histogram: CompactHistogram[str]

    def release(self, data: Any, coins: Any) -> tuple[int, ...]:  # noqa: ANN401  # as the histogram
        return self.histogram.release(data, coins).coefficients

    def claim(self) -> PrivacyClaim:
        return self.histogram.claim()


def _compact(given: dict[str, Any], running: bool) -> Chosen:
    """Over the least field that the mechanism fits into. The outputs are polynomials, as tuples of coefficients."""
    counting, labels = _code(given), _labels(given)
    histogram: CompactHistogram[str] = CompactHistogram(counting, Listed(labels))
    order = histogram.base.order
    outputs = order ** (counting.n + 1)
    if outputs > MOST_OUTPUTS:
        raise ParameterError(
            f"that is a family of 2^{histogram.base.bits * (counting.n + 1)} polynomials, more than {MOST_OUTPUTS:,}: take a "
            "smaller n or a larger epsilon"
        )
    sampler = spec_compact.empty_bin_sampler(_counting_law(counting)(0), int(counting.d), order)

    def law(dataset: Any) -> Pmf[tuple[int, ...]]:  # noqa: ANN401  # labels
        rows = [labels.index(label) for label in dataset]
        return spec_compact.compact_histogram(rows, counting.n, _counting_law(counting), sampler, histogram.level)

    return _histogram(given, running, _Coefficients(histogram), cache(law), outputs, None)


class _Kind(NamedTuple):
    """Which options a mechanism needs, which ones choose the counting mechanism that it stands on, and how it is made."""

    options: tuple[str, ...]
    stands_on: tuple[str, ...]
    build: Callable[[dict[str, Any], bool], Chosen]


_KINDS = {
    "geometric": _Kind(("decay",), (), _geometric),
    "geo-sample": _Kind(("epsilon",), (), _counting),
    "fast-sample": _Kind(("epsilon", "gamma"), (), _counting),
    DYADIC: _Kind(("epsilon", "word"), (), _counting),
    "basic": _Kind(("labels", "epsilon"), ("gamma", "word"), _basic),
    "stability": _Kind(("labels", "threshold", "epsilon"), ("gamma", "word"), _stability),
    "keep-heavy": _Kind(("labels", "epsilon"), ("gamma",), _keep_heavy),
    "sampled-keep-heavy": _Kind(("labels", "epsilon"), ("gamma",), _sampled_keep_heavy),
    "sparse": _Kind(("labels", "delta", "epsilon"), ("gamma",), _sparse),
    "pure-sparse": _Kind(("labels", "beta_1", "epsilon"), ("gamma",), _pure_sparse),
    "compact": _Kind(("labels", "epsilon"), ("gamma",), _compact),
}
HISTOGRAMS = tuple(name for name, kind in _KINDS.items() if "labels" in kind.options)


def refuse_large(chosen: Chosen, inputs: int) -> None:
    """Refuse what would take too long or too much memory, before it starts."""
    outputs = inputs * chosen.outputs
    _refuse_many(outputs)
    if outputs * chosen.bits > MOST_BITS:
        raise ParameterError(
            f"that is {outputs:,} probabilities of {chosen.bits:,} bits in all, more than {MOST_BITS:,} bits: take a larger "
            "epsilon, a smaller n or fewer labels"
        )


def _refuse_many(outputs: int) -> None:
    if outputs > MOST_OUTPUTS:
        shown = f"{outputs:,}" if outputs < 10**15 else f"about 2^{outputs.bit_length() - 1}"
        raise ParameterError(f"that is {shown} outputs, more than {MOST_OUTPUTS:,}: take a smaller n or fewer labels")
