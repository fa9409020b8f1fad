"""Edits of the running BlanketHistogram, each of a few characters, and the claim that finds it."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from finitedp.impl.histograms.blanket import histogram, plan, skewed
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.proofs_check import blanket_certificate as checker
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.claims.own.blanket import skewed_refusals
from finitedp.proofs_check.claims.own.blanket.subjects import accepts, running_law
from finitedp.proofs_check.ledger.entry import Entry
from tests.sampling import sampled

OF_DRAW = {
    "hit at <= q": ("coins.bits(plan.hit_bits) < plan.hit ", "coins.bits(plan.hit_bits) <= plan.hit "),
    "withheld at >= L": ("+ number > plan.cap", "+ number >= plan.cap"),
    "cap on N alone": ("len(shown) + number > plan.cap", "number > plan.cap"),
    "x not shown for x not in A": ("(label not in counts)", "(label not in dict(shown))"),
    "of equal labels the last": (" & (label not in held)", ""),
    "the blanket from b": ("plan.b + 1 + plan.counts", "plan.b + plan.counts"),
    "all counts b + 1": ("plan.counts.place(word)", "0 * plan.counts.place(word)"),
    "shown listed first": ("tuple(sorted((*shown, *held.items())))", "(*shown, *sorted(held.items()))"),
    "one slot more": ("i < number and", "i <= number and"),
}  # fmt: skip
SAME_LAW = ("of equal labels the last",)
"""Another slot's count has the same law; the arrays tell it apart, on the same words."""

OF_PLAN = {
    "(D) with L": ("(self.cap + 1)", "self.cap"),
    "(B) with G": ("hits = (self.slots - self.cap) * self.hit", "hits = self.slots * self.hit"),
    "(C) one way": ("if held * costs > once * allows:", "if held * costs > once * allows * p * s:"),
    "(A) one half": ("if self.mechanism.d * s > r * hidden:", "if False:"),
}


OF_SIDE = {
    "the head alone": ("pairwise((*side.head, side.tail))", "pairwise(side.head)"),
    "without the first step": ("pairwise((*side.head, side.tail))", "pairwise((*side.head[1:], side.tail))"),
    "the last weight for the stretch": ("side.head, side.tail", "side.head, side.last"),
    "the last sum at n": ("side.from_place(n - 1)", "side.from_place(n)"),
    "the last sum at n - 2": ("side.from_place(n - 1)", "side.from_place(n - 2)"),
    "steps below R": ("weight * q > p", "weight * q >= p"),
    "weights that fall": ("weight < following or", "weight <= following or"),
    "the last sum below R": ("side.from_place(n - 1) * q > p", "side.from_place(n - 1) * q >= p"),
    "weights of 0": ("side.least < 1", "side.least < 0"),
    "weights of 2": ("side.least < 1", "side.least < 2"),
    "n for n - 1 in all": ("side.size - 1", "side.size"),
}  # fmt: skip
OF_CHECKED_SIDE = {
    "the head alone": ("pairwise([*head, tail])", "pairwise(head)"),
    "without the first step": ("pairwise([*head, tail])", "pairwise([*head[1:], tail])"),
    "the last weight alone": ("(tail + weights.last) * q <=", "weights.last * q <="),
    "steps below R": ("all(a * q <= p * b for a, b in steps)", "all(a * q < p * b for a, b in steps)"),
    "weights that fall": ("all(a >= b", "all(a > b"),
    "the last sum below R": ("(tail + weights.last) * q <= p", "(tail + weights.last) * q < p"),
}  # fmt: skip


def edited(function: Callable[..., Any], module: Any, old: str, new: str) -> Any:
    """The function with one edit of its text."""
    text = inspect.getsource(function)
    assert text.count(old) == 1, text
    lines = text.replace(old, new).splitlines()
    spare = len(lines[0]) - len(lines[0].lstrip())
    scope: dict[str, Any] = dict(vars(module))
    exec("\n".join(line[spare:] for line in lines), scope)  # noqa: S102  # the library's own text
    return scope[function.__name__]


def rejected(entry: Entry, subject: Any) -> bool:
    return any(not entry.check(subject, instance).holds for instance in entry.instances("quick"))


@pytest.mark.deep
@pytest.mark.parametrize("name", sampled(OF_DRAW, 3))
def test_an_edit_of_the_draw_changes_its_law(name: str) -> None:
    run = edited(histogram.draw, histogram, *OF_DRAW[name])
    law = rejected(entries()["FD.Blanket.law"], lambda numbers, data: running_law(numbers, data, run))
    assert law is (name not in SAME_LAW)


@pytest.mark.parametrize("name", OF_PLAN)
def test_an_edit_of_a_condition_accepts_what_is_not_private(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not rejected(entries()["FD.Blanket.private"], accepts)
    method = next(x for x in ("_on_hidden_labels", "_on_counts", "_on_withheld") if OF_PLAN[name][0] in text_of(x))
    monkeypatch.setattr(BlanketPlan, method, edited(getattr(BlanketPlan, method), plan, *OF_PLAN[name]))
    assert rejected(entries()["FD.Blanket.private"], accepts)


def text_of(method: str) -> str:
    return inspect.getsource(getattr(BlanketPlan, method))


@pytest.mark.parametrize("name", OF_SIDE)
def test_an_edit_of_a_skewed_tables_conditions_accepts_what_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = entries()["FD.Blanket.skewed.refusals"]
    monkeypatch.setattr(skewed, "_broken", edited(skewed._broken, skewed, *OF_SIDE[name]))
    assert rejected(entry, skewed_refusals.accepted)


@pytest.mark.parametrize("name", OF_CHECKED_SIDE)
def test_an_edit_of_the_lone_checkers_conditions_accepts_what_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = entries()["FD.Blanket.skewed.rechecked"]
    monkeypatch.setattr(checker, "side", edited(checker.side, checker, *OF_CHECKED_SIDE[name]))
    assert rejected(entry, skewed_refusals.rechecked)
