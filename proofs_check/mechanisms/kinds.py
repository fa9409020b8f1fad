"""What the registry says of a mechanism: its options, its law and running code at given parameters."""

from collections.abc import Callable
from typing import Any, Literal

from attrs import frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import integer, unit_fraction
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.limits import MOST_PROBABILITIES, MOST_PROBABILITY_BITS
from finitedp.spec.pmf import Pmf

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


@frozen(eq=False)
class Mechanism:
    """An entry of the registry.

    name: as on the command line. summary: one line. options: its parameters. input: a count, or the counts of labels. make:
    the options, by keyword, to a Subject. claims: the ids that cover it in the ledger.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    make: Callable[..., Subject]
    claims: tuple[str, ...]
    input: Literal["count", "counts"] = "count"


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
