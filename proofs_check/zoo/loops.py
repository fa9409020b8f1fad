"""Noise from loops without a bound, as code for integers or coins makes it: samplers that are declared, and taken alone.

A declared sampler is explored once by itself, its loops as chains of states. Where these are finitely many its law is exact;
else at most about 2^-78 of it is unresolved, and a claim needs a small delta above 0. Run inline, most of these loops leave so
much unresolved that nothing could be said, or hide what happens with a probability of 2^-64.
"""

from collections.abc import Callable

from attrs import evolve, frozen

from finitedp.claim import Neighbours, PrivacyClaim
from finitedp.proofs_check.engine.explorer import Budget
from finitedp.proofs_check.engine.stand_ins.standard import StandIn
from finitedp.proofs_check.zoo.exhibit import Family, at_ratio, attained, fails, holds

Rows = tuple[str, ...]
Bits = tuple[int, ...]


# Samplers


def heads(rng: StandIn, faces: int) -> int:
    """How often a die shows 0 before it does not: k with probability (1 - a) a^k, for a = 1 / faces."""
    found = 0
    while rng.randrange(faces) == 0:
        found += 1
    return found


def two_sided(rng: StandIn, faces: int) -> int:
    """Two-sided geometric noise with decay 1 / faces: a count with a sign, where -0 is drawn again."""
    while True:
        size = heads(rng, faces)
        if rng.getrandbits(1) == 0:
            return size
        if size > 0:
            return -size


def capped(rng: StandIn) -> int:
    """The same with decay 1/2, but a count that ends at 64: this has 2^-64 instead of 2^-65, so that -64 has 2^-65 / (3/4)."""
    while True:
        size = 0
        while size < 64 and rng.random() < 0.5:
            size += 1
        if rng.getrandbits(1) == 0:
            return size
        if size > 0:
            return -size


def bernoulli_exp(rng: StandIn, p: int, q: int, parity: int) -> bool:
    """True with probability e^-x for x = p/q of at most 1: the trial that fails is odd; 1 - e^-x where even is asked for.

    The trial k is reached with probability x^(k - 1) / (k - 1)!, and fails with 1 - x/k.
    """
    k = 1
    while rng.randrange(q * k) < p:
        k += 1
    return k % 2 == parity


def lies(rng: StandIn, p: int, q: int, parity: int) -> bool:
    """A fair coin proposes the truth or a lie, until one is accepted; a lie is, with the probability b above: b / (1 + b)."""
    while True:
        if rng.getrandbits(1):
            return False
        if bernoulli_exp(rng, p, q, parity):
            return True


def discrete_laplace(rng: StandIn, t: int, zero_twice: bool) -> int:
    """An integer y in proportion to e^-(|y| / t), by rejection; or with the zero of both signs kept."""
    while True:
        u: int = rng.randrange(t)
        if not bernoulli_exp(rng, u, t, 1):
            continue
        v = 0
        while bernoulli_exp(rng, 1, 1, 1):
            v += 1
        y = u + t * v
        if rng.getrandbits(1) == 0:
            return y
        if y > 0 or zero_twice:
            return -y


def fair(rng: StandIn) -> bool:
    """A fair bit of a coin that shows heads three times in four: the first of two flips that differ."""
    while True:
        first, second = rng.random() < 0.75, rng.random() < 0.75
        if first != second:
            return bool(first)


def overlapping(rng: StandIn) -> bool:
    """The flip that first differs from the one before: it is not the very first flip, so that it is heads with 1/4 only."""
    before = rng.random() < 0.75
    while True:
        flip = rng.random() < 0.75
        if flip != before:
            return bool(flip)
        before = flip


# Mechanisms


@frozen
class Laplace:
    """A count plus discrete Laplace noise of scale 2.

    With the zero of both signs kept, 0 has probability 1 - q for q = e^-1/2, and k has (1 - q) q^|k| / 2. Only there a ratio
    is above 1/q: it is 2/q, so that delta at epsilon = 1/2 is 1 - q - (1/q) (1 - q) q / 2 = (1 - q) / 2 = 0.19673467014...
    """

    zero_twice: bool = False

    def __call__(self, count: int, rng: StandIn) -> int:
        """The noisy count."""
        return count + discrete_laplace(rng, 2, self.zero_twice)


