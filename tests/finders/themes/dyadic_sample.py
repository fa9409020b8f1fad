"""DyadicSample on a word of bits: the code that draws gives count + Z, clamped, for every table whose tails do not rise."""

from collections.abc import Callable
from typing import Any

from tests.finders.building import Book, auto, cases, chain, have, induct, know, let, put, use
from tests.finders.finding import KNOWN, Proof
from tests.finders.themes.geo_sample import DOMAIN, add_domain

LAST_ABOVE = "finitedp.impl.arithmetic.kernels.last_above"
SAMPLE = "finitedp.impl.counting.dyadic.DyadicSample"
TABLE = "finitedp.impl.counting.dyadic_table.DyadicTable"

FUNCTION = {"h": "int", "m": "int", "f": "int -> int"}
FALLS = {"name": "falls", "for": {"i": "int"}, "where": ["0 <= i", "i <= h - 1"], "then": ["f(i + 1) <= f(i)"]}
R = {"let": ["r", "last_above(f, h, m)"]}

KINDS = {"n": "int", "B": "int", "h": "int", "t": "int", "l": "int", "S": "int -> int"}
WHERE: list[Any] = [
    "0 <= h",
    "h <= n - 1",
    "B >= 1",
    "t >= 1",
    "l >= 1",
    "S(h) == l + (n - h)*t",
    {"name": "falls", "for": {"i": "int"}, "where": ["0 <= i", "i <= h - 1"], "then": ["S(i + 1) <= S(i)"]},
    {"let": ["T", "Some(DyadicTable, n=n, first=h, sums=Some(__getitem__=S), tail=t, last=l)"]},
    {"let": ["M", "Some(DyadicSample, n=n, word=B, table=T)"]},
    "2**B == T.upper(0) + T.upper(1)",
]


def add_search(book: Book) -> None:
    """The nodes about `last_above`."""
    invariant = ["0 <= found", "found <= last", "m < tail(found)", "found + 2**left >= last + 1 or tail(found + 2**left) <= m"]
    book.node(
        "found",
        FUNCTION,
        ["h >= 0", "m < f(0)", R],
        ["integer(r)", "0 <= r", "r <= h", "m < f(r)", "r >= h or f(r + 1) <= m"],
        chain(
            know("h.bit_length()"),
            {
                "rule": "loop",
                "of": "last_above(f, h, m)",
                "invariant": invariant,
                "start": auto(),
                "step": chain(know("2**(left - 1)"), auto()),
            },
            auto(),
        ),
    )
    book.node(
        "falling",
        {"h": "int", "f": "int -> int", "a": "int", "k": "int"},
        [FALLS, "a >= 0", "k >= 0", "a + k <= h"],
        ["f(a + k) <= f(a)"],
        induct(
            "k",
            "0",
            KNOWN,
            use("falls", {"i": "a + before"}, [auto(), auto()]),
            auto(),
        ),
    )
    book.node(
        "above",
        FUNCTION | {"j": "int"},
        ["h >= 0", "m < f(0)", FALLS, "0 <= j <= h", R],
        ["integer(r)", "0 <= r", "r <= h", "(j <= r) == (m < f(j))"],
        chain(
            use("found", {"h": "h", "m": "m", "f": "f"}),
            cases(
                "j <= r",
                chain(falling("j", "r - j", "f"), auto()),
                chain(have("r <= h - 1"), falling("r + 1", "j - r - 1", "f"), auto()),
            ),
        ),
    )


AT = {name: name for name in KINDS}


