"""What the plain pictures share: SVG as text, on a white ground, with one font and few colours."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

__all__ = ["BLUE", "GREY", "RED", "arrow", "box", "line", "mark", "page", "text", "write"]

BLUE, RED, GREY = "#1f5fa8", "#b5482a", "#8a8a8a"


def page(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """A whole picture. Parameters: width and height in pixels; title, what it shows, for those who cannot see it."""
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    ground = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    start = f'<defs>{tip}<path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>{ground}'
    return "\n".join([head, f"<title>{escape(title)}</title>", start, *parts, "</svg>\n"])


def text(x: float, y: float, words: str, size: int = 13, anchor: str = "middle", more: str = 'fill="#222"') -> str:
    """Words. Parameters: x and y of the base line in pixels; more, further attributes."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def box(x: float, y: float, width: float, lines: tuple[str, ...], colour: str) -> str:
    """A box, 62 pixels high, of a heading and smaller lines."""
    size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="62" rx="6"'
    frame = f'<rect {size} fill="{colour}" fill-opacity=".09" stroke="{colour}"/>'
    heading = text(x + width / 2, y + 21, lines[0], 14, more='fill="#111" font-weight="bold"')
    return "\n".join([frame, heading, *(text(x + width / 2, y + 38 + 15 * i, words, 11) for i, words in enumerate(lines[1:]))])


def line(x1: float, y1: float, x2: float, y2: float, colour: str = "#444", more: str = "") -> str:
    """A straight line between two points in pixels."""
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" {more}/>'


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a tip at its second point."""
    return line(x1, y1, x2, y2, more='marker-end="url(#tip)"')


def mark(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A filled bar. Parameters: its upper left corner and its size in pixels."""
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{colour}"/>'


def write(script: str, picture: str) -> None:
    """The picture of a script, beside it."""
    Path(script).with_suffix(".svg").write_text(picture)
