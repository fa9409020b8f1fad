"""Mistakes that once passed nearly every check, made in the running code: the claims that speak of it fail, by name."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest

from finitedp.exact import rational
from finitedp.impl.arithmetic import kernels
from finitedp.impl.counting import geometric
from finitedp.impl.histograms import compact
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.entry import Entry

Patch = pytest.MonkeyPatch


def field_of_twice_d(patch: Patch) -> None:
    """Theorem 8.6 with 2d/epsilon for 30d/epsilon."""

    def instance(mechanism: Any, universe: Any, epsilon: Any, beta: Any) -> Any:
        stated = rational(epsilon)
        elements = max(universe.size, 2 * mechanism.d * int(1 / stated))
        return compact.CompactHistogram(mechanism, universe, compact.least_level(elements), stated, beta)

    patch.setattr(compact, "_instance", instance)


def not_0_below_0(patch: Patch) -> None:
    """clamped_cdf without the case z < 0."""

    def clamped_cdf(tail: Callable[[int], int], total: int, n: int, count: int, z: int) -> int:
        if z >= n:
            return total
        return tail(count - z) if z < count else total - tail(z - count + 1)

    patch.setattr(kernels, "clamped_cdf", clamped_cdf)
    patch.setattr(geometric, "clamped_cdf", clamped_cdf)


def to_the_nearest(patch: Patch) -> None:
    """p' of Algorithm 6.18 rounded to the nearest integer."""
    floored = ApproxBinSample.release

    def release(self: ApproxBinSample, m: int, p: int, q: int, *others: Any) -> int:
        return floored(self, m, (2 * self.s * p + q) // (2 * q), self.s, *others)

    patch.setattr(ApproxBinSample, "release", release)


CAUGHT: list[tuple[Callable[[Patch], None], str]] = [
    (field_of_twice_d, "BV.Thm8.6.iv"),
    *((not_0_below_0, claim) for claim in ("BV.Lem4.9", "BV.Lem4.12.i", "BV.Lem4.12.ii")),
    *((to_the_nearest, claim) for claim in ("BV.Alg6.18", "BV.Err.1.loop", "BV.Alg6.20", "FD.RealSize.sparse")),
]


def forget() -> None:
    """Empty the caches in which claims share explorations."""
    for name, module in list(sys.modules.items()):
        if name.startswith("finitedp.proofs_check.claims."):
            for value in vars(module).values():
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def fails(entry: Entry) -> bool:
    """Whether the check fails or raises on some instance of the quick grid: either way the claim does."""
    forget()
    try:
        return not all(entry.check(entry.subject, instance).holds for instance in entry.instances("quick"))
    except Exception:  # whatever a check raises: its claim fails
        return True
    finally:
        forget()


@pytest.mark.parametrize(("mistake", "id"), CAUGHT, ids=lambda x: x if isinstance(x, str) else x.__name__)
def test_a_mistake_is_caught_by_the_claims_that_speak_of_it(
    mistake: Callable[[Patch], None],
    id: str,  # noqa: A002  # the field's name
    monkeypatch: Patch,
) -> None:
    mistake(monkeypatch)
    assert fails(entries()[id])
