"""The group-by of one column in the engine that holds the frame: what comes back is one count for each label.

pandas, polars, pyarrow, DuckDB and PySpark are spoken to through narwhals, Dask by its own group-by. Each engine reads the
column once. Labels come back as Python objects, None for a null, in whatever order the engine likes.

DuckDB and Spark may be told to take different texts for equal (a column's collation, a default one), and pandas 2 takes a NUL
for the end of one: they then hand over one row's spelling for all of them, so that what one row says would move the counts of
others. Text is therefore grouped by its bytes: in pandas and Dask as pyarrow holds it, or by Python.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from attrs import frozen

from finitedp.data.exact_labels import INTEGERS, TEXT, WIDE, as_text, by_bytes, dask_type, value_of
from finitedp.errors import DataError, FinitedpError, ParameterError

__all__ = [
    "ENGINES",
    "Grouped",
    "columns_of",
    "data_errors",
    "engine_among",
    "engine_of",
    "grouped",
    "grouped_twice",
    "only",
    "optional",
    "plain_arrow",
    "rows_of",
    "type_of",
    "unwrapped",
]

ENGINES = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame", "LazyFrame"),
    "pyarrow": ("Table",),
    "duckdb": ("DuckDBPyRelation",),
    "pyspark": ("DataFrame",),
    "dask": ("DataFrame",),
}
_BEFORE = {"dask_expr": "dask"}  # where an engine's frames were in versions of before
_EMPTY = ("Null", "null", '"NULL"', "NULL", "void")  # engines' names for a column of nothing but nulls


@frozen
class Grouped:
    """The labels of a column, None for a null, and how often each occurs: in the engine's order."""

    labels: Sequence[Any]
    counts: Sequence[int]


def optional(module: str) -> Any:  # noqa: ANN401  # a module
    """An optional package. Raises: ParameterError, with what to install, where it is missing."""
    try:
        return import_module(module)
    except ImportError:
        package = module.split(".", maxsplit=1)[0]
        raise ParameterError(f"{package} is not installed; accepted: pip install {package}") from None


def unwrapped(frame: Any) -> Any:  # noqa: ANN401  # any engine's frame
    """The engine's own frame, where narwhals has wrapped it."""
    return frame.to_native() if any(base.__module__.startswith("narwhals.") for base in type(frame).__mro__) else frame


def engine_of(frame: Any) -> str:  # noqa: ANN401
    """The name of the engine that a frame belongs to. Raises: ParameterError for an unknown one."""
    engine = engine_among(frame, ENGINES)
    if engine is not None:
        return engine
    known = ", ".join(f"{engine}.{name}" for engine, names in ENGINES.items() for name in names)
    found = f"{type(frame).__module__}.{type(frame).__qualname__}"
    raise ParameterError(f"frame is of type {found}, which no known engine has; accepted: {known}")


def engine_among(value: object, known: Mapping[str, tuple[str, ...]]) -> str | None:
    """The engine that a class of these is of, by the names of a value's classes."""
    for base in type(value).__mro__:
        engine = base.__module__.split(".", maxsplit=1)[0]
        engine = _BEFORE.get(engine, engine)
        if base.__name__ in known.get(engine, ()) and not base.__module__.startswith("pyspark.pandas"):
            return engine
    return None


def columns_of(frame: Any, engine: str) -> list[Any]:  # noqa: ANN401
    """The names of all columns, repeated ones too; of a polars.LazyFrame without reading its data."""
    if engine == "pyarrow":
        return list(frame.column_names)
    if engine == "polars":
        return list(frame.collect_schema().names() if hasattr(frame, "collect") else frame.columns)
    return list(frame.columns)


def type_of(frame: Any, engine: str, position: int) -> str:  # noqa: ANN401
    """The narwhals name of a column's type; "Null" for one that can hold nothing else."""
    narwhals = optional("narwhals")
    one = only(frame, engine, position)
    sample = _types_of_dask(one) if engine == "dask" else one  # a pandas frame of the same types
    if engine in ("pandas", "dask") and str(sample.dtypes.iloc[0]) == "object":
        return "Object"  # narwhals guesses what an object column holds from its first rows
    kind = str(narwhals.from_native(sample).collect_schema()["label"])
    if engine == "pandas" and not kind.startswith(INTEGERS) and not _keeps_texts(sample.dtypes.iloc[0]):
        return "Object" if kind.startswith(TEXT) else kind
    return "Null" if kind == "Unknown" and _native_type(one, engine) in _EMPTY else kind


def _keeps_texts(dtype: Any) -> bool:  # noqa: ANN401  # a dtype of pandas
    r"""Whether pandas is known to group all of a dtype's text: categories by their codes, pyarrow's text by its bytes.

    pandas 2 takes a NUL for the end of any other text, so that "a" and "a\0b" are one label, spelt as in one of the rows.
    """
    if type(dtype).__name__ == "CategoricalDtype":
        return True
    return getattr(dtype, "storage", "") == "pyarrow" or str(getattr(dtype, "pyarrow_dtype", "")) in ("string", "large_string")


