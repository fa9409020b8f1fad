"""Puts questions to one library: a line of a question on standard input for each, a line of its answer on standard output.

python drivers.py NAME, in an environment that holds the library. A question is the line of a case of the vectors, or one of
questions.json. Numbers in answers are integers, or floats, and so rationals. What does not fit the library is answered with
null.
"""

import contextlib
import io
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

Fields = dict[str, str]
Answer = dict[str, Any] | None

SAMPLES = 20_000
ERROR = "raises"  # an output too
PLACES = range(-4, 5)  # of noise
UNIT = 1 << 128


def integers(text: str) -> list[int]:
    return [int(part) for part in text.split()]


def rows(text: str) -> list[list[int]]:
    return [integers(row) for row in text.split(";")]


def log(ratio: str) -> float | None:
    """The nearest float to the logarithm of a ratio, or to nearly it; None at 0."""
    exact = Fraction(ratio)
    return math.log(exact.numerator) - math.log(exact.denominator) if exact > 0 else None


def decay(question: Fields) -> Fraction | None:
    """Of a law whose noise is geometric."""
    if question["mechanism"] == "geometric":
        return Fraction(question["decay"])
    if question["mechanism"] != "geo-sample":
        return None
    k = math.ceil(math.log2(2 / Fraction(question["epsilon"])))
    return 1 / (1 + Fraction(1, 2**k))


# dp-accounting: its optimistic and pessimistic estimates, of which it says that they are below and above


def _losses(p: list[int], q: list[int], *, pessimistic: bool) -> Any:
    """Of p against q alone: that of a pair which is not called symmetric is of both directions."""
    library = import_module("dp_accounting.pld.privacy_loss_distribution")
    upper, lower = ({z: math.log(w) - math.log(sum(law)) for z, w in enumerate(law) if w} for law in (p, q))
    return library.from_two_probability_mass_functions(lower, upper, pessimistic_estimate=pessimistic, symmetric=True)


def _deltas(pairs: list[tuple[list[int], list[int], int]], epsilons: list[float | None]) -> Answer:
    if not any(epsilon is not None for epsilon in epsilons):
        return None
    ends: dict[str, list[float | None]] = {}
    for name, pessimistic in (("low", False), ("high", True)):
        whole = None
        for p, q, times in pairs:
            one = _losses(p, q, pessimistic=pessimistic)
            one = one.self_compose(times) if times > 1 else one
            whole = one if whole is None else whole.compose(one)
        ends[name] = [None if epsilon is None else float(whole.get_delta_for_epsilon(epsilon)) for epsilon in epsilons]
    return ends


def dp_accounting(question: Fields) -> Answer:
    if question["type"] == "Composition":
        pairs = list(zip(rows(question["ps"]), rows(question["qs"]), integers(question["times"]), strict=True))
        return _deltas(pairs, [log(question["ratio"])])
    if question["type"] == "Private":
        return _private(question)
    p, q = integers(question["p"]), integers(question["q"])
    ratios = question["ratios"].split() if question["type"] == "Curve" else [question["ratio"], "1"]
    return _deltas([(p, q, 1)], list(map(log, ratios)))


def _private(question: Fields) -> Answer:
    if question["ratio"]:  # it knows no claim but that of epsilon and delta
        return None
    laws, epsilon = rows(question["laws"]), float(Fraction(question["epsilon"]))
    pairs = [(a, b) for i, a in enumerate(laws) for j, b in enumerate(laws) if abs(i - j) == 1]
    found = [_deltas([(p, q, 1)], [epsilon]) or {} for p, q in pairs]
    return {end: [max(one[end][0] for one in found)] for end in ("low", "high")}


# prv-accountant: responses of two answers, and of answers that are told with probability delta


def _prv(p: list[int], q: list[int]) -> Any:
    library = import_module("prv_accountant.privacy_random_variables")
    if len(p) == 2 and p == q[::-1] and min(p) > 0:
        return library.PureDPMechanism(math.log(max(p)) - math.log(min(p)))
    if len(p) == 3 and p == q[::-1] and p[-1] == 0:
        return library.ApproximateDPMechanism(0.0, p[0] / sum(p))
    return None


def prv_accountant(question: Fields) -> Answer:
    releases = [_prv(p, q) for p, q in zip(rows(question["ps"]), rows(question["qs"]), strict=True)]
    if not all(releases):
        return None
    times = integers(question["times"])
    made = import_module("prv_accountant").PRVAccountant
    accountant = made(prvs=releases, max_self_compositions=times, eps_error=0.01, delta_error=1e-10)
    low, _, high = accountant.compute_delta(log(question["ratio"]), times)
    return {"low": [float(low)], "high": [float(high)]}


