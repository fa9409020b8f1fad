"""Herds that go uphill, and whose turn it is."""

from collections import Counter
from random import Random
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.hunting.best import Best, Herd
from finitedp.proofs_check.hunting.coordinates import coordinates
from finitedp.proofs_check.hunting.seen import Tried
from tests.proofs_check.hunting.toys import Listed, Number


def tried(instance: Any, load: mpq | int = 0) -> Tried:
    at = coordinates(instance)
    return Tried(instance, at, at.size, mpq(load), True, "")


def best_of(*some: Tried) -> Best:
    best = Best()
    for each in some:
        best.keep(each)
    return best


def turns(best: Best, many: int, *, rose: bool = False) -> Counter[tuple[int, int]]:
    """How often the niche of so many runs and such an octave had its turn, each for a second."""
    found = Counter[tuple[int, int]]()
    for _ in range(many):
        niche = best.next()
        assert niche is not None
        found[sum(runs for _, runs in niche.shape), niche.octave] += 1
        niche.spend(1, rose=rose)
    return found


def test_a_herd_takes_in_its_shape_up_to_its_size_and_rises_where_a_load_is_well_above_all_others() -> None:
    herd = Herd(coordinates(Listed((1, 1))).shape, 20, [])
    assert herd.rises(tried(Listed((1, 1))))
    assert not herd.rises(tried(Listed((1, 1, 1))))
    assert herd.rises(tried(Listed((2, 2)), mpq(1, 100)))
    assert not herd.rises(tried(Listed((3, 3)), mpq(101, 10_000)))
    assert herd.rises(tried(Listed((2, 2, 2)), mpq(103, 10_000)))
    assert not herd.rises(tried(Listed((2, 1)), 1))
    assert not herd.rises(tried(Listed((2,) * 10), 1))


def test_offspring_are_mostly_of_those_with_the_largest_loads() -> None:
    herd = Herd(coordinates(Number(1)).shape, 100, [tried(Number(1000 * k), mpq(k, 100)) for k in range(1, 60)])
    chance, found = Random(1), Counter[bool]()
    for _ in range(500):
        found[herd.offspring(chance).n > 40_000] += 1
    assert found[True] > found[False] > 0


def test_the_worst_of_a_herd_are_left_behind() -> None:
    herd = Herd(coordinates(Number(1)).shape, 100, [tried(Number(1000 * k), k) for k in range(1, 500)])
    assert sum(herd.offspring(Random(seed)).n > 100_000 for seed in range(200)) > 150


def test_few_runs_and_small_sizes_have_their_turn_more_often_and_each_has_some() -> None:
    best = best_of(tried(Listed((9,))), tried(Listed((9, 1))), tried(Listed((9, 1, 9, 1))), tried(Listed((2**200,))))
    found = turns(best, 400, rose=True)
    assert found[1, 3] > found[2, 4] > found[4, 5] > 0
    assert found[1, 3] > found[1, 8] > 0


def test_a_niche_whose_herds_come_no_higher_has_its_turn_later_and_later() -> None:
    best = best_of(tried(Listed((9,))), tried(Listed((9, 1))))
    assert turns(best, 100, rose=True)[1, 3] > 65
    niche = best.next()
    assert niche is not None
    now = niche.turn
    later = []
    for _ in range(3):
        niche.spend(1, rose=False)
        later.append(niche.turn - now)
        now = niche.turn
    assert later[0] < later[1] < later[2]
    niche.spend(1, rose=True)
    assert niche.turn - now < later[0]


def test_a_new_niche_comes_neither_before_all_others_nor_after_them() -> None:
    best = best_of(tried(Listed((9,))), tried(Listed((9, 1))))
    turns(best, 20)
    best.keep(tried(Listed((9, 1, 9))))
    first = turns(best, 30)
    assert first[3, 4] > 0
    assert first[1, 3] + first[2, 4] > 0
    assert Best().next() is None


def test_a_herd_begins_with_the_best_of_each_size_or_any_of_its_niche_and_below_and_has_room() -> None:
    some = [tried(Listed((k,) * k), mpq(k, 40)) for k in range(1, 30)]
    best = best_of(*some, tried(Listed((5, 1)), 1))
    niche = next(x for x in best._niches[some[0].at.shape].values() if x.octave == 6)
    for seed in range(20):
        herd = best.herd(niche, Random(seed))
        sizes = [x.size for *_, x in herd._ranked]
        assert 1 < len(sizes) <= 16
        assert max(sizes) < 64
        assert herd.largest == 128
        assert best.load(herd) == max(x.load for x in some if x.size < 128)
