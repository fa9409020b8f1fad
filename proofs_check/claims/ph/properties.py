"""Estimates of symmetric properties by the running code, and the certificate of a release's tables."""

import json
from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import prod
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.impl.anonymized import properties
from finitedp.impl.anonymized.prevalences import Pairs
from finitedp.impl.anonymized.priv_hist import PrivHist, priv_hist, priv_hist_as_printed
from finitedp.proofs_check.claims.ph.each_case import Bounded, Compared, bounded, compared
from finitedp.proofs_check.claims.ph.subjects import l1, small
from finitedp.proofs_check.dyadic_certificate import recheck_any
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases
from finitedp.proofs_check.ledger.findings import equal, own
from finitedp.spec.anonymized import histograms
from finitedp.spec.anonymized.histograms import Histogram

IMPL = "finitedp.impl.anonymized.properties"


class Sample(NamedTuple):
    """A law over labels, as weights, and a number of independent draws from it."""

    weights: tuple[int, ...]
    draws: int


def _datasets(case: Sample) -> Iterator[tuple[mpq, Pairs]]:
    """Each dataset's probability, and its prevalence form."""
    total = sum(case.weights)
    for rows in product(range(len(case.weights)), repeat=case.draws):
        yield (
            prod((mpq(case.weights[x], total) for x in rows), start=mpq(1)),
            histograms.prevalences(histograms.histogram(rows)),
        )


@own(
    "PH.Sec3.power",
    """The estimate of the sum of p^a, for Renyi entropies of integer order, is exactly unbiased for independent draws, for
    every law and N >= a.""",
    over="laws on 2 and 3 labels, N and a = 2, 3, all datasets",
    code=[f"{IMPL}.power_sum"],
    grid=cases(Sample, [((1, 2), 3), ((1, 1, 3), 4)], [((1, 5), 6), ((2, 3, 4), 5)]),
    subject=properties.power_sum,
    twins={
        "plug-in powers": lambda pairs, n, a: sum((many * mpq(r, n) ** a for r, many in pairs), mpq(0)),
        "N of the histogram less one": lambda pairs, n, a: properties.power_sum(pairs, n - 1, a),
    },
)
@compared("mean")
def unbiased_powers(power: Callable[[Pairs, int, int], mpq], case: Sample) -> Compared:
    for a in (2, 3):
        mean = sum((mass * power(pairs, case.draws, a) for mass, pairs in _datasets(case)), mpq(0))
        yield mean, sum(mpq(w, sum(case.weights)) ** a for w in case.weights), f"a={a}, {case}"


@own(
    "PH.Sec3.uniformity",
    """The distance to uniformity over k labels is the l1 distance of the empirical law to the uniform one, labels that do not
    occur among them; for N = 0 it is 1.""",
    over="all histograms of H_U but the empty one, k from the number of labels to two more",
    code=[f"{IMPL}.distance_to_uniformity"],
    grid=Cases((2, 4), (6, 8)),
    subject=properties.distance_to_uniformity,
    twins={
        "labels that occur alone": lambda pairs, n, k: sum((m * abs(mpq(r, n) - mpq(1, k)) for r, m in pairs), mpq(0)),
        "half of it": lambda pairs, n, k: properties.distance_to_uniformity(pairs, n, k) / 2,
    },
)
@compared("distance")
def uniformity(distance: Callable[[Pairs, int, int], mpq], universe: int) -> Compared:
    for h in small(universe)[1:]:
        for k in range(len(h), len(h) + 3):
            law = [mpq(x, sum(h)) for x in (*h, *(0,) * (k - len(h)))]
            yield distance(histograms.prevalences(h), sum(h), k), l1(law, [mpq(1, k)] * k), f"{h}, k={k}"


@own(
    "PH.Sec3.entropy",
    """The plug-in entropy is within the returned interval, which is narrower than 2^-50, by another formula: ln N - (1/N) sum
    of r ln r.""",
    over="all histograms of H_U but the empty one; the other formula by bounds of 128 bits",
    code=[f"{IMPL}.entropy"],
    grid=Cases((3, 5), (7,)),
    subject=properties.entropy,
    twins={
        "in bits": lambda pairs, n: tuple(x / log_bounds(2)[0] for x in properties.entropy(pairs, n)),
        "each count once": lambda pairs, n: properties.entropy(tuple((r, 1) for r, _ in pairs), n),
        "of N + 1": lambda pairs, n: properties.entropy(pairs, n + 1),
    },
)
@bounded("outside")
def plug_in(entropy: Callable[[Pairs, int], tuple[mpq, mpq]], universe: int) -> Bounded:
    for h in small(universe)[1:]:
        n = sum(h)
        low, high = entropy(histograms.prevalences(h), n)
        logs = [log_bounds(x, 128) if x > 1 else (mpq(0), mpq(0)) for x in (n, *h)]
        least = logs[0][0] - sum((mpq(x, n) * top for x, (_, top) in zip(h, logs[1:], strict=True)), mpq(0))
        most = logs[0][1] - sum((mpq(x, n) * low_x for x, (low_x, _) in zip(h, logs[1:], strict=True)), mpq(0))
        yield max(mpq(0), low - most), mpq(0), f"low end, {h}"
        yield max(mpq(0), least - high), mpq(0), f"high end, {h}"
        yield high - low, mpq(1, 2**50), f"width, {h}"


