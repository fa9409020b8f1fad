"""The weights of which a dyadic table is built: they satisfy (i) and (ii), no table has less, and they end soon."""

from tests.finders.building import Book, auto, cases, chain, each, have, induct, know, use
from tests.finders.finding import KNOWN, Proof
from tests.finders.themes.dyadic_table_size import add_size
from tests.finders.themes.least_weights import AT, BUILT, LEAST_FOLLOWING, WHERE, add_step, again, same

SUMS = {"name": "sums", "for": {"i": "int"}, "where": ["0 <= i", "i <= n - 1"], "then": ["S(i) == w(i) + S(i + 1)"]}
TABLE = BUILT | {"S": "int -> int"}
LAST = "least_following(w(n - 1), e, q)"
SUMMED = [*WHERE, SUMS]


def add_table(book: Book) -> None:
    """That the weights make a table, whatever is left over."""
    last = use("step", {"p": "e", "q": "q", "a": "w(n - 1)"})
    book.node(
        "the last weight",
        TABLE,
        [*SUMMED, f"S(n) >= {LAST}"],
        ["S(n) >= 1", "q*S(n - 1) <= (q + e)*S(n)"],
        chain(
            use("descends", AT | {"j": "n - 1"}, same(auto(), auto())),
            last,
            use("sums", {"i": "n - 1"}),
            have(f"e*S(n) >= e*{LAST}", by=auto("e")),
            each(cases("S(n) <= 0", auto("q", "e"), auto()), auto("e", "q")),
        ),
    )
    book.node(
        "(ii)",
        TABLE | {"m": "int"},
        [*SUMMED, f"S(n) >= {LAST}", "0 <= m", "m <= n - 1"],
        ["q*S(n - 1 - m) <= (q + e)*S(n - m)"],
        induct(
            "m",
            "0",
            chain(use("the last weight", AT | {"S": "S"}, [*same(), again("sums"), KNOWN]), auto()),
            use("(i)", AT | {"j": "n - 1 - m"}, same(auto(), auto())),
            use("sums", {"i": "n - 1 - m"}),
            use("sums", {"i": "n - m"}),
            auto("q", "q + e"),
        ),
    )


def again_all() -> list[Proof]:
    """The hypotheses SUMMED again."""
    return [*same(), again("sums")]


LEAST = TABLE | {"B": "int"}
FITS = [*SUMMED, f"S(n) == {LAST}", "B >= 1"]
HALF = "(2**B - S(0) - S(1))//2"


def add_existence(book: Book) -> None:
    """That a table exists where the least weights from 2 on fit, and only there; and how many bits are enough."""
    book.node(
        "what is left over",
        LEAST | {"v": "int"},
        [*FITS, "w(0) == 2*v", "S(0) + S(1) <= 2**B", {"let": ["x", HALF]}],
        ["integer(x)", "x >= 0", "(S(0) + x) + (S(1) + x) == 2**B"],
        chain(
            use("sums", {"i": "0"}),
            know(HALF),
            cases(
                "x <= 2**(B - 1) - v - S(1) - 1",
                auto(),
                cases("x >= 2**(B - 1) - v - S(1) + 1", auto(), auto(cases=["x >= 0"])),
            ),
        ),
    )
    book.node(
        "a table",
        LEAST | {"v": "int", "j": "int"},
        [*FITS, "w(0) == 2*v", "S(0) + S(1) <= 2**B", {"let": ["x", HALF]}, "0 <= j", "j <= n - 1"],
        ["w(j) >= 1", "S(n) + x >= 1", "q*(S(j) + x) <= (q + e)*(S(j + 1) + x)"],
        chain(
            use("what is left over", TABLE_AT | {"B": "B", "v": "v"}, [*again_all(), KNOWN, KNOWN, KNOWN, KNOWN]),
            use("descends", AT | {"j": "j"}, same(auto(), auto())),
            use("the last weight", TABLE_AT, [*again_all(), auto()]),
            use("(ii)", TABLE_AT | {"m": "n - 1 - j"}, [*again_all(), auto(), auto(), auto()]),
            auto("e"),
        ),
    )
    book.node(
        "no weight is above the first",
        BUILT | {"j": "int"},
        [*WHERE, "0 <= j", "j <= n - 1"],
        ["w(j) <= w(0)"],
        induct(
            "j",
            "0",
            auto(),
            use("(i)", AT | {"j": "before"}, same(auto(), auto())),
            auto(),
        ),
    )
    book.node(
        "at most",
        TABLE | {"m": "int"},
        [*SUMMED, "0 <= m", "m <= n"],
        ["S(n - m) <= w(0)*m + S(n)"],
        induct(
            "m",
            "0",
            auto(),
            use("sums", {"i": "n - m"}),
            use("no weight is above the first", AT | {"j": "n - m"}, same(auto(), auto())),
            auto(),
        ),
    )
    book.node(
        "enough bits",
        LEAST,
        [*FITS, "w(0) == 2", "4*e*n + 4*q - 2 <= e*2**B"],
        ["S(0) + S(1) <= 2**B"],
        chain(
            use("sums", {"i": "0"}),
            use("at most", TABLE_AT | {"m": "n - 1"}, [*again_all(), auto(), auto()]),
            use("no weight is above the first", AT | {"j": "n - 1"}, same(auto(), auto())),
            use("step", {"p": "e", "q": "q", "a": "w(n - 1)"}),
            have(SCALED, by=auto("e", "q", "e*n")),
            {"rule": "combine", "goal": "e", "with": [["1", SCALED]]},
        ),
    )


