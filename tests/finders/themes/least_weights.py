"""The weights of a dyadic table, each the least behind the one before, and what one step of them does."""

from typing import Any

from tests.finders.building import Book, auto, cases, chain, each, induct, know, let, use
from tests.finders.finding import KNOWN, Proof

LEAST_FOLLOWING = "finitedp.impl.counting.dyadic_table.least_following"
RATIO = {"q": "int", "e": "int"}  # R = (q + e)/q
POSITIVE = ["q >= 1", "e >= 1"]
STEP = RATIO | {"a": "int"}
B = {"let": ["b", "least_following(a, q + e, q)"]}
SIZE = {"n": "int", **RATIO}
NEXT: dict[str, Any] = {
    "name": "next",
    "for": {"i": "int"},
    "where": ["0 <= i", "i <= n - 2"],
    "then": ["w(i + 1) == least_following(w(i), q + e, q)"],
}
BUILT = SIZE | {"w": "int -> int"}
WHERE: list[Any] = ["n >= 1", *POSITIVE, "w(0) >= 1", NEXT]
AT = {name: name for name in BUILT}


def again(name: str) -> Proof:
    """A hypothesis with one variable, again."""
    return chain(use(name, {"i": "i"}), KNOWN)


def same(*more: Proof) -> list[Proof]:
    """The hypotheses WHERE again, and proofs of others."""
    return [auto() if isinstance(part, str) else again(part["name"]) for part in WHERE] + list(more)


def add_step(book: Book) -> None:
    """What `least_following` gives."""
    kinds, b = {"p": "int", "q": "int", "a": "int"}, {"let": ["b", "least_following(a, p, q)"]}
    book.node(
        "step",
        kinds,
        ["p >= 1", b],
        ["integer(b)", "q*a <= p*b", "p*b <= q*a + p - 1"],
        chain(know("(-a*q)//p"), let("f", "(-a*q)//p"), auto()),
    )
    book.node(
        "least",
        kinds | {"m": "int"},
        ["p >= 1", "q*a <= p*m", b],
        ["b <= m"],
        chain(use("step", {"p": "p", "q": "q", "a": "a"}), cases("b <= m", KNOWN, auto("p"))),
    )
    book.node(
        "falls",
        STEP,
        [*POSITIVE, "a >= 1", B],
        ["1 <= b", "b <= a"],
        chain(
            use("step", {"p": "q + e", "q": "q", "a": "a"}),
            use("least", {"p": "q + e", "q": "q", "a": "a", "m": "a"}, [auto(), auto("e")]),
            each(cases("b <= 0", auto("q", "q + e"), auto()), auto()),
        ),
    )
    book.node(
        "descends",
        BUILT | {"j": "int"},
        [*WHERE, "0 <= j", "j <= n - 1"],
        ["w(j) >= 1"],
        induct(
            "j",
            "0",
            auto(),
            use("next", {"i": "before"}),
            use("falls", {"q": "q", "e": "e", "a": "w(before)"}),
            auto(),
        ),
    )
    book.node(
        "(i)",
        BUILT | {"j": "int"},
        [*WHERE, "0 <= j", "j <= n - 2"],
        ["w(j + 1) <= w(j)", "q*w(j) <= (q + e)*w(j + 1)"],
        chain(
            use("descends", AT | {"j": "j"}, same(auto(), auto())),
            use("next", {"i": "j"}),
            use("falls", {"q": "q", "e": "e", "a": "w(j)"}),
            use("step", {"p": "q + e", "q": "q", "a": "w(j)"}),
            auto("q + e"),
        ),
    )
