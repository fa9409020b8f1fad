"""One audit, in processes that hold little and much: `python tests/benchmarks/audits.py`.

Before an audit, what it could draw from is looked for among all objects and all modules of the process. Times are of the
processor: of one small audit, the median of twenty after a first one.
"""

import subprocess
import sys
from collections.abc import Sequence
from statistics import median
from time import process_time
from typing import Any

BEFORE = {
    "numpy alone": "",
    "with dask, distributed, pandas, pyarrow and matplotlib": """
import dask.dataframe, distributed, matplotlib.pyplot, pandas, pyarrow
""",
    "with 1.5 million objects alive": "alive = [[i] for i in range(1_500_000)]",
}


def small_audit() -> None:
    """Randomized response, of its own in each call, so that nothing is known of it."""
    from finitedp.proofs_check.audit.auditing import audit
    from finitedp.proofs_check.audit.stating import privacy_claim

    def mechanism(data: Sequence[int], rng: Any) -> int:
        return data[0] if rng.randrange(4) else 1 - data[0]

    found = audit(mechanism, privacy_claim("ln 3", "replace-one"), n=1, universe=[0, 1], style="random")
    assert found.private == "holds"


def seconds() -> float:
    """The processor time of one audit."""
    taken = []
    for _ in range(21):
        start = process_time()
        small_audit()
        taken.append(process_time() - start)
    return median(taken[1:])


def main() -> None:
    """A line for each process, with the ratio to the first."""
    bare = 0.0
    here = f"import sys; sys.path.insert(0, {sys.path[0]!r}); import audits; print(audits.seconds())"
    for name, before in BEFORE.items():
        command = [sys.executable, "-c", f"import numpy\n{before}\n{here}"]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        took = float(run.stdout)
        bare = bare or took
        print(f"{took * 1e3:6.1f} ms, {took / bare:.2f} times the first: {name}")


if __name__ == "__main__":
    main()
