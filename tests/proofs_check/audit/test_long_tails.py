"""Tails that are far apart or many: what is listed of them stays within what a certificate can hold, and so does the work."""

import hashlib
import json
from contextlib import nullcontext
from fractions import Fraction as Q
from random import Random
from typing import Any

import numpy as np
import pytest
from gmpy2 import mpq

from finitedp import Accuracy, PrivacyClaim, Tail, audit
from finitedp.errors import ExplorationError
from finitedp.proofs_check import checker
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.deciders import tails
from finitedp.proofs_check.deciders.partial_law import PartialLaw
from finitedp.proofs_check.deciders.tails import held_by_tails
from finitedp.proofs_check.report import wording


def far_apart(ratio: Any, distance: int) -> Any:
    table = {bit: {Tail(distance * bit, ratio): Q(1, 2), -1: Q(1, 2)} for bit in (0, 1)}
    return audit(table, PrivacyClaim(1, "counts"), n=1, name="far apart")


def rehashed(document: Any) -> Any:
    body = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.mark.parametrize(("ratio", "distance"), [("1/2", 30_000), ("9/10", 12_000)])
def test_probabilities_that_no_certificate_holds_are_not_listed(ratio: Any, distance: int) -> None:
    found = far_apart(ratio, distance)
    assert "the probabilities would have more than 60,000 bits" in found.derived["open_tails"][0]
    assert all(len(str(p)) < 20_000 for law in found.laws.values() for p in law.probabilities.values())
    assert sum(found.laws[1].probabilities.values()) + found.laws[1].unresolved == 1
    assert checker.check(certificate(found)) is None


def test_what_is_listed_of_all_tails_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert far_apart("1/2", 100).unresolved == 0
    monkeypatch.setattr(tails, "MOST_BITS", 10_000)  # 100 outputs of 3 bits more each take 15,000
    found = far_apart("1/2", 100)
    assert "the probabilities would have more than 10,000 bits in all" in found.derived["open_tails"][0]
    assert found.unresolved == Q(1, 2 * 2**57)  # two tails: 57 outputs of each take 2 * 57 * 57 * 3 / 2 = 9,747 bits
    assert sum(found.laws[0].probabilities.values()) + found.unresolved == 1


def test_open_mass_stays_open_where_tails_are_opened() -> None:
    half, quarter = Tail(0, "1/2"), mpq(1, 4)
    found: dict[int, PartialLaw[Any]] = {
        0: PartialLaw({half: quarter, Tail(0, "1/3"): quarter, -1: quarter}, quarter),
        1: PartialLaw({half: mpq(1)}),
    }
    laws = tails.in_line(found, None, 64).found
    assert all(sum(law.probabilities.values()) + law.unresolved == 1 for law in laws.values())
    assert quarter < laws[0].unresolved < quarter + mpq(1, 2**64)


def test_a_tail_in_a_long_event_is_not_called_a_single_output() -> None:
    first: dict[Any, Any] = dict.fromkeys(range(8), Q(1, 16))
    far: Any = {0: first | {Tail(8, "1/2"): Q(1, 2)}, 1: {-1: 1}}
    near: Any = {0: dict.fromkeys(range(8), Q(1, 8)), 1: {-1: 1}}
    words = [wording.event_words(certificate(audit(table, PrivacyClaim(1, "counts"), n=1))) for table in (far, near)]
    assert words == ["{0, 1, 2, 3, 4, 5, ... (9 outputs, a tail counted as one)}", "{0, 1, 2, 3, 4, 5, ... (8 outputs)}"]


def test_a_tail_has_a_share_for_integers_alone() -> None:
    tail = Tail(1, "1/2")
    assert [tail.share(x) for x in (0, 1, 2, True, Q(1), "1")] == [0, Q(1, 2), Q(1, 4), 0, 0, 0]


