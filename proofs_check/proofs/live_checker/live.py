"""Live running: installed functions on terms instead of numbers. Read numbers.py and kernel.py first.

Trusted for: an operation of Nums is that of Python on integers and rationals; a comparison is what the sequent at hand
decides, or Undecided. Nums are no ints: what asks C for a machine number gets TypeError or Refused, never a wrong value. What
code may look at beside, language.py says: it is asked of all that ran.
"""

import builtins
import dis
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as Q
from functools import cache, cached_property, partial, wraps
from types import CodeType, FunctionType, MethodType
from typing import Any, Generic

import attrs
from gmpy2 import c_div, mpq, mpz

from finitedp.proofs_check.proofs.live_checker.kernel import Checker, Goal, Run, Sequent, parsed
from finitedp.proofs_check.proofs.live_checker.numbers import (
    ONE,
    Host,
    Lambda,
    Poly,
    Raised,
    Record,
    Refused,
    Symbol,
    key,
    need,
    number,
    raised,
    single_atom,
    variable,
)

NOW: list[Run] = []  # the runs at hand
RAN: dict[tuple[CodeType, int], Any] = {}  # what ran that is not of this checker, with its globals
OWN: set[int] = set()  # whose globals are the checker's
MADE: dict[int, tuple[Any, Record]] = {}  # objects of code that stand for those of statements


def note(frame: Any, event: str, _: Any) -> None:
    """Note that code runs, as sys.setprofile asks."""
    if event == "call" and id(frame.f_globals) not in OWN:
        RAN[frame.f_code, id(frame.f_globals)] = frame.f_globals


def started(code: CodeType, _: int) -> Any:
    """Note that code runs, as sys.monitoring asks, which Python has from 3.12 on; of the checker's own it asks once."""
    frame = sys._getframe(1)
    if id(frame.f_globals) in OWN:
        return sys.monitoring.DISABLE  # type: ignore[attr-defined,unused-ignore]  # of 3.12
    return note(frame, "call", None) if WATCHED[0] else None


WATCHED = [False]


def watch(on: bool) -> None:
    """From here on, what runs is noted, or not."""
    WATCHED[0] = on
    if not hasattr(sys, "monitoring"):
        sys.setprofile(note if on else None)


@contextmanager
def monitored() -> Iterator[None]:
    """Python tells of code that starts, where it does so by sys.monitoring."""
    tool = getattr(sys, "monitoring", None)
    if tool is None:
        yield
        return
    tool.use_tool_id(tool.PROFILER_ID, "finitedp")
    tool.register_callback(tool.PROFILER_ID, tool.events.PY_START, started)
    tool.restart_events()
    tool.set_events(tool.PROFILER_ID, tool.events.PY_START)
    try:
        yield
    finally:
        tool.set_events(tool.PROFILER_ID, 0)
        tool.free_tool_id(tool.PROFILER_ID)


@contextmanager
def apart(others: dict[tuple[CodeType, int], Any]) -> Iterator[None]:
    """What runs is noted among others."""
    before = dict(RAN)
    RAN.clear()
    yield
    others.update(RAN)
    RAN.clear()
    RAN.update(before)


def aside(function: Callable[..., Any]) -> Any:
    """A function of the checker that code calls: what runs within it is not the code's."""

    @wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        watch(False)
        try:
            return function(*given, **named)
        finally:
            if NOW and NOW[-1].code:
                watch(True)

    return run


# Numbers that code counts with.


class Num:
    """A number: its term."""

    __slots__ = ("_term_",)
    __hash__ = None  # type: ignore[assignment]  # no table may have it as a key

    def __init__(self, term: Poly) -> None:
        self._term_ = term

    @aside
    def __neg__(self) -> "Num":
        return Num(-self._term_)

    @aside
    def __bool__(self) -> bool:
        return not compared(self, "==", 0)

    @aside
    def __index__(self) -> int:
        value = self._term_.constant()
        need(value is not None and value.denominator == 1, "a machine number is asked of what is no constant")
        return int(value)

    @aside
    def __format__(self, _: str) -> str:
        return "a number"  # language.py sees to it that it is for an error's message

    @aside
    def bit_length(self) -> "Num":
        """As of an int."""
        return Num(NOW[-1].bits(self._term_))


