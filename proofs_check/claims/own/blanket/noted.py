"""Arrays that note what numpy does with them: which function, and the shapes and types of what it is given."""

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

Log = list[tuple[object, ...]]

MODULES = tuple(f"finitedp.impl.histograms.blanket.{name}" for name in ("bulk", "limbs", "places"))
STRICT = ("apply_array", "release_array")
"""What is noted as one call: FD.Dyadic.arrays speaks of it, and a test of its own notes what it does."""


class _Noting:
    """Where notes are taken; None outside of a recording."""

    log: Log | None = None


def _shape(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype)
    if isinstance(value, list | tuple):
        return tuple(_shape(x) for x in value)
    return repr(value) if isinstance(value, slice | str | type | None) else type(value).__name__


def _note(name: str, *given: object) -> None:
    if _Noting.log is not None:
        _Noting.log.append((name, *(_shape(x) for x in given)))


def _plain(value: Any) -> Any:  # noqa: ANN401  # whatever numpy takes
    if isinstance(value, Noted):
        return value.view(np.ndarray)
    return type(value)(_plain(x) for x in value) if type(value) in (list, tuple) else value


def _wrapped(value: Any) -> Any:  # noqa: ANN401  # whatever numpy gives
    if type(value) is np.ndarray:
        return value.view(Noted)
    return type(value)(_wrapped(x) for x in value) if type(value) in (list, tuple) else value


class Noted(np.ndarray):
    """An array that notes operators, functions, indices and sorts. An index is noted by its shape, a scalar as it is."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:  # noqa: ANN401  # numpy's protocol
        _note(f"{ufunc.__name__}.{method}", *inputs)
        out = named.get("out")
        found = getattr(ufunc, method)(*_plain(inputs), **({k: _plain(v) for k, v in named.items()}))
        return out[0] if out is not None else _wrapped(found)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:  # noqa: ANN401  # as above
        _note(func.__name__, *args)
        return _wrapped(func(*_plain(args), **{k: _plain(v) for k, v in kwargs.items()}))

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401  # as above
        _note("getitem", self, key)
        return _wrapped(_plain(self)[_plain(key)])

    def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401  # as above
        _note("setitem", self, key, value)
        _plain(self)[_plain(key)] = _plain(value)

    def sort(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # as above
        """In place."""
        _note("sort", self)
        _plain(self).sort(*args, **kwargs)


class _Numpy:
    """Numpy, whose functions note what they are given and give arrays that note."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # as above
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found) or isinstance(found, np.ufunc):
            return found
        return _noting(name, found)


def _noting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # as above
        _note(name, *(x for x in args if not isinstance(x, bytes)))
        return _wrapped(function(*_plain(args), **{k: _plain(v) for k, v in kwargs.items()}))

    return noted


@contextmanager
def _recording(log: Log) -> Iterator[None]:
    modules = [importlib.import_module(name) for name in MODULES]
    before = [(module, name, value) for module in modules for name, value in vars(module).items() if name in ("np", *STRICT)]
    for module, name, value in before:
        setattr(module, name, _Numpy() if name == "np" else _noting(name, value))
    _Noting.log = log
    try:
        yield
    finally:
        _Noting.log = None
        for module, name, value in before:
            setattr(module, name, value)


def operations(run: Callable[[], object]) -> Log:
    """What `run` does with arrays in the blanket's modules, but for the last indices, which take out what is released."""
    log: Log = []
    with _recording(log):
        run()
    while log and log[-1][0] == "getitem":
        log.pop()
    return log
