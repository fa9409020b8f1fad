"""The pictures of a report as SVG for a page: the privacy profile with the claimed point, and the two laws.

The numbers of a report are rationals. They become floats here, in the last step, for drawing and for nothing else. Colours
are the page's own: matplotlib draws with stand-ins, which are replaced with the names of CSS variables.
"""

import io
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import matplotlib as mpl
from gmpy2 import mpq
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from finitedp.exact import exp_bounds, log_bounds
from finitedp.numbers import brief

Document = dict[str, Any]
Corners = Sequence[tuple[mpq, mpq]]

INK, LEFT, RIGHT, EVENT, GOOD, BAD, OPEN = (f"#01010{i}" for i in range(1, 8))
_COLOURS = {
    INK: "currentColor",
    LEFT: "var(--left)",
    RIGHT: "var(--right)",
    EVENT: "var(--event)",
    GOOD: "var(--good)",
    BAD: "var(--bad)",
    OPEN: "var(--open)",
}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "finitedp",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "hatch.linewidth": 1.2,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
}
_SIZE = (5.4, 3.5)  # inches
_STEPS = 240  # evenly spaced points of a curve; more are not seen at this size
_MARKS = {
    "holds": ("o", GOOD, "HOLDS"),
    "holds with delta + u": ("D", OPEN, "HOLDS WITH DELTA + U"),
    "fails": ("X", BAD, "FAILS"),
    "undecided": ("s", OPEN, "UNDECIDED"),
}


def _float(number: mpq) -> float:
    """The nearest float, for drawing."""
    return int(number.numerator) / int(number.denominator)


# The privacy profile


def profile_picture(audit: Document) -> str:
    """Delta against epsilon, with the claimed point: green disc, red cross, yellow square or yellow diamond."""
    profile, unresolved = audit["profile"], mpq(audit["profile"]["unresolved"])
    corners = [(mpq(corner["ratio"]), mpq(corner["delta"]["exact"])) for corner in profile["corners"]]
    at, delta = _claimed(audit), mpq(profile["claimed"]["delta"])
    points = _points(corners, max(_logarithm(corners[-1][0]), at) * mpq(23, 20) or mpq(1))
    mark, colour, verdict = _MARKS[profile["claimed"]["verdict"]]
    with _drawing() as figure:
        axes = figure.subplots()
        across = [_float(x) for x, _, _ in points]
        axes.plot(
            across,
            [_float(y) for _, _, y in points],
            color=LEFT,
            label="resolved mass" if unresolved else "exact delta",
        )
        if unresolved:
            low = [_float(max(y - r * unresolved, mpq(0))) for _, r, y in points]
            high = [_float(min(y + unresolved, mpq(1))) for _, _, y in points]
            axes.fill_between(across, low, high, color=LEFT, alpha=0.25, linewidth=0, label="unresolved")
        axes.vlines(_float(at), _float(delta), _float(_delta(corners, _ratio(at))), color=colour, linestyle="dotted")
        axes.plot([_float(at)], [_float(delta)], mark, color=colour, markersize=10, clip_on=False, label=f"claimed: {verdict}")
        axes.set(xlabel="epsilon", ylabel="delta", xlim=(0, across[-1]))
        _scale(axes, delta, max(corners[0][1] + unresolved, delta))
        figure.legend(loc="outside upper center", ncols=3, columnspacing=1.2)
        claimed = f"epsilon = {brief(profile['claimed']['epsilon'])}, delta = {brief(profile['claimed']['delta'])}"
        title = f"Privacy profile: the exact delta against epsilon. The claimed point, {claimed}: {verdict}."
        return _svg(figure, f"{audit['id']}-profile", title)


def _claimed(audit: Document) -> mpq:
    """The claimed epsilon; of a claim on the ratio, its logarithm."""
    ratio = audit["claim"]["ratio"]
    return mpq(audit["claim"]["epsilon"]) if ratio is None else _logarithm(mpq(ratio))


def _logarithm(ratio: mpq) -> mpq:
    return sum(log_bounds(ratio), mpq(0)) / 2


def _ratio(epsilon: mpq) -> mpq:
    return sum(exp_bounds(epsilon), mpq(0)) / 2


def _points(corners: Corners, last: mpq) -> list[tuple[mpq, mpq, mpq]]:
    """Points (epsilon, e^epsilon, delta) of the profile: evenly spaced ones, and the corners where they are few."""
    grid = [last * i / _STEPS for i in range(_STEPS + 1)]
    ratios = [(x, _ratio(x)) for x in grid]
    if len(corners) <= _STEPS:
        ratios += [(_logarithm(r), r) for r, _ in corners]
    return [(x, r, _delta(corners, r)) for x, r in sorted(ratios)]


