"""Section C.3: the composition theorem whose step may depend on the pair of datasets."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import Cases, Finding, entry
from finitedp.spec.divergence import max_ratio
from finitedp.spec.pmf import Pmf

Table = tuple[tuple[int, ...], ...]
"""A deterministic function of a bit (or a level) and of a noise: table[x][z]."""


class Chain(NamedTuple):
    """X_1 = first[x][Z_1], X_2 = second[X_1][Z_2], with the weights of the two noises; Markov: the second does not see x."""

    first: Table
    second: Table
    noises: tuple[tuple[int, ...], tuple[int, ...]]

    def law(self, x: int) -> Pmf[int]:
        """The law of X_2."""
        z1 = Pmf(dict(enumerate(self.noises[0])))
        return z1.then(lambda z: self.step(self.first[x][z]))

    def step(self, level: int) -> Pmf[int]:
        """The law of X_2 where X_1 = level."""
        return Pmf(dict(enumerate(self.noises[1]))).pushforward(lambda z: self.second[level][z])

    def start(self, x: int) -> Pmf[int]:
        """The law of X_1."""
        return Pmf(dict(enumerate(self.noises[0]))).pushforward(lambda z: self.first[x][z])


def _functions(inputs: int, noises: int) -> list[Table]:
    rows = list(product(range(2), repeat=noises))
    return list(product(rows, repeat=inputs))


def _chains(weights: Sequence[tuple[int, ...]]) -> Iterator[Chain]:
    functions = _functions(2, len(weights[0]))
    for first, second in product(functions, repeat=2):
        for noises in product(weights, repeat=2):
            yield Chain(first, second, (noises[0], noises[1]))


Ratio = mpq | None  # None for infinite


def _worst(p: Pmf[int], q: Pmf[int]) -> Ratio:
    found = max_ratio(p, q)
    return None if found.infinite else found.value


def _conditions(chain: Chain) -> list[Ratio]:
    """The two maxima of (7): over X_1; and, for each z_1, over X_2."""
    second = [_worst(chain.step(chain.first[0][z]), chain.step(chain.first[1][z])) for z in range(len(chain.noises[0]))]
    return [_worst(chain.start(0), chain.start(1)), None if None in second else max(x for x in second if x is not None)]


def _least(found: Sequence[Ratio]) -> Ratio:
    finite = [x for x in found if x is not None]
    return min(finite) if finite else None


def _first_z(chain: Chain) -> list[Ratio]:
    return [_worst(chain.start(0), chain.start(1)), _worst(chain.step(chain.first[0][0]), chain.step(chain.first[1][0]))]


@entry(
    "PH.Eq7",
    "theorem",
    "(7): the least over i of the largest ratio of X_i given all earlier noises bounds the ratio of X_n.",
    over="as Theorem 3",
    reach="every epsilon, all chains of the grid",
    code=["finitedp.spec.divergence.max_ratio", "finitedp.spec.pmf.Pmf.then"],
    grid=Cases([((1, 2),), ((3, 1),)], [((1, 4, 1), (2, 2, 1))]),
    subject=lambda chain: _least(_conditions(chain)),
    twins={
        "the least over z_1": lambda chain: _least(
            [_worst(chain.step(chain.first[0][z]), chain.step(chain.first[1][z])) for z in range(len(chain.noises[0]))]
        )
    },
)
@entry(
    "PH.Thm3",
    "theorem",
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
def composed(bound: Callable[[Chain], Ratio], weights: tuple[tuple[int, ...], ...]) -> Finding:
    worst = Finding(True, mpq(0), "no finite bound")
    for chain in _chains(weights):
        allowed, found = bound(chain), _worst(chain.law(0), chain.law(1))
        if allowed is None:
            continue
        holds = found is not None and found <= allowed
        load = mpq(2) if found is None else found / allowed
        if not holds or load > worst.load:
            shown = "infinite" if found is None else str(found)
            worst = Finding(holds, load, f"ratio {shown} of {allowed} allowed for {chain}")
        if not holds:
            break
    return worst
