"""finitedp check: certificates of audits, re-derived by the lone checker."""

from pathlib import Path

import click

from finitedp.proofs_check import checker

__all__ = ["check"]


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Re-derive the verdicts of certificates, FILES, from the laws in them.

    Prints a line for each: accepted, or why it is rejected. Exit code 1 if one is rejected. The checker is one file of the
    standard library's Python, finitedp/proofs_check/checker.py, which also runs by itself: python checker.py FILE.
    """
    click.get_current_context().exit(checker.main([str(file) for file in files]))