TABLE_AT = {name: name for name in TABLE}
OTHER = {"W": "int -> int", "T": "int -> int"}  # the weights and tails of any table
OTHER_ONE = {
    "name": "one",
    "for": {"i": "int"},
    "where": ["0 <= i", "i <= n - 2"],
    "then": ["q*W(i) <= (q + e)*W(i + 1)"],
}
OTHER_SUMS = {"name": "others", "for": {"i": "int"}, "where": ["0 <= i", "i <= n - 1"], "then": ["T(i) == W(i) + T(i + 1)"]}
OTHERS = [OTHER_ONE, OTHER_SUMS, "q*T(n - 1) <= (q + e)*T(n)"]


def add_necessity(book: Book) -> None:
    """That any table has at least the least weights."""
    both = BUILT | {"W": "int -> int"}
    all_same = [again("one"), again("others"), KNOWN]
    book.node(
        "no weight is less",
        both | {"j": "int"},
        [*WHERE, OTHER_ONE, "w(0) <= W(0)", "0 <= j", "j <= n - 1"],
        ["w(j) <= W(j)"],
        induct(
            "j",
            "0",
            auto(),
            use("next", {"i": "before"}),
            use("one", {"i": "before"}),
            use("least", {"p": "q + e", "q": "q", "a": "w(before)", "m": "W(j)"}, [auto(), auto("q")]),
            auto(),
        ),
    )
    weights = AT | {"W": "W"}
    book.node(
        "no tail is less",
        TABLE | OTHER | {"m": "int"},
        [*SUMMED, f"S(n) == {LAST}", *OTHERS, "w(0) <= W(0)", "0 <= m", "m <= n"],
        ["S(n - m) <= T(n - m)"],
        induct(
            "m",
            "0",
            chain(
                use("no weight is less", weights | {"j": "n - 1"}, [*same(), again("one"), KNOWN, auto(), auto()]),
                use("others", {"i": "n - 1"}),
                use("least", {"p": "e", "q": "q", "a": "w(n - 1)", "m": "T(n)"}, [auto(), auto("q")]),
                auto(),
            ),
            use("sums", {"i": "n - m"}),
            use("others", {"i": "n - m"}),
            use("no weight is less", weights | {"j": "n - m"}, [*same(), again("one"), KNOWN, auto(), auto()]),
            auto(),
        ),
    )
    tails = TABLE_AT | {"W": "W", "T": "T"}
    book.node(
        "no table below",
        LEAST | OTHER,
        [*FITS, "w(0) == 2", *OTHERS, "W(0) >= 1", "T(0) + T(1) == 2**B"],
        ["S(0) + S(1) <= 2**B"],
        chain(
            use("others", {"i": "0"}),
            have("W(0) >= 2", by=cases("T(1) <= 2**(B - 1) - 1", auto(), auto())),
            use("no tail is less", tails | {"m": "n"}, [*again_all(), KNOWN, *all_same, auto(), auto(), auto()]),
            use("no tail is less", tails | {"m": "n - 1"}, [*again_all(), KNOWN, *all_same, auto(), auto(), auto()]),
            auto(),
        ),
    )


SCALED = "e*(S(0) + S(1)) <= e*2**B"


def build() -> Book:
    """The document."""
    book = Book("Dyadic tables: existence, size and floor", [LEAST_FOLLOWING])
    add_step(book)
    add_table(book)
    add_existence(book)
    add_necessity(book)
    add_size(book)
    book.claim("FD.Dyadic.table.all", "what is left over", "a table", "(i)")
    book.claim("FD.Dyadic.existence.all", "a table", "what is left over", "(i)", "enough bits", "no table below")
    book.claim("FD.Dyadic.size.all", "size", "constant")
    book.claim("FD.Dyadic.stretch.all", "floor")
    return book
