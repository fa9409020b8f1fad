"""Every link inside a built manual leads to a page, and to a place on it: python .ci/links.py docs/_build/html."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places on it that links may name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to, and what it is called."""
        found = dict(attrs)
        self.places.update(value for key in ("id", "name") if (value := found.get(key)))
        target = found.get("href" if tag in {"a", "link"} else "src")
        if target and not urlsplit(target).scheme and not target.startswith("//"):
            self.links.add(target)


def dead(root: Path) -> list[str]:
    """The links that lead nowhere."""
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in sorted(root.resolve().rglob("*.html"))}
    found = []
    for file, page in pages.items():
        for link in sorted(page.links):
            path, place = urldefrag(link)
            target = (file.parent / unquote(urlsplit(path).path)).resolve() if path else file
            if not target.exists() or (target in pages and unquote(place) not in pages[target].places):
                found.append(f"{file.relative_to(root.resolve())}: {link}")
    return found


if __name__ == "__main__":
    lines = dead(Path(sys.argv[1]))
    print("\n".join(lines) or "no dead links")  # noqa: T201  # its purpose
    sys.exit(1 if lines else 0)
