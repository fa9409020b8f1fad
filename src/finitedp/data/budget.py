"""finitedp.Budget: several releases under one total epsilon and delta, each charged before anything is drawn for it.

A budget is for one neighbour relation. What was chosen by looking at earlier releases is covered: epsilons and deltas add up
whatever the later ones are (FD.Budget.sum).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from pathlib import Path
from secrets import token_hex
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import Neighbours, PrivacyClaim, check_neighbours
from finitedp.errors import DataError, ParameterError, PrivacyBudgetError
from finitedp.exact import RationalLike
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.numbers import shown

if TYPE_CHECKING:
    from finitedp.data.budget_file import BudgetFile, Line

__all__ = ["Budget", "Charge", "charged", "uncharged"]

FORMAT, VERSION = "finitedp budget", 1
_AMOUNTS = re.compile(r'\{"number": \d+, "epsilon": "(\d+(?:/\d+)?)", "delta": "(\d+(?:/\d+)?)",')
_active: ContextVar["Budget | None"] = ContextVar("the budget of the releases of this context", default=None)


@frozen
class Charge:
    """What one release was charged.

    number: 1, 2, ... epsilon, delta: rationals. release: what was released, in words. claim: None of a line that was torn.
    """

    number: int
    epsilon: mpq
    delta: mpq
    release: str
    claim: PrivacyClaim | None


@frozen
class _Terms:
    """What a budget is: all that is said before the first release."""

    total: PrivacyClaim
    id: str = field(factory=lambda: token_hex(16))

    def as_json(self) -> dict[str, Any]:
        total = self.total
        stated = {"epsilon": str(total.epsilon), "delta": str(total.delta), "neighbours": total.neighbours}
        return {"format": FORMAT, "version": VERSION, **stated, "id": self.id}

    @classmethod
    def from_json(cls, document: dict[str, Any] | None, path: Path) -> "_Terms":
        found = document or {}
        if found.get("format") != FORMAT or found.get("version") != VERSION or not isinstance(found.get("id"), str):
            raise DataError(f"{path} is no budget; accepted: a file that Budget.new or `finitedp budget new` made")
        try:
            return cls(PrivacyClaim(found["epsilon"], found["neighbours"], found["delta"]), found["id"])
        except (KeyError, ParameterError) as error:
            raise DataError(f"{path} is no budget: {error}") from error


class Budget:
    """A total epsilon and delta, what was charged so far, and what is left.

    With `with budget:` every release of finitedp.release, finitedp.statistic and their like is charged, and refused where it
    does not fit; a mechanism that is called by itself is not seen: charge its claim by `charge`. Thread-safe; as a file
    (`Budget.new`, `Budget.open`) safe among processes of one machine.

    Source: FD.Budget.sum.
    Parameters: epsilon >= 0 and delta in [0, 1], rationals; neighbours, what both are for: "replace-one", the default as for
    `finitedp.release`, or "add-remove".
    Raises: ParameterError.
    """

    def __init__(self, epsilon: RationalLike, delta: RationalLike = 0, *, neighbours: Neighbours = "replace-one") -> None:
        if check_neighbours(neighbours) == "counts":
            raise ParameterError("neighbours = 'counts' is a relation of one count; accepted: replace-one, add-remove")
        self._begin(_Terms(PrivacyClaim(epsilon, neighbours, delta)), None)

    def _begin(self, terms: _Terms, file: "BudgetFile | None") -> None:
        self._terms, self._file = terms, file
        self._charges: list[Charge] = []
        self._spent = mpq(0), mpq(0)
        self._lock, self._tokens = Lock(), list[Token[Budget | None]]()

    # As a file

    @classmethod
    def new(
        cls,
        path: str | Path,
        epsilon: RationalLike,
        delta: RationalLike = 0,
        *,
        neighbours: Neighbours = "replace-one",
    ) -> "Budget":
        """A budget that lives in a new file. Raises: FileExistsError where there is one; ParameterError, OSError."""
        from finitedp.data.budget_file import BudgetFile  # noqa: PLC0415  # locks, which not every system has

        made = cls(epsilon, delta, neighbours=neighbours)
        BudgetFile.new(Path(path), made._terms.as_json())
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> "Budget":
        """The budget of a file. Raises: DataError for a file that is none, or was changed; OSError."""
        from finitedp.data.budget_file import BudgetFile  # noqa: PLC0415  # as above

        found, file = cls.__new__(cls), BudgetFile(Path(path))
        with file.locked() as lines:
            terms = _Terms.from_json(lines[0].document if lines else None, file.path)
            found._begin(terms, file)
            found._take(lines[1:])
        return found

    def _take(self, lines: "list[Line]") -> None:
        """Lines of the file, as charges."""
        for line in lines:
            self._note(self._charge_of(line))

    def _note(self, charge: Charge) -> None:
        epsilon, delta = self._spent
        self._charges.append(charge)
        self._spent = epsilon + charge.epsilon, delta + charge.delta

    def _charge_of(self, line: "Line") -> Charge:
        number = len(self._charges) + 1
        if line.document is None:
            found = _AMOUNTS.match(line.text)
            epsilon, delta = self.left if found is None else (mpq(found[1]), mpq(found[2]))
            return Charge(number, epsilon, delta, "a line that was torn", None)
        try:
            claim = PrivacyClaim.from_json(line.document["claim"])
            charge = Charge(number, claim.epsilon, claim.delta, str(line.document["release"]), claim)
        except (KeyError, ParameterError) as error:
            raise DataError(f"charge {number} of the budget cannot be read: {error}") from error
        if any(line.document.get(name) != value for name, value in _amounts(charge).items()):
            raise DataError(f"charge {number} of the budget contradicts itself: its amounts are not those of its claim")
        return charge

    # What there is

    @property
    def epsilon(self) -> mpq:
        """Of the whole budget."""
        return self._terms.total.epsilon

    @property
    def delta(self) -> mpq:
        """Of the whole budget."""
        return self._terms.total.delta

    @property
    def neighbours(self) -> Neighbours:
        """What its epsilon and delta are for."""
        return self._terms.total.neighbours

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What was charged, in order, as far as this object has seen it: see `refresh`."""
        return tuple(self._charges)

    @property
    def spent(self) -> tuple[mpq, mpq]:
        """The sums of the epsilons and of the deltas."""
        return self._spent

    @property
    def left(self) -> tuple[mpq, mpq]:
        """The epsilon and the delta that are left, neither below 0."""
        epsilon, delta = self.spent
        return max(self.epsilon - epsilon, mpq(0)), max(self.delta - delta, mpq(0))

    @property
    def claim(self) -> PrivacyClaim:
        """What all that was charged satisfies together: the sums. Source: FD.Budget.sum."""
        epsilon, delta = self.spent
        return PrivacyClaim(epsilon, self.neighbours, min(delta, mpq(1)), source="FD.Budget.sum")

    def refresh(self) -> "Budget":
        """The budget itself, with what other processes have charged since. Raises: DataError, OSError."""
        with self._alone():
            return self

    # Charging

    def charge(self, claim: PrivacyClaim, release: str = "a release") -> Charge:
        """Charge a claim, before its release is drawn; of a file, when this returns it is on the disk.

        Parameters: claim; release, what it is for, in words.
        Raises: PrivacyBudgetError where it does not fit; nothing is charged then. OSError, DataError for a file that cannot be
        written or was changed: then it may have been charged, and nothing may be released.
        """
        with self._alone() as append:
            self._check(claim)
            charge = Charge(len(self._charges) + 1, claim.epsilon, claim.delta, release, claim)
            append({**_amounts(charge), "release": release, "claim": claim.as_json()})
            self._note(charge)
            return charge

    @contextmanager
    def _alone(self) -> Iterator[Callable[[dict[str, Any]], None]]:
        """Alone among threads and processes, all charges known; gives what writes one more down."""
        with self._lock:
            if self._file is None:
                yield lambda _document: None
                return
            with self._file.locked() as lines:
                self._take(lines)
                yield self._file.append

    def _check(self, claim: PrivacyClaim) -> None:
        if claim.neighbours != self.neighbours:
            raise PrivacyBudgetError(
                f"the claim is for {claim.neighbours}, the budget for {self.neighbours}; {_CONVERSIONS[self.neighbours]}"
            )
        for name, asked, left, total in zip(
            ("epsilon", "delta"), (claim.epsilon, claim.delta), self.left, (self.epsilon, self.delta), strict=True
        ):
            if asked > left:
                told = f"{name} = {shown(asked, 40)} does not fit: {shown(left, 40)} of {shown(total, 40)} is left"
                raise PrivacyBudgetError(f"{told}; nothing was charged")

    # As a context

    def __enter__(self) -> "Budget":
        """Charge every release from here on. Raises: PrivacyBudgetError within another budget."""
        if _active.get() is not None:
            raise PrivacyBudgetError("there is a budget already; accepted: one at a time")
        self._tokens.append(_active.set(self))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Charge no more."""
        _active.reset(self._tokens.pop())

    def __repr__(self) -> str:
        """What is left of what."""
        many = len(self._charges)
        epsilon, all_epsilon, delta, all_delta = (
            shown(x, 40) for pair in zip(self.left, (self.epsilon, self.delta), strict=True) for x in pair
        )
        of = f"epsilon {epsilon} of {all_epsilon} and delta {delta} of {all_delta} left"
        return f"Budget({self.neighbours}): {of}, {many} charge{'' if many == 1 else 's'}"


_CONVERSIONS = {
    "replace-one": "a claim (epsilon, delta) for add-remove is one of (2 epsilon, (1 + e^epsilon) delta) for replace-one",
    "add-remove": "a claim for replace-one says nothing of a row more or less; accepted: one with neighbours = 'add-remove'",
}


def _amounts(charge: Charge) -> dict[str, Any]:
    """First in a line, so that of a torn one they are the last to be lost."""
    return {"number": charge.number, "epsilon": str(charge.epsilon), "delta": str(charge.delta)}


@frozen
class _Uncharged:
    """A source of words for a release that the budget was not yet charged for: it gives none."""

    source: WordSource

    @property
    def name(self) -> str:
        return self.source.name

    def read(self, _size: int) -> bytes:
        raise PrivacyBudgetError("this release has no claim that could be charged; accepted within a budget: one that has")


def uncharged(source: WordSource) -> WordSource:
    """The source itself; within a budget one that gives no words, until `charged` gives the source back.

    Raises: PrivacyBudgetError within a budget for words from a seed, which are not private.
    """
    if _active.get() is None:
        return source
    if isinstance(source, SeededWords):
        raise PrivacyBudgetError("words from a seed are not private; accepted within a budget: a source that is")
    return _Uncharged(source)


def charged(claim: PrivacyClaim, release: str, source: WordSource) -> WordSource:
    """The source of words for a release, once the budget of this context, if there is one, was charged for it.

    Parameters: claim; release, what is released, in words; source, as `uncharged` gave it, or any.
    Raises: PrivacyBudgetError, as Budget.charge and `uncharged`; OSError.
    """
    budget, held = _active.get(), source if isinstance(source, _Uncharged) else uncharged(source)
    if budget is not None:
        budget.charge(claim, release)
    return held.source if isinstance(held, _Uncharged) else held
