"""A port's main loop, here around finitedp's own code: finitedp vectors run -- python docs/ports/finitedp_port.py.

One case a line on standard input, one answer a line on standard output; docs/vectors.md has the protocol.
"""

import json
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from gmpy2 import mpq

from finitedp.curve import Curve, Pair
from finitedp.errors import CoinsError, FinitedpError
from finitedp.exact import log_bounds, rational
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_table import DyadicTable, dyadic_table
from finitedp.impl.counting.geometric import FastSample, GeoSample
from finitedp.impl.histograms.basic import BasicHistogram
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.impl.histograms.blanket.stretched import Stretched
from finitedp.impl.histograms.dyadic import least_threshold
from finitedp.impl.histograms.stability import StabilityHistogram
from finitedp.proofs_check import checker, dyadic_certificate

Fields = dict[str, str]


class RefusedError(Exception):
    """What is to be answered with `invalid`."""


class Tape:
    """Coins that give the words of a tape, one after another."""

    slack = mpq(1)

    def __init__(self, words: str) -> None:
        self._words, self.read = [int(word, 16) for word in words.split()], 0

    def bits(self, b: int) -> int:
        """The next word."""
        if not self._words:
            raise CoinsError("the tape has no more words")
        self.read += b
        return self._words.pop(0)

    def uniform(self, d: int, most: int | None = None) -> int:
        """Nothing that is run here draws so."""
        raise CoinsError(f"uniform({d}, {most}) of a tape of words")


def integers(text: str) -> list[int]:
    """A list of integers."""
    return [int(part) for part in text.split()]


def rows(text: str) -> list[list[int]]:
    """Lists of integers."""
    return [integers(row) for row in text.split(";")]


def joined(numbers: object) -> str:
    """A list as an answer has it."""
    return " ".join(map(str, numbers))  # type: ignore[call-overload, no-any-return]  # whatever list it is


def as_table(case: Fields, epsilon: mpq, ratio: mpq) -> DyadicTable:
    """The table of a case, certified."""
    bits, n = int(case["bits"]), int(case["n"])
    return DyadicTable(epsilon, ratio, bits, n, tuple(integers(case["head"])), int(case["tail"]), int(case["last"]))


@lru_cache(maxsize=4)
def _mechanism(bits: int, n: int, head: str, tail: int, last: int) -> DyadicSample:
    """DyadicSample on a table of which neither epsilon nor R is given: R is its worst ratio."""
    weights = [*integers(head), tail]
    sums = [last + (n - len(weights) + 1) * tail]
    for weight in reversed(weights[:-1]):
        sums.append(sums[-1] + weight)
    steps = [mpq(a, b) for a, b in pairwise(weights)]
    ratio = max([mpq(last + tail, last), *steps, *(mpq(a, b) for b, a in pairwise(sums))])
    epsilon = mpq(2 * int(ratio + 1).bit_length())  # e^(epsilon/2) is above 2^(epsilon/2)
    made = DyadicTable(epsilon, ratio, bits, n, tuple(weights[:-1]), tail, last)
    return DyadicSample(n, epsilon, bits, given=made)


def mechanism(case: Fields) -> DyadicSample:
    """DyadicSample on the table of a case."""
    return _mechanism(int(case["bits"]), int(case["n"]), case["head"], int(case["tail"]), int(case["last"]))


def build(case: Fields) -> Fields:
    """The table with the largest centre."""
    made = dyadic_table(int(case["n"]), rational(case["epsilon"]), int(case["bits"]))
    return {"ratio": str(made.ratio), "head": joined(made.head), "tail": str(made.tail), "last": str(made.last)}


def table(case: Fields) -> Fields:
    """Whether weights are a table."""
    as_table(case, rational(case["epsilon"]), rational(case["ratio"]))
    return {}


def certificate(case: Fields) -> Fields:
    """Whether bytes are the certificate of a table."""
    document = json.loads(bytes.fromhex(case["text"]).decode(), object_pairs_hook=dyadic_certificate.unique)
    reason = dyadic_certificate.recheck(document)
    if reason is not None:
        raise RefusedError(reason)
    return {}


