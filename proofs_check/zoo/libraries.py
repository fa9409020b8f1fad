"""Code as it is written: draws from numpy, secrets, os.urandom and the module random, and the floats of its noise.

The verdicts are worked out from the libraries' sources. A uniform float is a word of 53 bits over 2^53, so that a comparison
u < t holds for ceil(t 2^53) words; 2^53 = 9007199254740992.
"""

import math
import os
import random
import secrets
from collections.abc import Callable

import numpy as np
from attrs import frozen

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds

Rows = tuple[int, ...]
Truth = Callable[[], bool]


@frozen
class Response:
    """The only row, a bit, where `truth` says so, else its opposite."""

    truth: Truth

    def __call__(self, data: Rows) -> int:
        """The answer."""
        return data[0] if self.truth() else 1 - data[0]


# Bits


def numpy_random() -> bool:
    """Three words in four, exactly."""
    return bool(np.random.default_rng().random() < 0.75)


def numpy_choice() -> bool:
    """numpy compares a uniform with the cumulated p: ceil(0.9 2^53) words, where the float 0.9 is 8106479329266893 / 2^53."""
    return bool(np.random.default_rng().choice([True, False], p=[0.9, 0.1]))


def weighted_choice() -> bool:
    """random() * 4.0 is exact, and so are the thresholds."""
    return random.choices([True, False], weights=[3, 1])[0]  # noqa: S311  # as it is written


def weighted_tenths() -> bool:
    """random() * 10.0 is rounded: it reaches 9 from the word 8106479329266892 on, a tie that goes to even."""
    return random.choices([True, False], weights=[9, 1])[0]  # noqa: S311  # as it is written


def secret_quarter() -> bool:
    """Exactly uniform on four values."""
    return secrets.randbelow(4) > 0


def seeded() -> bool:
    """The same in each run."""
    return bool(np.random.default_rng(2024).random() < 0.75)


# Labels


def numpy_labels(data: Rows, rng: np.random.Generator) -> int:
    """The truth for u < 0.6, a float that is 5404319552844595 / 2^53, else one of the other two labels of 0..2."""
    return data[0] if rng.random() < 0.6 else int((data[0] + 1 + rng.integers(2)) % 3)


def secret_labels(data: Rows) -> int:
    """The truth with probability 3/5, else one of the other two labels of 0..2."""
    return data[0] if secrets.randbelow(5) < 3 else (data[0] + 1 + secrets.randbelow(2)) % 3


def padded(data: Rows) -> int:
    """A label of 0..2 plus a uniform one, modulo 3."""
    return (data[0] + secrets.randbelow(3)) % 3


def padded_by_a_byte(data: Rows) -> int:
    """A label of 0..2 plus a byte, modulo 3: 0 has 86 of 256 bytes, 1 and 2 have 85."""
    return (data[0] + os.urandom(1)[0]) % 3


def padded_by_a_binomial(data: Rows, rng: np.random.Generator) -> int:
    """A bit plus binomial(1, 1/2). numpy's loop runs while (U > 1/2), so that U = 1/2 counts as 0: one word more."""
    return int(data[0] ^ rng.binomial(1, 0.5))


# Rows


def one_row(data: Rows, rng: np.random.Generator) -> int:
    """A row, drawn without replacement."""
    return int(rng.choice(data, size=1, replace=False)[0])


def bootstrap(data: Rows, rng: np.random.Generator) -> list[int]:
    """As many rows as there are, drawn with replacement, in order."""
    return sorted(rng.choice(data, size=len(data)).tolist())


# Choosing


def base_two(data: Rows, rng: np.random.Generator) -> int:
    """The exponential mechanism with weights 2^score, for a label of 0..1 and its score 1."""
    weights = np.array([2.0 if data[0] == 0 else 1.0, 2.0 if data[0] == 1 else 1.0])
    return int(rng.choice(2, p=weights / weights.sum()))


# Floats


def exponential(rng: random.Random) -> int:
    """The whole part of an exponential of rate 4: at most floor(53 ln 2 / 4) = 9, since 1 - random() is at least 2^-53."""
    return math.floor(-math.log(1.0 - rng.random()) / 4)


def float_geometric(count: int, rng: random.Random) -> int:
    """A count plus the difference of two such variables, which would be two-sided geometric."""
    return count + exponential(rng) - exponential(rng)


