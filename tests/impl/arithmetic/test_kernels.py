"""finitedp.impl.arithmetic.kernels, at sizes that symbolic execution does not reach."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from finitedp.impl.arithmetic.kernels import ceil_log2, last_above, least_reaching, scale_word, uniform_steps


@given(st.lists(st.integers(0, 10**30), min_size=1, max_size=200).map(sorted), st.data())
def test_least_reaching_is_bisect_left_with_a_fixed_number_of_probes(cdf: list[int], data: st.DataObject) -> None:
    n = len(cdf) - 1
    u = data.draw(st.integers(0, cdf[-1]))
    probes = []

    def probe(z: int) -> int:
        probes.append(z)
        return cdf[z]

    assert least_reaching(probe, n, u) == bisect_left(cdf, u)
    assert len(probes) == uniform_steps(n) == n.bit_length()
    assert all(0 <= z <= n for z in probes)


@given(st.lists(st.integers(0, 10**30), min_size=1, max_size=200).map(sorted), st.data())
def test_last_above_is_the_last_with_a_fixed_number_of_probes(values: list[int], data: st.DataObject) -> None:
    tail = [10**30 + 1, *reversed(values)]
    m, probes = data.draw(st.one_of(st.integers(0, 10**30), st.sampled_from(values))), []

    def probe(j: int) -> int:
        probes.append(j)
        return tail[j]

    assert last_above(probe, len(tail) - 1, m) == max(j for j, value in enumerate(tail) if m < value)
    assert len(probes) == (len(tail) - 1).bit_length()
    assert all(0 < j < len(tail) for j in probes)


@given(st.integers(1, 10**60))
def test_ceil_log2(d: int) -> None:
    b = ceil_log2(d)
    assert 2**b >= d
    assert b == 0 or 2 ** (b - 1) < d


@given(st.integers(1, 2**200), st.integers(0, 400), st.data())
def test_scale_word_counts_words_exactly(d: int, bits: int, data: st.DataObject) -> None:
    """The number of words that map below f is ceil(f 2^bits / d): what proofs_check.strict stands on."""
    f = data.draw(st.integers(1, d))
    words = -(-(f << bits) // d)
    if 0 < words <= 2**bits:
        assert scale_word(words - 1, bits, d) <= f
    if words < 2**bits:
        assert scale_word(words, bits, d) > f
