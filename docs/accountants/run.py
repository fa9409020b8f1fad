"""Ask other people's accountants again, and compare each answer with the proved bounds of this finitedp.

python docs/accountants/run.py setup FOLDER           a virtual environment with requirements.txt
python docs/accountants/run.py ask FOLDER [DRIVER...]  ask all, or those named, and write results.json
python docs/accountants/run.py judge                   judge the answers of results.json again
python docs/accountants/run.py table                   the tables of results.json, as the page shows them

`ask` runs drivers.py in the environment, an accountant in a process; what they say is compared here, exactly: a float is the
rational that it is. The verdicts are made from results.json alone, so that they can be made again without the environment.
"""

import json
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from math import inf, nextafter
from pathlib import Path
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.curve import Pair
from finitedp.numbers import outward
from finitedp.proofs_check.audit.accountant import Together, pair_of_laws, said, together

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
ROUNDING = Fraction(1, 2**32)
"""More of delta with which an answer by rounding only would hold, as `finitedp audit` has it."""
SIDE_BY_SIDE = ("finitedp", "dp_accounting_pld", "prv_accountant")
SIDE = (
    "1,000 of 0.05, delta at epsilon = 8.0",
    "100 of 1.0, delta at epsilon = 60.0",
    "1,000 of 0.3, delta at epsilon = 114.5083",
    "1/2 to 1/29, the first ten primes, delta at epsilon = 0.5",
    "1,000 of 199 epsilons, 1/2000 to 199/2000, delta at epsilon = 5.0",
)

Document = dict[str, Any]


@cache
def listed() -> list[dict[str, str]]:
    """The accountants, with what is expected."""
    return list(tomllib.loads((HERE / "list.toml").read_text())["accountant"])


@cache
def questions() -> dict[str, Document]:
    """By id."""
    return {question["id"]: question for question in json.loads((HERE / "questions.json").read_text())}


def results() -> Document:
    """What was recorded: by driver, its version and what it answered."""
    return dict(json.loads(RESULTS.read_text()))


# The proved bounds


def exact(number: float) -> mpq:
    """The rational that a float is."""
    return mpq(*float(number).as_integer_ratio())


def released(release: Sequence[Any]) -> tuple[PrivacyClaim | Pair, int]:
    """A release of a question, and how often."""
    kind, *fields, times = release
    if kind == "claim":
        return PrivacyClaim(exact(fields[0]), "replace-one", exact(fields[1])), times
    if kind == "laws":
        return Pair(zip(*fields, strict=True)), times
    lie = exact(fields[0]) / fields[1]
    keep = 1 - exact(fields[0]) + lie
    rest = 1 - keep - lie  # all other answers
    return pair_of_laws([keep, lie, rest], [lie, keep, rest]), times


@cache
def enclosed(name: str) -> Together:
    """The releases of a question together."""
    return together([released(release) for release in questions()[name]["releases"]])


@cache
def bounds(name: str) -> tuple[mpq, mpq]:
    """Lower and upper bound on what a question asks."""
    question = questions()[name]
    whole, at = enclosed(name), exact(question["at"])
    return whole.epsilon(at) if question["ask"] == "epsilon" else whole.delta(at)


# Judging


def wrong(name: str, bound: str, point: Sequence[float]) -> Fraction | None:
    """By how much of delta an answer is on the wrong side of the proved bounds; None where it is not."""
    epsilon, delta = map(exact, point)
    if bound != "lower":
        found = said(enclosed(name), epsilon, delta)
        return Fraction(found.least - delta) if found.verdict == "fails" else None
    asked = epsilon if questions()[name]["ask"] == "epsilon" else delta
    return None if asked <= bounds(name)[1] else Fraction(delta - enclosed(name).delta(epsilon)[0])


def decided(name: str, bound: str, point: Sequence[float]) -> bool:
    """Whether an answer is on one side of both bounds, where they are near each other."""
    low, high = bounds(name)
    asked = exact(point[0] if questions()[name]["ask"] == "epsilon" else point[1])
    return not low < asked < high or bound == "estimate"


def ratio(name: str, point: Sequence[float]) -> float | None:
    """An answer, as a multiple of the proved upper bound on what was asked; None where it is not told from 0."""
    question = questions()[name]
    epsilon, delta = map(exact, point)
    if question["ask"] == "delta":
        least, most = bounds(name)
        return None if least == 0 else float(Fraction(delta / most))
    most = enclosed(name).epsilon(max(delta, exact(question["at"])))[1] if delta < 1 else mpq(0)
    return None if most <= 0 else float(Fraction(epsilon / most))


def judged(entry: dict[str, str], found: Document) -> Document:
    """The row of an accountant: its verdict, and what it rests on."""
    bound = entry["bound"]
    answers = {name: answer[bound] for name, answer in found["answers"].items() if bound in answer}
    faults = {name: fault for name, point in answers.items() if (fault := wrong(name, bound, point)) is not None}
    promised = bound != "estimate"
    verdict = (
        "fails" if max(faults.values(), default=Fraction(0)) > ROUNDING else "fails by rounding only" if faults else "holds"
    )
    row: Document = {
        "verdict": verdict if promised else "none",
        "asked": len(found["answers"]),
        "answered": len(answers),
        "wrong": len(faults),
        "seconds": round(sum(answer["seconds"] for answer in found["answers"].values()), 2),
        "between": sum(not decided(name, bound, point) for name, point in answers.items()),
        "worst": max(faults, key=faults.__getitem__, default=None),
    }
    for asked in ("epsilon", "delta"):
        of = [
            x for name, point in answers.items() if questions()[name]["ask"] == asked and (x := ratio(name, point)) is not None
        ]
        row[asked] = [min(of), max(of)] if of else None
    return row


