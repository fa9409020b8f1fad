"""finitedp.proofs_check.audit.auditing: verdicts, profiles and accuracies of anyone's code, and what is refused."""

import json
import math
import os
import random
import re
import secrets
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq, mpz
from hypothesis import given
from hypothesis import strategies as st

import finitedp
from finitedp import Accuracy, GeoSample, PrivacyClaim
from finitedp.errors import ExplorationError, ParameterError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit import laws
from finitedp.proofs_check.audit.auditing import AuditResult, audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.profile import worst_profile
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.inputs import all_inputs, neighbouring
from finitedp.spec.counting import geo_sample
from finitedp.spec.divergence import hockey_stick
from finitedp.spec.neighbours import are_neighbours
from finitedp.spec.pmf import Pmf


def response(data: Any, rng: Any) -> int:
    """Randomised response: the truth with probability 3/4, so that the worst ratio is 3."""
    return int(data[0] if rng.random() < 0.75 else 1 - data[0])


def responded(epsilon: str, **more: Any) -> AuditResult:
    return audit(response, PrivacyClaim(epsilon, "replace-one", **more), n=1, universe=[0, 1], style="random", name="rr")


def test_the_verdicts_stand_apart() -> None:
    good = responded("11/10", ratio=3)
    assert (good.private, good.law, good.tight) == ("holds", "not specified", True)
    assert (good.worst_ratio, good.strict_time) == (mpq(3), True)
    bad = responded("1")
    assert (bad.private, bad.tight, bad.worst_ratio) == ("fails", False, mpq(3))
    assert (bad.witness.event, bad.witness.in_left, bad.witness.in_right) == ((0,), mpq(3, 4), mpq(1, 4))


@pytest.mark.parametrize(("epsilon", "law", "tight"), [("1", "equal", True), ("1/2", "differs", False)])
def test_a_wrong_law_may_be_private(epsilon: str, law: str, tight: bool) -> None:
    mechanism = GeoSample(2, epsilon)
    specified = {c: {x: geo_sample(2, 1, c)[x] for x in range(3)} for c in range(3)}
    found = audit(lambda c, coins: mechanism.release(c, coins), GeoSample(2, 1).claim(), n=2, specified=specified)
    assert (found.private, found.law, found.tight) == ("holds", law, tight)
    assert checker.check(certificate(found)) is None


def test_a_table_made_elsewhere() -> None:
    table = {(0,): {"a": "3/4", "b": "1/4"}, (1,): {"a": "1/4", "b": "3/4"}}
    found = audit(table, PrivacyClaim("11/10", "replace-one", ratio=3), n=1, universe=[0, 1], style="table")
    assert (found.private, found.tight, found.strict_time) == ("holds", True, None)


@pytest.mark.parametrize(
    ("row", "message"),
    [({"a": "3/4"}, "sum to 3/4, not to 1"), ({"a": "-1", "b": 2}, "out of range"), ({"a": 0.5}, "is a float")],
)
def test_a_table_that_is_none_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        audit({(0,): row, (1,): row}, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="table")
    with pytest.raises(ParameterError, match=r"no law for the input \(1,\)"):
        audit({(0,): {"a": 1}}, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], style="table")


def coin_flips(data: Any, rng: Any) -> int:
    """The number of heads before the first tail, shifted by the data: without a bound."""
    heads = 0
    while rng.getrandbits(1):
        heads += 1
    return heads + int(data[0])