def add_draw(book: Book) -> None:
    """What `apply` gives, beside what `cdf` says."""
    book.node(
        "half",
        {"B": "int"},
        ["B >= 1"],
        ["2**B // 2 == 2**(B - 1)"],
        chain(know("2**B // 2"), cases("2**B // 2 <= 2**(B - 1) - 1", auto(), auto())),
    )
    book.node(
        "upper",
        KINDS | {"j": "int"},
        [*WHERE, "0 <= j <= n"],
        ["T.upper(j) <= T.upper(0)", "T.upper(j) >= 1", "j == 0 or T.upper(j) <= 2**(B - 1)", "T.upper(0) >= 2**(B - 1)"],
        cases(
            "h <= 0",
            chain(put("h", "0"), auto(products=STRETCH)),
            chain(
                use("falls", {"i": "0"}),
                falling("1", "h - 1", "S"),
                cases(
                    "j <= h",
                    cases(
                        "j <= 0",
                        chain(put("j", "0"), auto(products=STRETCH)),
                        chain(falling("1", "j - 1", "S"), falling("j", "h - j", "S"), auto(products=STRETCH)),
                    ),
                    auto(products=STRETCH),
                ),
            ),
        ),
    )

    size = [*WHERE, "0 <= m", "m < 2**(B - 1)", "1 <= j <= n"]
    book.node(
        "near",
        KINDS | {"m": "int", "j": "int"},
        [*size, "m >= S(h)", {"let": ["r", "last_above(S, h, m)"]}],
        ["integer(r)", "0 <= r", "r <= h", "(j <= r) == (m < T.upper(j))"],
        chain(
            use("upper", AT | {"j": "0"}, same(auto())),
            have("m < S(0)"),
            cases(
                "j <= h",
                chain(above("j"), auto()),
                chain(above("h"), auto(products=STRETCH)),
            ),
        ),
    )
    book.node(
        "far",
        KINDS | {"m": "int", "j": "int"},
        [*size, "m < S(h)", {"let": ["r", "n - 1 - (m - l)//t"]}],
        ["h <= r", "(j <= r) == (m < T.upper(j))"],
        chain(
            know("(m - l)//t"),
            let("q", "(m - l)//t"),
            cases(
                "j <= h",
                chain(falling("j", "h - j", "S"), auto("t", products=STRETCH)),
                auto("t", products=STRETCH),
            ),
        ),
    )


def add_law(book: Book) -> None:
    """That the draws that `apply` maps to at most z are `cdf` many, the first ones."""
    draw = KINDS | {"c": "int", "u": "int"}
    where = [*WHERE, "0 <= c <= n", "1 <= u", "u <= M.d"]
    book.node("inside", draw, where, ["0 <= M.apply(c, u)", "M.apply(c, u) <= n"], by_half(lambda m: compared(m, "1")))
    book.node(
        "inverse",
        draw | {"z": "int"},
        [*where, "0 <= z <= n - 1"],
        ["(M.apply(c, u) <= z) == (u <= M.cdf(c, z))"],
        by_half(lambda m: cases("z <= c - 1", compared(m, "c - z", "c - z <= h"), compared(m, "z - c + 1", "z - c + 1 <= h"))),
    )
    at = KINDS | {"c": "int"}
    book.node("beyond n", KINDS | {"j": "int"}, [*WHERE, "j >= n + 1"], ["T.upper(j) == 0"], auto())
    book.node("ends", at, [*WHERE, "0 <= c <= n"], ["M.cdf(c, -1) == 0", "M.cdf(c, n) == M.d", "M.d == 2**B"], auto())
    for name, place, mass in MASSES:
        said = [f"M.cdf(c, z) - M.cdf(c, z - 1) == {mass}"]
        book.node(f"mass {name}", at | {"z": "int"}, [*WHERE, "0 <= c <= n", *place], said, auto())


