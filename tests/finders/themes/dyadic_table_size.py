"""Where the least weights of a dyadic table become constant, and at which value."""

from tests.finders.building import Book, auto, cases, chain, have, induct, use
from tests.finders.finding import KNOWN
from tests.finders.themes.least_weights import AT, BUILT, POSITIVE, RATIO, WHERE, same


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
        induct(
            "k",
            "0",
            auto(),
            use("descends", AT | {"j": "j"}, same(auto(), auto())),
            use("next", {"i": "j"}),
            use("fixed only if", {"q": "q", "e": "e", "b": "w(j)"}, [KNOWN, auto(), auto(), auto()]),
            have("e*w(j) <= q + e - 1", by=auto()),
            use("descends", AT | {"j": "j + k"}, same(auto(), auto())),
            use("next", {"i": "j + k"}),
            use("fixed", {"q": "q", "e": "e", "b": "w(j + k)"}, [auto(), auto(), auto(), auto("e")]),
            auto(),
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
            use("next", {"i": "before"}),
            use("step", {"p": "q + e", "q": "q", "a": "w(before)"}),
            have("(q + e)*w(j) <= q*w(before) + q + e - 1", by=auto("q + e")),
            auto("q", "e*(q + e)**before"),
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
                "goal": "(q + e)**L",
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
