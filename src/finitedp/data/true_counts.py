"""What finitedp.release is given, as labels and true counts (not private): data frames, counts by label, arrays of counts."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finitedp.data.columns import LABEL_TYPES, Label
from finitedp.data.frames import LabelCounts, counts_of
from finitedp.data.series import check_series, framed, is_series
from finitedp.errors import DataError, ParameterError
from finitedp.impl.histograms.basic import ordered_labels
from finitedp.impl.histograms.dyadic import total
from finitedp.impl.histograms.universe import Strings
from finitedp.labels import shown

__all__ = ["ANY_ROWS", "checked_row", "counted", "labels_of", "length", "of_their_type"]

Counts = NDArray[np.int64]
_LABELS = {str, int}

ANY_ROWS = 2**62 - 1  # a bound that data of any number of rows meets, and of none


def labels_of(universe: Any) -> Sequence[Label] | Strings | None:  # noqa: ANN401
    """The universe as it is to be used; whether its labels are distinct is for the histogram to see.

    Raises: ParameterError for what has no order or holds what is no label.
    """
    if universe is None or isinstance(universe, Strings):
        return universe
    if isinstance(universe, range):
        return ordered_labels(universe)
    listed = _plain(universe)
    frame = not isinstance(listed, list) and hasattr(listed, "columns")
    if isinstance(listed, str | bytes | bytearray | memoryview | Set | Mapping) or frame or not isinstance(listed, Iterable):
        raise ParameterError(
            f"universe is a {type(universe).__name__}; accepted: a sequence of labels, such as range(78) or ['a', 'b'], or "
            "finitedp.data.columns.parse_universe('a,b')"
        )
    labels = tuple(listed)
    if not set(map(type, labels)) <= _LABELS:
        labels = tuple(label.item() if isinstance(label, np.integer) else label for label in labels)
        for label in labels:
            if not _is_label(label):
                raise ParameterError(f"universe holds {shown(label)}, of type {type(label).__name__}; accepted: str or int")
    return ordered_labels(labels)


def _plain(values: Any) -> Any:  # noqa: ANN401
    """The list that an array or a series of whatever package holds; anything else as it is."""
    if isinstance(values, np.ndarray) or type(values).__module__.split(".", maxsplit=1)[0] in ("pandas", "polars", "pyarrow"):
        for way in ("tolist", "to_list", "to_pylist"):
            if hasattr(type(values), way):
                return getattr(values, way)()
    return values


def length(labels: Sequence[Label]) -> int:
    """How many labels there are, also in a range that is too long for len()."""
    return (labels[-1] - labels[0]) // labels.step + 1 if isinstance(labels, range) and labels else len(labels)


def _is_label(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def counted(
    data: Any,  # noqa: ANN401
    column: str | None,
    universe: Sequence[Label] | Strings | None,
    n: int | None,
    drop_nulls: bool,
    null_label: Label | None,
    *,
    ordered: bool,
) -> LabelCounts:
    """True counts by label.

    Parameters: as of finitedp.release, of which column may name LabelCounts, too; ordered, whether the labels of a frame are
    sorted. Raises: ParameterError, DataError.
    """
    if isinstance(data, LabelCounts | Mapping | np.ndarray):
        if (column is not None and not isinstance(data, LabelCounts)) or drop_nulls or null_label is not None:
            raise ParameterError("column, drop_nulls and null_label are for data frames, not for counts")
        if isinstance(data, np.ndarray):
            return _of_array(data, universe)
        if isinstance(data, LabelCounts):
            return of_their_type(_of_counts(data), column or "label", universe)
        return _of_mapping(data)
    if is_series(data):
        if column is not None:
            raise ParameterError("column is for data frames: a series is a column; accepted: no column")
        frame, name = framed(data)
        found = counts_of(frame, name, n=n, drop_nulls=drop_nulls, null_label=null_label, ordered=ordered)
        check_series(data, found, name, universe)
        return of_their_type(found, name, universe)
    if isinstance(data, str | Iterable) and not hasattr(data, "columns") and not hasattr(data, "to_native"):
        raise ParameterError(
            f"data is a {type(data).__name__}; accepted: a data frame, a mapping of labels to counts such as "
            "collections.Counter(rows), or a numpy array of counts"
        )
    if column is None:
        raise ParameterError("column is missing; accepted: the name of the frame's column to count")
    found = counts_of(data, column, n=n, drop_nulls=drop_nulls, null_label=null_label, ordered=ordered)
    return of_their_type(found, column, universe)


def of_their_type(found: LabelCounts, column: str, universe: Sequence[Label] | Strings | None) -> LabelCounts:
    """The counts, if their labels may be of the universe, one of text or integers: Python takes True for 1.

    Raises: DataError for booleans and dates.
    """
    if universe is not None and found.labels and type(found.labels[0]) not in _LABELS:
        held = "booleans" if isinstance(found.labels[0], bool) else "dates"
        raise DataError(f"column {column!r} holds {held}, and the universe none; accepted: a universe of {held}")
    return found


def _of_array(counts: NDArray[Any], universe: Sequence[Label] | Strings | None) -> LabelCounts:
    """An array of counts: of the labels of the universe, or of 0, 1, 2, ..."""
    whole = checked_row(counts)
    if isinstance(universe, Strings) or (universe is not None and length(universe) != whole.size):
        raise DataError(f"the array has {whole.size} counts; accepted: one for each label of the universe, in its order")
    return LabelCounts(range(whole.size) if universe is None else universe, whole, total(whole))


def checked_row(counts: Any) -> Counts:  # noqa: ANN401
    """A row of counts as int64. Raises: DataError."""
    if not isinstance(counts, np.ndarray) or isinstance(counts, np.ma.MaskedArray):
        raise DataError(f"the counts are a {type(counts).__name__}; accepted: a numpy array of integers without a mask")
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or not np.can_cast(counts.dtype, np.int64):
        hint = "where all are whole numbers, counts.astype('int64')"
        raise DataError(f"the array has shape {counts.shape} and dtype {counts.dtype}; accepted: one row of integers; {hint}")
    whole = counts.astype(np.int64, copy=False)
    if whole.size and whole.min() < 0:
        raise DataError(f"the count at place {int(np.argmax(whole < 0))} is negative; accepted: counts of 0 and more")
    return whole


def _of_counts(found: LabelCounts) -> LabelCounts:
    """LabelCounts that somebody else may have made. Raises: DataError where its parts do not fit together."""
    whole, labels = checked_row(found.counts), _plain(found.labels)
    rows = found.rows.item() if isinstance(found.rows, np.integer) else found.rows
    if not isinstance(labels, Sequence) or isinstance(rows, bool) or not isinstance(rows, int):
        raise DataError("the LabelCounts contradict themselves; accepted: a sequence of labels, and rows of type int")
    types = set(map(type, labels))
    if len(types) > 1 or not types.issubset(LABEL_TYPES):
        _check_types(labels)
    if len(labels) != whole.size or len(set(labels)) != len(labels) or total(whole) > rows:
        raise DataError("the LabelCounts contradict themselves; accepted: distinct labels, a count for each, up to rows")
    return LabelCounts(labels, whole, rows)


def _check_types(labels: Collection[Any]) -> None:
    """Whether labels are text or integers. Raises: DataError."""
    if set(map(type, labels)) <= _LABELS:
        return
    for label in labels:
        if not _is_label(label):
            hint = "; numpy's numbers become ints by .item() or .tolist()" if isinstance(label, np.generic) else ""
            raise DataError(f"the label {shown(label)} is of type {type(label).__name__}; accepted: str or int{hint}")


def _of_mapping(counts: Mapping[Label, Any]) -> LabelCounts:
    """Counts by label, those of 0 left out."""
    given = counts if type(counts) is dict else dict(counts)
    _check_types(given)
    if not set(map(type, given.values())) <= {int}:
        _check_counts(given)
        given = {label: int(count) for label, count in given.items()}
    try:
        whole = np.fromiter(given.values(), np.int64, len(given))
    except OverflowError:
        _check_counts(given)
        raise
    if whole.size and not 0 <= whole.min() <= whole.max() < 1 << 62:
        _check_counts(given)
    labels, present = list(given), whole > 0
    if not present.all():
        labels, whole = list(compress(labels, present.tolist())), whole[present]
    return LabelCounts(labels, whole, total(whole), given)


def _check_counts(counts: Mapping[Label, Any]) -> None:
    """Whether counts are integers in their range. Raises: DataError."""
    for label, count in counts.items():
        if isinstance(count, bool) or not isinstance(count, int | np.integer):
            kind = type(count).__name__
            raise DataError(f"the count of {shown(label)} is {shown(count)}, of type {kind}; accepted: integers")
        if not 0 <= count < 1 << 62:
            raise DataError(f"the count of {shown(label)} is {shown(count)}; accepted: counts from 0 to 2^62 - 1")
