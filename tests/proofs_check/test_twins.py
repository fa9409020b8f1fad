"""The scaffolds that twins stand on are right, so that a twin is rejected for its own mutation."""

from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.sampled_sparse import FewerEmptyBins, InParts, running_law
from finitedp.proofs_check.toys import ToyGeometric
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.neighbours import multisets
from finitedp.spec.sparse import keep_heavy


def test_kh_in_parts_has_the_law_of_keep_heavy() -> None:
    decay, universe = mpq(1, 2), range(5)
    made: Any = InParts  # mypy cannot bind the labels of a subclass
    whole = made(ToyGeometric(2, decay), universe)
    for dataset in multisets(universe, 2):
        expected = keep_heavy(dataset, universe, lambda c: geometric_mechanism(2, decay, c), 2)
        assert running_law(whole, dataset) == expected


def test_m_minus_n_is_wrong_only_where_fewer_than_n_labels_occur() -> None:
    decay, universe = mpq(1, 2), range(5)
    makers: list[Any] = [FewerEmptyBins, InParts]
    twin, whole = (make(ToyGeometric(2, decay), universe) for make in makers)
    assert running_law(twin, (0, 1)) == running_law(whole, (0, 1))
    assert running_law(twin, (0, 0)) != running_law(whole, (0, 0))
