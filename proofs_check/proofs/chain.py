"""What the claim of a release rests on: proofs for all parameters, certificates at its own parameters, and what is assumed.

A release names its mechanism, its parameters and its claim. From these the table is built again and re-checked, the claim is
computed, and the proof objects that lead from the table to the claim are re-checked against the code as it is here.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen
from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import rational
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.numbers import brief
from finitedp.proofs_check.dyadic_certificate import recheck
from finitedp.proofs_check.proofs.arrays import tails
from finitedp.proofs_check.proofs.chain_others import OTHERS, other_chain
from finitedp.proofs_check.proofs.links import ADDED, DIFFER, REPLACED, Link, arrays, assumed, links, proof, together

BASIC, STABILITY = "BasicHistogram with DyadicSample", "StabilityHistogram with DyadicSample"
ACCEPTED = (BASIC, STABILITY)
FORMATS = ("finitedp release", "finitedp compact histogram", "finitedp anonymized release")
PRIVATE, MISSED = "FD.Dyadic.private.all", "FD.Dyadic.miss.all"
WHOLE = {
    (BASIC, REPLACED): "FD.Release.basic.all",
    (STABILITY, REPLACED): "FD.Release.stability.all",
    (BASIC, ADDED): "FD.Release.basic.add-remove.all",
    (STABILITY, ADDED): "FD.Release.stability.add-remove.all",
}


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
    name = _name(document)
    if name in OTHERS or "unit" in document["claim"]:
        return other_chain(document, name)
    release = _read(document, name)
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
        proof(WHOLE[release.mechanism, release.neighbours]),
        _mechanism(release, mechanism),
    )
    below = (
        *proofs,
        assumed(document, release.neighbours, frozenset().union(*(x.trusted for one in proofs for x in links(one)))),
    )
    return together(f"{release.mechanism}, n = {release.n}: {said}", below)


# The document


def _name(document: Mapping[str, Any]) -> str:
    """The mechanism of a document that claims something. Raises: DataError."""
    form = document.get("format") if isinstance(document, Mapping) else None
    if form not in FORMATS or document.get("version") != 1:
        raise DataError("it is no release of finitedp; accepted: the JSON document of `finitedp release`")
    name = document.get("mechanism")
    if form == FORMATS[1] and isinstance(name, Mapping):
        name = f"CompactHistogram with {name.get('name')}"
    if name not in (*ACCEPTED, *OTHERS):
        raise DataError(f"mechanism = {str(name)[:60]!r} has no chain of proofs; accepted: {', '.join((*ACCEPTED, *OTHERS))}")
    if not document.get("claim") or document.get("private", form == FORMATS[1]) is not True:
        raise DataError("the release claims nothing: its noise is not private")
    drawn = document.get("randomness")
    if "seed" in str(drawn.get("bits_from") if isinstance(drawn, Mapping) else drawn):
        raise DataError("the release contradicts itself: it is private, and its words are from a seed")
    return str(name)


def _read(document: Mapping[str, Any], name: str) -> _Release:
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
    return together("The stated errors.", (proof(MISSED), _of(not wrong, said, (), wrong[0] if wrong else "")))


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
    below = proof(PRIVATE), found, arrays(mechanism)
    return together(f"DyadicSample is private at the ratio R = {brief(table.ratio)} for neighbouring counts.", below)
