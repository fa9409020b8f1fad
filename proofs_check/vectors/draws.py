"""Cases of DyadicSample: a count and a word, at every place where a port may be off by one, and at random ones."""

from collections.abc import Iterator
from typing import Any

from gmpy2 import mpq

from finitedp.proofs_check.vectors.groups import Dice, Group, borders, refused, valid
from finitedp.proofs_check.vectors.tables import Table, built, of_weights

_SMALL = (
    # weights by hand: n = 1; ties; no head; one step; a last weight equal to the stretch
    ([2, 7], 4),
    ([10, 5, 6], 5),
    ([4, 3, 3], 4),
    ([2, 2, 2, 2, 2, 2, 2, 1], 5),
    ([8, 8, 4, 4, 4, 4], 8),
    ([12, 8, 6, 4, 3, 3, 2, 2, 2, 12], 7),
    ([16, 8, 4, 2, 1, 1, 1, 1, 1, 5], 6),
)
_REAL = (
    # n, epsilon, bits: every number that a type may not hold, of n and of the word
    (1, "1", 64),
    (2, "1/2", 64),
    (10, "1", 16),
    (1000, "1", 64),
    (100, "1/3", 20),
    (100, "2", 128),
    ((1 << 31) - 1, "4", 64),
    ((1 << 32) + 1, "3", 64),
    ((1 << 53) + 1, "7/2", 64),
    ((1 << 53) + 1, "4", 128),
    ((1 << 62) - 1, "6", 64),
    ((1 << 63) - 1, "5", 128),
    ((1 << 64) + 1, "6", 128),
    ((1 << 65) + 1, "8", 128),
    (10**9, "1/2", 64),
    (10**6, "7", 128),
    (10**6, "8", 256),
    (5, "300", 64),
)
_MORE = ((10**9, "1/10", 64), (10**9, "1/4", 128), (20190, "1", 128), (365, "13/10", 53), (10**5, "22/7", 96))


