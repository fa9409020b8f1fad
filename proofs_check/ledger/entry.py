"""What a claim is: a statement, the code it speaks of, the check that decides it, and twins that the check must reject.

An entry joins a statement (in our own words) to the code it speaks of, a check, a grid of instances on which the check runs,
and negative twins: broken subjects that the same check must reject somewhere on the quick grid. A verdict is only ever the
result of a run; see proofs_check.ledger.verify. All entries together, in order: proofs_check.claims.

What establishes a statement decides its verdict. A check that decides the statement itself, exactly, on each instance, ends as
verified. One that combines what other entries say with numbers, at parameters at which nothing that the statement speaks of is
run or explored, is derived: the entry names those entries and the lemma. One that draws what it looks at is sampled.
One of an asymptotic bound, whose cost is counted at several sizes, is measured: no number of sizes decides it. One that
re-checks a proof object, which says so for all parameters, is proved.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, cast

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.errors import ParameterError

Kind = Literal["definition", "lemma", "theorem", "algorithm", "figure", "erratum", "own"]
Grid = Literal["quick", "full"]
Verdict = Literal["proved", "verified", "verified (symbolic)", "derived", "sampled", "measured", "repaired", "refuted"]

AS_READ = "as printed in a text that a machine read, which may have misread it"
"""How a literal text is introduced of which the only copy at hand was made by a machine."""

Instances = Callable[[], Iterable[Any]] | Sequence[Any]
"""Instances, listed or made when they are asked for."""

T = TypeVar("T")


class OutOfScopeError(ValueError):
    """An instance that a statement does not speak of. A type of instances raises it in its method `check_scope`."""


def in_scope(condition: object, words: str) -> None:
    """Words say what an instance must be. Raises: OutOfScopeError where it is not."""
    if not condition:
        raise OutOfScopeError(words)


@contextmanager
def out_of_scope_where_refused() -> Iterator[None]:
    """What the library refuses in here, such as a table of too few bits, is no instance. Raises: OutOfScopeError."""
    try:
        yield
    except ParameterError as error:
        raise OutOfScopeError(str(error)) from error


def is_taken(make: Callable[[], object], *refusal: type[Exception]) -> bool:
    """Whether something is made without these errors, by which it is refused."""
    try:
        make()
    except refusal:
        return False
    return True


@frozen
class Cases:
    """The instances of a check: on the quick grid, and those that the full grid adds."""

    quick: Instances
    more: Instances = ()

    def of(self, grid: Grid) -> Sequence[Any]:
        """The instances of a grid: the full one contains the quick one."""
        quick = _listed(self.quick)
        return quick if grid == "quick" else quick + _without(_listed(self.more), quick)


def _listed(instances: Instances) -> list[Any]:
    return list(instances() if callable(instances) else instances)


def _without(added: Sequence[T], known: Sequence[T]) -> list[T]:
    """What is added and not known yet. Laws have no hash, so what looks the same is compared, and nothing else."""
    alike: dict[str, list[T]] = {}
    for x in known:
        alike.setdefault(repr(x), []).append(x)
    return [x for x in added if x not in alike.get(repr(x), ())]


def cases(of: Callable[..., T], quick: Iterable[Any], more: Iterable[Any] = ()) -> Cases:
    """Instances, one for each tuple of fields; what is no tuple is the only field, or an instance already.

    Parameters: of, the type of an instance, or what makes one of its fields; quick, the quick grid; more, what the full grid
    adds to it. Raises: OutOfScopeError.
    """

    def made(fields: Any) -> T:  # noqa: ANN401  # a tuple of fields, or a single field
        if isinstance(of, type) and isinstance(fields, of):
            instance = cast(T, fields)
        else:
            instance = of(*fields) if isinstance(fields, tuple) else of(fields)
        if hasattr(instance, "check_scope"):
            instance.check_scope()
        return instance

    return Cases([made(x) for x in quick], [made(x) for x in more])


@frozen
class Finding:
    """What a check found on one instance. A check that raises has found nothing, of a twin either: its claim fails.

    holds: whether the statement is true there. load: how close it came to failing, as a fraction of what is allowed (1 is
    tight; for an equality, the statistical distance found). detail: the worst case or witness, in a few words.
    """

    holds: bool
    load: mpq
    detail: str


Check = Callable[[Any, Any], Finding]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


@frozen
class Entry:
    """A numbered statement and how it is checked.

    id: such as BV.Thm4.10.i. statement and quantifiers: what is claimed, and for which parameters. reach: what a run of the
    check establishes ("grid": the instances alone; otherwise in words, such as "all epsilon, each n of the grid").
    code: dotted names of what the statement speaks of. check(subject, instance) decides one instance. twins: broken subjects
    by name. expects: "holds", or "refuted" for a literal text that is wrong. repairs: the id of the literal entry that
    this one corrects. derived_from, by: of a derived entry the ids of its premises, and how it follows from
    them. sampled: what a sampled check draws, in words. measured: what is counted, and at which sizes, of an asymptotic bound.
    proof: the name of the proof object that the check re-checks, of a statement that is proved for all parameters.
    """

    id: str
    kind: Kind
    statement: str
    quantifiers: str
    code: tuple[str, ...]
    check: Check = field(repr=False)
    subject: Any = field(repr=False)
    twins: Mapping[str, Any] = field(repr=False)
    grid: Cases = field(repr=False)
    reach: str = "grid"
    expects: Literal["holds", "refuted"] = "holds"
    repairs: str | None = None
    derived_from: tuple[str, ...] = ()
    by: str = field(default="", converter=_in_one_line)
    sampled: str = field(default="", converter=_in_one_line)
    measured: str = field(default="", converter=_in_one_line)
    proof: str = ""

    def __attrs_post_init__(self) -> None:
        how = (self.derived_from, self.sampled, self.measured, self.proof, self.reach != "grid")
        if sum(map(bool, how)) > 1:
            raise ValueError(f"{self.id}: accepted: at most one of derived_from, sampled, measured, proof and reach")
        if bool(self.derived_from) != bool(self.by):
            raise ValueError(f"{self.id} is derived; accepted: derived_from, the ids of its premises, and by, how it follows")

    @property
    def verdict(self) -> Verdict:  # noqa: PLR0911  # one line each
        """The verdict of a run that is as expected, together with what the entry is derived from or repairs."""
        if self.expects == "refuted":
            return "refuted"
        if self.proof:
            return "proved"
        if self.derived_from:
            return "derived"
        if self.sampled:
            return "sampled"
        if self.measured:
            return "measured"
        if self.repairs is not None:
            return "repaired"
        return "verified" if self.reach == "grid" else "verified (symbolic)"

    @property
    def module(self) -> str:
        """The module of claims that holds the check."""
        return self.check.__module__

    def instances(self, grid: Grid) -> Sequence[Any]:
        """The instances of a grid: the full one contains the quick one."""
        return self.grid.of(grid)


_LEDGER: dict[str, Entry] = {}


def registered() -> Mapping[str, Entry]:
    """The entries that the modules imported so far have registered, by id; finitedp.proofs_check.claims has all of them."""
    return _LEDGER


def entry(
    id: str,  # noqa: A002  # the field's name; shadowing the builtin is harmless here
    kind: Kind,
    statement: str,
    *,
    over: str,
    code: Sequence[str],
    grid: Cases | tuple[Instances, Instances],
    subject: Any,  # noqa: ANN401  # what a check takes is between the check and its entry
    twins: Mapping[str, Any],
    reach: str = "grid",
    derived_from: Sequence[str] = (),
    by: str = "",
    sampled: str = "",
    measured: str = "",
    proof: str = "",
) -> Callable[[Check], Check]:
    """Register the decorated check as a ledger entry. A check may carry several entries.

    Parameters: derived_from and by, where the check runs nothing that the statement speaks of at the parameters of the grid,
    but combines what other entries say: their ids, and the lemma or the step by which the statement follows. sampled, where
    the check draws what it looks at: what is drawn. measured, of an asymptotic bound: what is counted, and at which sizes.
    proof, where the check re-checks a proof for all parameters: see finitedp.proofs_check.ledger.proofs. The rest as in Entry.
    """
    made, words = grid if isinstance(grid, Cases) else Cases(*grid), _in_one_line(statement)

    def register(check: Check) -> Check:
        first = (id, kind, words, over, tuple(code), check, subject, dict(twins), made, reach)
        _add(Entry(*first, derived_from=tuple(derived_from), by=by, sampled=sampled, measured=measured, proof=proof))
        return check

    return register


def erratum(
    id: str,  # noqa: A002  # as in entry
    printed: str,
    corrected: str,
    *,
    over: str,
    code: Sequence[str],
    grid: Cases | tuple[Instances, Instances],
    subject: Any,  # noqa: ANN401  # as in entry
    as_printed: tuple[str, Any] | None = None,
    printed_grid: Cases | None = None,
    printed_over: str | None = None,
    twins: Mapping[str, Any] | None = None,
    kind: Kind = "erratum",
    derived_from: Sequence[str] = (),
    by: str = "",
) -> Callable[[Check], Check]:
    """Register the decorated check twice: for the text as printed, which it must refute, and for the corrected text.

    Parameters: id, of the corrected entry; the literal one has `.literal` behind it. as_printed, the name and the subject of
    the printed text, which is the first twin of the corrected one; left out where the text is right but for the instances of
    printed_grid, which it wrongly covers. printed_over, for which parameters the printed
    text is run, where that is not `over`. kind, derived_from and by, of the corrected entry. The rest as in entry.
    """
    if (as_printed is None) == (printed_grid is None):
        raise ValueError(f"{id}: accepted: either as_printed or printed_grid")
    made, names = grid if isinstance(grid, Cases) else Cases(*grid), tuple(code)
    broken = {**(dict([as_printed]) if as_printed else {}), **(twins or {})}

    def register(check: Check) -> Check:
        literal, repaired = _in_one_line(printed), _in_one_line(corrected)
        wrong, where = as_printed[1] if as_printed else subject, printed_grid or made
        _add(
            Entry(f"{id}.literal", "erratum", literal, printed_over or over, names, check, wrong, {}, where, expects="refuted")
        )
        first = (id, kind, repaired, over, names, check, subject, broken, made)
        _add(Entry(*first, repairs=f"{id}.literal", derived_from=tuple(derived_from), by=by))
        return check

    return register


def but(kind: type[T], **steps: Any) -> type[T]:  # noqa: ANN401  # methods, mostly
    """A broken copy of a class, for a twin: with these steps, and all others as they are."""
    return cast(type[T], type(kind.__name__, (kind,), steps))


def _add(made: Entry) -> None:
    if made.id in _LEDGER:
        raise ValueError(f"the ledger has two entries {made.id}")
    _LEDGER[made.id] = made
