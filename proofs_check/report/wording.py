"""A certificate in words: verdicts for a person who decides, and the witness in three lines."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen
from gmpy2 import mpq

from finitedp.exact import log_bounds
from finitedp.numbers import brief, decimal, readable
from finitedp.proofs_check.audit.certificate import masses
from finitedp.proofs_check.audit.exploring import GIVEN_UP
from finitedp.proofs_check.audit.rows import as_row
from finitedp.proofs_check.deciders.factor import Factor
from finitedp.proofs_check.deciders.privacy import Verdict
from finitedp.proofs_check.report.declared import how_outputs_help, if_declared, outputs_words
from finitedp.proofs_check.report.divergences import divergence_claims, is_without_epsilon, rests, runs_words
from finitedp.proofs_check.report.figures import delta_interval, factor, factor_words, open_words
from finitedp.proofs_check.report.more_delta import more_words, rounding_words

Document = dict[str, Any]
SAID = "These are the words of whoever wrote the certificate. Nothing re-derives them, and no verdict rests on them."
_LONGEST = 60  # characters of a rational, an input or an output that are shown whole


def legible(text: str) -> str:
    """A text of a certificate in one line: what a reader would not see, or what would change the text around it, escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shortened(text: str, longest: int = _LONGEST) -> str:
    """The beginning of a text that is long, with three dots."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def claim_words(document: Document) -> str:
    """The privacy claim in one line; of a claim that states a logarithm, epsilon is that."""
    own = [] if is_without_epsilon(document) else [_epsilon_words(document)]
    more = [*divergence_claims(document), *filter(None, [runs_words(document)])]
    return ", ".join([*own, *more] if own else [*more[:1], relation_words(document), *more[1:]])


def _epsilon_words(document: Document) -> str:
    claim = document["claim"]
    epsilon, ratio = brief(claim["epsilon"]), claim["ratio"]
    words = f"{brief(claim['delta'])})-differential privacy, {relation_words(document)}"
    if ratio is not None and mpq(claim["epsilon"]) == log_bounds(mpq(ratio))[1]:
        return f"(ln {brief(ratio)}, {words}"
    bound = "" if ratio is None else f", {'worst ratio at most' if claim['delta'] == '0' else 'at ratio'} {brief(ratio)}"
    return f"({epsilon}, {words}{bound}"


def relation_words(document: Document) -> str:
    """The relation by its name; of stated pairs, how many there are."""
    relation = document["neighbours"]
    return relation if isinstance(relation, str) else f"{len(relation)} stated pair{'' if len(relation) == 1 else 's'}"


def neighbours_words(document: Document) -> str:
    """Which inputs are neighbours."""
    if not isinstance(document["neighbours"], str):
        return (
            "Which inputs are neighbours is the auditor's own statement: the pairs that the certificate lists, in both orders."
        )
    words = {
        "counts": "Two counts are neighbours if they differ by one.",
        "replace-one": "Two datasets are neighbours if they differ in one row.",
        "add-remove": "Two datasets are neighbours if one of them is the other with one row more.",
    }
    return words[document["neighbours"]]


def private_words(document: Document, laws: Document) -> str:
    """The verdict on privacy, and whether it is the witness that breaks the claim."""
    if is_without_epsilon(document):
        return "No epsilon was claimed."
    if document["verdicts"]["private"] == "fails" and _Comparison.of(document, laws).verdict != "fails":
        return (
            "The privacy claim FAILS, wherever the unresolved mass lies, at another pair of inputs than the witness below, "
            "which has the largest resolved gap."
        ) + rounding_words(document)
    words = {
        "holds": f"The privacy claim HOLDS for all neighbouring inputs of this universe{if_declared(document)}.",
        "fails": f"The privacy claim FAILS: the witness below breaks it.{rounding_words(document)}",
        "undecided": f"UNDECIDED: the unresolved mass could still break the claim; what may decide: {_what_helps(document)}.",
        "holds with delta + u": f"{more_words(document)} What may decide: {_what_helps(document)}." if document["u"] else "",
    }
    return words[document["verdicts"]["private"]]


def _what_helps(document: Document) -> str:
    """What leaves less open, the most likely first."""
    stopped = str(document["derived"].get("stopped", ""))
    sampler = f"a declared sampler, where a function loops and only samples; {legible(how_outputs_help(document))}"
    if stopped.startswith(GIVEN_UP):
        return f"budget bits = all, where the code has an end; {sampler}; a longer time limit, of which it takes a part"
    return f"more time; {sampler}" if stopped else f"{sampler}; a larger budget of runs, or of bits"


def law_words(document: Document, laws: Document) -> str:
    """The verdict on the laws, and where they differ from the specified ones the most."""
    words = {
        "equal": "The law of the code EQUALS the specified law, as rationals, at every input.",
        "differs": "The law of the code DIFFERS from the specified law.",
        "undecided": "UNDECIDED: what is resolved agrees with the specified law, but some mass is unresolved.",
        "not specified": "No law was specified to compare with.",
    }
    verdict = document["verdicts"]["law"]
    difference = f" {_difference_words(document, laws)}" if verdict == "differs" else ""
    return words[verdict] + difference + (f" {_distance_words(document, laws)}" if laws["specified"] is not None else "")


def _distance_words(document: Document, laws: Document) -> str:
    """The largest total variation distance between a law and the specified one."""
    low, open_mass, i = max(_distances(laws), key=lambda item: (item[0] + item[1], item[0]))
    where = f"at the input {input_words(document['inputs'][i])}"
    if open_mass:
        return f"The total variation distance to it is at most {decimal(low + open_mass)} ({where})."
    return f"The total variation distance to it is {readable(str(low))}{f', {where}' if low else ''}."


def _distances(laws: Document) -> Iterator[tuple[mpq, mpq, int]]:
    """By input: by how much the resolved probabilities exceed the specified ones in all, the unresolved mass, the place."""
    for i, (law, allowed) in enumerate(zip(laws["found"], laws["specified"], strict=True)):
        expected = masses(allowed)
        gaps = (p - expected.get(x, mpq(0)) for x, p in masses(law).items())
        yield sum((gap for gap in gaps if gap > 0), mpq(0)), mpq(law["unresolved"]), i


def _difference_words(document: Document, laws: Document) -> str:
    sides = [[masses(law) for law in laws[side]] for side in ("found", "specified")]
    gaps = (
        (p - allowed.get(x, mpq(0)), i, x)
        for i, (derived, allowed) in enumerate(zip(*sides, strict=True))
        for x, p in derived.items()
    )
    _, i, x = max(gaps, key=lambda gap: gap[0])
    there, allowed = (str(side[i].get(x, mpq(0))) for side in sides)
    where = input_words(document["inputs"][i])
    return (
        f"At the input {where} the output {shortened(legible(x))} has probability {readable(there)}, not {readable(allowed)}."
    )


def tight_words(document: Document) -> str:
    """Whether the bound is attained."""
    if is_without_epsilon(document):
        return "No bound on single outputs was claimed."
    if document["verdicts"]["tight"]:
        return "The bound is TIGHT: it is attained exactly."
    if document["unresolved"] != "0":
        return "Whether the bound is attained is not known, since mass is unresolved."
    return "The bound is not attained exactly."


def accuracy_words(document: Document) -> str:
    """The verdict on accuracy."""
    claim, miss = document["accuracy"], document["miss"]
    if claim is None:
        return "No accuracy was claimed."
    words = {"holds": "HOLDS", "fails": "FAILS", "undecided": "is UNDECIDED"}[document["verdicts"]["accuracy"]]
    words += if_declared(document, sure=words != "is UNDECIDED")
    where = input_words(document["inputs"][miss["input"]])
    if claim["kind"] == "flexible":
        return (
            f"The accuracy claim {words}: the largest probability of an output that no allowed rows left out explain is "
            f"{readable(miss['probability'])} (at the input {where}); claimed: {flexible_words(claim)}."
        )
    return (
        f"The accuracy claim {words}: the largest probability of an error above {claim['a']} is "
        f"{readable(miss['probability'])} (at the input {where}); claimed: at most {brief(claim['beta'])}, {claim['kind']}."
    )


def flexible_words(claim: Document) -> str:
    """A claim of accuracy that forgives rows left out."""
    rows = f"{claim['dropped']} row{'' if claim['dropped'] == 1 else 's'}"
    left = rows if claim["alpha"] is None else f"a share of {brief(claim['alpha'])} of the rows"
    within = f"within {brief(claim['beta'])} of {claim['statistic']} ({claim['metric']})"
    return f"{within} of the data without at most {left}, except with probability at most {brief(claim['gamma'])}"


def bound_words(document: Document) -> str:
    """The exact worst ratio and its logarithm, and the exact delta at the claimed epsilon."""
    ratio = document["worst_ratio"]
    if ratio is None:
        first = "The worst probability ratio is not known, since mass is unresolved"
    elif ratio == "infinite":
        first = "The worst probability ratio is infinite: one output is possible for one input only"
    else:
        low, high = log_bounds(mpq(ratio))
        first = f"The worst probability ratio is {readable(ratio)}, so that epsilon = {decimal((low + high) / 2)} at delta = 0"
    if is_without_epsilon(document):
        return f"{first}."
    low, high = delta_interval(document)
    bound = "epsilon" if document["claim"]["ratio"] is None else "ratio"
    if document["unresolved"] != "0":
        most = open_words(high) if high < mpq(1, 1 << 20) else decimal(high)
        between = f"is {decimal(low)}" if low == high else f"lies between {decimal(low)} and {most}"
        return f"{first}. At the claimed {bound}, delta {between}{if_declared(document)}."
    return f"{first}. At the claimed {bound}, delta is {decimal((low + high) / 2)}."


def profile_words(document: Document, corners: Sequence[tuple[mpq, mpq]]) -> str:
    """The corners of a privacy profile, the first few of them where they are many."""
    of = "" if document["unresolved"] == "0" else "of the resolved mass: "
    listed = [f"delta = {readable(str(delta))} at epsilon = {_logarithm(ratio)}" for ratio, delta in corners[:6]]
    more = f"; {len(corners) - 6} more corners" if len(corners) > 6 else ""
    return of + "; ".join(listed) + more


def _logarithm(ratio: mpq) -> str:
    low, high = log_bounds(ratio)
    return "0" if ratio == 1 else f"ln {readable(str(ratio))} = {decimal((low + high) / 2)}"


def time_words(document: Document) -> str:
    """Whether all paths cost the same, and what is unresolved."""
    strict = document["derived"]["strict_time"]
    if strict is None:
        table = document["derived"]["style"] == "table"
        unseen = "what code does with numbers, or what samplers taken alone and draws without an end cost, was not seen"
        return f"Not known: {'the laws come from a table' if table else unseen}."
    if strict:
        return "Strict time: every path of every input makes the same draws and comparisons."
    unresolved = open_words(mpq(document["unresolved"]))
    left = "" if unresolved == "0" else f" Unresolved mass, at most {unresolved}, is counted against every verdict."
    return f"NOT STRICT TIME: paths differ in their draws or comparisons.{left}"


def found_lines(document: Document) -> list[tuple[str, str]]:
    """How the laws were found, as far as it is not plain: what they rest on, how samplers were taken, what was cut short."""
    derived = document["derived"]
    lines = [("assumed", words) for words in (*outputs_words(document), *derived.get("assumptions", []))]
    lines += [("not looked into", words) for words in derived.get("not_looked_into", [])]
    if "compared" in derived:
        lines.append(("compared", f"with plain integers {derived['compared']}: windows between these may be missed."))
    for sampler in derived.get("samplers", []):
        how = "taken alone, and then drawn at once" if sampler["alone"] else "taken inline"
        because = "" if sampler["reason"] is None else f", because {sampler['reason']}"
        lines.append(("sampler", f"{sampler['name']}: {how}{because}"))
    lines += [("open", words) for words in derived.get("open_tails", [])]
    if "stopped" in derived:
        lines.append(("stopped", f"{derived['stopped']}: the verdicts are of what had been found."))
    return [(what, legible(words)) for what, words in lines]


def input_words(data: int | Sequence[int | str]) -> str:
    """An input for a reader."""
    return shortened(str(data) if isinstance(data, int) else "[" + ", ".join(repr(as_row(x)) for x in data) + "]")


def event_words(document: Document) -> str:
    """The witness's event, its first few outputs where they are many; a tail, of infinitely many, is one of them.

    Of several runs the outcomes are told by their ratio, p:q, the probability at the earlier input to that at the later one.
    """
    event = document["witness"]["event"]
    tails = ", a tail counted as one" if document["version"] > 2 and any(x.endswith(", ...") for x in event) else ""
    outcomes = f"ratios of {runs_words(document)}" if runs_words(document) else f"outputs{tails}"
    more = [f"... ({len(event)} {outcomes})"] if len(event) > 6 else []
    return "{" + ", ".join([shortened(legible(x)) for x in event[:6]] + more) + "}"


def witness_lines(document: Document, laws: Document) -> list[str]:
    """The witness in three lines: the inputs, the event, and both probabilities against the bound."""
    witness, compared = document["witness"], _Comparison.of(document, laws)
    left, right = (input_words(document["inputs"][witness[side]]) for side in ("left", "right"))
    return [
        f"inputs A = {left} and B = {right}",
        f"event S = {event_words(document)}",
        _probabilities(witness)
        if is_without_epsilon(document) or document["verdicts"]["private"] == "holds" != compared.verdict
        else compared.words(factor_words(document), document["claim"]["delta"]),
    ]


def _probabilities(witness: Document) -> str:
    return f"P[S at A] = {readable(witness['in_left'])} and P[S at B] = {readable(witness['in_right'])}"


@frozen
class _Comparison:
    """The witness's P[S at A] and P[S at B], as far as they are resolved, against the claim.

    rest_p, rest_q: what is unresolved at A and at B, and may belong to S or not.
    """

    factor: Factor
    delta: mpq
    p: mpq
    q: mpq
    rest_p: mpq
    rest_q: mpq

    @classmethod
    def of(cls, document: Document, laws: Document) -> "_Comparison":
        """That of a certificate."""
        witness = document["witness"]
        unresolved = (rests(document, mpq(laws["found"][witness[side]]["unresolved"])) for side in ("left", "right"))
        masses = (mpq(witness[side]) for side in ("in_left", "in_right"))
        return cls(factor(document), mpq(document["claim"]["delta"]), *masses, *unresolved)

    @property
    def verdict(self) -> Verdict:
        """Of this pair and event alone, where it is the same wherever the unresolved mass lies."""
        if self.factor.exceeded(self.p - self.delta, self.q + self.rest_q):
            return "fails"
        return "undecided" if self.factor.exceeded(self.p + self.rest_p - self.delta, self.q) else "holds"

    def words(self, times: str, delta: str) -> str:
        """One line, in which the unresolved mass is on the side on which it would change the verdict."""
        verdict, one, other = self.verdict, readable(str(self.p)), readable(str(self.q))
        left, bound, inside = f"P[S at A] = {one}", "P[S at B]", self.q
        if verdict == "holds" and self.rest_p:
            left = f"P[S at A] <= {one} + {readable(str(self.rest_p))}"
        elif self.rest_p:
            left = f"P[S at A] >= {one}"
        if verdict != "holds" and self.rest_q:
            bound, other = "(P[S at B] + unresolved)", f"({other} + {readable(str(self.rest_q))})"
            inside = self.q + self.rest_q
        low, high = self.factor.bounds()
        allowed = (low + high) / 2 * inside + self.delta
        least = "at least " if self.rest_p or self.rest_q else ""
        said = {"holds": "at most", "undecided": "undecided against"}
        compared = said.get(verdict, f"ABOVE, by {least}{decimal(self.p - allowed, 4)},")
        return f"{left} is {compared} {times} * {bound} + delta = {times} * {other} + {brief(delta)} = {decimal(allowed, 12)}"
