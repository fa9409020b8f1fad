"""The errors of every mechanism in every experiment: exact means over laws and data, or seeded runs with an interval."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log, sqrt
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.numbers import decimal
from finitedp.spec.pmf import Pmf
from tests.experiments.choosing import is_exact
from tests.experiments.mechanisms import (
    EXACT,
    Law,
    choosing_law,
    choosing_runs,
    ungated_mode,
    ungated_runs,
)
from tests.experiments.settings import SETTINGS, Histogram, Setting

EPSILONS = (mpq(1, 10), mpq(1, 4), mpq(1, 2), mpq(1))
RUNS = 1000
CONFIDENCE = 0.99


class Row(NamedTuple):
    """The mean distance, in bars, to the exact answer (plain) and to the nearest one with 0.005 n rows left out (flexible).

    low and high are equal for an exact mean, and the ends of a confidence interval for seeded runs.
    """

    setting: int
    epsilon: mpq
    mechanism: str
    plain: tuple[mpq, mpq]
    flexible: tuple[mpq, mpq]

    @property
    def sampled(self) -> bool:
        """Whether the errors are from seeded runs."""
        return self.plain[0] != self.plain[1] or self.flexible[0] != self.flexible[1]


def errors(setting: Setting, x: Histogram, law: Pmf[int]) -> tuple[mpq, mpq]:
    """The exact mean errors of a law of the answer on one data set."""
    answer, flexible = setting.answer(x), setting.flexible(x)
    plain = sum((w * abs(i - answer) for i, w in law.weights.items()), 0)
    near = sum((w * min(abs(i - v) for v in flexible) for i, w in law.weights.items()), 0)
    return mpq(plain, law.total), mpq(near, law.total)


def _interval(samples: Sequence[Sequence[int]], most: int) -> tuple[mpq, mpq]:
    """The mean of means with its empirical Bernstein bounds (Maurer and Pontil): all hold together with CONFIDENCE."""
    low, high = 0.0, 0.0
    for found in samples:
        n, mean = len(found), sum(found) / len(found)
        variance = sum((x - mean) ** 2 for x in found) / (n - 1)
        slack = log(4 * len(samples) / (1 - CONFIDENCE))
        width = sqrt(2 * variance * slack / n) + 7 * most * slack / (3 * (n - 1))
        low, high = low + max(0.0, mean - width), high + min(most, mean + width)
    return mpq(int(low / len(samples) * 10**4), 10**4), mpq(int(high / len(samples) * 10**4) + 1, 10**4)


Runs = Callable[[Setting, Histogram, mpq, int], list[int]]


def _sampled(name: str, draw: Runs, setting: Setting, epsilon: mpq, runs: int) -> Row:
    plain, flexible = list[list[int]](), list[list[int]]()
    for x in setting.data:
        answer, near = setting.answer(x), setting.flexible(x)
        found = draw(setting, x, epsilon, runs)
        plain.append([abs(i - answer) for i in found])
        flexible.append([min(abs(i - v) for v in near) for i in found])
    most = setting.bars - 1
    return Row(setting.number, epsilon, name, _interval(plain, most), _interval(flexible, most))


def rows(
    settings: Sequence[Setting] = SETTINGS, epsilons: Sequence[mpq] = EPSILONS, runs: int = RUNS, only: str | None = None
) -> Iterator[Row]:
    """The errors, averaged over the data sets. Parameters: only, one mechanism by name; runs, for each data set."""
    for setting in settings:
        for epsilon in epsilons:
            exact, sampled = _ways(setting, epsilon)
            for name, law in exact.items():
                if only in (None, name):
                    found = [errors(setting, x, law(setting, x, epsilon)) for x in setting.data]
                    plain, near = (sum((e[j] for e in found), mpq(0)) / len(found) for j in (0, 1))
                    yield Row(setting.number, epsilon, name, (plain, plain), (near, near))
            for name, draw in sampled.items():
                if only in (None, name):
                    yield _sampled(name, draw, setting, epsilon, runs)


def _ways(setting: Setting, epsilon: mpq) -> tuple[dict[str, Law], dict[str, Runs]]:
    """The mechanisms with exact laws, and those that are sampled."""
    if not setting.k:
        return EXACT | {"choosing": choosing_law, "choosing (no gate)": ungated_mode}, {}
    if is_exact(setting, epsilon):
        return EXACT | {"choosing": choosing_law}, {"choosing (no gate)": ungated_runs}
    return EXACT, {"choosing": choosing_runs, "choosing (no gate)": ungated_runs}


def _text(bounds: tuple[mpq, mpq]) -> list[str] | str:
    low, high = (decimal(x, 6).removeprefix("~") for x in bounds)
    return low if bounds[0] == bounds[1] else [low, high]


def beaten_by(found: Sequence[Row], flexible: bool) -> dict[str, list[str]]:
    """Of the rows of one experiment at one epsilon: whose error is smaller than New's, certainly, and whose may be."""
    errors_of: Mapping[str, tuple[mpq, mpq]] = {r.mechanism: r.flexible if flexible else r.plain for r in found}
    mine = errors_of["new"][0]
    others = {name: bounds for name, bounds in errors_of.items() if name != "new"}
    return {
        "smaller": [name for name, (_, high) in others.items() if high < mine],
        "undecided": [name for name, (low, high) in others.items() if low < mine <= high],
    }


