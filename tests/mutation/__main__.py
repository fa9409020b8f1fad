"""Mutation testing of finitedp: python -m tests.mutation COMMAND, in the root of the checkout. The manual says how."""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import sleep
from typing import Any

from attrs import Factory, asdict, define

from tests.mutation import ledger, trial
from tests.mutation.choice import ALL, TESTS, Baseline, chosen, files, mirrored
from tests.mutation.mutants import ROOT, Mutant, sample
from tests.mutation.page import PAGE, page, reasons, records, write

SLOW = ("proofs_check/parallel.py",)
"""Their tests start processes of their own, so that they come last."""
MOST = 900.0
"""Seconds after which a mutant does not end, whatever it does."""


def main(arguments: list[str]) -> int:
    """One command: 0 where it did its work."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("command", choices=["sample", "baseline", "run", "survivors", "page", "tier", "ledger"])
    parser.add_argument("--work", type=Path, default=Path("/tmp/finitedp-mutation"), help="a folder for copies of the tree")  # noqa: S108
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--new", action="store_true", help="survivors meet only tests that the baseline does not know")
    parser.add_argument("--folder", help="only what begins so, such as impl or proofs_check/engine")
    parser.add_argument("--seconds", type=float, default=ALL, help="of processor, for the tests that a survivor meets")
    parser.add_argument("--tests", help="a baseline of these test files and folders only, with commas between them")
    given = parser.parse_args(arguments)
    given.work.mkdir(parents=True, exist_ok=True)
    commands: dict[str, Callable[[argparse.Namespace], None]] = {
        "sample": draw,
        "baseline": baseline,
        "run": run,
        "survivors": survivors,
        "page": write_page,
        "tier": tier,
        "ledger": ask,
    }
    commands[given.command](given)
    return 0


def draw(given: argparse.Namespace) -> None:
    """Draw the sample and keep it."""
    found = sample()
    (given.work / "sample.json").write_text(json.dumps([asdict(mutant) for mutant in found], indent=0))
    print(f"{len(found)} mutants")


def baseline(given: argparse.Namespace) -> None:
    """Run the tests on the unchanged tree, under coverage."""
    trial.preload()
    copy = trial.copied(given.work / "unchanged")
    wanted = given.tests.split(",") if given.tests else TESTS
    result = trial.waited(trial.started(copy, wanted, cover="lines"))
    if result["status"] not in (0, 1):  # else whatever goes wrong would count as killed
        raise SystemExit(f"pytest does not run: see {copy}.log")
    if others := [*result["failures"], *result["skipped"]]:  # a tracer is there: what traces itself does otherwise then
        result = together(result, trial.waited(trial.started(copy, files(others), others, cover="calls")))
    for node in result["failures"]:
        print(f"fails without a mutant, and is left out: {node}")
    (given.work / "baseline.json").write_text(json.dumps(result))
    print(f"{result['ran']} tests, {sum(result['seconds'].values()):.0f} s")


def together(covered: dict[str, Any], again: dict[str, Any]) -> dict[str, Any]:
    """The results of a run under coverage, and of those of its tests that failed or were skipped, run again without it."""
    for file, tests in again["lines"].items():
        for line, nodes in tests.items():
            found = covered["lines"].setdefault(file, {}).setdefault(line, [])
            found.extend(set(nodes) - set(found))
    return covered | {"seconds": covered["seconds"] | again["seconds"], "failures": again["failures"]}


@define
class Slot:
    """A copy of the tree in which one mutant after the other is tried."""

    copy: Path
    usual: Mapping[str, float]
    mutant: Mutant | None = None
    running: trial.Running | None = None
    stages: list[tuple[list[str], list[str] | None]] = Factory(list)
    ran: int = 0
    original: str = ""

    def begin(self, mutant: Mutant, stages: list[tuple[list[str], list[str] | None]]) -> None:
        """Put a mutant into the copy and start its first tests."""
        self.mutant, self.stages, self.ran = mutant, [stage for stage in stages if stage[0]], 0
        path = self.copy / mutant.file
        self.original = path.read_text()
        path.write_text(mutant.source(self.copy))
        for cached in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            cached.unlink()
        self.proceed()

    def proceed(self) -> None:
        """Start the next tests."""
        tests, nodes = self.stages.pop(0)
        self.running = trial.started(self.copy, tests, nodes, self.usual, most=MOST)

    def ended(self) -> dict[str, Any] | None:
        """The record of the mutant, once it is known."""
        assert self.running is not None
        assert self.mutant is not None
        if not self.running.done():
            return None
        result = self.running.result or {}
        self.ran += result["ran"]
        killer = result["failed"] or (None if result["status"] in (0, 5) else "pytest")
        if killer is None and self.stages:
            self.proceed()
            return None
        (self.copy / self.mutant.file).write_text(self.original)
        outcome = "survived" if killer is None else "does not end" if killer == trial.GIVEN_UP else "killed"
        record = {"outcome": outcome, "by": killer if outcome == "killed" else None, "tests": self.ran}
        return {key: value for key, value in asdict(self.mutant).items() if key != "occurrence"} | record


def tried(
    work: Path, plans: list[tuple[Mutant, list[tuple[list[str], list[str] | None]]]], usual: Mapping[str, float], workers: int
) -> Iterator[dict[str, Any]]:
    """The record of each mutant, as it is known."""
    trial.preload()
    idle = [Slot(trial.copied(work / f"copy{i}"), usual) for i in range(workers)]
    for slot in idle:  # bytecode of all that is not mutated
        if not (slot.copy / "tests" / "ground" / "__pycache__").exists():
            trial.waited(trial.started(slot.copy, TESTS, [], compiled=True))
    busy: list[Slot] = []
    while plans or busy:
        while plans and idle:
            busy.append(idle.pop())
            busy[-1].begin(*plans.pop(0))
        for slot in list(busy):
            record = slot.ended()
            if record is not None:
                busy.remove(slot)
                idle.append(slot)
                yield record
        sleep(0.02)


def known(work: Path) -> tuple[list[Mutant], Baseline]:
    """The sample and the baseline."""
    found = [Mutant(**x) for x in json.loads((work / "sample.json").read_text())]
    parts = [json.loads(path.read_text()) for path in sorted(work.glob("baseline*.json"))]
    return found, Baseline.of(*parts)


def run(given: argparse.Namespace) -> None:
    """Try every mutant of the sample that has no record yet."""
    mutants, base = known(given.work)
    log = given.work / "records.jsonl"
    done = {record["id"] for record in history(log)}
    wanted = [m for m in mutants if m.id not in done and m.folder.startswith(tuple((given.folder or "").split(",")))]
    plans = []
    for mutant in wanted:
        stages = [(files(nodes), list(nodes)) for nodes in chosen(mutant, base, given.seconds)]
        plans.append((mutant, stages))
    turn: Counter[str] = Counter()
    for mutant in wanted:  # of every folder some, should the run be ended early: each is in the order of its hashes
        turn[mutant.folder] += 1
        turn[mutant.id] = turn[mutant.folder]
    plans.sort(key=lambda plan: (plan[0].file in SLOW, turn[plan[0].id]))
    record_all(given, plans, base.seconds, log)


def survivors(given: argparse.Namespace) -> None:
    """Try those that survived and are not equivalent again: new tests of their modules, then those that run their lines."""
    mutants, base = known(given.work)
    log = given.work / "records.jsonl"
    records = {x["id"]: x for x in history(log)}
    alive = [
        m
        for m in mutants
        if m.folder.startswith(tuple((given.folder or "").split(","))) and records.get(m.id, {}).get("outcome") == "survived"
    ]
    plans = []
    equivalent = {id for id, reason in reasons().items() if reason["kind"] == "equivalent"}  # noqa: A001  # the field's name
    for mutant in [mutant for mutant in alive if mutant.id not in equivalent]:
        known_tests = [] if given.new else chosen(mutant, base, given.seconds)
        plans.append((mutant, [(mirrored(mutant.file), [trial.NEW]), *((files(nodes), nodes) for nodes in known_tests)]))
    record_all(given, plans, base.seconds, log)


def history(log: Path) -> list[dict[str, Any]]:
    """The records so far, those of the repository before those of this machine. The last one of a mutant counts."""
    return [*map(dict, records()), *logged(log)]


def logged(log: Path) -> list[dict[str, Any]]:
    """The records of this machine."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def record_all(given: argparse.Namespace, plans: list[Any], usual: Mapping[str, float], log: Path) -> None:
    """Try them, and keep the records: the last one of a mutant counts."""
    total = len(plans)
    with log.open("a") as out:
        for i, record in enumerate(tried(given.work, plans, usual, given.workers), start=1):
            out.write(json.dumps(record) + "\n")
            out.flush()
            print(f"{i}/{total} {record['outcome']:12} {record['file']}:{record['line']} {record['by'] or ''}", flush=True)
    write_results(log)


