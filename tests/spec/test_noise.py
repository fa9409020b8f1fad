import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.spec.noise import ceil_log_to_base, distribution, inverse, inverse_in_one_line, mass


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, 0), (2, 1), (3, 2), (4, 2), ("1/2", -1), ("1/3", -1), ("1/4", -2), ("1/5", -2), ("9/10", 0), ("1/1024", -10)],
)
def test_the_ceiling_of_a_logarithm_on_both_sides_of_1(number: int | str, expected: int) -> None:
    assert ceil_log_to_base(2, number) == expected
    assert mpq(2) ** expected >= mpq(number) > mpq(2) ** (expected - 1)


def test_values_by_hand() -> None:
    assert [mass("1/2", 3, z) for z in (1, 2, 3, 5)] == [mpq(1, 12), mpq(1, 6), mpq(1, 3), mpq(1, 12)]
    assert [distribution("1/2", 3, z) for z in (2, 3, 4)] == [mpq(1, 3), mpq(2, 3), mpq(5, 6)]
    assert [inverse("1/2", 3, u) for u in ("1/3", "1/2", "2/3", "5/6", "6/7")] == [2, 3, 3, 4, 5]
    assert [inverse_in_one_line("1/2", 3, u) for u in ("1/3", "1/2", "2/3", "5/6", "6/7")] == [2, 3, 3, 4, 5]


@pytest.mark.parametrize("quantile", [inverse, inverse_in_one_line])
@pytest.mark.parametrize("u", [0, 1, 2])
def test_levels_without_a_logarithm_are_refused(quantile: object, u: int) -> None:
    with pytest.raises(ParameterError, match="u = "):
        quantile("1/2", 0, u)  # type: ignore[operator]


@pytest.mark.parametrize("decay", [0, 1, "3/2"])
def test_what_is_no_decay_is_refused(decay: int | str) -> None:
    with pytest.raises(ParameterError, match="decay"):
        mass(decay, 0, 0)
    with pytest.raises(ParameterError, match="number = 0 has no logarithm"):
        ceil_log_to_base(2, 0)
