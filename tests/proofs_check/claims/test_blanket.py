"""Edits of the running BlanketHistogram, each of a few characters, and the claim that finds it."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from finitedp.impl.histograms.blanket import histogram, plan
from finitedp.impl.histograms.blanket.plan import BlanketPlan
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.claims.own.blanket.subjects import accepts, running_law
from finitedp.proofs_check.ledger.entry import Entry

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


@pytest.mark.parametrize("name", OF_DRAW)
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
