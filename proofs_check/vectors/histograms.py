"""Cases of histograms on dyadic tables: what is released, the least threshold for a delta, what is claimed, and laws."""

from collections.abc import Iterator, Sequence
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.vectors.draws import tables, word_text
from finitedp.proofs_check.vectors.groups import Dice, Group, refused, valid
from finitedp.proofs_check.vectors.tables import Table, built, of_weights
from finitedp.spec import counting, dyadic
from finitedp.spec.pmf import Pmf

LABELS = ("b", "a", "B", "10", "9", "é", "z", "\ufb01", "\U0001f600", "Z")  # é sorts behind z; U+1F600 behind U+FB01

# Releases


def _released(table: Table, mechanism: str, threshold: int, padded: bool, counts: dict[str, int], words: list[int]) -> Any:  # noqa: ANN401
    """The labels and counts that are released, and how many words are read: the algorithm, step by step."""
    if mechanism == "basic":
        noisy = {label: table.draw(count, word) for (label, count), word in zip(counts.items(), words, strict=False)}
        return list(noisy), list(noisy.values()), len(counts)
    present = sorted(label for label, count in counts.items() if count > 0)
    noisy = {label: table.draw(counts[label], word) for label, word in zip(present, words, strict=False)}
    shown = {label: value for label, value in noisy.items() if value > threshold}
    return list(shown), list(shown.values()), max(table.n, len(present)) if padded else len(present)


def _release(about: dict[str, Any], counts: dict[str, int], words: list[int], flags: set[str], comment: str) -> dict[str, Any]:
    table, bits = about["table"], about["table"].bits
    labels, values, read = _released(table, about["mechanism"], about["threshold"], about["padded"], counts, words)
    given = {"labels": list(counts), "counts": list(counts.values()), "tape": [word_text(bits, word) for word in words]}
    if read > len(words):
        return refused(comment, flags | {"ShortTape"}, **given)
    return valid(comment, flags, **given, releasedLabels=labels, releasedCounts=values, bitsRead=bits * read)


def _flags(mechanism: str, counts: dict[str, int], threshold: int, padded: bool, table: Table) -> set[str]:
    found = {"Basic"}
    if list(counts) != sorted(counts):
        found |= {"LabelOrder"}
        if sorted(counts) != sorted(counts, key=lambda x: x.encode("utf-16-be")) or any(not x.isascii() for x in counts):
            found |= {"CodePoints"}
    if 0 in counts.values():
        found |= {"ZeroCount"}
    if mechanism == "stability" and padded:
        found |= {"Padded"}
    if table.bits > 64:
        found |= {"LimbOrder"}
    return found


def _datasets(table: Table, dice: Dice, many: int) -> Iterator[dict[str, int]]:
    """Counts of labels in an order that is not sorted, with zeros; their sum is at most n."""
    yield {}
    yield {"a": table.n}
    for _ in range(many):
        size, left, counts = 1 + dice.below(6), table.n, {}
        start = dice.below(len(LABELS))
        for i in range(size):
            count = dice.below(min(left, 40) + 1) if dice.below(4) else 0
            counts[LABELS[(start + 3 * i) % len(LABELS)]] = count
            left -= count
        yield counts


def _of_release(about: dict[str, Any], dice: Dice, many: int) -> Iterator[dict[str, Any]]:
    table, mechanism = about["table"], about["mechanism"]
    threshold, padded = about["threshold"], about["padded"]
    for counts in _datasets(table, dice, many):
        if not counts and mechanism == "basic":
            continue
        flags = _flags(mechanism, counts, threshold, padded, table)
        draws = table.n if mechanism == "stability" and padded else len(counts)
        words = [dice.bits(table.bits) for _ in range(max(draws, len(counts)))]
        yield _release(about, counts, words, flags, f"counts {list(counts.values())}")
        if draws:
            yield _release(about, counts, [*words, 0], flags | {"LongTape"}, "a word more than is read")
    one = {"b": min(2, table.n), "a": table.n - min(2, table.n)}
    if mechanism == "stability":
        yield from _ties(about, dice)
        if padded and table.n > 2:
            words = [dice.bits(table.bits) for _ in range(table.n - 1)]
            yield _release(about, one, words, {"ShortTape"}, "enough words for the labels, and one too few to pad")
    elif table.n > 2:
        words = [dice.bits(table.bits)]
        yield _release(about, one, words, {"ShortTape"}, "a word too few")
    more = {**one, "z": 1}
    tape = [word_text(table.bits, dice.bits(table.bits)) for _ in range(max(3, table.n if padded else 0))]
    yield refused("counts that sum to n + 1", ["SumAboveN"], labels=list(more), counts=list(more.values()), tape=tape)
    yield refused("a count below 0", ["CountOutOfRange"], labels=["a", "b"], counts=[-1, 1], tape=tape)


