"""GeoSample, for all n, epsilon = 1/q, counts and outputs."""

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.building import Book, auto, branches, chain, each, have, know, use
from finitedp.proofs_check.proofs.finding import KNOWN, Proof
from finitedp.proofs_check.proofs.themes.search import LEAST_REACHING, add_search

GEO = "finitedp.impl.counting.geometric.GeoSample"
M = {"let": ["M", "GeoSample(n, 1/q)"]}
WHERE = ["n >= 1", "q >= 1", M]
CDF = "lambda j: M.cdf(c, j)"


def add_inverse(book: Book, cls: str, ends: Proof) -> None:
    """That M(c, u) is the least output whose F is at least u, and that it rises with u."""
    kinds, where = pc._counting(cls)  # noqa: SLF001  # the parameters that the checker knows
    at = {name: name for name in kinds}
    inverse, boundary = pc.meaning("inverse", cls)
    book.statement("ends", boundary, ends)
    book.node("F rises", kinds | {"c": "int", "z": "int"}, [*where, "0 <= c <= n", "z >= -1"], ["M.cdf(c, z) <= M.cdf(c, z + 1)"], auto())
    book.node("F is whole", kinds | {"c": "int", "z": "int"}, [*where, "0 <= c <= n"], ["integer(M.cdf(c, z))"], auto())
    whole = chain(use("F is whole", at | {"c": "c", "z": "argument0"}), auto())
    step = chain(use("F rises", at | {"c": "c", "z": "j"}), auto())
    reached = [KNOWN, auto(), auto()]
    book.statement(
        "inverse",
        inverse,
        chain(
            use("ends", at | {"c": "c"}),
            use("least", {"n": "n", "u": "u", "f": CDF, "z": "z"}, [*reached, step, auto(), whole]),
            each(auto(), auto(), auto(cases=["z <= n - 1", "z <= c - 1", "u <= M.cdf(c, z)"])),
        ),
    )
    (monotone,) = pc.meaning("monotone", cls)
    book.statement(
        "monotone",
        monotone,
        chain(
            use("ends", at | {"c": "c"}),
            have("1 <= M.d"),
            use("least rises", {"n": "n", "u": "u", "v": "v", "f": CDF}, [KNOWN, auto(), auto(), auto(), step, whole]),
            auto(),
        ),
    )
    book.claim("inverse", "inverse", "ends", kind="inverse", mechanism=cls)
    book.claim("monotone", "monotone", kind="monotone", mechanism=cls)


def build() -> Book:
    """The document."""
    book = Book("GeoSample", [LEAST_REACHING, GEO])
    add_search(book)
    add_inverse(book, GEO, chain(know("(2**M.k + 1)**(n - 1)"), auto()))
    return book
