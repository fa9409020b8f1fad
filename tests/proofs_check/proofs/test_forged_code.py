"""Forged proofs about code that Python runs otherwise than it is read, and rules that are asked for nothing."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.proofs_check.proofs.edited_copies import copied, with_edit

KNOWN = {"rule": "known"}
CLASS = "@frozen\nclass C:\n    n: int\n"
TWO = "\n    def property(f):\n        return 7\n\n    @property\n    def d(self):\n        return self.n\n"
HOOK = "def f(n):\n    return n\n\n\nclass A:\n    def {0}(cls):\n        sys.modules[__name__].f = abs\n\n\n{1}\n"
COOKIES = {"utf-7": "+AAo-", "raw_unicode_escape": "\\u000a"}
MEANS = "might change what its names mean"
HALVED = "\n    def f(self):\n        return partial(self.g, 1)(2)\n\n    def g(self, a, b):\n        return self.n\n"
FORGED: dict[str, Any] = (
    {  # the source, what is recorded, where, then, why
        "an item of a range": ("x = 1\n", [], [], ["range(9)[2] == 9"], "'range' means nothing here"),
        "a range that is taken apart": (
            "def f(n):\n    a, b, c, d = range(4)\n    return c\n",
            ["f"],
            [],
            ["f(n) == 4"],
            "'range' means nothing here",
        ),
        "other builtins": (
            "__builtins__ = {'min': max}\n\n\ndef f(n):\n    return min(n, 5)\n",
            ["f"],
            ["n <= 5"],
            ["f(n) == n"],
            "is no name",
        ),
        "a field that is none": (
            f"from attrs import frozen\nfrom typing import ClassVar\n\n\n{CLASS}    m: ClassVar[int] = 5\n",
            ["C"],
            [],
            ["C(n, 3).m == 3"],
            "no plain class",
        ),
        "a generator": ("def f(n):\n    return 3\n    yield 4\n", ["f"], [], ["f(n) == 3"], "or binds names"),
        "an import that is not reached": (
            "def g(n):\n    return n\n\n\ndef f(n):\n    return g(n)\n    import g\n",
            ["f", "g"],
            [],
            ["f(n) == n"],
            "or binds names",
        ),
        "a handler that binds a name": (
            "def g(n):\n    return n\n\n\ndef f(n):\n    try:\n        n = g(n)\n    except ValueError as g:\n        raise\n",
            ["f", "g"],
            [],
            ["f(n) == n"],
            "or binds names",
        ),
        "a name that a class mangles": (
            f"from attrs import frozen\n__r = 5\n_C__r = 7\n\n\n{CLASS}\n    def f(self):\n        return __r\n",
            ["C", "C.f"],
            [],
            ["C(n).f() == 5"],
            "is no name",
        ),
        "a converter that the class has too": (
            f"from attrs import field, frozen\n\n\ndef one(x):\n    return x\n\n\n{CLASS}".replace(
                "    n: int\n", "    def one(x):\n        return x + 1\n\n    n: int = field(converter=one)\n"
            ),
            ["C", "one"],
            [],
            ["C(n).n == n"],
            "the name of what the class reads",
        ),
        "a converter that is defined behind the class, which has the builtin of its name": (
            f"from attrs import field, frozen\n\n\n{CLASS[:-1]} = field(converter=abs)\n\n\ndef abs(x):\n    return x\n",
            ["C", "abs"],
            [],
            ["C(0 - 3).n == 0 - 3"],
            "is defined twice, or behind where it is read",
        ),
        "a property that the class has too": (
            f"from attrs import frozen\n\n\n{CLASS}{TWO}",
            ["C", "C.d"],
            [],
            ["C(n).d == n"],
            "might change what its names mean",
        ),
        "a base class with a hook": (HOOK.format("__init_subclass__", "class B(A): pass"), ["f"], [], ["f(n) == n"], MEANS),
        "a metaclass": (HOOK.format("__call__", "class B(metaclass=A): pass"), ["f"], [], ["f(n) == n"], MEANS),
        "a class with an index": (HOOK.format("__class_getitem__", "X: A[3] = 3"), ["f"], [], ["f(n) == n"], MEANS),
        "a hook of attrs": (
            "from attrs import frozen\n\n\ndef f(n):\n    return n\n\n\n@frozen(field_transformer=f)\nclass B:\n    x: int\n",
            ["f"],
            [],
            ["f(n) == n"],
            MEANS,
        ),
        "the comparisons of a sum": (
            "def f(n):\n    return 1 if n <= 5 else 0\n",
            ["f"],
            ["n <= 5"],
            ["Comparisons(Sum(i, 0, 9, f(n))) == 1"],
            "'Sum' means nothing here",
        ),
        "a sum of nothing that raises": (
            "def f(n):\n    raise ValueError\n",
            ["f"],
            [],
            ["Raises(Sum(i, 0, -1, f(i)))"],
            "a term of a Sum raises",
        ),
        "a field by another name of ClassVar": (
            f"from attrs import frozen\nfrom typing import ClassVar as Held\n\n\n{CLASS}    m: Held[int] = 5\n",
            ["C"],
            [],
            ["C(n, 3).m == 3"],
            "no plain class",
        ),
        "a method that changes its object": (
            f"from attrs import frozen\n\n\n{CLASS}\n    def f(self):\n        self.__dict__.update(n=7)\n",
            ["C", "C.f"],
            [],
            ["C(n).n == n"],
            "might change what its names mean",
        ),
        "a method that gives its object away": (
            f"from attrs import frozen\n\n\n{CLASS}\n    def __attrs_post_init__(self):\n        f(self)\n",
            ["C"],
            [],
            ["C(n).n == n"],
            "is not trusted without proof",
        ),
        "a method that gives its object away by another name": (
            f"from attrs import frozen\n\n\n{CLASS}\n    def __attrs_post_init__(this):\n        vars(this).update(n=7)\n",
            ["C"],
            [],
            ["C(n).n == n"],
            "might change what its names mean",
        ),
        "an item that is set where an object is made": (
            f"from attrs import frozen\n\n\n{CLASS}\n    def __attrs_post_init__(self):\n        self.n[0] = 7\n",
            ["C"],
            [],
            ["C(n).n == n"],
            "is not trusted without proof",
        ),
        "a field that is an attribute of the module": (
            f"from attrs import frozen\n\n\ndef n():\n    return 7\n\n\n{CLASS}",
            ["C"],
            [],
            ["C(n).n == n"],
            "the name of what the class reads",
        ),
        "a class within a class": (
            f"from attrs import frozen\n\n\n{CLASS}\n    class f:\n        pass\n",
            ["C"],
            [],
            ["C(n).n == n"],
            "might change what its names mean",
        ),
        "a member under a condition": (
            f"from attrs import frozen\nfrom typing import TYPE_CHECKING\n\n\n{CLASS}\n    if TYPE_CHECKING: m: int\n",
            ["C"],
            [],
            ["C(n).n == n"],
            "might change what its names mean",
        ),
        "what runs where no checker of types looks": (
            "from typing import TYPE_CHECKING\n\n\ndef f(n):\n    return n\n\n\nif TYPE_CHECKING: pass\nelse: f = 7\n",
            ["f"],
            [],
            ["f(n) == n"],
            MEANS,
        ),
        "another TYPE_CHECKING": (
            "TYPE_CHECKING = 1\n\n\ndef f(n):\n    return n\n\n\nif TYPE_CHECKING:\n    f = 7\n",
            ["f"],
            [],
            ["f(n) == n"],
            MEANS,
        ),
        "comparisons of an object that is made": (
            f"from attrs import frozen\n\n\n{CLASS}\n\ndef f(n):\n    return C(n).n\n",
            ["f", "C"],
            [],
            ["Comparisons(f(n)) == 0"],
            "an object that is made are not counted",
        ),
        "comparisons of a property": (
            f"from attrs import frozen\n\n\n{CLASS}\n    @property\n    def f(self):\n        return 0 if self.n > 9 else 1\n",
            ["C", "C.f"],
            ["n >= 10", {"let": ["x", "Some(C, n=n)"]}],
            ["Comparisons(x.f + x.f) == 1"],
            "the comparisons of a property are not counted",
        ),
        "a stub that no function follows": (
            "from typing import overload\n\n\n@overload\ndef min(a, b): ...\n\n\ndef f(n):\n    return min(n, 5)\n",
            ["f"],
            ["n <= 5"],
            ["f(n) == n"],
            MEANS,
        ),
        "a default that a call may change": (
            "def f(n, m=[0]):\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            "has other arguments",
        ),
        "a parameter with the name of a function": (
            "def g(n):\n    return n\n\n\ndef f(n, g):\n    return g\n",
            ["f"],
            [],
            ["f(n, 2) == 2"],
            "means something outside",
        ),
        "a decorator that doubles": (
            "from functools import lru_cache\n\n\n@lru_cache\ndef f(n):\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            "f has a decorator",
        ),
        "a decorator of the module": (
            "def twice(g):\n    return lambda n: 2 * g(n)\n\n\n@twice\ndef f(n):\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            MEANS,
        ),
        "another partial": (
            f"from attrs import frozen\nfrom finitedp.impl.other import partial\n\n\n{CLASS}{HALVED}",
            ["C", "C.f", "C.g"],
            [],
            ["C(n).f() == n"],
            "there is no module",
        ),
        "what is given in part of no method": (
            "from functools import partial\n\n\ndef f(n):\n    return partial(g, n)(1)\n\n\ndef g(n, m):\n    return n\n",
            ["f", "g"],
            [],
            ["f(n) == n"],
            "is no method",
        ),
        "a range with two ends": (
            "def f(n):\n    s = 0\n    for i in range(1, n):\n        s = s + i\n    return s\n",
            ["f"],
            [],
            ["f(n) == 0"],
            "a loop is not one over range(n)",
        ),
        "a Sum that is handed on": ("x = 1\n", [], [], ["(lambda s: s(n, 0, n, 1))(Sum) == 1"], "'Sum' means nothing here"),
        "comparisons of what makes none seen": (
            "def f(n):\n    return min(n, 5)\n",
            ["f"],
            ["n <= 5"],
            ["Comparisons(f(n)) == 0"],
            "'min' means nothing here",
        ),
        "a text that is a number in an f-string": (
            "def f(n):\n    return f'{n}'\n",
            ["f"],
            [],
            ["f(n) == n"],
            "nothing that can be executed here",
        ),
        "a module by two names": (
            "import finitedp.exact\n\n\ndef f(n):\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            "is no name",
        ),
        "a loop that raises": (
            "def f(n):\n    for i in range(n):\n        raise ValueError\n    return 5\n",
            ["f"],
            [],
            ["f(n) == 5"],
            "a loop has a way out",
        ),
        "a loop that changes nothing": (
            "def f(n):\n    for i in range(n):\n        w = 1 // (i * 0)\n    return 5\n",
            ["f"],
            [],
            ["f(n) == 5"],
            "a loop changes nothing",
        ),
        "a loop that divides by 0": (
            "def f(n):\n    s = 0\n    for i in range(n):\n        s = s // (i * 0)\n    return 5\n",
            ["f"],
            [],
            ["f(n) == 5"],
            "no invariant is shown",
        ),
    }
    | {
        f"what is not of the language: {text.split()[0]}": (
            f"def f(n):\n    {text}\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            "or binds names",
        )
        for text in (
            "while n > 9: n -= 1",
            "try: n = n\n    except ValueError: raise",
            "with n: n = 1",
            "assert n",
            "g = lambda: n",
            "def g(): return n",
            "del n",
            "m: int = 1",
            "nonlocal n",
            "n = [n for n in (1, 2)][0]",
            "print(*(n, n))",
            "n = (m := 5)",
            "__n = 5",
            "if n > 5: yield n",
        )
    }
    | {
        f"the end of a module: {text}": (
            f"from attrs import frozen\n\n\ndef f(n):\n    return n\n\n\ndef g(n):\n    return 7\n\n\n{CLASS}\n\n{text}\n",
            ["f"],
            [],
            ["f(n) == n"],
            why,
        )
        for text, why in {
            "f = g": "is defined twice",
            "def f(n):\n    return 8": "is defined twice",
            "from finitedp.impl.other import f": "is defined twice",
            "import other as f": "is defined twice",
            "class f:\n    pass": "is defined twice",
            "f: int = 7": "is defined twice",
            "f.__code__ = g.__code__": MEANS,
            "globals()['f'] = g": MEANS,
            "f, h = g, f": MEANS,
            "f += g": MEANS,
            "for f in (g,): pass": MEANS,
            "with g as f: pass": MEANS,
            "try: f = g\nfinally: pass": MEANS,
            "if CHANGED:\n    f = g": MEANS,
            "while f: f = g": MEANS,
            "del f": MEANS,
            "exec('f = g')": MEANS,
            "setattr(C, 'n', 7)": MEANS,
            "_ = [f := g for _ in (1,)]": MEANS,
            "def h(x=(f := g)): pass": MEANS,
            "def h(x=globals().update(f=g)): pass": MEANS,
            "class h:\n    globals()['f'] = g": MEANS,
            "class h(C, metaclass=g): pass": MEANS,
            "async def h(): global f": MEANS,
            "def h():\n    global f": "might change what its names mean",
            "def __getattr__(name): return g": MEANS,
            "raise ValueError": MEANS,
        }.items()
    }
    | {
        f"what nobody executes, and somebody may call: {text}": (
            f"from attrs import frozen\n\n\ndef f(n):\n    return n\n\n\n{CLASS}\n{text}\n",
            ["f"],
            [],
            ["f(n) == n"],
            MEANS,
        )
        for text in (
            "def g(h):\n    from builtins import setattr as keep\n    keep(h, 'f', g)",
            "def g(h):\n    from builtins import *\n    h = 5",
            "def g(h):\n    import builtins as b\n    b.setattr(h, 'f', g)",
            "def g(h):\n    from other import exec as run\n    run('global f')",
            "def g(h):\n    import importlib\n    importlib.import_module('builtins').setattr(h, 'f', g)",
            "def g(self):\n    self.f = g",
            "class D:\n    def __init__(self):\n        self.f = 7",
            "class D:\n    def g(this, self):\n        self.C = 7",
            "class D:\n    def g(self):\n        def h(self):\n            self.f += 1\n        h(D)",
            "class D:\n    def g(self):\n        for self.n in (7,):\n            pass",
            "class D:\n    def g(self):\n        del self.frozen",
            "class D:\n    def g(self):\n        self.min = max",
            "class D:\n    def g(self):\n        self.bit_length = max",
        )
    }
    | {
        f"a line that is hidden by {name}": (
            f"# coding: {name}\ndef f(n):\n    # {mark}    return 7\n    return n\n",
            ["f"],
            [],
            ["f(n) == n"],
            "another encoding than UTF-8",
        )
        for name, mark in COOKIES.items()
    }
)


def _refused(folder: Path, source: str, names: list[str], node: dict[str, Any], claim: str = "x") -> str:
    (folder / "impl").mkdir(exist_ok=True)
    (folder / "impl" / "forged.py").write_text(source, encoding="ascii")
    said = {}
    for name in names:
        try:
            text = pc.plain(pc.Library(folder).named(f"finitedp.impl.forged.{name}"))
        except pc.Refused as refused:
            return str(refused)
        said[f"finitedp.impl.forged.{name}"] = {"sha256": pc.digest(text), "source": text}
    body = {"format": "finitedp proof", "version": 1, "title": "", "code": said, "nodes": [node]}
    body["names"] = {name: f"finitedp.impl.forged.{name}" for name in names if "." not in name}
    body["proves"] = [{"claim": claim, "nodes": ["a"]}]
    with pytest.raises(pc.Refused) as found:
        pc.check(body | {"sha256": pc.digest(body)}, folder)
    return str(found.value)


def _node(where: list[Any], then: list[str], proof: dict[str, Any], **kinds: str) -> dict[str, Any]:
    return {"name": "a", "for": kinds, "where": where, "then": then, "proof": proof}


@pytest.mark.parametrize("forged", FORGED)
def test_code_that_python_runs_otherwise_is_not_proved(forged: str, tmp_path: Path) -> None:
    source, names, where, then, why = FORGED[forged]
    assert why in _refused(tmp_path, source, names, _node(where, then, KNOWN, n="int"))


def test_a_round_of_a_loop_is_executed_where_nothing_is_claimed_of_it(tmp_path: Path) -> None:
    """So that what a loop gives is no integer unless it is one: half(n) is none."""
    source = (
        "from gmpy2 import mpq\n\n\ndef half(n):\n    s = 0\n    for i in range(n):\n        s = mpq(1, 2)\n    return s\n"
    )
    yes = {"rule": "combine", "with": [["2", "half(n) >= 1"], ["-1", "2*half(n) == 1"]]}
    no = {"rule": "combine", "with": [["2", "half(n) <= 0"], ["1", "2*half(n) == 1"]]}
    loop = {"rule": "loop", "of": "half(n)", "invariant": [], "start": KNOWN, "step": {"rule": "each", "of": []}}
    proof = loop | {"then": {"rule": "cases", "if": "half(n) >= 1", "yes": yes, "no": no}}
    node = _node(["n >= 1", "2*half(n) == 1"], ["0 >= 1"], proof, n="int")
    assert "0 conclusions" in _refused(tmp_path, source, ["half"], node)


@pytest.mark.parametrize("m", ["0", "0 - 1", "m - 1"])
def test_what_lost_its_meaning_is_not_an_argument_that_was_left_out(m: str, tmp_path: Path) -> None:
    """In an induction on m, y = 1/m has no meaning at m = 0, and is asked for again at each value of m."""
    source = "from finitedp.exact import integer\n\n\ndef f(n, least):\n    return integer(n, 'n', least)\n"
    for name in ("exact.py", "errors.py"):
        (tmp_path / name).write_text(Path(pc.__file__).resolve().parents[2].joinpath("src", "finitedp", name).read_text())
    step = {"rule": "use", "node": "IH", "with": {"m": m, "n": "n"}, "then": KNOWN}
    where = ["m >= 1", {"let": ["y", "1/m"]}, "n <= 0"]
    node = _node(where, ["f(n, y) == n"], {"rule": "induct", "on": "m", "then": step}, m="int", n="int")
    assert "induct / use / known / " in _refused(tmp_path, source, ["f"], node)


def test_a_condition_is_no_integer_where_the_code_asks_for_one(tmp_path: Path) -> None:
    source = "from finitedp.exact import integer\n\n\ndef f(n):\n    return integer(n, 'n')\n"
    for name in ("exact.py", "errors.py"):
        (tmp_path / name).write_text(Path(pc.__file__).resolve().parents[2].joinpath("src", "finitedp", name).read_text())
    node = _node([], ["f(1 <= 2) == 1"], KNOWN)
    assert "n is a condition" in _refused(tmp_path, source, ["f"], node)


def test_a_field_that_is_none_by_the_name_that_another_module_gives_it(tmp_path: Path) -> None:
    """attrs looks at what an annotation is: C has one field, and C(n, 3) raises."""
    (tmp_path / "exact.py").write_text("from typing import ClassVar as Kept\n")
    source = f"from attrs import frozen\nfrom finitedp.exact import Kept\n\n\n{CLASS}    m: Kept = 5\n"
    assert "no plain class" in _refused(tmp_path, source, ["C"], _node([], ["C(n, 3).m == 3"], KNOWN, n="int"))


@pytest.mark.parametrize(
    ("called", "why"),
    [
        ("_remembered(self.g, 0)(2)", "nothing is remembered"),
        ("_remembered(self.g, self.n)(2)", "nothing is remembered"),
        ("_remembered(self.n, 7)", "nothing is remembered"),
        ("_remembered(self.g)(2)", "TypeError"),
        ("_remembered(self.g, 7)(a=2)", "has another number of arguments"),
        ("_remembered(value=self.g, bits=7)(2)", "has no parameters with names"),
        ("checked_mechanism(self.n)", "is no mechanism"),
        ("checked_mechanism(self, 7).n", "TypeError"),
    ],
)
def test_what_is_taken_at_its_word_is_called_as_it_can_be(called: str, why: str, tmp_path: Path) -> None:
    """Each of these raises where it is run; room for what is remembered is divided by the bits that it has."""
    (tmp_path / "impl" / "counting").mkdir(parents=True)
    root = Path(pc.__file__).resolve().parents[2]
    for name in ("exact.py", "errors.py", "claim.py"):
        (tmp_path / name).write_text((root / "src" / "finitedp" / name).read_text())
    (tmp_path / "impl" / "counting" / "geometric.py").write_text((root / "impl" / "counting" / "geometric.py").read_text())
    source = "from attrs import frozen\nfrom finitedp.impl.counting.geometric import _remembered, checked_mechanism\n\n\n"
    source += f"{CLASS}\n    def f(self):\n        return {called}\n\n    def g(self, a):\n        return self.n\n"
    assert why in _refused(tmp_path, source, ["C"], _node([], ["C(n).f() == n"], KNOWN, n="int"))


@pytest.mark.parametrize(
    ("hook", "used"),
    [
        ("__init_subclass__", "class B(A):\n    pass"),
        ("__class_getitem__", "X: A[3] = 3"),
        ("__class_getitem__", "class B(A[3]):\n    pass"),
        ("__class_getitem__", "def g(n: A[3]):\n    return n"),
        ("__set_name__", "class B(A):\n    pass"),
    ],
)
def test_a_class_of_another_module_with_a_hook_is_read_where_it_is_used(hook: str, used: str, tmp_path: Path) -> None:
    (tmp_path / "exact.py").write_text(HOOK.format(hook, "A_ = 1"))
    source = f"from finitedp.exact import A\n\n\ndef f(n):\n    return n\n\n\n{used}\n"
    assert "finitedp.exact might change" in _refused(tmp_path, source, ["f"], _node([], ["f(n) == n"], KNOWN, n="int"))


def test_what_one_module_stores_is_no_name_of_another(tmp_path: Path) -> None:
    (tmp_path / "exact.py").write_text("def g(n):\n    return n\n\n\ndef h(self):\n    self.f = 7\n")
    source = "from finitedp.exact import g\n\n\ndef f(n):\n    return g(n)\n"
    assert MEANS in _refused(tmp_path, source, ["f"], _node([], ["f(n) == n"], KNOWN, n="int"))


def test_a_compiled_module_is_imported_in_the_place_of_its_source(tmp_path: Path) -> None:
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "forged.py").write_text("x = 1\n")
    (tmp_path / "impl" / "forged.abi3.so").write_bytes(b"")
    with pytest.raises(pc.Refused, match="or two of the name"):
        pc.Library(tmp_path).find("finitedp.impl.forged.x")


def test_a_module_has_one_name(tmp_path: Path) -> None:
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "forged.py").write_text("x = 1\n")
    for name in ("finitedp.impl..forged.x", "finitedp..impl.forged.x", "finitedp.impl/forged.x", "finitedp.*.forged.x"):
        with pytest.raises(pc.Refused, match="is no module of finitedp"):
            pc.Library(tmp_path).find(name)


def test_an_id_is_one_line(tmp_path: Path) -> None:
    node = _node([], ["1 >= 0"], KNOWN)
    assert "is not proved" in _refused(tmp_path, "", [], node, "x\nother.json: proved: y")


GEOMETRIC, BASIC, STABILITY = "impl/counting/geometric.py", "impl/histograms/basic.py", "impl/histograms/stability.py"
CDF = "        return clamped_cdf(self._tail, self.d, self.n, count, z)\n\n    def scaled_cdf(self, z: int) -> int:\n"
CDF += '        """F at count 0, for z in 0..n. Source: BV.Thm4.7'
NOISY = "        return tuple((label, self.mechanism.release(counts.get(label, 0), coins)) for label in self.labels)"
TRUE = "return tuple((label, counts.get(label, 0)) for label in self.labels)"
PRESENT = "        noisy = tuple((label, self.mechanism.release(present[label], coins)) for label in _in_order(present))"
BOUND = '        return Accuracy(ceil_power(1 + mpq(1, 2**self.k), mpq(1, b)), b, "counting", "BV.Thm4.7.i")'
FAST = '        if b <= self.gamma:\n            raise ParameterError(f"beta'
CLAIMED = "        return self.apply(count, checked_coins(coins).uniform(self.d))\n\n"
CLAIMED += "    def claim(self, coins: Coins | None = None) -> PrivacyClaim:\n"
CLAIMED += (
    '        """(epsilon/2, 0) for neighbouring counts; the worst ratio is at most (1 + 2^-k) * slack. Source: BV.Thm4.7'
)
HALF, TWICE = "    return PrivacyClaim(mpq(epsilon, 2), ", "        return PrivacyClaim(2 * one.epsilon, "
COST = "        return Cost(1, strict_bits(self.d), uniform_steps(self.n))"
NEXT = "@frozen(slots=False)\nclass FastSample"
OTHER = "which is not executed for all that it is asked"
NO_LANGUAGE = "is not in the language that is executed"