@pytest.mark.parametrize(("delta", "verdict"), [("1/2", "undecided"), ("51/100", "holds"), ("49/100", "fails")])
def test_an_unbounded_loop_leaves_an_interval(delta: str, verdict: str) -> None:
    """From ln 2 on the delta is exactly 1/2: the output 0 is impossible for the other input."""
    claim = PrivacyClaim(1, "replace-one", delta)
    found = audit(coin_flips, claim, n=1, universe=[0, 1], style="random", budget=Budget(draws=20))
    assert (found.private, found.unresolved, found.strict_time) == (verdict, mpq(1, 2**20), False)
    assert found.worst_ratio is None
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(("mass", "law"), [("1/2", "undecided"), ("1/3", "differs")])
def test_a_law_known_in_part_is_not_called_equal(mass: str, law: str) -> None:
    """coin_flips has at least 1/2 at its least output; the specification puts the rest on one other."""
    specified: dict[Any, dict[int, mpq]] = {}
    for x in (0, 1):
        row = {x: mpq(mass), **{x + i: mpq(1, 2 ** (i + 1)) for i in range(1, 25)}}
        specified[x,] = {**row, 99: 1 - sum(row.values(), mpq(0))}
    claim, budget = PrivacyClaim(1, "replace-one", "2/3"), Budget(draws=20)
    found = audit(coin_flips, claim, n=1, universe=[0, 1], style="random", budget=budget, specified=specified)
    assert found.law == law
    assert checker.check(certificate(found)) is None


def test_add_remove_and_counts() -> None:
    fair = audit(lambda _data, coins: int(coins.uniform(2)), PrivacyClaim(0, "add-remove"), n=2, universe="ab")
    size = audit(lambda data, _coins: len(data), PrivacyClaim(9, "add-remove"), n=2, universe="ab")
    count = audit(lambda count, _coins: count, PrivacyClaim(9, "counts"), n=3)
    assert [found.private for found in (fair, size, count)] == ["holds", "fails", "fails"]
    assert [checker.check(certificate(found)) for found in (fair, size, count)] == [None] * 3


class Runs:
    """State that is kept between runs."""

    made = 0


def stateful(_data: Any, coins: Any) -> int:
    Runs.made += 1
    return Runs.made + int(coins.uniform(2))


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (lambda data, _coins: data[5], r"at the input \(0,\) the mechanism raised IndexError"),
        (lambda _data, _coins: print("x"), "the mechanism prints"),  # noqa: T201
        (stateful, "does not repeat itself"),
        (lambda _data, _coins: print("x", file=sys.stderr), "the mechanism prints"),  # noqa: T201
        (lambda _data, _coins: sys.exit(0), "the mechanism left by SystemExit"),
        (lambda _data, _coins: random.seed(3), "in <lambda>, .* seeds its generator, so that"),
        (lambda _data, _coins: np.random.seed(3), "in <lambda>, .* seeds numpy's generator, so that"),
        (lambda _data, _coins: int(secrets.randbelow(10**6)), "in <lambda>, .* needs the value of a draw"),
        (lambda _data, _coins: len(os.urandom(3)), "draws random bytes and uses them otherwise"),
        (lambda _data, _coins: (x for x in "ab"), "the mechanism is a generator"),
        (lambda _data, _coins: Decimal("1.0"), "the output is a Decimal, whose equal values may look different"),
        (lambda _data, _coins: (range(0),), "the output is a range, whose equal values"),
        (lambda data, _coins: data.append(1), "its rows are a tuple, with rows = 'list' a list"),
    ],
)
def test_bad_mechanisms_are_named(mechanism: Any, message: str) -> None:
    with pytest.raises(ExplorationError, match=message):
        audit(mechanism, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1])


