"""What each accountant is asked, by its own calls: a question in, and (epsilon, delta) of each of its bounds out.

A question asks "epsilon" at a delta or "delta" at an epsilon of releases ("claim", epsilon, delta, times), ("response", noise,
buckets, times) and ("laws", weights of P, weights of Q, times). Run in an environment of requirements.txt; no finitedp here.
"""

import contextlib
import io
import json
import math
import signal
import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import Any

MOST_SECONDS = 120  # of one question

Document = dict[str, Any]
Point = tuple[float, float]
Answers = dict[str, Point]


class NotAskedError(Exception):
    """The accountant does not speak of such releases, or not so."""


def of(question: Document, *kinds: str) -> list[list[Any]]:
    """The releases, all of these kinds."""
    if any(kind not in kinds for kind, *_ in question["releases"]):
        raise NotAskedError
    return [release[1:] for release in question["releases"]]


def only(question: Document, asked: str) -> None:
    """Leave questions about the other one out. Raises: NotAskedError."""
    if question["ask"] != asked:
        raise NotAskedError


def answered(question: Document, of_epsilon: Callable[[float], float], of_delta: Callable[[float], float]) -> Point:
    """The answer, as (epsilon, delta)."""
    at = question["at"]
    return (float(of_delta(at)), at) if question["ask"] == "epsilon" else (at, float(of_epsilon(at)))


# dp-accounting


def _pld(question: Document, pessimistic: bool) -> Point:
    library, common = import_module("dp_accounting.pld.privacy_loss_distribution"), import_module("dp_accounting.pld.common")
    whole = None
    for kind, *fields, times in question["releases"]:
        if kind == "claim":
            if not pessimistic:
                raise NotAskedError
            one = library.from_privacy_parameters(common.DifferentialPrivacyParameters(*fields))
        elif kind == "response":
            one = library.from_randomized_response(*fields, pessimistic_estimate=pessimistic)
        else:
            p, q = ({i: math.log(x) - math.log(sum(law)) for i, x in enumerate(law) if x} for law in fields)
            one = library.from_two_probability_mass_functions(q, p, pessimistic_estimate=pessimistic, symmetric=False)
        one = one.self_compose(times) if times > 1 else one
        whole = one if whole is None else whole.compose(one)
    return answered(question, whole.get_delta_for_epsilon, whole.get_epsilon_for_delta)


def dp_accounting_pld(question: Document) -> Answers:
    return {"upper": _pld(question, True)}


def dp_accounting_optimistic(question: Document) -> Answers:
    return {"lower": _pld(question, False)}


def _events(question: Document, accountant: Any) -> Answers:
    dp = import_module("dp_accounting")
    for noise, buckets, times in of(question, "response"):
        accountant.compose(dp.RandomizedResponseDpEvent(noise, buckets), times)
    return {"upper": answered(question, accountant.get_delta, accountant.get_epsilon)}


def dp_accounting_accountant(question: Document) -> Answers:
    return _events(question, import_module("dp_accounting.pld").PLDAccountant(_replace_one()))


def dp_accounting_renyi(question: Document) -> Answers:
    return _events(question, import_module("dp_accounting.rdp").RdpAccountant(neighboring_relation=_replace_one()))


def _replace_one() -> Any:
    return import_module("dp_accounting").NeighboringRelation.REPLACE_ONE


# prv-accountant: its own bounds, at the errors that its documentation advises


def prv_accountant(question: Document) -> Answers:
    library, claims = import_module("prv_accountant"), of(question, "claim")
    if len(claims) > 20:  # it takes minutes
        raise NotAskedError
    approximate = import_module("prv_accountant.privacy_random_variables").ApproximateDPMechanism
    prvs = [approximate(epsilon, delta) if delta else library.PureDPMechanism(epsilon) for epsilon, delta, _ in claims]
    times, at = [times for *_, times in claims], question["at"]
    error = at / 1000 if question["ask"] == "epsilon" else 1e-10
    accountant = library.PRVAccountant(prvs=prvs, max_self_compositions=times, eps_error=0.01, delta_error=error)
    ask = accountant.compute_epsilon if question["ask"] == "epsilon" else accountant.compute_delta
    found = zip(("lower", "estimate", "upper"), ask(at, times), strict=True)
    return {name: (float(x), at) if question["ask"] == "epsilon" else (at, float(x)) for name, x in found}


# autodp


def autodp_renyi(question: Document) -> Answers:
    zoo = import_module("autodp.mechanism_zoo")
    of(question, "claim", "response")
    mechanisms = []
    for kind, first, second, _ in question["releases"]:
        if (kind == "claim" and second) or (kind == "response" and second != 2):
            raise NotAskedError
        mechanisms.append(zoo.PureDP_Mechanism(first) if kind == "claim" else zoo.RandresponseMechanism(1 - first / 2))
    whole = import_module("autodp.transformer_zoo").Composition()(
        mechanisms, [release[-1] for release in question["releases"]]
    )
    return {"upper": answered(question, whole.get_approx_delta, whole.get_approxDP)}