def _by_hand() -> Iterator[Table]:
    for weights, bits in _SMALL:
        whole, given = 1 << bits, weights[0] + 2 * sum(weights[1:])
        yield of_weights([*weights[:-1], weights[-1] + (whole - given) // 2], bits)


def tables(*, large: bool = False) -> list[Table]:
    """The tables of the cases."""
    made = (built(n, mpq(epsilon), bits)[1] for n, epsilon, bits in (*_REAL, *(_MORE if large else ())))
    return [*_by_hand(), *(table for table in made if table is not None)]


def word_text(bits: int, word: int) -> str:
    """A word of the tape: hexadecimal digits, the most significant first."""
    return f"{word:0{(bits + 3) // 4}x}"


def _shape(table: Table) -> list[str]:
    """What is special about a table."""
    h, n = len(table.head), table.n
    said = {
        "NoHead": h == 0 and n > 1,
        "OneStep": h == n - 1 and n > 1,
        "NOne": n == 1,
        "OddBits": table.bits % 8 != 0,
        "EqualWeights": len(set(table.head)) < h or table.last == table.tail,
    }
    return [flag for flag, there in said.items() if there] + borders(n)


def _places(table: Table) -> dict[int, set[str]]:
    """Folded words beside the sums, with what they hunt."""
    h, n, bits = len(table.head), table.n, table.bits
    near = [j for j in (1, 2, 3, h // 2, h - 1, h) if 1 <= j <= h]
    far = [j for j in (h + 1, h + 2, (h + n) // 2, n - 1) if h < j < n]
    found: dict[int, set[str]] = {0: {"FirstBit"}, 1: {"FirstBit"}, (1 << (bits - 1)) - 1: {"FirstBit"}}

    def add(m: int, *flags: str) -> None:
        if 0 <= m < 1 << (bits - 1):
            found.setdefault(m, set()).update(flags)

    for j in sorted({*near, *far, n}):
        kinds = ("LastSlot",) if j == n else ("Stretch",) if j in far else ()
        s = table.upper(j)
        add(s - 1, "BelowSum", *kinds)
        add(s, "InnerSum", *kinds)
        add(s + 1, "AboveSum", *kinds)
        if s >> 54:
            add(s - (s >> 54), "Float", *kinds)
        if bits > 64:
            add((s >> 64 << 64) | (s - 1) % (1 << 64), "LowLimb")
            add(s ^ (s % (1 << 32)), "LowLimb")
    for k in (31, 32, 53, 63, 64):
        for m in ((1 << k) - 1, 1 << k, (1 << k) + 1):
            add(m, *borders(m))
    return found


def _counts(table: Table, size: int) -> list[tuple[int, str]]:
    """Counts to draw at, for noise of a size: the ends, and those where it is clamped or just not."""
    n = table.n
    places = [
        (0, "CountAtEnd"),
        (n, "CountAtEnd"),
        (n // 2, "Basic"),
        (size, "Clamp"),
        (n - size, "Clamp"),
        (size - 1, "Clamp"),
    ]
    return [(c, flag) for c, flag in places if 0 <= c <= n]


def _drawn(table: Table, count: int, word: int, flags: set[str], comment: str, more: tuple[int, ...] = ()) -> dict[str, Any]:
    tape = [word_text(table.bits, x) for x in (word, *more)]
    output = table.draw(count, word)
    return valid(comment, flags, count=count, tape=tape, output=output, bitsRead=table.bits)


def _tests(table: Table, dice: Dice, most: int, rolls: int) -> Iterator[dict[str, Any]]:
    shape, whole, n = set(_shape(table)), 1 << table.bits, table.n
    listed = sorted(_places(table).items())
    for i, (m, flags) in enumerate(listed):
        size = _size(table, m)
        counts = _counts(table, size)
        turn = [counts[(i + k) % len(counts)] for k in range(most)]
        chosen = counts if table.bits <= 8 or n <= 2 else turn
        for k, (count, where) in enumerate(chosen):
            for up in (False, True) if most > 1 or n <= 2 else ((i + k) % 2 == 1,):
                word = whole - 1 - m if up else m
                side = "up" if up else "down"
                limbs = {"LimbOrder"} if table.bits > 64 else set()
                told = f"|Z| = {size}, {side}, at the count {count}"
                yield _drawn(table, count, word, flags | shape | {where} | limbs | set(borders(count)), told)
    yield from _bad(table, dice)
    for _ in range(rolls):
        word, count = _rolled(table, dice)
        limbs = {"LimbOrder"} if table.bits > 64 else set()
        yield _drawn(table, count, word, shape | {"Basic"} | limbs, "a random word")


def _rolled(table: Table, dice: Dice) -> tuple[int, int]:
    """A random word, every third of them one of large noise, and a random count."""
    word = dice.bits(table.bits)
    if dice.below(3) == 0:
        word >>= dice.below(table.bits)
    if dice.below(2):
        word = (1 << table.bits) - 1 - word
    return word, dice.below(table.n + 1)


def _size(table: Table, m: int) -> int:
    """|Z| of a folded word: how many of S_1, ..., S_n are above it."""
    low, high = 0, table.n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if table.upper(middle) > m else (low, middle - 1)
    return low


def _bad(table: Table, dice: Dice) -> Iterator[dict[str, Any]]:
    """A tape that is longer, or too short; counts that are none."""
    words = tuple(dice.bits(table.bits) for _ in range(2))
    yield _drawn(table, table.n // 2, words[0], {"LongTape", "Basic"}, "a second word that nobody reads", words[1:])
    yield refused("no word at all", ["ShortTape"], count=table.n // 2, tape=[])
    tape = [word_text(table.bits, words[0])]
    for count, told in ((-1, "below 0"), (table.n + 1, "above n")):
        yield refused(f"a count {told}", ["CountOutOfRange", *borders(count)], count=count, tape=tape)


def draw_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Draw."""
    dice = Dice("draw")
    for table in tables(large=large):
        if table.bits <= 5:
            yield table.fields, list(_every(table))
        else:
            yield table.fields, list(_tests(table, dice, 6 if large else 1, 1200 if large else 2))


def _every(table: Table) -> Iterator[dict[str, Any]]:
    """All words, at the ends and in the middle."""
    for count in sorted({0, table.n // 2, table.n}):
        for word in range(1 << table.bits):
            m = min(word, (1 << table.bits) - 1 - word)
            flags = {*_shape(table), *_places(table).get(m, {"Basic"})} | ({"CountAtEnd"} if count in (0, table.n) else set())
            yield _drawn(table, count, word, flags, f"word {word} of {1 << table.bits} at the count {count}")
