"""The binary search `least_reaching`: what it finds, for every function. Other themes copy these nodes."""

from tests.finders.building import Book, auto, cases, chain, have, induct, know, put, use
from tests.finders.finding import KNOWN

LEAST_REACHING = "finitedp.impl.arithmetic.kernels.least_reaching"
FUNCTION = {"n": "int", "u": "int", "f": "int -> int"}
REACHED = ["n >= 0", "f(-1) < u", "u <= f(n)"]
RISES = {"name": "rises", "for": {"j": "int"}, "where": ["-1 <= j", "j <= n - 1"], "then": ["f(j) <= f(j + 1)"]}


def add_search(book: Book) -> None:
    """The nodes about `least_reaching`."""
    invariant = ["0 <= position", "position <= n", "cdf(position - 1) < u", "cdf(min(n, position + 2**left - 1)) >= u"]
    book.node("same", {"f": "int -> int", "a": "int", "b": "int"}, ["a == b"], ["f(a) == f(b)"], chain(put("a", "b"), KNOWN))
    book.node(
        "search",
        FUNCTION,
        [*REACHED, {"let": ["r", "least_reaching(f, n, u)"]}],
        ["integer(r)", "0 <= r", "r <= n", "f(r - 1) < u", "u <= f(r)"],
        chain(
            know("n.bit_length()"),
            {
                "rule": "loop",
                "of": "least_reaching(f, n, u)",
                "invariant": invariant,
                "start": auto(),
                "step": chain(know("2**(left - 1)"), auto()),
            },
            cases("n <= r", chain(use("same", {"f": "f", "a": "r", "b": "n"}), auto()), auto()),
        ),
    )
    book.node(
        "rising",
        {"n": "int", "f": "int -> int", "a": "int", "m": "int"},
        [RISES, "a >= -1", "m >= 0", "a + m <= n"],
        ["f(a) <= f(a + m)"],
        induct(
            "m",
            "0",
            KNOWN,
            use("rises", {"j": "a + before"}, [auto(), auto()]),
            auto(),
        ),
    )
    book.node(
        "least",
        FUNCTION | {"z": "int"},
        [*REACHED, RISES, "0 <= z <= n", {"let": ["r", "least_reaching(f, n, u)"]}],
        ["integer(r)", "0 <= r", "r <= n", "(r <= z) == (u <= f(z))"],
        chain(
            use("search", {"n": "n", "u": "u", "f": "f"}),
            cases(
                "r <= z",
                chain(
                    use("rising", {"n": "n", "f": "f", "a": "r", "m": "z - r"}, [use_rises(), auto(), auto(), auto()]), auto()
                ),
                chain(
                    have("z <= r - 1"),
                    use("rising", {"n": "n", "f": "f", "a": "z", "m": "r - 1 - z"}, [use_rises(), auto(), auto(), auto()]),
                    auto(),
                ),
            ),
        ),
    )
    book.node(
        "least rises",
        FUNCTION | {"v": "int"},
        [
            "n >= 0",
            "f(-1) < u",
            "u <= v",
            "v <= f(n)",
            RISES,
            {"let": ["r", "least_reaching(f, n, u)"]},
            {"let": ["s", "least_reaching(f, n, v)"]},
        ],
        ["r <= s"],
        chain(
            use("search", {"n": "n", "u": "v", "f": "f"}, [auto(), auto(), auto()]),
            have("u <= f(s)"),
            use("least", {"n": "n", "u": "u", "f": "f", "z": "s"}, [auto(), auto(), auto(), use_rises(), auto()]),
            auto(),
        ),
    )


def use_rises() -> dict[str, object]:
    """The hypothesis again, for the same function."""
    return chain(use("rises", {"j": "j"}), KNOWN)