# Certificates of the tables


class Real(NamedTuple):
    """U, epsilon, and the maker."""

    universe: int
    epsilon: str
    printed: bool = False

    @property
    def mechanism(self) -> PrivHist:
        return (priv_hist_as_printed if self.printed else priv_hist)(self.universe, self.epsilon)


Document = dict[str, Any]


def _written(case: Real) -> Document:
    found: Document = json.loads(json.dumps(case.mechanism.certificate()))
    return found


def _changed(change: Callable[[Document], Document]) -> Callable[[Real], Document]:
    return lambda case: {**_written(case), **change(_written(case))}


def _numerator_up(text: str) -> str:
    p, _, q = text.partition("/")
    return f"{int(p) + 1}/{q}"


@own(
    "PH.PrivHist.certificate",
    """The certificate of a release's two or three tables, with their ranges U, U + 2M and 3U and R1 R2 (R3) <= e^epsilon, is
    accepted by a checker of the standard library alone.""",
    over="U to 1,000, in full to 7 * 10^7, epsilon from 1/100 to 4, through JSON",
    code=["finitedp.impl.anonymized.priv_hist.PrivHist.certificate", "finitedp.proofs_check.dyadic_certificate.recheck_any"],
    grid=cases(
        Real, [(50, "1/10"), (1000, "4", True), (20, "1/100")], [(10**6, "1/10"), (7 * 10**7, "1"), (10**5, "1", True)]
    ),
    subject=_written,
    twins={
        "R1 R2 rounded up": _changed(lambda d: {"ratio": _numerator_up(d["ratio"])}),
        "epsilon smaller": _changed(lambda d: {"epsilon": str(mpq(d["epsilon"]) / 2)}),
        "one more fake": _changed(lambda d: {"fakes": str(int(d["fakes"]) + 1)}),
        "U one larger": _changed(lambda d: {"n": str(int(d["n"]) + 1)}),
        "one table for both": _changed(lambda d: {"tables": d["tables"] | {"parts": d["tables"]["items"]}}),
    },
)
def certificate(write: Callable[[Real], Document], case: Real) -> Finding:
    return equal(recheck_any(write(case)), None, "rejected because")


Interval = tuple[mpq, mpq]
Corrected = Callable[[Pairs, int], Interval]


def _by(share: Callable[[int, int], mpq]) -> Corrected:
    """Another correction, of the number of labels and N."""

    def entropy(pairs: Pairs, total: int) -> Interval:
        low, high = properties.entropy(pairs, total)
        return low + share(sum(m for _, m in pairs), total), high + share(sum(m for _, m in pairs), total)

    return entropy


@own(
    "PH.Sec3.miller-madow",
    """The entropy with Miller and Madow's correction is the plug-in entropy and (labels - 1)/(2N) more, at both ends of the
    interval; 0 where N is 0, and nothing more where there are no labels.""",
    over="all histograms of H_U, N from 0 to two more than the items",
    code=[f"{IMPL}.entropy_miller_madow", f"{IMPL}.support_size"],
    grid=Cases((3, 5), (8,)),
    subject=properties.entropy_miller_madow,
    twins={
        "labels for labels - 1": _by(lambda labels, n: mpq(labels, 2 * n) if n else mpq(0)),
        "N for 2N": _by(lambda labels, n: mpq(max(0, labels - 1), n) if n else mpq(0)),
        "no correction": properties.entropy,
    },
)
@compared("corrected entropy")
def miller_madow(entropy: Corrected, universe: int) -> Compared:
    for h in small(universe):
        for n in range(sum(h) + 3):
            pairs = histograms.prevalences(h)
            more = mpq(len(h) - 1, 2 * n) if n and h else mpq(0)
            ends = properties.entropy(pairs, n) if n else (mpq(0), mpq(0))
            yield entropy(pairs, n), tuple(end + more for end in ends), f"{h}, N={n}"


Renyi = Callable[[Pairs, int, int], Interval | None]


