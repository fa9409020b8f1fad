"""What an accountant says of several releases together, delta at an epsilon, decided by the proved bounds of `compose`.

A file states the releases (`releases`) and what is said of them (`[accountant]`). What it says is a claim: the releases
together are (epsilon, delta)-differentially private. It holds if delta is at least the proved upper bound at that epsilon, and
fails if it is below the lower one.
"""

from collections.abc import Callable, Mapping
from math import lcm
from pathlib import Path
from typing import Any, Literal

from attrs import field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim, delta_of_text
from finitedp.curve import Curve, Pair, epsilon_of
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.exact import RationalLike, rational
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.numbers import decimal
from finitedp.proofs_check.audit.loading import load
from finitedp.proofs_check.audit.stating import privacy_claim

Document = dict[str, Any]
Verdict = Literal["holds", "fails", "undecided"]
_ABOUT = ("name", "releases", "accountant")


@frozen
class Together:
    """Releases together: P against Q, and Q against P where that is another question.

    Laws that are stated are those of two inputs, P of one and Q of the other in all releases, and their order is not known:
    delta is the larger one of both.
    """

    orders: tuple[Composition, ...]

    @property
    def releases(self) -> int:
        """How many."""
        return self.orders[0].releases

    def delta(self, epsilon: RationalLike) -> tuple[mpq, mpq]:
        """The lower and the upper bound on delta at epsilon. Raises: ParameterError."""
        lows, highs = zip(*(order.delta(epsilon) for order in self.orders), strict=True)
        return max(lows), max(highs)

    def epsilon(self, delta: RationalLike) -> tuple[mpq, mpq]:
        """The lower and the upper bound on epsilon at delta. Raises: ParameterError."""
        lows, highs = zip(*(order.epsilon(delta) for order in self.orders), strict=True)
        return max(lows), max(highs)


def pair_of_laws(p: list[mpq], q: list[mpq]) -> Pair:
    """Two laws over the same outcomes, in the same order. Raises: ParameterError for what are no laws."""
    if len(p) != len(q):
        raise ParameterError(f"p has {len(p)} outcomes, q {len(q)}; accepted: the same ones")
    for name, law in (("p", p), ("q", q)):
        if min(law) < 0 or sum(law) != 1:
            raise ParameterError(f"{name} sums to {sum(law)}, its least number is {min(law)}; accepted: from 0, a sum of 1")
    whole = lcm(*(int(x.denominator) for x in [*p, *q]))
    return Pair([(int(a * whole), int(b * whole)) for a, b in zip(p, q, strict=True)])


def together(releases: list[tuple[PrivacyClaim | Curve | Pair, int]]) -> Together:
    """Releases about the same neighbours, each with how often: claims, curves, and pairs of laws at two neighbours.

    A pair alone is for the relation of the others. Raises: ParameterError.
    """
    relation = next((one.neighbours for one, _ in releases if isinstance(one, Curve)), "replace-one")
    relation = next((one.relation for one, _ in releases if isinstance(one, PrivacyClaim)), relation)

    def ordered(mirrored: bool) -> Composition:
        def of(one: PrivacyClaim | Curve | Pair) -> PrivacyClaim | Curve:
            return Curve([one.mirrored() if mirrored else one], relation) if isinstance(one, Pair) else one

        return compose([(of(one), times) for one, times in releases])

    one_order = all(one == one.mirrored() for one, _ in releases if isinstance(one, Pair))
    return Together((ordered(False),) if one_order else (ordered(False), ordered(True)))


