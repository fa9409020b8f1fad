"""Ordinary code is followed: laws of small mechanisms, compared with those of the plain numbers of all their draws."""

import random
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.proofs_check.audit.laws import explored
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from tests.proofs_check.audit.ordinary import NUMPY, ORDINARY
from tests.proofs_check.engine.plain_explorer import plain_law


class Plain(random.Random):
    """The standard library's generator, by draws that are enumerated."""

    def __init__(self, coins: Any) -> None:
        super().__init__(0)
        self._coins = coins

    def _randbelow(self, n: int) -> int:
        return int(self._coins.uniform(n)) - 1

    def random(self) -> float:
        """Of a multiple of 1/4 alone, which is enough where all weights are quarters."""
        return (int(self._coins.uniform(4)) - 1) / 4

    def getrandbits(self, k: int) -> int:
        return int(self._coins.uniform(1 << k)) - 1


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_code_has_the_law_of_plain_numbers(name: str, count: int) -> None:
    found = explored(ORDINARY[name], count, "random", "tuple", Budget()).law
    assert found.unresolved == 0
    assert found.probabilities == plain_law(lambda coins: freeze(ORDINARY[name](count, Plain(coins))))


@pytest.mark.parametrize("name", NUMPY)
def test_ordinary_code_of_numpy_has_its_law(name: str) -> None:
    mechanism, expected = NUMPY[name]
    found = explored(mechanism, 1, "numpy", "tuple", Budget()).law
    assert found.unresolved == 0
    total = sum(expected.values())
    assert found.probabilities == {freeze(output): mpq(many, total) for output, many in expected.items()}
    outputs = {freeze(mechanism(1, np.random.default_rng(seed))) for seed in range(40)}  # numpy's own generator gives no other
    assert outputs <= set(found.probabilities)