def audit(case: Fields) -> Fields:
    """Whether bytes are the certificate of an audit."""
    try:
        reason = checker.check(json.loads(bytes.fromhex(case["text"]).decode(), object_pairs_hook=checker.unique))
    except Exception as error:  # as the checker's own command: whatever it is, it is not accepted
        raise RefusedError(repr(error)) from None
    if reason is not None:
        raise RefusedError(reason)
    return {}


def draw(case: Fields) -> Fields:
    """A noisy count."""
    tape = Tape(case["tape"])
    output = mechanism(case).release(int(case["count"]), tape)
    return {"output": str(output), "bitsRead": str(tape.read)}


def release(case: Fields) -> Fields:
    """Noisy counts."""
    tape, sampler, labels = Tape(case["tape"]), mechanism(case), case["labels"].split()
    counts = dict(zip(labels, integers(case["counts"]), strict=True))
    if case["mechanism"] == "basic":
        bins = BasicHistogram(sampler, labels).release_counts(counts, tape)
    else:
        bins = StabilityHistogram(sampler, int(case["threshold"]), case["padded"] == "yes").release_counts(counts, tape)
    shown, values = [label for label, _ in bins], [value for _, value in bins]
    return {"releasedLabels": joined(shown), "releasedCounts": joined(values), "bitsRead": str(tape.read)}


def threshold(case: Fields) -> Fields:
    """The least threshold for a delta."""
    sampler = mechanism(case)
    found = least_threshold(sampler, case["delta"])
    return {"threshold": str(found), "deltaThere": str(1 - mpq(sampler.cdf(1, found), sampler.d))}


def claim(case: Fields) -> Fields:
    """What a histogram claims."""
    made = as_table(case, rational(case["epsilon"]), rational(case["ratio"]))
    sampler = DyadicSample(made.n, made.epsilon, made.bits, given=made)
    basic = case["mechanism"] == "basic"
    histogram = BasicHistogram(sampler, ["a", "b"]) if basic else StabilityHistogram(sampler, int(case["threshold"]))
    told = histogram.claim() if case["neighbours"] == "replace-one" else histogram.add_remove_claim()
    ratio = "" if told.ratio is None else str(told.ratio)
    return {"claimedEpsilon": str(told.epsilon), "claimedRatio": ratio, "claimedDelta": str(told.delta)}


def law(case: Fields) -> Fields:
    """The law of a noisy count, of the distribution function that is drawn from."""
    n, count = int(case["n"]), int(case["count"])
    if case["mechanism"] == "geometric":  # finitedp runs it as GeoSample alone: the ratio of two weights is what counts
        a, powers = rational(case["decay"]), range(n + 1)
        weights = [a ** abs(z - count) * (1 if 0 < z < n else 1 / (1 - a)) for z in powers]
        scale = a.denominator ** (n + 1) * (a.denominator - a.numerator)
        return {"weights": joined(int(w * scale) for w in weights)}
    made: dict[str, Callable[[], DyadicSample | GeoSample | FastSample]] = {
        "dyadic": lambda: DyadicSample(n, case["epsilon"], int(case["bits"])),
        "geo-sample": lambda: GeoSample(n, case["epsilon"]),
        "fast-sample": lambda: FastSample(n, case["epsilon"], case["gamma"]),
    }
    sampler = made[case["mechanism"]]()
    return {"weights": joined(sampler.cdf(count, z) - (sampler.cdf(count, z - 1) if z else 0) for z in range(n + 1))}


def plan(case: Fields) -> Fields:
    """Whether the numbers of a BlanketHistogram are a plan."""
    names = ("b", "cap", "slots", "hitBits", "hit", "countBits", "labelBits")
    b, cap, slots, hit_bits, hit, count_bits, label_bits = (int(case[name]) for name in names)
    ratio = rational(case["ratio"])
    made = as_table(case, mpq(2 * int(ratio + 1).bit_length()), ratio)
    sampler, counts = DyadicSample(made.n, made.epsilon, made.bits, given=made), integers(case["slotCounts"])
    stretched = Stretched(len(counts), tuple(counts[:-1]), 0, counts[-1])
    BlanketPlan(sampler, "add-remove", 1 << label_bits, label_bits, b, cap, slots, hit_bits, hit, count_bits, stretched)
    return {}


