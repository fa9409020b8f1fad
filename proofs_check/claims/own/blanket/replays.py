"""Given words for a release of BlanketHistogram, on coins and on arrays, with labels that meet each other often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from attrs import fields
from gmpy2 import mpq

from finitedp.impl.histograms.blanket.building import blanket_plan
from finitedp.impl.histograms.blanket.bulk import Rows, rows_of_counts, rows_of_labels
from finitedp.impl.histograms.blanket.limbs import from_numbers
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.proofs_check.claims.own.blanket.slots import Numbers
from finitedp.proofs_check.claims.own.blanket.subjects import Unchecked, built

Groups = list[tuple[int, list[int]]]
"""The words of a release: how many bits they have, for the noise, the slots, their labels and their counts."""


class Words:
    """A source of given words, whose spare bits are 1. It records its reads."""

    name = "given"

    def __init__(self, groups: Groups) -> None:
        self._groups = [(bits, iter(words), len(words)) for bits, words in groups]
        self._left = self._groups[0][2]
        self.reads = list[int]()

    def read(self, size: int) -> bytes:
        """The next words: the first limbs of all, then the next ones."""
        self.reads.append(size)
        if not self._left:
            self._groups.pop(0)
            self._left = self._groups[0][2]
        bits, words, _ = self._groups[0]
        parts = max(1, -(-bits // 64))
        taken, spare = [next(words) for _ in range(size // (8 * parts))], 64 * parts - bits
        self._left -= len(taken)
        top, *lower = ([word >> 64 * i & (2**64 - 1) for word in taken] for i in reversed(range(parts)))
        first = [(x << spare) + (1 << spare) - 1 for x in top]
        return b"".join(x.to_bytes(8, "little") for row in (first, *lower) for x in row)


class Replay:
    """Coins of given words."""

    slack = mpq(1)

    def __init__(self, groups: Groups) -> None:
        self._words = iter([(bits, word) for bits, words in groups for word in words])

    def bits(self, b: int) -> int:
        """The next word. Raises: ValueError where it has another number of bits."""
        bits, word = next(self._words)
        if bits != b:
            raise ValueError(f"a draw of {b} bits where {bits} were expected")
        return word

    def uniform(self, d: int, most: int | None = None) -> int:
        """Not drawn from. Raises: ValueError."""
        raise ValueError(f"a draw from 1..{d}, at most {most}")


class Chosen(NamedTuple):
    """What a plan is chosen for."""

    n: int
    size: int
    neighbours: str = "replace-one"
    epsilon: str = "3"
    invented: int = 5
    skewed: bool = False

    def built(self) -> BlanketPlan:
        return blanket_plan(self.n, self.epsilon, self.size, self.invented, self.neighbours, skewed=self.skewed)


def plan_of(chosen: Chosen | Numbers) -> BlanketPlan:
    """The running plan."""
    return chosen.built() if isinstance(chosen, Chosen) else built(chosen, kind=Unchecked)


def changed(plan: BlanketPlan, *, kind: type[BlanketPlan] = Unchecked, **values: object) -> BlanketPlan:
    """The plan with other values, certified by nobody unless the kind of plan certifies itself."""
    return kind(**({field.name: getattr(plan, field.name) for field in fields(BlanketPlan)} | values))


def some_rows(plan: BlanketPlan, random: Random) -> list[int]:
    """At most n rows of a few labels, in any order, the first and the last label among them."""
    labels = [*(random.randrange(plan.size) for _ in range(4)), 0, 1, plan.size - 1]
    labels = random.sample(labels, random.randint(1, len(labels)))
    return [random.choice(labels) for _ in range(random.choice([0, 1, plan.n - 1, plan.n, random.randint(0, plan.n)]))]


def some_words(plan: BlanketPlan, rows: Sequence[int], random: Random) -> Groups:
    """Words at the ends and in between; about as many hits as the cap allows; labels that occur and that come twice."""
    often = [*rows[:3], 0, 1, plan.size - 1, plan.labels - 1]

    def near(bits: int) -> int:
        return random.choice([random.getrandbits(bits) if bits else 0, random.randrange(min(4, 1 << bits)), (1 << bits) - 1])

    def slot() -> int:
        hit = random.random() * plan.slots < plan.cap
        inside, outside = random.randrange(plan.hit), random.randrange(plan.hit, 1 << plan.hit_bits)
        return random.choice([inside, plan.hit - 1]) if hit else random.choice([outside, plan.hit, outside])

    labels = [random.choice(often) if random.random() < 0.7 else random.randrange(plan.labels) for _ in range(plan.cap)]
    return [
        (plan.mechanism.word, [near(plan.mechanism.word) for _ in range(plan.n)]),
        (plan.hit_bits, [slot() for _ in range(plan.slots)]),
        (plan.label_bits, labels),
        (plan.count_bits, [near(plan.count_bits) for _ in range(plan.cap)]),
    ]


def as_rows(plan: BlanketPlan, rows: Sequence[int], counted: bool) -> Rows:
    """The rows as arrays, one by one or as labels with their counts."""
    if not counted:
        return rows_of_labels(plan, from_numbers(rows, plan.label_bits))
    counts = Counter(rows)
    return rows_of_counts(plan, from_numbers(counts, plan.label_bits), np.array([*counts.values()], np.int64))


def runs(plan: BlanketPlan, number: int, seed: int) -> Iterator[tuple[list[int], Groups]]:
    """So many datasets and their words."""
    random = Random(seed)  # noqa: S311  # words, not noise
    for _ in range(number):
        rows = some_rows(plan, random)
        yield rows, some_words(plan, rows, random)
