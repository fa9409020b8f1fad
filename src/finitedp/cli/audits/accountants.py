"""What `finitedp audit` shows of an accountant: each thing that it says, with its verdict and the proved bounds."""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from finitedp.cli.console import table
from finitedp.numbers import decimal, outward
from finitedp.proofs_check.audit.accountant import Accounts, Said, Together

_DIGITS = 12
_WORST_FIRST = ("fails", "undecided", "holds")


@frozen
class Account:
    """A file about an accountant, and what was found."""

    accounts: Accounts
    whole: Together
    said: list[Said]


def account(accounts: Accounts) -> Account:
    """Ask and decide. Raises: DataError, ParameterError."""
    return Account(accounts, *accounts.run())


def verdict_of(said: Iterable[Said]) -> str:
    """The worst verdict."""
    found = {one.verdict for one in said}
    return next(verdict for verdict in _WORST_FIRST if verdict in found)


def account_as_json(found: Account) -> dict[str, Any]:
    """The releases' number, and all that is said of them."""
    return {
        "name": found.accounts.name,
        "releases": found.whole.releases,
        "verdict": verdict_of(found.said),
        "says": [one.as_json() for one in found.said],
    }


def account_table(found: Account) -> str:
    """All that is said, as a table."""
    releases = found.whole.releases
    title = f"{found.accounts.name} ({releases:,} release{'s' * (releases != 1)} together)"
    rows = [(f"({decimal(one.epsilon, _DIGITS)}, {decimal(one.delta, _DIGITS)})", _words(one)) for one in found.said]
    return table(title, ("it says (epsilon, delta)", "answer"), rows, unbroken=1)


def problem_words(found: Account) -> str:
    """What does not hold, each in a line."""
    return "\n".join(
        f"({decimal(one.epsilon, _DIGITS)}, {decimal(one.delta, _DIGITS)}) of {found.whole.releases:,} releases: {_words(one)}"
        for one in found.said
        if one.verdict != "holds"
    )


def _words(one: Said) -> str:
    low, high = outward(one.least, one.most, _DIGITS)
    if one.verdict == "holds":
        return f"HOLDS: delta is at most {high} there."
    there = "there" if one.epsilon >= 0 else "at epsilon = 0"
    if one.verdict == "undecided":
        return f"Not decided: delta is at least {low} and at most {high} {there}."
    least = one.least_epsilon
    if least is None or least <= one.epsilon:
        return f"FAILS: delta is at least {low} {there}."
    return f"FAILS: delta is at least {low} {there}, and epsilon at that delta at least {outward(least, least, _DIGITS)[0]}."
