"""finitedp prove: the chain of real releases, and of releases that were tampered with."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli.main import main
from finitedp.errors import DataError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.ledger import proofs
from finitedp.proofs_check.proofs import chain as chains
from finitedp.proofs_check.proofs import links as links_of
from finitedp.proofs_check.proofs.chain import chain
from finitedp.proofs_check.proofs.links import Link, links
from tests.sampling import sampled

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
FILE = ["--input", str(RAND), "--column", "self_rated_health"]
BASIC = ["release", "basic", *FILE, "--universe", "excellent,good,fair,poor", "--epsilon", "1/2", "--json"]
STABILITY = ["release", "stability", *FILE, "--universe", "strings:16", "--epsilon", "1", "--delta", "1/1000000", "--json"]
ADDED = ["--neighbours", "add-remove", "--n", "30000"]
RELEASES = {"basic": BASIC, "stability": STABILITY, "basic.add-remove": [*BASIC, *ADDED]}
RELEASES["stability.add-remove"] = [*STABILITY, *ADDED]
FAST = {"basic.fast": [*BASIC, "--mechanism", "fast-sample"]}
FAST["stability.fast"] = [*STABILITY, "--mechanism", "fast-sample"]
FAST["stability.exact"] = [*FAST["stability.fast"], "--coins", "exact"]
SMALL = ["--first", "400", "--epsilon", "1", "--universe", "strings:9", "--json"]
OTHER = {
    "pure-sparse": ["release", "pure-sparse", *FILE, *SMALL],
    "skewed": ["release", "pure-sparse", *FILE, *SMALL, "--skewed"],
    "sparse": ["release", "sparse", *FILE, *SMALL, "--delta", "1/1000"],
    "order-statistics": ["release", "pure-sparse", *FILE, *SMALL, "--mechanism", "order-statistics"],
    "anonymized": ["release", "anonymized", *FILE, "--epsilon", "1", "--n", "100", "--first", "40", "--json"],
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@cache
def released(kind: str) -> str:
    result = run(*(RELEASES | FAST | OTHER)[kind])
    assert result.exit_code == 0, result.output
    return result.stdout


def states(top: Link) -> list[str]:
    return [link.state for link in links(top)]


@pytest.mark.parametrize("kind", RELEASES)
def test_the_claim_of_a_release_follows(kind: str, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(released(kind))
    result = run("prove", str(tmp_path / "release.json"), "--out", str(tmp_path / "chain.html"))
    assert result.exit_code == 0
    assert result.stdout.rstrip().endswith("functions trusted without proof.")
    assert "The claim follows: 3 proof objects, 5 facts re-checked, 6 assumptions, " in result.stdout
    for said in (
        "FD.Dyadic.private.all",
        f"FD.Release.{kind}.all",
        "finitedp.",
        "lone checker",
        "trusted without proof",
    ):
        assert said in " ".join(result.stdout.split()) or said == "finitedp."
    page = (tmp_path / "chain.html").read_text()
    assert page.count("<li") == 18
    assert "<script" not in page


@pytest.mark.parametrize("kind", ["basic", "stability"])
def test_no_proof_is_shown_that_is_for_other_neighbours(kind: str, tmp_path: Path) -> None:
    for name, other, differ in (
        (kind, f"{kind}.add-remove", "that differ in one row"),
        (f"{kind}.add-remove", kind, "of which one has a row more"),
    ):
        (tmp_path / "release.json").write_text(released(name))
        shown = " ".join(run("prove", str(tmp_path / "release.json")).stdout.replace("|", " ").split())
        assert f"FD.Release.{name}.all" in shown
        assert f"FD.Release.{other}.all" not in shown
        assert f"-differential privacy for datasets {differ}" in shown


def test_a_release_of_before_neighbours_were_stated_is_for_a_row_that_is_replaced() -> None:
    document = json.loads(released("basic"))
    assert document["parameters"].pop("neighbours") == "replace-one"
    assert chain(document).holds


def test_the_tree_as_markdown_and_json(tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(released("basic"))
    result = run("prove", str(tmp_path / "release.json"), "--json", "--out", str(tmp_path / "chain.md"))
    top = json.loads(result.stdout)
    assert (top["state"], len(top["below"])) == ("follows", 6)
    lines = (tmp_path / "chain.md").read_text().splitlines()
    assert lines[0] == "# What the claim of release.json rests on"
    assert lines[-1] == top["conclusion"]
    assert sum(line.lstrip().startswith("- **") for line in lines) == 18


@pytest.mark.parametrize("kind", FAST)
def test_the_claim_of_a_release_with_fast_sample_follows(kind: str) -> None:
    top = chain(json.loads(released(kind)))
    exact = kind.endswith("exact")
    assert (top.state, states(top).count("proved"), states(top).count("re-checked")) == ("follows", 5 - exact, 3)
    said = " ".join(link.says for link in links(top))
    assert ("FD.StrictCoins.all" in said) is not exact
    for proved in ("BV.Thm5.2.i.all" if kind.startswith("basic") else "BV.Thm5.5.i.all", "BV.Thm4.10.i.all", "BV.Alg4.11.all"):
        assert proved in said


KNOWN = {
    "pure-sparse": ("+ proved: FD.Blanket.private.all", "~ known: FD.Blanket.law", "2 proof objects, 3 facts re-checked"),
    "skewed": ("+ proved: FD.Blanket.private.all", "~ known: FD.Blanket.skewed", "1 proof objects, 2 facts re-checked"),
    "sparse": ("+ proved: BV.Thm4.10.i.all", "~ known: BV.Thm6.8.ii:", "2 proof objects"),
    "order-statistics": ("+ proved: BV.Thm6.11.i.distance.all", "~ known: BV.Thm6.11.i:", "3 proof objects"),
    "anonymized": ("! NOT PROVED", "~ known: PH.PrivHist.private:", "1 known for some parameters"),
}


@pytest.mark.parametrize("kind", OTHER)
def test_of_what_is_not_proved_it_is_said_what_is_known(kind: str, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(released(kind))
    result = run("prove", str(tmp_path / "release.json"))
    assert result.exit_code == 1
    shown = " ".join(result.stdout.replace("|", " ").split())
    assert "The claim is not proved as a whole: " in shown
    assert "FAILS" not in shown
    for said in KNOWN[kind]:
        assert said in shown


@pytest.mark.parametrize("kind", ["basic.add-remove", "stability"])
def test_of_a_release_for_a_unit_it_is_said_what_is_known(kind: str, tmp_path: Path) -> None:
    """What all rows of a unit cost is no fact about one row, which the proof objects are about."""
    (tmp_path / "people.csv").write_text("who,self_rated_health\na,good\na,fair\nb,good\n")
    words = [str(tmp_path / "people.csv") if word == str(RAND) else word for word in RELEASES[kind]]
    words += ["--unit", "who", "--max-rows", "2", *(["--n", "100"] if kind == "stability" else [])]
    document = json.loads(run(*words).stdout)
    found = chain(document)
    assert (found.state, "FAILS" in states(found)) == ("NOT PROVED", False)
    assert [link.says.split(":")[0] for link in links(found) if link.state == "known"][1:] == [
        "FD.Unit.bounding",
        "FD.Unit.release",
    ]
    assert document["claim"]["unit"]["column"] in found.says
    document["claim"]["unit"]["max_rows"] = document["parameters"]["unit"]["max_rows"] = 1
    assert chain(document).state == "FAILS"


def test_of_a_compact_file_it_is_said_what_is_known(tmp_path: Path) -> None:
    made = run(
        "release", "compact", *FILE, *SMALL[:2], "--epsilon", "1", "--universe", "a,b", "--output", str(tmp_path / "c.json")
    )
    assert made.exit_code == 2  # labels outside of the universe
    made = run("release", "compact", *FILE, *SMALL[:-1], "--output", str(tmp_path / "c.json"))
    assert made.exit_code == 0, made.output
    shown = " ".join(run("prove", str(tmp_path / "c.json")).stdout.replace("|", " ").split())
    for said in ("The claim is not proved as a whole: 2 proof objects", "~ known: FD.Dyadic.compact.private:"):
        assert said in shown


OF_OTHERS: dict[str, tuple[str, Callable[[Any], object], str]] = {
    "a smaller error": ("basic.fast", lambda d: d["accuracy"][0].update(a=1), "an error above 1 is not of probability"),
    "another gamma": ("basic.fast", lambda d: d["parameters"].update(gamma="1/3"), "parameters does not follow"),
    "a smaller epsilon": ("basic.fast", lambda d: d["claim"].update(epsilon="1/9"), "for epsilon = 1/9"),
    "a smaller delta": ("stability.fast", lambda d: d["claim"].update(delta="1/" + "9" * 40), "for delta = 1/9999"),
    "a lower threshold": ("stability.fast", lambda d: d.update(threshold=1), "and delta at least Pr[M(1) > 1]"),
    "another relation": ("basic.fast", lambda d: d["claim"].update(neighbours="add-remove"), "FAILS: The ratio for two"),
    "another count": ("basic.fast", lambda d: d["histogram"][0].update(count=3), "their hash is another"),
    "a plan with fewer slots": ("pure-sparse", lambda d: d["parameters"].update(slots=9), "parameters does not follow"),
    "a smaller ratio": ("pure-sparse", lambda d: d["claim"].update(ratio="11/10"), "claim does not follow"),
}


@pytest.mark.parametrize("tampered", OF_OTHERS)
def test_another_release_that_was_tampered_with_fails(tampered: str, tmp_path: Path) -> None:
    kind, change, reason = OF_OTHERS[tampered]
    document = json.loads(released(kind))
    change(document)
    (tmp_path / "release.json").write_text(json.dumps(document))
    result = run("prove", str(tmp_path / "release.json"))
    shown = " ".join(result.stdout.replace("|", " ").split())
    assert result.exit_code == 1
    assert "The claim does not follow: " in shown
    assert reason in shown


# Tampered with


def claim(**changes: str | None) -> Callable[[Any], object]:
    return lambda document: document["claim"].update(changes)


def _of(ratio: str) -> Callable[[Any], object]:
    return claim(ratio=ratio)


TAMPERED: dict[str, tuple[str, Callable[[Any], object], str]] = {
    "a smaller ratio": ("basic", claim(ratio="3/2"), "the ratio 3/2 is not R^2"),
    "a smaller epsilon": ("basic", claim(epsilon="1/3", ratio="11/10"), "epsilon = 1/3 (replace-one) is claimed of 1/2"),
    "another relation": ("basic", claim(neighbours="add-remove"), "epsilon = 1/2 (add-remove) is claimed of 1/2"),
    "another relation, said twice": (
        "basic",
        lambda d: [part.update(neighbours="add-remove") for part in (d["claim"], d["parameters"])],
        "is not R = ",
    ),
    "a row replaced, of a row more or less": (
        "basic.add-remove",
        lambda d: [part.update(neighbours="replace-one") for part in (d["claim"], d["parameters"])],
        "is not R^2 = ",
    ),
    "delta of a row replaced, of a row more or less": (
        "stability.add-remove",
        lambda d: [part.update(neighbours="replace-one") for part in (d["claim"], d["parameters"])],
        "is above 1/1000000",
    ),
    "half of epsilon, of a row more or less": ("basic.add-remove", claim(epsilon="1/4", ratio="5/4"), "is claimed of 1/2"),
    "no ratio": ("basic", claim(ratio=None), "the ratio 0 is not R^2"),
    "parameters of a smaller epsilon": ("basic", lambda d: d["parameters"].update(epsilon="1/3"), "is claimed of 1/3"),
    "a count beyond n": ("basic", lambda d: d["histogram"][0].update(count=20191), "a listed count is 20191"),
    "a count below the threshold": ("stability", lambda d: d["histogram"][0].update(count=27), "a listed count is 27"),
    "a lower threshold": ("stability", lambda d: d.update(threshold=20), "is above 1/1000000"),
    "a smaller delta": ("stability", claim(delta="1/10000000"), "is above 1/10000000"),
    "a smaller error": (
        "basic",
        lambda d: d["accuracy"][0].update(a=d["accuracy"][0]["a"] - 1),
        "is not of probability at most 1/20",
    ),
    "a smaller error of all": ("stability", lambda d: d["accuracy"][1].update(a=49), "(simultaneous)"),
    "an error of counts near the threshold": (
        "stability",
        lambda d: d["accuracy"][0].update(on_counts_above=20),
        "(per-query)",
    ),
    "an error of another kind": ("basic", lambda d: d["accuracy"][0].update(kind="largest"), "(largest)"),
    "a threshold beyond n": ("stability", lambda d: d.update(threshold=10**9), "is above 1/1000000"),
}


@pytest.mark.parametrize("tampered", sampled(TAMPERED, 5))
def test_a_release_that_was_tampered_with_fails(tampered: str, tmp_path: Path) -> None:
    kind, change, reason = TAMPERED[tampered]
    document = json.loads(released(kind))
    change(document)
    (tmp_path / "release.json").write_text(json.dumps(document))
    result = run("prove", str(tmp_path / "release.json"))
    assert result.exit_code == 1
    assert reason in " ".join(result.stdout.replace("|", " ").split())
    assert "The claim does not follow" in result.stdout


UNUSABLE: dict[str, tuple[Callable[[Any], object], str]] = {
    "no release": (lambda d: d.update(format="x"), "it is no release of finitedp"),
    "another mechanism": (
        lambda d: d.update(mechanism="Magic"),
        "mechanism = 'Magic' has no chain of proofs; accepted: Basic",
    ),
    "from a seed": (lambda d: d.update(claim=None), "the release claims nothing"),
    "private, and from a seed": (
        lambda d: d["randomness"].update(bits_from="seeded: NOT private"),
        "it is private, and its words are",
    ),
    "from a source that is no claim": (
        lambda d: d.update(mechanism="PrivHist, branch split", claim={**d["claim"], "source": "x"}),
        "source = 'x' is no claim that finitedp knows",
    ),
    "more rows than n": (lambda d: d.update(rows=10**6), "it has more rows than n"),
    "other draws": (lambda d: d["randomness"].update(draws=5), "5 words are drawn, and 4 are needed"),
    "other bits": (lambda d: d["randomness"].update(bits=1), "the bits are not those of the words"),
    "a threshold that is none": (lambda d: d.update(threshold=1), "a histogram of all labels has a threshold"),
    "no errors": (lambda d: d.pop("accuracy"), "it is no whole release: KeyError"),
    "not private": (lambda d: d.update(private=False), "the release claims nothing"),
    "a key is missing": (lambda d: d.pop("parameters"), "it is no whole release: KeyError"),
    "a count that is none": (lambda d: d["histogram"][0].update(count=1.5), "'1.5' is no count"),
    "a label twice": (lambda d: d["histogram"].append(d["histogram"][0]), "a label is listed twice"),
    "a label less": (lambda d: d["histogram"].pop(), "3 labels are listed, and not the 4 that it states"),
    "a float": (lambda d: d["parameters"].update(epsilon=0.5), "epsilon = 0.5 is a float"),
    "no relation": (lambda d: d["parameters"].update(neighbours="counts"), "neighbours = 'counts' is no relation"),
    "no table": (
        lambda d: [d["parameters"].update(word=2), d["randomness"].update(word=2, bits=8)],
        "its parameters have no table",
    ),
    "words of two lengths": (lambda d: d["parameters"].update(word=128), "words have two lengths"),
    "a claim that contradicts itself": (claim(ratio="7"), "exceeds e^1/2"),
}


@pytest.mark.parametrize("unusable", UNUSABLE)
def test_what_is_no_release_is_refused_in_one_line(unusable: str, tmp_path: Path) -> None:
    change, reason = UNUSABLE[unusable]
    document = json.loads(released("basic"))
    change(document)
    (tmp_path / "release.json").write_text(json.dumps(document))
    result = run("prove", str(tmp_path / "release.json"))
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert reason in line


@pytest.mark.parametrize(("text", "reason"), [("{", "no JSON document"), ('{"a": 1, "a": 2}', "a key is there twice")])
def test_what_is_no_document_is_refused(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(text)
    result = run("prove", str(tmp_path / "release.json"))
    assert (result.exit_code, reason in result.stderr) == (2, True)
    assert run("prove", str(tmp_path / "none.json")).exit_code == 2
    assert run("prove", str(tmp_path / "release.json"), "--out", str(tmp_path / "x.pdf")).exit_code == 2


# What is not proved is not said to be


def test_a_proof_that_is_missing_leaves_the_claim_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "PRIVATE", "FD.Dyadic.private")  # which is verified on a grid, and no more
    top = chain(json.loads(released("basic")))
    assert (top.state, top.holds, states(top).count("NOT PROVED")) == ("NOT PROVED", False, 3)


def test_code_that_has_changed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(name: str) -> list[str]:
        document = proofs.read(name)
        code = {other: source | {"source": source["source"] + " "} for other, source in document["code"].items()}
        return proofs.proves(document | {"code": code})

    monkeypatch.setattr(links_of, "proven", changed)
    top = chain(json.loads(released("stability")))
    assert (top.state, top.holds, states(top).count("FAILS")) == ("FAILS", False, 6)
    assert sum("hash" in about for link in links(top) for about in link.about) == 3


def test_a_table_that_is_none_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    table = DyadicSample(20190, "1/2").table
    broken = {**table.certificate(), "ratio": str(table.ratio + mpq(1, 2))}
    monkeypatch.setattr(type(table), "certificate", lambda _table: broken)
    top = chain(json.loads(released("basic")))
    assert (top.state, top.holds) == ("FAILS", False)


OTHERS: dict[str, tuple[str, tuple[int, str, int]]] = {  # what DyadicSample.table might hand over by a slip
    "a table of other words": ("basic", (20190, "1/2", 128)),
    "a table of other counts": ("basic", (20189, "1/2", 64)),
    "a table of another epsilon": ("stability", (20190, "2", 64)),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_table_of_other_parameters_fails(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, parameters = OTHERS[other]
    document, table = json.loads(released(kind)), DyadicSample(*parameters).table
    monkeypatch.setattr(DyadicSample, "table", table)
    top = chain(document)
    assert (top.state, top.holds) == ("FAILS", False)
    assert any("of other parameters" in about for link in links(top) for about in link.about)


def test_delta_is_summed_from_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution function that is wrong gives a threshold that is wrong, which must not be compared with it again."""
    document, cdf = json.loads(released("stability")), DyadicSample.cdf
    monkeypatch.setattr(DyadicSample, "cdf", lambda mechanism, count, z: cdf(mechanism, count, z + 1))
    assert chain(document).holds
    document["threshold"] -= 1
    top = chain(document)
    assert (top.state, states(top).count("FAILS")) == ("FAILS", 2)
    assert any("is above 1/1000000" in about for link in links(top) for about in link.about)


def test_a_document_must_be_an_object() -> None:
    with pytest.raises(DataError, match="it is no release"):
        chain([])  # type: ignore[arg-type]
