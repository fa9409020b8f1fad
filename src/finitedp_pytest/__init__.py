"""The pytest plugin of finitedp: a mark and a helper that audit a mechanism exactly and fail with a witness.

    @pytest.mark.dp_claim(epsilon="11/10", neighbours="replace-one", universe=[0, 1], n=1)
    def test_response():
        return response  # a function of (rows, rng), or a table of laws

The library is imported when a marked test or assert_private runs, so that other test runs never load it.
PYTEST_DONT_REWRITE: there is no assertion here.
"""

import functools
import inspect
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from finitedp_pytest.summary import Summary, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from finitedp.proofs_check.audit.auditing import AuditResult
    from finitedp.pytest_audits import Audited, Fields, MarkFields, Request
    from finitedp.pytest_sampled import Sampled, SampledFields, SampledRequest


__all__ = ["assert_private", "dp_claim", "dp_sampled"]

_MARK = """\
dp_claim(epsilon, neighbours, n, delta=0, universe=(), ...): audit the mechanism that the test returns, or is given as its \
argument `mechanism`, exactly, and fail unless it is (epsilon, delta)-differentially private."""
_SAMPLED_MARK = """\
dp_sampled(epsilon, neighbours, n, samples=20000, error="1/1000000", ...): sample a mechanism that cannot be followed, and \
fail if that shows a violation; a true claim fails with probability at most `error`."""
_FOLDER = "finitedp_report"
_SARIF = "finitedp_sarif"
_AUDITED = pytest.StashKey[bool]()
_NUMBER = pytest.StashKey[int]()
_running: list[pytest.Item] = []  # the test that runs, innermost last


def dp_claim(**fields: "Unpack[MarkFields]") -> pytest.MarkDecorator:
    """The mark dp_claim, for type checkers: pytest.mark.dp_claim takes the same fields, unchecked."""
    return pytest.mark.dp_claim(**fields)


def dp_sampled(**fields: "Unpack[SampledFields]") -> pytest.MarkDecorator:
    """The mark dp_sampled, for type checkers: pytest.mark.dp_sampled takes the same fields, unchecked."""
    return pytest.mark.dp_sampled(**fields)


def assert_private(mechanism: Any, **fields: "Unpack[Fields]") -> "AuditResult | Any":  # noqa: ANN401  # code or a table
    """Audit a mechanism exactly, and return what was found if it is as claimed.

    Within a pytest run the audit is recorded as those of the mark are: as properties of the test, and as a certificate.
    Parameters: mechanism, a function of (data, rng) or a table of laws; fields, those of finitedp.pytest_audits.Fields.
    Of code that draws continuous noise the result is a PipelineResult (finitedp.proofs_check.audit.pipelines.auditing).
    Raises: AssertionError, with the witness, where it is not as claimed or that is undecided; ParameterError or
    ExplorationError for what cannot be audited.
    """
    __tracebackhide__ = True
    from finitedp.errors import FinitedpError  # noqa: PLC0415  # see the head
    from finitedp.pytest_audits import request_of  # noqa: PLC0415

    try:
        found: Audited = _recorded(mechanism, request_of(fields))
    except FinitedpError as error:
        raise error.with_traceback(None) from None
    if found.complaint:
        raise AssertionError(_words(found))
    return found.result


# The option and the test that runs


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options --finitedp-report and --finitedp-sarif."""
    group = parser.getgroup("finitedp", "exact audits of differential privacy")
    group.addoption("--finitedp-report", metavar="DIR", help="keep the certificate of every audit in this folder")
    group.addoption("--finitedp-sarif", metavar="FILE", help="write what is wrong as SARIF 2.1.0, for code scanning")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, and fix the folder of certificates (a worker of xdist is given it as an absolute path)."""
    config.addinivalue_line("markers", _MARK)
    config.addinivalue_line("markers", _SAMPLED_MARK)
    chosen = config.getoption(_FOLDER)
    if chosen is not None:
        config.option.finitedp_report = str(_usable(chosen, config.invocation_params.dir))
    if not hasattr(config, "workerinput"):  # a worker of xdist leaves it to the one that shares out the tests
        sarif = config.getoption(_SARIF)
        file = None if sarif is None else _writable(sarif, config.invocation_params.dir)
        config.pluginmanager.register(Summary(config.getoption(_FOLDER), file, config.rootpath), "finitedp-summary")


def _usable(chosen: str, start: Path) -> Path:
    """The folder, which is made where it does not exist. Raises: UsageError."""
    if not chosen.strip():
        raise pytest.UsageError("--finitedp-report: the name of the folder is empty")
    folder = (start / chosen).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise pytest.UsageError(f"--finitedp-report: {folder} cannot be used: {error.strerror}") from None


def _writable(chosen: str, start: Path) -> Path:
    """A file that can be written, whose folder is made where it does not exist. Raises: UsageError."""
    if not chosen.strip():
        raise pytest.UsageError("--finitedp-sarif: the name of the file is empty")
    file = (start / chosen).absolute()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.open("a").close()
    except OSError as error:
        raise pytest.UsageError(f"--finitedp-sarif: {file} cannot be written: {error.strerror}") from None
    return file


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Know the test that runs, for assert_private."""
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.pop()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Count audits from the start, also where a plugin runs a failed test again."""
    item.stash[_NUMBER] = 0
    item.stash[_AUDITED] = False
    item.user_properties[:] = [entry for entry in item.user_properties if not str(entry[0]).startswith("dp_")]


