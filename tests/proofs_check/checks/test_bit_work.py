import sys

import pytest
from flint import fmpz_poly
from gmpy2 import mpq, mpz

from finitedp.impl.arithmetic.kernels import least_reaching, tail_weight
from finitedp.proofs_check.checks.bit_work import bit_work_of, bits_at_hand


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (0, 0),
        (255, 8),
        (-256, 9),
        (mpz(2) ** 100, 101),
        (mpq(3, 16), 7),
        (fmpz_poly([1, 7, 2]), 9),
        (fmpz_poly([]), 0),
        ("x", 0),
    ],
)
def test_bits_of_a_value(value: object, bits: int) -> None:
    assert bits_at_hand(value) == bits


def test_a_longer_operand_costs_more_and_other_code_nothing() -> None:
    works = [bit_work_of(lambda m=m: tail_weight(2**10, m, m // 2)) for m in (10, 100, 1000)]  # type: ignore[misc]
    assert works[0] < works[1] < works[2]
    assert bit_work_of(lambda: sum(range(1000))) == 0


def test_each_pass_of_a_loop_counts() -> None:
    short, long = (bit_work_of(lambda n=n: least_reaching(lambda z: z, n, n)) for n in (2**4, 2**16))  # type: ignore[misc]
    assert long > 3 * short


def test_the_tracing_of_others_is_set_back_also_after_an_error() -> None:
    def fails() -> None:
        raise ZeroDivisionError

    before = sys.gettrace()
    with pytest.raises(ZeroDivisionError):
        bit_work_of(fails)
    assert sys.gettrace() is before
