"""Live running: installed functions on terms instead of numbers. Read numbers.py and kernel.py first.

Trusted for: an operation of Nums is that of Python on integers and rationals; a comparison is what the sequent at hand
decides, or Undecided. Nums are no ints: what asks C for a machine number gets TypeError or Refused, never a wrong value. What
code may consist of, language.py says: it is asked of each function before its first instruction runs.
"""

import ast
import builtins
import dis
import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, cached_property, partial, wraps
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType, GeneratorType, MemberDescriptorType, MethodType
from typing import Any, Generic

import attrs
from gmpy2 import c_div, mpq, mpz

from finitedp.proofs_check.proofs.live_checker.kernel import *
from finitedp.proofs_check.proofs.live_checker.numbers import *

NOW: list[Run] = []  # the runs at hand
RAN: dict[tuple[CodeType, int], Any] = {}  # what ran that is not of this checker, with its globals
OWN: set[int] = set()  # whose globals are the checker's
MADE: dict[int, tuple[Any, Record]] = {}  # objects of code that stand for those of statements
WATCHED = [False]
JUDGE: list[Callable[[CodeType, dict[str, Any]], None]] = []  # language.judge
MONITOR: Any = getattr(sys, "monitoring", None)  # which Python has from 3.12 on


def note(frame: Any, event: str = "call", _: Any = None) -> None:
    """Code that begins to run is judged, once; sys.setprofile asks it. What has a loop may not run within another loop."""
    code, space = frame.f_code, frame.f_globals
    if event == "call" and id(space) not in OWN:
        if (code, id(space)) not in RAN:
            RAN[code, id(space)] = space
            JUDGE[0](code, space)
        outer = frame.f_back if bodies(code) else None
        while outer:
            inside = (outer.f_code, id(outer.f_globals)) in RAN and any(outer.f_lasti in b for b in bodies(outer.f_code))
            need(not inside, f"{code.co_qualname} has a loop, and runs within one")
            outer = outer.f_back


@cache
def bodies(code: CodeType) -> list[range]:
    """Where in code the bodies of its loops are."""
    inside = list(dis.get_instructions(code))
    ends = {one.argval: one.offset for one in inside if "JUMP_BACKWARD" in one.opname}  # the last one of each
    return [range(b.offset, ends[a.offset] + 1) for a, b in pairwise(inside) if a.opname == "FOR_ITER"]


def started(_: CodeType, __: int) -> Any:
    """The same, as sys.monitoring asks it; of the checker's own code it asks once."""
    frame = sys._getframe(1)
    if id(frame.f_globals) in OWN:
        return MONITOR.DISABLE
    if WATCHED[0]:
        aside(note)(frame)
    return None


def monitor() -> None:
    """Python tells of code that starts, where it does so by sys.monitoring."""
    if MONITOR and not MONITOR.get_tool(MONITOR.PROFILER_ID):
        MONITOR.use_tool_id(MONITOR.PROFILER_ID, "finitedp")
        MONITOR.register_callback(MONITOR.PROFILER_ID, MONITOR.events.PY_START, started)
        MONITOR.set_events(MONITOR.PROFILER_ID, MONITOR.events.PY_START)


def watch(on: bool) -> None:
    """From here on, what starts is judged, or not."""
    WATCHED[0] = on
    if not MONITOR:
        sys.setprofile(note if on else None)


def aside(function: Callable[..., Any]) -> Any:
    """A function of the checker that code calls: what runs within it is not the code's, whose generators run before."""

    @wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        given = tuple(list(one) if isinstance(one, GeneratorType) else one for one in given)
        watch(False)
        try:
            return function(*given, **named)
        finally:
            watch(bool(NOW and NOW[-1].code))

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
    def __format__(self, _: str) -> str:
        return "a number"  # language.py sees to it that it is for an error's message

    def __repr__(self) -> str:
        raise Refused("code asks for the text of a number")

    @aside
    def bit_length(self) -> "Num":
        """As of an int."""
        return Num(NOW[-1].bits(self._term_))


PLAIN = (bool, int, type(mpz()), type(mpq()), Fraction)


def term_of(value: Any) -> Poly:
    """The term of a number that code has."""
    if isinstance(value, Num):
        return value._term_
    if type(value) is int:
        return number(value)
    need(type(value) in PLAIN, "a number is counted or compared with what is none")
    return number(Fraction(int(value.numerator), int(value.denominator)))


