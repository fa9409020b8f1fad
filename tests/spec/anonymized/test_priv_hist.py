from functools import cache

from gmpy2 import mpq

from finitedp.spec.anonymized import priv_hist as spec
from finitedp.spec.anonymized.histograms import Histogram, clipped_items, cumulative, histograms, neighbouring_histograms
from finitedp.spec.divergence import max_ratio
from finitedp.spec.dyadic import dyadic_sample, ratio_below
from finitedp.spec.pmf import Pmf

E1, E2 = mpq(1), mpq(7, 5)


def _table(n: int, epsilon: mpq) -> spec.Noise:
    return cache(lambda value: dyadic_sample(n, 2 * epsilon, 7, value))


def _tiny(universe: int) -> spec.Parameters:
    return spec.Parameters(
        universe,
        lambda total: spec.paper_threshold(total, E1 + E2),
        lambda _: 1,
        _table(universe, E1),
        _table(universe + 2, E2),
    )


def test_the_integer_form_of_the_split_is_the_paper_s() -> None:
    for h in histograms(6):
        for threshold in (1, 2, 4):
            for fakes in (0, 1, 2):
                reached = cumulative(h, threshold + 1) + fakes
                for w in range(reached + 4):
                    small, large = spec.improper_split(spec.moved(h, threshold, fakes, w - reached), threshold)
                    assert small == spec.small_values(h, threshold, fakes, w)
                    assert large == spec.large_values(h, threshold, w)


def test_blocks_are_the_smoothed_cumulative_prevalences() -> None:
    for h in histograms(6):
        for places in ([1, 2], [1, 3, 7], [2, 5, 6, 8]):
            phi = spec.smoothed(h, places, places[-1])
            steps = [b - a for a, b in zip([0, *places[:-1]], places, strict=True)]
            assert spec.blocks(h, places) == [d * sum(phi[i:]) for i, d in enumerate(steps)]
            assert sum(spec.blocks(h, places)) == clipped_items(h, places[-1])


def test_the_law_at_the_tiny_size_is_private() -> None:
    laws: dict[Histogram, Pmf[tuple[Histogram, int]]] = {h: spec.split_law(h, _tiny(2)) for h in histograms(2)}
    worst = max(max_ratio(laws[g], laws[h]).value for g, h in neighbouring_histograms(2))
    assert worst <= ratio_below(2 * E1, 7) * ratio_below(2 * E2, 7)
    assert len(set(laws[()].support)) == len(set(laws[(2,)].support))


def test_the_paper_s_numbers() -> None:
    assert [spec.paper_threshold(n, mpq(1, 10)) for n in (1, 100, 101, 1000)] == [1, 4, 4, 10]
    assert [spec.paper_fakes(n, "7/5") for n in (1, 3)] == [2, 4]
    assert spec.paper_fakes(1, "1/10") == 10
    assert spec.paper_last(100, "1/3") == 520


def test_places_are_distinct_and_end_at_twice_the_total() -> None:
    assert spec.boundaries(1, 1, 100, lambda _: 0, ()) == [1, 2]
    assert spec.boundaries(5, 2, 6, lambda s: s // 2, (6, 9, 9, 11, 3)) == [1, 2, 3, 4, 6, 9, 10]
