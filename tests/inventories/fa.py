"""Bansal, Chunduru, Data and Prabhakaran, Flexible Accuracy: what the text states, and the entries that speak of it."""

from tests.inventories.rows import Paper, Row

_DEFINITION = "a definition alone"
_PICTURE = "a picture, which states nothing"
_EXPERIMENT = "an experiment: [computed exactly](flexible_experiments.md)"
_LOST = "not in the copy at hand"

_ROWS = (
    # Section 1
    Row("Footnote 1", "all datasets with a low maximum have a high local sensitivity", "Fn3"),
    Row("Section 1", "the maximum of a noisy histogram is not accurate", remark="in words"),
    Row("Footnote 2", "which rows are dropped", remark="in words"),
    Row("Section 1", "neighbours along n + 1 histograms: probabilities that differ by 1/n", "FD.Extreme.bound"),
    Row("Section 1", "the maximum is (epsilon, epsilon e^(-Omega(epsilon alpha n)))-DP", "Cor2.i"),
    Row("Section 1", "two choices of epsilon and alpha", "Sec1"),
    Row("Footnote 3", "the sensitivity of the maximum is B"),
    # Section 2
    Row("Footnote 4", "random variables and their laws", remark="a notation"),
    Row("Definition 1", "the lossy infinity-Wasserstein distance"),
    Row("(1)", "its formula", "Def1"),
    Row("Section 2", "it generalises PAC guarantees and total variation", "Lem6 Lem7"),
    Row("Lemma 1", "the triangle inequality"),
    Row("(2)", "its formula", "Lem1"),
    # Section 3
    Row("Definition 2", "measures of distortion"),
    Row("(3)", "drop", "Def2"),
    Row("Footnote 5", "drop is a quasi-metric", "Def2.drop"),
    Row("Definition 3", "(alpha, beta, gamma)-accuracy"),
    Row("(4)", "its formula", "Def3"),
    Row("Figure 1", "accuracy and sensitivities as a game", remark=_PICTURE),
    Row("Section 3", "the Laplace mechanism is (0, (sensitivity/epsilon) ln(1/gamma), gamma)-accurate", "Sec3.laplace"),
    Row("Section 3", "usefulness does not apply to the maximum; flexible accuracy generalises it", remark="in words"),
    # Section 4
    Row("Definition 4", "distortion sensitivity; sigma_f(0) = 0"),
    Row("(5)", "its formula", "Def4"),
    Row("(6)", "for a bijection", "Def4"),
    Row("Definition 5", "error sensitivity"),
    Row("(7)", "its formula", "Def5"),
    Row("Remark 1", "an accurate mechanism has beta = tau(0, 0)"),
    Row("Figure 2", "composition as a game", remark=_PICTURE),
    Row("Theorem 1", "composition", parts="lossy"),
    Row("Section 4", "points suffice for deterministic M1 and f1", "Def5"),
    Row("Lemma 2", "deterministic M2 and f2"),
    Row("(8)", "its formula", "Lem2"),
    Row("Section 4.1", "post-processing", "BV.Lem2.2"),
    Row("Theorem 2", "pre-processing"),
    # Section 5
    Row("(9)", "is a set empty", parts="optimal"),
    Row("Section 5.1", "the constraints on p_k", "Eq9"),
    Row("Section 5.1", "the density sigma", "Alg1.noise"),
    Row("Footnote 6", "the Laplace law", remark=_DEFINITION),
    Row("Algorithm 1", "the shifted, truncated Laplace mechanism"),
    Row("Theorem 3", "its privacy and accuracy", parts="i ii rate one-bar"),
    Row("Remark 2", "epsilon = 1/sqrt(tau n), and tau = 1/sqrt(n)", parts="accuracy"),
    Row("Algorithm 2", "buckets"),
    Row("Footnote 7", "d dimensions", "Alg4 Rem5"),
    Row("Algorithm 3", "the mechanism behind buckets"),
    Row("Section 5.1", "d_hist is a metric", "dhist"),
    Row("Theorem 4", "its accuracy and privacy", parts="i ii"),
    Row("(10)", "a statistic of the released histogram", "Thm5"),
    Row("Definition 6", "metric sensitivity"),
    Row("(11)", "its formula, with d_hist < beta", "Def6", remark="the entry has <=, which beta = 0 needs: compare Lemma 2"),
    Row("Theorem 5", "statistics", parts="i ii"),
    Row("Section 5.2", "the metric sensitivities of the maximum and the support", "Def6"),
    # Section 6
    Row("Section 6", "which mechanisms are compared", "FD.Compare"),
    Row("Figure 3", "four experiments", remark=_EXPERIMENT),
    # Appendix A
    Row("Lemma 3", "the triangle inequality without loss"),
    Row("(12)", "Lemma 1 again", "Lem1"),
    Row("Lemma 4", "the loss may be split"),
    Row("Claim 1", "the distance by laws nearby"),
    Row("(13)", "its formula", "Claim1"),
    Row("Claim 2", "the second marginal"),
    Row("(14)", "in the proof of Claim 2", "Claim2", remark=_LOST),
    Row("Definition 7", "the average distance"),
    Row("(15)", "its formula", "Def7"),
    Row("Lemma 5", "both distances"),
    Row("Lemma 6", "PAC guarantees"),
    Row("(16)", "in the proof of Lemma 6", "Lem6", remark=_LOST),
    Row("Lemma 7", "total variation"),
    # Appendix B
    Row("Appendix B", "usefulness without perturbation is (0, beta, gamma)-accuracy", "Lem6"),
    Row("Appendix B", "a rotated half-space is moved data", "AppB"),
    # Appendix C
    Row("(17)", "distortion sensitivity of a bijection", "Eq6 Def4"),
    Row("Appendix C.1", "that of the identity is at most alpha", "Def4"),
    Row(
        "(18)", "a relaxed definition, with which all results hold", remark="a definition; the results are not stated with it"
    ),
    Row("Appendix C.3", "two special cases of error sensitivity", "Def5 Lem2"),
    # Appendix D
    Row("Lemma 8", "distortion sensitivity of random inputs"),
    Row("(19) to (21)", "in its proof", "Lem8"),
    Row("(22) to (29)", "in the proof of Theorem 1", "Thm1"),
    # Appendix E
    Row("Definition 8", "differential privacy"),
    Row("Definition 9", "neighbourhood-preserving mechanisms"),
    # Appendix F
    Row("Lemma 9", "privacy of Algorithm 1"),
    Row("(30) to (33)", "both directions, and the densities", "Lem9"),
    Row("Claim 3", "ratios of densities"),
    Row("Claim 4", "the last part"),
    Row("Corollary 1", "nu = 0"),
    Row("proof of Corollary 1", "its condition implies that of Lemma 9", "Cor1.proof"),
    Row("Remark 3", "nu = 1"),
    Row("(34)", "the condition of Claim 5", "Claim5"),
    Row("(35)", "the ratio at one bar", "Claim3"),
    Row("Claim 5", "the condition, solved for n"),
    Row("proof of Claim 4", "the integral", "Claim4.proof"),
    Row("Lemma 10", "nu > 0"),
    Row("proof of Lemma 10", "the bound falls with tau, with the limit 1/(e^(epsilon nu) - 1)", "Lem10.proof"),
    # Appendix G
    Row("Appendix G", "buckets preserve neighbours", "Thm4.neighbours"),
    Row("Claim 6", "accuracy of buckets"),
    Row("Lemma 11", "error sensitivity of Algorithm 1"),
    Row("(36)", "the optimal coupling", "Claim7"),
    Row("Claim 7", "the image of a distorted histogram"),
    Row("Claim 8", "its distortion"),
    Row("Claim 9", "its distance"),
    Row("(37)", "how much is kept", "Claim7"),
    Row("Claim 10", "d_hist of z and its image"),
    # Appendix H
    Row("Appendix H.1", "Theorem 5 by Theorems 1 and 4", "Thm5", remark="the arguments of tau are swapped in the text"),
    Row("Corollary 2", "the maximum", parts="i ii"),
    Row("Corollary 3", "the support", parts="i ii"),
    Row("Appendix H.3", "d_supp by the ends", "Cor3.distance"),
    Row("Appendix H.4", "epsilon = 1/sqrt(tau n): rows dropped, delta", "H4.rows Rem2"),
    Row("Appendix H.4", "epsilon = 1/(log n)^2", "H4.logarithm"),
    Row("Appendix H.4", "epsilon = 0.1, tau = n^(-c)", "H4.constant"),
    # Appendix I
    Row("(38)", "move", "Def2"),
    Row("(39)", "drmv", "Def2"),
    Row("Theorem 6", "statistics with respect to drmv", parts="i ii"),
    Row("Remark 4", "no metric sensitivity is needed"),
    Row("Remark 5", "d dimensions"),
    Row("Claim 11", "move is a metric"),
    Row("Lemma 12", "moves and drops change places"),
    Row("(40)", "a coupling", "Lem12.proof"),
    Row("Claim 12", "drmv is a quasi-metric"),
    # Appendices J and K
    Row("Algorithm 4", "cubes"),
    Row("Algorithm 5", "the mechanism behind cubes"),
    Row("Claim 13", "accuracy of cubes"),
    Row("Appendix J", "tau = alpha (2 beta/(B sqrt(d)))^d", "Rem5"),
    Row("Lemma 13", "distortions of random inputs"),
    # Appendix L
    Row("Footnote 8", "100 data sets, 100 runs each", remark=_EXPERIMENT),
    Row("Footnote 9", "an earlier talk", remark="about another text"),
    Row("Appendix L", "Encode-Shuffle-Analyze behaves alike", remark="another paper's mechanism, which is not built here"),
    Row("Appendix L.1", "six experiments, delta = 2^-20, distortion 0.005", "FD.Compare", remark=_EXPERIMENT),
    Row("Figure 4", "which mechanisms are better where", remark=_EXPERIMENT),
    Row("Appendix L.2", "the exponential mechanism", "FD.Compare.exponential"),
    Row("Appendix L.2", "propose-test-release", "FD.Compare.ptr"),
    Row("Appendix L.2", "smooth sensitivity", "FD.Compare.smooth FD.Compare.smooth-laplace"),
    Row("Appendix L.2", "the stability-based histogram", "FD.Compare.stability"),
    Row("Appendix L.2", "the choosing-based histogram; its alpha is cited", "FD.Compare.choosing FD.Compare.choice"),
)

PAPER = Paper(
    "FA",
    "inventory_fa.md",
    "Flexible accuracy, statement by statement",
    """Every numbered statement, equation, algorithm, figure and footnote of Bansal, Chunduru, Data and Prabhakaran, *Flexible
Accuracy for Differential Privacy*, and what the text claims between them, in its order.""",
    _ROWS,
)
