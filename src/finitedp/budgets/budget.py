"""finitedp.Budget: several releases under one total epsilon and delta, each charged before anything is drawn for it.

A budget is for one neighbour relation. What was chosen by looking at earlier releases is covered: epsilons and deltas add up
whatever the later ones are (FD.Budget.sum).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.budgets.terms import Charge, Slots, Terms, Total, terms_from_json
from finitedp.claim import Neighbours, PrivacyClaim, relation_of
from finitedp.curve import Curve
from finitedp.errors import DataError, ParameterError, PrivacyBudgetError
from finitedp.exact import RationalLike
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.units import Unit

if TYPE_CHECKING:
    from finitedp.budgets.file import BudgetFile, Line

__all__ = ["Budget", "Charge", "charged", "uncharged"]

FORMAT, VERSION = "finitedp budget", 1
_entered: list["Budget"] = []  # one budget, as often as it was entered: of the process, so that no thread draws beside it
_entering = Lock()
_Slot = PrivacyClaim | Curve | tuple[PrivacyClaim | Curve, int]


def _terms_of(
    epsilon: RationalLike | None,
    delta: RationalLike,
    slots: Iterable[_Slot] | None,
    neighbours: Neighbours | None,
    unit: Unit | str | None,
) -> Terms:
    if slots is not None:
        if epsilon is not None or delta != 0 or neighbours is not None or unit is not None:
            raise ParameterError("slots say what they cost together; accepted: without epsilon, delta, neighbours and unit")
        found: Terms = Slots(slots)
    elif epsilon is None:
        raise ParameterError("epsilon is missing; accepted: epsilon and delta, or slots")
    elif not isinstance(unit, Unit | str | None):
        raise ParameterError(f"unit is {type(unit).__name__}; accepted: the name of a column, or a Unit")
    else:
        total = PrivacyClaim(epsilon, neighbours or "replace-one", delta)
        found = Total(total.epsilon, total.delta, relation_of(total.neighbours, unit))
    if found.relation.startswith("counts"):
        raise ParameterError("neighbours = 'counts' is a relation of one count; accepted: replace-one, add-remove")
    return found


class Budget:
    """What several releases may cost together, what was charged so far, and what is left.

    With `with budget:` every release of finitedp.release, finitedp.statistic and their like is charged, and refused where it
    does not fit; a mechanism that is called by itself is not seen: charge its claim by `charge`. Thread-safe; as a file
    (`Budget.new`, `Budget.open`) safe among processes of one machine.

    With epsilon and delta, those of the claims are added up. With slots, each release takes the first free slot whose curve is
    nowhere below its own, and `composition` tells what all slots cost together, which is less. Slots are declared beforehand:
    charging by composition what happened to run does not hold where later releases are chosen by earlier ones.

    Source: FD.Budget.sum, FD.Budget.slots.
    Parameters: epsilon >= 0 and delta in [0, 1], rationals; neighbours, what both are for: "replace-one", the default as for
    `finitedp.release`, or "add-remove"; unit, the column that says whose rows are protected together, or a Unit, None where it
    is one row. Or slots: claims or curves, each alone or with how often, all for
    one relation.
    Raises: ParameterError.
    """

    def __init__(
        self,
        epsilon: RationalLike | None = None,
        delta: RationalLike = 0,
        *,
        slots: Iterable[_Slot] | None = None,
        neighbours: Neighbours | None = None,
        unit: Unit | str | None = None,
    ) -> None:
        self._begin(_terms_of(epsilon, delta, slots, neighbours, unit), None)

    def _begin(self, terms: Terms, file: "BudgetFile | None") -> None:
        self._terms, self._file = terms, file
        self._charges: list[Charge] = []
        self._lock = Lock()

    # As a file

    @classmethod
    def new(
        cls,
        path: str | Path,
        epsilon: RationalLike | None = None,
        delta: RationalLike = 0,
        *,
        slots: Iterable[_Slot] | None = None,
        neighbours: Neighbours | None = None,
        unit: Unit | str | None = None,
    ) -> "Budget":
        """A budget that lives in a new file. Raises: FileExistsError where there is one; ParameterError, OSError."""
        from finitedp.budgets.file import BudgetFile  # noqa: PLC0415  # locks, which not every system has

        terms = _terms_of(epsilon, delta, slots, neighbours, unit)
        BudgetFile.new(Path(path), {"format": FORMAT, "version": VERSION, **terms.as_json(), "id": token_hex(16)})
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> "Budget":
        """The budget of a file. Raises: DataError for a file that is none, or was changed; OSError."""
        from finitedp.budgets.file import BudgetFile  # noqa: PLC0415  # as above

        found, file = cls.__new__(cls), BudgetFile(Path(path))
        with file.locked() as lines:
            found._begin(_terms_in((lines[0].document if lines else None) or {}, file.path), file)
            found._take(lines[1:])
        return found

    def _take(self, lines: "list[Line]") -> None:
        """Lines of the file, as charges."""
        for line in lines:
            charge = self._charge_of(line)
            try:
                self._note(charge)
            except PrivacyBudgetError as error:
                raise DataError(f"charge {charge.number} of the budget contradicts itself: {error}") from error

    def _note(self, charge: Charge) -> None:
        self._terms.take(charge)
        self._charges.append(charge)

    def _charge_of(self, line: "Line") -> Charge:
        number = len(self._charges) + 1
        if line.document is None:
            return self._terms.torn(number, line.text)
        try:
            claim, slot = PrivacyClaim.from_json(line.document["claim"]), line.document["slot"]
            charge = Charge(number, claim.epsilon, claim.delta, str(line.document["release"]), claim, slot)
        except (KeyError, ParameterError) as error:
            raise DataError(f"charge {number} of the budget cannot be read: {error}") from error
        written = {name: value for name, value in line.document.items() if name != "previous"}
        if written != charge.as_json() or (slot is None) != isinstance(self._terms, Total):
            raise DataError(f"charge {number} of the budget contradicts itself: its amounts are not those of its claim")
        return charge

    # What there is

    @property
    def terms(self) -> Terms:
        """What it allows, and what of it is left."""
        return self._terms

    @property
    def relation(self) -> str:
        """What its claims are for: neighbours, and whose rows where that is a unit."""
        return self._terms.relation

    @property
    def charges(self) -> tuple[Charge, ...]:
        """What was charged, in order, as far as this object has seen it: see `refresh`."""
        return tuple(self._charges)

    @property
    def _total(self) -> Total:
        if isinstance(self._terms, Total):
            return self._terms
        raise ParameterError("a budget of slots adds up no epsilons; accepted: composition, and free")

    @property
    def epsilon(self) -> mpq:
        """Of the whole budget. Raises: ParameterError where it has slots; so do delta, spent and left."""
        return self._total.epsilon

    @property
    def delta(self) -> mpq:
        """Of the whole budget."""
        return self._total.delta

    @property
    def spent(self) -> tuple[mpq, mpq]:
        """The sums of the epsilons and of the deltas."""
        return self._total.spent

    @property
    def left(self) -> tuple[mpq, mpq]:
        """The epsilon and the delta that are left, neither below 0."""
        return self._total.left

    @property
    def composition(self) -> Composition:
        """What all slots cost together, whichever of them are taken, and in which order. Source: FD.Budget.slots.

        Raises: ParameterError where there are none.
        """
        return compose(self._slots.declared)

    @property
    def free(self) -> tuple[int, ...]:
        """How many of each of the slots are left, in the order of their declaration. Raises: as composition."""
        return tuple(self._slots.free)

    @property
    def _slots(self) -> Slots:
        if isinstance(self._terms, Slots):
            return self._terms
        raise ParameterError("the budget has no slots; accepted: epsilon, delta, spent and left")

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
            slot = self._terms.slot_for(claim)
            charge = Charge(len(self._charges) + 1, claim.epsilon, claim.delta, release, claim, slot)
            append(charge.as_json())
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

    # As a context

    def __enter__(self) -> "Budget":
        """Charge every release of the process, of all its threads, from here on. Raises: PrivacyBudgetError within another."""
        with _entering:
            if _entered and _entered[0] is not self:
                raise PrivacyBudgetError("there is a budget already; accepted: one at a time")
            _entered.append(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Charge no more."""
        with _entering:
            _entered.pop()

    def __repr__(self) -> str:
        """What is left of what."""
        many = len(self._charges)
        return f"Budget({self.relation}): {self._terms}, {many} charge{'' if many == 1 else 's'}"


def _terms_in(document: dict[str, Any], path: Path) -> Terms:
    """What the first line of a file says. Raises: DataError."""
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        raise DataError(f"{path} is no budget; accepted: a file that Budget.new or `finitedp budget new` made")
    try:
        return terms_from_json(document)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is no budget: {type(error).__name__}: {error}") from error


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
    if not _entered:
        return source
    if isinstance(source, SeededWords):
        raise PrivacyBudgetError("words from a seed are not private; accepted within a budget: a source that is")
    return _Uncharged(source)


def charged(claim: PrivacyClaim, release: str, source: WordSource) -> WordSource:
    """The source of words for a release, once the budget of this context, if there is one, was charged for it.

    Parameters: claim; release, what is released, in words; source, as `uncharged` gave it, or any.
    Raises: PrivacyBudgetError, as Budget.charge and `uncharged`; OSError.
    """
    held = source if isinstance(source, _Uncharged) else uncharged(source)
    for budget in _entered[:1]:
        budget.charge(claim, release)
    return held.source if isinstance(held, _Uncharged) else held
