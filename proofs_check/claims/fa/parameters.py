"""The parameters that the paper on flexible accuracy proposes: Theorem 3's rate, Remark 2, Appendix H.4 and its first page."""

from collections.abc import Callable
from typing import NamedTuple

from gmpy2 import mpq

from finitedp.exact import exp_bounds
from finitedp.proofs_check.ledger.entry import Cases, Finding, cases, entry, erratum
from finitedp.proofs_check.ledger.findings import all_of, at_most

CODE = ["finitedp.spec.flexible.literal.claimed_delta"]


class Rate(NamedTuple):
    """epsilon, and s = epsilon q, at least 2."""

    epsilon: mpq
    s: mpq


def _delta(epsilon: mpq, s: mpq) -> tuple[mpq, mpq]:
    """Bounds on (e^epsilon - 1)/(2 (e^(s/2) - 1))."""
    (low, high), (bottom, top) = exp_bounds(epsilon, 128), exp_bounds(s / 2, 128)
    return (low - 1) / (2 * (top - 1)), (high - 1) / (2 * (bottom - 1))


def _bound(epsilon: mpq, s: mpq) -> mpq:
    """2 epsilon e^(-s/2), from below."""
    return 2 * epsilon / exp_bounds(s / 2, 128)[1]


def _rate(bound: Callable[[mpq, mpq], mpq], case: Rate) -> Finding:
    return at_most(_delta(*case)[1], bound(*case), f"delta at epsilon = {case.epsilon}, epsilon q = {case.s}:")


SMALL = cases(
    Rate,
    [(mpq(1, e), s) for e in (1, 2, 10, 100) for s in (mpq(2), mpq(3), mpq(20), mpq(200))],
    [(mpq(1, 10**6), mpq(2)), (mpq(99, 100), mpq(1000)), (mpq(1, 7), mpq(50))],
)
LARGE = cases(Rate, [(mpq(4), mpq(4)), (mpq(20), mpq(20))], [(mpq(100), mpq(100))])
TWINS = {"e^(-s)": lambda epsilon, s: 2 * epsilon / exp_bounds(s, 128)[1]}


@erratum(
    "FA.Thm3.rate",
    "Theorem 3: for any epsilon with epsilon q >= 2, delta is epsilon e^(-Omega(epsilon q)).",
    """Theorem 3's rate, for noise of a public range q: where epsilon <= 1 and epsilon q >= 2, delta = (e^epsilon - 1)/(2
    (e^(epsilon q/2) - 1)) is at most 2 epsilon e^(-epsilon q/2). At q = 1 no constants serve a large epsilon: by (9), no
    mechanism of that range has a delta below 1.""",
    subject=_bound,
    twins=TWINS,
    printed_grid=LARGE,
    printed_over="epsilon = 4, 20 (100 in full) at q = 1, with the constants 2 and 1/2",
    kind="theorem",
    over="epsilon = 1 to 1/100 (and others in full), epsilon q = 2 to 200; e^x by intervals",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=SMALL,
)
def rate(bound: Callable[[mpq, mpq], mpq], case: Rate) -> Finding:
    return _rate(bound, case)


class Root(NamedTuple):
    """k = sqrt(tau n), or log n, or another size that the choice is stated in; t bars."""

    k: int
    t: int


ROOTS = cases(Root, [(k, t) for k in (2, 3, 5, 10) for t in (1, 4)], [(20, 1), (50, 3), (100, 10)])


@entry(
    "FA.Rem2",
    "lemma",
    """Remark 2, for noise of a public range q = tau n: with epsilon = 1/sqrt(tau n) and sqrt(tau n) >= 2, delta is
    e^(-Omega(sqrt(tau n)))/sqrt(tau n): at most 2 e^(-sqrt(tau n)/2)/sqrt(tau n).""",
    over="sqrt(tau n) = 2..10 (100 in full)",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=ROOTS,
    subject=_bound,
    twins=TWINS,
)
def root_of_rows(bound: Callable[[mpq, mpq], mpq], case: Root) -> Finding:
    return _rate(bound, Rate(mpq(1, case.k), mpq(case.k)))


@entry(
    "FA.Rem2.accuracy",
    "lemma",
    """Remark 2: with tau = 1/sqrt(n) a share of tau t = t/sqrt(n) is dropped. That is less than the t/n^(1/4) that is printed:
    true, and n^(1/4) times too large.""",
    over="n = k^4 for k = 2..10 (100 in full), t = 1 and 4 (10 in full)",
    code=CODE,
    derived_from=["FA.Thm3.ii"],
    by="the share tau t of Theorem 3, compared as rationals",
    grid=ROOTS,
    subject=lambda k, t: mpq(t, k),
    twins={"t/n": lambda k, t: mpq(t, k**4)},
)
def share_at_root(stated: Callable[[int, int], mpq], case: Root) -> Finding:
    tau = mpq(1, case.k**2)
    return at_most(tau * case.t, stated(case.k, case.t), f"share at n = {case.k**4}, t = {case.t}:")


