"""finitedp release sparse, pure-sparse and compact, finitedp query, and law and privacy of their mechanisms."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.claim import Accuracy, HistogramAccuracy, PrivacyClaim
from finitedp.cli.main import main
from finitedp.data.error_bars import Bars
from finitedp.exact import ceil_power
from finitedp.impl.histograms.compact import CompactHistogram, compact_histogram_with_fast_sample
from finitedp.impl.histograms.compact_release import CompactRelease
from finitedp.impl.histograms.pure_sparse import PureSparseHistogram
from finitedp.impl.histograms.sampled_sparse import SparseHistogram
from finitedp.impl.histograms.universe import Integers
from finitedp.impl.randomness.coins import Coins, ExactCoins, SeededBits, StrictCoins
from tests.sampling import sampled

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
VISITS = ["--input", str(RAND), "--column", "outpatient_visits", "--universe", "0..4294967295", "--epsilon", "1"]
HEALTH = ["--input", str(RAND), "--column", "self_rated_health", "--universe", "strings:16", "--epsilon", "1"]
PAPER = ["--mechanism", "order-statistics"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def document(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_sparse_release_states_the_delta_that_was_asked_for() -> None:
    printed = document("release", "sparse", *VISITS, "--first", "300", "--delta", "1/1000000")
    assert printed["claim"] == {
        "epsilon": "1",
        "delta": "1/1000000",
        "neighbours": "replace-one",
        "ratio": None,
        "source": "BV.Thm6.8.ii",
    }
    # (e + 1) * distance <= delta
    assert printed["parameters"]["distance"] == "1/3718282"
    assert (printed["rows"], printed["universe_size"]) == (300, str(2**32))
    labels = [row["label"] for row in printed["histogram"]]
    assert labels == sorted(labels)
    assert len(labels) <= 300
    assert all(1 <= row["count"] <= 300 for row in printed["histogram"])
    assert printed["randomness"]["draws"] == 3 * 300 + 1


@pytest.mark.deep
def test_pure_sparse_release_of_500_rows() -> None:
    printed = document("release", "pure-sparse", *VISITS, *PAPER, "--first", "500", "--beta", "1/20")
    assert printed["claim"] == {
        "epsilon": "1",
        "delta": "0",
        "neighbours": "replace-one",
        "ratio": None,
        "source": "BV.Thm6.11.i",
    }
    single, every = printed["accuracy"]
    # ceil(4.5 ln 80) = 20; 2 ceil(4.5 ln(80 * 2^32)) = 240; 2 ceil(4.5 ln(40 * 2^32)) = 234
    assert (single["a"], single["on_counts_above"], every["a"]) == (20, 240, 234)
    assert printed["randomness"]["draws"] == 5 * 500 + 2


@pytest.mark.parametrize(("delta", "distance", "a", "every"), [("1/8", "1/30", 12, 140), ("1/1000000", "1/3718282", 10, 130)])
def test_sparse_accuracy_is_what_delta_leaves_of_beta(delta: str, distance: str, a: int, every: int) -> None:
    printed = document("release", "sparse", *VISITS, "--first", "30", "--delta", delta)
    gamma = mpq(1, 8 * 20 * 2**32)
    assert printed["parameters"]["gamma"] == str(gamma)
    assert printed["parameters"]["distance"] == distance
    b = (mpq(1, 20) - mpq(distance)) / 2  # the per-query error bar fails with probability 2b + distance
    # FastSample's noise decays by 2/3
    assert a == ceil_power("3/2", 1 / (b - gamma))
    assert every == 2 * ceil_power("3/2", 1 / (b / 2**32 - gamma))
    single, all_labels = printed["accuracy"]
    assert single == {"kind": "per-query", "a": a, "beta": "1/20", "source": "BV.Thm6.8.i", "on_counts_above": every}
    assert all_labels == {"kind": "simultaneous", "a": every, "beta": "1/20", "source": "BV.Thm6.8.i"}


@pytest.mark.parametrize(("delta", "beta"), [("1/2", "1/20"), ("1/2", "1/8"), ("1/6", "1/20")], ids=str)
def test_a_delta_too_large_for_beta_is_named_in_one_line(delta: str, beta: str) -> None:
    """The distance is 1/8, or 1/23, which leaves less of beta than FastSample's uniform share."""
    result = run("release", "sparse", *VISITS, "--first", "30", "--delta", delta, "--beta", beta)
    assert result.exit_code == 2
    assert "delta" in result.output
    assert f"beta = {beta}" in result.output
    assert len(result.output.splitlines()) == 1


