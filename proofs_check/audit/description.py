"""Descriptions of audits, TOML files that can be committed beside the mechanism: read, checked and turned into calls of audit.

audit.schema.json beside this module describes the fields. A function is named as "file.py:function", from the folder of the
description, or as "package.module:function"; a class is made with the parameters, and its method `release` is the mechanism.
"""

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from attrs import evolve, frozen

from finitedp.claim import Accuracy, FlexibleAccuracy, Neighbours
from finitedp.errors import DataError, FinitedpError
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.proofs_check.audit.certificate import validate
from finitedp.proofs_check.audit.loading import laws_at, load, release_of
from finitedp.proofs_check.audit.rows import as_row, labels_of
from finitedp.proofs_check.audit.stating import stated
from finitedp.proofs_check.audit.tables import read_table
from finitedp.proofs_check.black_box.commands import Command
from finitedp.proofs_check.black_box.search import BlackBoxResult, black_box_audit
from finitedp.proofs_check.board import Board
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.parallel import HERE, Workers

if TYPE_CHECKING:
    from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult

Document = dict[str, Any]


@frozen
class BlackBox:
    """How a closed program is sampled: samples in all; confidence, a rational below 1; timeout of a run, in seconds."""

    samples: int = 10_000
    confidence: str | int = "99/100"
    timeout: int = 60


@frozen(kw_only=True)
class Description:
    """One audit that a file, or a command line, describes: what is asked, with functions and tables named by where they are.

    origin: what describes it, for messages; folder: from where names are read; again: the command that does it again; path: of
    the file. One of mechanism, table and command is given. specified, truth, neighbours, outputs: where the laws, the true
    values and the functions are that state the neighbours and the outputs.
    """

    origin: str
    folder: Path
    again: str
    path: Path | None = None
    request: AuditRequest
    mechanism: str | None
    table: str | None
    command: tuple[str, ...] | None
    specified: str | None
    truth: str | None
    samplers: tuple[str, ...] = ()
    neighbours: str | None = None
    outputs: str | None = None
    black_box: BlackBox

    @property
    def name(self) -> str:
        """What the audit is called."""
        return self.request.name

    def run(
        self,
        workers: Workers = HERE,
        progress: Callable[[int, int], None] | None = None,
        board: Board | None = None,
    ) -> AuditResult:
        """The exact audit. Raises: DataError, ParameterError, ExplorationError."""
        request, mechanism = self._loaded()
        return request.run(mechanism, workers, progress, board)

    def decide(
        self,
        workers: Workers = HERE,
        progress: Callable[[int, int], None] | None = None,
        board: Board | None = None,
    ) -> "AuditResult | PipelineResult":
        """The exact audit; that of a pipeline where primitives are declared, or continuous noise is drawn. Raises: as run."""
        request, mechanism = self._loaded()
        return request.decide(mechanism, workers, progress, board, folder=self.folder)

    def _loaded(self) -> tuple[AuditRequest, Any]:
        """What is asked, with the functions and tables themselves, and of what."""
        folder, parameters = self.folder, self.request.parameters
        if self.table is not None:
            mechanism: Any = read_table(folder / self.table)
        elif self.mechanism is not None:
            mechanism = load(self.mechanism, folder)
            if isinstance(mechanism, type):
                mechanism, parameters = release_of(mechanism, self.mechanism, parameters), {}
        else:
            raise DataError(f"{self.origin}: a command has no law that can be derived; only the black-box test applies to it")
        request = evolve(
            self.request,
            parameters=parameters,
            specified=None if self.specified is None else laws_at(self.specified, folder),
            truth=None if self.truth is None else load(self.truth, folder),
            samplers=tuple(load(place, folder) for place in self.samplers),
            neighbours=self.request.neighbours if self.neighbours is None else load(self.neighbours, folder),
            outputs=self.request.outputs if self.outputs is None else load(self.outputs, folder),
            derived=self._derived(),
        )
        return request, mechanism

    def sample(self) -> BlackBoxResult:
        """The black-box audit of a command, run in the folder of the description. Raises: DataError, SamplerError, ..."""
        if self.command is None:
            raise DataError(f"{self.origin}: only a command is sampled; `finitedp black-box` samples other things")
        request = self.request
        if request.accuracy is not None:
            raise DataError(f"{self.origin}: accuracy of a command is not sampled; accepted: a claim, `specified`")
        if request.renyi is not None or request.zcdp is not None or request.compose > 1:
            raise DataError(
                f"{self.origin}: of a command no divergence and no composition is sampled; accepted: epsilon, delta"
            )
        if self.outputs is not None or request.outputs is not None:
            raise DataError(f"{self.origin}: of a command samples are seen, and no outputs are declared; accepted: no outputs")
        if self.neighbours is not None or request.neighbours is not None or request.n is None:
            raise DataError(f"{self.origin}: of a command neighbours are counts, replace-one or add-remove, with an n")
        if any(isinstance(label, tuple) for label in request.universe):
            raise DataError(f"{self.origin}: the rows of a command are single values; accepted: a universe of these")
        return black_box_audit(
            Command(self.command, self.black_box.timeout, self.folder),
            request.claim,
            samples=self.black_box.samples,
            n=request.n,
            universe=request.universe,
            confidence=self.black_box.confidence,
            specified=None if self.specified is None else laws_at(self.specified, self.folder),
            name=request.name,
        )

    def _derived(self) -> Document:
        """What a certificate says of the origin."""
        source = self.table or str(self.mechanism).split(":", maxsplit=1)[0]
        file = self.folder / source
        return {
            "command": self.again,
            **({} if self.path is None else {"description_sha256": hashlib.sha256(self.path.read_bytes()).hexdigest()}),
            **(
                {"table": self.table}
                if self.table
                else {"mechanism": self.mechanism, "parameters": dict(self.request.parameters)}
            ),
            **({} if self.neighbours is None else {"neighbours": self.neighbours}),
            **({"source_sha256": hashlib.sha256(file.read_bytes()).hexdigest()} if file.is_file() else {}),
        }


