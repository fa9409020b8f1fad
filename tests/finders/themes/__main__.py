"""Find proofs again and write their objects: python -m tests.finders.themes [NAME...]. It needs z3."""

import sys

from tests.finders.building import Book
from tests.finders.themes import dyadic_sample, dyadic_table, empty_bins, fast_sample, geo_sample, strict_coins

THEMES = {
    "geo_sample": geo_sample,
    "fast_sample": fast_sample,
    "dyadic_sample": dyadic_sample,
    "dyadic_table": dyadic_table,
    "empty_bins": empty_bins,
    "strict_coins": strict_coins,
}


def book(name: str) -> Book:
    """The document of a theme, whose proofs are found now."""
    found: Book = THEMES[name].build()
    return found


if __name__ == "__main__":
    for name in sys.argv[1:] or THEMES:
        sys.stdout.write(f"{book(name).write(name)}\n")