# The mark


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """A marked test of a kind that pytest_pyfunc_call never sees must not pass as if it had been audited."""
    done = yield
    if (item.get_closest_marker("dp_claim") or item.get_closest_marker("dp_sampled")) and not item.stash.get(_AUDITED, False):
        _fail("dp_claim does not work on this kind of test; accepted: functions, and methods of plain classes")
    return done


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a marked test and audit the mechanism, after the fields of its marks have been checked."""
    marks = [*pyfuncitem.iter_markers("dp_claim"), *pyfuncitem.iter_markers("dp_sampled")]
    if not marks:
        return (yield)
    pyfuncitem.stash[_AUDITED] = True
    requests = [request for mark in marks for request in _requests(mark)]
    with _returned_by(pyfuncitem) as returned:
        done = yield
    given = pyfuncitem.funcargs.get("mechanism")
    mechanisms = returned if returned or given is None else [given]
    if not mechanisms:
        _fail("dp_claim audits what the test returns, or its argument `mechanism`: there is neither")
    complaints = [_complaint(mechanism, request) for mechanism in mechanisms for request in requests]
    if any(complaints):
        pytest.fail("\n\n".join(filter(None, complaints)), pytrace=False)
    return done


@contextmanager
def _returned_by(test: pytest.Function) -> Iterator[list[object]]:
    """What a test returns, kept from pytest, which would warn of it."""
    body, returned = test.obj, list[object]()
    if inspect.iscoroutinefunction(body) or inspect.isasyncgenfunction(body):
        _fail("dp_claim does not work on async tests; accepted: functions, and methods of plain classes")

    @functools.wraps(body)
    def keeping(*args: object, **kwargs: object) -> None:
        __tracebackhide__ = True
        found = body(*args, **kwargs)
        if found is not None:
            returned.append(found)

    test.obj = keeping
    try:
        yield returned
    finally:
        test.obj = body


def _fail(message: str) -> NoReturn:
    pytest.fail(f"finitedp: {message}", pytrace=False)


def _requests(mark: pytest.Mark) -> "list[Request | SampledRequest]":
    """What a mark asks for, once for each n."""
    from finitedp.errors import FinitedpError  # noqa: PLC0415  # see the head

    if mark.args:
        _fail(f"{mark.name} was given {mark.args[0]!r} without a name; accepted: epsilon=..., neighbours=..., n=..., ...")
    sizes = mark.kwargs.get("n")
    one_each = [{**mark.kwargs, "n": n} for n in sizes] if isinstance(sizes, list | tuple | range) else [mark.kwargs]
    if not one_each:
        _fail(f"{mark.name}: n = {sizes!r} is empty; accepted: an integer of at least 0, or several")
    try:
        return [_request(mark.name, fields) for fields in one_each]
    except FinitedpError as error:
        reason = _line(error)
    _fail(f"{mark.name}: {reason}")


def _request(mark: str, fields: "Mapping[str, Any]") -> "Request | SampledRequest":
    if mark == "dp_sampled":
        from finitedp.pytest_sampled import sampled_request_of  # noqa: PLC0415  # see the head

        return sampled_request_of(fields)
    from finitedp.pytest_audits import request_of  # noqa: PLC0415

    return request_of(fields)


def _complaint(mechanism: object, request: "Request | SampledRequest") -> str:
    """What a mark has to say against a mechanism; empty where it is as claimed."""
    from finitedp.errors import FinitedpError  # noqa: PLC0415  # see the head

    try:
        return _words(_recorded(mechanism, request))
    except (FinitedpError, OSError) as error:
        return f"finitedp: cannot be audited: {_line(error)}"


def _words(found: "Audited | Sampled") -> str:
    """What there is to say against a mechanism, and where the certificate is; empty if there is nothing."""
    file = getattr(found, "file", None)
    return found.complaint if not found.complaint or file is None else f"{found.complaint}\ncertificate: {shown(file)}"


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _recorded(mechanism: Any, request: Any) -> Any:  # noqa: ANN401  # an Audited of a Request, a Sampled of a SampledRequest
    """Run an audit, and record it where a test runs: as properties, which land in JUnit XML (of a second audit dp_claim.2)."""
    from finitedp.errors import FinitedpError  # noqa: PLC0415  # see the head

    if not _running:
        return request.run(mechanism)
    item = _running[-1]
    number = item.stash[_NUMBER] = item.stash.get(_NUMBER, 0) + 1
    ending = f".{number}" if number > 1 else ""
    try:
        folder = item.config.getoption(_FOLDER)
        found = request.run(mechanism, item.nodeid, number, None if folder is None else Path(folder))
    except (FinitedpError, OSError) as error:
        item.user_properties.append((f"dp_refused{ending}", _line(error)))
        raise
    item.user_properties += [(f"dp_{key}{ending}", value) for key, value in found.properties.items()]
    return found
