"""Section C.3: the composition theorem whose step may depend on the pair of datasets."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.claims.ph.subjects import finite_ratio
from finitedp.proofs_check.ledger.atoms import over
from finitedp.proofs_check.ledger.entry import Cases, Finding, in_scope
from finitedp.proofs_check.ledger.findings import theorem
from finitedp.spec.pmf import Pmf


class Noise(NamedTuple):
    """A value of the noise of a step: its weight, and where it leads from 0 and from 1."""

    weight: int
    low: int
    high: int


Step = tuple[Noise, ...]


class Chain(NamedTuple):
    """X_1 = f_1(x, Z_1) of bits, X_2 = f_2(X_1, Z_2), by the values of Z_1 and Z_2; Markov: the second does not see x."""

    first: Step
    second: Step

    def check_scope(self) -> None:
        for step in self:
            in_scope(step and min(z.weight for z in step) >= 0 < sum(z.weight for z in step), "laws of noises")
        in_scope({x for z in self.first for x in z[1:]} <= {0, 1}, "X_1 is a bit")

    def law(self, x: int) -> Pmf[int]:
        """The law of X_2."""
        return self.start(x).then(self.step)

    def step(self, level: int) -> Pmf[int]:
        """The law of X_2 where X_1 = level."""
        return _pushed(self.second, level)

    def start(self, x: int) -> Pmf[int]:
        """The law of X_1."""
        return _pushed(self.first, x)


def _pushed(step: Step, x: int) -> Pmf[int]:
    """The law of what a step makes of a bit."""
    return Pmf(dict(enumerate(z.weight for z in step))).pushforward(lambda z: step[z][1 + x])


def _chains(weights: Sequence[tuple[int, ...]]) -> Iterator[Chain]:
    """All functions of bits and noises, with all pairs of the laws of noises."""
    functions = list(product(product(range(2), repeat=2), repeat=len(weights[0])))
    for one, other, laws in product(functions, functions, product(weights, repeat=2)):
        yield Chain(_step(laws[0], one), _step(laws[1], other))


def _step(law: Sequence[int], of: Sequence[tuple[int, ...]]) -> Step:
    return tuple(Noise(weight, *to) for weight, to in zip(law, of, strict=True))


Ratio = mpq | None  # None for infinite


def _conditions(chain: Chain) -> list[Ratio]:
    """The two maxima of (7): over X_1; and, for each z_1, over X_2."""
    second = _given(chain)
    return [finite_ratio(chain.start(0), chain.start(1)), None if None in second else max(x for x in second if x is not None)]


def _given(chain: Chain) -> list[Ratio]:
    """The ratio of X_2 given z_1, for each z_1 that has mass."""
    return [finite_ratio(chain.step(z.low), chain.step(z.high)) for z in chain.first if z.weight]


def _least(found: Sequence[Ratio]) -> Ratio:
    finite = [x for x in found if x is not None]
    return min(finite) if finite else None


def _first_z(chain: Chain) -> list[Ratio]:
    return [finite_ratio(chain.start(0), chain.start(1)), _given(chain)[0]]


@theorem(
    "PH.Eq7",
    "(7): the least over i of the largest ratio of X_i given all earlier noises bounds the ratio of X_n.",
    over="as Theorem 3",
    reach="every epsilon, all chains of the grid",
    code=["finitedp.spec.divergence.max_ratio", "finitedp.spec.pmf.Pmf.then"],
    grid=Cases([((1, 2),), ((3, 1),)], [((1, 4, 1), (2, 2, 1))]),
    subject=lambda chain: _least(_conditions(chain)),
    twins={"the least over z_1": lambda chain: _least(_given(chain))},
)
@theorem(
    "PH.Thm3",
    """Let X_1 = f_1(x, Z_1) and X_i = f_i(X_(i-1), Z_i) with independent Z_i. If for some i, which may depend on the pair x,
    x', the ratio of the laws of X_i given z_1, ..., z_(i-1) is at most e^epsilon for all of them, then so is that of X_n.""",
    over="all chains of two steps on bits with noises of two or three values and the weights of the grid; every epsilon",
    reach="every epsilon, all chains of the grid",
    code=["finitedp.spec.divergence.max_ratio", "finitedp.spec.pmf.Pmf.then"],
    grid=Cases([((1, 1), (1, 2)), ((5, 2),)], [((1, 2, 3),), ((1, 1, 0), (5, 2, 1)), ((9, 3, 1), (1, 1, 2))]),
    subject=lambda chain: _least(_conditions(chain)),
    twins={
        "given the first z_1 alone": lambda chain: _least(_first_z(chain)),
        "1": lambda chain: mpq(1),
    },
)
@over(_chains)
def composed(bound: Callable[[Chain], Ratio], chain: Chain) -> Finding:
    allowed = bound(chain)
    if allowed is None:
        return Finding(True, mpq(0), "no finite bound")
    found = finite_ratio(chain.law(0), chain.law(1))
    shown = "infinite" if found is None else str(found)
    return Finding(
        found is not None and found <= allowed,
        mpq(2) if found is None else found / allowed,
        f"ratio {shown} of {allowed} allowed for {chain}",
    )