def _types_of_dask(one: Any) -> Any:  # noqa: ANN401
    """A pandas frame of the types of Dask's, with the type of the categories in place of theirs.

    Raises: DataError where Dask does not know the categories, and so not whether they are text.
    """
    sample = one._meta
    if type(sample.dtypes.iloc[0]).__name__ != "CategoricalDtype":
        return sample
    if not one["label"].cat.known:
        raise DataError("Dask does not know the column's categories; accepted: known ones, or text, as of .astype('string')")
    values = sample.dtypes.iloc[0].categories
    plain = values.to_frame(index=False, name="label")
    return plain.astype("string") if all(isinstance(value, str) for value in values) else plain


def _native_type(one: Any, engine: str) -> str:  # noqa: ANN401
    if engine == "polars":
        return str(one.collect_schema()["label"])
    if engine == "pyarrow":
        return str(one.schema.field(0).type)
    if engine == "pyspark":
        return str(one.dtypes[0][1])
    return str(one.types[0]) if engine == "duckdb" else ""


def grouped(frame: Any, engine: str, position: int, kind: str, *, ordered: bool) -> Grouped:  # noqa: ANN401
    """One count for each label of the column at a position, nulls among them.

    Parameters: kind, its type_of; ordered, whether the engine should sort the labels where it is faster at it than Python.
    """
    one, kind = _exact(only(frame, engine, position), engine, kind)
    if engine == "pyspark":
        return _of_pyspark(one, kind)
    if engine == "dask":
        return _of_dask(one)
    if engine == "pandas" and kind == "Object":
        return _of_objects(one)
    counted = _query(one, kind)
    counted = counted.sort("label") if ordered and not kind.startswith("Categorical") else counted
    return (_of_duckdb if engine == "duckdb" else _of_local)(counted, kind)


def rows_of(frame: Any) -> int:  # noqa: ANN401
    """The number of rows of any engine's frame. Raises: ParameterError for what is none; DataError."""
    native = unwrapped(frame)
    engine = engine_of(native)
    with data_errors(engine):
        if engine in ("pandas", "dask"):
            return len(native)
        nw = optional("narwhals")
        many = nw.from_native(native.lazy() if engine == "polars" else native).select(nw.len().alias("count"))
        return int(_rows(many, engine)[0][0])


def grouped_twice(frame: Any, engine: str, position: int, kind: str) -> tuple[dict[int, int], int]:  # noqa: ANN401
    """How many labels have each count, and how many rows are null: a second group-by, of the counts, in the engine.

    Only counts leave the engine, no labels; a column of Python objects is counted by Python. Parameters: as of `grouped`.
    """
    one, kind = _exact(only(frame, engine, position), engine, kind)
    if engine == "pandas" and kind == "Object":
        found = _of_objects(one)
        nulls = sum(many for label, many in zip(found.labels, found.counts, strict=True) if label is None)
        counts = (many for label, many in zip(found.labels, found.counts, strict=True) if label is not None)
        return dict(Counter(counts)), nulls
    if engine == "dask":
        sizes = one.groupby("label", observed=True).size()  # without nulls, which are counted beside it
        dask = optional("dask")
        listed, nulls = dask.compute(sizes.value_counts(), one["label"].isna().sum())
        return {int(r): int(many) for r, many in listed.items() if r}, int(nulls)
    nw = optional("narwhals")
    null = nw.col("label").is_null().alias("null")
    counted = _query(one, kind).select(null, nw.col("count"))
    rows = counted.group_by("count", "null").agg(nw.len().alias("labels")).select("count", "null", "labels")
    present, nulls = dict[int, int](), 0
    for r, is_null, many in _rows(rows, engine):
        if is_null:
            nulls += int(r) * int(many)
        else:
            present[int(r)] = int(many)
    return present, nulls


def _exact(one: Any, engine: str, kind: str) -> tuple[Any, str]:  # noqa: ANN401
    """The column as its engine groups it by all of each label, and its type then.

    Dask has pandas unite the categories of its partitions, and may take a partition for what it is not: each is converted.
    """
    if engine == "dask":
        return one.astype({"label": dask_type(kind)}), kind
    text = by_bytes(engine, kind, "label")
    if not text:
        return one, kind
    return one.project(text) if engine == "duckdb" else one.selectExpr(text), "Binary"


def _rows(frame: Any, engine: str) -> list[Any]:  # noqa: ANN401
    """The rows of a small narwhals frame, without other packages than the engine."""
    native = frame.to_native()
    if engine == "pyspark":
        return list(native.collect())
    if engine == "duckdb":
        return list(native.fetchall())
    if hasattr(native, "collect"):
        native = native.collect(engine="streaming")
    return list(optional("narwhals").from_native(native).iter_rows())