@frozen
class Response:
    """The only row, or a lie with probability b / (1 + b) for b = e^-(p/q); with the wrong parity b = 1 - e^-(p/q).

    The worst ratio is 1/b. With the wrong parity that is below e for p/q = 1, but 2.54 for p/q = 1/2, where delta is
    (2 - h) / (2 - 1/h) for h = e^1/2, which is 0.25208931344...
    """

    p: int
    q: int
    parity: int

    def __call__(self, data: Bits, rng: StandIn) -> int:
        """The answer of the only row."""
        return 1 - data[0] if lies(rng, self.p, self.q, self.parity) else data[0]


def capped_noise(count: int, rng: StandIn) -> int:
    """A count plus capped noise: z has probability 2^-|z| / 3 for |z| < 64, and 64 and -64 have 2^-63 / 3.

    A smaller count alone can reach -64. Elsewhere a ratio is at most 2, so that delta at the ratio 2 is 2^-63 / 3.
    """
    return count + capped(rng)


def von_neumann(data: Bits, rng: StandIn) -> int:
    """The only row, or a lie where two fair bits are heads: 1/4."""
    return 1 - data[0] if fair(rng) and fair(rng) else data[0]


def one_flip_apart(data: Bits, rng: StandIn) -> int:
    """The only row, or a lie where two bits of the wrong law are heads: 1/16."""
    return 1 - data[0] if overlapping(rng) and overlapping(rng) else data[0]


@frozen
class NoisyMax:
    """The first candidate with the largest score plus one-sided geometric noise of decay 1/2, or that noisy score itself.

    For the scores (0, 0) the candidate 1 wins with probability 1/3, for (1, 0) with 1/6. The largest noisy score is 0 with
    probability 1/4 for (0, 0) and never for (1, 0); all else has a ratio of at most 2, so that delta is 1/4.
    """

    value: bool = False

    def __call__(self, data: Rows, rng: StandIn) -> int:
        """The index, or the score."""
        noisy = [sum(int(row[i]) for row in data) + heads(rng, 2) for i in range(2)]
        if self.value:
            return max(noisy)
        return 0 if noisy[0] >= noisy[1] else 1


@frozen
class SparseVector:
    """Whether noisy answers reach a noisy threshold around 1, up to the first that does; noise of decay 1 / faces, uncut.

    answer: None for answers without noise, all of which are then told.
    """

    threshold: int
    answer: int | None

    def __call__(self, data: Rows, rng: StandIn) -> tuple[bool, ...]:
        """True for above and False for below."""
        bound = 1 + two_sided(rng, self.threshold)
        shown: list[bool] = []
        for query in data[0]:
            noisy = int(query) + (0 if self.answer is None else two_sided(rng, self.answer))
            shown.append(bool(noisy >= bound))
            if shown[-1] and self.answer is not None:
                break
        return tuple(shown)


TINY = f"1/{2**60}"
CKS = "Canonne, Kamath, Steinke 2020, The discrete Gaussian for differential privacy: "
NEUMANN = "von Neumann 1951, Various techniques used in connection with random digits: fair bits of an unfair coin"
GHOSH = "Ghosh, Roughgarden, Sundararajan 2009, Universally utility-maximizing privacy mechanisms: the geometric mechanism"
MAX = (
    "Ding, Wang, Wang, Zhang, Kifer 2018, Detecting violations of differential privacy: noisy max with one-sided noise, here "
    "geometric, ties to the first"
)
LYU = "Lyu, Su, Li 2017, Understanding the sparse vector technique: Algorithm "
VOTES = ("00", "01", "10", "11")
BITS = (0, 1)
EVEN, LAST = 0, f"1/{3 * 2**63}"


def _nearly(ratio: int, neighbours: Neighbours) -> PrivacyClaim:
    """A claim for a ratio, and 2^-60 for what is unresolved."""
    return evolve(at_ratio(ratio, neighbours), delta=TINY)


def _family(
    name: str, source: str, claim: PrivacyClaim, universe: tuple[object, ...], *samplers: Callable[..., object]
) -> Family:
    """Exhibits for whose samplers few runs of the rest are enough."""
    return Family(name, source, claim, universe, style="random", budget=Budget(runs=200), samplers=samplers)


