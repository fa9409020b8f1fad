"""Errors of anonymized histograms, side by side: `python tests/benchmarks/anonymized.py` prints them in Markdown.

The tables are those of docs/anonymized_data.md. Mean sorted l1 errors of several runs, with noise from a seed so that the same
command prints the same numbers. PrivHist as the library offers it and as the paper prints it; Hay et al. (noise on the sorted
counts of D labels, D public, then isotonic regression); the same noise without regression; Algorithm 5 of Ghazi et al., from
noisy counts of D labels. All of them draw from dyadic tables and claim the same epsilon for one item more or less. --large:
also 7 * 10^7 items, which takes a few minutes.
"""

import argparse
import csv
import tracemalloc
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from statistics import mean
from time import perf_counter

import numpy as np
from gmpy2 import mpq
from numpy.typing import NDArray

from finitedp.impl.anonymized.estimator import algorithm_5
from finitedp.impl.anonymized.post_processing import isotonic, rounded
from finitedp.impl.anonymized.prevalences import Pairs, checked_pairs, pairs_of_counts, sorted_distance, total_of
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.dyadic_bulk import release_array
from finitedp.impl.randomness.coins import SeededBits, StrictCoins
from finitedp.impl.randomness.words import SeededWords

SURNAMES = Path(__file__).parents[2] / "docs" / "data" / "surname_prevalence.csv"
EPSILONS = (mpq(1, 10), mpq(1), mpq(4))
WORD = 128
Sorted = NDArray[np.int64]
Method = Callable[[Pairs, int, mpq, int], float]  # histogram, n, epsilon, seed


def surnames() -> Pairs:
    """How many surnames have each count per 100,000 people in the US Census of 1990."""
    with SURNAMES.open() as file:
        return checked_pairs((int(r), int(many)) for r, many in list(csv.reader(file))[1:])


def zipf(items: int) -> Pairs:
    """phi_r = floor(C / r) - floor(C / (r + 1)) for the largest C with so many items at most."""
    low, high = 1, items
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if total_of(_zipf(middle)) <= items else (low, middle)
    return _zipf(low)


