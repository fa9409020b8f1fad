"""Audit installed third-party code again: every description in audits/, as list.toml has them.

python docs/third_party/run.py setup FOLDER           a virtual environment with requirements.txt and this finitedp
python docs/third_party/run.py audit FOLDER [FILE...]  run all audits, or those named, and write results.json
python docs/third_party/run.py one FILE                one audit, in an environment that holds its package
python docs/third_party/run.py table                   the table of results.json, as the page shows it
python docs/third_party/run.py reports FOLDER [NAME...]  the snippets of reports/, each in a new environment in FOLDER

`reports` asks PyPI: it installs what each report says, and compares what its snippet prints with what stands there. It ends
with 1 where one differs.

Some code is in no package: a variable of the environment, `folder` in list.toml, names the folder of a copy at the commit
that is stated there. Without it these audits are left out.
"""

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
OWN = HERE.parents[1] / "src"
"""This finitedp, which is what runs, whichever the environment holds."""
ROUNDING = Fraction(1, 2**40)
RATIO = "worst ratio of single outcomes, before delta"


def listed() -> list[dict[str, str]]:
    """What is audited, with the verdict that was expected."""
    return list(tomllib.loads((HERE / "list.toml").read_text())["audit"])


def results() -> list[dict[str, Any]]:
    """What was recorded, in the order of the list."""
    return list(json.loads(RESULTS.read_text()))


# Running


def setup(folder: Path) -> None:
    """Make the environment."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "pip", "install", "-q"]
    subprocess.run([*pip, "-e", HERE.parents[1]], check=True)
    subprocess.run([*pip, "--no-deps", "-r", HERE / "requirements.txt"], check=True)


def _excess(certificate: dict[str, Any], profile: list[list[str]]) -> Fraction:
    """How far delta may be above the claimed one, at a rational just below e^epsilon: all open mass is counted."""
    epsilon = Fraction(certificate["claim"]["epsilon"])
    ratio = sum((epsilon**k / Fraction(_factorial(k)) for k in range(60)), Fraction(0))
    corners = [(Fraction(r), Fraction(d)) for r, d in profile]
    delta = corners[-1][1]
    for (r, d), (s, e) in pairwise(corners):
        if r <= ratio <= s:
            delta = d + (e - d) * (ratio - r) / (s - r)
    return delta - Fraction(certificate["claim"]["delta"]) + Fraction(certificate["unresolved"])


def _factorial(k: int) -> int:
    return 1 if k < 2 else k * _factorial(k - 1)


def _witness(certificate: dict[str, Any]) -> str:
    found = certificate["witness"]
    if found is None:
        return ""
    left, right = (certificate["inputs"][found[side]] for side in ("left", "right"))
    event = ", ".join(found["event"][:2]) + (", ..." if len(found["event"]) > 2 else "")
    p, q = (float(Fraction(found[side])) for side in ("in_left", "in_right"))
    return f"{{{event}}} has {p:.6g} at {json.dumps(left)}, {q:.6g} at {json.dumps(right)}"


def _open(certificate: dict[str, Any]) -> str:
    """What is left open of the laws, where something is."""
    left = Fraction(certificate["unresolved"])
    if not left:
        return ""
    stopped = certificate["derived"].get("stopped")
    return f"open: {float(left):.3g}" + (f"; stopped: {stopped}" if stopped else "")


def _ratio(certificate: dict[str, Any]) -> str:
    found = certificate["worst_ratio"]
    if found is None:
        return "not known"
    return found if found == "infinite" else f"{float(Fraction(found)):.17g}"


def _run(entry: dict[str, str]) -> dict[str, Any]:
    """One audit, in this process. Returns: what results.json holds of it."""
    from click.testing import CliRunner  # the environment of the packages has these

    from finitedp.cli.main import main as finitedp

    path = HERE / "audits" / f"{entry['file']}.toml"
    place = tomllib.loads(path.read_text())["mechanism"].split(":")[0]
    sys.path.insert(0, str((path.parent / place).parent.resolve()))
    importlib.import_module(Path(place).stem)  # whatever it imports is no part of the time
    options = ["--jobs", "1", "--json", "--time-limit", entry.get("limit", "300")]
    begin = time.process_time()
    done = CliRunner().invoke(finitedp, ["audit", *options, str(path)])
    found: dict[str, Any] = {"file": entry["file"], "seconds": round(time.process_time() - begin, 1)}
    if done.exit_code == 2:  # bad input: what cannot be followed
        reason = done.stderr.strip().splitlines()[-1].removeprefix("Error: ")
        return found | {"verdict": "refused", "ratio": "", "shown": _shortened(reason)}
    document = json.loads(done.stdout)
    (certificate,), (profile,) = document["certificates"], document["profiles"]
    verdict = certificate["verdicts"]["private"]
    rounding = verdict == "fails" and _excess(certificate, profile) <= ROUNDING
    shown = _witness(certificate) if verdict == "fails" else _open(certificate)
    return found | {"verdict": "fails by rounding only" if rounding else verdict, "ratio": _ratio(certificate), "shown": shown}


def _shortened(reason: str) -> str:
    """Without the folders of this machine."""
    copies = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    for folder in copies:
        reason = reason.replace(f"{folder}/", "")
    words = [word.rsplit("site-packages/", 1)[-1] for word in reason.split()]
    return " ".join(words)[:300]


def one(name: str) -> None:
    """Run one audit in this process, and print what results.json is to hold."""
    (entry,) = (entry for entry in listed() if entry["file"] == name)
    release = version(entry["package"]) if entry["package"] else entry["commit"]
    sys.stdout.write(json.dumps(_run(entry) | {"version": release}))


def audit(folder: Path, names: list[str]) -> None:
    """Run audits, each in a process, and write results.json, where those that were not run stay as they are."""
    kept = {found["file"]: found for found in results()} if RESULTS.exists() else {}
    for entry in listed():
        name = entry["file"]
        folder_of_copy = os.environ.get(entry["folder"], "") if "folder" in entry else ""
        if (names and name not in names) or ("folder" in entry and not folder_of_copy):
            continue
        done = subprocess.run(
            [folder / "bin" / "python", HERE / "run.py", "one", name],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(OWN), folder_of_copy])},
        )
        if done.returncode:
            sys.stderr.write(f"{name}: {done.stderr.strip()}\n")
            continue
        kept[name] = json.loads(done.stdout.splitlines()[-1])
        sys.stdout.write(f"{name}: {kept[name]['verdict']} ({kept[name]['seconds']} s)\n")
        sys.stdout.flush()
        RESULTS.write_text(json.dumps([kept[e["file"]] for e in listed() if e["file"] in kept], indent=1) + "\n")


# The page


def table() -> str:
    """All results as a table in Markdown."""
    found = {result["file"]: result for result in results()}
    lines = [
        f"| project and function | verdict | claim | expected | {RATIO} | witness, or reason of the refusal | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for entry in listed():
        if entry["file"] not in found:
            continue
        result = found[entry["file"]]
        shown = result["shown"].replace("|", "\\|")
        cells = (
            f"{entry['project']} {result['version']}: [`{entry['function']}`](third_party/audits/{entry['file']}.toml)",
            f"**{result['verdict']}**" if result["verdict"] == "fails" else result["verdict"],
            entry["claim"],
            entry["expected"],
            result["ratio"],
            f"`{shown}`" if shown else "",
            str(result["seconds"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


# What is sent to the makers


def report(name: str) -> tuple[list[str], str, str]:
    """The commands that install what a report's snippet needs, the snippet, and what it prints."""
    text = (HERE / "reports" / f"{name}.md").read_text()
    (commands,), (snippet,), (printed,) = (
        re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) for language in ("sh", "python", "text")
    )
    return commands.splitlines(), snippet, printed


