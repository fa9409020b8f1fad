"""Cases of certificates of audits: documents as `finitedp audit` writes them, and ones that were forged in one place.

What a document says is derived here from its laws by the definitions. Forged ones have a hash that fits, but for those of the
hash.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import permutations
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.proofs_check.vectors.groups import Group, refused, valid
from finitedp.spec import divergence, dyadic
from finitedp.spec.pmf import Pmf

Document = dict[str, Any]
Law = dict[int, mpq]


@frozen
class _Audit:
    """What was audited, and the witness: two inputs by place, and the outputs of an event."""

    laws: tuple[Law, ...]
    epsilon: str
    witness: tuple[int, int, list[int]]
    delta: str = "0"
    ratio: str | None = None
    universe: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        """The certificate, without its hash."""
        laws, claimed = [Pmf.from_probabilities(law) for law in self.laws], mpq(self.delta)
        apart = [
            (p, q)
            for (i, p), (j, q) in permutations(enumerate(laws), 2)
            if self.universe or abs(i - j) == 1  # a row that is replaced, or counts
        ]
        worst = [divergence.max_ratio(p, q) for p, q in apart]
        largest = None if any(w.infinite for w in worst) else max(w.value for w in worst)
        profiles = [divergence.privacy_profile(p, q) for p, q in apart]
        if self.ratio is None:
            private = all(profile.holds(mpq(self.epsilon), claimed) for profile in profiles)
        else:
            private = all(profile.delta(mpq(self.ratio)) <= claimed for profile in profiles)
        left, right, event = self.witness
        ends = [sum((self.laws[i].get(z, mpq(0)) for z in event), mpq(0)) for i in (left, right)]
        attained = ends[0] - mpq(self.ratio) * ends[1] == claimed if self.ratio else not ends[1] and ends[0] == claimed
        found = [{"probabilities": {str(z): str(w) for z, w in law.items()}, "unresolved": "0"} for law in self.laws]
        return {
            "format": "finitedp certificate",
            "version": 2,
            "name": "mechanism",
            "neighbours": "replace-one" if self.universe else "counts",
            "universe": list(self.universe),
            "n": 1 if self.universe else len(laws) - 1,
            "inputs": [[label] for label in self.universe] or list(range(len(laws))),
            "claim": {"epsilon": self.epsilon, "delta": self.delta, "ratio": self.ratio},
            "accuracy": None,
            "laws": {"found": found, "specified": None},
            "verdicts": {
                "private": "holds" if private else "fails",
                "law": "not specified",
                "tight": attained,
                "accuracy": "not claimed",
            },
            "worst_ratio": "infinite" if largest is None else str(largest),
            "unresolved": "0",
            "u": None,
            "witness": {
                "left": left,
                "right": right,
                "event": list(map(str, event)),
                "in_left": str(ends[0]),
                "in_right": str(ends[1]),
            },
            "miss": None,
            "derived": {"style": "table"},
        }


def _law(*weights: int) -> Law:
    return {z: mpq(w, sum(weights)) for z, w in enumerate(weights) if w}


def _audits() -> Iterator[_Audit]:
    response = _law(3, 1), _law(1, 3)
    yield _Audit(response, "11/10", (0, 1, [0]))
    yield _Audit(response, "1", (0, 1, [0]))
    yield _Audit(response, "1", (0, 1, [0]), delta="1/10")
    yield _Audit((_law(1, 1), _law(1)), "1", (0, 1, [1]), delta="1/2")
    yield _Audit((_law(1, 1), _law(1)), "1", (0, 1, [1]))
    yield _Audit((_law(6, 4, 2), _law(3, 3, 6), _law(1, 2, 9)), "11/10", (1, 0, [2]))
    yield _Audit((_law(2, 1), _law(1, 2)), "7/10", (0, 1, [0]), ratio="2", universe=("a", "b"))
    weights = dyadic.table(2, mpq(3, 2), 5)
    if weights is not None:
        laws = [dyadic.law(weights, count) for count in range(3)]
        yield _Audit(tuple({z: mpq(law.weight(z), 32) for z in range(3)} for law in laws), "1/2", (1, 0, [1]), ratio="3/2")


def _signed(body: Document) -> Document:
    """A document with the hash of its content."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {**body, "sha256": sha256(text.encode()).hexdigest()}


def _changed(document: Document, place: tuple[str | int, ...], value: object) -> Document:
    """A copy, with another value in one place."""
    copy: Document = json.loads(json.dumps(document))
    inner: Any = copy
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return copy


