"""What the mark dp_sampled runs: samples of a mechanism that cannot be followed, against its claim, at a fixed error rate."""

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Required, TypedDict, get_args

from attrs import frozen
from gmpy2 import mpq

from finitedp.certificates import file_stem
from finitedp.claim import Neighbours
from finitedp.cli.black_box import findings_as_json
from finitedp.cli.console import as_json_text, write_whole
from finitedp.errors import ExplorationError, ParameterError, SamplerError
from finitedp.exact import RationalLike, integer, probability
from finitedp.impl.randomness.coins import StrictCoins
from finitedp.numbers import decimal
from finitedp.proofs_check.audit.laws import Rows, Style, types_of
from finitedp.proofs_check.audit.stating import privacy_claim
from finitedp.proofs_check.audit.styles import source_of
from finitedp.proofs_check.black_box.search import BlackBoxResult, SampleRequest
from finitedp.proofs_check.engine.stand_ins.outputs import freeze

__all__ = ["Sampled", "SampledFields", "SampledRequest", "sampled_request_of"]


class SampledFields(TypedDict, total=False):
    """What the mark dp_sampled says of a mechanism: the fields of dp_claim that samples can speak of, and how many are drawn.

    samples: in all (20,000). error: the probability, a rational, with which a claim that is true is said to be violated
    ("1/1000000"). seed: of a random.Random or numpy Generator, for runs that repeat; else the operating system is the source.
    """

    epsilon: Required[RationalLike]
    neighbours: Required[Neighbours]
    n: Required[int | Sequence[int]]
    delta: RationalLike
    universe: Sequence[Hashable]
    ratio: RationalLike | None
    style: Style | None
    rows: Rows
    parameters: Mapping[str, Any] | None
    specified: Mapping[Any, Any] | Callable[[Any], Any] | None
    samples: int
    error: RationalLike
    seed: int | None
    name: str | None


@frozen
class Sampled:
    """What samples showed: what there is to say against the mechanism (maybe nothing), and the test's properties."""

    result: BlackBoxResult
    complaint: str
    properties: Mapping[str, str]


@frozen
class SampledRequest:
    """The fields of one sampled audit, checked."""

    fields: Mapping[str, Any]
    error: mpq

    def run(self, mechanism: Any, test: str, number: int, folder: Path | None) -> Sampled:  # noqa: ANN401  # code
        """Sample a mechanism. Raises: ParameterError, SamplerError; OSError if the findings cannot be written."""
        if not callable(mechanism):
            raise ParameterError(f"the mechanism is of type {type(mechanism).__name__}; accepted: a function of (data, rng)")
        fields = self.fields
        request = SampleRequest(
            claim=privacy_claim(fields["epsilon"], fields["neighbours"], fields.get("delta", 0), fields.get("ratio")),
            samples=integer(fields.get("samples", 20_000), "samples", at_least=1),
            n=integer(fields["n"], "n", at_least=0),
            universe=tuple(fields.get("universe", ())),
            confidence=1 - self.error / (1 if fields.get("specified") is None else 2),  # of privacy, and of the law
            pairs=None,
            specified=fields.get("specified"),
            features=None,
            name=fields.get("name") or test,
        )
        found = request.run(_sampler(mechanism, fields))
        if folder is not None:
            write_whole(folder / f"{file_stem(test, number)}.samples", as_json_text(findings_as_json(found)) + "\n")
        bad = found.violated or found.law == "differs"
        said = found.says if found.violated or found.fit is None else found.fit.says
        complaint = f"finitedp: by samples, with an error of at most {self.error}: {said}" if bad else ""
        relation = f"{found.claim.neighbours}; n = {request.n}"
        properties = {
            "claim": f"({found.claim.epsilon}, {found.claim.delta})-differential privacy, {relation}",
            "private": found.private,
            "law": found.law,
            "sampled": f"{found.samples} samples, error at most {self.error}",
            "decides": f"epsilon at least {decimal(found.epsilon_at_least, 4)} at delta = {found.claim.delta}",
        }
        return Sampled(found, complaint, properties | ({"says": complaint} if bad else {}))


def sampled_request_of(fields: Mapping[str, Any]) -> SampledRequest:
    """The request that fields make. Raises: ParameterError or ClaimError for one that is wrong."""
    names = list(SampledFields.__annotations__)
    unknown = [name for name in fields if name not in names]
    if unknown:
        raise ParameterError(f"the field {unknown[0]!r} is unknown; accepted: {', '.join(names)}")
    missing = [name for name in ("epsilon", "neighbours", "n") if name not in fields]
    if missing:
        raise ParameterError(f"the field {missing[0]!r} is missing")
    privacy_claim(fields["epsilon"], fields["neighbours"], fields.get("delta", 0), fields.get("ratio"))
    style = fields.get("style")
    if style is not None and (style == "table" or style not in get_args(Style)):
        raise ParameterError(f"style = {style!r} is unknown; accepted: coins, random, numpy, none")
    if fields.get("seed") is not None:
        integer(fields["seed"], "seed", at_least=0)
    error = probability(fields.get("error", "1/1000000"), "error", zero=False, one=False)
    return SampledRequest(dict(fields), error)


def _sampler(mechanism: Callable[..., Any], fields: Mapping[str, Any]) -> Callable[[Any, int], Iterator[Any]]:
    """A sampler that runs the mechanism again and again."""
    parameters = dict(fields.get("parameters") or {})
    style, function = source_of(mechanism, fields.get("style"), parameters)
    given = _source(style, fields.get("seed"))
    call: Callable[..., Any] = function  # type: ignore[assignment]  # a function, since it is no table
    refuse_what_looks_alike = _looking_alike()

    def one(data: Any) -> Any:  # noqa: ANN401  # an input and an output
        rows = list(data) if fields.get("rows") == "list" and isinstance(data, tuple) else data
        try:
            output = call(rows, *given, **parameters)
        except Exception as error:
            raise SamplerError(f"at the input {data!r} the mechanism raised {type(error).__name__}: {error}") from error
        refuse_what_looks_alike(output)
        return output

    return lambda data, samples: (one(data) for _ in range(samples))


def _looking_alike() -> Callable[[Any], None]:
    """A check of outputs, one by one: samples are counted by equality, which has to be all that anybody could see of them."""
    seen: dict[Hashable, str] = {}

    def refuse(output: Any) -> None:  # noqa: ANN401  # an output of any kind
        try:
            value = freeze(output)
        except ExplorationError as error:
            raise SamplerError(str(error)) from None
        types = types_of(value)
        if seen.setdefault(value, types) != types:
            raise SamplerError(f"two outputs equal {value!r} but are of different types, {seen[value]} and {types}")

    return refuse


def _source(style: Style, seed: int | None) -> tuple[Any, ...]:
    """What the mechanism is given after its data."""
    if style == "none":
        return ()
    if style == "coins":
        return (StrictCoins(),)
    if style == "numpy":
        import numpy as np  # noqa: PLC0415  # only for code that draws from it

        return (np.random.default_rng(seed),)
    return (random.SystemRandom() if seed is None else random.Random(seed),)  # noqa: S311  # a seed is asked for