class Output(NamedTuple):
    """beta/B, and 1/epsilon = sqrt(tau n)."""

    share: mpq
    k: int


OUTPUTS = cases(
    Output,
    [(mpq(1, 2), 2), (mpq(1, 100), 10), (mpq(1, 10), 3), (mpq(1, 4), 5)],
    [(mpq(1, 1000), 100), (mpq(1, 6), 7)],
)


@erratum(
    "FA.H4.rows",
    "H.4: with epsilon = 1/sqrt(tau n), only alpha n = (1/epsilon^2) (2 beta/B) rows are dropped.",
    """H.4, corrected: with epsilon = 1/sqrt(tau n), alpha n = (1/epsilon^2) (B/(2 beta)) rows are dropped: alpha = tau t, and
    there are t = B/(2 beta) buckets. As printed the factor is inverted.""",
    as_printed=("2 beta/B", lambda case: case.k**2 * 2 * case.share),
    subject=lambda case: case.k**2 / (2 * case.share),
    twins={"1/epsilon": lambda case: case.k / (2 * case.share)},
    over="beta/B = 1/2, 1/4, 1/10, 1/100, where t is an integer; epsilon = 1/2..1/10",
    code=["finitedp.spec.flexible.literal.buckets_of"],
    derived_from=["FA.Alg3"],
    by="alpha = tau t",
    grid=OUTPUTS,
)
def rows_dropped(stated: Callable[[Output], mpq], case: Output) -> Finding:
    tau_n, buckets = mpq(case.k**2), 1 / (2 * case.share)
    return at_most(tau_n * buckets, stated(case), f"rows dropped at beta/B = {case.share}, 1/epsilon = {case.k}:")


@entry(
    "FA.H4.logarithm",
    "lemma",
    """H.4, for noise of a public range q = tau n: with epsilon = 1/(log n)^2 = 1/sqrt(tau n), O((log n)^4) rows are dropped at
    a constant beta/B, and delta is n^(-Omega(log n))/(log n)^2: at most 2 n^(-(log n)/2)/(log n)^2.""",
    over="log n = 2..10 (100 in full); beta/B = 1/(2t)",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=ROOTS,
    subject=_bound,
    twins=TWINS,
)
def logarithmic(bound: Callable[[mpq, mpq], mpq], case: Root) -> Finding:
    square = mpq(case.k**2)  # 1/epsilon = sqrt(tau n) = (log n)^2, and e^((log n)^2/2) = n^((log n)/2)
    return all_of(
        [
            at_most(square**2 * case.t, mpq(case.k**4 * case.t), "rows dropped:"),
            _rate(bound, Rate(1 / square, square)),
        ]
    )


TENTH = Cases(
    lambda: [Rate(mpq(1, 10), mpq(rows, 10)) for rows in (20, 32, 100, 1000)],
    lambda: [Rate(mpq(1, 10), mpq(10**4, 10))],
)


@entry(
    "FA.H4.constant",
    "lemma",
    """H.4, for noise of a public range q = tau n: with epsilon = 1/10 and tau = 1/n^c, delta is e^(-Omega(n^(1-c))): at most
    (1/5) e^(-n^(1-c)/20), where n^(1-c) >= 20; t n^(1-c) rows are dropped.""",
    over="n^(1-c) = tau n = 20, 32, 100, 1000 (10^4 in full)",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=TENTH,
    subject=_bound,
    twins=TWINS,
)
@entry(
    "FA.Sec1.constant",
    "lemma",
    """The first page, (ii), for noise of a public range q = alpha n/t: with epsilon = 1/10 and alpha = (log n)^2/n, delta is
    n^(-Omega(log n)): with t bars at most (1/5) n^(-(log n)/(20 t)), where (log n)^2 >= 20 t.""",
    over="(log n)^2/t = 20, 32, 100, 1000 (10^4 in full)",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=TENTH,
    subject=_bound,
    twins=TWINS,
)
def constant_epsilon(bound: Callable[[mpq, mpq], mpq], case: Rate) -> Finding:
    return _rate(bound, case)


@entry(
    "FA.Sec1.root",
    "lemma",
    """The first page, (i), for noise of a public range q = alpha n/t: with epsilon = 1/n^(1/4) and alpha = 1/sqrt(n), delta is
    e^(-Omega(n^(1/4))) while sqrt(n) rows are dropped: with t bars at most 2 n^(-1/4) e^(-n^(1/4)/(2t)), where n^(1/4) >=
    2t.""",
    over="n^(1/4) = 2 t k for k = 2..10 (100 in full), t = 1, 4 (10 in full)",
    code=CODE,
    derived_from=["FA.Cor1"],
    by="the delta of Corollary 1 as a formula, bounded by intervals",
    grid=ROOTS,
    subject=_bound,
    twins=TWINS,
)
def first_page(bound: Callable[[mpq, mpq], mpq], case: Root) -> Finding:
    root = 2 * case.t * case.k
    epsilon, q = mpq(1, root), mpq(root**2, case.t)  # q = alpha n/t
    return _rate(bound, Rate(epsilon, epsilon * q))
