"""What `finitedp audit` shows of an accountant: each thing that it says, with its verdict and the proved bounds."""

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from finitedp.cli.console import table
from finitedp.numbers import decimal, outward
from finitedp.proofs_check.audit.accountant import Accounts, Said, Together

_DIGITS = 12  # fewer than a double's 15, in which accountants differ by rounding
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
    verdicts = {one.verdict for one in said}
    return next(verdict for verdict in _WORST_FIRST if verdict in verdicts)


def account_as_json(account: Account) -> dict[str, Any]:
    """The releases' number, and all that is said of them."""
    return {
        "name": account.accounts.name,
        "releases": account.whole.releases,
        "verdict": verdict_of(account.said),
        "says": [one.as_json() for one in account.said],
    }


def account_table(account: Account) -> str:
    """All that is said, as a table."""
    releases = account.whole.releases
    title = f"{account.accounts.name} ({releases:,} release{'s' * (releases != 1)} together)"
    rows = [(f"({decimal(one.epsilon, _DIGITS)}, {decimal(one.delta, _DIGITS)})", _words(one)) for one in account.said]
    return table(title, ("it says (epsilon, delta)", "answer"), rows, unbroken=1)


def problem_words(account: Account) -> str:
    """What does not hold, each in a line."""
    of = f"of {account.whole.releases:,} releases"
    return "\n".join(
        f"({decimal(one.epsilon, _DIGITS)}, {decimal(one.delta, _DIGITS)}) {of}: {_words(one)}"
        for one in account.said
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
