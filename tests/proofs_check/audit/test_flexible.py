"""Audits of accuracy that forgives rows left out: the verdict by brute force, the certificate, forged copies, TOML, plugin."""

import hashlib
import json
from collections.abc import Callable
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import Coins, FlexibleAccuracy, audit
from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, FinitedpError, ParameterError
from finitedp.impl.flexible.bucketing import IntegerBuckets
from finitedp.impl.flexible.releases import FlexibleStatistic
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.flexible.statistics import statistic_of
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate, schema, validate
from finitedp.proofs_check.audit.description import read_descriptions
from finitedp.proofs_check.audit.truths import NAMED, named_statistic
from finitedp.proofs_check.deciders.accuracy import parts
from finitedp.proofs_check.report.facts import report
from finitedp.pytest_audits import request_of
from finitedp.spec.flexible import statistics
from finitedp.spec.flexible.accuracy import accuracy_gamma
from finitedp.spec.flexible.lossy_wasserstein import absolute
from finitedp.spec.flexible.shifted_truncated import histogram
from tests.proofs_check.audit.described import found_by
from tests.sampling import sampled

Document = dict[str, Any]
SUBJECT = FlexibleStatistic(statistic_of("max"), IntegerBuckets(0, 1), ShiftedTruncated(2, 3, 1, 6))


def maximum(data: tuple[int, ...], coins: Coins) -> int:
    return int(SUBJECT.release(data, coins))


def audited(accuracy: FlexibleAccuracy, mechanism: Callable[..., Any] = maximum, **more: Any) -> AuditResult:
    return audit(mechanism, SUBJECT.claim(), n=3, universe=(0, 1), accuracy=accuracy, **more)


def written(accuracy: FlexibleAccuracy, **more: Any) -> Document:
    document: Document = json.loads(json.dumps(certificate(audited(accuracy, **more))))
    validate(document, schema(), "it")
    return document


# The verdict


@pytest.mark.parametrize("alpha", sampled(["0", "1/3", "1/2", "2/3", "1"], 2))
@pytest.mark.parametrize("beta", sampled(["0", "1/2", "1"], 1))
def test_the_miss_is_that_of_the_definition(alpha: str, beta: str) -> None:
    found = audited(FlexibleAccuracy("max", beta, "1/4", alpha=alpha))
    worst = mpq(0)
    for counts in product(range(4), repeat=2):
        if sum(counts) <= 3:
            law = histogram(SUBJECT.histogram.table.weights, counts).pushforward(SUBJECT.answer)
            worst = max(worst, accuracy_gamma(law, counts, statistics.maximum, alpha, beta, absolute))
    assert found.miss is not None
    assert found.miss.probability == worst
    assert found.accuracy == ("holds" if worst <= mpq(1, 4) else "fails")
    assert checker.check(json.loads(json.dumps(certificate(found)))) is None


def test_the_claim_of_the_mechanism_is_the_least() -> None:
    claimed = SUBJECT.accuracy()
    assert claimed == FlexibleAccuracy("max", 0, 0, dropped=2, source=claimed.source)
    assert audited(claimed).accuracy == "holds"
    assert audited(FlexibleAccuracy("max", 0, 0, dropped=1)).accuracy == "fails"


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_datasets_of_one_size_have_parts_that_are_no_inputs(neighbours: str) -> None:
    claim = PrivacyClaim(2, neighbours, mpq(1, 2))
    found = audit(maximum, claim, n=3, universe=(0, 1), accuracy=FlexibleAccuracy("max", 0, 0, dropped=2))
    assert found.accuracy == "holds"
    assert checker.check(json.loads(json.dumps(certificate(found)))) is None


def test_parts() -> None:
    assert parts((1, 2, 1), 0) == {(1, 2, 1)}
    assert parts((1, 2, 1), 1) == {(1, 2, 1), (2, 1), (1, 1), (1, 2)}
    assert parts((1, 2), 9) == {(1, 2), (1,), (2,), ()}