def operated(sign: str, x: Any, y: Any) -> Num:
    """x sign y, in code."""
    return Num(NOW[-1].operation(sign, term_of(x), term_of(y)))


def compared(x: Any, sign: str, y: Any) -> bool:
    """Whether a comparison of code holds. Raises: Undecided."""
    run, d = NOW[-1], term_of(x) - term_of(y)
    run.tally += run.code
    if sign == "!=":
        return not run.sequent.decide((d, "=="))
    return run.sequent.decide((-d, sign.replace("<", ">")) if "<" in sign else (d, sign))


_OPS = {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod", "**": "pow", "<<": "lshift", ">>": "rshift"}
for _sign, _name in _OPS.items():
    setattr(Num, f"__{_name}__", aside(lambda self, other, sign=_sign: operated(sign, self, other)))
    setattr(Num, f"__r{_name}__", aside(lambda self, other, sign=_sign: operated(sign, other, self)))
for _sign, _name in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}.items():
    setattr(Num, f"__{_name}__", aside(lambda self, other, sign=_sign: compared(self, sign, other)))


class Part(Num):
    """1/q in lowest terms, as mpq gives it; q is surely an integer above 0."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, run: Run, q: Any) -> None:
        super().__init__(run.quotient(ONE, run.whole(term_of(q), "1/q")))
        self.numerator, self.denominator = 1, q


class Untold:
    """What code may not tell from others, nor keep as a key, nor ask whether it is true, nor write as a text."""

    def __eq__(self, other: object) -> bool:
        raise Refused("what is unknown is compared")

    def __hash__(self) -> int:
        raise Refused("what is unknown is a key")

    def __bool__(self) -> bool:
        raise Refused("what is unknown is no condition")

    def __repr__(self) -> str:
        raise Refused("code asks for the text of what is unknown")


class Summary(Untold):
    """A function of the checker, or what it makes, in the place of another one."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function_ = aside(function)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:  # as the checker's own tables ask
        need(not WATCHED[0], "what stands for another is compared")
        return self is other

    def __call__(self, *given: Any, **named: Any) -> Any:  # noqa: D102
        return self._function_(*given, **named)


class Kept(Untold):
    """A function whose values are kept: the function itself."""

    def __init__(self, of: Any) -> None:
        self._of_ = of

    def __call__(self, *given: Any) -> Any:  # noqa: D102
        return self._of_(*given)


class Unknown(Untold):
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


class Some(Untold):
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
    if type(value) in PLAIN[1:]:
        return term_of(value)
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
    known = isinstance(value, FunctionType | MethodType) or id(value) in STAND_INS
    need(known, f"{type(value).__name__} is nothing that statements know")
    return Host(value)


def lifted(run: Run, value: Any) -> Any:
    """A value of statements as what code is given."""
    if isinstance(value, Poly):
        constant = value.constant()
        if constant is not None and constant.denominator == 1:
            return Num(value) if run.counting else int(constant)
        atom = single_atom(raised(value, number(-1))) if len(value.terms) == 1 and not run.sequent.is_whole(value) else None
        below = atom and (atom[1] if atom[0] == "p" else variable(atom))  # of 1/q, of a statement
        known = below and run.sequent.is_whole(below) and run.sequent.sign(below) == ">"
        return Part(run, lifted(run, below)) if known else Num(value)
    if isinstance(value, Record):
        if id(value) not in run.objects:
            run.objects[id(value)] = made(run, value)
            MADE[id(run.objects[id(value)])] = run.objects[id(value)], value
        return run.objects[id(value)]
    return Unknown(value) if isinstance(value, Symbol | Lambda) else value.value if isinstance(value, Host) else value


def made(run: Run, record: Record) -> Any:
    """An object with these fields, whose other properties and methods are those of its class; of no class, just these."""
    fields = {name: lifted(run, part) for name, part in record.fields.items()}
    if {"numerator", "denominator"} & set(fields):
        need(len(fields) == 2 and record.cls == "some object", "a fraction has other than a numerator and a denominator")
        need(as_number(record.fields["numerator"]) == ONE, "a fraction's numerator is not known to be 1")
        return Part(run, fields["denominator"])
    found: Any = Some()
    given: dict[str, Any] = {}
    if record.cls != "some object":
        cls = Live.named(record.cls)
        given = {
            n: property(partial(lambda value, _: value, v)) for n, v in fields.items() if not hasattr(attrs.fields(cls), n)
        }
        found = object.__new__(type(cls.__name__, (cls,), given) if given else cls)
    for name in set(fields) - set(given):
        object.__setattr__(found, name, fields[name])
    return found


