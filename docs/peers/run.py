"""Put the vectors to other people's libraries again, and compare what they answer with what is right.

python docs/peers/run.py setup FOLDER [DRIVER...]  a virtual environment in FOLDER for each library of list.toml
python docs/peers/run.py ask FOLDER [DRIVER...]    ask all, or those named, and write results.json
python docs/peers/run.py table                     the table of results.json, as the page shows it

`ask` runs drivers.py in each environment; what it answers is compared here, exactly: a float is the rational that it is. The
rows are made from results.json alone, so that they can be made again without the environments. IBM's code is in no package:
the variable DISCRETEGAUSS of the environment names the folder of a copy at the commit that list.toml has; without it that is
left out.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from finitedp.exact import exp_bounds, log_bounds
from finitedp.proofs_check.vectors.kinds import Case, cases_of
from finitedp.proofs_check.vectors.making import shipped

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
HARDLY = Fraction(1, 2**32)
"""A distance that rounding explains, as `finitedp audit` has it."""
DOUBT = 2**-40  # probability that a right sampler is said to be wrong, for a question
PLACES = range(-4, 5)  # of noise, as drivers.py has it
UNIT = 1 << 128
RIGHT, ROUNDED, OPEN, WRONG, NONE = VERDICTS = ("right", "rounded", "open", "wrong", "none")

Document = dict[str, Any]
Verdict = tuple[str, Fraction]


@cache
def listed() -> list[Document]:
    """The libraries."""
    return list(tomllib.loads((HERE / "list.toml").read_text())["peer"])


@cache
def noises() -> list[Document]:
    """The questions about noise."""
    return list(json.loads((HERE / "questions.json").read_text()))


def results() -> Document:
    """What was recorded: by driver, versions, what was asked, and the answers by question."""
    return dict(json.loads(RESULTS.read_text()))


def questions(kinds: Sequence[str]) -> dict[str, tuple[str, Case | Document]]:
    """By name: the line of each question, and what it is a line of."""
    found: dict[str, tuple[str, Case | Document]] = {}
    for kind in kinds:
        if kind == "Noise":
            found |= {noise["tcId"]: (json.dumps(noise), noise) for noise in noises()}
        else:
            cases = (case for case in cases_of(shipped()[kind]) if kind == "Private" or case.test["result"] == "valid")
            found |= {case.name: (case.line, case) for case in cases}
    return found


def hashed(kinds: Sequence[str]) -> str:
    """What the questions of some types are."""
    return hashlib.sha256("\n".join(line for line, _ in questions(kinds).values()).encode()).hexdigest()


# Asking


def setup(folder: Path, names: Sequence[str]) -> None:
    """Make environments, as pip resolves them."""
    for peer in chosen(names):
        place = folder / peer["driver"]
        python = shutil.which(peer["python"]) if "python" in peer else sys.executable
        subprocess.run([str(python), "-m", "venv", place], check=True)
        own = [str(HERE.parents[1])] if peer.get("explored") else []
        subprocess.run([str(place / "bin" / "pip"), "install", "-q", *own, *peer["install"]], check=True)


def chosen(names: Sequence[str]) -> Iterator[Document]:
    """The libraries of these names, or all."""
    return (peer for peer in listed() if not names or peer["driver"] in names)


def ask(folder: Path, names: Sequence[str]) -> None:
    """Ask, and write results.json, where those that were not asked stay as they are."""
    kept = results() if RESULTS.exists() else {}
    for peer in chosen(names):
        copy = os.environ.get(peer["folder"], "") if "folder" in peer else ""
        if "folder" in peer and not copy:
            continue
        python = str(folder / peer["driver"] / "bin" / "python")
        asked = questions(peer["types"])
        answers = dict(zip(asked, answered([python, str(HERE / "drivers.py"), peer["driver"]], asked, copy), strict=True))
        version, packages = installed(python)
        package = peer["install"][0].partition("==")[0]
        kept[peer["driver"]] = {
            "version": peer.get("commit", packages[package]),
            "python": version,
            "packages": packages,
            "asked": hashed(peer["types"]),
            "answers": {name: answer for name, answer in answers.items() if answer is not None},
        }
        RESULTS.write_text(as_text({other["driver"]: kept[other["driver"]] for other in listed() if other["driver"] in kept}))
        sys.stdout.write("\n".join(rows(peer, kept[peer["driver"]])) + "\n")
        sys.stdout.flush()


def installed(python: str) -> tuple[str, dict[str, str]]:
    """The version of Python, and of the packages beside finitedp."""
    asks = (
        "import json, re, sys, importlib.metadata as m; "
        "found = {re.sub('[-_.]+', '-', d.name).lower(): d.version "
        "for d in m.distributions() if d.name not in ('finitedp', 'pip', 'setuptools')}; "
        "print(json.dumps([sys.version.split()[0], dict(sorted(found.items()))]))"
    )
    version, packages = json.loads(subprocess.run([python, "-c", asks], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return version, packages


def answered(command: Sequence[str], asked: Document, copy: str) -> list[Any]:
    """What a driver answers."""
    lines = "".join(line + "\n" for line, _ in asked.values())
    env = os.environ | ({"PYTHONPATH": copy} if copy else {})
    done = subprocess.run(command, check=True, input=lines, stdout=subprocess.PIPE, text=True, env=env)
    return [json.loads(line) for line in done.stdout.splitlines()]


def as_text(document: Document) -> str:
    """JSON, an answer in a line."""
    whole = []
    for name, found in document.items():
        lines = ",\n".join(f"   {json.dumps(x)}: {json.dumps(answer)}" for x, answer in found["answers"].items())
        head = {key: value for key, value in found.items() if key != "answers"}
        whole.append(f' {json.dumps(name)}: {json.dumps(head)[:-1]}, "answers": {{\n{lines}\n  }}}}')
    return "{\n" + ",\n".join(whole) + "\n}\n"


# Judging


def judged(question: Case | Document, answer: Document) -> Verdict:
    """A verdict on an answer, and how far it is off.

    right: as the case says (an interval that holds what is asked; samples that cannot be told from it). rounded: off by at
    most 2^-32. open: an interval wider than the case allows, or that does not decide a claim. wrong. none: an error.
    """
    if "error" in answer:
        return NONE, Fraction(0)
    if not isinstance(question, Case):
        return _noise(question, answer)
    test = question.test
    if question.kind == "Private":
        return _claim(question.test, answer)
    if question.kind == "Law":
        weights = list(map(int, test["weights"]))
        masses = [Fraction(w, sum(weights)) for w in weights]
        if "counts" in answer:
            return _sampled([(p, p) for p in masses], answer)
        whole = sum(answer["weights"]) + answer["raises"]
        found = [Fraction(w, whole) for w in answer["weights"]]
        return _off((sum(abs(p - q) for p, q in zip(found, masses, strict=True)) + Fraction(answer["raises"], whole)) / 2)
    return _interval(question, answer)


def _claim(test: Document, answer: Document) -> Verdict:
    """Whether an interval of delta decides a claim as the case does."""
    delta, low, high = (Fraction(x) for x in (test["delta"], *answer["low"], *answer["high"]))
    holds = test["result"] == "valid"
    if high <= delta if holds else low > delta:
        return RIGHT, Fraction(0)
    if low <= delta < high:
        return OPEN, Fraction(0)
    off = low - delta if holds else delta - high
    return (ROUNDED if off <= HARDLY else WRONG), off


def _off(distance: Fraction) -> Verdict:
    return (RIGHT if not distance else ROUNDED if distance <= HARDLY else WRONG), distance


def _interval(case: Case, answer: Document) -> Verdict:
    """Whether intervals hold what is asked. Answers have null where they were not asked."""
    names = {"Pair": ("delta", "totalVariation"), "Curve": ("deltas",), "Composition": ("delta",)}[case.kind]
    expected = [Fraction(x) for name in names for x in (case.test[name] if name == "deltas" else [case.test[name]])]
    ends = [*zip(answer["low"], answer["high"], expected, strict=True)]
    known = [(Fraction(low), Fraction(high), x) for low, high, x in ends if low is not None]
    verdict, off = _off(max(max(low - x, x - high, Fraction(0)) for low, high, x in known))
    wide = case.kind == "Composition" and any(high - low > Fraction(case.test["within"]) for low, high, _ in known)
    return (OPEN if verdict != WRONG and wide else verdict), off


def _sampled(bounds: Sequence[tuple[Fraction, Fraction]], answer: Document) -> Verdict:
    """Whether counts are possible, by Hoeffding's inequality for each of them: masses are given by bounds of them."""
    samples = answer["samples"]
    off = max(
        max(low - Fraction(c, samples), Fraction(c, samples) - high, Fraction(0))
        for c, (low, high) in zip(answer["counts"], bounds, strict=True)
    )
    enough = Fraction(str(log_bounds(mpq(2 * len(bounds)) / mpq(DOUBT))[1]))
    return (WRONG if 2 * samples * off * off > enough else RIGHT), off


