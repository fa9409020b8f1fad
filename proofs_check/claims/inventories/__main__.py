"""Write the pages of the manual: `python -m finitedp.proofs_check.claims.inventories docs`."""

import sys
from pathlib import Path

from finitedp.proofs_check.claims.inventories.papers import PAPERS

for paper in PAPERS:
    (Path(sys.argv[1]) / paper.page).write_text(paper.text())