# What is taken at its word. Trusted for: what stands in TAKEN, and all functions of finitedp that it names, has been read by
# somebody, and does what the summary in its place does. It is compared with its fingerprint: what its source says, but for
# comments, texts for readers and types, and what the names in it mean. What it asks of objects is not looked at.

USED: set[str] = set()  # what of these stood in the place of something that ran
BELOW: dict[str, set[str]] = {}  # what each of these reads
KERNELS, EXACT, COUNTING = "finitedp.impl.arithmetic.kernels", "finitedp.exact", "finitedp.impl.counting"
HISTOGRAMS, DRAWING = "finitedp.impl.histograms", "finitedp.data.drawing"
TAKEN: dict[str, str] = {
    f"{EXACT}.is_integer": "b0f62d6259f02f41",
    f"{EXACT}.is_exact": "ad9c435635762467",
    f"{EXACT}._bounds_text": "c33885a15ff328f2",
    f"{EXACT}._form_text": "fac1c841207d75be",
    "finitedp.labels.short": "0307542e31a0a82e",
    f"{KERNELS}.least_reaching": "d96c44079844b927",
    f"{KERNELS}.last_above": "e01cb0083030e8f8",
    f"{COUNTING}.geometric._remembered": "abcf01a42b23ac60",
    f"{COUNTING}.geometric._refuse_incomplete": "04bda85df78d339d",
    f"{HISTOGRAMS}.basic._count_of": "eaa9ee62aef50ad9",
    f"{COUNTING}.geometric.GeoSample.__attrs_post_init__": "5809ccbdc1581270",
    f"{COUNTING}.geometric.FastSample.__attrs_post_init__": "26bd0dda7c2a0561",
    f"{COUNTING}.dyadic.DyadicSample.__attrs_post_init__": "596f422fa958b7ca",
    f"{COUNTING}.dyadic_table.DyadicTable.__attrs_post_init__": "5fbe2a0d0b986aec",
    f"{HISTOGRAMS}.empty_bins.EmptyBinSampler.__attrs_post_init__": "3895f476566a463c",
    f"{HISTOGRAMS}.stability.StabilityHistogram.__attrs_post_init__": "85bf0e77f36b28c8",
    f"{COUNTING}.dyadic_table.DyadicTable.violations": "607b2785dbd4f8ed",
    f"{HISTOGRAMS}.dyadic._noise": "aec02ceec53db649",
    f"{HISTOGRAMS}.dyadic.on_a_table": "b7bccd93a5e09742",
    f"{HISTOGRAMS}.dyadic.threshold_accuracy": "8617b094fa8667d1",
    f"{HISTOGRAMS}.dyadic._checked": "019f4b68f10c3b6f",
    f"{HISTOGRAMS}.dyadic._clamped": "f5e23fe66397fee1",
    f"{COUNTING}.dyadic_bulk.release_array": "12e0e382d0bd2931",
    f"{HISTOGRAMS}.stability._in_order": "a9609d890b38be8a",
    f"{HISTOGRAMS}.basic.BasicHistogram.accuracy": "1fb5578e78d89b8f",
    "finitedp.data.frames.LabelCounts.dense": "8e1ff8577251da57",
    "finitedp.claim.PrivacyClaim": "fa018fe04333b80c",
    "finitedp.claim.Accuracy": "a4b3c9c412087b70",
    "finitedp.data.noisy_histogram.NoisyHistogram": "6c90edde049108c4",
    "finitedp.impl.randomness.coins.checked_coins": "4e385b2467c5de2c",
    f"{EXACT}.probability": "677bd97239aff72a",
    f"{EXACT}.ceil_power": "a93a85cf6dd9c537",
    f"{DRAWING}._sorted": "0f6dbc53e7ea1c2f",
    f"{HISTOGRAMS}.basic.BasicHistogram.curve_of": "4e6086308cc33877",
    f"{HISTOGRAMS}.stability.StabilityHistogram.curve_of": "83f2e63ce5982c5d",
    f"{COUNTING}.dyadic.DyadicSample.curve_of": "554e9a821d5aefc7",
    f"{COUNTING}.geometric.GeoSample.cost": "ad08de245f7ff983",
    f"{COUNTING}.geometric.FastSample.cost": "468d9cc9f91880ee",
}


def codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of its comprehensions."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


@cache
def source(name: str) -> tuple[ast.Module, dict[str, CodeType]]:
    """What a module's file says: its syntax, and its code by qualified names."""
    text = Path(str(sys.modules[name].__file__)).read_text(encoding="utf-8")
    tree = ast.parse(text)
    return tree, {code.co_qualname: code for code in codes(compile(tree, name, "exec", dont_inherit=True))}


def plainly(value: Any) -> Any:
    """Syntax without comments, texts for readers and types, as JSON that is the same for each version of Python."""
    if isinstance(value, ast.AST):
        parts = [(name, part) for name, part in ast.iter_fields(value) if name not in ("annotation", "returns")]
        return [type(value).__name__, *([name, plainly(part)] for name, part in parts if part is not None and part != [])]
    if isinstance(value, list):
        return [plainly(one) for one in value if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return repr(value)


def unwrapped(value: Any) -> Any:
    """The function of a property, or of a method of a class."""
    inner = value.fget if isinstance(value, property) else value.func if isinstance(value, cached_property) else value
    return getattr(inner, "__func__", inner)


def at(name: str) -> tuple[str, Any, Any]:
    """Of a function or class of finitedp: its module, what is installed, and the syntax of its file."""
    home = next(m for i in range(len(name)) if (m := name[: len(name) - i]) in sys.modules)
    node: Any = source(home)[0]
    found: Any = sys.modules[home]
    for part in name[len(home) + 1 :].split("."):
        node = next((one for one in node.body if getattr(one, "name", None) == part), None)
        found = unwrapped(vars(found).get(part))
        need(node and found, f"{name} is taken at its word, and is not there")
    return home, found, node


def full_name(value: Any) -> str:
    """Where a function or class is made; of others their names, since where it keeps them depends on a package's version."""
    if isinstance(value, FunctionType):
        home, last = value.__globals__["__name__"], value.__code__.co_qualname
    else:
        home, last = getattr(value, "__module__", ""), getattr(value, "__qualname__", type(value).__qualname__)
    return f"{home}.{last}" if str(home).startswith("finitedp.") else str(last)


@cache
def says(name: str) -> tuple[Any, set[str]]:
    """What a function or class of finitedp says, and which functions it names; it has to be what its file says."""
    home, found, node = at(name)
    space, compiled, path, below = vars(sys.modules[home]), source(home)[1], name[len(home) + 1 :], set[str]()
    members = {f"{path}.{k}": v for k, v in vars(found).items()} if isinstance(found, type) else {path: found}
    means = set[tuple[str, str]]()
    for qualified, function in [(k, unwrapped(v)) for k, v in members.items()]:
        code: Any = getattr(function, "__code__", None)
        made = vars(sys.modules["attr._make"])
        theirs = code and (code.co_filename.startswith("<attrs generated") or function.__globals__ is made)
        if not callable(function) or (qualified not in compiled and theirs):
            continue  # what attrs makes, and what cannot be called
        need(code and compiled.get(qualified) == code and function.__globals__ is space, f"{name} is not what its file says")
        for one in [one for inner in codes(code) for one in dis.get_instructions(inner) if one.opname == "LOAD_GLOBAL"]:
            value = space.get(one.argval, getattr(builtins, one.argval, None))
            full = full_name(value)
            means.add((one.argval, repr(value) if isinstance(value, int | str) else full))
            if isinstance(value, FunctionType) and full.startswith("finitedp.") and not isinstance(found, type):
                below.add(full)
    return [plainly(node), sorted(means)], below


STEPS_RUN = {f"{KERNELS}._least_reaching_step", f"{KERNELS}._last_above_step"}  # which are not taken at their word


@cache
def taken(name: str) -> Any:
    """What is installed under a name that is taken at its word."""
    seen, todo = dict[str, Any](), [name]
    while todo:
        one = todo.pop()
        if one not in seen:
            seen[one], below = says(one)
            todo += below - STEPS_RUN
    found = hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]
    need(TAKEN.get(name) == found, f"{name} is taken at its word, and says something else: {found}")
    BELOW[name] = set(seen)
    return at(name)[1]


# What cannot take a Num, and what it is instead. Each stands in the place of the genuine thing, and only there; of what is of
# finitedp, TAKEN has the fingerprint.


