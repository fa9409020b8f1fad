"""finitedp.data.files and parquet: counts of a column of a file, and Parquet releases that are whole or not there."""

import json
import os
import random
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from finitedp.cli.main import main
from finitedp.data.columns import Universe, count_column
from finitedp.data.files import count_file
from finitedp.data.parquet import ParquetColumn, Stored, fits_int64, parquet_bytes, parquet_counts
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.universe import Strings
from tests.sampling import sampled

ANY = Strings(1000)


@pytest.fixture
def parquet(tmp_path: Path) -> Any:
    """A function that writes a Parquet file with pyarrow."""
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for package in ("duckdb", "narwhals", "numpy"):
        pytest.importorskip(package)

    def write(values: Any, kind: str | None = None, name: str = "data.parquet") -> Path:
        column = arrow.array(values, None if kind is None else getattr(arrow, kind)())
        writer.write_table(arrow.table({"x": column, "y": range(len(column))}), tmp_path / name)
        return tmp_path / name

    return write


# CSV


def test_a_csv_file_is_counted_as_before(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,y\n 2,a\n+2,b\n1,a\n2,\n")
    found = count_file(path, "x", range(3))
    assert (list(found.counts.items()), found.rows) == ([(1, 1), (2, 3)], 4)
    assert list(count_file(path, "x", ANY).counts.items()) == [(" 2", 1), ("+2", 1), ("1", 1), ("2", 1)]
    assert count_file(path, "y", ANY).counts == {"": 1, "a": 2, "b": 1}
    assert count_file(path, "x", range(3), 2).counts == {2: 2}
    assert count_file(path, "x", range(3), n=4).rows == 4
    with pytest.raises(DataError, match="has 4 rows, more than n = 3"):
        count_file(path, "x", range(3), n=3)
    for options in ({"drop_nulls": True}, {"null_label": 0}):
        with pytest.raises(ParameterError, match="is a CSV file, which has no nulls: a missing value is the empty string"):
            count_file(path, "x", range(3), **options)


def test_the_first_wrong_row_is_named_across_batches(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    good = '1,"two\r\nlines"\n'
    path.write_text("x,y\n" + good * 1203 + "1,2,3\n" + good, newline="")
    with pytest.raises(DataError, match=r"row 1204 \(line 2408\) of .* has 3 fields, not 2"):
        count_file(path, "x", range(3))
    path.write_text("x,y\n" + good * 1203 + "bad,2\n" + good + "\n", newline="")
    with pytest.raises(DataError, match="row 1204 of column 'x': 'bad' is not an integer"):
        count_file(path, "x", range(3))
    assert count_file(path, "x", range(3), 1203).counts == {1: 1203}


rows = st.lists(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3), min_size=2, max_size=2), min_size=1, max_size=8
)


@given(rows)
@settings(max_examples=100)
def test_every_csv_file_that_python_writes_is_read(tmp_path_factory: pytest.TempPathFactory, table: list[list[str]]) -> None:
    import csv

    path = tmp_path_factory.mktemp("csv") / "data.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["x", "y"], *table])
    assert count_column(path, "y", Strings(50)).counts == Counter(row[1] for row in table)