def test_what_is_too_large_or_empty_is_refused() -> None:
    claim = PrivacyClaim(1, "replace-one")
    with pytest.raises(ParameterError, match="that is 1,000,000 datasets, more than 5,000"):
        audit(response, claim, n=6, universe=range(10))
    with pytest.raises(ParameterError, match="no neighbouring inputs"):
        audit(response, claim, n=1, universe=[0], style="random")
    for relation in ("replace-one", "add-remove"):
        with pytest.raises(
            ParameterError, match=r"^the universe is missing; accepted: the labels .* such as universe=\[0, 1\]$"
        ):
            audit(response, PrivacyClaim(1, relation), n=1, style="random")
    with pytest.raises(ParameterError, match="no neighbouring inputs; accepted: n of at least 1"):
        audit(lambda count, _coins: count, PrivacyClaim(1, "counts"), n=0)
    with pytest.raises(ParameterError, match="that is 5,001 counts, more than 5,000"):
        audit(lambda count, _coins: count, PrivacyClaim(1, "counts"), n=5000)
    with pytest.raises(
        ParameterError,
        match="that is 4 datasets, more than 3: take a smaller universe or smaller n, or raise the budget of inputs",
    ):
        audit(response, claim, n=2, universe=[0, 1], style="random", budget=Budget(inputs=3))
    with pytest.raises(ParameterError, match=r"that is about 6,000\^2 datasets"):
        audit(response, claim, n=2, universe=range(6000))
    with pytest.raises(ParameterError, match="a label of the universe is listed twice"):
        audit(response, claim, n=1, universe=[0, 0])
    with pytest.raises(ParameterError, match="a universe is given, but inputs are counts"):
        audit(response, PrivacyClaim(1, "counts"), n=1, universe=[0])
    with pytest.raises(ParameterError, match="a label of the universe is listed twice"):  # before neighbours are looked at
        audit(response, PrivacyClaim(1, "counts"), n=1, universe=[0, 0])
    with pytest.raises(ParameterError, match="style = 'dice' is unknown"):
        audit(response, claim, n=1, universe=[0, 1], style="dice")  # type: ignore[arg-type]


def test_a_claimed_ratio_is_what_is_checked() -> None:
    """3 is below e^2, but a claim of 2 is refuted by it."""
    broken = responded("2", ratio=2)
    assert (broken.private, broken.tight, broken.worst_ratio) == ("fails", False, mpq(3))
    assert (broken.witness.event, broken.delta_bounds) == ((0,), (mpq(1, 4), mpq(1, 4)))
    assert responded("2", ratio=3).tight
    assert responded("2").private == "holds"
    assert checker.check(certificate(broken)) is None


def test_where_nothing_exceeds_the_bound_the_witness_is_where_the_ratio_is_worst() -> None:
    found = responded("2")
    assert (found.witness.event, found.witness.in_left, found.witness.in_right) == ((0,), mpq(3, 4), mpq(1, 4))
    assert found.delta_bounds == (mpq(0), mpq(0))


def test_an_infinite_ratio() -> None:
    found = audit(lambda data, _coins: data[0], PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1])
    assert (found.private, found.worst_ratio, found.delta_bounds) == ("fails", "infinite", (mpq(1), mpq(1)))
    assert found.profile == ((mpq(1), mpq(1)),)


@pytest.mark.deep
def test_another_thread_may_use_the_global_random_module() -> None:
    """As those of a Dask worker do."""
    over = threading.Event()

    def elsewhere() -> None:
        while not over.wait(0.001):
            random.random()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    try:
        for _ in range(20):
            assert responded("2").private == "holds"
    finally:
        over.set()
        thread.join()


def test_a_mechanism_that_wants_lists_and_one_that_changes_its_input() -> None:
    claim = PrivacyClaim("11/10", "replace-one")
    options: Any = {"n": 1, "universe": [0, 1], "style": "random", "rows": "list"}
    assert audit(lambda rows, rng: response([*rows], rng), claim, **options).private == "holds"
    assert audit(lambda rows, rng: response(rows.copy(), rng), claim, **options).private == "holds"
    with pytest.raises(ExplorationError, match=r"changes its input, to \[0, 1\]"):
        audit(lambda rows, _rng: rows.append(1), claim, **options)


def test_parameters_are_passed_by_name() -> None:
    def lying(data: Any, rng: Any, truth: int) -> int:
        return int(data[0] if rng.randrange(4) < truth else 1 - data[0])

    claim = PrivacyClaim("11/10", "replace-one")
    options: Any = {"n": 1, "universe": [0, 1], "style": "random"}
    ratios = [audit(lying, claim, parameters={"truth": truth}, **options).worst_ratio for truth in (2, 3, 4)]
    assert ratios == [1, 3, "infinite"]


def test_the_public_face_has_it_without_loading_it() -> None:
    assert finitedp.audit is audit
    with pytest.raises(AttributeError, match="no attribute 'audits'"):
        finitedp.audits  # noqa: B018


# Inputs and pairs


