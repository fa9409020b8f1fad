"""Calls of smartnoise-synth's covariance.

Its noise is b log 2u for a uniform u below 1/2, -b log(2 - 2u) above: recorded at u = 1/2, which is no noise, and at e^-1 / 2,
which is the noise -b, for one number after the other.
"""

from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from recording import affine

# the folder of snsynth.models 1.0.5 asks for a module that scikit-learn has not had since 0.24; this file of it does not
_SPEC = spec_from_file_location("dp_covariance", Path(str(find_spec("snsynth").origin)).parent / "models" / "dp_covariance.py")
_MODULE = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)


def _release(rows: Sequence[str], tops: Sequence[int]) -> list[Any]:
    """The lower triangle of the noisy covariances; a row is its numbers, with spaces between them."""
    names = [f"c{i}" for i in range(len(tops))]

    def release(noises: Sequence[float]) -> list[float]:
        data = pd.DataFrame([[float(x) for x in row.split()] for row in rows], columns=names)
        bounds = pd.DataFrame({i: [0.0, float(top)] for i, top in enumerate(tops)})
        original = np.random.uniform
        np.random.uniform = lambda size: np.exp(noises[:size]) / 2
        try:
            return [float(x) for x in _MODULE.DPcovariance(len(rows), names, bounds, 1.0).release(data)]
        finally:
            np.random.uniform = original

    return affine(release, len(tops) * (len(tops) + 1) // 2, "laplace", -1.0)


def three(rows: Sequence[str]) -> list[Any]:
    """Of three columns, the one in the middle of which is up to 100."""
    return _release(rows, (1, 100, 1))


def two(rows: Sequence[str]) -> list[Any]:
    """Of two columns of up to 1."""
    return _release(rows, (1, 1))
