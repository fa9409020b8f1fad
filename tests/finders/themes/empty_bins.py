"""The empty-bin sampler over any mechanism, and draws on strict coins, for every range."""

from tests.finders.building import Book, auto, branches, cases, chain, each, have, know, let, put, use
from tests.finders.finding import KNOWN, Proof

EMPTY = "finitedp.impl.histograms.empty_bins.EmptyBinSampler"
SCALE_WORD = "finitedp.impl.arithmetic.kernels.scale_word"
RANGES = {"d": "int", "e": "int"}
WHERE = ["d >= 1", "e >= d"]
SOME = {"let": ["M", "Some(n=n, d=d, scaled_cdf=F, apply=A)"]}
B = {"let": ["B", "EmptyBinSampler(M, e)"]}
KINDS = {"n": "int", **RANGES, "F": "int -> int", "A": "int, int -> int"}
FUNCTION = {
    "name": "distribution",
    "for": {"i": "int"},
    "where": ["0 <= i", "i <= n"],
    "then": ["0 <= F(i)", "F(i) <= d"],
}
INVERSE = {
    "name": "inverse transform",
    "for": {"i": "int", "s": "int"},
    "where": ["0 <= i", "i <= n", "1 <= s", "s <= d"],
    "then": ["(A(0, s) <= i) == (s <= F(i))"],
}
RISES = {
    "name": "rises",
    "for": {"a": "int", "b": "int"},
    "where": ["1 <= a", "a <= b", "b <= d"],
    "then": ["A(0, a) <= A(0, b)"],
}


def quotient() -> list[Proof]:
    """What is known of q = e // d and the remainder."""
    return [use("quotient", {"d": "d", "e": "e"}), let("q", "e // d")]


def build() -> Book:
    """The document."""
    book = Book("EmptyBinSampler over any mechanism", [EMPTY])
    book.node(
        "quotient",
        RANGES,
        WHERE,
        ["e // d >= 1", "0 <= e % d", "e % d <= d - 1", "e == d*(e // d) + e % d"],
        chain(know("e // d"), let("q", "e // d"), cases("q <= 0", auto("d"), auto())),
    )
    add_domain(book)
    add_cost(book)
    stretched = {**RANGES, "u": "int", "w": "int", "n": "int", "F": "int -> int", "A": "int, int -> int"}
    inside = [*WHERE, "1 <= u", "u <= e", SOME, B]
    book.node(
        "stretched",
        stretched,
        [*inside, "0 <= w", "w <= d"],
        ["1 <= B.stretched(u)", "B.stretched(u) <= d", "(B.stretched(u) <= w) == (u <= B.q*w + min(w, B.r))"],
        chain(
            *quotient(),
            cases(
                "u <= B.r*(q + 1)",
                chain(know("(-u) // (q + 1)"), let("s", "(-u) // (q + 1)"), auto("q", "q + 1", cases=["w <= B.r", "-s <= w"])),
                chain(
                    know("(-(u - B.r)) // q"), let("s", "(-(u - B.r)) // q"), auto("q", "q + 1", cases=["w <= B.r", "-s <= w"])
                ),
            ),
        ),
    )
    book.node(
        "stretched rises",
        stretched | {"v": "int"},
        [*WHERE, "1 <= u", "u <= v", "v <= e", SOME, B],
        ["B.stretched(u) <= B.stretched(v)"],
        chain(
            *quotient(),
            cases(
                "v <= B.r*(q + 1)",
                chain(
                    know("(-u) // (q + 1)"),
                    let("s", "(-u) // (q + 1)"),
                    know("(-v) // (q + 1)"),
                    let("t", "(-v) // (q + 1)"),
                    auto("q + 1"),
                ),
                cases(
                    "u <= B.r*(q + 1)",
                    chain(
                        know("(-u) // (q + 1)"),
                        let("s", "(-u) // (q + 1)"),
                        know("(-(v - B.r)) // q"),
                        let("t", "(-(v - B.r)) // q"),
                        have("-s <= B.r", by=auto("q + 1")),
                        have("B.r <= -t", by=auto("q")),
                        auto(),
                    ),
                    chain(
                        know("(-(u - B.r)) // q"),
                        let("s", "(-(u - B.r)) // q"),
                        know("(-(v - B.r)) // q"),
                        let("t", "(-(v - B.r)) // q"),
                        auto("q"),
                    ),
                ),
            ),
        ),
    )
    pair = {"d": "d", "e": "e", "w": "d", "n": "n", "F": "F", "A": "A"}  # w plays no role
    book.node(
        "rising",
        KINDS | {"u": "int", "v": "int"},
        [*WHERE, "1 <= u", "u <= v", "v <= e", SOME, B, RISES],
        ["B.apply(u) <= B.apply(v)"],
        chain(
            *quotient(),
            branches(
                ["u <= B.r*(B.q + 1)", "v <= B.r*(B.q + 1)"],
                lambda: chain(
                    use("stretched rises", pair | {"u": "u", "v": "v"}),
                    use("stretched", pair | {"u": "u"}, [auto() for _ in range(6)]),
                    use("stretched", pair | {"u": "v"}, [auto() for _ in range(6)]),
                    use("rises", {"a": "B.stretched(u)", "b": "B.stretched(v)"}, [auto() for _ in range(3)]),
                    auto(),
                ),
            ),
        ),
    )
    places = KINDS | {"j": "int"}
    numbers = [*WHERE, "n >= 1", "F(n) == d", FUNCTION, SOME, B]
    book.node(
        "counted",
        places,
        [*numbers, "0 <= j", "j <= n"],
        ["B.cdf(-1) == 0", "B.cdf(j) == B.q*F(j) + min(F(j), B.r)", "B.cdf(n) == e"],
        chain(
            *quotient(),
            use("distribution", {"i": "j"}),
            each(
                auto(), cases("n <= j", chain(put("j", "n"), auto(cases=["F(n) <= B.r"])), auto(cases=["F(j) <= B.r"])), auto()
            ),
        ),
    )
    book.node(
        "preimages",
        places | {"u": "int"},
        [*numbers, INVERSE, "0 <= j", "j <= n", "1 <= u", "u <= e"],
        ["(B.apply(u) <= j) == (u <= B.cdf(j))"],
        chain(
            *quotient(),
            use("distribution", {"i": "j"}),
            cases(
                "n <= j",
                chain(put("j", "n"), after_preimages(pair, "n")),
                cases("j <= 0", chain(put("j", "0"), after_preimages(pair, "0")), after_preimages(pair, "j")),
            ),
        ),
    )
    book.node(
        "accuracy",
        places,
        [*numbers, "0 <= j", "j <= n"],
        ["d*B.cdf(j) >= e*F(j)"],
        chain(
            *quotient(),
            use("distribution", {"i": "j"}),
            use(
                "counted",
                {name: name for name in places},
                [KNOWN, KNOWN, KNOWN, KNOWN, chain(use("distribution", {"i": "i"}), KNOWN)],
            ),
            cases("F(j) <= B.r", auto(products=PRODUCTS), auto(products=PRODUCTS)),
        ),
    )
    above = "d + d*q - 1 - e >= 0"
    book.node(
        "ratios",
        {"d": "int", "e": "int"},
        WHERE,
        ["ln(e/(e // d*d)) <= 2*d/e", "ln((e // d + 1)*d/e) <= d/e"],
        chain(
            *quotient(),
            have("e >= 1"),
            have("e/(q*d) >= 1", by=auto(products=[["1/(q*d)", "e - d*q >= 0"]])),
            have("(q + 1)*d/e >= 1", by=auto(products=[["1/e", above]])),
            know("ln(e/(q*d))"),
            know("ln((q + 1)*d/e)"),
            each(
                auto(products=[["1/(q*d)", above], ["1/(e*q)", above], ["d/(e*q)", "q >= 1"]]),
                auto(products=[["1/e", "e - d*q >= 0"]]),
            ),
        ),
    )
    book.claim("FD.EmptyBins.domain.all", *DOMAIN, *REFUSED)
    book.claim("BV.Lem8.4.i.all", "rising")
    book.claim("BV.Lem8.4.ii.all", "counted", "ratios")
    book.claim("BV.Lem8.4.iii.all", "counted", "accuracy")
    book.claim("BV.Lem8.4.iv.all", "three comparisons", "numbers up to d_0")
    book.claim("BV.Lem8.4.v.all", "preimages", "counted")
    return book


