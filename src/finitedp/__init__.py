"""finitedp: a verified reference implementation of differential privacy on finite computers.

finitedp.spec holds exact laws, finitedp.impl the mechanisms, finitedp.proofs_check the explorer, the verdicts and the ledger.
The names below are the ones that most programs need. (PYTEST_DONT_REWRITE: pytest need not look for assertions here.)
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from finitedp.claim import Accuracy, Cost, FlexibleAccuracy, PrivacyClaim
from finitedp.errors import FinitedpError
from finitedp.impl.anonymized.pan_private import PanPrivateHistogram
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram, basic_histogram_with_fast_sample
from finitedp.impl.histograms.compact import CompactHistogram, compact_histogram_with_fast_sample
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram, pure_sparse_histogram_with_geo_sample
from finitedp.impl.histograms.sampled_sparse import SparseHistogram, sparse_histogram_with_fast_sample
from finitedp.impl.histograms.stability import StabilityHistogram, stability_histogram_with_fast_sample
from finitedp.impl.randomness.coins import Coins, ExactCoins, StrictCoins
from finitedp.spec.pmf import Pmf

if TYPE_CHECKING:
    from finitedp.data.anonymized import AnonymizedHistogram
    from finitedp.data.releasing import NoisyHistogram, release
    from finitedp.data.statistics import FlexibleAnswer, statistic
    from finitedp.proofs_check.audit.auditing import audit
    from finitedp.proofs_check.engine.partial_law import Tail

__version__ = version("finitedp")

_LATER = {
    "AnonymizedHistogram": "finitedp.data.anonymized",
    "FlexibleAnswer": "finitedp.data.statistics",
    "NoisyHistogram": "finitedp.data.releasing",
    "Tail": "finitedp.proofs_check.engine.partial_law",
    "audit": "finitedp.proofs_check.audit.auditing",
    "release": "finitedp.data.releasing",
    "statistic": "finitedp.data.statistics",
}

__all__ = [
    "Accuracy",
    "AnonymizedHistogram",
    "BasicHistogram",
    "Coins",
    "CompactHistogram",
    "CompactRelease",
    "Cost",
    "DyadicSample",
    "ExactCoins",
    "FastSample",
    "FinitedpError",
    "FlexibleAccuracy",
    "FlexibleAnswer",
    "GeoSample",
    "NoisyHistogram",
    "PanPrivateHistogram",
    "Pmf",
    "PrivHist",
    "PrivacyClaim",
    "PureSparseHistogram",
    "SparseHistogram",
    "StabilityHistogram",
    "StrictCoins",
    "Tail",
    "__version__",
    "audit",
    "basic_histogram_with_fast_sample",
    "compact_histogram_with_fast_sample",
    "priv_hist",
    "pure_sparse_histogram_with_geo_sample",
    "release",
    "sparse_histogram_with_fast_sample",
    "stability_histogram_with_fast_sample",
    "statistic",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  # as in PEP 562
    """What is loaded when it is asked for, since few programs need all of it."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'finitedp' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names at hand, with those that are loaded when they are asked for."""
    return sorted({*globals(), *_LATER})
