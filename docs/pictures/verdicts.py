"""Draw docs/pictures/verdicts.svg: a square for each audit of third-party code. Run: python docs/pictures/verdicts.py."""

import json
import tomllib
from html import escape
from pathlib import Path

from drawing import page, text, write

FOLDER = Path(__file__).parents[1] / "third_party"
COLOURS = {
    "holds": "#2f7d4f",
    "fails by rounding only": "#d9a441",
    "fails": "#b5482a",
    "undecided": "#8a8a8a",
    "refused": "#c4c4c4",
}
ACROSS, SIDE = 16, 15  # squares in a row; pixels from one to the next


def picture() -> str:
    """A block of squares for each verdict; a square's title names project and function."""
    names = {entry["file"]: entry for entry in tomllib.loads((FOLDER / "list.toml").read_text())["audit"]}
    results = json.loads((FOLDER / "results.json").read_text())
    parts, y = [], 12.0
    for verdict, colour in COLOURS.items():
        files = [result["file"] for result in results if result["verdict"] == verdict]
        parts.append(text(190, y + 12, f"{verdict}: {len(files)}", 13, "end"))
        for i, file in enumerate(files):
            x, top = 202 + SIDE * (i % ACROSS), y + SIDE * (i // ACROSS)
            title = escape(f"{names[file]['project']}: {names[file]['function']}")
            parts.append(f'<rect x="{x}" y="{top:g}" width="12" height="12" fill="{colour}"><title>{title}</title></rect>')
        y += SIDE * -(-len(files) // ACROSS) + 10
    return page(460, round(y), "Verdicts of the audits of third-party code", parts)


if __name__ == "__main__":
    write(__file__, picture())