def _renyi(change: Callable[[Interval, int], Interval]) -> Renyi:
    def entropy(pairs: Pairs, total: int, order: int) -> Interval | None:
        found = properties.renyi_entropy(pairs, total, order)
        return None if found is None else change(found, order)

    return entropy


def _alike(h: Histogram, order: int) -> mpq:
    """The share of so many rows, drawn one after the other, that are all of one label."""
    rows = [label for label, count in enumerate(h) for _ in range(count)]
    drawn = list(permutations(rows, order))
    return mpq(sum(len(set(some)) == 1 for some in drawn), len(drawn)) if drawn else mpq(0)


@own(
    "PH.Sec3.renyi",
    """The Renyi entropy of order a >= 2 is ln(P)/(1 - a), within the returned interval, narrower than 2^-50, where P is the
    share of all a-tuples of different rows that are of one label; None where there is no such tuple.""",
    over="all histograms of H_U, a = 2, 3 and 4, tuples by enumeration; the logarithm by bounds of 128 bits",
    code=[f"{IMPL}.renyi_entropy"],
    grid=Cases((3, 5), (6,)),
    subject=properties.renyi_entropy,
    twins={
        "by -a for 1 - a": _renyi(lambda ends, a: (ends[0] * (a - 1) / a, ends[1] * (a - 1) / a)),
        "the ends exchanged": _renyi(lambda ends, _: ends[::-1]),
        "of N + 1": lambda pairs, n, a: properties.renyi_entropy(pairs, n + 1, a),
        "a number where there is no tuple": lambda pairs, n, a: properties.renyi_entropy(pairs, n, a) or (mpq(0), mpq(0)),
    },
)
@compared("Renyi entropy")
def renyi(entropy: Renyi, universe: int) -> Compared:
    for h, a in product(small(universe), (2, 3, 4)):
        found, alike, where = entropy(histograms.prevalences(h), sum(h), a), _alike(h, a), f"{h}, a={a}"
        yield found is None, alike == 0, f"whether there is none, {where}"
        if found is not None and alike:
            least, most = (bound / (1 - a) for bound in reversed(log_bounds(alike, 128)))
            yield found[0] <= most and least <= found[1], True, f"whether it is within, {where}"
            yield 0 <= found[1] - found[0] < mpq(1, 2**50), True, f"whether it is narrow, {where}"


class Coming(NamedTuple):
    """U, t, and where the series is cut."""

    universe: int
    times: str
    k: int


Coverage = Callable[[Pairs, str, int], mpq]


def _smoothed(h: Histogram, case: Coming, share: Callable[[mpq], mpq], sign: int = -1, first: int = 1) -> mpq:
    """The mean of Good and Toulmin's series cut after as many terms as so many coins show heads, by all their outcomes."""
    t, mean = mpq(case.times), mpq(0)
    for heads in product((0, 1), repeat=case.k):
        mass = prod((share(t) if head else 1 - share(t) for head in heads), start=mpq(1))
        mean += mass * sum(((sign * t) ** r * histograms.prevalence(h, r) for r in range(first, sum(heads) + 1)), mpq(0))
    return -mean


def _other(**changes: Any) -> Coverage:  # noqa: ANN401  # of _smoothed
    def coverage(pairs: Pairs, times: str, k: int) -> mpq:
        h = histograms.from_prevalences(pairs)
        return _smoothed(h, Coming(0, times, k), **{"share": lambda t: 2 / (t + 2), **changes})

    return coverage


@own(
    "PH.Sec3.coverage",
    """How many labels t N further items bring is estimated by the smoothed series of Good and Toulmin: the mean of minus the
    sum of (-t)^r phi_r over r = 1, ..., L, where L is the number of heads of k coins of 2/(t + 2).""",
    over="all histograms of H_U, all outcomes of the k coins; t from 1/3 to 5",
    code=[f"{IMPL}.support_coverage"],
    grid=cases(Coming, [(4, "1", 3), (5, "3/2", 4), (3, "1/3", 2)], [(7, "5", 6), (6, "1/2", 8)]),
    subject=properties.support_coverage,
    twins={
        "t for -t": _other(sign=1),
        "coins of 1/(t + 1)": _other(share=lambda t: 1 / (t + 1)),
        "from r = 2 on": _other(first=2),
        "one coin fewer": lambda pairs, t, k: properties.support_coverage(pairs, t, k - 1),
    },
)
@compared("labels to come")
def coverage(estimate: Coverage, case: Coming) -> Compared:
    for h in small(case.universe):
        expected = _smoothed(h, case, lambda t: 2 / (t + 2))
        yield estimate(histograms.prevalences(h), case.times, case.k), expected, f"{h}, t={case.times}, k={case.k}"
