"""Composition beside dp-accounting and prv-accountant: `python tests/benchmarks/accounting.py`, where these are installed.

    pip install dp-accounting==0.6.0 prv-accountant==0.2.0

Each row is one question, asked of the enclosure and of the others: processor time, and the answer. What is above the enclosure
is a bound that is not tight; what is below it is no bound.
"""

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.impl.accounting.composing import Composition, compose
from finitedp.impl.counting.dyadic import DyadicSample

MOST_OF_PRV = 20  # different epsilons; with 199 it takes minutes


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What is returned, and the seconds of processor it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def shown(number: mpq) -> float:
    """A rational as the others take it, and as it is printed."""
    return int(number.numerator) / int(number.denominator)


def enclosure(made: Callable[[], Composition], at: mpq) -> tuple[mpq, mpq]:
    """Delta at epsilon: the lower and the upper bound, printed with the time of both."""
    (low, high), took = timed(lambda: made().delta(at))
    print(
        f"  finitedp        {shown(low):.15g} .. {shown(high):.15g}  gap {shown((high - low) / high):.1e} of it, {took:.3f} s"
    )
    return low, high


def judged(value: float, low: mpq, high: mpq) -> str:
    """Where another answer lies."""
    exact = mpq(*value.as_integer_ratio())
    return "BELOW the lower bound" if exact < low else "above the upper bound" if exact > high else "between both bounds"


def dp_accounting(parts: list[tuple[mpq, int]], at: mpq, low: mpq, high: mpq) -> None:
    """Pure claims, as dp-accounting's PLD composes them: its pessimistic estimate, an upper bound by its name."""
    library = import_module("dp_accounting.pld.privacy_loss_distribution")
    common = import_module("dp_accounting.pld.common")

    def ask() -> float:
        whole: Any = None
        for epsilon, times in parts:
            one = library.from_privacy_parameters(common.DifferentialPrivacyParameters(shown(epsilon), 0)).self_compose(times)
            whole = one if whole is None else whole.compose(one)
        return float(whole.get_delta_for_epsilon(shown(at)))

    value, took = timed(ask)
    print(f"  dp-accounting   {value:.15g}  {judged(value, low, high)}, {took:.3f} s")


def prv_accountant(parts: list[tuple[mpq, int]], at: mpq, low: mpq, high: mpq) -> None:
    """The same by prv-accountant: its own lower and upper bound."""
    library = import_module("prv_accountant")

    def ask() -> Any:
        mechanisms = [library.PureDPMechanism(shown(epsilon)) for epsilon, _ in parts]
        times = [times for _, times in parts]
        accountant = library.PRVAccountant(prvs=mechanisms, max_self_compositions=times, eps_error=0.01, delta_error=1e-10)
        return accountant.compute_delta(shown(at), times)

    (least, _, most), took = timed(ask)
    print(f"  prv-accountant  {float(least):.15g} .. {float(most):.15g}, {took:.3f} s")


def pure(epsilon: mpq) -> PrivacyClaim:
    """A claim alone."""
    return PrivacyClaim(epsilon, "counts")


def compare(title: str, parts: list[tuple[mpq, int]], at: mpq) -> None:
    """One question of all."""
    print(f"{title}, delta at epsilon = {shown(at):g}")
    low, high = enclosure(lambda: compose([(pure(epsilon), times) for epsilon, times in parts]), at)
    for other in (dp_accounting, prv_accountant) if len(parts) <= MOST_OF_PRV else (dp_accounting,):
        try:
            other(parts, at, low, high)
        except (ImportError, ValueError, RuntimeError, AssertionError, AttributeError, OverflowError) as error:
            print(f"  {other.__name__.replace('_', '-'):15} {type(error).__name__}: {str(error)[:100]}")


def main() -> None:
    """All questions."""
    table = DyadicSample(10**6, "1/10")
    print("1,000 runs of a dyadic table, n = 10^6, epsilon = 1/10")
    for at in (mpq(1), mpq(8)):
        enclosure(lambda: compose([(table.claim(), 1000)]), at)
    tables = [DyadicSample(10**6, mpq(i, 1000)) for i in range(1, 200)]
    print("1,000 runs of 199 dyadic tables, n = 10^6, epsilon = 1/1000 to 199/1000")
    enclosure(lambda: compose([(each.claim(), 5 + (i < 5)) for i, each in enumerate(tables)]), mpq(5))
    compare("1,000 pure releases of epsilon = 1/20", [(mpq(1, 20), 1000)], mpq(1))
    compare("1,000 pure releases of epsilon = 1/20", [(mpq(1, 20), 1000)], mpq(8))
    compare("100 pure releases of epsilon = 1", [(mpq(1), 100)], mpq(60))
    compare("1,000 pure releases of 199 epsilons", [(mpq(i, 2000), 5 + (i <= 5)) for i in range(1, 200)], mpq(5))
    compare("1,000 pure releases of epsilon = 0.3", [(mpq(3, 10), 1000)], mpq(1145083, 10000))
    compare(
        "10 pure releases of epsilon = 1/p for primes p",
        [(mpq(1, p), 1) for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)],
        mpq(1, 2),
    )


if __name__ == "__main__":
    main()