def private(case: Fields) -> Fields:
    """Whether neighbouring laws keep a claim, by the comparison of the lone checker."""
    laws, epsilon = rows(case["laws"]), rational(case["epsilon"])
    above = checker.comparison({"epsilon": str(epsilon), "ratio": None})
    if case["ratio"]:
        ratio = rational(case["ratio"])
        if above(ratio.numerator, ratio.denominator):
            raise RefusedError("the ratio is above e^epsilon")
        above = checker.comparison({"epsilon": str(epsilon), "ratio": case["ratio"]})
    delta = rational(case["delta"])
    for one, other in pairwise(laws):
        for p, q in ((one, other), (other, one)):
            event = [(a * sum(q), b * sum(p)) for a, b in zip(p, q, strict=True) if above(a * sum(q), b * sum(p))]
            whole = sum(p) * sum(q)
            in_p, in_q = (sum(column) for column in zip(*event, strict=True)) if event else (0, 0)
            if above(int(in_p * delta.denominator - delta.numerator * whole), int(in_q * delta.denominator)):
                raise RefusedError("an event is too likely")
    return {}


def pair_of(p: list[int], q: list[int]) -> Curve:
    """The curve of two laws."""
    return Curve([Pair((a * sum(q), b * sum(p)) for a, b in zip(p, q, strict=True))], "counts")


def pair(case: Fields) -> Fields:
    """Divergences."""
    p, q = integers(case["p"]), integers(case["q"])
    curve, ratio = pair_of(p, q), rational(case["ratio"])
    of = curve.pairs[0]
    worst = "infinite" if of.infinite else str(of.largest)
    atoms = list(enumerate(zip(p, q, strict=True)))
    witness = next((z for z, (a, b) in atoms if a and not b), None)
    if witness is None:
        witness = max((mpq(a, b), z) for z, (a, b) in atoms if b)[1]
    told = {"delta": str(curve.delta_at(ratio)), "totalVariation": str(curve.delta_at(1))}
    return {"worstRatio": worst, "witness": str(witness), **told}


def curve(case: Fields) -> Fields:
    """Delta at many ratios."""
    of = pair_of(integers(case["p"]), integers(case["q"]))
    return {"deltas": joined(of.delta_at(ratio) for ratio in case["ratios"].split())}


@lru_cache(maxsize=4)
def composed(ps: str, qs: str, times: str) -> Composition:
    """Several releases together."""
    listed = zip(rows(ps), rows(qs), integers(times), strict=True)
    return compose([(pair_of(p, q), t) for p, q, t in listed])


def composition(case: Fields) -> Fields:
    """An interval around delta of several releases."""
    together = composed(case["ps"], case["qs"], case["times"])
    low, high = log_bounds(case["ratio"], 200)
    return {"low": str(together.delta(high)[0]), "high": str(together.delta(low)[1])}


def parse(case: Fields) -> Fields:
    """A rational parameter."""
    return {"value": str(rational(bytes.fromhex(case["text"]).decode()))}


ANSWERS: dict[str, Callable[[Fields], Fields]] = {
    "Build": build,
    "Table": table,
    "Certificate": certificate,
    "Audit": audit,
    "Draw": draw,
    "Release": release,
    "Threshold": threshold,
    "Claim": claim,
    "Law": law,
    "Plan": plan,
    "Private": private,
    "Pair": pair,
    "Curve": curve,
    "Composition": composition,
    "Parse": parse,
}


def answered(case: Fields) -> Fields:
    """The answer to a case."""
    try:
        return {"tcId": case["tcId"], "result": "valid", **ANSWERS[case["type"]](case)}
    except (FinitedpError, RefusedError, ValueError):
        return {"tcId": case["tcId"], "result": "invalid"}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(json.dumps(answered(json.loads(line))), flush=True)  # noqa: T201  # its purpose
