"""finitedp vectors: cases for implementations in any language, written to files or run against a program."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

import click

from finitedp.cli.console import OutputPath, json_option, many, print_json, progress, table, write_whole
from finitedp.cli.face import Commands
from finitedp.labels import as_text
from finitedp.proofs_check.vectors.flags import FLAGS
from finitedp.proofs_check.vectors.judging import RIGHT
from finitedp.proofs_check.vectors.kinds import KINDS, VERSION, Case, cases_of
from finitedp.proofs_check.vectors.making import SIZES, Document, documents, read, texts
from finitedp.proofs_check.vectors.running import VERDICTS, Outcome, run

SHOWN = 10  # cases that failed

_size = click.option("--size", type=click.Choice(SIZES), default="small", show_default=True, help="Which set.")
_group = click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="TYPE",
    type=click.Choice(list(KINDS), case_sensitive=False),
    help="This type alone, such as draw; repeat it.",
)


@click.group(cls=Commands, invoke_without_command=True)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write the files and their schemas to this folder."
)
@_size
@_group
@json_option
@click.pass_context
def vectors(context: click.Context, out: Path | None, size: str, groups: tuple[str, ...], as_json: bool) -> None:
    """Cases for implementations in any language, each with the bug that it hunts.

    Prints how many cases there are of each type, and what its flags hunt; --out writes them, a JSON file of each type with its
    JSON Schema. `finitedp vectors run -- COMMAND` runs them against a program. The manual's page "Port a mechanism" has format
    and protocol.
    """
    if context.invoked_subcommand is not None:
        return
    with progress("making the vectors"):
        files = documents(size, groups)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts(files).items():
            write_whole(out / name, text)
    if as_json:
        print_json({"version": VERSION, "size": size, "groups": {kind: _summary(files[kind]) for kind in files}})
    else:
        total = 0
        rows = []
        for kind, document in files.items():
            total += document["numberOfTests"]
            rows.append((kind, document["algorithm"], many(document["numberOfTests"]), ", ".join(document["notes"])))
        click.echo(table(f"Vectors, version {VERSION}, the {size} set", ("group", "of", "cases", "flags"), rows, unbroken=1))
        click.echo(f"Cases: {many(total)}.")
    if out is not None:
        click.echo(f"Wrote {out}: {len(files)} files, each with its schema.", err=True)


def _summary(document: Document) -> dict[str, object]:
    flags = Counter(flag for case in cases_of(document) for flag in case.test["flags"])
    return {"algorithm": document["algorithm"], "cases": document["numberOfTests"], "flags": dict(sorted(flags.items()))}


@vectors.command("run", context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@_size
@_group
@click.option(
    "--vectors",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of files, in place of a set.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="FLAG",
    type=click.Choice(list(FLAGS)),
    help="Leave out cases with this flag; repeat it.",
)
@click.option("--timeout", type=click.FloatRange(0.001, 3600), default=10, show_default=True, help="Seconds for an answer.")
@click.option("--junit", type=OutputPath(), help="Also write the outcomes to this file, as JUnit's XML.")
@json_option
def run_against(
    command: tuple[str, ...],
    size: str,
    groups: tuple[str, ...],
    folder: Path | None,
    without: tuple[str, ...],
    timeout: float,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Run the cases against COMMAND, a program with its arguments, behind `--`.

    It is sent one case a line, a flat JSON object, and has to answer each with one line. Prints the verdicts of each group,
    and the first cases that failed, with what they hunt. Exit code 1 if one failed: a wrong answer, one that is none of the
    protocol, or of another case, a program that died, or gave no answer in time; these are told apart. 2 if the program cannot
    be started, or a file cannot be used.
    """
    files = documents(size, groups) if folder is None else read(folder, groups)
    cases = [case for document in files.values() for case in cases_of(document) if not {*without} & {*case.test["flags"]}]
    with progress("running the cases", even=True) as update:
        outcomes = list(run(command, cases, timeout, lambda done: update(done, len(cases))))
    if junit is not None:
        write_whole(junit, _junit(outcomes))
    failed = [outcome for outcome in outcomes if outcome.verdict != RIGHT]
    if as_json:
        print_json(
            {"version": VERSION, "cases": len(outcomes), "groups": _counts(outcomes), "failed": [_as_json(o) for o in failed]}
        )
    else:
        _print(outcomes, failed, left_out=without)
    if failed or not outcomes:
        click.get_current_context().exit(1)


