"""What the claim of a release rests on: proofs for all parameters, certificates at its own parameters, and what is assumed.

A release names its mechanism, its parameters and its claim. From these the table is built again and re-checked, the claim is
computed, and the proof objects that lead from the table to the claim are re-checked against the code as it is here.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from attrs import evolve, field, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import rational
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.numbers import brief
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.dyadic_certificate import recheck
from finitedp.proofs_check.ledger.proofs import proven, read, steps_of
from finitedp.proofs_check.proofs.arrays import same_as_the_table, tails
from finitedp.proofs_check.proofs.proof_checker import TAKEN, Refused

__all__ = ["ACCEPTED", "Link", "chain", "counted", "links"]

State = Literal["follows", "proved", "re-checked", "assumed", "NOT PROVED", "FAILS"]
BASIC, STABILITY = "BasicHistogram with DyadicSample", "StabilityHistogram with DyadicSample"
ACCEPTED = (BASIC, STABILITY)
PRIVATE = "FD.Dyadic.private.all"
REPLACED, ADDED = "replace-one", "add-remove"
WHOLE = {
    (BASIC, REPLACED): "FD.Release.basic.all",
    (STABILITY, REPLACED): "FD.Release.stability.all",
    (BASIC, ADDED): "FD.Release.basic.add-remove.all",
    (STABILITY, ADDED): "FD.Release.stability.add-remove.all",
}
DIFFER = {REPLACED: "that differ in one row", ADDED: "of which one has a row more"}


@frozen
class Link:
    """One thing that a claim rests on.

    says: what it says, in a sentence. state: "follows" from what is below; "proved" for all parameters, by a proof object that
    was re-checked; "re-checked" at the release's own parameters, exactly; "assumed"; "NOT PROVED", where no proof object is
    there; "FAILS". about: what was looked at: numbers, the reason of a failure. details: names and hashes, for who asks.
    trusted: functions that are trusted without proof. below: what it rests on in turn.
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
    """How many proof objects, facts, assumptions and failures a claim rests on: each is what nothing stands below."""
    leaves = [link for link in links(top) if not link.below]
    named = {"proved": "proof objects", "re-checked": "facts re-checked", "assumed": "assumptions"}
    found = {said: sum(link.state == state for link in leaves) for state, said in named.items()}
    found["functions trusted without proof"] = len(frozenset[str]().union(*(link.trusted for link in links(top))))
    return found | {state: many for state in ("NOT PROVED", "FAILS") if (many := sum(link.state == state for link in leaves))}


@frozen
class _Release:
    """What a release's document says of itself."""

    mechanism: str
    n: int
    epsilon: mpq
    delta: mpq
    neighbours: str
    word: int
    threshold: int | None
    claim: PrivacyClaim
    counts: tuple[int, ...]
    errors: tuple[tuple[str, int, mpq, int], ...]  # kind, a, beta, and the count above which it is said


def chain(document: Mapping[str, Any]) -> Link:
    """What the claim of a release rests on. Parameters: document, as `finitedp release --json` writes it.

    Raises: DataError for what is no such document, or where its mechanism has no chain.
    """
    release = _read(document)
    try:
        mechanism = DyadicSample(release.n, release.epsilon * (2 if release.neighbours == ADDED else 1), release.word)
    except FinitedpError as error:
        raise DataError(f"its parameters have no table: {error}") from None
    claim = release.claim
    said = f"({claim.epsilon}, {claim.delta})-differential privacy for datasets {DIFFER[release.neighbours]}"
    proofs = (
        _claimed(release, mechanism),
        _listed(release),
        _accurate(release, mechanism),
        _proof(WHOLE[release.mechanism, release.neighbours]),
        _mechanism(release, mechanism),
    )
    below = (*proofs, _assumed(document, release, frozenset().union(*(x.trusted for one in proofs for x in links(one)))))
    return _together(f"{release.mechanism}, n = {release.n}: {said}", below)


def _together(says: str, below: tuple[Link, ...]) -> Link:
    """What follows from all of these together."""
    failing = any(link.state == "FAILS" for top in below for link in links(top))
    return Link(says, "follows" if all(link.holds for link in below) else "FAILS" if failing else "NOT PROVED", (), below)


# The document


