"""Audit other people's code with continuous noise again: the descriptions in audits/, as expected.toml has them.

python docs/pipelines/run.py setup FOLDER [NAME...]   a virtual environment in FOLDER for each, by pip, or for those named
python docs/pipelines/run.py audit FOLDER [NAME...]   run all audits, or those of environments, and write results.json
python docs/pipelines/run.py in NAME                  those of an environment, in this Python; prints a result a line
python docs/pipelines/run.py table                    the table of results.json, as the page shows it

`audit` runs this tree's finitedp. Some code is in no package: a variable names the folder of a copy (FOLDERS), without which
its audits are left out. Certificates of at most 24 kB are written into certificates/.
"""

import contextlib
import hashlib
import io
import json
import os
import platform
import re
import subprocess
import sys
import time
import tomllib
import warnings
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
OWN = HERE.parents[1] / "src"
"""This finitedp, which is what runs, whichever the environment holds."""
NEEDED = ("attrs>=24.2", "click>=8.4", "cloudpickle", "gmpy2", "joblib", "jsonschema", "numpy>=2.0", "python-flint", "rich")
OF_RECORDER = ("dp-accounting", "tqdm", "matplotlib", "seaborn", "graphviz", "pandas", "scikit-learn")
FOLDERS = {"dpsniper": "DPSNIPER"}
"""By description: the variable that names the folder of a copy."""
RECORDER = "DPRECORDER"
"""The variable that names the folder of a copy of dp-recorder."""
MOST_BYTES = 24_576

Document = dict[str, Any]


def expected() -> Document:
    """expected.toml."""
    return tomllib.loads((HERE / "expected.toml").read_text())


def listed() -> list[dict[str, str]]:
    """What is audited, with the verdict that was expected."""
    return list(expected()["audit"])


def results() -> list[Document]:
    """What was recorded, in the order of the list."""
    return list(json.loads(RESULTS.read_text()))


def key(entry: Document) -> str:
    """The name of an audit among all: its description, its environment and its own."""
    return re.sub(r"\W+", "_", f"{entry['file']} {entry['environment']} {entry['name']}")


# Running


def setup(folder: Path, names: list[str]) -> None:
    """Make the environments: what is asked for, what finitedp needs, and, where it is asked, what dp-recorder needs."""
    for name, packages in expected()["environments"].items():
        if names and name not in names:
            continue
        asked = any(_is_asked(entry) for entry in listed() if entry["environment"] == name)
        subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
        wanted = [*packages, *NEEDED, *(OF_RECORDER if asked else ())]
        subprocess.run([folder / name / "bin" / "pip", "install", "-q", *wanted], check=True)


def audit(folder: Path, names: list[str]) -> None:
    """Run audits, each environment in a process, and write results.json, where those that were not run stay as they are."""
    copies = [os.environ[variable] for variable in FOLDERS.values() if variable in os.environ]
    recorder = [f"{os.environ[RECORDER]}/src"] if RECORDER in os.environ else []
    for name in names or list(expected()["environments"]):
        words = [folder / name / "bin" / "python", HERE / "run.py", "in", name]
        path = os.pathsep.join([str(OWN), str(HERE / "drivers"), *copies, *recorder])
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}) as process:
            for line in process.stdout or ():
                found = json.loads(line)
                kept = {key(one): one for one in (results() if RESULTS.exists() else [])} | {key(found): found}
                sys.stdout.write(f"{key(found)}: {found['verdict']} ({found['seconds']} s); {found['recorder']}\n")
                sys.stdout.flush()
                ordered = [kept[key(entry)] for entry in listed() if key(entry) in kept]
                RESULTS.write_text(json.dumps(ordered, indent=1) + "\n")


def _is_asked(entry: Document) -> bool:
    """Whether dp-recorder is asked."""
    return entry["recorder"].split()[0] in ("laplace", "normal")


def inside(environment: str) -> None:
    """All audits of an environment, in this process."""
    from finitedp.proofs_check.audit.description import read_descriptions

    warnings.simplefilter("ignore")
    packages = [re.split(r"[=<>]", one)[0] for one in expected()["environments"][environment]]
    versions = {package: version(package) for package in [*packages, "numpy"]}
    for entry in listed():
        if entry["environment"] == environment and (entry["file"] not in FOLDERS or FOLDERS[entry["file"]] in os.environ):
            descriptions = read_descriptions(HERE / "audits" / f"{entry['file']}.toml")
            (description,) = (one for one in descriptions if one.name == entry["name"])
            found = _decided(entry, description)
            names = {name: entry[name] for name in ("file", "environment", "name")}
            sys.stdout.write(json.dumps({**names, "python": platform.python_version(), "versions": versions, **found}) + "\n")
            sys.stdout.flush()


