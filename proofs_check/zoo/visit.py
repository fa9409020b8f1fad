"""The zoo: mechanisms from the literature and their well-known mistakes, each audited exactly, with the verdict it must get.

An exhibit states what is true of it; a run finds out. The page of the manual is generated from runs.
"""

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from gmpy2 import mpq

from finitedp.errors import ParameterError
from finitedp.exact import exp_bounds
from finitedp.numbers import brief, decimal, outward, power_of_two, shown
from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.certificate import certificate
from finitedp.proofs_check.report.figures import delta_bounds, delta_interval
from finitedp.proofs_check.report.wording import event_words, input_words
from finitedp.proofs_check.zoo import encodings as zoo_encodings
from finitedp.proofs_check.zoo import forgiving as zoo_forgiving
from finitedp.proofs_check.zoo import libraries as zoo_libraries
from finitedp.proofs_check.zoo import loops as zoo_loops
from finitedp.proofs_check.zoo import noise as zoo_noise
from finitedp.proofs_check.zoo import partition as zoo_partition
from finitedp.proofs_check.zoo import response as zoo_response
from finitedp.proofs_check.zoo import samplers as zoo_samplers
from finitedp.proofs_check.zoo import selection as zoo_selection
from finitedp.proofs_check.zoo import sparse_vector as zoo_sparse_vector
from finitedp.proofs_check.zoo import sums as zoo_sums
from finitedp.proofs_check.zoo.exhibit import Exhibit, as_expected, exact_delta, run

__all__ = [
    "Exhibit",
    "as_expected",
    "bound_found",
    "chapters",
    "claim_made",
    "exhibits",
    "expectation",
    "find",
    "run",
    "run_all",
    "verdict",
    "zoo_page",
]


_FEW = 8
"""Characters of a delta that is shown as it is."""


def chapters() -> dict[str, tuple[Exhibit, ...]]:
    """All exhibits, by chapter."""
    return {
        "Noise for a count": zoo_noise.EXHIBITS,
        "How noise is made": zoo_samplers.EXHIBITS,
        "Sums, histograms and several releases": zoo_sums.EXHIBITS,
        "Randomised response": zoo_response.EXHIBITS,
        "Encodings and shuffling": zoo_encodings.EXHIBITS,
        "Choosing one of several": zoo_selection.EXHIBITS,
        "Sparse vector": zoo_sparse_vector.EXHIBITS,
        "Partitions and stability": zoo_partition.EXHIBITS,
        "Draws from libraries, and floats": zoo_libraries.EXHIBITS,
        "Loops taken alone": zoo_loops.EXHIBITS,
        "Accurate up to rows left out": zoo_forgiving.EXHIBITS,
    }


def exhibits() -> dict[str, Exhibit]:
    """All exhibits by name. Raises: ParameterError where two have the same name."""
    found: dict[str, Exhibit] = {}
    for exhibit in (exhibit for chapter in chapters().values() for exhibit in chapter):
        if exhibit.name in found:
            raise ParameterError(f"the zoo has two exhibits {exhibit.name}; accepted: different names")
        found[exhibit.name] = exhibit
    return found


def find(pattern: str) -> list[Exhibit]:
    """The exhibits whose name matches a shell-style pattern, or starts with it at a slash. Raises: ParameterError for none."""
    known = exhibits()
    found = [e for name, e in known.items() if fnmatchcase(name, pattern) or name.startswith(f"{pattern}/")]
    if not found:
        near = [name for name in known if pattern.lower() in name][:5]
        hint = f"; did you mean {', '.join(near)}?" if near else "; `finitedp zoo` lists them"
        raise ParameterError(f"no exhibit matches {pattern!r}{hint}")
    return found


def run_all(chosen: Sequence[Exhibit], update: Callable[[int, int], None] | None = None) -> dict[str, AuditResult]:
    """The exact audits of exhibits, by name. Parameters: update, called with how many are done, and of how many."""
    found = {}
    for i, exhibit in enumerate(chosen):
        if update is not None:
            update(i, len(chosen))
        found[exhibit.name] = run(exhibit)
    return found


# In words


def claim_made(exhibit: Exhibit) -> str:
    """What is claimed: "ratio 2, replace-one", or "epsilon 7/10, delta 1/12, counts"."""
    claim = exhibit.claim
    bound = f"epsilon {claim.epsilon}" if claim.ratio is None else f"ratio {claim.ratio}"
    return f"{bound}, {f'delta {_small(claim.delta)}, ' if claim.delta else ''}{claim.neighbours}{_forgiven(exhibit)}"


def _small(delta: mpq) -> str:
    """A delta of few digits as it is, another as a power of two where it is one."""
    words = power_of_two(delta)
    return str(delta) if len(str(delta)) <= _FEW or words.startswith("below") else words


def _forgiven(exhibit: Exhibit) -> str:
    """What is claimed of accuracy: "; max, 2 rows left out, within 1, except with 7/32"."""
    claim = exhibit.accuracy
    if claim is None:
        return ""
    rows = f"{claim.dropped} row{'' if claim.dropped == 1 else 's'}"
    within = f", within {claim.beta}" if claim.beta else ""
    return f"; {claim.statistic}, {rows} left out{within}{f', except with {claim.gamma}' if claim.gamma else ''}"


