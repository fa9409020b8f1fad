"""What the registry says of a mechanism: its options, its law and running code at given parameters, and how it is released."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import Cost, HistogramAccuracy, PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import integer, rational, unit_fraction
from finitedp.impl.histograms.universe import as_universe
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.engine.limits import MOST_PROBABILITIES, MOST_PROBABILITY_BITS
from finitedp.spec.pmf import Pmf

__all__ = [
    "Check",
    "Histogram",
    "Instance",
    "Law",
    "Mechanism",
    "Offer",
    "Option",
    "Relabel",
    "Subject",
    "Terms",
    "integer_from",
    "positive",
    "refuse_large",
    "refuse_many",
    "unit",
]

Law = Callable[[Any], Pmf[Any]]
Relabel = Callable[[Any, dict[Any, Any]], Any]
Check = Callable[[Any, str], Any]


@frozen(eq=False)
class Option:
    """A parameter of a mechanism.

    name: the maker's keyword. kind: how it is written, an integer or a rational "p/q". check: (value, name) to the value, or
    ParameterError. required: whether it must be given; default: what it is where it is not.
    """

    name: str
    kind: Literal["integer", "rational"]
    help: str
    check: Check
    required: bool = True
    default: int | None = None


def integer_from(at_least: int, at_most: int | None = None) -> Check:
    """A check for an integer within bounds."""
    return lambda value, name: integer(value, name, at_least, at_most)


def unit(least: int = 1) -> Check:
    """A check for 1/q with q >= least."""
    return lambda value, name: mpq(1, unit_fraction(value, name, least))


def positive(value: Any, name: str) -> mpq:  # noqa: ANN401  # whatever was written
    """A rational above 0. Raises: ParameterError."""
    number = rational(value, name)
    if number <= 0:
        raise ParameterError(f"{name} = {number} is not positive; accepted: a rational above 0")
    return number


@frozen(eq=False)
class Subject:
    """A mechanism at given parameters.

    n: the largest count. law: by input, from the definition. release: the running code, (input, coins) to an output, which the
    explorer follows; None for a definition alone. labels: the universe of a histogram, whose inputs are datasets; none for a
    counting mechanism, whose inputs are counts. relabel: an output under a renaming of labels; None where labels are not
    alike. bits: about how many a probability takes. outputs, paths: about how many of them the law of one input has, and how
    many paths its exploration.
    """

    n: int
    law: Law
    claim: PrivacyClaim
    release: Callable[[Any, Coins], Any] | None
    bits: int
    outputs: int
    paths: int
    labels: tuple[str, ...] = ()
    relabel: Relabel | None = None


@frozen
class Terms:
    """What a release is asked for: over which universe, whatever as_universe takes, of how many rows, and its parameters."""

    universe: Any
    n: int
    epsilon: mpq
    delta: mpq
    beta: mpq

    @property
    def size(self) -> int:
        """|X|."""
        return as_universe(self.universe).size


class Histogram(Protocol):
    """What every mechanism that is released has."""

    def release_counts(self, counts: Mapping[Any, int], coins: Coins) -> Any:  # noqa: ANN401  # of the offer's form
        """What is released."""
        ...

    def claim(self, coins: Coins | None = None) -> PrivacyClaim:
        """What is claimed on these coins."""
        ...

    def cost(self) -> Cost:
        """Draws and bits."""
        ...


@frozen(eq=False)
class Instance:
    """A mechanism for a release, and what is said of it.

    title: its name, for the document. parameters: what was chosen for it. accuracy: of a count, and of all at once. source:
    the id of the claim that is stated. threshold: counts up to it are not released.
    """

    histogram: Histogram
    title: str
    parameters: dict[str, str]
    accuracy: HistogramAccuracy
    source: str
    threshold: int | None = None


@frozen(eq=False)
class Offer:
    """How `release` offers a mechanism.

    help: for its users. paper: the mechanism with the paper's parameters, for histograms of labels. form: a list of noisy
    counts, a polynomial that is asked for counts, or prevalences without labels, whose command is its own. word: what --word
    is by default, where it also stands on dyadic tables. takes_delta: whether delta is a parameter. bounded: whether n may be
    a public bound; largest_n: beyond which one is refused. whole: whether every label is released. noise_alone: whether labels
    that do not occur may be listed. blanket: whether it stands on BlanketHistogram by default, and on the paper's on demand.
    """

    help: str
    paper: Callable[[Terms], Instance] | None = None
    form: Literal["list", "polynomial", "prevalences"] = "list"
    word: str | None = None
    takes_delta: bool = False
    bounded: bool = False
    largest_n: int | None = None
    whole: bool = False
    noise_alone: bool = False
    blanket: bool = False


@frozen(eq=False)
class Mechanism:
    """An entry of the registry.

    name: as on the command line. summary: one line. options: its parameters. input: a count, or the counts of labels. make:
    the options, by keyword, to a Subject. claims: the ids that cover it in the ledger. release: None where it is not offered.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    make: Callable[..., Subject]
    claims: tuple[str, ...]
    input: Literal["count", "counts"] = "count"
    release: Offer | None = None


def refuse_large(outputs: int, bits: int) -> None:
    """Refuse what would take too long or too much memory, before it starts. Raises: ParameterError."""
    refuse_many(outputs)
    if outputs * bits > MOST_PROBABILITY_BITS:
        raise ParameterError(
            f"that is {outputs:,} probabilities of {bits:,} bits in all, more than {MOST_PROBABILITY_BITS:,} bits: "
            "take a larger epsilon, a smaller n or fewer labels"
        )


def refuse_many(outputs: int) -> None:
    """Refuse too many outputs. Raises: ParameterError."""
    if outputs > MOST_PROBABILITIES:
        shown = f"{outputs:,}" if outputs < 10**15 else f"about 2^{outputs.bit_length() - 1}"
        raise ParameterError(f"that is {shown} outputs, more than {MOST_PROBABILITIES:,}: take a smaller n or fewer labels")