PLAIN = (bool, int, type(mpz()), type(mpq()), Fraction)


def term_of(value: Any) -> Poly:
    """The term of a number that code has."""
    if isinstance(value, Num):
        return value._term_
    need(type(value) in PLAIN, "a number is counted or compared with what is none")
    return number(Q(int(value.numerator), int(value.denominator)))


def operated(sign: str, x: Any, y: Any) -> Any:
    """x sign y, in code."""
    a, b = term_of(x), term_of(y)
    return PLACE if isinstance(x, Place) or isinstance(y, Place) else Num(NOW[-1].operation(sign, a, b))


def compared(x: Any, sign: str, y: Any) -> bool:
    """Whether a comparison of code holds. Raises: Undecided."""
    run, d = NOW[-1], term_of(x) - term_of(y)
    run.tally += run.code
    if sign == "!=":
        return not run.sequent.decide((d, "=="))
    fact = {"<": (-d, ">"), "<=": (-d, ">="), ">": (d, ">"), ">=": (d, ">="), "==": (d, "==")}[sign]
    return run.sequent.decide(fact)


OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow"}
for _sign, _name in {**OPERATORS, "<<": "lshift", ">>": "rshift"}.items():
    setattr(Num, f"__{_name}__", aside(lambda self, other, sign=_sign: operated(sign, self, other)))
    setattr(Num, f"__r{_name}__", aside(lambda self, other, sign=_sign: operated(sign, other, self)))
for _sign, _name in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}.items():
    setattr(Num, f"__{_name}__", aside(lambda self, other, sign=_sign: compared(self, sign, other)))


