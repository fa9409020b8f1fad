from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finitedp.errors import DataError, ParameterError
from finitedp.impl.anonymized.hashing import KeyedHash, _unhashed, expected_reaching, unhashed
from finitedp.spec.anonymized import estimator as spec
from finitedp.spec.anonymized.histograms import checked, histograms, prevalences


def test_expected_buckets_are_those_of_all_maps() -> None:
    for h in histograms(4):
        for buckets in (2, 3):
            for level in range(1, 6):
                assert expected_reaching(prevalences(h), buckets, level) == spec.hashed_cumulative(h, buckets, level)


def _searched(targets: list[int], n: int, buckets: int) -> list[int]:
    """Algorithm 7's binary search, as the paper writes it."""
    found = list[int]()
    for r, target in enumerate(targets, start=1):

        def reached(x: int, r: int = r) -> object:
            ends = [*found, x, 0]
            h = checked(i + 1 for i in range(r) for _ in range(ends[i] - ends[i + 1]))
            return spec.reached_by_algorithm_6(h, buckets, r) - target  # noqa: B023  # called in this step

        low, high = 0, found[-1] if found else n
        while high > low + 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reached(middle) >= 0 else (middle, high)  # type: ignore[operator]  # rationals
        found.append(low if abs(reached(low)) <= abs(reached(high)) else high)  # type: ignore[arg-type]  # rationals
    return found


@settings(max_examples=60)
@given(st.integers(1, 7), st.sampled_from([2, 3, 7, 40]), st.data())
def test_the_quotient_is_the_search(n: int, buckets: int, data: st.DataObject) -> None:
    targets = data.draw(st.lists(st.integers(-1, n + 1), min_size=1, max_size=5))
    found = unhashed(targets, n, buckets)
    assert found == _searched(targets, n, buckets)
    assert found == _unhashed(targets, n, buckets, None)


def test_intervals_decide_as_rationals_do_and_say_where_they_do_not() -> None:
    assert _unhashed([6, 4, 2, 2, 1], 9, 7, 160) == _unhashed([6, 4, 2, 2, 1], 9, 7, None)
    assert _unhashed([900, 400, 100], 1000, 3000, 8) is None


def test_labels_fall_into_buckets_alike() -> None:
    place = KeyedHash(bytes(range(16)), 3)
    found = Counter(place(f"label {i}") for i in range(4000))
    assert sorted(found) == list(range(8))
    assert all(400 < many < 600 for many in found.values())
    assert place("1") == KeyedHash(bytes(range(16)), 3)("1")
    assert [place(str(i)) for i in range(50)] != [place(i) for i in range(50)]


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="16 random bytes"):
        KeyedHash(b"short", 3)
    with pytest.raises(DataError, match="float"):
        KeyedHash(bytes(16), 3)(0.5)
    with pytest.raises(ParameterError, match="buckets"):
        unhashed([1], 1, 1)
