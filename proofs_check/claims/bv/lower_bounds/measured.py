"""What the checks of Section 7 measure is right: our own claims about the facts in lower_bounds.subjects.

FD.Measured: what is computed from single bins is what the joint laws say. FD.KeepHeavy.bin: the law of one bin of KeepHeavy.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product

from attrs import evolve
from gmpy2 import mpq

from finitedp.proofs_check.claims.bv.histograms.subjects import joint_law, released_count
from finitedp.proofs_check.claims.bv.lower_bounds import subjects
from finitedp.proofs_check.claims.bv.lower_bounds.subjects import Case, Law, Measured, measured
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import equal, own, same_law
from finitedp.spec.histogram import histogram
from finitedp.spec.neighbours import multisets
from finitedp.spec.pmf import Pmf

SHAPES = ((2, 3), (3, 2), (3, 3))
DECAYS = (mpq(2, 3), mpq(1, 5))
MORE_SHAPES = ((2, 1), (2, 5), (4, 3))
SMALL = cases(
    Case,
    [
        *(("basic", *shape, decay) for shape, decay in product(SHAPES[:2], DECAYS)),
        *(("stability", *shape, decay, 1) for shape, decay in product(SHAPES, DECAYS)),
        *(("heavy", 4, n, decay) for n, decay in ((1, DECAYS[0]), (1, DECAYS[1]), (2, DECAYS[0]))),
    ],
    [
        *(("basic", *SHAPES[2], decay) for decay in DECAYS),
        ("heavy", 4, 2, DECAYS[1]),
        *(("basic", *shape, mpq(4, 5)) for shape in MORE_SHAPES),
        *(("stability", size, n, mpq(4, 5), n - 1) for size, n in MORE_SHAPES),
        *product(("heavy",), (5,), (2, 3), (mpq(1, 3),)),
    ],
)


def _one_changing_bin(case: Case) -> Measured:
    found = measured(case)
    return evolve(found, levels=tuple((ratio, delta / 2) for ratio, delta in found.levels if delta))


@own(
    "FD.Measured",
    """The least delta at a ratio, the worst ratio and the least betas of independent bins and of KeepHeavy, computed from
    the laws of single bins, are those of the joint laws.""",
    over="BasicHistogram, StabilityHistogram, KeepHeavy; every dataset and neighbouring pair; the least beta of every a",
    code=[
        "finitedp.proofs_check.claims.bv.lower_bounds.subjects.measured",
        "finitedp.proofs_check.checks.worst_case.miss_over_bins",
    ],
    grid=SMALL,
    subject=measured,
    twins={
        "half of delta": _one_changing_bin,
        "per query for simultaneous": lambda case: evolve(measured(case), simultaneous=measured(case).per_query),
    },
)
def both_ways_agree(measure: Callable[[Case], Measured], case: Case) -> Iterator[Finding]:
    found, running = measure(case), measured(case._replace(kind=f"running {case.kind}"))
    deltas = dict(running.levels)
    yield equal(found.bins, running.bins, "nonzero counts")
    in_scope(any(ratio in deltas for ratio, _ in found.levels), "a ratio in common")
    yield from (equal(delta, deltas[ratio], f"delta at {ratio}") for ratio, delta in found.levels if ratio in deltas)
    for a in range(case.n + 1):
        yield equal(found.per_query(a), running.per_query(a), f"per query, a={a}")
        if case.kind != "heavy":
            yield equal(found.simultaneous(a), running.simultaneous(a), f"simultaneous, a={a}")


@own(
    "FD.KeepHeavy.bin",
    """KeepHeavy releases a noisy count v > 0 of a bin exactly where at most n - 1 other bins' noisy counts are v or more:
    the law of one bin on universes of any size.""",
    over="every dataset and label; the marginals of the joint law of the running code",
    code=["finitedp.impl.histograms.sparse.KeepHeavy", "finitedp.proofs_check.claims.bv.lower_bounds.subjects.heavy_bin"],
    grid=cases(
        Case,
        product(("running heavy",), (3, 4), (1, 2), (mpq(2, 3), mpq(1, 9))),
        [
            ("running heavy", *shape, decay)
            for shape, decay in product(((2, 1), (6, 1), (5, 2), (4, 3)), (mpq(4, 5), mpq(1, 5)))
        ],
    ),
    subject=subjects.heavy_bin,
    twins={
        "at most n others": lambda law, size, n, count, others: subjects.heavy_bin(law, size, n, count, others, beaten_by=n),
        "the others as if empty": lambda law, size, n, count, _others: subjects.heavy_bin(law, size, n, count, ()),
    },
)
def bin_of_keep_heavy(bin_law: Callable[[Law, int, int, int, Sequence[int]], Pmf[int]], case: Case) -> Iterator[Finding]:
    law, running = subjects.counting_law(case), joint_law(subjects.running_histogram(case))
    for dataset in multisets(range(case.size), case.n):
        joint, truths = running(dataset), histogram(dataset, range(case.size))
        for x, count in enumerate(truths):
            others = [c for y, c in enumerate(truths) if c and y != x]
            expected = bin_law(law, case.size, case.n, count, others)
            yield same_law(joint.pushforward(partial(released_count, x)), expected, f"{dataset}, label {x}")
