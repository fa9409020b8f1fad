"""Certificates of audits, for the tests of their checker."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from finitedp.claim import PrivacyClaim
from finitedp.proofs_check.audit.auditing import AuditRequest
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult, audit_pipeline, certificate
from tests.proofs_check.audit.pipelines import test_deciding as mechanisms

laplace, normal = np.random.laplace, np.random.normal


def normal_sum(rows: Any) -> Any:
    return sum(rows) + normal(0, 4)


def adaptive(rows: Any) -> Any:
    first = sum(rows) + normal(0, 4)
    return (first, sum(rows) + normal(0, 4), laplace() > 0) if first > 1 else (first, None, sum(rows) + laplace(0, 4))


def compared(rows: Any) -> Any:
    return sum(rows) + normal(0, 4) > 0


def small_normal(rows: Any) -> Any:
    return sum(rows) + normal(0, 1)


REPLACE, ADD = PrivacyClaim(1, "replace-one"), PrivacyClaim(1, "add-remove")
CASES: dict[str, tuple[Callable[[Any], Any], PrivacyClaim]] = {
    "count": (mechanisms.count, REPLACE),
    "histogram": (mechanisms.histogram, ADD),
    "noisy max": (mechanisms.noisy_max, REPLACE),
    "noisy max, exponential": (lambda rows: mechanisms.noisy_max(rows, lambda: np.random.exponential(2)), REPLACE),
    "sparse vector": (mechanisms.sparse_vector, REPLACE),
    "response": (mechanisms.response_and_count, PrivacyClaim(2, "replace-one")),
    "uniform": (mechanisms.uniform_response, PrivacyClaim("11/10", "replace-one", ratio=3)),
    "rounded": (mechanisms.rounded, REPLACE),
    "quotient": (mechanisms.mean, ADD),
    "normal": (normal_sum, PrivacyClaim(1, "replace-one", delta="1/100000")),
    "adaptive": (adaptive, PrivacyClaim(1, "replace-one", delta="1/100")),
    "half scale": (mechanisms.half_scale, REPLACE),
    "scale of data": (mechanisms.scale_of_data, REPLACE),
    "same noise": (mechanisms.same_noise_twice, REPLACE),
    "thresholds": (mechanisms.without_noise_of_the_queries, REPLACE),
    "nan": (mechanisms.not_a_number, REPLACE),
    "small normal": (small_normal, PrivacyClaim(1, "replace-one", delta="1/100")),
    "ulp": (mechanisms.by_an_ulp, REPLACE),
    "curve": (normal_sum, REPLACE),
    "unknown": (compared, REPLACE),
}


def audited(name: str) -> PipelineResult:
    mechanism, claim = CASES[name]
    n = 3 if name.startswith("noisy max") else 2
    return audit_pipeline(mechanism, AuditRequest(claim=claim, universe=(0, 1), n=n, style="none", name=name))


@cache
def certified(name: str) -> dict[str, Any]:
    return certificate(audited(name))