def prints(name: str, folder: Path) -> str | None:
    """What a report's snippet prints in an environment made for it. Returns: None where a copy of a repository is missing."""
    commands, snippet, _ = report(name)
    copies = re.findall(r"os\.environ\[\"(\w+)\"\]", snippet)
    if not all(os.environ.get(copy) for copy in copies):
        return None
    installs = [shlex.split(command)[1:] for command in commands if command.startswith("pip ")]
    subprocess.run([sys.executable, "-m", "venv", "--clear", *([] if installs else ["--without-pip"]), folder], check=True)
    for words in installs:
        subprocess.run([str(folder / "bin" / "pip"), *words, "--quiet", "--disable-pip-version-check"], check=True)
    (folder / "snippet.py").write_text(snippet)
    python = [str(folder / "bin" / "python"), "-I", str(folder / "snippet.py")]
    return subprocess.run(python, stdout=subprocess.PIPE, text=True, check=False).stdout


def reports(folder: Path, names: list[str]) -> int:
    """Run the reports' snippets, or those named. Returns: 1 if one printed something else."""
    differ = False
    for name in names or sorted(path.stem for path in (HERE / "reports").glob("*.md")):
        found, stands = prints(name, folder / name), report(name)[2]
        says = "left out" if found is None else "the same" if found == stands else f"differs:\n{found}"
        differ = differ or found not in (None, stands)
        sys.stdout.write(f"{name}: {says}\n")
        sys.stdout.flush()
    return int(differ)


def main(arguments: list[str]) -> int:
    """What the first lines of this file say."""
    if arguments[:1] == ["setup"] and len(arguments) == 2:
        setup(Path(arguments[1]))
    elif arguments[:1] == ["audit"] and len(arguments) >= 2:
        audit(Path(arguments[1]), arguments[2:])
    elif arguments[:1] == ["one"] and len(arguments) == 2:
        one(arguments[1])
    elif arguments[:1] == ["reports"] and len(arguments) >= 2:
        return reports(Path(arguments[1]), arguments[2:])
    elif arguments == ["table"]:
        sys.stdout.write(table())
    else:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
