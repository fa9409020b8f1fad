"""All claims, in the order of the papers: importing this module fills the ledger."""

from finitedp.proofs_check import divergence  # noqa: F401, I001  # Section 2.1 and 2.3: privacy and distance
from finitedp.proofs_check import accuracy  # noqa: F401  # Section 2.2
from finitedp.proofs_check import pmf  # noqa: F401  # Section 2.3: distributions and sampling
from finitedp.proofs_check import mixing  # noqa: F401  # Section 3
from finitedp.proofs_check import counting  # noqa: F401  # Section 4: definitions
from finitedp.proofs_check import geometric  # noqa: F401  # Section 4.1
from finitedp.proofs_check import distribution_functions  # noqa: F401  # Lemmas 4.9 and 4.12, cost of F
from finitedp.proofs_check import geo_sample  # noqa: F401  # Theorem 4.7
from finitedp.proofs_check import fast_sample  # noqa: F401  # Section 4.2
from finitedp.proofs_check import histogram  # noqa: F401  # Section 5.1: Theorem 5.2
from finitedp.proofs_check import histogram_release  # noqa: F401  # Theorem 5.3, Figure 3
from finitedp.proofs_check import stability  # noqa: F401  # Section 5.2: Theorem 5.5
from finitedp.proofs_check import stability_release  # noqa: F401  # Theorem 5.6, Figure 4
from finitedp.proofs_check import sparse  # noqa: F401  # Section 6.1: KeepHeavy
from finitedp.proofs_check import order_statistics  # noqa: F401  # Section 6.1: OrdSample
from finitedp.proofs_check import sampled_sparse  # noqa: F401  # Section 6.1: KH'
from finitedp.proofs_check import convolution  # noqa: F401  # Section 6.3: ApproxConvExp
from finitedp.proofs_check import binomial  # noqa: F401  # Section 6.3: ApproxBinSample
from finitedp.proofs_check import approx_order_statistics  # noqa: F401  # Section 6.3: ApproxOrdSample
from finitedp.proofs_check import sparse_histogram  # noqa: F401  # Theorem 6.8: SparseHistogram
from finitedp.proofs_check import pure_sparse  # noqa: F401  # Theorem 6.10: PureSparseHistogram
from finitedp.proofs_check import sparse_work  # noqa: F401  # our own claim about work at real parameters
from finitedp.proofs_check import sparse_accuracy  # noqa: F401  # Theorem 6.10 ii and iii
from finitedp.proofs_check import sparse_strict  # noqa: F401  # our own claims about strict coins
from finitedp.proofs_check import pure_sparse_release  # noqa: F401  # Theorem 6.11, Figure 5
from finitedp.proofs_check import sparse_release  # noqa: F401  # our own instance of Theorem 6.8
from finitedp.proofs_check import lower_bounds_measured  # noqa: F401  # Section 7: exact deltas and errors
from finitedp.proofs_check import lower_bounds  # noqa: F401  # Section 7
from finitedp.proofs_check import field  # noqa: F401  # Section 8.1: the field and its polynomials
from finitedp.proofs_check import empty_bins  # noqa: F401  # Section 8.3: the empty-bin sampler
from finitedp.proofs_check import compact  # noqa: F401  # Section 8.2: CompactHistogram
from finitedp.proofs_check import compact_bounds  # noqa: F401  # Theorem 8.3 at real parameters
from finitedp.proofs_check import compact_costs  # noqa: F401  # costs of Section 8
from finitedp.proofs_check import compact_release  # noqa: F401  # Theorem 8.6, Figure 6
from finitedp.proofs_check import distinct  # noqa: F401  # Appendix A
from finitedp.proofs_check import errata  # noqa: F401  # literal text and its repair
from finitedp.proofs_check import sparse_errata  # noqa: F401  # the same, Section 6
from finitedp.proofs_check import lower_bounds_errata  # noqa: F401  # the same, Section 7
from finitedp.proofs_check import compact_errata  # noqa: F401  # the same, Section 8
from finitedp.proofs_check import coins  # noqa: F401  # our own claims about random bits
from finitedp.proofs_check import dyadic  # noqa: F401  # our own mechanism: dyadic tables
from finitedp.proofs_check import dyadic_tables  # noqa: F401  # the same: refusals, sizes, distances
from finitedp.proofs_check import dyadic_real  # noqa: F401  # the same: at real parameters, with certificates
from finitedp.proofs_check import dyadic_release  # noqa: F401  # the same: the running code
from finitedp.proofs_check import dyadic_histograms  # noqa: F401  # the same: BasicHistogram and StabilityHistogram on it
from finitedp.proofs_check import dyadic_histogram_release  # noqa: F401  # the same: accuracy, and whole arrays
from finitedp.proofs_check import dyadic_compact  # noqa: F401  # the same: CompactHistogram on dyadic tables
from finitedp.proofs_check import dyadic_compact_release  # noqa: F401  # the same: strict coins, cost, accuracy, files
