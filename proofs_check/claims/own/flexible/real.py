"""One-sided noise on integer tables, our own: whole arrays, and tables at the parameters that are used."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from math import ceil
from typing import NamedTuple

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.errors import ParameterError
from finitedp.exact import compare_exp, exp_bounds
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.flexible.bulk import apply_array
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.tables import least_q, shifted_table
from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope, is_taken, out_of_scope_where_refused
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own
from finitedp.spec.flexible import shifted_truncated as spec

CODE = "finitedp.impl.flexible"


class Shifted(NamedTuple):
    """Parameters of a table: how many values the noise has, epsilon, and the bits of a word."""

    q: int
    epsilon: str
    bits: int

    def check_scope(self) -> None:
        in_scope(self.q >= 1 and mpq(self.epsilon) > 0 and 2 <= self.bits <= LARGEST_WORD, "q, epsilon and bits of a table")

    def __str__(self) -> str:
        return f"q={self.q}, epsilon={self.epsilon}, {self.bits} bits"


Array = NDArray[np.int64]
Release = Callable[[ShiftedTruncated, Array, NDArray[np.uint64]], Array]


@own(
    "FD.Shifted.arrays",
    "Whole arrays get the counts that the scalar path gives on the same words, and longer words are refused.",
    over="the words on both sides of every end of the table and of the range, at the counts 0, 1, q - 1, q and 2^40",
    code=[f"{CODE}.bulk.apply_array"],
    grid=cases(Shifted, [(4, "1", 6), (28, "1", 64), (1, "1", 64), (7, "1/2", 63)], [(219, "1/10", 64), (96, "1/4", 64)]),
    subject=apply_array,
    twins={
        "below zero": lambda mechanism, counts, words: apply_array(mechanism, counts + 1000, words) - 1000,
        "words with a sign": lambda mechanism, counts, words: apply_array(
            mechanism, counts, words ^ np.uint64(1 << (mechanism.word - 1))
        ),
        "longer words are taken": lambda mechanism, counts, words: apply_array(
            mechanism, counts, words & np.uint64((1 << mechanism.word) - 1)
        ),
    },
)
def arrays(of: Release, case: Shifted) -> Finding:
    in_scope(case.bits <= 64, "words that an array holds")
    with out_of_scope_where_refused():
        ends = ShiftedTruncated(1, case.q, case.epsilon, case.bits).table.ends
    near = sorted({x + step for x in (0, *ends) for step in (-1, 0, 1) if 0 <= x + step < 2**case.bits})
    words = [word for word in near for _ in range(5)]
    counts = [0, 1, case.q - 1, case.q, 2**40] * len(near)
    mechanism = ShiftedTruncated(len(words), case.q, case.epsilon, case.bits)
    given, drawn = np.array(counts, np.int64), np.array(words, np.uint64)
    found = of(mechanism, given, drawn).tolist()
    same = equal(found == [mechanism.apply(x, word) for x, word in zip(counts, words, strict=True)], True, "all equal")
    if case.bits == 64:
        return same
    drawn[-1] = 2**case.bits
    taken = is_taken(lambda: of(mechanism, given, drawn), ParameterError)
    return all_of([same, equal(not taken, True, f"whether a word of {case.bits + 1} bits is refused")])


class Real(NamedTuple):
    """epsilon and delta = 2^-k at which a table is used."""

    epsilon: str
    k: int

    def check_scope(self) -> None:
        in_scope(mpq(self.epsilon) > 0 and 1 <= self.k <= 50, "epsilon > 0, and delta at least 2^-50")


@own(
    "FD.Shifted.real",
    """At words of 64 bits least_q(epsilon, delta) is the least q with a delta of at most the one asked for, and no mechanism
    that reports an empty bar as empty and one of q rows or more as not empty does with fewer: dopt(q - 1) > delta at
    e^epsilon. R is the largest multiple of its unit below e^epsilon, and 2^64 from epsilon = 64 on.""",
    over="epsilon from 1/30 to 77 (300) and delta = 2^-20 and 2^-40 (in full to 2^-50); e^epsilon from above",
    code=[f"{CODE}.tables.least_q", "finitedp.spec.flexible.shifted_truncated.ideal_delta"],
    grid=cases(
        Real,
        [*product(("1/10", "1/4", "1/2", "1", "2"), (20, 40)), ("44", 40), ("77", 20), ("1/30", 20)],
        [*product(("1/20", "1/3", "3", "10"), (10, 30, 50)), *product(("63", "64", "300"), (1, 30))],
    ),
    subject=least_q,
    twins={
        "one more": lambda epsilon, delta: least_q(epsilon, delta) + 1,
        "one less": lambda epsilon, delta: least_q(epsilon, delta) - 1,
    },
)
def real(of: Callable[[str, mpq], int], case: Real) -> Iterator[Finding]:
    delta = mpq(1, 2**case.k)
    q = of(case.epsilon, delta)
    made = shifted_table(q, case.epsilon)
    epsilon = mpq(case.epsilon)
    unit = mpq(1, 2 ** (128 + (ceil(1 / epsilon) - 1).bit_length()))
    below = (made.ratio / unit).denominator == 1 and compare_exp(made.ratio, epsilon) <= 0 < compare_exp(
        made.ratio + unit, epsilon
    )
    largest = made.ratio == 2**64 if epsilon >= 64 else below
    yield at_most(made.delta, delta, "delta")
    yield equal(spec.ideal_delta(q - 1, exp_bounds(epsilon)[1]) > delta, True, "no mechanism does with q - 1")
    yield equal(largest, True, "R is the largest")
    yield equal(all(b * made.ratio >= a and a * made.ratio >= b for a, b in pairwise(made.weights)), True, "(i)")
