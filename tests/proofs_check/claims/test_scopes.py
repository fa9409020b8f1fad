"""Instances beyond the grids at which checks of Balcer and Vadhan's statements once failed: what is said of them now."""

from typing import Any

import pytest

from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.hunting.kept import decided_again
from finitedp.proofs_check.ledger.entry import OutOfScopeError


@pytest.mark.parametrize(
    ("name", "instance", "why"),
    [
        ("BV.Sec2.2.storage.shorter", {"size": 2, "n": 1}, ">= 3"),
        ("BV.Lem3.2.i", {"ratio": 2, "gamma": "1/10000", "least": "6/11"}, "least probability"),
        ("BV.Lem3.2.i", {"ratio": 2, "gamma": "11/20", "least": "1/3"}, "whole number"),
        ("BV.Lem3.2.i.running", {"ratio": 2, "gamma": "1/100", "least": "9/10"}, "least probability"),
        ("BV.Lem3.2.i.running", {"ratio": 3, "gamma": "1/2", "least": "1/2"}, "mass to move"),
        ("BV.Sec4.1.unbounded", {"decay": "2/3", "bits": 40}, "bits"),
        ("BV.Thm4.7.i.accurate", {"n": 4, "q": 2, "g": 2}, "error below n"),
        ("BV.Thm4.10.ii", {"n": 4, "q": 2, "g": 2}, "error below n"),
        ("BV.Thm5.2.ii", {"size": 1, "n": 4, "q": 2, "hidden": 0, "numbers": {"text": "False"}}, "error below n"),
        ("BV.Thm5.2.iii", {"size": 1, "n": 2, "q": 1, "hidden": 0, "numbers": {"text": "False"}}, "error below n"),
        ("BV.Fig2", {"n": 3, "q": 1, "g": 2, "c": 3}, "c - t > 0"),
        ("BV.Fn3.breach", {"name": {"text": "'keep-heavy'"}, "size": 2, "n": 1, "rows": []}, "two bins"),
        ("BV.Thm5.6.ii", {"n": 8, "q": 1, "r": 2, "s": 2}, "count is larger"),
        ("BV.Thm5.6.iii", {"n": 8, "q": 1, "r": 2, "s": 2}, "below n"),
        ("BV.Fig4.geometric", {"n": 16, "decay": "3/4", "delta": "1/2", "beta": "1/20"}, "below n"),
        ("BV.Thm6.11.ii", {"fast": {"text": "False"}, "n": 2, "size": 5, "q": 1, "beta": "1/3"}, "below n"),
        ("BV.Thm6.11.iii", {"fast": {"text": "False"}, "n": 2, "size": 5, "q": 1, "beta": "1/3"}, "below n"),
        ("BV.Fig5", {"fast": {"text": "False"}, "n": 2, "size": 5, "q": 1, "beta": "1/10"}, "below n"),
        ("BV.Thm8.3.ii", {"size": 2, "n": 2, "q": 1}, "error below n"),
        ("BV.Thm8.6.ii", {"size": 2, "n": 4, "q": 1, "s": 2}, "error below n"),
        ("BV.Thm8.3.iii", {"size": 2, "n": 4, "q": 1}, "error below n"),
        ("BV.Thm8.6.iii", {"size": 2, "n": 4, "q": 1, "s": 2}, "error below n"),
        ("BV.Thm8.6.iii", {"size": 38, "n": 36, "q": 1, "s": 2}, "independent"),
        ("BV.Fig6", {"mechanism": {"text": "'fast-sample'"}, "size": 2, "n": 3, "q": 1, "beta": "1/2"}, "error below n"),
        ("BV.PropA.2", {"size": 9, "members": [7, 7]}, "a set"),
        ("BV.PropA.2", {"size": 7, "members": [7]}, "integers"),
        ("BV.Err.3.scale", {"n": 4, "q": 1, "g": 2}, "before the ends"),
        ("BV.Err.6", {"a": "3/5", "n": 1}, "a < n/2"),
        ("BV.Err.8.accuracy", {"size": 2, "n": 30, "beta": "1/30"}, "from beta_0"),
    ],
)
def test_what_a_statement_does_not_speak_of_is_refused(name: str, instance: Any, why: str) -> None:
    with pytest.raises(OutOfScopeError, match=why):
        decided_again(entries()[name], instance)


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("BV.Def2.8", {"weights": [0, 0, 0, 1, 1, 1]}),
        ("BV.Thm5.3.ii", {"size": 9, "q": 1, "b": 8}),
        ("BV.Thm5.3.iii", {"size": 9, "q": 1, "b": 8}),
        ("BV.Err.3.scale", {"n": 5, "q": 1, "g": 2}),
        ("BV.Fn3.breach", {"name": {"text": "'basic'"}, "size": 2, "n": 1, "rows": []}),
        ("BV.Lem6.3", {"size": 9, "n": 2, "a": 0}),
    ],
)
def test_what_a_statement_speaks_of_is_decided(name: str, instance: Any) -> None:
    assert decided_again(entries()[name], instance).holds
