"""The six experiments: data as committed, errors as computed, and the manual's page as both."""

import json
from pathlib import Path

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import compare_exp
from finitedp.proofs_check.checks import calibration
from finitedp.proofs_check.checks.choosing import parameters, rounds_at
from finitedp.spec.flexible import competitors, smooth_laplace
from finitedp.spec.flexible.accuracy import flexible_values
from finitedp.spec.flexible.statistics import max_k, mode
from tests.experiments import __main__ as command
from tests.experiments import choosing, mechanisms, results
from tests.experiments.settings import SETTINGS, Setting, digest, written
from tests.sampling import sampled

DOCS = Path(__file__).parents[2] / "docs"
DATA = DOCS / "data" / "experiments.json"
RESULTS = json.loads((DOCS / "data" / "experiments_results.json").read_text())


def test_the_data_are_what_the_script_generates() -> None:
    assert DATA.read_text() == written()


def test_the_hashes_are_of_the_data() -> None:
    listed = [found for setting in json.loads(DATA.read_text()).values() for found in setting["data"]]
    assert len(listed) == 4 + 1 + 4 + 1 + 3 + 1
    assert all(found["sha256"] == digest(tuple(found["counts"])) for found in listed)
    assert digest((1, 2)) != digest((2, 1))


def test_the_data_are_those_of_the_paper() -> None:
    one, two, three, four, five, six = SETTINGS
    assert all(sum(x) == 10_000 and len(x) == 100 for x in three.data)
    assert all(x[90:] == (0,) * 10 and x[:90] == y[:90] for x, y in zip(one.data, three.data, strict=True))
    assert (two.data[0][49:51], four.data[0][49:51]) == ((1000, 1), (540, 490))
    assert all(len(x) == 30 and min(x) > 200 and max(x) < 310 for x in five.data)
    assert [six.data[0].count(height) for height in (130, 200, 185, 190)] == [200, 5, 85, 10]
    assert {setting.bars for setting in SETTINGS} == {100, 30, 300}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.number)
def test_answers_and_flexible_answers(setting: Setting) -> None:
    x = setting.data[0]
    assert setting.answer(x) in setting.flexible(x)
    assert setting.answer(x) == (max_k(x, setting.k) if setting.k else mode(x))


def test_flexible_answers_on_a_small_copy() -> None:
    small = SETTINGS[0]._replace(data=((130, 70, 1, 0),))
    x = small.data[0]
    assert small.flexible(x) == flexible_values(lambda y: max_k(y, 1), x, 1) == {1, 2}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("number", "name"),
    sampled(
        [
            (4, "new"),
            (5, "new"),
            (2, "propose-test-release"),
            (2, "choosing"),
            (4, "choosing"),
            (5, "choosing"),
            (5, "choosing (no gate)"),
        ],
        2,
        names=2,
    ),
)
def test_errors_are_as_written(number: int, name: str) -> None:
    setting = SETTINGS[number - 1]
    found = results.listed(list(results.rows([setting], only=name)))
    assert found == [r for r in RESULTS["errors"] if (r["setting"], r["mechanism"]) == (number, name)]


@pytest.mark.deep
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.number)
def test_all_errors_are_as_written(setting: Setting) -> None:
    """One experiment at a time, which workers may share; that these are all, the next test says."""
    expected = {key: of_setting(found, setting.number) if key in LISTS else found for key, found in RESULTS.items()}
    assert results.document(list(results.rows([setting]))) == expected


LISTS = ("errors", "new")


def of_setting(found: list[dict[str, object]], number: int) -> list[dict[str, object]]:
    return [row for row in found if row["setting"] == number]


@pytest.mark.parametrize("key", LISTS)
def test_the_results_are_those_of_the_six_experiments_one_after_another(key: str) -> None:
    assert RESULTS[key] == [row for setting in SETTINGS for row in of_setting(RESULTS[key], setting.number)]
    assert {row["setting"] for row in RESULTS[key]} == {setting.number for setting in SETTINGS}


