"""The page for whoever carries the code on: the files and names of its tables are there, and each way leads on as it says."""

import ast
import re

from tests.house.tree import ALL_MODULES, ROOT

PAGE = (ROOT / "docs" / "five_files.md").read_text()
WAYS = [re.findall(r"^\| `([\w/.]+)` \| `(\w+)` \|", way, re.MULTILINE) for way in PAGE.split("| file | name |")[1:]]


Place = tuple[str, str]
"""A file of the repository, and a name that it defines at its top."""


def source(place: Place) -> ast.Module:
    """The function or the class, with all its overloads."""
    file, name = place
    body = ast.parse((ROOT / file).read_text()).body
    found = [x for x in body if isinstance(x, ast.FunctionDef | ast.ClassDef) and x.name == name]
    assert found, f"{file} defines no {name}"
    return ast.Module([*found], [])


def named_in(place: Place) -> set[Place]:
    """What a function or class names, by where it comes from."""
    tree = ast.parse((ROOT / place[0]).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module in ALL_MODULES]
    files = {node: ALL_MODULES[node.module or ""].relative_to(ROOT).as_posix() for node in imports}
    come = {x.asname or x.name: (files[node], x.name) for node in imports for x in node.names}
    names = {node.id for node in ast.walk(source(place)) if isinstance(node, ast.Name)}
    return {come.get(name, (place[0], name)) for name in names}


def test_the_ways_lead_on() -> None:
    assert [len(way) > 5 for way in WAYS] == [True] * 4
    for way in WAYS:
        seen = named_in(way[0])
        for place in way[1:]:
            assert place in seen, f"nothing above it names {place}"
            seen |= named_in(place)


def test_what_is_not_named_is_not_found() -> None:
    bulk = "impl/counting/dyadic_bulk.py"
    assert (bulk, "_strict") in named_in((bulk, "release_array"))
    assert (bulk, "_data_dependent_time") not in named_in((bulk, "release_array"))
    assert ("spec/dyadic.py", "table") not in named_in(("impl/counting/dyadic.py", "DyadicSample"))


def test_the_five_files_are_about_a_thousand_lines_and_on_the_ways() -> None:
    files = re.findall(r"^\| `([\w/.]+)` \| [a-z]", PAGE.partition("## From epsilon")[0], re.MULTILINE)
    assert len(files) == 5
    assert 900 < sum(len((ROOT / file).read_text().splitlines()) for file in files) < 1200
    assert set(files) <= {file for way in WAYS for file, _ in way}


def test_the_claims_that_it_names_are_in_the_file() -> None:
    rows = (ROOT / "proofs_check" / "claims" / "own" / "dyadic" / "release.py").read_text()
    named = re.findall(r"`(FD\.[\w.]+)`", PAGE)
    assert len(named) == 2
    assert all(f'"{name}"' in rows for name in named)
