"""Cases of two laws or more: their worst ratio, their curve, claims about them, and what several releases cost together."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gmpy2 import mpq

from finitedp.exact import compare_exp, exp_bounds
from finitedp.proofs_check.vectors.groups import Dice, Group, refused, valid
from finitedp.spec import accounting, counting, divergence, dyadic
from finitedp.spec.pmf import Pmf

Weights = Sequence[int]

_PAIRS: list[tuple[Weights, Weights, list[str]]] = [
    ([3, 1], [1, 3], ["Tie"]),
    ([1, 1], [1, 1], ["SameLaw"]),
    ([2, 4], [1, 2], ["SameLaw"]),
    ([1, 0], [0, 1], ["DisjointLaws", "Infinite"]),
    ([1, 2, 0], [1, 1, 1], ["Basic"]),
    ([1, 1, 1], [1, 2, 0], ["Infinite"]),
    ([4, 2, 1], [1, 2, 4], ["Tie"]),
    ([4, 4, 1, 1], [2, 2, 3, 3], ["Tie"]),
    ([(1 << 53) + 1, 1 << 53], [1 << 53, (1 << 53) + 1], ["Border2^53", "Float"]),
    ([(1 << 63) + 1, (1 << 63) - 1], [1 << 63, 1 << 63], ["Border2^63", "Float"]),
    ([1, (1 << 64) - 1], [2, (1 << 64) - 2], ["Border2^64"]),
    ([1, (1 << 100) - 1], [3, (1 << 100) - 3], ["Float"]),
]
_RATIOS = ("0", "1/2", "1", "4/3", "3/2", "2", "3", "4", "100")


def _law(weights: Weights) -> Pmf[int]:
    return Pmf(dict(enumerate(weights)))


def _pairs(dice: Dice, many: int) -> Iterator[tuple[Weights, Weights, list[str]]]:
    yield from _PAIRS
    for n, epsilon, bits in ((2, "1", 16), (4, "2", 64), (5, "1/3", 32)):
        weights = dyadic.table(n, dyadic.ratio_below(mpq(epsilon), bits), bits)
        if weights is not None:
            laws = [dyadic.law(weights, c) for c in (0, 1, n)]
            both = [[law.weight(z) for z in range(n + 1)] for law in laws]
            yield both[0], both[1], ["LawEnds"]
            yield both[1], both[0], ["LawEnds"]
            yield both[0], both[2], ["LawEnds"]
    for _ in range(many):
        size, limit = 2 + dice.below(5), dice.of((4, 10, 1000))
        p, q = ([dice.below(limit) for _ in range(size)] for _ in range(2))
        if sum(p) and sum(q):
            yield p, q, ["Infinite" if any(a and not b for a, b in zip(p, q, strict=True)) else "Basic"]


def _ratios_of(p: Weights, q: Weights) -> list[mpq]:
    """The finite ratios P[z]/Q[z] of the outputs, from the least on."""
    scale = mpq(sum(q), sum(p))
    return sorted({mpq(a, b) * scale for a, b in zip(p, q, strict=True) if b})


def _near(dice: Dice, p: Weights, q: Weights) -> list[tuple[mpq, list[str]]]:
    """Ratios: round ones, and those of single outputs, at which the curve bends."""
    at = _ratios_of(p, q)
    found = [(x, ["Tie", *(["Below1"] if x < 1 else [])]) for x in (at[0], at[len(at) // 2], at[-1])]
    plain = mpq(dice.of(_RATIOS))
    return [*found, (mpq(1), ["Basic"]), (plain, ["Below1"] if plain < 1 else ["Basic"])]


def pair_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Pair."""
    dice = Dice("pair")
    tests = []
    for p, q, flags in _pairs(dice, 500 if large else 12):
        laws = _law(p), _law(q)
        worst = divergence.max_ratio(*laws)
        attained = [z for z, (a, b) in enumerate(zip(p, q, strict=True)) if a and _attains(a, b, worst, sum(p), sum(q))]
        told = {
            "worstRatio": "infinite" if worst.infinite else str(worst.value),
            "witness": [str(z) for z in attained],
            "totalVariation": divergence.total_variation(*laws).distance,
        }
        for ratio, more in dict(_near(dice, p, q)).items():
            delta = divergence.hockey_stick(*laws, ratio).delta
            tests.append(valid(f"delta at the ratio {ratio}", [*flags, *more], p=p, q=q, ratio=ratio, delta=delta, **told))
    for p, q, told_why in (
        ([1, -1], [1, 1], "a negative weight"),
        ([0, 0], [1, 1], "no weight"),
        ([1, 1], [1, 1, 1], "more outputs"),
    ):
        tests.append(refused(told_why, ["BadParameter"], p=p, q=q, ratio=1))
    yield {}, tests


