"""finitedp.proofs_check.engine.stand_ins.bytes: what is done with random bytes has the law of all of their values."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.explorer import explore
from finitedp.proofs_check.engine.other_randomness import exploring, stood_in
from finitedp.proofs_check.engine.stand_ins.bytes import LazyBytes
from finitedp.proofs_check.engine.stand_ins.outputs import freeze
from finitedp.spec.pmf import Pmf


def law(program: Callable[[Any], Any], n: int) -> Pmf[Any]:
    def explored(coins: Any) -> Any:
        exploring.coins = coins
        return freeze(program(LazyBytes.drawn(coins, n)))

    with stood_in():
        try:
            return explore(explored).law()
        finally:
            exploring.coins = None


@pytest.mark.parametrize(
    "program",
    [
        lambda drawn: drawn,
        lambda drawn: (len(drawn), bool(drawn), isinstance(drawn, bytes), drawn[0] > 5),
        lambda drawn: (drawn[-1], drawn[:1], drawn[1:]),
        lambda drawn: [*drawn, *drawn],
        lambda drawn: bytes(drawn),
        lambda drawn: (drawn == b"a", drawn != b"a", drawn == "a"),
        lambda drawn: hash(drawn) == hash(bytes(drawn)),
        lambda drawn: repr(drawn),
        lambda drawn: f"{drawn}",
        lambda drawn: drawn.hex(),
        lambda drawn: drawn.upper(),
        lambda drawn: {drawn: 1},
        lambda drawn: int.from_bytes(drawn, "big") // 3,
        lambda drawn: int.from_bytes(drawn, "little", signed=True) // 3,
        lambda drawn: int.from_bytes(drawn, signed=True) // 3,
        lambda drawn: int.from_bytes(drawn) > 3,
        lambda drawn: (int.from_bytes(drawn, "big"), drawn[0], int.from_bytes(drawn, "little", signed=True)),
        lambda drawn: (drawn[0], int.from_bytes(drawn, "little", signed=True), int.from_bytes(drawn, "big")),
        lambda drawn: type(bool.from_bytes(drawn, "big")).__name__,
    ],
)
def test_one_byte(program: Callable[[Any], Any]) -> None:
    assert law(program, 1) == Pmf(Counter(freeze(program(bytes([i]))) for i in range(256)))


@pytest.mark.parametrize("n", [1, 2, 3, 9])
@pytest.mark.parametrize("order", ["big", "little"])
def test_whole_numbers_of_any_length(n: int, order: Any) -> None:
    half = 1 << (8 * n - 1)
    for bound in (-half + 1, -1, 0, 1, half - 1):
        found = law(lambda drawn, bound=bound: int.from_bytes(drawn, order, signed=True) < bound, n)  # type: ignore[misc]
        assert found.probability([True]) == mpq(half + bound, 2 * half)
        found = law(lambda drawn, bound=bound: int.from_bytes(drawn, order) < bound + half, n)  # type: ignore[misc]
        assert found.probability([True]) == mpq(half + bound, 2 * half)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda drawn: (int.from_bytes(drawn, "big") < 256, int.from_bytes(drawn, "big") < 256), {True: 1, False: 255}),
        (lambda drawn: (drawn[0] == 0, drawn[0] == 0), {True: 1, False: 255}),
        (
            lambda drawn: (int.from_bytes(drawn, "big") < 4 and int.from_bytes(drawn, "little") < 257,) * 2,
            {True: 2, False: (1 << 16) - 2},
        ),
    ],
)
def test_two_bytes_that_are_read_twice(program: Callable[[Any], Any], expected: dict[bool, int]) -> None:
    assert law(program, 2) == Pmf({(answer, answer): count for answer, count in expected.items()})


def test_the_other_order_and_the_values_of_more_than_two_are_refused() -> None:
    for program in (
        lambda drawn: int.from_bytes(drawn, "big") < 1 or int.from_bytes(drawn, "little") < 1,
        lambda drawn: drawn.hex(),
        lambda drawn: drawn == b"abc",
    ):
        with pytest.raises(ExplorationError, match="needs the values of 3 random bytes"):
            law(program, 3)
    assert law(lambda drawn: (drawn[0] >> 7, drawn[1] >> 7, drawn[2] >> 7), 3) == Pmf.uniform(
        [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    )


def test_no_bytes_and_fewer() -> None:
    assert law(lambda drawn: drawn, 0) == Pmf({b"": 1})
    with pytest.raises(ValueError, match="negative argument not allowed"):
        law(lambda drawn: drawn, -1)


def test_what_is_not_read_is_refused() -> None:
    for program in (lambda drawn: len(drawn), lambda drawn: bool(drawn)):
        with pytest.raises(ExplorationError, match=r"uses them otherwise than by int\.from_bytes"), stood_in():
            explore(lambda coins, program=program: in_a_run(coins, program)).law()  # type: ignore[misc]


def in_a_run(coins: Any, program: Callable[[Any], Any]) -> Any:
    from finitedp.proofs_check.engine.stand_ins.bytes import refuse_unread

    exploring.coins = coins
    try:
        found = program(LazyBytes.drawn(coins, 2))
        refuse_unread(coins)
        return found
    finally:
        exploring.coins = None