def _noise(question: Document, answer: Document) -> Verdict:
    """Noise on all integers, of which the masses of PLACES are compared."""
    bounds = [mass(question["law"], question["parameter"], z) for z in PLACES]
    if "counts" in answer:
        return _sampled(bounds, answer)
    most = answer["open"] + 1
    distances = [
        max(low - Fraction(m + most, UNIT), Fraction(m, UNIT) - high, Fraction(0))
        for m, (low, high) in zip(answer["masses"], bounds, strict=True)
    ]
    return _off(max(distances))


@cache
def mass(law: str, parameter: str, z: int) -> tuple[Fraction, Fraction]:
    """Bounds on the probability of z: of e^(-|z|/parameter), or e^(-z^2/(2 parameter)), over the sum of all integers."""

    def power(k: int) -> tuple[mpq, mpq]:
        return exp_bounds(-(mpq(abs(k)) if law == "laplace" else mpq(k * k, 2)) / mpq(parameter), 200)

    low = high = mpq(1)
    k = 0
    while power(k)[1] > mpq(1, 2**180):
        k += 1
        low, high = low + 2 * power(k)[0], high + 2 * power(k)[1]
    step = power(k + 1)[1] / power(k)[0]  # the steps to the next terms are no larger
    high += 2 * power(k)[1] * step / (1 - step)
    least, most = power(z)[0] / high, power(z)[1] / low
    return Fraction(str(least)), Fraction(str(most))


