"""The law of BlanketHistogram as its proof writes it is the closed form of the specification, on small plans."""

from itertools import combinations, product
from math import comb, prod

import pytest
from gmpy2 import mpq

from finitedp.proofs_check.ledger.proofs import Point, false_at, read
from finitedp.spec.blanket import Blanket, probability

PLANS = [
    Blanket((8, 5, 3, 4), 2, 2, 5, mpq(5, 32), 4, (2,)),
    Blanket((4, 3, 11), 0, 1, 4, mpq(3, 8), 3, (1, 3)),
    Blanket((6, 2, 1), 0, 3, 4, mpq(7, 8), 3, (2, 2)),
]


def _ways(plan: Blanket, others: dict[int, int], released: dict[int, int], label: int) -> tuple[list[mpq], list[list[mpq]]]:
    """W(N), for N slots that hold other labels than `label`, and c(N, i), for i more that hold it: all sequences."""
    y, most = plan.hit / ((1 - plan.hit) * plan.labels), plan.slots
    kept, new = [x for x in released if x in others], {x for x in released if x not in others} - {label}
    shared = prod((plan.bins[others[x]][released[x]] for x in kept), start=(1 - plan.hit) ** most)
    shared *= prod((1 - plan.shown(count) for x, count in others.items() if x not in released), start=mpq(1))
    shared *= prod((plan.tau(released[x]) for x in new), start=mpq(1))
    held = [sum(new <= set(x) for x in product([*new, *others], repeat=N)) for N in range(most + 1)]
    weights = [shared * comb(most, N) * y**N * many for N, many in enumerate(held)]
    return weights, [[comb(most - N, i) * y**i for i in range(most + 1)] for N in range(most + 1)]


@pytest.mark.parametrize("plan", PLANS)
def test_the_proof_speaks_of_the_law(plan: Blanket) -> None:
    """With one row of label 0, and without it: an output that does not list it, and one that does."""
    seen = 0
    for others in ({}, {1: 1}, {1: plan.n - 1} if plan.n > 1 else {}, {1: 1, 2: 1} if plan.n > 2 else {}):
        for size in range(plan.cap + 1):
            for labels, values in product(combinations(range(plan.labels), size), product(plan.values, repeat=size)):
                released = dict(zip(labels, values, strict=True))
                weights, ways = _ways(plan, others, released, 0)
                most = plan.cap - len([x for x in released if x in others])
                with_row, without = (probability(plan, data, tuple(released.items())) for data in (others | {0: 1}, others))
                sigma, once = plan.shown(1), plan.bins[1]
                if 0 not in released:
                    held = sum((weights[N] * sum(ways[N][: most - N + 1]) for N in range(most + 1)), mpq(0))
                    assert (with_row, without) == ((1 - sigma) * held, sum(weights[: most + 1]))
                else:
                    shown = sum((weights[N] * sum(ways[N][: most - N]) for N in range(most)), mpq(0))
                    blanket = sum((weights[N] * sum(ways[N][1 : most - N + 1]) for N in range(most)), mpq(0))
                    v = released[0]
                    assert (with_row, without) == (once[v] * shown, plan.tau(v) * blanket)
                seen += with_row > 0
    assert seen > 10


WAYS = [[str(comb(3 - N, i) * mpq(1, 10) ** i) for i in range(8)] for N in range(4)]
NUMBERS: Point = {"U": "11", "D": "1", "s": "0", "L": "2", "G": "3", "q": "1", "f": "1", "d": "10", "y": "1/10"}
NUMBERS = {**NUMBERS, "c": WAYS, "W": ["1", "2"], "M": "1", "k": "1", "N": "1", "m": "1", "t": "1", "p": "1/10"}
HITS: Point = {"U": "3", "D": "1", "s": "1", "L": "1", "G": "2", "q": "1", "f": "1", "d": "9", "k": "1", "A": "0"}
HITS = {**HITS, "a": ["1"], "H": ["1/4", "1/2", "1/4"], "K": ["3/4", "1/4"]}
MET = dict.fromkeys(("not negative", "all", "copies", "one unseen", "unseen", "once", "one seen", "seen"), NUMBERS)
MET |= dict.fromkeys(("one withheld", "withheld"), HITS)


@pytest.mark.parametrize("name", MET)
def test_plans_meet_the_hypotheses_of_the_proof(name: str) -> None:
    """Random points, which meet those of the other statements, are no binomial coefficients."""
    node = next(node for node in read("blanket")["nodes"] if node["name"] == name)
    assert false_at(node["where"], ["0 >= 1"], MET[name])
    assert not false_at(node["where"], node["then"], MET[name])
