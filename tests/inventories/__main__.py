"""Write the pages of the manual: `python -m tests.inventories docs`."""

import sys
from pathlib import Path

from tests.inventories.papers import PAPERS

for paper in PAPERS:
    (Path(sys.argv[1]) / paper.page).write_text(paper.text())
