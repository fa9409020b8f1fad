"""Random programs that draw noise, against their laws: python -m tests.proofs_check.audit.pipelines.programs [FIRST [LAST]].

Of those with Laplace and exponential draws the laws are exact sums of exponentials, of those with normal and Gumbel draws they
are enclosed integrals. Some tell a label, some a noisy number beside it. Each is audited as it is, and the lone checker is
given its certificate. A bound that is below what the law shows, a claim that holds and is broken, one that fails and is not,
and a certificate that is refused are unsound.
"""

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.exact import sign_of_exponentials
from finitedp.proofs_check.audit.auditing import AuditRequest
from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult, audit_pipeline, certificate
from finitedp.proofs_check.audit.pipelines.deciding import Bound
from finitedp.proofs_check.pipeline_certificate import (
    FAILS,
    HOLDS,
    Ends,
    Path,
    delta_ends,
    exp_ends,
    mass_ends,
    probability,
    recheck,
    regions,
)

Sum = dict[mpq, mpq]
Law = Mapping[Any, Ends]
DRAWS: Mapping[str, Callable[[Any], Any]] = {
    "laplace": lambda scale: np.random.laplace(0, scale),
    "exponential": np.random.exponential,
    "normal": lambda scale: np.random.normal(0, scale),
    "gumbel": lambda scale: np.random.gumbel(0, scale),
}
KINDS = (
    ["laplace", "laplace", "exponential"],
    ["normal"],
    ["laplace", "laplace", "exponential"],
    ["gumbel", "normal", "laplace"],
)
"""By the seed: the laws of the draws of a program."""
MOST = 2000


def is_exact(seed: int) -> bool:
    """Whether all draws are Laplace or exponential."""
    return seed % 4 in (0, 2)


def program(seed: int) -> Callable[[int], Any]:
    """A mechanism of a count: a tree of comparisons between noisy values, with labels at its leaves.

    Every fifth one tells one of the values beside the label.
    """
    pick = random.Random(seed)
    laws = KINDS[seed % 4]
    kinds = [pick.choice(laws) for _ in range(pick.randint(1, 4 if is_exact(seed) else 3))]
    values = [(kind, pick.randint(-1, 2), pick.choice([-1, 0, 1, 1]), pick.choice([1, 2, 4])) for kind in kinds]
    tree = _tree(pick, len(values), pick.randint(1, 4 if is_exact(seed) else 3), list(range(len(values))))
    chance = pick.choice([None, None, (0.25, 0.5), (0.75, 0.25)])
    told = pick.randrange(len(values)) if seed % 5 == 0 else None

    def mechanism(count: int) -> Any:
        noisy: list[Any] = [base + slope * count + DRAWS[kind](scale) for kind, base, slope, scale in values]
        flipped = chance is not None and random.random() < chance[count]
        node = tree
        while isinstance(node, tuple):
            (i, j, constant, slope), yes, no = node
            other = constant + slope * count if j is None else noisy[j] + constant
            node = yes if noisy[i] > other else no
        return (node, flipped) if told is None else (node, flipped, noisy[told])

    return mechanism


def _tree(pick: random.Random, values: int, depth: int, draws: Sequence[int]) -> Any:
    if not depth or pick.random() < 0.15:
        return pick.choice("abc")
    i, j = pick.choice(draws), pick.choice([None, *draws])
    asked = i, None if i == j else j, pick.randint(-1, 2), pick.choice([0, 0, 1])
    return asked, _tree(pick, values, depth - 1, draws), _tree(pick, values, depth - 1, draws)


def audited(seed: int) -> PipelineResult:
    """The audit of a program, for one of several claims."""
    pick = random.Random(-1 - seed)
    claim = PrivacyClaim(pick.choice(["1/8", "1/2", "1", "2"]), "counts", delta=pick.choice(["0", "0", "1/20"]))
    return audit_pipeline(program(seed), AuditRequest(claim=claim, n=1, style="none", name=str(seed)))


def law(paths: Sequence[Path]) -> dict[Any, Sum] | None:
    """The exact probability of each output; None where some path's is not computed."""
    found: dict[Any, Sum] = {}
    for path in paths:
        mass = probability({k: draw[0] for k, draw in enumerate(path.draws)}, path.rows)
        if mass is None:
            return None
        total = found.setdefault(path.shape, {})
        for x, c in mass.items():
            total[x] = total.get(x, mpq(0)) + c * path.weight
    return found


