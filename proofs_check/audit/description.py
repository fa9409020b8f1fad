"""Descriptions of audits, TOML files that can be committed beside the mechanism: read, checked and turned into calls of audit.

audit.schema.json beside this module describes the fields. A function is named as "file.py:function", from the folder of the
description, or as "package.module:function"; a class is made with the parameters, and its method `release` is the mechanism.
"""

import hashlib
import importlib
import json
import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, FlexibleAccuracy
from finitedp.errors import DataError, FinitedpError
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.proofs_check.audit.certificate import validate
from finitedp.proofs_check.audit.stating import privacy_claim
from finitedp.proofs_check.audit.tables import read_table
from finitedp.proofs_check.black_box.commands import Command
from finitedp.proofs_check.black_box.search import BlackBoxResult, black_box_audit
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.parallel import HERE, Workers

__all__ = ["BlackBox", "Description", "load", "read_descriptions"]

Document = dict[str, Any]


@frozen
class BlackBox:
    """How a closed program is sampled: samples in all; confidence, a rational below 1; timeout of a run, in seconds."""

    samples: int = 10_000
    confidence: str | int = "99/100"
    timeout: int = 60


@frozen(kw_only=True)
class Description:
    """One audit that a file describes: what is asked, with functions and tables still named by where they are.

    One of mechanism, table and command is given. specified, truth: where the laws and the true values are, if they are given.
    """

    path: Path
    request: AuditRequest
    mechanism: str | None
    table: str | None
    command: tuple[str, ...] | None
    specified: str | None
    truth: str | None
    black_box: BlackBox

    @property
    def name(self) -> str:
        """What the audit is called."""
        return self.request.name

    def run(self, workers: Workers = HERE, progress: Callable[[int, int], None] | None = None) -> AuditResult:
        """The exact audit. Raises: DataError, ParameterError, ExplorationError."""
        folder, parameters = self.path.parent, self.request.parameters
        if self.table is not None:
            mechanism: Any = read_table(folder / self.table)
        elif self.mechanism is not None:
            mechanism = load(self.mechanism, folder)
            if isinstance(mechanism, type):
                mechanism, parameters = _release_of(mechanism, self.mechanism, parameters), {}
        else:
            raise DataError(f"{self.path}: a command has no law that can be derived; only the black-box test applies to it")
        request = evolve(
            self.request,
            parameters=parameters,
            specified=None if self.specified is None else _laws(self.specified, folder),
            truth=None if self.truth is None else load(self.truth, folder),
            derived=self._derived(),
        )
        return request.run(mechanism, workers, progress)

    def sample(self) -> BlackBoxResult:
        """The black-box audit of a command, run in the folder of the description. Raises: DataError, SamplerError, ..."""
        if self.command is None:
            raise DataError(f"{self.path}: only a command is sampled; `finitedp black-box` samples other things")
        request = self.request
        if request.accuracy is not None:
            raise DataError(f"{self.path}: accuracy of a command is not sampled; accepted: a claim, `specified`")
        return black_box_audit(
            Command(self.command, self.black_box.timeout, self.path.parent),
            request.claim,
            samples=self.black_box.samples,
            n=request.n,
            universe=request.universe,
            confidence=self.black_box.confidence,
            specified=None if self.specified is None else _laws(self.specified, self.path.parent),
            name=request.name,
        )

    def _derived(self) -> Document:
        """What a certificate says of the origin."""
        source = self.table or str(self.mechanism).split(":", maxsplit=1)[0]
        file = self.path.parent / source
        return {
            "command": f"finitedp audit {self.path.name}",
            "description_sha256": hashlib.sha256(self.path.read_bytes()).hexdigest(),
            **(
                {"table": self.table}
                if self.table
                else {"mechanism": self.mechanism, "parameters": dict(self.request.parameters)}
            ),
            **({"source_sha256": hashlib.sha256(file.read_bytes()).hexdigest()} if file.is_file() else {}),
        }


# Functions


def load(place: str, folder: Path) -> Any:  # noqa: ANN401  # a function or a class
    """The function or class at "file.py:name" (from `folder`) or "package.module:name". Raises: DataError."""
    where, _, name = place.rpartition(":")
    module = _module_of_file(folder / where) if where.endswith(".py") else _installed(where)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise DataError(f"{where} has no {name!r}")
        found = getattr(found, part)
    if not callable(found):
        raise DataError(f"{place} is not a function, but {type(found).__name__}")
    return found


