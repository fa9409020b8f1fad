"""Small cases of the empty-bin sampler: every M(0, .) with few draws and outcomes, and what the definition says of them."""

from typing import NamedTuple

from finitedp.proofs_check.claims.bv.compact.toys import ToyTable, defined_law
from finitedp.proofs_check.ledger.entry import Cases
from finitedp.proofs_check.ledger.grids import small_laws
from finitedp.spec import compact as spec
from finitedp.spec.pmf import Pmf


class Case(NamedTuple):
    """M(0, .) as a list of noisy counts, and d_0."""

    noisy: tuple[int, ...]
    d_0: int

    @property
    def mechanism(self) -> ToyTable:
        """M, of which only the row of count 0 matters here."""
        return ToyTable((self.noisy,) * (max(*self.noisy, 1) + 1))


def _cases(outcomes: int, d: int, more: int) -> list[Case]:
    """Every non-decreasing map of 1..d to 0..outcomes-1, and every d_0 from 4/3 d on."""
    rows = [tuple(v for v in range(outcomes) for _ in range(int(law.weight(v)))) for law in small_laws(outcomes, d)]
    return [Case(row, d_0) for row in rows for d_0 in range(-(-4 * d // 3), more + 1)]


CASES = Cases(
    lambda: [*_cases(2, 1, 3), *_cases(2, 3, 10), *_cases(3, 4, 9), *_cases(2, 5, 16)],
    lambda: [*_cases(3, 3, 16), *_cases(4, 5, 16), *_cases(3, 7, 30), *_cases(2, 12, 64)],
)

OVER = "every non-decreasing M(0, .) with d draws and few outcomes, and every d_0 >= 4/3 d up to a bound"


def defined_sampler(case: Case) -> tuple[int, ...]:
    """M_0(1), ..., M_0(d_0), from spec."""
    law = defined_law(case.mechanism)(0)
    return spec.empty_bin_sampler(law, len(case.noisy), case.d_0)


def noisy_law(case: Case) -> Pmf[int]:
    """The law of M(0, U), from spec."""
    return defined_law(case.mechanism)(0)


def preimage(case: Case, v: int) -> list[int]:
    """S_v: the u_0 with M_0(u_0) = v, from spec."""
    return [u_0 for u_0, noisy in enumerate(defined_sampler(case), start=1) if noisy == v]
