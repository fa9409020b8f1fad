"""Our own: shifts of Laplace, exponential and Gumbel noise bound a program's loss; functions of draws, merging, witnesses."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attrs import evolve
from gmpy2 import mpq

from finitedp.exact import sign_of_exponentials
from finitedp.proofs_check.audit.pipelines.deciding import Bound, Witness, bound_of, witness_of
from finitedp.proofs_check.audit.pipelines.searching import Side, common_rows, side_of
from finitedp.proofs_check.claims.own.pipelines.subjects import Law, Program, drawn, excess, law_of
from finitedp.proofs_check.engine.noise.rows import row_of
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry
from finitedp.proofs_check.ledger.findings import all_of, equal, in_turn
from finitedp.proofs_check.pipeline_certificate import Path, Region, Row, Sum, cover, delta_ends, sum_ends, supports

Sides = Sequence[Side]
Bounding = Callable[[Sides, tuple[int, int], Mapping[str, Any]], Bound]
PAIRS = ((0, 1), (1, 0))
PIPELINES = "finitedp.proofs_check.audit.pipelines"
CHECKER = "finitedp.proofs_check.pipeline_certificate"
CODE = [f"{PIPELINES}.deciding.bound_of", f"{PIPELINES}.searching.matched", f"{CHECKER}.bound"]
COIN = mpq(1, 4), mpq(1, 2)


def _programs(kinds: str, more: int, coin: tuple[mpq, mpq] | None = None) -> Cases:
    """Of twelve seeds, and of others: with draws of these kinds."""
    made = [Program(seed, tuple({"l": "laplace", "e": "exponential"}[kind] for kind in kinds), coin) for seed in range(more)]
    return cases(Program, made[:12], made[12:])


# Bounds


def _moved(cost: Callable[[Any, Mapping[int, Any]], Any] = lambda cost, _by: cost, **kinds: str) -> Bounding:
    """The same bounds at other costs, of draws that are taken for draws of other laws."""

    def named(side: Side) -> Side:
        return side_of(
            [path._replace(draws=tuple((kinds.get(x[0], x[0]), *x[1:]) for x in path.draws)) for path in side.paths]
        )

    def bounding(sides: Sides, *others: Any) -> Bound:  # noqa: ANN401  # as bound_of
        bound = bound_of(list(map(named, sides)), *others)
        shifts = [by for _, target, by, *_ in bound.matches if target is not None]
        pairs = zip(bound.losses, shifts, strict=True)
        return evolve(bound, losses=[(p, q, cost(paid, by), squares) for (p, q, paid, squares), by in pairs])

    return bounding


def _largest(_cost: object, by: Mapping[int, Any]) -> Any:  # noqa: ANN401  # a rational
    return max(map(abs, by.values()), default=mpq(0))


def _halved(cost: Any, _by: object) -> Any:  # noqa: ANN401  # a rational
    return cost / 2


def _only_up(_cost: object, by: Mapping[int, Any]) -> Any:  # noqa: ANN401  # a rational
    return sum((x for x in by.values() if x > 0), mpq(0))


def _laws(program: Program) -> tuple[Sides, list[Law]]:
    sides = [side_of(program.paths(count)) for count in (0, 1)]
    return sides, [law_of(cover(side.alike, side.whole)) for side in sides]


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
    sides, laws = _laws(program)
    findings = [equal(sum(map(len, laws)) > 0, True, "there are outputs")]
    for left, right in PAIRS:
        bound = bounding(sides, (left, right), {})
        ratio, cost = bound.epsilon
        for output, mass in laws[left].items():
            above = not bound.open and excess(mass, laws[right].get(output, {}), ratio, cost) > 0
            findings.append(equal(above, False, f"a loss of {output} at {left} above ln {ratio} + {cost}"))
    return all_of(findings)


def _without_targets(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    return evolve(bound_of(*arguments), open=mpq(0))


def _without_weights(*arguments: Any) -> Bound:  # noqa: ANN401  # as bound_of
    bound = bound_of(*arguments)
    return evolve(bound, losses=[(q, q, cost, squares) for _, q, cost, squares in bound.losses])


@entry(
    "FD.Align.discrete",
    "own",
    """With discrete draws, and regions that no shift carries, the divergence at e^epsilon is at most the sum of p - p'
    e^(epsilon - cost) where that is above 0, and of p of the others, for the probabilities p, p' of the discrete draws.""",
    over="programs with a coin of probability 1/4 and 1/2 beside their label; epsilon in 0, 1/2, 1, 2",
    code=[*CODE, f"{CHECKER}.delta_ends"],
    grid=_programs("ee", 40, COIN),
    subject=bound_of,
    twins={"paths without a target left out": _without_targets, "weights left out": _without_weights},
)
def discrete(bounding: Bounding, program: Program) -> Finding:
    sides, laws = _laws(program)
    findings = list[Finding]()
    for left, right in PAIRS:
        bound = bounding(sides, (left, right), {})
        for epsilon in (mpq(0), mpq(1, 2), mpq(1), mpq(2)):
            pairs = [(mass, laws[right].get(output, {})) for output, mass in laws[left].items()]
            parts = [(p, q) for p, q in pairs if excess(p, q, mpq(1), epsilon) > 0]
            terms = [(c, x) for p, _ in parts for x, c in p.items()]
            terms += [(-c, x + epsilon) for _, q in parts for x, c in q.items()]
            ends = delta_ends(bound.losses, bound.open, {"epsilon": epsilon, "ratio": None})
            above = sum_ends(terms)[0] > ends[1]
            findings.append(equal(above, False, f"a delta at {left} and {epsilon} above the bound"))
    return all_of(findings)


