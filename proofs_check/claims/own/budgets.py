"""Our own claims about privacy budgets: what several releases cost together when the later ones are chosen by the earlier."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.budgets.budget import Budget, charged
from finitedp.budgets.file import Line
from finitedp.budgets.terms import Charge, Total
from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, PrivacyBudgetError
from finitedp.exact import exp_bounds
from finitedp.impl.randomness.words import SystemWords
from finitedp.proofs_check.checks.adaptive import largest_delta
from finitedp.proofs_check.ledger.entry import Finding, but, cases, in_scope, is_taken
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, own

Amount = tuple[mpq, mpq]
Made = Callable[[mpq, mpq], Budget]


class Adaptive(NamedTuple):
    """A total, the claims of which an adversary may choose each time, and how often."""

    epsilon: mpq
    delta: mpq
    menu: tuple[Amount, ...]
    times: int

    def check_scope(self) -> None:
        in_scope(all(len(amount) == 2 for amount in self.menu), "an epsilon and a delta of each claim")
        amounts = (*self.menu, (self.epsilon, self.delta))
        in_scope(self.menu and self.times >= 1, "some claims, some times")
        in_scope(all(0 <= epsilon <= 100 and 0 <= delta <= 1 for epsilon, delta in amounts), "epsilons to 100, deltas in 0..1")


def _worst_pair(epsilon: mpq, delta: mpq) -> list[tuple[mpq, mpq]]:
    """What dominates all releases of a claim: randomized response, and delta where it tells all."""
    ratio = exp_bounds(epsilon, 64)[0] if epsilon else mpq(1)
    more, less = (1 - delta) * ratio / (ratio + 1), (1 - delta) / (ratio + 1)
    return [(delta, mpq(0)), (more, less), (less, more), (mpq(0), delta)]


def _fits(make: Made, case: Adaptive, chosen: Sequence[Amount]) -> bool:
    """Whether the budget lets the last of the releases run, after the others have run."""
    budget, drawn = make(case.epsilon, case.delta), False
    for epsilon, delta in chosen:
        drawn = False
        with suppress(PrivacyBudgetError), budget:
            charged(PrivacyClaim(epsilon, "replace-one", delta), "a release", SystemWords())
            drawn = True
    return drawn


class _TheLargest(Total):
    """The largest release is charged, not the sum: parallel composition, where the rows are the same."""

    def take(self, charge: Charge) -> None:
        self.spent = max(self.spent[0], charge.epsilon), max(self.spent[1], charge.delta)


def _adding_up(kind: type[Total]) -> Made:
    def make(epsilon: mpq, delta: mpq) -> Budget:
        budget = Budget(epsilon, delta)
        budget._terms = kind(epsilon, delta, "replace-one")
        return budget

    return make


def _amounts(*texts: str) -> tuple[Amount, ...]:
    return tuple((mpq(a), mpq(b)) for a, b in (text.split() for text in texts))


_CASES = (
    Adaptive(mpq(1), mpq(0), _amounts("1/2 0", "1/3 0"), 3),
    Adaptive(mpq(1), mpq(1, 10), _amounts("1/2 1/20", "1/4 1/20"), 3),
    Adaptive(mpq(7, 5), mpq(1, 9), _amounts("7/10 0", "0 1/9", "7/10 1/9"), 3),  # 4/27 by the composition of what ran
    Adaptive(mpq(0), mpq(1, 2), _amounts("0 1/4", "0 1/3"), 3),
    Adaptive(mpq(1, 2), mpq(1, 4), _amounts("1/2 1/4", "1/2 0", "0 1/4"), 2),
)


@own(
    "FD.Budget.sum",
    """What a budget of epsilon and delta lets through is (epsilon, delta)-differentially private together, whatever is chosen
    by looking at the outputs before: the epsilons and the deltas of the claims add up to at most its own.""",
    over="totals, menus of claims and up to 4 releases; every adaptive strategy; every release the worst of its claim",
    code=["finitedp.budgets.budget.Budget.charge", "finitedp.budgets.budget.charged"],
    grid=cases(
        Adaptive,
        _CASES,
        [
            Adaptive(mpq(e), mpq(d), menu, 4)
            for e, d in (("1", "1/8"), ("3/2", "1/5"))
            for menu in combinations_with_replacement(_amounts("1/2 1/16", "3/4 0", "1/4 1/10"), 2)
        ],
    ),
    subject=Budget,
    twins={
        "delta is forgotten": _adding_up(but(Total, take=lambda self, charge: Total.take(self, evolve(charge, delta=mpq(0))))),
        "the largest, not the sum": _adding_up(_TheLargest),
        "one release too many": _adding_up(
            but(Total, slot_for=lambda self, claim: None if any(self.left) else Total.slot_for(self, claim))
        ),
    },
)
def the_sum(make: Made, case: Adaptive) -> Finding:
    gamma = exp_bounds(case.epsilon, 128)[0] if case.epsilon else mpq(1)
    menu = {one: _worst_pair(*one) for one in case.menu}
    worst = largest_delta(lambda chosen: _fits(make, case, chosen), menu, case.times, gamma)
    return at_most(worst, case.delta, "delta of all together at e^epsilon")


# The file


class Charged(NamedTuple):
    """The epsilons of some charges, in hundredths, of a total of 1; delta is a tenth of each."""

    epsilons: tuple[int, ...]

    def check_scope(self) -> None:
        in_scope(self.epsilons and min(self.epsilons) >= 0 and sum(self.epsilons) <= 100, "charges, all within the total")

    @property
    def claims(self) -> list[PrivacyClaim]:
        return [PrivacyClaim(mpq(x, 100), "replace-one", mpq(x, 1000)) for x in self.epsilons]


class _TornLinesAreNothing(Budget):
    """A last line that cannot be read is passed over."""

    def _take(self, lines: list[Line]) -> None:
        super()._take([line for line in lines if line.document is not None])


class _AsMuchAsTheFirst(Budget):
    """A torn line is charged what the charge before it was."""

    def _charge_of(self, line: Line) -> Charge:
        if line.document is None and self._charges:
            return self._charges[-1]
        return super()._charge_of(line)


def _texts_after_losses(text: bytes) -> Iterator[bytes]:
    """The file without some bytes of its last line: at each place where the line may be torn."""
    begins = text.removesuffix(b"\n").rfind(b"\n") + 1
    for end in range(begins + 1, len(text)):
        yield text[:end]


def _changed(text: bytes) -> Iterator[bytes]:
    """The file with one character of any line but the last one changed."""
    begins = text.removesuffix(b"\n").rfind(b"\n")
    for place in range(0, begins, 7):
        yield text[:place] + bytes([text[place] ^ 1]) + text[place + 1 :]


@own(
    "FD.Budget.file",
    """The file of a budget gives back what was charged; of a last line that was torn at any place at least what it would have
    charged, or all that was left, is taken as spent; and a file in which any line but the last was changed is refused.""",
    over="charges on the grid; every place of the last line; every seventh character of the others",
    code=["finitedp.budgets.budget.Budget.open", "finitedp.budgets.file.BudgetFile"],
    grid=cases(Charged, [Charged((33,)), Charged((10, 20)), Charged((5, 0, 90))], [Charged((1,) * k) for k in (1, 4, 12)]),
    subject=Budget,
    twins={"a torn line is passed over": _TornLinesAreNothing, "as much as the charge before": _AsMuchAsTheFirst},
)
def the_file(kind: type[Budget], case: Charged) -> Finding:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "budget"
        budget = kind.new(path, 1, mpq(1, 10))
        for claim in case.claims:
            budget.charge(claim)
        text, spent = path.read_bytes(), budget.spent
        found = [equal([x.claim for x in kind.open(path).charges], case.claims, "claims read again")]
        for torn in _texts_after_losses(text):
            path.write_bytes(torn)
            again = kind.open(path)
            lost = [spent[k] - again.spent[k] for k in (0, 1)] if any(again.left) else [mpq(0)]
            found.append(at_most(max(lost), mpq(0), f"lost of a line torn at {len(torn)}"))
        accepted = [other for other in _changed(text) if _is_accepted(kind, path, other)]
        return all_of([*found, equal(accepted, [], "files that were changed and are accepted")])


def _is_accepted(kind: type[Budget], path: Path, text: bytes) -> bool:
    path.write_bytes(text)
    return is_taken(lambda: kind.open(path), DataError)
