"""Random programs against their laws: nothing that is said of them is unsound. programs.py by itself looks at all of them."""

from collections import Counter
from fractions import Fraction
from itertools import cycle
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.audit.pipelines.auditing import followed
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE
from tests.proofs_check.audit.pipelines import programs
from tests.sampling import sampled


@pytest.mark.parametrize("first", sampled(range(0, 400, 10), 1))
def test_nothing_that_is_said_of_programs_is_unsound(first: int) -> None:
    found = sum((programs.looked_at(seed) for seed in range(first, first + 10)), Counter[str]())
    assert programs.unsound(found) == 0, found
    assert 0 <= found["attained"] <= found["exact"] > 2
    assert found["enclosed"] > 10


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_exact_laws_add_up_to_1_and_lie_within_the_enclosed_ones(seed: int) -> None:
    paths = followed(programs.program(seed), [0, 1], "none", rows="tuple", budget=Budget(), workers=HERE)[0]
    for side in paths.values():
        exact, ends = programs.law(side), programs.enclosed(side, ())
        if exact is None:
            continue
        total = Counter[mpq]()
        for mass in exact.values():
            total.update(mass)
        assert {x: c for x, c in total.items() if c} == {0: 1}  # all paths, as exact sums of exponentials
        assert ends is not None
        assert sum(low for low, _ in ends.values()) <= 1 <= sum(high for _, high in ends.values())


@pytest.mark.parametrize(
    ("labels", "what"), [("ab", ["deltas", "holds"]), ("a", ["fails"])], ids=["nothing in common", "the same"]
)
def test_what_is_unsound_is_counted(monkeypatch: pytest.MonkeyPatch, labels: str, what: list[str]) -> None:
    """With other laws than those of the programs."""
    right, turn = programs.law, cycle(labels)

    def of_twice_the_loss(paths: Any) -> Any:
        found = right(paths)
        return None if found is None else {label: {2 * x: c for x, c in mass.items()} for label, mass in found.items()}

    monkeypatch.setattr(programs, "law", of_twice_the_loss)
    monkeypatch.setattr(programs, "enclosed", lambda *_: {next(turn): (Fraction(1), Fraction(1))})
    found = sum((programs.looked_at(seed) for seed in range(0, 40, 2)), Counter[str]())
    assert found["unsound: bounds"] > 3
    assert all(found[f"unsound: {one}"] for one in what)
    assert found["unsound: certificates"] == 0
