"""Draw docs/pictures/shift.svg: a shift of Laplace noise that gives two neighbouring counts the same output.

Run from the repository's top level: python docs/pictures/shift.py. The curves are drawn through 121 points of the density.
"""

from math import exp
from pathlib import Path

WIDTH, HEIGHT, LEFT, BASE = 720, 250, 30, 200
PER_UNIT, TALL = 66, 260
A, B, OUTPUT = 3, 4, 3.2


def place(x: float) -> float:
    """From the left."""
    return LEFT + PER_UNIT * (x + 1)


def density(x: float, centre: float) -> float:
    """Of a count with Laplace noise of scale 1."""
    return exp(-abs(x - centre)) / 2


def curve(centre: float, colour: str) -> str:
    """The density around a count."""
    points = " ".join(f"{place(x):.1f},{BASE - TALL * density(x, centre):.1f}" for x in (i / 12 - 1 for i in range(121)))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


def line(x: float, top: float, colour: str, dashes: str = "") -> str:
    """A vertical line from the base."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{place(x):.1f}" y1="{BASE}" x2="{place(x):.1f}" y2="{top:.1f}" stroke="{colour}"{dashed}/>'


def arrow(start: float, end: float, y: float, colour: str) -> str:
    """A horizontal arrow, the noise that is added."""
    tip, back = place(end), place(end) + (6 if start > end else -6)
    return (
        f'<line x1="{place(start):.1f}" y1="{y}" x2="{tip:.1f}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
        f'<path d="M{tip:.1f} {y} L{back:.1f} {y - 4} L{back:.1f} {y + 4} Z" fill="{colour}"/>'
    )


def words(x: float, y: float, text: str, colour: str = "#333") -> str:
    """Text that starts at x."""
    return f'<text x="{x:.1f}" y="{y}" fill="{colour}">{text}</text>'


def drawn() -> str:
    """The picture."""
    of_a, of_b = "#1f5fa8", "#b3541e"
    tops = [BASE - TALL * density(OUTPUT, centre) for centre in (A, B)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<line x1="{LEFT}" y1="{BASE}" x2="{WIDTH - LEFT}" y2="{BASE}" stroke="#333"/>',
        *(words(place(x) - 4, BASE + 16, str(x)) for x in range(9)),
        curve(A, of_a),
        curve(B, of_b),
        line(OUTPUT, min(tops), "#333", "4 3"),
        *(
            f'<circle cx="{place(OUTPUT):.1f}" cy="{top:.1f}" r="4" fill="{colour}"/>'
            for top, colour in zip(tops, (of_a, of_b), strict=True)
        ),
        arrow(A, OUTPUT, BASE + 28, of_a),
        arrow(B, OUTPUT, BASE + 42, of_b),
        words(place(B) + 10, BASE + 32, f"D: count {A} + noise {OUTPUT - A:.1f}", of_a),
        words(place(B) + 10, BASE + 47, f"D&#8217;: count {B} + noise {OUTPUT - B:.1f}", of_b),
        words(place(OUTPUT) - 150, 24, f"the same output, {OUTPUT}"),
        words(place(5.2), 60, "the noise is shifted by -1:"),
        words(place(5.2), 78, "at scale 1 the densities at the output differ"),
        words(place(5.2), 96, "by a factor of at most e^1, whatever it is"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    (Path(__file__).parent / "shift.svg").write_text(drawn())
