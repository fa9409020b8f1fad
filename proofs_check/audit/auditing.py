"""Auditing anyone's mechanism exactly on a small universe: separate verdicts, the worst case, and a witness.

A mechanism is code that draws from Coins, unmodified code that draws from a random.Random, or a table of laws produced
elsewhere. Code is run on every path by the explorer. A loop without a bound leaves unresolved mass, which is carried as an
interval, so that a verdict may be "undecided".
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import Accuracy, FlexibleAccuracy, PrivacyClaim, RenyiClaim
from finitedp.errors import ExplorationError, ParameterError
from finitedp.exact import RationalLike
from finitedp.proofs_check.audit.exploring import ExploredLaws, explored_laws, refuse_equal_outputs_of_different_types
from finitedp.proofs_check.audit.laws import Rows, Style, Table, specified_laws, tabled
from finitedp.proofs_check.audit.outputs import Outputs, all_of_them, declared
from finitedp.proofs_check.audit.relation import Stated, relation_of
from finitedp.proofs_check.audit.stating import rho, runs
from finitedp.proofs_check.audit.styles import found_as, guessed_source, source_of
from finitedp.proofs_check.audit.truths import truths_of
from finitedp.proofs_check.board import UNWATCHED, Board
from finitedp.proofs_check.deciders.accuracy import around, decide_accurate
from finitedp.proofs_check.deciders.composing import composed, unresolved_of_all
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.privacy import PrivacyVerdict, Ratio, Verdict, Witness, decide_privacy
from finitedp.proofs_check.deciders.profile import worst_profile
from finitedp.proofs_check.deciders.renyi import Divergence, decide_renyi, decide_zcdp
from finitedp.proofs_check.deciders.tails import InLine, in_line
from finitedp.proofs_check.deciders.verdict import Miss, decide_law
from finitedp.proofs_check.engine.limits import Budget
from finitedp.proofs_check.engine.stand_ins.refusing import may_be_followed
from finitedp.proofs_check.parallel import HERE, Workers

if TYPE_CHECKING:
    from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult
    from finitedp.proofs_check.audit.pipelines.primitives import DeclaredBound, Primitive

Equality = Literal["equal", "differs", "undecided", "not specified"]
Laws = Mapping[Any, PartialLaw[Any]]
Progress = Callable[[int, int], None]


def _labels(universe: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(universe)


@frozen
class AuditResult:
    """What an audit found.

    private: whether the privacy claim holds. law: whether the law is the specified one. tight: whether the bound is attained.
    worst_ratio: the exact worst probability ratio, or "infinite", or None where unresolved mass leaves it unknown.
    witness: where P[S] - e^epsilon Q[S] is largest. profile: the corners (r, delta) of the privacy profile in r = e^epsilon.
    accuracy: whether the accuracy claim holds, or "not claimed"; miss: where it fails with the largest probability.
    strict_time: whether every path of every input makes the same draws and comparisons of them (None where that
    is not known, as for a table, or for code that asks for the value of a draw). laws: by input, in order of enumeration.
    unresolved: the largest unresolved mass of an input. u: where the claim does not hold, the smallest power of two, if
    at most 2^-32, with which it holds at delta + u for certain (one that fails does so by rounding only), else None.
    compose: how many runs on the same data privacy is about: private, tight, worst_ratio, witness, profile, unresolved, u,
    renyi and zcdp are of all of them together, the others of one. The event of a witness then holds outcomes by their ratio.
    renyi, zcdp: the divergences that are claimed, or None.
    stated: the pairs of neighbours that the auditor stated, in place of those of claim.neighbours; else None.
    outputs: those that the auditor declared, beside which the mechanism is assumed to have no others; else None. Verdicts on
    laws that are unresolved in part rest on it.
    derived: how the laws were found (style, budget, where the mechanism is), for a reader.
    """

    name: str
    claim: PrivacyClaim
    universe: tuple[Hashable, ...]
    n: int
    private: Verdict
    law: Equality
    tight: bool
    worst_ratio: Ratio
    witness: Witness[Any, Any]
    profile: tuple[tuple[mpq, mpq], ...] = field(repr=False)
    strict_time: bool | None
    unresolved: mpq
    compose: int
    laws: Laws = field(repr=False)
    specified: Laws | None = field(repr=False, default=None)
    accuracy: Verdict | str = "not claimed"
    error_bound: Accuracy | FlexibleAccuracy | None = None
    truths: Mapping[Any, Any] | None = field(repr=False, default=None)
    miss: Miss[Any] | None = None
    derived: Mapping[str, Any] = field(repr=False, factory=dict)
    u: mpq | None = None
    renyi: Divergence[Any] | None = None
    zcdp: Divergence[Any] | None = None
    stated: tuple[tuple[Any, Any], ...] | None = field(repr=False, default=None)
    outputs: frozenset[Hashable] | None = field(repr=False, default=None)

    @property
    def delta_bounds(self) -> tuple[mpq, mpq]:
        """Rationals (low, high) around the exact delta at the claimed epsilon, P[S] - e^epsilon Q[S], of the resolved mass."""
        return Factor.of(self.claim).gap(self.witness.in_left, self.witness.in_right)


@frozen(kw_only=True)
class AuditRequest:
    """What is asked about a mechanism: the parameters of audit(), but for the mechanism and how the work is done."""

    claim: PrivacyClaim
    n: int | None = None
    universe: tuple[Hashable, ...] = field(converter=_labels, default=())
    neighbours: Stated | None = None
    style: Style | None = None
    rows: Rows = "tuple"
    parameters: Mapping[str, Any] = field(factory=dict)
    specified: Table | Callable[[Any], Mapping[Any, Any]] | None = None
    accuracy: Accuracy | FlexibleAccuracy | None = None
    truth: Callable[[Any], Any] | None = None
    outputs: Outputs | None = None
    budget: Budget = field(factory=Budget)
    samplers: Sequence[Callable[..., Any] | str] = ()
    name: str = "mechanism"
    derived: Mapping[str, Any] = field(factory=dict)
    compose: int = field(converter=runs, default=1)
    renyi: RenyiClaim | None = None
    zcdp: mpq | None = field(converter=rho, default=None)
    primitives: "Sequence[Primitive | Mapping[str, str]]" = ()
    bounds: "Sequence[DeclaredBound | Mapping[str, Any]]" = ()

    def run(
        self,
        mechanism: Callable[..., Any] | Table,
        workers: Workers = HERE,
        progress: Progress | None = None,
        board: Board | None = None,
    ) -> AuditResult:
        """audit() with these parameters. Raises: ParameterError, ExplorationError."""
        self._refuse_what_is_wrong()
        outputs = declared(self.outputs)
        relation = relation_of(self.claim, self.universe, self.n, self.budget.inputs, self.neighbours)
        inputs, pairs, labels = relation.inputs, relation.pairs, relation.universe if relation.stated is None else None
        style, explored = self._style_and_laws(mechanism, inputs, labels, workers, progress, board)
        specified = None if self.specified is None else specified_laws(self.specified, inputs, labels)
        truths = truths_of(self.accuracy, self.truth, relation, self.budget.inputs)
        refuse_equal_outputs_of_different_types([*explored.laws.values(), *(specified or {}).values()])
        laws, expected, opened = self._in_line(explored.laws, specified, truths)
        if outputs:
            laws = all_of_them(laws, outputs, "the mechanism returned")
            expected = None if expected is None else all_of_them(expected, outputs, "the specified law has")
        decision, profile = self._private(laws, pairs)
        law, times = laws.__getitem__, self.compose
        claimed = self.accuracy
        accurate = None if claimed is None or truths is None else decide_accurate(laws, claimed, truths)
        return AuditResult(
            name=self.name,
            claim=relation.claim,
            universe=relation.universe,
            n=relation.n,
            stated=relation.stated,
            outputs=frozenset(outputs) or None,
            private=decision.verdict,
            u=decision.u,
            law=_equality(laws, expected),
            tight=decision.tight,
            worst_ratio=decision.ratio,
            witness=decision.witness,
            profile=profile,
            compose=times,
            renyi=None if self.renyi is None else decide_renyi(law, pairs, self.renyi, times),
            zcdp=None if self.zcdp is None else decide_zcdp(law, pairs, self.zcdp, times),
            strict_time=explored.strict_time,
            unresolved=unresolved_of_all(max(law.unresolved for law in laws.values()), times),
            laws=laws,
            specified=expected,
            accuracy="not claimed" if accurate is None else accurate.verdict,
            error_bound=claimed,
            truths=truths,
            miss=None if accurate is None else accurate.largest,
            derived={
                "style": style,
                **({} if style == "table" else {"runs_of_budget": self.budget.runs}),
                **explored.facts,
                **({"open_tails": list(opened)} if opened else {}),
                **self.derived,
            },
        )

    def decide(
        self,
        mechanism: Callable[..., Any] | Table,
        workers: Workers = HERE,
        progress: Progress | None = None,
        board: Board | None = None,
        folder: Path | None = None,
    ) -> "AuditResult | PipelineResult":
        """run(), or the audit of a pipeline, with primitives of files in a folder, if noise is continuous. Raises: as run."""
        refused = None
        if not self.primitives and not self.bounds:
            try:
                return self.run(mechanism, workers, progress, board)
            except ExplorationError as error:
                if not may_be_followed(error):
                    raise
                refused = error
        self._refuse_what_is_wrong()
        from finitedp.proofs_check.audit.pipelines.auditing import audit_pipeline  # noqa: PLC0415  # it loads numpy

        return audit_pipeline(mechanism, self, workers, progress, board, folder, refused)

    def _private(
        self, laws: Laws, pairs: Sequence[tuple[Any, Any]]
    ) -> tuple[PrivacyVerdict[Any, Any], tuple[tuple[mpq, mpq], ...]]:
        """The verdict on epsilon and delta, and the privacy profile, of all runs together."""
        if self.compose == 1:
            return decide_privacy(laws.__getitem__, pairs, self.claim), worst_profile(laws, pairs)
        together, sides = composed(laws, pairs, self.compose)
        decision = decide_privacy(together.__getitem__, sides, self.claim)
        witness = evolve(decision.witness, left=decision.witness.left.input, right=decision.witness.right.input)
        return evolve(decision, witness=witness), worst_profile(together, sides)

    def _in_line(self, laws: Laws, expected: Laws | None, truths: Mapping[Any, Any] | None) -> InLine:
        """The laws with tails that can be compared, and that hold no accurate output."""
        bits = self.budget.bits or Budget().bits or 0
        if isinstance(self.accuracy, FlexibleAccuracy):
            return in_line(laws, expected, bits, uncounted="a flexible accuracy claim looks at single outputs")
        return in_line(laws, expected, bits, () if self.accuracy is None or truths is None else around(self.accuracy, truths))

    def _refuse_what_is_wrong(self) -> None:
        if len(set(self.universe)) != len(self.universe):
            raise ParameterError("a label of the universe is listed twice; accepted: distinct labels")
        if self.universe and self.claim.neighbours == "counts" and self.neighbours is None:
            raise ParameterError(
                "a universe is given, but inputs are counts; accepted: no universe, or neighbours of datasets"
            )
        if self.outputs is not None and self.compose > 1 and self.claim.delta < 1:
            raise ParameterError(
                f"outputs are declared and compose = {self.compose}; accepted: one run with epsilon / {self.compose} "
                "(the same, where delta is 0), or renyi or zcdp alone"
            )
        if self.style is not None and self.style not in get_args(Style):
            raise ParameterError(f"style = {self.style!r} is unknown; accepted: {', '.join(get_args(Style))}")

    def _style_and_laws(
        self,
        mechanism: Callable[..., Any] | Table,
        inputs: Sequence[Any],
        labels: Sequence[Hashable] | None,
        workers: Workers,
        progress: Progress | None,
        board: Board | None,
    ) -> tuple[Style, ExploredLaws]:
        """The style and the laws. Where a name alone says of what kind the source is, what is called on it decides."""
        style, function = source_of(mechanism, self.style, self.parameters)
        if style == "table":
            return style, ExploredLaws(tabled(cast(Table, mechanism), inputs, labels), None, {})

        def laws(kind: Style) -> ExploredLaws:
            return explored_laws(
                partial(cast(Callable[..., Any], function), **self.parameters),
                inputs,
                style=kind,
                rows=self.rows,
                budget=self.budget,
                workers=workers,
                progress=progress,
                board=board or UNWATCHED,
                samplers=self.samplers,
            )

        return found_as(style, guessed_source(mechanism, self.parameters) if self.style is None else None, laws)


def audit(
    mechanism: Callable[..., Any] | Table,
    claim: PrivacyClaim,
    *,
    n: int | None = None,
    universe: Sequence[Hashable] = (),
    neighbours: Stated | None = None,
    style: Style | None = None,
    rows: Rows = "tuple",
    parameters: Mapping[str, Any] | None = None,
    specified: Table | Callable[[Any], Mapping[Any, Any]] | None = None,
    accuracy: Accuracy | FlexibleAccuracy | None = None,
    truth: Callable[[Any], Any] | None = None,
    outputs: Outputs | None = None,
    budget: Budget | None = None,
    samplers: Sequence[Callable[..., Any] | str] = (),
    name: str = "mechanism",
    derived: Mapping[str, Any] | None = None,
    compose: int = 1,
    renyi: RenyiClaim | None = None,
    zcdp: RationalLike | None = None,
    primitives: "Sequence[Primitive | Mapping[str, str]]" = (),
    bounds: "Sequence[DeclaredBound | Mapping[str, Any]]" = (),
    workers: Workers = HERE,
    progress: Progress | None = None,
    board: Board | None = None,
) -> "AuditResult | Any":  # noqa: ANN401  # a PipelineResult, which few expect
    """Decide whether a mechanism is as claimed, over all inputs of a small universe and all neighbouring pairs of them.

    Parameters: mechanism, a function of (data, coins) or of (data, rng), or a table of probabilities by input; data is a tuple
    of rows, or a count; n, the number of rows (with add-remove, the largest one), or the largest count; universe, the labels;
    neighbours, in place of the claim's, a list of pairs of inputs, which need neither n nor universe, or a function: of
    nothing, that gives such a list, or of two inputs (of those of the claim's relation), that says whether they are
    neighbours; style, what the function draws from (by default as its signature says); rows, "list" for a function that wants
    a list; parameters, passed to the function by name; specified, the laws it should have, a table or a function of the data;
    accuracy, an error bound, and truth, the function of the data that is estimated (by default the count); or a flexible
    accuracy, whose truth may be left out where its statistic is one of audit.truths.NAMED; outputs, all that the mechanism can
    return, a list or "1..6", which verdicts then assume of what is unresolved; budget of the explorer for each input;
    samplers, functions that only sample, or their names "package.module:function", each explored once by itself; derived, what
    else a certificate says of the origin; compose, how many runs on the same data, 1 to 1,000,000, are to be as claimed
    together; renyi and zcdp, what is claimed of Renyi divergences beside the claim, zcdp the rho >= 0 of zero-concentrated
    privacy; primitives, functions that draw continuous noise, and bounds, what is assumed of functions' values, each a dict
    (docs/pipelines.md); workers, among whom the inputs are split; progress, called with (finished inputs, all inputs); board,
    where the work is watched and stopped. Code with continuous noise gives a PipelineResult. Raises: ParameterError,
    ExplorationError.
    """
    request = AuditRequest(
        claim=claim,
        n=n,
        universe=universe,
        neighbours=neighbours,
        style=style,
        rows=rows,
        parameters=parameters or {},
        specified=specified,
        accuracy=accuracy,
        truth=truth,
        outputs=outputs,
        budget=budget or Budget(),
        samplers=samplers,
        name=name,
        derived=derived or {},
        compose=compose,
        renyi=renyi,
        zcdp=zcdp,
        primitives=primitives,
        bounds=bounds,
    )
    return request.decide(mechanism, workers, progress, board)


def _equality(laws: Laws, specified: Laws | None) -> Equality:
    """Whether all laws are the specified ones."""
    if specified is None:
        return "not specified"
    verdicts = {decide_law(law, specified[data]).verdict for data, law in laws.items()}
    return "differs" if "differs" in verdicts else "undecided" if "undecided" in verdicts else "equal"