WARNER = "Warner 1965, Randomized response, with a library's draws: "
THREE, NINE, PERFECT = (at_ratio(ratio, "replace-one") for ratio in (3, 9, 1))
BITS, LABELS = (0, 1), (0, 1, 2)
SHANNON = "Shannon 1949, Communication theory of secrecy systems: perfect secrecy of the one-time pad, read as epsilon = 0; "
SAMPLE = "Dwork, Roth 2014, The algorithmic foundations of differential privacy: a row that is released at random (0, m/n)"
MIRONOV = (
    "Mironov 2012, On significance of the least significant bits for differential privacy: noise by the inverse of a float"
)
GEOMETRIC = (
    "; Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy mechanisms: the geometric mechanism"
)

EXHIBITS = (
    *Family("library-response", WARNER + "numpy, secrets, random", THREE, BITS, style="none").exhibits(
        attained("numpy-random", Response(numpy_random)).because("numpy's uniform is below 3/4 for three words in four."),
        attained("secrets", Response(secret_quarter)).because("secrets.randbelow is exactly uniform."),
        attained("choices", Response(weighted_choice)).because("Weights 3 and 1: the product with 4.0 is not rounded."),
        fails("seeded", Response(seeded), "infinite", 1).because(
            "A generator with a seed of its own gives the same answer each time.", "; the seed left in the code is folklore"
        ),
    ),
    *Family("library-response/nine-tenths", WARNER + "probabilities as floats", NINE, BITS, style="none").exhibits(
        fails("numpy-choice", Response(numpy_choice), "8106479329266893/900719925474099").because(
            "numpy's choice(p=[0.9, 0.1]) tells the truth a fifth of a word too often."
        ),
        holds("choices", Response(weighted_tenths), "8106479329266892/900719925474100").because(
            "Weights 9 and 1 in random.choices: the product with 10.0 is rounded, and the truth is told too rarely."
        ),
    ),
    *Family(
        "library-labels",
        "Kairouz, Bonawitz, Ramage 2016, Discrete distribution estimation under local privacy: k-ary response, e^epsilon = 3",
        THREE,
        LABELS,
        style="numpy",
    ).exhibits(
        holds("numpy", numpy_labels, "10808639105689190/3602879701896397").because(
            "u < 0.6 for a fifth of a word less than 3/5 of them, and a lie by integers(2), which is exactly uniform."
        ),
    ),
    *Family(
        "library-labels",
        "Kairouz, Bonawitz, Ramage 2016, Discrete distribution estimation under local privacy: k-ary response, e^epsilon = 3",
        THREE,
        LABELS,
        style="none",
    ).exhibits(attained("secrets", secret_labels).because("Both draws are exactly uniform.")),
    *Family("library-pad", SHANNON + "secrets and os.urandom", PERFECT, LABELS, style="none").exhibits(
        attained("secrets", padded).because("A uniform label hides the other."),
        fails("byte-modulo-3", padded_by_a_byte, "86/85").because(
            "256 is no multiple of 3.", "; the modulo bias of random bytes is folklore"
        ),
    ),
    *Family("library-pad", SHANNON + "the loop of numpy's binomial (2.4)", PERFECT, BITS, style="numpy").exhibits(
        fails("binomial", padded_by_a_binomial, "4503599627370497/4503599627370495").because(
            "A bit of numpy's binomial(1, 0.5) is 0 for one word more than half of them."
        ),
    ),
    *Family("library-sample", SAMPLE, PrivacyClaim(0, "replace-one", "1/2"), BITS, n=2, style="numpy").exhibits(
        attained("one-row", one_row).because("One of two rows, without replacement: delta is 1/2."),
        fails("bootstrap", bootstrap, "infinite", "3/4").because(
            "With replacement a row is left out with probability 1/4 only: delta is 3/4."
        ),
    ),
    *Family(
        "library-exponential-mechanism",
        "Ilvento 2020, Implementing the exponential mechanism with base-2 differential privacy; with numpy's floats",
        at_ratio(2, "replace-one"),
        BITS,
        style="numpy",
    ).exhibits(
        holds("base-2", base_two, "6004799503160661/3002399751580331").because(
            "Weights 2 and 1: the float 2/3 is a third of a word too small, and what is left goes to the other label."
        ),
    ),
    *Family("float-geometric", MIRONOV + GEOMETRIC, PrivacyClaim(4, "counts"), style="random").exhibits(
        fails("pure", float_geometric, "infinite").because(
            "Noise of -log(1 - u) ends at 9 on each side, so that 10 is possible for the count 1 alone."
        ),
        holds("approximate", float_geometric, "infinite", claim=PrivacyClaim(4, "counts", f"1/{2**40}")).because(
            "With delta = 2^-40 it holds: the words beyond are a few of 2^53, and so are those that a float is off by."
        ),
    ),
)
