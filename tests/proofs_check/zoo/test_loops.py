"""The zoo's loops: they need their samplers, and the laws found with them are those of sums that are done here."""

from collections.abc import Callable, Mapping
from fractions import Fraction as Q
from itertools import product
from math import factorial
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.zoo.exhibit import as_expected, run
from finitedp.proofs_check.zoo.visit import bound_found, claim_made, exhibits, expectation
from tests.sampling import sampled

LOOPS = {name: exhibit for name, exhibit in exhibits().items() if exhibit.samplers}
FAR = 90
"""Noise beyond this place has less than 2^-FAR."""
Law = Mapping[Any, Q]


@pytest.mark.deep
def test_a_loop_is_taken_alone_and_not_decided_as_stated_without(found: Mapping[str, AuditResult]) -> None:
    assert len(LOOPS) >= 14
    for name, exhibit in LOOPS.items():
        used = [use for use in found[name].derived["samplers"] if use["reason"] != "it was never called through its module"]
        assert used, name
        assert all((use["alone"], use["reason"]) == (True, None) for use in used), (name, used)
        if exhibit.private == "holds":  # of those that fail some do so by a margin that is seen anyhow
            assert not as_expected(exhibit, run(evolve(exhibit, samplers=()))), name


# Laws by hand: each as a function of the data, in fractions; what lies beyond FAR is left out


def geometric(a: Q) -> Law:
    return {k: (1 - a) * a**k for k in range(FAR)}


def two_sided(a: Q) -> Law:
    return {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-FAR, FAR + 1)}


def inverse_exp(x: Q) -> Q:
    """e^-x, with an error of at most 2^-200, for x of at most 1."""
    return rounded(sum(((-x) ** i / factorial(i) for i in range(60)), Q(0)))


def rounded(x: Q) -> Q:
    return Q(round(x * 2**200), 2**200)


def of(*terms: tuple[Any, Q]) -> Law:
    """The law of outputs, some of which may be listed more than once."""
    law: dict[Any, Q] = {}
    for output, p in terms:
        law[output] = law.get(output, Q(0)) + p
    return law


def laplace(count: int, zero_twice: bool) -> Law:
    powers = [Q(1)]
    for _ in range(100):
        powers.append(rounded(powers[-1] * inverse_exp(Q(1, 2))))
    q = powers[1]
    total = 1 if zero_twice else 1 - (1 - q) / 2
    at_zero = (1 - q) / (1 if zero_twice else 2)
    return {count + y: (at_zero if y == 0 else (1 - q) * powers[abs(y)] / 2) / total for y in range(-100, 101)}


def response(data: tuple[int], accepted: Q) -> Law:
    return {data[0]: 1 / (1 + accepted), 1 - data[0]: accepted / (1 + accepted)}


def capped(count: int) -> Law:
    return {count + z: Q(1, 3 * 2 ** min(abs(z), 63)) for z in range(-64, 65)}


def noisy_max(data: tuple[str, ...], value: bool) -> Law:
    noise = geometric(Q(1, 2))
    scores = [sum(int(row[i]) for row in data) for i in range(2)]
    pairs = [(scores[0] + x, scores[1] + y, noise[x] * noise[y]) for x, y in product(noise, noise)]
    return of(*((max(x, y) if value else int(x < y), p) for x, y, p in pairs))


def sparse_vector(data: tuple[str, ...], threshold: Q, answer: Q | None) -> Law:
    """A sum over the noisy threshold."""
    terms = []
    for z, p in two_sided(threshold).items():
        reach = [reaches(int(bit), 1 + z, answer) for bit in data[0]]
        for shown in product([False, True], repeat=len(reach)):
            mass = p
            for above, chance in zip(shown, reach, strict=True):
                mass *= chance if above else 1 - chance
            ends = shown.index(True) + 1 if True in shown and answer is not None else len(shown)
            terms.append((shown[:ends], mass))
    return of(*terms)


def reaches(answer: int, bound: int, a: Q | None) -> Q:
    if a is None:
        return Q(answer >= bound)
    k = bound - answer
    return a**k / (1 + a) if k > 0 else 1 - a ** (1 - k) / (1 + a)


HALF = Q(1, 2)
LAWS: dict[str, Callable[[Any], Law]] = {
    "discrete-laplace": lambda count: laplace(count, zero_twice=False),
    "discrete-laplace/zero-twice": lambda count: laplace(count, zero_twice=True),
    "bernoulli-exp": lambda data: response(data, inverse_exp(HALF)),
    "bernoulli-exp/wrong-parity/one-half": lambda data: response(data, 1 - inverse_exp(HALF)),
    "bernoulli-exp/wrong-parity/one": lambda data: response(data, 1 - inverse_exp(Q(1))),
    "capped-geometric/approximate": capped,
    "capped-geometric/pure": capped,
    "von-neumann": lambda data: response(data, Q(1, 3)),
    "von-neumann/overlapping": lambda data: response(data, Q(1, 15)),
    "noisy-max-by-loops/index": lambda data: noisy_max(data, value=False),
    "noisy-max-by-loops/value": lambda data: noisy_max(data, value=True),
    "sparse-vector-by-loops/alg-1": lambda data: sparse_vector(data, Q(1, 4), HALF),
    "sparse-vector-by-loops/alg-4": lambda data: sparse_vector(data, HALF, Q(1, 8)),
    "sparse-vector-by-loops/alg-5": lambda data: sparse_vector(data, HALF, None),
}


@pytest.mark.parametrize("name", sampled(LOOPS, 1))
def test_a_law_found_is_the_one_that_sums_give(name: str, found: Mapping[str, AuditResult]) -> None:
    """Each probability that is resolved is not above the true one, and below it by at most what is unresolved."""
    for data, law in found[name].laws.items():
        true, unresolved = LAWS[name](data), Q(str(law.unresolved))
        left_out = 1 - sum(true.values(), Q(0))
        assert abs(left_out) < Q(1, 2**60)
        assert not left_out or unresolved
        for output in true.keys() | law.probabilities.keys():
            p = Q(str(law.probabilities.get(output, 0)))
            assert (
                true.get(output, Q(0)) - unresolved - Q(1, 2**190) <= p <= true.get(output, Q(0)) + max(left_out, Q(1, 2**190))
            )
        if not unresolved:
            assert {x: Q(str(p)) for x, p in law.probabilities.items()} == true


@pytest.mark.deep
def test_a_delta_that_is_off_in_the_eleventh_digit_is_seen(found: Mapping[str, AuditResult]) -> None:
    exhibit = LOOPS["sparse-vector-by-loops/alg-4"]
    delta = mpq(8528, 51435)
    for off, good in ((mpq(0), True), (mpq(1, 10**11), False), (mpq(-1, 10**11), False)):
        assert as_expected(evolve(exhibit, delta_near=delta + off), found[exhibit.name]) == good
    assert claim_made(exhibit) == "ratio 16, delta 2^-60, replace-one"
    assert claim_made(LOOPS["capped-geometric/approximate"]) == "ratio 2, delta 1/27670116110564327424, counts"
    assert expectation(exhibit) == "fails, delta ~0.165801497035"
    assert "delta from 0.16580149 to 0.16580150" in bound_found(found[exhibit.name]) + "0"
