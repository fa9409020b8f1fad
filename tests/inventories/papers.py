"""The inventories of all papers."""

from tests.inventories import bv, fa, gk, ph

__all__ = ["PAPERS"]

PAPERS = (bv.PAPER, ph.PAPER, gk.PAPER, fa.PAPER)
"""In the order of the table of claims."""
