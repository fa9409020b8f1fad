"""What the pytest plugin runs: one audit from the fields of a mark, with its complaint, properties and certificate."""

import hashlib
import inspect
import shlex
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Literal, Required, TypedDict, cast, get_args

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.certificates import file_stem, with_plain_labels, write_certificate
from finitedp.claim import Accuracy, FlexibleAccuracy, Neighbours, RenyiClaim
from finitedp.errors import ParameterError
from finitedp.exact import RationalLike, integer
from finitedp.numbers import power_of_two
from finitedp.proofs_check.audit.auditing import AuditRequest, AuditResult
from finitedp.proofs_check.audit.certificate import certificate, with_laws_apart
from finitedp.proofs_check.audit.laws import Rows, Style, explored
from finitedp.proofs_check.audit.shrinking import Patience, smallest
from finitedp.proofs_check.audit.stating import stated
from finitedp.proofs_check.audit.styles import source_of
from finitedp.proofs_check.checker import check
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.report import wording
from finitedp.proofs_check.report.divergences import DIVERGENCES, divergence_words
from finitedp.proofs_check.report.figures import deciding_words

__all__ = ["Audited", "Fields", "MarkFields", "Request", "request_of"]

Document = dict[str, Any]
_OF_BUDGET = "a dict of bits, runs, draws, depth, fanout and inputs"
Undecided = Literal["fail", "allow"]


class _Fields(TypedDict, total=False):
    """What a mark, or assert_private, says of a mechanism.

    neighbours, the relation; epsilon, delta (0) and ratio are rationals, "1/2", epsilon also "ln 3", and delta "2^-40"; renyi,
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
    budget: a dict of bits, runs, draws, depth and fanout (for each input) and inputs, or finitedp's Budget.
    samplers: functions that only sample, or their names "package.module:function", each explored once by itself.
    undecided: whether a verdict that is undecided, or holds with delta + u, is to "fail" (the default) or to be "allow"ed.
    name: the certificate's.
    """

    neighbours: Required[Neighbours]
    epsilon: RationalLike
    delta: RationalLike
    renyi: RenyiClaim | Mapping[str, RationalLike] | tuple[RationalLike, RationalLike] | None
    zcdp: RationalLike | None
    compose: int
    universe: Sequence[Hashable]
    ratio: RationalLike | None
    style: Style | None
    rows: Rows
    parameters: Mapping[str, Any] | None
    specified: Mapping[Any, Mapping[Any, Any]] | Callable[[Any], Mapping[Any, Any]] | None
    accuracy: Accuracy | FlexibleAccuracy | Mapping[str, Any] | tuple[Any, ...] | None
    truth: Callable[[Any], Any] | None
    budget: Budget | Mapping[str, int] | None
    samplers: Sequence[Callable[..., Any] | str]
    undecided: Undecided
    name: str | None


class Fields(_Fields, total=False):
    """What assert_private says of a mechanism: n, and the others."""

    n: Required[int]


class MarkFields(_Fields, total=False):
    """What the mark dp_claim says of a mechanism: n, one or several, and the others."""

    n: Required[int | Sequence[int]]


@frozen
class Audited:
    """An audit, what there is to say against the mechanism (maybe nothing), the test's properties, the certificate's file."""

    result: AuditResult
    complaint: str
    properties: Mapping[str, str]
    file: Path | None


# Fields


