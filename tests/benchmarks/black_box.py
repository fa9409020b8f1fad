"""What the black-box audit finds: `python tests/benchmarks/black_box.py smallest | zoo | packages`.

smallest: the smallest violation that so many samples find, over seeds. zoo: which of the zoo's mistakes 10^5 samples find, and
how many right exhibits they call wrong. packages: other libraries, as far as they are installed. Nothing here is asserted.
"""

import math
import sys
from collections.abc import Callable
from functools import partial
from random import Random
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed

from finitedp import FinitedpError, PrivacyClaim
from finitedp.proofs_check.black_box.adapters import Adapter, adapted, opendp_thresholded_histogram
from finitedp.proofs_check.black_box.samplers import sampled
from finitedp.proofs_check.black_box.search import black_box_audit, briefly
from finitedp.proofs_check.zoo import visit as zoo

SEEDS = range(1, 21)
SIZES = (10**4, 10**5, 10**6)
EXCESSES = (1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)  # percent by which the true epsilon exceeds the claimed one
SURE = "9999/10000"
BIG = 2**53


def response(rate: float) -> Callable[[Any, Random], int]:
    """Randomised response with the given true epsilon."""
    truth = math.exp(rate) / (1 + math.exp(rate))
    return lambda count, rng: count if rng.random() < truth else 1 - count


def geometric(rate: float) -> Callable[[Any, Random], int]:
    """Two-sided geometric noise with the given true epsilon."""

    def one_side(rng: Random) -> int:
        return int(-math.log(1 - rng.random()) / rate)

    return lambda count, rng: count + one_side(rng) - one_side(rng)


FAMILIES = {"randomised response": response, "two-sided geometric noise": geometric}


def is_found(family: str, percent: float, samples: int, seed: int) -> bool:
    """Whether a mechanism with epsilon = 1 + percent/100 is found to break the claim epsilon = 1."""
    mechanism = FAMILIES[family](1 + percent / 100)
    return black_box_audit(sampled(mechanism, seed), PrivacyClaim(1, "counts"), n=1, samples=samples).violated


def smallest() -> None:
    """For each family and number of samples: how many of the seeds find each excess."""
    print(f"| family | samples | found by half of {len(SEEDS)} seeds | found by all | true claims called wrong |")
    print("|---|---|---|---|---|")
    for family in FAMILIES:
        for samples in SIZES:
            tasks = [(percent, seed) for percent in (0, *EXCESSES) for seed in SEEDS]
            hits = Parallel(n_jobs=2)(delayed(is_found)(family, x, samples, seed) for x, seed in tasks)
            counts = {x: sum(hit for (y, _), hit in zip(tasks, hits, strict=True) if x == y) for x in (0, *EXCESSES)}
            half, whole = (least(counts, share) for share in (len(SEEDS) // 2, len(SEEDS)))
            print(f"| {family} | {samples:,} | {half} | {whole} | {counts[0]} of {len(SEEDS)} |", flush=True)
            print(f"<!-- {counts} -->", flush=True)


def least(counts: dict[float, int], enough: int) -> str:
    """The smallest excess from which on enough seeds find all larger ones."""
    found = None
    for percent in sorted(counts, reverse=True):
        if percent == 0 or counts[percent] < enough:
            break
        found = percent
    return "none" if found is None else f"{found:g} %"


def of_exhibit(name: str) -> tuple[str, str, str, str]:
    """The black-box verdict on an exhibit, beside the exact one."""
    exhibit = zoo.exhibits()[name]
    style: Any = exhibit.style
    try:
        found = black_box_audit(
            sampled(exhibit.mechanism, 1, style),
            exhibit.claim,
            n=exhibit.n,
            universe=exhibit.universe,
            samples=10**5,
            confidence=SURE,
        )
    except FinitedpError as error:
        return name, exhibit.private, "not run", str(error)
    worst = "" if exhibit.worst_ratio is None else f"ratio {exhibit.worst_ratio}"
    known = worst or ("" if exhibit.delta is None else f"delta {exhibit.delta}")
    epsilon = found.epsilon_at_least
    bound = f"e^{briefly(epsilon)} = {math.exp(int(epsilon.numerator) / int(epsilon.denominator)):.4g}"
    return name, exhibit.private, found.private, f"{known} | {claimed(exhibit.claim)} | {bound} | {str(found.event)[:70]}"


def claimed(claim: PrivacyClaim) -> str:
    """The claim, short."""
    ratio = f"e^{briefly(claim.epsilon)}" if claim.ratio is None else str(claim.ratio)
    return ratio if not claim.delta else f"{ratio}, delta {briefly(claim.delta)}"


def of_the_zoo() -> None:
    """All exhibits, the wrong ones first."""
    rows = Parallel(n_jobs=2)(delayed(of_exhibit)(name) for name in zoo.exhibits())
    print("| exhibit | exact | black box | exact bound | claimed ratio | certified ratio | event |")
    print("|---|---|---|---|---|---|---|")
    for name, exact, verdict, rest in sorted(rows, key=lambda row: (row[1], row[2])):
        print(f"| {name} | {exact} | {verdict} | {rest} |")
    for exact in ("fails", "holds"):
        verdicts = [verdict for _, found, verdict, _ in rows if found == exact]
        print(f"{exact}: {len(verdicts)}; " + ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts))))


def of_packages() -> None:
    """Adapters at ordinary and at extreme parameters."""
    for make, samples, pairs in library_runs():
        start = perf_counter()
        try:
            found = make().audit(samples, SURE, pairs=pairs)
        except FinitedpError as error:
            print(f"- {error}", flush=True)
            continue
        print(f"- {found.name}{'' if pairs is None else f' on {pairs[0]}'}, {perf_counter() - start:.0f} s\n  {found.says}")
        print(f"  {found.fit.says if found.fit else 'no law is documented'}", flush=True)


def library_runs() -> list[tuple[Callable[[], Adapter], int, Any]]:
    """Adapters, with numbers of samples, and pairs of inputs where not all are looked at."""
    runs: list[tuple[Callable[[], Adapter], int, Any]] = []
    for name in ("opendp-discrete-laplace", "opendp-geometric", "diffprivlib-geometric", "diffprivlib-geometric-truncated"):
        runs += [(partial(adapted, name, epsilon), 10**6, None) for epsilon in ("1/10", "1", "5")]
    runs += [(partial(adapted, "diffprivlib-geometric", epsilon), 10**5, None) for epsilon in ("1/1000000000", "40")]
    runs += [(partial(opendp_thresholded_histogram, 1, threshold), 10**6, None) for threshold in (3, 5, 8)]
    runs += [(partial(adapted, name), 10**6, None) for name in ("pydp-integers", "pydp-laplace", "diffprivlib-laplace")]
    for left, right in ((BIG // 2, BIG // 2 + 1), (BIG + 2, BIG + 3), (2**60 + 128, 2**60 + 129)):
        for name in ("diffprivlib-geometric", "opendp-discrete-laplace", "pydp-integers"):
            runs.append((partial(adapted, name), 10**5, [(left, right)]))
    return runs


if __name__ == "__main__":
    {"smallest": smallest, "zoo": of_the_zoo, "packages": of_packages}[sys.argv[1] if len(sys.argv) > 1 else "smallest"]()
