"""Code that breaks privacy, or changes what a name means, where it may not be seen: none of it is provable."""

import pytest

from finitedp.proofs_check.ledger.proofs import Edit, edited
from finitedp.proofs_check.proofs.structure import HISTOGRAMS, refutation
from tests.sampling import sampled

BASIC, STABILITY = "finitedp.impl.histograms.basic", "finitedp.impl.histograms.stability"
ARRAYS = "finitedp.data.drawing"
DYADIC = "finitedp.impl.histograms.dyadic"
PAD = "        self._pad(len(noisy), coins)"
REFUSED = "        known = set(self.labels)\n        for label in counts:\n"
ON_ARRAYS, ON_STABLE_ARRAYS = "BasicHistogram_on_arrays", "StabilityHistogram_on_arrays"
KEPT = "        return tuple((label, count) for label, count in noisy if count > self.b)"
DRAWN = "        return tuple((label, self.mechanism.release(counts.get(label, 0), coins)) for label in self.labels)"
AT = "accuracy = on_a_table(histogram), threshold_accuracy"
BEFORE = "\n    found: LabelCounts, column: str, histogram: BasicHistogram[Label], beta: RationalLike"
FORGED = {
    "a sum of draws decides whether it raises": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        if sum(count for label, count in noisy) > 10:\n            raise DataError('many')\n{PAD}"),
        "is not in the language that is executed",
    ),
    "an assertion about draws": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        assert sum(count for label, count in noisy) > 10\n{PAD}"),
        "is not in the language that is executed",
    ),
    "which of two public values is shown": (
        ON_ARRAYS,
        (
            ARRAYS,
            "mpq(0), None, source.name, len(labels))",
            "mpq(0), None, beta if sum(found.counts) > 5 else source.name, len(labels))",
        ),
        "the name 'sum' means nothing here",
    ),
    "which of two public values is kept": (
        ON_ARRAYS,
        (
            ARRAYS,
            "    return NoisyHistogram(labels, noisy",
            "    shown = beta\n    if sum(found.counts) > 5:\n        shown = source\n    return NoisyHistogram(labels, noisy",
        ),
        "is not in the language that is executed",
    ),
    "counts in a message": (
        ON_ARRAYS,
        (ARRAYS, "mpq(0), None, source.name, len(labels))", "mpq(0), None, f'{found.counts}', len(labels))"),
        "is not in the language that is executed",
    ),
    "counts in the claim's source": (
        ON_ARRAYS,
        (ARRAYS, 'source="FD.Dyadic.basic.private"', "source=found.counts"),
        "what is claimed is not 2 epsilon",
    ),
    "another value in an assertion": (
        ON_ARRAYS,
        (
            ARRAYS,
            "    claim = evolve(histogram.claim(None), source",
            "    assert isinstance(noisy := found.counts, object)\n    claim = evolve(histogram.claim(None), source",
        ),
        "binds names",
    ),
    "another epsilon behind a docstring": (
        ON_STABLE_ARRAYS,
        (
            STABILITY,
            "        return PrivacyClaim(2 * one.epsilon, ",
            "        'PrivacyClaim(2 * one.epsilon, '\n        return PrivacyClaim(one.epsilon, ",
        ),
        "what is claimed is not 2 epsilon",
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
        (STABILITY, PAD, f"        len = self.padded\n{PAD}"),
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
            REFUSED,
            f"        for label in counts:\n            _doubled(counts, label)\n{REFUSED}",
        ),
        "_refuse_other_labels is trusted without proof",
    ),
    "a message that changes the counts": (
        "BasicHistogram",
        (BASIC, REFUSED, f"        shown = f'{{counts.update(counts)}}'\n{REFUSED}"),
        "_refuse_other_labels is trusted without proof",
    ),
    "a generator that is gone through later": (
        "StabilityHistogram",
        (
            STABILITY,
            "        return tuple((label, count) for label, count in noisy if count > self.b)",
            """        kept = ((label, count) for label, count in noisy if count > self.b)
        noisy = [(label, present[label]) for label in _in_order(present)]
        return tuple(kept)""",
        ),
        "an expression that is not known here",
    ),
    "keys that are no labels": (
        "BasicHistogram",
        (BASIC, "{label: found.get(label, 0) for label", "{1: found.get(label, 0) for label"),
        "a mapping whose keys are not the labels",
    ),
    "a list of counts inside of the accuracy": (
        ON_ARRAYS,
        (
            ARRAYS,
            "NoisyHistogram(labels, noisy, claim, histogram.accuracy(beta)",
            "NoisyHistogram(labels, noisy, claim, NoisyHistogram",
        ),
        "the record says another accuracy",
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
        "is not in the language that is executed",
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
        "is not in the language that is executed",
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
        "is not in the language that is executed",
    ),
    "labels and counts that other masks keep": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    return present[kept], noisy[kept]", "    return present[kept], noisy[noisy > 1 + histogram.b]"),
        "labels and numbers are not aligned",
    ),
    "an argument more, whatever it holds": (
        ON_ARRAYS,
        (
            ARRAYS,
            f"def _basic({BEFORE}, source: WordSource\n",
            f"def _basic({BEFORE}, source: WordSource, x: int\n",
        ),
        "has other parameters",
    ),
    "another noise": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    return noisy\n", "    return true\n"),
        "_noise is trusted without proof",
    ),
    "another noise of arrays": (
        ON_ARRAYS,
        (
            "finitedp.impl.counting.dyadic_bulk",
            "    return _released(mechanism, counts, source, _strict)",
            "    return counts",
        ),
        "release_array is trusted without proof",
    ),
    "delta that is a parameter": (
        "StabilityHistogram",
        (STABILITY, "min(self.delta() * slack, mpq(1))", "self.mechanism.n"),
        "what is claimed is not",
    ),
    "the mechanism's own epsilon, of any mechanism": (
        "BasicHistogram",
        (BASIC, "2 * one.epsilon", "self.mechanism.epsilon"),
        "what is claimed is not",
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
        "labels within labels",
    ),
    "a mapping that keeps the last label's count": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            """        last = {x: {x: count for y, count in counts.items()} for x in self.labels}
        return tuple((x, self.mechanism.release(last[x].get(x, 0), coins)) for x in self.labels)""",
        ),
        "labels within labels",
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
        "is not in the language that is executed",
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
        "is not in the language that is executed",
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
        "is not in the language that is executed",
    ),
    "a count that `and` doubles": (
        "BasicHistogram",
        (BASIC, "release(counts.get(label, 0), coins)", "release((counts.get(label, 0) and 2) * counts.get(label, 0), coins)"),
        "is not in the language that is executed",
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
        "draws decide what is there",
    ),
    "how often a public source was read": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "delta, histogram.b, source.name, ", "delta, histogram.b, source.position, "),
        "the attribute position of something else",
    ),
    "which of two public values a loop leaves": (
        ON_STABLE_ARRAYS,
        (
            ARRAYS,
            "    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, source.name, ",
            """    shown = source.name
    for _ in range(len(found.counts) - 5):
        shown = beta
    return NoisyHistogram(labels, counts, claim, accuracy, mechanism, delta, histogram.b, shown, """,
        ),
        "is not in the language that is executed",
    ),
    "a refusal that empties the counts": (
        "BasicHistogram",
        (BASIC, REFUSED, f"        for label in counts:\n            counts[label] = 0\n{REFUSED}"),
        "_refuse_other_labels is trusted without proof",
    ),
    "a refusal that removes the counts": (
        "BasicHistogram",
        (BASIC, REFUSED, f"        counts.clear()\n{REFUSED}"),
        "_refuse_other_labels is trusted without proof",
    ),
    "a refusal that calls what may do more": (
        "BasicHistogram",
        (BASIC, REFUSED, f"        if distinct_labels(counts):\n            raise DataError('')\n{REFUSED}"),
        "_refuse_other_labels is trusted without proof",
    ),
    "a refusal by what shows, given to another method": (
        "StabilityHistogram",
        (
            STABILITY,
            f"{PAD}\n{KEPT}",
            f"""        self._refuse(tuple((label, count) for label, count in noisy if count > self.b))
{PAD}
{KEPT}

    def _refuse(self, shown):
        if len(shown) > 5:
            raise DataError("many")""",
        ),
        "is not in the language that is executed",
    ),
    "a refusal by the number of draws that show": (
        "StabilityHistogram",
        (
            STABILITY,
            PAD,
            f"""        kept = [(label, count) for label, count in noisy if count > self.b]
        self._pad(len(kept), coins)
{PAD}""",
        ),
        "_pad _pad are called, and not",
    ),
    "a padding draw that is looked at": (
        "StabilityHistogram",
        (
            STABILITY,
            "                self.mechanism.release(0, coins)",
            "                if self.mechanism.release(drawn, coins) > 5:\n                    raise DataError('many')",
        ),
        "_pad is trusted without proof",
    ),
    "a loop that gives a value to what is used behind it": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        for noisy in [noisy]:\n            pass\n{PAD}"),
        "is not in the language that is executed",
    ),
    "a return on one side of a condition": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        if self.padded:\n            return ()\n{PAD}"),
        "is not in the language that is executed",
    ),
    "only the first labels": (
        "BasicHistogram",
        (BASIC, DRAWN, f"{DRAWN}[:5]"),
        "is not in the language that is executed",
    ),
    "the draws of one label behind another's": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    return present[kept], noisy[kept]", "    return present[kept], noisy[present[kept]]"),
        "labels and numbers are not aligned",
    ),
    "labels in order, numbers not": (
        ON_STABLE_ARRAYS,
        (
            ARRAYS,
            "    labels, counts = _sorted(tuple(found.labels[i] for i in places.tolist()), noisy)",
            "    labels, _ = _sorted([found.labels[i] for i in places.tolist()], noisy)\n    counts = noisy",
        ),
        "labels and numbers are not aligned",
    ),
    "rows that are sorted out, or doubled": (
        "BasicHistogram",
        (BASIC, "            yield label\n", "            yield label\n            yield label\n"),
        "_rows is trusted without proof",
    ),
    "labels that cannot be sorted are left as they are": (
        "StabilityHistogram",
        (STABILITY, "        return sorted(listed)\n", "        return listed\n"),
        "_in_order is trusted without proof",
    ),
    "counts that are emptied where the label at hand is not looked at": (
        "BasicHistogram",
        (BASIC, DRAWN, f"        gone = [counts.clear() for x in [None for y in self.labels]]\n{DRAWN}"),
        "an item that is not known here",
    ),
    "draws that decide what raises, where the label at hand is not looked at": (
        "StabilityHistogram",
        (STABILITY, PAD, f"        all_ = [[1 // (c - 7) for x, c in noisy] for y in [None for z in noisy]]\n{PAD}"),
        "an item that is not known here",
    ),
    "labels without rows show that they have none": (
        "BasicHistogram",
        (
            BASIC,
            DRAWN,
            """        seen = {x: counts.get(x, None) for x in self.labels}
        return tuple(
            (x, 0 if seen.get(x, 0) is None else self.mechanism.release(counts.get(x, 0), coins)) for x in self.labels
        )""",
        ),
        "an item that is not known here",
    ),
    "rows that are used up": (
        "BasicHistogram",
        (
            BASIC,
            "        found = Counter(self._rows(data))\n",
            "        rows = self._rows(data)\n        first = Counter(rows)\n        found = Counter(rows)\n",
        ),
        "of rows that were counted before",
    ),
    "rows that are looked through first": (
        "BasicHistogram",
        (
            BASIC,
            "        found = Counter(self._rows(data))\n",
            """        rows = self._rows(data)
        if 'a' not in rows:
            raise DataError('')
        found = Counter(rows)
""",
        ),
        "is not in the language that is executed",
    ),
    "a public function that changes the histogram": (
        ON_STABLE_ARRAYS,
        (
            DYADIC,
            "    mechanism, b = on_a_table(histogram), probability",
            "    histogram.b.bit_length()\n    mechanism, b = on_a_table(histogram), probability",
        ),
        "threshold_accuracy is trusted without proof",
    ),
    "words from something public": (
        ON_ARRAYS,
        (ARRAYS, "found.dense(labels, column), source)", "found.dense(labels, column), histogram.accuracy(beta))"),
        "other noise",
    ),
    "places in an array that was cut before": (
        ON_STABLE_ARRAYS,
        (
            DYADIC,
            "    noisy = _noise(histogram, whole[present], source)\n",
            """    again = np.flatnonzero(whole[present])
    noisy = _noise(histogram, whole[present], source)[again]
""",
        ),
        "a mask of another array",
    ),
    "a tuple as a mask": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    kept = noisy > histogram.b\n", "    kept = tuple(x > histogram.b for x in noisy)\n"),
        "a comprehension over something else than labels",
    ),
    "a parameter more of a release": (
        "BasicHistogram",
        (
            BASIC,
            "counts: Mapping[L, int], coins: Coins) -> tuple[tuple[L, int], ...]:",
            "counts: Mapping[L, int], coins: Coins, exact: bool = False) -> tuple[tuple[L, int], ...]:",
        ),
        "has other arguments",
    ),
    "a converter that lets a label be there twice": (
        "BasicHistogram",
        (BASIC, "len(set(listed)) != len(listed)", "len(listed) != len(listed)"),
        "distinct_labels is trusted without proof",
    ),
    "a post-init that does more": (
        "StabilityHistogram",
        (
            STABILITY,
            '        integer(self.b, "b", 0, self.mechanism.n)\n',
            '        integer(self.b, "b", 0, self.mechanism.d)\n',
        ),
        "__attrs_post_init__ is trusted without proof",
    ),
    "epsilon that is halved where the claim is made": (
        "BasicHistogram",
        ("finitedp.claim", 'epsilon = rational(value, "epsilon")', 'epsilon = rational(value, "epsilon") / 2'),
        "_epsilon is trusted without proof",
    ),
    "another delta beside the claim": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "mechanism, delta, histogram.b, source.name, ", "mechanism, mpq(0), histogram.b, source.name, "),
        "the record says another delta",
    ),
    "epsilon that is halved where the claim is made, behind the fields": (
        "BasicHistogram",
        (
            "finitedp.claim",
            "        if self.ratio is None:\n            return\n        if self.ratio < 1",
            "        self.epsilon.numerator\n        if self.ratio is None:\n            return\n        if self.ratio < 1",
        ),
        "PrivacyClaim is trusted without proof",
    ),
    "delta that is halved where it is read": (
        "StabilityHistogram",
        ("finitedp.exact", 'accepted: a rational in {interval}")\n    return number\n', '")\n    return number / 2\n'),
        "probability is trusted without proof",
    ),
    "a constant that another module changes": (
        ON_STABLE_ARRAYS,
        ("finitedp.impl.counting.dyadic_bulk", "CHUNK = 1 << 15", "CHUNK = 0 << 15"),
        "_noise is trusted without proof",
    ),
    "labels that may be there twice": (
        ON_ARRAYS,
        (BASIC, "    labels: Sequence[L] = field(converter=distinct_labels)\n", "    labels: Sequence[L]\n"),
        "have other converters",
    ),
    "delta in another place of the record": (
        ON_STABLE_ARRAYS,
        (
            ARRAYS,
            "mechanism, delta, histogram.b, source.name, histogram.draws())",
            "mechanism, mpq(0), histogram.b, source.name, delta)",
        ),
        "the record says another delta",
    ),
    "another threshold beside the claim": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "mechanism, delta, histogram.b, source.name, ", "mechanism, delta, 1 + histogram.b, source.name, "),
        "the record says another threshold",
    ),
    "counts that are a property": (
        ON_STABLE_ARRAYS,
        (
            "finitedp.data.frames",
            '    counts: "NDArray[np.int64]"\n    rows: int\n',
            '    x: "NDArray[np.int64]"\n    rows: int\n\n    @property\n    def counts(self):\n        return self.x * 9\n',
        ),
        "LabelCounts is trusted without proof",
    ),
    "no threshold beside the claim": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "mechanism, delta, histogram.b, source.name, ", "mechanism, delta, None, source.name, "),
        "the record says another threshold",
    ),
    "a comparison that lets a ratio be too large": (
        "BasicHistogram",
        ("finitedp.exact", "to_arb(left) - to_arb(x).exp()", "to_arb(left) - to_arb(2 * x).exp()"),
        "compare_exp is trusted without proof",
    ),
    "a function of the name that rows are numbered with": (
        "BasicHistogram",
        (BASIC, 'L = TypeVar("L"', 'def enumerate(rows, start):\n    return ((1, x) for x in rows)\n\n\nL = TypeVar("L"'),
        "_rows is trusted without proof",
    ),
    "another function imported by the name of the noise": (
        ON_STABLE_ARRAYS,
        (
            DYADIC,
            "import CHUNK, checked_counts, release_array",
            "import CHUNK, checked_counts, checked_counts as release_array",
        ),
        "is trusted without proof",
    ),
    "a constant that what is trusted without proof reads": (
        ON_STABLE_ARRAYS,
        (DYADIC, "AT_ONCE = 32 * CHUNK", "AT_ONCE = 0 * CHUNK"),
        "_noise is trusted without proof",
    ),
    "counts of at most another number": (
        "BasicHistogram_add_remove",
        (ARRAYS, "np.minimum(counts, mechanism.n)", "np.minimum(counts, counts.sum() // 2)"),
        "_at_most is trusted without proof",
    ),
    "counts of at most another number, of labels that occur": (
        "StabilityHistogram_add_remove",
        (DYADIC, "min(mechanism.n, TOP))", "min(counts.size, TOP))"),
        "_clamped is trusted without proof",
    ),
    "a claim for a row more or less of a histogram that is for another": (
        "StabilityHistogram_on_arrays",
        (
            ARRAYS,
            "evolve(histogram.claim(None), delta=delta, source=",
            "evolve(histogram.add_remove_claim(None), delta=delta, source=",
        ),
        "this is no claim, or one for other neighbours",
    ),
    "epsilon for a row more or less that is said of one replaced": (
        "StabilityHistogram",
        (STABILITY, "PrivacyClaim(2 * one.epsilon,", "PrivacyClaim(one.epsilon,"),
        "what is claimed is not 2 epsilon for replace-one",
    ),
    "fewer draws than counts": (
        ON_STABLE_ARRAYS,
        (DYADIC, "    draws = max(mechanism.n, true.size)\n", "    draws = mechanism.n\n"),
        "_noise is trusted without proof",
    ),
    "what attrs is told to do with fields": (
        "BasicHistogram",
        (BASIC, "@frozen\nclass Basic", "@frozen(field_transformer=distinct_labels)\nclass Basic"),
        "might change what its names mean",
    ),
    "an object that is given away before it is used": (
        "BasicHistogram",
        (BASIC, "    def counts(", "    def __attrs_post_init__(self):\n        distinct_labels(self)\n\n    def counts("),
        "__attrs_post_init__ is not trusted without proof",
    ),
    "a class whose post-init is gone": (
        "StabilityHistogram",
        (STABILITY, "    def __attrs_post_init__(self) -> None:", "    def checked(self) -> None:"),
        "__attrs_post_init__ is not trusted without proof, or is gone",
    ),
    "an accuracy at another beta": (
        ON_ARRAYS,
        (ARRAYS, "claim, histogram.accuracy(beta)", "claim, histogram.accuracy(mpq(1, 2) * mpq(1, 10))"),
        "or at another beta",
    ),
    "an accuracy at another beta, with a threshold": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "accuracy = on_a_table(histogram), threshold_accuracy(histogram, beta)", f"{AT}(histogram, delta)"),
        "or at another beta",
    ),
    "the accuracy of the other histogram": (
        ON_ARRAYS,
        (ARRAYS, "claim, histogram.accuracy(beta)", "claim, threshold_accuracy(histogram, beta)"),
        "threshold_accuracy NoisyHistogram are called, and not",
    ),
    "no number of draws": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "source.name, histogram.draws())", "source.name, None)"),
        "the record says another draws",
    ),
    "the number of labels that show, as the number of draws": (
        ON_STABLE_ARRAYS,
        (ARRAYS, "source.name, histogram.draws())", "source.name, len(labels))"),
        "the record says another draws",
    ),
    "another source of words in the record": (
        ON_ARRAYS,
        (ARRAYS, "None, source.name, len(labels))", "None, 'SystemWords', len(labels))"),
        "the record says another source",
    ),
    "the claim of another theorem": (
        "BasicHistogram",
        (BASIC, 'ratio, "BV.Thm5.2.i", told', 'ratio, "BV.Thm5.5.i", told'),
        "by BV.Thm5.2.i",
    ),
    "the claim of the other release": (
        ON_STABLE_ARRAYS,
        (ARRAYS, 'source="FD.Dyadic.stability.private"', 'source="FD.Dyadic.basic.private"'),
        "by FD.Dyadic.stability.private",
    ),
    "a release that says that it is withheld": (
        ON_ARRAYS,
        (ARRAYS, "None, source.name, len(labels))", "None, source.name, len(labels), None, True)"),
        "the record says more, or less",
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
COUNTED = "        check_counts(counts, self.mechanism.n)\n"
NOISY = "        noisy = tuple((label, self.mechanism.release(present[label], coins)) for label in _in_order(present))\n"
WHOLE = "    whole = _checked(histogram, counts)\n"
LEFT_OUT = (  # what, of which histogram, the module, old, new, why
    ("_rows", "BasicHistogram", BASIC, "Counter(self._rows(data))", "Counter(data)", "or were not looked at"),
    (
        *("_rows, whose rows are not taken", "BasicHistogram", BASIC),
        "        found = Counter(self._rows(data))\n",
        "        self._rows(data)\n        found = Counter(data)\n",
        "or were not looked at",
    ),
    (
        "_rows, twice",
        "BasicHistogram",
        BASIC,
        "Counter(self._rows(data))",
        "Counter(self._rows(self._rows(data)))",
        "other rows",
    ),
    ("other labels", "BasicHistogram", BASIC, "        self._refuse_other_labels(counts)\n", "", "are called, and not"),
    (
        *("other labels, of some", "BasicHistogram", BASIC),
        "_refuse_other_labels(counts)\n",
        "_refuse_other_labels({label: counts.get(label, 0) for label in self.labels})\n",
        "looks at others",
    ),
    ("counts", "BasicHistogram", BASIC, COUNTED, "", "are called, and not"),
    (
        "counts above d",
        "BasicHistogram",
        BASIC,
        "check_counts(counts, self.mechanism.n)",
        "check_counts(counts, self.mechanism.d)",
        "above another n",
    ),
    (
        *("counts, of some", "BasicHistogram", BASIC),
        "check_counts(counts, self.mechanism.n)",
        "check_counts({label: 0 for label in self.labels}, self.mechanism.n)",
        "looks at others",
    ),
    (
        *("counts, where there are labels", "BasicHistogram", BASIC),
        COUNTED,
        "        none = [0 if check_counts(counts, self.mechanism.n) is None else 0 for label in self.labels]\n",
        "are called, and not",
    ),
    (
        *("counts, if the ratio is none", "BasicHistogram", BASIC),
        COUNTED,
        "        none = 0 if self.mechanism.claim().ratio is None else check_counts(counts, self.mechanism.n)\n",
        "are called, and not",
    ),
    (
        "counts, of StabilityHistogram",
        "StabilityHistogram",
        STABILITY,
        COUNTED,
        "",
        "are called, and not",
    ),
    (
        *("counts, behind the draws", "StabilityHistogram", STABILITY),
        f"{COUNTED}        present = {{label: count for label, count in counts.items() if count}}\n{NOISY}{PAD}",
        f"        present = {{label: count for label, count in counts.items() if count}}\n{NOISY}{COUNTED}{PAD}",
        "_in_order check_counts _pad are called, and not",
    ),
    (
        *("other labels, behind a draw", "BasicHistogram", BASIC),
        f"        self._refuse_other_labels(counts)\n{DRAWN}",
        f"{DRAWN.replace('return', 'shown =')}\n        self._refuse_other_labels(counts)\n        return shown",
        "comes behind a draw",
    ),
    ("the order", "StabilityHistogram", STABILITY, "in _in_order(present))", "in present)", "something else than labels"),
    ("the padding", "StabilityHistogram", STABILITY, f"{PAD}\n", "", "are called, and not"),
    (
        "the padding, of nothing",
        "StabilityHistogram",
        STABILITY,
        "self._pad(len(noisy)",
        "self._pad(0",
        "another number of draws",
    ),
    (
        *("the padding, beside labels without rows", "StabilityHistogram", STABILITY),
        PAD,
        "        self._pad(len([label for label, count in counts.items()]), coins)",
        "another number of draws",
    ),
    ("the sum of an array", ON_STABLE_ARRAYS, DYADIC, "_checked(histogram, counts)\n", "counts\n", "are called, and not"),
    (
        "the padding of an array",
        ON_STABLE_ARRAYS,
        DYADIC,
        "_noise(histogram, whole[present], source)",
        "release_array(on_a_table(histogram), whole[present], source)",
        "are called, and not",
    ),
    (
        *("the sum of an array, behind the noise", ON_STABLE_ARRAYS, DYADIC),
        f"{WHOLE}    return _above(histogram, whole, source)\n",
        f"    shown = _above(histogram, counts, source)\n{WHOLE}    return shown\n",
        "comes behind a draw",
    ),
    (
        "whether it is a table",
        ON_ARRAYS,
        ARRAYS,
        "mechanism, labels = on_a_table(histogram), histogram.labels",
        "mechanism, labels = histogram.mechanism, histogram.labels",
        "are called, and not",
    ),
)
FORGED |= {
    f"a refusal that is left out or late: {what}": (name, (module, old, new), why)
    for what, name, module, old, new, why in LEFT_OUT
}
SPARE = {  # what is thrown away, and raises for some counts, so that the error tells of them
    "a draw at another count": ("self.mechanism.release(9 - counts.get(label, 0), coins)", "of one label's count"),
    "a draw at a count that may be above n": ("self.mechanism.release(5, coins)", "a release of something else"),
    "a power that does not fit": ("1 << (1 << counts.get(label, 0))", "of one label's count"),
    "mass beyond n": ("self.mechanism.cdf(counts.get(label, 0), 1)", "a cdf of one label's count"),
}
FORGED |= {
    f"an error that tells of counts: {what}": (
        "BasicHistogram",
        (BASIC, DRAWN, f"        spare = [{code} for label in self.labels]\n{DRAWN}"),
        why,
    )
    for what, (code, why) in SPARE.items()
}
FORGED |= {
    f"a call that Python refuses: {new}": (name, (module, old, new), why)
    for name, module, old, new, why in (
        (ON_ARRAYS, ARRAYS, 'source="FD.Dyadic.basic.private"', '"FD.Dyadic.basic.private"', "positional argument"),
        (ON_STABLE_ARRAYS, ARRAYS, "evolve(histogram.claim(None), d", "evolve(claim=histogram.claim(None), d", "positional"),
        ("BasicHistogram", BASIC, "check_counts(counts, self", "check_counts(counts, most=self", "no parameters with names"),
    )
}
DOUBLED = "\n\ndef _doubled(counts: Any, label: Any) -> None:\n    counts[label] += counts[label]\n"


@pytest.mark.parametrize("forged", sampled(FORGED, 12))
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
