"""finitedp verify and finitedp claims, as a user calls them."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import MutableMapping
from pathlib import Path
from time import sleep
from typing import Any, cast

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli import verify as cli_verify
from finitedp.cli.main import main
from finitedp.proofs_check.claims import entries, sections
from finitedp.proofs_check.ledger.entry import Entry, Finding, registered
from finitedp.proofs_check.ledger.page import claims_page
from finitedp.proofs_check.ledger.verify import Interrupted
from finitedp.proofs_check.ledger.verify import Result as LedgerResult
from tests.sampling import sampled

ROOT = Path(__file__).parents[2]
ONE = ("--claims", "BV.Lem2.13", "--jobs", "1")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


def documents(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


# What a run prints


def test_a_run_ends_with_one_line_of_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)  # pytest's workers set it
    result = run("verify", "--claims", "BV.Lem4.9", "--claims", "BV.Err.3", "--jobs", "1")
    assert result.exit_code == 0
    *_, last = result.output.splitlines()
    counts = r"6 claims: 1 proved, 1 verified \(symbolic\), 2 repaired, 2 refuted; \d+ instances, \d+ negative twins rejected"
    assert re.fullmatch(counts + r"; \d+\.\d s of processor time in \d+\.\d s\.", last)


def test_a_run_is_summed_up_for_each_section() -> None:
    text = run("verify", "--claims", "BV.Lem4.9", "--claims", "BV.Err.3.scale*", "--jobs", "1").output
    assert re.search(r"BV Section 4: counting queries +│ 1 verified \(symbolic\) +│ +(\d+)/\1 │ +\d+\.\d │", text)
    assert re.search(r"BV errata: .* │ 1 repaired, 1 refuted +│ +1/1 │", text)
    assert "--errata shows the texts that were refuted as printed, and their repairs.\n" in text
    assert "A verdict is of the sizes on the grid: --table shows them" in text
    for hidden in ("Counterexample", "Not as expected", "BV."):
        assert hidden not in text.replace("BV errata", "").replace("BV Section", "").replace("BV.\n", "")


def made_of(entry: Entry, **changes: Any) -> LedgerResult:
    found = Finding(True, mpq(0), "nothing was run")
    return evolve(LedgerResult(entry, entry.verdict, 12, found, "", 12.34, tuple(entry.twins), (), ()), **changes)


def all_made(monkeypatch: pytest.MonkeyPatch) -> list[LedgerResult]:
    """What a run of the whole ledger would give, without one."""
    made = [made_of(entry) for entry in entries().values()]
    monkeypatch.setattr(cli_verify, "run_ledger", lambda *_arguments: made)
    return made


def test_the_whole_ledger_fits_on_two_screens_and_counts_every_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    made = all_made(monkeypatch)
    monkeypatch.setenv("COLUMNS", "80")
    text = run("verify").output
    assert len(text.splitlines()) <= 2 * 50
    cells = [line.split("│")[1:3] for line in text.splitlines() if line.startswith("│")]
    counted = re.findall(r"(\d+) (\w+(?: \(symbolic\))?)", " ".join(verdicts.strip() for _, verdicts in cells))
    found: Counter[str] = Counter()
    for number, verdict in counted:
        found[verdict] += int(number)
    assert found == Counter(result.outcome for result in made)
    titles = " ".join(title for title, _ in cells).split()
    assert " ".join(titles) == " ".join(dict.fromkeys(sections().values()))


def test_what_failed_comes_first_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    failed, *others = all_made(monkeypatch)
    broken = evolve(failed, outcome="FAILED", worst=Finding(False, mpq(1), "far off"), where="n=3")
    monkeypatch.setattr(cli_verify, "run_ledger", lambda *_arguments: [broken, *others])
    monkeypatch.setenv("COLUMNS", "200")
    for options in ((), ("--errata", "--table")):
        result = run("verify", *options)
        assert result.exit_code == 1
        assert result.output.startswith(f"Not as expected:\n\n{failed.entry.id}  FAILED\n")
        assert "far off (n=3)" in result.output
        assert re.search(r"│ BV Section 1: [^│]+ │ [^│]+, 1 FAILED +│", result.output)


def test_every_correction_is_behind_an_option() -> None:
    text = run("verify", "--claims", "BV.Lem4.9", "--claims", "BV.Err.3.scale*", "--jobs", "1", "--errata").output
    literal, repair = entries()["BV.Err.3.scale.literal"], entries()["BV.Err.3.scale"]
    plain = " ".join(text.split())
    assert f"{literal.id} refuted {literal.statement} Counterexample: Pr[Z=1]" in plain
    assert f"{repair.id} repaired {repair.statement} It is repaired for n <= " in plain
    assert "Not as expected" not in text
    assert "BV.Lem4.9" not in text
    assert "--errata" not in text
    assert text.index("Refuted as printed") < text.index("Claims on the quick grid")


def test_nothing_is_said_to_be_refuted_that_was_not_run() -> None:
    """The corrected text alone, which reads verified."""
    text = run("verify", "--claims", "BV.Err.3.scale", "--jobs", "1", "--errata").output
    assert "Refuted as printed" in text  # with the literal text below it
    text = run("verify", "--claims", "FA.Rem2.accuracy", "--jobs", "1", "--errata").output
    assert "Refuted as printed" not in text
    assert "--errata" not in run("verify", "--claims", "FA.Rem2.accuracy", "--jobs", "1").output
    assert "2 claims: 1 verified, 1 derived;" in text


@pytest.mark.parametrize("columns", sampled([80, 120], 0))
def test_the_output_fits_its_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    patterns = ("--claims", "BV.Thm4.7", "--claims", "BV.Err.3", "--claims", "BV.Def4")
    for text in (
        run("verify", *patterns, "--jobs", "1", "--table", "--errata").output,
        run("claims").output,
        run("claims", "BV.Thm4.7").output,
    ):
        assert all(len(line) <= columns or len(line.split()) == 1 for line in text.splitlines())  # a name is never broken
    assert "…" not in text


@pytest.mark.deep
def test_no_name_and_no_verdict_of_the_ledger_is_cut_at_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    made = all_made(monkeypatch)
    monkeypatch.setenv("COLUMNS", "80")
    text = run("verify", "--table").output
    for found in made:
        assert re.search(rf"│ {re.escape(found.entry.id)} +│[^│]+│[^│]+│ {re.escape(found.outcome)}\W", text), found.entry.id
    assert re.search("┃ claim +┃ twins +┃ seconds +┃ verdict +┃", text)


def test_the_table_of_all_rows_is_behind_an_option() -> None:
    assert "worst case" not in run("verify", *ONE).output
    assert re.search(r"│ BV\.Lem2\.13 .*│ verified for weights <= ", run("verify", *ONE, "--table").output)


@pytest.mark.deep
def test_verify_as_json() -> None:
    printed = documents("verify", "--claims", "BV.Thm4.7.i*", "--claims", "BV.Prop6.19.time", "--jobs", "1")
    assert printed["holds"]
    found = {claim["id"]: (claim["verdict"], claim["as_expected"]) for claim in printed["claims"]}
    assert found == {name: (entries()[name].verdict, True) for name in found}
    assert {"verified", "sampled"} <= {verdict for verdict, _ in found.values()}
    assert all(bool(claim["sampled"]) == (claim["verdict"] == "sampled") for claim in printed["claims"])
    assert all(claim["twins_rejected"] and not claim["twins_accepted"] and not claim["raised"] for claim in printed["claims"])
    assert printed["processor_seconds"] == pytest.approx(sum(claim["seconds"] for claim in printed["claims"]), abs=0.01)
    assert printed["wall_clock_seconds"] > 0


@pytest.mark.deep
def test_what_is_derived_is_shown_with_its_premises_and_never_as_verified() -> None:
    result = run("verify", "--claims", "BV.Thm5.6.iv", "--jobs", "1", "--table")
    assert result.exit_code == 0
    assert re.search(r"│ BV\.Thm5\.6\.iv +│.*│ derived ", result.output)
    assert "3 claims: 2 verified, 1 derived; " in result.output
    *_, claim = documents("verify", "--claims", "BV.Thm5.6.iv", "--jobs", "1")["claims"]
    assert (claim["verdict"], claim["derived_from"]) == ("derived", ["BV.Thm5.5.iv", "BV.Thm4.10.iii"])
    assert (claim["by"] != "", claim["premises_that_do_not_hold"]) == (True, [])
    text = " ".join(run("claims", "BV.Thm5.6.iv").output.split())
    assert "derived: the statement follows at the parameters of the grid from BV.Thm5.5.iv, BV.Thm4.10.iii, by" in text


def test_a_derived_claim_whose_premise_fails_is_conditional(monkeypatch: pytest.MonkeyPatch) -> None:
    premise = entries()["BV.Thm5.5.iv"]
    broken = evolve(premise, subject=next(iter(premise.twins.values())))
    monkeypatch.setitem(cast(MutableMapping[str, Entry], registered()), premise.id, broken)
    result = run("verify", "--claims", "BV.Thm5.6.iv", "--jobs", "1")
    assert result.exit_code == 1
    assert "BV.Thm5.6.iv  CONDITIONAL" in result.output
    assert re.search(r"premises that do not hold +BV\.Thm5\.5\.iv: FAILED", result.output)
    assert "1 verified, 1 CONDITIONAL, 1 FAILED;" in result.output


def test_verify_runs_in_several_processes_with_the_same_verdicts() -> None:
    one, two = (documents("verify", "--claims", "BV.Def4.*", "--jobs", jobs) for jobs in ("1", "2"))
    for found in (one, two):
        del found["processor_seconds"], found["wall_clock_seconds"]
    for claim in (*one["claims"], *two["claims"]):
        del claim["seconds"]
    assert one == two


@pytest.mark.deep
def test_a_process_is_started_for_what_is_long_or_asked_for_alone() -> None:
    code = "import sys; from finitedp.cli.main import main; main(standalone_mode=False); assert 'joblib' in sys.modules"
    for options, started in (((), False), (("--jobs", "2"), True)):
        command = [sys.executable, "-c", code, "verify", "--claims", "BV.Lem2.13", *options]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "1 claims: 1 verified" in found.stdout
        assert (found.returncode == 0) == started, found.stderr


def test_the_page_is_that_of_the_results(tmp_path: Path) -> None:
    page = tmp_path / "claims.md"
    assert run("verify", *ONE, "--page", str(page)).exit_code == 0
    assert page.read_text() == claims_page({"BV.Lem2.13": "verified"})


# What is not as expected


def replaced(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> Entry:
    """Lemma 2.13 with something else in its place."""
    entry = entries()["BV.Lem2.13"]
    made = evolve(entry, **changes)
    monkeypatch.setitem(cast(MutableMapping[str, Entry], registered()), entry.id, made)
    return made


def test_verify_exits_with_1_where_a_claim_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    made = replaced(monkeypatch, subject=next(iter(entries()["BV.Lem2.13"].twins.values())))
    result = run("verify", *ONE)
    assert result.exit_code == 1
    assert f"Not as expected:\n\n{made.id}  FAILED" in result.output
    assert "1 claims: 1 FAILED;" in result.output


def test_verify_names_the_twin_that_a_check_is_blind_to(monkeypatch: pytest.MonkeyPatch) -> None:
    made = replaced(monkeypatch, twins={"no twin at all": entries()["BV.Lem2.13"].subject})
    result = run("verify", *ONE)
    assert result.exit_code == 1
    assert f"{made.id}  BLIND" in result.output
    assert re.search("twins not rejected +no twin at all", result.output)


def test_a_check_that_raises_is_a_failed_claim_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_subject: object, _instance: object) -> None:
        raise ZeroDivisionError("by nothing")

    made = replaced(monkeypatch, check=check)
    monkeypatch.setattr(cli_verify, "sections", lambda: dict.fromkeys(entries(), "somewhere"))
    monkeypatch.setattr(cli_verify, "claims_page", lambda *_arguments: "")
    result = run("verify", *ONE, "--claims", "BV.Lem4.9")
    assert result.exit_code == 1
    assert f"{made.id}  FAILED" in result.output
    assert re.search(r"raised +ZeroDivisionError: by nothing \(\S+:\d+\), on", result.output)
    assert f"and on {len(made.instances('quick')) - 1} other instances" in " ".join(result.output.split())
    assert "3 claims: 1 proved, 1 verified (symbolic), 1 FAILED;" in result.output
    claim = json.loads(run("verify", *ONE, "--json").stdout)["claims"][0]
    assert (claim["verdict"], claim["twins_rejected"]) == ("FAILED", [])
    assert len(claim["raised"]) == len(made.instances("quick")) + len(made.twins)
    assert {raised["twin"] for raised in claim["raised"]} == {None, *made.twins}


def test_interruption_is_not_a_failed_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_verify, "run_ledger", interrupt)
    result = run("verify", "--claims", "BV.Lem4.9")
    assert result.exit_code == 130
    assert result.output.strip() == "Interrupted."


def test_an_interrupted_run_says_what_it_had_found(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = [result for result in all_made(monkeypatch) if result.outcome == "verified"][:3]
    broken = evolve(second, outcome="FAILED", worst=Finding(False, mpq(1), "far off"), where="n=3")

    def interrupt(*_arguments: object) -> None:
        raise Interrupted(results)

    monkeypatch.setattr(cli_verify, "run_ledger", interrupt)
    for results, said in (
        ([first, broken, third], f"3 of {len(entries())} claims decided: 2 verified, 1 FAILED; 1 not as expected"),
        ([first], f"1 of {len(entries())} claims decided: 1 verified; 0 not as expected"),
        ([], f"0 of {len(entries())} claims decided; 0 not as expected"),
    ):
        for options in ((), ("--json",)):
            result = run("verify", *options)
            assert (result.exit_code, result.stdout) == (130, "")
            *_, last = result.stderr.splitlines()
            assert last == f"Interrupted: {said}; nothing is said of the others."
            assert result.stderr.startswith(f"Not as expected:\n\n{second.entry.id}  FAILED\n") == (broken in results)


def test_sigterm_is_an_interruption_during_the_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def told_to_end(*_arguments: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        sleep(60)

    monkeypatch.setattr(cli_verify, "run_ledger", told_to_end)
    assert run("verify", "--claims", "BV.Lem4.9").exit_code == 130
    assert signal.getsignal(signal.SIGTERM) is before


# The list of claims


@pytest.mark.deep
def test_claims_lists_the_ledger_without_running_it() -> None:
    listed = documents("claims")
    assert [claim["id"] for claim in listed] == list(entries())
    assert all(claim["check"]["line"] > 0 and claim["test"] and claim["section"] for claim in listed)
    assert "BV.Thm5.3.ii" in run("claims", "BV.Thm5*").output
    assert f"{len(entries())} claims." in run("claims").output


def test_a_claim_leads_to_code_specification_check_and_test() -> None:
    claim, for_all = documents("claims", "BV.Thm4.7.i.private")
    assert (claim["expects"], for_all["id"], for_all["expects"]) == ("verified", "BV.Thm4.7.i.private.all", "proved")
    assert claim["implementation"] == ["finitedp.impl.counting.geometric.GeoSample"]
    assert "finitedp.spec.counting.geo_sample" in claim["specification"]  # it is named
    assert "finitedp.spec.divergence.max_ratio" in claim["specification"]  # the engine uses it
    check = claim["check"]
    assert (check["file"], check["function"]) == ("proofs_check/claims/bv/counting/geo_sample.py", "geo_sample_privacy")
    assert (ROOT / check["file"]).read_text().splitlines()[check["line"] - 1].startswith("def geo_sample_privacy(")
    assert claim["test"] == "tests/proofs_check/claims/test_claims.py::test_claim[BV.Thm4.7.i.private]"
    text = run("claims", "BV.Thm4.7.i.private").output
    for shown in (check["file"], f":{check['line']}", claim["test"], "pytest -k BV.Thm4.7.i.private", *claim["specification"]):
        assert shown in text


def test_a_repair_and_its_printed_text_say_so() -> None:
    text = " ".join(run("claims", "BV.Err.3.scale").output.split())
    assert "refuted: the printed text fails on an instance of the grid" in text
    assert "and the same check refutes the printed text, BV.Err.3.scale.literal" in text


WRONG = {
    "many jobs": (["verify", "--jobs", "100000000"], "is not in the range 1<=x<=256"),
    "no jobs": (["verify", "--jobs", "0"], "0 is not in the range 1<=x<=256"),
    "missing folder": (["verify", "--claims", "BV.Lem4.9", "--page", "nowhere/x.md"], "does not exist"),
    "folder as page": (["verify", "--claims", "BV.Lem4.9", "--page", "/"], "is a folder; accepted: a file"),
    "folder and no claim": (["verify", "--claims", "x", "--page", "/"], "is a folder; accepted: a file"),
    "empty page": (["verify", "--claims", "BV.Lem4.9", "--page", ""], "the name of the file is empty"),
    "unknown claim": (["verify", "--claims", "BV.Thm9"], "no claim matches 'BV.Thm9'"),
    "nonsense": (["claims", "nonsense"], "no claim matches 'nonsense'; `finitedp claims` lists them"),
    "another case": (["claims", "bv.lem4.9"], "no claim matches 'bv.lem4.9'; did you mean BV.Lem4.9, BV.Lem4.9.all?"),
    "one of two unknown": (["claims", "BV.Lem4.9", "FD.Nothing"], "no claim matches 'FD.Nothing'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_clear_line_and_exit_code_2(name: str) -> None:
    arguments, message = WRONG[name]
    result = run(*arguments)
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1
    assert result.output.startswith("Error: ")
    assert message in result.output


@pytest.mark.deep
def test_a_reader_that_stops_early_is_no_failure() -> None:
    """`finitedp claims | head -1`: more is printed than a pipe holds."""
    command = [sys.executable, "-m", "finitedp", "claims"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait() == 0