def _forged(right: Document) -> Iterator[tuple[tuple[str | int, ...], object, str]]:
    """Places, what is written there in place of what follows from the laws, and a flag."""
    said, witness = right["verdicts"], right["witness"]
    yield ("verdicts", "private"), "fails" if said["private"] == "holds" else "holds", "ForgedVerdict"
    yield ("verdicts", "private"), "undecided", "ForgedVerdict"
    yield ("verdicts", "tight"), not said["tight"], "ForgedVerdict"
    yield ("verdicts", "law"), "equal", "ForgedVerdict"
    yield ("verdicts", "accuracy"), "holds", "ForgedVerdict"
    yield ("worst_ratio",), "1" if right["worst_ratio"] != "1" else "2", "ForgedFact"
    yield ("worst_ratio",), "infinite" if right["worst_ratio"] != "infinite" else "7", "ForgedFact"
    yield ("unresolved",), "1/1000", "ForgedFact"
    yield ("u",), f"1/{2**32}", "ForgedFact"
    yield ("miss",), {"error": "1/2"}, "ForgedFact"
    yield ("witness", "left"), witness["right"], "ForgedFact"
    yield ("witness", "event"), [], "ForgedFact"
    for end in ("in_left", "in_right"):
        yield ("witness", end), str(mpq(witness[end]) + mpq(1, 100)), "ForgedFact"
    larger = mpq(right["claim"]["epsilon"]) * (
        mpq(1, 2) if said["private"] == "holds" and not mpq(right["claim"]["delta"]) else 10
    )
    if said["private"] == "fails" and right["worst_ratio"] != "infinite":
        yield ("claim", "epsilon"), str(larger), "ForgedClaim"
    if said["private"] == "holds" and not mpq(right["claim"]["delta"]):
        yield ("claim", "epsilon"), str(larger), "ForgedClaim"
    yield ("claim", "epsilon"), "-1", "ForgedClaim"
    yield ("claim", "delta"), "2", "ForgedClaim"
    yield ("claim", "ratio"), "1000000", "ForgedClaim"
    yield ("n",), right["n"] + 1, "ForgedClaim"
    yield ("inputs",), right["inputs"][::-1], "ForgedClaim"
    yield ("neighbours",), "add-remove" if right["universe"] else "replace-one", "ForgedClaim"
    for i, law in enumerate(right["laws"]["found"]):
        (z, p), *_ = law["probabilities"].items()
        yield ("laws", "found", i, "probabilities", z), str(mpq(p) - mpq(1, 1000)), "ForgedLaw"
        yield ("laws", "found", i, "probabilities", z), str(-mpq(p)), "ForgedLaw"
        yield ("laws", "found", i, "unresolved"), "1/1000", "ForgedLaw"
        yield ("laws", "found", i, "probabilities", "99"), "0", "ForgedLaw"
    yield ("laws", "found"), right["laws"]["found"][:-1], "ForgedLaw"
    yield ("laws", "specified"), right["laws"]["found"], "ForgedLaw"


def _malformed(right: Document) -> Iterator[tuple[Document, str]]:
    """Documents of another form, and what is wrong."""
    for key in right:
        yield {k: v for k, v in right.items() if k != key}, f"without {key}"
    yield {**right, "note": ""}, "with a key that is not known"
    yield _changed(right, ("claim", "note"), ""), "a claim with a key that is not known"
    for version in (0, 1, 7, "2", 2.0, True):
        yield {**right, "version": version}, f"version {version!r}"
    yield {**right, "format": "finitedp certificates"}, "another format"


def _case(text: bytes, comment: str, flag: str, *, right: bool) -> Document:
    return (valid if right else refused)(comment, [flag], text=text.hex())


def _text(document: object) -> bytes:
    return json.dumps(document).encode()


def _cases(audit: _Audit, *, whole: bool) -> Iterator[Document]:
    right = audit.document
    signed = _signed(right)
    text = _text(signed)
    yield _case(text, "a certificate", "Basic", right=True)
    for place, value, flag in _forged(right):
        forged = _signed(_changed(right, place, value))
        told = ".".join(map(str, place))
        yield _case(_text(forged), f"{told} is {json.dumps(value)[:40]}", flag, right=False)
        if flag == "ForgedVerdict":
            kept = {**forged, "sha256": signed["sha256"]}
            yield _case(_text(kept), f"{told} is another one, and the hash is not", "Hash", right=False)
    yield _case(_text(right), "without a hash", "Hash", right=False)
    yield _case(_text({**signed, "sha256": "0" * 64}), "a hash of zeros", "Hash", right=False)
    yield _case(_text({**signed, "sha256": signed["sha256"].upper()}), "a hash in capitals", "Hash", right=False)
    if not whole:
        return
    yield _case(json.dumps(signed, indent=1).encode(), "over several lines", "Format", right=True)
    yield _case(_text(dict(sorted(signed.items()))), "its keys in another order", "Format", right=True)
    for key, value in (("name", "b\u00fccher"), ("derived", {})):
        yield _case(_text(_signed({**right, key: value})), f"another {key}, which nobody vouches for", "Format", right=True)
    for document, told in _malformed(right):
        yield _case(_text(_signed(document)), told, "Format", right=False)
    twice = text[:-1] + b', "u": null}'
    yield _case(twice, "u twice", "DuplicateKey", right=False)
    yield _case(text.replace(b'"epsilon"', b'"epsilon": "1000", "epsilon"'), "epsilon twice", "DuplicateKey", right=False)
    yield _case(text[:-1], "cut off", "NotJson", right=False)
    yield _case(b"[" + text + b"]", "a list", "NotJson", right=False)
    for probability in (0.75, "0.75", " 3/4", "3/4 "):
        (z, _), *_ = right["laws"]["found"][0]["probabilities"].items()
        document = _signed(_changed(right, ("laws", "found", 0, "probabilities", z), probability))
        yield _case(_text(document), f"a probability {probability!r}", "Digits", right=False)


def audit_groups(*, large: bool) -> Iterator[Group]:
    """The groups of Audit."""
    yield {}, [case for i, audit in enumerate(_audits()) for case in _cases(audit, whole=large or i == 0)]
