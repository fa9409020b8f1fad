"""What code may consist of, and documents. Read numbers.py, kernel.py and live.py first: this is the last of the live checker.

python -I -S language.py PATH... -- PROOF.json...

It runs by itself, in an interpreter that reads no .pth file and no sitecustomize: the PATHs are where finitedp and what it
needs are installed. All of finitedp is imported before anything is checked: what one module does to another has been done.
"""

import ast
import builtins
import dis
import hashlib
import importlib
import json
import pkgutil
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":  # alone: the other files are found without the packages above them, which are nobody's yet
    _here, _name = Path(__file__).resolve().parent, "finitedp.proofs_check.proofs.live_checker"
    sys.path += sys.argv[1 : sys.argv.index("--")]
    for _part in ("finitedp", "finitedp.proofs_check", "finitedp.proofs_check.proofs", _name):
        sys.modules[_part] = ModuleType(_part)
        sys.modules[_part].__path__ = [str(_here)]
    sys.exit(importlib.import_module(f"{_name}.language").alone(sys.argv[sys.argv.index("--") + 1 :]))

import attrs

from finitedp.proofs_check.proofs.live_checker import fronts, labels, live
from finitedp.proofs_check.proofs.live_checker.kernel import *
from finitedp.proofs_check.proofs.live_checker.numbers import *

# Language. Trusted for: a function that consists of these opcodes and names cannot tell a Num from a number of Python, keeps
# nothing, changes nothing, and gives the same where it gets the same. It is asked of every function that ran.

_OPCODES = """RESUME PUSH_NULL PRECALL CALL KW_NAMES CALL_KW RETURN_VALUE RETURN_CONST POP_TOP LOAD_FAST LOAD_FAST_LOAD_FAST
    LOAD_CONST LOAD_GLOBAL LOAD_ATTR LOAD_METHOD STORE_FAST STORE_FAST_STORE_FAST BUILD_TUPLE BINARY_OP BINARY_SUBSCR
    UNARY_NEGATIVE COMPARE_OP TO_BOOL JUMP_FORWARD RAISE_VARARGS"""
OPCODES = set(_OPCODES.split())  # of Python 3.11, 3.12 and 3.13
OPCODES |= {f"POP_JUMP_{w}IF_{x}" for w in ("", "FORWARD_") for x in ("TRUE", "FALSE", "NONE", "NOT_NONE")}
_MESSAGE = "FORMAT_VALUE FORMAT_SIMPLE CONVERT_VALUE BUILD_STRING"
MESSAGE = set(_MESSAGE.split())  # of an error that is raised at once
_LABELLED = """SET_FUNCTION_ATTRIBUTE MAKE_CELL LOAD_CLOSURE LOAD_DEREF STORE_DEREF COPY_FREE_VARS MAKE_FUNCTION BUILD_MAP
    MAP_ADD RETURN_GENERATOR YIELD_VALUE CALL_INTRINSIC_1 RERAISE CONTAINS_OP IS_OP
    UNPACK_SEQUENCE LOAD_FAST_AND_CLEAR COPY SWAP STORE_FAST_LOAD_FAST JUMP_IF_FALSE_OR_POP GET_ITER FOR_ITER END_FOR
    JUMP_BACKWARD POP_JUMP_BACKWARD_IF_FALSE"""
LABELLED = set(_LABELLED.split())  # of what runs on labels; it makes no list, of which it could ask what stands at a number
OF_VALUES = "bit_length numerator denominator get items values tolist flatnonzero minimum __getitem__ uniform bits slack upper"
VALUE = (int, str, type(None), bool)
ON_LABELS = {*(f"{live.HISTOGRAMS}.{name}" for name in ("basic", "stability", "dyadic")), live.DRAWING}


