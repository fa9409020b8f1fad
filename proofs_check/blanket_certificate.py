"""Re-checks the certificate of a BlanketHistogram's plan from the file alone: python blanket_certificate.py FILE...

It imports the standard library only and shares no code with finitedp. What it accepts: a dyadic table (weights w_0 >= ... >=
w_(n-1) >= 1 and w_n >= 1 with w_0 + 2(w_1 + ... + w_n) = 2^B, w_j <= R w_(j+1) for j < n - 1, S_j <= R S_(j+1) for j < n where
S_j = w_j + ... + w_n, and 1 < R) and public numbers with, for sigma = S_b/2^B, m_1(v) = w_(v-1)/2^B below v = n and
S_(n-1)/2^B there, tau_v = t_v/2^C, D = 2^k >= |X|, rho_1 = (G-L)q/((2^h-q)D) and rho_2 = Gq/((2^h-q)D - Gq):

    t_v >= 1, their sum is 2^C, 1 <= L < G, 1 <= q < 2^h, (2^h-q)D > Gq,
    (A) (1 - sigma)(1 + rho_2) <= R and 1 <= R(1 - sigma),     (B) m_1(v)(1 + rho_1) <= R tau_v rho_1 for every v in b+1..n,
    (C) tau_v rho_2 <= R m_1(v) for every v in b+1..n,         (D) sigma (L+1)(2^h-q) <= (R-1)(G-L)q.

A row more or less then changes no probability by more than the factor R: that is `private`. The claimed ratio is R for
add-remove, R^2 for replace-one, and at most e^epsilon. A skewed table, for replace-one, has weights d_0 = w_0, d_1, ..., d_n
downwards that satisfy the same with a ratio of their own, which is R in the second half of (A) and in (C); R^2 is the product.

`chosen` re-checks what else a plan promises: of the labels that are released at most `invented` do not occur, on average; a
release is withheld with probability at most 2^-64 whatever the data are, by Chernoff's bound; and L, G, q, C, k and the t_v
behind the first are the least that the rules allow, or what they say.
"""

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

FORMAT = "finitedp blanket plan"
KEYS = {"format", "version", "neighbours", "epsilon", "ratio", "invented", "size", "b", "cap", "slots", "hit", "label_bits"}
KEYS |= {"hit_bits", "count_bits", "counts", "table"}
TABLE_KEYS = {"format", "version", "bits", "epsilon", "ratio", "n", "tail", "last", "head"}
SIDE_KEYS = {"ratio", "head", "tail", "last"}
SKEWED_KEYS = {"format", "version", "bits", "epsilon", "n", "up", "down"}
MOST_LABELS = 1 << 21  # L, beyond which Chernoff's bound has too many digits
E_ABOVE = Fraction(2718281828459045236, 10**18)


def need(condition: bool, message: str) -> None:
    """Stop unless the condition holds."""
    if not condition:
        raise ValueError(message)


def whole(text: object) -> int:
    """An integer of at least 0 in digits."""
    need(isinstance(text, str) and text.isascii() and text.isdigit(), "a number is not written in digits")
    need(not str(text).startswith("0") or text == "0", "a number begins with 0")
    return int(str(text))


def fraction(text: object) -> Fraction:
    """A rational above 0, written p/q or p, in lowest terms."""
    need(isinstance(text, str) and set(text) <= set("/0123456789") and len(text) <= 4000, "a rational is not written as 'p/q'")
    number = Fraction(str(text))
    need(number > 0 and str(number) == text, "a rational is 0, or not in lowest terms")
    return number


def at_most_exp(number: Fraction, x: Fraction) -> bool:
    """Whether number <= e^x, for x > 0, by sums of its series in units of 2^-places, rounded either way, until they decide."""
    places, p, q = 64, x.numerator, x.denominator
    while True:
        goal, i = number * (1 << places), 0
        below = above = low = high = 1 << places
        while below < goal and (i <= 2 * x or (low > 0 and above + high >= goal)):
            i += 1
            low, high = low * p // (q * i), -(-high * p // (q * i))
            below, above = below + low, above + high
        if below >= goal or above + high < goal:  # the rest of the series is below its last term where i > 2 x
            return below >= goal
        places *= 2


