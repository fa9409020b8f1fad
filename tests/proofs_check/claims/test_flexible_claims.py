"""The paper on flexible accuracy: what is refuted is known, and tables and losses that were worked out by hand."""

from gmpy2 import mpq

from finitedp.impl.flexible.losses import beyond_exceeds
from finitedp.impl.flexible.tables import shifted_table
from finitedp.proofs_check.claims import entries
from finitedp.spec.flexible.shifted_truncated import histogram

REFUTED = """
Lem2 Lem7.proof Lem9 Lem10 Lem11 Lem12.proof Thm3.i Thm3.ii Thm3.rate Thm4.i Thm5.i Thm6.i Cor1 Cor2.i Cor3.i
Cor3.distance Claim1 Claim3 Claim4.proof Claim7 Claim8 Claim12 Eq9.optimal Rem1 Rem3 dhist Alg1 Alg2 Alg5 H4.rows
""".split()


def test_the_tables_and_losses_that_were_worked_out_by_hand() -> None:
    four, three = shifted_table(4, 1, 6), shifted_table(3, 1, 6)
    assert (four.weights, three.weights) == ((9, 23, 23, 9), (14, 36, 14))
    assert shifted_table(7, "1/2", 6).weights == (5, 8, 13, 13, 12, 8, 5)
    assert [beyond_exceeds(four, 1, a) for a in range(4)] == [mpq(55, 64), mpq(1, 2), mpq(9, 64), 0]
    found = [beyond_exceeds(four, 2, a) for a in range(7)]
    assert found == [mpq(55, 64), mpq(3025, 4096), mpq(55, 128), mpq(1, 4), mpq(9, 128), mpq(81, 4096), 0]
    law = histogram(four.weights, (1, 2))
    assert {y: int(law[y] * 4096) for y in law} == {
        (1, 2): 81,
        (1, 1): 207,
        (1, 0): 288,
        (0, 2): 495,
        (0, 1): 1265,
        (0, 0): 1760,
    }


def test_what_is_refuted_as_printed_is_known() -> None:
    found = {id for id, entry in entries().items() if id.startswith("FA.") and entry.expects == "refuted"}  # noqa: A001
    assert found == {f"FA.{claim}.literal" for claim in REFUTED}