class Part(Num):
    """1/q in lowest terms, as mpq gives it."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, q: Any) -> None:
        super().__init__(raised(term_of(q), number(-1)))
        self.numerator, self.denominator = 1, q


class Unknown:
    """An unknown function or a lambda of a statement, as what code calls."""

    def __init__(self, function: Any) -> None:
        self._function_ = function

    @aside
    def __call__(self, *given: Any) -> Any:  # noqa: D102
        run = NOW[-1]
        before, run.code = run.code, False
        try:
            return lifted(run, run.applied(self._function_, [lowered(one) for one in given]))
        finally:
            run.code = before


class Place(Num):
    """Where a loop is, while only that is asked which is the same in all its rounds."""

    __slots__ = ()


PLACE = Place(variable(("v", "a place", "int")))


class Some:
    """Some object, of which only the attributes are known."""

    def __getattr__(self, name: str) -> Any:
        raise Refused(f"it is not known what {name!r} is")


# Values of statements, and of code.


def lowered(value: Any) -> Any:
    """What code has, as a value of statements."""
    if id(value) in MADE:
        return MADE[id(value)][1]
    if isinstance(value, Part):
        return Record("some object", {"numerator": ONE, "denominator": lowered(value.denominator)})
    if isinstance(value, Num):
        return value._term_
    if isinstance(value, bool | None):
        return value
    if type(value) in PLAIN:
        return term_of(value)
    if isinstance(value, tuple):
        return tuple(map(lowered, value))
    if isinstance(value, Unknown):
        return value._function_
    if attrs.has(type(value)):
        fields = {a.name: lowered(getattr(value, a.name)) for a in attrs.fields(type(value))}
        MADE[id(value)] = value, Record(f"{type(value).__module__}.{type(value).__qualname__}", fields)
        return MADE[id(value)][1]
    if isinstance(value, partial) and isinstance(value.func, MethodType) and len(value.args) == 1 and not value.keywords:
        owner, name = value.func.__self__, value.func.__name__
        need(getattr(type(owner), name, None) is value.func.__func__, f"{name} is the name of another method")
        env = {"owner": lowered(owner), "first": lowered(value.args[0])}
        return Lambda(parsed(f"lambda other: owner.{name}(first, other)"), env)
    need(isinstance(value, FunctionType | MethodType | Fold), f"{type(value).__name__} is nothing that statements know")
    return Host(value)


def keyed(value: Any) -> Any:
    """What code reads, as something hashable that tells it from others."""
    if isinstance(value, MethodType):
        return ("method", value.__func__, keyed(value.__self__))
    return key(lowered(value))


def lifted(run: Run, value: Any) -> Any:
    """A value of statements as what code is given."""
    if isinstance(value, Poly):
        constant = value.constant()
        if constant is not None and constant.denominator == 1:
            return int(constant)
        atom = single_atom(raised(value, number(-1))) if len(value.terms) == 1 and not run.sequent.is_whole(value) else None
        below = atom and (atom[1] if atom[0] == "p" else variable(atom))  # of 1/q, of a statement
        return Part(lifted(run, below)) if below and run.sequent.is_whole(below) else Num(value)
    if isinstance(value, tuple):
        return tuple(lifted(run, part) for part in value)
    if isinstance(value, Record):
        if id(value) not in run.objects:
            run.objects[id(value)] = made(run, value)
            MADE[id(run.objects[id(value)])] = run.objects[id(value)], value
        return run.objects[id(value)]
    return Unknown(value) if isinstance(value, Symbol | Lambda) else value.value if isinstance(value, Host) else value


def made(run: Run, record: Record) -> Any:
    """An object with these fields, whose other properties and methods are those of its class; of no class, just these."""
    fields = {name: lifted(run, part) for name, part in record.fields.items()}
    if set(fields) == {"numerator", "denominator"}:
        return Part(fields["denominator"])
    if record.cls == "some object":
        found: Any = Some()
        vars(found).update(fields)
        return found
    cls = Live.named(record.cls)
    given = {n: property(partial(lambda value, _: value, v)) for n, v in fields.items() if not hasattr(attrs.fields(cls), n)}
    found = object.__new__(type(cls.__name__, (cls,), given) if given else cls)
    for name in set(fields) - set(given):
        object.__setattr__(found, name, fields[name])
    return found


# What cannot take a Num, and what it is instead. Each stands in the place of the genuine thing, and only there.


class _Rationals(type):
    def __call__(cls, a: Any, b: Any = 1) -> Any:
        if not isinstance(a, Num) and not isinstance(b, Num):
            return mpq(a, b)
        watch(False)
        if isinstance(a, Num) and type(b) is int and b == 1:
            found: Any = a  # of which nobody may ask for a denominator, but of 1/q
        elif isinstance(a, Part):
            found = Part(operated("*", a.denominator, b))
        else:
            below = term_of(b)
            need(NOW[-1].sequent.sign(below) == ">", "a divisor is not manifestly positive")
            found = (
                Part(b)
                if type(a) is int and a == 1 and NOW[-1].sequent.is_whole(below)
                else Num(NOW[-1].quotient(term_of(a), term_of(b)))
            )
        watch(True)
        return found


class _Rational(metaclass=_Rationals):
    """mpq."""


@aside
def _whole(value: Any) -> Any:
    """int and mpz: an integer as it is."""
    return Num(NOW[-1].whole(value._term_, "int")) if isinstance(value, Num) else int(value)


@aside
def least(a: Any, b: Any) -> Any:
    """min of two: either, where they are equal."""
    NOW[-1].tally += 1
    sequent, d = NOW[-1].sequent, term_of(b) - term_of(a)
    return a if sequent.holds((d, ">=")) or not (sequent.holds((-d, ">=")) or not sequent.decide((d, ">="))) else b


@aside
def _largest(a: Any, b: Any) -> Any:
    """max of two."""
    return b if least(a, b) is a else a


@aside
def _is_whole(value: Any) -> bool:
    """finitedp.exact.is_integer, which looks at the type alone: a Num is of any that holds its value."""
    return NOW[-1].sequent.is_whole(value._term_) if isinstance(value, Num) else type(value) in (int, type(mpz()))


class Rounds:
    """range(n), of which one round at most is run, by a loop over it that `folded` accepts: see Fold."""

    def __init__(self, rounds: Any) -> None:
        need(FOLDS, "a loop in no function that is known to be a fold")
        self._fold_ = FOLDS[-1]
        self._fold_.rounds = NOW[-1].whole(term_of(rounds), "a range")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fold_.places)


FOLDS: list[Any] = []


class Fold:
    """A function whose loop is `found = step(..., found, ...)`: what it gives is an unknown function of what it reads.

    Its bytecode is looked at once, and then it is run for no round, which shows where it begins, and for one.
    """

    def __init__(self, function: FunctionType, step: FunctionType) -> None:
        self._function_, self._step_, self.carried = function, step, carried(function, step)
        self.places, self.rounds = list[Any](), ONE
        self.call: Any = None
        self.next: Any = None

    def run(self, places: list[Any], given: tuple[Any, ...]) -> Any:
        """What the function gives, where its loop runs over these places; of the last step, `call` has what it was given."""
        self.places, self.call, space = places, None, self._function_.__globals__
        FOLDS.append(self)
        try:
            space[self._step_.__name__] = self.noted
            return self._function_(*given)
        finally:
            space[self._step_.__name__] = self._step_
            FOLDS.pop()

    def noted(self, *given: Any) -> Any:
        """In place of the step: what it is given where the loop begins, and where it goes on."""
        self.call, self.next = given if self.call is None else self.call, given
        return ROUND

    def __call__(self, *given: Any) -> Any:  # noqa: D102
        run, names = NOW[-1], self._step_.__code__.co_varnames
        start = self.run([], given)
        ran = self.run([PLACE, PLACE], given)
        watch(False)
        need(ran is ROUND, f"{self._function_.__name__} gives something else than its last step")
        before = {name: lowered(one) for name, one in zip(names, self.call, strict=False)}
        place = names.index(self.carried)
        need(key(before[self.carried]) == key(lowered(start)), "a fold begins elsewhere than it ends without rounds")
        reads = tuple((name, keyed(one)) for name, one in zip(names[:place], self.call, strict=False))
        same = reads == tuple((name, keyed(one)) for name, one in zip(names[:place], self.next, strict=False))
        need(same and self.next[place] is ROUND, "a fold hands on something else than its last step")
        site = f"{self._function_.__qualname__} {id(self)}"
        result = {self.carried: ("loop", site, self.carried, (self.rounds, reads, key(lowered(start))))}

        def again(of: Run, values: dict[str, Poly], i: Poly) -> dict[str, Any]:
            def one_round(i: Any, found: Any) -> Any:
                self.run([i], given)
                return self._step_(
                    *(found if name == self.carried else one for name, one in zip(names, self.call, strict=False))
                )

            return {self.carried: within(of, one_round, i, values[self.carried])}

        run.loops.append(({n: v for i, (n, v) in enumerate(before.items()) if i <= place}, result, self.rounds, again))
        found = Num(variable(result[self.carried]))
        watch(True)
        return found


class Round:
    """What a step gave, with which nothing but a step does anything."""


ROUND = Round()


def carried(function: FunctionType, step: FunctionType) -> str:
    """The parameter of the step that a fold carries on: the loop's body is one call of it, and gives nothing else a value."""
    body, parameters = list(dis.get_instructions(function)), step.__code__.co_varnames[: step.__code__.co_argcount]
    starts = [i for i, one in enumerate(body) if one.opname == "FOR_ITER"]
    need(len(starts) == 1, f"{function.__name__} has no loop, or several")
    inside = [one for one in body[starts[0] + 1 :] if one.offset < body[starts[0]].argval]
    stored = [name for one in inside if one.opname.startswith("STORE_") for name in stored_by(one)]
    jumps = [one for one in inside if "JUMP" in one.opname]
    calls = [one.argval for one in inside if one.opname == "LOAD_GLOBAL"]
    known = len(stored) == 2 and len(jumps) == 1 and jumps[0].opname == "JUMP_BACKWARD" and calls == [step.__name__]
    known = known and function.__globals__.get(step.__name__) is step and stored[1] in parameters
    need(known, f"the loop of {function.__name__} does more than {step.__name__}")
    return stored[1]


