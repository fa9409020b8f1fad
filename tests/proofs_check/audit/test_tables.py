"""finitedp.proofs_check.audit.tables: laws from JSON and CSV files, and what is refused."""

import re
from pathlib import Path

import pytest
from gmpy2 import mpq

from finitedp import PrivacyClaim
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.tables import read_table

JSON = """{"laws": [
    {"input": [0], "probabilities": {"a": "3/4", "7": "1/4"}},
    {"input": [1], "probabilities": {"a": "1/4", "7": "3/4"}}
]}"""
CSV = 'input,output,probability\n[0],a,3/4\n[0],7,1/4\n[1],a,1/4\n"[1]",7,3/4\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "laws"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [JSON, CSV, "\ufeff" + CSV, CSV.replace("\n", "\r\n")], ids=["json", "csv", "bom", "crlf"])
def test_laws_are_read(text: str, tmp_path: Path) -> None:
    table = read_table(written(tmp_path, text))
    assert table == {(0,): {"a": mpq(3, 4), 7: mpq(1, 4)}, (1,): {"a": mpq(1, 4), 7: mpq(3, 4)}}
    found = audit(table, PrivacyClaim("11/10", "replace-one", ratio=3), n=1, universe=[0, 1], style="table")
    assert (found.private, found.tight) == ("holds", True)


def test_counts_labels_and_tuples(tmp_path: Path) -> None:
    text = 'probability,input,output\n1,0,"[1, 2]"\n1,1,0.5\n1,"[""x"", ""y z""]",null\n1,[],\n'
    table = read_table(written(tmp_path, text))
    assert table == {0: {(1, 2): 1}, 1: {"0.5": 1}, ("x", "y z"): {"null": 1}, (): {"": 1}}


BAD = [
    ("", "has the columns ; accepted: input, output, probability"),
    ("a,b\n", "has the columns a, b"),
    ("input,output,probability\n", "holds no law"),
    ("input,output,probability\n[0],a\n", "line 2 does not have three fields"),
    ("input,output,probability\n[0],a,1,2\n", "line 2 does not have three fields"),
    ("input,output,probability\n[0],a,0.5.1\n", "line 2: the probability = '0.5.1' is not of the form 'p/q'"),
    ("input,output,probability\n[0],a,-1/2\n", "line 2: the probability -1/2 is not from 0 to 1"),
    ("input,output,probability\n[0],a,1/2\n[0],a,1/2\n", "line 3: the output 'a' of the input (0,) is there twice"),
    ("input,output,probability\n[0.5],a,1\n", "line 2: the input [0.5] is neither a count nor an array"),
    ("input,output,probability\n[true],a,1\n", "the input [True] is neither"),
    ("input,output,probability\n-1,a,1\n", "the input -1 is neither"),
    ("input,output,probability\nx,a,1\n", "the input 'x' is neither"),
    ('input,output,probability\n[0],"a,1\n', "unexpected end of data"),
    ("{", "is not JSON"),
    ("{}", 'has no list "laws"'),
    ('{"laws": {"a": 1}}', 'has no list "laws"'),
    ('{"laws": [1]}', "laws[0] is not of the right shape"),
    ('{"laws": [{"input": [0]}]}', "laws[0] is not of the right shape"),
    ('{"laws": [{"input": [0], "probabilities": {"a": 1}, "probabilities": {"a": 1}}]}', "laws[0] is not of the right shape"),
    ('{"laws": [{"input": [0], "probabilities": {"a": 0.5}}]}', "laws[0], output 'a': the probability = 0.5 is a float"),
    ('{"laws": [{"input": [0], "probabilities": {"a": "1/2", "a": "1/2"}}]}', "is there twice"),
    (
        '{"laws": [{"input": [0], "probabilities": {"a": 1}}, {"input": [0], "probabilities": {"b": 1}}]}',
        "laws[1]: the input (0,) is there twice",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_what_is_no_table_is_named(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_table(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not a UTF-8 text"):
        read_table(tmp_path / "bytes")


def test_a_label_that_the_universe_leaves_out_is_refused(tmp_path: Path) -> None:
    """The forgotten one may be in the pair that breaks the claim."""
    table = read_table(written(tmp_path, CSV + "[2],a,1\n"))
    with pytest.raises(ParameterError, match=r"a law for \(2,\), and 2 is not in the universe"):
        audit(table, PrivacyClaim(2, "replace-one"), n=1, universe=[0, 1], style="table")


def test_a_sum_that_is_not_one_and_a_missing_input_are_found_by_the_audit(tmp_path: Path) -> None:
    claim = PrivacyClaim(1, "replace-one")
    with pytest.raises(ParameterError, match=r"sum to 1/2, not to 1"):
        audit(read_table(written(tmp_path, CSV.replace("3/4", "1/4"))), claim, n=1, universe=[0, 1], style="table")
    with pytest.raises(ParameterError, match=r"no law for the input \(2,\)"):
        audit(read_table(written(tmp_path, CSV)), claim, n=1, universe=[0, 1, 2], style="table")
