"""Verdicts on mechanisms as they are written, with the bound or the loss that is known for each."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.audit.pipelines.auditing import followed
from finitedp.proofs_check.audit.pipelines.deciding import Bound, Decision, decide
from finitedp.proofs_check.audit.pipelines.searching import side_of
from finitedp.proofs_check.audit.relation import relation_of
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE
from finitedp.proofs_check.pipeline_certificate import Path, mass_ends, shows

HOLDS = "holds, if the primitives are ideal"
laplace, normal = np.random.laplace, np.random.normal


def paths_of(mechanism: Callable[[Any], Any], inputs: Any) -> list[tuple[Path, ...]]:
    found, _ = followed(mechanism, inputs, "none", rows="tuple", budget=Budget(), workers=HERE)
    return [found[data] for data in inputs]


def decided(
    mechanism: Callable[[Any], Any], claim: PrivacyClaim, n: int = 2, universe: tuple[Any, ...] = (0, 1), **more: Any
) -> Decision:
    relation = relation_of(claim, universe, n, 5000, None)
    paths = paths_of(mechanism, relation.inputs)
    place = {data: i for i, data in enumerate(relation.inputs)}
    private = {"epsilon": claim.epsilon, "delta": claim.delta, "ratio": claim.ratio}
    return decide(paths, [(place[x], place[y]) for x, y in relation.pairs], {"private": private, **more})


def verdict(found: Decision) -> str:
    return found.verdicts["private"]


def worst(found: Decision) -> Bound:
    return found.worst["private"]


def count(rows: Any) -> Any:
    return sum(rows) + laplace(0, 1)


def half_scale(rows: Any) -> Any:
    return sum(rows) + laplace(0, 0.5)


def histogram(rows: Any) -> Any:
    return np.bincount(np.array(rows, dtype=int), minlength=2) + laplace(size=2)


def mean(rows: Any) -> Any:
    return (sum(rows) + laplace(0, 2)) / (len(rows) + laplace(0, 2))


def scale_of_data(rows: Any) -> Any:
    return sum(rows) + laplace(0, 1 / (1 + sum(rows)))


def noisy_max(rows: Any, draw: Any = lambda: laplace(0, 2)) -> int:
    return int(np.argmax([row + draw() for row in rows]))


def added_after(rows: Any) -> Any:
    return sum(rows) + laplace() + (rows[0] if sum(rows) > 1 else 0)


def same_noise_twice(rows: Any) -> Any:
    noise = laplace()
    return rows[0] + noise, rows[1] + noise


def sparse_vector(rows: Any) -> list[bool]:
    threshold, found = 0.5 + laplace(0, 2), []
    for row in rows:
        found.append(row + laplace(0, 4) >= threshold)
        if found[-1]:
            break
    return found


def without_noise_of_the_queries(rows: Any) -> list[bool]:
    threshold = 0.5 + laplace(0, 2)
    return [row > threshold for row in rows]


def not_a_number(rows: Any) -> Any:
    return (sum(rows) if rows[0] else math.nan) + laplace()


def response_and_count(rows: Any) -> Any:
    told = rows[0] if random.random() < 0.75 else 1 - rows[0]
    return told, rows[1] + laplace()


def uniform_response(rows: Any) -> Any:
    return rows[0] if np.random.uniform() < 0.75 else 1 - rows[0]


def by_an_ulp(rows: Any) -> Any:
    return (0.1 * 3 if rows[0] else 0.3), sum(rows) + laplace()


def clipped(rows: Any) -> Any:
    return np.clip(np.sort(rows), 0, 1).sum() + laplace()


def rounded(rows: Any) -> Any:
    return max(0, round(sum(rows) + laplace()))


def by_a_line_of_its_own(rows: Any) -> Any:
    return (sum(rows) + laplace(0, 2) if rows[0] else 0 + sum(rows) + laplace(0, 2)) * 3


REPLACE, ADD = PrivacyClaim(1, "replace-one"), PrivacyClaim(1, "add-remove")


@pytest.mark.parametrize(
    ("mechanism", "claim", "said", "ratio", "cost"),
    [
        (count, REPLACE, HOLDS, 1, 1),
        (half_scale, REPLACE, "fails", 1, 2),
        (histogram, ADD, HOLDS, 1, 1),
        (histogram, REPLACE, "fails", 1, 2),
        (mean, ADD, HOLDS, 1, 1),
        (noisy_max, REPLACE, HOLDS, 1, 0.5),
        (lambda rows: noisy_max(rows, lambda: np.random.exponential(2)), REPLACE, HOLDS, 1, 0.5),
        (lambda rows: noisy_max(rows, lambda: np.random.gumbel(0, 2)), REPLACE, HOLDS, 1, 0.5),
        (lambda rows: max(row + laplace(0, 1) for row in rows), REPLACE, HOLDS, 1, 1),
        (added_after, REPLACE, "fails", 1, 2),
        (sparse_vector, REPLACE, HOLDS, 1, 0.25),
        (response_and_count, PrivacyClaim(2, "replace-one"), HOLDS, 1, 1),
        (response_and_count, REPLACE, "fails", 3, 0),
        (uniform_response, PrivacyClaim("11/10", "replace-one", ratio=3), HOLDS, 3, 0),
        (uniform_response, PrivacyClaim("11/10", "replace-one", ratio="29/10"), "fails", 3, 0),
        (clipped, REPLACE, HOLDS, 1, 1),
        (rounded, REPLACE, HOLDS, 1, 1),
        (by_a_line_of_its_own, REPLACE, HOLDS, 1, 0.5),
    ],
)
def test_the_bound_is_the_known_one(mechanism: Any, claim: PrivacyClaim, said: str, ratio: int, cost: Any) -> None:
    found = decided(mechanism, claim)
    assert found.verdicts["private"] == said
    assert not worst(found).open
    losses = [bound.epsilon for bound in found.bounds.values()]
    assert (mpq(ratio), mpq(cost)) in losses
    assert max(losses, key=lambda one: one[0] * one[1]) <= (mpq(3), mpq(cost))


@pytest.mark.parametrize("mechanism", [scale_of_data, same_noise_twice, without_noise_of_the_queries, not_a_number])
def test_what_no_shift_shows_fails_with_a_witness(mechanism: Any) -> None:
    found = decided(mechanism, PrivacyClaim(5, "replace-one"))
    assert verdict(found) == "fails"
    assert found.witnesses["private"].loss > 5


def test_a_failure_of_an_ulp_is_named_so() -> None:
    assert verdict(decided(by_an_ulp, REPLACE)) == "fails by rounding only"
    assert verdict(decided(lambda rows: sum(rows) + laplace(0, 1 - 2**-50), REPLACE)) == "fails by rounding only"
    assert verdict(decided(lambda rows: sum(rows) + laplace(0, 1 - 2**-30), REPLACE)) == "fails"


def test_a_failure_of_an_ulp_is_named_so_where_numbers_of_40_bits_differ_by_more() -> None:
    """Thirds: 1 - 2/3 and 1/3 of 40 bits are 2^-41 apart, of doubles 2^-54."""
    found = decided(lambda rows: np.mean(rows) + laplace(0, 1 / 3), REPLACE, n=3)
    assert (verdict(found), found.rounded) == ("fails by rounding only", {"private": None})


@pytest.mark.parametrize(("delta", "said"), [("1/100", HOLDS), ("1/1000000000", "fails")])
def test_normal_noise_is_held_to_its_curve(delta: str, said: str) -> None:
    claim = PrivacyClaim(1, "replace-one", delta=delta)
    for mechanism in (lambda rows: sum(rows) + normal(0, 4), lambda rows: [sum(rows) + random.gauss(0, 6) for _ in rows]):
        assert verdict(decided(mechanism, claim)) == said


def test_a_normal_draw_may_not_be_shifted_by_what_is_compared_later() -> None:
    """The same comparison, before the draw and after it: only the one before may choose the shift."""

    def chosen_before(rows: Any) -> Any:
        return (rows[0] if laplace(0, 4) > 0 else rows[1]) + normal(0, 4)

    def chosen_later(rows: Any) -> Any:
        noise = normal(0, 4)
        return (rows[0] if laplace(0, 4) > 0 else rows[1]) + noise

    claim = PrivacyClaim(1, "replace-one", delta="1/10")
    assert verdict(decided(chosen_before, claim)) == HOLDS
    assert verdict(decided(chosen_later, claim)) == "unknown"


def test_delta_takes_what_no_shift_carries() -> None:
    def leaks(rows: Any) -> Any:
        return rows[0] if random.random() < 2**-10 else sum(rows) + laplace()

    assert verdict(decided(leaks, PrivacyClaim(1, "replace-one", delta=mpq(1, 2**10)))) == HOLDS
    found = decided(leaks, PrivacyClaim(1, "replace-one", delta=mpq(1, 2**11)))
    assert verdict(found) == "fails"
    assert found.witnesses["private"].here == 2**-10


def test_regions_are_not_merged_where_a_uniform_draw_has_become_a_probability() -> None:
    def looks(rows: Any) -> str:
        seen = laplace(rows[0]) > (0 if np.random.uniform() < 0.75 else 1)
        return "seen" if seen else "seen, too"[:4]

    side = side_of(paths_of(looks, [(0,)])[0])
    assert len(side.covers()) == 2
    for regions in side.covers():
        found = [mass_ends(side.regions[i]) for i in regions]
        assert sum(low for low, _ in found) <= 1 <= sum(high for _, high in found) < 1 + mpq(1, 2**150)


def test_merging_takes_an_output_as_one_region() -> None:
    paths = paths_of(noisy_max, [(0, 1, 0, 1), (1, 0, 1, 0)])
    claims = {"private": {"epsilon": mpq(1), "delta": mpq(0), "ratio": None}}
    together, apart = (decide(paths, [(0, 1), (1, 0)], claims, merging=merging) for merging in (True, False))
    assert verdict(together) == HOLDS
    assert {len(bound.matches) for bound in together.bounds.values()} == {4}
    assert {len(bound.matches) for bound in apart.bounds.values()} == {8}
    assert (verdict(apart), worst(apart).epsilon) == ("unknown", (mpq(1), mpq(2)))


# Divergences


RENYI, ZCDP = {"order": mpq(2), "epsilon": mpq(1, 16)}, {"rho": mpq(1, 32)}


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (lambda rows: sum(rows) + normal(0, 4), (HOLDS, HOLDS)),
        (lambda rows: sum(rows) + normal(0, 3.99), ("fails", "fails")),
        (lambda rows: [sum(rows) + normal(0, 8) for _ in range(4)], (HOLDS, HOLDS)),
        (lambda rows: sum(rows) + normal(0, 3.99) > 0, ("unknown", "unknown")),
        (lambda rows: sum(rows) + normal(0, 4 - 2**-50), ("fails by rounding only",) * 2),
        (lambda rows: sum(rows) + laplace(0, 4), (HOLDS, HOLDS)),  # of costs: 2 (1/4)^2 / 2
        (lambda rows: sum(rows) + laplace(0, 3), ("fails", "fails")),
        (lambda rows: (sum(rows) + normal(0, 8), sum(rows) + laplace(0, 4)), ("fails", "fails")),
        (lambda rows: sum(rows) + np.random.exponential(4), ("unknown", "unknown")),  # of one direction only
        (lambda rows: (sum(rows) + normal(0, 8), sum(rows) + laplace(0, 64)), (HOLDS, HOLDS)),
    ],
)
def test_divergences(mechanism: Any, said: Any) -> None:
    found = decided(mechanism, REPLACE, renyi=RENYI, zcdp=ZCDP)
    assert (found.verdicts["renyi"], found.verdicts["zcdp"]) == said


@pytest.mark.parametrize("shift", [1, 2])
def test_laplace_noise_breaks_each_zcdp_below_its_divergence_of_order_1(shift: int) -> None:
    """That is x - 1 + e^-x, which orders near 1 come near to."""
    rho = Fraction(shift - 1 + math.exp(-shift))
    below, above, twice = (
        decided(lambda rows: shift * rows[0] + laplace(), REPLACE, n=1, zcdp={"rho": mpq(rho * by)})
        for by in (Fraction("0.999"), Fraction("1.001"), 2)
    )
    assert [found.verdicts["zcdp"] for found in (below, above, twice)] == ["fails", "unknown", HOLDS]
    assert 0.999 * float(rho) < below.witnesses["zcdp"].here < float(rho)


def test_a_discrete_leak_has_no_divergence_but_that_of_zcdp_is_not_read_off_at_order_1() -> None:
    """p < p' lets order 1 pass with squares that larger orders do not."""
    losses = [(mpq(1, 4), mpq(1), mpq(0), mpq(1))]
    assert shows(losses, mpq(0), None, {"order": mpq(2), "epsilon": mpq(0)})
    assert not shows(losses, mpq(0), None, {"rho": mpq(1, 4)})
    assert shows(losses, mpq(0), None, {"rho": mpq(1, 2)})
    assert not shows(losses, mpq(1, 8), None, {"rho": mpq(9)})