def stored_by(one: dis.Instruction) -> tuple[str, ...]:
    """The names to which an instruction gives values; in Python 3.13 it may have two names."""
    names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
    return names[:1] if one.opname == "STORE_FAST_LOAD_FAST" else names


class Remembers:
    """The table of `_remembered`, in its obligation: it has the value that is asked for, or not; and keeps no other."""

    def __init__(self, m: Num, value: Num) -> None:
        self.m, self.value, self.has = m, value, False

    def get(self, m: Any) -> Any:
        """As of a dict."""
        need(term_of(m) == self.m._term_, "another value is looked up")
        return self.value if self.has else None

    def __len__(self) -> int:
        return 0

    def __setitem__(self, m: Any, value: Any) -> None:
        need((term_of(m), term_of(value)) == (self.m._term_, self.value._term_), "another value is kept")


def transparent(remembered: Any) -> Callable[[Any, Any], Any]:
    """What `_remembered(tail, bits)` is: the tail, as long as bits > 0.

    Its obligation: on a table that begins empty, and has what it keeps or nothing, with room and without, it gives tail(m).
    """
    m, value = Num(variable(("v", "m", "int"))), Num(variable(("v", "tail(m)", "int")))
    NOW[:] = [Run(Sequent(Checker({}, Live), {}, Goal([], {})))]
    for has, room in ((False, 0), (False, 1), (True, 0), (True, 1)):

        def tail(asked: Any) -> Any:
            need(term_of(asked) == m._term_, "the tail is asked for another value")
            return value

        look_up = FunctionType(remembered.__code__, {**remembered.__globals__, "TABLE_BITS": room})(tail, 1)
        cells = dict(zip(look_up.__code__.co_freevars, look_up.__closure__, strict=True))
        need(cells["known"].cell_contents == {}, "a table does not begin empty")
        cells["known"].cell_contents = table = Remembers(m, value)
        table.has = has
        need(look_up(m) is value, "what is remembered is another value")

    NOW.clear()

    @aside
    def same(tail: Any, bits: Any) -> Any:
        term = term_of(bits)
        atom = single_atom(term)
        need(NOW[-1].sequent.sign(atom[1] if atom and atom[0] == "bits" else term) == ">", "values have no bits")
        return tail

    return same  # type: ignore[no-any-return]  # as aside gives it


