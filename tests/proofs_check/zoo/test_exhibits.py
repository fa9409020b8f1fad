"""The zoo: every exhibit is as stated, and what its audit found is recomputed here without the engine."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction as Q
from itertools import pairwise, product
from math import factorial
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.zoo.draws import flip, geometric, noise_reaches, pick
from finitedp.proofs_check.zoo.exhibit import Exhibit
from finitedp.proofs_check.zoo.sparse_vector import SparseVector
from finitedp.proofs_check.zoo.visit import as_expected, chapters, exhibits, find, run_all, zoo_page
from finitedp.spec.counting import geometric_mechanism
from finitedp.spec.pmf import Pmf
from tests.sampling import sampled

ROOT = Path(__file__).parents[3]
ZOO = exhibits()
BROKEN = [name for name, exhibit in ZOO.items() if exhibit.private == "fails"]
SOME = sampled(ZOO, 8)
KEPT = [str(some.values[0]) for some in SOME if not some.marks]
MOST_RUNS = 2_000


def exp_above(x: Q, terms: int = 60) -> Q:
    """A rational just above e^x: the rest of the series is less than twice its first term, for 2 x < terms."""
    assert 2 * x < terms
    return sum((x**i / factorial(i) for i in range(terms)), Q(0)) + 2 * x**terms / factorial(terms)


# What the zoo holds


def test_there_are_enough_of_both_kinds() -> None:
    assert len({name.split("/")[0] for name in ZOO}) >= 50
    assert len(BROKEN) >= 67
    assert len(ZOO) - len(BROKEN) >= 81
    assert sum(len(chapter) for chapter in chapters().values()) == len(ZOO)
    assert len([exhibit for exhibit in ZOO.values() if exhibit.samplers or exhibit.style != "coins"]) >= 36


def test_exhibits_say_where_they_come_from() -> None:
    for exhibit in ZOO.values():
        assert exhibit.source.strip(), exhibit.name
        assert exhibit.says.endswith("."), exhibit.name
        assert exhibit.name == exhibit.name.lower().replace(" ", "-")


# What the audits find


@pytest.mark.parametrize("name", SOME)
def test_an_exhibit_is_as_stated(name: str, found: Mapping[str, AuditResult]) -> None:
    exhibit, result = ZOO[name], found[name]
    assert as_expected(exhibit, result), (result.private, result.tight, result.worst_ratio, result.witness)
    assert checker.check(certificate(result)) is None


@pytest.mark.parametrize("name", [some for some in SOME if some.values[0] in BROKEN])
def test_a_witness_breaks_the_claim(name: str, found: Mapping[str, AuditResult]) -> None:
    """In the standard library's fractions: P[S] > r Q[S] + delta, wherever the unresolved mass is."""
    result = found[name]
    p, q = ({x: Q(str(mass)) for x, mass in result.laws[side].probabilities.items()} for side in sides(result))
    in_left = sum((p[x] for x in result.witness.event), Q(0))
    in_right = sum((q.get(x, Q(0)) for x in result.witness.event), Q(0))
    assert (str(in_left), str(in_right)) == (str(result.witness.in_left), str(result.witness.in_right))
    claim = result.claim
    factor = exp_above(Q(str(claim.epsilon))) if claim.ratio is None else Q(str(claim.ratio))
    assert in_left > factor * (in_right + 1 - sum(q.values())) + Q(str(claim.delta))


def sides(result: AuditResult) -> tuple[Any, Any]:
    return result.witness.left, result.witness.right


class Listed:
    """Coins that give every combination of draws once, as plain integers: no lazy values, no explorer."""

    slack = mpq(1)

    def __init__(self) -> None:
        self.script: list[list[int]] = []
        self.position = 0

    def uniform(self, d: int, most: int | None = None) -> int:
        if self.position == len(self.script):
            self.script.append([1, int(d)])
        value, range_ = self.script[self.position]
        assert range_ == d, most
        self.position += 1
        return value

    def bits(self, b: int) -> int:
        return self.uniform(2**b) - 1

    def runs(self, mechanism: Any, data: Any) -> Iterator[tuple[Any, Q]]:
        """Outputs and probabilities of all combinations of draws."""
        while True:
            self.position = 0
            output, mass = mechanism(data, self), Q(1)
            for _, d in self.script:
                mass /= d
            yield output, mass
            while self.script and self.script[-1][0] == self.script[-1][1]:
                self.script.pop()
            if not self.script:
                return
            self.script[-1][0] += 1


