"""The ledger of the paper on flexible accuracy is complete, and its page of experiments shows what the experiments found."""

from finitedp.proofs_check.claims import entries

# Every numbered statement of Bansal, Chunduru, Data and Prabhakaran.
NUMBERED = """
Def1 Def2 Def3 Def4 Def5 Def6 Def7 Def8 Def9
Lem1 Lem2 Lem3 Lem4 Lem5 Lem6 Lem7 Lem8 Lem9 Lem10 Lem11 Lem12 Lem13
Thm1 Thm2 Thm3.i Thm3.ii Thm4.i Thm4.ii Thm5.i Thm5.ii Thm6.i Thm6.ii
Cor1 Cor2.i Cor2.ii Cor3.i Cor3.ii
Claim1 Claim2 Claim3 Claim4 Claim5 Claim6 Claim7 Claim8 Claim9 Claim10 Claim11 Claim12 Claim13
Eq9 Eq9.optimal
Rem1 Rem2 Rem2.accuracy Rem3 Rem4 Rem5
Alg1 Alg1.noise Alg2 Alg3 Alg4 Alg5
H4.rows H4.logarithm H4.constant Sec1.root Sec1.constant
""".split()

REFUTED = """
Lem2 Lem7.proof Lem9 Lem10 Lem11 Lem12 Thm3.i Thm3.ii Thm3.rate Thm3.decay Thm4.i Thm4.ii Thm5.i Thm6.i Cor1 Cor2.i Cor3.i
Cor3.distance Claim1 Claim3 Claim7 Claim8 Claim12 Eq9.optimal Rem1 Rem3 Rem5 Alg1 Alg2 Alg3 Alg5 H4.rows
""".split()


def test_every_numbered_statement_has_an_entry() -> None:
    assert {f"FA.{claim}" for claim in NUMBERED} <= entries().keys()


def test_what_is_refuted_as_printed_is_known() -> None:
    found = {id for id, entry in entries().items() if id.startswith("FA.") and entry.expects == "refuted"}  # noqa: A001
    assert found == {f"FA.{claim}.literal" for claim in REFUTED}