SUMMARIES: dict[str, tuple[Any, Any]] = {  # by name: the genuine thing, and what it is instead
    "int": (int, _whole),
    "mpz": (mpz, _whole),
    "mpq": (mpq, _Rational),
    "c_div": (c_div, aside(lambda a, b: operated("*", -1, operated("//", operated("*", -1, a), b)))),
    "min": (min, least),
    "max": (max, _largest),
    "range": (range, aside(Rounds)),
}
STAND_INS: dict[
    int, Any
] = {}  # what names in code may mean beside functions and classes of finitedp: the summaries, and partial
OBLIGED: list[FunctionType] = []  # what stands behind summaries that were not run: language.py looks at these


def module(name: str) -> dict[str, Any]:
    """The names of a module of finitedp."""
    need(name.startswith("finitedp.") and ".proofs_check" not in name, f"{name} is no module that is run")
    return vars(importlib.import_module(name))


@contextmanager
def standing(summaries: dict[str, tuple[Any, Any]]) -> Iterator[None]:
    """Summaries stand where names mean the genuine things, in all modules of finitedp that are loaded."""
    changed = list[tuple[dict[str, Any], str, Any]]()
    spaces = [
        vars(m) for n, m in sys.modules.items() if n.startswith("finitedp.") and ".proofs_check" not in n and ".cli" not in n
    ]
    for space in spaces:
        for name, (real, other) in summaries.items():
            if space.get(name, getattr(builtins, name, None)) is real:
                changed.append((space, name, space.get(name, changed)))
                space[name] = other
    STAND_INS.update({id(one): one for both in summaries.values() for one in both})
    try:
        yield
    finally:
        for space, name, value in reversed(changed):
            if value is changed:
                del space[name]
            else:
                space[name] = value


