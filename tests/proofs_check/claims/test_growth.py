"""own.growth: a loop that does not belong into running code is found, by the name of the claim."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.compact import CompactHistogram
from finitedp.impl.histograms.order_statistics import ApproxOrdSample
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.entry import Entry
from tests.sampling import sampled


def looped(method: Callable[..., Any], times: Callable[[Any], int]) -> Callable[..., Any]:
    def other(self: Any, *rest: Any) -> Any:
        for _ in range(times(self)):
            pass
        return method(self, *rest)

    # under the name of a module of the library, whose lines are counted
    return FunctionType(other.__code__, globals() | {"__name__": "finitedp.impl.edited"}, closure=other.__closure__)


def holds(entry: Entry) -> bool:
    return all(entry.check(entry.subject, case).holds for case in entry.instances("quick"))


@pytest.mark.deep
@pytest.mark.parametrize(
    ("where", "method", "times", "claims"),
    sampled(
        [
            (ApproxOrdSample, "release", lambda top: top.most, ["ApproxOrdSample", "SparseHistogram", "PureSparseHistogram"]),
            (StabilityHistogram, "release_counts", lambda made: made.mechanism.n**2, ["StabilityHistogram"]),
            (BasicHistogram, "release_counts", lambda made: len(made.labels) ** 2, ["BasicHistogram", "KeepHeavy"]),
            (CompactHistogram, "consistent", lambda made: made.universe.size, ["CompactHistogram", "CompactHistogram.dyadic"]),
        ],
        2,
        names=4,
    ),
)
def test_a_loop_in_running_code_is_found(
    where: type, method: str, times: Callable[[Any], int], claims: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [entries()[f"FD.Lines.{name}"] for name in claims]
    monkeypatch.setattr(where, method, looped(getattr(where, method), times))
    assert [holds(entry) for entry in found] == [False] * len(found)