def test_a_csv_file_needs_no_optional_package(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x\na\n")
    program = (
        "import sys; from pathlib import Path\n"
        "from finitedp.data.files import count_file; from finitedp.impl.histograms.universe import Strings\n"
        f"assert count_file(Path({str(path)!r}), 'x', Strings(3)).counts == {{'a': 1}}\n"
        "print([m for m in ('duckdb', 'narwhals', 'numpy', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"


def test_an_encoding_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes("x,y\n\u00e9,1\n".encode("latin-1"))
    with pytest.raises(DataError, match="is not a CSV file in UTF-8: 'utf-8' codec can't decode"):
        count_file(path, "y", range(3))
    path.write_bytes("x,y\n\u00e9,1\n".encode("utf-16"))
    with pytest.raises(DataError, match="is not a CSV file in UTF-8"):
        count_file(path, "y", range(3))


def test_an_empty_file(tmp_path: Path) -> None:
    for name, message in (
        ("data.csv", "is empty; accepted: a CSV file with a header line"),
        ("data.parquet", "is empty; accepted: a Parq"),
    ):
        path = tmp_path / name
        path.touch()
        if path.suffix == ".parquet":
            pytest.importorskip("duckdb")
        with pytest.raises(DataError, match=message):
            count_file(path, "x", ANY)


# Parquet


@pytest.mark.deep
def test_text_and_integers_of_a_parquet_file(parquet: Any) -> None:
    path = parquet(["b", "a", "b", ""])
    found = count_file(path, "x", ANY)
    assert (list(found.counts.items()), found.rows) == ([("", 1), ("a", 1), ("b", 2)], 4)
    assert count_file(path, "x", ["", "a", "b"]).rows == 4
    assert count_file(parquet([3, -2, 3, 10]), "x", range(-2, 11)).counts == {-2: 1, 3: 2, 10: 1}
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        assert count_file(parquet([3, 2, 3], kind), "x", range(4)).counts == {2: 1, 3: 2}
    assert count_file(parquet([2**64 - 1], "uint64"), "x", range(2**64)).counts == {2**64 - 1: 1}


def test_types_are_not_guessed(parquet: Any) -> None:
    with pytest.raises(DataError, match=r"column 'x' holds text, as '1', and the universe is of integers: 0\.\.5"):
        count_file(parquet(["1"]), "x", range(6))
    with pytest.raises(DataError, match="column 'x' holds integers, as 1, and the universe is of text: 1,2"):
        count_file(parquet([1]), "x", ["1", "2"])
    with pytest.raises(DataError, match=r"data\.parquet: column 'x' is of type Float64; accepted: .*; convert with CAST"):
        count_file(parquet([1.0, 2.0]), "x", range(6))
    with pytest.raises(DataError, match="is of type Binary"):
        count_file(parquet([b"a"]), "x", ANY)
    with pytest.raises(DataError, match="True, in 1 rows, is outside of the universe of strings"):
        count_file(parquet([True]), "x", ANY)


def test_the_universe_of_a_parquet_file(parquet: Any) -> None:
    with pytest.raises(DataError, match="column 'x': 'z', in 2 rows, is outside of the universe a,b"):
        count_file(parquet(["a", "z", "z"]), "x", ["a", "b"])
    with pytest.raises(DataError, match="'\u00e9\u00e9', in 1 rows, is outside of the universe of strings of at most 3 bytes"):
        count_file(parquet(["\u00e9\u00e9"]), "x", Strings(3))


def test_nulls_of_a_parquet_file(parquet: Any) -> None:
    path = parquet(["a", None, "b", None])
    with pytest.raises(DataError, match="column 'x' holds 2 nulls in 4 rows; accepted: none, or drop_nulls"):
        count_file(path, "x", ANY)
    dropped = count_file(path, "x", ANY, drop_nulls=True)
    assert (dropped.counts, dropped.rows) == ({"a": 1, "b": 1}, 4)
    assert count_file(path, "x", ANY, null_label="a").counts == {"a": 3, "b": 1}
    with pytest.raises(DataError, match="'none', in 2 rows, is outside of the universe a,b"):
        count_file(path, "x", ["a", "b"], null_label="none")
    with pytest.raises(ParameterError, match="drop_nulls and null_label contradict each other"):
        count_file(path, "x", ANY, drop_nulls=True, null_label="a")
    assert count_file(parquet([None, None], "null"), "x", ANY, null_label="none").counts == {"none": 2}


@pytest.mark.deep
def test_so_many_rows_of_a_parquet_file(parquet: Any) -> None:
    values = [f"v{i % 7}" for i in range(300_000)]
    path = parquet(values)
    assert count_file(path, "x", ANY, 200_001).counts == Counter(values[:200_001])
    assert count_file(path, "x", ANY, 300_000).rows == 300_000
    with pytest.raises(DataError, match="has 300000 rows, fewer than the first 300001"):
        count_file(path, "x", ANY, 300_001)
    with pytest.raises(DataError, match="column 'x' has 300000 rows, more than n = 299999"):
        count_file(path, "x", ANY, n=299_999)


def test_no_rows_in_a_parquet_file(parquet: Any) -> None:
    with pytest.raises(DataError, match=r"data\.parquet: column 'x' has no rows"):
        count_file(parquet([], "string"), "x", ANY)


def test_hostile_text_in_a_parquet_file(parquet: Any) -> None:
    values = ["a\x00b", "q\"'", "x\ny\r", ",", "e\u0301", "\u00e9", "\U0001f600", "\uffff", "NULL", " ", ""]
    assert list(count_file(parquet(values), "x", ANY).counts.items()) == [(value, 1) for value in sorted(values)]


def test_names_with_a_meaning(parquet: Any, tmp_path: Path) -> None:
    names = [
        "a*b.parquet",
        "a[1].parquet",
        "a?.parquet",
        "it's.parquet",
        'q".parquet',
        "{x}.parquet",
        "back\\slash.PQ",
        "\u00e9 \n.parquet",
    ]
    for i, name in enumerate(names):
        parquet([i], name=name)
    parquet([99], name="a1.parquet")
    parquet([98], name="axb.parquet")
    for i, name in enumerate(names):
        assert count_file(tmp_path / name, "x", range(100)).counts == {i: 1}
    (tmp_path / "k=v").mkdir()
    path = parquet(["a"], name="k=v/data.parquet")
    with pytest.raises(DataError, match="has no column 'k'; its columns are x, y"):
        count_file(path, "k", ANY)


def test_the_working_folder_does_not_matter(parquet: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet(["a"])
    monkeypatch.chdir(tmp_path)
    assert count_file(Path("data.parquet"), "x", ANY).rows == 1
    assert os.listdir() == ["data.parquet"]


def test_columns_of_a_parquet_file(parquet: Any, tmp_path: Path) -> None:
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = parquet(["a"])
    with pytest.raises(DataError, match="has no column 'X'; its columns are x, y"):
        count_file(path, "X", ANY)
    nested = arrow.array([{"x": 1, "l": [{"x": 2}]}])
    parts = [nested, *(arrow.array([text]) for text in "abcd")]
    writer.write_table(arrow.Table.from_arrays(parts, names=["s", "x", "X", "y", "y"]), path)
    assert count_file(path, "x", ANY).counts == {"a": 1}
    assert count_file(path, "X", ANY).counts == {"b": 1}
    with pytest.raises(DataError, match="has more than one column 'y'; its columns are s, x, X, y, y"):
        count_file(path, "y", ANY)
    with pytest.raises(DataError, match="is of type Struct"):
        count_file(path, "s", ANY)


def test_files_that_are_no_parquet_files(parquet: Any, tmp_path: Path) -> None:
    whole = parquet(["a"] * 1000).read_bytes()
    path = tmp_path / "broken.parquet"
    for size in (1, 3, 4, 8, 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(DataError, match=r"broken\.parquet is not a Parquet file"):
            count_file(path, "x", ANY)
    path.write_text("x\na\n")
    with pytest.raises(DataError, match="is not a Parquet file, whatever its name says: it does not begin with PAR1"):
        count_file(path, "x", ANY)
    path.unlink()
    with pytest.raises(DataError, match=r"broken\.parquet cannot be read: No such file"):
        count_file(path, "x", ANY)
    path.mkdir()
    with pytest.raises(DataError, match=r"broken\.parquet cannot be read: Is a directory"):
        count_file(path, "x", ANY)
    named = tmp_path / "data.csv"
    named.write_bytes(whole)
    with pytest.raises(DataError, match=r"data.csv is a Parquet file; accepted: a name that ends in \.parquet or \.pq"):
        count_file(named, "x", ANY)


@pytest.mark.parametrize(("rows", "bits"), [(300, 60), pytest.param(5000, 150, marks=pytest.mark.deep)])
def test_damage_is_one_line_or_harmless(tmp_path: Path, rows: int, bits: int) -> None:
    """A flipped bit may pass unseen, since no reader asks for the checksums of pages: but it is never a crash."""
    pytest.importorskip("duckdb")
    path, dice = tmp_path / "damaged.parquet", random.Random(1)
    refused: list[str] = []
    table = pytest.importorskip("polars").DataFrame({"x": ["abc" * 3 + str(i % 50) for i in range(rows)]})
    table.write_parquet(path)
    whole = path.read_bytes()
    for _ in range(bits):
        damaged = bytearray(whole)
        damaged[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged)
        try:
            assert count_file(path, "x", ANY).rows == rows
        except DataError as error:
            refused.append(str(error))
    assert len(refused) > bits // 8
    assert all("\n" not in line and ("damaged.parquet" in line or "column 'x'" in line) for line in refused)


def test_text_that_is_not_utf8(parquet: Any) -> None:
    arrow, np = pytest.importorskip("pyarrow"), pytest.importorskip("numpy")
    offsets = arrow.py_buffer(np.array([0, 1], dtype=np.int32))
    with pytest.raises(DataError, match="not valid UTF8"):
        count_file(parquet(arrow.StringArray.from_buffers(1, offsets, arrow.py_buffer(b"\xff"))), "x", ANY)


def test_a_missing_package_is_named(parquet: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = parquet(["a"])
    for package in ("duckdb", "narwhals", "numpy"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            with pytest.raises(ParameterError, match=rf"{package} is not installed; accepted: pip install {package}"):
                count_file(path, "x", ANY)


@pytest.mark.deep
@given(values=st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=3), max_size=20))
@settings(max_examples=25)
def test_a_parquet_file_and_its_frame_agree(tmp_path_factory: pytest.TempPathFactory, values: list[str | None]) -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("duckdb")
    path = tmp_path_factory.mktemp("parquet") / "data.parquet"
    polars.DataFrame({"x": polars.Series(values, dtype=polars.String)}).write_parquet(path)
    found = parquet_counts(path, "x", n=50, drop_nulls=True)
    expected = Counter(value for value in values if value is not None)
    assert (found.as_dict(), list(found.labels), found.rows) == (expected, sorted(expected), len(values))


# Memory


PEAK = """
import sys
from pathlib import Path
from finitedp.data.files import count_file
from finitedp.impl.histograms.universe import Strings
def highest():  # not ru_maxrss, which a process inherits from the one that started it
    return next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
base = highest()
rows = count_file(Path(sys.argv[1]), "x", Strings(20)).rows
print(rows, highest() - base)
"""


def peak(path: Path) -> tuple[int, int]:
    """The rows, and the MB that counting them added to the process."""
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux tells")
    out = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True).stdout
    found, mega = out.split()
    return int(found), int(mega)


@pytest.mark.deep
def test_a_csv_file_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("x,y\n" + "label,some more text to make the row longer\n" * 500_000)
    rows_read, mega = peak(path)
    assert rows_read == 500_000
    assert mega < 15


@pytest.mark.deep
def test_a_parquet_file_is_not_held_in_memory(tmp_path: Path) -> None:
    """Ten times the rows, 4 GB of text, take about the same memory."""
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    found = []
    for times in (1, 10):
        path = tmp_path / f"{times}.parquet"
        part = arrow.table({"x": [f"a long label {i % 1000:03d}" for i in range(500_000)]})
        with writer.ParquetWriter(path, part.schema) as file:
            for _ in range(4 * times):
                file.write_table(part)
        found.append(peak(path))
    assert [rows_read for rows_read, _ in found] == [2_000_000, 20_000_000]
    assert found[1][1] < found[0][1] + 100


# Releases as Parquet


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


BASIC = ["release", "basic", "--column", "x", "--epsilon", "1", "--input"]


def test_a_parquet_file_in_and_out(parquet: Any, tmp_path: Path) -> None:
    reader = pytest.importorskip("pyarrow.parquet")
    source, target = parquet([0, 1, 1, None]), tmp_path / "release.parquet"
    done = run(*BASIC, str(source), "--universe", "0..2", "--null-label", "2", "--output", str(target))
    assert (done.exit_code, done.stderr) == (0, f"Wrote {target}: 3 noisy counts.\n")
    table = reader.read_table(target)
    assert [str(kind) for kind in table.schema.types] == ["int64"] * 4
    assert table.column_names == ["label", "count", "low", "high"]
    assert table.column("label").to_pylist() == [0, 1, 2]
    assert all(row["low"] <= row["count"] <= row["high"] for row in table.to_pylist())
    about = json.loads(table.schema.metadata[b"finitedp"])
    assert about["rows"] == 4
    assert about["claim"]["epsilon"] == "1"
    assert "histogram" not in about


def test_labels_of_a_release_as_parquet(parquet: Any, tmp_path: Path) -> None:
    reader = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "release.pq"
    universe = "it's,x\ny,\u00e9"
    assert run(*BASIC, str(parquet(["it's"])), "--universe", universe, "--output", str(target)).exit_code == 0
    assert reader.read_table(target).column("label").to_pylist() == ["it's", "x\ny", "\u00e9"]
    wide = f"{2**64}..{2**64 + 1}"
    path = tmp_path / "data.csv"
    path.write_text(f"x\n{2**64}\n")
    assert run(*BASIC, str(path), "--universe", wide, "--output", str(target)).exit_code == 0
    assert reader.read_table(target).column("label").to_pylist() == [str(2**64), str(2**64 + 1)]


def test_bytes_of_a_parquet_file(tmp_path: Path) -> None:
    for package in ("duckdb", "numpy"):
        pytest.importorskip(package)
    reader = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    texts = [f"label {i:06d}" for i in range(200_000)]
    columns = [ParquetColumn('the "label"', "VARCHAR", texts), ParquetColumn("count", "BIGINT", range(200_000))]
    path.write_bytes(parquet_bytes(columns, {"it's": "a 'quoted' \u00e9\ntext"}))
    table = reader.read_table(path)
    assert table.column('the "label"').to_pylist() == texts
    assert table.column("count").to_pylist() == list(range(200_000))
    assert table.schema.metadata[b"it's"].decode() == "a 'quoted' \u00e9\ntext"
    made: list[tuple[Stored, str, list[Any]]] = [
        ("BIGINT", "int64", [-(2**63), 2**63 - 1]),
        ("VARCHAR", "string", ["a\x00b", ""]),
        ("BOOLEAN", "bool", [True, False]),
        ("DATE", "date32[day]", [date(1, 1, 1), date(9999, 12, 31)]),
    ]
    for kind, told, values in made:
        for some in (values, []):
            path.write_bytes(parquet_bytes([ParquetColumn("label", kind, some)], {"a": ""}))
            table = reader.read_table(path)
            assert list(map(str, table.schema.types)) == [told]
            assert table.column("label").to_pylist() == some


@pytest.mark.parametrize(
    ("universe", "fits"),
    [(range(-(2**63), 2**63), True), (range(2**63 + 1), False), (range(-(2**63) - 1, 0), False), (range(3, 3), True)],
)
def test_integers_of_64_bits(universe: Universe, fits: bool) -> None:
    assert isinstance(universe, range)
    assert fits_int64(universe) == fits


def test_nulls_on_the_command_line(parquet: Any, tmp_path: Path) -> None:
    source, csv_file = str(parquet([0, None])), tmp_path / "data.csv"
    csv_file.write_text("x\n0\n")
    done = run(*BASIC, source, "--universe", "0..1", "--json", "--drop-nulls")
    assert json.loads(done.stdout)["rows"] == 2
    for arguments, message in (
        ([source], "column 'x' holds 1 nulls in 2 rows"),
        ([source, "--null-label", "none"], "--null-label 'none' is not an integer, and the universe is 0..1"),
        ([source, "--null-label", "2"], "column 'x': 2, in 1 rows, is outside of the universe 0..1"),
        ([source, "--null-label", "1", "--drop-nulls"], "contradict each other"),
        ([str(csv_file), "--drop-nulls"], "which has no nulls"),
    ):
        done = run(*BASIC, *arguments, "--universe", "0..1")
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert message in done.stderr


def test_parquet_is_not_for_the_terminal(parquet: Any) -> None:
    done = run(*BASIC, str(parquet([0])), "--universe", "0..1", "--format", "parquet")
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.fullmatch(r"Error: --format parquet is not for the terminal; accepted: with --output FILE\n", done.stderr)


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """No file grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.deep
@pytest.mark.parametrize("kind", sampled(["csv", "json", "parquet"], 2))
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_no_half_of_a_release(
    parquet: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, there: bool
) -> None:
    source, folder = parquet([0]), tmp_path / "out"
    folder.mkdir()
    target = folder / f"release.{kind}"
    if there:
        target.write_text("the one before")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    arguments = [*BASIC, str(source), "--universe", "0..500", "--output", str(target)]
    with full_disk(1024):
        done = run(*arguments)
    assert done.exit_code == 2
    assert re.fullmatch(r"Error: .*(File too large|too large).*\n", done.stderr), done.stderr
    assert [path.name for path in folder.iterdir()] == ([target.name] if there else [])
    if there:
        assert target.read_text() == "the one before"
    assert run(*arguments).exit_code == 0
