"""Suresh, Differentially Private Anonymized Histograms: what the text states, and the entries that speak of it."""

from tests.inventories.rows import Paper, Row

_ASYMPTOTIC = "asymptotic: no constant is stated"

_ROWS = (
    # Section 1
    Row("Section 1", "the anonymized histogram h(D), the prevalences; {3, 8, 8} as example", "1"),
    Row("Footnote 1", "a multiset, not a set", "1"),
    Row(
        "Section 1", "passwords, degrees, estimates: how many accounts beta guesses open", remark="what a release is good for"
    ),
    # Section 2
    Row("(1)", "epsilon-DP", "BV.Def1.1"),
    Row("Section 2.1", "approximate DP, where (1) needs to hold with probability 1 - delta", "Sec2.approximate BV.Def1.1"),
    Row("(2)", "the distance of two histograms"),
    Row("Lemma 1", "the distance is that of the sorted counts"),
    Row("Footnote 2", "n_(i) = 0 beyond the number of counts", "Lem1"),
    Row("Definition 1", "neighbours"),
    # Section 3
    Row("Section 3.1", "errors and times of Hay et al. and Blocki et al.", remark="other papers' mechanisms, not built here"),
    Row("Section 3.1", "lower bound sqrt(n/epsilon) of Alda and Simon", remark="cited, not proved here"),
    Row("Theorem 1", "PrivHist: privacy, error, N, time", "PrivHist", "split smooth large group claim empty total error time"),
    Row("Section 3.1", "optimal up to log(2/epsilon)", remark=f"{_ASYMPTOTIC}; from Theorem 1 and the cited lower bound"),
    Row("Theorem 2", "lower bound sqrt(n) e^(-2 epsilon)"),
    Row("Section 3.1", "e^(Theta(sqrt n)) histograms with n items, after Hardy and Ramanujan", "Sec3.partitions"),
    Row("Section 3.1", "at most sqrt(2n) different counts", "Sec3.pairs"),
    Row("Section 3.1", "time sqrt(n), against n and n^(3/2), at 70 million passwords", "Thm1.time", remark=_ASYMPTOTIC),
    Row("Section 3.1", "(k epsilon, e^(k epsilon) delta)-DP for groups of k", "Sec3.groups FD.Group"),
    Row(
        "Section 3.2",
        "E(f, n), n(f, alpha), linear estimators",
        remark="definitions; what is cited is not proved here",
    ),
    Row("Section 3.2", "the Lipschitz constant of an estimator", "Cor1.lipschitz"),
    Row(
        "Section 3.2",
        "entropy, support size, coverage, Renyi entropy, uniformity",
        "Sec3.power Sec3.uniformity Sec3.entropy Sec3.miller-madow Sec3.renyi Sec3.coverage",
    ),
    Row("Section 3.2", "estimates from the release are private", "BV.Lem2.2"),
    Row("Corollary 1", "sample complexity of estimates from the release", parts="lipschitz difference"),
    Row("Section 3.2", "beta < 0.1 for entropy, support size and coverage", remark="cited, not proved here"),
    Row(
        "Section 3.2",
        "compared with noise on one estimate: alpha^2 epsilon against (alpha epsilon)^(1 + beta)",
        remark=_ASYMPTOTIC,
    ),
    # Section 4
    Row("Section 4", "cumulative prevalences, sums of histograms, improper histograms", remark="definitions"),
    Row("Section 4.1", "noise on the non-zero prevalences or counts alone is not private", "Sec4.naive"),
    Row("Section 4.1", "noise on all counts: n/epsilon; on all prevalences: n^2/epsilon", "AppA.abs", remark=_ASYMPTOTIC),
    Row("Section 4.1", "n^(3/4)/epsilon by Hay et al.", remark="of the cited bound, by Cauchy and Schwarz"),
    Row("Section 4.2", "geometric noise is smaller than Laplace noise", "AppA.laplace"),
    Row("Section 4.2", "prevalences up to sqrt(n) and counts above: at most 2 sqrt(n) numbers", "Sec4.dimension"),
    Row("(3)", "the distance by prevalences"),
    Row("Section 4.2", "(1) find n", "step1"),
    Row("Section 4.2", "(2) the example of a split", "C1.example"),
    Row(
        "Section 4.2",
        "(3, 4), (L1, L2): noise, isotonic regression, in linear time",
        "step3 step4 L1 L2",
        remark="the time is cited",
    ),
    Row("Section 4.3", "error 1/sqrt(epsilon) by smoothing; (H1) to (H5)", "H1 Lem9 H2 H3 H4 H5"),
    Row("Section 4.3", "expected times sqrt(n), sqrt(n/epsilon) + log n/epsilon", "Thm1.time"),
    # The algorithms
    Row("PrivHist, 1", "N", "step1"),
    Row("PrivHist, 2", "T, M and the split", "step2 Lem8"),
    Row("PrivHist, 3 and 4", "noise on cumulative prevalences and on counts", "step3 step4"),
    Row("PrivHist, 5 and 6", "which branch", "PrivHist.law Thm1.claim"),
    Row("PrivHist-LowPrivacy", "L1 to L4", "L1 L2 L3 L4"),
    Row("PrivHist-HighPrivacy", "H1 to H6", "H1 H2 H3 H4 H5 H6"),
    # Appendix A
    Row("Definition 2", "the Laplace mechanism"),
    Row("Definition 3", "the geometric mechanism"),
    Row("Appendix A", "the geometric mechanism is universally optimal", remark="cited, not proved here"),
    Row("Appendix A", "moments of both noises", "AppA"),
    Row("Lemma 2", "moments of max(n + Z, 0)", parts="i ii"),
    Row("(4)", "1/Y about n"),
    # Appendix B
    Row("proof of Lemma 1", "the order of counts in an optimum", "Lem1.proof"),
    Row("Appendix B", "triangle inequality", "Sec2.metric"),
    Row("Lemma 3", "sums of histograms"),
    Row("Lemma 4", "the distance by cumulative prevalences"),
    Row("(5)", "the same, up to the largest count"),
    Row("(6)", "the step of the induction"),
    Row("Lemma 5", "rounding"),
    Row("Lemma 6", "adding and removing k elements near t"),
    # Appendix C
    Row("Appendix C.1", "the parts add up: epsilon_1 + epsilon_2 + epsilon_3", "Thm1.claim BV.Lem2.4"),
    Row("Appendix C.1", "three categories of neighbours", "C1.categories"),
    Row("Appendix C.1", "the example of a split; noise L(T/epsilon) where it is naive", "C1.example"),
    Row("Appendix C.1.2", "the example of smoothing: shares", "C1.smoothing"),
    Row(
        "Appendix C.1.2",
        "its error 1/(t epsilon) + t, 1/sqrt(epsilon) at t = 1/sqrt(epsilon)",
        remark="of one copy alone; a sketch that fixes no measure of error, and whose last sum is 2/sqrt(epsilon)",
    ),
    Row("Appendix C.1.3", "other shares of epsilon", "Thm1.claim"),
    Row("Theorem 3", "composition that depends on the dataset"),
    Row("Footnote 3", "z_1^0 is empty", remark="a notation"),
    Row("(7)", "the least over the steps of the largest ratio"),
    Row("Lemma 7", "N is epsilon_1-DP"),
    Row("Lemma 8", "H^cs and H^cl are epsilon_2-DP; three cases"),
    Row("Lemma 9", "the high-privacy branch is epsilon_3-DP"),
    # Appendix D
    Row("Appendix D", "the error where N = 0; E|N - n|", "SecD"),
    Row("Footnote 4", "<~ for O(.)", remark="a notation"),
    Row("(8)", "removing fake counts costs a factor of 4"),
    Row("Footnote 5", "expectations given N", remark="a notation"),
    Row("(9)", "the split"),
    Row("(10)", "both parts apart"),
    Row("(11)", "large counts"),
    Row("(12)", "small counts"),
    Row("(13)", "small counts, in the mean"),
    Row("Appendix D.1", "together sqrt(n) e^(-epsilon/6)", "Thm1.error", remark=f"{_ASYMPTOTIC}; the sum of (8) to (13)"),
    Row("(14)", "both parts of the error"),
    Row("(15)", "counts above 2N"),
    Row("(16)", "rounding, smoothing and noise"),
    Row("(17)", "smoothing"),
    Row("after (17)", "projection, and sqrt(2) |S|/epsilon_3 by the second moments", "Eq17.projection AppA.square"),
    Row("before (18)", "the size of S", "H2 SecD.places"),
    Row("(18)", "noisy counts that rise to T'"),
    Row(
        "Appendix D.2", "together sqrt(n/epsilon log(2/epsilon)) + 1/epsilon", remark=f"{_ASYMPTOTIC}; the sum of (14) to (18)"
    ),
    Row("Appendix D.3", "the time", "Thm1.time"),
    # Appendix E
    Row("Lemma 10", "estimates of bits"),
    Row("(19)", "the average over all words"),
    Row("Appendix E", "words as histograms; pairs at distance 2", "Thm2"),
    # Appendix F
    Row("Appendix F", "X^N are N independent samples, near X^n", "SecF.iid SecF.samples"),
    Row("Appendix F", "f(p) Pr[N = 0]", "SecD.lost"),
    Row("Appendix F", "E(f, N) <= E(f, n) + |N - n| N^(beta - 1)", "SecF.errors"),
    Row("(20)", "three terms of the error"),
    Row("Appendix F", "the four chains of <~, and what n is enough", remark=_ASYMPTOTIC),
)

PAPER = Paper(
    "PH",
    "inventory_ph.md",
    "Anonymized histograms, statement by statement",
    """Every numbered statement, equation, step and footnote of Suresh, *Differentially Private Anonymized Histograms*, and
what the text claims between them, in its order: the main text as the one copy has it, the appendix as both have it.""",
    _ROWS,
)
