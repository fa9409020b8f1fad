"""Functions of libm on floats: what the platform computes, and an interval that it is assumed to lie in.

No monotonicity is assumed of a library's logarithm, only a bound on its error: its value is among the ULPS nearest floats
on each side of the correctly rounded one, which MPFR gives. That bound is an assumption about all arguments; it is checked
at each argument that is looked at, and it is named in what is found.
"""

import math
import platform
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import gmpy2
from attrs import frozen
from gmpy2 import mpfr

from finitedp.proofs_check.engine.stand_ins.exploring import numpy as np

ULPS = 2
"""Floats on each side of the correctly rounded value. The 1 ulp that glibc states is at most that, at a power of two too."""
WIDE_ULPS = 8
"""The same for numpy's own code, whose error its authors keep below 4 ulp."""

Real = Callable[[float], float]
_DOUBLE = gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True)


@frozen
class Function:
    """A function of libm that is monotone where it is defined.

    name: as in the module math. real: what the platform computes. rounded: the correctly rounded value. rising: its direction.
    above: it is defined above this, and at it where `closed`. exact: whether IEEE 754 demands the correctly rounded value.
    """

    name: str
    real: Real
    rounded: Callable[[Any], Any]
    rising: bool = True
    above: float = -math.inf
    closed: bool = False
    exact: bool = False
    wide: bool = False

    def defined(self, value: float) -> bool:
        """Whether the function has a value there."""
        return value > self.above or (self.closed and value == self.above)

    def around(self, low: float, high: float) -> tuple[float, float]:
        """Floats that every value of the function on low..high lies between, if the assumption holds."""
        if not self.rising:
            low, high = high, low
        width = 0 if self.exact else WIDE_ULPS if self.wide else ULPS
        below, above = self.correctly_rounded(low), self.correctly_rounded(high)
        for _ in range(width):
            below, above = math.nextafter(below, -math.inf), math.nextafter(above, math.inf)
        return below, above

    def correctly_rounded(self, value: float) -> float:
        """By MPFR, in double precision, subnormal values included."""
        with gmpy2.context(_DOUBLE):
            return float(self.rounded(mpfr(value)))


FUNCTIONS = {
    function.name: function
    for function in (
        Function("log", math.log, gmpy2.log, above=0.0),
        Function("log2", math.log2, gmpy2.log2, above=0.0),
        Function("log1p", math.log1p, gmpy2.log1p, above=-1.0),
        Function("exp", math.exp, gmpy2.exp),
        Function("exp2", math.exp2, gmpy2.exp2),
        Function("expm1", math.expm1, gmpy2.expm1),
        Function("sqrt", math.sqrt, gmpy2.sqrt, above=0.0, closed=True, exact=True),
    )
}
"""Those that are followed, by name."""


@lru_cache(maxsize=256)
def power_to(exponent: float) -> Function:
    """x ** exponent for x > 0 and a finite exponent other than 0."""
    return Function(
        f"pow({exponent!r})", lambda x: math.pow(x, exponent), lambda x: x ** mpfr(exponent), rising=exponent > 0, above=0.0
    )


@lru_cache(maxsize=256)
def power_of(base: float) -> Function:
    """base ** x for a finite base > 0 other than 1."""
    return Function(f"{base!r}**", lambda x: math.pow(base, x), lambda x: mpfr(base) ** x, rising=base > 1)


def _bound(of: str, power: str, ulps: int) -> str:
    return (
        f"{of} on {platform.system()} {platform.machine()} computes each of log, log2, log1p, exp, exp2, expm1 and {power} "
        f"to one of the {ulps} floats on each side of the correctly rounded value, or to that"
    )


@cache
def numpy_assumption() -> str:
    """The bound on the error of numpy's own code, as a certificate names it."""
    return _bound(f"numpy {np.__version__}", "power of a float", WIDE_ULPS)


@cache
def assumption() -> str:
    """The bound on the error, as a certificate names it."""
    library = " ".join(platform.libc_ver()).strip() or "its C library"
    return _bound(f"libm: {library}", "pow", ULPS)
