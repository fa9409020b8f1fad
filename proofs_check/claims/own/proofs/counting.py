"""GeoSample, FastSample, the empty-bin sampler and strict coins, for all parameters: what runs, on polynomials."""

from finitedp.proofs_check.ledger.entry import Finding
from finitedp.proofs_check.ledger.proofs import Edit, Named, Twin, proved, rechecked

KERNELS = "finitedp.impl.arithmetic.kernels"
GEOMETRIC = "finitedp.impl.counting.geometric"
EMPTY = "finitedp.impl.histograms.empty_bins"
COINS = "finitedp.impl.randomness.coins"
GEO, FAST = [f"{GEOMETRIC}.GeoSample"], [f"{GEOMETRIC}.FastSample"]
SAMPLER, SCALED = [f"{EMPTY}.EmptyBinSampler"], [f"{KERNELS}.scale_word", f"{COINS}.strict_bits"]

ALL_GEO = "every n, every epsilon = 1/q, every count, output and draw"
ALL_FAST = "every n, every epsilon = 1/q, every gamma = 1/g with g >= 2, every count, output and draw"
ANY = "every mechanism with a non-decreasing F of any range d, every d_0 >= d, every draw"

_K = "        return ceil_log2(int(2 * self.epsilon.denominator))\n\n    @cached_property\n    def "
TIES: dict[str, Twin] = {"equal goes on": Edit(KERNELS, "above = u > cdf(", "above = u >= cdf(")}
DOWN: dict[str, Twin] = {"the other half": Edit(KERNELS, "if above and position", "if not above and position")}
TAIL: dict[str, Twin] = {
    "tail from m + 1": Edit(
        KERNELS, "return x**m * (x + 1) ** (power - m)", "return x ** (m + 1) * (x + 1) ** (power - m - 1)"
    )
}

OUTSIDE: dict[str, Twin] = {
    "a count below 0": Edit(GEOMETRIC, 'integer(count, "count", 0, n, ', 'integer(count, "count", -n, n, '),
    "counts unchecked": Edit(GEOMETRIC, 'integer(count, "count", 0, n, ', 'integer(count, "count", error='),
    "a draw of 0": Edit(GEOMETRIC, "if u < 1 or u > d:", "if u < 0 or u > d:"),
    "draws that are out of range on both sides": Edit(GEOMETRIC, "if u < 1 or u > d:", "if u < 1 and u > d:"),
}