def _told(sign: str) -> tuple[str, str, str, str, str]:
    return ("geo_sample", GEOMETRIC, CDF, f"        if {sign}:\n            return self.d\n{CDF}", "a constant is no integer")


def _counted(condition: str, reason: str = NO_LANGUAGE) -> tuple[str, str, str, str, str]:
    return ("BasicHistogram", BASIC, NOISY, f"        if {condition}:\n            {TRUE}\n{NOISY}", reason)


LEAKS = {  # the proof, the module, what stands there, what stands there instead, why it is refused
    "a number as text": _told('"%s" % z == "7"'),
    "the start of a number": _told('"%.1s" % z == "7"'),
    "a number of a text": _told('int("%s" % z) == 7'),
    "a condition of a text": _told('int("%s" % z == "7") > 0'),
    "labels that are counted": _counted("sum([1 for label in self.labels]) > 3"),
    "labels that are counted by len": _counted("len(self.labels) > 3"),
    "lengths that are compared": _counted("len(counts) != len(self.labels)"),
    "labels that are counted in an expression": (
        "BasicHistogram",
        BASIC,
        NOISY,
        f"{NOISY} if len(self.labels) < 4 else tuple((label, counts.get(label, 0)) for label in self.labels)",
        "a comparison that is not known here",
    ),
    "a count that is multiplied": (
        "BasicHistogram",
        BASIC,
        NOISY,
        NOISY.replace("get(label, 0)", "get(label, 0) * sum([1 for _ in range(2)])"),
        "the name 'sum' means nothing here",
    ),
    "a label at a place": (
        "BasicHistogram",
        BASIC,
        NOISY,
        f"        one = self.labels[0]\n{NOISY[:-1]} if label == one)",
        "this is no array of labels' items",
    ),
    "rows and labels that are compared": (
        "StabilityHistogram",
        STABILITY,
        "        return self.release_counts(Counter(data), coins)",
        "        rows, found = tuple(data), Counter(data)\n        return self.release_counts(found, coins)",
        "a tuple of a mapping, or of something else",
    ),
    "rows, and not labels": (
        "StabilityHistogram",
        STABILITY,
        "        return self.release_counts(Counter(data), coins)",
        "        rows = [label for label in data]\n        return self.release_counts(Counter(rows), coins)",
        "a comprehension over something else than labels",
    ),
    "labels within labels": (
        "StabilityHistogram",
        STABILITY,
        PRESENT,
        PRESENT.replace(
            "in _in_order(present)", "in _in_order(present) if tuple(1 for a in present.items() if a[0] != label)"
        ),
        "labels within labels",
    ),
    "labels that are sorted by what is given": (
        "StabilityHistogram",
        STABILITY,
        PRESENT,
        PRESENT.replace("_in_order(present)", "sorted(present, key=present.get)"),
        "the name 'sorted' means nothing here",
    ),
    "counts of 0": (
        "StabilityHistogram",
        STABILITY,
        "for label, count in counts.items() if count}",
        "for label, count in counts.items()}",
        "padding to another number of draws",
    ),
    "no error below beta = 1": (
        "geo_sample",
        GEOMETRIC,
        BOUND,
        f'        if b < 1:\n            return Accuracy(0, b, "counting", "BV.Thm4.7.i")\n{BOUND}',
        OTHER,
    ),
    "no error of the fast mechanism": (
        "fast_sample",
        GEOMETRIC,
        FAST,
        f'        if b < 1:\n            return Accuracy(0, b, "counting", "BV.Thm4.10.ii")\n{FAST}',
        OTHER,
    ),
    "an error bound that is always 0": (
        "geo_sample",
        "claim.py",
        "    return integer(value, ",
        "    return 0 * integer(value, ",
        OTHER,
    ),
    "the true count is released": (
        "geo_sample",
        GEOMETRIC,
        CLAIMED,
        CLAIMED.replace("self.apply(count, ", "(count, "),
        OTHER,
    ),
    "no epsilon with coins": (
        "geo_sample",
        GEOMETRIC,
        HALF,
        "    return PrivacyClaim(mpq(epsilon, 2) if coins is None else mpq(0), ",
        OTHER,
    ),
    "no epsilon of a histogram with coins": (
        "BasicHistogram",
        BASIC,
        f'{TWICE}"replace-one", 2',
        '        return PrivacyClaim(2 * one.epsilon if coins is None else 0, "replace-one", 2',
        OTHER,
    ),
    "no slack of coins": (
        "StabilityHistogram",
        STABILITY,
        "        delta = min(self.delta() * slack, mpq(1))\n        return PrivacyClaim(2",
        "        delta = min(self.delta() * slack, mpq(1)) if coins is None else mpq(0)\n        return PrivacyClaim(2",
        OTHER,
    ),
    "a cost of nothing": ("geo_sample", GEOMETRIC, f"{COST}\n\n\n{NEXT}", f"{COST[:-43]}0, 0)\n\n\n{NEXT}", OTHER),
    "no epsilon for a row more or less, which this proof does not run": (
        "BasicHistogram",
        BASIC,
        'return PrivacyClaim(one.epsilon, "add-remove"',
        'return PrivacyClaim(0, "add-remove"',
        OTHER,
    ),
    "the curve of one count, where two change": (
        "BasicHistogram",
        BASIC,
        "two_bins(one) if claim",
        "one_bin(one) if claim",
        OTHER,
    ),
    "a curve at half of delta": (
        "StabilityHistogram",
        STABILITY,
        "self.claim(coins).delta, claim.neighbours)",
        "self.claim(coins).delta / 2, claim.neighbours)",
        OTHER,
    ),
    "a claim that is told of another mechanism": (
        "BasicHistogram_add_remove",
        BASIC,
        '"FD.Dyadic.basic.add-remove", told=(self, coins)',
        '"FD.Dyadic.basic.add-remove", told=(self.mechanism, coins)',
        "a claim is told of another mechanism",
    ),
}


@pytest.mark.parametrize("name", LEAKS)
def test_code_that_leaks_or_lies_is_refused_though_its_source_is_not_compared(name: str) -> None:
    proof, module, old, new, reason = LEAKS[name]
    with copied(with_edit(module, old, new)) as root, pytest.raises(pc.Refused) as refused:
        pc.check(pc.read(OBJECTS / f"{proof}.json"), root / "finitedp", stale=True)
    assert reason in str(refused.value)


def test_the_command_reads_the_package_that_is_imported_by_both_checkers() -> None:
    edits = with_edit(BASIC, NOISY, f"        if 4 > 3:\n            {TRUE}\n{NOISY}")
    command = [sys.executable, "-m", "finitedp", "check", str(OBJECTS / "BasicHistogram.json")]
    with copied(edits) as root:  # where the checkers are links, and the histogram is not
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(root)})
    assert done.returncode == 1
    assert "release_counts has changed since" in done.stdout + done.stderr