# Gumbel noise: noisy maxima are softmax


class Scores(NamedTuple):
    """Of a noisy maximum with Gumbel noise of scale 1, at two neighbours."""

    left: tuple[int, ...]
    right: tuple[int, ...]


def _winners(scores: tuple[int, ...]) -> Side:
    draws = tuple(drawn("gumbel") for _ in scores)
    return side_of(
        [
            Path(draws, tuple(_above(i, j, score - other) for j, other in enumerate(scores) if j != i), "", i, (), mpq(1))
            for i, score in enumerate(scores)
        ]
    )


def _above(i: int, j: int, constant: int) -> Row:
    return row_of((tuple(sorted(((i, mpq(1)), (j, mpq(-1))))), mpq(constant)))


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
        bound = bounding([_winners(here), _winners(there)], (0, 1), {})
        findings.append(equal(len(bound.losses), len(here), "every winner has a target"))
        for (i, *_), (_, _, cost, _) in zip(bound.matches, bound.losses, strict=False):
            terms = [(mpq(1), mpq(here[i] + other)) for other in there]  # e^(c_i) times the sum at D'
            terms += [(mpq(-1), there[i] + other + cost) for other in here]
            findings.append(equal(sign_of_exponentials(terms) <= 0, True, f"winner {i}"))
    return all_of(findings)


# Functions of draws


class Rounded(NamedTuple):
    """floor(location + scale * a Laplace draw), at two locations."""

    here: mpq
    there: mpq
    scale: mpq

    def side(self, location: mpq) -> Side:
        """The one region, whose output is the function."""
        floor = "floor", ((((0, self.scale),), location),), 0, "", mpq(1)
        return side_of([Path((drawn("laplace"), floor), (), "", "*", ((((1, mpq(1)),), mpq(0)),), mpq(1))])

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


def _arguments_free(sides: Sides, *others: Any) -> Bound:  # noqa: ANN401  # as bound_of
    freed = [side.paths[0]._replace(draws=(drawn("laplace"), drawn("floor"))) for side in sides]
    return bound_of([side_of([path]) for path in freed], *others)


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
    bound = bounding([rounded.side(here), rounded.side(there)], (0, 1), {})
    findings = [equal(bound.open, mpq(0), "every region has a target")]
    for value in range(-9, 10):
        above = excess(rounded.law(here, value), rounded.law(there, value), *bound.epsilon)
        findings.append(equal(above > 0, False, f"a loss of {value} above the bound"))
    return all_of(findings)