@cache
def _module_of_file(path: Path) -> ModuleType:
    """The module in a file. It is not in sys.modules, so that its functions are sent to other processes whole."""
    module = ModuleType(f"{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))  # as Python does for a file that it runs
    sys.modules[module.__name__] = module  # while it is made: dataclasses look there
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102  # the code that is to be audited
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    except (Exception, SystemExit) as error:
        raise DataError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        del sys.modules[module.__name__]
    return module


def _installed(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise DataError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def _release_of(kind: type, place: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    try:
        release = kind(**parameters).release
    except FinitedpError:
        raise
    except Exception as error:
        raise DataError(f"{place} cannot be made: {type(error).__name__}: {error}") from error
    return cast(Callable[..., Any], release)


def _laws(place: str, folder: Path) -> Any:  # noqa: ANN401  # a function of the data, or a table
    """What the laws should be: "file.py:function" of the data, or a file of laws."""
    return load(place, folder) if ":" in place else read_table(folder / place)


# Files


@cache
def _schema() -> Document:
    return cast(Document, json.loads(Path(__file__).with_name("audit.schema.json").read_text(encoding="utf-8")))


def read_descriptions(path: Path) -> list[Description]:
    """The audits that a TOML file describes: one for each instance and n. Raises: DataError with the field that is wrong."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    validate(document, _schema(), str(path))
    instances = document.pop("instances", [{}])
    found = []
    for i, instance in enumerate(instances, start=1):
        fields = {**document, **instance}
        fields["parameters"] = {**document.get("parameters", {}), **instance.get("parameters", {})}
        above = document.get("claim", {})
        fields["claim"] = {**_only(above, "neighbours"), **instance["claim"]} if "claim" in instance else above
        sizes = _field(path, fields, "n")
        for n in sizes if isinstance(sizes, list) else [sizes]:
            name = fields.get("name", path.stem)
            numbered = f", instance {i}" if len(instances) > 1 and "name" not in instance else ""
            of_size = f", n = {n}" if isinstance(sizes, list) else ""
            found.append(_description(path, {**fields, "n": n, "name": f"{name}{numbered}{of_size}"}))
    return found


def _bound(fields: Document) -> Accuracy | FlexibleAccuracy | None:
    """The accuracy claim; one that names a statistic is flexible. Raises: ParameterError."""
    if not fields:
        return None
    if "statistic" not in fields:
        return Accuracy(**fields)
    return FlexibleAccuracy(**{"beta": 0, "gamma": 0, **fields})


def _only(fields: Document, name: str) -> Document:
    return {name: fields[name]} if name in fields else {}


def _field(path: Path, fields: Document, name: str) -> Any:  # noqa: ANN401  # of any type
    if name not in fields:
        raise DataError(f"{path}: {name} is missing")
    return fields[name]


def _description(path: Path, fields: Document) -> Description:
    sources = [name for name in ("mechanism", "table", "command") if name in fields]
    if len(sources) != 1:
        raise DataError(f"{path}: {' and '.join(sources) or 'nothing'} given; accepted: one of mechanism, table, command")
    claim, bound = fields["claim"], dict(fields.get("accuracy", {}))
    if claim.get("neighbours") != "counts":
        _field(path, fields, "universe")
    truth, epsilon, relation = bound.pop("truth", None), _field(path, claim, "epsilon"), _field(path, claim, "neighbours")
    try:
        return Description(
            path=path,
            request=AuditRequest(
                claim=privacy_claim(epsilon, relation, claim.get("delta", mpq(0)), claim.get("ratio")),
                n=fields["n"],
                universe=fields.get("universe", ()),
                style="table" if "table" in fields else fields.get("style"),
                rows=fields.get("rows", "tuple"),
                parameters=fields["parameters"],
                accuracy=_bound(bound),
                budget=Budget(**fields.get("budget", {})),
                name=fields["name"],
            ),
            mechanism=fields.get("mechanism"),
            table=fields.get("table"),
            command=None if "command" not in fields else tuple(fields["command"]),
            specified=fields.get("specified"),
            truth=truth,
            black_box=BlackBox(**fields.get("black_box", {})),
        )
    except FinitedpError as error:
        message = str(error)
        raise DataError(message if message.startswith(str(path)) else f"{path}: {message}") from None
