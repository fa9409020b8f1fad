"""Our own: shifts of Laplace, exponential and Gumbel noise bound a program's loss; functions of draws, merging, witnesses."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import evolve
from flint import ctx
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import sign_of_exponentials, to_arb
from finitedp.proofs_check.audit.pipelines.bounds import PRECISION, Bound, bound_of
from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.audit.pipelines.regions import Region, hull, merged, regions
from finitedp.proofs_check.audit.pipelines.shifts import Shift
from finitedp.proofs_check.audit.pipelines.witnesses import Witness, witness_of
from finitedp.proofs_check.claims.own.pipelines.subjects import Law, Program, excess, law_of
from finitedp.proofs_check.engine.noise.rows import Form, Row
from finitedp.proofs_check.engine.noise.runs import Draw
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, equal, in_turn
from finitedp.proofs_check.pipeline_certificate import Sum

Regions = Sequence[Region]
Bounding = Callable[[Any, Any, Regions, Regions], Bound]
PAIRS = ((0, 1), (1, 0))
PIPELINES = "finitedp.proofs_check.audit.pipelines"
CODE = [f"{PIPELINES}.bounds.bound_of", f"{PIPELINES}.shifts.shift_of"]
COIN = mpq(1, 4), mpq(1, 2)


def _programs(kinds: str, more: int, coin: tuple[mpq, mpq] | None = None) -> Cases:
    """Of twelve seeds, and of others: with draws of these kinds."""
    made = [Program(seed, tuple({"l": "laplace", "e": "exponential"}[kind] for kind in kinds), coin) for seed in range(more)]
    return cases(Program, made[:12], made[12:])


# Bounds


def _moved(of: Callable[[Shift], Shift] = lambda shift: shift, **kinds: str) -> Bounding:
    """The same bounds with other shifts, of draws that are taken for draws of other laws."""

    def named(found: Regions) -> Regions:
        draws = [{k: draw._replace(kind=kinds.get(draw.kind, draw.kind)) for k, draw in x.draws.items()} for x in found]
        return [evolve(region, draws=renamed) for region, renamed in zip(found, draws, strict=True)]

    def bounding(left: Any, right: Any, sources: Regions, targets: Regions) -> Bound:  # noqa: ANN401  # inputs
        bound = bound_of(left, right, named(sources), named(targets))
        matches = tuple(evolve(one, shift=None if one.shift is None else of(one.shift)) for one in bound.matches)
        return evolve(bound, matches=matches)

    return bounding


def _largest(shift: Shift) -> Shift:
    return evolve(shift, cost=max(map(abs, shift.by.values()), default=mpq(0)))


def _halved(shift: Shift) -> Shift:
    return evolve(shift, cost=shift.cost / 2)


def _only_up(shift: Shift) -> Shift:
    return evolve(shift, cost=sum((by for by in shift.by.values() if by > 0), mpq(0)))


def _laws(program: Program) -> tuple[Mapping[int, Regions], Mapping[int, Law]]:
    of = {count: merged(regions(program.paths(count))) for count in (0, 1)}
    return of, {count: law_of(found) for count, found in of.items()}


@entry(
    "FD.Align.laplace",
    "own",
    """Theorem A: where each region of D is carried into a region of its own of D' by a shift of Laplace noise that keeps the
    output, no output is more likely at D than e^(sum of |shift| / scale) times at D'.""",
    over="programs of up to three draws and three comparisons, at the counts 0 and 1; their exact laws",
    code=CODE,
    grid=_programs("lll", 60),
    subject=bound_of,
    twins={"the largest shift, not the sum": _moved(_largest), "half of the cost": _moved(_halved)},
)
@entry(
    "FD.Align.exponential",
    "own",
    "The same of exponential noise, which is shifted upwards only.",
    over="programs with exponential and Laplace draws, likewise",
    code=CODE,
    grid=_programs("eel", 60),
    subject=bound_of,
    twins={"shifted below its support": _moved(exponential="laplace"), "half of the cost": _moved(_halved)},
)
def align(bounding: Bounding, program: Program) -> Finding:
    of, laws = _laws(program)
    findings = [equal(sum(map(len, laws.values())) > 0, True, "there are outputs")]
    for left, right in PAIRS:
        bound = bounding(left, right, of[left], of[right])
        ratio, cost = bound.epsilon
        for output, mass in laws[left].items():
            above = not bound.open and excess(mass, laws[right].get(output, {}), ratio, cost) > 0
            findings.append(equal(above, False, f"a loss of {output} at {left} above ln {ratio} + {cost}"))
    return all_of(findings)