def _attains(a: int, b: int, worst: divergence.WorstRatio[int], of_p: int, of_q: int) -> bool:
    """Whether an output's ratio is the worst one."""
    return b == 0 if worst.infinite else b > 0 and mpq(a, b) * mpq(of_q, of_p) == worst.value


def curve_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Curve: delta at many ratios, by the pieces of the profile."""
    dice = Dice("curve")
    for p, q, flags in _pairs(dice, 300 if large else 8):
        profile = divergence.privacy_profile(_law(p), _law(q))
        ratios = sorted({*map(mpq, _RATIOS), *_ratios_of(p, q)})
        whole = valid(
            "round ratios, and those of all outputs",
            [*flags, "Below1"],
            ratios=ratios,
            deltas=[profile.delta(r) for r in ratios],
        )
        single = [valid(f"at {r}", flags, ratios=[r], deltas=[profile.delta(r)]) for r in ratios[:: 4 if large else 5]]
        yield {"p": [str(w) for w in p], "q": [str(w) for w in q]}, [whole, *single]


# Claims about laws


def _kept(laws: Sequence[Weights], epsilon: mpq, ratio: mpq | None, delta: mpq) -> tuple[list[bool], list[bool]]:
    """Whether neighbouring laws keep within the ratio and delta: upwards, and downwards."""
    exact = [_law(weights) for weights in laws]

    def keeps(p: Pmf[int], q: Pmf[int]) -> bool:
        profile = divergence.privacy_profile(p, q)
        return profile.holds(epsilon, delta) if ratio is None else bool(profile.delta(ratio) <= delta)

    return [keeps(p, q) for p, q in pairwise(exact)], [keeps(q, p) for p, q in pairwise(exact)]


def _claims(laws: Sequence[Weights], epsilons: Sequence[str]) -> Iterator[dict[str, Any]]:
    exact = [_law(weights) for weights in laws]
    pairs = [(a, b) for i, a in enumerate(exact) for j, b in enumerate(exact) if abs(i - j) == 1]
    for text in epsilons:
        epsilon = mpq(text)
        for delta in (mpq(0), mpq(1, 10), mpq(1, 1000)):
            yield _private(laws, epsilon, None, delta, ["Basic"])
        low, high = exp_bounds(epsilon, 200)
        for at, told in ((low, -1), (high, 1)):  # deltas at ratios beside e^epsilon: needed, and one part in 2^100 off
            delta = max(divergence.hockey_stick(a, b, at).delta for a, b in pairs)
            rounded = mpq(int(delta * (1 << 100)) + (1 if told < 0 else 0), 1 << 100)
            yield _private(laws, epsilon, None, min(rounded, mpq(1)), ["DeltaBorder"])
    worst = [divergence.max_ratio(a, b) for a, b in pairs]
    for ratio in sorted({w.value for w in worst if not w.infinite}):
        if ratio >= 1:
            epsilon = next(mpq(k, 8) for k in range(1, 10**4) if compare_exp(ratio, mpq(k, 8)) <= 0)
            yield _private(laws, epsilon, ratio, mpq(0), ["Tie"])
            yield _private(laws, epsilon, ratio * mpq(999999, 1000000), mpq(0), ["DeltaBorder"])
            needed = max(divergence.hockey_stick(a, b, 1).delta for a, b in pairs)
            yield _private(laws, epsilon, mpq(1), needed, ["DeltaBorder"])
            if needed:
                yield _private(laws, epsilon, mpq(1), needed * mpq(999999, 1000000), ["DeltaBorder"])
            yield _private(laws, epsilon / 100, ratio, mpq(0), ["OtherEpsilon"])


def _private(laws: Sequence[Weights], epsilon: mpq, ratio: mpq | None, delta: mpq, flags: list[str]) -> dict[str, Any]:
    up, down = _kept(laws, epsilon, ratio, delta)
    fits = ratio is None or compare_exp(ratio, epsilon) <= 0
    given = {"epsilon": epsilon, "ratio": "" if ratio is None else ratio, "delta": delta}
    if up != down:
        flags = [*flags, "OtherDirection"]
    if fits and all(up) and all(down):
        return valid("the claim holds", flags, **given)
    return refused("the claim fails" if fits else "the ratio is above e^epsilon", flags, **given)


def private_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Private: laws at the counts 0, 1, ..., of which those beside one another are neighbours."""
    dice = Dice("private")
    every: list[tuple[list[Weights], tuple[str, ...]]] = [
        ([[3, 1], [1, 3]], ("1", "11/10", "2")),
        ([[3, 1], [3, 1]], ("0", "1/100")),
        ([[1, 0], [1, 1]], ("1", "1/2")),
        ([[1, 1], [1, 0]], ("1", "1/2")),
        ([[8, 1, 1], [5, 4, 1], [1, 4, 5]], ("1", "3/2", "7/5")),
    ]
    for n, decay in ((3, "1/2"), (4, "2/3")):
        laws = [counting.geometric_mechanism(n, decay, c) for c in range(n + 1)]
        every.append(([[int(law.weight(z)) for z in range(n + 1)] for law in laws], ("1/2", "7/10", "69/100", "2")))
    for n, epsilon, bits in ((3, "1", 16), (3, "2", 64)):
        weights = dyadic.table(n, dyadic.ratio_below(mpq(epsilon), bits), bits)
        if weights is not None:
            made = [dyadic.law(weights, c) for c in range(n + 1)]
            half = str(mpq(epsilon) / 2)
            every.append(([[int(law.weight(z)) for z in range(n + 1)] for law in made], (half, str(mpq(half) * mpq(9, 10)))))
    for _ in range(150 if large else 3):
        size, inputs = 2 + dice.below(4), 2 + dice.below(3)
        every.append(([[1 + dice.below(20) for _ in range(size)] for _ in range(inputs)], ("1/2", "1", "3/2")))
    for laws_of, epsilons in every:
        yield {"laws": [[str(w) for w in row] for row in laws_of]}, list(_claims(laws_of, epsilons))


