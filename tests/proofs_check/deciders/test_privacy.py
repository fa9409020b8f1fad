"""finitedp.proofs_check.deciders.privacy, factor and partial_law: the decider, and what unresolved mass does to it."""

from itertools import chain, combinations, product

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from finitedp.claim import PrivacyClaim
from finitedp.errors import ParameterError
from finitedp.exact import compare_exp, exp_bounds
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.partial_law import PartialLaw, unresolved_mass
from finitedp.proofs_check.deciders.privacy import decide_privacy
from finitedp.proofs_check.deciders.verdict import check_delta, decide_law
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

OUTCOMES = range(4)  # of which the last is never listed: unresolved mass may be there
EVENTS = list(chain.from_iterable(combinations(OUTCOMES, size) for size in range(len(OUTCOMES) + 1)))

weights = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
epsilons = st.fractions(0, 2, max_denominator=6)
deltas = st.fractions(0, 1, max_denominator=8)


def partial(row: list[int], missing: int) -> PartialLaw[int]:
    """The law of some weights, of which one outcome's mass is unresolved."""
    total = sum(row)
    return PartialLaw({x: mpq(w, total) for x, w in enumerate(row) if w and x != missing}, mpq(row[missing], total))


def completions(law: PartialLaw[int]) -> list[dict[int, mpq]]:
    """The laws with all the unresolved mass at one outcome, of which every other one is a mixture."""
    return [{x: law.probabilities.get(x, mpq(0)) + (law.unresolved if x == y else 0) for x in OUTCOMES} for y in OUTCOMES]


def is_private(p: dict[int, mpq], q: dict[int, mpq], claim: PrivacyClaim) -> bool:
    """By every event."""
    for event in EVENTS:
        in_p, in_q = sum((p[x] for x in event), mpq(0)) - claim.delta, sum((q[x] for x in event), mpq(0))
        if in_p > 0 and (in_q == 0 or compare_exp(in_p / in_q, claim.epsilon) > 0):
            return False
    return True


@given(weights, weights, st.integers(0, 2), st.integers(0, 2), epsilons, deltas)
def test_a_verdict_is_given_where_it_is_the_same_for_all_completions(
    left: list[int], right: list[int], i: int, j: int, epsilon: mpq, delta: mpq
) -> None:
    claim = PrivacyClaim(epsilon, "counts", delta)
    laws = [partial(left, i), partial(right, j)]
    found = decide_privacy(laws.__getitem__, [(0, 1)], claim)
    private = {is_private(p, q, claim) for p, q in product(*map(completions, laws))}
    assert (found.verdict == "holds") == (private == {True})
    if found.verdict == "fails":
        assert private == {False}
    assert found.unresolved == max(law.unresolved for law in laws)
    assert found.pairs == 1


@given(weights, weights, epsilons)
def test_the_witness_has_the_largest_gap(left: list[int], right: list[int], epsilon: mpq) -> None:
    laws = [Pmf(dict(enumerate(row))) for row in (left, right)]
    factor = Factor(mpq(epsilon))
    found = decide_privacy(laws.__getitem__, [(0, 1), (1, 0)], PrivacyClaim(epsilon, "counts", 1))
    witness = found.witness
    p, q = laws[witness.left], laws[witness.right]
    assert (witness.in_left, witness.in_right) == (p.probability(witness.event), q.probability(witness.event))
    for one, other in ((0, 1), (1, 0)):
        for event in EVENTS:
            in_p, in_q = laws[one].probability(event), laws[other].probability(event)
            if factor.exceeded(in_p, in_q):
                assert not factor.exceeded(in_p - witness.in_left, in_q - witness.in_right)
    assert not any(max_ratio(laws[i], laws[j]).exceeds(found.worst) for i, j in ((0, 1), (1, 0)))
    assert (found.worst.p, found.worst.q) == tuple(laws[i][found.worst.outcome] for i in (found.left, found.right))
    assert found.pairs == check_delta(laws.__getitem__, [(0, 1), (1, 0)], PrivacyClaim(epsilon, "counts", 1)).pairs == 2


def test_pairs_are_counted_one_by_one() -> None:
    law = Pmf({0: 1, 1: 1})
    for number in (1, 3, 7):
        pairs = [(i, i + 1) for i in range(number)]
        assert decide_privacy(lambda _data: law, pairs, PrivacyClaim(1, "counts")).pairs == number