@proved(
    "BV.Alg4.8.all",
    "algorithm",
    """GeoSample(c, u) is the least z in 0..n with F(z) >= u, for every u in 1..d, and F(-1) = 0, F(n) = d: a uniform u
    gives z with probability (F(z) - F(z-1))/d.""",
    over=ALL_GEO,
    code=GEO,
    proof="geo_sample",
    twins=TIES,
)
@proved(
    "BV.Lem4.9.all",
    "lemma",
    """F(z)/d is the cumulative distribution function of c plus two-sided geometric noise with decay 2^k/(2^k + 1), clamped
    to 0..n.""",
    over=ALL_GEO,
    code=GEO,
    proof="geo_sample",
    twins=TAIL,
)
@proved(
    "BV.Thm4.7.i.private.all",
    "theorem",
    """GeoSample is (epsilon/2, 0)-differentially private for counting queries: its worst ratio is at most 1 + 2^-k <=
    e^(epsilon/2).""",
    over=ALL_GEO,
    code=GEO,
    proof="geo_sample",
    twins={
        "the count itself below": Edit(KERNELS, "return tail(count - z) if z < count", "return tail(count - z) if z <= count")
    },
)
@proved(
    "BV.Thm4.7.i.accurate.all",
    "theorem",
    "GeoSample's error is above a with probability at most beta, for every a with (1 + 2^-k)^a >= 1/beta.",
    over=ALL_GEO + ", every rational beta",
    code=GEO,
    proof="geo_sample",
    twins={
        "the tail of another k": Edit(
            GEOMETRIC,
            "return tail_weight(mpz(2) ** self.k, ",
            "return tail_weight(mpz(2) ** (self.k + 1), ",
        )
    },
)
@proved(
    "BV.Thm4.7.iv.all",
    "theorem",
    "GeoSample(c, u) is non-decreasing in u.",
    over=ALL_GEO,
    code=GEO,
    proof="geo_sample",
    twins=DOWN,
)
@proved(
    "BV.Thm4.7.epsilon.all",
    "theorem",
    "epsilon~ = 2 ln(1 + 2^-k) lies in (4/9 epsilon, epsilon].",
    over="every epsilon = 1/q",
    code=[f"{GEOMETRIC}.GeoSample.k"],
    proof="geo_sample",
    twins={"1/epsilon for 2/epsilon": Edit(GEOMETRIC, f"{_K}d(self)", f"{_K}d(self)".replace("2 * ", ""))},
)
@proved(
    "BV.Thm4.7.ii.all",
    "theorem",
    "GeoSample's draw has fewer than (k+1)(n+1) bits: d < 2^((k+1)(n+1)).",
    over="every n, every epsilon = 1/q",
    code=[f"{GEOMETRIC}.GeoSample.d"],
    proof="geo_sample",
    twins={"d of n + 3": Edit(GEOMETRIC, "(x + 1) ** (self.n - 1)", "(x + 1) ** (self.n + 2)")},
)
@proved(
    "BV.Thm4.7.ii.integers.all",
    "theorem",
    """The integers that GeoSample uses are at most d: 0 <= F(z) <= d, and so are both powers of which a tail is made, 2^(km)
    and (2^k + 1)^(n-m).""",
    over=ALL_GEO + ", every 1 <= m <= n",
    code=[f"{GEOMETRIC}.GeoSample.cdf", f"{GEOMETRIC}.GeoSample.d"],
    proof="geo_sample",
    twins={
        "d of n - 1": Edit(GEOMETRIC, "(x + 1) ** (self.n - 1)", "(x + 1) ** (self.n - 2)"),
        "a tail of n + 1": Edit(GEOMETRIC, "self.k, self.n, m)", "self.k, self.n + 1, m)"),
    },
)
@proved(
    "BV.Alg4.11.all",
    "algorithm",
    """FastSample(c, u) is the least z in 0..n with F(z) >= u, for every u in 1..d, and F(-1) = 0, F(n) = d: a uniform u
    gives z with probability (F(z) - F(z-1))/d.""",
    over=ALL_FAST,
    code=FAST,
    proof="fast_sample",
    twins=TIES,
)
@proved(
    "BV.Lem4.12.i.all",
    "lemma",
    "F' of FastSample is that of c plus geometric noise whose mass beyond +-t is moved to c, clamped to 0..n.",
    over=ALL_FAST,
    code=FAST,
    proof="fast_sample",
    twins={
        "mass left at the ends": Edit(
            KERNELS, "return tail_weight(x, radius + 1, m) - beyond if", "return tail_weight(x, radius + 1, m) if"
        )
    },
)
@proved(
    "BV.Lem4.12.ii.all",
    "lemma",
    "FastSample's law is gamma times the uniform law on 0..n and 1 - gamma times the law of F'.",
    over=ALL_FAST,
    code=FAST,
    proof="fast_sample",
    twins={"z for z + 1": Edit(GEOMETRIC, "(z + 1) * self._geometric_range +", "z * self._geometric_range +")},
)
@proved(
    "BV.Thm4.10.i.all",
    "theorem",
    """FastSample is (epsilon/2, 0)-differentially private for counting queries: its worst ratio is at most 1 + 2^-k <=
    e^(epsilon/2).""",
    over=ALL_FAST,
    code=FAST,
    proof="fast_sample",
    twins={
        "1/epsilon left out of t": Edit(GEOMETRIC, "8 * (self.n + 1) * (g - 1) * q)", "8 * (self.n + 1) * (g - 1))"),
        "gamma left out of t": Edit(GEOMETRIC, "8 * (self.n + 1) * (g - 1) * q)", "8 * (self.n + 1) * q)"),
    },
)
@proved(
    "BV.Thm4.10.ii.all",
    "theorem",
    "FastSample's error is above a with probability at most beta, for every a with (1 + 2^-k)^a >= 1/(beta - gamma).",
    over=ALL_FAST + ", every rational beta",
    code=FAST,
    proof="fast_sample",
    twins={
        "twice the uniform share": Edit(
            GEOMETRIC,
            "return (self.gamma.denominator - 1) * (self.n + 1)",
            "return (self.gamma.denominator - 2) * (self.n + 1)",
        )
    },
)
@proved(
    "BV.Thm4.10.iii.all",
    "theorem",
    """FastSample's draw has at most (k+1)(t+2) + log2((n+1)/gamma) bits, and t < 9/(2 epsilon) L with L the bits of
    8(n+1)(1/gamma - 1)/epsilon - 1, 2^L < 16(n+1)(1/gamma - 1)/epsilon.""",
    over="every n, every epsilon = 1/q, every gamma = 1/g with g >= 2",
    code=[f"{GEOMETRIC}.FastSample.d", f"{GEOMETRIC}.FastSample.t"],
    proof="fast_sample",
    twins={"t for 10": Edit(GEOMETRIC, "return -(-9 * q", "return -(-10 * q")},
)
@proved(
    "BV.Thm4.10.iii.integers.all",
    "theorem",
    """The integers that FastSample uses are at most d: 0 <= F(z) <= d, and so are both powers of which a tail is made, 2^(km)
    and (2^k + 1)^(t+1-m).""",
    over=ALL_FAST + ", every 1 <= m <= t + 1",
    code=[f"{GEOMETRIC}.FastSample.cdf", f"{GEOMETRIC}.FastSample.d"],
    proof="fast_sample",
    twins={
        "d without its powers": Edit(GEOMETRIC, "return (self.n + 1) * self._geometric_range * ", "return (self.n + 1) * ")
    },
)
@proved(
    "BV.Thm4.10.v.all",
    "theorem",
    "FastSample(c, u) is non-decreasing in u.",
    over=ALL_FAST,
    code=FAST,
    proof="fast_sample",
    twins=DOWN,
)
@proved(
    "BV.Lem8.4.i.all",
    "lemma",
    "M_0 is non-decreasing, where M is.",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={"r added": Edit(EMPTY, "return -(-(u_0 - self.r) // self.q)", "return -(-(u_0 + self.r) // self.q)")},
)
@proved(
    "BV.Lem8.4.ii.all",
    "lemma",
    """d_0 Pr[M_0(U_0) <= v] is q F(v) + min(F(v), r), so that the ratio of every output's probabilities under M_0 and M is
    from q d/d_0 >= e^(-2d/d_0) to (q+1) d/d_0 <= e^(d/d_0).""",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={"remainder of one": Edit(EMPTY, "return self.q * u + min(u, self.r)", "return self.q * u + min(u, 1)")},
)
@proved(
    "BV.Lem8.4.iii.all",
    "lemma",
    "Pr[M_0(U_0) <= a] >= Pr[M(0, U) <= a] for every a, so that M_0 keeps the accuracy of M.",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={"no remainder": Edit(EMPTY, "return self.q * u + min(u, self.r)", "return self.q * u")},
)
@proved(
    "BV.Lem8.4.iv.all",
    "lemma",
    """M_0 makes three comparisons beside those of M, on every path, and gives M(0, f(u_0)), from a quotient of integers of
    at most d_0: time O~(log d_0) beside M's.""",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={
        "one comparison more": Edit(
            EMPTY, "apply(0, self.stretched(u_0))", "apply(0, min(self.stretched(u_0), self.mechanism.d))"
        ),
        "one comparison more where r is not 0": Edit(
            EMPTY, "if u_0 <= self.r * (self.q + 1):", "if self.r > 0 and u_0 <= self.r * (self.q + 1):"
        ),
        "the upper end unchecked": Edit(EMPTY, "if u_0 < 1 or u_0 > self.d_0:", "if u_0 < 1:"),
    },
)
@proved(
    "BV.Lem8.4.v.all",
    "lemma",
    """M_0(u_0) <= v exactly where u_0 <= q F(v) + min(F(v), r), so that the u_0 with M_0(u_0) = v are an interval, and its
    ends these.""",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={"nothing at 0": Edit(EMPTY, "[(v >= 0) + (v >= n)]", "[(v > 0) + (v >= n)]")},
)
@proved(
    "FD.StrictCoins.all",
    "own",
    """Of the words of b = ceil(log2 most) + 128 bits, as many are mapped to each value of 1..d, d <= most, as its share up to
    a factor between 1 - 2^-128 and 1 + 2^-128; all are mapped to 1..d.""",
    over="every d <= most, every value",
    code=SCALED,
    proof="strict_coins",
    twins={
        "from 0": Edit(KERNELS, "return 1 + ((word * d) >> bits)", "return (word * d) >> bits"),
        "64 bits to spare": Edit(COINS, "SPARE_BITS = 128", "SPARE_BITS = 64"),
    },
)
@proved(
    "FD.CompactHistogram.scale.all",
    "own",
    "2/epsilon~ <= 5/epsilon, where epsilon~ belongs to epsilon' = 1/ceil(10/(9 epsilon)).",
    over="every rational epsilon in (0, 1]",
    code=[f"{GEOMETRIC}.FastSample.k"],
    proof="strict_coins",
    twins={"4/epsilon for 2/epsilon": Edit(GEOMETRIC, f"{_K}t(self)", f"{_K}t(self)".replace("2 * ", "4 * "))},
)
@proved(
    "FD.GeoSample.domain.all",
    "own",
    "GeoSample(c, u) raises for every count outside of 0..n and every draw outside of 1..d; and there is none with n < 1.",
    over="every n, every epsilon = 1/q, every other integer count or draw",
    code=[f"{GEOMETRIC}.GeoSample.apply", f"{GEOMETRIC}.check_draw"],
    proof="geo_sample",
    twins=OUTSIDE,
)
@proved(
    "FD.FastSample.domain.all",
    "own",
    "FastSample(c, u) raises for every count outside of 0..n, every draw outside of 1..d; and there is none with gamma = 1.",
    over="every n, every epsilon = 1/q, every gamma = 1/g with g >= 2, every other integer count or draw",
    code=[f"{GEOMETRIC}.FastSample.apply", f"{GEOMETRIC}.check_draw"],
    proof="fast_sample",
    twins={"a draw above d": Edit(GEOMETRIC, "if u < 1 or u > d:", "if u < 1:")},
)
@proved(
    "FD.TruncatedTail.all",
    "own",
    "The tail of geometric noise whose mass beyond +-t is moved to 0 is 0 beyond t.",
    over="every x, every t, every m > t",
    code=[f"{KERNELS}.truncated_tail_weight"],
    proof="fast_sample",
    twins={"mass beyond the radius": Edit(KERNELS, "else beyond - beyond", "else beyond")},
)
@proved(
    "FD.EmptyBins.domain.all",
    "own",
    """M_0(u_0) raises for every u_0 outside of 1..d_0, and F_0(v) for every v outside of -1..n; and F_0 asks F only for
    values in 0..n-1, at both ends too.""",
    over=ANY,
    code=SAMPLER,
    proof="empty_bins",
    twins={
        "a draw above d_0 is taken": Edit(EMPTY, "if u_0 < 1 or u_0 > self.d_0:", "if u_0 < 1:"),
        "F is asked at n": Edit(EMPTY, '"v", -1, n), 0), n - 1))', '"v", -1, n), 0), n))'),
        "F is asked at -1": Edit(EMPTY, "min(max(integer(", "min(min(integer("),
    },
)
def counting(twin: Twin | None, named: Named) -> Finding:
    """Re-check a proof object."""
    return rechecked(twin, named)
