"""The law of a mechanism at an input: explored, or read from a table."""

import inspect
import io
import random
import re
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Literal

from attrs import frozen
from gmpy2 import mpq

from finitedp.errors import ExplorationError, FinitedpError, ParameterError
from finitedp.exact import probability
from finitedp.impl.randomness.coins import Coins
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.engine.alone.declared_samplers import Declared
from finitedp.proofs_check.engine.explorer import Exploration, SamplerUse, explore
from finitedp.proofs_check.engine.lazy.coins import LazyCoins
from finitedp.proofs_check.engine.lazy.frames import line_of
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.other_randomness import calls_the_hidden_generator, stood_in
from finitedp.proofs_check.engine.path import tail_of
from finitedp.proofs_check.engine.stand_ins.bytes import refuse_unread
from finitedp.proofs_check.engine.stand_ins.exploring import exploring
from finitedp.proofs_check.engine.stand_ins.outputs import Frozen, freeze
from finitedp.proofs_check.engine.stand_ins.refusing import ContinuousNoiseError
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.engine.state.remembering import Remembered, remembered

Style = Literal["coins", "random", "numpy", "none", "table"]
"""What a mechanism is given after its data: Coins, a random.Random, a numpy generator, or nothing. A table is no code."""
Rows = Literal["tuple", "list"]
Table = Mapping[Any, Mapping[Any, Any]]
"""Laws by input: the probability, a rational, of each output; a Tail is an output, too, with the probability of all of it."""
Shape = tuple[tuple[int, ...], int]


def answer_at(function: Callable[..., Any], name: str, *inputs: Any) -> Any:  # noqa: ANN401  # inputs and answers of any kind
    """What a function of the auditor's says of an input, or of two. Raises: ParameterError where it raises."""
    try:
        return function(*inputs)
    except FinitedpError:
        raise
    except Exception as error:
        where = ("", " at the input ", " at ")[len(inputs)] + " and ".join(map(repr, inputs))
        raise ParameterError(f"`{name}` raised {type(error).__name__}{where}: {error}") from error


def tabled(table: Table, inputs: Sequence[Any], universe: Sequence[Hashable] | None) -> dict[Any, PartialLaw[Any]]:
    """The laws of a table at the inputs.

    Parameters: universe, where it is known, all labels: one that it leaves out may be in the pair that breaks the claim.
    Raises: ParameterError for what is no law, and for a law that is missing, or of another label.
    """
    rows = [(data, label) for data in table if isinstance(data, tuple) for label in data]
    other = next((row for row in rows if universe is not None and row[1] not in universe), None)
    if other is not None:
        raise ParameterError(
            f"the table has a law for {other[0]!r}, and {other[1]!r} is not in the universe; accepted: all labels"
        )
    return {data: _law_at(table, data) for data in inputs}


def specified_laws(
    specified: Table | Callable[[Any], Mapping[Any, Any]], inputs: Sequence[Any], labels: Sequence[Hashable] | None
) -> dict[Any, PartialLaw[Any]]:
    """The laws that a mechanism should have, of a table or of a function of the data. Raises: ParameterError."""
    if callable(specified):
        specified = {data: answer_at(specified, "specified", data) for data in inputs}
    return tabled(specified, inputs, labels)


def _law_at(table: Table, data: Any) -> PartialLaw[Any]:  # noqa: ANN401  # an input of any kind
    if data not in table:
        raise ParameterError(f"the table has no law for the input {data!r}")
    stated = {x: probability(p, f"probability of {x!r} at {data!r}") for x, p in table[data].items()}
    row = {x if type(x) is Tail else freeze(x): p for x, p in stated.items()}
    if sum(row.values(), mpq(0)) != 1:
        raise ParameterError(f"the probabilities at {data!r} sum to {sum(row.values(), mpq(0))}, not to 1")
    return PartialLaw({x: p for x, p in row.items() if p})


class OtherSourceError(ExplorationError):
    """What a mechanism calls on its source of randomness is not there, so that the source may be of another kind."""


@frozen
class Explored:
    """What exploring found at one input: the law, the shapes of paths, how samplers were taken, whether all cost was seen.

    decided: whether some path asked for the value of a draw, what is done with which is not seen.
    given_up: after how many runs it was given up, else None. not_looked_into: what the mechanism reaches, and might keep
    state in, of a kind that is not known. sampled: whether the code was compared with plain integers at some points only.

    Of the law, tails may be many, and hold outputs that it lists as well (deciders.tails puts them in line).
    """

    law: PartialLaw[Any]
    shapes: frozenset[Shape]
    uses: tuple[SamplerUse, ...]
    cost_seen: bool
    decided: bool = False
    given_up: int | None = None
    not_looked_into: tuple[str, ...] = ()
    sampled: bool = False