def judge(code: CodeType, space: dict[str, Any]) -> None:
    """Stop unless code is that of an installed function, and consists of what it may."""
    if code in live.GENERATED:
        return
    at, of, labelled = f"{space.get('__name__')}.{code.co_qualname}", installed().get(code), space.get("__name__") in ON_LABELS
    need(of and of.__globals__ is space and not of.__closure__, f"{at} of {code.co_filename} is not installed")
    plain = [*(of.__defaults__ or ()), *(of.__kwdefaults__ or {}).values()]  # type: ignore[union-attr]  # as was asked
    need(all(type(x) in VALUE or isinstance(x, type) for x in plain), f"{at} has odd defaults")
    need(space.get("__builtins__") in (vars(builtins), builtins), f"{at} has other builtins")
    inside = list(dis.get_instructions(code))
    deeper = [one for body in live.bodies(code) for one in inside if one.opname == "FOR_ITER" and one.offset in body]
    need(not deeper, f"{at} has a loop within a loop")
    loops = [i for i, one in enumerate(inside) if one.opname == "FOR_ITER"]
    need(all(carries_nothing(inside, i) for i in loops), f"a loop of {at} carries something on, or ends early")
    whole = not labelled or "<locals>" in code.co_qualname  # what is made by it was judged with it
    need(whole or made_of_labels(f"{space['__name__']}.{code.co_qualname}", code), f"{at} makes a table of other than labels")
    for i, one in enumerate(inside):
        allowed = one.opname in OPCODES or (labelled and one.opname in LABELLED)
        need(allowed or (one.opname in MESSAGE and raises_at_once(inside[i:])), f"{at} has {one.opname}")
        kept = one.opname == "STORE_DEREF" and one.argval in code.co_freevars
        need(not kept, f"{at} gives a value to {one.argval!r}, which others read")
        need(one.opname != "CONTAINS_OP" or of_a_set(inside, i), f"{at} asks whether something is in what is no set")
        none = inside[i - 1].opname == "LOAD_CONST" and inside[i - 1].argval is None
        need(one.opname != "IS_OP" or none, f"{at} asks whether something is something else")
        taken_apart = labelled and one.opname in ("UNPACK_SEQUENCE", "BUILD_MAP") and one.argval > 2 * (one.opname[0] == "U")
        need(not taken_apart, f"{at} takes labels apart, or makes a table by hand")
        placed = labelled and one.opname == "BINARY_SUBSCR" and inside[i - 1].opname in ("LOAD_CONST", "LOAD_SMALL_INT")
        need(not placed, f"{at} asks what stands at a place")
        if one.opname == "LOAD_GLOBAL":
            need(known(space, one.argval), f"{at} reads {one.argval!r}, which may mean anything")
        if one.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            asked = one.argval in attributes() and not (labelled and one.argval == "__getitem__")
            need(asked, f"{at} asks for the attribute {one.argval!r}")
    for constant in code.co_consts:
        need(
            isinstance(constant, (*VALUE, tuple)) or (labelled and isinstance(constant, CodeType)), f"{at} has an odd constant"
        )


live.JUDGE.append(judge)


def stored_by(one: dis.Instruction) -> tuple[str, ...]:
    """The names to which an instruction gives values; in Python 3.13 it may have two names."""
    names = one.argval if isinstance(one.argval, tuple) else (one.argval,)
    return names[:1] if one.opname == "STORE_FAST_LOAD_FAST" else names


def of_a_set(inside: list[dis.Instruction], at: int) -> bool:
    """Whether `in` is asked of a name that holds a set, or of a universe: of these nothing is used up."""
    asked = inside[at - 1]
    name = asked.argval[-1] if isinstance(asked.argval, tuple) else asked.argval
    stores = [i for i, one in enumerate(inside) if one.opname.startswith("STORE") and name in stored_by(one)]
    made = [one.argval for i in stores[:1] for one in inside[:i] if one.opname == "LOAD_GLOBAL"]
    local = asked.opname.startswith("LOAD_FAST") and len(stores) == 1 and inside[stores[0] - 1].opname == "CALL"
    return name == "universe" if asked.opname == "LOAD_ATTR" else local and made[-1:] == ["set"]


def carries_nothing(inside: list[dis.Instruction], start: int) -> bool:
    """Whether the body of a loop gives no value to a name but its own variables, and is left by errors alone."""
    top, place = inside[start].offset, {one.offset: i for i, one in enumerate(inside)}
    body = inside[start + 1 : 1 + max(i for i, one in enumerate(inside) if "JUMP" in one.opname and one.argval == top)]
    first = next(i for i, one in enumerate(body) if not one.opname.startswith(("STORE_FAST", "UNPACK_SEQUENCE", "CACHE")))
    for one in body[first:]:
        away = "JUMP" in one.opname and not top <= one.argval <= body[-1].offset
        if away and not raises_at_once(inside[place[one.argval] :]):
            return False
        if one.opname.startswith(("STORE", "RETURN_V", "RETURN_C", "DELETE")):
            return False
    return True


