"""Dyadic tables at real parameters, our own: their exact worst ratio, and certificates that are checked by themselves."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import compare_exp
from finitedp.impl.counting.dyadic_table import DyadicTable
from finitedp.numbers import decimal
from finitedp.proofs_check.claims.own.dyadic.subjects import Dyadic, built, table_of
from finitedp.proofs_check.claims.own.dyadic.twins import LastTooSmall, LeftoverAtCentre, RoundedDown
from finitedp.proofs_check.dyadic_certificate import recheck
from finitedp.proofs_check.ledger.entry import Finding, cases
from finitedp.proofs_check.ledger.findings import all_of, equal, own
from finitedp.spec import dyadic as spec

PROTOTYPE = (200, "1/10", 48), 105127109637599
"""Parameters of the prototype, and the worst ratio that it had, to 14 places."""


class Real(NamedTuple):
    """Real parameters."""

    n: int
    epsilon: str
    word: int

    @property
    def stated(self) -> int | None:
        """The worst ratio that the prototype had there."""
        return dict([PROTOTYPE]).get(self)

    def __str__(self) -> str:
        return f"n={self.n}, epsilon={self.epsilon}, {self.word} bits"


REAL = cases(
    Real,
    [
        PROTOTYPE[0],
        *((10**9, "1/10", 64), (10**9, "1/10", 128), (1, "1/7", 64), (2, "20", 8)),
    ],
    [(10**9, "1/1000", 64), (10**9, "1/1000", 128), (10**6, "3", 54), (10**5, "1/10", 162)],
)


def _widest(table: DyadicTable) -> mpq:
    """The largest w_j / w_(j+1) and S_j / S_(j+1), the worst ratio over all counts and outputs; constant stretches once."""
    edge = len(table.head)
    steps = (mpq(table.weight(j), table.weight(j + 1)) for j in range(min(edge, table.n - 1)))
    ends = (mpq(table.upper(j), table.upper(j + 1)) for j in {*range(edge), table.n - 1})
    return max([*steps, *ends])


@own(
    "FD.Dyadic.real",
    """The exact worst ratio over all counts and outputs is at most R and within e^(epsilon/2), at n = 10^9 too. A prototype at
    n = 200, epsilon = 1/10, 48 bits had stated 1.05127109637599.""",
    over="n up to 10^9, epsilon down to 1/1000, 48 to 162 bits; all outputs and counts by their differences",
    code=["finitedp.impl.counting.dyadic_table.DyadicTable"],
    grid=REAL,
    subject=lambda case: built(Dyadic(*case)),
    twins={
        "leftover at the centre": lambda case: table_of(LeftoverAtCentre)(Dyadic(min(case.n, 300), *case[1:])),
        "floor for ceiling": lambda case: table_of(RoundedDown)(Dyadic(min(case.n, 300), *case[1:])),
        "last entry one too small": lambda case: table_of(LastTooSmall)(Dyadic(min(case.n, 300), *case[1:])),
    },
    derived_from=("FD.Dyadic.law", "FD.Dyadic.conditions"),
    by="the steps and tails of the running table, all of whose weights are looked at",
)
def real(make: Callable[[Real], DyadicTable], case: Real) -> Finding:
    worst, r = _widest(make(case)), spec.ratio_below(case.epsilon, case.word)
    private = worst <= r and compare_exp(worst, mpq(case.epsilon) / 2) <= 0
    shown = f"ratio {decimal(worst, 15)} of {decimal(r, 15)} allowed, below it by {decimal(r - worst)}"
    found = Finding(private, worst / r, shown)
    stated = [] if case.stated is None else [equal(int(worst * 10**14 // 1), case.stated, "the prototype's worst ratio")]
    return all_of([found, *stated])


Document = dict[str, Any]


def _written(case: Real) -> list[Document]:
    """The certificate, as it is read back from JSON."""
    return [json.loads(json.dumps(built(Dyadic(*case)).certificate()))]


def _changed(name: str, change: Callable[[Any], Any]) -> Callable[[Real], list[Document]]:
    return lambda case: [document | {name: change(document[name])} for document in _written(case)]


def _numerator_up(text: str) -> str:
    p, _, q = text.partition("/")
    return f"{int(p) + 1}/{q}"


@own(
    "FD.Dyadic.certificate",
    """The certificate of a table is accepted by a checker of the standard library alone, which re-derives the sum, (i), (ii)
    and R <= e^(epsilon/2) from the file.""",
    over="n up to 10^9, epsilon down to 1/1000, 48 to 162 bits; through JSON",
    code=["finitedp.impl.counting.dyadic_table.DyadicTable.certificate", "finitedp.proofs_check.dyadic_certificate.recheck"],
    grid=REAL,
    subject=_written,
    twins={
        "w_n one larger": _changed("last", lambda x: str(int(x) + 1)),
        "w_h one larger": _changed("tail", lambda x: str(int(x) + 1)),
        "n one larger": _changed("n", lambda x: str(int(x) + 1)),
        "an entry missing": _changed("head", lambda x: x[:-1]),
        "R rounded up": _changed("ratio", _numerator_up),
        "one bit more": _changed("bits", lambda x: x + 1),
    },
)
def certificate(write: Callable[[Real], list[Document]], case: Real) -> Finding:
    return equal([recheck(document) for document in write(case)], [None], "rejected because")
