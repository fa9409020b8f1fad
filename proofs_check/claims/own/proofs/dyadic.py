"""Dyadic tables of any n: (i) and (ii) are privacy, and what follows of them; over the kernel that ships."""

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.proofs import Edit, Named, Restated, Twin, proved, rechecked

KERNELS = "finitedp.impl.arithmetic.kernels"
SAMPLE = "finitedp.impl.counting.dyadic"
CODE = [f"{KERNELS}.clamped_cdf"]
EDITS: dict[str, Twin] = {
    "the count itself below": Edit(KERNELS, "return tail(count - z) if z < count", "return tail(count - z) if z <= count"),
    "tail one too long": Edit(KERNELS, "total - tail(z - count + 1)", "total - tail(z - count)"),
    "no end at n": Edit(
        KERNELS, "    if z >= n:\n        return total\n    return tail(count - z)", "    return tail(count - z)"
    ),
}
BUILDER = "finitedp.impl.counting.dyadic_table"
STEP, ROUNDED = [f"{BUILDER}.least_following"], "return -(-weight * q // p)"
TABLES = "every n, every rational R = p/q > 1, every B"
STRICT = {"n": "1", "R": "2", "S": ["3", "1"], "c": "0", "z": "0"}
_BOTH_SIDES = "e(z)*(P(z) - g*Q(z))) <= Sum(i, 0, n - 2, m(i)) + M + Sum(i, 0, n - 2, r(i))"
_ONE = {"n": "1", "c": "0", "g": "1/4", "M": "11/4", "N": "1/4", "S": ["3", "1"], "P": ["3", "1"], "Q": ["1", "3"]}
_ONE |= {"e": ["1", "1"], "m": [], "r": []}
_TWO = {"n": "2", "c": "0", "g": "0", "M": "2", "N": "1", "S": ["4", "2", "1"], "P": ["4", "1", "1"], "Q": ["2", "2", "2"]}
_TWO |= {"e": ["1", "1", "1"], "m": ["2"], "r": ["1"]}
OVER = "every n, every R >= 1, all tails S_0 >= S_1 >= ... whose weights do not rise before the last, every count and output"


