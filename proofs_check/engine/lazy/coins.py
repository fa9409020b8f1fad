"""The explorer's coins: what one run of explored code draws from, and how it follows its branch of the tree of paths."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, NoReturn, cast

from gmpy2 import mpq, mpz

from finitedp.errors import BudgetError, ExplorationError
from finitedp.exact import RationalLike
from finitedp.impl.randomness import loops
from finitedp.proofs_check.engine.lazy.draws import Draw, GeometricDraw, TableDraw
from finitedp.proofs_check.engine.lazy.frames import caller_line, not_copied
from finitedp.proofs_check.engine.lazy.integers import LazyInt
from finitedp.proofs_check.engine.lazy.joint import can_be_related, mass_below, mass_if_less, relate
from finitedp.proofs_check.engine.lazy.rules import Decision, Rules, SamplerUse

NOT_REPEATED = (
    "the code does not repeat itself on the same draws (it uses other randomness, or keeps state between runs), so it has "
    "no law that the explorer can derive"
)


class OutOfDepthError(BaseException):
    """Ends a run whose path is too long. Not an Exception, so that ordinary code does not catch it."""


class PutOffError(BaseException):
    """Ends a run that became unlikely; its branch waits in the heap."""


class LazyCoins:
    """The explorer's coins: uniform draws that are intervals until the code compares them.

    One object serves one run. It follows the decisions of a given branch and then takes the likelier answer of each new
    question, handing the other one to `postpone`. Below the mass `floor` the run is put off.
    """

    slack = mpq(1)
    __reduce_ex__ = not_copied

    def __init__(
        self,
        branch: Decision | None,
        postpone: Callable[[Decision], None],
        rules: Rules,
        floor: int,
        most_draws: int | None,
    ) -> None:
        self._script = _unlinked(branch)
        self._scripted = len(self._script)
        self.branch: Decision | None = None
        """The decisions of this run so far."""
        self._depth = 0
        self._postpone = postpone
        self.rules = rules
        self.joint = rules.joint
        """Whether two lazy integers are compared as they are."""
        self._floor = floor
        self._most_draws = min(rules.budget.draws, most_draws or rules.budget.draws)
        self._astray = 0
        self.mass = branch.mass if branch else rules.unit
        """About the probability of the branch, and of what was decided since, in the unit of the rules."""
        self.made: list[Draw] = []
        self.bytes_drawn: list[Any] = []
        self.lazies = 0
        """How many draws were handed out undecided."""
        self.ways = 1
        """The product of the numbers of values of the others."""
        self.comparisons = 0
        self.decided = False
        self.finished = False
        self.closed = False
        self.exhausted = False
        self.put_off = False
        self.lossy = False
        self.unending = False
        self.suspended: str | None = None
        self.cost_seen = True
        self.uses: set[SamplerUse] = set()
        self.assumptions: set[str] = set()
        self.refusal: ExplorationError | None = None

    @property
    def in_script(self) -> bool:
        """Whether the run still repeats the decisions of its branch."""
        return self._depth < self._scripted

    def check_end(self) -> None:
        """Raises: ExplorationError where a refusal was swallowed, or the run ended before its branch did."""
        if self.refusal is not None:
            raise self.refusal
        if self.in_script:
            raise ExplorationError(f"the run ended early: {NOT_REPEATED}")

    # Draws

    def uniform(self, d: int, most: int | None = None) -> int:
        """Uniform on 1..d. Raises: ExplorationError unless d is an integer of at least 1, and at most `most`."""
        if isinstance(d, LazyInt):
            d = d.__index__()
        if isinstance(d, bool) or not (isinstance(d, int) or type(d) is mpz) or d < 1:
            self.refuse(f"uniform({d!r}) {caller_line()}: accepted: an integer d >= 1")
        if most is not None and d > most:
            self.refuse(f"uniform({d!r}) {caller_line()} is above its bound most = {most!r}")
        return cast(int, self._lazy(Draw(len(self.made), d, d if most is None else most)))

    def whole(self, n: int) -> int:
        """Uniform on 0..n - 1 in place of a library's number: where n is small, an int, with a branch for each value."""
        drawn: object = self.uniform(n)
        if type(drawn) is not LazyInt or self.made[-1].d > self.rules.at_once:
            return cast(int, drawn) - 1
        self.lazies -= 1
        self.ways *= int(self.made[-1].d)
        self.decide()
        return self._branched(self.made[-1]) - 1

    def bits(self, b: int) -> int:
        """Uniform on 0..2^b - 1."""
        return self.uniform(mpz(1) << index(b)) - 1

    def drawn(self, up_to: Sequence[int], d: int) -> int:
        """A draw of 1..k where 1..i has the probability up_to[i] / d; up_to[0] is 0, and what up_to[k] leaves of d is lost."""
        draw = TableDraw(len(self.made), d, up_to)
        self._lose(mpq(up_to[-1], d))
        return cast(int, self._lazy(draw))

    def geometric(self, p: RationalLike) -> int:
        """0, 1, 2, ... with the probabilities (1 - p) p^k, exactly. Raises: ExplorationError unless 0 <= p < 1."""
        ratio = loops.checked_ratio(p)
        if self.rules.solver is None:
            return loops.geometric(self, ratio)
        return self.endless(ratio, mpq(1))

    def endless(self, p: mpq, whole: mpq) -> int:
        """0, 1, 2, ... with the probabilities whole (1 - p) p^k, 0 <= p < 1; what is missing to 1 is never drawn."""
        self.cost_seen = False
        self.unending = True
        self._lose(whole)
        return cast(int, self._lazy(GeometricDraw(len(self.made), p, whole))) if p else 0

    def count_while(self, trial: Callable[[Any], bool]) -> int:
        """How often trial(coins) is True before it is False."""
        solver = self.rules.solver
        return loops.count_while(self, trial) if solver is None else cast(int, solver.count_while(self, trial))

    def chain(self, step: Callable[[Any, Any], Any], state: Any) -> Any:  # states and outputs of any kind
        """The output of the chain state, step(coins, state), ... that ends with Stop(output)."""
        solver = self.rules.solver
        return loops.chain(self, step, state) if solver is None else solver.chain(self, step, state)

    def _lazy(self, draw: Draw) -> LazyInt:
        if self.suspended is not None or self.closed:
            self._refuse_from_outside()
        if len(self.made) >= self._most_draws and not self.exhausted:
            self.leave_open()
        self.made.append(draw)
        self.lazies += 1
        return LazyInt(self, draw)

    def _lose(self, whole: mpq) -> None:
        """The run goes on with this share of its mass; the rest of it is unresolved."""
        self.lossy = self.lossy or whole < 1
        if not self.in_script:  # else the mass of the branch has it
            self.mass = self.mass * whole.numerator // whole.denominator

    # Decisions

    def below(self, draw: Draw, bound: int) -> bool:
        """Whether the draw is below `bound`, splitting its interval there if both answers are possible."""
        high = draw.high
        if high is not None and bound > high:
            return True
        if bound <= draw.low:
            return False
        where = draw.index, draw.d, bound
        scripted = self._depth < self._scripted
        answer = (self._repeated(where) if scripted else self._decided(where, mass_below(draw, bound))) == 0
        if answer:
            draw.high = bound - 1
        else:
            draw.low = bound
        return answer

    def _branched(self, draw: Draw) -> int:
        """The value of a fresh draw of few: the least one first, the others postponed."""
        where = draw.index, draw.d, None
        answer = self._repeated(where) if self.in_script else self._decided(where, [1] * int(draw.d))
        draw.low = draw.high = 1 + answer
        return draw.low

    def less(self, left: LazyInt, right: LazyInt) -> bool:
        """Whether left < right: from their ends, as a relation between their draws, or by deciding one of them."""
        self.comparisons += 1
        (x, own), (y, others) = left.parts(), right.parts()
        (least, most), (others_least, others_most) = left.ends(), right.ends()
        if most is not None and others_most is not None:
            if most < others_least or least >= others_most:
                return most < others_least
            if least != most and others_least != others_most and can_be_related(x, y, (own, others)):
                where = x.index, own, y.index, others
                answer = (self._repeated(where) if self.in_script else self._decided(where, mass_if_less(left, right))) == 0
                relate(left, right, answer)
                return answer
        if most is not None and (others_most is None or most - least < others_most - others_least):
            return not right.splits_below(left.__index__() + 1)
        return left.splits_below(right.__index__())

    def allow(self, values: int) -> None:
        """Raises: BudgetError where splitting a draw into so many values is more than the fanout allows."""
        if values > self.rules.budget.fanout:
            shown = str(values) if values < 10**12 else f"about 2^{values.bit_length() - 1}"
            self.refusal = BudgetError(
                f"{caller_line()} needs the value of a draw that can still take {shown} values, more than the budget's "
                f"fanout of {self.rules.budget.fanout}: compare it instead, draw from a smaller range, or raise the fanout"
            )
            raise self.refusal

    def decide(self) -> None:
        """The code asks for a value (after its end, only its output is read)."""
        self.decided = self.decided or not self.finished

    def assume(self, assumption: str) -> None:
        """Note what the law rests on besides the explorer, for the certificate; one sentence."""
        self.assumptions.add(assumption)

    def refuse(self, message: str, kind: type[ExplorationError] = ExplorationError) -> NoReturn:
        """Raise an ExplorationError, and keep it in case the explored code swallows it."""
        self.refusal = kind(message)
        raise self.refusal

    def leave_open(self) -> NoReturn:
        """End the run, even if the explored code has an `except:` that catches it: the rest of its mass is unresolved."""
        self.exhausted = True
        raise OutOfDepthError

    def end_unless_likely(self, floor: int) -> None:
        """Put the run off where its mass is below the floor."""
        if self.mass < floor and not self.in_script:
            self.put_off = self.exhausted = True
            raise PutOffError

    def _refuse_from_outside(self) -> NoReturn:
        what = self.suspended or "a draw is used after its run"
        self.refuse(f"{caller_line()}: {what}; accepted: draws of the run itself, from the coins that it is given")

    def _repeated(self, where: tuple[Any, ...]) -> int:
        """The number of the answer that the branch gave to this question."""
        decision = self._script[self._depth]
        if self.suspended is not None or self.closed:
            self._refuse_from_outside()
        if decision.where != where:
            self.refuse(f"{caller_line()}: {NOT_REPEATED}")
        self._depth += 1
        self.branch = decision
        return decision.answer

    def _decided(self, where: tuple[Any, ...], masses: Sequence[Any]) -> int:
        """The number of the first of the likeliest answers to a new question; others that have any mass are postponed.

        Parameters: masses, of all answers, up to a factor.
        """
        if self.suspended is not None or self.closed:
            self._refuse_from_outside()
        if self.exhausted:  # the code swallowed its end, and nothing that it does counts
            self._astray += 1
            return (self._astray * 0x9E3779B1 >> 16) % len(masses)
        if self._depth >= self.rules.budget.depth:
            self.leave_open()
        whole, everything, likeliest = sum(masses), self.mass, masses.index(max(masses))
        for answer in range(len(masses) - 1, -1, -1):
            if masses[answer] and answer != likeliest:
                share = everything * masses[answer] // whole
                self.mass -= share
                self._postpone(Decision(self.branch, where, answer, share))
        self.branch = Decision(self.branch, where, likeliest, self.mass)
        self._depth += 1
        if self.mass < self._floor:
            self.end_unless_likely(self._floor)
        return likeliest


def _unlinked(branch: Decision | None) -> list[Decision]:
    script: list[Decision] = []
    while branch is not None:
        script.append(branch)
        branch = branch.before
    script.reverse()
    return script