@pytest.mark.parametrize(("relation", "n"), [("replace-one", 0), ("replace-one", 3), ("add-remove", 0), ("add-remove", 3)])
def test_all_neighbouring_pairs_by_definition(relation: Any, n: int) -> None:
    inputs = all_inputs(relation, "abc", n, 5_000)
    literal = {(x, y) for x in inputs for y in inputs if x != y and are_neighbours(x, y, relation)}
    if not literal:
        with pytest.raises(ParameterError, match="no neighbouring inputs"):
            neighbouring(relation, "abc", n)
        return
    pairs = neighbouring(relation, "abc", n)
    assert (set(pairs), len(pairs)) == (literal, len(literal))


# The privacy profile

WEIGHTS = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any)


@given(st.lists(WEIGHTS, min_size=2, max_size=4), st.fractions(1, 12, max_denominator=20))
def test_the_profile_is_the_largest_hockey_stick_divergence(rows: Any, ratio: Any) -> None:
    laws = {i: PartialLaw({x: mpq(w, sum(row)) for x, w in enumerate(row) if w}) for i, row in enumerate(rows)}
    pairs = [(i, j) for i in laws for j in laws if i != j]
    corners = worst_profile(laws, pairs)
    pmfs = {i: Pmf({x: w for x, w in enumerate(row) if w}) for i, row in enumerate(rows)}
    for r in {mpq(ratio), *(corner for corner, _ in corners)}:
        assert between(corners, r) == max(hockey_stick(pmfs[i], pmfs[j], r).delta for i, j in pairs)


def between(corners: Any, r: mpq) -> mpq:
    """Delta at r: linear between corners, constant after the last."""
    for (r0, d0), (r1, d1) in pairwise(corners):
        if r0 <= r <= r1:
            return mpq(d0 + (d1 - d0) * (r - r0) / (r1 - r0))
    assert r >= corners[-1][0]
    return mpq(corners[-1][1])


def test_the_corners_of_a_profile_rise_and_bend() -> None:
    found = audit(lambda c, coins: GeoSample(5, 1).release(c, coins), GeoSample(5, 1).claim(), n=5)
    ratios = [r for r, _ in found.profile]
    assert ratios == sorted(set(ratios))
    assert ratios[0] == 1
    assert (ratios[-1], found.profile[-1][1]) == (found.worst_ratio, mpq(0))


# Accuracy


@pytest.mark.parametrize(
    ("a", "beta", "verdict"), [(0, "1/4", "holds"), (0, "249/1000", "fails"), (1, 0, "holds"), (0, 1, "holds")]
)
def test_an_accuracy_claim(a: int, beta: Any, verdict: str) -> None:
    found = audit(
        response,
        PrivacyClaim(2, "replace-one"),
        n=1,
        universe=[0, 1],
        style="random",
        accuracy=Accuracy(a, beta),
        truth=lambda data: data[0],
    )
    assert found.accuracy == verdict
    assert found.miss is not None
    assert found.miss.probability == (mpq(1, 4) if a == 0 else 0)
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(("beta", "verdict"), [("1048575/2097152", "undecided"), ("1/2", "holds"), ("49/100", "fails")])
def test_unresolved_mass_counts_against_accuracy(beta: str, verdict: str) -> None:
    """An error above 0 has probability exactly 1/2, of which 2^-20 is not resolved."""
    found = audit(
        coin_flips,
        PrivacyClaim(1, "replace-one", "51/100"),
        n=1,
        universe=[0, 1],
        style="random",
        budget=Budget(draws=20),
        accuracy=Accuracy(0, beta),
        truth=lambda data: data[0],
    )
    assert found.accuracy == verdict
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(("kind", "missed"), [("per-query", mpq(1, 2)), ("simultaneous", mpq(3, 4))])
def test_each_query_or_all_at_once(kind: Any, missed: mpq) -> None:
    def flips(count: int, coins: Any) -> tuple[int, int]:
        return count + int(coins.uniform(2)), count + int(coins.uniform(2)) - 1

    found = audit(
        flips, PrivacyClaim(9, "counts", 1), n=1, accuracy=Accuracy(0, missed, kind), truth=lambda count: (count + 1, count)
    )
    assert (found.accuracy, found.miss.probability if found.miss else None) == ("holds", missed)
    assert checker.check(certificate(found)) is None