@contextmanager
def prepared() -> Iterator[None]:
    """Summaries stand where names mean the genuine things, in all modules of finitedp that are loaded."""
    kernels, exact, geometric = (
        module(f"finitedp.{m}") for m in ("impl.arithmetic.kernels", "exact", "impl.counting.geometric")
    )
    basic = module("finitedp.impl.histograms.basic")
    folds = {name: (kernels[name], kernels[f"_{name}_step"]) for name in ("least_reaching", "last_above")}
    summaries = SUMMARIES | {name: (both[0], Fold(*both)) for name, both in folds.items()}
    for one in (
        0,
        mpz(1),
        mpq(1, 2),
        Fraction(1, 2),
        True,
        1.5,
        "1",
        None,
        Decimal(1),
        b"1",
    ):  # language.py: they ask for the type
        found = exact["is_integer"](one), exact["is_exact"](one)
        need(found == (type(one) in (int, type(mpz())), type(one) in PLAIN[1:]), f"a test of {type(one).__name__} is another")
    summaries |= {"is_integer": (exact["is_integer"], _is_whole)}
    summaries |= {"is_exact": (exact["is_exact"], aside(lambda value: isinstance(value, Num) or type(value) in PLAIN[1:]))}
    summaries |= {"_remembered": (geometric["_remembered"], transparent(geometric["_remembered"]))}
    summaries |= {"_refuse_incomplete": (geometric["_refuse_incomplete"], lambda _: None)}
    summaries |= {name: (exact[name], lambda *_: "a number") for name in ("short", "_bounds_text", "_form_text")}
    summaries |= {"_count_of": (basic["_count_of"], lambda *_: "a count")}  # for messages alone
    OBLIGED[:] = [geometric["_remembered"], exact["is_integer"], exact["is_exact"], geometric["_refuse_incomplete"]]
    STAND_INS.clear()
    STAND_INS[id(partial)] = partial
    try:
        with standing(summaries):
            yield
    finally:
        for cls, genuine in POST_INIT.items():
            cls.__attrs_post_init__ = genuine
        POST_INIT.clear()
        plain_class.cache_clear()
        Live.named.cache_clear()


def coded(run: Run, call: Callable[[], Any]) -> Any:
    """What code gives. Raises: Raised, where it raises an error of finitedp; Refused, where another."""
    errors, before = module("finitedp.errors"), run.code
    NOW.append(run)
    run.code = True
    watch(True)
    try:
        return call()
    except errors["FinitedpError"] as error:
        raise Raised(f"it raises {type(error).__name__}") from None
    except Exception as error:
        raise Refused(f"code asks of a number what it has not: {type(error).__name__}: {str(error)[:100]}") from None
    finally:
        watch(before)
        run.code = before
        NOW.pop()


def within(run: Run, function: Callable[..., Any], *given: Any) -> Any:
    """What code gives for values of statements, as a value of statements."""
    there = [lifted(run, one) for one in given]
    return lowered(coded(run, lambda: function(*there)))


POST_INIT: dict[Any, Any] = {}  # what stands behind the fields of classes, which is not run


