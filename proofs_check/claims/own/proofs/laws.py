"""Lemmas on laws in general, for all numbers: mixing, chains of neighbours, packing, composition, two neighbour relations."""

from fractions import Fraction
from math import comb

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.proofs import Edit, Named, Restated, Twin, proved, rechecked

NEIGHBOURS = "finitedp.spec.neighbours"
FILLERS = "return most - integer(rows, "
FACTORIALS = ["1", "1", "2", "6", "24", "120", "720", "5040"]
NEAR = {
    "r": "2",
    "gamma": "1/2",
    "q": "3/10",
    "q1": "1/5",
    "p": "3/5",
    "p1": "7/10",
    "u": "1/10",
    "least": "1/10",
    "delta": "1/10",
}
FAR = {"r": "2", "gamma": "1/2", "q": "1/3", "q1": "0", "p": "2/3", "p1": "1", "u": "0", "least": "0", "delta": "1/3"}
ONE = {
    "k": "1",
    "r1": "1",
    "r2": "1",
    "d1": "0",
    "d2": "1/2",
    "p": ["0", "1"],
    "q": ["0", "1"],
    "e": ["0"],
    "s": ["0", "1"],
    "t": ["0", "1/2"],
}


def _plan(slots: int, hit: int, misses: int, labels: int, **more: str) -> dict[str, str | list[str] | list[list[str]]]:
    """Numbers of a plan for the proof of BlanketHistogram, with the ways in which the label that changes is held."""
    y, numbers = Fraction(hit, misses * labels), {"G": slots, "q": hit, "f": misses, "d": labels}
    ways = [[str(comb(slots - N, i) * y**i) for i in range(8)] for N in range(slots + 1)]
    return {"c": ways, "W": ["1", "1"], **{name: str(number) for name, number in numbers.items()}, **more}


_TWO_SLOTS = {"H": ["1/4", "1/2", "1/4"], "K": ["3/4", "1/4"], "a": ["1"], "A": "0"}
_TWO_SLOTS |= {"U": "2", "D": "1", "s": "1", "L": "1", "G": "2", "q": "1", "f": "1", "d": "9"}
_SHOWN = {"U": "11", "D": "1", "s": "0", "L": "2", "m": "1", "t": "1"}
_ONE_PLACE = "Sum(N, 0, M - 1, W(N)*Sum(i, 0, M - 1 - N, c(N, i))) <= U"