def bound_found(found: AuditResult, longest: int = 60) -> str:
    """The exact worst ratio; delta at the claimed one too, where the ratio does not say it all.

    Parameters: longest, the characters of a rational that is written as such and not as a decimal alone.
    """
    ratio = found.worst_ratio
    if isinstance(ratio, mpq):
        bound = exp_bounds(found.claim.epsilon)[0] if found.claim.ratio is None else found.claim.ratio
        text = shown(ratio, longest, _digits_apart(ratio, bound))
    else:
        text = "infinite" if ratio else f"not known, mass {decimal(found.unresolved, 2)} is unresolved"
    if isinstance(ratio, mpq) and not found.claim.delta:
        return text
    return f"{text}; {_delta_found(found)}"


def _delta_found(found: AuditResult) -> str:
    """The delta at the claimed ratio: exact, as a decimal where e^epsilon is in it, or an interval of unresolved mass."""
    if found.unresolved:
        return "delta from {} to {}".format(*outward(*delta_interval(certificate(found)), 8))
    low, high = delta_bounds(certificate(found))
    exact = exact_delta(found)
    return f"delta {decimal((low + high) / 2) if exact is None else shown(max(exact, mpq(0)))}"


def _digits_apart(number: mpq, bound: mpq) -> int:
    """How many digits tell a number from its bound, at least 8."""
    digits = 8
    while number != bound and decimal(number, digits).strip("~") == decimal(bound, digits).strip("~"):
        digits += 1
    return digits


def verdict(found: AuditResult) -> str:
    """The verdict on privacy, whether the bound is attained, and that on accuracy: "holds, tight; accuracy fails"."""
    accurate = "" if found.accuracy == "not claimed" else f"; accuracy {found.accuracy}"
    return found.private + (", tight" if found.tight else "") + accurate


def expectation(exhibit: Exhibit) -> str:
    """What a run must find, as far as it is stated."""
    parts = [exhibit.private + (", tight" if exhibit.tight else "")]
    parts += [] if exhibit.worst_ratio is None else [f"worst ratio {exhibit.worst_ratio}"]
    parts += [] if exhibit.delta is None else [f"delta {exhibit.delta}"]
    parts += [] if exhibit.delta_near is None else [f"delta {decimal(exhibit.delta_near, 12)}"]
    parts += [] if exhibit.accuracy is None else [f"accuracy {exhibit.accurate}"]
    parts += [] if exhibit.miss is None else [f"miss {exhibit.miss}"]
    return ", ".join(parts)


def _witness(found: AuditResult) -> str:
    """The two inputs, the event and both probabilities."""
    witness, document = found.witness, certificate(found)
    left, right = (input_words(x if isinstance(x, int) else list(x)) for x in (witness.left, witness.right))
    chances = f"{brief(str(witness.in_left))} and {brief(str(witness.in_right))}"
    return f"{left}, {right}: {event_words(document)} has {chances}"


# The page

_HEAD = """# The zoo

<!-- generated: finitedp zoo --page docs/zoo.md -->

Mechanisms from the literature, right ones and well-known mistakes, each audited exactly by `finitedp zoo`: {total} exhibits,
of which {holds} hold and {fails} fail. A name `x/y` is a variant or an instance of `x`; some mistakes show only in some
instances, which then stand side by side. Where papers write e^-epsilon there is a rational, so that probabilities are
rational; what else differs from the published algorithm is said with the source. "Ours" and "folklore" mean that the mistake
is not that source's. A worst ratio is the largest over all neighbouring inputs of the instance that was run; a verdict
"holds" is of that instance too. Loops "taken alone" are [declared samplers](explorer.md#samplers-taken-alone).
"""

_COLUMNS = """
| exhibit | what it is | source | claim | verdict | worst ratio found | witness |
|---|---|---|---|---|---|---|
"""


def zoo_page(found: Mapping[str, AuditResult]) -> str:
    """The page as Markdown. Parameters: found, the results of a run of all exhibits, by name."""
    verdicts = [result.private for result in found.values()]
    parts = [_HEAD.format(total=len(found), holds=verdicts.count("holds"), fails=verdicts.count("fails"))]
    for title, chapter in chapters().items():
        rows = "".join(_row(exhibit, found[exhibit.name]) for exhibit in chapter)
        parts.append(f"\n## {title}\n{_COLUMNS}{rows}")
    return "".join(parts)


def _row(exhibit: Exhibit, found: AuditResult) -> str:
    said = f"**{verdict(found)}**" + ("" if as_expected(exhibit, found) else ", NOT AS EXPECTED")
    labels = f", {len(exhibit.universe)} labels" if len(exhibit.universe) > 1 else ""
    claim = f"{claim_made(exhibit)}, n = {exhibit.n}{labels}"
    cells = (exhibit.says, exhibit.source, claim, said, bound_found(found), _witness(found))
    return f"| `{exhibit.name}` | " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
