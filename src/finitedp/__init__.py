"""finitedp: a verified reference implementation of differential privacy on finite computers.

finitedp.spec holds exact laws, finitedp.impl the mechanisms, finitedp.proofs_check the explorer, the verdicts and the ledger.
The names below are the ones that most programs need; each is loaded when it is first asked for, and nothing before.
(PYTEST_DONT_REWRITE: pytest need not look for assertions here.)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from finitedp.budgets.budget import Budget
    from finitedp.claim import Accuracy, Cost, FlexibleAccuracy, PrivacyClaim, RenyiClaim
    from finitedp.curve import Curve
    from finitedp.data.anonymized import AnonymizedHistogram
    from finitedp.data.noisy_number import NoisyNumber
    from finitedp.data.reading import read
    from finitedp.data.releasing import NoisyHistogram, release
    from finitedp.data.statistics import FlexibleAnswer, statistic
    from finitedp.data.totals import count, total
    from finitedp.errors import FinitedpError
    from finitedp.impl.accounting.composing import Composition, compose
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
    from finitedp.proofs_check.audit.auditing import audit
    from finitedp.proofs_check.deciders.partial_law import Tail
    from finitedp.spec.pmf import Pmf

    __version__: str

_HOMES = {
    "claim": ("Accuracy", "Cost", "FlexibleAccuracy", "PrivacyClaim", "RenyiClaim"),
    "curve": ("Curve",),
    "data.anonymized": ("AnonymizedHistogram",),
    "budgets.budget": ("Budget",),
    "data.noisy_number": ("NoisyNumber",),
    "data.reading": ("read",),
    "data.releasing": ("NoisyHistogram", "release"),
    "data.statistics": ("FlexibleAnswer", "statistic"),
    "data.totals": ("count", "total"),
    "errors": ("FinitedpError",),
    "impl.accounting.composing": ("Composition", "compose"),
    "impl.anonymized.pan_private": ("PanPrivateHistogram",),
    "impl.anonymized.priv_hist": ("PrivHist", "priv_hist"),
    "impl.counting.dyadic": ("DyadicSample",),
    "impl.counting.geometric": ("FastSample", "GeoSample"),
    "impl.histograms.basic": ("BasicHistogram", "basic_histogram_with_fast_sample"),
    "impl.histograms.compact": ("CompactHistogram", "compact_histogram_with_fast_sample"),
    "impl.histograms.compact_release": ("CompactRelease",),
    "impl.histograms.pure_sparse": ("PureSparseHistogram", "pure_sparse_histogram_with_geo_sample"),
    "impl.histograms.sampled_sparse": ("SparseHistogram", "sparse_histogram_with_fast_sample"),
    "impl.histograms.stability": ("StabilityHistogram", "stability_histogram_with_fast_sample"),
    "impl.randomness.coins": ("Coins", "ExactCoins", "StrictCoins"),
    "proofs_check.audit.auditing": ("audit",),
    "proofs_check.deciders.partial_law": ("Tail",),
    "spec.pmf": ("Pmf",),
}  # the imports above, for a program that runs; a test compares the two
_HOME = {name: f"{__name__}.{module}" for module, names in _HOMES.items() for name in names}
_PARTS = ("claim", "curve", "data", "errors", "exact", "impl", "labels", "numbers", "proofs_check", "spec")

__all__ = [
    "Accuracy",
    "AnonymizedHistogram",
    "BasicHistogram",
    "Budget",
    "Coins",
    "CompactHistogram",
    "CompactRelease",
    "Composition",
    "Cost",
    "Curve",
    "DyadicSample",
    "ExactCoins",
    "FastSample",
    "FinitedpError",
    "FlexibleAccuracy",
    "FlexibleAnswer",
    "GeoSample",
    "NoisyHistogram",
    "NoisyNumber",
    "PanPrivateHistogram",
    "Pmf",
    "PrivHist",
    "PrivacyClaim",
    "PureSparseHistogram",
    "RenyiClaim",
    "SparseHistogram",
    "StabilityHistogram",
    "StrictCoins",
    "Tail",
    "__version__",
    "audit",
    "basic_histogram_with_fast_sample",
    "compact_histogram_with_fast_sample",
    "compose",
    "count",
    "priv_hist",
    "pure_sparse_histogram_with_geo_sample",
    "read",
    "release",
    "sparse_histogram_with_fast_sample",
    "stability_histogram_with_fast_sample",
    "statistic",
    "total",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  # as in PEP 562
    """A name when it is first asked for: of the library, one of its parts, or its version."""
    if name in _HOME:
        found = getattr(import_module(_HOME[name]), name)
    elif name in _PARTS:
        return import_module(f"{__name__}.{name}")
    elif name == "__version__":
        found = import_module("importlib.metadata").version(__name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """The names at hand, with those that are loaded when they are asked for."""
    return sorted({*globals(), *__all__, *_PARTS})
