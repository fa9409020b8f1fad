"""No rows are a neighbour of each dataset of one row: what claims add-remove answers them, with the law that it claims."""

from collections.abc import Callable
from typing import Any

import pytest

from finitedp.claim import PrivacyClaim
from finitedp.impl.anonymized.pan_private import PanPrivateHistogram
from finitedp.impl.anonymized.priv_hist import PrivHist
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.releases import BucketHist, FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import NAMES, statistic_of
from finitedp.impl.flexible.water_filling import LevelMaximum
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.deciders.verdict import check_delta, check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.pmf import Pmf
from tests.sampling import sampled

BUCKETS, BARS = IntegerBuckets(0, 1), ShiftedTruncated(2, 2, 1, 4)
TABLE = DyadicSample(2, 2, 6)
Made = tuple[Callable[[Any, Coins], Any], PrivacyClaim, Any]


def _statistic(name: str) -> FlexibleStatistic:
    more = {"max-k": {"k": 2}, "quantile": {"p": "1/3"}}.get(name, {})
    bars = ShiftedTruncated(4, 2, 1, 4) if name == "separator" else BARS
    return FlexibleStatistic(statistic_of(name, **more), BUCKETS, bars)  # type: ignore[arg-type]  # k or p


def _made() -> dict[str, Made]:
    found: dict[str, Any] = {
        "ShiftedTruncated": (BARS, (1,)),
        "BucketHist": (BucketHist(BUCKETS, BARS), (1,)),
        "LevelMaximum": (LevelMaximum(BUCKETS, 1, 1, 6), (1,)),
        "PanPrivateHistogram": (PanPrivateHistogram("a", 1, 1, 6, 4), ("a",)),
        **{f"statistic {name}": (_statistic(name), ((1, True),) if name == "separator" else (1,)) for name in NAMES},
    }
    made: dict[str, Made] = {name: (of.release, of.claim(), one) for name, (of, one) in found.items()}
    basic, stability = BasicHistogram(TABLE, "ab"), StabilityHistogram[str](TABLE, 1)
    made["BasicHistogram"] = basic.release, basic.add_remove_claim(), ("a",)
    made["StabilityHistogram"] = stability.release, stability.add_remove_claim(), ("a",)
    mechanism = PrivHist(2, 1, "1/2", "1/2", "smooth", word=6)
    made["PrivHist"] = lambda pairs, coins: mechanism.release_pairs(pairs, coins).histogram, mechanism.claim(), ((1, 1),)
    return made


@pytest.mark.parametrize("name", sampled(_made(), 1))
def test_no_rows_are_answered_and_one_row_is_within_the_claim(name: str) -> None:
    release, claim, one = _made()[name]
    laws: dict[Any, Pmf[Any]] = {data: explore(lambda coins, d=data: release(d, coins)).law() for data in ((), one)}  # type: ignore[misc]
    check = check_delta if claim.delta else check_privacy
    assert claim.neighbours == "add-remove"
    assert check(laws.__getitem__, [((), one), (one, ())], claim).holds