NOISY: dict[str, tuple[Any, list[str], mpq]] = {
    "sparse": (SparseHistogram, ["release", "sparse", *VISITS, "--first", "9", "--delta", "1/1000"], mpq(1, 1000)),
    "pure-sparse": (PureSparseHistogram, ["release", "pure-sparse", *VISITS, *PAPER, "--first", "9"], mpq(0)),
}


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("made", [StrictCoins, ExactCoins])
def test_the_claim_is_asked_for_on_the_coins_that_are_drawn_from(
    monkeypatch: pytest.MonkeyPatch, name: str, made: type[StrictCoins | ExactCoins]
) -> None:
    kind, arguments, _ = NOISY[name]
    claim: Callable[[object, Coins | None], PrivacyClaim] = kind.claim
    seen: list[Coins | None] = []

    def recorded(self: object, coins: Coins | None = None) -> PrivacyClaim:
        seen.append(coins)
        return claim(self, coins)

    monkeypatch.setattr(kind, "claim", recorded)
    assert document(*arguments, "--coins", "strict" if made is StrictCoins else "exact")["claim"] is not None
    assert [None if coins is None else coins.slack for coins in seen] == [made.slack]


@pytest.mark.parametrize("name", NOISY)
@pytest.mark.parametrize("excess", [mpq(0), mpq(1, 10**30)], ids=["as asked for", "above"])
def test_a_claim_with_a_larger_delta_than_asked_for_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, excess: mpq
) -> None:
    kind, arguments, delta = NOISY[name]
    monkeypatch.setattr(kind, "claim", lambda _self, _coins=None: PrivacyClaim(1, "replace-one", delta + excess))
    result = run(*arguments, "--json")
    assert result.exit_code == (2 if excess else 0)
    assert (f"exceeds {delta}" in result.output) == bool(excess)


@pytest.fixture
def narrow(tmp_path: Path) -> list[str]:
    """A release of 40 rows over 100 labels, of which one has nearly all of the rows."""
    (tmp_path / "rows.csv").write_text("\n".join(["x"] + ["5"] * 36 + ["0", "1"] * 2))
    data = ["--input", str(tmp_path / "rows.csv"), "--column", "x", "--universe", "0..99"]
    return ["release", "sparse", *data, "--epsilon", "1", "--delta", "1/1000", "--insecure-seed", "1"]


def test_a_count_equal_to_the_number_is_not_above_it(narrow: list[str]) -> None:
    bins = document(*narrow)["histogram"]
    counts = sorted(row["count"] for row in bins)
    for number in (counts[0], counts[-2], counts[-1]):
        listed = document(*narrow, "--above", str(number))["histogram"]
        assert listed == [row for row in bins if row["count"] > number]
        assert number not in [row["count"] for row in listed]
    assert [row["count"] for row in document(*narrow, "--above", str(counts[-1] - 1))["histogram"]] == counts[-1:]


def test_error_bars_end_at_0_and_at_the_number_of_rows(narrow: list[str]) -> None:
    printed = document(*narrow)
    single, every = printed["accuracy"]
    counts = [row["count"] for row in printed["histogram"]]
    large = single["on_counts_above"] + every["a"]  # a count above says that the true one is above on_counts_above
    bars = [single["a"] if count > large else every["a"] for count in counts]
    low = [max(count - a, 0) for count, a in zip(counts, bars, strict=True)]
    high = [min(count + a, 40) for count, a in zip(counts, bars, strict=True)]
    rows = list(csv.DictReader(io.StringIO(run(*narrow, "--format", "csv").stdout)))
    assert [[int(row[name]) for row in rows] for name in ("count", "low", "high")] == [counts, low, high]
    table = run(*narrow).output
    assert all(f" {bar[0]}..{bar[1]} " in table for bar in zip(low, high, strict=True))
    assert min(counts) - every["a"] < 0
    assert max(counts) + single["a"] > 40


