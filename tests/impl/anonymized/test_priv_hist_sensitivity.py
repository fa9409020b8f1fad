"""One item more or less changes one value that PrivHist gives to a table, by 1: at sizes where no law can be listed.

The outcomes of all draws are chosen first, the same for both datasets; then what each table is given has to be the same but
for one value of each table, which differs by 1. With the ratios of the tables that is the claim. Sampled, not exhaustive.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve

from finitedp.impl.anonymized.prevalences import Pairs, Reading, total_of
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.impl.anonymized.released import Released
from finitedp.impl.randomness.coins import Coins
from tests.sampling import sampled

ZIPF = tuple((r, 2000 // r - 2000 // (r + 1)) for r in range(1, 1300) if 2000 // r - 2000 // (r + 1))
FLAT = tuple((r, 1) for r in range(1, 150))
Log = list[tuple[str, int]]


class _Told:
    """Stands for a table: notes what it is given, and returns the outcome that its place has."""

    def __init__(self, table: Any, name: str, log: Log, outcomes: Callable[[int, str, int], int]) -> None:
        self._table, self._name, self._log, self._outcomes = table, name, log, outcomes

    def __getattr__(self, name: str) -> Any:  # as the table's
        return getattr(self._table, name)

    def release(self, count: int, _coins: Coins) -> int:
        self._table.apply(count, 1)  # refuses what the table refuses
        self._log.append((self._name, count))
        return self._outcomes(len(self._log) - 1, self._name, self._table.n)


def _given(mechanism: PrivHist, pairs: Pairs, outcomes: Callable[[int, str, int], int]) -> tuple[Log, Released]:
    log: Log = []
    copy = evolve(mechanism)
    for name in ("items", "parts", "blocks")[: len(mechanism.mechanisms)]:
        copy.__dict__[name] = _Told(getattr(mechanism, name), name, log, outcomes)
    return log, copy.release_pairs(pairs, None)  # type: ignore[arg-type]  # nothing is drawn


def _outcomes(seed: int, total: int, large: int) -> Callable[[int, str, int], int]:
    """N and W, then noise of no law, the same at each place: near the ends of the range, small, or anywhere."""
    chance, known = Random(seed), list[tuple[int, int]]()

    def outcome(place: int, _name: str, n: int) -> int:
        if place < 2:
            return min((total, large)[place], n)
        while len(known) <= place:
            known.append((chance.randrange(5), chance.getrandbits(40)))
        kind, number = known[place]
        return (0, n, number % min(n, 50), number % min(n, 4000), number % n)[kind]

    return outcome


def _with_one_more(pairs: Pairs, r: int) -> Pairs:
    """One label of the count r gets another item; a new label for r = 0."""
    found = dict(pairs)
    if r:
        found[r] -= 1
    found[r + 1] = found.get(r + 1, 0) + 1
    return tuple(sorted((s, many) for s, many in found.items() if many))


def _neighbours(pairs: Pairs, threshold: int) -> Iterator[tuple[int, Pairs]]:
    """The counts 0, those around the threshold, and the largest, raised by one."""
    present = [0, *(r for r, _ in pairs)]
    around = sorted(present, key=lambda r: abs(r - threshold))[:4]
    for r in sorted({*present[:2], *around, present[-1]}):
        yield r, _with_one_more(pairs, r)


def moved(mechanism: PrivHist, pairs: Pairs, total: int, large: int, seed: int = 1) -> str | None:
    """What one item more changes beyond one value of each table, by 1; None where it is no more than that."""
    outcomes = _outcomes(seed, total, large)
    known, released = _given(mechanism, pairs, outcomes)
    for r, more in _neighbours(pairs, mechanism.threshold_at(total)):
        found, other = _given(mechanism, more, outcomes)
        if [name for name, _ in found] != [name for name, _ in known]:
            return f"{len(known)} and {len(found)} draws for {r}"
        changes = [(name, abs(a - b)) for (name, a), (_, b) in zip(known, found, strict=True) if a != b]
        if any(by != 1 for _, by in changes) or len({name for name, _ in changes}) != len(changes):
            return f"{changes[:5]} for {r}"
        if other != released:
            return f"another output of the same outcomes for {r}"
    return None


MECHANISMS = [
    priv_hist(40_000, "1/10"),
    priv_hist(40_000, "1/30"),
    priv_hist(70_000_000, 4),
    priv_hist(70_000_000, 1, word=128),
    priv_hist(40_000, 3, branch="smooth", word=128),
    priv_hist_as_printed(10**6, "6/5"),
    PrivHist(40_000, 1, 1, 5, "smooth", last=40),
    PrivHist(40_000, 1, 1, "1/2", "smooth", last=4, fakes=1),
]


@pytest.mark.parametrize("mechanism", sampled(MECHANISMS, 2), ids=lambda m: f"{m.branch}-{m.n}-{m.epsilon}-{m.word}")
@pytest.mark.parametrize("pairs", [ZIPF, FLAT, ((1, 3),), ((39_000, 1),)], ids=["zipf", "flat", "three", "one"])
def test_one_item_changes_one_value_of_each_table(mechanism: PrivHist, pairs: Pairs) -> None:
    n = total_of(pairs)
    for seed, (total, large) in enumerate([(n, 60), (min(3 * n, mechanism.n), 300), (7, 0)]):
        assert moved(mechanism, pairs, total, large, seed) is None


class StrideOfTheData(PrivHist):
    """Places from the true number of items: at U <= 2 all strides are 1."""

    def _smooth(self, reading: Reading, total: int, large: list[int], coins: Coins) -> Released:
        return super()._smooth(reading, max(1, (reading.items + total) // 2), large, coins)


class LargeFromTheData(PrivHist):
    """The clamp of W from the true largest counts, not from n."""

    def _large(self, reading: Reading, total: int, coins: Coins) -> list[int]:
        t, m = self.threshold_at(total), self.fakes_at(total)
        w = min(int(self.parts.release(reading.at_least(t + 1) + m, coins)), reading.at_least(t + 1) + 2 * m)
        return [t + int(self.parts.release(x - t, coins)) for x in reading.largest(w, t + 1)]


class ClippedByCount(PrivHist):
    """Each small value clipped by the one below it, as if prevalences were clipped one by one."""

    def release_pairs(self, given: Any, coins: Coins) -> Released:
        reading = Reading(given, self.n)
        total = int(self.items.release(reading.items, coins))
        t, m = self.threshold_at(total), self.fakes_at(total)
        large = self._large(reading, total, coins)
        phi = reading.up_to(t)
        each = [max(0, a - b) for a, b in zip(phi, [*phi[1:], len(large) - 2 * m], strict=True)]
        small = [int(self.parts.release(sum(each[i:]), coins)) for i in range(t)]
        return Released((), total, t, m, tuple(large), tuple(small))


class AlsoInTheBlocks(PrivHist):
    """Steps of two between places, each block read from one place too early."""

    def places_at(self, total: int, large: Any) -> list[int]:
        self.__dict__["_places"] = super().places_at(total, large)
        return self.__dict__["_places"]  # type: ignore[no-any-return]

    def _smooth(self, reading: Reading, total: int, large: list[int], coins: Coins) -> Released:
        places = [0, *self.places_at(total, large)]
        blocks = [reading.clipped(b) - reading.clipped(places[max(0, i - 1)]) for i, b in enumerate(places[1:])]
        noisy = [self._noisy_block(a, coins) for a in blocks]
        return Released((), total, blocks=tuple(noisy))


@pytest.mark.parametrize(
    ("broken", "pairs"),
    [
        (StrideOfTheData(10**6, 1, 1, 5, "smooth"), ((39_000, 1),)),
        (LargeFromTheData(40_000, 1, 1), ZIPF),
        (ClippedByCount(40_000, 1, 1), FLAT),
        (AlsoInTheBlocks(40_000, 1, 1, 5, "smooth"), ZIPF),
    ],
    ids=lambda value: type(value).__name__,
)
def test_mechanisms_that_are_broken_at_such_sizes_are_found(broken: PrivHist, pairs: Pairs) -> None:
    n = total_of(pairs)
    cases = [(n, 10**6), (n, 60), (n // 2 + 1, 0), (97, 4)]
    assert any(moved(broken, pairs, total, large, seed) is not None for seed, (total, large) in enumerate(cases))
