"""finitedp.proofs_check.checks.strict: the classes of z - c against every output of every count."""

import pytest
from gmpy2 import mpq

from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.randomness.coins import Coins, StrictCoins, strict_bits
from finitedp.proofs_check.checks import strict
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf


def strict_laws(mechanism: FastSample) -> list[Pmf[int]]:
    def release(count: int, coins: Coins) -> int:
        return mechanism.release(count, StrictCoins(coins.bits))

    return [explore(lambda coins, c=c: release(c, coins)).law() for c in range(mechanism.n + 1)]  # type: ignore[misc]


CASES = [FastSample(5, 1, "1/2"), FastSample(60, 1, "1/2"), FastSample(100, 1, "1/2"), FastSample(7, "1/3", "1/16")]


@pytest.mark.parametrize("mechanism", CASES)
def test_the_worst_ratio_is_the_one_over_everything(mechanism: FastSample) -> None:
    laws = strict_laws(mechanism)
    pairs = [(c, e) for c in range(mechanism.n) for e in ((c, c + 1), (c + 1, c))]
    worst = max(max_ratio(laws[a], laws[b]).value for _, (a, b) in pairs)
    found = strict.strict_worst_ratio(mechanism)
    assert found.value == worst
    assert found.value == laws[found.left][found.output] / laws[found.right][found.output]


@pytest.mark.parametrize("mechanism", CASES[1:3])
def test_inner_outputs_are_scanned_exactly_where_they_matter(mechanism: FastSample, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the ends taken out, the answer must be the worst ratio over inner outputs."""
    monkeypatch.setattr(strict, "_edges", lambda m: iter([strict.StrictRatio(1, 1, 1, 0, 1)]))
    laws, inner = strict_laws(mechanism), range(1, mechanism.n)
    ratios = [laws[c][z] / laws[c + 1][z] for c in range(mechanism.n) for z in inner]
    worst = max(*ratios, *(1 / r for r in ratios))
    assert strict.strict_worst_ratio(mechanism).value == worst > 1


def test_words_add_up() -> None:
    mechanism = FastSample(9, "1/2", "1/4")
    words = [strict._words(mechanism, 3, z) for z in range(10)]  # the count of words is what is tested
    law = explore(lambda coins: mechanism.release(3, StrictCoins(coins.bits))).law()
    assert [mpq(w, sum(words)) for w in words] == [law[z] for z in range(10)]


@pytest.mark.parametrize("size", [3, 600, 5000])
def test_ratios_that_agree_in_their_leading_bits_are_compared_exactly(size: int) -> None:
    """Neither the shift to the leading bits nor a number of words of 0 on the right decides wrongly."""
    least = strict.StrictRatio(2**size, 2**size - 1, 0, 0, 1)
    more, equal = (
        strict.StrictRatio(2**size + 1, 2**size - 1, 0, 0, 1),
        strict.StrictRatio(2 ** (size + 1), 2 * (2**size - 1), 0, 0, 1),
    )
    infinite = strict.StrictRatio(1, 0, 0, 0, 1)
    assert more.exceeds(least)
    assert not least.exceeds(more)
    assert not equal.exceeds(least)
    assert not least.exceeds(equal)
    assert infinite.exceeds(more)
    assert not more.exceeds(infinite)


@pytest.mark.parametrize("mechanism", CASES)
def test_classes_are_all_there_with_the_masses_of_each_of_their_outputs(mechanism: FastSample) -> None:
    n, t = mechanism.n, mechanism.t
    masses = [[strict._mass(mechanism, c, z) for z in range(n + 1)] for c in range(n + 1)]
    expected: dict[int, set[tuple[int, int]]] = {}
    for c in range(n):
        for z in range(1, n):
            if -t - 1 <= z - c <= t + 2:
                expected.setdefault(z - c, set()).add((masses[c][z], masses[c + 1][z]))
    assert all(len(found) == 1 for found in expected.values())
    listed = list(strict._classes(mechanism))
    assert [j for _, _, j in listed] == [j for j in sorted(expected) for _ in range(2)]
    for (here, there, j), (other_here, other_there, _) in zip(listed[::2], listed[1::2], strict=True):
        assert {(here, there)} == {(other_there, other_here)} == expected[j]


def test_masses_outside_of_the_classes_are_equal() -> None:
    """Beyond the truncation radius both laws are flat, so that no class is missed."""
    mechanism = CASES[2]
    for c in range(mechanism.n):
        for z in range(1, mechanism.n):
            if not -mechanism.t - 1 <= z - c <= mechanism.t + 2:
                assert strict._mass(mechanism, c, z) == strict._mass(mechanism, c + 1, z)


@pytest.mark.parametrize("mechanism", CASES)
def test_a_class_is_scanned_over_all_of_its_counts_and_no_others(
    mechanism: FastSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were every class open to the end, these would be the outputs that are looked at."""
    n, t, both_ways, seen = mechanism.n, mechanism.t, strict._both_ways, list[tuple[int, int]]()

    def noted(mechanism: FastSample, c: int, z: int) -> tuple[strict.StrictRatio, strict.StrictRatio]:
        seen.append((c, z))
        return both_ways(mechanism, c, z)

    monkeypatch.setattr(strict, "_edges", lambda _mechanism: iter([strict.StrictRatio(1, 1, 1, 0, 1)]))
    monkeypatch.setattr(strict, "_both_ways", noted)
    for name in ("_limit", "_rounded"):
        monkeypatch.setattr(strict, name, lambda *_masses: strict.StrictRatio(10**9, 1, 0, 0, 1))
    strict.strict_worst_ratio(mechanism)
    inner = {(c, z) for c in range(n) for z in range(1, n) if -t - 1 <= z - c <= t + 2}
    assert sorted(seen) == sorted([*inner, *inner])  # once for each order of the two counts


def test_bounds_on_words_are_bounds() -> None:
    mechanism = CASES[1]
    d, bits = mechanism.d, strict_bits(mechanism.d)
    for c, z in ((0, 3), (30, 31), (59, 20)):
        here, there = strict._mass(mechanism, c, z), strict._mass(mechanism, c + 1, z)
        exact, _ = strict._both_ways(mechanism, c, z)
        limit, rounded = strict._limit(mechanism, here, there), strict._rounded(mechanism, here, there)
        assert not exact.exceeds(rounded)
        assert not rounded.exceeds(limit)
        assert (limit.words_left, limit.words_right) == ((here << bits) + d, (there << bits) - d)
        assert (rounded.words_left, rounded.words_right) == (-(-(here << bits) // d), (there << bits) // d)
    assert strict._limit(mechanism, 1, 0).words_right == 0  # no number of words is below 0