def write_results(log: Path) -> None:
    """Write the records to the repository, those of edits that are no longer drawn left out."""
    found = history(log)
    drawn = {x["id"]: x["line"] for x in json.loads((log.parent / "sample.json").read_text())}
    survived = {x["id"] for x in found if x["outcome"] == "survived" or x.get("survived_before")}
    latest = {x["id"]: x | {"line": drawn[x["id"]], "survived_before": x["id"] in survived} for x in found if x["id"] in drawn}
    write(list(latest.values()))


def write_page(given: argparse.Namespace) -> None:
    """Write the manual's page from the results and the reasons."""
    if (given.work / "sample.json").exists():
        write_results(given.work / "records.jsonl")
    PAGE.write_text(page())


def ask(given: argparse.Namespace) -> None:
    """Show the sample of the ledger, but for what is noticed already, to the entries that name the mutated code."""
    log = given.work / "ledger.jsonl"
    dead = {x["id"] for x in [*ledger.known(), *logged(log)] if x["outcome"] != "survived"}
    wanted = [m for m in ledger.drawn() if m.id not in dead and m.file.startswith(tuple((given.folder or "").split(",")))]
    seconds = ledger.usual(given.work, wanted)
    total = len(wanted)
    with log.open("a") as out:
        for i, record in enumerate(tried(given.work, ledger.plans(wanted, seconds), seconds, given.workers), start=1):
            out.write(json.dumps(record) + "\n")
            out.flush()
            print(f"{i}/{total} {record['outcome']:12} {record['file']}:{record['line']} {record['by'] or ''}", flush=True)
    ledger.write([ledger.marked(record) for record in [*ledger.known(), *logged(log)]])


def tier(given: argparse.Namespace) -> None:
    """How many of the mutants that this machine tried were first killed by a test that a plain pytest runs."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    nodes = {line for line in listed if "::" in line}
    nodes |= {f"{file} (import)" for file in files(nodes)}
    latest = {record["id"]: record for record in logged(given.work / "records.jsonl")}
    killers = [record["by"] for record in latest.values() if record["outcome"] == "killed"]
    if not killers:
        raise SystemExit(f"no mutant was killed on this machine, in {given.work}")
    kept = [killer for killer in killers if killer in nodes]
    share = f"{len(kept)} of {len(killers)}, {len(kept) / len(killers):.1%}"
    print(f"{share}, of the mutants that were killed, by these {len(nodes)} tests first; and by others:")
    for killer, many in Counter(killer for killer in killers if killer not in nodes).most_common():
        print(f"{many:5} {killer}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