def explored(
    mechanism: Callable[..., Any],
    data: Any,  # noqa: ANN401  # an input of any kind
    style: Style,
    rows: Rows,
    budget: Budget,
    watch: Callable[[float], bool] | None = None,
    samplers: Declared | None = None,
    *,
    patience: float = 0.0,
) -> Explored:
    """The law of the running code at one input, every path run twice.

    Parameters: watch, which is told the open mass and says whether to stop; samplers, which are taken alone;
    patience, seconds before which the search is not given up.
    Raises: ExplorationError, with the input, for what cannot be followed or is no mechanism.
    """
    if style == "numpy":
        import finitedp.proofs_check.engine.stand_ins.numpy_sources  # noqa: F401  # and numpy, before its place is taken

    latest: list[Any] = []
    program = _program(mechanism, data, style, rows, latest)
    after_first: list[Remembered] = []

    def looked_at(coins: Coins) -> Any:  # noqa: ANN401  # an output of any kind
        try:
            return program(coins)
        finally:
            if not after_first:
                after_first.append(remembered(mechanism))

    try:
        with stood_in(mechanism) as moved:
            exploration = explore(
                looked_at, budget, replay_all=True, joint=True, samplers=samplers, watch=watch, patience=patience
            )
            shapes, decided = _cost(
                exploration, lambda: explore(looked_at, budget, joint=True, samplers=samplers, undecided=True)
            )
            after_last = remembered(mechanism, after_first[0] if after_first else None)
            state = after_first[0].changed(after_last) if after_first else None
            goes_round = _goes_round(program, budget, moved)
    except FinitedpError as error:
        kind = ContinuousNoiseError if isinstance(error, ContinuousNoiseError) else ExplorationError
        raise kind(f"at the input {data!r}: {error}") from None
    except Exception as error:
        given_tuple = isinstance(data, tuple) and rows == "tuple" and "tuple" in str(error)
        hint = "; its rows are a tuple, with rows = 'list' a list" if given_tuple else ""
        what = f"at the input {data!r} the mechanism raised {type(error).__name__}: {error}{hint}{_how_likely(latest)}"
        if _asks_for_another(error):
            raise OtherSourceError(what) from error
        raise ExplorationError(f"{what}{_where(error)}") from error
    if goes_round:
        raise ExplorationError(
            f"at the input {data!r} the mechanism draws from a generator that is not followed, a function or an object "
            "out of sight; accepted: rng.random(), random.random(), np.random.default_rng() called where they stand"
        )
    if state is not None:
        raise ExplorationError(
            f"at the input {data!r} the mechanism keeps state between runs: {state} changes, so that later runs may differ; "
            "accepted: what is only read, or set to the same value by every run"
        )
    law: dict[Hashable, mpq] = {}
    for (output, _), mass in exploration.resolved.items():
        if output in law:
            raise ExplorationError(f"at the input {data!r}: two outputs equal {output!r} but are of different types")
        law[output] = mass
    hidden = after_first[0].not_looked_into(after_last) if after_first else ()
    whole = PartialLaw(law, exploration.unresolved, exploration.assumptions)
    return Explored(
        whole, shapes, exploration.uses, exploration.cost_seen, decided, exploration.given_up, hidden, exploration.sampled
    )


def _cost(exploration: Exploration[Any], lazily: Callable[[], Exploration[Any]]) -> tuple[frozenset[Shape], bool]:
    """The shapes of paths, and whether one asked for a value; where draws were numbers, as undecided ones show them."""
    if exploration.decided and not exploration.unresolved and len({ranges for ranges, _ in exploration.shapes}) == 1:
        with suppress(ExplorationError):
            seen = lazily()
            if seen.resolved == exploration.resolved:
                return seen.shapes, seen.decided
    return exploration.shapes, exploration.decided


def _goes_round(program: Callable[[Coins], Any], budget: Budget, moved: Callable[[], str | None]) -> bool:
    """Whether the mechanism moved a generator past the stand-ins. Another thread may move that of the module random."""
    which = moved()
    if which != "random":
        return which is not None
    if calls_the_hidden_generator(lambda: explore(program, budget)):
        return True

    def moves() -> bool:
        before = random.getstate()  # and not those of numpy's, while which are read other threads go on
        explore(program, budget)
        return random.getstate() != before

    interval = sys.getswitchinterval()
    sys.setswitchinterval(100)  # seconds: other threads wait, so that what moves it is the mechanism
    try:
        return all(moves() for _ in range(8))
    finally:
        sys.setswitchinterval(interval)


