"""Code that breaks privacy, or changes what a name means, where it may not be seen: none of it is provable."""

import pytest

from finitedp.proofs_check.proofs.structure import refutation
from finitedp.proofs_check.proofs.structure_checker import BASIC, STABILITY, sources_of

ARRAYS = "finitedp.data.releasing._basic"
CLAIM = "finitedp.impl.counting.dyadic.DyadicSample.claim"
PAD = "        if self.padded:"
ON_ARRAYS = "BasicHistogram on arrays"
FORGED = {
    "a sum of draws decides whether it raises": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        if sum(count for label, count in noisy) > 10:\n            raise DataError('many')\n{PAD}"),
        "a sum of draws",
    ),
    "an assertion about draws": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        assert sum(count for label, count in noisy) > 10\n{PAD}"),
        "an assertion about more",
    ),
    "which of two public values is shown": (
        ON_ARRAYS,
        (ARRAYS, "source.name, len(labels))", "beta if sum(found.counts) > 5 else source.name, len(labels))"),
        "depends on what is not known",
    ),
    "which of two public values is kept": (
        ON_ARRAYS,
        (
            ARRAYS,
            "    return Noisy",
            "    shown = beta\n    if sum(found.counts) > 5:\n        shown = source\n    return Noisy",
        ),
        "a value depends on what is not known",
    ),
    "counts in a message": (
        ON_ARRAYS,
        (ARRAYS, "source.name, len(labels))", "f'{found.counts}', len(labels))"),
        "the record shows something else",
    ),
    "counts in the claim's source": (
        ON_ARRAYS,
        (ARRAYS, 'source="FD.Dyadic.basic.private"', "source=found.counts"),
        "the claim shows something",
    ),
    "another value in an assertion": (
        ON_ARRAYS,
        (ARRAYS, "    claim =", "    assert isinstance(noisy := found.dense(labels, column), object)\n    claim ="),
        "binds names",
    ),
    "another epsilon behind a docstring": (
        "StabilityHistogram on arrays",
        (CLAIM, "PrivacyClaim(mpq(self.epsilon, 2), ", "PrivacyClaim(mpq(self.epsilon, 200), "),
        "another epsilon than half",
    ),
    "a method that is bound again": (
        "BasicHistogram",
        (BASIC, "    def accuracy(", "    release = counts\n\n    def accuracy("),
        "more than methods",
    ),
    "a decorator of the class": ("BasicHistogram", (BASIC, "@frozen\n", "@changed\n"), "no plain class"),
    "a builtin that is bound again": (
        "StabilityHistogram",
        (STABILITY, "        try:\n", "        sorted = self.padded\n        try:\n"),
        "another one here",
    ),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_hides_is_not_provable(forged: str) -> None:
    statement, (name, old, new), why = FORGED[forged]
    sources = sources_of(statement)
    assert sources[name].count(old) == 1
    text = sources[name].replace(old, new)
    if name == CLAIM:
        text = text.replace('"""', '"""PrivacyClaim(mpq(self.epsilon, 2), \'counts\',', 1)
    found = refutation(statement, sources | {name: text})
    assert found is not None
    assert why in found