def autodp_fourier(question: Document) -> Answers:
    responses = of(question, "response")
    if any(buckets != 2 for _, buckets, _ in responses):
        raise NotAskedError
    response = import_module("autodp.mechanism_zoo").RandresponseMechanism
    mechanisms = [response(p=1 - noise / 2, RDP_off=True, phi_off=False) for noise, *_ in responses]
    whole = import_module("autodp.transformer_zoo").ComposeAFA()(mechanisms, [times for *_, times in responses])
    return {"upper": answered(question, whole.get_approx_delta, whole.get_approxDP)}


# OpenDP


def _measurement(epsilon: float, delta: float) -> Any:
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    measure = dp.fixed_smoothed_max_divergence() if delta else dp.max_divergence()
    place = dp.atom_domain(T=bool), dp.discrete_distance(), measure
    return dp.m.make_user_measurement(*place, lambda _: 0, lambda _: (epsilon, delta) if delta else epsilon)


def opendp_sum(question: Document) -> Answers:
    only(question, "epsilon")
    claims = of(question, "claim")
    approximate = any(delta for _, delta, _ in claims)
    if approximate and not all(delta for _, delta, _ in claims):
        raise NotAskedError
    each = [_measurement(epsilon, delta) for epsilon, delta, times in claims for _ in range(times)]
    total = import_module("opendp.prelude").c.make_composition(each).map(1)
    return {"upper": total if approximate else (total, 0.0)}


def opendp_zcdp(question: Document) -> Answers:
    c = import_module("opendp.prelude").c
    claims = of(question, "claim")
    if any(delta for _, delta, _ in claims):
        raise NotAskedError
    each = [c.make_pureDP_to_zCDP(_measurement(epsilon, 0.0)) for epsilon, _, times in claims for _ in range(times)]
    profile = c.make_zCDP_to_approxDP(c.make_composition(each)).map(1)
    return {"upper": answered(question, profile.delta, profile.epsilon)}


# diffprivlib, SmartNoise


def diffprivlib_budget(question: Document) -> Answers:
    only(question, "epsilon")
    claims = [(epsilon, delta) for epsilon, delta, times in of(question, "claim") for _ in range(times)]
    slack = 1 - (1 - question["at"]) / math.prod(1 - delta for _, delta in claims)
    if slack <= 0:
        raise NotAskedError
    spent = import_module("diffprivlib").BudgetAccountant(slack=slack, spent_budget=claims).total()
    return {"upper": (float(spent[0]), float(spent[1]))}


def smartnoise_odometer(question: Document) -> Answers:
    only(question, "epsilon")
    claims = of(question, "claim")
    if len(claims) > 1:
        raise NotAskedError
    ((each, delta_of_each, times),) = claims
    odometer = import_module("snsql.sql.odometer").Odometer(_privacy(each, delta_of_each))
    odometer.spend(times)
    epsilon, delta = map(float, odometer.spent)
    return {"upper": (epsilon, delta)}


def smartnoise_heterogeneous(question: Document) -> Answers:
    only(question, "epsilon")
    claims = of(question, "claim")
    odometer = import_module("snsql.sql.odometer").OdometerHeterogeneous(_privacy(claims[0][0], question["at"]))
    for each, delta_of_each, times in claims:
        for _ in range(times):
            odometer.spend(_privacy(each, delta_of_each))
    epsilon, delta = map(float, odometer.spent)
    return {"upper": (epsilon, delta)}


def _privacy(epsilon: float, delta: float) -> Any:
    return import_module("snsql.sql.privacy").Privacy(epsilon=epsilon, delta=delta)


# opake-accounting


def opake_pld(question: Document) -> Answers:
    native, whole = _opake(), None
    for epsilon, delta, times in of(question, "claim"):
        one = native.eps_delta_pld(epsilon, delta, native.DiscretizationConfig()).self_compose(times)
        whole = one if whole is None else whole.compose(one)
    return {"upper": answered(question, whole.delta_at, whole.epsilon_at)}


def _opake() -> Any:
    """What its `eps_delta` calls: the package cannot be imported by Python 3.11.7 (nor 3.12.1), its compiled part can."""
    if "opake_accounting" not in sys.modules:
        (file,) = (file for entry in sys.path for file in Path(entry).glob("opake/api/accounting/core/opake_accounting.*.so"))
        spec = util.spec_from_file_location("opake_accounting", file)
        sys.modules["opake_accounting"] = util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["opake_accounting"])
    return sys.modules["opake_accounting"]


# All questions


def ask(driver: Callable[[Document], Answers], question: Document) -> Document | None:
    """Bounds, or why there is none, and the seconds of processor."""
    begin = time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            signal.alarm(MOST_SECONDS)
            found = driver(question)
    except NotAskedError:
        return None
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"}
    finally:
        signal.alarm(0)
    return found | {"seconds": round(time.process_time() - begin, 4)}


def late(*_: object) -> None:
    """Ends a question that takes too long. Raises: TimeoutError."""
    raise TimeoutError(f"more than {MOST_SECONDS} s")


def main(name: str, questions: str) -> None:
    """Print the answers of one accountant as JSON, one question in a line of the file. It is asked one before, unmeasured."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, late)
    driver, listed = globals()[name], json.loads(Path(questions).read_text())
    next(filter(None, (ask(driver, question) for question in listed)))
    answers = {question["id"]: found for question in listed if (found := ask(driver, question)) is not None}
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