class Live:
    """What runs installed code: see kernel.Code."""

    @staticmethod
    @cache
    def named(name: str) -> Any:
        """What is installed under a qualified name."""
        outer, _, last = name.rpartition(".")
        found = module(outer).get(last)
        if isinstance(found, Fold):
            return found
        known = isinstance(found, type | FunctionType) and found.__module__ == outer and found.__qualname__ == last
        need(known, f"{name} is no function or class that is installed")
        if isinstance(found, type):
            plain_class(found)
        return found

    @staticmethod
    def attribute(run: Run, of: Record, name: str) -> Any:
        """An attribute of an object."""
        known = of.cls != "some object" and not name.startswith("_")
        need(known, f"it is not known what {name!r} is")
        return within(run, lambda found: getattr(found, name), of)

    @staticmethod
    def called(run: Run, function: Any, given: list[Any]) -> Any:
        """What a call gives."""
        return within(run, function, *given)

    @staticmethod
    def some(of: Any, fields: dict[str, Any]) -> str:
        """The qualified name of a class, of which these are fields or properties."""
        need(isinstance(of, type), "Some of what is no class")
        kinds = (property, cached_property)
        known = all(hasattr(attrs.fields(of), n) or isinstance(vars(of).get(n), kinds) for n in fields)
        need(known, f"{of.__name__} has no such field or property")
        return f"{of.__module__}.{of.__qualname__}"


GENERATED: set[CodeType] = {cached_property.__get__.__code__}  # what runs of attrs and functools
_DUNDERS = """module annotations doc attrs_attrs attrs_own_setattr attrs_props init repr eq ne lt le gt ge hash setattr delattr
    getstate setstate match_args attrs_post_init dict weakref slots parameters orig_bases firstlineno static_attributes replace
    annotate annotate_func annotations_cache classcell"""
DUNDERS = {f"__{one}__" for one in _DUNDERS.split()}


@cache
def plain_class(cls: Any) -> None:
    """Stop unless a class is a frozen one of attrs, whose objects are made and kept as attrs does it from its fields.

    What stands behind the fields is not run: language.py looks at it.
    """
    members, name = vars(cls), cls.__name__
    need(vars(sys.modules[cls.__module__]).get(name) is cls, f"{name} is the name of another class")
    need(set(cls.__bases__) <= {object, Generic} and type(cls) is type, f"{name} has other bases")
    need(attrs.has(cls) and cls.__module__.startswith("finitedp."), f"{name} is no plain class of attrs")
    dunders = {one for one in members if one.startswith("__")}
    need(dunders <= DUNDERS, f"{name} has {sorted(dunders)}")
    own = {a.name: a for a in attrs.fields(cls)}
    kinds = (FunctionType, property, cached_property, type(vars(SlotsLike)["x"]))
    odd = [one for one, what in members.items() if one not in dunders and not isinstance(what, kinds)]
    need(not [one for one in odd if one not in own], f"{name} has what is neither field nor method: {odd[:1]}")
    again = attrs.make_class(
        name,
        {a.name: attrs.field(default=a.default, converter=a.converter, kw_only=a.kw_only, repr=a.repr) for a in own.values()},
        frozen=True,
        slots="__slots__" in members,
        class_body={"__attrs_post_init__": lambda self: None} if "__attrs_post_init__" in members else {},
    )
    for one in ("__init__", "__setattr__", "__delattr__"):
        made_, meant = members[one].__code__, getattr(again, one).__code__
        same = (made_.co_code, made_.co_names, made_.co_consts) == (meant.co_code, meant.co_names, meant.co_consts)
        need(same, f"{name}.{one} is not what attrs makes")
    GENERATED.add(members["__init__"].__code__)
    if "__attrs_post_init__" in members:
        POST_INIT[cls] = members["__attrs_post_init__"]
        cls.__attrs_post_init__ = lambda self: None


class SlotsLike:
    """Of which only the kind of a slot is asked."""

    __slots__ = ("x",)