@pytest.mark.deep
def test_every_mechanism_is_private_as_said() -> None:
    for epsilon in results.EPSILONS:
        assert mechanisms.one_sided(epsilon).delta <= mechanisms.DELTA
        assert mechanisms.threshold_of_stability(epsilon, 255)[1] <= mechanisms.DELTA
        assert compare_exp(calibration.base_below(epsilon), epsilon) <= 0
        assert compare_exp(competitors.exponential_ratio(30, mechanisms.calibrated_base(epsilon, 30)), epsilon) <= 0
        assert compare_exp(competitors.exponential_ratio(30, competitors.exponential_base(epsilon, 30)), epsilon) <= 0
        growth, width = mechanisms.smooth_parameters(epsilon, 30)
        assert compare_exp(competitors.smooth_worst_ratio(30, growth, width), epsilon) <= 0
        assert compare_exp(competitors.smooth_worst_ratio(30, growth, width - mpq(1, 4)), epsilon) > 0


def test_parameters_with_a_delta_are_private_as_said() -> None:
    """Those of all experiments are in the full grids of FD.Compare.smooth-laplace.real and FD.Compare.choosing.real."""
    epsilon = mpq(1)
    e = calibration.base_below(epsilon)
    growth, width = calibration.smooth_laplace_parameters(epsilon, 30, e, mechanisms.DELTA)
    found, jumps = smooth_laplace.tables(30, growth, width, 48), smooth_laplace.jumps(30, growth)
    assert calibration.worst_delta(found, jumps, e) <= mechanisms.DELTA
    for heights in (True, False):
        chosen = parameters(epsilon, mechanisms.DELTA, heights=heights)
        assert chosen.delta <= mechanisms.DELTA
        assert compare_exp(chosen.ratio(2047), epsilon) <= 0


def test_what_64_bits_do_not_hold_is_refused() -> None:
    found = smooth_laplace.tables(4, mpq(2), mpq(1), 60)
    with pytest.raises(ParameterError, match="more than 64 bits"):
        calibration.worst_delta(found, smooth_laplace.jumps(4, mpq(2)), mpq(2783, 1024))
    with pytest.raises(ParameterError, match="different totals"):
        calibration.worst_delta([(2, 1), (4, 2)], [1, 1], mpq(2))


def test_rounds_of_the_choosing_mechanism() -> None:
    assert [rounds_at(epsilon) for epsilon in results.EPSILONS] == [1, 2, 3, 5]
    exact = [(s.number, e) for s in SETTINGS for e in results.EPSILONS if choosing.is_exact(s, e)]
    assert [e for number, e in exact if number in (1, 3)] == [mpq(1, 10)] * 2
    assert [number for number, e in exact if e == 1] == [2, 4, 5, 6]


def test_runs_of_the_choosing_mechanism_are_of_its_law() -> None:
    """Sampled: 2,000 seeded runs; their interval holds the exact error."""
    setting, epsilon = SETTINGS[3], mpq(1)
    (exact,) = results.rows([setting], [epsilon], only="choosing")
    drawn = mechanisms.choosing_runs(setting, setting.data[0], epsilon, 2000)
    assert drawn == mechanisms.choosing_runs(setting, setting.data[0], epsilon, 2000)
    low, high = results._interval([[abs(i - setting.answer(setting.data[0])) for i in drawn]], setting.bars - 1)
    assert low < exact.plain[0] < high < low + 6


def test_what_beats_new_is_decided_by_errors() -> None:
    def row(name: str, *bounds: int) -> results.Row:
        low, high = mpq(bounds[0]), mpq(bounds[-1])
        return results.Row(1, mpq(1), name, (low, high), (low, high))

    found = results.beaten_by(
        [row("new", 5), row("a", 4), row("b", 5), row("c", 6), row("d", 3, 7), row("e", 2, 4)], flexible=False
    )
    assert found == {"smaller": ["a", "e"], "undecided": ["d"]}


def test_runs_are_seeded_and_bounded_by_their_interval() -> None:
    setting = SETTINGS[3]
    first, again = (mechanisms.ungated_runs(setting, setting.data[0], mpq(1), 5) for _ in range(2))
    assert first == again
    (low, high) = next(iter(results.rows([setting], [mpq(1)], runs=50, only="choosing (no gate)"))).plain
    assert 0 <= low < high <= setting.bars


def test_the_page_shows_the_results() -> None:
    page = (DOCS / "flexible_experiments.md").read_text()
    assert results.table(RESULTS) in page
    assert results.beaten_table(RESULTS) in page


def test_the_command_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["data", str(tmp_path / "data.json")]) == 0
    assert (tmp_path / "data.json").read_text() == DATA.read_text()
    assert command.main(["what"]) == 2
    assert "accepted: nothing, data [FILE] or results [FILE]" in capsys.readouterr().err
