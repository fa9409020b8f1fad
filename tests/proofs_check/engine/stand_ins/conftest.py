"""Every test here is about draws that are not decided; in the deep checks about numbers at once, too."""

from collections.abc import Iterator

import pytest

from finitedp.proofs_check.engine import explorer


@pytest.fixture(
    autouse=True,
    scope="module",
    params=[0, pytest.param(explorer.AT_ONCE, marks=pytest.mark.deep)],
    ids=["undecided", "at once"],
)
def at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """Up to how many values a draw is a number at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explorer, "AT_ONCE", request.param)
        yield
