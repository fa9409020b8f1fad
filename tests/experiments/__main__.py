"""python -m tests.experiments: run all six experiments, or write their data.

python -m tests.experiments                                 the tables, in Markdown
python -m tests.experiments results docs/data/experiments_results.json
python -m tests.experiments data docs/data/experiments.json
"""

import json
import sys
from pathlib import Path

from tests.experiments.results import beaten_table, document, rows, table
from tests.experiments.settings import written


def main(arguments: list[str]) -> int:
    """What to do, and the file that it goes to; without a file, standard output."""
    what, file = [*arguments, "", ""][:2]
    if what not in ("", "data", "results") or len(arguments) > 2:
        sys.stderr.write(f"accepted: nothing, data [FILE] or results [FILE], not {' '.join(arguments)}\n")
        return 2
    if what == "data":
        text = written()
    else:
        results = document(list(rows()))
        text = json.dumps(results, indent=1) + "\n" if what else f"{table(results)}\n{beaten_table(results)}"
    if file:
        Path(file).write_text(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