# Files


@cache
def schema_of_descriptions() -> Document:
    """The JSON Schema of description files."""
    return cast(Document, json.loads(Path(__file__).with_name("audit.schema.json").read_text(encoding="utf-8")))


def read_document(path: Path) -> Document:
    """The fields of a TOML file, of the right shape. Raises: DataError with the field that is wrong."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    validate(document, schema_of_descriptions(), str(path))
    return document


def read_descriptions(path: Path) -> list[Description]:
    """The audits that a TOML file describes: one for each instance and n. Raises: DataError with the field that is wrong."""
    document = read_document(path)
    instances = document.pop("instances", [{}])
    descriptions, names = list[Description](), set[str]()
    for i, instance in enumerate(instances, start=1):
        replaced = [names for names in (_SOURCES, _LABELS) if names & set(instance)]
        above = {k: v for k, v in document.items() if not any(k in names for names in replaced)}
        fields = {**above, **instance}
        fields["parameters"] = {**document.get("parameters", {}), **instance.get("parameters", {})}
        claim = document.get("claim", {})
        fields["claim"] = {**_only(claim, "neighbours"), **instance["claim"]} if "claim" in instance else claim
        name = fields.get("name", path.stem)
        fields["name"] = f"{name}, instance {i}" if len(instances) > 1 and ("name" not in instance or name in names) else name
        names.add(name)
        place = {"origin": str(path), "folder": path.parent, "again": f"finitedp audit {path.name}", "path": path}
        descriptions += _for_each_n(fields, place)
    return descriptions


_SOURCES, _LABELS = {"mechanism", "table", "command"}, {"universe", "columns"}


def describe(fields: Document, folder: Path, again: str) -> list[Description]:
    """The audits that a command line describes, in the fields of a file: one for each n. Raises: DataError, ParameterError."""
    validate(fields, schema_of_descriptions(), "the command line")
    place = {"origin": "", "folder": folder, "again": again, "path": None}
    return _for_each_n({"parameters": {}, **fields}, place)


def _for_each_n(fields: Document, place: Mapping[str, Any]) -> list[Description]:
    own = fields.get("claim", {}).get("neighbours") not in (None, *get_args(Neighbours))
    sizes = fields.get("n") if own else _field(place["origin"], fields, "n")
    if not isinstance(sizes, list):
        return [_description(fields, place)]
    return [_description({**fields, "n": n, "name": f"{fields['name']}, n = {n}"}, place) for n in dict.fromkeys(sizes)]


def _bound(fields: Document) -> Accuracy | FlexibleAccuracy | None:
    """The accuracy claim; one that names a statistic is flexible. Raises: ParameterError."""
    if not fields:
        return None
    if "statistic" not in fields:
        return Accuracy(**fields)
    return FlexibleAccuracy(**{"beta": 0, "gamma": 0, **fields})


def _budget(fields: Document) -> Budget:
    """The budget of the explorer, where bits = "all" follows everything. Raises: ParameterError."""
    return Budget(**fields | ({"bits": None} if fields.get("bits") == "all" else {}))


def _only(fields: Document, name: str) -> Document:
    return {name: fields[name]} if name in fields else {}


def _field(origin: str, fields: Document, name: str) -> Any:  # noqa: ANN401  # of any type
    if name not in fields:
        raise DataError(f"{origin}: {name} is missing")
    return fields[name]


def _description(fields: Document, place: Mapping[str, Any]) -> Description:
    origin, sources = place["origin"], [name for name in ("mechanism", "table", "command") if name in fields]
    if len(sources) != 1:
        raise DataError(f"{origin}: {' and '.join(sources) or 'nothing'} given; accepted: one of mechanism, table, command")
    claim, bound = fields["claim"], dict(fields.get("accuracy", {}))
    relation = claim.get("neighbours")
    if relation in ("replace-one", "add-remove") and "columns" not in fields:
        _field(origin, fields, "universe")
    truth = bound.pop("truth", None)
    _field(origin, claim, "neighbours")
    outputs = fields.get("outputs")
    stating, giving = (x if isinstance(x, str) and ":" in x else None for x in (relation, outputs))
    try:
        labels = labels_of(fields)
        if stating is not None:
            claim = {**claim, "neighbours": "add-remove" if labels else "counts"}
        return Description(
            **place,
            request=AuditRequest(
                **stated(claim, labels),
                n=fields.get("n"),
                universe=labels,
                style="table" if "table" in fields else fields.get("style"),
                rows=fields.get("rows", "tuple"),
                parameters=fields["parameters"],
                accuracy=_bound(bound),
                outputs=[as_row(x) for x in outputs] if isinstance(outputs, list) else None if giving else outputs,
                budget=_budget(fields.get("budget", {})),
                name=fields["name"],
                primitives=tuple(fields.get("primitives", ())),
                bounds=tuple(fields.get("bounds", ())),
            ),
            mechanism=fields.get("mechanism"),
            table=fields.get("table"),
            command=None if "command" not in fields else tuple(fields["command"]),
            specified=fields.get("specified"),
            truth=truth,
            samplers=tuple(fields.get("samplers", ())),
            neighbours=stating,
            outputs=giving,
            black_box=BlackBox(**fields.get("black_box", {})),
        )
    except FinitedpError as error:
        message = str(error)
        raise DataError(message if message.startswith(origin) else f"{origin}: {message}") from None
