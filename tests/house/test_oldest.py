"""The oldest versions that .ci/run tests are those that pyproject.toml asks for and that the manual names."""

import re
import tomllib

from tests.house.tree import ROOT

PINS = dict(line.split("==") for line in (ROOT / ".ci" / "oldest.txt").read_text().splitlines() if not line.startswith("#"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def numbers(version: str) -> list[int]:
    """2.2 and 2.2.0 are one version."""
    found = [int(part) for part in version.split(".")]
    return found + [0] * (3 - len(found))


def test_what_is_asked_for_is_tested_at_its_oldest() -> None:
    asked = [*PROJECT["dependencies"], *EXTRAS["fast"], *EXTRAS["frames"], *EXTRAS["dask"]]
    asked += [name for name in EXTRAS["test"] if re.match("hypothesis|pandas|polars|pyarrow|pytest>", name)]
    for name, oldest in (requirement.split(">=") for requirement in asked):
        assert numbers(PINS[name]) == numbers(oldest), name
    assert set(PINS) == {requirement.split(">=")[0] for requirement in asked} | {"dask", "pytest-xdist"}
    assert PINS["dask"] == PINS["distributed"]


def test_the_manual_names_the_oldest_versions() -> None:
    page = (ROOT / "docs" / "frames.md").read_text()
    named = {
        row[0].lower(): row[-1].split(", ")[0]
        for row in re.findall(r"^\| (\w+) \|.*\| ([\d.]+, [\d.]+) \|$", page, re.MULTILINE)
    }
    assert named.keys() == {"pandas", "polars", "pyarrow", "duckdb", "dask"}
    named["narwhals"] = re.findall(r"^[^|\n]*narwhals \(([\d.]+), [\d.]+\)", page, re.MULTILINE)[0]
    named["numpy"] = re.findall(r"\(numpy ([\d.]+) among them\)", page)[0]
    for name, oldest in named.items():
        assert numbers(PINS[name]) == numbers(oldest), name
