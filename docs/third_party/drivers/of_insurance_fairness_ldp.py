"""A call of insurance-fairness-ldp, which randomises a column of protected attributes."""

from typing import Any

import numpy as np
from insurance_fairness_ldp.mechanisms import KaryRandomisedResponse


def response(data: tuple[str, ...]) -> list[str]:
    """K-ary randomised response on a column of two rows, one of them public."""
    rows: Any = np.array(["a", data[0]])
    return [str(label) for label in KaryRandomisedResponse(1.0, ["a", "b", "c"]).privatise(rows)]
