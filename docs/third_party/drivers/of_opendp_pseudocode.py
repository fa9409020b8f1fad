"""A call of the Python text that OpenDP keeps beside its Rust, and proves things about: the noise with a threshold.

It is run as it is, from a folder that OPENDP names. Here are the types of Rust that it takes for granted.
"""

import __future__

import os
import random
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(os.environ["OPENDP"]) / "rust" / "src"
TEXTS = (
    "traits/samplers/bernoulli/pseudocode/sample_bernoulli_rational.py",
    "traits/samplers/cks20/pseudocode/sample_bernoulli_exp1.py",
    "traits/samplers/cks20/pseudocode/sample_bernoulli_exp.py",
    "traits/samplers/cks20/pseudocode/sample_geometric_exp_slow.py",
    "traits/samplers/cks20/pseudocode/sample_geometric_exp_fast.py",
    "traits/samplers/cks20/pseudocode/sample_discrete_laplace.py",
    "measurements/noise/pseudocode/Sample_for_ZExpFamily1.py",
    "measurements/noise_threshold/pseudocode/MakeNoiseThreshold_IBig_for_RV.py",
)


class RBig(Fraction):
    """A rational."""

    def into_parts(self) -> tuple[int, int]:
        """Numerator and denominator."""
        return self.numerator, self.denominator

    def __truediv__(self, other: Any) -> "RBig":
        return RBig(Fraction(self) / other)


class Order(Enum):
    """Ordering of Rust."""

    Less = -1
    Equal = 0
    Greater = 1


class Sign(Enum):
    """The sign of an integer."""

    Positive = 1
    Negative = -1


class IBig(int):
    """An integer."""

    def __add__(self, other: int) -> "IBig":
        return IBig(int(self) + other)

    def cmp(self, other: int) -> Order:
        """How it compares."""
        return Order((self > other) - (self < other))

    def sign(self) -> Sign:
        """That of 0 is positive."""
        return Sign.Positive if self >= 0 else Sign.Negative

    def into_parts(self) -> tuple[Sign, int]:
        """Sign and magnitude."""
        return self.sign(), abs(self)


def _below(bound: int, _trials: object = None) -> int:
    return random.randrange(bound)  # noqa: S311  # what is audited draws from it


def _names() -> dict[str, Any]:
    names: dict[str, Any] = {
        "RBig": RBig,
        "Rational": RBig,
        "recip": lambda x: RBig(1) / x,
        "is_odd": lambda k: k % 2 == 1,
        "false": False,
        "random": random,
        "UBig": SimpleNamespace(sample_uniform_int_below=_below),
        "sample_uniform_ubig_below": _below,
        "sample_standard_bernoulli": lambda: _below(2) == 1,
        "Ordering": Order,
        "Sign": Sign,
        "MO": SimpleNamespace(default=lambda: None),
        "Function": SimpleNamespace(new_fallible=lambda function: function),
        "Measurement": SimpleNamespace(new=lambda _domain, function, *_others: function),
    }
    flags = __future__.annotations.compiler_flag  # the types in its signatures are names only
    for path in TEXTS:
        exec(compile((FOLDER / path).read_text(), path, "exec", flags), names)  # noqa: S102  # this is what is audited
    text = names["sample_bernoulli_exp1"]
    names["sample_bernoulli_exp1"] = lambda x: text(RBig(x))  # a 1 in the texts is a rational
    return names


NAMES = _names()


class Distribution(NAMES["RV"], NAMES["ZExpFamily1"]):  # type: ignore[misc]
    """Discrete Laplace noise, as two of the texts have it, of scale 1."""

    scale = RBig(1)

    def noise_threshold_privacy_map(self, *_spaces: object) -> None:
        """Not needed here: what it claims is in the audit."""


RELEASE = Distribution().make_noise_threshold((None, None), IBig(3))


def threshold(count: int) -> list[tuple[str, int]]:
    """The noisy count of the one key that there is, if it is not below 3."""
    return [(key, int(value)) for key, value in RELEASE({"key": IBig(count)} if count else {}).items()]