def _decided(entry: Document, description: Any) -> Document:
    """The verdict, its bound and its witness; what dp-recorder says; and the certificate, where it is small."""
    from finitedp.errors import FinitedpError
    from finitedp.proofs_check.audit.certificate import certificate as of_law
    from finitedp.proofs_check.audit.pipelines.auditing import PipelineResult, certificate
    from finitedp.proofs_check.audit.pipelines.telling import rows_of

    begin = time.process_time()
    kept = HERE / "certificates" / f"{key(entry)}.json"
    kept.parent.mkdir(exist_ok=True)
    kept.unlink(missing_ok=True)
    relation = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            result = description.decide()
    except FinitedpError as error:
        found = {"verdict": "refused", "bound": "", "shown": _shortened(str(error))[:1000]}
    else:
        relation = result.relation if isinstance(result, PipelineResult) else None
        if isinstance(result, PipelineResult):
            rows = dict(rows_of(result))
            shown = rows.get("witness", rows.get("not shown", ""))
            verdict = result.private.split(",")[0]
            document = certificate(result)
        else:
            document = of_law(result)
            rows, (verdict, shown) = {"bound": "the exact law"}, _of_law(result)
        found = {"verdict": verdict, "bound": rows["bound"], "shown": _shortened(shown)[:1000]}
        text = json.dumps(_without_folders(document))
        if len(text) <= MOST_BYTES:
            kept.write_text(text + "\n")
    seconds = round(time.process_time() - begin, 1)
    return {**found, "seconds": seconds, "recorder": _recorder(entry, description, relation)}


def _of_law(result: Any) -> tuple[str, str]:
    """The verdict of code that draws no continuous noise, and what shows that it fails."""
    witness = result.witness
    likely = f"of probability {float(witness.in_left):.6g} at A and {float(witness.in_right):.6g} at B"
    return result.private, f"inputs A = {witness.left!r} and B = {witness.right!r}\noutput {witness.event[0]!r}, {likely}"


def _without_folders(certificate: Document) -> Document:
    """A certificate whose lines are without the folders of this machine."""

    def shortened(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: shortened(value) for name, value in part.items()}
        if isinstance(part, list | tuple):
            return [*map(shortened, part)]
        return _shortened(part) if isinstance(part, str) else part

    from finitedp.proofs_check.pipeline_certificate import FORMAT

    body = shortened({name: value for name, value in certificate.items() if name != "sha256"})
    if body["format"] != FORMAT:
        return certificate
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _recorder(entry: Document, description: Any, relation: Any) -> str:
    if not _is_asked(entry) or RECORDER not in os.environ:
        return "not asked" if _is_asked(entry) else entry["recorder"]
    if relation is None:
        return "not asked: the audit refuses the code"
    from recorder import says

    from finitedp.proofs_check.audit.loading import load

    function = load(description.mechanism, description.folder)
    mechanism = partial(function, **description.request.parameters) if description.request.parameters else function
    return says(entry["recorder"], entry["name"], mechanism, relation.pairs, float(relation.claim.delta))


def _shortened(text: str) -> str:
    """Without the folders of this machine."""
    for folder in (str(HERE), str(HERE.parents[1]), *(os.environ.get(name, "") for name in FOLDERS.values())):
        text = text.replace(f"{folder}/audits/../", "").replace(f"{folder}/", "") if folder else text
    return re.sub(r"/\S*?(?:site-packages|python3\.\d+)/", "", text)


# The page


def table() -> str:
    """All results as a table in Markdown."""
    found = {key(result): result for result in results()}
    head = ("code", "claim", "expected", "verdict", "bound, and witness or reason", "dp-recorder", "seconds")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for entry in listed():
        result = found.get(key(entry))
        if result is None:
            continue
        cells = (
            ", ".join(x for x in (entry["project"], entry["function"]) if x),
            entry["claim"],
            entry["expected"],
            f"**{result['verdict']}**" if result["verdict"] == "fails" else result["verdict"],
            _told(result),
            result["recorder"],
            str(result["seconds"]),
        )
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _told(result: Document) -> str:
    """A bound where it holds, else the witness or the reason, in one line."""
    if result["verdict"] == "holds":
        return result["bound"]
    if result["verdict"] == "refused":
        return f"`{result['shown'].split('; accepted')[0].split('; next')[0].replace('`', '')[:220]}`"
    lines = result["shown"].splitlines()
    kept = [line for line in lines if line.startswith(("inputs", "output", "P at A", "Gaussian", "every"))]
    return "; ".join(kept)[:320]


def main(arguments: list[str]) -> int:
    """What the first lines of this file say."""
    if arguments[:1] == ["setup"] and len(arguments) >= 2:
        setup(Path(arguments[1]), arguments[2:])
    elif arguments[:1] == ["audit"] and len(arguments) >= 2:
        audit(Path(arguments[1]), arguments[2:])
    elif arguments[:1] == ["in"] and len(arguments) == 2:
        inside(arguments[1])
    elif arguments == ["table"]:
        sys.stdout.write(table())
    else:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
