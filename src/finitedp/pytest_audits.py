"""What the pytest plugin runs: one audit from the fields of a mark, with its complaint, properties and certificate."""

import hashlib
import inspect
import shlex
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, cast, get_args

from attrs import evolve, frozen

from finitedp.certificates import file_stem, with_plain_labels, write_certificate
from finitedp.claim import Accuracy, FlexibleAccuracy, Neighbours, RenyiClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from finitedp.proofs_check.audit.laws import Rows, Style
from finitedp.proofs_check.audit.outputs import Outputs
from finitedp.proofs_check.audit.relation import Stated
from finitedp.proofs_check.audit.stating import stated
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.report.figures import ROUNDING, deciding_words, private_verdict
from finitedp.pytest_smallest import Patience
from finitedp.pytest_words import FAILING, against, claim_and_size, next_steps

if TYPE_CHECKING:
    from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult

__all__ = ["Audited", "Fields", "MarkFields", "Request", "request_of"]

Document = dict[str, Any]
_OF_BUDGET = "a dict of bits, runs, draws, depth, fanout and inputs"
Undecided = Literal["fail", "allow"]
Rounding = Literal["fail", "warn"]


class _Fields(TypedDict, total=False):
    """What a mark, or assert_private, says of a mechanism.

    neighbours, the relation, or pairs of inputs, or a function (of nothing, which gives pairs, or of two inputs, which says
    whether they are neighbours; pairs need neither n nor universe);
    epsilon, delta (0) and ratio are rationals, "1/2", epsilon also "ln 3", and delta "2^-40"; renyi,
    (order, epsilon), and zcdp, rho, are claimed of Renyi divergences, beside epsilon or in its place; compose (1), of how many
    runs on the same data all of these are claimed, together;
    universe, the labels of a row; n, the number of rows (add-remove: the largest; counts: the largest count), in a mark also
    several of them.
    style: what the code draws from, "random" (a random.Random), "numpy" (a generator of numpy), "coins" or "none" (a module);
    by default what its signature says, and "table" for a table.
    rows: whether it wants a "tuple" (the default) or a "list". parameters: passed to it by name.
    specified: the laws it should have, a table or a function of the data.
    accuracy: (a, beta) or (a, beta, kind), or finitedp's Accuracy; or, up to rows left out, a dict of statistic, beta, gamma
    and dropped or alpha, or finitedp's FlexibleAccuracy; truth: the function of the data that is estimated.
    outputs: all that it can return, a list or "1..6", which verdicts then assume of unresolved mass.
    budget: a dict of bits, runs, draws, depth and fanout (for each input) and inputs, or finitedp's Budget.
    samplers: functions that only sample, or their names "package.module:function", each explored once by itself.
    primitives: functions that draw continuous noise, each a dict of function, law, location and scale.
    bounds: functions whose value is assumed to be within a bound, each a dict of name, function, of, norm, most, maybe shape.
    undecided: whether a verdict that is undecided, or holds with delta + u, is to "fail" (the default) or to be "allow"ed.
    rounding: whether a claim that fails by rounding only, so that at most 2^-32 more of delta makes it true, is to "fail" (the
    default), or to pass with a "warn"ing.
    name: the certificate's.
    """

    neighbours: Required[Neighbours | Stated]
    epsilon: RationalLike
    delta: RationalLike
    renyi: RenyiClaim | Mapping[str, RationalLike] | tuple[RationalLike, RationalLike] | None
    zcdp: RationalLike | None
    primitives: Sequence[Mapping[str, str]]
    bounds: Sequence[Mapping[str, Any]]
    compose: int
    universe: Sequence[Hashable]
    ratio: RationalLike | None
    style: Style | None
    rows: Rows
    parameters: Mapping[str, Any] | None
    specified: Mapping[Any, Mapping[Any, Any]] | Callable[[Any], Mapping[Any, Any]] | None
    accuracy: Accuracy | FlexibleAccuracy | Mapping[str, Any] | tuple[Any, ...] | None
    truth: Callable[[Any], Any] | None
    outputs: Outputs | None
    budget: Budget | Mapping[str, int] | None
    samplers: Sequence[Callable[..., Any] | str]
    undecided: Undecided
    rounding: Rounding
    name: str | None


class Fields(_Fields, total=False):
    """What assert_private says of a mechanism: n, and the others."""

    n: int


class MarkFields(_Fields, total=False):
    """What the mark dp_claim says of a mechanism: n, one or several, and the others."""

    n: int | Sequence[int]


@frozen
class Audited:
    """An audit, what there is to say against the mechanism (maybe nothing), the test's properties, the certificate's file."""

    result: "AuditResult | PipelineResult"
    complaint: str
    properties: Mapping[str, str]
    file: Path | None


