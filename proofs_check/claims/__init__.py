"""All claims, in the order of the papers, as the modules of one table register them; asked for a few, it imports only those.

A new module of claims is one line of the table, a new paper one Section after those of the others.
"""

from collections.abc import Mapping, Set
from typing import NamedTuple

from finitedp.proofs_check.ledger.entry import Entry
from finitedp.proofs_check.ledger.modules import OfEvery, matching, registered_by, written_in

__all__ = ["MODULES", "SECTIONS", "Section", "entries", "find", "in_order", "sections"]


class Section(NamedTuple):
    """A section of a paper, or a subject of our own, and the modules that hold its claims, in order."""

    title: str
    modules: tuple[str, ...]


SECTIONS = (
    Section(
        "BV Section 1: the definition, and what the paper announces",
        (
            "bv.introduction.definition",  # Definition 1.1
            "bv.introduction.theorems",  # Theorems 1.2 and 1.3
            "bv.introduction.sparse_and_compact",  # Theorems 1.4 and 1.6
            "bv.introduction.lower_bound",  # Theorem 1.5
        ),
    ),
    Section(
        "BV Section 2: privacy, accuracy and distributions",
        (
            "bv.foundations.privacy",  # Section 2.1: the definition of privacy
            "bv.foundations.divergence",  # Section 2.1 and 2.3: lemmas on privacy, and distance
            "bv.foundations.accuracy",  # Section 2.2
            "bv.foundations.representations",  # Section 2.2: storage, union bound
            "bv.foundations.pmf",  # Section 2.3: distributions and sampling
        ),
    ),
    Section(
        "BV Section 3: mixing with the uniform law",
        (
            "bv.foundations.mixing",  # Section 3
        ),
    ),
    Section(
        "BV Section 4: counting queries",
        (
            "bv.counting.definitions",  # Section 4: definitions
            "bv.counting.noise",  # Section 4.1: the noise as printed
            "bv.counting.geometric",  # Section 4.1
            "bv.counting.distribution_functions",  # Lemmas 4.9 and 4.12, cost of F
            "bv.counting.geo_sample",  # Theorem 4.7
            "bv.counting.fast_sample",  # Section 4.2
        ),
    ),
    Section(
        "BV Section 5: histograms",
        (
            "bv.histograms.basic",  # Section 5.1: Theorem 5.2
            "bv.histograms.basic_release",  # Theorem 5.3, Figure 3
            "bv.histograms.stability",  # Section 5.2: Theorem 5.5
            "bv.histograms.stability_release",  # Theorem 5.6, Figure 4
            "bv.histograms.figures",  # Figure 2, and lines of Figures 3 and 4
            "bv.histograms.outputs",  # the order of bins, and output lengths, of Sections 5 and 6
            "bv.histograms.footnotes",  # footnotes 2, 4, 5 and 6
            "bv.histograms.any_mechanism",  # Theorems 5.2, 5.5 and 6.2 over any mechanism
        ),
    ),
    Section(
        "BV Section 6: sparse histograms",
        (
            "bv.sparse.keep_heavy",  # Section 6.1: KeepHeavy
            "bv.sparse.order_statistics",  # Section 6.1: OrdSample
            "bv.sparse.sampled_sparse",  # Section 6.1: KH'
            "bv.sparse.convolution",  # Section 6.3: ApproxConvExp
            "bv.sparse.binomial",  # Section 6.3: ApproxBinSample
            "bv.sparse.approx_order_statistics",  # Section 6.3: ApproxOrdSample
            "bv.sparse.histogram",  # Theorem 6.8: SparseHistogram
            "bv.sparse.pure_sparse",  # Theorem 6.10: PureSparseHistogram
            "own.sparse_work",  # our own claim about work at real parameters
            "bv.sparse.accuracy",  # Theorem 6.10 ii and iii
            "own.sparse_strict",  # our own claims about strict coins
            "bv.sparse.pure_release",  # Theorem 6.11, Figure 5
            "own.sparse_release",  # our own instance of Theorem 6.8
        ),
    ),
    Section(
        "BV Section 7: lower bounds",
        (
            "bv.lower_bounds.measured",  # Section 7: exact deltas and errors
            "bv.lower_bounds.bounds",  # Section 7
            "bv.lower_bounds.optimal",  # Section 7: the best mechanisms, better constants
        ),
    ),
    Section(
        "BV Section 8: compact histograms",
        (
            "bv.compact.field",  # Section 8.1: the field and its polynomials
            "bv.compact.empty_bins",  # Section 8.3: the empty-bin sampler
            "bv.compact.histogram",  # Section 8.2: CompactHistogram
            "bv.compact.bounds",  # Theorem 8.3 at real parameters
            "bv.compact.costs",  # costs of Section 8
            "bv.compact.release",  # Theorem 8.6, Figure 6
        ),
    ),
    Section(
        "BV Figures 3 to 6: running times, measured",
        (
            "bv.times.figures",  # the time columns
        ),
    ),
    Section(
        "BV Appendix A: distinct elements",
        (
            "bv.sparse.distinct",  # Appendix A
        ),
    ),
    Section(
        "BV errata: the text as printed, and its repair",
        (
            "bv.counting.errata",  # literal text and its repair
            "bv.sparse.errata",  # the same, Section 6
            "bv.lower_bounds.errata",  # the same, Section 7
            "bv.compact.errata",  # the same, Section 8
        ),
    ),
    Section(
        "PH Sections 1 to 3, Appendices A and B: anonymized histograms and their distance",
        (
            "ph.introduction",  # Sections 2 to 4: groups, sizes, naive noise
            "ph.definitions",  # Section 2.1 and Appendix A: definitions, moments of the noise
            "ph.distance",  # Section 2.2 and Appendix B: Lemmas 1, 3 and 4
            "ph.removal",  # Lemmas 5 and 6; the example and the cases of C.1
        ),
    ),
    Section(
        "PH Section 4 and Appendix C: PrivHist and its privacy",
        (
            "ph.total",  # step 1, Lemmas 2 and 7
            "ph.composition",  # Theorem 3
            "ph.split",  # step 2, Lemma 8
            "ph.smoothing",  # steps H1 to H4, Lemma 9
            "ph.post_processing",  # steps L1 to L4, H5 and H6
            "ph.theorem_one",  # Theorem 1, privacy, by parts
            "ph.running.law",  # the running code: its law
            "ph.running.private",  # the running code: worst ratios at real tables
            "ph.running.promised",  # the running code: what is public, words and bits
        ),
    ),
    Section(
        "PH Appendices D to F: utility, the lower bound, estimates",
        (
            "ph.utility",  # Section D.1: (8) to (13)
            "ph.smoothing_utility",  # Section D.2: (14) to (18)
            "ph.measured",  # Theorem 1, utility and time; the size of S
            "ph.lower_bound",  # Appendix E: Lemma 10, Theorem 2
            "ph.estimation",  # Appendix F: Corollary 1
            "ph.properties",  # estimates by the running code; certificates
        ),
    ),
    Section(
        "GK Section 4, Appendices A to D: anonymized histograms from noisy counts",
        (
            "gk.hashing",  # Section 4 and Appendix A: Phi_B, Lemmas 14 and 20, Observation 19
            "gk.variance",  # Lemma 16; a first hash
            "gk.estimator",  # f, g, footnote 9, corners and bias
            "gk.spread",  # Observation 11 and Theorem 9, two noises, a sum of Theorem 25
            "gk.algorithm_5",  # Algorithm 5
            "gk.references",  # Algorithms 2, 3, 4 and 7
            "gk.recovery",  # Lemma 27 and (11) to (13)
            "gk.levels",  # Theorem 25, by Lemma 27
            "gk.theorems",  # Theorems 21, 22, 25: steps and bounds
            "gk.properties",  # Theorem 17; the second estimator of Corollary 23; how 24 follows
            "gk.corollaries",  # Corollaries 18, 23, 24, 26
            "gk.measured",  # Theorems 21 and 25: growth
            "gk.keyed",  # the hash that buckets labels
        ),
    ),
    Section(
        "GK Section E: pan-privacy",
        (
            "gk.pan_private",  # Section E: its two claims, estimates
            "gk.register",  # the running register
        ),
    ),
    Section(
        "FA Section 2: lossy Wasserstein distances",
        (
            "fa.wasserstein",  # Section 2, Appendices A.1 and A.2
            "fa.generalised",  # Appendix A.3
        ),
    ),
    Section(
        "FA Sections 3 and 4: flexible accuracy, and what composes",
        (
            "fa.distortions",  # Definition 2, Appendices I and K
            "fa.composition",  # Section 4, Appendices C and D
            "fa.privacy",  # Section 4.1, Appendix E
        ),
    ),
    Section(
        "FA Section 5: mechanisms",
        (
            "fa.empty_set",  # Section 5.1: (9), and the noise of Algorithm 1
            "fa.histograms",  # Theorem 3, Appendix F
            "fa.buckets",  # Theorem 4, Appendices G and J
            "fa.transport",  # Appendix G: Lemma 11
            "fa.released",  # Theorems 3 to 6, Corollaries 2 and 3: privacy
            "fa.statistics",  # Section 5.2, Appendices H and I
            "fa.parameters",  # Remark 2, Appendix H.4
            "fa.between",  # footnotes, (6), and what proofs say on the way
        ),
    ),
    Section(
        "Our own: flexible accuracy on integer tables",
        (
            "own.flexible.table",  # the running code, and its exact delta
            "own.flexible.best",  # the best tables
            "own.flexible.accuracy",  # rows that are left out, flexible sets, statistics
            "own.flexible.stated",  # what every statistic states, splits
            "own.flexible.grids",  # the widths of buckets in several dimensions
            "own.flexible.level_maximum",  # the maximum with the least delta, in integers
            "own.flexible.answered",  # finitedp.statistic, of no rows too
            "own.flexible.real",  # whole arrays, tables at real parameters
            "own.flexible.extreme",  # the maximum: what no mechanism beats
            "own.flexible.certificates",  # certificates of distances and tables
            "own.flexible.competitors",  # what the experiments compare with
            "own.flexible.choosing",  # the choosing mechanism, exactly
            "own.flexible.smooth_laplace",  # smooth sensitivity with a delta
        ),
    ),
    Section(
        "Our own: random bits, and time",
        (
            "own.coins",  # our own claims about random bits
            "own.growth",  # how the lines executed grow, for every statement on time
        ),
    ),
    Section(
        "Our own: real sizes",
        (
            "own.labels",  # universes of labels: bijections
            "own.label_rows",  # one row is one unit of one count
            "own.shapes",  # labels of several columns, bins, one for all other values
            "own.real_size",  # many labels, counts beyond 2^53
            "own.real_size_sparse",  # universes of 2^64 labels
        ),
    ),
    Section(
        "Our own: privacy units and budgets",
        (
            "own.units.costs",  # what all rows of a unit cost
            "own.units.bounding",  # which of them count, and the law of a release
            "own.units.labels",  # labels of several columns, bins, before rows are chosen
            "own.units.shifted",  # one-sided noise for a unit
            "own.units.statistics",  # statistics of it
            "own.units.numbers",  # numbers of rows and sums of a unit
            "own.budgets",  # what a budget lets through, and its file
            "own.budget_slots",  # the same of slots: tight composition
        ),
    ),
    Section(
        "Our own: dyadic tables",
        (
            "own.dyadic.table",  # our own mechanism: dyadic tables
            "own.dyadic.refusals",  # the same: refusals, sizes, distances
            "own.dyadic.real",  # the same: at real parameters, with certificates
            "own.dyadic.release",  # the same: the running code
            "own.dyadic.histograms",  # the same: BasicHistogram and StabilityHistogram on it
            "own.dyadic.histogram_release",  # the same: accuracy, and whole arrays
            "own.dyadic.add_remove",  # the same, for a row more or less
            "own.dyadic.add_remove_release",  # the same: finitedp.release, of any number of rows
            "own.dyadic.compact",  # the same: CompactHistogram on dyadic tables
            "own.dyadic.compact_release",  # the same: strict coins, cost, accuracy, files
        ),
    ),
    Section(
        "Our own: divergences, curves, and what releases cost together",
        (
            "own.divergences",  # divergences of laws, known in part too, and of several runs
            "own.accounting.pairs",  # dominating pairs: of tables, of bins
            "own.accounting.claims_alone",  # the same of claims, and many of them
            "own.accounting.lattice",  # laws of losses on a lattice, in integers
            "own.accounting.products",  # their products, and what is cut off
            "own.accounting.composing",  # domination and products, finitedp.compose
        ),
    ),
    Section(
        "Our own: pipelines, whose noise is that of ideal primitives",
        (
            "own.pipelines.shifts",  # shifts of Laplace, exponential and Gumbel draws, functions of draws, merging, witnesses
            "own.pipelines.normal",  # the same of normal draws, beside others
            "own.pipelines.bounded",  # numbers of which a bound is declared
        ),
    ),
    Section(
        "Our own: sums of clipped values, numbers of rows",
        (
            "own.totals.groups",  # counts that differ by several
            "own.totals.bounds",  # what a row changes, numbers of rows, steps
            "own.totals.law",  # BoundedTotal: its law, its privacy, its error
            "own.totals.release",  # finitedp.total and finitedp.count
        ),
    ),
    Section(
        "Our own: a pure sparse histogram in linear time",
        (
            "own.blanket.law",  # BlanketHistogram: its law, by steps and of the running code
            "own.blanket.real_labels",  # the same: at 2^64 labels and more
            "own.blanket.private",  # the same: exact privacy, and what its certificate needs
            "own.blanket.work",  # the same: draws
            "own.blanket.arrays",  # the same: whole arrays
            "own.blanket.accuracy",  # the same: how rarely it withholds, its errors
            "own.blanket.certificates",  # the same: how plans are chosen, what is refused
            "own.blanket.skewed",  # the same: on a table for replaced rows
            "own.blanket.skewed_refusals",  # the same: which tables are certified
        ),
    ),
    Section(
        "Our own: sums of noisy counts",
        (
            "own.sums",  # error bars of sums
        ),
    ),
    Section(
        "Our own: proofs for all parameters",
        (
            "own.proofs.counting",  # GeoSample, FastSample, the empty-bin sampler, strict coins
            "own.proofs.laws",  # mixing, packing, composition
            "own.proofs.dyadic",  # dyadic tables of any n
            "own.proofs.histograms",  # BasicHistogram and StabilityHistogram over any mechanism
        ),
    ),
)
"""The one table: which sections there are, which modules hold their claims, and the order of both."""

MODULES = tuple(module for section in SECTIONS for module in section.modules)


def entries() -> Mapping[str, Entry]:
    """All entries by id, in the order of the table. Raises: ValueError where the table and what was registered differ."""
    return OfEvery(MODULES, lambda entry: entry)


def sections() -> Mapping[str, str]:
    """The title of the section of every claim, by id, in the order of the table."""
    title = {f"{__name__}.{module}": section.title for section in SECTIONS for module in section.modules}
    return OfEvery(MODULES, lambda entry: title[entry.module])


def in_order(chosen: Set[str]) -> list[Entry]:
    """The entries of some ids, in the order of the table."""
    modules = [module for module in MODULES if not written_in(module).isdisjoint(chosen)]
    return [entries()[id] for module in modules for id in registered_by(module) if id in chosen]  # noqa: A001  # the field's name


def find(*patterns: str) -> list[Entry]:
    """The entries whose id matches one of the shell-style patterns, or starts with one at a dot, in the order of the table.

    It imports the modules alone in whose sources such ids are written. Raises: ParameterError where a pattern matches none.
    """
    return in_order({id for pattern in patterns for id in matching(MODULES, pattern)})  # noqa: A001  # the field's name
