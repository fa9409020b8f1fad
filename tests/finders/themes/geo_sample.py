"""GeoSample, for all n, epsilon = 1/q, counts and outputs."""

from collections.abc import Callable
from typing import Any

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.building import Book, auto, cases, chain, each, have, induct, know, use
from tests.finders.finding import KNOWN, Proof
from tests.finders.themes.search import LEAST_REACHING, add_search

GEO = "finitedp.impl.counting.geometric.GeoSample"
M = {"let": ["M", "GeoSample(n, 1/q)"]}
WHERE = ["n >= 1", "q >= 1", M]
CDF = "lambda j: M.cdf(c, j)"


def add_inverse(
    book: Book,
    cls: str,
    power: str,
    first: Callable[[], list[Proof]],
    hints: tuple[str, ...] = (),
    asked: tuple[str, ...] = (),
    sizes: tuple[str, ...] = (),
) -> None:
    """That M(c, u) is the least output whose F is at least u, and that it rises with u."""
    names, where = pc.PARAMETERS[cls]
    kinds = dict.fromkeys(names.split(), "int")
    at = {name: name for name in kinds}
    inverse, boundary = pc.meaning("inverse", cls)
    book.statement("ends", boundary, chain(*first(), know(power), auto(*hints)))
    book.node(
        "F rises",
        kinds | {"c": "int", "z": "int"},
        [*where, "0 <= c <= n", "z >= -1"],
        ["M.cdf(c, z) <= M.cdf(c, z + 1)"],
        chain(*first(), auto(*hints)),
    )
    book.node(
        "F is whole",
        kinds | {"c": "int", "z": "int"},
        [*where, "0 <= c <= n"],
        ["integer(M.cdf(c, z))"],
        chain(
            *first(),
            cases(
                "z <= -1",
                auto(),
                cases("z >= n", auto(), cases("z <= c - 1", scaled("c - z", *sizes), scaled("z - c + 1", *sizes))),
            ),
        ),
    )

    def rising() -> Proof:
        return chain(use("F rises", at | {"c": "c", "z": "j"}), auto())

    def whole() -> Proof:
        return chain(use("F is whole", at | {"c": "c", "z": "argument0"}), auto())

    def between(start: str, rounds: str) -> Proof:
        return use("rising", {"n": "n", "f": CDF, "a": start, "m": rounds}, [rising(), auto(), auto(), auto(), whole()])

    book.node(
        "F in 0..d",
        kinds | {"c": "int", "z": "int"},
        [*where, "0 <= c <= n", "-1 <= z <= n"],
        ["0 <= M.cdf(c, z)", "M.cdf(c, z) <= M.d"],
        chain(*first(), use("ends", at | {"c": "c"}), between("-1", "z + 1"), between("z", "n - z"), auto()),
    )
    book.statement(
        "inverse",
        inverse,
        chain(
            *first(),
            use("ends", at | {"c": "c"}),
            use("least", {"n": "n", "u": "u", "f": CDF, "z": "z"}, [KNOWN, auto(), auto(), rising(), auto(), whole()]),
            each(auto(), auto(), auto(cases=["z <= n - 1", "z <= c - 1", *asked, "u <= M.cdf(c, z)"])),
        ),
    )
    (monotone,) = pc.meaning("monotone", cls)
    book.statement(
        "monotone",
        monotone,
        chain(
            *first(),
            use("ends", at | {"c": "c"}),
            have("1 <= M.d"),
            use("least rises", {"n": "n", "u": "u", "v": "v", "f": CDF}, [KNOWN, auto(), auto(), auto(), rising(), whole()]),
            auto(),
        ),
    )


def add_domain(book: Book, kinds: dict[str, str], where: list[Any], first: Callable[[], list[Proof]] = list) -> None:
    """That other counts and draws than those of Definition 4.1 are refused."""
    for name, domain in DOMAIN.items():
        book.node(
            name, kinds | {"c": "int", "u": "int"}, [*where, *domain], ["Raises(M.apply(c, u))"], chain(*first(), auto())
        )


def scaled(*sizes: str) -> Proof:
    """That k m is at least 0, for each of these m, so that (2^k)^m is an integer."""
    known = [have(f"M.k*({m}) >= 0", by={"rule": "combine", "goal": "1", "with": [["M.k", f"{m} >= 0"]]}) for m in sizes]
    return chain(*known, auto())


DOMAIN = {
    "a count below 0": ["c <= -1"],
    "a count above n": ["c >= n + 1"],
    "a draw below 1": ["0 <= c <= n", "u <= 0"],
    "a draw above d": ["0 <= c <= n", "u >= M.d + 1"],
}


