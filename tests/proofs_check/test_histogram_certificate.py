"""The lone checker of anonymized histograms: the tables of the steps, their ranges, and the product of their ratios."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gmpy2 import mpq

from finitedp.cli.main import main
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.proofs_check import dyadic_certificate
from finitedp.proofs_check.dyadic_certificate import recheck_any, recheck_histogram

Document = dict[str, Any]


def _document(mechanism: PrivHist | None = None) -> Document:
    made = PrivHist(40, "1/2", 1, 1, "smooth", word=20) if mechanism is None else mechanism
    return json.loads(json.dumps(made.certificate()))  # type: ignore[no-any-return]


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("make", [priv_hist, priv_hist_as_printed])
def test_real_parameters_are_accepted(make: Callable[..., PrivHist], epsilon: str) -> None:
    assert recheck_any(_document(make(7 * 10**7, epsilon))) is None


def _table(name: str, **change: str) -> Callable[[Document], None]:
    return lambda document: document["tables"][name].update(change)


def _whole(**change: Any) -> Callable[[Document], None]:  # wrong on purpose
    return lambda document: document.update(change)


def _other_table(name: str, n: int, epsilon: str) -> Callable[[Document], None]:
    made = PrivHist(n, epsilon, 1, word=20).items.table.certificate()
    return lambda document: document["tables"].update({name: made})


def _swapped_tables(document: Document) -> None:
    tables = document["tables"]
    tables["items"], tables["parts"] = tables["parts"], tables["items"]


def _larger_ratio(document: Document) -> None:
    document["ratio"] = str(mpq(document["ratio"]) * mpq(2**60 + 1, 2**60))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_table("parts", last="17"), "table of the parts is none"),
        (_other_table("items", 39, "1/2"), "items is for other counts than 0..40"),
        (_other_table("items", 40, "1/3"), "do not sum to epsilon"),
        (_whole(fakes="2"), "parts is for other counts than 0..44"),
        (_whole(n="41"), "items is for other counts"),
        (_whole(epsilon="5/3"), "do not sum to epsilon"),
        (_larger_ratio, "do not multiply to the ratio"),
        (_whole(branch="split"), "not those of the branch"),
        (_whole(branch="middle"), "not those of the branch"),
        (lambda document: document["tables"].pop("blocks"), "not those of the branch"),
        (lambda document: document["tables"].update(rest=document["tables"]["parts"]), "not those of the branch"),
        (_whole(fakes="0"), "below 1"),
        (_whole(n="040"), "begins with 0"),
        (_whole(fakes="010"), "begins with 0"),
        (_whole(epsilon="0"), "do not sum to epsilon"),
        (_whole(ratio="1/0"), "Fraction"),
        (lambda document: document["tables"].update(parts=[]), "table of the parts is none"),
        (_swapped_tables, "other counts"),
        (_whole(fakes=9), "not written in digits"),
        (_whole(n="4_0"), "not written in digits"),
        (_whole(n=" 40"), "not written in digits"),
        (_whole(version=2), "version 1"),
        (_whole(more=1), "a key is missing or not known"),
        (_whole(ratio="1.5"), "not 'p/q'"),
    ],
)
def test_what_is_rejected(change: Callable[[Document], None], message: str) -> None:
    document = _document()
    assert recheck_histogram(document) is None
    change(document)
    reason = recheck_histogram(document)
    assert reason is not None
    assert message in reason


@pytest.mark.parametrize(("key", "most"), [("epsilon", 1000), ("ratio", 4000)])
def test_how_long_a_number_may_be(key: str, most: int) -> None:
    document = _document()
    document[key] = document[key].rjust(most, "0")
    assert recheck_histogram(document) is None
    document[key] = "0" + document[key]
    assert recheck_histogram(document) == "epsilon or R is not 'p/q', or long"


@pytest.mark.parametrize("broken", [None, [], "x", {}, {"format": "finitedp anonymized histogram", "version": 1}])
def test_what_is_no_certificate(broken: Any) -> None:  # wrong on purpose
    assert recheck_histogram(broken) is not None


def test_it_runs_alone_and_by_the_command(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(_document()))
    bad.write_text(json.dumps({**_document(), "epsilon": "3"}))
    checker = Path(dyadic_certificate.__file__)
    run = subprocess.run([sys.executable, "-I", "-S", checker, good, bad], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert [line.rsplit(": ", maxsplit=1)[1] for line in run.stdout.splitlines()] == [
        "accepted",
        "the epsilons of the steps do not sum to epsilon",
    ]
    found = CliRunner().invoke(main, ["check", str(good), str(bad)])
    assert found.exit_code == 1
    assert "accepted: the tables of an anonymized histogram of up to n = 40 items, epsilon = 5/2" in found.output