def add_cost(book: Book) -> None:
    """That three comparisons are made beside the mechanism's, of numbers of at most d_0."""
    kinds, inside = KINDS | {"u": "int"}, [*WHERE, "1 <= u", "u <= e", SOME, B]
    said = ["Comparisons(B.apply(u)) == 3", "B.apply(u) == A(0, B.stretched(u))"]
    book.node("three comparisons", kinds, inside, said, chain(*quotient(), auto()))
    said = ["1 <= B.q", "B.q <= e", "0 <= B.r", "B.r*(B.q + 1) <= e", "B.r + d*B.q == e"]
    by = auto(products=[["q", "d >= 1"], ["q", "d - 1 - e + d*q >= 0"]])
    book.node("numbers up to d_0", KINDS, [*WHERE, SOME, B], said, chain(*quotient(), by))


REFUSED = {
    "a draw below 1": ("u <= 0", "B.apply(u)"),
    "a draw above d_0": ("u >= e + 1", "B.apply(u)"),
    "a value below -1": ("v <= -2", "B.cdf(v)"),
    "a value above n": ("v >= n + 1", "B.cdf(v)"),
}
GUARDED = {"let": ["M", "Some(n=n, d=d, scaled_cdf=lambda i: (F(i),)[i <= -1 or i >= n], apply=A)"]}  # no value at n
DOMAIN = ("F is asked in 0..n-1",)


def add_domain(book: Book) -> None:
    """That F is asked only for values in 0..n-1, and that other draws and values are refused."""
    places = KINDS | {"v": "int"}
    inside = [*WHERE, "n >= 1", GUARDED, B, "-1 <= v <= n"]
    said = ["B.cdf(v) == B.cdf(v)"]  # which has a meaning only where no element of a tuple is asked for that is not there
    book.node(DOMAIN[0], places, inside, said, chain(*quotient(), auto(cases=["v <= -1", "v >= n"])))
    for name, (where, call) in REFUSED.items():
        kinds = places | {"u": "int"}
        book.node(name, kinds, [*WHERE, "n >= 1", SOME, B, where], [f"Raises({call})"], chain(*quotient(), auto()))


PRODUCTS = [["1", "F(j) >= 0", "d - e + d*(e // d) - 1 >= 0"], ["1", "d - F(j) >= 0", "e - d*(e // d) >= 0"]]


def after_preimages(pair: dict[str, str], place: str) -> Proof:
    """M_0 is the inverse of its F where M is."""
    return branches(
        ["u <= B.r*(B.q + 1)", f"F({place}) <= B.r"],
        lambda: chain(
            use("stretched", pair | {"u": "u", "w": f"F({place})"}, [auto() for _ in range(6)]),
            use("inverse transform", {"i": place, "s": "B.stretched(u)"}, [auto() for _ in range(4)]),
            auto(cases=[f"u <= B.cdf({place})"]),
        ),
    )