@pytest.mark.parametrize("name", NAMED)
def test_named_statistics_are_of_labels(name: str) -> None:
    expected = {"max": 9, "min": 2, "mode": 5, "median": 5, "support": (2, 5, 9), "range": 7}
    of = named_statistic(name, (2, 5, 9))
    assert of((5, 9, 5, 2)) == expected[name]
    assert of(()) == {"min": 9, "support": (), "range": 0}.get(name, 2)


@pytest.mark.parametrize(
    ("metric", "beta", "output", "holds"),
    [
        ("absolute", "1", 2, True),
        ("absolute", "1/2", 2, False),
        ("equal", "5", 2, False),
        ("hausdorff", "1", (0, 2), True),
        ("hausdorff", "1", (), False),
        ("hausdorff", "1", (0, 3), False),
    ],
)
def test_metrics(metric: str, beta: str, output: Any, holds: bool) -> None:
    truth: Callable[[Any], Any] = lambda data: (0, 1) if metric == "hausdorff" else 1  # noqa: E731
    claimed = FlexibleAccuracy("it", beta, 0, dropped=0, metric=metric)
    found = audited(claimed, lambda data, coins: output, truth=truth)
    assert found.accuracy == ("holds" if holds else "fails")
    assert checker.check(json.loads(json.dumps(certificate(found)))) is None


@pytest.mark.parametrize(
    ("accuracy", "more", "message"),
    [
        (FlexibleAccuracy("top", 0, 0, dropped=1), {}, "needs `truth`"),
        (FlexibleAccuracy("max", 0, 0, dropped=1, metric="l3"), {}, "metric = 'l3' is unknown"),
        (FlexibleAccuracy("max", 0, 0, dropped=1), {"mechanism": lambda data, coins: "a"}, "has no distance"),
        (FlexibleAccuracy("top", 0, 0, dropped=1), {"truth": lambda data: data[0]}, "`truth` raised IndexError"),
    ],
)
def test_refusals(accuracy: FlexibleAccuracy, more: dict[str, Any], message: str) -> None:
    with pytest.raises(FinitedpError, match=message):
        audited(accuracy, **more)


def test_counts_have_no_rows() -> None:
    with pytest.raises(ParameterError, match="inputs are counts"):
        audit(lambda c, coins: c, PrivacyClaim(1, "counts"), n=2, accuracy=FlexibleAccuracy("max", 0, 0, dropped=1))


