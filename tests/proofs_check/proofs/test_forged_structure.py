"""Code that breaks privacy, or changes what a name means, where it may not be seen: none of it is provable."""

import pytest

from finitedp.proofs_check.ledger.proofs import Edit, edited
from finitedp.proofs_check.proofs.structure import HISTOGRAMS, refutation

BASIC, STABILITY = "finitedp.impl.histograms.basic", "finitedp.impl.histograms.stability"
ARRAYS = "finitedp.data.releasing"
DYADIC = "finitedp.impl.histograms.dyadic"
CLAIM = "finitedp.impl.counting.dyadic"
PAD = "        if self.padded:"
ON_ARRAYS, ON_STABLE_ARRAYS = "BasicHistogram_on_arrays", "StabilityHistogram_on_arrays"
KEPT = "        return tuple((label, count) for label, count in noisy if count > self.b)"
DRAWN = "        return tuple((label, self.mechanism.release(counts.get(label, 0), coins)) for label in self.labels)"
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
        (
            ARRAYS,
            "mpq(0), None, source.name, len(labels))",
            "mpq(0), None, beta if sum(found.counts) > 5 else source.name, len(labels))",
        ),
        "depends on what is not known",
    ),
    "which of two public values is kept": (
        ON_ARRAYS,
        (
            ARRAYS,
            "    return NoisyHistogram(labels, noisy",
            "    shown = beta\n    if sum(found.counts) > 5:\n        shown = source\n    return NoisyHistogram(labels, noisy",
        ),
        "a value depends on what is not known",
    ),
    "counts in a message": (
        ON_ARRAYS,
        (ARRAYS, "mpq(0), None, source.name, len(labels))", "mpq(0), None, f'{found.counts}', len(labels))"),
        "the record shows something else",
    ),
    "counts in the claim's source": (
        ON_ARRAYS,
        (ARRAYS, 'source="FD.Dyadic.basic.private"', "source=found.counts"),
        "the claim shows something",
    ),
    "another value in an assertion": (
        ON_ARRAYS,
        (
            ARRAYS,
            "    claim = evolve",
            "    assert isinstance(noisy := found.dense(labels, column), object)\n    claim = evolve",
        ),
        "binds names",
    ),
    "another epsilon behind a docstring": (
        ON_STABLE_ARRAYS,
        (
            CLAIM,
            "        return PrivacyClaim(mpq(self.epsilon, 2), ",
            "        'PrivacyClaim(mpq(self.epsilon, 2), '\n        return PrivacyClaim(mpq(self.epsilon, 200), ",
        ),
        "another epsilon than half",
    ),
    "a method that is bound again": (
        "BasicHistogram",
        (BASIC, "    def accuracy(", "    release = counts\n\n    def accuracy("),
        "other than fields and methods",
    ),
    "a decorator of the class": (
        "BasicHistogram",
        (BASIC, "@frozen\nclass Basic", "@distinct_labels\nclass Basic"),
        "might change what its names mean",
    ),
    "a builtin that is bound again": (
        "StabilityHistogram",
        (STABILITY, "        try:\n", "        sorted = self.padded\n        try:\n"),
        "means something outside",
    ),
    "a text that looks like the label": (
        "BasicHistogram",
        (BASIC, "counts.get(label, 0), coins)", 'counts.get("the label", 0), coins)'),
        "a look-up of another label",
    ),
    "a count that a function doubles": (
        "BasicHistogram",
        (
            BASIC,
            "        known = dict.fromkeys(self.labels)\n",
            "        for label in counts:\n            _doubled(counts, label)\n        known = dict.fromkeys(self.labels)\n",
        ),
        "an addition to something else than what a loop over rows counts",
    ),
    "a message that changes the counts": (
        "BasicHistogram",
        (BASIC, "        known = dict", "        shown = f'{counts.update(counts)}'\n        known = dict"),
        "<family>.update is not known",
    ),
    "a generator that is gone through later": (
        "StabilityHistogram",
        (
            STABILITY,
            "        return tuple((label, count) for label, count in noisy if count > self.b)",
            """        kept = ((label, count) for label, count in noisy if count > self.b)
        noisy = [(label, present[label]) for label in labels]
        return tuple(kept)""",
        ),
        "an expression that the checker does not know",
    ),
    "keys that are no labels": (
        "BasicHistogram",
        (BASIC, "counts = dict.fromkeys(self.labels, 0)", "counts = dict.fromkeys([1 for label in self.labels], 0)"),
        "a mapping from something else than labels",
    ),
    "a list of counts inside of the accuracy": (
        ON_ARRAYS,
        (
            ARRAYS,
            "NoisyHistogram(labels, noisy, claim, histogram.accuracy(beta)",
            "NoisyHistogram(labels, noisy, claim, NoisyHistogram",
        ),
        "the record shows something else",
    ),
    "an object that hides counts": (
        ON_ARRAYS,
        (
            ARRAYS,
            "NoisyHistogram(labels, noisy, claim, histogram.accuracy(beta)",
            "NoisyHistogram(labels, noisy, claim, LabelCounts(labels, found.counts, 0)",
        ),
        "an object of finitedp.data.frames.LabelCounts is made",
    ),
    "an import from where the module stands": (
        "StabilityHistogram",
        (STABILITY, "from collections import Counter\n", "from .collections import Counter\n"),
        "might change what its names mean",
    ),
    "a stub that is the last one": (
        ON_ARRAYS,
        (ARRAYS, "def _stability(", "@overload\ndef _basic(found, column, histogram, beta, source): ...\n\n\ndef _stability("),
        "might change what its names mean",
    ),
    "a message about a draw decides whether it raises": (
        "StabilityHistogram",
        (
            STABILITY,
            PAD,
            f"        if f'{{[count for label, count in noisy]}}' == '[5]':\n            raise DataError('many')\n{PAD}",
        ),
        "a message about a draw",
    ),
    "how many draws are above b decides whether it raises": (
        "StabilityHistogram",
        (
            STABILITY,
            PAD,
            f"""        for _ in range(3 * len([count for label, count in noisy if count > self.b])):
            if self.padded:
                raise DataError('many')
{PAD}""",
        ),
        "or with draws",
    ),
    "a draw decides whether it raises": (
        "StabilityHistogram",
        (
            STABILITY,
            PAD,
            f"""        for label in labels:
            for _ in range(self.mechanism.release(present[label], coins)):
                if self.padded:
                    raise DataError('many')
{PAD}""",
        ),
        "a loop carries something on",
    ),
    "labels and counts that other masks keep": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    return present[kept], noisy[kept]", "    return present[kept], noisy[noisy >= histogram.b]"),
        "places in another array",
    ),
    "an argument more, whatever it holds": (
        ON_ARRAYS,
        (
            ARRAYS,
            "histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource\n",
            "histogram: BasicHistogram[Label], beta: RationalLike, source: WordSource, x: int\n",
        ),
        "has other arguments",
    ),
    "another noise": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    return noisy\n", "    return true\n"),
        "_padded is taken at its word, and is another one",
    ),
    "another noise of arrays": (
        ON_ARRAYS,
        (
            "finitedp.impl.counting.dyadic_bulk",
            "    return _released(mechanism, counts, source, _strict)",
            "    return counts",
        ),
        "release_array is taken at its word, and is another one",
    ),
    "delta that is a parameter": (
        "StabilityHistogram",
        (STABILITY, "min(self.delta() * slack, mpq(1))", "self.mechanism.n"),
        "delta is no number that is known",
    ),
    "the mechanism's own epsilon, of any mechanism": (
        "BasicHistogram",
        (BASIC, "2 * one.epsilon", "self.mechanism.epsilon"),
        "the counting claim says nothing of epsilon",
    ),
    "the count of the last label, for every label": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            """        return tuple(
            (x, {x: self.mechanism.release(counts.get(y, 0), coins) for y in self.labels}[x]) for x in self.labels
        )""",
        ),
        "labels within a loop",
    ),
    "a mapping that keeps the last label's count": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            """        last = {x: {x: count for y, count in counts.items()} for x in self.labels}
        return tuple((x, self.mechanism.release(last[x].get(x, 0), coins)) for x in self.labels)""",
        ),
        "labels within a loop",
    ),
    "one draw for all empty labels, behind a loop that raises": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            """        if sum(counts.values()) > self.mechanism.n:
            self.refuse()
        noise = self.mechanism.release(0, coins)
        return tuple(
            (label, self.mechanism.release(counts.get(label, 0), coins) if counts.get(label, 0) else noise)
            for label in self.labels
        )

    def refuse(self):
        for label in self.labels:
            raise DataError("too many rows")""",
        ),
        "one draw serves several labels",
    ),
    "a return within a loop that may have no rounds": (
        "StabilityHistogram",
        (
            STABILITY,
            KEPT,
            """        for _ in range(self.mechanism.n - len(noisy)):
            return tuple((label, count) for label, count in noisy if count > self.b)
        return tuple((label, count) for label, count in noisy)""",
        ),
        "a loop returns",
    ),
    "an order that depends on other labels": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            f"""        for label in self.labels:
            if counts.get(label, 0):
        {DRAWN.replace("in self.labels", "in sorted(self.labels)")}
{DRAWN}""",
        ),
        "a loop returns",
    ),
    "a count that `and` doubles": (
        "BasicHistogram",
        (BASIC, "release(counts.get(label, 0), coins)", "release((counts.get(label, 0) and 2) * counts.get(label, 0), coins)"),
        "of other than conditions",
    ),
    "a generator that a method goes through in parts": (
        "StabilityHistogram",
        (
            STABILITY,
            KEPT,
            """        return self.kept(noisy, (label for label in counts))

    def kept(self, noisy, seen):
        return tuple((label, count) for label, count in noisy if label in seen if count > self.b)""",
        ),
        "a generator that others go through",
    ),
    "another module's function with the name of what is known": (
        "BasicHistogram",
        (BASIC, DRAWN, f"        from mechanism import release\n{DRAWN.replace('self.mechanism.release', 'release')}"),
        "or binds names",
    ),
    "a threshold that has been looked up already": (
        "StabilityHistogram",
        (
            STABILITY,
            KEPT,
            """        kept = {label: count for label, count in noisy if count > self.b}
        return tuple((label, kept[label]) for label, count in noisy)""",
        ),
        "a look-up of another label, or of none",
    ),
    "how often a public source was read": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "delta, histogram.b, source.name, draws)", "delta, histogram.b, source.position, draws)"),
        "the attribute position of a public value",
    ),
    "which of two public values a loop leaves": (
        ON_STABLE_ARRAYS,
        (
            ARRAYS,
            "    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, source.name, draws)",
            """    shown = source.name
    for _ in range(len(found.counts) - 5):
        shown = beta
    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, shown, draws)""",
        ),
        "a loop carries something on",
    ),
    "what attrs is told to do with fields": (
        "BasicHistogram",
        (BASIC, "@frozen\nclass Basic", "@frozen(field_transformer=distinct_labels)\nclass Basic"),
        "might change what its names mean",
    ),
    "an object that is given away before it is used": (
        "BasicHistogram",
        (BASIC, "    def counts(", "    def __attrs_post_init__(self):\n        distinct_labels(self)\n\n    def counts("),
        "__attrs_post_init__ may do anything",
    ),
} | {
    f"what an import does: {text}": (
        "BasicHistogram",
        (BASIC, 'L = TypeVar("L"', f'{text}\nL = TypeVar("L"'),
        "might change what its",
    )
    for text in (
        "_ = setattr(Universe, 'release_counts', Universe.counts)",
        "_ = (BasicHistogram := distinct_labels)",
        "def _f(x=(BasicHistogram := distinct_labels)): pass",
        "class Other:\n    BasicHistogram.release_counts = BasicHistogram.counts",
        "@distinct_labels\ndef _f(): pass",
    )
}
DOUBLED = "\n\ndef _doubled(counts: Any, label: Any) -> None:\n    counts[label] += counts[label]\n"


