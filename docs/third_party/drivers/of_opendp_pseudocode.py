"""Calls of the Python texts that OpenDP keeps beside its Rust, and proves things about.

They are the noise with a threshold, and permuting and flipping, run as they are, from a folder that OPENDP names. Here are
the types of Rust that they take for granted.
"""

import __future__

import itertools
import os
import random
from collections.abc import Sequence
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


class _Scale(RBig):
    def is_zero(self) -> bool:
        """Whether there is no noise."""
        return self == 0


class Vec(list[Any]):
    """A vector."""

    def len(self) -> int:
        """Its length."""
        return len(self)

    def swap(self, one: int, other: int) -> None:
        """Exchange two of its items."""
        self[one], self[other] = self[other], self[one]


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
FLIPPING = "measurements/noisy_top_k/pseudocode/permute_and_flip.py"


def _flipping() -> Any:
    names = NAMES | {"list": Vec, "repeat": itertools.repeat, "sample_uniform_uint_below": _below}
    flags = __future__.annotations.compiler_flag
    exec(compile((FOLDER / FLIPPING).read_text(), FLIPPING, "exec", flags), names)  # noqa: S102  # this is what is audited
    return names["permute_and_flip"]


PERMUTE_AND_FLIP = _flipping()


class Distribution(NAMES["RV"], NAMES["ZExpFamily1"]):  # type: ignore[misc]
    """Discrete Laplace noise, as two of the texts have it, of scale 1."""

    scale = RBig(1)

    def noise_threshold_privacy_map(self, *_spaces: object) -> None:
        """Not needed here: what it claims is in the audit."""


RELEASE = Distribution().make_noise_threshold((None, None), IBig(3))


def threshold(count: int) -> list[tuple[str, int]]:
    """The noisy count of the one key that there is, if it is not below 3."""
    return [(key, int(value)) for key, value in RELEASE({"key": IBig(count)} if count else {}).items()]


def _selected(data: Sequence[str], replacement: bool) -> int:
    return int(PERMUTE_AND_FLIP(Vec(RBig(list(data).count(label)) for label in "ab"), _Scale(2), replacement))


def permute_and_flip(data: Sequence[str]) -> int:
    """The place of the more frequent of two labels: the order that the text takes with replacement, which is without."""
    return _selected(data, replacement=True)


def exponential(data: Sequence[str]) -> int:
    """The same without replacement, for which the text draws with replacement."""
    return _selected(data, replacement=False)
