import pytest

from finitedp.errors import ParameterError
from finitedp.spec.representation import bits_of_bin, partial_vector, read_partial_vector, read_vector, vector


def test_strings_by_hand() -> None:
    assert (bits_of_bin(4, 3), bits_of_bin(5, 4), bits_of_bin(1, 1)) == (4, 6, 1)
    assert partial_vector({2: 3, 0: 1}, 4, 3, 3) == "0001" + "1011" + "0000"
    assert vector([1, 0, 3, 0], 3) == "01001100"
    assert read_vector("01001100", 4, 3) == (1, 0, 3, 0)
    assert read_partial_vector("000110110000", 4, 3, 3) == {0: 1, 2: 3}
    assert partial_vector({0: 1}, 1, 1, 1) == "1"  # a single label needs no bits


@pytest.mark.parametrize(
    ("bins", "message"),
    [({0: 1, 1: 1}, "number of bins"), ({4: 1}, "label"), ({0: 4}, "count"), ({0: 0}, "count"), ({-1: 1}, "label")],
)
def test_what_has_no_place_is_refused(bins: dict[int, int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        partial_vector(bins, 4, 3, 1)


def test_a_string_of_another_length_is_refused() -> None:
    with pytest.raises(ParameterError, match="the string has 3 bits; accepted: 4"):
        read_partial_vector("000", 4, 3, 1)
