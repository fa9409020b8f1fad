"""One run of explored code that draws continuous noise: its draws, its comparisons, and what it gave.

The explorer follows the tree: a comparison that draws leave open takes a coin, so that the probability of a path is that of
its discrete draws, times 2^-forks.
"""

import dis
import math
import sysconfig
from collections.abc import Callable, Mapping
from functools import partial
from operator import index
from pathlib import Path
from typing import Any, cast

import numpy as np
from gmpy2 import mpq

from finitedp.errors import ExplorationError, FinitedpError
from finitedp.proofs_check.engine.lazy.frames import caller_line, is_own, line_of
from finitedp.proofs_check.engine.noise.drawing import METHODS
from finitedp.proofs_check.engine.noise.rows import contradiction, row_of, scaled
from finitedp.proofs_check.engine.noise.symbols import NEXT, Symbol, as_array, form_of
from finitedp.proofs_check.engine.stand_ins.bytes import whole
from finitedp.proofs_check.engine.stand_ins.exploring import coins_here, exploring
from finitedp.proofs_check.engine.stand_ins.outputs import Frozen, freeze
from finitedp.proofs_check.engine.stand_ins.refusing import refuse
from finitedp.proofs_check.pipeline_certificate import BOUNDED, SIGNS, Call, Form, Items, Row, opposite, supports

MOST_FORKS = 400
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD = Path(sysconfig.get_path("stdlib"))


class Run:
    """What one run has drawn and asked so far. Parameters: coins, the explorer's."""

    methods = METHODS

    def __init__(self, coins: Any) -> None:
        self.coins = coins
        self.draws: list[tuple[str, tuple[Form, ...], int, str, mpq]] = []  # as Path.draws
        self.rows: list[Row] = []
        self.answers = ""
        self.calls: list[Call] = []
        self.positive: list[Row] = []  # functions that are at least 0
        self._functions: dict[tuple[Any, ...], Any] = {}

    def draw(self, kind: str, location: Any, scale: Any) -> Any:
        """location + scale * a standard draw, for numbers; where they are not finite, what numpy makes of them."""
        width = form_of(self, scale)
        if isinstance(width, float):
            return width if math.isnan(width) else location + self._made(kind, (), mpq(1)) * width
        if width[0]:
            refuse(self.coins, f"draws {kind} noise of a scale that is itself noisy", following="next: a scale of the data")
        if width[1] < 0:
            scale = f"the scale {float(width[1]):g}"
            refuse(self.coins, f"draws {kind} noise of {scale}, scale < 0", following="next: look at what makes it negative")
        return location if not width[1] else location + self._made(kind, (), width[1])

    def function(self, name: str, *forms: Any) -> Any:
        """The value of a function that is not affine; the same one where its arguments are the same."""
        if any(isinstance(form, float) for form in forms):
            refuse(self.coins, f"takes {name} of a draw and a number that is not finite", following="next: look at these data")
        if (name, *forms) not in self._functions:
            made = self._functions[name, *forms] = self._made(name, forms, mpq(1))
            if name in ("exp", "exp2", "sqrt", "power 2", "power 4") or (name == "multiply" and forms[0] == forms[1]):
                self.positive.append(row_of(made.form, strict=False))
        return self._functions[name, *forms]

    def _made(self, kind: str, forms: tuple[Form, ...], scale: mpq) -> Symbol:
        self.draws.append((kind, forms, len(self.answers), caller_line(), scale))
        return Symbol(self, (((len(self.draws) - 1, scale),), mpq(0)))

    def bounded(
        self, bound: tuple[str, str, str, Any], arguments: Mapping[str, Any], value: Callable[[], Any], shape: Any
    ) -> Any:
        """The value of a function of which a bound is declared, as numbers that are not known.

        Parameters: bound, as Call.bound; value, calls the function, which is run where no argument depends on draws; shape, of
        its value, as declared, or None.
        """
        forms, told, seen, known = list[Form](), list[Any](), tuple[mpq, ...](), True
        for name, argument in arguments.items():
            try:
                told.append((name, self._shape(argument, forms)))
            except ExplorationError:  # of a type whose equal values may look different
                known = False
        line = caller_line()
        if forms and (shape is None or not known):
            what = "a shape" if known else "arguments that are numbers, texts, and arrays, lists and dicts of these"
            refuse(self.coins, f"calls what the bound {bound[0]!r} is on with a draw; next: declare {what}", following="")
        if not forms:
            found = np.asarray(value())
            if found.dtype.kind not in "biuf" or not np.all(np.isfinite(found)):
                refuse(self.coins, f"calls what the bound {bound[0]!r} is on, which gives no finite numbers", following="")
            if shape is not None and found.shape != _shape_of(shape):
                refuse(self.coins, f"calls what the bound {bound[0]!r} is on, which has the shape {found.shape}", following="")
            shape, seen = found.shape, tuple(mpq(x) for x in found.ravel().tolist())
        shape = _shape_of(shape)
        first = BOUNDED + sum(call.size for call in self.calls)
        size = math.prod(shape)
        if size:
            self.calls.append(Call(bound, tuple(told) if known else None, tuple(forms), len(self.answers), line, size, seen))
        numbers = [Symbol(self, (((first + i, mpq(1)),), mpq(0))) for i in range(size)]
        return as_array(numbers, shape) if shape else numbers[0]

    def _continuous(self, items: Items) -> bool:
        """Whether ties have the probability 0: a draw is in it, and nothing that may follow the draws."""
        of = [call for call in self.calls for _ in range(call.size)]
        follows = (of[k - BOUNDED].forms if k >= BOUNDED else self.draws[k][0] not in SIGNS for k, _ in items)
        return not any(follows) and any(k < BOUNDED for k, _ in items)

    def is_above(self, form: Form, *, strict: bool) -> bool:
        """Whether form > 0, or form >= 0: a fork where both are possible."""
        if not form[0]:
            return bool(form[1] > 0 if strict else form[1] >= 0)
        never = self._continuous(form[0])
        yes = row_of(form, strict or never)
        no = opposite(yes, not strict or never)
        known = (*supports({k: draw[0] for k, draw in enumerate(self.draws)}), *self.positive, *self.rows)
        answer = contradiction((*known, no)) is not None
        if not answer and contradiction((*known, yes)) is None:
            if len(self.answers) >= MOST_FORKS:
                refuse(self.coins, f"compares draws more than {MOST_FORKS} times", following="next: a smaller universe or n")
            answer = int(whole(self.coins, 2)) == 1
            self.rows.append(yes if answer else no)
            self.answers += "y" if answer else "n"
        return answer

    def is_zero(self, form: Form) -> bool:
        """Whether form = 0, which has the probability 0 unless all draws in it are functions that may jump."""
        if not form[0]:
            return bool(form[1] == 0)
        if self._continuous(form[0]) or any(k < BOUNDED and self.draws[k][0] in SIGNS for k, _ in form[0]):
            return False
        return self.is_above(form, strict=False) and self.is_above(scaled(form, -1), strict=False)

    def record(self, output: Any) -> tuple[Any, ...]:
        """All of the path, as plain values: the fields of a Path, but for its weight."""
        forms = list[Form]()
        shape = self._shape(output, forms)
        return tuple(self.draws), tuple(self.rows), self.answers, shape, tuple(forms), tuple(map(tuple, self.calls))

    def _shape(self, output: Any, forms: list[Form]) -> Any:
        """An output as a value, in which a number that depends on draws is "*"."""
        kind = type(output)
        if kind is Symbol:
            form = form_of(self, output)
            if not form[0]:
                return self._shape(float(form[1]), forms)
            forms.append(form)
            return "*"
        if kind in (list, tuple):
            return kind.__name__, *(self._shape(part, forms) for part in output)
        if kind is dict:
            return "dict", *((freeze(name), self._shape(part, forms)) for name, part in output.items())
        if kind is np.ndarray and output.dtype == object:
            return "array", output.shape, *(self._shape(part, forms) for part in output.flat)
        frozen = freeze(output)
        return ("value", frozen.kind, frozen.shown) if isinstance(frozen, Frozen) else ("value", kind.__name__, frozen)


