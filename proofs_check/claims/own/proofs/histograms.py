"""BasicHistogram, StabilityHistogram and finitedp.release over any private counting mechanism, from the code that ships."""

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.proofs import Edit, Named, proved, rechecked

BASIC = "finitedp.impl.histograms.basic"
STABILITY = "finitedp.impl.histograms.stability"
DYADIC = "finitedp.impl.histograms.dyadic"
RELEASING = "finitedp.data.drawing"
ANY_ROWS = (
    "every counting mechanism that is private as it claims, every n, every dataset of any number of rows, none included, "
    "every pair of which one has a row more, every set of outputs"
)
OVER = (
    "every counting mechanism that is private as it claims, every n, every dataset that the code accepts, every pair that "
    "differs in one row, every set of outputs"
)


def _edits(module: str, **edits: tuple[str, str]) -> dict[str, Edit]:
    return {name.replace("_", " "): Edit(module, old, new) for name, (old, new) in edits.items()}


@proved(
    "BV.Thm5.2.i.all",
    "theorem",
    """BasicHistogram over any counting mechanism with worst ratio R has worst ratio at most R^2 for datasets that differ in
    one row; so it claims, on exact draws: (2 epsilon, 0) where the mechanism claims (epsilon, 0).""",
    over=f"{OVER}; every list of distinct labels, of any universe",
    code=[f"{BASIC}.BasicHistogram"],
    proof="BasicHistogram",
    twins=_edits(
        BASIC,
        epsilon_of_one_bin=("2 * one.epsilon", "one.epsilon"),
        ratio_of_one_bin=("one.ratio**2", "one.ratio"),
        twice_the_ratio=("one.ratio**2", "one.ratio * 2"),
        a_row_counts_twice=("release(counts.get(label, 0)", "release(counts.get(label, 0) + counts.get(label, 0)"),
        a_label_without_rows_counts_as_one=("found.get(label, 0)", "found.get(label, 1)"),
        true_counts=(
            "(label, self.mechanism.release(counts.get(label, 0), coins))",
            "(label, counts.get(label, 0))",
        ),
        one_draw_for_all=(
            "return tuple((label, self.mechanism.release(counts.get(label, 0), coins)) for",
            "drawn = self.mechanism.release(0, coins)\n        return tuple((label, drawn) for",
        ),
        only_labels_with_rows=("for label in self.labels)", "for label in self.labels if counts.get(label, 0))"),
        heaviest_first=("for label in self.labels)", "for label in counts)"),
        noise_at_twice_the_count=("release(counts.get(label, 0), coins)", "release(2 * counts.get(label, 0), coins)"),
    ),
)
@proved(
    "BV.Thm5.5.i.all",
    "theorem",
    """StabilityHistogram over any counting mechanism with worst ratio R is (2 ln R, delta)-differentially private for
    datasets that differ in one row, with delta = Pr[M(1, U) > b]; so it claims, on exact draws.""",
    over=f"{OVER}; every threshold b, every universe, padded or not",
    code=[f"{STABILITY}.StabilityHistogram"],
    proof="StabilityHistogram",
    twins=_edits(
        STABILITY,
        counts_equal_to_b_are_kept=("if count > self.b)", "if count >= self.b)"),
        no_threshold=(" for label, count in noisy if count > self.b)", " for label, count in noisy)"),
        threshold_on_true_counts=(
            "for label, count in noisy if count > self.b)",
            "for label, count in noisy if present[label] > self.b)",
        ),
        delta_at_0=("self.mechanism.cdf(1, self.b)", "self.mechanism.cdf(0, self.b)"),
        delta_of_another_threshold=("self.mechanism.cdf(1, self.b)", "self.mechanism.cdf(1, self.b + 1)"),
        epsilon_of_one_bin=("PrivacyClaim(2 * one.epsilon", "PrivacyClaim(one.epsilon"),
        delta_left_out=("min(self.delta() * slack, mpq(1))", "mpq(0)"),
        in_order_of_first_rows=("for label in _in_order(present))", "for label, _ in present.items())"),
        labels_without_rows_too=("in counts.items() if count}", "in counts.items()}"),
        one_draw_for_all=(
            "noisy = tuple((label, self.mechanism.release(present[label], coins)) for",
            "drawn = self.mechanism.release(1, coins)\n        noisy = tuple((label, drawn) for",
        ),
    ),
)
@proved(
    "FD.Release.basic.all",
    "own",
    """The release of a whole universe (data.drawing._basic), for labels and a table that are fixed, from counts to what it
    returns, is (epsilon, 0)-differentially private for datasets that differ in one row, with worst ratio at most
    R^2, over any mechanism with worst ratio R at epsilon/2 whose arrays draw for each element by itself.""",
    over=f"{OVER}; every universe; release_array and LabelCounts.dense are trusted without proof, as recorded",
    code=[f"{RELEASING}._basic", f"{BASIC}.BasicHistogram.claim"],
    proof="BasicHistogram_on_arrays",
    twins=_edits(
        RELEASING,
        true_counts=("release_array(mechanism, found.dense(labels, column), source)", "found.dense(labels, column)"),
        the_number_of_rows=("source.name, len(labels))", "source.name, found.rows)"),
        the_number_of_labels_that_occur=("source.name, len(labels))", "source.name, len(found.labels))"),
        labels_that_occur=("NoisyHistogram(labels, noisy", "NoisyHistogram(found.labels, noisy"),
    ),
)
@proved(
    "FD.Release.stability.all",
    "own",
    """The release above a threshold (data.drawing._stability), for a table and b that are fixed, from counts to what it
    returns, is (epsilon, delta)-differentially private for datasets that differ in one row, over any mechanism
    with worst ratio R at epsilon/2 whose arrays draw for each element by itself, where Pr[M(1) > b] <= delta.""",
    over=f"{OVER}; release_array, _noise, _sorted and _checked are trusted without proof, as recorded",
    code=[f"{RELEASING}._stability", "finitedp.impl.histograms.dyadic.stability_release_array"],
    proof="StabilityHistogram_on_arrays",
    twins=_edits(
        DYADIC,
        counts_equal_to_b_are_kept=("kept = noisy > histogram.b", "kept = noisy >= histogram.b"),
        threshold_on_true_counts=("kept = noisy > histogram.b", "kept = whole[present] > histogram.b"),
        true_counts_of_what_is_kept=("present[kept], noisy[kept]", "present[kept], whole[present][kept]"),
        places_of_another_array=("_noise(histogram, whole[present], source)", "_noise(histogram, whole, source)"),
    )
    | _edits(
        RELEASING,
        in_the_order_of_the_counts=(
            "_sorted(tuple(found.labels[i] for i in places.tolist()), noisy)",
            "tuple(found.labels[i] for i in places.tolist()), noisy",
        ),
        draws_for_labels_that_occur=("histogram.draws())", "len(places))"),
        epsilon_of_one_bin=("evolve(histogram.claim(None), delta", "evolve(mechanism.claim(None), delta"),
    ),
)
@proved(
    "FD.Release.basic.add-remove.all",
    "own",
    """The release of a whole universe for add-remove (data.drawing._basic_add_remove), for labels and a table that are fixed,
    from counts to what it returns, is (epsilon, 0)-differentially private for a row more or less, with worst ratio at most R,
    over any mechanism with worst ratio R at epsilon whose arrays draw for each element by itself.""",
    over=f"{ANY_ROWS}; every universe; release_array, LabelCounts.dense and _at_most are trusted without proof, as recorded",
    code=[f"{RELEASING}._basic_add_remove", f"{BASIC}.BasicHistogram.add_remove_claim"],
    proof="BasicHistogram_add_remove",
    twins=_edits(
        RELEASING,
        true_counts=(
            "noisy = release_array(mechanism, _at_most(found.dense(labels, column), mechanism), source)",
            "noisy = _at_most(found.dense(labels, column), mechanism)",
        ),
        said_of_a_replaced_row=(
            "claim, bars = histogram.add_remove_claim(None), histogram.accuracy(beta)",
            "claim, bars = histogram.claim(None), histogram.accuracy(beta)",
        ),
        other_neighbours_beside_the_claim=(
            'source.name, len(labels), neighbours="add-remove"',
            'source.name, len(labels), neighbours="replace-one"',
        ),
        the_number_of_rows=(
            'source.name, len(labels), neighbours="add-remove"',
            'source.name, found.rows, neighbours="add-remove"',
        ),
    )
    | _edits(
        BASIC,
        half_of_epsilon=(
            'PrivacyClaim(one.epsilon, "add-remove", one.delta',
            'PrivacyClaim(mpq(one.epsilon, 2), "add-remove", one.delta',
        ),
    ),
)
@proved(
    "FD.Release.stability.add-remove.all",
    "own",
    """The release above a threshold for add-remove (data.drawing._stability_add_remove), for a table and b that are fixed,
    from counts to what it returns, is (epsilon, delta)-differentially private for a row more or less, over any mechanism with
    worst ratio R at epsilon whose arrays draw for each element by itself, where Pr[M(1) > b] <= delta.""",
    over=f"{ANY_ROWS}; release_array, _noise, _sorted and _clamped are trusted without proof, as recorded",
    code=[f"{RELEASING}._stability_add_remove", f"{DYADIC}.stability_release_clamped"],
    proof="StabilityHistogram_add_remove",
    twins=_edits(
        DYADIC,
        a_sum_above_n_is_refused=("whole = _clamped(histogram, counts)", "whole = _checked(histogram, counts)"),
        counts_as_they_are=("whole = _clamped(histogram, counts)", "whole = counts"),
    )
    | _edits(
        RELEASING,
        said_of_a_replaced_row=("evolve(histogram.add_remove_claim(None), delta", "evolve(histogram.claim(None), delta"),
        draws_for_labels_that_occur=("delta=delta), histogram.draws()\n", "delta=delta), len(places)\n"),
    )
    | _edits(
        STABILITY,
        half_of_epsilon=('PrivacyClaim(one.epsilon, "add-remove"', 'PrivacyClaim(mpq(one.epsilon, 2), "add-remove"'),
        delta_left_out=(
            "one, delta = self.mechanism.claim(coins), self.claim(coins).delta",
            "one, delta = self.mechanism.claim(coins), mpq(0)",
        ),
    ),
)
def histograms(edit: Edit | None, named: Named) -> Finding:
    return rechecked(edit, named)