def _read(document: Mapping[str, Any]) -> _Release:
    if not isinstance(document, Mapping) or document.get("format") != "finitedp release" or document.get("version") != 1:
        raise DataError("it is no release of finitedp; accepted: the JSON document of `finitedp release basic` or `stability`")
    name = document.get("mechanism")
    if name not in ACCEPTED:
        raise DataError(f"mechanism = {str(name)[:60]!r} has no chain of proofs; accepted: {', '.join(ACCEPTED)}")
    if document.get("claim") is None or document.get("private") is not True:
        raise DataError("the release claims nothing: its noise is not private")
    try:
        given = document["parameters"]
        claim = PrivacyClaim.from_json(document["claim"])
        counts = tuple(_whole(bin_["count"]) for bin_ in document["histogram"])
        threshold = _whole(document["threshold"]) if name == STABILITY else None
        epsilon, delta = rational(given["epsilon"], "epsilon"), rational(given["delta"], "delta")
        labels = [repr(bin_["label"]) for bin_ in document["histogram"]]
        if len({*labels}) != len(labels):
            raise DataError("a label is listed twice")
        if name == BASIC and len(labels) != document["labels"]:
            raise DataError(f"{len(labels)} labels are listed, and not the {str(document['labels'])[:20]} that it states")
        relation = given.get("neighbours", REPLACED)  # which older documents do not state
        if relation not in DIFFER:
            raise DataError(f"neighbours = {str(relation)[:40]!r} is no relation; accepted: {', '.join(DIFFER)}")
        n, word = _whole(document["n"]), _whole(given["word"])
        errors = tuple(
            (str(one["kind"]), _whole(one["a"]), rational(one["beta"], "beta"), _whole(one.get("on_counts_above", 0)))
            for one in document["accuracy"]
        )
        _contradicting(document, name, n, word, len(labels))
        return _Release(name, n, epsilon, delta, relation, word, threshold, claim, counts, errors)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"it is no whole release: {type(error).__name__}: {error}") from None


def _contradicting(document: Mapping[str, Any], name: str, n: int, word: int, labels: int) -> None:
    """Refuse a document that says two things of one. Raises: DataError."""
    drawn = document["randomness"]
    rows, draws = document.get("rows"), labels if name == BASIC else n
    said = {
        "it is private, and its words are from a seed": str(drawn["bits_from"]).startswith("seed"),
        "it has more rows than n": rows is not None and _whole(rows) > n,
        "words have two lengths": _whole(drawn["word"]) != word,
        f"{drawn['draws']} words are drawn, and {draws} are needed": drawn["draws"] not in (draws, *[None] * (name != BASIC)),
        "the bits are not those of the words": drawn["draws"] is not None and drawn["bits"] != drawn["draws"] * word,
        "a histogram of all labels has a threshold": name == BASIC and document.get("threshold") is not None,
    }
    for what, contradicts in said.items():
        if contradicts:
            raise DataError(f"the release contradicts itself: {what}")


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise DataError(f"{str(value)[:40]!r} is no count")
    return value


# What it rests on


def _of(holds: bool, says: str, about: tuple[str, ...], otherwise: str) -> Link:
    """A fact that was decided just now."""
    return Link(says, "re-checked" if holds else "FAILS", about if holds else (otherwise,))


def _claimed(release: _Release, mechanism: DyadicSample) -> Link:
    """The claim is the one that the parameters lead to."""
    claim, certificate = release.claim, mechanism.table.certificate()
    ratio = rational(str(certificate["ratio"]), "ratio")
    if (claim.epsilon, claim.neighbours) != (release.epsilon, release.neighbours):
        of = f"{release.epsilon}" if claim.neighbours == release.neighbours else f"{release.epsilon} ({release.neighbours})"
        return Link("what is claimed", "FAILS", (f"epsilon = {claim.epsilon} ({claim.neighbours}) is claimed of {of}",))
    if release.threshold is None:
        name, whole = ("R", ratio) if release.neighbours == ADDED else ("R^2", ratio**2)
        says = f"The claim is that of the table: the ratio is {name}, at most e^epsilon, and delta is 0."
        holds = claim.delta == 0 and claim.ratio == whole and release.delta == 0
        otherwise = f"the ratio {brief(claim.ratio or mpq(0))} is not {name} = {brief(whole)}, or delta is not 0"
        return _of(holds, says, (f"{name} = {brief(whole)}",), otherwise)
    b = release.threshold
    shown = mpq(tails(certificate)(b), 1 << release.word) if b < release.n else mpq(0)  # 1 + Z > b
    says = f"The claimed delta is at least Pr[M(1) > {b}], computed from the table."
    holds = b <= release.n and shown <= claim.delta == release.delta and claim.ratio is None
    return _of(holds, says, (f"Pr[M(1) > {b}] = {brief(shown)}",), f"Pr[M(1) > {b}] = {brief(shown)} is above {claim.delta}")


def _listed(release: _Release) -> Link:
    """What is listed could have been released."""
    least = 0 if release.threshold is None else release.threshold + 1
    wrong = [count for count in release.counts if not least <= count <= release.n]
    says = f"Each of the {len(release.counts)} listed counts lies in {least}..{release.n}."
    return _of(not wrong, says, (), f"a listed count is {wrong[0] if wrong else ''}")