EXHIBITS = (
    *_family(
        "discrete-laplace", CKS + "Algorithm 2", PrivacyClaim("1/2", "counts", TINY), (), bernoulli_exp, discrete_laplace
    ).exhibits(
        holds("", Laplace()).because("Exact noise of scale 2 over all integers, from uniform integers and loops alone."),
        fails("zero-twice", Laplace(zero_twice=True), delta_near="196734670143683/1000000000000000").because(
            "Without the rejection of -0, zero has twice the probability that is due.",
            ", whose rejection of the negative zero is left out (folklore bug)",
        ),
    ),
    *_family(
        "bernoulli-exp",
        CKS + "Algorithm 1, for randomised response",
        PrivacyClaim("1/2", "replace-one", TINY),
        BITS,
        bernoulli_exp,
        lies,
    ).exhibits(
        holds("", Response(1, 2, 1)).because("The lie is accepted with an exact e^-1/2: the ratio is e^1/2."),
        fails("wrong-parity/one-half", Response(1, 2, EVEN), delta_near="252089313445124/1000000000000000").because(
            "Even and odd are mixed up: 1 - e^-1/2 in place of e^-1/2, and lies are too rare.", "; the bug is ours"
        ),
        holds("wrong-parity/one", Response(1, 1, EVEN), claim=PrivacyClaim(1, "replace-one", TINY)).because(
            "The same mistake at x = 1: 1 - e^-1 is above e^-1, so that the law is wrong, but private.", "; the bug is ours"
        ),
    ),
    *_family(
        "capped-geometric",
        GHOSH + " with a count that ends at 64, and a sign",
        PrivacyClaim("7/10", "counts", LAST, 2),
        (),
        capped,
    ).exhibits(
        attained("approximate", capped_noise, "infinite").because(
            "The loop ends at 64, to be safe: an output that only one of two neighbours has, with probability 2^-63 / 3."
        ),
        fails("pure", capped_noise, "infinite", LAST, claim=at_ratio(2, "counts")).because(
            "The same loop is not purely private: the cap shows, if with probability 2^-63 / 3 only.",
            "; the claim is folklore",
        ),
    ),
    *_family(
        "von-neumann", NEUMANN + ", for randomised response", at_ratio(3, "replace-one"), BITS, fair, overlapping
    ).exhibits(
        attained("", von_neumann).because("The first of two flips that differ is fair: a lie with probability 1/4 exactly."),
        fails("overlapping", one_flip_apart, 15).because(
            "Pairs of flips that overlap: what first differs is not the first flip, and takes over its bias.",
            "; the bug is folklore",
        ),
    ),
    *_family("noisy-max-by-loops", MAX, _nearly(2, "add-remove"), VOTES, heads).exhibits(
        holds("index", NoisyMax()).because("Only the index is seen, and the counts rise together: the claim of one count."),
        fails("value", NoisyMax(value=True), delta_near="1/4", universe=("10", "01")).because(
            "The largest noisy score itself is never below the largest count.", "; the variant that returns the value"
        ),
    ),
    *_family(
        "sparse-vector-by-loops/alg-1",
        LYU + "1, c = 1; geometric noise",
        _nearly(16, "replace-one"),
        VOTES,
        heads,
        two_sided,
    ).exhibits(
        holds("", SparseVector(4, 2)).because("Threshold with decay 1/4, answers with 1/2, none of them cut: 4 * 2^2 = 16."),
    ),
    *_family(
        "sparse-vector-by-loops/alg-4",
        LYU + "4 (Lee and Clifton 2014), c = 1; geometric noise",
        _nearly(16, "replace-one"),
        VOTES,
        heads,
        two_sided,
    ).exhibits(
        fails("", SparseVector(2, 8), delta_near="8528/51435").because(
            "The budget is split wrongly: decay 1/8 for answers, where a threshold with 1/2 leaves them 8^-1/2. The sum over "
            "the noisy threshold gives delta 8528/51435."
        ),
    ),
    *_family(
        "sparse-vector-by-loops/alg-5",
        LYU + "5 (Stoddard, Chen, Machanavajjhala 2014), without noise on answers; geometric noise",
        _nearly(2, "replace-one"),
        VOTES,
        heads,
        two_sided,
    ).exhibits(
        fails("", SparseVector(2, None), delta_near="1/3").because(
            "Below, then above, for the answers 0 and 1 needs the noisy threshold 1: 1/3, and 0 for (0, 0)."
        ),
    ),
)