def test_the_claim_that_says_nothing_holds() -> None:
    nothing = PrivacyClaim(0, "replace-one", delta=1)
    for mechanism in (
        lambda rows: rows[0] + 0 * laplace(),
        lambda rows: (rows[0] if random.random() < 0.5 else 0, normal(sum(rows))),
    ):
        assert verdict(decided(mechanism, nothing)) == HOLDS


# Events of normal and of Gumbel draws


def test_comparisons_of_normal_noise_fail_by_their_probabilities() -> None:
    found = decided(lambda rows: sum(rows) + normal() > 0.5, REPLACE).witnesses["private"]
    assert (round(found.here, 6), round(found.there, 6)) == (0.308538, 0.066807)
    both = decided(lambda rows: rows[0] + normal() > rows[1] + normal(), PrivacyClaim("1/2", "replace-one"))
    assert verdict(both) == "fails"


def test_a_maximum_with_normal_noise_fails_by_an_integral() -> None:
    found = decided(lambda rows: noisy_max(rows, lambda: normal(0, 0.5)), REPLACE, n=3).witnesses["private"]
    assert found.loss > 1.5


def test_a_maximum_with_gumbel_noise_fails_by_its_softmax() -> None:
    mechanism = lambda rows: noisy_max(rows, np.random.gumbel)  # noqa: E731
    assert verdict(decided(mechanism, REPLACE)) == HOLDS
    found = decided(mechanism, PrivacyClaim("1/2", "replace-one"), n=3).witnesses["private"]
    assert (round(found.here, 6), round(found.there, 6)) == (0.333333, 0.155362)  # 1/3, and 1 / (1 + 2 e)
