"""The built manual in Chromium, at the width of a laptop and of a telephone: no page, table or output is cut.

MANUAL names the folder of its pages; by default it is where `sphinx-build docs docs/_build/html` puts them.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.proofs_check.report.test_browser import CHROMIUM, FLAGS

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.deep, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on the PATH")]
LEFT_OUT = {"genindex", "py-modindex", "search"}  # which Sphinx makes
MEASURE = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="found"></pre><script>
async function measured(page, width) {
    const frame = document.createElement("iframe");
    frame.style = `width:${width}px;height:900px;border:0`;
    document.body.append(frame);
    await new Promise(done => { frame.onload = done; frame.src = page; });
    const inside = frame.contentDocument, cut = [];
    const whole = inside.scrollingElement;
    if (whole.scrollWidth > whole.clientWidth) cut.push(`the page is ${whole.scrollWidth} px wide`);
    for (const box of inside.querySelectorAll("article pre, article .table-wrapper")) {
        const over = box.scrollWidth - box.clientWidth;
        if (over > 1 && width > 1000) cut.push(`${over} px: ${box.textContent.trim().slice(0, 60)}`);
    }
    for (const row of inside.querySelectorAll("article table.docutils tr")) {
        const second = row.children[1], table = row.closest(".table-wrapper") || row.closest("table");
        if (second && second.getBoundingClientRect().left - table.getBoundingClientRect().left > width - 90)
            cut.push(`second column: ${row.textContent.trim().slice(0, 60)}`);
    }
    frame.remove();
    return cut.slice(0, 4);
}
(async () => {
    const found = {};
    for (const page of PAGES) for (const width of [1280, 390]) {
        const cut = await measured(page, width);
        if (cut.length) found[`${page} at ${width}`] = cut;
    }
    document.getElementById("found").textContent = "[" + PAGES.length + "]" + JSON.stringify(found);
})();
</script>"""


@pytest.fixture
def manual() -> Path:
    """A folder of built pages."""
    folder = ROOT / os.environ.get("MANUAL", "docs/_build/html")
    if "MANUAL" not in os.environ and not (folder / "genindex.html").exists():
        pytest.skip("the manual is not built: sphinx-build docs docs/_build/html")
    return folder


def overflow(folder: Path, pages: list[str], profile: Path) -> dict[str, Any]:
    """What is cut of each page, at either width."""
    driver = profile / "measure.html"
    driver.write_text(MEASURE.replace("PAGES", json.dumps([(folder / page).as_uri() for page in pages])))
    flags = [flag for flag in FLAGS if "virtual-time" not in flag and "scrollbars" not in flag]
    command = [str(CHROMIUM), *flags, "--allow-file-access-from-files", "--virtual-time-budget=900000", "--dump-dom"]
    command += [f"--user-data-dir={profile}", "--window-size=1500,900", driver.as_uri()]
    run = subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    number, found = re.findall(r'<pre id="found">\[(\d+)\](.*?)</pre>', run.stdout, re.DOTALL)[0]
    assert int(number) == len(pages)
    return dict(json.loads(found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")))


def test_nothing_is_cut(manual: Path, tmp_path: Path) -> None:
    files = [
        file for file in sorted(manual.rglob("*.html")) if file.relative_to(manual).parts[0] not in ("_modules", "_static")
    ]
    pages = [str(file.relative_to(manual)) for file in files if file.stem not in LEFT_OUT]
    assert len(pages) > 60
    assert overflow(manual, pages, tmp_path) == {}


def test_what_is_cut_is_found(tmp_path: Path) -> None:
    wide = f"<article><pre style='overflow:auto'>{'x' * 400}</pre></article>"
    table = f"<article><table class='docutils'><tr><td style='min-width:700px'>{'y' * 9}<td>z</table></article>"
    for name, body in (("good", "<article><pre>x</pre></article>"), ("wide", wide), ("table", table)):
        (tmp_path / f"{name}.html").write_text(f"<!DOCTYPE html><meta name='viewport' content='width=device-width'>{body}")
    found = overflow(tmp_path, ["good.html", "wide.html", "table.html"], tmp_path)
    assert {(name.split("/")[-1]) for name in found} == {"wide.html at 1280", "table.html at 390"}