def sign(*parts: tuple[Sum, mpq, mpq]) -> int:
    """The sign of the sum of factor * e^exponent * sum."""
    return sign_of_exponentials([(c * factor, x + by) for total, factor, by in parts for x, c in total.items()])


def above(bound: Bound, left: Mapping[Any, Sum], right: Mapping[Any, Sum]) -> tuple[bool, bool]:
    """Whether the loss of some output is above the bound, and whether one attains it."""
    ratio, cost = bound.epsilon
    signs = [sign((mass, mpq(1), mpq(0)), (right.get(x, {}), -ratio, cost)) for x, mass in left.items()]
    return max(signs) > 0, max(signs) == 0


def enclosed(paths: Sequence[Path], cuts: Sequence[mpq]) -> Law | None:
    """Rationals around the probability of each output, with the told number between two cuts; None where it is not known."""
    found = defaultdict[Any, list[Ends]](list)
    pieces = [(low, high) for low, high in zip([None, *cuts], [*cuts, None], strict=True)]
    for region in regions(paths):
        for low, high in pieces if region.forms else [(None, None)]:
            events = [(0, up, at) for up, at in ((1, low), (-1, high)) if at is not None]
            try:
                found[region.shape, low].append(mass_ends(region, events))
            except ValueError:
                return None
    sums = ((x, [sum((one[i] for one in ends), Fraction(0)) for i in (0, 1)]) for x, ends in found.items())
    return {x: (low, high) for x, (low, high) in sums}


def excess_ends(left: Law, right: Law, factor: Ends) -> Ends:
    """Rationals around the divergence: the sum of P - factor P' where that is above 0."""
    nothing = (Fraction(0), Fraction(0))
    gaps = [
        (p[0] - factor[1] * q[1], p[1] - factor[0] * q[0]) for p, q in ((p, right.get(x, nothing)) for x, p in left.items())
    ]
    return sum((low for low, _ in gaps if low > 0), Fraction(0)), sum((high for _, high in gaps if high > 0), Fraction(0))


def looked_at(seed: int) -> Counter[str]:
    """What is found of a program: bounds that were compared, are attained, and what is unsound."""
    result, found = audited(seed), Counter(programs=1)
    found[result.private.partition(",")[0]] += 1
    found["unsound: certificates"] += recheck(certificate(result)) is not None
    paths = [result.paths[count] for count in (0, 1)]
    cuts = sorted({form[1] for side in paths for path in side for form in path.forms})
    exact, ends = [law(side) for side in paths], [enclosed(side, cuts) for side in paths]
    claim, broken = result.claims["private"], list[bool]()
    for (i, j), bound in result.decision.bounds.items():
        mine, others = exact[i], exact[j]
        if mine is not None and others is not None and not bound.open and is_exact(seed):
            larger, tight = above(bound, mine, others)
            found.update({"exact": 1, "unsound: bounds": larger, "attained": tight})
        left, right = ends[i], ends[j]
        if left is not None and right is not None:
            found.update(enclosed=1)
            for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)):
                low, _ = excess_ends(left, right, exp_ends(epsilon))
                most = delta_ends(bound.losses, bound.open, {"epsilon": epsilon, "ratio": None})[1]
                found["unsound: deltas"] += low > most
            low, high = excess_ends(left, right, exp_ends(Fraction(str(claim["epsilon"]))))
            found["unsound: holds"] += result.private == HOLDS and low > claim["delta"]
            broken.append(high > claim["delta"])
    if result.private == FAILS and not cuts and len(broken) == 2:
        found["unsound: fails"] += not any(broken)
    return found


def unsound(found: Mapping[str, int]) -> int:
    """How much of it is unsound."""
    return sum(times for what, times in found.items() if what.startswith("unsound"))


def lines(found: Mapping[str, int]) -> Iterator[str]:
    """What was found, for a reader."""
    yield f"{found['programs']} programs; unsound: {unsound(found)}"
    yield f"bounds against exact laws: {found['exact']}, attained by {found['attained']}; enclosed: {found['enclosed']}"
    yield "verdicts: " + ", ".join(f"{what} {found[what]}" for what in ("holds", "fails", "fails by rounding only", "unknown"))


def main(first: int = 0, last: int = MOST) -> int:
    """Look at all of them. Returns: 1 where something is unsound."""
    found = Counter[str]()
    for seed in range(first, last):
        one = looked_at(seed)
        found += one
        if unsound(one):
            sys.stdout.write(f"program {seed}: {dict(one)}\n")
    sys.stdout.write("\n".join(lines(found)) + "\n")
    return int(unsound(found) > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
