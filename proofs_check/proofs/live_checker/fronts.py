"""What counting mechanisms release, claim and state: the lines in front of `apply`. Read labels.py first.

Trusted for: where a document names a mechanism, its `release` gives what `apply` gives for one uniform draw; its `claim`
says epsilon/2 for neighbouring counts and the ratio that is proved, times the coins' slack, and no delta; and its `accuracy`
is the least a with ratio^a >= 1/beta, which ceil_power is taken at its word to find. They run on terms; what they call is
noted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from finitedp.proofs_check.proofs.live_checker import live
from finitedp.proofs_check.proofs.live_checker.kernel import *
from finitedp.proofs_check.proofs.live_checker.labels import Claimed
from finitedp.proofs_check.proofs.live_checker.live import Num, Some, aside, term_of
from finitedp.proofs_check.proofs.live_checker.numbers import *

DYADIC = "finitedp.impl.counting.dyadic.DyadicSample"
TABLE = "finitedp.impl.counting.dyadic_table.DyadicTable"
MADE = {  # any object of a class, of any k and d, and its ratio
    GEO: ("Some(GeoSample, n=n, epsilon=1/q, k=k, d=d)", "1 + 1/2**k"),
    FAST: ("Some(FastSample, n=n, epsilon=1/q, gamma=1/g, k=k, d=d)", "1 + 1/2**k"),
    DYADIC: ("Some(DyadicSample, n=n, epsilon=1/q, word=B, table=Some(DyadicTable, ratio=R))", "R"),
}
COUNT, RESULT = Some(), Some()


def fronts(names: dict[str, str]) -> None:
    """Stop unless the mechanisms among these do in front of `apply` what they are proved to be. Raises: Refused."""
    for cls in set(names.values()) & set(MADE):
        front(cls)


def front(cls: str) -> None:
    """Stop unless one mechanism does."""
    text, ratio_text = MADE[cls]
    known = {name.rpartition(".")[2]: name for name in (cls, TABLE)}
    sequent = Sequent(Checker(known, live.Live), {}, Goal([], {}))
    for name, least in {"n": 1, "q": 1, "g": 2, "k": 0, "d": 1, "B": 1, "t": int(cls != DYADIC), "R": 1}.items():
        term = declare(sequent, name, "rat" if name == "R" else "int")
        sequent.add((term - number(least), ">="))
    run = Run(sequent)
    sequent.env["M"] = record = run.value(parsed(text), sequent.env)
    terms = {name: run.poly(parsed(of), sequent.env) for name, of in {"ratio": ratio_text, "half": "1/(2*q)"}.items()}
    mechanism, drawn = live.lifted(run, record), list[Any]()
    coins: Any = Some()
    size = "uniform" if cls != DYADIC else "bits"
    setattr(coins, size, noting(drawn, Num(sequent.env["t"])))
    with noted(type(mechanism)) as (applied, powers):
        result = live.coded(run, lambda: mechanism.release(COUNT, coins))
        meant = (mechanism.word, ONE + sequent.env["t"]) if cls == DYADIC else (mechanism.d, sequent.env["t"])
        one = result is RESULT and [term_of(*of) for of in drawn] == [term_of(meant[0])]
        need(one, "release does not give what apply gives for one draw")
        another = len(applied) == 1 and applied[0][1] is COUNT and term_of(applied[0][2]) == meant[1]
        need(another, "apply is given another draw")
        slack = declare(sequent, "v", "rat")
        sequent.add((slack - ONE, ">="))
        coins.slack = Num(slack)
        for given, factor in ((None, ONE), (coins, ONE if cls == DYADIC else slack)):  # words of bits are exact on all coins
            claim = live.coded(run, lambda of=given: mechanism.claim(of))  # type: ignore[misc]
            proved = (terms["half"], "counts", number(0), terms["ratio"] * factor)
            holds = isinstance(claim, Claimed) and claim.holds()[:4] == proved
            holds = holds and (claim.told is None or claim.is_of(mechanism, given))
            need(holds, f"{cls} claims something else than epsilon/2 and its ratio")
        if cls == DYADIC:
            return  # its accuracy is re-checked for each release
        share = raised(sequent.env["g"], number(-1)) if cls == FAST else number(0)
        above = declare(sequent, "s", "rat")  # beta - gamma, or beta
        sequent.add((above, ">"))
        sequent.add((ONE - share - above, ">="))
        beta = Num(share + above)
        told = live.coded(run, lambda: mechanism.accuracy(beta))
        stands = isinstance(told, Stated) and told.a is RESULT and told.beta is beta
        need(stands, "what is stated is no accuracy at beta")
        wanted = [(terms["ratio"], raised(above, number(-1)))]
        same = [tuple(map(term_of, of)) for of in powers] == wanted
        need(same, "the accuracy is not that of the proof: another power, or another beta")


def noting(given: list[Any], result: Any) -> Any:
    """A function that notes what it is given."""

    def note(*values: Any) -> Any:
        given.append(values)
        return result

    return aside(note)


class Stated(Some):
    """What Accuracy holds."""

    def __init__(self, a: Any, beta: Any, kind: str, source: str) -> None:
        self.a, self.beta = a, beta
        need(kind == "counting" and isinstance(source, str), "this is the accuracy of something else")


@contextmanager
def noted(cls: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """What `apply` and ceil_power are given is noted, and nothing is done."""
    applied, powers = list[Any](), list[Any]()
    others: dict[str, Any] = {
        "finitedp.impl.randomness.coins.checked_coins": lambda coins: coins,
        "finitedp.claim.PrivacyClaim": Claimed,
        "finitedp.claim.Accuracy": Stated,
        f"{live.EXACT}.probability": lambda value, name, zero: value,
        f"{live.EXACT}.ceil_power": noting(powers, RESULT),
    }
    found = {name.rpartition(".")[2]: (live.taken(name), other) for name, other in others.items()}
    owner = next(one for one in cls.__mro__ if "apply" in vars(one))
    genuine = owner.apply
    with live.standing(found):
        owner.apply = noting(applied, RESULT)
        try:
            yield applied, powers
        finally:
            owner.apply = genuine