def _ties(about: dict[str, Any], dice: Dice) -> Iterator[dict[str, Any]]:
    """The last word that gives the threshold itself, and the first that gives more."""
    table, b = about["table"], about["threshold"]
    for count in (1, min(b + 1, table.n)):
        edge = table.cdf(count, b)  # words below give b or less
        for word, told in ((edge - 1, "just at the threshold"), (edge, "just above the threshold")):
            if 0 <= word < 1 << table.bits:
                rest = [dice.bits(table.bits) for _ in range(table.n - 1 if about["padded"] else 0)]
                yield _release(about, {"a": count}, [word, *rest], {"ThresholdTie"}, f"a noisy count {told}")


def release_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Release."""
    dice = Dice("release")
    small = [of_weights([10, 5, 6], 5), *(t for t in (built(20, mpq(1), 16)[1], built(12, mpq(2), 64)[1]) if t is not None)]
    wide = [t for t in (built(1000, mpq(1), 64)[1], built(10**6, mpq(3), 128)[1], built((1 << 53) + 1, mpq(4), 64)[1]) if t]
    every = [(table, "basic", 0, False) for table in (*small, *wide)]
    every += [(table, "stability", b, padded) for table in small for b in (0, 1, table.n // 2) for padded in (True, False)]
    every += [(table, "stability", 20, False) for table in wide]
    for table, mechanism, threshold, padded in every:
        about = {"table": table, "mechanism": mechanism, "threshold": threshold, "padded": padded}
        names = {"mechanism": mechanism, "threshold": str(threshold), "padded": "yes" if padded else "no"}
        yield {**table.fields, **names}, list(_of_release(about, dice, 60 if large else 5))


# Thresholds


def _threshold(table: Table, delta: mpq, flags: Sequence[str], comment: str) -> dict[str, Any]:
    """The least b in 0..n at which Pr[M(1) > b] is at most delta, by halving."""
    low, high = 0, table.n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _shown(table, middle) <= delta else (middle + 1, high)
    return valid(comment, flags, delta=delta, threshold=low, deltaThere=_shown(table, low))


def _shown(table: Table, b: int) -> mpq:
    """Pr[M(1) > b]."""
    return 1 - mpq(table.cdf(1, b), 1 << table.bits)


def threshold_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Threshold."""
    dice = Dice("threshold")
    for table in tables(large=large):
        yield table.fields, list(_thresholds(table, dice, large=large))