def _accurate(release: _Release, mechanism: DyadicSample) -> Link:
    """The stated errors hold, for at most n rows: summed from the weights, by the union bound for all labels at once."""
    upper, n, b = tails(mechanism.table.certificate()), release.n, release.threshold
    wrong = list[str]()
    for kind, a, beta, above in release.errors:
        missed, holds = (
            upper(a + 1) * ((a < n) + (2 * a + 1 < n)),
            kind == "per-query" and above >= (0 if b is None else a + b),
        )
        if kind == "simultaneous" and b is None:
            missed, holds = missed * len(release.counts), True
        elif kind == "simultaneous" and b is not None and a >= b:  # a + 1 is the worst count: dropped, or too high by more
            missed, holds = n * (upper(a + 1 - b) * (a < n) + upper(a + 1) * (2 * a + 2 <= n)), True
        if not holds or missed > beta * (1 << release.word):
            wrong.append(f"an error above {a} is not of probability at most {beta} ({kind})")
    said = f"The {len(release.errors)} stated errors hold with their probabilities, computed from the table."
    return _of(not wrong, said, (), wrong[0] if wrong else "")


def _proof(id: str) -> Link:  # noqa: A002  # the ledger's name
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
    taken = frozenset(name for name in document["code"] if name in TAKEN)
    ran = f"{len(document['code']) - len(taken)} functions and classes executed, {len(taken)} trusted without proof"
    about = (f"proof object {entry.proof}.json, {len(steps_of(document))} steps, by both checkers: {ran}",)
    return Link(f"{id}: {entry.statement}", "proved", about, (), tuple(_sources(document)), taken)


def _sources(document: Mapping[str, Any]) -> Iterator[str]:
    """The code that a proof object is about, with the first digits of its sources' hashes; and what of it is not executed."""
    named = {name.removeprefix("finitedp."): source["sha256"][:8] for name, source in document["code"].items()}
    read = [name for name in named if f"finitedp.{name}" in TAKEN]
    for words, names in (("executed", [name for name in named if name not in read]), ("trusted without proof", read)):
        if names:
            yield f"{words} (SHA-256): {', '.join(f'{name} {named[name]}' for name in names)}"


def _mechanism(release: _Release, mechanism: DyadicSample) -> Link:
    """That the counting mechanism meets what the histogram's proof asks of it."""
    certificate, table = mechanism.table.certificate(), mechanism.table
    asked = {"n": str(release.n), "epsilon": str(mechanism.epsilon), "bits": release.word}
    reason = recheck(certificate) if asked.items() <= certificate.items() else "it is a table of other parameters"
    digest = hashlib.sha256(repr(sorted(certificate.items())).encode()).hexdigest()
    says = (
        f"The table for n = {mechanism.n}, epsilon = {mechanism.epsilon} and {mechanism.word} bits satisfies (i), (ii), the "
        "sum and R <= e^(epsilon/2)."
    )
    about = (f"R = {brief(table.ratio)}; {table.entries} numbers; lone checker: dyadic_certificate.py",)
    found = evolve(_of(reason is None, says, about, str(reason)), details=(f"SHA-256 {digest[:16]}...",))
    below = _proof(PRIVATE), found, _arrays(mechanism)
    return _together(f"DyadicSample is private at the ratio R = {brief(table.ratio)} for neighbouring counts.", below)


def _arrays(mechanism: DyadicSample) -> Link:
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
_ASSUMED: tuple[Callable[[Mapping[str, Any], _Release], str], ...] = (
    lambda document, _: f"The random words are uniform and independent ({_source(document)}).",
    lambda *_: "The counts of the labels are those of the rows of the data: the engine's grouping was right.",
    lambda _, release: _N[release.neighbours],
    lambda document, _: f"The release was made by this code (it says finitedp {str(document.get('finitedp'))[:20]}).",
    lambda *_: (
        "Python, gmpy2 and numpy do integer arithmetic and run this code as its meaning is; the lone checkers are right."
    ),
)


def _source(document: Mapping[str, Any]) -> str:
    found = document.get("randomness")
    return str(found.get("bits_from") if isinstance(found, Mapping) else "unknown")[:60]


def _assumed(document: Mapping[str, Any], release: _Release, trusted: frozenset[str]) -> Link:
    says = f"{len(trusted)} functions and classes on which the proofs rest do what somebody read in them: nothing proves it."
    names = tuple(sorted(name.removeprefix("finitedp.") for name in trusted))
    read = Link(says, "assumed", (), (), (", ".join(names),) if names else ())
    return Link("What is assumed.", "assumed", (), (*(Link(words(document, release), "assumed") for words in _ASSUMED), read))