def test_a_law_is_derived_once() -> None:
    seen = list[int]()

    def law(data: int) -> Pmf[int]:
        seen.append(data)
        return Pmf({0: 1})

    decide_privacy(law, [(0, 1), (1, 0), (1, 2), (2, 1)], PrivacyClaim(1, "counts"))
    assert seen == [0, 1, 2]


def test_where_nothing_is_resolved_nothing_is_decided() -> None:
    unknown = PartialLaw[int]({}, mpq(1))
    found = decide_privacy(lambda _data: unknown, [(0, 1), (1, 0)], PrivacyClaim(1, "counts", "1/2"))
    assert (found.verdict, found.ratio, found.tight, found.witness.event) == ("undecided", None, False, ())
    with pytest.raises(ParameterError, match="nothing of the laws is resolved"):
        _ = found.worst
    with pytest.raises(ParameterError, match="no neighbouring pairs"):
        decide_privacy(lambda _data: unknown, list[tuple[int, int]](), PrivacyClaim(1, "counts"))


def test_a_bound_that_is_attained_is_tight() -> None:
    same, point = Pmf({0: 1, 1: 1}), Pmf({0: 1})
    laws = [same, point]
    assert decide_privacy(laws.__getitem__, [(0, 0)], PrivacyClaim(0, "counts")).tight  # e^0 = 1 is a rational
    assert decide_privacy(laws.__getitem__, [(0, 1), (1, 0)], PrivacyClaim(1, "counts", "1/2")).tight
    assert not decide_privacy(laws.__getitem__, [(0, 1), (1, 0)], PrivacyClaim(1, "counts", "2/3")).tight


@given(st.fractions(-3, 3, max_denominator=30), st.fractions(-3, 3, max_denominator=30), epsilons)
def test_the_factor_is_compared_exactly(p: mpq, q: mpq, epsilon: mpq) -> None:
    factor = Factor(mpq(epsilon))
    low, high = exp_bounds(epsilon, 300)
    if epsilon == 0:
        assert factor.exceeded(mpq(p), mpq(q)) == (p > q)
    else:  # 300 bits tell all that are not equal, and these are equal only at 0
        assert factor.exceeded(mpq(p), mpq(q)) == (min(mpq(p) - low * q, mpq(p) - high * q) > 0)
    assert Factor(mpq(epsilon), mpq(3, 2)).exceeded(mpq(p), mpq(q)) == (2 * p > 3 * q)


def test_a_factor_next_to_a_rational_is_told_apart_from_it() -> None:
    low, high = exp_bounds(1, 200)
    assert Factor(mpq(1)).exceeded(high, mpq(1))
    assert not Factor(mpq(1)).exceeded(low, mpq(1))
    below, above = Factor(mpq(1)).gap(high + mpq(1, 10**80), mpq(1))
    assert 0 < below <= above <= below * (1 + mpq(1, 10**14))
    assert Factor(mpq(1)).gap(low, mpq(1)) == (mpq(0), mpq(0))


def test_a_law_in_part_agrees_or_differs() -> None:
    whole = Pmf({0: 1, 1: 1, 2: 2})
    assert decide_law(partial([1, 1, 2], 2), whole).verdict == "undecided"
    assert decide_law(PartialLaw({0: mpq(1, 4), 1: mpq(1, 4), 2: mpq(1, 2)}), whole).verdict == "equal"
    more = decide_law(PartialLaw({0: mpq(1, 3)}, mpq(2, 3)), whole)
    assert (more.verdict, more.outcome, more.found, more.expected) == ("differs", 0, mpq(1, 3), mpq(1, 4))
    assert decide_law(PartialLaw({9: mpq(1, 9)}, mpq(8, 9)), whole).verdict == "differs"


def test_a_partial_law_has_integer_weights() -> None:
    law = PartialLaw({"a": mpq(1, 6), "b": mpq(1, 4), "c": mpq(0)}, mpq(7, 12))
    assert (law.total, dict(law.weights), law.weight("z")) == (12, {"a": 2, "b": 3}, 0)
    assert (unresolved_mass(law), unresolved_mass(Pmf({0: 1}))) == (mpq(7, 12), mpq(0))