def _delta(corners: Corners, ratio: mpq) -> mpq:
    """The profile at a ratio: linear between its corners, constant after the last one."""
    i = bisect_right(corners, ratio, key=lambda corner: corner[0])
    if i == len(corners):
        return corners[-1][1]
    (r0, d0), (r1, d1) = corners[i - 1], corners[i]
    return d0 + (d1 - d0) * (ratio - r0) / (r1 - r0)


def _scale(axes: Any, delta: mpq, top: mpq) -> None:  # noqa: ANN401  # matplotlib's axes
    """Delta from 0 up; on a logarithmic scale where a positive claimed delta could not be told from 0."""
    if 0 < delta < top / 50:
        axes.set_yscale("log")
        axes.set_ylim(_float(delta / 100), _float(top * 2))
    else:
        axes.set_ylim(0, _float(top * mpq(27, 25)) or 1)


# The two laws


def laws_picture(audit: Document) -> str:
    """The probabilities at both inputs of the witness: filled bars at A, hatched ones at B, and the event's outputs shaded."""
    columns = audit["laws"]["columns"]
    single = all(column["outputs"] == 1 for column in columns)
    with _drawing() as figure:
        axes = figure.subplots()
        (_bars if single else _stairs)(axes, columns)
        for i, column in enumerate(columns):
            if column["in_event"]:
                axes.axvspan(i - 0.5, i + 0.5, color=EVENT, linewidth=0, zorder=0)
        axes.set(xlim=(-0.5, len(columns) - 0.5), ylabel="probability")
        axes.set_xlabel("output" if single else f"output (each column: the sum of {columns[0]['outputs']} outputs)")
        _ticks(axes, [column["first"] for column in columns])
        event = any(column["in_event"] for column in columns)
        figure.legend(*_labelled(axes, event), loc="outside upper center", ncols=3, columnspacing=1.2)
        title = f"The laws at A = {audit['witness']['left']} and B = {audit['witness']['right']}, output by output."
        return _svg(figure, f"{audit['id']}-laws", title)


def _bars(axes: Any, columns: Sequence[Document]) -> None:  # noqa: ANN401
    places = range(len(columns))
    at_a, at_b = ([_float(mpq(column[side])) for column in columns] for side in ("left", "right"))
    axes.bar([i - 0.2 for i in places], at_a, width=0.38, color=LEFT, label="at A")
    axes.bar([i + 0.2 for i in places], at_b, width=0.38, fill=False, edgecolor=RIGHT, hatch="////", label="at B")


def _stairs(axes: Any, columns: Sequence[Document]) -> None:  # noqa: ANN401
    edges = [i - 0.5 for i in range(len(columns) + 1)]
    at_a, at_b = ([_float(mpq(column[side])) for column in columns] for side in ("left", "right"))
    axes.stairs(at_a, edges, fill=True, color=LEFT, alpha=0.6, label="at A")
    axes.stairs(at_b, edges, color=RIGHT, linewidth=1.6, linestyle=(0, (4, 1.5)), label="at B")


def _ticks(axes: Any, names: Sequence[str]) -> None:  # noqa: ANN401
    """At most 20 names of outputs, the long ones cut; upright where there is no room."""
    step = -(-len(names) // 20)
    shown = [name if len(name) <= 14 else f"{name[:11]}..." for name in names[::step]]
    upright = sum(len(name) + 2 for name in shown) > 60
    axes.set_xticks(range(0, len(names), step), shown, rotation=90 if upright else 0, parse_math=False)


def _labelled(axes: Any, event: bool) -> tuple[list[Any], list[str]]:  # noqa: ANN401
    """The legend's entries."""
    handles, labels = axes.get_legend_handles_labels()
    if event:
        handles.append(Patch(facecolor=EVENT))
        labels.append("in the event S")
    return handles, labels


# SVG


@contextmanager
def _drawing() -> Iterator[Figure]:
    """A figure with finitedp's style, whatever the user's own settings, and no warnings about letters that a font lacks."""
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+")
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield Figure(figsize=_SIZE, layout="constrained")


def _svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an element for a page: no header, no metadata, names of its own, the page's colours, and a title."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    box = re.findall(r'viewBox="([^"]*)"', text)[0]
    inside = text[text.index(">") + 1 :]
    inside = re.sub(r"<metadata>.*?</metadata>|<style[^>]*>.*?</style>|<!--.*?-->", "", inside, flags=re.DOTALL)
    inside = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", inside)
    for stand_in, colour in _COLOURS.items():
        inside = inside.replace(stand_in, colour)
    label = escape(title)
    return f'<svg viewBox="{box}" role="img" aria-label="{label}">\n<title>{label}</title>{inside}'