def _without_targets(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    return evolve(bound_of(*arguments), open=mpq(0))


def _without_weights(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    matches = [
        one if one.target is None else evolve(one, source=evolve(one.source, weight=one.target.weight))
        for one in bound.matches
    ]
    return evolve(bound, matches=tuple(matches))


@entry(
    "FD.Align.discrete",
    "own",
    """With discrete draws, and regions that no shift carries, the divergence at e^epsilon is at most the sum of p - p'
    e^(epsilon - cost) where that is above 0, and of p of the others, for the probabilities p, p' of the discrete draws.""",
    over="programs with a coin of probability 1/4 and 1/2 beside their label; epsilon in 0, 1/2, 1, 2",
    code=[*CODE, f"{PIPELINES}.bounds.Bound.delta"],
    grid=_programs("ee", 40, COIN),
    subject=bound_of,
    twins={"paths without a target left out": _without_targets, "weights left out": _without_weights},
)
def discrete(bounding: Bounding, program: Program) -> Finding:
    of, laws = _laws(program)
    findings = list[Finding]()
    for left, right in PAIRS:
        bound = bounding(left, right, of[left], of[right])
        for epsilon in (mpq(0), mpq(1, 2), mpq(1), mpq(2)):
            pairs = [(mass, laws[right].get(output, {})) for output, mass in laws[left].items()]
            parts = [(p, q) for p, q in pairs if excess(p, q, mpq(1), epsilon) > 0]
            with ctx.workprec(PRECISION):
                terms = [(c, x) for p, _ in parts for x, c in p.items()]
                terms += [(-c, x + epsilon) for _, q in parts for x, c in q.items()]
                exact = sum((to_arb(c) * to_arb(x).exp() for c, x in terms), to_arb(mpq(0)))
                above = bool(exact > bound.delta(PrivacyClaim(epsilon, "counts", 1)))
            findings.append(equal(above, False, f"a delta at {left} and {epsilon} above the bound"))
    return all_of(findings)


# Gumbel noise: noisy maxima are softmax


class Scores(NamedTuple):
    """Of a noisy maximum with Gumbel noise of scale 1, at two neighbours."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def _winners(scores: tuple[int, ...]) -> Regions:
    draws = tuple(Draw("gumbel") for _ in scores)
    return regions(
        [
            Path(draws, tuple(_above(i, j, score - other) for j, other in enumerate(scores) if j != i), (), i, (), mpq(1))
            for i, score in enumerate(scores)
        ]
    )


def _above(i: int, j: int, constant: int) -> Row:
    return Row.of(Form(tuple(sorted(((i, mpq(1)), (j, mpq(-1))))), mpq(constant)))


@entry(
    "FD.Align.gumbel",
    "own",
    "The same of Gumbel noise, which is shifted upwards only: of each winner of a noisy maximum, whose law is the softmax.",
    over="scores of -1..2, two and three of them, and other scores beside",
    code=CODE,
    grid=cases(
        Scores,
        [((0, 0), (1, 0)), ((2, 0, 1), (1, 1, 0)), ((0, 1), (1, 0))],
        [((-1, 2, 0), (1, 0, 1)), ((0, 0, 0), (1, 1, 1)), ((0, 0, 0), (1, 0, 1))],
    ),
    subject=bound_of,
    twins={"downwards at no cost": _moved(_only_up, gumbel="laplace"), "half of the cost": _moved(_halved)},
)
def gumbel(bounding: Bounding, scores: Scores) -> Finding:
    findings = list[Finding]()
    for here, there in (scores, scores[::-1]):
        bound = bounding(here, there, _winners(here), _winners(there))
        for match in bound.matches:
            i, cost = match.source.shape, mpq(0) if match.shift is None else match.shift.cost
            terms = [(mpq(1), mpq(here[i] + other)) for other in there]  # e^(c_i) times the sum at D'
            terms += [(mpq(-1), there[i] + other + cost) for other in here]
            findings.append(equal(match.shift is not None and sign_of_exponentials(terms) <= 0, True, f"winner {i}"))
    return all_of(findings)


# Functions of draws


class Rounded(NamedTuple):
    """floor(location + scale * a Laplace draw), at two locations."""

    here: mpq
    there: mpq
    scale: mpq

    def region(self, location: mpq) -> Regions:
        """The one region, whose output is the function."""
        draws = Draw("laplace"), Draw("floor", (Form(((0, self.scale),), location),))
        return regions([Path(draws, (), (), "*", (Form(((1, mpq(1)),), mpq(0)),), mpq(1))])

    def law(self, location: mpq, value: int) -> Sum:
        """The probability of a value: that of location + scale * draw in value..value + 1."""
        low, high = ((value + end - location) / self.scale for end in (0, 1))
        return _between(low, high)


def _between(low: mpq, high: mpq) -> Sum:
    found = defaultdict[mpq, mpq](mpq)
    for end, sign in ((high, 1), (low, -1)):
        if end >= 0:
            found[mpq(0)] += sign
        found[-abs(end)] += mpq(-sign if end >= 0 else sign, 2)
    return found


def _arguments_free(left: Any, right: Any, sources: Regions, targets: Regions) -> Bound:  # noqa: ANN401  # as bound_of
    freed = [[evolve(x, draws={1: Draw("floor")}) for x in side] for side in (sources, targets)]
    return bound_of(left, right, freed[0], freed[1])


@entry(
    "FD.Align.function",
    "own",
    "Theorem D: a function of draws that is not affine is the same where its arguments are, which the shift keeps equal.",
    over="the floor of Laplace noise of scale 1, 2 and 1/3 at 0 and 1, 0 and 1/2: its exact law on -9..9",
    code=CODE,
    grid=cases(Rounded, [(mpq(0), mpq(1), mpq(1)), (mpq(0), mpq(1, 2), mpq(2))], [(mpq(1, 7), mpq(2), mpq(1, 3))]),
    subject=bound_of,
    twins={"arguments may differ": _arguments_free},
)
def function(bounding: Bounding, rounded: Rounded) -> Finding:
    here, there = rounded.here, rounded.there
    bound = bounding(here, there, rounded.region(here), rounded.region(there))
    findings = [equal(bound.open, mpq(0), "every region has a target")]
    for value in range(-9, 10):
        above = excess(rounded.law(here, value), rounded.law(there, value), *bound.epsilon)
        findings.append(equal(above > 0, False, f"a loss of {value} above the bound"))
    return all_of(findings)


# Merging


def _hulls(found: Regions) -> Regions:
    """One region for each output, whatever else is in it."""
    groups = defaultdict[Any, list[Region]](list)
    for region in found:
        groups[region.shape].append(region)
    return [hull(group) for group in groups.values()]


@entry(
    "FD.Align.merge",
    "own",
    """Theorem C: where the rows that hold on all paths of an output cut out a polyhedron that meets no other path, it is the
    union of these paths: its probability is the sum of theirs.""",
    over="programs of Laplace and exponential draws, at the counts 0 and 1",
    code=[f"{PIPELINES}.regions.merged"],
    grid=_programs("lle", 60),
    subject=merged,
    twins={"merging that overlaps": _hulls},
)
def merge(merging: Callable[[Regions], Regions], program: Program) -> Finding:
    return in_turn(_kept(merging, program))


def _kept(merging: Callable[[Regions], Regions], program: Program) -> Iterator[Finding]:
    for count in (0, 1):
        found = regions(program.paths(count))
        yield equal(law_of(merging(found)), law_of(found), f"the law at {count}")


# Witnesses


Witnessing = Callable[[Bound, Regions, Regions, PrivacyClaim], Witness | None]


def _for_half(bound: Bound, sources: Regions, targets: Regions, claim: PrivacyClaim) -> Witness | None:
    return witness_of(bound, sources, targets, PrivacyClaim(claim.epsilon / 2, "counts", claim.delta))


def _turned(bound: Bound, sources: Regions, targets: Regions, claim: PrivacyClaim) -> Witness | None:
    return witness_of(bound, targets, sources, claim)


@entry(
    "FD.Align.witness",
    "own",
    """Theorem E: the event of a witness is more likely at D than e^epsilon times at D' plus delta, and has the probabilities
    that it states; where there is none, no label of these programs breaks the claim.""",
    over="programs of Laplace and exponential draws at the counts 0 and 1; epsilon in 1/8, 1/2, 1; delta in 0, 1/20",
    code=[f"{PIPELINES}.witnesses.witness_of", "finitedp.proofs_check.pipeline_certificate.probability"],
    grid=_programs("lle", 40),
    subject=witness_of,
    twins={"of half of epsilon": _for_half, "of the neighbour": _turned},
)
def witness(witnessing: Witnessing, program: Program) -> Finding:
    of, laws = _laws(program)
    findings = list[Finding]()
    for left, right in PAIRS:
        bound = bound_of(left, right, of[left], of[right])
        for epsilon, delta in ((mpq(1, 8), mpq(0)), (mpq(1, 2), mpq(0)), (mpq(1), mpq(1, 20))):
            found = witnessing(bound, of[left], of[right], PrivacyClaim(epsilon, "counts", delta))
            gaps = {x: _gap(mass, laws[right].get(x, {}), epsilon, delta) for x, mass in laws[left].items()}
            if found is None:
                findings.append(equal(max(gaps.values()) > 0, False, f"a label at {left} that breaks {epsilon}"))
            else:
                exact = laws[left][found.shape], laws[right].get(found.shape, {})
                stated = found.kind == "space" or (found.in_left, found.in_right) == exact
                findings.append(equal((gaps[found.shape], stated), (1, True), f"the witness {found.shape} at {left}"))
    return all_of(findings)


def _gap(here: Sum, there: Sum, epsilon: mpq, delta: mpq) -> int:
    terms = [*((c, x) for x, c in here.items()), *((-c, x + epsilon) for x, c in there.items()), (-delta, mpq(0))]
    return sign_of_exponentials(terms)
