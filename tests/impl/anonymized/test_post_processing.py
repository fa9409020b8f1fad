from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.impl.anonymized import post_processing as impl
from finitedp.spec.anonymized import histograms as spec_histograms
from finitedp.spec.anonymized import post_processing as spec

VALUES = st.lists(st.integers(-6, 12), min_size=1, max_size=8)
COUNTS = st.lists(st.integers(1, 9), max_size=8)


@given(VALUES)
def test_pooling_is_the_min_max_formula(values: list[int]) -> None:
    found = [mpq(num, den) for num, den, length in impl.isotonic(values) for _ in range(length)]
    assert found == spec.isotonic(values)
    assert impl.rounded(impl.isotonic(values)) == [spec.rounded(x) for x in spec.isotonic(values)]


@given(st.lists(st.tuples(st.integers(-20, 40), st.integers(1, 5)), min_size=1, max_size=7))
def test_pooling_of_blocks_has_the_weights_of_their_lengths(pairs: list[tuple[int, int]]) -> None:
    values, steps = [a for a, _ in pairs], [d for _, d in pairs]
    found = [mpq(num, den) for num, den, length in impl.blocks_isotonic(values, steps) for _ in range(length)]
    assert found == spec.isotonic([mpq(a, d) for a, d in pairs], [d * d for d in steps])


@given(VALUES, st.lists(st.integers(-3, 12), max_size=5), st.integers(1, 4))
def test_the_whole_of_the_split(small: list[int], large: list[int], fakes: int) -> None:
    t = len(small)
    below = impl.from_cumulative(range(1, t + 1), impl.rounded(impl.isotonic(small)))
    both = impl.union(below, impl.large_output(large, t))
    found = impl.removed(impl.removed(both, fakes, t + 1), fakes, t)
    assert spec_histograms.from_prevalences(found) == spec.split_output(large, small, t, fakes)


@given(COUNTS, st.integers(0, 9), st.integers(1, 9))
def test_two_pointers_remove_what_one_at_a_time_does(counts: list[int], many: int, near: int) -> None:
    h = spec_histograms.checked(counts)
    found = impl.removed(spec_histograms.prevalences(h), many, near)
    assert found == spec_histograms.prevalences(spec.removed(h, many, near))