@frozen
class Said:
    """One thing that an accountant says, (epsilon, delta)-differential privacy of all releases, and the proved bounds.

    verdict: fails where delta is below `least`, holds where it is at least `most`, both at epsilon; else undecided.
    least_epsilon: none below it has this delta; None where no bound is known.
    """

    epsilon: mpq
    delta: mpq
    verdict: Verdict
    least: mpq
    most: mpq
    least_epsilon: mpq | None

    def as_json(self) -> Document:
        """Rationals as "p/q"."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "verdict": self.verdict,
            "delta_at_least": str(self.least),
            "delta_at_most": str(self.most),
            "epsilon_at_least": None if self.least_epsilon is None else str(self.least_epsilon),
        }


def said(of: Together, epsilon: mpq, delta: mpq) -> Said:
    """Decide whether releases together have this delta at this epsilon.

    Parameters: epsilon and delta, any rationals, as an accountant says them: no negative delta holds, and a negative epsilon
    is compared with the bounds at 0, which it must be better than, so that it does not hold either.
    """
    least, most = of.delta(max(epsilon, mpq(0)))
    verdict: Verdict = "fails" if delta < least or delta < 0 else "holds" if delta >= most and epsilon >= 0 else "undecided"
    try:
        least_epsilon = of.epsilon(min(delta, mpq(1)))[0]
    except ParameterError:  # no epsilon has it, or none that is known
        least_epsilon = None
    return Said(epsilon, delta, verdict, least, most, least_epsilon)


@frozen(kw_only=True)
class Accounts:
    """What a file says of an accountant.

    says: pairs (epsilon, delta), one of them None where a function, `functions["delta"]` of epsilon or `functions["epsilon"]`
    of delta, is to be asked; releases: what they are about, where a claim that a function gives is named by its place.
    """

    name: str
    path: Path
    releases: tuple[tuple[PrivacyClaim | Pair | str, int], ...]
    says: tuple[tuple[mpq | None, mpq | None], ...]
    functions: Mapping[str, str] = field(factory=dict)

    def run(self) -> tuple[Together, list[Said]]:
        """Ask, and decide. Raises: DataError, ParameterError."""
        listed = [(_given(one, self.path.parent) if isinstance(one, str) else one, times) for one, times in self.releases]
        try:
            whole = together(listed)
        except ParameterError as error:
            raise DataError(f"{self.path}: {error}") from None
        return whole, [said(whole, *self._answer(epsilon, delta)) for epsilon, delta in self.says]

    def _answer(self, epsilon: mpq | None, delta: mpq | None) -> tuple[mpq, mpq]:
        if epsilon is not None and delta is not None:
            return epsilon, delta
        name = "delta" if delta is None else "epsilon"
        place = self.functions[name]
        asked = _float(epsilon if delta is None else delta, self.path)
        where = f"{place} at {'epsilon' if delta is None else 'delta'} = {asked!r}"
        answer = _called(load(place, self.path.parent), where, asked)
        try:
            ratio = answer.as_integer_ratio()
        except (AttributeError, TypeError, ValueError, OverflowError):
            shown = f"{answer!r:.60}".replace("\n", " ")
            raise DataError(f"{where} says {shown}; accepted: one finite number") from None
        exact, number = mpq(*asked.as_integer_ratio()), mpq(*ratio)
        return (exact, number) if delta is None else (number, exact)


def _float(number: mpq | None, path: Path) -> float:
    try:
        return int(number.numerator) / int(number.denominator) if number else 0.0
    except OverflowError:
        raise DataError(f"{path}: {decimal(mpq(number or 0))} is no float, which functions are asked at") from None


def _called(function: Callable[..., Any], where: str, *arguments: float) -> Any:  # noqa: ANN401  # whatever it gives
    try:
        return function(*arguments)
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0][:200]
        raise DataError(f"{where} raises {type(error).__name__}: {reason}") from error


def _given(place: str, folder: Path) -> PrivacyClaim | Curve:
    """The claim or curve that a function gives. Raises: DataError."""
    given = _called(load(place, folder), place)
    if not isinstance(given, PrivacyClaim | Curve):
        raise DataError(f"{place} gives {type(given).__name__}; accepted: a claim, such as a mechanism's claim(), or a curve")
    return given


# Reading


def accounts_of(document: Document, path: Path) -> Accounts:
    """What a file with `releases` or `accountant` says. Parameters: document, of the schema's shape. Raises: DataError."""
    foreign = [name for name in document if name not in _ABOUT]
    if foreign:
        raise DataError(f"{path}: {foreign[0]} is for a mechanism; accepted beside an accountant: {', '.join(_ABOUT)}")
    missing = [name for name in _ABOUT[1:] if name not in document]
    if missing:
        raise DataError(f"{path}: {missing[0]} is missing")
    accountant = dict(document["accountant"])
    says = accountant.pop("says")
    try:
        listed = tuple(_release(i, entry) for i, entry in enumerate(document["releases"], start=1))
        points = tuple(_point(i, entry, accountant) for i, entry in enumerate(says, start=1))
    except FinitedpError as error:
        raise DataError(f"{path}: {error}") from None
    return Accounts(name=document.get("name", path.stem), path=path, releases=listed, says=points, functions=accountant)


_KINDS = (("epsilon", {"epsilon", "delta", "ratio"}), ("p", {"p", "q"}), ("claim", {"claim"}))


def _release(number: int, entry: Document) -> tuple[PrivacyClaim | Pair | str, int]:
    fields = {name: value for name, value in entry.items() if name != "times"}
    where, times = f"releases, number {number}", entry.get("times", 1)
    kind = next((name for name, names in _KINDS if name in fields and set(fields) <= names), None)
    try:
        if kind == "claim":
            return fields["claim"], times
        if kind == "epsilon":
            epsilon, delta = fields["epsilon"], fields.get("delta", 0)
            return privacy_claim(epsilon, "replace-one", delta, fields.get("ratio")), times
        if kind == "p" and "q" in fields:
            p, q = ([rational(x, name) for x in fields[name]] for name in "pq")
            return pair_of_laws(p, q), times
    except FinitedpError as error:
        raise DataError(f"{where}: {error}") from None
    raise DataError(
        f"{where} has {', '.join(fields) or 'no field'}; accepted: epsilon with delta or ratio, p with q, or claim"
    )


def _point(number: int, entry: Document, functions: Document) -> tuple[mpq | None, mpq | None]:
    for name, other in (("delta", "epsilon"), ("epsilon", "delta")):
        if name not in entry and name not in functions:
            raise DataError(
                f"says, number {number}, has no {name}, and no function says it; accepted: {name}, or accountant.{name} ="
                f' "FILE.py:FUNCTION" of {other}'
            )
    epsilon, delta = entry.get("epsilon"), entry.get("delta")
    try:
        return (
            None if epsilon is None else epsilon_of(epsilon),
            None if delta is None else delta_of_text(delta),
        )
    except FinitedpError as error:
        raise DataError(f"says, number {number}: {error}") from None