@pytest.mark.parametrize("bits", [1, 10, 40, 50, 62, 64, 70, 100, 120, 127, 200, 250])
@pytest.mark.parametrize("q", [mpq(1), mpq(1, 3), mpq(7, 10**6)])
def test_a_gap_is_enclosed_to_15_digits_however_small_it_is(bits: int, q: mpq) -> None:
    low, high = exp_bounds(mpq(3, 7), 2000)
    p = high * q + mpq(1, 1 << bits)
    below, above = Factor(mpq(3, 7)).gap(p, q)
    assert 0 < below <= p - high * q < p - low * q <= above
    assert (above - below) * 10**15 <= above
    assert Factor(mpq(3, 7), mpq(3, 2)).gap(mpq(3, 2) * q + mpq(1, 1 << bits), q) == (mpq(1, 1 << bits), mpq(1, 1 << bits))


STEP = mpq(1, 1 << 32)
FINEST = mpq(1, 1 << 1024)


@pytest.mark.parametrize(
    ("missing", "u"),
    [
        ([FINEST / 2], FINEST),
        ([FINEST], FINEST),
        ([FINEST + FINEST / 1024], 2 * FINEST),
        ([FINEST * 3], 4 * FINEST),
        ([mpq(1, 3**200)], mpq(1, 1 << 316)),
        ([STEP / 2], STEP / 2),
        ([STEP], STEP),
        ([STEP + FINEST], None),
        ([STEP / 2, STEP / 8], STEP / 2),
        ([STEP / 8, STEP / 2], STEP / 2),
        ([FINEST, STEP * 2, FINEST], None),
        ([FINEST, FINEST, STEP], STEP),
    ],
    ids=str,
)
def test_the_least_power_of_two_that_is_enough_beside_delta(missing: list[mpq], u: mpq | None) -> None:
    """The unresolved mass may all be an output that the other law does not have."""
    laws = {i: PartialLaw({0: 1 - m}, m) for i, m in enumerate(missing, start=1)} | {0: PartialLaw({0: mpq(1)})}
    found = decide_privacy(laws.__getitem__, [(i, 0) for i in laws if i], PrivacyClaim(0, "counts"))
    assert (found.verdict, found.u) == ("undecided" if u is None else "holds with delta + u", u)


@pytest.mark.parametrize("delta", [mpq(0), mpq(1, 10)], ids=str)
@pytest.mark.parametrize(
    ("excess", "missing", "u"),
    [
        (FINEST / 2, 0, FINEST),
        (FINEST * 3, 0, 4 * FINEST),
        (STEP / 2, 0, STEP / 2),
        (STEP / 2 + FINEST, 0, STEP),
        (STEP, 0, STEP),
        (STEP + FINEST, 0, None),
        (mpq(1, 4), 0, None),
        (STEP / 2, STEP / 4, STEP),
        (STEP / 2, STEP / 2, STEP),
        (STEP / 2, STEP, None),
    ],
    ids=str,
)
def test_by_how_little_a_claim_fails(delta: mpq, excess: mpq, missing: mpq, u: mpq | None) -> None:
    """P[0] - Q[0] is delta and the excess; of P some mass is missing, which may be at 0, too."""
    laws = [
        PartialLaw({0: mpq(1, 2) + delta + excess, 1: mpq(1, 2) - delta - excess - missing}, mpq(missing)),
        PartialLaw({0: mpq(1, 2), 1: mpq(1, 2)}),
    ]
    found = decide_privacy(laws.__getitem__, [(0, 1)], PrivacyClaim(0, "counts", delta))
    assert (found.verdict, found.u) == ("fails", u)


def test_one_pair_that_fails_by_more_is_enough() -> None:
    laws = {i: PartialLaw({0: mpq(1, 2) + e, 1: mpq(1, 2) - e}) for i, e in enumerate([mpq(0), STEP, STEP * 2])}
    pairs, claim = [(0, 1), (1, 0), (0, 2), (2, 0)], PrivacyClaim(0, "counts")
    assert decide_privacy(laws.__getitem__, pairs[:2], claim).u == STEP
    assert decide_privacy(laws.__getitem__, pairs, claim).u is None
    assert decide_privacy(laws.__getitem__, pairs[::-1], claim).u is None
