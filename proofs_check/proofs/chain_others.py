"""The chain of releases that do not stand on basic or stability with a dyadic table: what is proved, and what is only known.

A release with FastSample follows from the proofs about FastSample, histograms and strict coins. Of BlanketHistogram the
conditions are proved to be privacy, and re-checked; that its code has the law of the proof is known on grids. Of the others
parts are proved: what is known of the whole is said by its id. So it is of every release for a unit of several rows.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gmpy2 import mpq

from finitedp.claim import PrivacyClaim
from finitedp.data.noisy_histogram import NoisyHistogram
from finitedp.data.papers import PaperHistogram
from finitedp.errors import DataError, FinitedpError
from finitedp.exact import compare_exp, rational
from finitedp.impl.counting.dyadic import DyadicSample
from finitedp.impl.counting.geometric import FastSample
from finitedp.impl.randomness.coins import SPARE_BITS, StrictCoins
from finitedp.numbers import brief
from finitedp.proofs_check.blanket_certificate import recheck
from finitedp.proofs_check.claims import entries
from finitedp.proofs_check.proofs.links import DIFFER, Link, arrays, assumed, known, links, proof, together

FAST = {"BasicHistogram with FastSample": "BV.Thm5.2.i.all", "StabilityHistogram with FastSample": "BV.Thm5.5.i.all"}
BLANKET = ("BlanketHistogram with DyadicSample", "BlanketHistogram with SkewedSample")
PARTS = {  # what is proved of mechanisms of which the whole is not
    "CompactHistogram with DyadicSample": ("FD.Dyadic.private.all", "FD.Dyadic.law.all"),
    "CompactHistogram with FastSample": ("BV.Thm4.10.i.all", "BV.Lem8.4.ii.all", "FD.CompactHistogram.scale.all"),
    "SparseHistogram with FastSample": ("BV.Thm4.10.i.all", "BV.Thm4.10.v.all"),
    "PureSparseHistogram with GeoSample": ("BV.Thm4.7.i.private.all", "BV.Lem3.2.i.all", "BV.Thm6.11.i.distance.all"),
    "PrivHist, branch split": (),
    "PrivHist, branch smooth": (),
}
OTHERS = (*FAST, *BLANKET, *PARTS)
UNITS = ("FD.Unit.bounding", "FD.Unit.release")
LAW = ("FD.Blanket.law", "FD.Blanket.closed", "FD.Blanket.arrays", "FD.Blanket.real-labels", "FD.Blanket.release")


def other_chain(document: Mapping[str, Any], name: str) -> Link:
    """What the claim of such a release rests on. Parameters: name, its mechanism, one of OTHERS. Raises: DataError."""
    try:
        claim = PrivacyClaim.from_json({"delta": "0", **document["claim"]})
        n = document["n"] if "n" in document else document["mechanism"]["n"]
        said = f"({claim.epsilon}, {claim.delta})-differential privacy for datasets {DIFFER[claim.neighbours]}"
        if claim.unit is not None:
            said = f"({claim.epsilon}, {claim.delta})-differential privacy, {claim.relation}"
            return together(f"{name}, n = {int(n)}: {said}", tuple(_of_units(document, claim)))
        makers: dict[str, Callable[[Mapping[str, Any], PrivacyClaim, str], Iterator[Link]]]
        makers = dict.fromkeys(FAST, _fast) | dict.fromkeys(BLANKET, _blanket)
        below = tuple(makers.get(name, _parts)(document, claim, name))
        if name not in PARTS:
            below += (
                assumed(document, claim.neighbours, frozenset().union(*(x.trusted for one in below for x in links(one)))),
            )
        return together(f"{name}, n = {int(n)}: {said}", below)
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        raise DataError(f"it is no whole release: {type(error).__name__}: {error}") from None


def _fact(says: str, holds: bool, about: str) -> Link:
    return Link(says, "re-checked" if holds else "FAILS", (about,))


def _stated(read: Callable[[Mapping[str, Any]], object], document: Mapping[str, Any]) -> Link:
    """What the library states of the parameters is what the document says."""
    says = "Claim, errors, draws and bits are those that the library computes from the parameters."
    try:
        read(document)
    except FinitedpError as error:
        return Link(says, "FAILS", (str(error),))
    return Link(says, "re-checked")


def _of_units(document: Mapping[str, Any], claim: PrivacyClaim) -> Iterator[Link]:
    yield _stated(NoisyHistogram.from_document, document)
    says = "The rows of a unit that count are chosen within its bounds, and cost together what is claimed."
    yield Link(says, "NOT PROVED", ("what is known of it:",), tuple(map(known, (str(claim.source), *UNITS))))
    yield from map(proof, ("FD.Dyadic.private.all", "FD.Dyadic.law.all"))


# FastSample


def _fast(document: Mapping[str, Any], claim: PrivacyClaim, name: str) -> Iterator[Link]:
    given, strict = document["parameters"], document["randomness"]["coins"] == "strict"
    mechanism = FastSample(document["n"], given["epsilon"], rational(given["gamma"], "gamma"))
    ratio, b = 1 + mpq(1, 2**mechanism.k), document.get("threshold")
    slack, more = (StrictCoins.slack, 1 + mpq(1, 2**SPARE_BITS)) if strict else (mpq(1), mpq(1))
    yield _stated(PaperHistogram.from_document, document)
    whole, shown = (ratio * slack) ** 2, mpq(0) if b is None else (1 - mpq(mechanism.cdf(1, b), mechanism.d)) * more
    holds = compare_exp(whole, claim.epsilon) <= 0 and shown <= claim.delta and claim.neighbours == "replace-one"
    of_b = "" if b is None else f", and delta at least Pr[M(1) > {b}]"
    says = f"The ratio for two counts, (1 + 2^-k)^2 on {'strict' if strict else 'exact'} coins, is at most e^epsilon{of_b}."
    yield _fact(says, holds, f"{brief(whole)} for epsilon = {claim.epsilon}; {brief(shown)} for delta = {claim.delta}")
    yield _errors(document, mechanism, ratio, more)
    yield proof(FAST[name])
    below = [proof(each) for each in ("BV.Thm4.10.i.all", "BV.Alg4.11.all", "BV.Thm4.10.ii.all")]
    coins = [proof("FD.StrictCoins.all")] if strict else []
    yield together(f"FastSample is private at the ratio {brief(ratio * slack)} for neighbouring counts.", (*below, *coins))


def _errors(document: Mapping[str, Any], mechanism: FastSample, ratio: mpq, more: mpq) -> Link:
    """The stated errors follow from BV.Thm4.10.ii.all, by the union bound for all labels at once."""
    b, wrong = document.get("threshold"), list[str]()
    for one in document["accuracy"]:
        beta, a, every = rational(one["beta"], "beta") / more, one["a"], one["kind"] == "simultaneous"
        many = (document["labels"] if b is None else document["n"]) if every else 1
        noise = a if b is None or not every else a - b  # a label that is not listed has at most b + the noise's error
        above = b is None or every or one["on_counts_above"] >= a + b
        share = beta / many - mechanism.gamma
        if not (above and noise >= 0 and share > 0 and ratio**noise * share >= 1):
            wrong.append(f"an error above {a} is not of probability at most {one['beta']} ({one['kind']})")
    says = f"The {len(document['accuracy'])} stated errors hold with their probabilities, by BV.Thm4.10.ii.all."
    return Link(says, "FAILS" if wrong else "re-checked", tuple(wrong[:1]))


# BlanketHistogram


def _blanket(document: Mapping[str, Any], claim: PrivacyClaim, _name: str) -> Iterator[Link]:
    found = list[NoisyHistogram]()
    yield _stated(lambda given: found.append(NoisyHistogram.from_document(given)), document)
    plan = found[0].plan if found else None
    if plan is None:
        return
    certificate = plan.certificate()
    reason = recheck(certificate)
    made = [certificate[name] for name in ("epsilon", "ratio", "neighbours")]
    same = claim.delta == 0 and [str(claim.epsilon), str(claim.ratio), claim.neighbours] == made
    says = (
        "The plan satisfies (A) to (D), its table (i) and (ii), and the claimed ratio is that of the table, at most e^epsilon."
    )
    about = f"b = {plan.b}, L = {plan.cap}, G = {plan.slots}; lone checker: blanket_certificate.py"
    yield _fact(says, reason is None and same, reason or (about if same else "another ratio, epsilon or relation is claimed"))
    yield proof("FD.Blanket.private.all")
    if isinstance(plan.mechanism, DyadicSample):
        yield proof("FD.Dyadic.private.all")
        yield arrays(plan.mechanism)
    else:
        yield Link("The noise of a skewed table is private.", "NOT PROVED", (), (known("FD.Blanket.skewed"),))
    says = "The code that draws has the law that the proof is about."
    yield Link(says, "NOT PROVED", ("what is known of it:",), tuple(map(known, LAW)))
    yield known("FD.Blanket.accuracy")


# The others


def _parts(document: Mapping[str, Any], claim: PrivacyClaim, name: str) -> Iterator[Link]:
    source = document["claim"]["source"]
    if source not in entries():
        raise DataError(f"source = {str(source)[:60]!r} is no claim that finitedp knows")
    yield Link("The mechanism as a whole is private.", "NOT PROVED", ("what is known of it:",), (known(source),))
    yield from map(proof, PARTS[name])