def add_integers(book: Book) -> None:
    """That the powers of which F is made are at most d."""
    kinds, x = {"n": "int", "q": "int"}, {"let": ["x", "2**M.k"]}
    book.node(
        "powers rise",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["(x + 1)**m >= x**m"],
        induct("m", "0", auto(), auto("x + 1")),
    )
    book.node(
        "powers up to d",
        kinds | {"m": "int"},
        [*WHERE, x, "1 <= m", "m <= n"],
        ["x**m <= M.d", "(x + 1)**(n - m) <= M.d"],
        chain(
            have("M.k >= 0"),
            use("powers rise", {"x": "x", "m": "m"}, [auto(), auto()]),
            know("(x + 1)**(n - m)"),
            know("(x + 1)**(m - 1)"),
            each(
                auto(
                    products=[
                        ["x + 1", "(x + 1)**(m - 1) >= 1", "(x + 1)**(n - m) >= 1"],
                        ["(x + 1)**m", "(x + 1)**(n - m) >= 1"],
                    ]
                ),
                auto(products=[["(x + 1)**(n - m)", "(x + 1)**(m - 1) >= 1"]]),
            ),
        ),
    )


def build() -> Book:
    """The document."""
    book = Book("GeoSample: law, privacy, accuracy, monotonicity, bits", [LEAST_REACHING, GEO])
    add_domain(book, {"n": "int", "q": "int"}, WHERE)
    book.node("n below 1", {"n": "int", "q": "int"}, ["n <= 0", "q >= 1"], ["Raises(GeoSample(n, 1/q))"], auto())
    add_search(book)
    add_inverse(book, GEO, "(2**M.k + 1)**(n - 1)", list)
    ratio, epsilon = pc.meaning("private", GEO)
    book.statement("ratio", ratio, auto(cases=["c <= e", "e <= c"]))
    bits, ln = "(2*q - 1).bit_length()", "1 + 1/2**M.k"
    book.statement(
        "epsilon", epsilon, chain(know(bits), know(f"ln({ln})"), auto(products=[["1/(2*q*2**M.k)", f"2**{bits} >= 2*q"]]))
    )
    book.node(
        "range of epsilon~",
        {"n": "int", "q": "int"},
        [*WHERE, {"let": ["x", "2**M.k"]}],
        ["4/(9*q) < 2*ln(1 + 1/x)", "2*ln(1 + 1/x) <= 1/q"],
        chain(
            know(bits),
            know(f"ln({ln})"),
            each(
                {
                    "rule": "combine",
                    "goal": "2 + 1/x",
                    "with": [["2", "(2 + 1/x)*ln(1 + 1/x) >= 2/x"], ["8/(9*q*x)", "x <= 4*q - 1"]],
                },
                auto(products=[["1/(q*x)", "x >= 2*q"]]),
            ),
        ),
    )
    (accurate,) = pc.meaning("accurate", GEO)
    book.statement("accurate", accurate, auto("M.d"))
    geometric = {f"mass {i}": said for i, said in enumerate(pc.meaning("geometric", GEO))}
    for name_, said in geometric.items():
        book.statement(name_, said, auto())
    book.node(
        "tail",
        {"a": "rat", "m": "int", "r": "int"},
        ["0 < a", "a < 1", "m >= 0", "r >= 0"],
        ["Sum(j, m, m + r, (1 - a)*a**j) == a**m - a**(m + r + 1)"],
        induct(
            "r",
            "0",
            chain(know("Sum(j, m, m, (1 - a)*a**j)"), know("Sum(j, m, m - 1, (1 - a)*a**j)"), auto()),
            know("Sum(j, m, m + r, (1 - a)*a**j)"),
            auto(),
        ),
    )
    book.node(
        "power",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["(x + 1)**m <= (2*x)**m"],
        induct("m", "0", auto(), auto(products=[["x + 1", "(x + 1)**before <= (2*x)**before"], ["(2*x)**before", "x >= 1"]])),
    )
    book.node(
        "bits of d",
        {"n": "int", "q": "int"},
        [*WHERE, {"let": ["x", "2**M.k"]}],
        ["M.d < 2**((M.k + 1)*(n + 1))"],
        chain(
            know(bits),
            have("x >= 2"),
            use("power", {"x": "x", "m": "n - 1"}, [auto(), auto()]),
            auto(products=[["2*x + 1", "(x + 1)**(n - 1) <= (2*x)**(n - 1)"], ["(2*x)**(n - 1)*(4*x + 6)", "x >= 2"]]),
        ),
    )
    add_integers(book)
    book.claim("BV.Thm4.7.ii.integers.all", "F in 0..d", "powers up to d")
    book.claim("FD.GeoSample.domain.all", *DOMAIN, "n below 1")
    book.claim("BV.Alg4.8.all", "inverse", "ends", kind="inverse", mechanism=GEO)
    book.claim("BV.Lem4.9.all", *geometric, kind="geometric", mechanism=GEO)
    book.claim("BV.Lem4.9.all", "tail")
    book.claim("BV.Thm4.7.i.private.all", "ratio", "epsilon", kind="private", mechanism=GEO)
    book.claim("BV.Thm4.7.i.accurate.all", "accurate", kind="accurate", mechanism=GEO)
    book.claim("BV.Thm4.7.iv.all", "monotone", kind="monotone", mechanism=GEO)
    book.claim("BV.Thm4.7.epsilon.all", "range of epsilon~")
    book.claim("BV.Thm4.7.ii.all", "bits of d")
    return book