def test_a_bar_is_narrow_only_where_the_count_says_that_the_true_one_is_large() -> None:
    """At most 84 rows are dropped or far off with probability beta, so that a count of 214 has more than 84 rows."""
    each = Accuracy(17, "1/20", "per-query")
    bars = Bars(1000, HistogramAccuracy(each, 84, Accuracy(129, "1/20", "simultaneous")))
    assert [bars.bar(count) for count in (5, 213, 214, 999)] == [(0, 134), (84, 342), (197, 231), (982, 1000)]
    assert Bars(1000, HistogramAccuracy(each, -1, Accuracy(23, "1/20", "simultaneous"))).bar(5) == (0, 22)


@pytest.mark.deep
def test_listing_above_a_number_leaves_smaller_counts_out() -> None:
    health = ["strings:9" if option == "strings:16" else option for option in HEALTH]
    arguments = ["release", "sparse", *health, "--first", "500", "--delta", "1/1000", "--insecure-seed", "1"]
    every, large = document(*arguments), document(*arguments, "--above", "140")
    assert [row for row in every["histogram"] if row["count"] > 140] == large["histogram"]
    assert {row["label"] for row in large["histogram"]} == {"excellent", "good"}
    assert len(every["histogram"]) > len(large["histogram"])
    assert (every["private"], every["claim"], every["listed_above"], large["listed_above"]) == (False, None, 0, 140)
    shown = run(*arguments, "--above", "140").output
    assert "Counts up to 140 are not listed here" in shown
    assert "NOT PRIVATE" in shown


@pytest.mark.deep
def test_labels_that_are_not_utf_8_can_be_written(tmp_path: Path) -> None:
    """Noise puts labels of random bytes on the list."""
    arguments = ["release", "sparse", *HEALTH, "--first", "200", "--delta", "1/1000"]
    for shape in ("table", "csv", "json"):
        out = tmp_path / shape
        result = run(*arguments, "--format", shape, "--output", str(out))
        assert result.exit_code == 0, result.output
        text = out.read_text(encoding="utf-8")
        if shape == "csv":
            rows = list(csv.DictReader(io.StringIO(text)))
            assert len(rows) <= 200
            assert all(int(row["low"]) <= int(row["count"]) <= int(row["high"]) for row in rows)
        if shape == "json":
            assert len(json.loads(text)["histogram"]) <= 200
        if shape == "table":
            assert "A listed label need not occur: its count may be noise alone." in text


@pytest.mark.parametrize("shape", ["json", "binary"])
def test_compact_release_is_saved_and_queried(tmp_path: Path, shape: str) -> None:
    out = tmp_path / "release"
    fast = ["--mechanism", "fast-sample", "--format", shape]
    result = run("release", "compact", *VISITS, "--first", "100", *fast, "--output", str(out))
    assert result.exit_code == 0, result.output
    assert "a noisy count for each of 4,294,967,296 labels" in result.output
    content = out.read_bytes()
    loaded: CompactRelease[int] = CompactRelease.from_json(content) if shape == "json" else CompactRelease.from_bytes(content)
    labels = ["0", "1", "77", "4294967295"]
    printed = document("query", str(out), *labels)
    assert loaded.claim is not None
    assert printed["claim"] == loaded.claim.as_json()
    assert (loaded.claim.epsilon, loaded.claim.source) == (mpq(1), "BV.Thm8.3.i")
    assert printed["rows"] == 100
    assert [(row["label"], row["count"]) for row in printed["histogram"]] == list(loaded.counts(int(x) for x in labels))
    table = run("query", str(out), "0", "--").output
    assert "(1, 0)-differentially private: 100 rows, one replaced (BV.Thm8.3.i)" in table
    assert "Each error bar, +-14, fails with probability at most 1/20" in table


def test_compact_release_to_standard_output_and_of_strings(tmp_path: Path) -> None:
    result = run("release", "compact", *HEALTH, "--first", "40", "--insecure-seed", "7")
    out = tmp_path / "piped.json"
    out.write_text(result.stdout)
    printed = document("query", str(out), "good", "nonsense")
    assert (printed["private"], printed["claim"]) == (False, None)
    assert [row["label"] for row in printed["histogram"]] == ["good", "nonsense"]
    assert "NOT PRIVATE: the file states no claim." in run("query", str(out), "good").output
    assert "NOT PRIVATE" in result.stderr


