"""finitedp.data.columns: reading one column of a CSV file."""

from pathlib import Path

import pytest

from finitedp.data.columns import count_column, parse_universe
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Strings


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "data.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_universes() -> None:
    assert parse_universe("a,b c,d") == ["a", "b c", "d"]
    assert parse_universe("-2 .. 3") == range(-2, 4)
    assert parse_universe("1..1") == range(1, 2)
    assert parse_universe("strings:16") == Strings(16)
    assert parse_universe("1.5..2,x") == ["1.5..2", "x"]
    assert parse_universe("2^64,x") == ["2^64", "x"]
    assert [parse_universe(word) for word in ("yes", "q1", "not known", "\u00e9t\u00e9", "semi-dry")] == [
        ["yes"],
        ["q1"],
        ["not known"],
        ["\u00e9t\u00e9"],
        ["semi-dry"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,,b", "empty label"),
        ("", "empty label"),
        ("a,b,a", "lists 'a' twice"),
        ("3..2", "is empty"),
        ("0..", "is not a range"),
        ("2^64", r"universe = '2\^64' would be one label, that text; accepted: FROM\.\.TO, such as 0\.\.99"),
        ("2**64", "would be one label"),
        ("100", "would be one label"),
        ("1e6", "would be one label"),
        ("0-99", "would be one label"),
        ("0:99", "would be one label"),
        ("[0;99]", "would be one label"),
        ("range(9)", "would be one label"),
        ("string:16", "not of the form strings:N"),
        (" ", "would be one label"),
        ("0.." + "9" * 41, "40 digits"),
    ],
)
def test_wrong_universes(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_universe(text)


def test_counts_of_strings_and_integers(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffname,visits\nann,0\n"b, c",2\nann,+2\n')
    assert count_column(path, "name", ["ann", "b, c", "d"]).counts == {"ann": 2, "b, c": 1}
    found = count_column(path, "visits", range(3))
    assert (found.counts, found.rows) == ({0: 1, 2: 2}, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; accepted: a CSV file with a header line"),
        ("x,y\n", "has a header and no rows"),
        ("x,y\n1,2\n\n3,4\n", r"row 2 \(line 3\) of .* is blank; accepted: 2 fields"),
        ("x\n1\n\n", r"row 2 \(line 3\) of .* is blank; accepted: 1 fields"),
        ("a,b\n1,2\n", "has no column 'x'; its columns are a, b"),
        ("x,x\n1,2\n", "has more than one column 'x'"),
        ("x,y\n1,2\n1\n", r"row 2 \(line 3\) of .* has 1 fields, not 2"),
        ("x,y\n1,2\n1,2,3\n", "has 3 fields, not 2"),
        ("x\n1\ngood\n", "row 2 of column 'x': 'good' is not an integer; accepted: integers from 0 to 5"),
        ("x\n1\n2.0\n", "row 2 of column 'x': '2.0' is not an integer"),
        ("x,y\n1,2\n ,2\n", "row 2 of column 'x': the value is empty"),
        ("x\n1\n6\n", r"row 2 of column 'x': 6 is outside of the universe 0\.\.5"),
        ("x\n" + "9" * 5000 + "\n", "is not an integer"),
        (b"x\n\xff\xfe\n", "is not a CSV file in UTF-8"),
        ('x\n"1\n', "is not a CSV file in UTF-8: unexpected end of data"),
        (b"x\n1\x00\n", "is not an integer|not a CSV file"),
    ],
)
def test_unusable_files_are_named(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        count_column(written(tmp_path, content), "x", range(6))


def test_strings_outside_of_the_universe(tmp_path: Path) -> None:
    path = written(tmp_path, "x\na\nb\nz\n")
    with pytest.raises(DataError, match="row 3 of column 'x': 'z' is outside of the universe a,b"):
        count_column(path, "x", ["a", "b"])
    with pytest.raises(DataError, match="row 2 of column 'x': the value is empty"):
        count_column(written(tmp_path, 'x,y\na,1\n"",1\n'), "x", ["a"])


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.csv cannot be read: No such file"):
        count_column(tmp_path / "nowhere.csv", "x", range(2))
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        count_column(tmp_path, "x", range(2))


def test_strings_up_to_a_number_of_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, "x\nab\n\u00e9\u00e9\n")
    assert count_column(path, "x", Strings(4)).counts == {"ab": 1, "\u00e9\u00e9": 1}
    with pytest.raises(DataError, match="row 2 of column 'x': '\u00e9\u00e9' has more than 3 bytes"):
        count_column(path, "x", Strings(3))
