"""Sphinx settings of the manual: sphinx-build docs docs/_build, and sphinx-build -b doctest docs docs/_build/doctest.

The notebooks run when they are read, so that what they show is what this code does.

Beside the settings there are four things: formulas as MathML, which browsers show without a script or a network; the pages of
the reference, one for each package, written from the tree into docs/api; those of the claims, written into docs/claims from a
run of `finitedp verify --json`, which $FINITEDP_VERIFIED names where there was one; and docstrings in plain words.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

import finitedp

sys.path.insert(0, str(Path(__file__).parent))
import claims_pages

project = "finitedp"
author = "The finitedp developers"
copyright = "2026, the finitedp developers"  # noqa: A001  # Sphinx's name
version = release = finitedp.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.doctest", "sphinx.ext.viewcode"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
exclude_patterns = ["_build"]
default_role = "literal"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["manual.css", "claims.css"]
html_title = f"finitedp {version}"
html_math_renderer = "mathml"
maximum_signature_line_length = 90
viewcode_follow_imported_members = False

toc_object_entries = False  # furo copies the whole table of contents into every page
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"  # a parameter's type stands beside its name, and its meaning in the docstring: each once
autodoc_preserve_defaults = True  # a default that is a constant shows by its name
autodoc_mock_imports = ["pytest"]  # the plugin's module is described where pytest is not installed, too

nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", r"finitedp\..*"),  # what a claim speaks of: private names and constants have no description to link to
    ("py:.*", r"(?!finitedp\b).*"),  # other packages are described by their own manuals
    ("py:class", r"finitedp\..*\.([A-Z](_co|_contra)?|_\w+)"),  # type variables, and private types
    ("py:class", r"finitedp\..*\.twins\.\w+WithAnother_\w+"),  # broken copies that a function makes
    ("py:class", r"finitedp\.impl\.arithmetic\.interpolation\.(Leaf|Branch)"),  # a tree's two shapes
    ("py:class", r"finitedp\.proofs_check\.engine\.lazy\.Decider"),  # what the explorer is to a lazy value
    ("py:class", r"finitedp\.proofs_check\.zoo\.exhibit\.Differs"),  # the fields of an exhibit, which are described there
]

DOCS = Path(__file__).parent
API = DOCS / "api"


def write_claims() -> None:
    """The pages of claims, from the run of the ledger that is named, or one that is made where it is missing or too old."""
    named = os.environ.get("FINITEDP_VERIFIED")
    verified = Path(named) if named else DOCS / "_build" / "verified.json"
    sources = [
        Path(folder, x) for folder, _, names in os.walk(Path(finitedp.__file__).parent, followlinks=True) for x in names
    ]
    changed = max(file.stat().st_mtime for file in sources if file.suffix in {".py", ".json", ".toml"})
    if not named and (not verified.exists() or verified.stat().st_mtime < changed):
        verified.parent.mkdir(exist_ok=True)
        with verified.open("w") as file:
            subprocess.run([sys.executable, "-m", "finitedp", "verify", "--json"], stdout=file, check=True)
    claims_pages.write(json.loads(verified.read_text()), DOCS / "claims")


ASK_NOTHING = "finitedp.proofs_check.proofs.live_checker."
"""Modules that are read as they stand, and whose values refuse to be asked for names."""


def write_reference() -> None:
    """A page in docs/api for each package, with a section for each of its modules; what has not changed is left as it is."""
    root = Path(finitedp.__file__).parent
    pages = {f"{name}.rst": package_page(name, folder) for name, folder in packages("finitedp", root)}
    API.mkdir(exist_ok=True)
    for old in API.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        if not (API / name).exists() or (API / name).read_text() != text:
            (API / name).write_text(text)


def packages(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """A package and all packages inside of it, with their folders."""
    yield name, folder
    for inner in sorted(file.parent for file in folder.glob("*/__init__.py")):
        yield from packages(f"{name}.{inner.name}", inner)


def package_page(name: str, folder: Path) -> str:
    """The package itself, then its modules by name."""
    modules = sorted(file for file in folder.glob("*.py") if not file.stem.startswith("__"))
    return section(name, folder / "__init__.py", "=") + "".join(section(f"{name}.{m.stem}", m, "-") for m in modules)


def section(name: str, file: Path, mark: str) -> str:
    """One module: the names of its __all__ that it defines; those that it hands on are described at home, and linked."""
    tree, homes = ast.parse(file.read_text()), imported(file)
    lists = [node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    public = [name for names in lists for name in ast.literal_eval(names) if not name.startswith("__")]
    own = [name for name in public if name not in homes]
    if name.startswith(ASK_NOTHING):
        return f"{name}\n{mark * len(name)}\n\n.. py:module:: {name}\n\n{ast.get_docstring(tree)}\n\n"
    text = f"{name}\n{mark * len(name)}\n\n.. automodule:: {name}\n"
    if own or (not lists and file.stem != "__init__"):
        text += f"   :members: {', '.join(own)}\n"
    if handed := [link(name, homes[name]) for name in public if name in homes]:
        text += f"\nFrom here, too: {', '.join(handed)}.\n"
    return text + "\n"


def imported(file: Path) -> dict[str, str]:
    """Names that a module imports, and the module that each comes from."""
    found = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.asname or alias.name: node.module or "" for node in found for alias in node.names}


def link(name: str, home: str) -> str:
    """A link to a name where it is defined; constants have no description of their own there, and link to the module."""
    file = Path(finitedp.__file__).parent.joinpath(*home.split(".")[1:]).with_suffix(".py")
    further = imported(file).get(name)
    if further:
        return link(name, further)
    return f":py:mod:`{name} <{home}>`" if name.isupper() else f":py:obj:`{name} <{home}.{name}>`"


FIELDS = re.compile(r"(?:^|(?<=[.)] ))(Source|Parameters|Returns|Raises|Cost): ")


def plain_words(_app: object, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Docstrings are plain text: what reStructuredText would take for markup is kept, and the house's fields become fields."""
    paragraphs = "\n".join(lines).split("\n\n")
    lines[:] = "\n\n".join(fields(paragraph) for paragraph in paragraphs).split("\n")


