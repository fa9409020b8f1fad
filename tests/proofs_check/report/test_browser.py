"""The HTML report in a real browser: Chromium without a window. Skipped where there is none."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp import PrivacyClaim
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.report.facts import report
from finitedp.proofs_check.report.page import as_html

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on the PATH")

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--hide-scrollbars", "--enable-logging=stderr"),
    "--virtual-time-budget=5000",
]
HOSTILE = '</title></svg><script>document.title = "ran"</script><img src=x onerror="document.title = 1">' + "w" * 300
WIDTHS = (1000, 390)


def chromium(folder: Path, page: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """What the browser prints of a page."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, path.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=180)


def complaints(run: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in run.stderr.splitlines() if ":CONSOLE" in line]


def widths(folder: Path, page: str) -> dict[int, int]:
    """The width that a page needs in frames of some widths, with all details opened."""
    frames = "".join(
        f'<iframe srcdoc="{html.escape(page)}" style="width:{w}px;height:900px;border:0"></iframe>' for w in WIDTHS
    )
    script = """<script>addEventListener("load", () => { for (const frame of document.querySelectorAll("iframe")) {
        const inside = frame.contentDocument;
        for (const details of inside.querySelectorAll("details")) details.open = true;
        document.body.append(`[${frame.clientWidth}: ${inside.scrollingElement.scrollWidth}]`);
    } });</script>"""
    run = chromium(folder, f"<!DOCTYPE html><body>{frames}{script}", "--dump-dom", "--window-size=1500,900")
    found = re.findall(r"\[(\d+): (\d+)\]", run.stdout.rsplit("</iframe>", 1)[1])
    return {int(frame): int(needed) for frame, needed in found}


def tabled(laws: Any, epsilon: str, name: str, **more: Any) -> dict[str, Any]:
    claim = PrivacyClaim(epsilon, "replace-one")
    return certificate(audit(laws, claim, n=1, universe=[data[0] for data in laws], style="table", name=name, **more))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A claim that holds, one that fails, long rationals, 3000 outputs, markup in a name, and a rejected certificate."""
    folder = tmp_path_factory.mktemp("certificates")
    p = mpq(10**400 + 7, 3 * 10**400 + 11)
    response = {(0,): {0: "3/4", 1: "1/4"}, (1,): {0: "1/4", 1: "3/4"}}
    rising = {x: mpq(2 * x + 1, 3000**2) for x in range(3000)}
    documents = [
        tabled(response, "11/10", "keeps its promise", specified=response),
        tabled(response, "1", "breaks its promise"),
        tabled({(0,): {0: p, 1: 1 - p}, (1,): {0: 1 - p, 1: p}}, "1", "long rationals"),
        tabled({("a",): rising, ("b",): {2999 - x: q for x, q in rising.items()}}, "1", "many outputs"),
        tabled({(HOSTILE,): {HOSTILE: 1}, ("b",): {HOSTILE: "1/2", "y" * 500: "1/2"}}, "1", HOSTILE),
        {**tabled(response, "11/10", "liar"), "name": "renamed"},
    ]
    files = [folder / f"{i}.json" for i in range(len(documents))]
    for file, document in zip(files, documents, strict=True):
        file.write_text(json.dumps(document))
    return as_html(report(files))


@pytest.mark.deep
def test_the_page_in_the_browser(page: str, tmp_path: Path) -> None:
    run = chromium(tmp_path, page, "--dump-dom")
    assert complaints(run) == []
    dom = run.stdout
    assert dom.count("<svg") == 10
    assert "<title>Privacy audit report</title>" in dom  # no script ran
    assert "<script" not in dom
    sections = re.findall(r'<section id="audit-\d".*?</section>', dom, re.DOTALL)
    words = ["HOLDS", "FAILS", "HOLDS", "FAILS", "FAILS", "REJECTED"]
    assert len(sections) == len(words)
    assert all(word in section for word, section in zip(words, sections, strict=True))


@pytest.mark.deep
def test_the_page_fits_the_screen_and_the_telephone(page: str, tmp_path: Path) -> None:
    assert widths(tmp_path, page) == {width: width for width in WIDTHS}


@pytest.mark.deep
@pytest.mark.parametrize("flags", [[], ["--blink-settings=preferredColorScheme=0"]], ids=["light", "dark"])
def test_screenshots(flags: list[str], page: str, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    chromium(tmp_path, page, f"--screenshot={picture}", "--window-size=1000,2000", *flags)
    data = picture.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1000, 2000)
    assert len(data) > 50_000  # not an empty page


@pytest.mark.deep
def test_these_checks_can_fail(tmp_path: Path) -> None:
    assert complaints(chromium(tmp_path, "<script>console.error(1)</script>", "--dump-dom"))
    blocked = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><script>document.title = 1</script>'
    assert complaints(chromium(tmp_path, blocked, "--dump-dom"))
    assert widths(tmp_path, "<!DOCTYPE html><div style='width:700px'>wide</div>") == {1000: 1000, 390: 708}