def _counts(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    """How many of each verdict, by type."""
    kinds = dict.fromkeys(outcome.case.kind for outcome in outcomes)
    counts = Counter((outcome.case.kind, outcome.verdict) for outcome in outcomes)
    return {kind: {verdict: counts[kind, verdict] for verdict in VERDICTS} for kind in kinds}


def _hunted(case: Case) -> list[str]:
    """What a case hunts, in the words of its notes."""
    return [f"{flag} ({case.notes[flag]['bugType']}): {case.notes[flag]['description']}" for flag in case.test["flags"]]


def _as_json(outcome: Outcome) -> dict[str, object]:
    case = outcome.case
    about = {"tcId": case.name, "verdict": outcome.verdict, "why": outcome.why, "comment": case.test["comment"]}
    return {**about, "line": case.line, "flags": {flag: case.notes[flag] for flag in case.test["flags"]}}


def _print(outcomes: Sequence[Outcome], failed: Sequence[Outcome], left_out: Sequence[str]) -> None:
    counts = _counts(outcomes)
    there = [verdict for verdict in VERDICTS if verdict == RIGHT or any(row[verdict] for row in counts.values())]
    rows = [(kind, many(sum(row.values())), *(many(row[verdict]) for verdict in there)) for kind, row in counts.items()]
    click.echo(table("Vectors", ("group", "cases", *there), rows, unbroken=1))
    for outcome in failed[:SHOWN]:
        case = outcome.case
        hunted = ", ".join(case.test["flags"])
        click.echo(as_text(f"{case.name} ({case.test['comment']}): {outcome.verdict}: {outcome.why} [{hunted}]"))
    if len(failed) > SHOWN:
        click.echo(f"{many(len(failed) - SHOWN)} more failed; --json or --junit has all.")
    if failed:
        click.echo(table("What the cases that failed hunt", ("flag", "failed", "bug", "what"), _by_flag(outcomes), unbroken=3))
    if left_out:
        click.echo(f"Left out: cases with {', '.join(left_out)}.")
    click.echo(f"Cases: {many(len(outcomes))}: {many(len(outcomes) - len(failed))} right, {many(len(failed))} failed.")


def _by_flag(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """The flags of cases that failed, those first of which the largest share did."""
    every, failed, notes = Counter[str](), Counter[str](), dict[str, Mapping[str, str]]()
    for outcome in outcomes:
        flags = outcome.case.test["flags"]
        every.update(flags)
        failed.update(flags if outcome.verdict != RIGHT else ())
        notes |= outcome.case.notes
    order = sorted(failed, key=lambda flag: (-failed[flag] / every[flag], flag))
    rows = [(flag, f"{failed[flag]} of {every[flag]}", notes[flag]["bugType"], notes[flag]["description"]) for flag in order]
    return [tuple(map(as_text, row)) for row in rows]


def _junit(outcomes: Sequence[Outcome]) -> bytes:
    """The outcomes as JUnit's XML: a suite for each group, a failure for each case that is not right."""
    root = Xml.Element("testsuites", name="finitedp vectors")
    for kind, row in _counts(outcomes).items():
        wrong = sum(row.values()) - row[RIGHT]
        suite = Xml.SubElement(root, "testsuite", name=kind, tests=str(sum(row.values())), failures=str(wrong), errors="0")
        for outcome in outcomes:
            if outcome.case.kind == kind:
                entry = Xml.SubElement(suite, "testcase", classname=f"vectors.{kind}", name=outcome.case.name)
                if outcome.verdict != RIGHT:
                    failure = Xml.SubElement(entry, "failure", type=outcome.verdict, message=as_text(outcome.why))
                    failure.text = "\n".join(
                        map(as_text, [outcome.case.test["comment"], *_hunted(outcome.case), outcome.case.line])
                    )
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True))
