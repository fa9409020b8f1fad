"""The command line: all commands of finitedp in one group."""

import click

from finitedp import __version__
from finitedp.cli.audits.audit import audit
from finitedp.cli.audits.init import init
from finitedp.cli.black_box import black_box
from finitedp.cli.check import check
from finitedp.cli.claims import claims
from finitedp.cli.compact import query
from finitedp.cli.console import Face
from finitedp.cli.dyadic import blanket_plan, dyadic_table
from finitedp.cli.laws import law, privacy
from finitedp.cli.prove import prove
from finitedp.cli.release import release
from finitedp.cli.report import report
from finitedp.cli.statistic import statistic
from finitedp.cli.verify import verify
from finitedp.cli.zoo import zoo

__all__ = ["main"]


@click.group(cls=Face, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="finitedp")
def main() -> None:
    """Differential privacy on finite computers, verified exactly.

    Parameters such as epsilon are rationals, written p/q: 1/10, not 0.1. Exit codes: 0, all is as claimed; 1, a claim fails;
    2, the input is not usable; 3, the processes or the cluster that should do the work failed; 130, interrupted.
    """


_TABLES = (dyadic_table, blanket_plan)
_AUDITS = (audit, init, black_box, check, prove, report, zoo)
for command in (verify, claims, law, privacy, *_TABLES, release, query, statistic, *_AUDITS):
    main.add_command(command)