def test_an_integer_of_numpy_beside_an_endless_draw_has_no_tail() -> None:
    found = audit(lambda count, coins: np.int64(count) + coins.geometric("1/2"), PrivacyClaim(1, "counts"), n=1)
    law = found.laws[0]
    listed = len(law.probabilities)
    assert {repr(x): p for x, p in law.probabilities.items()} == {
        f"np.int64({k})": mpq(1, 2 ** (k + 1)) for k in range(listed)
    }
    assert found.private == "fails"
    assert law.unresolved == mpq(1, 2**listed) <= mpq(1, 2**64)


@pytest.mark.parametrize("direction", [1, -1])
def test_no_specified_law_lists_what_a_tail_holds(direction: int) -> None:
    """A text in a specified law, renamed to an integer of the tail: the law would be said to differ where it may be equal."""
    tail = Tail(5 * direction, "1/2", direction)
    law, stated = {0: Q(1, 2), tail: Q(1, 2)}, {0: Q(1, 2), tail: Q(1, 4), "x": Q(1, 4)}
    found = audit(dict.fromkeys(range(2), law), PrivacyClaim(1, "counts"), n=1, specified=dict.fromkeys(range(2), stated))
    document = certificate(found)
    assert (found.law, checker.check(document)) == ("differs", None)
    for output, why in ((4, None), (5, "an output is listed, and in a tail"), (7, "an output is listed, and in a tail")):
        edited = json.loads(json.dumps(document).replace(json.dumps("'x'"), json.dumps(str(output * direction))))
        with pytest.raises(ValueError, match=why) if why else nullcontext():
            assert checker.check(rehashed(edited)) is None


def test_laws_of_tails_alone_have_one_coordinate() -> None:
    law = {Tail(5, "1/2"): Q(1, 2), Tail(-5, "1/2", -1): Q(1, 2)}
    found = audit(dict.fromkeys(range(2), law), PrivacyClaim(1, "counts"), n=1, accuracy=Accuracy(1, 1))
    document = certificate(found)
    assert checker.check(document) is None
    document["accuracy"] = {**document["accuracy"], "truths": [[0, 0], [1, 1]]}
    with pytest.raises(ValueError, match="a tail is not all off"):
        checker.check(rehashed(document))


def test_tails_of_the_specified_laws_alone_are_in_the_certificate() -> None:
    law, stated = {0: 1}, {0: Q(1, 2), Tail(1, "1/2"): Q(1, 2)}
    table, expected = dict.fromkeys(range(2), law), dict.fromkeys(range(2), stated)
    document = certificate(audit(table, PrivacyClaim(1, "counts"), n=1, specified=expected))
    assert (document["version"], document["verdicts"]["law"], checker.check(document)) == (3, "differs", None)


@pytest.mark.parametrize("put_together", [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y])
def test_an_endless_draw_of_another_run_is_not_put_to_a_draw(put_together: Any) -> None:
    kept = list[Any]()

    def mechanism(count: int, coins: Any) -> Any:
        kept.append(coins.geometric("1/2"))
        return put_together(coins.uniform(3), kept[0]) + count

    with pytest.raises(ExplorationError, match="mixes draws of two runs"):
        audit(mechanism, PrivacyClaim(1, "counts"), n=1)


@pytest.mark.parametrize("seed", range(8))
def test_what_many_tails_hold_is_the_sum_of_what_each_holds(seed: int) -> None:
    source = Random(seed)
    found = {
        (Tail(source.randrange(-9, 9), Q(1, source.choice((2, 3))), source.choice((1, -1))), source.choice(("int", "x"))): mpq(
            1, source.randrange(1, 9)
        )
        for _ in range(12)
    }
    outputs = [(x, kind) for x in range(-15, 16) for kind in ("int", "x")] + [("3", "int"), (True, "bool"), (3,), "3", 3, ()]
    held = held_by_tails(found, outputs)
    for output in outputs:
        expected = mpq(0)
        for (tail, kind), mass in found.items():
            if type(output) is tuple and output[1:] == (kind,):
                expected += mass * tail.share(output[0])
        assert held.get(output, 0) == expected
