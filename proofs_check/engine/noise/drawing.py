"""The methods that draw continuous noise, of numpy's generators and of random.Random, as draws of ideal primitives.

Their names, options and errors are the libraries'. What is drawn is location + scale * a standard draw, in real numbers: that
the library's floats round is not looked at. Each is a function of the run (runs.Run) and the method's arguments.
"""

from collections.abc import Callable, Mapping
from operator import index
from typing import Any

import numpy as np
from gmpy2 import mpq

from finitedp.proofs_check.engine.noise.symbols import as_array, form_of
from finitedp.proofs_check.engine.stand_ins.refusing import refuse


def noise(run: Any, kind: str, location: Any, scale: Any, size: Any = None) -> Any:
    """A draw, or an array of draws where the location, the scale or a size says so."""
    if size is None and np.ndim(location) == np.ndim(scale) == 0:
        return run.draw(kind, location, scale)
    shape = np.broadcast_shapes(np.shape(location), np.shape(scale))
    if size is not None:
        wanted = tuple(map(index, size)) if isinstance(size, list | tuple) else (index(size),)
        np.broadcast_to(np.empty(shape), wanted)  # raises where it does not fit
        shape = wanted
    cells = [np.broadcast_to(np.asarray(value, dtype=object), shape).flat for value in (location, scale)]
    return as_array([run.draw(kind, at, by) for at, by in zip(*cells, strict=True)], shape)


def _located(kind: str) -> Callable[..., Any]:
    return lambda run, loc=0.0, scale=1.0, size=None: noise(run, kind, loc, scale, size)


def _standard(kind: str) -> Callable[..., Any]:
    def method(run: Any, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None) -> Any:
        if np.dtype(dtype) != np.dtype(np.float64) or method not in ("zig", "inv") or out is not None:
            refuse(run.coins, "draws noise of another type, or into an array that is there")
        return noise(run, kind, 0, 1, size)

    return method


def _uniform(run: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    if not np.all(np.isfinite(np.subtract(high, low))):
        raise OverflowError("Range exceeds valid bounds")
    return noise(run, "uniform", low, np.subtract(high, low) if np.ndim(low) or np.ndim(high) else high - low, size)


def _gauss(run: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return run.draw("normal", mu, abs(sigma))  # of a negative sigma the law is the same


def _expovariate(run: Any, lambd: Any = 1.0) -> Any:
    rate = form_of(run, lambd)
    if isinstance(rate, float) or rate[0] or not rate[1]:
        refuse(run.coins, f"draws expovariate of the rate {lambd!r:.40}", following="next: a finite rate that is not 0")
    return run.draw("exponential", 0, 1 / mpq(rate[1]))


METHODS: Mapping[str, Callable[..., Any]] = {
    **{kind: _located(kind) for kind in ("laplace", "gumbel", "normal")},
    "exponential": lambda run, scale=1.0, size=None: noise(run, "exponential", 0, scale, size),
    "standard_normal": _standard("normal"),
    "standard_exponential": _standard("exponential"),
    "randn": lambda run, *shape: noise(run, "normal", 0, 1, shape or None),
    "uniform": _uniform,
    "gauss": _gauss,
    "normalvariate": _gauss,
    "expovariate": _expovariate,
}