@pytest.mark.parametrize(
    ("mechanism", "truth", "message"),
    [
        (lambda _count, _coins: "x", None, "an output is 'x'; an accuracy claim needs integers"),
        (lambda _count, _coins: (1, 2), None, r"the output \(1, 2\) has 2 coordinates, the true value 1"),
        (lambda count, _coins: count, lambda _count: 0.5, "the true value at 0 is 0.5"),
        (lambda _count, _coins: (), lambda _count: (), "no coordinate"),
    ],
)
def test_what_has_no_error_is_refused(mechanism: Any, truth: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        audit(mechanism, PrivacyClaim(9, "counts", 1), n=1, accuracy=Accuracy(0, 1, "per-query"), truth=truth)


def test_datasets_need_a_truth() -> None:
    with pytest.raises(ParameterError, match="needs `truth`, a function of the dataset"):
        audit(response, PrivacyClaim(2, "replace-one"), n=1, universe=[0, 1], style="random", accuracy=Accuracy(0, 1))


def test_outputs_that_are_equal_but_tell_more_are_refused() -> None:
    """True == 1, but who sees True knows that it was not computed."""
    claim = PrivacyClaim("11/10", "replace-one")
    options: Any = {"n": 1, "universe": [0, 1], "style": "random"}
    with pytest.raises(ParameterError, match=r"two outputs equal (0|1|True|False) but are of different types"):
        audit(lambda d, rng: bool(d[0]) if rng.randrange(4) else 1 - bool(d[0]), claim, **options)
    with pytest.raises(ExplorationError, match="two outputs equal True but are of different types"):
        audit(lambda _d, rng: True if rng.randrange(2) else 1, claim, **options)
    with pytest.raises(ParameterError, match="different types"):
        audit(lambda _d, rng: (1, 1), claim, specified=lambda _d: {(True, 1): 1}, **options)


def test_outputs_are_written_as_plain_integers() -> None:
    found = audit(lambda _c, coins: (mpz(3), int(coins.uniform(2)) > 1), PrivacyClaim(1, "counts"), n=1)
    assert sorted(map(repr, found.laws[0].probabilities)) == ["(3, False)", "(3, True)"]


def test_elements_of_a_set_are_told_apart() -> None:
    """{0, True} equals {False, 1}, and shows something else."""
    claim = PrivacyClaim(1, "replace-one")
    with pytest.raises(ParameterError, match="of different types"):
        audit(lambda d, _coins: frozenset({0, True}) if d[0] else frozenset({False, 1}), claim, n=1, universe=[0, 1])


def test_what_the_auditor_s_functions_raise_is_named() -> None:
    claim = PrivacyClaim(1, "counts")
    with pytest.raises(ParameterError, match="`specified` raised ZeroDivisionError at the input 0"):
        audit(lambda c, _coins: c, claim, n=1, specified=lambda c: {1 // c: 1})
    with pytest.raises(ParameterError, match="`truth` raised ZeroDivisionError at the input 0"):
        audit(lambda c, _coins: c, claim, n=1, accuracy=Accuracy(1, 1), truth=lambda c: 1 // c)
    with pytest.raises(ParameterError, match="kind = 'per_query' is unknown"):
        Accuracy(1, 1, "per_query")


HIDDEN = iter(random.random, -1.0)
"""Out of sight of what puts stand-ins in their places."""
BITS = np.random.PCG64(5)
"""Draws without a generator of numpy's."""


def test_a_generator_that_goes_round_the_stand_ins_is_noticed() -> None:
    with pytest.raises(ExplorationError, match="draws from a generator that is not followed"):
        laws.explored(lambda _data, _coins: next(HIDDEN) < 2, (), "coins", "tuple", Budget())
    with pytest.raises(ExplorationError, match="draws from a generator that is not followed"):
        laws.explored(lambda _data, coins: coins.uniform(9) == 1 and next(HIDDEN) < 0, (), "coins", "tuple", Budget())
    with pytest.raises(ExplorationError, match="draws from a generator that is not followed"):
        laws.explored(lambda _data, _coins: BITS.random_raw() % 2**40 == 7, (), "coins", "tuple", Budget())


def uneven(data: Any, coins: Any) -> int:
    """A second draw for one of two rows only."""
    return int(coins.uniform(2)) if data[0] else int(coins.uniform(2) + 0 * coins.uniform(3))


def more_comparisons(data: Any, coins: Any) -> int:
    u = coins.uniform(4)
    return 0 if u < 2 else int(u < 3)


@pytest.mark.parametrize(
    ("mechanism", "strict"),
    [(uneven, False), (more_comparisons, False), (lambda data, coins: int(coins.uniform(2) <= 1 + data[0]), True)],
)
def test_strict_time_is_the_same_draws_and_comparisons_on_every_path(mechanism: Any, strict: bool) -> None:
    found = audit(mechanism, PrivacyClaim(9, "replace-one", delta=1), n=1, universe=[0, 1], name="timed")
    assert found.unresolved == 0
    assert found.strict_time is strict


def takes_longer_for_some(_data: Any, rng: random.Random) -> int:
    """The draw is a number at once: what is compared of it is seen by undecided draws alone."""
    u = rng.randrange(4)
    return 0 if u < 2 else int(u < 3)


def compares_one_or_the_other(_data: Any, rng: random.Random) -> int:
    """Two comparisons on every path: of the small draw, a number at once, one is not seen on half of the paths."""
    large, small = rng.randrange(2**20), rng.randrange(4)
    return int(large < 2**18) if large < 2**19 else 2 + int(small < 2)


def takes_only_numbers(_data: Any, rng: random.Random) -> str:
    return json.dumps(rng.randrange(2))


@pytest.mark.parametrize(
    ("mechanism", "strict"),
    [
        (takes_longer_for_some, False),
        (takes_only_numbers, None),
        (lambda _data, rng: int(rng.randrange(4) < 2), True),
        (compares_one_or_the_other, True),
    ],
)
def test_strict_time_is_told_of_small_draws_only_where_their_comparisons_are_seen(mechanism: Any, strict: bool | None) -> None:
    found = audit(mechanism, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], name="timed", style="random")
    assert found.private == "holds"
    assert found.strict_time is strict


def test_what_was_not_followed_to_its_end_is_not_said_to_take_strict_time() -> None:
    """All paths that were followed are alike; others were not."""

    def program(data: Any, coins: Any) -> int:
        if coins.uniform(2) == 1:
            return 0
        while True:
            coins.uniform(2)

    found = audit(program, PrivacyClaim(9, "replace-one", delta=1), n=1, universe=[0, 1], name="loop", budget=Budget(draws=9))
    assert found.unresolved == mpq(1, 2)
    assert found.strict_time is False


@pytest.mark.parametrize(("n", "shown"), [(14, "100,000,000,000,000"), (15, "about 2^49")])
def test_how_many_datasets_there_are_is_told_in_few_digits(n: int, shown: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"that is {shown} datasets, more than 5,000")):
        all_inputs("replace-one", range(10), n, 5000)


def test_a_result_is_shown_without_laws_and_profile() -> None:
    shown = repr(responded("11/10", ratio=3))
    assert shown.startswith("AuditResult(name='rr', ")
    assert not any(f" {name}=" in shown for name in ("laws", "profile", "specified", "truths", "stated", "outputs"))


@pytest.mark.parametrize("universe", [[0, 0], [0, 1, 0], ["a", "a"]])
def test_a_universe_with_a_label_there_twice_is_refused(universe: list[Any]) -> None:
    with pytest.raises(ParameterError, match="twice"):
        audit(lambda data, coins: coins.uniform(2), PrivacyClaim(1, "replace-one"), n=1, universe=universe, name="x")


@pytest.mark.parametrize(("printed", "shown"), [("x" * 40, "x" * 40), ("x" * 41, "x" * 40)])
def test_what_a_mechanism_prints_is_told_in_forty_characters(printed: str, shown: str) -> None:
    def loud(data: Any, coins: Any) -> int:
        print(printed)  # noqa: T201  # what it must not
        return int(coins.uniform(2))

    with pytest.raises(ExplorationError, match=f"prints '{shown}'"):
        audit(loud, PrivacyClaim(1, "replace-one"), n=1, universe=[0, 1], name="x")


def test_an_exception_on_rare_draws_is_told_with_their_probability() -> None:
    """The logarithm of a uniform that is 0."""
    with pytest.raises(
        ExplorationError,
        match=r"raised ValueError: .*(domain|positive).* \(on draws of a probability of about 2\^-53\)",
    ):
        laws.explored(lambda _data, rng: math.log(rng.random()) < -1, (), "random", "tuple", Budget())
    with pytest.raises(ExplorationError, match=r"raised ZeroDivisionError: [a-z ]+; in [^ ]+, [^ ]+$"):
        laws.explored(lambda _data, rng: 1 // rng.getrandbits(1), (), "random", "tuple", Budget())


RUNS = 0
SEEN: list[int] = []
TABLE: dict[str, int] = {}
BOX = {"scale": 1}


def counts_its_runs(count: int, rng: random.Random) -> int:
    global RUNS  # noqa: PLW0603  # what is tried
    RUNS += 1
    return count if RUNS > 10_000 else rng.getrandbits(1)


def appends(count: int, rng: random.Random) -> int:
    SEEN.append(0)
    return count if len(SEEN) > 10_000 else rng.getrandbits(1)


def counts_in_a_default(count: int, rng: random.Random, runs: list[int] = [0]) -> int:  # noqa: B006  # what is tried
    runs[0] += 1
    return count if runs[0] > 10_000 else rng.getrandbits(1)


class CountsItsRuns:
    runs = 0

    def __call__(self, count: int, rng: random.Random) -> int:
        self.runs += 1
        return count if self.runs > 10_000 else rng.getrandbits(1)


def in_a_cell() -> Callable[[int, random.Random], int]:
    runs = 0

    def counts(count: int, rng: random.Random) -> int:
        nonlocal runs
        runs += 1
        return count if runs > 10_000 else rng.getrandbits(1)

    return counts


def by_name(count: int, *, rng: random.Random) -> int:
    """The source is given by name: what wraps the mechanism for it is finitedp's own."""
    return appends(count, rng)


@pytest.mark.parametrize("mechanism", [counts_its_runs, appends, counts_in_a_default, CountsItsRuns(), in_a_cell(), by_name])
def test_state_that_would_matter_after_many_runs_is_refused(mechanism: Callable[..., Any]) -> None:
    """A release of a long-lived process would be the count itself."""
    with pytest.raises(ExplorationError, match="keeps state between runs: "):
        audit(mechanism, PrivacyClaim("1", "counts"), n=1, style="random")


def fills_a_table(count: int, rng: random.Random) -> int:
    """What every run sets to the same value is no state."""
    TABLE.setdefault("bits", 1)
    BOX["scale"] = TABLE["bits"]
    return count ^ rng.getrandbits(BOX["scale"])


def test_a_table_that_is_filled_once_is_no_state() -> None:
    assert audit(fills_a_table, PrivacyClaim("0", "counts"), n=1, style="random").private == "holds"


def test_code_of_one_path_is_run_often() -> None:
    """A bit from elsewhere is the same in two runs as often as not."""
    bits = iter([0, 0, 0, 1, 0, 1, 1, 0] * 40)

    def clock(_count: int, _rng: random.Random) -> int:
        return next(bits)

    with pytest.raises(ExplorationError, match="differ"):
        audit(clock, PrivacyClaim("1", "counts"), n=1, style="random")


def bit(rng: random.Random) -> int:
    return rng.getrandbits(1)


def with_a_sampler(count: int, rng: random.Random) -> int:
    return count ^ bit(rng)


def test_a_declared_sampler_is_no_state() -> None:
    found = audit(with_a_sampler, PrivacyClaim("0", "counts"), n=1, style="random", samplers=[bit])
    assert found.private == "holds"
