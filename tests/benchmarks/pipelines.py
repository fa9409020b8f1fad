"""Speed of audits of pipelines, and of their lone checker: `python tests/benchmarks/pipelines.py`.

Processor time of one audit, the least of three, with caches of linear programs emptied before each; beside it what was aimed
at. diffprivlib's mean is left out where that is not installed.
"""

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.audit.auditing import AuditRequest
from finitedp.proofs_check.audit.pipelines import searching
from finitedp.proofs_check.audit.pipelines.auditing import audit_pipeline, certificate
from finitedp.proofs_check.engine.noise.rows import contradiction
from finitedp.proofs_check.pipeline_certificate import recheck

laplace = np.random.laplace


def count(rows: Any) -> Any:
    return sum(rows) + laplace(0, 1)


def histogram(rows: Any) -> Any:
    return np.bincount(np.array(rows, dtype=int), minlength=2) + laplace(size=2)


def noisy_max(rows: Any) -> int:
    return int(np.argmax([row + laplace(0, 2) for row in rows]))


def sparse_vector(rows: Any) -> list[bool]:
    threshold, found = 0.5 + laplace(0, 2), []
    for row in rows:
        found.append(row + laplace(0, 4) >= threshold)
        if found[-1]:
            break
    return found


def six_comparisons(rows: Any) -> list[bool]:
    threshold = 0.5 + laplace(0, 2)
    return [row + laplace(0, 12) >= threshold for row in rows]


def mean(rows: Any) -> Any:
    library = import_module("diffprivlib")  # not always installed
    values, accountant = np.array(rows, dtype=float), library.BudgetAccountant()
    return import_module("diffprivlib.tools").mean(values, epsilon=1, bounds=(0, 1), accountant=accountant)


def _pairs(n: int, many: int) -> list[tuple[Any, Any]]:
    """Neighbours along a path of datasets."""
    sets = [tuple((i >> k) & 1 for k in range(n)) for i in (j ^ (j >> 1) for j in range(many // 2 + 1))]
    return list(pairwise(sets))


SAMPLER = {
    "function": "diffprivlib.mechanisms:Laplace.randomise",
    "law": "laplace",
    "location": "value",
    "scale": "self.sensitivity / self.epsilon",
}
AIMS: dict[str, tuple[Callable[[Any], Any], int, float]] = {
    "count, n = 2": (count, 2, 0.05),
    "histogram, n = 2": (histogram, 2, 0.1),
    "noisy max of 3": (noisy_max, 3, 1.0),
    "sparse vector, 4 queries": (sparse_vector, 4, 1.5),
    "diffprivlib's mean, n = 2": (mean, 2, 0.2),
    "six comparisons a path, 20 pairs": (six_comparisons, 6, 10.0),
}


def measured(mechanism: Callable[[Any], Any], n: int) -> tuple[float, float, str]:
    """Seconds of an audit and of its checker, and the verdict."""
    stated = _pairs(n, 20) if mechanism is six_comparisons else None
    claim = PrivacyClaim(1, "add-remove" if mechanism is histogram else "replace-one")
    size: dict[str, Any] = {"neighbours": stated} if stated else {"universe": (0, 1), "n": n}
    primitives = [SAMPLER] if mechanism is mean else []
    request = AuditRequest(claim=claim, style="none", primitives=primitives, **size)
    times = []
    for _ in range(3):
        contradiction.cache_clear()
        searching._cheapest.cache_clear()  # as a fresh process has it
        start = process_time()
        result = audit_pipeline(mechanism, request)
        audited = process_time() - start
        document = json.loads(json.dumps(certificate(result)))
        start = process_time()
        reason = recheck(document)
        times.append((audited, process_time() - start))
    return min(a for a, _ in times), min(b for _, b in times), result.private if reason is None else f"REJECTED: {reason}"


def main() -> None:
    """Print it."""
    for name, (mechanism, n, aim) in AIMS.items():
        if mechanism is mean and find_spec("diffprivlib") is None:
            print(f"{name:34} diffprivlib is not installed")
            continue
        audited, checked, verdict = measured(mechanism, n)
        print(f"{name:34} {audited:7.3f} s (aim {aim:g})   checker {checked:7.3f} s, {checked / audited:.0%}   {verdict}")


if __name__ == "__main__":
    main()
