"""finitedp: a verified reference implementation of differential privacy on finite computers.

finitedp.spec holds exact laws, finitedp.impl the mechanisms, finitedp.proofs_check the explorer, the verdicts and the ledger.
The names below are the ones that most programs need.
"""

from importlib.metadata import version

from finitedp.claim import Accuracy, Cost, PrivacyClaim
from finitedp.errors import FinitedpError
from finitedp.impl.coins import Coins, ExactCoins, StrictCoins
from finitedp.impl.counting import FastSample, GeoSample
from finitedp.impl.histogram import BasicHistogram, basic_histogram_with_fast_sample
from finitedp.spec.pmf import Pmf

__version__ = version("finitedp")

__all__ = [
    "Accuracy",
    "BasicHistogram",
    "Coins",
    "Cost",
    "ExactCoins",
    "FastSample",
    "FinitedpError",
    "GeoSample",
    "Pmf",
    "PrivacyClaim",
    "StrictCoins",
    "__version__",
    "basic_histogram_with_fast_sample",
]