# Fields


def request_of(fields: Mapping[str, Any]) -> "Request":
    """The request that fields make. Raises: ParameterError or ClaimError for one that is wrong."""
    names = sorted(Fields.__annotations__, key=lambda name: name not in ("neighbours", "n"))
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ParameterError(f"the field {unknown[0]!r} is unknown; accepted: {', '.join(names)}")
    needed = ("neighbours", "n") if isinstance(fields.get("neighbours"), str) else ("neighbours",)
    missing = [name for name in needed if fields.get(name) is None]
    if missing:
        raise ParameterError(f"the field {missing[0]!r} is missing")
    labels = _labels(fields.get("universe", ()))
    audit = AuditRequest(
        **stated(fields, labels),
        n=None if fields.get("n") is None else integer(fields["n"], "n", at_least=0),
        universe=labels,
        rows=_one_of(fields.get("rows", "tuple"), "rows", get_args(Rows)),
        parameters=_kind_of(fields.get("parameters"), "parameters", "a dict of values by name", Mapping) or {},
        specified=_kind_of(
            fields.get("specified"), "specified", "a table of laws or a function of the data", Mapping, Callable
        ),
        accuracy=_accuracy(fields.get("accuracy")),
        truth=_kind_of(fields.get("truth"), "truth", "a function of the data", Callable),
        outputs=fields.get("outputs"),
        samplers=_samplers(fields.get("samplers", ())),
        primitives=_kind_of(fields.get("primitives", ()), "primitives", "a list of dicts", list, tuple),
        bounds=_kind_of(fields.get("bounds", ()), "bounds", "a list of dicts", list, tuple),
        budget=_made(Budget, fields.get("budget"), "budget", _OF_BUDGET) or Budget(),
    )
    return Request(
        audit=audit,
        style=_one_of(fields.get("style"), "style", (None, *get_args(Style))),
        undecided=_one_of(fields.get("undecided", "fail"), "undecided", get_args(Undecided)),
        rounding=_one_of(fields.get("rounding", "fail"), "rounding", get_args(Rounding)),
        name=_kind_of(fields.get("name"), "name", "a string", str),
    )


def _kind_of(value: Any, field: str, accepted: str, *kinds: Any) -> Any:  # noqa: ANN401  # an optional field
    if value is not None and not isinstance(value, kinds):
        raise ParameterError(f"{field} = {value!r} cannot be used; accepted: {accepted}")
    return value


def _one_of(value: Any, field: str, accepted: Sequence[Any]) -> Any:  # noqa: ANN401  # one of several literals
    if value not in accepted:
        raise ParameterError(f"{field} = {value!r} is unknown; accepted: {', '.join(x for x in accepted if x is not None)}")
    return value


def _samplers(value: Any) -> tuple[Any, ...]:  # noqa: ANN401  # whatever was given
    listed = tuple(value) if isinstance(value, list | tuple) else None
    if listed is None or not all(isinstance(x, str) or callable(x) for x in listed):
        raise ParameterError(f"samplers = {value!r:.60} cannot be used; accepted: a list of functions, or of their names")
    return listed


def _labels(universe: Any) -> tuple[Hashable, ...]:  # noqa: ANN401  # whatever was given
    try:
        labels = tuple(universe)
        hash(labels)
    except TypeError as error:
        raise ParameterError(f"universe = {universe!r:.60}: {error}; accepted: a sequence of hashable labels") from None
    return labels


def _made(kind: Callable[..., Any], value: Any, field: str, accepted: str) -> Any:  # noqa: ANN401
    """A field that the library has a class for."""
    if value is None or isinstance(value, cast(type, kind)):
        return value
    try:
        return kind(**value) if isinstance(value, Mapping) else kind(*value)
    except TypeError:
        raise ParameterError(f"{field} = {value!r} cannot be used; accepted: {accepted}") from None


def _accuracy(value: object) -> Accuracy | FlexibleAccuracy | None:
    if isinstance(value, FlexibleAccuracy):
        return value
    if isinstance(value, Mapping) and "statistic" in value:
        flexible: FlexibleAccuracy = _made(
            FlexibleAccuracy, {"beta": 0, "gamma": 0, **value}, "accuracy", "statistic, beta, gamma, and dropped or alpha"
        )
        return flexible
    made: Accuracy | None = _made(Accuracy, value, "accuracy", "(a, beta) or (a, beta, kind)")
    return made


# Audits


