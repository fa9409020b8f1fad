"""One run of explored code that draws continuous noise: its draws, its comparisons, and what it gave.

The explorer follows the tree: a comparison that draws leave open takes a coin, so that the probability of a path is that of
its discrete draws, times 2^-forks.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from gmpy2 import mpq

from finitedp.proofs_check.engine.lazy.frames import caller_line
from finitedp.proofs_check.engine.noise.rows import Form, Row, contradiction, supports
from finitedp.proofs_check.engine.noise.symbols import Symbol, form_of
from finitedp.proofs_check.engine.stand_ins.bytes import whole
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.proofs_check.engine.stand_ins.outputs import Frozen, freeze
from finitedp.proofs_check.engine.stand_ins.refusing import refuse

KINDS = ("laplace", "exponential", "gumbel", "normal", "uniform")
MOST_FORKS = 400


class Draw(NamedTuple):
    """A draw of a standard law, or a function of draws that is not affine.

    kind: one of KINDS, or "multiply", "floor", ...; of_forms: what such a function is of. forks: how many comparisons were
    open before it. line: where it was drawn; scale: by what it is multiplied there.
    """

    kind: str
    of_forms: tuple[Form, ...] = ()
    forks: int = 0
    line: str = ""
    scale: mpq = mpq(1)

    @property
    def is_drawn(self) -> bool:
        """Whether it is a draw."""
        return self.kind in KINDS


class Run:
    """What one run has drawn and asked so far.

    Parameters: coins, the explorer's; methods, by name, that draw continuous noise, as functions of the run (drawing.METHODS).
    """

    def __init__(self, coins: Any, methods: Mapping[str, Callable[..., Any]]) -> None:
        self.coins = coins
        self.methods = methods
        self.draws: list[Draw] = []
        self.rows: list[Row] = []
        self.answers: list[bool] = []
        self._functions: dict[tuple[Any, ...], Any] = {}

    def draw(self, kind: str, location: Any, scale: Any) -> Any:
        """location + scale * a standard draw, for numbers; where they are not finite, what numpy makes of them."""
        width = form_of(self, scale)
        if isinstance(width, float) and not math.isnan(width):
            refuse(self.coins, f"draws {kind} noise of an infinite scale", following="next: look at what divides by 0")
        if isinstance(width, float):
            return width
        if width.items:
            refuse(self.coins, f"draws {kind} noise of a scale that is itself noisy", following="next: a scale of the data")
        if width.constant < 0:
            raise ValueError("scale < 0")
        if width.constant == 0:
            return location
        self.draws.append(Draw(kind, (), len(self.answers), caller_line(), width.constant))
        return location + Symbol(self, Form(((len(self.draws) - 1, width.constant),), mpq(0)))

    def function(self, name: str, *forms: Any) -> Any:
        """The value of a function that is not affine; the same one where its arguments are the same."""
        if any(isinstance(form, float) for form in forms):
            refuse(self.coins, f"takes {name} of a draw and a number that is not finite", following="next: look at these data")
        if (name, *forms) not in self._functions:
            self.draws.append(Draw(name, tuple(forms), len(self.answers), caller_line()))
            self._functions[name, *forms] = Symbol(self, Form(((len(self.draws) - 1, mpq(1)),), mpq(0)))
        return self._functions[name, *forms]

    def is_above(self, form: Form, *, strict: bool) -> bool:
        """Whether form > 0, or form >= 0: a fork where both are possible."""
        if not form.items:
            return form.constant > 0 if strict else form.constant >= 0
        jumps = any(not self.draws[k].is_drawn for k, _ in form.items)
        yes = Row.of(form, strict or not jumps)
        no = yes.opposite(not strict or not jumps)
        known = (*supports((k, draw.kind) for k, draw in enumerate(self.draws)), *self.rows)
        answer = contradiction((*known, no)) is not None
        if not answer and contradiction((*known, yes)) is None:
            if len(self.answers) >= MOST_FORKS:
                refuse(self.coins, f"compares draws more than {MOST_FORKS} times", following="next: a smaller universe or n")
            answer = int(whole(self.coins, 2)) == 1
            self.rows.append(yes if answer else no)
            self.answers.append(answer)
        return answer

    def is_zero(self, form: Form) -> bool:
        """Whether form = 0, which has the probability 0 unless all draws in it are functions that may jump."""
        if not form.items:
            return form.constant == 0
        if any(self.draws[k].is_drawn for k, _ in form.items):
            return False
        return self.is_above(form, strict=False) and self.is_above(form.scaled(mpq(-1)), strict=False)

    def record(self, output: Any) -> tuple[Any, ...]:
        """All of the path, as plain values: its draws, rows, answers, and the output with its numbers apart."""
        forms = list[Form]()
        shape = _shape(self, output, forms)
        draws = tuple((kind, tuple(map(tuple, of)), *more) for kind, of, *more in self.draws)
        return draws, tuple(map(tuple, self.rows)), tuple(self.answers), shape, tuple(map(tuple, forms))


def _shape(run: Run, output: Any, forms: list[Form]) -> Any:
    """An output as a value, in which a number that depends on draws is "*"."""
    kind = type(output)
    if kind is Symbol:
        form = form_of(run, output)
        if not form.items:
            return _shape(run, float(form.constant), forms)
        forms.append(form)
        return "*"
    if kind in (list, tuple):
        return kind.__name__, *(_shape(run, part, forms) for part in output)
    if kind is dict:
        return "dict", *((freeze(name), _shape(run, part, forms)) for name, part in output.items())
    if kind is np.ndarray and output.dtype == object:
        return "array", output.shape, *(_shape(run, part, forms) for part in output.flat)
    frozen = freeze(output)
    return ("value", frozen.kind, frozen.shown) if isinstance(frozen, Frozen) else ("value", kind.__name__, frozen)


@contextmanager
def following(coins: Any, methods: Mapping[str, Callable[..., Any]]) -> Iterator[Run]:
    """Follow continuous noise within a run of the explorer."""
    exploring.noise = run = Run(coins, methods)
    try:
        yield run
    finally:
        exploring.noise = None
