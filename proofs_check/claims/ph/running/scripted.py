"""PrivHist run on a script: which values it gives to which noise, and the worst ratio that follows for pairs of histograms."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import Any

from gmpy2 import mpq

from finitedp.impl.anonymized.priv_hist import PrivHist, Released
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.outcomes import with_listed_noise
from finitedp.proofs_check.claims.ph.subjects import small
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf


class _Recorder:
    """Stands for a DyadicSample: notes what it is given, and returns what the script says, or else what is likely."""

    def __init__(self, mechanism: DyadicSample, name: str, script: "_Script") -> None:
        self._mechanism, self._name, self._script = mechanism, name, script

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # as the mechanism's
        return getattr(self._mechanism, name)

    def release(self, count: int, coins: Coins) -> int:  # nothing is drawn
        self._mechanism.apply(count, 1)  # refuses what the mechanism refuses
        self._script.log.append((self._name, int(count)))
        place = len(self._script.log) - 1
        return self._script.outcomes[place] if place < len(self._script.outcomes) else count


class _Script:
    def __init__(self, outcomes: tuple[int, ...]) -> None:
        self.outcomes, self.log = outcomes, list[tuple[str, int]]()


Log = tuple[tuple[str, int], ...]


@lru_cache(maxsize=4)
def _copy(mechanism: PrivHist) -> Any:  # noqa: ANN401  # of its class, with other noise
    """One that nobody else has: its noise is exchanged in every run."""
    return with_listed_noise(mechanism, ())


def logged(mechanism: PrivHist, h: Histogram, outcomes: tuple[int, ...]) -> tuple[Log, Released]:
    """Which values the running code gives to which noise, where the first draws have these outcomes, and what it releases."""
    script = _Script(outcomes)
    copy = _copy(mechanism)
    names = ("items", "parts", "blocks") if mechanism.branch == "smooth" else ("items", "parts")
    for name in names:
        copy.__dict__[name] = _Recorder(getattr(mechanism, name), name, script)
    released = copy.release_pairs(histograms.prevalences(h), None)
    return tuple(script.log), released


@cache
def _law(mechanism: DyadicSample, count: int) -> Pmf[int]:
    below = [0, *(mechanism.cdf(count, z) for z in range(mechanism.n + 1))]
    return Pmf({z: b - a for z, (a, b) in enumerate(pairwise(below))})


@cache
def _worst(mechanism: DyadicSample, one: int, other: int) -> mpq:
    return max_ratio(_law(mechanism, one), _law(mechanism, other)).value


def replacing(universe: int) -> Iterable[tuple[Histogram, Histogram]]:
    """All ordered pairs in H_U of which one is the other with an item replaced."""
    return ((g, h) for g in small(universe) if g for h in histograms.replaced(g))


def worst_of(
    mechanism: PrivHist,
    universe: int,
    pairs: Callable[[int], Iterable[tuple[Histogram, Histogram]]] = histograms.neighbouring_histograms,
) -> tuple[mpq | None, object]:
    """The worst ratio over all pairs of neighbours in H_U, all outcomes of N and W, and all of the rest; None for infinite."""
    ranges = [range(mechanism.items.n + 1)] + ([range(mechanism.parts.n + 1)] if mechanism.reads_large(1) else [])
    tables = {
        name: getattr(mechanism, name) for name in ("items", "parts", "blocks") if name != "blocks" or mechanism.epsilon3
    }
    worst: tuple[mpq, object] = mpq(0), None
    for outcomes in product(*ranges):
        known = {h: logged(mechanism, h, outcomes)[0] for h in small(universe)}
        for g, h in pairs(universe):
            ratio = mpq(1)
            if [name for name, _ in known[g]] != [name for name, _ in known[h]]:
                return None, (g, h)
            for i, ((name, a), (_, b)) in enumerate(zip(known[g], known[h], strict=True)):
                if i < len(outcomes):
                    ratio *= _law(tables[name], a)[outcomes[i]] / _law(tables[name], b)[outcomes[i]]
                elif a != b:
                    ratio *= _worst(tables[name], a, b)
            if ratio > worst[0]:
                worst = ratio, (g, h, outcomes)
    return worst
