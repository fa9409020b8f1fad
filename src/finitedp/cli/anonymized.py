"""finitedp release anonymized: how many labels have each count, and how many items there are, without the labels."""

import csv
import io
import sys
from pathlib import Path
from typing import Any

import click
from gmpy2 import mpq

from finitedp.cli.budget import BUDGET
from finitedp.cli.console import OutputPath, Rational, Utf8, as_json_text, form_named, progress, table, write_whole
from finitedp.cli.offers import Offer
from finitedp.cli.prose import closing_line
from finitedp.cli.release_options import SOURCES
from finitedp.data.anonymized import AnonymizedHistogram
from finitedp.data.anonymizing import pairs_in_file, pairs_of_column, released
from finitedp.errors import DataError, ParameterError
from finitedp.exact import positive
from finitedp.impl.anonymized.priv_hist import LARGEST_N, SPLIT_FROM, priv_hist, priv_hist_as_printed
from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.impl.randomness.words import SeededWords, WordSource
from finitedp.numbers import decimal
from finitedp.proofs_check.dyadic_certificate import recheck_histogram

MOST_ROWS_SHOWN = 1000  # as documents.MOST_ROWS_SHOWN
_NAMED = {".csv": "csv", ".json": "json"}

_OPTIONS = [
    click.Option(
        ["--input", "source"],
        type=click.Path(path_type=Path),
        help="A CSV file in UTF-8 with a header, or a Parquet file, of rows whose labels are counted. With --column.",
    ),
    click.Option(["--column"], type=Utf8(), help="The name of the column of labels."),
    click.Option(
        ["--counts", "prevalences"],
        type=click.Path(path_type=Path),
        help="Instead: a CSV file of the columns count,prevalence, which says how many labels have each count.",
    ),
    click.Option(
        ["--n", "n"],
        type=click.IntRange(1, LARGEST_N),
        required=True,
        help="A public bound of the number of items, chosen without looking at the data.",
    ),
    click.Option(["--epsilon"], type=Rational(positive), required=True, help="Privacy parameter, any p/q above 0."),
    click.Option(
        ["--branch"],
        type=click.Choice(["split", "smooth"]),
        help=f"Noise on cumulative prevalences and large counts, or on blocks.  [default: split from {SPLIT_FROM} on]",
    ),
    click.Option(
        ["--as-printed"], is_flag=True, help="The paper's branches, thresholds and thirds of epsilon, which err more."
    ),
    click.Option(["--word"], type=click.IntRange(2, LARGEST_WORD), help="Bits of a draw.  [default: 64 or 128]"),
    click.Option(["--first"], type=click.IntRange(1, 10**12), help="Only so many rows from the start of --input."),
    click.Option(["--drop-nulls"], is_flag=True, help="Parquet: rows without a value count for no label."),
    click.Option(["--null-label"], type=Utf8(), help="Parquet: a label for rows without a value."),
    click.Option(
        ["--bits-from"],
        type=click.Choice(list(SOURCES)),
        help="Where random bits come from; aes-ctr and chacha20 are keyed by the operating system.  [default: os]",
    ),
    click.Option(["--output"], type=OutputPath(), help="Write to this file instead of the terminal."),
    BUDGET,
    click.Option(["--certificate"], type=OutputPath(), help="Also write the certificate of the tables, for `finitedp check`."),
    click.Option(["--insecure-seed", "seed"], type=int, help="Reproducible noise for examples: NOT private, and it is said."),
    click.Option(
        ["--format", "shape"],
        type=click.Choice(["table", "csv", "json"]),
        help="By default what the name of --output says, else a table.",
    ),
    click.Option(["--json", "as_json"], is_flag=True, help="The same as --format json."),
]


def anonymized_command(name: str, offer: Offer) -> click.Command:
    """The command, as it is offered."""
    return click.Command(name, params=[*_OPTIONS], callback=_release, help=offer.help, short_help=offer.help.splitlines()[0])