def fields(paragraph: str) -> str:
    """A paragraph with "Parameters: ..." and its like, each in a line of its own; any other paragraph as it is."""
    quoted = paragraph.split("`")
    quoted[::2] = [re.sub(r"[|*_]|(?<!http)(?<!https):(?=\w|//)", r"\\\g<0>", part) for part in quoted[::2]]
    escaped = "`".join(quoted)
    told, *rest = FIELDS.split(" ".join(escaped.split())) if FIELDS.search(" ".join(escaped.split())) else (escaped,)
    return "\n".join([told, "", *(f":{name}: {text.strip()}" for name, text in zip(rest[::2], rest[1::2], strict=True))])


def inline_formula(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line."""
    translator.body.append(mathml(node))
    raise nodes.SkipNode


def displayed_formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own."""
    translator.body.append(f'<div class="formula">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def mathml(node: nodes.math | nodes.math_block, as_block: bool = False) -> str:
    """A formula as MathML, in one line; one that docutils cannot read is a warning, which fails the build."""
    try:
        return "".join(line.strip() for line in tex2mathml(node.astext(), as_block=as_block).splitlines())
    except MathError as error:
        logging.getLogger(__name__).warning("%s", error, location=node)
        return node.astext()


def check_no_network(app: Sphinx, error: Exception | None) -> None:
    """Warn of whatever a built page would load from elsewhere: the manual is read without a network."""
    pages = [] if error or app.builder.name != "html" else sorted(Path(app.outdir).rglob("*.html"))
    for page in pages:
        for found in re.findall(r"<(?:script|img|link|iframe)\b[^>]*(?:src|href)=\"(?:https?:)?//[^>]*>", page.read_text()):
            logging.getLogger(__name__).warning("%s loads something from elsewhere: %s", page, found)


def setup(app: Sphinx) -> None:
    """Write the reference and the pages of claims, and connect what stands above."""
    write_reference()
    write_claims()
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.connect("autodoc-process-docstring", plain_words)
    app.connect("build-finished", check_no_network)