@proved(
    "FD.Blanket.private.all",
    "own",
    """The law of BlanketHistogram changes by a factor of at most R_up, or by one of at least 1/R_down, where a row is added,
    whatever plan the conditions (A) to (D) accept: for every output, and where it is withheld; and by at most R_up R_down
    where one is replaced. Both are R on a dyadic table.""",
    over="""every plan that satisfies (A) to (D): all L < G, q, h, D, sigma, m_1(v) and tau_v, every R_up, R_down >= 1; every
    number of other labels; the ways in which slots hold other labels, N of them, are any numbers W(N) >= 0""",
    code=["finitedp.spec.blanket.conditions"],
    proof="blanket",
    twins={
        "without 1 <= R(1 - sigma)": Restated(
            "unseen", "1 <= D*(1 - s)", "0 <= D*(1 - s)", _plan(3, 1, 1, 10, U="2", D="1", s="1", L="2", M="0")
        ),
        "without rho_2 in (A)": Restated(
            "unseen",
            "(1 - s)*f*d <= U*(f*d - G*q)",
            "(1 - s)*(f*d - G*q) <= U*(f*d - G*q)",
            _plan(3, 2, 1, 8, U="1", D="2", s="1/4", L="1", M="1"),
        ),
        "G for G - L in (B)": Restated(
            "seen",
            "U*t*(G - L)*q",
            "U*t*G*q",
            _plan(3, 1, 3, 6, U="5", D="4", s="0", L="2", M="2", m="1", t="4/3") | {"W": ["0", "1"]},
        ),
        "G - L for G in (C)": Restated(
            "seen", "t*G*q <= D", "t*(G - L)*q <= D", _plan(3, 1, 1, 10, **_SHOWN, M="1") | {"t": "7", "U": "2"}
        ),
        "the cap looks at slots alone": Restated(
            "seen", _ONE_PLACE, _ONE_PLACE.replace("M - 1", "M"), _plan(3, 1, 1, 10, **_SHOWN, M="0")
        ),
        "L for L + 1 in (D)": Restated("withheld", "s*(L + 1)*f", "s*L*f", _TWO_SLOTS),
        "G for G - L in (D)": Restated("withheld", "(U - 1)*(G - L)*q", "(U - 1)*G*q", _TWO_SLOTS),
        "noise at R^2": Restated(
            "another row",
            "Q(z) <= D*P(z)",
            "Q(z) <= U*D*P(z)",
            {"n": "0", "U": "2", "D": "1", "x": ["1"], "P": ["1"], "Q": ["2"]},
        ),
        "replaced as if removed twice": Restated(
            "replaced", "m <= D*r", "m <= U*D*r", {"U": "2", "D": "1", "p": "4", "m": "2", "r": "1"}
        ),
    },
)
@proved(
    "BV.Lem3.2.i.all",
    "lemma",
    """If the laws of M are within the ratio r of each other at an output, those of M' within delta of them, and u, the
    alternative's probability, is at least p, the laws of M' mixed with the alternative are within the ratio r there whenever
    delta <= (r - 1)/(r + 1) * gamma/(1 - gamma) * p.""",
    over="all numbers: every r >= 1, gamma in (0, 1), delta, and all probabilities of one output",
    code=["finitedp.spec.mixing.largest_distance"],
    proof="mixing",
    twins={
        "r - 1 alone": Restated("mixture", "delta*(r + 1)*(1 - gamma)", "delta*(1 - gamma)", NEAR),
        "without the factor p": Restated("mixture", "(r - 1)*gamma*least", "(r - 1)*gamma", FAR),
    },
)
@proved(
    "BV.Thm6.11.i.distance.all",
    "theorem",
    """(3.1) at the parameters of Theorem 6.11: the distance (epsilon/3) beta_1 (1/(3|X|))^n is at most the one that (3.1)
    allows for the ratio (1 + 2^-k)^2 of GeoSample, gamma = beta_1 and the least probability n!/((n+1)|X|)^n.""",
    over="every n >= 1, every size |X| >= 1, epsilon = 1/q for every q >= 1, beta_1 = 1/b for every b >= 2",
    code=["finitedp.impl.counting.geometric.GeoSample", "finitedp.impl.arithmetic.kernels.ceil_log2"],
    proof="sparse",
    twins={
        "(1/|X|)^n": Restated("(3.1)", "(3*X)**n", "X**n", {"n": "2", "q": "1", "b": "2", "X": "1", "f": FACTORIALS}),
        "epsilon for epsilon/3": Restated(
            "(3.1)", "1/(3*q*b*", "1/(q*b*", {"n": "1", "q": "5", "b": "2", "X": "1", "f": FACTORIALS}
        ),
        "k one more": Edit(
            "finitedp.impl.arithmetic.kernels", "return (d - 1).bit_length()", "return (d - 1).bit_length() + 1"
        ),
    },
)
@proved(
    "FD.Group.all",
    "own",
    """Along m neighbours, P_0(S) <= r^m P_m(S) + delta (r^m - 1)/(r - 1), where P_j(S) <= r P_(j+1)(S) + delta for each: the
    privacy of groups of m rows.""",
    over="every m, every r >= 1 and delta >= 0 (times r - 1, so that r = 1 is covered too), all numbers P_j(S)",
    code=["finitedp.spec.lower_bounds.packing_holds"],
    proof="packing",
    twins={
        "one step fewer": Restated(
            "chain", "(r - 1)*r**m*a(m)", "(r - 1)*r*a(m)", {"m": "2", "t": "2", "r": "2", "delta": "0", "a": ["4", "2", "1"]}
        ),
        "m delta": Restated(
            "chain", "delta*(r**m - 1)", "delta*m", {"m": "2", "t": "2", "r": "2", "delta": "1", "a": ["3", "1", "0"]}
        ),
    },
)
@proved(
    "FD.Packing.all",
    "own",
    """Packing: if t disjoint events each have probability 1 - beta at a dataset m rows away from one dataset, (1 - beta) <=
    r^m/t + delta (r^m - 1)/(r - 1); with A = r^m and D = delta (r^m - 1)/(r - 1).""",
    over="every t, m, r, beta and delta; all probabilities of the events at the one dataset, whose sum is at most 1",
    code=["finitedp.spec.lower_bounds.packing_holds"],
    proof="packing",
    twins={
        "events that overlap": Restated(
            "packing",
            "Sum(i, 1, t, p(i)) <= 1",
            "Sum(i, 1, t, p(i)) <= 2",
            {"t": "2", "A": "1", "beta": "0", "D": "0", "p": ["0", "1", "1"]},
        ),
        "one D for all": Restated(
            "packing", "A + t*D", "A + D", {"t": "2", "A": "0", "beta": "0", "D": "1", "p": ["0", "1/2", "1/2"]}
        ),
    },
)
@proved(
    "BV.Lem2.4.all",
    "lemma",
    """Basic composition, also where the second mechanism depends on the first one's output: (ln r1, d1) and (ln r2, d2) make
    (ln r1 + ln r2, d1 + d2).""",
    over="""every number k of outputs of the first; all laws p, q of it with sum_o max(p(o) - r1 q(o), 0) <= d1; all
    probabilities s, t of an event of the second, given o, with s <= r2 t + d2""",
    code=["finitedp.spec.divergence.hockey_stick"],
    proof="composition",
    twins={
        "delta of the first alone": Restated("composition", "+ d1 + d2", "+ d1", ONE),
        "ratio of the first alone": Restated("composition", "r1*r2*", "r1*", ONE | {"r2": "2", "d2": "0"}),
    },
)
@proved(
    "FD.ReplaceOne.all",
    "own",
    """What is (ln r, delta)-private where a row is added or removed is (2 ln r, (1 + r) delta)-private where one is replaced:
    a row removed, then one added.""",
    over="every r >= 1 and delta, all probabilities of an event under the three datasets",
    code=["finitedp.spec.neighbours.neighbouring_multisets"],
    proof="composition",
    twins={"2 delta": Restated("replace", "(1 + r)*delta", "2*delta", {"r": "2", "delta": "1", "q": "0", "m": "1", "p": "3"})},
)
@proved(
    "FD.Padding.all",
    "own",
    """What is (ln r, delta)-private for datasets of exactly N rows of which one is replaced is (ln r, delta)-private where a
    row is added or removed, on datasets of at most N rows that are filled up to N with a public row: for a mechanism that
    does not look at the order of rows.""",
    over="""every N, every r >= 1 and delta >= 0, all numbers of rows, of fillers among them too, all probabilities of an
    event; the row that is added may be the filler""",
    code=["finitedp.spec.neighbours.fillers"],
    proof="padding",
    twins={
        "no fillers: N is the number of rows": Edit(NEIGHBOURS, FILLERS, "return 0 * integer(rows, "),
        "up to an even number of rows": Edit(
            NEIGHBOURS, f'{FILLERS}"rows", 0, most)', 'return integer(rows, "rows", 0, most) % 2'
        ),
        "a filler too few": Edit(NEIGHBOURS, FILLERS, "return most - 1 - integer(rows, "),
        "as many fillers as rows": Edit(NEIGHBOURS, FILLERS, "return integer(rows, "),
    },
)
def laws(twin: Twin | None, named: Named) -> Finding:
    return rechecked(twin, named)
