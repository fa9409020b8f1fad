"""Functions, classes and tables that a description names: "file.py:function", "package.module:function", or a file of laws."""

import hashlib
import importlib
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from finitedp.errors import DataError, FinitedpError
from finitedp.proofs_check.audit.beside import Beside, local_imports
from finitedp.proofs_check.audit.tables import read_table

_LISTED = 6  # names of a module in a message


def load(place: str, folder: Path) -> Any:  # noqa: ANN401  # a function or a class
    """The function or class at "file.py:name" (from `folder`) or "package.module:name". Raises: DataError."""
    owner, name = owner_of(place, folder)
    return getattr(owner, name)


def owner_of(place: str, folder: Path) -> tuple[Any, str]:
    """The module or class that has what load() loads, and the name that it has there. Raises: DataError."""
    where, _, name = place.rpartition(":")
    module = _module_of_file(folder / where) if where.endswith(".py") else _installed(where)
    owner: Any = None
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise DataError(f"{where} has no {name!r}{_what_it_has(module)}")
        owner, value = value, getattr(value, part)
    if not callable(value):
        raise DataError(f"{place} is not a function, but {type(value).__name__}")
    return owner, name.rpartition(".")[2]


def _what_it_has(module: ModuleType) -> str:
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    public = [name for name in own if not name.startswith("_")]
    return f"; accepted: {', '.join(public[:_LISTED])}{', ...' * (len(public) > _LISTED)}" if public else ""


def _module_of_file(path: Path) -> ModuleType:
    """The module in a file, as it stands there now. Raises: DataError."""
    try:
        text, place = path.read_bytes(), path.resolve()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    beside = local_imports(place, text)
    _refuse_another(beside)
    folder = str(place.parent)
    sys.path[:] = [folder, *(entry for entry in sys.path if entry != folder)]  # as Python does for a file that it runs
    module = _module_of(place, path, text)
    _beside.update({name: one for name, one in beside.items() if _is_of(one.path, sys.modules.get(name))})
    return module


@cache
def _module_of(place: Path, path: Path, text: bytes) -> ModuleType:
    """The module of a text. It is not in sys.modules, so that its functions are sent to other processes whole."""
    module = ModuleType(f"{path.stem}_{hashlib.sha256(str(place).encode()).hexdigest()[:12]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # while it is made: dataclasses look there
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102  # the code that is to be audited
    except (Exception, SystemExit) as error:
        raise DataError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        del sys.modules[module.__name__]
    return module


# Modules beside a file: Python knows one of each name, for the life of a process


_beside: dict[str, Beside] = {}  # by name, of all files that were loaded


def _is_of(path: Path, module: ModuleType | None) -> bool:
    """Whether a module is the one of a file, or not there yet, such as one that is imported in a function."""
    file = None if module is None else getattr(module, "__file__", None)
    return module is None or (file is not None and Path(file).resolve() == path)


def _refuse_another(beside: Mapping[str, Beside]) -> None:
    """Refuse modules that Python would take for others. Raises: DataError."""
    for name, now in beside.items():
        before = _beside.get(name)
        if before is None or before == now:
            continue
        if before.path == now.path:
            raise DataError(f"{now.path} has changed since it was imported; accepted: a new process")
        raise DataError(
            f"{now.path} is imported as {name}, but {before.path} is loaded under that name; accepted: a process for each"
        )


def _installed(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise DataError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error


def release_of(kind: type, place: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
    """The mechanism of a class: the method `release` of what is made with the parameters. Raises: DataError."""
    try:
        release = getattr(kind(**parameters), "release", None)
    except FinitedpError:
        raise
    except Exception as error:
        made = ", ".join(parameters) or "none"
        raise DataError(f"{place} cannot be made: {type(error).__name__}: {error}; the parameters given: {made}") from error
    if not callable(release):
        raise DataError(f"{place} is a class without a method `release`; accepted: one with it, or a function")
    return cast(Callable[..., Any], release)


def laws_at(place: str, folder: Path) -> Any:  # noqa: ANN401  # a function of the data, or a table
    """What the laws should be: "file.py:function" of the data, or a file of laws."""
    return load(place, folder) if ":" in place else read_table(folder / place)
