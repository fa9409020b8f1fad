"""Hypothesis profiles, and what several test files use."""

import gc
import os
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings

import finitedp_pytest
from finitedp.proofs_check.engine.lazy.plain import PlainRuns

gc.set_threshold(50_000, 20, 20)  # all test modules are alive, so that a collection takes long
os.environ.pop("COLUMNS", None)  # a test says itself how wide its terminal is

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("mutation", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])  # what fails, fails
settings.register_profile("nightly", max_examples=2000, deadline=timedelta(minutes=5))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


DEFAULT = "not deep and not full"


def pytest_configure(config: pytest.Config) -> None:
    """Who names a test, by -k or its node, wants to run it, in whichever tier but the full one it is."""
    named = config.option.keyword or any("::" in argument for argument in config.args)
    if named and config.option.markexpr == DEFAULT:
        config.option.markexpr = "not full"


@pytest.fixture
def lazies_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that ask of lazy values what no int or float has: no path is run again with plain numbers."""
    for name in ("compare", "check_error"):
        monkeypatch.setattr(PlainRuns, name, lambda *_arguments: None)


@pytest.fixture
def unrecorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests whose audits are no audits of this run, and stand in none of its reports."""
    monkeypatch.setattr(finitedp_pytest, "_running", [])
