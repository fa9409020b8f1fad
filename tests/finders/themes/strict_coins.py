"""Draws on strict coins: multiplying a word and shifting it, for every range; and the scale of Theorem 8.6."""

from tests.finders.building import Book, auto, cases, chain, each, have, know, let, put, use
from tests.finders.finding import Proof

SCALE_WORD = "finitedp.impl.arithmetic.kernels.scale_word"
STRICT_BITS = "finitedp.impl.randomness.coins.strict_bits"
FAST = "finitedp.impl.counting.geometric.FastSample"
UP_TO = "-((-(v*2**b)) // d)"


def build() -> Book:
    """The document."""
    book = Book("StrictCoins: scaled words; the scale of Theorem 8.6", [SCALE_WORD, STRICT_BITS, FAST])
    words = {"d": "int", "b": "int", "w": "int", "v": "int"}
    book.node(
        "words",
        words,
        ["d >= 1", "b >= 0", "0 <= w", "w < 2**b", "0 <= v", "v <= d"],
        ["1 <= scale_word(w, b, d)", "scale_word(w, b, d) <= d", f"(scale_word(w, b, d) <= v) == (w < {UP_TO})"],
        chain(
            know("(w*d) // 2**b"),
            know("(-(v*2**b)) // d"),
            let("s", "(w*d) // 2**b"),
            let("t", "(-(v*2**b)) // d"),
            each(auto("2**b"), auto("2**b", "d"), auto("2**b", "d", cases=["s + 1 <= v"])),
        ),
    )
    book.node(
        "all words",
        {"d": "int", "b": "int"},
        ["d >= 1", "b >= 0"],
        ["-((-(0*2**b)) // d) == 0", "-((-(d*2**b)) // d) == 2**b"],
        chain(
            know("(-(d*2**b)) // d"),
            let("t", "(-(d*2**b)) // d"),
            each(auto(), chain(have("t <= -2**b", by=auto("d")), have("t >= -2**b", by=auto("d")), auto())),
        ),
    )
    many = f"({UP_TO} + ((-((v - 1)*2**b)) // d))"
    book.node(
        "scaling",
        {"d": "int", "most": "int", "v": "int"},
        ["1 <= d", "1 <= most", "d <= most", "1 <= v", "v <= d", {"let": ["b", "strict_bits(most)"]}],
        [f"(2**128 - 1)*2**b <= 2**128*d*{many}", f"2**128*d*{many} <= (2**128 + 1)*2**b"],
        chain(
            know("(most - 1).bit_length()"),
            have("b >= 128"),
            know("(-(v*2**b)) // d"),
            know("(-((v - 1)*2**b)) // d"),
            auto(),
        ),
    )
    add_powers(book)
    book.node(
        "scale",
        {"n": "int", "q": "int", "g": "int", "inverse": "rat"},
        [
            "n >= 1",
            "g >= 2",
            "inverse >= 1",
            "q >= 1",
            "9*q >= 10*inverse",
            "9*(q - 1) < 10*inverse",
            {"let": ["M", "FastSample(n, 1/q, 1/g)"]},
            {"let": ["x", "2**M.k"]},
        ],
        ["2/(2*ln(1 + 1/x)) <= 5*inverse"],
        chain(
            know("(2*q - 1).bit_length()"),
            know("ln(1 + 1/x)"),
            have(f"{LN} > 0", by={"rule": "combine", "goal": "2 + 1/x", "with": [["1", BELOW]]}),
            have("2*x + 1 <= 10*inverse", by=small(1)),
            {"rule": "combine", "goal": f"(2 + 1/x)*{LN}", "with": [["5*inverse", BELOW], ["1/x", "2*x + 1 <= 10*inverse"]]},
        ),
    )
    book.claim("FD.StrictCoins.all", "words", "all words", "scaling")
    book.claim("FD.CompactHistogram.scale.all", "scale")
    return book


LN = "ln(1 + 1/x)"
BELOW = "(2 + 1/x)*ln(1 + 1/x) >= 2/x"


def small(q: int) -> Proof:
    """2x + 1 <= 10/epsilon for q, q + 1, ...: up to 7 since x is a power of two, and beyond without that."""
    if q > 7:  # see the docstring
        return auto()
    power = {1: 2, 2: 4, 3: 8, 4: 8}.get(q, 16)
    one = chain(use(f"a power of two below {2 * power}", {"k": "(2*q - 1).bit_length()"}, [auto(), auto()]), auto())
    return cases(f"q <= {q}", one, small(q + 1))


def add_powers(book: Book) -> None:
    """A power of two below 4, 8, 16 or 32 is at most half of that."""
    for exponent in (2, 3, 4, 5):
        low: Proof = chain(know(f"2**(k - {exponent})"), auto())
        for k in reversed(range(exponent)):
            low = cases(f"k <= {k}", chain(put("k", str(k)), auto()), low)
        statement = ["k >= 0", f"2**k <= {2**exponent - 1}"]
        book.node(f"a power of two below {2**exponent}", {"k": "int"}, statement, [f"2**k <= {2 ** (exponent - 1)}"], low)