def verdicts(found: Sequence[Row]) -> list[dict[str, Any]]:
    """For each experiment and epsilon: whether New's error is the least, plain and flexible, and what beats it."""
    made = list[dict[str, Any]]()
    for number, epsilon in dict.fromkeys((r.setting, r.epsilon) for r in found):
        here = [r for r in found if (r.setting, r.epsilon) == (number, epsilon)]
        made.append(
            {
                "setting": number,
                "epsilon": str(epsilon),
                "plain": beaten_by(here, flexible=False),
                "flexible": beaten_by(here, flexible=True),
            }
        )
    return made


def listed(found: Sequence[Row]) -> list[dict[str, Any]]:
    """The errors as JSON: decimals of six digits, rounded; [low, high] for seeded runs."""
    return [
        {
            "setting": r.setting,
            "epsilon": str(r.epsilon),
            "mechanism": r.mechanism,
            "plain": _text(r.plain),
            "flexible": _text(r.flexible),
        }
        for r in found
    ]


def document(found: Sequence[Row]) -> dict[str, Any]:
    """All errors as JSON, and what beats New. Parameters: found, the rows of whole experiments."""
    return {"delta": "1/1048576", "unit": "bars", "errors": listed(found), "new": verdicts(found)}


# The page


def _cell(plain: list[str] | str, flexible: list[str] | str) -> str:
    def shown(value: list[str] | str) -> str:
        low, high = (value, value) if isinstance(value, str) else value
        return f"{float(low):.4g}" if low == high else f"{float(low):.3g}..{float(high):.3g}"

    return f"{shown(plain)} / {shown(flexible)}"


def table(results: Mapping[str, Any]) -> str:
    """The errors as a table in Markdown: plain / flexible, in bars."""
    names = list(dict.fromkeys(r["mechanism"] for r in results["errors"]))
    names = [name for name in names if not name.startswith("choosing")] + [
        name for name in names if name.startswith("choosing")
    ]
    lines = [f"| experiment | epsilon | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for number, epsilon in dict.fromkeys((r["setting"], r["epsilon"]) for r in results["errors"]):
        here = {r["mechanism"]: r for r in results["errors"] if (r["setting"], r["epsilon"]) == (number, epsilon)}
        cells = (_cell(here[name]["plain"], here[name]["flexible"]) for name in names)
        lines.append(f"| ({number}) | {epsilon} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def beaten_table(results: Mapping[str, Any]) -> str:
    """What beats New, experiment by experiment, as a table in Markdown."""
    lines = ["| experiment | epsilon | smaller plain error | smaller flexible error |", "|---|---|---|---|"]
    for found in results["new"]:
        cells = []
        for kind in ("plain", "flexible"):
            names = [*found[kind]["smaller"], *(f"{name}?" for name in found[kind]["undecided"])]
            cells.append(", ".join(names) or "none")
        lines.append(f"| ({found['setting']}) | {found['epsilon']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