# Merging


def _of_all(paths: Sequence[Path]) -> Side:
    """One region for each output, whatever else is in it."""
    groups, side = defaultdict[Any, list[int]](list), side_of(paths, merging=False)
    for i, path in enumerate(paths):
        groups[path.shape].append(i)
    known = supports({k: draw[0] for path in paths for k, draw in enumerate(path.draws)})
    hulls = [Region([paths[i] for i in group], common_rows(paths, group, known), mpq(1)) for group in groups.values()]
    return evolve(side, whole=hulls)


@entry(
    "FD.Align.merge",
    "own",
    """Theorem C: where the rows that hold on all paths of an output cut out a polyhedron that meets no other path, it is the
    union of these paths: its probability is the sum of theirs.""",
    over="programs of Laplace and exponential draws, at the counts 0 and 1",
    code=[f"{PIPELINES}.searching.side_of", f"{CHECKER}.hull"],
    grid=_programs("lle", 60),
    subject=side_of,
    twins={"merging that overlaps": _of_all},
)
def merge(merging: Callable[[Sequence[Path]], Side], program: Program) -> Finding:
    return in_turn(_kept(merging, program))


def _kept(merging: Callable[[Sequence[Path]], Side], program: Program) -> Iterator[Finding]:
    for count in (0, 1):
        side = merging(program.paths(count))
        yield equal(law_of(cover(side.alike, side.whole)), law_of(side.alike), f"the law at {count}")


# Witnesses


Witnessing = Callable[[Sides, Bound, Mapping[str, Any]], Witness | None]


def _for_half(sides: Sides, bound: Bound, claim: Mapping[str, Any]) -> Witness | None:
    return witness_of(sides, bound, {**claim, "epsilon": claim["epsilon"] / 2})


def _turned(sides: Sides, bound: Bound, claim: Mapping[str, Any]) -> Witness | None:
    return witness_of(sides, evolve(bound, pair=bound.pair[::-1]), claim)


@entry(
    "FD.Align.witness",
    "own",
    """Theorem E: the event of a witness is more likely at D than e^epsilon times at D' plus delta; where there is none, no
    label of these programs breaks the claim.""",
    over="programs of Laplace and exponential draws at the counts 0 and 1; epsilon in 1/8, 1/2, 1; delta in 0, 1/20",
    code=[f"{PIPELINES}.deciding.witness_of", f"{CHECKER}.breaks", f"{CHECKER}.probability"],
    grid=_programs("lle", 40),
    subject=witness_of,
    twins={"of half of epsilon": _for_half, "of the neighbour": _turned},
)
def witness(witnessing: Witnessing, program: Program) -> Finding:
    sides, laws = _laws(program)
    findings = list[Finding]()
    for left, right in PAIRS:
        bound = bound_of(sides, (left, right), {})
        for epsilon, delta in ((mpq(1, 8), mpq(0)), (mpq(1, 2), mpq(0)), (mpq(1), mpq(1, 20))):
            found = witnessing(sides, bound, {"epsilon": epsilon, "delta": delta, "ratio": None})
            gaps = {x: _gap(mass, laws[right].get(x, {}), epsilon, delta) for x, mass in laws[left].items()}
            if found is None:
                findings.append(equal(max(gaps.values()) > 0, False, f"a label at {left} that breaks {epsilon}"))
            else:
                findings.append(equal(gaps.get(found.region.shape), 1, f"the witness {found.region.shape} at {left}"))
    return all_of(findings)


def _gap(here: Sum, there: Sum, epsilon: mpq, delta: mpq) -> int:
    terms = [*((c, x) for x, c in here.items()), *((-c, x + epsilon) for x, c in there.items()), (-delta, mpq(0))]
    return sign_of_exponentials(terms)
