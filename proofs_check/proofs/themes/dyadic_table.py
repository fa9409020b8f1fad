"""The weights of which a dyadic table is built: they satisfy (i) and (ii), no table has less, and they end soon."""

from typing import Any

from finitedp.proofs_check.proofs.building import Book, auto, cases, chain, each, have, induct, know, let, use
from finitedp.proofs_check.proofs.finding import KNOWN, Proof

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
            chain(use("IH", where=[auto()]), use("next", {"i": "j"}), use("falls", {"q": "q", "e": "e", "a": "w(j)"}), auto()),
            under=["j <= n - 1"],
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
            chain(
                use("IH", where=[auto()]),
                use("(i)", AT | {"j": "n - 2 - m"}, same(auto(), auto())),
                use("sums", {"i": "n - 2 - m"}),
                use("sums", {"i": "n - 1 - m"}),
                auto("q", "q + e"),
            ),
            under=["m <= n - 1"],
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
            chain(use("IH", where=[auto()]), use("(i)", AT | {"j": "j"}, same(auto(), auto())), auto()),
            under=["j <= n - 1"],
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
            chain(
                use("IH", where=[auto()]),
                use("sums", {"i": "n - 1 - m"}),
                use("no weight is above the first", AT | {"j": "n - 1 - m"}, same(auto(), auto())),
                auto(),
            ),
            under=["m <= n"],
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
            {"rule": "combine", "scale": "e", "with": [["1", SCALED]]},
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
            chain(
                use("IH", where=[auto()]),
                use("next", {"i": "j"}),
                use("one", {"i": "j"}),
                use("least", {"p": "q + e", "q": "q", "a": "w(j)", "m": "W(j + 1)"}, [auto(), auto("q")]),
                auto(),
            ),
            under=["j <= n - 1"],
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
            chain(
                use("IH", where=[auto()]),
                use("sums", {"i": "n - 1 - m"}),
                use("others", {"i": "n - 1 - m"}),
                use("no weight is less", weights | {"j": "n - 1 - m"}, [*same(), again("one"), KNOWN, auto(), auto()]),
                auto(),
            ),
            under=["m <= n"],
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


def add_size(book: Book) -> None:
    """That the weights become constant, after how many, and at which value."""
    following = ["b >= 1", *POSITIVE, {"let": ["c", "least_following(b, q + e, q)"]}]
    kinds, values = RATIO | {"b": "int"}, {"q": "q", "e": "e", "a": "b"}
    step = [use("step", {"p": "q + e", "q": "q", "a": "b"}), use("falls", values)]
    book.node(
        "fixed", kinds, [*following, "e*b <= q + e - 1"], ["c == b"], chain(*step, cases("c <= b - 1", auto("q + e"), auto()))
    )
    book.node("fixed only if", kinds, [*following, "c >= b"], ["e*b <= q + e - 1"], chain(*step, auto("q + e")))
    book.node("above the floor", kinds, [*following, "c <= b - 1"], ["q <= e*c"], chain(*step, auto("q")))
    book.node(
        "constant",
        BUILT | {"j": "int", "k": "int"},
        [*WHERE, "0 <= j", "k >= 0", "j + k <= n - 2", "w(j + 1) == w(j)"],
        ["w(j + k + 1) == w(j)", "w(j + k) == w(j)"],
        chain(
            use("descends", AT | {"j": "j"}, same(auto(), auto())),
            use("next", {"i": "j"}),
            use("fixed only if", {"q": "q", "e": "e", "b": "w(j)"}, [KNOWN, auto(), auto(), auto()]),
            have("e*w(j) <= q + e - 1", by=auto()),
            have("k <= n - 2 - j"),
            induct(
                "k",
                "0",
                auto(),
                chain(
                    use("IH", where=[auto()]),
                    use("descends", AT | {"j": "j + k + 1"}, same(auto(), auto())),
                    use("next", {"i": "j + k + 1"}),
                    use("fixed", {"q": "q", "e": "e", "b": "w(j + k + 1)"}, [auto(), auto(), auto(), auto("e")]),
                    auto(),
                ),
                under=["k <= n - 2 - j"],
            ),
        ),
    )
    book.node(
        "decay",
        BUILT | {"j": "int"},
        [*WHERE, "0 <= j", "j <= n - 1"],
        ["e*(q + e)**j*w(j) <= e*q**j*w(0) + (q + e - 1)*((q + e)**j - q**j)"],
        induct(
            "j",
            "0",
            auto(),
            chain(
                use("IH", where=[auto()]),
                use("next", {"i": "j"}),
                use("step", {"p": "q + e", "q": "q", "a": "w(j)"}),
                have("(q + e)*w(j + 1) <= q*w(j) + q + e - 1", by=auto("q + e")),
                auto("q", "e*(q + e)**j"),
            ),
            under=["j <= n - 1"],
        ),
    )
    near = "e*w(L) <= 2*e + q - 1"
    book.node(
        "near the floor",
        BUILT | {"L": "int"},
        [*WHERE, "0 <= L", "L <= n - 1", "q**L*w(0) <= (q + e)**L"],
        [near],
        chain(
            use("decay", AT | {"j": "L"}, same(auto(), auto())),
            {
                "rule": "combine",
                "scale": "(q + e)**L",
                "with": [
                    ["1", "e*(q + e)**L*w(L) <= e*q**L*w(0) + (q + e - 1)*((q + e)**L - q**L)"],
                    ["e", "q**L*w(0) <= (q + e)**L"],
                    ["q**L", "q + e - 1 >= 0"],
                ],
            },
        ),
    )
    book.node(
        "size",
        BUILT | {"L": "int"},
        [*WHERE, "0 <= L", "L <= n - 3", "q**L*w(0) <= (q + e)**L"],
        ["w(L + 2) == w(L + 1)"],
        chain(
            use("near the floor", AT | {"L": "L"}, same(auto(), auto(), KNOWN)),
            use("descends", AT | {"j": "L"}, same(auto(), auto())),
            use("descends", AT | {"j": "L + 1"}, same(auto(), auto())),
            use("(i)", AT | {"j": "L"}, same(auto(), auto())),
            use("next", {"i": "L"}),
            use("next", {"i": "L + 1"}),
            have(
                "e*w(L + 1) <= q + e - 1",
                by=cases(
                    "e*w(L) <= q + e - 1",
                    auto("e"),
                    chain(
                        use("least", {"p": "q + e", "q": "q", "a": "w(L)", "m": "w(L) - 1"}, [auto(), auto()]),
                        auto("e"),
                    ),
                ),
            ),
            use("fixed", {"q": "q", "e": "e", "b": "w(L + 1)"}, [KNOWN, auto(), auto(), KNOWN]),
            auto(),
        ),
    )
    book.node(
        "floor",
        BUILT | {"j": "int"},
        [*WHERE, "0 <= j", "j <= n - 3", "w(j + 1) <= w(j) - 1", "w(j + 2) == w(j + 1)"],
        ["e*w(j + 1) >= q", "e*(w(j + 1) - 1) <= q - 1"],
        chain(
            use("descends", AT | {"j": "j"}, same(auto(), auto())),
            use("descends", AT | {"j": "j + 1"}, same(auto(), auto())),
            use("next", {"i": "j"}),
            use("next", {"i": "j + 1"}),
            use("above the floor", {"q": "q", "e": "e", "b": "w(j)"}, [KNOWN, auto(), auto(), auto()]),
            use("fixed only if", {"q": "q", "e": "e", "b": "w(j + 1)"}, [KNOWN, auto(), auto(), auto()]),
            auto("e"),
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
