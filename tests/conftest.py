"""Hypothesis profiles, and what several test files use."""

import os
from datetime import timedelta

from hypothesis import HealthCheck, Phase, settings

os.environ.pop("COLUMNS", None)  # a test says itself how wide its terminal is

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("mutation", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])  # what fails, fails
settings.register_profile("nightly", max_examples=2000, deadline=timedelta(minutes=5))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))
