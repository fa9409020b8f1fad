"""finitedp release compact on a dyadic table, its default, and finitedp query of what it writes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from gmpy2 import mpq

from finitedp.cli.main import main
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.histograms.compact_release import CompactRelease

RAND = Path(__file__).parents[2] / "docs" / "data" / "randhie.csv"
VISITS = ["--input", str(RAND), "--column", "outpatient_visits", "--universe", "0..18446744073709551615", "--epsilon", "1"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize("shape", ["json", "binary"])
@pytest.mark.parametrize("word", ["162", "64", None])
def test_a_release_is_saved_and_queried(tmp_path: Path, shape: str, word: str | None) -> None:
    out, words = tmp_path / "release", [] if word is None else ["--word", word]
    arguments = ["release", "compact", *VISITS, "--first", "100", "--mechanism", "dyadic", *words]
    result = run(*arguments, "--format", shape, "--output", str(out))
    assert result.exit_code == 0, result.output
    content = out.read_bytes()
    loaded: CompactRelease[int] = CompactRelease.from_json(content) if shape == "json" else CompactRelease.from_bytes(content)
    assert isinstance(loaded.mechanism, DyadicSample)
    assert (loaded.mechanism.word, loaded.base.bits, loaded.mechanism.n) == (int(word or 162), 162, 100)
    printed = json.loads(run("query", str(out), "--json", "0", "77", "18446744073709551615").stdout)
    assert loaded.claim is not None
    assert (printed["claim"], printed["rows"]) == (loaded.claim.as_json(), 100)
    assert (loaded.claim.epsilon, loaded.claim.source) == (mpq(1), "FD.Dyadic.compact.private")
    assert [row["count"] for row in printed["histogram"]] == [loaded.count(x) for x in (0, 77, 2**64 - 1)]
    assert printed["accuracy"][0]["a"] == loaded.mechanism.accuracy("1/20").a
    assert "100 rows, one replaced (FD.Dyadic.compact.private)" in run("query", str(out), "0").output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mechanism", "fast-sample", "--word", "64"], "--word 64 needs --mechanism dyadic"),
        (["--mechanism", "dyadic", "--word", "5"], "no table of 5 bits exists for n = 30, epsilon = 1 (less 2^-126)"),
        (["--mechanism", "dyadic", "--word", "257"], "257 is not in the range"),
        (["--mechanism", "laplace"], "'laplace' is not one of"),
    ],
)
def test_wrong_options(tmp_path: Path, options: list[str], message: str) -> None:
    out = tmp_path / "release"
    result = run("release", "compact", *VISITS, "--first", "30", *options, "--output", str(out))
    assert result.exit_code == 2
    assert message in result.output
    assert not out.exists()
