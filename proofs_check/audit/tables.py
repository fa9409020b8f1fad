"""Laws from a file that any program in any language can write: JSON, or CSV with a row for each input and output.

JSON: {"laws": [{"input": [0, 1], "probabilities": {"yes": "3/4", "no": "1/4"}}, ...]}, where an input is an array of labels
or a count. A law may also have "tails", as a certificate has them. CSV: the columns input, output and probability, where an
input is written as in JSON. Probabilities are rationals, "p/q". An output that is an integer or an array of integers in JSON's
writing is read as such, every other one as text.
"""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.errors import DataError, FinitedpError
from finitedp.exact import rational
from finitedp.proofs_check.audit.rows import as_row, is_label
from finitedp.proofs_check.deciders.partial_law import Tail


class Row(NamedTuple):
    """One probability of a file, the output and the number as they are written, and where that stands."""

    where: str
    data: Any
    output: str | Tail
    probability: str


def read_table(path: Path) -> dict[Any, dict[Any, mpq]]:
    """The laws in a JSON or CSV file, by input.

    That each sums to one, and that there is one for each input, an audit finds.
    Raises: DataError, with the place, for what cannot be read, is no rational, negative or there twice.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a UTF-8 text; accepted: JSON or CSV") from None
    rows = _from_json(path, text) if text.lstrip()[:1] == "{" else _from_csv(path, text)
    table: dict[Any, dict[Any, mpq]] = {}
    for where, data, written, number in rows:
        output, law = written if isinstance(written, Tail) else _output(written), table.setdefault(data, {})
        if output in law:
            raise DataError(f"{where}: the output {written!r} of the input {data!r} is there twice")
        law[output] = _probability(number, where)
    if not table:
        raise DataError(f"{path} holds no law")
    return table


def _probability(number: str, where: str) -> mpq:
    try:
        probability = rational(number, "the probability")
    except FinitedpError as error:
        raise DataError(f"{where}: {error}") from None
    if not 0 <= probability <= 1:
        raise DataError(f"{where}: the probability {probability} is not from 0 to 1")
    return probability


def _from_csv(path: Path, text: str) -> Iterator[Row]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if sorted(reader.fieldnames or []) != ["input", "output", "probability"]:
        raise DataError(f"{path} has the columns {', '.join(reader.fieldnames or [])}; accepted: input, output, probability")
    try:
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if None in row or None in row.values():
                raise DataError(f"{where} does not have three fields")
            yield Row(where, _input(_parsed(row["input"]), where), row["output"], row["probability"].strip())
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: {error}") from None


def _from_json(path: Path, text: str) -> Iterator[Row]:
    try:
        document = json.loads(text, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON: {error}") from None
    shape = 'accepted: {"laws": [{"input": ..., "probabilities": {...}}, ...]}'
    laws = dict(document).get("laws") if len(document) == 1 else None
    if not isinstance(laws, list) or isinstance(laws, _Pairs):
        raise DataError(f'{path} has no list "laws"; {shape}')
    seen = set()
    for i, entry in enumerate(laws):
        where, pairs = f"{path}, laws[{i}]", entry if isinstance(entry, _Pairs) else _Pairs()
        fields = dict(pairs)
        names = sorted(name for name, _ in pairs)
        is_a_law = names in (["input", "probabilities"], ["input", "probabilities", "tails"])
        if not is_a_law or not isinstance(fields["probabilities"], _Pairs):
            raise DataError(f"{where} is not of the right shape; {shape}")
        data = _input(fields["input"], where)
        if data in seen:
            raise DataError(f"{where}: the input {data!r} is there twice")
        seen.add(data)
        for output, number in fields["probabilities"]:
            yield Row(f"{where}, output {output!r}", data, output, number)
        for tail in _tails(fields.get("tails", []), where):
            yield Row(f"{where}, the tail {tail[0]!r}", data, *tail)


def _tails(listed: object, where: str) -> Iterator[tuple[Tail, str]]:
    """Tails, each with the probability of all of it. Raises: DataError."""
    for entry in listed if isinstance(listed, list) and not isinstance(listed, _Pairs) else [listed]:
        fields = dict(entry) if isinstance(entry, _Pairs) and len(entry) == len(dict(entry)) else {}
        if sorted(fields) != ["direction", "first", "mass", "ratio"]:
            raise DataError(f"{where}: a tail has the keys direction, first, mass and ratio")
        try:
            tail = Tail(fields["first"], fields["ratio"], fields["direction"])
        except FinitedpError as error:
            raise DataError(f"{where}: {error}") from None
        yield tail, str(_probability(fields["mass"], where) / (1 - tail.ratio))


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its keys in order, so that one that is there twice is seen."""


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _input(value: object, where: str) -> Any:  # noqa: ANN401  # a count or a tuple of labels
    if type(value) is int and value >= 0:
        return value
    if isinstance(value, list) and not isinstance(value, _Pairs) and all(is_label(as_row(label)) for label in value):
        return tuple(as_row(label) for label in value)
    accepted = "an array of labels (integers or strings, or arrays of these)"
    raise DataError(f"{where}: the input {value!r} is neither a count nor {accepted} in JSON")


def _output(written: str) -> Any:  # noqa: ANN401  # an integer, a tuple of integers or text
    value = _parsed(written)
    if type(value) is int:
        return value
    if isinstance(value, list) and all(type(x) is int for x in value):
        return tuple(value)
    return written