def _thresholds(table: Table, dice: Dice, *, large: bool) -> Iterator[dict[str, Any]]:
    unit, n, h = mpq(1, 1 << table.bits), table.n, len(table.head)
    places = sorted({j for j in (0, 1, 2, h // 2, h, h + 1, n // 2, n - 2, n - 1) if 0 <= j < n})
    for b in places if large or n < 10 else places[:3] + places[-2:]:
        there = _shown(table, b)
        flags = ["ThresholdBorder", *(["ThresholdEnds"] if b in (0, n - 1) else []), *(["Stretch"] if h < b < n - 1 else [])]
        for step, told in ((0, "exactly"), (-1, "one unit below"), (1, "one unit above")):
            delta = there + step * unit
            if 0 < delta < 1:
                yield _threshold(table, delta, flags, f"delta is {told} Pr[M(1) > {b}]")
        if there > unit / 3:
            yield _threshold(
                table, there - unit / 3, [*flags, "DeltaBetween"], f"delta is a third of a unit below Pr[M(1) > {b}]"
            )
    for power in (1, 6, 12, 30) if large else (2, 9):
        yield _threshold(table, mpq(1, 10**power), ["DeltaBetween"], f"delta = 10^-{power}")
    for _ in range(20 if large else 0):
        yield _threshold(table, mpq(1 + dice.bits(40), 1 << (41 + dice.below(table.bits))), ["Basic"], "a random delta")
    yield refused("delta = 0", ["BadParameter"], delta="0")
    yield refused("delta = 1", ["BadParameter"], delta="1")


# Claims


def claim_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Claim: epsilon is the table's, for a replaced row; a row more or less changes one count only."""
    every = [(5, "1", 64), (20, "1/3", 64), (12, "2", 128), (1000, "3", 64)]
    for n, epsilon, bits in [*every, *((n, e, 64) for n in (2, 30, 300) for e in ("1/2", "5/4", "6") if large)]:
        exact = mpq(epsilon)
        ratio, table = built(n, exact, bits)
        if table is None:
            continue
        tests = []
        for neighbours, flag, rows in (("replace-one", "ReplaceOne", 2), ("add-remove", "AddRemove", 1)):
            about = {"neighbours": neighbours, "claimedEpsilon": exact * rows / 2}
            tests.append(
                valid(
                    "a ratio, and delta = 0",
                    [flag],
                    mechanism="basic",
                    threshold=0,
                    **about,
                    claimedRatio=ratio**rows,
                    claimedDelta=0,
                )
            )
            for b in sorted({0, 1, n // 2, n - 1, n}):
                flags = [flag, *(["ThresholdEnds"] if b in (0, n) else [])]
                about["claimedDelta"] = _shown(table, b)
                tests.append(valid(f"threshold {b}", flags, mechanism="stability", threshold=b, **about, claimedRatio=""))
        yield {**table.fields, "epsilon": epsilon, "ratio": str(ratio)}, tests


# Laws


def law_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Law."""
    blank = {"epsilon": "", "gamma": "", "decay": "", "bits": "0"}
    sizes = (1, 2, 3, 6, 12) if large else (1, 3, 6)
    for n in sizes:
        for epsilon in ("1", "1/2", "1/10", "5/3", "4") if large else ("1", "1/10"):
            for bits in (16, 64, 128) if large else (64,):
                ratio = dyadic.ratio_below(epsilon, bits)
                weights = dyadic.table(n, ratio, bits)
                if weights is not None:
                    about = {**blank, "mechanism": "dyadic", "n": str(n), "epsilon": epsilon, "bits": str(bits)}
                    yield about, [_law(c, n, dyadic.law(weights, c)) for c in range(n + 1)]
        for decay in ("1/2", "2/3", "9/10", "1/3") if large else ("2/3",):
            about = {**blank, "mechanism": "geometric", "n": str(n), "decay": decay}
            yield about, [_law(c, n, counting.geometric_mechanism(n, decay, c)) for c in range(n + 1)]
        for epsilon in ("1", "1/3", "1/7") if large else ("1", "1/3"):
            about = {**blank, "mechanism": "geo-sample", "n": str(n), "epsilon": epsilon}
            yield about, [_law(c, n, counting.geo_sample(n, epsilon, c)) for c in range(n + 1)]
    for gamma in ("1/2", "1/16"):
        about = {**blank, "mechanism": "fast-sample", "n": "2", "epsilon": "1", "gamma": gamma}
        yield about, [_law(c, 2, counting.fast_sample(2, "1", gamma, c)) for c in range(3)]


def _law(count: int, n: int, law: Pmf[int]) -> dict[str, Any]:
    flags = ["LawEnds"] if count in (0, n) else ["Basic"]
    return valid(f"the law at the count {count}", flags, count=count, weights=[law.weight(z) for z in range(n + 1)])
