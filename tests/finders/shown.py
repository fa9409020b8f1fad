"""Terms as expressions, for finders and their messages. Nothing here is trusted."""

from typing import Any

from finitedp.proofs_check.proofs.proof_checker import Poly, as_poly, single_atom, stepped

SHOWN = {"v": "{0}", "p": "({0})", "div": "(({0})//({1}))", "bits": "({0}).bit_length()", "ln": "ln({0})", "f": "{0}({1})"}
SHOWN |= {"sum": "Sum({0}, {2}, {3}, {1})", "loop": "<the loop's {1}>"}


def shown(poly: Poly, env: dict[str, Any]) -> str:
    """A polynomial as an expression; atoms that a name stands for are shown by it."""
    names = {single_atom(value): name for name, value in env.items() if isinstance(value, Poly)}

    def part(value: object) -> str:
        if isinstance(value, tuple) and all(isinstance(one, Poly) for one in value):
            return ", ".join(map(of, value))
        return of(value) if isinstance(value, Poly) else str(value)

    def one(atom: tuple[Any, ...]) -> str:
        stepped(50)  # what is within many others is shown as often
        bound = (atom[1][1], *atom[2:]) if atom[0] == "sum" else atom[1:]
        return names[atom] if atom in names else SHOWN[atom[0]].format(*map(part, bound)).replace("$", "i")

    def of(p: Poly) -> str:
        found = []
        for mono, c in p.terms.items():
            powers = sorted(one(atom) + (f"**({of(as_poly(e))})" if e != 1 else "") for atom, e in mono)
            size = [] if abs(c) == 1 and powers else [str(abs(c)) if c.denominator == 1 else f"({abs(c)})"]
            found.append((c < 0, "*".join(size + powers)))
        text = "".join((" - " if below else " + ") + term for below, term in sorted(found))
        return ("-" + text[3:] if text.startswith(" -") else text[3:]) or "0"

    return of(poly)
