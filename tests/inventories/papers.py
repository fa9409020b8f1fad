"""The inventories of all papers."""

from tests.inventories import bv, fa, gk, ph

PAPERS = (bv.PAPER, ph.PAPER, gk.PAPER, fa.PAPER)
"""In the order of the table of claims."""