# The explorer's laws of Python


def _law(function: Callable[..., Any], n: int, style: str, samplers: list[str]) -> Any:
    audit = import_module("finitedp.proofs_check.audit.auditing").audit
    claim = import_module("finitedp.claim").PrivacyClaim
    return audit(function, claim(1, "counts"), n=n, style=style, samplers=samplers).laws


@cache
def _truncated(epsilon: float, n: int) -> Any:
    mechanisms = import_module("diffprivlib.mechanisms")

    def noisy(count: int) -> int | str:
        try:
            return mechanisms.GeometricTruncated(epsilon=epsilon, lower=0, upper=n).randomise(count)
        except OverflowError:
            return ERROR

    return _law(noisy, n, "none", [])


def diffprivlib(question: Fields) -> Answer:
    of = decay(question)
    if of is None:
        return None
    n = int(question["n"])
    law = _truncated(-math.log(of), n)[int(question["count"])].probabilities
    masses = [Fraction(str(law.get(z, 0))) for z in [*range(n + 1), ERROR]]
    whole = math.lcm(*(mass.denominator for mass in masses))
    *weights, raises = (int(mass * whole) for mass in masses)
    return {"weights": weights, ERROR: raises}


def _masses(function: Callable[..., Any], style: str, module: str, names: list[str]) -> Answer:
    """The masses of noise, rounded down, and what is open, rounded up, in units of 2^-128."""
    law = _law(function, 1, style, [f"{module}:{name}" for name in names])[0]
    opened, masses = Fraction(str(law.unresolved)), law.probabilities
    return {"masses": [int(masses.get(z, 0) * UNIT) for z in PLACES], "open": math.ceil(opened * UNIT)}


_LAPLACE = ["sample_bernoulli_exp1", "sample_bernoulli_exp", "sample_geometric_exp_slow", "sample_geometric_exp_fast"]


def ibm(question: Fields) -> Answer:
    library, parameter = import_module("discretegauss"), Fraction(question["parameter"])
    sampler = "sample_dlaplace" if question["law"] == "laplace" else "sample_dgauss"
    names = [*_LAPLACE, *dict.fromkeys(("sample_dlaplace", sampler))]

    def noisy(count: int, rng: Any) -> int:
        return count + getattr(library, sampler)(parameter, rng)

    return _masses(noisy, "random", "discretegauss", names)


def tumult(question: Fields) -> Answer:
    library, parameter = import_module("tmlt.core.random.discrete_gaussian"), Fraction(question["parameter"])
    sampler = "_sample_dlaplace" if question["law"] == "laplace" else "sample_dgauss"
    names = [*(f"_{name}" for name in _LAPLACE), *dict.fromkeys(("_sample_dlaplace", sampler))]

    def noisy(count: int) -> int:
        return count + getattr(library, sampler)(parameter)

    return _masses(noisy, "none", "tmlt.core.random.discrete_gaussian", names)


# OpenDP: samples


def _samples(make: str, count: int, scale: float, **options: Any) -> Iterator[int]:
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    metric = dp.l2_distance(T=int) if make == "make_gaussian" else dp.l1_distance(T=int)
    measurement = getattr(dp.m, make)(dp.vector_domain(dp.atom_domain(T=int)), metric, scale=scale, **options)
    yield from measurement([count] * SAMPLES)


def opendp(question: Fields) -> Answer:
    if question["type"] == "Law":
        of, n = decay(question), int(question["n"])
        if of is None:
            return None
        found = list(_samples("make_geometric", int(question["count"]), -1 / math.log(of), bounds=(0, n)))
        return {"counts": [found.count(z) for z in range(n + 1)], "samples": SAMPLES}
    parameter = float(Fraction(question["parameter"]))
    laplace = question["law"] == "laplace"
    made = _samples("make_laplace", 0, parameter) if laplace else _samples("make_gaussian", 0, math.sqrt(parameter))
    found = list(made)
    return {"counts": [found.count(z) for z in PLACES], "samples": SAMPLES}


# All questions


def main(name: str) -> None:
    """Answer the questions of one library."""
    warnings.simplefilter("ignore")
    driver: Callable[[Fields], Answer] = globals()[name]
    for line in sys.stdin:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found = driver(json.loads(line))
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