@pytest.mark.parametrize(
    "fields", [{}, {"dropped": 1, "alpha": "1/2"}, {"alpha": "2"}, {"dropped": -1}, {"dropped": 1, "beta": -1}]
)
def test_claims_that_are_none(fields: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        FlexibleAccuracy(**(dict[str, Any](statistic="max", beta=0, gamma=0) | fields))


def test_a_claim_survives_json() -> None:
    for claimed in (SUBJECT.accuracy("1/100"), FlexibleAccuracy("mode", "1/2", 0, alpha="1/3", metric="equal")):
        assert FlexibleAccuracy.from_json(json.loads(json.dumps(claimed.as_json()))) == claimed


# Certificates

GOOD = written(FlexibleAccuracy("max", 0, 0, dropped=2))
BAD = written(FlexibleAccuracy("max", 0, "1/8", alpha="1/3"))


def rehashed(document: Document, edit: Callable[[Document], object]) -> Document:
    copy = deepcopy(document)
    edit(copy)
    body = {key: value for key, value in copy.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def said(document: Document) -> str | None:
    try:
        return checker.check(document)
    except Exception as error:  # as the checker's main reads it
        return f"{type(error).__name__}: {error}"


def claim(**change: Any) -> Callable[[Document], object]:
    return lambda document: document["accuracy"].update(change)


FORGED = [
    ("fewer rows", GOOD, claim(dropped=1), "verdicts"),
    ("a value of another statistic", GOOD, lambda d: d["accuracy"]["values"].__setitem__(-1, "0"), "values of the statistic"),
    ("another statistic", GOOD, claim(statistic="min"), "values of the statistic"),
    ("another verdict", GOOD, lambda d: d["verdicts"].update(accuracy="fails"), "verdicts"),
    ("a broken claim that holds", BAD, lambda d: d["verdicts"].update(accuracy="holds"), "verdicts"),
    ("a smaller miss", BAD, lambda d: d["miss"].update(probability="1/1000"), "miss"),
    ("another input", BAD, lambda d: d["miss"].update(input=0), "miss"),
    ("a larger share", BAD, claim(alpha="1"), "verdicts"),
    ("a value left out", GOOD, lambda d: d["accuracy"]["values"].pop(), "one value for a dataset"),
    ("a foreign metric", GOOD, claim(metric="l2"), "no such metric"),
    ("values that are text", GOOD, lambda d: d["accuracy"].update(statistic="it", values=["'a'"] * 15), "neither an integer"),
    ("both alpha and dropped", GOOD, claim(alpha="1/2"), "not one of alpha and dropped"),
    ("neither", GOOD, claim(dropped=None), "not one of alpha and dropped"),
    ("a negative number of rows", GOOD, claim(dropped=-1), "out of range"),
    ("rows that are true", GOOD, claim(dropped=True), "out of range"),
    ("a negative share", BAD, claim(alpha="-1/2"), "out of range"),
    ("a negative beta", GOOD, claim(beta="-1"), "no such metric"),
    ("gamma above 1", GOOD, claim(gamma="2"), "no probability"),
    ("an unknown key", GOOD, claim(note=""), "does not have just the keys"),
]


@pytest.mark.parametrize(("document", "edit", "reason"), [case[1:] for case in FORGED], ids=[case[0] for case in FORGED])
def test_forged_certificates_are_rejected(document: Document, edit: Callable[[Document], object], reason: str) -> None:
    assert checker.check(document) is None
    assert reason in (said(rehashed(document, edit)) or "")


def test_a_report_says_what_is_forgiven(tmp_path: Path) -> None:
    for name, document in (("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    text = json.dumps(report([tmp_path / "good.json", tmp_path / "bad.json"]))
    assert "of the data without at most 2 rows" in text
    assert "a share of 1/3 of the rows" in text
    assert "that no allowed rows left out explain" in text


@pytest.mark.parametrize("name", NAMED)
def test_the_checker_knows_the_named_statistics(name: str) -> None:
    universe, of = [3, 5, 4], named_statistic(name, [3, 5, 4])
    for size in range(6):
        for data in product(universe, repeat=size):
            assert checker.named(name, universe, data) == repr(of(data)), data


def test_a_named_statistic_has_no_other_truth() -> None:
    with pytest.raises(ParameterError, match="is known, and truth is another"):
        audited(FlexibleAccuracy("max", 0, 0, dropped=1), truth=min)


# Descriptions and the plugin

TOML = """
mechanism = "top.py:top"
universe = [0, 1]
n = 2
claim = {neighbours = "add-remove", epsilon = "1", delta = "1"}
accuracy = {statistic = "max", %s}
"""


def described(tmp_path: Path, accuracy: str) -> str:
    (tmp_path / "top.py").write_text("def top(data, coins):\n    return max(data, default=0) - coins.bits(1)\n")
    (tmp_path / "audit.toml").write_text(TOML % accuracy)
    (one,) = read_descriptions(tmp_path / "audit.toml")
    return str(found_by(one).accuracy)


def test_descriptions(tmp_path: Path) -> None:
    assert described(tmp_path, "dropped = 1, beta = 1") == "holds"
    assert described(tmp_path, 'dropped = 1, gamma = "1/2"') == "holds"
    assert described(tmp_path, 'alpha = "1/2", gamma = "1/4"') == "fails"
    for wrong in ('gamma = "1/2"', 'dropped = 1, alpha = "1/2"', "dropped = 1, a = 3", 'dropped = 1, metric = "l2"'):
        with pytest.raises(DataError):
            described(tmp_path, wrong)


def test_the_plugin_takes_a_dict() -> None:
    fields = {"epsilon": 1, "neighbours": "add-remove", "n": 2, "universe": (0, 1)}
    made = request_of(fields | {"accuracy": {"statistic": "max", "dropped": 1}}).audit.accuracy
    assert made == FlexibleAccuracy("max", 0, 0, dropped=1)
    with pytest.raises(ParameterError, match="statistic, beta, gamma"):
        request_of(fields | {"accuracy": {"statistic": "max", "rows": 1}})