def listed_law(exhibit: Exhibit, data: Any) -> dict[Any, Q] | None:
    """The law by running every combination of draws; None where they are too many."""
    law: dict[Any, Q] = {}
    for i, (output, mass) in enumerate(Listed().runs(exhibit.mechanism, data)):
        if i == MOST_RUNS:
            return None
        law[output] = law.get(output, Q(0)) + mass
    return law


@pytest.mark.parametrize("names", [KEPT, pytest.param(list(ZOO), marks=pytest.mark.deep)], ids=["some", "all"])
def test_witnesses_agree_with_plain_enumeration(names: list[str], found: Mapping[str, AuditResult]) -> None:
    """At the two inputs of the witness, the laws are those of all combinations of draws, where there are few enough."""
    compared = 0
    for name in names:
        exhibit = ZOO[name]
        if exhibit.style != "coins":
            continue
        for data in sides(found[name]):
            law = listed_law(exhibit, data)
            if law is not None:
                compared += 1
                assert {x: Q(str(p)) for x, p in found[name].laws[data].probabilities.items()} == law, (name, data)
    assert compared >= (160 if len(names) == len(ZOO) else 1)


# Sparse vector, as a sum


def stopped(shown: tuple[bool, ...], cutoff: int | None) -> tuple[bool, ...]:
    """The answers up to the one at which the pass stops."""
    ends = [i + 1 for i in range(len(shown)) if sum(shown[: i + 1]) == cutoff]
    return shown[: ends[0]] if ends else shown


def svt_law(mechanism: SparseVector, answers: tuple[int, ...]) -> dict[tuple[bool, ...], mpq]:
    """The law of a pass without fresh noise and without numbers: a sum over the noisy threshold, with the laws of spec."""
    low, size = mechanism.low, mechanism.high - mechanism.low
    thresholds = geometric_mechanism(size + 1, mechanism.threshold, 1 - low)
    law: dict[tuple[bool, ...], mpq] = {}

    def reaches(answer: int, bound: int) -> mpq:
        if not mechanism.answer:
            return mpq(answer - low >= bound)
        return geometric_mechanism(size, mechanism.answer, answer - low).probability(range(bound, size + 1))

    for bound, shown in product(range(size + 2), product([False, True], repeat=len(answers))):
        chance = thresholds[bound]
        for is_above, answer in zip(shown, answers, strict=True):
            chance *= reaches(answer, bound) if is_above else 1 - reaches(answer, bound)
        cut = stopped(shown, mechanism.cutoff)
        law[cut] = law.get(cut, mpq(0)) + chance
    return {shown: p for shown, p in law.items() if p}


SUMMED = [
    name
    for name, e in ZOO.items()
    if isinstance(e.mechanism, SparseVector) and not (e.mechanism.renewed or e.mechanism.numeric)
]


@pytest.mark.parametrize("name", sampled(SUMMED, 2))
def test_sparse_vector_is_a_sum_over_the_threshold(name: str, found: Mapping[str, AuditResult]) -> None:
    mechanism, laws = ZOO[name].mechanism, found[name].laws
    assert isinstance(mechanism, SparseVector)
    for data in list(laws)[:8]:
        assert laws[data].probabilities == svt_law(mechanism, tuple(map(int, data[0]))), data


# Floats, word by word


def words_up_to(k: int) -> int:
    """The words of random() whose exponential of rate 4 has a whole part of at most k, by bisecting the platform's own."""
    low, high = 0, 2**53
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if math.floor(-math.log(1.0 - middle * 2.0**-53) / 4) > k else (middle + 1, high)
    return low


def test_the_geometric_noise_of_floats_is_what_counting_words_gives(found: Mapping[str, AuditResult]) -> None:
    below = [words_up_to(k) for k in range(10)]
    assert below[-1] == 2**53
    single = {k: Q(high - low, 2**53) for k, (low, high) in enumerate(pairwise([0, *below]))}
    for count, law in found["float-geometric/pure"].laws.items():
        expected: dict[int, Q] = {}
        for x, y in product(single, repeat=2):
            expected[count + x - y] = expected.get(count + x - y, Q(0)) + single[x] * single[y]
        assert {output: Q(str(p)) for output, p in law.probabilities.items()} == expected


# Close to the bound