@proved(
    "FD.Dyadic.law.all",
    "own",
    """DyadicSample(c, u) is the least z in 0..n with F(z) >= u, for every word u in 1..2^B, and F is that of c + Z, clamped to
    0..n, where 2^B Pr[Z >= j] = 2^B Pr[Z <= -j] = S_j: the code that draws one count, executed.""",
    over="""every n, every B, every table whose tails S_0 >= ... >= S_h do not rise and go on evenly from h to n, with
    S_0 + S_1 = 2^B; every count, output and word""",
    code=[
        f"{SAMPLE}.DyadicSample.apply",
        f"{SAMPLE}.DyadicSample.cdf",
        "finitedp.impl.counting.dyadic_table.DyadicTable.upper",
    ],
    proof="dyadic_sample",
    twins=EDITS
    | {
        "at most the threshold": Edit(KERNELS, "above = m < tail(", "above = m <= tail("),
        "a probe beyond the end is used": Edit(KERNELS, "if above and place <= last", "if above"),
        "the quotient from n": Edit(SAMPLE, "far = n - 1 - (m", "far = n - (m"),
        "the last weight left out": Edit(SAMPLE, "(m - table.last) // table.tail", "m // table.tail"),
        "the middle word on the other side": Edit(SAMPLE, "up = u > self.d >> 1", "up = u >= self.d >> 1"),
        "words of the second half not turned": Edit(SAMPLE, "m = (u - 1, self.d - u)[up]", "m = (u - 1, u - 1)[up]"),
        "noise at n comes out at 0": Edit(SAMPLE, "(outer, 0, n)[place]", "(outer, n, 0)[place]"),
    },
)
@proved(
    "FD.Dyadic.miss.all",
    "own",
    """The error of DyadicSample is above a with probability S_(a+1)/2^B, or twice that where 2a + 1 < n, at some count, and at
    no count with more; and never for a >= n. That is what miss, and with it accuracy, counts with.""",
    over="every n, every B, every table as in FD.Dyadic.law.all, every count and every a >= 0",
    code=[f"{SAMPLE}.DyadicSample.missed", f"{SAMPLE}.DyadicSample.cdf"],
    proof="dyadic_sample",
    twins={
        "one tail always": Edit(SAMPLE, "((a < self.n) + (2 * a + 1 < self.n))", "(a < self.n)"),
        "two tails always": Edit(SAMPLE, "((a < self.n) + (2 * a + 1 < self.n))", "(2 * (a < self.n))"),
        "a tail from a on": Edit(SAMPLE, "self.table.upper(a + 1) * (", "self.table.upper(a) * ("),
        "room for both at n = 2a + 1": Edit(SAMPLE, "(2 * a + 1 < self.n)", "(2 * a + 1 <= self.n)"),
    },
)
@proved(
    "FD.Dyadic.domain.all",
    "own",
    "DyadicSample(c, u) raises for every count outside of 0..n and every u outside of 1..2^B.",
    over="every n, every B, every table as in FD.Dyadic.law.all, every other integer count or word",
    code=[f"{SAMPLE}.DyadicSample.apply", "finitedp.impl.counting.geometric.check_draw"],
    proof="dyadic_sample",
    twins={
        "words up to 2^B + 1": Edit(SAMPLE, "check_draw(count, u, n, self.d)", "check_draw(count, u, n, self.d + 1)"),
        "counts up to 2^B": Edit(SAMPLE, "check_draw(count, u, n, self.d)", "check_draw(count, u, self.d, self.d)"),
    },
)
@proved(
    "BV.Thm4.6.i.all",
    "theorem",
    """The geometric mechanism is (epsilon/2, 0)-differentially private for counting queries: for the decay a = e^(-epsilon/2),
    whose tails are Pr[Z >= j] = a^j/(1 + a), a Pr_c[z] <= Pr_(c+1)[z] and a Pr_(c+1)[z] <= Pr_c[z].""",
    over="every n, every count and output, every rational a in (0, 1), and so every real one: polynomials over 1 + a",
    code=CODE,
    proof="dyadic",
    twins=EDITS
    | {
        "noise for twice the epsilon": Restated(
            "geometric",
            "a**j/(1 + a)",
            "a**(2*j)/(1 + a**2)",
            {"n": "1", "a": "1/2", "c": "0", "z": "0", "S": ["4/5", "1/5", "1/20", "1/80", "1/320", "1/1280"]},
        )
    },
)
@proved(
    "FD.Pair.dyadic.all",
    "own",
    """The pair of a dyadic table, (w_i, w_(i+1)) for i <= n - 2, (S_(n-1), S_n) and their mirror images, dominates all
    neighbouring counts in both orders, at every gamma >= 0; and for gamma >= 1 its curve is at most that of n - 1 and n,
    where the weights do not rise.""",
    over="every n, every count, all tails, every gamma >= 0; every event, randomized ones too, of outputs and of the pair",
    code=CODE,
    proof="pairs",
    twins=EDITS
    | {
        "without the tails": Restated("dominates", f"{_BOTH_SIDES} + N", f"{_BOTH_SIDES.replace(' + M', '')}", _ONE),
        "without the mirror of the tails": Restated("dominates", f"{_BOTH_SIDES} + N", _BOTH_SIDES, _ONE),
        "without the mirror images": Restated(
            "dominates", _BOTH_SIDES, _BOTH_SIDES.replace(" + Sum(i, 0, n - 2, r(i))", ""), _TWO
        ),
        "attained below 1 too": Restated(
            "attained",
            "g >= 1",
            "g >= 0",
            {"n": "2", "g": "1/2", "S": ["15", "11", "10"], "P": ["11", "4", "11"], "Q": ["10", "1", "15"]}
            | {"b": ["6", "7/2", "7/2"], "x": ["1"], "y": ["0"], "X": "1", "Y": "1"},
        ),
    },
)
@proved(
    "FD.Dyadic.private.all",
    "own",
    """Count + Z clamped to 0..n, with 2^B Pr[Z >= j] = S_j, has for neighbouring counts ratios of at most R where (i) and
    (ii) hold: every output's probability under one count is at most R times that under the other.""",
    over=OVER,
    code=CODE,
    proof="dyadic",
    twins=EDITS | {"(ii) not quite": Restated("ratio", "S(j) <= R*S(j + 1)", "S(j) <= R*S(j + 1) + 1", STRICT)},
)
@proved(
    "FD.Dyadic.conditions.all",
    "own",
    """(i) and (ii) hold of weights that do not rise exactly where count + Z, clamped to 0..n, is private at the ratio R for
    all counts.""",
    over=OVER,
    code=CODE,
    proof="dyadic",
    twins=EDITS
    | {
        "more than (ii)": Restated(
            "only if (ii)", "S(k) <= R*S(k + 1)", "S(k) <= S(k + 1)", {"n": "1", "R": "2", "S": ["2", "1"], "k": "0"}
        ),
        "(i) without R": Restated(
            "only if (i)",
            "S(k) - S(k + 1) <= R*(S(k + 1)",
            "S(k) - S(k + 1) <= (S(k + 1)",
            {"n": "2", "R": "2", "S": ["4", "2", "1"], "k": "0"},
        ),
    },
)
@proved(
    "FD.Dyadic.induction.all",
    "own",
    "(ii) follows for all j from (i) and from (ii) at j = n - 1.",
    over="every n, every R >= 1, all tails",
    code=[f"{KERNELS}.clamped_cdf"],
    proof="dyadic",
    twins={
        "without the end": Restated(
            "(ii) from its end",
            "S(n - 1) <= R*S(n)",
            "S(n - 1) <= R*S(n) + 1",
            {"n": "1", "R": "2", "S": ["3", "1"], "m": "0"},
        )
    },
)
@proved(
    "FD.Dyadic.floor.all",
    "own",
    "Where numbers v and v' > v of words lead to one output at neighbouring counts, with v' <= R v, v is at least 1/(R - 1).",
    over="all integers v and v', every rational R",
    code=[f"{KERNELS}.clamped_cdf"],
    proof="dyadic",
    twins={"twice that": Restated("floor", "1 <= (R - 1)*v", "2 <= (R - 1)*v", {"R": "2", "v": "1", "w": "2"})},
)
@proved(
    "FD.Dyadic.leftover.all",
    "own",
    "What is left over fits on w_n: (ii) at j < n is kept where the same x >= 0 is added to S_j and to S_(j+1).",
    over="all tails, every R >= 1, every x >= 0",
    code=[f"{KERNELS}.clamped_cdf"],
    proof="dyadic",
    twins={"for R below 1": Restated("left over", "R >= 1", "R >= 0", {"R": "1/2", "a": "1", "b": "2", "x": "1"})},
)
@proved(
    "FD.Dyadic.table.all",
    "own",
    """The least weights behind an even w_0 of at least 2, each from the one before by the code's own step, are a table where
    they fit into 2^B and half of what is left over is added to w_n: they are at least 1, do not rise before w_n, satisfy (i)
    and (ii), and sum to 2^B.""",
    over=TABLES,
    code=STEP,
    proof="dyadic_table",
    twins={
        "rounded down": Edit(BUILDER, ROUNDED, "return weight * q // p"),
        "an odd centre": Restated(
            "what is left over",
            "w(0) == 2*v",
            "w(0) == v",
            {"n": "1", "q": "1", "e": "1", "w": ["1"], "S": ["2", "1"], "B": "2", "v": "1"},
        ),
    },
)
@proved(
    "FD.Dyadic.existence.all",
    "own",
    """A table of B bits for R exists exactly where the least weights behind w_0 = 2 fit into 2^B: then they make one, and no
    table has less. They fit where 2^B is at least 4n + (4q - 2)/(p - q), for R = p/q: about 4n + 8/epsilon.""",
    over=f"{TABLES}; every table of any weights",
    code=STEP,
    proof="dyadic_table",
    twins={
        "always one more": Edit(BUILDER, ROUNDED, "return weight * q // p + 1"),
        "rounded down": Edit(BUILDER, ROUNDED, "return weight * q // p"),
        "half the last weight": Restated(
            "enough bits",
            "4*e*n + 4*q - 2",
            "4*e*n + 2*q - 2",
            {"n": "1", "q": "1", "e": "1", "w": ["2"], "S": ["4", "2"], "B": "2"},
        ),
        "three quarters of the stretch": Restated(
            "enough bits",
            "4*e*n + 4*q - 2",
            "3*e*n + 4*q - 2",
            {"n": "2", "q": "3", "e": "1", "w": ["2", "2"], "S": ["10", "8", "6"], "B": "4"},
        ),
    },
)
@proved(
    "FD.Dyadic.size.all",
    "own",
    """From the (L + 1)-th least weight on all are equal up to w_(n-1), where R^L >= w_0: a table has at most L + 3 numbers,
    whatever n is.""",
    over=f"{TABLES}; every L",
    code=STEP,
    proof="dyadic_table",
    twins={
        "one step fewer": Restated(
            "size",
            "q**L*w(0) <= (q + e)**L",
            "q**L*w(0) <= (q + e)**(L + 1)",
            {"n": "7", "q": "2", "e": "1", "L": "3", "w": ["10", "7", "5", "4", "3", "2", "2"]},
        ),
        "from the L-th on": Restated(
            "size",
            "w(L + 2) == w(L + 1)",
            "w(L + 1) == w(L)",
            {"n": "5", "q": "2", "e": "3", "L": "2", "w": ["6", "3", "2", "1", "1"]},
        ),
    },
)
@proved(
    "FD.Dyadic.stretch.all",
    "own",
    """Where the least weights fall at all before they are constant, the constant one is the least integer that is at least
    1/(R - 1): the floor below which no output's number of words can be (FD.Dyadic.floor.all).""",
    over=TABLES,
    code=STEP,
    proof="dyadic_table",
    twins={
        "whether or not they fall": Restated(
            "floor",
            "w(j + 1) <= w(j) - 1",
            "w(j + 1) <= w(j)",
            {"n": "3", "q": "5", "e": "1", "j": "0", "w": ["1", "1", "1"]},
        ),
        "below the floor": Edit(BUILDER, ROUNDED, "return weight * q // p"),
    },
)
def dyadic(twin: Twin | None, named: Named) -> Finding:
    return rechecked(twin, named)