@contextmanager
def data_errors(engine: str) -> Iterator[None]:
    """Whatever an engine raises, as a DataError of one line."""
    try:
        yield
    except (FinitedpError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # polars' own failures
            raise
        if type(error).__name__ in ("RuntimeError", "InterruptException") and "nterrupt" in str(error):
            raise KeyboardInterrupt from None  # DuckDB's word for it
        what = " ".join(str(error).split())[:300]
        raise DataError(f"{engine} cannot count the column: {type(error).__name__}: {what}") from None


def only(frame: Any, engine: str, position: int) -> Any:  # noqa: ANN401
    """The frame with that one column, which is called label: no name of a column or an index then means two things."""
    if engine in ("pandas", "dask"):
        name = frame.columns[position]
        one = frame.iloc[:, [position]] if engine == "pandas" else frame[[name]]
        return one.rename(columns={name: "label"}).reset_index(drop=True)
    if engine == "pyarrow":
        return plain_arrow(frame.select([position]).rename_columns(["label"]))
    if engine == "pyspark":
        return frame.toDF(*(f"c{i}" for i in range(len(frame.columns)))).selectExpr(f"c{position} AS label")
    if engine == "duckdb":
        return frame.project(f"#{position + 1} AS label")
    numbered = {name: f"c{i}" for i, name in enumerate(columns_of(frame, engine))}  # polars may take ^...$ for a pattern
    return frame.lazy().rename(numbered).select(optional("polars").col(f"c{position}").alias("label"))


def plain_arrow(table: Any) -> Any:  # noqa: ANN401
    """A pyarrow table without dictionaries, which may differ from chunk to chunk."""
    kinds = {field.name: field.type for field in table.schema}
    plain = [(name, kind.value_type if str(kind).startswith("dictionary") else kind) for name, kind in kinds.items()]
    return table if dict(plain) == kinds else table.cast(optional("pyarrow").schema(plain))


def _query(one: Any, kind: str) -> Any:  # noqa: ANN401
    """The group-by, as a narwhals frame."""
    nw = optional("narwhals")
    frame = nw.from_native(one)
    if as_text(kind, frame):
        frame = frame.select(nw.col("label").cast(nw.String))
    return frame.group_by("label").agg(nw.len().alias("count"))


def _listed(labels: Sequence[Any], counts: Sequence[int], kind: str) -> Grouped:
    """What came back: text that was grouped by its bytes is text again, and integers that were grouped as text integers."""
    if kind == "Binary" or kind in WIDE:
        of = value_of(kind)
        labels = [None if label is None else of(label) for label in labels]
    return Grouped(labels, counts)


def _of_local(counted: Any, kind: str) -> Grouped:  # noqa: ANN401
    """pandas, polars and pyarrow."""
    nw = optional("narwhals")
    if isinstance(counted, nw.LazyFrame):
        # the streaming engine does not hold the column's rows
        counted = nw.from_native(counted.to_native().collect(engine="streaming"))
    found = counted["label"]
    labels, nulls = found.to_list(), found.is_null()
    if nulls.any():
        labels = [None if null else label for label, null in zip(labels, nulls.to_list(), strict=True)]
    return _listed(labels, counted["count"].to_list(), kind)


def _of_objects(one: Any) -> Grouped:  # noqa: ANN401
    """A pandas column of Python objects: counted by type and value, since 1, True and 1.0 are equal."""
    values = one["label"].array
    try:
        counted = Counter(zip(map(type, values), values, strict=True))
    except TypeError as error:
        raise DataError(f"the column holds a value that cannot be a label: {error}; accepted: strings or integers") from None
    nulls = optional("pandas").isna
    return Grouped([None if nulls(label) else label for _, label in counted], list(counted.values()))


def _of_duckdb(counted: Any, kind: str) -> Grouped:  # noqa: ANN401
    if kind == "Date":  # as Python's dates, which numpy's become not
        rows = counted.to_native().fetchall()
        return Grouped([label for label, _ in rows], [count for _, count in rows])
    found = counted.to_native().fetchnumpy()
    return _listed(found["label"].tolist(), found["count"].tolist(), kind)


def _of_pyspark(one: Any, kind: str) -> Grouped:  # noqa: ANN401
    """Not sorted there: a sort of Spark samples its input first, which would be a second pass."""
    rows = _query(one, kind).to_native().collect()
    return _listed([row[0] for row in rows], [row[1] for row in rows], kind)


def _of_dask(one: Any) -> Grouped:  # noqa: ANN401
    sizes = one.groupby("label", dropna=False, observed=True).size().compute()
    listed = zip(sizes.index.to_list(), sizes.index.isna().tolist(), strict=True)
    return Grouped([None if null else label for label, null in listed], sizes.to_list())
