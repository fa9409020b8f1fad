"""The command line: all commands of finitedp in one group. A command's module is imported when it is called."""

from importlib import import_module

import click

from finitedp.cli.face import Face

COMMANDS = {
    "audit": ("audits.audit", "Audit mechanisms exactly, on small universes."),
    "black-box": ("black_box", "Look for a violation of a privacy claim in samples alone."),
    "blanket-plan": (
        "dyadic",
        "Choose the public numbers of `release pure-sparse` for up to N rows: threshold, cap, slots, and how often they hit.",
    ),
    "budget": ("budget", "A privacy budget in a file: the total of several releases."),
    "check": ("check", "Re-derive the certificates, FILES, from what is in them."),
    "claims": ("claims", "List the claims ledger without running it."),
    "count": (
        "answers.totals",
        "Release the number of rows of a file, or of those where a column equals a value; with --unit, that of units.",
    ),
    "dyadic-table": (
        "dyadic",
        "Build the dyadic table for counts 0..N and words of B bits: the noise of DyadicSample.",
    ),
    "hunt": ("hunt", "Look for counterexamples of the claims beyond the grids on which they are verified, and below them."),
    "init": ("audits.init", "Write a description of an audit, with comments, to begin from."),
    "law": ("laws", "The exact law of MECHANISM at one input, as rationals."),
    "privacy": ("laws", "The exact worst-case privacy of MECHANISM over all neighbouring inputs."),
    "prove": ("prove", "Tell what the claim of a release, FILE, rests on: a tree of proofs, certificates and assumptions."),
    "query": ("compact", "The noisy counts of LABELS in FILE, a compact histogram."),
    "release": ("release", "Release a differentially private histogram of one column of a CSV or Parquet file."),
    "report": ("report", "Tell what the certificates, FILES, show: one page for a person who decides."),
    "statistic": (
        "answers.statistic",
        "Release one STATISTIC of a column of integers: max, min, range, support, max-k, mode, median, quantile or iqr.",
    ),
    "total": (
        "answers.totals",
        "Release the sum of a column of integers, each clipped to LOW..HIGH; with --unit, of each unit, or --max-rows of it.",
    ),
    "vectors": ("vectors", "Cases for implementations in any language, each with the bug that it hunts."),
    "verify": (
        "verify",
        "Run the claims ledger: every claim that is not as expected, the verdicts of each section, and the totals.",
    ),
    "zoo": ("zoo", "Audit the zoo: mechanisms from the literature and their well-known mistakes."),
}
"""By name: the module of finitedp.cli, and the first sentence of its help, so that a list of commands imports none of them."""


class _Main(Face):
    """The commands by name, each in its module of finitedp.cli."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """All names, in the order of the alphabet."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module, _help = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"finitedp.cli.{module}"), cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without their modules."""
        listed = {name: click.Command(name, help=text) for name, (_module, text) in COMMANDS.items()}
        click.Group(commands=listed).format_commands(ctx, formatter)


@click.group(cls=_Main, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="finitedp", prog_name="finitedp")
def main() -> None:
    """Differential privacy on finite computers, verified exactly.

    Parameters such as epsilon are exact as they are written, 1/10 or 0.1. Exit codes: 0, all is as claimed; 1, a claim fails;
    2, the input is not usable; 3, the processes or the cluster that should do the work failed; 130, interrupted.
    """
