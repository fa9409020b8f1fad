"""Sphinx settings of the manual: sphinx-build docs docs/_build, and sphinx-build -b doctest docs docs/_build/doctest."""

from sphinx.application import Sphinx

import finitedp

project = "finitedp"
author = "The finitedp developers"
copyright = "2026, the finitedp developers"  # noqa: A001  # Sphinx's name
version = release = finitedp.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.doctest", "sphinx.ext.viewcode"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"finitedp {version}"

autodoc_member_order = "bysource"
autodoc_typehints = "description"


def escape_bars(_app: object, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Keep |A| and |x - y| in docstrings from being read as substitutions."""
    lines[:] = [line.replace("|", "\\|") for line in lines]


def setup(app: Sphinx) -> None:
    """Connect the hook."""
    app.connect("autodoc-process-docstring", escape_bars)