def made_of_labels(name: str, code: CodeType) -> bool:
    """Whether the tables that a function makes have as keys the labels of a list, or of another table."""
    home, _, node = live.at(name)
    need(live.source(home)[1].get(name[len(home) + 1 :]) == code, f"{name} is not what its file says")
    for one in [one for one in ast.walk(node) if isinstance(one, ast.DictComp)]:
        (first, *more), over = one.generators, one.generators[0].iter
        items = isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "items"
        label = first.target.elts[0] if isinstance(first.target, ast.Tuple) else first.target
        listed = items if label is not first.target else isinstance(over, ast.Attribute) and over.attr == "labels"
        if more or not listed or ast.unparse(one.key) != ast.unparse(label):
            return False
    return True


def raises_at_once(rest: list[dis.Instruction]) -> bool:
    """Whether nothing is decided or kept between here and where an error is raised."""
    for i, one in enumerate(rest):
        if one.opname == "RAISE_VARARGS":
            return True
        if (i and one.is_jump_target) or "JUMP" in one.opname or one.opname.startswith(("STORE", "RETURN", "FOR_ITER")):
            return False
    return False


def known(space: dict[str, Any], name: str) -> bool:
    """Whether a name means a number, a text, a summary, or a function or an error of finitedp."""
    found = space.get(name, getattr(builtins, name, None))
    if id(found) in live.STAND_INS:
        live.USED.add(live.STAND_INS[id(found)][0])
        return True
    if isinstance(found, FunctionType):
        return installed().get(found.__code__) is found
    if isinstance(found, type) and found.__module__ == "finitedp.errors":
        return issubclass(found, Exception)
    return type(found) in VALUE


@cache
def installed() -> dict[CodeType, FunctionType | None]:
    """The functions, methods and properties of finitedp, by their code."""
    found: dict[CodeType, FunctionType | None] = {}
    for name, one in list(sys.modules.items()):
        if name.startswith("finitedp.") and ".proofs_check" not in name:
            held = list(vars(one).values())
            classes = [x for x in held if isinstance(x, type) and x.__module__ == name]
            for x in [*held, *(member for cls in classes for member in vars(cls).values())]:
                of = live.unwrapped(x)
                if isinstance(of, FunctionType) and of.__globals__ is vars(sys.modules.get(of.__module__, one)):
                    for code in live.codes(of.__code__):
                        found[code] = of if found.get(code, of) is of else None  # of two that are one code, none is known
    return found


@cache
def attributes() -> set[str]:
    """What code may ask of a value: fields, properties and methods of classes of attrs, but of no list, dict or set."""
    classes = {x for n, m in sys.modules.items() if n.startswith("finitedp.") for x in vars(m).values() if isinstance(x, type)}
    own = {name for cls in classes if attrs.has(cls) for name in (*vars(cls), *(a.name for a in attrs.fields(cls)))}
    kinds = (list, dict, set, tuple, str, bytes, int, float)
    names = {name for name in own if not name.startswith("__")} - {name for kind in kinds for name in dir(kind)}
    return names | set(OF_VALUES.split())


# Documents. Trusted for: a document is read whole, has no more than it must have, and what it proves has the statements that
# its kind means. What it records of sources is for the second checker, proof_checker.py.

MOST_BYTES = 4_000_000
live.OWN.update(id(vars(one)) for name, one in list(sys.modules.items()) if name.startswith(f"{__package__}."))
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError, MemoryError)
DOCUMENT = {
    "format": str,
    "version": int,
    "title": str,
    "names": VALUES,
    "proves": [{"claim": str, "nodes": TEXTS, "kind?": str, "mechanism?": str}],
    "code": {"": {"sha256": str, "source": str}},
    "nodes": [NODE],
    "sha256": str,
}