# Composition


def composition_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Composition: delta of independent releases together, exactly, of which an answer is an interval."""
    dice = Dice("composition")
    responses: list[tuple[list[Weights], list[Weights]]] = [
        ([[2, 1]], [[1, 2]]),
        ([[3, 2]], [[2, 3]]),
        ([[1, 2, 1]], [[0, 2, 2]]),
        ([[6, 3, 1]], [[3, 6, 1]]),
        ([[2, 1], [3, 1]], [[1, 2], [1, 3]]),
        ([[2, 1], [1, 8, 0]], [[1, 2], [0, 8, 1]]),
    ]
    for _ in range(60 if large else 3):
        size = 2 + dice.below(2)
        responses.append(([[1 + dice.below(9) for _ in range(size)]], [[1 + dice.below(9) for _ in range(size)]]))
    for ps, qs in responses:
        tests = []
        for times in ((1,), (2,), (5,), (12,), *(((40,), (100,)) if large else ((30,),))):
            all_times = times * len(ps)
            if len(ps) > 1 or len(ps[0]) > 2:
                all_times = tuple(min(t, 8 - i) for i, t in enumerate(all_times))
            pairs = [_atoms(p, q) for p, q, t in zip(ps, qs, all_times, strict=True) for _ in range(t)]
            for ratio in ("1", "2", "3/2", "8", "1024"):
                delta = accounting.composed_delta(pairs, ratio)
                flags = ["ManyReleases" if max(all_times) > 5 else "Basic", *(["Mixed"] if len(ps) > 1 else [])]
                within = _wide(delta, max(all_times))
                tests.append(valid(f"{all_times} releases", flags, times=all_times, ratio=ratio, within=within, delta=delta))
        unique = {(tuple(t["times"]), t["ratio"]): t for t in tests}
        yield {"ps": _rows(ps), "qs": _rows(qs)}, list(unique.values())


def _wide(delta: mpq, times: int) -> mpq:
    """How wide an interval may be: about a fiftieth of delta, or twice delta for very many releases."""
    share = mpq(50) if times <= 30 else mpq(1, 2)
    return mpq(1, int(share / delta) + 1) if delta else mpq(1, 10**12)


def _rows(rows: Sequence[Weights]) -> list[list[str]]:
    return [[str(w) for w in row] for row in rows]


def _atoms(p: Weights, q: Weights) -> list[accounting.Atom]:
    return [accounting.Atom(mpq(a, sum(p)), mpq(b, sum(q))) for a, b in zip(p, q, strict=True)]