def _zipf(c: int) -> Pairs:
    pairs, r = list[tuple[int, int]](), 1
    while r <= c:
        last = c // (c // r)
        pairs.append((last, c // last - c // (last + 1)))
        r = last + 1
    return tuple(pairs)


def flat(items: int) -> Pairs:
    """One label of each count 1, 2, ..., t: the most different counts that so many items can have."""
    t = 1
    while (t + 1) * (t + 2) // 2 <= items:
        t += 1
    return tuple((r, 1) for r in range(1, t + 1))


# Methods


def _coins(seed: int) -> StrictCoins:
    return StrictCoins(SeededBits(seed, not_private=True))


def of_priv_hist(make: Callable[[int, mpq], PrivHist]) -> Method:
    """PrivHist; the mechanism is made once for each n and epsilon."""
    made: dict[tuple[int, mpq], PrivHist] = {}

    def method(pairs: Pairs, n: int, epsilon: mpq, seed: int) -> float:
        if (n, epsilon) not in made:
            made[n, epsilon] = make(n, epsilon)
        return sorted_distance(made[n, epsilon].release_pairs(pairs, _coins(seed)).histogram, pairs)

    return method


def _counts(pairs: Pairs) -> Sorted:
    """The counts of all labels, largest first."""
    return np.repeat([r for r, _ in reversed(pairs)], [many for _, many in reversed(pairs)]).astype(np.int64)


def _noisy(counts: Sorted, n: int, epsilon: mpq, seed: int) -> Sorted:
    """Noise on each count, of ratio e^epsilon for one item; clamped to -n..2n only."""
    return release_array(DyadicSample(3 * n, 2 * epsilon, WORD), counts + n, SeededWords(seed, not_private=True)) - n


def hay(pairs: Pairs, n: int, epsilon: mpq, seed: int) -> float:
    """Hay et al.: sorted counts with noise, then the non-increasing least squares, rounded."""
    counts = _counts(pairs)
    fitted = rounded(isotonic(_noisy(counts, n, epsilon, seed).tolist()))
    return int(np.abs(np.array(fitted, np.int64) - counts).sum())


def raw(pairs: Pairs, n: int, epsilon: mpq, seed: int) -> float:
    """The same noise, sorted, negative counts as 0."""
    counts = _counts(pairs)
    found = np.sort(np.maximum(_noisy(counts, n, epsilon, seed), 0))[::-1]
    return int(np.abs(found - counts).sum())


def ghazi(pairs: Pairs, n: int, epsilon: mpq, seed: int) -> float:
    """Algorithm 5 on a release of D bins with noise clamped to -n..2n, moved up by n."""
    mechanism = DyadicSample(3 * n, 2 * epsilon, WORD)
    noisy = release_array(mechanism, _counts(pairs) + n, SeededWords(seed, not_private=True))
    found = algorithm_5(noisy.tolist(), 3 * n, mechanism.table.ratio)
    return sorted_distance(pairs_of_counts([count for r, many in found for count in [r - n] * many if r > n]), pairs)


METHODS: dict[str, Method] = {
    "PrivHist": of_priv_hist(priv_hist),
    "as printed": of_priv_hist(priv_hist_as_printed),
    "Hay et al.": hay,
    "Algorithm 5": ghazi,
    "raw noise": raw,
}


# Tables


def errors(name: str, pairs: Pairs, n: int, runs: int, methods: Sequence[str]) -> list[str]:
    """Rows of Markdown, one for each epsilon, with Manurangsi's bound for the mechanism (or from below) without constants."""
    rows = []
    for epsilon in EPSILONS:
        found = [
            mean(METHODS[method](pairs, n, epsilon, seed) for seed in range(runs)) if method in methods else None
            for method in METHODS
        ]
        items, e = total_of(pairs), int(epsilon.numerator) / int(epsilon.denominator)
        bound = items**0.5 / 2.718281828**e if e >= 1 else (items * log(1 / e) / e) ** 0.5
        cells = ["-" if error is None else f"{error:,.0f}" if error >= 20 else f"{error:.1f}" for error in found]
        rows.append(f"| {name} | {epsilon} | " + " | ".join(cells) + f" | {bound:,.0f} |")
    return rows


def exponents(largest: int, runs: int = 3) -> list[str]:
    """The exponent of n in the error of PrivHist on Zipf data, by least squares of logarithms. Theory says 1/2."""
    rows = []
    sizes = [n for n in (10**5, 10**6, 10**7, 7 * 10**7) if n <= largest]
    for epsilon in EPSILONS:
        points = []
        for n in sizes:
            pairs, make = zipf(n), METHODS["PrivHist"]
            points.append((log(n), log(mean(make(pairs, n, epsilon, seed) for seed in range(runs)))))
        x, y = (mean(axis) for axis in zip(*points, strict=True))
        slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
        rows.append(f"| {epsilon} | {slope:.2f} | 1/2 |")
    return rows


def cost(n: int) -> list[str]:
    """Seconds and megabytes of one release, and of making the tables before it."""
    rows, pairs = [], zipf(n)
    for epsilon in EPSILONS:
        start = perf_counter()
        made = priv_hist(n, epsilon)
        made.release_pairs(pairs, _coins(1))
        built, times = perf_counter() - start, list[float]()
        for seed in range(5):
            start = perf_counter()
            released = made.release_pairs(pairs, _coins(seed))
            times.append(perf_counter() - start)
        tracemalloc.start()
        priv_hist(n, epsilon).release_pairs(pairs, _coins(1))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows.append(f"| {n:,} | {epsilon} | {min(times):.3f} | {built:.2f} | {peak / 1e6:.1f} | {made.draws(released):,} |")
    return rows


def main() -> None:
    """Print the tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--large", action="store_true", help="also 7 * 10^7 items, with two runs")
    options = parser.parse_args()
    print(f"| data | epsilon | {' | '.join(METHODS)} | bound |")
    print("|---" * (len(METHODS) + 3) + "|")
    for name, pairs, n in (
        ("surnames", surnames(), 100_000),
        ("Zipf, 10^6", zipf(10**6), 10**6),
        ("flat, 10^6", flat(10**6), 10**6),
    ):
        print("\n".join(errors(name, pairs, n, options.runs, list(METHODS))), flush=True)
    if options.large:
        print(
            "\n".join(
                errors("Zipf, 7 * 10^7", zipf(7 * 10**7), 7 * 10**7, 2, ["PrivHist", "as printed", "Hay et al.", "raw noise"])
            ),
            flush=True,
        )
    largest = 7 * 10**7 if options.large else 10**6
    print("\n| epsilon | exponent of n | theory |\n|---|---|---|")
    print("\n".join(exponents(largest)), flush=True)
    print("\n| items | epsilon | seconds | tables, once | MB | words |\n|---|---|---|---|---|---|")
    print("\n".join(cost(largest)))


if __name__ == "__main__":
    main()
