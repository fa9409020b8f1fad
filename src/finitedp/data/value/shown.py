"""A release for a reader: a table of some 20 lines, as text and as HTML, and a picture."""

from collections.abc import Sequence
from datetime import date
from html import escape
from typing import Any

from finitedp.claim import HistogramAccuracy, PrivacyClaim
from finitedp.data.columns import Label
from finitedp.data.engines import optional
from finitedp.exact import short
from finitedp.labels import as_text

__all__ = ["MOST_SHOWN", "Row", "as_html", "as_lines", "drawn", "row", "shown_places", "what_is_claimed"]

MOST_SHOWN = 16  # labels; of more, the first ones and the last ones
_WIDEST = 40  # characters of a label
_NAMES = ("label", "count", "error bar")

Row = tuple[str, str, str]
"""A label, its noisy count, and the error bar."""


def shown_places(size: int) -> list[int | None]:
    """The labels that are shown, by their place; None for those between that are not."""
    if size <= MOST_SHOWN:
        return list(range(size))
    half = MOST_SHOWN // 2
    return [*range(half), None, *range(size - half, size)]


def row(label: Label, count: int, bar: tuple[int, int]) -> Row:
    """What is shown of a label: on one line, and cut where it is long."""
    text = as_text(", ".join(map(_value, label)) if isinstance(label, tuple) else _value(label))
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "...", str(count), f"{bar[0]}..{bar[1]}"


def _value(value: str | int | date) -> str:
    """A value of one column: dates as 2026-12-31, booleans as Python writes them."""
    return short(value) if type(value) is int else str(value)


def what_is_claimed(claim: PrivacyClaim | None, accuracy: HistogramAccuracy, n: int, threshold: int | None) -> str:
    """One line: the claim, and what the error bars and the labels that are not listed mean."""
    said = "NOT PRIVATE: the words come from a seed"
    if claim is not None:
        whose = "" if claim.unit is None else f" of a whole {as_text(claim.unit)}"
        said = f"({claim.epsilon}, {claim.delta})-differentially private ({claim.neighbours}{whose}, n = {n})"
    rest = "" if threshold is None else "; a label that is not listed has count 0"
    return f"{said}; an error bar fails with probability at most {accuracy.per_query.beta}{rest}"


def as_lines(rows: Sequence[Row | None], left_out: int, claimed: str) -> str:
    """The rows under their names, and a line that says what is claimed."""
    if not rows:
        return f"no label is released\n{claimed}"
    shown = [_NAMES, *((f"... {left_out:,} more", "", "") if one is None else one for one in rows)]
    first, second, third = (max(len(one[i]) for one in shown) for i in range(3))
    table = [f"{a:<{first}}  {b:>{second}}  {c:>{third}}".rstrip() for a, b, c in shown]
    return "\n".join([*table, claimed])


def as_html(rows: Sequence[Row | None], left_out: int, claimed: str) -> str:
    """The same as HTML, in which labels are text and nothing else."""
    head = "".join(f"<th>{name}</th>" for name in _NAMES)
    cells = ((f"... {left_out:,} more", "", "") if one is None else one for one in rows)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in one)}</tr>" for one in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(claimed)}</p>"


def drawn(bins: Sequence[tuple[Label, int, tuple[int, int]]], left_out: int, claimed: str, axes: Any) -> Any:  # noqa: ANN401  # matplotlib's
    """A bar for each label, with its error bar, on matplotlib's axes, by default new ones; labels are text as it is."""
    if axes is None:
        axes = optional("matplotlib.figure").Figure(figsize=(6.4, 4.2), layout="constrained").subplots()
    places, heights = range(len(bins)), [count for _, count, _ in bins]
    below, above = ([abs(count - bar[side]) for _, count, bar in bins] for side in (0, 1))
    axes.bar(places, heights, color="0.75", yerr=[below, above] if bins else None, capsize=3, ecolor="0.2")
    full = [row(label, count, bar)[0] for label, count, bar in bins]
    names = [name if len(name) <= _WIDEST // 2 else f"{name[: _WIDEST // 2 - 3]}..." for name in full]
    upright = sum(map(len, names)) > _WIDEST
    axes.set_xticks(places, names, rotation=90 if upright else 0, parse_math=False)
    rest = f"; {left_out:,} labels of lower counts are not shown" if left_out else ""
    axes.set_title(f"{claimed}{rest}", fontsize="x-small", wrap=True, parse_math=False)
    axes.set(ylabel="noisy count", ylim=(0, None))
    return axes