def request_of(fields: Mapping[str, Any]) -> "Request":
    """The request that fields make. Raises: ParameterError or ClaimError for one that is wrong."""
    names = sorted(Fields.__annotations__, key=lambda name: name not in Fields.__required_keys__)
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ParameterError(f"the field {unknown[0]!r} is unknown; accepted: {', '.join(names)}")
    missing = [name for name in names if name in Fields.__required_keys__ and name not in fields]
    if missing:
        raise ParameterError(f"the field {missing[0]!r} is missing")
    audit = AuditRequest(
        **stated(fields),
        n=integer(fields["n"], "n", at_least=0),
        universe=_labels(fields.get("universe", ())),
        rows=_one_of(fields.get("rows", "tuple"), "rows", get_args(Rows)),
        parameters=_kind_of(fields.get("parameters"), "parameters", "a dict of values by name", Mapping) or {},
        specified=_kind_of(
            fields.get("specified"), "specified", "a table of laws or a function of the data", Mapping, Callable
        ),
        accuracy=_accuracy(fields.get("accuracy")),
        truth=_kind_of(fields.get("truth"), "truth", "a function of the data", Callable),
        samplers=_samplers(fields.get("samplers", ())),
        budget=_made(Budget, fields.get("budget"), "budget", _OF_BUDGET) or Budget(),
    )
    return Request(
        audit=audit,
        style=_one_of(fields.get("style"), "style", (None, *get_args(Style))),
        undecided=_one_of(fields.get("undecided", "fail"), "undecided", get_args(Undecided)),
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
    name: str | None

    def run(self, mechanism: Any, test: str | None = None, number: int = 1, folder: Path | None = None) -> Audited:  # noqa: ANN401
        """Audit a mechanism.

        Parameters: test, the test that does so, and number, the place of this audit in it; folder, where to keep the
        certificate. Raises: ParameterError, ExplorationError; OSError if the certificate cannot be written.
        """
        name = self.name or test or str(getattr(mechanism, "__qualname__", "mechanism"))
        request = evolve(self.audit, style=self._style(mechanism), name=name, derived=_origin(mechanism, test))
        began = monotonic()
        result = request.run(mechanism)
        took = monotonic() - began
        document = certificate(with_plain_labels(result))
        stem = file_stem(test or name, number)
        kept, laws = with_laws_apart(document, f"{stem}.laws")
        file = None if folder is None else write_certificate(folder, stem, kept, laws)
        lines = _against(document, self.undecided)
        if lines:
            lines += self._next_step(mechanism, request, result, document, took)
        says = {"says": "\n".join(lines)} if lines else {}
        return Audited(result, "\n".join(lines), _properties(document, kept) | says, file)

    def _next_step(
        self, mechanism: Callable[..., Any], request: AuditRequest, result: AuditResult, document: Document, took: float
    ) -> Iterator[str]:
        """What to do about an audit that is not as claimed: the part of the budget to raise, another claim, the smallest."""
        if "undecided" in document["verdicts"].values():
            yield _budget_words(mechanism, request, result)
        if result.unresolved:
            yield from _inline_lines(document)
        if result.u is not None:
            stated = power_of_two(result.u) if not result.claim.delta else f"{result.claim.delta} + {power_of_two(result.u)}"
            yield f'next: claim it, delta = "{stated}"; or let it pass, undecided = "allow"'
        if set(document["verdicts"].values()) & {"fails", "differs"}:
            yield from _smallest_words(mechanism, request, self.undecided, Patience(took))

    def _style(self, mechanism: object) -> Style | None:
        """The style that was asked for, if the mechanism is of its kind, and "table" of a table. Raises: ParameterError."""
        table = isinstance(mechanism, Mapping) and all(isinstance(law, Mapping) for law in mechanism.values())
        style = self.style or ("table" if table else None)
        if not (table if style == "table" else callable(mechanism)):
            function, laws = "a function of (data, rng)", "a table, {input: {output: probability}}"
            accepted = f"{function}, or {laws}" if self.style is None else laws if style == "table" else function
            raise ParameterError(f"the mechanism is of type {type(mechanism).__name__}; accepted: {accepted}")
        return style


def _smallest_words(
    mechanism: Callable[..., Any], request: AuditRequest, undecided: Undecided, late: Patience
) -> Iterator[str]:
    """The smallest n and universe that fail too, and their witness; nothing where these are the smallest."""
    try:
        found = smallest(request, mechanism, lambda result: bool(_verdicts_of(result) & _BAD), late)
    except Exception as error:  # the code of others, at inputs that it was not asked for
        yield f"smaller inputs were not looked at: {type(error).__name__} there"
        return
    if found is None:
        if late.over:
            yield "smaller inputs were not all looked at: that took too long"
        return
    document = certificate(with_plain_labels(found))
    rejected = check(document)
    if rejected is not None:
        yield f"a smaller audit fails, but the lone checker rejects it: {rejected}"
        return
    universe = f", universe {wording.input_words(document['universe'])}" if document["universe"] else ""
    said = "smaller (the search for the smallest took too long)" if late.over else "smallest"
    yield f"{said}: n = {found.n}{universe}"
    if found.private == "fails":
        yield from wording.witness_lines(document, document["laws"])
    else:
        yield _against(document, undecided)[0].removeprefix("finitedp: ")


_BAD = {"fails", "differs"}


def _verdicts_of(result: AuditResult) -> set[str]:
    divergences = [found.verdict for found in (result.renyi, result.zcdp) if found is not None]
    return {result.private, result.law, result.accuracy, *divergences}


def _budget_words(mechanism: Callable[..., Any], request: AuditRequest, result: AuditResult) -> str:
    """Which part of the budget left mass unresolved: the input with most of it is followed once more."""
    runs, budget = 0, request.budget
    style, function = source_of(mechanism, request.style, request.parameters)

    def counted(*given: object) -> Hashable:
        nonlocal runs
        runs += 1
        return cast(Hashable, cast(Callable[..., Any], function)(*given, **request.parameters))

    explored(counted, max(result.laws, key=lambda x: result.laws[x].unresolved), style, request.rows, budget)
    if budget.bits is not None and result.unresolved <= mpq(1, 1 << budget.bits):
        return f"budget: raise bits (now {budget.bits})"
    spent = ("runs",) if runs >= 2 * budget.runs else ("draws", "depth")  # every path is run twice
    return "budget: raise " + " and ".join(f"{part} (now {getattr(budget, part)})" for part in spent)


def _inline_lines(document: Document) -> list[str]:
    """The declared samplers that were not taken alone, and why: what leaves more mass unresolved than their author thinks."""
    names = [sampler["name"] for sampler in document["derived"].get("samplers", []) if not sampler["alone"]]
    lines = [words for what, words in wording.found_lines(document) if what == "sampler"]
    return [f"sampler {words}" for words in lines if any(words.startswith(f"{name}: taken inline") for name in names)]


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
        "claim": _claim_words(document),
        "decides": deciding_words(document),
        **{key: verdict for key, verdict in document["verdicts"].items() if key != "tight"},
        "worst_ratio": document["worst_ratio"] or "unknown",
        "certificate": kept["sha256"],
    }


# Words


def _claim_words(document: Document) -> str:
    universe = f", universe {wording.input_words(document['universe'])}" if document["universe"] else ""
    return f"{wording.claim_words(document)}; n = {document['n']}{universe}"


def _against(document: Document, undecided: Undecided) -> list[str]:
    """The verdicts that a test fails for, the claim, and the witness in three lines; nothing where it does not."""
    bad = _BAD | ({"undecided", "holds with delta + u"} if undecided == "fail" else set())
    private, law, accuracy = (document["verdicts"][key] in bad for key in ("private", "law", "accuracy"))
    lines = [wording.private_words(document, document["laws"])] if private else []
    lines += [divergence_words(document, name) for name in DIVERGENCES if document["verdicts"].get(name) in bad]
    if law:
        lines.append(wording.law_words(document, document["laws"]))
    if accuracy:
        lines.append(wording.accuracy_words(document))
    if not lines:
        return []
    witness = wording.witness_lines(document, document["laws"]) if private else []
    return [f"finitedp: {lines[0]}", *lines[1:], f"claim: {_claim_words(document)}", *witness]
