"""One column without a frame: a series of pandas, polars or Dask, or an array of pyarrow; never counts."""

from collections.abc import Sequence
from typing import Any

from finitedp.data.columns import Label
from finitedp.data.engines import engine_among, optional, unwrapped
from finitedp.data.frames import LabelCounts
from finitedp.errors import ParameterError
from finitedp.impl.histograms.universe import Strings

__all__ = ["check_series", "framed", "is_series"]

_SERIES = {"pandas": ("Series",), "polars": ("Series",), "pyarrow": ("Array", "ChunkedArray"), "dask": ("Series",)}


def is_series(data: object) -> bool:
    """Whether data is one column without a frame: a series of pandas, polars or Dask, or an array of pyarrow."""
    return engine_among(unwrapped(data), _SERIES) is not None


def framed(series: Any) -> tuple[Any, str]:  # noqa: ANN401
    """A series as a frame of its engine, and the name of its one column."""
    native = unwrapped(series)
    name, engine = str(getattr(native, "name", None) or "series"), engine_among(native, _SERIES)
    if engine in ("polars", "pyarrow"):
        make = optional("polars").DataFrame if engine == "polars" else optional("pyarrow").table
        return make({name: native}), name
    return native.to_frame(name), name


def check_series(
    series: Any,  # noqa: ANN401
    found: LabelCounts,
    name: str,
    universe: Sequence[Label] | Strings | None,
) -> None:
    """Refuse a series of integers that may be counts: of no universe, or with an index of labels. Raises: ParameterError."""
    index: Any = getattr(unwrapped(series), "index", None)  # pandas' and Dask's
    by_label = hasattr(index, "dtype") and (index.name is not None or index.dtype.kind not in "iu")
    if found.labels and not isinstance(found.labels[0], str) and (universe is None or by_label):
        why = "its index has labels" if by_label else "no universe says what they are"
        raise ParameterError(
            f"the series {name!r} holds integers, which may be counts: {why}; accepted: a column as a frame with the name of "
            "the column, counts with counts = True, as series.to_dict() or as a numpy array"
        )