@pytest.mark.parametrize("forged", FORGED)
def test_what_hides_is_not_provable(forged: str) -> None:
    name, (module, old, new), why = FORGED[forged]
    with edited(Edit(module, old, new)) as root:
        path = root.joinpath(*module.split(".")[1:]).with_suffix(".py")
        path.write_text(path.read_text() + (DOUBLED if "_doubled" in new else ""))
        found = refutation(HISTOGRAMS[name][1], root)
    assert found is not None
    assert why in found


@pytest.mark.parametrize("name", ["mechanism", "family", "number"])
def test_a_module_that_has_the_name_of_what_is_known_is_not_it(name: str) -> None:
    with edited(Edit(BASIC, DRAWN, DRAWN.replace("self.mechanism.release", "drawn"))) as root:
        path = root / "impl" / "histograms" / "basic.py"
        path.write_text(
            path.read_text().replace(
                "from gmpy2 import mpq\n", f"from gmpy2 import mpq\nfrom {name} import release as drawn\n"
            )
        )
        found = refutation(HISTOGRAMS["BasicHistogram"][1], root)
    assert found is not None
    assert "is not known here" in found


def test_a_package_with_the_name_of_a_module_is_imported_in_its_place() -> None:
    with edited(Edit(BASIC, "__all__ = [", "__all__ = [")) as root:
        (root / "impl" / "histograms" / "basic").mkdir()
        found = refutation(HISTOGRAMS["BasicHistogram"][1], root)
    assert found is not None
    assert "or two of the name" in found
