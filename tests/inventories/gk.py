"""Ghazi, Kamath, Kumar and Manurangsi, the appendix: what the text states, and the entries that speak of it."""

from tests.inventories.rows import Paper, Row

_ASYMPTOTIC = "asymptotic: no constant is stated"
_MAIN = "stated in the main text, which is not at hand"

_ROWS = (
    # What the appendix uses of the main text
    Row("(1)", "the function f of Algorithm 1, an unbiased estimate", "f"),
    Row("Algorithm 1", "cumulative prevalences, and the nearest histogram", "phihat"),
    Row("Algorithm 2", "the same behind a hash"),
    Row("Theorem 9", "E||n^ - n||_1 for Algorithm 1", "Alg1", remark=_MAIN),
    Row("Observation 11", "the variance of an estimate"),
    Row("Theorem 12", "E||n^ - n||_1 for Algorithm 2", remark=f"{_MAIN}; {_ASYMPTOTIC}"),
    Row("Corollary 13", "the same at p = e^(-epsilon/4)", remark=f"{_MAIN}; {_ASYMPTOTIC}"),
    Row("Lemma 15", "E||Phi_B(n) - estimate||_1", remark=f"{_MAIN}; by Lemma 16 and Theorem 9"),
    # Appendix A
    Row("Lemma 14", "Phi_B keeps a quarter of the distance"),
    Row("Observation 19", "which prevalences Phi_B depends on"),
    Row("Lemma 20", "one item more"),
    Row("(6)", "at the levels where n is above the smaller one; its hybrids"),
    Row("(7)", "the same for n'; its hybrids"),
    Row("Lemma 16", "the variance after hashing"),
    Row("proof of Lemma 16", "X, Y_1, ..., Y_(r-1)", "Lem16.parts"),
    Row("proof of Lemma 16", "the law of Z_i, E Z_i^2 <= 4 (phi/B)^2, Var X <= 4 n^2/(r^2 B)", "Lem16.X"),
    Row("proof of Lemma 16", "the Z_i, and the W_i, are negatively correlated", "Lem16.negative"),
    Row("(8)", "Var Y_t"),
    Row("(9)", "one bucket"),
    Row("proof of Lemma 16", "cases I and II", "Lem16.tail"),
    # Appendix B
    Row("Algorithm 3", "l2 error, few labels"),
    Row("Theorem 21", "its error", parts="steps tail"),
    Row("after Theorem 21", "epsilon-DP at p = e^(-epsilon/2)", "E.state", remark="the table is the register's state"),
    Row("Appendix B.2.1", "two datasets that one hash does not tell apart", "SecB.barrier"),
    Row("Appendix B.2.2", "two hashes, an overhead of log n", remark=_ASYMPTOTIC),
    Row("Algorithm 4", "l2 error, many labels"),
    Row("Theorem 22", "its error", parts="collision"),
    Row(
        "after Theorem 22", "epsilon-DP at p = e^(-epsilon/4); sqrt(n) (log n)^(7/4)/epsilon^3.5", "Cor26", remark=_ASYMPTOTIC
    ),
    # Appendix C
    Row(
        "Theorem 17",
        "sample complexity from that of an estimator and its sensitivity",
        remark="what heads C.1 as its proof is that of Corollary 18",
    ),
    Row(
        "Corollary 18", "entropy: two estimators, whose sample sizes without noise are cited", parts="sensitivity first second"
    ),
    Row("Appendix C.2", "support coverage is the expected number of distinct elements", "SecC"),
    Row(
        "Corollary 23",
        "support coverage: two cases",
        parts="sensitivity dense",
        remark="its proof takes m from log^2(1/(alpha epsilon)) on, its statement from log^1.5; what is left is asymptotic",
    ),
    Row("Corollary 24", "support size", parts="coverage proof"),
    # Appendix D
    Row("Algorithm 5", "Algorithm 1 in time D + n log n", "corners l1 bias phihat"),
    Row("Appendix D.1", "O(n log n) for l1-isotonic regression", remark="cited; the running one is `GK.l1`"),
    Row("Algorithm 6", "Phi_B", "PhiB"),
    Row("Appendix D.2.1", "time n l: at most n entries", remark=_ASYMPTOTIC),
    Row("Algorithm 7", "two tables"),
    Row("Appendix D.2.2", "its time", remark=f"{_ASYMPTOTIC}; the running code does not search (`GK.Alg7`)"),
    Row("Appendix D.2.2", "D <= n^O(1) after a first hash, at a cost of O(1)", "SecD"),
    Row("Theorem 25", "its error", parts="steps tail capped uncapped"),
    Row("Corollary 26", "privacy, and error sqrt(n) log(nD)/epsilon^3", remark=f"the error is {_ASYMPTOTIC}"),
    Row("Appendix D.2.2", "a factor of (log n)^(1/4)/epsilon^0.5 above Corollary 13", remark=_ASYMPTOTIC),
    Row("Lemma 27", "the levels that Algorithm 7 finds", parts="constant uncapped"),
    Row("(10)", "Lemma 27's inequality", "Lem27"),
    Row(
        "proof of Theorem 25",
        "the levels above m: E|.| by the variances, Cauchy and Schwarz, two sums",
        "Obs11 Thm25.sum Thm25.tail",
        remark="Observation 11 is of the plain estimate; the text has the histogram next to it, which is not unbiased",
    ),
    Row("(11)", "the induction"),
    Row("(12)", "the search finds the optimum"),
    Row("(13)", "the step"),
    # Appendix E
    Row("Appendix E", "the state at any one time, p = e^(-epsilon/2)", "E.state"),
    Row("Appendix E", "state and output, p = e^(-epsilon/4)", "E pan.private pan.law pan.table pan.largest pan.certified"),
    Row("Appendix E", "g, and an unbiased estimate for two noises", "g footnote9 pan.estimate pan.values"),
    Row("Footnote 9", "the convolution f * g", "footnote9"),
    Row("Appendix E", "C_p = O(1/(1-p)^9)", "E.variance"),
    Row("Appendix E", "sqrt((n + D) log n)/epsilon^4.5 instead of epsilon^2.5", "E.variance", remark=_ASYMPTOTIC),
)

PAPER = Paper(
    "GK",
    "inventory_gk.md",
    "Intermediate privacy models, statement by statement",
    """Every numbered statement, equation, algorithm and footnote of the appendix of Ghazi, Kamath, Kumar and Manurangsi,
*Anonymized Histograms in Intermediate Privacy Models*, what it claims between them, and what it uses of the main text, which
is not at hand, in its order.""",
    _ROWS,
)