class Weights:
    """Weights of 0..size-1: the head, then equal ones, then the last; and the sums from each place on."""

    def __init__(self, size: int, head: list[int], tail: int, last: int) -> None:
        self.size, self.head, self.tail, self.last = size, head, tail, last
        self.stretch = size - 1 - len(head)
        need(self.stretch >= 0 and min([*head, last, tail if self.stretch else last]) >= 1, "a weight is below 1, or missing")
        need(self.stretch > 0 or tail == 0, "tail stands for no weight, and is not 0")
        self.sums = [last + self.stretch * tail]
        for weight in reversed(head):
            self.sums.append(self.sums[-1] + weight)
        self.sums.reverse()

    def at(self, place: int) -> int:
        """The weight at a place."""
        if place < len(self.head):
            return self.head[place]
        return self.tail if place < self.size - 1 else self.last

    def upper(self, place: int) -> int:
        """The sum from a place on."""
        return self.sums[place] if place < len(self.sums) else self.last + (self.size - 1 - place) * self.tail


def side(document: dict[str, Any], n: int, ratio: Fraction) -> Weights:
    """Weights w_0, ..., w_n that satisfy (i) and (ii) for a ratio."""
    need(isinstance(document["head"], list), "a head is no list")
    head, tail = [whole(weight) for weight in document["head"]], whole(document["tail"])
    need(len(head) < n, "n is too small")
    weights, p, q = Weights(n + 1, head, tail, whole(document["last"])), ratio.numerator, ratio.denominator
    steps = list(pairwise([*head, tail]))
    need(p > q, "R is not above 1")
    need(all(a >= b for a, b in steps), "the weights rise")
    need(all(a * q <= p * b for a, b in steps), "(i) fails")
    # within the stretch (i) says t <= R t, and S_j / S_(j+1) = 1 + t / S_(j+1) is largest at its end
    need(all(a * q <= p * b for a, b in pairwise(weights.sums)), "(ii) fails")
    need((tail + weights.last) * q <= p * weights.last, "(ii) fails at j = n - 1")
    return weights