def _rational(a: Any, b: Any = 1) -> Any:
    """mpq; nobody may ask for a denominator, but of 1/q."""
    if not isinstance(a, Num) and not isinstance(b, Num):
        return mpq(a, b)
    if isinstance(a, Num) and type(b) is int and b == 1:
        return a
    run, found = NOW[-1], NOW[-1].quotient(term_of(a), term_of(b))
    if not run.sequent.is_whole(term_of(b)):
        return Num(found)
    if isinstance(a, Part):
        return Part(run, operated("*", a.denominator, b))
    return Part(run, b) if type(a) is int and a == 1 else Num(found)


def _whole(value: Any) -> Any:
    """int and mpz: an integer as it is."""
    return Num(NOW[-1].whole(value._term_, "int")) if isinstance(value, Num) else int(value)


def least(a: Any, b: Any) -> Any:
    """min of two: either, where they are equal."""
    NOW[-1].tally += 1
    sequent, d = NOW[-1].sequent, term_of(b) - term_of(a)
    return a if sequent.holds((d, ">=")) or not (sequent.holds((-d, ">=")) or not sequent.decide((d, ">="))) else b


def _is_whole(value: Any) -> bool:
    """finitedp.exact.is_integer, which looks at the type alone: a Num is of any that holds its value, if that is known."""
    if not isinstance(value, Num) and type(value) not in PLAIN[3:]:
        return type(value) in (int, type(mpz()))
    term = term_of(value)
    whole, constant = NOW[-1].sequent.is_whole(term), term.constant()
    need(whole or constant is not None, "whether a number is an integer is not known")
    need(not whole or isinstance(value, Num), "an integer is kept as a fraction")
    return whole


def _remembered(tail: Any, bits: Any) -> Any:
    """A function whose values are kept."""
    atom = single_atom(term_of(bits))
    need(NOW[-1].sequent.sign(atom[1] if atom and atom[0] == "bits" else term_of(bits)) == ">", "values have no bits")
    return Kept(tail)


def fold(step: FunctionType) -> Any:
    """What is to be proved of `least_reaching` and `last_above`, which go on from 0 by a step for each bit of their n.

    It is an unknown function of what it reads, of which the rule `loop` shows an invariant.
    """

    def folded(of: Any, n: Any, u: Any) -> Num:
        run, given, rounds = NOW[-1], (of, n, u), NOW[-1].bits(term_of(n))
        *names, carried, _ = step.__code__.co_varnames[: step.__code__.co_argcount]
        before = {name: lowered(one) for name, one in zip(names, given, strict=True)}
        reads = tuple((name, key(one)) for name, one in before.items())
        result = {carried: ("loop", step.__qualname__, carried, (rounds, reads, ZERO))}

        def again(of: Run, values: dict[str, Poly], i: Poly) -> dict[str, Any]:
            length = of.operation("<<", ONE, rounds - ONE - i)
            return {carried: within(of, step, *before.values(), values[carried], length)}

        run.loops.append(({**before, carried: ZERO}, result, rounds, again))
        return Num(variable(result[carried]))

    return folded


SUMMARIES: dict[str, tuple[Any, Any]] = {  # by name: the genuine thing, and what it is instead
    "int": (int, _whole),
    "mpz": (mpz, _whole),
    "mpq": (mpq, _rational),
    "c_div": (c_div, lambda a, b: operated("*", -1, operated("//", operated("*", -1, a), b))),
    "min": (min, least),
    "max": (max, lambda a, b: b if least(a, b) is a else a),
}
STAND_INS: dict[int, tuple[str, Any]] = {}  # what names in code may mean beside functions and classes of finitedp


def module(name: str) -> dict[str, Any]:
    """The names of a module of finitedp."""
    need(name.startswith("finitedp.") and ".proofs_check" not in name, f"{name} is no module that is run")
    return vars(importlib.import_module(name))


