"""Section 2.2 of Balcer and Vadhan outside of its definitions: storage, the order of bins (footnote 3), the union bound."""

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.proofs_check.ledger.entry import Finding, cases, in_scope
from finitedp.proofs_check.ledger.findings import all_of, at_most, equal, lemma
from finitedp.spec import representation as spec
from finitedp.spec.pmf import Pmf


class Family(NamedTuple):
    """H_(n, n')(X): the histograms over |X| labels with counts in 0..n, at most n' of them nonzero."""

    size: int
    n: int
    most: int

    def histograms(self) -> Iterator[dict[int, int]]:
        """All of them, by their nonzero counts."""
        for bins in range(self.most + 1):
            for labels in combinations(range(self.size), bins):
                for counts in product(range(1, self.n + 1), repeat=bins):
                    yield dict(zip(labels, counts, strict=True))


Store = Callable[[dict[int, int], Family], str]
Read = Callable[[str, Family], dict[int, int]]


def _stored(histogram: dict[int, int], family: Family) -> str:
    return spec.partial_vector(histogram, family.size, family.n, family.most)


def _read(text: str, family: Family) -> dict[int, int]:
    return spec.read_partial_vector(text, family.size, family.n, family.most)


def _cut_labels(text: str, family: Family, width: int) -> str:
    whole, of_bin = (family.size - 1).bit_length(), spec.bits_of_bin(family.size, family.n)
    parts = [text[i : i + of_bin] for i in range(0, len(text), of_bin)]
    return "".join(part[whole - min(width, whole) :] for part in parts)


def _narrow_counts(histogram: dict[int, int], family: Family) -> str:
    """Broken: bits for n values where there are n + 1."""
    n = max(family.n - 1, 1)
    return spec.partial_vector({x: min(count, n) for x, count in histogram.items()}, family.size, n, family.most)


@lemma(
    "BV.Sec2.2.storage",
    """Every histogram over X with counts in 0..n, at most n' of them nonzero, is stored as a partial vector in n' (ceil log
    |X| + ceil log(n + 1)) bits, the same number for all of them, and read back.""",
    over="every histogram of the families of the grid, written and read",
    code=["finitedp.spec.representation.partial_vector", "finitedp.spec.representation.read_partial_vector"],
    grid=cases(
        Family,
        [(1, 1, 1), (3, 2, 0), (4, 3, 2), (5, 4, 3), (8, 1, 8), (9, 2, 2), (2, 7, 2)],
        [(16, 8, 2), (17, 7, 2), (6, 3, 6), (33, 2, 2), (4, 15, 3)],
    ),
    subject=(_stored, _read),
    twins={
        "floor(log |X|) bits for a label": (
            lambda histogram, family: _cut_labels(_stored(histogram, family), family, family.size.bit_length() - 1),
            _read,
        ),
        "bits for the counts 0..n-1": (_narrow_counts, _read),
        "not padded": (lambda histogram, family: spec.partial_vector(histogram, family.size, family.n, len(histogram)), _read),
    },
)
def storage(subject: tuple[Store, Read], family: Family) -> Finding:
    store, read = subject
    label, count = (family.size - 1).bit_length(), int(family.n).bit_length()
    findings, seen = [equal(2**label >= family.size and 2**count > family.n, True, "as many bits as logarithms")], set()
    for histogram in family.histograms():
        text = store(histogram, family)
        findings.append(equal(len(text), family.most * (label + count), f"bits of {histogram}"))
        if findings[-1].holds:
            findings.append(equal(read(text, family), histogram, f"{histogram} read back"))
        seen.add(text)
    findings.append(equal(len(seen), sum(1 for _ in family.histograms()), "different strings"))
    return all_of(findings)


class Sizes(NamedTuple):
    """|X| >= 3, and n. At |X| = 2 the partial vector of one bin is as long as the vector of both."""

    size: int
    n: int

    def check_scope(self) -> None:
        in_scope(self.size >= 3 and self.n >= 1, "|X| >= 3 and n >= 1")


LOGARITHM = "n' = floor(|X| / (2 ceil(log |X|)))"


@lemma(
    "BV.Sec2.2.storage.shorter",
    """A partial vector is shorter than the vector of all counts where n' = o(|X|/log |X|): from |X| = 3 on it is so, in bits,
    for every n' <= |X|/(2 ceil log |X|), whatever n is.""",
    over=f"|X| and n on the grid; the largest such n', {LOGARITHM}",
    code=["finitedp.spec.representation.vector", "finitedp.spec.representation.bits_of_bin"],
    grid=cases(
        Sizes,
        product((3, 4, 5, 8, 9, 64, 1000, 2**32), (1, 2, 100, 2**40)),
        product((*range(3, 200), 2**64 + 1, 2**128), (1, 2, 3, 7, 8, 10**6)),
    ),
    subject=lambda size: size // (2 * (size - 1).bit_length()),
    twins={
        "n' = |X|": lambda size: size,
        "n' = |X|/2, without the logarithm": lambda size: -(-size // 2),
    },
)
def shorter(bins: Callable[[int], int], case: Sizes) -> Finding:
    most = bins(case.size)
    whole, partial = case.size * int(case.n).bit_length(), most * spec.bits_of_bin(case.size, case.n)
    findings = [at_most(partial + 1, whole, "bits of the partial vector, and one more")]
    if case.size <= 1000:
        counts = [case.n] * case.size
        findings.append(equal(len(spec.vector(counts, case.n)), whole, "bits of the vector"))
        findings.append(equal(spec.read_vector(spec.vector(counts, case.n), case.size, case.n), tuple(counts), "read back"))
    return all_of(findings)


class Joint(NamedTuple):
    """The joint law of the noise of two bins, and an error a."""

    law: Pmf[tuple[int, ...]]
    a: int


def _joints(total: int, noises: tuple[int, ...]) -> list[Joint]:
    places = list(product(noises, repeat=2))
    laws = [Pmf({x: 1, y: 1, z: total - 2}) for x, y, z in product(places, repeat=3) if len({x, y, z}) == 3]
    return [Joint(law, a) for law in laws for a in (0, 1)]


@lemma(
    "BV.Sec2.2.union",
    """(a, beta)-per-query accuracy is (a, beta |X|)-simultaneous accuracy, however the bins depend on each other.""",
    over="joint laws of two bins' noise on three pairs of values, dependent and not; the least beta of each; a = 0, 1",
    code=["finitedp.spec.pmf.Pmf"],
    grid=(_joints(4, (0, 1)) + _joints(3, (0, 2)), lambda: _joints(3, (-1, 0, 2)) + _joints(7, (0, 1, 2))),
    subject=lambda beta, bins: beta * bins,
    twins={
        "beta itself": lambda beta, _bins: beta,
        "as if the bins were independent": lambda beta, bins: 1 - (1 - beta) ** bins,
    },
)
def union_bound(together: Callable[[mpq, int], mpq], case: Joint) -> Finding:
    single = max(case.law.probability(lambda noise, i=i: abs(noise[i]) > case.a) for i in (0, 1))  # type: ignore[misc]
    both = case.law.probability(lambda noise: max(map(abs, noise)) > case.a)
    return at_most(both, together(single, 2), f"simultaneous miss at beta = {single}:")
