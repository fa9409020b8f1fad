"""finitedp.proofs_check.deciders.verdict and symmetry."""

from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.checks.symmetry import (
    check_privacy_by_representatives,
    ignores_row_order,
    relabel_partial_vector,
    treats_labels_alike,
)
from finitedp.proofs_check.claims.bv.histograms import twins
from finitedp.proofs_check.deciders.verdict import check_accuracy, check_delta, check_law, check_privacy
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.divergence import privacy_profile
from finitedp.spec.neighbours import count_pairs, neighbouring_pairs
from finitedp.spec.pmf import Pmf

RESPONSE = {0: Pmf({0: 3, 1: 1}), 1: Pmf({0: 1, 1: 3})}
BOTH = [(0, 1), (1, 0)]


def test_randomised_response_at_its_exact_ratio() -> None:
    verdict = check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim(2, "counts", ratio=3))
    assert verdict.holds
    assert verdict.tight
    assert verdict.worst.value == 3
    assert (verdict.left, verdict.right, verdict.worst.outcome, verdict.pairs) == (0, 1, 0, 2)


def test_a_violation_of_one_part_in_a_billion_is_seen() -> None:
    exact = mpq(3) - mpq(1, 10**9)
    verdict = check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim(2, "counts", ratio=exact))
    assert not verdict.holds


def test_a_claim_by_epsilon_alone_is_never_tight() -> None:
    # ln 3 = 1.0986...
    assert check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim("1099/1000", "counts")).holds
    assert not check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim("1098/1000", "counts")).holds
    assert not check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim("1099/1000", "counts")).tight


def test_no_pairs_is_not_a_proof() -> None:
    with pytest.raises(ValueError, match="no neighbouring pairs"):
        check_privacy(RESPONSE.__getitem__, [], PrivacyClaim(1, "counts"))
    with pytest.raises(ValueError, match="no neighbouring pairs"):
        check_delta(RESPONSE.__getitem__, [], PrivacyClaim(1, "counts"))
    with pytest.raises(ValueError, match="use check_delta"):
        check_privacy(RESPONSE.__getitem__, BOTH, PrivacyClaim(1, "counts", delta="1/2"))


def test_delta_has_its_event_as_witness() -> None:
    verdict = check_delta(RESPONSE.__getitem__, BOTH, PrivacyClaim("1/2", "counts", delta="1/3"))
    # 3/4 - sqrt(e)/4 = 0.3378...
    assert not verdict.holds
    assert verdict.event == {0}
    assert (verdict.in_left, verdict.in_right, verdict.pairs) == (mpq(3, 4), mpq(1, 4), 2)
    assert check_delta(RESPONSE.__getitem__, BOTH, PrivacyClaim("1/2", "counts", delta="17/50")).holds


laws = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any).map(lambda w: Pmf(dict(enumerate(w))))


@given(st.lists(laws, min_size=3, max_size=3), st.fractions(0, 2, max_denominator=8), st.fractions(0, 1, max_denominator=9))
def test_check_delta_agrees_with_every_profile(table: list[Pmf[int]], epsilon: mpq, delta: mpq) -> None:
    verdict = check_delta(lambda c: table[c], count_pairs(2), PrivacyClaim(epsilon, "counts", delta=delta))
    assert verdict.holds == all(privacy_profile(table[a], table[b]).holds(epsilon, delta) for a, b in count_pairs(2))


def test_accuracy_names_the_worst_input() -> None:
    verdict = check_accuracy([("a", mpq(1, 3)), ("b", mpq(1, 2))], mpq(1, 2))
    assert verdict.holds
    assert (verdict.miss, verdict.where, verdict.inputs) == (mpq(1, 2), "b", 2)
    assert not check_accuracy([("a", mpq(1, 3))], mpq(1, 4)).holds


def test_unequal_laws_have_a_witness() -> None:
    assert check_law(Pmf({0: 1, 1: 1}), Pmf({0: 2, 1: 2})).holds
    verdict = check_law(Pmf({0: 1, 1: 1}), Pmf({0: 1, 1: 2}))
    assert not verdict.holds
    assert (verdict.outcome, verdict.found, verdict.expected, verdict.distance) == (0, mpq(1, 2), mpq(1, 3), mpq(1, 6))


def law_of(mechanism: Any) -> Any:
    return lambda dataset: explore(lambda coins: mechanism.release(dataset, coins)).law()


class FirstRowOnly:
    """Looks at the first row: the order of rows matters."""

    def release(self, dataset: tuple[str, ...], coins: Coins) -> tuple[tuple[str, int], ...]:
        lie = coins.uniform(4) == 1
        return tuple((x, int((dataset[0] == x) != lie)) for x in "ab")


def test_representatives_need_both_symmetries() -> None:
    claim = BasicHistogram(GeoSample(2, 1), "ab").claim()
    broken: Any = twins.CountedTwice  # mypy cannot bind the labels of a subclass
    biased = law_of(broken(GeoSample(2, 1), "ab"))
    with pytest.raises(ParameterError, match="does not treat all labels alike"):
        check_privacy_by_representatives(biased, "ab", 2, claim, relabel_partial_vector)
    ordered = law_of(FirstRowOnly())
    with pytest.raises(ParameterError, match="order of rows"):
        check_privacy_by_representatives(ordered, "ab", 2, claim, relabel_partial_vector)


@pytest.mark.deep
def test_symmetries_hold_for_basic_histogram_and_verdicts_agree() -> None:
    mechanism = BasicHistogram(GeoSample(2, 1), "abc")
    law = law_of(mechanism)
    assert ignores_row_order(law, "abc", 2)
    assert treats_labels_alike(law, "abc", 2, relabel_partial_vector)
    few = check_privacy_by_representatives(law, "abc", 2, mechanism.claim(), relabel_partial_vector)
    every = check_privacy(law, neighbouring_pairs("abc", 2, "replace-one"), mechanism.claim())
    assert few.worst.value == every.worst.value == mpq(9, 4)
    assert (few.pairs, every.pairs) == (3, 36)