@contextmanager
def standing(summaries: dict[str, tuple[Any, Any]]) -> Iterator[None]:
    """Summaries stand where names mean the genuine things, in all modules of finitedp that are loaded."""
    stand = {name: (real, x if isinstance(x, Some) else Summary(x)) for name, (real, x) in summaries.items()}
    for real, other in stand.values():
        full = full_name(real)
        need(not full.startswith("finitedp.") or full in TAKEN, f"nobody has read {full}, which is taken at its word")
        STAND_INS.update({id(one): (full, one) for one in (real, other)})
    changed = list[tuple[dict[str, Any], str, Any]]()
    built_in = {name for name in stand if hasattr(builtins, name)}
    for space in [vars(m) for n, m in sys.modules.items() if n.startswith("finitedp.") and ".proofs_check" not in n]:
        for name in built_in | (stand.keys() & space.keys()):
            real, other = stand[name]
            if space.get(name, getattr(builtins, name, None)) is real:
                changed.append((space, name, space.get(name, changed)))
                space[name] = other
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
    """The summaries of what counts stand."""
    real = {name.rpartition(".")[2]: taken(name) for name in list(TAKEN)[:10]}
    others: dict[str, Any] = {"is_integer": _is_whole, "_remembered": _remembered, "_refuse_incomplete": lambda _: None}
    others["is_exact"] = lambda value: isinstance(value, Num) or type(value) in PLAIN[1:]
    for name in ("least_reaching", "last_above"):
        others[name] = fold(module(KERNELS)[f"_{name}_step"])
    STAND_INS.clear()
    STAND_INS[id(partial)] = "functools.partial", partial
    try:
        with standing(SUMMARIES | {name: (one, others.get(name, lambda *_: "a text")) for name, one in real.items()}):
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
    """What runs installed code. called: what a call gives."""

    called = staticmethod(within)

    @staticmethod
    @cache
    def named(name: str) -> Any:
        """What is installed under a qualified name."""
        outer, _, last = name.rpartition(".")
        found = module(outer).get(last)
        if STAND_INS.get(id(found), ("",))[0] == name:  # a fold
            USED.add(name)
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
    def some(of: Any, fields: dict[str, Any]) -> str:
        """The qualified name of a class, of which these are fields or properties."""
        need(isinstance(of, type), "Some of what is no class")
        kinds = (property, cached_property)
        known = all(hasattr(attrs.fields(of), n) or isinstance(vars(of).get(n), kinds) for n in fields)
        need(known, f"{of.__name__} has no such field or property")
        return f"{of.__module__}.{of.__qualname__}"


GENERATED: set[CodeType] = {cached_property.__get__.__code__}  # what runs of attrs and functools
_DUNDERS = """module annotations doc attrs_attrs attrs_props init repr eq ne hash setattr delattr getstate setstate match_args
    attrs_post_init dict weakref slots parameters orig_bases firstlineno static_attributes replace"""
DUNDERS = {f"__{one}__" for one in _DUNDERS.split()}


@cache
def plain_class(cls: Any) -> None:
    """Stop unless a class is a frozen one of attrs, whose objects are made and kept as attrs does it from its fields.

    What stands behind the fields is not run, but taken at its word: that it refuses, and does nothing else.
    """
    members, name = vars(cls), cls.__name__
    need(vars(sys.modules[cls.__module__]).get(name) is cls, f"{name} is the name of another class")
    need(set(cls.__bases__) <= {object, Generic} and type(cls) is type, f"{name} has other bases")
    need(attrs.has(cls) and cls.__module__.startswith("finitedp."), f"{name} is no plain class of attrs")
    dunders = {one for one in members if one.startswith("__")}
    need(dunders <= DUNDERS, f"{name} has {sorted(dunders)}")
    own = {a.name: a for a in attrs.fields(cls)}
    kinds = (FunctionType, property, cached_property, MemberDescriptorType)
    odd = [one for one, what in members.items() if one not in dunders and not isinstance(what, kinds)]
    need(not odd, f"{name} has what is neither field nor method: {odd[:1]}")
    for one, what in members.items():
        asks = what.fget if isinstance(what, property) else what.func if isinstance(what, cached_property) else plain_class
        sets = isinstance(what, property) and (what.fset or what.fdel)
        python = isinstance(asks, FunctionType | type(plain_class)) and not sets
        need(python, f"{name}.{one} is no property of a Python function")
        slot = isinstance(what, kinds[3])
        place = (what.__objclass__, what.__name__) == (cls, one) if slot else one in dunders or one not in own
        need(place, f"{name}.{one} is no slot of its own, and a field")
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
        POST_INIT[cls] = taken(f"{cls.__module__}.{name}.__attrs_post_init__")
        USED.add(f"{cls.__module__}.{name}.__attrs_post_init__")
        cls.__attrs_post_init__ = lambda self: None