class Table:
    """The noise of one count: its weights upwards and downwards, the bits of a word, n, and the ratios R of a row more."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.skewed = document["format"] == "finitedp skewed table"
        need(self.skewed or document["format"] == "finitedp dyadic table", "the table is of another format")
        need(type(document["version"]) is int and document["version"] == 1, "the table is not of version 1")
        need(set(document) == (SKEWED_KEYS if self.skewed else TABLE_KEYS), "a key of the table is missing or not known")
        self.bits, self.n, self.epsilon = document["bits"], whole(document["n"]), fraction(document["epsilon"])
        need(type(self.bits) is int and 1 <= self.bits <= 4096, "bits is not an integer from 1 to 4096")
        parts = (document["up"], document["down"]) if self.skewed else (document, document)
        need(not self.skewed or all(set(part) == SIDE_KEYS for part in parts), "a key of a side is missing or not known")
        self.up, self.down = (fraction(part["ratio"]) for part in parts)
        need(at_most_exp(self.up * self.down, self.epsilon), "R is above e^(epsilon/2)")
        self.weights, self.below = side(parts[0], self.n, self.up), side(parts[1], self.n, self.down)
        need(self.weights.at(0) == self.below.at(0), "the sides do not meet")
        need(self.weights.upper(0) + self.below.upper(1) == 1 << self.bits, "the weights do not sum to 2^bits")

    def once(self, v: int) -> int:
        """2^B m_1(v): how often a label of one row gets the count v, for v in 1..n."""
        return self.weights.at(v - 1) if v < self.n else self.weights.upper(v - 1)


class Plan:
    """The public numbers of a mechanism."""

    def __init__(self, document: dict[str, Any]) -> None:
        need(repr((document["format"], document["version"])) == f"('{FORMAT}', 1)", "no plan of version 1")
        need(set(document) == KEYS and set(document["counts"]) == {"head", "tail", "last"}, "a key is missing or not known")
        self.neighbours, self.epsilon, self.claimed = (document[name] for name in ("neighbours", "epsilon", "ratio"))
        need(self.neighbours in ("replace-one", "add-remove"), "neighbours is neither replace-one nor add-remove")
        self.epsilon, self.claimed = fraction(self.epsilon), fraction(self.claimed)
        self.table, self.invented = Table(document["table"]), fraction(document["invented"])
        self.size, self.b, self.cap, self.slots, self.hit = (whole(document[x]) for x in ("size", "b", "cap", "slots", "hit"))
        lengths = [document[name] for name in ("label_bits", "hit_bits", "count_bits")]
        need(all(type(bits) is int and 0 <= bits <= 4096 for bits in lengths), "a number of bits is not from 0 to 4096")
        self.label_bits, self.hit_bits, self.count_bits = lengths
        need(self.b < self.table.n, "b is not below n")
        counts = document["counts"]
        need(isinstance(counts["head"], list), "the counts are no list")
        head, tail, last = [whole(t) for t in counts["head"]], whole(counts["tail"]), whole(counts["last"])
        self.counts = Weights(self.table.n - self.b, head, tail, last)

    def places(self) -> Iterator[int]:
        """The counts v in b+1..n to look at: where both lists are constant, the first stands for all."""
        last = max(self.b + len(self.counts.head), len(self.table.weights.head)) + 1
        yield from range(self.b + 1, min(last + 1, self.table.n))
        yield self.table.n


def private(plan: Plan) -> None:
    """Whether a row more or less changes no probability by more than R, and the claim is what follows. Raises: ValueError."""
    table, p, q = plan.table, plan.table.up.numerator, plan.table.up.denominator
    r, s = table.down.numerator, table.down.denominator
    total, sigma, size = 1 << table.bits, table.weights.upper(plan.b), 1 << plan.label_bits
    misses, hits = (1 << plan.hit_bits) - plan.hit, (plan.slots - plan.cap) * plan.hit
    free = misses * size - plan.slots * plan.hit
    need(1 <= plan.size <= size, "|X| is not within 1..D")
    need(1 <= plan.cap < plan.slots and plan.hit >= 1 and misses >= 1 and free >= 1, "L, G or q is out of range")
    need(plan.counts.upper(0) == 1 << plan.count_bits, "the counts of slots do not sum to 2^C")
    need((total - sigma) * misses * size * q <= p * free * total, "(A) fails: (1 - sigma)(1 + rho_2) > R")
    need(total * s <= r * (total - sigma), "(A) fails: 1 > R(1 - sigma)")
    needs, gives = ((misses * size + hits) * q) << plan.count_bits, p * hits * total
    costs, allows = plan.slots * plan.hit * s * total, (r * free) << plan.count_bits
    for v in plan.places():
        once, held = table.once(v), plan.counts.at(v - plan.b - 1)
        need(once * needs <= held * gives, f"(B) fails at {v}")
        need(held * costs <= once * allows, f"(C) fails at {v}")
    need(sigma * (plan.cap + 1) * misses * q <= (p - q) * hits * total, "(D) fails")
    replaced = plan.neighbours == "replace-one"
    need(replaced or not table.skewed, "a skewed table is not for add-remove")
    need(table.epsilon == plan.epsilon * (1 if replaced else 2), "the table is for another epsilon")
    need(plan.claimed == (table.up * table.down if replaced else table.up), "the ratio is not the one that follows from R")
    need(at_most_exp(plan.claimed, plan.epsilon), "the ratio is above e^epsilon")


def chosen(plan: Plan) -> None:
    """Whether few releases are withheld, few labels invented, and the numbers those of the rules. Raises: ValueError."""
    hits = plan.invented * (1 << plan.label_bits) / plan.size
    need(plan.cap <= MOST_LABELS, f"L is above {MOST_LABELS}, too large to be re-checked")
    need(plan.size > 1 << plan.label_bits >> 1, "2^k is not the least power of two that |X| fits in")
    need(plan.hit_bits == 64, "h is not 64")
    count_bits = max(64, plan.table.bits - plan.label_bits + (-(-hits.numerator // hits.denominator) - 1).bit_length())
    need(plan.count_bits == count_bits, f"C is not {count_bits}")
    need(plan.slots * plan.hit <= hits * (1 << plan.hit_bits), "more labels are invented than is stated")
    mean = most_shown(plan) + hits
    above = max(1, -(-mean.numerator // mean.denominator))
    need(rarely_above(above, plan.cap + 1), "withheld with a probability that is not shown to be at most 2^-64")
    need(plan.cap < above or not rarely_above(above, plan.cap), "L is not the least")
    share = 4 / (plan.table.up * plan.table.down - 1)
    need(plan.slots == plan.cap * (65 + share.numerator // share.denominator), "G is not L (65 + floor(4/(R^2 - 1)))")
    least, found = least_weights(plan, plan.hit), plan.counts
    need(least.at(0) <= found.at(0), "t_(b+1) is below the least")
    if found.size > 1:  # what is left over is on the first
        same = (least.head[1:], least.tail, least.last) == (found.head[1:], found.tail, found.last)
        need(same and len(found.head) == len(least.head), "a weight is not the least")
    need(plan.hit == 1 or least_weights(plan, plan.hit - 1).upper(0) > 1 << plan.count_bits, "q is not the least")


def most_shown(plan: Plan) -> Fraction:
    """n max_c Pr[M(c) > b]/c: no dataset of n rows shows more labels on average.

    Where weights are equal Pr[M(c) > b] is linear in c, so that its quotient by c is largest at an end: the time depends on
    the weights that are written out, not on n.
    """
    weights, below, total, n, b = plan.table.weights, plan.table.below, 1 << plan.table.bits, plan.table.n, plan.b
    best, at = weights.upper(b), 1
    up, down = min(len(weights.head), b), min(max(len(below.head), 1), n - b)
    for c in (*range(max(b + 1 - up, 1), b + 1), *range(b + 1, b + down + 1), n):
        shown = weights.upper(b + 1 - c) if c <= b else total - below.upper(c - b)
        best, at = (shown, c) if shown * at > best * c else (best, at)
    return Fraction(n * best, total * at)


def rarely_above(mean: int, least: int) -> bool:
    """Whether e^(least - mean) (mean/least)^least <= 2^-64, which bounds Pr[X >= least] for least >= mean.

    X is any sum of independent events that happen `mean` times on average, or less often.
    """
    e, more = E_ABOVE, least - mean
    return more >= 0 and e.numerator**more * mean**least << 64 <= e.denominator**more * least**least


def least_weights(plan: Plan, hit: int) -> Weights:
    """The least t_(b+1), ..., t_n that (B) allows."""
    table, b, hits = plan.table, plan.b, (plan.slots - plan.cap) * hit
    p, q, n = table.up.numerator, table.up.denominator, table.n
    needs = ((((1 << plan.hit_bits) - hit) << plan.label_bits) + hits) * q << plan.count_bits
    gives = p * hits << table.bits
    explicit = min(max(len(table.weights.head), b + 1), n - 1)
    head = [-(-table.once(v) * needs // gives) for v in range(b + 1, explicit + 1)]
    tail = -(-table.weights.tail * needs // gives) if explicit < n - 1 else 0
    return Weights(n - b, head, tail, -(-table.once(n) * needs // gives))


def recheck(document: dict[str, Any]) -> str | None:
    """Why the certificate is rejected, or None. Parameters: document, as read from JSON."""
    try:
        plan = Plan(document)
        private(plan)
        chosen(plan)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return None


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, none of whose keys is there twice: readers differ in which one they take."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def main(files: list[str]) -> int:
    """Check each file; 0 where all are accepted."""
    code = 0
    for file in files:
        try:
            reason = recheck(json.loads(Path(file).read_text(encoding="utf-8"), object_pairs_hook=unique))
        except (OSError, ValueError, RecursionError) as error:
            reason = f"it cannot be read: {error}"
        print(f"{file}: {'accepted' if reason is None else f'REJECTED: {reason}'}")  # noqa: T201  # its purpose
        code = code if reason is None else 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else "usage: blanket_certificate.py FILE...")