def add_accuracy(book: Book) -> None:
    """How often the error of a count is above a: never more often than `missed` says, and at some count as often."""
    miss = "M.d - M.cdf(c, min(c + a, n)) + M.cdf(c, max(c - a - 1, -1))"
    kinds, where = KINDS | {"a": "int", "c": "int"}, [*WHERE, "0 <= c <= n", "a >= 0"]
    size = chain(use("upper", AT | {"j": "a + 1"}, same(auto())), auto(cases=["c + a <= n - 1", "c - a - 1 >= 0"]))
    book.node("missed", kinds, where, [f"{miss} <= M.missed(a)"], cases("a <= n - 1", size, auto()))
    for name, more in (("in the middle", ["c == a + 1", "2*a + 1 < n"]), ("at 0", ["c == 0", "2*a + 1 >= n"])):
        by = cases("a <= n - 1", auto(), auto())
        book.node(f"missed as often {name}", kinds, [*where, *more], [f"{miss} == M.missed(a)"], by)


MASSES = (
    ("above the count", ["c < z", "z < n"], "T.upper(z - c) - T.upper(z - c + 1)"),
    ("below the count", ["0 < z", "z < c"], "T.upper(c - z) - T.upper(c - z + 1)"),
    ("at the count", ["z == c", "0 < c", "c < n"], "T.upper(0) - T.upper(1)"),
    ("at 0", ["z == 0"], "T.upper(c)"),
    ("at n", ["z == n"], "T.upper(n - c)"),
)


def by_half(then: Callable[[str], Proof]) -> Proof:
    """The words of either sign: for those of the first half m is u - 1, for the others 2^B - u."""
    return chain(use("half", {"B": "B"}), cases("u <= 2**(B - 1)", then("u - 1"), then("2**B - u")))


def compared(m: str, j: str, *asked: str) -> Proof:
    """What is known of the size of the noise, compared with j: by the quotient, or by the bisection."""
    given = AT | {"m": m, "j": j}
    more = [auto(), auto(), auto(), auto()]
    return chain(
        use("upper", AT | {"j": j}, same(auto())),
        let("near", f"last_above(S, h, {m})"),
        cases(
            f"{m} < S(h)",
            chain(
                falling("0", "h", "S"),
                have(f"{m} < S(0)"),
                above("0", m),  # the bisection runs here, too
                use("far", given, same(*[auto() for _ in more])),
                auto(cases=asked),
            ),
            chain(use("near", given, same(*[auto() for _ in more])), auto(cases=asked)),
        ),
    )


def same(*more: Proof) -> list[Proof]:
    """The hypotheses again, and proofs of what a node asks for beside them."""
    said = [part for part in WHERE if not (isinstance(part, dict) and "let" in part)]
    return [auto() if isinstance(part, str) else chain(use("falls", {"i": "i"}), KNOWN) for part in said] + list(more)


def above(j: str, m: str = "m") -> Proof:
    """What the bisection finds, compared with j."""
    again = chain(use("falls", {"i": "i"}), KNOWN)
    return use("above", {"h": "h", "m": m, "f": "S", "j": j}, [auto(), auto(), again, auto()])


STRETCH = [
    ["1", "t >= 1", "n - j >= 0"],
    ["1", "t >= 1", "n - h >= 0"],
    ["1", "t >= 1", "j - h >= 0"],
    ["1", "t >= 1", "j - 1 >= 0"],
]


def falling(a: str, k: str, f: str) -> Proof:
    """That f does not rise from a to a + k."""
    again = chain(use("falls", {"i": "i"}), KNOWN)
    return use("falling", {"h": "h", "f": f, "a": a, "k": k}, [again, auto(), auto(), auto()])


def build() -> Book:
    """The document."""
    book = Book("DyadicSample: the law of what is drawn", [LAST_ABOVE, SAMPLE, TABLE])
    add_domain(book, KINDS, WHERE)
    add_search(book)
    add_draw(book)
    add_law(book)
    add_accuracy(book)
    book.claim("FD.Dyadic.domain.all", *DOMAIN)
    book.claim("FD.Dyadic.law.all", "inside", "inverse", "ends", "beyond n", *(f"mass {name}" for name, _, _ in MASSES))
    book.claim("FD.Dyadic.miss.all", *(node["name"] for node in book.nodes if node["name"].startswith("missed")))
    return book