def test_compact_release_over_listed_labels(tmp_path: Path) -> None:
    out = tmp_path / "listed.json"
    arguments = [*HEALTH[:4], "--universe", "excellent,good,fair,poor", "--epsilon", "1", "--first", "30"]
    assert run("release", "compact", *arguments, "--output", str(out)).exit_code == 0
    assert document("query", str(out), "poor")["histogram"][0]["label"] == "poor"
    result = run("query", str(out), "ugly")
    assert result.exit_code == 2
    assert "'ugly' is outside of the universe" in result.output


MECHANISMS = {
    "sampled-keep-heavy": ["--labels", "4"],
    "sparse": ["--labels", "4", "--delta", "1/10"],
    "pure-sparse": ["--labels", "4", "--beta-1", "1/3"],
    "compact": ["--labels", "2"],
}


@pytest.mark.parametrize("mechanism", sampled(MECHANISMS, 0))
def test_law_and_privacy_agree_between_definition_and_running_code(mechanism: str) -> None:
    options = [mechanism, "--n", "1", "--epsilon", "1", *MECHANISMS[mechanism]]
    counts = ["--counts", ",".join("1" + "0" * (int(MECHANISMS[mechanism][1]) - 1))]
    definition, code = (document("law", *options, *counts, *more)["law"] for more in ([], ["--running"]))
    assert definition == code
    private = [document("privacy", *options, *more) for more in ([], ["--running"])]
    assert [p["holds"] for p in private] == [True, True]
    assert private[0]["worst_ratio"] == private[1]["worst_ratio"]


def test_privacy_of_a_compact_histogram_is_exact() -> None:
    """Two laws of 64^2 polynomials; d = 5, q = 12, r = 4."""
    printed = document("privacy", "compact", "--n", "1", "--epsilon", "1", "--labels", "2")
    assert (printed["worst_ratio"], printed["claim"]["ratio"]) == ("117/50", "39/16")


def file_of(release: CompactRelease[Any], folder: Path) -> str:
    out = folder / "release.json"
    out.write_text(release.to_json())
    return str(out)


def test_a_queried_error_bar_is_the_one_for_each_query_wherever_it_stands(tmp_path: Path) -> None:
    histogram = compact_histogram_with_fast_sample(range(2**32), 60, 1, "1/20")
    release = histogram.release([7] * 50, StrictCoins(SeededBits(3, not_private=True)))
    single, every = release.accuracy
    assert (single.kind, every.kind) == ("per-query", "simultaneous")
    assert single.a < every.a
    for accuracy in ((single, every), (every, single)):
        output = run("query", file_of(evolve(release, accuracy=accuracy), tmp_path), "7", "8").output
        assert f"Each error bar, +-{single.a}, fails with probability at most 1/20" in output
        for label in (7, 8):
            count = release.count(label)
            assert f" {max(count - single.a, 0)}..{min(count + single.a, 60)} " in output
    assert release.count(7) + single.a > 60 > release.count(7)
    assert release.count(8) - single.a < 0


@pytest.mark.parametrize("labels", [[1, "b"], ["a", 1], ["a", "b", -7, 2**70], [3, 4]])
def test_labels_of_listed_universes_of_mixed_types_can_be_asked_for(tmp_path: Path, labels: list[Any]) -> None:
    histogram = compact_histogram_with_fast_sample(labels, 3, 1, "1/20")
    release = histogram.release(labels[:2], StrictCoins(SeededBits(1, not_private=True)))
    file = file_of(release, tmp_path)
    printed = json.loads(run("query", file, "--json", "--", *map(str, labels)).stdout)
    assert [(row["label"], row["count"]) for row in printed["histogram"]] == list(release.counts(labels))
    for label in ("z", "2", "-1"):
        result = run("query", file, "--", label)
        assert result.exit_code == 2
        assert "universe" in result.output
        assert len(result.output.splitlines()) == 1


def test_a_compact_release_as_json_ends_in_one_newline(tmp_path: Path) -> None:
    out = tmp_path / "release.json"
    arguments = ["release", "compact", *VISITS, "--first", "5"]
    assert run(*arguments, "--output", str(out)).exit_code == 0
    for text in (out.read_text(), run(*arguments).stdout):
        assert text.endswith("}\n")
        assert CompactRelease.from_json(text).mechanism.n == 5


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    out = tmp_path / "damaged.json"
    run("release", "compact", *VISITS, "--first", "20", "--output", str(out))
    text = out.read_text()
    out.write_text(text.replace('"field": 5', '"field": 6') if '"field": 5' in text else text[:-40])
    return out


