"""The methods that draw continuous noise, of numpy's generators and of random.Random, as draws of ideal primitives.

Their names, options and errors are the libraries'. What is drawn is location + scale * a standard draw, in real numbers: that
the library's floats round is not looked at.
"""

from collections.abc import Callable, Mapping
from operator import index
from typing import Any

import numpy as np
from gmpy2 import mpq

from finitedp.proofs_check.engine.noise.runs import Run
from finitedp.proofs_check.engine.noise.symbols import form_of
from finitedp.proofs_check.engine.noise.ufuncs import as_array
from finitedp.proofs_check.engine.stand_ins.refusing import refuse


def noise(run: Run, kind: str, location: Any, scale: Any, size: Any = None) -> Any:
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
    def method(run: Run, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return noise(run, kind, loc, scale, size)

    return method


def _exponential(run: Run, scale: Any = 1.0, size: Any = None) -> Any:
    return noise(run, "exponential", 0, scale, size)


def _standard(kind: str) -> Callable[..., Any]:
    def method(run: Run, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None) -> Any:
        if np.dtype(dtype) != np.dtype(np.float64) or method not in ("zig", "inv") or out is not None:
            refuse(run.coins, "draws noise of another type, or into an array that is there")
        return noise(run, kind, 0, 1, size)

    return method


def _uniform(run: Run, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    return noise(run, "uniform", low, np.subtract(high, low) if np.ndim(low) or np.ndim(high) else high - low, size)


def _gauss(run: Run, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    return run.draw("normal", mu, sigma)


def _expovariate(run: Run, lambd: Any = 1.0) -> Any:
    rate = form_of(run, lambd)
    if isinstance(rate, float) or rate.items or not rate.constant:
        refuse(run.coins, f"draws expovariate of the rate {lambd!r:.40}", following="next: a finite rate that is not 0")
    return run.draw("exponential", 0, 1 / mpq(rate.constant))


METHODS: Mapping[str, Callable[..., Any]] = {
    **{kind: _located(kind) for kind in ("laplace", "gumbel", "normal")},
    "exponential": _exponential,
    "standard_normal": _standard("normal"),
    "standard_exponential": _standard("exponential"),
    "randn": lambda run, *shape: noise(run, "normal", 0, 1, shape or None),
    "uniform": _uniform,
    "gauss": _gauss,
    "normalvariate": _gauss,
    "expovariate": _expovariate,
}
"""By the names of the libraries, as functions of the run and their arguments."""
