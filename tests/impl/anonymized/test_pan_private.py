import pytest
from gmpy2 import mpq

from finitedp.errors import ClaimError, DataError, ParameterError
from finitedp.exact import compare_exp
from finitedp.impl.anonymized.pan_private import CyclicTable, PanPrivateHistogram, cyclic_table
from finitedp.impl.randomness.coins import BitMeter, Coins, SeededBits, StrictCoins
from finitedp.proofs_check.engine.explorer import explore
from finitedp.spec.anonymized import pan_private as spec
from finitedp.spec.divergence import max_ratio


@pytest.mark.parametrize("m", [4, 8, 14, 40])
@pytest.mark.parametrize("epsilon", ["2/5", "1", "3"])
@pytest.mark.parametrize("bits", [10, 16, 64])
def test_tables_are_tables(m: int, epsilon: str, bits: int) -> None:
    table = cyclic_table(m, epsilon, bits)
    assert spec.is_cyclic_table(table.weights, table.ratio, bits)
    assert compare_exp(table.ratio, epsilon) <= 0
    if bits == 64:
        nearly = spec.wrapped_geometric(1 / table.ratio, m)
        assert abs(mpq(table.weights[0], 2**64) - nearly[0]) < 4 / table.ratio ** (m // 2) + mpq(1, 2**40)


def test_a_large_table_is_built() -> None:
    table = cyclic_table(40_010, "1/10", 64)
    assert table.m == 40_010
    assert min(table.weights) >= 1


@pytest.mark.parametrize(
    ("weights", "message"),
    [((4, 3, 2, 2), "not symmetric"), ((9, 3, 1, 3), "more than R apart"), ((3, 2, 2, 2), "sum to 9")],
)
def test_what_is_no_table(weights: tuple[int, ...], message: str) -> None:
    with pytest.raises(ClaimError, match=message):
        CyclicTable(mpq(2), 3, weights)


def _histogram(n: int = 1) -> PanPrivateHistogram:
    return PanPrivateHistogram(("a",), n, "4/5", 5, 4)


def test_the_law_of_the_running_state_and_output_is_the_definition_s() -> None:
    made = _histogram()
    weights = made.table.weights

    def run(before: int, after: int) -> object:
        def program(coins: Coins) -> tuple[int, int]:
            state = made.start(coins)
            for _ in range(before):
                made.update(state, "a")
            seen = state[0]
            for _ in range(after):
                made.update(state, "a")
            return int(seen), int(made.output(state, coins)[0][1])

        return explore(program).law()

    for before, after in ((0, 0), (1, 0), (0, 1)):
        assert run(before, after) == spec.state_and_output_law(weights, weights, before, after)


def test_the_claim_is_met_by_one_look_and_broken_by_two() -> None:
    made = _histogram()
    weights, ratio = made.table.weights, made.claim().ratio
    laws = {pair: spec.state_and_output_law(weights, weights, *pair) for pair in ((0, 0), (1, 0), (0, 1))}
    worst = max(max_ratio(laws[a], laws[b]).value for a in laws for b in laws if (0, 0) in (a, b) and a != b)
    assert ratio is not None
    assert worst <= ratio
    assert max_ratio(spec.two_states_law(weights, 0, 0), spec.two_states_law(weights, 0, 1)).infinite


def test_estimates_are_those_of_the_cycle() -> None:
    made = PanPrivateHistogram(("a", "b"), 3, 1, 24, 16)
    for r in (1, 2, 3):
        values = spec.wrapped_indicator(1 / made.table.ratio, 16, r, made.antipode, 2)
        assert [made.estimate([y], r) for y in range(16)] == values
    assert made.antipode > 4
    assert made.estimate([1, 5], 2) == made.estimate([1], 2) + made.estimate([5], 2)
    law = spec.output_law(made.table.weights, made.table.weights, 2)
    assert abs(sum((law[y] * made.estimate([y], 2) for y in law), mpq(0)) - 1) < mpq(1, 1000)


def test_a_stream_is_counted() -> None:
    made = PanPrivateHistogram(("a", "b"), 5, 60, 128, 30)
    meter = BitMeter(SeededBits(2, not_private=True))
    assert made.release("abbba", StrictCoins(meter)) == (("a", 2), ("b", 3))
    assert (meter.reads, meter.total_bits) == (4, 4 * 128)


def test_what_is_refused() -> None:
    made = PanPrivateHistogram(("a", "b"), 2, 1, m=14)
    coins = StrictCoins(SeededBits(2, not_private=True))
    with pytest.raises(DataError, match="not one of the 2"):
        made.release("c", coins)
    with pytest.raises(DataError, match="more than n = 2"):
        made.release("aaa", coins)
    with pytest.raises(DataError, match="out of range"):
        made.estimate([14], 1)
    with pytest.raises(ParameterError, match="odd"):
        PanPrivateHistogram(("a",), 2, 1, m=15)
    with pytest.raises(ParameterError, match="too small"):
        PanPrivateHistogram(("a",), 8, 1, m=10)
    with pytest.raises(ParameterError, match="no cyclic table"):
        cyclic_table(40, "1/10", 5)