# The page


def rows(peer: Document, found: Document) -> Iterator[str]:
    """The rows of a library, in Markdown."""
    for kind in peer["types"]:
        asked = questions([kind])
        verdicts = {name: judged(asked[name][1], answer) for name, answer in found["answers"].items() if name in asked}
        counts = Counter(verdict for verdict, _ in verdicts.values())
        off = max((distance for _, distance in verdicts.values()), default=Fraction(0))
        cells = (
            f"{peer['name']} {found['version']}",
            peer["asked"],
            kind,
            peer["how"],
            f"{len(verdicts)} of {len(asked)}",
            *(f"**{counts[v]}**" if v == WRONG and counts[v] else str(counts[v]) for v in VERDICTS),
            f"{float(off):.1e}" if off else "0",
        )
        yield f"| {' | '.join(cells)} |"


def table() -> str:
    """The table of the page."""
    head = ("library", "what is asked", "type", "how", "fit", "right", "rounded", "open", "wrong", "no answer", "farthest off")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    found = results()
    return "\n".join([*lines, *(row for peer in listed() for row in rows(peer, found[peer["driver"]]))]) + "\n"


def main(arguments: list[str]) -> int:
    """What the first lines of this file say."""
    known = {peer["driver"] for peer in listed()}
    if arguments[:1] in (["setup"], ["ask"]) and len(arguments) >= 2 and known.issuperset(arguments[2:]):
        (setup if arguments[0] == "setup" else ask)(Path(arguments[1]), arguments[2:])
    elif arguments == ["table"]:
        sys.stdout.write(table())
    else:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