def _shape_of(shape: Any) -> tuple[int, ...]:
    return tuple(map(index, shape)) if isinstance(shape, list | tuple) else (index(shape),)


def traced(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose output is Run.record() of a run; what the mechanism raises itself, by `raise`, is an output, too.

    It is a partial that tells the mechanism, so that what that reaches is looked into.
    """
    found: Any = partial(_record, mechanism)
    found.mechanism = mechanism
    return cast(Callable[..., Any], found)


def _record(mechanism: Callable[..., Any], *arguments: Any) -> Any:
    exploring.noise = run = Run(coins_here())
    try:
        return run.record(mechanism(*arguments))
    except FinitedpError:
        raise
    except Exception as error:
        if not _raised_itself(error):
            if run.draws and isinstance(error, TypeError | AttributeError):
                raise ExplorationError(
                    f"{line_of(error)}: what takes floats alone is given a draw of continuous noise, and raises "
                    f"{type(error).__name__} ({error}); {NEXT}"
                ) from error
            raise
        return run.record(("raises", type(error).__name__, str(error)))
    finally:
        exploring.noise = None


def _raised_itself(error: Exception) -> bool:
    """Whether the innermost frame is at a `raise` of code that is not Python's nor installed, as that raises of symbols."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or is_own(trace.tb_frame):
        return False
    code = trace.tb_frame.f_code
    file = Path(code.co_filename)
    if file.is_relative_to(_STANDARD) or code.co_filename.startswith("<frozen ") or not _INSTALLED.isdisjoint(file.parts):
        return False
    return dis.opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