def said(checker: Checker, claim: dict[str, Any]) -> dict[str, Any]:
    """A claim whose nodes are proved and say what its kind means, with what they say."""
    nodes, of = claim["nodes"], claim.get("mechanism", "")
    need(nodes and set(nodes) <= set(checker.proved), f"a node of {claim['claim'][:60]!r} is not proved")
    statements = [{k: checker.proved[node][k] for k in ("for", "where", "then")} for node in nodes]
    if "kind" in claim:
        meant = labels.as_claimed(of) if claim["kind"] == "histogram" else meaning(claim["kind"], of)
        need(statements == meant, f"the nodes of {claim['claim'][:60]!r} do not say what it means")
        need(checker.names.get(of.rpartition(".")[2]) == of, f"the name of {of[:60]} stands for another")
    return {"claim": claim["claim"], "kind": claim.get("kind"), "mechanism": of or None, "says": statements}


def check(document: Any) -> dict[str, Any]:
    """What a document proves, what its names stand for, and the code that ran. Raises: Refused."""
    need(formed(document, DOCUMENT), "this document has another form")
    need(document["format"] == "finitedp proof" and repr(document["version"]) == "1", "this is no proof of version 1")
    body = json.dumps({k: v for k, v in document.items() if k != "sha256"}, sort_keys=True, separators=(",", ":"))
    need(document["sha256"] == hashlib.sha256(body.encode()).hexdigest(), "the hash is not that of the proof")
    for name, full in document["names"].items():
        need(name.isidentifier() and name == full.rpartition(".")[2], f"the name {name[:60]!r} stands for another")
        need(name not in BUILT_IN, f"the name {name!r} is built in")
    checker = Checker(document["names"], live.Live)
    STEPS[0] = 0
    for kept in (live.RAN, live.MADE, live.USED):
        kept.clear()
    live.monitor()
    try:
        installed()  # before summaries stand in the place of anything
        for name in live.TAKEN:
            live.taken(name)
        with live.prepared():
            for node in document["nodes"]:
                checker.node(node)
            checker.path = []
            proved = [said(checker, claim) for claim in document["proves"]]
            fronts.fronts(document["names"])
    except (Refused, *UNREADABLE) as error:
        why = str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {str(error)[:100]}"
        raise Refused(" / ".join([*checker.path[:20], why])) from None
    ran = {f"{space['__name__']}.{code.co_qualname}" for (code, _), space in live.RAN.items() if code not in live.GENERATED}
    trusted = set[str]().union(*(live.BELOW.get(name, ()) for name in live.USED))
    return {"proved": proved, "names": document["names"], "ran": sorted(ran), "taken": sorted(trusted - ran)}


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, if no key is there twice."""
    need(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def read(path: Path) -> Any:
    """A JSON document."""
    need(path.stat().st_size <= MOST_BYTES, f"the file has more than {MOST_BYTES} bytes")
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise Refused(f"this is no JSON document: {str(error)[:100]}") from None


def imported() -> None:
    """All of finitedp is imported."""
    package = importlib.import_module("finitedp")
    for one in pkgutil.walk_packages(package.__path__, "finitedp."):
        if not one.name.startswith(("finitedp.proofs_check", "finitedp.pytest_", "finitedp.__main__")):
            with suppress(ImportError):  # what needs an extra, or the package's metadata
                importlib.import_module(one.name)


def alone(arguments: list[str]) -> int:
    """A line for each file, after all of finitedp is imported: 0 where all are proofs. With --json, what `check` gives."""
    as_json, bad = "--json" in arguments, 0
    for one in [n for n in sys.modules if n.partition(".")[0] == "finitedp"]:
        del sys.modules[one]  # the packages, and this checker as others would find it
    imported()
    for path in [one for one in arguments if one != "--json"]:
        try:
            found: dict[str, Any] = check(read(Path(path)))
        except (Refused, OSError) as error:
            bad, found = 1, {"refused": str(error)}
        said_ = found.get("refused", "")
        told = f"REFUSED: {said_}" if said_ else f"proved: {'; '.join(map(text_of, found['proved']))}"
        print(json.dumps(found) if as_json else f"{path}: {told}", flush=True)
    return bad


def text_of(claim: dict[str, Any]) -> str:
    """What is proved: the statements themselves, or what a kind says of a mechanism."""
    if claim["kind"]:
        return f"{claim['kind']} of {claim['mechanism']}"
    return " | ".join(f"for all {s['for']} where {s['where']}: {' and '.join(s['then'])}" for s in claim["says"])
