"""The scaffolds of the twins about anonymized histograms are right, so that a twin is rejected for its own mutation."""

import pytest
from gmpy2 import mpq

from finitedp.impl.anonymized.hashing import unhashed
from finitedp.proofs_check.claims.gk.references import search
from finitedp.proofs_check.claims.gk.subjects import affine_reach, levels_of, of_levels, phi_b, phi_b_up_to
from finitedp.proofs_check.claims.ph.mechanisms import Steps, Tiny, smooth_law, split_law
from finitedp.proofs_check.claims.ph.subjects import clamped_geometric, geometric, tail, unimodal
from finitedp.spec.anonymized import estimator, histograms, post_processing, priv_hist
from finitedp.spec.counting import geometric_mechanism

SPLIT, SMOOTH = Tiny(2), Tiny(2, 9, (mpq(1), mpq(7, 5), mpq(2, 5)))


@pytest.mark.parametrize("h", [(), (1,), (2,)], ids=str)
def test_the_steps_have_the_law_of_the_split(h: histograms.Histogram) -> None:
    assert split_law(Steps(), h, SPLIT) == priv_hist.split_law(h, SPLIT.parameters)


@pytest.mark.parametrize("h", [(), (2,)], ids=str)
def test_the_steps_have_the_law_of_the_smooth_branch(h: histograms.Histogram) -> None:
    assert smooth_law(h, SMOOTH, post_processing.smooth_output) == priv_hist.smooth_law(h, SMOOTH.parameters)


def test_a_hidden_w_changes_the_law_only_by_hiding_it() -> None:
    seen, hidden = Steps().parts((2,), SPLIT), Steps().but(hidden=True).parts((2,), SPLIT)
    assert {key: p for key, (p, _) in seen.items()} == {key: p for key, (p, _) in hidden.items()}


def test_noise_is_the_geometric_law() -> None:
    decay = mpq(2, 3)
    assert clamped_geometric(decay, 1, 0, 4) == geometric_mechanism(4, decay, 1)
    assert geometric(decay, 5)[5] == tail(decay, 5)
    assert list(unimodal(2, 1)) == [(0, 0), (1, 0), (1, 1)]


def test_levels_and_phi_b() -> None:
    for h in histograms.histograms(4):
        assert of_levels(levels_of(h, 5)) == h
        assert phi_b_up_to(h, 3, 5) == tuple(phi_b(h, 3, r) for r in range(1, 6))
        for r in (1, 2, 3):
            assert phi_b(h, 3, r) == estimator.hashed_cumulative(h, 3, r)
            levels = levels_of(h, r)
            if r == 1 or levels[-2]:
                assert affine_reach(levels[:-1], 3, levels[-1]) == phi_b(h, 3, r)


def test_the_search_is_what_the_running_code_finds() -> None:
    assert all(search(t, 4, 25) == unhashed(t, 4, 25) for t in unimodal(2, 4))
    assert search((2, 1), 3, 3, ties_up=True) != unhashed((2, 1), 3, 3)