def _release(
    source: Path | None,
    column: str | None,
    prevalences: Path | None,
    n: int,
    epsilon: mpq,
    branch: Any,  # noqa: ANN401  # a branch, or None
    as_printed: bool,
    word: int | None,
    first: int | None,
    drop_nulls: bool,
    null_label: str | None,
    bits_from: str | None,
    output: Path | None,
    certificate: Path | None,
    seed: int | None,
    shape: str | None,
    as_json: bool,
) -> None:
    form = _form(shape, as_json, output)
    _check_files([path for path in (source, prevalences) if path is not None], output, certificate)
    if seed is not None and bits_from is not None:
        raise ParameterError(f"--bits-from {bits_from} and --insecure-seed contradict each other")
    if as_printed and branch is not None:
        raise ParameterError(f"--as-printed takes the branch that the paper takes, and --branch {branch} another")
    words: WordSource = SeededWords(seed, not_private=True) if seed is not None else SOURCES[bits_from or "os"]()
    if prevalences is not None:
        if source is not None or column is not None or first is not None or drop_nulls or null_label is not None:
            raise ParameterError("--counts stands alone; accepted: --input and --column with rows of labels, or --counts")
        pairs = pairs_in_file(prevalences)
    elif source is None or column is None:
        raise ParameterError("there is nothing to count; accepted: --input FILE --column NAME, or --counts FILE")
    else:
        pairs = _of_column(source, column, first, drop_nulls, null_label)
    with progress("building the tables"):
        made = priv_hist_as_printed(n, epsilon, word) if as_printed else priv_hist(n, epsilon, branch=branch, word=word)
        document = made.certificate() if certificate is not None else None
    with progress("drawing noise"):
        histogram = released(pairs, made, words, column or "labels")
    if document is not None and certificate is not None:
        _write_certificate(certificate, document)  # first: where it cannot be written, nothing is released
    _emit(histogram, form, output)
    if seed is not None:
        click.echo("NOT PRIVATE: the noise comes from a seed.", err=True)


def _of_column(source: Path, column: str, first: int | None, drop_nulls: bool, null_label: str | None) -> Any:  # noqa: ANN401
    try:
        return pairs_of_column(source, column, first, drop_nulls=drop_nulls, null_label=null_label)
    except DataError as error:
        text = str(error).replace("drop_nulls (", "--drop-nulls (").replace("null_label (", "--null-label (")
        raise DataError(text) from None


def _form(shape: str | None, as_json: bool, output: Path | None) -> str:
    if as_json and shape not in (None, "json"):
        raise ParameterError(f"--json and --format {shape} contradict each other")
    if output is None and sys.stdout is None:
        raise ParameterError("there is no standard output, in which a release would be lost; accepted: with --output FILE")
    return "json" if as_json else shape or form_named(output, _NAMED)


def _check_files(inputs: list[Path], output: Path | None, certificate: Path | None) -> None:
    """Refuse to write over what is read, or over what is written. Raises: ParameterError."""
    for option, path in (("--output", output), ("--certificate", certificate)):
        if path is not None and any(path.exists() and other.exists() and path.samefile(other) for other in inputs):
            raise ParameterError(f"{option} {path} is the input itself, which would be lost")
    if output is not None and certificate is not None and output.resolve() == certificate.resolve():
        raise ParameterError(f"--output and --certificate are both {output}; accepted: two files")


def _write_certificate(path: Path, document: dict[str, object]) -> None:
    """Write the certificate, if the lone checker accepts it. Raises: ParameterError, OSError."""
    reason = recheck_histogram(document)
    if reason is not None:
        raise ParameterError(f"finitedp check would reject this certificate: {reason}")
    write_whole(path, as_json_text(document) + "\n")
    click.echo(f"Wrote {path}: the certificate of the tables.", err=True)


def _emit(histogram: AnonymizedHistogram, form: str, output: Path | None) -> None:
    content = {"json": _json, "csv": _csv, "table": _table}[form](histogram)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_whole(output, content)
        total = f"{'not in it: ' if form == 'csv' else ''}N = {histogram.total}"
        click.echo(f"Wrote {output}: {len(histogram.prevalences)} counts with their prevalences; {total}.", err=True)


def _json(histogram: AnonymizedHistogram) -> str:
    return as_json_text(histogram.as_json()) + "\n"


def _csv(histogram: AnonymizedHistogram) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    note = [] if histogram.claim is not None else ["NOT PRIVATE"]
    writer.writerows([["count", "prevalence", *note], *([*pair, *note] for pair in histogram.prevalences)])
    return buffer.getvalue()


def _table(histogram: AnonymizedHistogram) -> str:
    pairs, claim = histogram.prevalences, histogram.claim
    rows = [(str(r), str(many)) for r, many in pairs[:MOST_ROWS_SHOWN]]
    private = "NOT PRIVATE: the noise comes from a seed."
    if claim is not None:
        private = (
            f"({claim.epsilon}, 0)-differentially private for one item more or less, among at most {histogram.n} items "
            f"({claim.source}); for k of them, k times epsilon; for a replaced one, twice."
        )
    low, high = histogram.entropy()
    more = len(pairs) - MOST_ROWS_SHOWN
    lines = [
        f"Items: {histogram.total}, a noisy number. Labels: {histogram.labels}.",
        f"Entropy (Miller-Madow): about {decimal((low + high) / 2, 6)} nats.",
        private,
        "That a file of more items is refused is outside of the claim.",
        "Noise: {draws} words of {word} random bits, from {bits_from}.".format(**histogram.randomness),
        *([f"{more} more counts are not shown here; --format csv lists all."] if more > 0 else []),
    ]
    shown = table("How many labels have each count", ("count", "labels"), rows)
    return "\n".join([shown, *map(closing_line, lines)]) + "\n"
