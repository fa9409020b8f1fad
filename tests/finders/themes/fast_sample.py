"""FastSample, for all n, epsilon = 1/q, gamma = 1/g, counts and outputs."""

from itertools import combinations

from finitedp.proofs_check.proofs import proof_checker as pc
from tests.finders.building import Book, auto, cases, chain, each, have, induct, know, let, name, put, use
from tests.finders.finding import Proof
from tests.finders.themes.geo_sample import DOMAIN, add_domain, add_inverse
from tests.finders.themes.search import LEAST_REACHING, add_search

TRUNCATED = "finitedp.impl.arithmetic.kernels.truncated_tail_weight"
FAST = "finitedp.impl.counting.geometric.FastSample"
WHERE = pc.PARAMETERS[FAST][1]
KINDS = dict.fromkeys(pc.PARAMETERS[FAST][0].split(), "int")
AT = {name: name for name in KINDS}
BITS, ROUNDS = "(2*q - 1).bit_length()", "(8*(n + 1)*(g - 1)*q - 1).bit_length()"


def add_radius(book: Book) -> None:
    """That the radius t is large enough: share x^(t+1) <= (x+1)^t, where share = (g-1)(n+1) and x = 2^k."""
    book.node(
        "Bernoulli",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["x*(x + 1)**m >= (x + m)*x**m"],
        induct("m", "0", auto(), auto("x + 1")),
    )
    book.node(
        "doubling",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["(x + 1)**(x*m) >= 2**m*x**(x*m)"],
        induct(
            "m",
            "0",
            auto(),
            use("Bernoulli", {"x": "x", "m": "x"}),
            have("(x + 1)**x >= 2*x**x", by=auto("1/x")),
            auto(
                products=[
                    ["(x + 1)**x", "(x + 1)**(x*before) >= 2**before*x**(x*before)"],
                    ["2**before*x**(x*before)", "(x + 1)**x >= 2*x**x"],
                ]
            ),
        ),
    )
    book.node(
        "power",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["(x + 1)**m >= x**m"],
        induct("m", "0", auto(), auto("x + 1")),
    )
    book.node(
        "three",
        {"b": "int"},
        ["b >= 0", "2**b >= 8"],
        ["b >= 3"],
        cases(
            "b <= 0",
            chain(put("b", "0"), auto()),
            cases("b <= 1", chain(put("b", "1"), auto()), cases("b <= 2", chain(put("b", "2"), auto()), auto())),
        ),
    )
    book.node(
        "enough",
        {"x": "int", "q": "int", "s": "int", "b": "int", "t": "int"},
        ["x >= 1", "q >= 1", "s >= 1", "x <= 4*q - 1", "b >= 3", "2**b >= 8*s*q", "2*(t + 1) >= 9*q*b"],
        ["t >= 12", "s*x**(t + 1) <= (x + 1)**t"],
        chain(
            have("t >= x*(b - 1)", by=auto(products=[["1", "b >= 1", "x <= 4*q - 1"], ["1", "b >= 1", "q >= 1"]])),
            have("x*(b - 1) >= 0", by=auto("x")),
            use("doubling", {"x": "x", "m": "b - 1"}, [auto(), auto()]),
            use("power", {"x": "x", "m": "t - x*(b - 1)"}, [auto(), auto()]),
            have("2**(b - 1) >= s*x", by=auto(products=[["s", "x <= 4*q - 1"]])),
            each(
                auto(products=[["1", "b >= 3", "q >= 1"]]),
                auto(
                    products=[
                        ["(x + 1)**(t - x*(b - 1))", "(x + 1)**(x*(b - 1)) >= 2**(b - 1)*x**(x*(b - 1))"],
                        ["2**(b - 1)*x**(x*(b - 1))", "(x + 1)**(t - x*(b - 1)) >= x**(t - x*(b - 1))"],
                        ["x**t", "2**(b - 1) >= s*x"],
                    ]
                ),
            ),
        ),
    )


def add_bits(book: Book) -> None:
    """What the definitions of k and t say: 2q <= x < 4q, and 9qL <= 2(t+1) <= 9qL + 1 for L with 2^L >= 8(g-1)(n+1)q."""
    positive = ["g >= 2", "n >= 1", "q >= 1"]
    subsets = [["1", *part] for size in (2, 3) for part in combinations(positive, size)]
    book.node(
        "size",
        {"n": "int", "q": "int", "g": "int"},
        positive,
        ["8*(n + 1)*(g - 1)*q - 1 >= 7", "(g - 1)*(n + 1) >= 1"],
        auto(products=subsets),
    )
    book.node(
        "radius",
        KINDS,
        [*WHERE, {"let": ["x", "2**M.k"]}],
        ["2*q <= x", "x <= 4*q - 1", "M.t >= 12", "(g - 1)*(n + 1)*x**(M.t + 1) <= (x + 1)**M.t"],
        chain(
            use("size", AT),
            know(BITS),
            know(ROUNDS),
            know(f"(-9*q*{ROUNDS})//2"),
            use("three", {"b": ROUNDS}, [auto(), auto()]),
            use("enough", {"x": "x", "q": "q", "s": "(g - 1)*(n + 1)", "b": ROUNDS, "t": "M.t"}, [auto() for _ in range(7)]),
            each(auto(), auto(), auto(), auto()),
        ),
    )


