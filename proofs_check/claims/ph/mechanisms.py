"""PrivHist in parts: what each step gives to its noise, with places where a broken copy differs; and the tiny parameters."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.impl.counting.dyadic_table import LARGEST_WORD
from finitedp.proofs_check.ledger.entry import in_scope, out_of_scope_where_refused
from finitedp.spec.anonymized import histograms, post_processing, priv_hist
from finitedp.spec.anonymized.histograms import Histogram
from finitedp.spec.divergence import max_ratio
from finitedp.spec.dyadic import dyadic_sample
from finitedp.spec.pmf import Pmf, mixture, product

Coordinates = tuple[Pmf[int] | Pmf[tuple[int, ...]], ...]
Parts = dict[tuple[int, ...], tuple[mpq, Coordinates]]
"""By what is seen, such as (N, W): its probability, and the independent laws of all that is released besides."""


@cache
def table(n: int, epsilon: mpq, word: int) -> Callable[[int], Pmf[int]]:
    """Tau: noise for values in 0..n with ratio e^epsilon between neighbours. Raises: OutOfScopeError without a table."""

    @cache
    def noise(value: int) -> Pmf[int]:
        with out_of_scope_where_refused():
            return dyadic_sample(n, 2 * epsilon, word, value)

    return noise


@frozen
class Tiny:
    """Public parameters: U, the epsilons, M and the word; T from N, or fixed."""

    universe: int
    word: int = 7
    epsilons: tuple[mpq, ...] = (mpq(1), mpq(7, 5))
    fakes: int = 1
    fixed: int | None = None

    def check_scope(self) -> None:
        in_scope(self.universe >= 1 and self.fakes >= 0, "U >= 1 and M >= 0")
        in_scope(len(self.epsilons) in (2, 3) and min(self.epsilons) > 0, "two epsilons or three, above 0")
        in_scope(self.fixed is None or self.fixed >= 1, "T >= 1")
        in_scope(2 <= self.word <= LARGEST_WORD, "a word that a table may have")

    def threshold(self, total: int) -> int:
        return priv_hist.paper_threshold(total, sum(self.epsilons)) if self.fixed is None else self.fixed

    @property
    def items(self) -> Callable[[int], Pmf[int]]:
        return table(self.universe, self.epsilons[0], self.word)

    @property
    def split(self) -> Callable[[int], Pmf[int]]:
        """The noise of W, of the large counts and of the cumulative prevalences."""
        return table(self.universe + 2 * self.fakes, self.epsilons[1], self.word)

    @property
    def block(self) -> Callable[[int], Pmf[int]]:
        """The noise of the blocks, clamped to -U..2U."""
        wide = table(3 * self.universe, self.epsilons[2], self.word)
        return lambda value: wide(value + self.universe).shifted(-self.universe)

    @property
    def parameters(self) -> priv_hist.Parameters:
        """The same for the specification."""
        smooth = len(self.epsilons) == 3
        return priv_hist.Parameters(
            self.universe,
            self.threshold,
            lambda _: self.fakes,
            self.items,
            self.split,
            self.block if smooth else None,
            lambda total: priv_hist.paper_last(total, self.epsilons[2]),
            lambda total, s: priv_hist.finite_stride(total, self.epsilons[2], s),
        )

    def __str__(self) -> str:
        shown = "" if self.fixed is None else f", T={self.fixed}"
        return f"U={self.universe}, epsilons {', '.join(map(str, self.epsilons))}, {self.word} bits, M={self.fakes}{shown}"


def small_bin_by_bin(h: Histogram, t: int, m: int, w: int) -> list[int]:
    """Broken: phi_{r+} of the small part where each bin, a difference of two sums, is cut off at 0 by itself."""
    phi = priv_hist.moved(h, t, m, w - m - histograms.cumulative(h, t + 1))
    return [sum(max(0, phi[s]) for s in range(r, t + 1)) for r in range(1, t + 1)]


def small_without_w(h: Histogram, t: int, m: int, _: int) -> list[int]:
    """Broken: phi_{r+} of the small part without the noise of W."""
    return [histograms.cumulative(h, r) - histograms.cumulative(h, t + 1) + m for r in range(1, t + 1)]


@frozen
class Steps:
    """The steps of the low-privacy branch, each of which a copy may change.

    threshold(h, N, given); w_law(h, T, given); large and small from (h, T, M, w); large_noise from (given, T, value);
    hidden, whether the small part has a W of its own, which nobody sees; output as split_output.
    """

    threshold: Callable[[Histogram, int, Tiny], int] = lambda h, total, given: given.threshold(total)
    w_law: Callable[[Histogram, int, Tiny], Pmf[int]] = lambda h, t, given: priv_hist.w_law(
        h, t, given.fakes, given.universe, given.split
    )
    large: Callable[[Histogram, int, int, int], list[int]] = lambda h, t, m, w: priv_hist.large_values(h, t, w)
    small: Callable[[Histogram, int, int, int], list[int]] = priv_hist.small_values
    large_noise: Callable[[Tiny, int, int], Pmf[int]] = lambda given, t, x: given.split(x - t).shifted(t)
    hidden: bool = False
    output: Callable[[Sequence[int], Sequence[int], int, int], Histogram] = post_processing.split_output

    def but(self, **changes: object) -> "Steps":
        return evolve(self, **changes)  # type: ignore[arg-type]  # the fields' own types

    def parts(self, h: Histogram, given: Tiny) -> Parts:
        """What is released of h, by (N, W)."""
        totals = given.items(sum(h))
        found: Parts = {}
        for total in totals:
            if total == 0:
                found[0, 0] = totals[total], ()
                continue
            t, m = self.threshold(h, total, given), given.fakes
            ws = self.w_law(h, t, given)
            for w in ws:
                large = [self.large_noise(given, t, x) for x in self.large(h, t, m, w)]
                if self.hidden:
                    below: Coordinates = (mixture([(ws[v], self._small(h, t, given, v)) for v in ws]),)
                else:
                    below = tuple(given.split(max(0, x)) for x in self.small(h, t, m, w))
                found[total, w] = totals[total] * ws[w], (*large, *below)
        return found

    def _small(self, h: Histogram, t: int, given: Tiny, w: int) -> Pmf[tuple[int, ...]]:
        return product([given.split(x) for x in self.small(h, t, given.fakes, w)])


def _any(law: Pmf[int] | Pmf[tuple[int, ...]]) -> Pmf[Any]:
    return law


def loss_of(one: Parts, other: Parts) -> mpq | None:
    """The worst ratio of two releases; None where it is infinite."""
    worst = mpq(0)
    for seen, (p, laws) in one.items():
        if seen not in other or len(other[seen][1]) != len(laws):
            return None
        ratio = p / other[seen][0]
        for law, its in zip(laws, other[seen][1], strict=True):
            if law is not its:
                found = max_ratio(_any(law), _any(its))
                if found.infinite:
                    return None
                ratio *= found.value
        worst = max(worst, ratio)
    return worst


def worst_ratio(steps: Callable[[Histogram], Parts], universe: int) -> tuple[mpq | None, object]:
    """The worst ratio over all pairs of neighbours in H_U, None where infinite, and the first pair that has it."""
    worst: tuple[mpq, object] = mpq(0), None
    known = {h: steps(h) for h in histograms.histograms(universe)}
    for g, h in histograms.neighbouring_histograms(universe):
        found = loss_of(known[g], known[h])
        if found is None:
            return None, (g, h)
        if found > worst[0]:
            worst = found, (g, h)
    return worst


Output = tuple[Histogram, int]


def split_law(steps: Steps, h: Histogram, given: Tiny) -> Pmf[Output]:
    """The law of (H, N) in the low-privacy branch, for steps whose W is seen."""
    weighted = list[tuple[mpq, Pmf[Output]]]()
    for (total, w), (p, laws) in steps.parts(h, given).items():
        drawn = product([_any(law) for law in laws])
        if total == 0:
            weighted.append((p, Pmf.point(((), 0))))
            continue
        t = steps.threshold(h, total, given)

        def out(x: tuple[int, ...], total: int = total, w: int = w, t: int = t) -> Output:
            return steps.output(x[:w], x[w:], t, given.fakes), total

        weighted.append((p, drawn.pushforward(out)))
    return mixture(weighted)


def smooth_law(
    h: Histogram,
    given: Tiny,
    output: Callable[[Sequence[int], Sequence[int]], Histogram],
    places: Callable[[Sequence[int]], Sequence[int]] = lambda s: s,
    clamp: Callable[[int], int] = lambda x: x,
) -> Pmf[Output]:
    """The law of (H, N) in the high-privacy branch where T' > 2N: output from (S, noisy A_i), another S, another clamp."""
    parameters, totals = given.parameters, given.items(sum(h))
    weighted = list[tuple[mpq, Pmf[Output]]]()
    for total in totals:
        if total == 0:
            weighted.append((totals[total], Pmf.point(((), 0))))
            continue
        last = parameters.last_small(total)
        every = priv_hist.boundaries(total, given.threshold(total), last, partial(parameters.stride, total), ())
        s = list(places(every))
        drawn = product([given.block(a).pushforward(clamp) for a in priv_hist.blocks(h, s)])

        def out(x: tuple[int, ...], s: Sequence[int] = s, total: int = total) -> Output:
            return output(s, x), total

        weighted.append((totals[total], drawn.pushforward(out)))
    return mixture(weighted)