@frozen(kw_only=True)
class Request:
    """The fields of one audit, checked; the style and the name are those of the mechanism where they are left out."""

    audit: AuditRequest
    style: Style | None
    undecided: Undecided
    rounding: Rounding
    name: str | None

    def run(self, mechanism: Any, test: str | None = None, number: int = 1, folder: Path | None = None) -> Audited:  # noqa: ANN401
        """Audit a mechanism.

        Parameters: test, the test that does so, and number, the place of this audit in it; folder, where to keep the
        certificate. Raises: ParameterError, ExplorationError; OSError if the certificate cannot be written.
        """
        name = self.name or test or str(getattr(mechanism, "__qualname__", "mechanism"))
        request = evolve(self.audit, style=self._style(mechanism), name=name, derived=_origin(mechanism, test))
        began = monotonic()
        result = request.decide(mechanism)
        took = monotonic() - began
        if not isinstance(result, AuditResult):
            return self._of_pipeline(result, folder, file_stem(test or name, number))
        document = certificate(with_plain_labels(result))
        stem = file_stem(test or name, number)
        kept, laws = with_laws_apart(document, f"{stem}.laws")
        file = None if folder is None else write_certificate(folder, stem, kept, laws)
        lines = against(document, self._bad)
        if lines:
            lines += next_steps(mechanism, request, result, document, self._bad, Patience(took))
        elif private_verdict(document) == ROUNDING:
            told = against(document, {ROUNDING})
            warnings.warn("\n".join([name, *told]), stacklevel=2)
            return Audited(result, "", _properties(document, kept) | {"says": "\n".join(told)}, file)
        says = {"says": "\n".join(lines)} if lines else {}
        return Audited(result, "\n".join(lines), _properties(document, kept) | says, file)

    def _of_pipeline(self, result: "PipelineResult", folder: Path | None, stem: str) -> Audited:
        """What there is to say of code that draws continuous noise."""
        from finitedp.proofs_check.audit.pipelines.auditing import certificate as of_pipeline  # noqa: PLC0415  # numpy
        from finitedp.proofs_check.audit.pipelines.telling import rows_of, verdict_in_short  # noqa: PLC0415  # the same

        rows = rows_of(result)
        document, verdict, told = of_pipeline(result, rows), verdict_in_short(result), dict(rows)
        file = None if folder is None else write_certificate(folder, stem, document, None)
        words = "\n".join(f"{question}: {answer}" for question, answer in told.items())
        bad = verdict in self._bad
        if verdict == ROUNDING and not bad:
            warnings.warn(f"{result.name}\n{words}", stacklevel=3)
        found = {"claim": told["claim"], "private": result.private, "says": words, "certificate": document["sha256"]}
        return Audited(result, f"finitedp: {words}" if bad else "", found, file)

    @property
    def _bad(self) -> set[str]:
        """The verdicts that a test fails for."""
        more = {"undecided", "holds with delta + u"} if self.undecided == "fail" else set()
        return FAILING | more | ({ROUNDING} if self.rounding == "fail" else set())

    def _style(self, mechanism: object) -> Style | None:
        """The style that was asked for, if the mechanism is of its kind, and "table" of a table. Raises: ParameterError."""
        table = isinstance(mechanism, Mapping) and all(isinstance(law, Mapping) for law in mechanism.values())
        style = self.style or ("table" if table else None)
        if not (table if style == "table" else callable(mechanism)):
            function, laws = "a function of (data, rng)", "a table, {input: {output: probability}}"
            accepted = f"{function}, or {laws}" if self.style is None else laws if style == "table" else function
            raise ParameterError(f"the mechanism is of type {type(mechanism).__name__}; accepted: {accepted}")
        return style


def _origin(mechanism: object, test: str | None) -> Document:
    """What a certificate says of the origin, for a reader."""
    origin = {}
    if hasattr(mechanism, "__qualname__"):
        origin["mechanism"] = f"{mechanism.__module__}:{mechanism.__qualname__}"
        with suppress(TypeError, OSError):
            source = inspect.getsourcefile(inspect.unwrap(cast(Callable[..., Any], mechanism))) or ""
            origin["source_sha256"] = hashlib.sha256(Path(source).read_bytes()).hexdigest()
    if test is not None:
        origin |= {"test": test, "command": shlex.join(["pytest", test, "--finitedp-report", "DIR"])}
    return origin


def _properties(document: Document, kept: Document) -> dict[str, str]:
    return {
        "claim": claim_and_size(document),
        "decides": deciding_words(document),
        **{key: verdict for key, verdict in document["verdicts"].items() if key != "tight"},
        "private": private_verdict(document),
        "worst_ratio": document["worst_ratio"] or "unknown",
        "certificate": kept["sha256"],
    }