def build() -> Book:
    """The document."""
    book = Book("FastSample: law, privacy, accuracy, monotonicity, bits", [LEAST_REACHING, TRUNCATED, FAST])
    book.node(
        "beyond the radius",
        {"x": "int", "r": "int", "m": "int"},
        ["x >= 1", "r >= 0", "m >= r + 1"],
        ["truncated_tail_weight(x, r, m) == 0"],
        auto(),
    )
    add_radius(book)
    add_bits(book)
    add_domain(book, KINDS, WHERE, renamed)
    whole = {"n": "int", "q": "int"}
    book.node("a share of 1", whole, ["n >= 1", "q >= 1"], ["Raises(FastSample(n, 1/q, 1))"], auto())
    add_search(book)
    ratio, epsilon = pc.meaning("private", FAST)
    book.statement("ratio", ratio, chain(*renamed(), auto("x", "2*x + 1", cases=["c <= e", "e <= c"])))
    ln = "1 + 1/2**M.k"
    book.statement(
        "epsilon",
        epsilon,
        chain(use("size", AT), use("radius", AT), know(f"ln({ln})"), auto(products=[["1/(2*q*2**M.k)", "2**M.k >= 2*q"]])),
    )
    add_inverse(
        book,
        FAST,
        "(2**M.k + 1)**M.t",
        renamed,
        ("2**M.k", "n + 1", "(n + 1)*(h + 2)"),
        ("c - z <= M.t", "z - c + 1 <= M.t"),
        ("M.t + 1",),
    )
    (accurate,) = pc.meaning("accurate", FAST)
    book.statement("accurate", accurate, chain(*renamed(), auto("x", "M.d", "(2*x + 1)*(x + 1)**M.t")))
    geometric = {f"mass {i}": said for i, said in enumerate(pc.meaning("geometric", FAST))}
    for name_, said in geometric.items():
        book.statement(name_, said, chain(*renamed(), auto()))
    add_cost(book)
    book.claim("BV.Thm4.10.iii.integers.all", "F in 0..d", "powers up to d")
    book.claim("FD.FastSample.domain.all", *DOMAIN, "a share of 1")
    book.claim("FD.TruncatedTail.all", "beyond the radius")
    book.claim("BV.Alg4.11.all", "inverse", "ends", kind="inverse", mechanism=FAST)
    book.claim("BV.Lem4.12.i.all", *geometric, kind="geometric", mechanism=FAST)
    book.claim("BV.Lem4.12.ii.all", *geometric, kind="geometric", mechanism=FAST)
    book.claim("BV.Thm4.10.i.all", "ratio", "epsilon", kind="private", mechanism=FAST)
    book.claim("BV.Thm4.10.ii.all", "accurate", kind="accurate", mechanism=FAST)
    book.claim("BV.Thm4.10.iii.all", "bits of d", "bits of t")
    book.claim("BV.Thm4.10.v.all", "monotone", kind="monotone", mechanism=FAST)
    return book


def add_cost(book: Book) -> None:
    """How many bits the draw has."""
    book.node(
        "double power",
        {"x": "int", "m": "int"},
        ["x >= 1", "m >= 0"],
        ["(x + 1)**m <= (2*x)**m"],
        induct("m", "0", auto(), auto(products=[["x + 1", "(x + 1)**before <= (2*x)**before"], ["(2*x)**before", "x >= 1"]])),
    )
    book.node(
        "bits of d",
        KINDS,
        WHERE,
        ["M.d < (n + 1)*g*2**((M.k + 1)*(M.t + 2))"],
        chain(
            *renamed(),
            let("x", "2**M.k"),
            have("x >= 2"),
            use("double power", {"x": "x", "m": "M.t"}, [auto(), auto()]),
            name("w", "(n + 1)*g"),
            have("w >= 1", by=auto()),
            have(
                "(2*x + 1)*(x + 1)**M.t < (2*x)**(M.t + 2)",
                by=auto(products=[["2*x + 1", "(x + 1)**M.t <= (2*x)**M.t"], ["(2*x)**M.t*(4*x + 6)", "x >= 2"]]),
            ),
            auto("(n + 1)*g"),
        ),
    )
    shorter = "(2*x + 1)*(x + 1)**M.t <= M.d"
    book.node(
        "powers up to d",
        KINDS | {"m": "int"},
        [*WHERE, {"let": ["x", "2**M.k"]}, "1 <= m", "m <= M.t + 1"],
        ["x**m <= M.d", "(x + 1)**(M.t + 1 - m) <= M.d"],
        chain(
            *renamed(),
            use("power", {"x": "x", "m": "m"}, [auto(), auto()]),
            have("M.t + 1 - m >= 0"),
            know("(x + 1)**(M.t + 1 - m)"),
            know("(x + 1)**(m - 1)"),
            have(shorter, by=auto("(2*x + 1)*(x + 1)**M.t")),
            each(
                auto(products=[["(x + 1)**m", "(x + 1)**(M.t + 1 - m) >= 1"]]),
                auto(products=[["(x + 1)**(M.t + 1 - m)", "(x + 1)**(m - 1) >= 1"]]),
            ),
        ),
    )
    book.node(
        "bits of t",
        KINDS,
        WHERE,
        [f"2*M.t < 9*q*{ROUNDS}", f"2**{ROUNDS} < 16*(n + 1)*(g - 1)*q"],
        chain(use("size", AT), know(ROUNDS), know(f"(-9*q*{ROUNDS})//2"), each(auto(), auto())),
    )


def renamed() -> list[Proof]:
    """What the radius says, and h = g - 2 instead of g, so that no coefficient of the share is negative."""
    short = [let("k", BITS), let("b", ROUNDS), let("half", "(-9*q*b)//2")]
    return [use("size", AT), use("radius", AT), name("h", "g - 2"), have("h >= 0"), put("g", "h + 2"), *short]