@pytest.mark.parametrize(
    ("name", "factor", "parts"),
    [
        ("geometric/base-rounded-down", exp_above(Q(1)), 10**8),
        ("dyadic-response/lie-rounded-down", Q(2), 10**8),
        ("float-response/nine-tenths", Q(9), 10**15),
        ("library-response/nine-tenths/numpy-choice", Q(9), 10**15),
        ("library-response/nine-tenths/choices", Q(9), 10**15),
        ("library-labels/numpy", Q(3), 10**15),
        ("library-exponential-mechanism/base-2", Q(2), 10**15),
        ("library-pad/binomial", Q(1), 10**15),
        ("geometric/base-rounded-up", exp_above(Q(1)), 10**7),
        ("dyadic-response/lie-rounded-up", Q(2), 10**8),
    ],
)
def test_a_violation_as_small_as_that_is_seen(name: str, factor: Q, parts: int, found: Mapping[str, AuditResult]) -> None:
    ratio = Q(str(found[name].worst_ratio))
    assert 0 < abs(ratio / factor - 1) < Q(1, parts)
    assert (ratio > factor) == (found[name].private == "fails")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("k-ary-response/binary-formula/2-labels", "k-ary-response/binary-formula/3-labels"),
        ("k-ary-response/next-label/2-labels", "k-ary-response/next-label/3-labels"),
        ("k-ary-response/bits-modulo-k/4-labels", "k-ary-response/bits-modulo-k/3-labels"),
        ("one-lie-for-all/1-row", "one-lie-for-all/2-rows"),
        ("sum/wraps-around/3-rows", "sum/wraps-around/4-rows"),
        ("exponential-mechanism/no-factor-2/1-row", "exponential-mechanism/no-factor-2/2-rows"),
        ("propose-test-release/no-noise/1-row", "propose-test-release/no-noise/3-rows"),
        ("median/unit-noise/2-values", "median/unit-noise/3-values"),
    ],
)
def test_some_mistakes_show_in_some_instances_only(right: str, wrong: str) -> None:
    """The same code and claim, over another universe or number of rows."""
    a, b = ZOO[right], ZOO[wrong]
    assert (a.claim, a.private, b.private) == (b.claim, "holds", "fails")


# The zoo can say no


@pytest.mark.parametrize(
    "changes",
    [{"private": "fails"}, {"tight": False}, {"worst_ratio": mpq(3)}, {"worst_ratio": "infinite"}, {"delta": mpq(1, 2)}],
)
def test_a_wrong_expectation_is_seen(changes: dict[str, Any], found: Mapping[str, AuditResult]) -> None:
    result = found["geometric"]
    assert as_expected(ZOO["geometric"], result)
    assert not as_expected(evolve(ZOO["geometric"], **changes), result)


@pytest.mark.deep
def test_the_page_says_what_is_not_as_expected(found: Mapping[str, AuditResult]) -> None:
    assert "NOT AS EXPECTED" not in zoo_page(found)
    result = found["geometric"]
    assert "NOT AS EXPECTED" in zoo_page({**found, "geometric": evolve(result, tight=False)})


def test_all_are_run_in_order_and_progress_is_told() -> None:
    chosen, updates = find("geometric"), list[tuple[int, int]]()
    assert list(run_all(chosen, lambda done, of: updates.append((done, of)))) == [exhibit.name for exhibit in chosen]
    assert updates == [(i, len(chosen)) for i in range(len(chosen))]


def test_find_by_pattern_and_by_parent() -> None:
    assert [e.name for e in find("one-time-pad")] == ["one-time-pad", "one-time-pad/reused"]
    assert {e.name for e in find("sparse-vector")} == {e.name for e in find("sparse-vector/*")}
    with pytest.raises(
        ParameterError, match=r"no exhibit matches 'pad'; did you mean one-time-pad, one-time-pad/reused, library-pad"
    ):
        find("pad")
    with pytest.raises(ParameterError, match="`finitedp zoo` lists them"):
        find("nothing")


# The draws


def test_draws_have_the_laws_they_say() -> None:
    decay = mpq(2, 3)
    assert explore(lambda coins: geometric(coins, 2, decay, 0, 5)).law() == geometric_mechanism(5, decay, 2)
    assert explore(lambda coins: noise_reaches(coins, decay, 2)).law() == Pmf({True: 4, False: 11})  # (4/9) / (5/3)
    assert explore(lambda coins: noise_reaches(coins, decay, -1)).law() == Pmf({True: 11, False: 4})
    assert explore(lambda coins: flip(coins, "3/7")).law() == Pmf({True: 3, False: 4})
    assert explore(lambda coins: pick(coins, [1, 0, 4])).law() == Pmf({0: 1, 2: 4})


# The page


@pytest.mark.deep
def test_the_manual_s_page_is_not_stale(found: Mapping[str, AuditResult]) -> None:
    page = ROOT / "docs" / "zoo.md"
    assert page.read_text() == zoo_page(found), "run `finitedp zoo --page docs/zoo.md`"
