"""The scaffolds that twins stand on are right, so that a twin is rejected for its own mutation."""

from collections.abc import Callable

import pytest
from gmpy2 import mpq

from finitedp.impl.arithmetic.convolution import approx_conv_exp
from finitedp.impl.histograms.binomial import ApproxBinSample
from finitedp.impl.histograms.order_statistics import ApproxOrdSample, OrdSample, TopSampler
from finitedp.impl.histograms.pure_sparse import random_histogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.claims.bv.sparse.parts import BySteps, FewerEmptyBins, InParts
from finitedp.proofs_check.claims.bv.sparse.samplers import Unpadded, WithLoop, WithPower
from finitedp.proofs_check.claims.bv.sparse.subjects import Case, MixedWith, law_of_pure, pure, running_law
from finitedp.proofs_check.claims.bv.sparse.toys import ToyGeometric
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec import convolution as spec_convolution
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.neighbours import multisets
from finitedp.spec.order_statistics import approx_top_order_statistics
from finitedp.spec.pmf import Pmf
from finitedp.spec.sparse import keep_heavy, sparse_histogram
from tests.sampling import sampled

TOY = ToyGeometric(2, mpq(1, 2))
SIZE, S = 5, 1000
VALUES = tuple(TOY.scaled_cdf(z) for z in range(3))


def noisy(count: int) -> Pmf[int]:
    return geometric_mechanism(2, mpq(1, 2), count)


@pytest.mark.parametrize("dataset", sampled(multisets(range(SIZE), 2), 3), ids=str)
def test_kh_in_parts_has_the_law_of_keep_heavy(dataset: tuple[int, ...]) -> None:
    whole = InParts(TOY, SIZE, OrdSample(2, TOY.scaled_cdf))
    assert running_law(whole, dataset) == keep_heavy(dataset, range(SIZE), noisy, 2)


@pytest.mark.parametrize("scaffold", [InParts, BySteps])
@pytest.mark.parametrize("dataset", sampled([(), (3,), (0, 0), (1, 4)], 1), ids=str)
def test_sparse_histogram_in_parts_has_its_law(scaffold: type[InParts], dataset: tuple[int, ...]) -> None:
    whole = scaffold(TOY, SIZE, ApproxOrdSample(2, TOY.scaled_cdf, S, SIZE))
    assert running_law(whole, dataset) == sparse_histogram(dataset, range(SIZE), noisy, 2, S)


@pytest.mark.parametrize(
    "top", sampled([OrdSample(2, TOY.scaled_cdf), ApproxOrdSample(2, TOY.scaled_cdf, S, SIZE)], 1), ids=["exact", "near"]
)
def test_m_minus_n_is_wrong_only_where_fewer_than_n_labels_occur(top: TopSampler) -> None:
    twin, whole = FewerEmptyBins(TOY, SIZE, top), InParts(TOY, SIZE, top)
    assert running_law(twin, (0, 1)) == running_law(whole, (0, 1))
    assert running_law(twin, (0, 0)) != running_law(whole, (0, 0))


@pytest.mark.parametrize("sampler", [ApproxBinSample, lambda s: WithPower(s, None, approx_conv_exp)], ids=["running", "steps"])
@pytest.mark.parametrize(("m", "values", "s"), [(3, (1, 3), 8), (4, (2, 3, 7), 100), (6, (5, 6, 6), 64), (5, (1, 1, 4), 1000)])
def test_order_statistics_without_padding_have_their_law(
    sampler: Callable[[int], ApproxBinSample], m: int, values: tuple[int, ...], s: int
) -> None:
    steps = Unpadded(len(values) - 1, values.__getitem__, s, m, None, sampler)
    assert explore(lambda coins: steps.release(m, coins)).law() == approx_top_order_statistics(values, m, s)


@pytest.mark.parametrize("s", [6, 64, 1000])
@pytest.mark.parametrize(
    ("m", "p", "q", "t"), [(1, 1, 2, 3), (5, 2, 9, 4), (6, 1, 2, 7), (6, 0, 5, 2), (2, 4, 4, 1), (3, 1, 3, 0)]
)
def test_a_binomial_draw_with_the_right_power_has_its_law(m: int, p: int, q: int, t: int, s: int) -> None:
    expected = spec_convolution.approx_binomial(m, p, q, t, s)
    for power in (approx_conv_exp, spec_convolution.approx_conv_exp):
        steps = WithPower(s, None, power)
        assert explore(lambda coins: steps.release(m, p, q, t, coins)).law() == expected  # noqa: B023  # at once


def test_the_loop_as_printed_is_wrong_only_in_what_it_does_with_0() -> None:
    """It gives the least value that it looks at what belongs to the one below, which is skipped in the first round alone."""
    right, printed = (explore(lambda coins: make(64).release(3, 1, 2, 4, coins)).law() for make in (ApproxBinSample, WithLoop))  # noqa: B023
    assert printed[0] == 0
    assert printed[1] == right[0] + right[1]
    assert [printed[k] for k in (2, 3, 4)] == [right[k] for k in (2, 3, 4)]


@pytest.mark.deep
@pytest.mark.parametrize(
    "case", sampled([Case(3, 1, mpq(2, 3), 2), Case(5, 1, mpq(4, 5), 3), Case(5, 2, mpq(2, 3), 4)], 1), ids=str
)
def test_the_mixture_in_parts_has_the_law_of_pure_sparse_histogram(case: Case) -> None:
    for dataset in ((), (1,) * case.n, tuple(range(case.n))):
        expected = law_of_pure(case, dataset)
        assert running_law(MixedWith(case), dataset) == expected
        assert running_law(MixedWith(case, None, random_histogram), dataset) == expected
        assert running_law(pure(case), dataset) == expected


def test_the_mixture_uses_the_random_histogram_that_it_is_given() -> None:
    def nothing(_universe: object, _n: int, _coins: Coins) -> tuple[tuple[int, int], ...]:
        return ()

    case = Case(3, 1, mpq(2, 3), 2)
    base = running_law(pure(case).sparse, (1,))
    mixed = running_law(MixedWith(case, None, nothing), (1,))
    assert mixed[()] == mpq(1, 2) * base[()] + mpq(1, 2)
    assert mixed[((1, 1),)] == mpq(1, 2) * base[((1, 1),)]
