"""Links of a chain: one thing each that a claim rests on, and its state."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from attrs import field, frozen

from finitedp.errors import FinitedpError
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.ledger.proofs import proven, read, steps_of, trusted
from finitedp.proofs_check.proofs.arrays import same_as_the_table
from finitedp.proofs_check.proofs.proof_checker import Refused

State = Literal["follows", "proved", "re-checked", "known", "assumed", "NOT PROVED", "FAILS"]
REPLACED, ADDED = "replace-one", "add-remove"
DIFFER = {REPLACED: "that differ in one row", ADDED: "of which one has a row more"}


@frozen
class Link:
    """One thing that a claim rests on.

    says: what it says, in a sentence. state: "follows" from what is below; "proved" for all parameters, by a proof object that
    was re-checked; "re-checked" at the release's own parameters, exactly; "known": verified for some parameters, not for all;
    "assumed"; "NOT PROVED", where no proof object is there; "FAILS". about: what was looked at: numbers, the reason of a
    failure. details: names and hashes, for who asks. trusted: functions that are trusted without proof. below: what it rests
    on in turn.
    """

    says: str
    state: State
    about: tuple[str, ...] = ()
    below: tuple["Link", ...] = field(default=())
    details: tuple[str, ...] = ()
    trusted: frozenset[str] = frozenset()

    @property
    def holds(self) -> bool:
        """Whether nothing fails or lacks a proof, here or below."""
        return self.state not in ("NOT PROVED", "FAILS") and all(link.holds for link in self.below)


def links(top: Link) -> Iterator[Link]:
    """A link, and all below it."""
    yield top
    for link in top.below:
        yield from links(link)


def counted(top: Link) -> dict[str, int]:
    """How many proof objects, facts, assumptions and failures a claim rests on: each is what nothing below it shows."""
    leaves = [link for link in links(top) if all(below.state == "known" for below in link.below)]
    named = {"proved": "proof objects", "re-checked": "facts re-checked", "assumed": "assumptions"}
    named["known"] = "known for some parameters"
    found = {said: sum(link.state == state for link in leaves) for state, said in named.items()}
    found["functions trusted without proof"] = len(frozenset[str]().union(*(link.trusted for link in links(top))))
    return found | {state: many for state in ("NOT PROVED", "FAILS") if (many := sum(link.state == state for link in leaves))}


def together(says: str, below: tuple[Link, ...]) -> Link:
    """What follows from all of these together."""
    failing = any(link.state == "FAILS" for top in below for link in links(top))
    return Link(says, "follows" if all(link.holds for link in below) else "FAILS" if failing else "NOT PROVED", (), below)


def proof(id: str) -> Link:  # noqa: A002  # the ledger's name
    """An entry that is proved for all parameters."""
    entry = entries().get(id)
    if entry is None or not entry.proof:
        return Link(
            f"{id}: no proof object is there.", "NOT PROVED", ("what is known of it was verified on grids: `finitedp claims`",)
        )
    try:
        document, found = read(entry.proof), proven(entry.proof)
    except Refused as refused:
        return Link(f"{id}: {entry.statement}", "FAILS", (str(refused),))
    wanted = entry.instances("quick")[0].statement
    if wanted not in found:
        return Link(f"{id}: {entry.statement}", "FAILS", (f"the object {entry.proof} proves something else",))
    taken = trusted(entry.proof)
    ran = f"{len(document['code'].keys() - taken)} functions and classes executed, {len(taken)} trusted without proof"
    about = (f"proof object {entry.proof}.json, {len(steps_of(document))} steps, by both checkers: {ran}",)
    return Link(f"{id}: {entry.statement}", "proved", about, (), tuple(_sources(document, taken)), taken)


def _sources(document: Mapping[str, Any], taken: frozenset[str]) -> Iterator[str]:
    """The code that a proof object is about, with the first digits of its sources' hashes; and what of it is not executed."""
    hashes = {name: f" {source['sha256'][:8]}" for name, source in document["code"].items()}
    for words, names in (("executed", hashes.keys() - taken), ("trusted without proof", taken)):
        if names:
            said = ", ".join(f"{name.removeprefix('finitedp.')}{hashes.get(name, '')}" for name in sorted(names))
            yield f"{words} (SHA-256): {said}"


def known(id: str) -> Link:  # noqa: A002  # the ledger's name
    """An entry that holds for the parameters of a grid, or was derived for such, and for which no proof object is there."""
    entry = entries()[id]
    return Link(f"{id}: {entry.statement}", "known", (" ".join(f"{entry.verdict}, over: {entry.quantifiers}".split()),))


def arrays(mechanism: DyadicSample) -> Link:
    """That arrays, which are what is released with, are the mechanism's."""
    word = mechanism.word
    says = f"Arrays give count +- |Z|, clamped, where |Z| >= j for S_j of the 2^{word - 1} words of either sign."
    try:
        runs = same_as_the_table(mechanism)
    except FinitedpError as error:
        return Link(says, "FAILS", (str(error),))
    return Link(says, "re-checked", (f"the shipped functions were executed on {runs} intervals, which cover all words",))


_HANDED_ON = (
    "the universe, epsilon and delta were chosen without looking at the data, and finitedp.release and the command line "
    "handed them on, and what was drawn back, as they are."
)
_N = {
    REPLACED: f"n is the number of rows or a bound of it; {_HANDED_ON}",
    ADDED: f"n, {_HANDED_ON}",
}


def _source(document: Mapping[str, Any]) -> str:
    found = document.get("randomness")
    return str(found.get("bits_from") if isinstance(found, Mapping) else "unknown")[:60]


def assumed(document: Mapping[str, Any], neighbours: str, trusted: frozenset[str]) -> Link:
    """What nobody can check from here. Parameters: trusted, functions on whose words the proofs rest."""
    says = f"{len(trusted)} functions and classes on which the proofs rest do what somebody read in them: nothing proves it."
    names = tuple(sorted(name.removeprefix("finitedp.") for name in trusted))
    read = Link(says, "assumed", (), (), (", ".join(names),) if names else ())
    texts = (
        f"The random words are uniform and independent ({_source(document)}).",
        "The counts of the labels are those of the rows of the data: the engine's grouping was right.",
        _N[neighbours],
        f"The release was made by this code (it says finitedp {str(document.get('finitedp'))[:20]}).",
        "Python, gmpy2 and numpy do integer arithmetic and run this code as its meaning is; the lone checkers are right.",
    )
    return Link("What is assumed.", "assumed", (), (*(Link(text, "assumed") for text in texts), read))
