"""Samplers that tests declare: each a function of its module, with the law that its docstring states."""

from fractions import Fraction
from typing import Any

SHOWN = 3
SET = 0
log: list[int] = [7]


def geometric(rng: Any) -> int:
    """k with probability 2^-(k+1)."""
    k = 0
    while rng.random() < 0.5:
        k += 1
    return k


def third(coins: Any) -> bool:
    """True with probability 1/3, by rejection."""
    while True:
        word = coins.bits(2)
        if word < 3:
            return bool(word == 0)


def ruin(coins: Any, here: int, end: int) -> bool:
    """Whether a fair walk from `here` comes to `end` before 0: with probability here/end."""
    while 0 < here < end:
        here += 1 if coins.uniform(2) == 1 else -1
    return here == end


def largest(coins: Any) -> int:
    """The largest of three draws of 1..5, one after another: v with probability (v^3 - (v-1)^3)/125; a draw is carried on."""
    best, left = coins.uniform(5), 2
    while left:
        new = coins.uniform(5)
        if new > best:  # noqa: PLR1730  # a comparison of two draws
            best = new
        left -= 1
    return int(best)


def bernoulli_exp1(coins: Any, x: Fraction) -> bool:
    """True with probability e^-x, 0 <= x <= 1."""
    k = 1
    while coins.uniform(x.denominator * k) <= x.numerator:
        k += 1
    return k % 2 == 1


def bernoulli_exp(coins: Any, x: Fraction) -> bool:
    """True with probability e^-x, x >= 0."""
    while x > 1:
        if not bernoulli_exp1(coins, Fraction(1)):
            return False
        x = x - 1
    return bernoulli_exp1(coins, x)


def discrete_laplace(coins: Any, scale: int) -> int:
    """x with probability (1 - q) q^|x| / (1 + q), q = e^(-1/scale)."""
    while True:
        negative = coins.uniform(2) == 1
        u = coins.uniform(scale) - 1
        if not bernoulli_exp(coins, Fraction(int(u), scale)):
            continue
        v = 0
        while bernoulli_exp(coins, Fraction(1)):
            v += 1
        size = u + scale * v
        if negative and size == 0:
            continue
        return int(-size if negative else size)


def shown(coins: Any) -> int:
    """A draw of 1..4, at most SHOWN."""
    return int(min(int(coins.uniform(4)), SHOWN))


def same_type(coins: Any, x: Any) -> tuple[Any, bool]:
    """The argument; a coin is tossed, so that there is something to draw."""
    return x, coins.uniform(2) == 1


def pairs(coins: Any) -> tuple[bool, None]:
    """(True, None) with probability 1/3."""
    return coins.uniform(3) == 1, None


def stepping(coins: Any) -> int:
    """0, 5 or 7 with probabilities 1/2, 1/4 and 1/4: a rising table with gaps."""
    return (0, 0, 5, 7)[int(coins.uniform(4)) - 1]


def walk(coins: Any, table: tuple[tuple[int, ...], ...]) -> int:
    """A walk through states: a row is d, and for each part of 1..d its last value and the next state, or -output."""
    here = 0
    while here >= 0:
        row = table[here]
        u, i = coins.uniform(row[0]), 1
        while u > row[i]:
            i += 2
        here = row[i + 1]
    return -here


def two_geometric(coins: Any) -> int:
    """The sum of two geometric numbers."""
    total = 0
    for _ in range(2):
        while coins.uniform(2) == 1:
            total += 1
    return total


# What is not taken alone


def appends(coins: Any) -> int:
    log.append(1)
    return int(coins.uniform(2)) + 0 * len(log)


def inserts_by_another_name(coins: Any) -> int:
    f = log.insert
    f(0, 1)
    return int(coins.uniform(2))


def sets_an_item(coins: Any) -> int:
    log[0] = 1
    return int(coins.uniform(2))


def sets_a_global(coins: Any) -> int:
    global SET  # noqa: PLW0603
    SET = 1
    return int(coins.uniform(2))


def sets_an_attribute(coins: Any) -> int:
    sets_an_attribute.calls = 1  # type: ignore[attr-defined]
    return int(coins.uniform(2))


def adds_to_an_alias(coins: Any) -> int:
    a = log
    a += [1]
    return int(coins.uniform(2))


def has_a_mutable_default(coins: Any, memo: list[int] = []) -> int:  # noqa: B006
    return int(coins.uniform(2)) + 0 * len(memo)


def counts_calls() -> int:
    log.append(1)
    return 0


def calls_a_helper_with_state(coins: Any) -> int:
    return int(coins.uniform(2)) + counts_calls()


def reads_the_clock(coins: Any) -> int:
    import time

    return int(coins.uniform(2)) + 0 * int(time.time())


def looks_at_its_locals(coins: Any) -> int:
    return int(coins.uniform(2)) + 0 * len(locals())


def hides_an_iterator(coins: Any) -> int:
    left = iter((1, 2, 3))
    while coins.uniform(2) == 1:
        if next(left, 0) == 0:
            return 4
    return next(left, 0)


def generates(coins: Any) -> Any:
    yield coins.uniform(2)


def handles_exceptions(coins: Any) -> int:
    try:
        return 1 // (int(coins.uniform(2)) - 1)
    except ZeroDivisionError:
        return 0


def returns_a_list(coins: Any) -> list[int]:
    return [int(coins.uniform(2))]


def raises(coins: Any) -> int:
    if coins.uniform(2) == 1:
        raise ValueError("one")
    return 2


def calls_itself(coins: Any) -> int:
    return 1 + calls_itself(coins) if coins.uniform(2) == 1 else 0


def made_with_a_closure() -> Any:
    kept = [0]

    def closure(coins: Any) -> int:
        kept[0] += 1
        return int(coins.uniform(2))

    return closure


closure = made_with_a_closure()
closure.__name__ = "closure"


def trapped_at_once(coins: Any) -> int:
    """7 with probability 1/2, then 0, ...: the head of its loop is what must not be reached."""
    k = 0
    while True:
        if log and coins.uniform(2) == 1:
            return log[0] if k == 0 else k - 1
        k += 1


def carries_a_list(coins: Any) -> int:
    """k with probability 2^-(k+1): the length of a list, which is no plain value."""
    rounds: list[int] = []
    while coins.uniform(2) == 1:
        rounds = [*rounds, 1]
    return len(rounds)


def carries_a_long_draw(coins: Any) -> bool:
    """True with probability 1/4: a draw of 2^70 values is compared after a loop."""
    u = coins.uniform(2**70)
    while coins.uniform(2) == 1:
        pass
    return bool(u <= 2**68)


def counts_by_itself(coins: Any, n: int) -> int:
    """The number of heads in n throws, by recursion."""
    k = 0
    while n > 0:
        k += 1 if coins.uniform(2) == 1 else 0
        n -= 1
        if n == 1:
            return k + counts_by_itself(coins, 1)
    return k
