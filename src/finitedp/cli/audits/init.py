"""finitedp init: a description of an audit, with comments, to begin from."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from finitedp.cli.audits.direct import is_place
from finitedp.cli.console import OutputPath, write_whole
from finitedp.errors import DataError, ParameterError
from finitedp.proofs_check.audit.description import schema_of_descriptions
from finitedp.proofs_check.audit.loading import load
from finitedp.proofs_check.audit.styles import guessed_source, source_of

_TEMPLATE = """\
{schema}# An audit: does the code keep the privacy that is claimed for it? Run it with: finitedp audit {file}
# Editors complete and check this file by audit.schema.json, which `finitedp init --schema` writes.

name = "{name}"

# The code: "file.py:function" from the folder of this file, or "package.module:function". It is called with the data and the
# source of randomness. Of a class, made with the parameters, the method `release` is the mechanism.
mechanism = "{mechanism}"

# What it draws from: "random" (a random.Random), "numpy" (a numpy Generator), "coins" (finitedp's Coins) or "none" (a module,
# such as random). Left out, its signature says it.
{style}

# Functions that only sample, such as a loop that draws geometric noise: each is explored once, by itself.
# samplers = ["{module}:geometric"]

# parameters = {{ scale = 2 }}        # passed to the function by name
# rows = "list"                      # for code that wants a list of rows; else it gets a tuple

# The inputs: all datasets of n rows with these labels. Small ones show most mistakes. `n = [1, 2, 3]` makes three audits.
universe = [0, 1]                    # leave it out where neighbours = "counts": the data is then a number from 0 to n
n = 2

# outputs = "1..6"                   # all that it can return, or a list: assumed of what loops leave open

[claim]
neighbours = "replace-one"           # one row is replaced; "add-remove": one row more; "counts": numbers one apart
epsilon = "1"                        # a rational, "11/10", or a logarithm, "ln 3"; never a float
delta = "0"                          # a rational, or "2^-40"
# renyi = {{ order = 2, epsilon = "1/2" }}  # beside epsilon, or in its place: a Renyi divergence
# zcdp = "1/2"                       # the same: rho of zero-concentrated privacy
# compose = 10                       # all of this of so many runs on the same data, together

# [accuracy]                         # the error exceeds a with probability at most beta
# a = 2
# beta = "1/10"
# truth = "{module}:true_count"      # what is estimated; not needed for counts

# [budget]                           # of the search, for each input: it ends when at most 2^-bits of the mass is open
# bits = 64
# runs = 1_000_000

# [[instances]]                      # several audits of one file: each changes what it names, also the mechanism
# name = "a larger epsilon"
# claim = {{ epsilon = "2" }}
"""


@click.command()
@click.argument("target", required=False)
@click.option("--out", type=OutputPath(), default=Path("audit.toml"), show_default=True, help="The file to write.")
@click.option("--schema", is_flag=True, help="Also write audit.schema.json beside it, for editors that complete TOML.")
@click.option("--force", is_flag=True, help="Write over files that exist.")
def init(target: str | None, out: Path, schema: bool, force: bool) -> None:
    """Write a description of an audit, with comments, to begin from.

    TARGET is the function, file.py:function or package.module:function; what it draws from is found in its signature.
    """
    beside = out.parent / "audit.schema.json"
    for path in (out, beside) if schema else (out,):
        if path.exists() and not force:
            raise ParameterError(f"{path} exists; accepted: another --out, or --force")
    write_whole(out, _filled(target, out, schema))
    if schema:
        write_whole(beside, json.dumps(schema_of_descriptions(), indent=2) + "\n")
    click.echo(f"{out}: written. Next: say in it what is claimed, then run: finitedp audit {out}")


def _filled(target: str | None, out: Path, schema: bool) -> str:
    place = target or "mechanism.py:release"
    if target is not None and not is_place(target):
        raise ParameterError(f"{target!r} names no function; accepted: file.py:function or package.module:function")
    module, _, name = place.rpartition(":")
    if target is not None and module.endswith(".py"):
        module = _from(Path(module), out.parent)
    filled: Mapping[str, str] = {
        "schema": "#:schema ./audit.schema.json\n" if schema else "",
        "file": out.name,
        "name": name,
        "mechanism": f"{module}:{name}",
        "module": module,
        "style": '# style = "random"' if target is None else _style_line(target),
    }
    return _TEMPLATE.format(**filled)


def _from(file: Path, folder: Path) -> str:
    """A file as it is named from the folder of the description."""
    file, folder = file.resolve(), folder.resolve()
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.as_posix()


def _style_line(target: str) -> str:
    """The style that is found; one to be chosen where the signature does not tell."""
    function: Any = load(target, Path())
    if isinstance(function, type):
        function = getattr(function, "release", None)
        if function is None:
            raise DataError(f"{target} is a class without a method `release`")
        return '# style = "coins"'
    try:
        style, _ = source_of(function, None, {})
    except ParameterError:
        return 'style = "random"                     # its signature does not tell: choose'
    if guessed_source(function, {}) is not None:
        return (
            f'# style = "{style}"                   # by a name in its signature, unless what is called on it tells otherwise'
        )
    return f'style = "{style}"                     # found in its signature'