# Asking


def setup(folder: Path) -> None:
    """Make the environment."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", "--no-deps", "-r", HERE / "requirements.txt"], check=True)


def own() -> dict[str, Document]:
    """What finitedp answers, with its seconds: both bounds."""
    found = {}
    for name, question in questions().items():
        begin = time.process_time()
        low, high = bounds(name)
        seconds = round(time.process_time() - begin, 4)
        points = {"lower": low, "upper": high}
        at = question["at"]
        found[name] = {
            bound: [rounded(x, bound), at] if question["ask"] == "epsilon" else [at, rounded(x, bound)]
            for bound, x in points.items()
        } | {"seconds": seconds}
    return found


def rounded(number: mpq, bound: str) -> float:
    """The nearest float that is still a bound of this kind."""
    near = int(number.numerator) / int(number.denominator)
    if bound == "upper":
        return near if exact(near) >= number else nextafter(near, inf)
    return near if exact(near) <= number else nextafter(near, -inf)


def ask(folder: Path, names: Iterable[str]) -> None:
    """Ask, and write results.json, where those that were not asked stay as they are."""
    kept = results() if RESULTS.exists() else {}
    chosen = list(names)
    for driver, package in {entry["driver"]: entry["package"] for entry in listed()}.items():
        if chosen and driver not in chosen:
            continue
        if not package:
            kept[driver] = {"version": "", "answers": own()}
        else:
            python = folder / "bin" / "python"
            words = [python, HERE / "drivers.py", driver, HERE / "questions.json"]
            answers = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
            asks = [python, "-c", f"import importlib.metadata as m; print(m.version({package!r}))"]
            version = subprocess.run(asks, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            kept[driver] = {"version": version, "answers": answers}
        judge(kept, driver)
    order = list(dict.fromkeys(entry["driver"] for entry in listed()))
    RESULTS.write_text(as_text({name: kept[name] for name in order if name in kept}))


def judge(found: Document, driver: str) -> None:
    """Make the rows of an accountant from its answers."""
    found[driver]["rows"] = {entry["bound"]: judged(entry, found[driver]) for entry in listed() if entry["driver"] == driver}
    sys.stdout.write(f"{driver}: {found[driver]['rows']}\n")
    sys.stdout.flush()


def as_text(document: Document) -> str:
    """JSON, an answer in a line."""
    whole = []
    for name, found in document.items():
        lines = ",\n".join(f"   {json.dumps(x)}: {json.dumps(answer)}" for x, answer in found["answers"].items())
        head = {key: value for key, value in found.items() if key != "answers"}
        whole.append(f' {json.dumps(name)}: {json.dumps(head)[:-1]}, "answers": {{\n{lines}\n  }}}}')
    return "{\n" + ",\n".join(whole) + "\n}\n"


# The page


def _range(of: list[float] | None) -> str:
    return "" if of is None else f"{of[0]:.6g} to {of[1]:.6g}"


def table() -> str:
    """Both tables of the page, in Markdown."""
    found = results()
    head = (
        "accountant",
        "verdict",
        "expected",
        "epsilon",
        "delta",
        "asked",
        "answered",
        "wrong",
        "seconds",
        "what it promises",
    )
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for entry in listed():
        row = found[entry["driver"]]["rows"][entry["bound"]]
        verdict = f"**{row['verdict']}**" if row["verdict"] == "fails" else row["verdict"]
        library, _, call = entry["name"].partition(",")
        version = found[entry["driver"]]["version"]
        name = ",".join([f"{library} {version}".strip(), *([call] if call else [])])
        cells = (
            name,
            verdict,
            entry["expected"] or "none",
            _range(row["epsilon"]),
            _range(row["delta"]),
            *(str(row[key]) for key in ("asked", "answered", "wrong", "seconds")),
            entry["promise"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    head = ("question", "finitedp, both bounds", "dp-accounting, PLD", "prv-accountant, its bounds")
    lines += ["", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {name} | {' | '.join(_beside(found[driver], name) for driver in SIDE_BY_SIDE)} |" for name in SIDE]
    return "\n".join(lines) + "\n"


def _beside(found: Document, name: str) -> str:
    answer = found["answers"].get(name)
    if answer is None:
        return "not asked"
    if "error" in answer:
        return answer["error"]
    place = 0 if questions()[name]["ask"] == "epsilon" else 1
    numbers = [answer[bound][place] for bound in ("lower", "upper") if bound in answer]
    if len(numbers) == 2 and numbers[0] > 0 and numbers[1] / numbers[0] < 1 + 1e-12:
        text = outward(exact(numbers[0]), exact(numbers[1]), 15)[1]
    else:
        text = " to ".join(f"{x:.6g}" for x in numbers)
    return f"{text}, {answer['seconds']:.2f} s"


def main(arguments: list[str]) -> int:
    """What the first lines of this file say."""
    if arguments[:1] == ["setup"] and len(arguments) == 2:
        setup(Path(arguments[1]))
    elif arguments[:1] == ["ask"] and len(arguments) >= 2:
        ask(Path(arguments[1]), arguments[2:])
    elif arguments == ["judge"]:
        kept = results()
        for driver in kept:
            judge(kept, driver)
        RESULTS.write_text(as_text(kept))
    elif arguments == ["table"]:
        sys.stdout.write(table())
    else:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
