"""A call of the Office for National Statistics' cell key perturbation, with record keys that are drawn.

The noise is in a table, by count and key: -1 and 1 with probability 1/4 each.
"""

from contextlib import redirect_stdout

import numpy as np
import pandas as pd
from cell_key_perturbation.create_perturbed_table import create_perturbed_table

KEYS = 256
NOISE = pd.DataFrame(
    [(count, key, (key >= 192) - (key < 64)) for count in (1, 2) for key in range(KEYS)], columns=["pcv", "ckey", "pvalue"]
)


def table(data: tuple[str, ...], rng: np.random.Generator) -> list[tuple[str, int]]:
    """The counts of a table of one variable."""
    rows = pd.DataFrame({"area": "here", "answer": list(data), "key": rng.integers(0, KEYS, size=len(data))})
    with redirect_stdout(None):  # it warns of keys that the table does not reach
        found = create_perturbed_table(rows, NOISE, ["area"], ["answer"], "key", threshold=0)
    return [(str(answer), int(count)) for answer, count in zip(found["answer"], found["count"], strict=True)]