def _source(mechanism: Callable[..., Any], style: Style, coins: Coins) -> tuple[Any, ...]:
    """What the mechanism is given after its data."""
    if style == "random":
        return (StandIn(coins),)
    if style == "numpy":
        from finitedp.proofs_check.engine.stand_ins.numpy_sources import GeneratorStandIn, RandomStateStandIn

        return ((RandomStateStandIn if _is_legacy(mechanism) else GeneratorStandIn)(coins),)
    return () if style == "none" else (coins,)


def _asks_for_another(error: Exception) -> bool:
    """Whether a source of randomness was asked for a method that it has not, or for other arguments of one."""
    if isinstance(error, AttributeError):
        return type(error.obj) is LazyCoins or getattr(type(error.obj), "_explored", False) is True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    within = trace is not None and trace.tb_frame.f_code.co_filename == random.__file__  # such as choice(5)
    return isinstance(error, TypeError) and (within or _OF_A_SOURCE.match(str(error)) is not None)


_OF_A_SOURCE = re.compile(r"(Random|_Source|\w*StandIn)\.\w+\(\) ")


def _is_legacy(mechanism: Callable[..., Any]) -> bool:
    """Whether a mechanism says that it draws from a numpy.random.RandomState: by annotation, or by the name random_state."""
    try:
        parameters = inspect.signature(getattr(mechanism, "mechanism", mechanism)).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "random_state" or "RandomState" in str(p.annotation) for p in parameters)


def _where(error: Exception) -> str:
    """The line of the mechanism, or of what it calls, that raised; nothing where it was not even begun."""
    line = line_of(error)
    return "" if str(Path(__file__).parent) in line else f"; {line}"


def _how_likely(latest: list[Any]) -> str:
    """What to say of an exception that is raised on rare draws only."""
    if not latest or not getattr(latest[0], "mass", 0):
        return ""
    rarity = int(latest[0].rules.unit).bit_length() - int(latest[0].mass).bit_length()
    return f" (on draws of a probability of about 2^-{rarity})" if rarity > 4 else ""


def _program(
    mechanism: Callable[..., Any],
    data: Any,  # noqa: ANN401  # an input of any kind
    style: Style,
    rows: Rows,
    latest: list[Any],
) -> Callable[[Coins], Any]:
    """What is explored: the output, and its types, since True and 1 are equal and yet tell different things.

    latest: where the coins of the latest run are put.
    """
    last: list[tuple[Any, Hashable]] = []

    def program(coins: Coins) -> tuple[Hashable, str]:
        exploring.coins = coins
        if type(coins) is LazyCoins:
            latest[:] = [coins]
        given = list(data) if rows == "list" and isinstance(data, tuple) else data
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            try:
                output = mechanism(given, *_source(mechanism, style, coins))
                refuse_unread(coins)
            except (SystemExit, GeneratorExit) as error:
                raise ExplorationError(
                    f"the mechanism left by {type(error).__name__}; accepted: a function that returns its output"
                ) from error
            finally:
                exploring.coins = None
        if inspect.isgenerator(output) or inspect.iscoroutine(output):
            output.close()
            raise ExplorationError(f"the mechanism is a {type(output).__name__}; accepted: a function that returns its output")
        if printed.getvalue():
            shown = printed.getvalue()[:40]
            raise ExplorationError(
                f"the mechanism prints {shown!r}, which is an output that is not looked at; accepted: it in what is returned"
            )
        if isinstance(given, list) and tuple(given) != data:
            raise ExplorationError(f"the mechanism changes its input, to {given!r}; accepted: to change a copy, list(data)")
        if last and freeze(last[0][0]) != last[0][1]:
            raise ExplorationError(f"the output {last[0][1]!r} was changed after it was returned")
        setattr(coins, "finished", True)  # noqa: B010  # from here on only the output is read
        tail = tail_of(output, getattr(coins, "made", ()))
        if tail is not None:
            last.clear()
            return tail, "int"
        frozen = freeze(output)
        last[:] = [(output, frozen)]
        return frozen, types_of(frozen)

    return program


def types_of(output: object) -> str:
    """The types in a frozen output. Raises: ExplorationError for a type whose equal values may be told apart in other ways."""
    if isinstance(output, Frozen):
        return output.kind
    if type(output) is tuple:
        return f"tuple({', '.join(types_of(part) for part in output)})"
    if type(output) is frozenset:
        return f"frozenset({', '.join(sorted(f'{types_of(part)} {part!r}' for part in output))})"
    return type(freeze(output)).__name__
