"""Draw docs/pictures/speed.svg: the noise of a count, and its cost, beside OpenDP. Run: python docs/pictures/speed.py.

The noise of finitedp is the exact law of its table; OpenDP's is the discrete Laplace law that it documents. The times are read
from the tables of docs/benchmarks.md.
"""

import re
from math import exp, log10
from pathlib import Path

from drawing import BLUE, GREY, RED, line, mark, page, text, write

from finitedp import DyadicSample

BENCHMARKS = Path(__file__).parents[1] / "benchmarks.md"
ROWS = [  # what it is called here; the row of the table
    ("finitedp, AES-256-CTR words", "strict path, 64 bits, AES-256-CTR", BLUE),
    ("finitedp, system words", "strict path, 64 bits, operating system", BLUE),
    ("PyDP", "PyDP `LaplaceMechanism`", GREY),
    ("diffprivlib", "diffprivlib `Geometric`, ", GREY),
    ("OpenDP", "OpenDP `make_laplace`, vectors", RED),
]
SCALE, SHOWN = 20, 60  # of the noise, as in the benchmark: epsilon = 1/10, where a replaced row changes two counts
LAST = 10**6


def nanoseconds(row: str) -> float:
    """The time that a row of the page gives in its second column."""
    found = re.search(rf"^\| {re.escape(row)}[^|]*\| ([\d.]+) (ns|us) \|", BENCHMARKS.read_text(), re.MULTILINE)
    if not found:
        raise LookupError(row)
    return float(found[1]) * (1 if found[2] == "ns" else 1000)


def noise() -> list[str]:
    """The two laws: bars for finitedp, points for OpenDP."""
    table = DyadicSample(n=LAST, epsilon="1/10").table
    ours = [float(table.weight(abs(z))) / 2**table.bits for z in range(-SHOWN, SHOWN + 1)]
    decay = exp(-1 / SCALE)
    theirs = [decay ** abs(z) * (1 - decay) / (1 + decay) for z in range(-SHOWN, SHOWN + 1)]
    parts = [text(14, 22, "Probability of each noise, epsilon = 1/10", 14, "start")]
    for i, (p, q) in enumerate(zip(ours, theirs, strict=True)):
        x = 20 + 3.4 * i
        parts.append(mark(x, 200 - 6000 * p, 2.6, 6000 * p, BLUE))
        if i % 4 == 0:
            parts.append(f'<circle cx="{x + 1.3:.2f}" cy="{200 - 6000 * q:.2f}" r="2.4" fill="none" stroke="{RED}"/>')
    parts += [line(14, 200, 440, 200), *(text(21.3 + 3.4 * (z + SHOWN), 216, str(z), 11) for z in (-60, -30, 0, 30, 60))]
    parts += [
        text(20, 48, "bars: finitedp", 12, "start", f'fill="{BLUE}"'),
        text(20, 64, "circles: OpenDP", 12, "start", f'fill="{RED}"'),
    ]
    return parts


def speed() -> list[str]:
    """A bar for each library; the scale is logarithmic."""
    parts = [text(14, 250, "Time for one noisy count", 14, "start")]
    for i, (name, row, colour) in enumerate(ROWS):
        time, y = nanoseconds(row), 264 + 30 * i
        length = 58 * log10(time / 4)
        parts += [text(192, y + 15, name, 12, "end"), mark(200, y, length, 20, colour)]
        told = f"{time:g} ns" if time < 1000 else f"{time / 1000:g} us"
        parts.append(text(200 + length + 6, y + 15, told, 12, "start"))
    return [*parts, text(14, 428, "Logarithmic scale; one process on a shared machine (docs/benchmarks.md).", 11, "start")]


def picture() -> str:
    """Both panels."""
    return page(460, 442, "Noise and speed of finitedp beside OpenDP and others", [*noise(), *speed()])


if __name__ == "__main__":
    write(__file__, picture())
