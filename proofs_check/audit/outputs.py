"""The outputs that an auditor declares: all that a mechanism can return, so that unresolved mass belongs to these alone."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

from attrs import evolve

from finitedp.errors import ParameterError
from finitedp.proofs_check.audit.laws import answer_at, types_of
from finitedp.proofs_check.audit.rows import MOST_LABELS, values_of
from finitedp.proofs_check.deciders.partial_law import PartialLaw, Tail
from finitedp.proofs_check.engine.stand_ins.outputs import freeze

Outputs = Collection[Any] | str | Callable[[], Collection[Any] | str]
"""Values as the mechanism returns them, or integers as a text, "1..6", or a function of nothing that gives these."""
_LONGEST = 30  # characters of an output that are shown whole


def declared(stated: Outputs | None) -> Mapping[Hashable, str]:
    """The declared outputs, with their types, as an audit compares them; none where none are declared.

    Raises: ParameterError for fewer than two, for more than 10,000, and for equal ones; ExplorationError for objects whose
    equal values may look different.
    """
    if stated is None:
        return {}
    if callable(stated):
        stated = answer_at(stated, "outputs")
    if not isinstance(stated, str | list | tuple | range | set | frozenset):
        raise ParameterError(f"outputs = {stated!r:.60} cannot be used; accepted: a list of values, or a range, '1..6'")
    values = values_of("outputs", stated) if isinstance(stated, str) else list(stated)
    if not 2 <= len(values) <= MOST_LABELS:
        raise ParameterError(f"outputs has {len(values):,} values; accepted: 2 to {MOST_LABELS:,}, all that can be returned")
    types: dict[Hashable, str] = {}
    for output in map(freeze, values):
        if output in types:
            raise ParameterError(f"outputs lists {output!r} twice, or what is equal to it; accepted: distinct values")
        types[output] = types_of(output)
    return types


def all_of_them(laws: Mapping[Any, PartialLaw[Any]], types: Mapping[Hashable, str], what: str) -> dict[Any, PartialLaw[Any]]:
    """The laws with these outputs declared. Parameters: what, whose laws they are. Raises: ParameterError for another one."""
    for data, law in laws.items():
        for x in law.probabilities:
            kind = "int" if type(x) is Tail else types_of(x)
            if types.get(x) != kind:
                raise ParameterError(
                    f"at the input {data!r} {what} {x!r:.60} ({kind}), which is none of the declared outputs, "
                    f"{in_short(sorted(map(repr, types)))}; accepted: all that it can return"
                )
    outputs = frozenset(types)
    return {data: evolve(law, outputs=outputs) for data, law in laws.items()}


def in_short(texts: Sequence[str]) -> str:
    """Outputs as a certificate writes them, in a few words: 1..6, or the first few."""
    whole = sorted(int(x) for x in texts if x.removeprefix("-").isdecimal() and len(x) < 20)
    if len(whole) == len(texts) > 2 and whole[-1] - whole[0] == len(whole) - 1:
        return f"{whole[0]}..{whole[-1]}"
    listed = [str(x) for x in whole] if len(whole) == len(texts) else list(texts)
    shown = [x if len(x) <= _LONGEST else f"{x[: _LONGEST - 3]}..." for x in listed[:6]]
    return ", ".join([*shown, *([f"... ({len(listed)})"] if len(listed) > 6 else [])])
