"""numpy is imported only where explored code has it, and its sources are replaced before that code sees them."""

import subprocess
import sys

import pytest

from tests.sampling import sampled

HEAD = """
import sys
from finitedp import PrivacyClaim, audit

def run(function, **options):
    return audit(function, PrivacyClaim("2", "replace-one"), n=1, universe=[0, 1], **options)

def response(data, rng):
    return data[0] if rng.random() < 0.75 else 1 - data[0]

assert run(response, style="random").worst_ratio == 3
assert "numpy" not in sys.modules
"""

LATER = {
    "an attribute": """
def with_numpy(data):
    import numpy as np
    return data[0] if np.random.random() < 0.75 else 1 - data[0]
""",
    "a name": """
def with_numpy(data):
    from numpy.random import default_rng
    return data[0] if default_rng().random() < 0.75 else 1 - data[0]
""",
    "on rare draws only": """
def with_numpy(data):
    import random
    if random.random() < 0.75:
        return data[0]
    import numpy
    return data[0] if numpy.random.RandomState().random_sample() < 0 else 1 - data[0]
""",
}

TAIL = """
found = run(with_numpy, style="none")
assert "numpy" in sys.modules
assert found.worst_ratio == 3, found.worst_ratio
assert type(sys.modules["numpy"].__spec__.loader).__module__.startswith(("importlib", "_frozen_importlib"))
assert not any(type(finder).__module__.startswith("finitedp.") for finder in sys.meta_path)
assert run(with_numpy, style="none").worst_ratio == 3
"""

GOES_ROUND = """
def with_numpy(data):
    import numpy as np
    return data[0] if np.random.Generator(np.random.PCG64(7)).random() < 0.5 else 1 - data[0]
print(run(with_numpy, style="none").private)  # a seeded generator is no noise
def unseeded(data):
    import numpy as np
    return data[0] if np.random.Generator(np.random.PCG64()).random() < 0.5 else 1 - data[0]
run(unseeded, style="none")
"""


def run(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", sampled(LATER, 1))
def test_what_imports_numpy_while_it_is_explored_draws_from_the_coins(name: str) -> None:
    done = run(HEAD + LATER[name] + TAIL)
    assert done.returncode == 0, done.stderr


@pytest.mark.deep
def test_what_goes_round_it_is_refused_all_the_same() -> None:
    done = run(HEAD + GOES_ROUND)
    assert done.stdout == "fails\n"
    assert "makes a bit generator of numpy" in done.stderr