def test_a_damaged_or_foreign_file_is_refused_in_one_line(damaged: Path, tmp_path: Path) -> None:
    empty, foreign = tmp_path / "empty", tmp_path / "foreign.json"
    empty.write_bytes(b"")
    foreign.write_text('{"format": "something else"}')
    for file in (damaged, empty, foreign, RAND, tmp_path / "missing", tmp_path):
        result = run("query", str(file), "1")
        assert result.exit_code == 2
        assert result.output.startswith(f"Error: {file}")
        assert len(result.output.splitlines()) == 1


WRONG = {
    "small universe": (
        ["release", "sparse", *VISITS[:4], "--universe", "0..100", "--epsilon", "1", "--delta", "1/9", "--first", "60"],
        "|X| = 101 is below 2n + 1 = 121; accepted: a larger universe; BasicHistogram serves for this one",
    ),
    "small universe, pure": (
        ["release", "pure-sparse", *VISITS[:4], *PAPER, "--universe", "0..100", "--epsilon", "1", "--first", "60"],
        "BasicHistogram",
    ),
    "no delta": (["release", "sparse", *VISITS], "Missing option '--delta'"),
    "needless delta": (["release", "pure-sparse", *VISITS, "--delta", "1/9"], "No such option"),
    "more rows than there are": (
        ["release", "pure-sparse", *VISITS, "--first", "30000"],
        "has 20190 rows, fewer than the first 30000",
    ),
    "more rows than anybody has": (["release", "pure-sparse", *VISITS, "--first", f"{10**21}"], "is not in the range"),
    "strings without a number": (
        ["release", "sparse", *HEALTH[:4], "--universe", "strings:-1", "--epsilon", "1", "--delta", "1/9"],
        "universe = 'strings:-1' is not of the form strings:N",
    ),
    "no rows": (["release", "pure-sparse", *VISITS, "--first", "0"], "0 is not in the range"),
    "value outside of the universe": (
        ["release", "compact", *VISITS[:4], "--universe", "0..3", "--epsilon", "1"],
        "outside of the universe 0..3",
    ),
    "binary to the terminal": (["release", "compact", *VISITS, "--format", "binary"], "the binary form needs --output"),
    "inadmissible epsilon": (
        ["release", "compact", *VISITS[:-1], "2/3", "--mechanism", "fast-sample"],
        "next admissible value is 1/2",
    ),
    "huge strings": (
        ["release", "pure-sparse", *HEALTH[:4], *PAPER, "--universe", "strings:999999", "--epsilon", "1", "--first", "100"],
        "s needs about",
    ),
    "universe of 10^30 for basic": (
        ["release", "basic", *VISITS[:4], "--universe", f"0..{10**30}", "--epsilon", "1"],
        "universe has about 2^99 labels; basic releases them all",
    ),
    "no label": (["query", "x.json"], "Missing argument 'LABELS...'"),
    "no distance": (
        ["law", "sparse", "--n", "1", "--epsilon", "1", "--labels", "3", "--counts", "1,0,0"],
        "Missing option '--delta'",
    ),
    "no beta-1": (["privacy", "pure-sparse", "--n", "1", "--epsilon", "1", "--labels", "3"], "Missing option '--beta-1'"),
    "needless threshold": (
        ["privacy", "compact", "--n", "1", "--epsilon", "1", "--labels", "2", "--threshold", "1"],
        "compact does not take --threshold",
    ),
    "too many polynomials": (
        ["privacy", "compact", "--n", "2", "--epsilon", "1", "--labels", "2"],
        "a family of 2^18 polynomials, more than 200,000: take a smaller n",
    ),
    "too many paths": (
        ["privacy", "sparse", "--n", "3", "--epsilon", "1", "--labels", "12", "--delta", "1/9"],
        "outputs, more than 200,000",
    ),
    "few labels": (
        ["privacy", "sampled-keep-heavy", "--n", "2", "--epsilon", "1", "--labels", "4"],
        "|X| = 4 is below 2n + 1 = 5",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_named_in_one_line(case: str) -> None:
    arguments, message = WRONG[case]
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.splitlines()) == 1


# What a file says, and what is written


def forged(folder: Path, **changes: Any) -> Path:
    """A well-formed file with other statements than the release's own, its hash included."""
    mechanism = compact_histogram_with_fast_sample(Integers(0, 999), 8, 1, "1/20")
    release = evolve(mechanism.release([1, 2], StrictCoins()), **changes)
    (folder / "forged.json").write_text(release.to_json())
    return folder / "forged.json"


@pytest.mark.parametrize(
    "claim",
    [
        PrivacyClaim("1/1000000", "replace-one"),
        PrivacyClaim(1, "add-remove"),
        PrivacyClaim(1, "replace-one", ratio="3/2"),
    ],
    ids=["epsilon", "relation", "ratio"],
)
def test_a_claim_that_the_mechanism_does_not_have_is_refused(tmp_path: Path, claim: PrivacyClaim) -> None:
    """The mechanism's own ratio is (5/4)^2 (q+1)/q."""
    result = run("query", str(forged(tmp_path, claim=claim)), "1")
    assert result.exit_code == 2
    assert "states a claim that its mechanism does not have" in result.output


@pytest.mark.parametrize(
    "stated", [Accuracy(0, "1/20", "per-query"), Accuracy(3, 0, "per-query"), Accuracy(3, "1/20", "counting")], ids=str
)
def test_an_accuracy_that_the_mechanism_does_not_have_is_refused(tmp_path: Path, stated: Accuracy) -> None:
    result = run("query", str(forged(tmp_path, accuracy=(stated,))), "1")
    assert result.exit_code == 2
    assert "states an accuracy that its mechanism does not have" in result.output


def test_statements_of_a_file_cannot_move_the_cursor(tmp_path: Path) -> None:
    claim = PrivacyClaim(1, "replace-one", source="x\r\x1b[2K(1/1000, 0)-differentially private")
    output = run("query", str(forged(tmp_path, claim=claim)), "1").output
    assert "\r" not in output
    assert "\x1b" not in output
    assert "(1, 0)-differentially private: 8 rows, one replaced" in output


@pytest.mark.deep
def test_what_cannot_be_read_again_is_refused_before_any_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, out = tmp_path / "rows.csv", tmp_path / "release.json"
    rows.write_text("x\na\nb\n")
    common = [
        "release",
        "compact",
        "--mechanism",
        "fast-sample",
        "--input",
        str(rows),
        "--column",
        "x",
        "--epsilon",
        "1",
        "--output",
        str(out),
    ]
    assert run(*common, "--universe", "strings:420").exit_code == 0
    assert run("query", str(out), "a").exit_code == 0
    out.unlink()
    monkeypatch.setattr(CompactHistogram, "release_counts", lambda *_: pytest.fail("noise was drawn"))
    result = run(*common, "--universe", "strings:4200")
    assert result.exit_code == 2
    assert "has no encoding" in result.output
    assert not out.exists()


def test_the_form_is_what_the_output_s_name_says(tmp_path: Path) -> None:
    arguments = ["release", "sparse", *VISITS, "--first", "50", "--delta", "1/100"]
    for name in ("x.csv", "x.json", "x"):
        run(*arguments, "--output", str(tmp_path / name))
    assert (tmp_path / "x.csv").read_text().startswith("outpatient_visits,count,low,high\n")
    assert json.loads((tmp_path / "x.json").read_text())["rows"] == 50
    assert "Noisy counts of outpatient_visits" in (tmp_path / "x").read_text()
    run(*arguments, "--format", "json", "--output", str(tmp_path / "y.csv"))
    assert json.loads((tmp_path / "y.csv").read_text())["rows"] == 50


def test_a_table_is_cut_and_says_so() -> None:
    result = run("release", "basic", *VISITS[:4], "--universe", "0..1499", "--epsilon", "1", "--first", "20")
    assert "500 more rows are not shown here; --format csv lists all." in result.output
    assert "│ 999 " in result.output
    assert "│ 1000 " not in result.output


def test_a_universe_whose_size_has_thousands_of_digits(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("x\na\n")
    data = ["--input", str(tmp_path / "rows.csv"), "--column", "x", "--universe", "strings:1800", "--epsilon", "1"]
    assert document("release", "pure-sparse", *data, *PAPER)["universe_size"] == "about 2^14400"
