"""Forged proofs of what is false: each rests on a rule, a name or a piece of code that says more than it should."""

from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

import pytest

from finitedp import exact
from finitedp.proofs_check.ledger.proofs import proves, read
from finitedp.proofs_check.proofs import proof_checker as pc
from finitedp.proofs_check.proofs.structure import OBJECTS
from tests.sampling import sampled

KNOWN = {"rule": "known"}
FALSE = ["0 >= 1"]


def _document(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    body = {"format": "finitedp proof", "version": 1, "title": "", "names": {}, "code": {}, "nodes": list(nodes), **more}
    body["proves"] = [{"claim": "x", "nodes": [nodes[-1]["name"]]}]
    return body | {"sha256": pc.digest(body)}


def _node(name: str, kinds: dict[str, str], where: list[Any], then: list[str], proof: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "for": kinds, "where": where, "then": then, "proof": proof}


def _absurd(*parts: list[str]) -> dict[str, Any]:
    return {"rule": "combine", "with": list(parts)}


def _know(of: str, *parts: list[str]) -> dict[str, Any]:
    return {"rule": "know", "of": of, "then": _absurd(*parts)}


HALF = _node(
    "an integer is no half",
    {"f": "int -> int", "integer": "int -> rat"},
    ["2*f(0) == 1"],
    FALSE,
    {
        "rule": "cases",
        "if": "f(0) >= 1",
        "yes": _absurd(["2", "f(0) >= 1"], ["-1", "2*f(0) == 1"]),
        "no": _absurd(["2", "f(0) <= 0"], ["1", "2*f(0) == 1"]),
    },
)
POLE = {
    "rule": "induct",
    "on": "m",
    "then": {
        "rule": "cases",
        "if": "m >= 2",
        "yes": {"rule": "use", "node": "IH", "with": {"m": "m - 1"}, "then": KNOWN},
        "no": KNOWN,
    },
}
FORGED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a negative multiple of a power": (
        [_node("a", {"k": "int"}, ["k >= 0"], FALSE, _know("-2**k", ["1", "-2**k - 1 >= 0"], ["1", "2**k > 0"]))],
        "there is nothing to know of this",
    ),
    "a half of a power, at the exponent 0": (
        [
            _node(
                "a",
                {"k": "int"},
                ["k >= 0", "2**k == 1"],
                FALSE,
                _know("2**(k - 1)", ["2", "2**(k - 1) >= 1"], ["-1", "2**k == 1"]),
            )
        ],
        "known for b >= 1 and an integer e >= 0",
    ),
    "Bernoulli's inequality with an exponent that was shifted": (
        [
            _node(
                "a",
                {"k": "int"},
                ["k >= 5", "2**k == 32"],
                FALSE,
                _know("2**(k - 5)", ["32", "2**(k - 5) - 1 - k >= 0"], ["-1", "2**k == 32"], ["32", "k - 5 >= 0"]),
            )
        ],
        "is not known here",
    ),
    "what holds of one term of a Sum": (
        [
            _node(
                "a",
                {"m": "int"},
                ["m <= 0", "Sum(i, 0, 3, 2) == 8", "Sum(i, 0, 3, max(i, 2)) >= 9 or m >= 1"],
                ["Sum(i, 0, 3, i) >= 9"],
                KNOWN,
            )
        ],
        "is not known",
    ),
    "a name that is built in": (
        [
            HALF,
            _node(
                "b",
                {},
                [],
                FALSE,
                {
                    "rule": "use",
                    "node": HALF["name"],
                    "with": {"f": "lambda i: 1/2", "integer": "lambda i: 1 <= 2"},
                    "then": KNOWN,
                },
            ),
        ],
        "is no new name",
    ),
    "1/m beyond the facts that make it one": (
        [_node("a", {"m": "int"}, ["m >= 1", {"let": ["y", "1/m"]}], ["m <= 0"], POLE)],
        "a divisor is not manifestly positive",
    ),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_false_has_no_proof(forged: str) -> None:
    nodes, why = FORGED[forged]
    with pytest.raises(pc.Refused) as refused:
        pc.check(_document(*nodes))
    assert why in str(refused.value)


GEOMETRIC = "impl/counting/geometric.py"
CODE = (
    {
        "a converter that doubles epsilon": (
            '    return mpq(1, unit_fraction(value, "epsilon"))',
            '    return mpq(2, unit_fraction(value, "epsilon"))',
            "",
        ),
        "a method that is replaced behind the class": (
            "def _counting_claim(",
            "GeoSample.cdf = FastSample.cdf\n\n\ndef _counting_claim(",
            "might change what its names mean",
        ),
        "a function that is replaced under a condition": (
            "def _counting_claim(",
            "if LARGEST_BITS:\n\n    def check_draw(count, u, n, d):\n        pass\n\n\ndef _counting_claim(",
            "might change what its names mean",
        ),
        "names that are not listed": (
            "from functools import cached_property, partial",
            "from functools import *",
            "is no name",
        ),
        "another cached_property": (
            "from functools import cached_property",
            "from finitedp.exact import cached_property",
            "might change what its names mean",
        ),
        "a method that is bound again": (
            "    n: int = field(converter=_largest_count)\n    epsilon: mpq = field(converter=_epsilon)\n\n",
            "    n: int = field(converter=_largest_count)\n    epsilon: mpq = field(converter=_epsilon)\n    cdf = None\n\n",
            "has other than fields and methods",
        ),
        "fields that are set later": (
            "        _check_size(self.n, self.k, self.n)",
            "        object.__setattr__(self, 'n', self.n + 1)",
            "might change what its names mean",
        ),
        "a post-init that gives its object away": (
            "        _check_size(self.n, self.k, self.n)",
            "        _shrink(self)",
            "__attrs_post_init__ is trusted without proof",
        ),
        "a check of sizes that replaces a method": (
            "def _check_size(",
            "def _check_size(n: int, k: int, rounds: int) -> None:\n    GeoSample.cdf = FastSample.cdf\n\n\ndef _check_size_(",
            "might change what its names mean",
        ),
        "an exponent whose power is a float": (
            "        return tail_weight(mpz(2) ** self.k, self.n, m)\n",
            "        return tail_weight(mpz(2) ** self.k, mpq(self.n), m)\n",
            "",
        ),
        "a fraction that is an exponent": (
            "        return (2 * x + 1) * (x + 1) ** (self.n - 1)",
            "        return (2 * x + 1) * (x + 1) ** (self.n * self.epsilon.denominator * self.epsilon - 1)",
            "is no number",
        ),
        "a method that nobody executes, and changes its object": (
            '''        """count + two-sided geometric noise with decay 1/(1 + 2^-k), clamped to 0..n. Source: BV.Thm4.7.i."""
''',
            '        vars(self)["k"] = 0\n',
            "might change what its names mean",
        ),
    }
    | {
        f"what an import does: {text}": (
            "LARGEST_BITS = 1 <<",
            f"{text}\n\n\nLARGEST_BITS = 1 <<",
            "might change what its names mean",
        )
        for text in (
            "class M:\n    pass\n\n\n@frozen\nclass O:\n    x: int = field(metadata=M)",
            "class E(Enum):\n    A = 1",
            "class Z:\n    def mpq(f):\n        return f\n\n    x = mpq(1)",
            "class Z:\n    from os import system as property\n\n    @property\n    def f():\n        pass",
            "class D:\n    def f(a, b, c):\n        pass\n\n    __set_name__ = f",
            "class P:\n    @classmethod\n    @property\n    def x(cls):\n        pass\n\n\n_ = P.x",
            "from builtins import ln",
        )
    }
    | {
        "another decorator of the classes": (
            "from attrs import field, frozen",
            "from attrs import field\nfrom finitedp.exact import frozen",
            "might change what its names mean",
        ),
    }
)


@pytest.mark.parametrize("edit", sampled(CODE, 6))
def test_code_that_means_something_else_is_not_proved(edit: str, tmp_path: Path) -> None:
    old, new, why = CODE[edit]
    copytree(Path(pc.__file__).resolve().parents[2] / "impl", tmp_path / "impl")
    for path in Path(exact.__file__).parent.glob("*.py"):
        copyfile(path, tmp_path / path.name)
    path = tmp_path / GEOMETRIC
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(pc.Refused) as refused:
        pc.check(pc.read(OBJECTS / "geo_sample.json"), tmp_path, stale=True)
    assert why in str(refused.value)


def test_a_claim_is_not_the_name_of_another_statement() -> None:
    node = _node("a", {}, [], ["1 >= 0"], KNOWN)
    body = _document(node) | {"proves": [{"claim": "BV.Thm4.10.i.all", "nodes": ["a"]}]}
    body["sha256"] = pc.digest({key: value for key, value in body.items() if key != "sha256"})
    with pytest.raises(pc.Refused, match="is not the statement that finitedp knows by this id"):
        proves(body)
    assert proves(_document(node)) == ["x"]
    assert "FD.Packing.all" in proves(read("packing"))


SOURCE = """
def taken(n, i):
    s = 0
    for i in range(n):
        s = s + 1
    return s


def local(n):
    s = 0
    for i in range(n):
        w = 5
        s = s + 1
    return s


def outside(n):
    w = n
    for y in range(n):
        w = y
    return y


def three(n):
    return 3


y = 0
"""
LOOPS: dict[str, tuple[str, str, str, list[list[str]], str]] = {
    "a loop's variable that has a value before": (
        "taken(n, i)",
        "s <= i + 1",
        "i == -1",
        [["1", "n - left >= 0"]],
        "a loop's variable has a value before",
    ),
    "a name of the loop that is one of the statement": ("local(n)", "s <= w", "w == 0", [], "is left over"),
    "a name of the loop that is one of the module": ("outside(n)", "0 <= w", "w == 0", [], "means something outside"),
}


def _library(folder: Path, *names: str) -> dict[str, Any]:
    (folder / "impl").mkdir()
    (folder / "impl" / "forged.py").write_text(SOURCE, encoding="utf-8")
    library = pc.Library(folder)
    sources = {f"finitedp.impl.forged.{name}": pc.plain(library.named(f"finitedp.impl.forged.{name}")) for name in names}
    code = {name: {"sha256": pc.digest(source), "source": source} for name, source in sources.items()}
    return {"names": {name: f"finitedp.impl.forged.{name}" for name in names}, "code": code}


@pytest.mark.parametrize("forged", LOOPS)
def test_a_loop_does_not_change_what_names_mean(forged: str, tmp_path: Path) -> None:
    call, invariant, where, more, why = LOOPS[forged]
    small, equal = invariant.replace("s <=", f"{call} <="), ["-1", where]
    step: dict[str, Any] = {
        "rule": "loop",
        "of": call,
        "invariant": [invariant],
        "start": {"rule": "combine", "goal": "1", "with": [["1", where]]},
    }
    step["step"] = {"rule": "combine", "goal": "1", "with": [["1", invariant], equal, *more]}
    step["then"] = {"rule": "combine", "goal": "1", "with": [["1", small], equal]}
    kinds = {"n": "int", "i": "int", "w": "int"}
    node = _node("a", kinds, ["n >= 2", where], [f"{call} <= 0"], step)
    with pytest.raises(pc.Refused) as refused:
        pc.check(_document(node, **_library(tmp_path, call.partition("(")[0])), tmp_path)
    assert why in str(refused.value)


def test_what_holds_under_a_comparison_has_one_meaning() -> None:
    lemma = _node("a", {"three": "int"}, ["0 >= 1 + 0*three"], FALSE, KNOWN)
    step = {"rule": "use", "node": "IH", "with": {"m": "m - 1", "three": "three"}, "then": KNOWN}
    induct = {"rule": "induct", "on": "m", "then": step}
    use = {"rule": "use", "node": "a", "with": {"three": "-5"}, "where": [induct], "then": KNOWN}
    node = _node("b", {"m": "int", "three": "int"}, ["m >= three", "three >= 3", "m >= 3"], FALSE, use)
    with pytest.raises(pc.Refused, match="a proof by induction does not begin with it"):
        pc.check(_document(lemma, node))


def test_a_module_of_which_there_are_two_is_refused(tmp_path: Path) -> None:
    root = Path(pc.__file__).resolve().parents[2]
    copytree(root / "impl", tmp_path / "impl")
    (tmp_path / "src" / "finitedp").mkdir(parents=True)
    for path in (tmp_path / "exact.py", tmp_path / "src" / "finitedp" / "exact.py"):
        copyfile(exact.__file__, path)
    with pytest.raises(pc.Refused, match=r"there is no module finitedp\.exact, or two of the name"):
        pc.check(pc.read(OBJECTS / "geo_sample.json"), tmp_path)


def test_what_looks_like_a_range_is_none(tmp_path: Path) -> None:
    (tmp_path / "impl").mkdir()
    source = "def looped(n):\n    s = 0\n    for i in ('range', 0, 1, False):\n        s = s + 1\n    return s\n"
    (tmp_path / "impl" / "forged.py").write_text(source, encoding="utf-8")
    node = _node("a", {"n": "int"}, [], ["looped(n) <= 1"], KNOWN)
    with pytest.raises(pc.Refused, match="a loop is not one over range"):
        pc.check(_document(node, names={"looped": "finitedp.impl.forged.looped"}), tmp_path)


def test_two_lambdas_within_lambdas_are_not_taken_for_one() -> None:
    """A lambda's variable may have the name of what is bound outside: lambda n: n is no constant, whatever n is there."""
    document = pc.read(OBJECTS / "geo_sample.json")
    name = document["names"]["least_reaching"]
    search = [node for node in document["nodes"] if node["name"] in ("same", "search")]
    one, other = "lambda z: (lambda n: n)(z) + z", "lambda z: (lambda n: m)(z) + z"

    def used(function: str, then: dict[str, Any]) -> dict[str, Any]:
        return {"rule": "use", "node": "search", "with": {"n": "100", "u": "10", "f": function}, "then": then}

    found = [{"let": [r, f"least_reaching({f}, 100, 10)"]} for r, f in (("r", one), ("s", other))]
    parts = (["1", "2*(r - 1) < 10"], ["2", "s + n >= 10"], ["-2", "n == 1"])
    proof = used(one, used(other, _absurd(*parts)))
    forged = _document(
        *search,
        _node("b", {"n": "int"}, ["n == 1", {"let": ["m", "n"]}, *found], FALSE, proof),
        names={"least_reaching": name},
        code={name: document["code"][name]},
    )
    with pytest.raises(pc.Refused, match="a loop reads a lambda that makes others"):
        pc.check(forged)


def test_an_argument_that_is_given_twice_is_refused() -> None:
    """As Python refuses it, so that nobody reads the first where the checker takes the last."""
    for text in ("Some(n=2, n=k).n == k", "(lambda i, i: i)(2, k) == k"):
        with pytest.raises(pc.Refused, match=r"an argument is given twice|a lambda has other than plain arguments"):
            pc.check(_document(_node("a", {"k": "int"}, [], [text], KNOWN)))


GROWING = {  # abbreviations, each of which has the one before it twice
    "numbers": ("3", "{0}*{0}", "a number is too long"),
    "quotients": ("n", "{0}//2 + ({0} + 1)//2", "the proof takes too many steps"),
    "arguments": ("n", "f({0}, {0})", "the proof takes too many steps"),
}


@pytest.mark.parametrize("what", GROWING)
def test_what_doubles_at_each_step_ends(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pc, "MOST_STEPS", 100_000)
    first, step, why = GROWING[what]
    lets = [{"let": ["a0", first]}, *({"let": [f"a{i + 1}", step.format(f"a{i}")]} for i in range(60))]
    node = _node("a", {"n": "int", "f": "int, int -> int"}, lets, ["Sum(i, 0, n, a60) >= 1"], KNOWN)
    with pytest.raises(pc.Refused, match=why):
        pc.check(_document(node))


@pytest.mark.parametrize("name", ["True", "if", "GeoSample", "%0", "$1", "ln"])
def test_no_variable_has_a_name_that_means_something(name: str) -> None:
    node = _node("a", {name: "int"}, [], ["1 >= 1"], KNOWN)
    with pytest.raises(pc.Refused, match="is no new name"):
        pc.check(_document(node, names={"GeoSample": "finitedp.impl.counting.geometric.GeoSample"}))


def test_a_sum_within_a_sum_binds_another_variable() -> None:
    """The terms would be one: their values are 12 and 4."""
    proof = {"rule": "set", "variable": "x", "to": "Sum(k, 0, 3, k)", "then": KNOWN}
    where = ["x == Sum(k, 0, 3, k)", {"let": ["A", "Sum(j, 0, 1, x)"]}]
    node = _node("a", {"x": "int"}, where, ["A == Sum(i, 0, 1, Sum(j, 0, 3, i))"], proof)
    with pytest.raises(pc.Refused, match="is not known"):
        pc.check(_document(node))


def test_what_a_lambda_compares_is_not_counted_as_that_of_an_unknown_function() -> None:
    kernels = "finitedp.impl.arithmetic.kernels."
    call, own = "Comparisons(clamped_cdf({}, 9, 5, 3, 1)) <= 3", "lambda m: truncated_tail_weight(1, 5, 3)"
    unknown = _node("a", {"f": "int -> rat"}, [], [call.format("f")], KNOWN)
    bad = _node(
        "bad", {}, [], FALSE, {"rule": "use", "node": "a", "with": {"f": own}, "then": _absurd(["1", call.format(own)])}
    )
    names = {name: kernels + name for name in ("clamped_cdf", "truncated_tail_weight")}
    with pytest.raises(pc.Refused, match="the comparisons of a lambda are not counted"):
        pc.check(_document(unknown, bad, names=names), stale=True)


LOOPING = """
def f(p):
    s = p
    for i in range(1):
        s = s + 1
    return s


def check(i):
    if i > 5:
        raise ValueError(i)
    return 0


def g(n):
    s = 0
    for i in range(n):
        s = s + check(i)
    return 7
"""


def _loop(of: str, invariant: list[str], step: dict[str, Any]) -> dict[str, Any]:
    return {"rule": "loop", "of": of, "invariant": invariant, "start": KNOWN, "step": step, "then": KNOWN}


def test_a_loop_in_a_sum_and_one_that_is_kept_for_other_rounds_prove_nothing(tmp_path: Path) -> None:
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "forged.py").write_text(LOOPING)
    names = {name: f"finitedp.impl.forged.{name}" for name in ("f", "g")}
    bad = _node("bad", {}, [], FALSE, _loop("Sum(i, 0, 0, f(i))", ["s <= p", "left >= 1"], KNOWN))
    with pytest.raises(pc.Refused, match="a term of a Sum runs a loop"):
        pc.check(_document(bad, names=names), tmp_path, stale=True)
    never = _absurd(["1", "left >= 1"], ["1", "0 - left >= 0"])
    one = _node("one", {}, [], ["g(0) == 7"], _loop("g(0)", ["left >= 0"], never))
    source = pc.plain(pc.Library(tmp_path).named(names["g"]))
    code = {names["g"]: {"source": source, "sha256": pc.digest(source)}}
    assert pc.check(_document(one, names={"g": names["g"]}, code=code), tmp_path) == ["x"]
    two = _node("two", {"n": "int"}, ["n >= 100"], ["g(n) == 7"], KNOWN)
    with pytest.raises(pc.Refused, match="of which no invariant is shown: it might raise"):
        pc.check(_document(one, two, names={"g": names["g"]}, code=code), tmp_path)
    supposed = _node("three", {"n": "int"}, [{"let": ["x", "g(n)"]}], ["0 <= 0"], KNOWN)
    with pytest.raises(pc.Refused, match="of which no invariant is shown: it might raise"):
        pc.check(_document(supposed, names={"g": names["g"]}, code=code), tmp_path)


@pytest.mark.parametrize("kind", ["int -> int, rat", "int, rat", "-> int", "real", "int ->  int"])
def test_a_kind_is_one_of_a_few(kind: str) -> None:
    with pytest.raises(pc.Refused, match="is no kind of variable"):
        pc.check(_document(_node("a", {"x": kind}, [], ["0 <= 0"], KNOWN)))


PARTIAL = f"""{LOOPING}

def h(at, n):
    s = 0
    for i in range(n):
        if at(i) >= 1:
            s = 1
    return s


def shift(x):
    return x << 1


def most(x):
    return max(a=x, b=x)


def least(n):
    return min(1 <= n, 1)
"""


def _with(name: str, **lambdas: str) -> dict[str, Any]:
    return {"rule": "use", "node": name, "with": lambdas, "then": KNOWN}


def _kept(of: str) -> dict[str, Any]:
    step = {"rule": "cases", "if": "f(n - left) >= 1", "yes": KNOWN, "no": KNOWN}
    return _loop(of, ["0 <= s"], step)


CALLS = {
    "the loop of a lambda, whose value no loop's invariant is shown for": (
        [
            _node("a", {"f": "int -> rat"}, [], ["f(100) == f(100)"], KNOWN),
            _node("b", {}, [], ["g(100) == 7"], _with("a", f="lambda i: g(i)")),
        ],
        "of which no invariant is shown",
    ),
    "the same, by an abbreviation": (
        [
            _node("a", {"f": "int -> rat"}, [{"let": ["x", "f(100)"]}], ["x == x"], KNOWN),
            _node("b", {}, [], ["g(100) == 7"], _with("a", f="lambda i: g(i)")),
        ],
        "of which no invariant is shown",
    ),
    "a lambda that has no value everywhere, in a loop": (
        [
            _node("a", {"f": "int -> rat", "n": "int"}, ["n >= 0"], ["0 <= h(f, n)"], _kept("h(f, n)")),
            _node("b", {}, [], ["0 <= h(lambda i: check(i), 10)"], _with("a", f="lambda i: check(i)", n="10")),
        ],
        "is not decided here",
    ),
    "a fraction that is shifted": ([_node("a", {}, [], ["shift(1/2) == 1"], KNOWN)], "a shift is not surely an integer"),
    "names for what has none": ([_node("a", {"x": "int"}, [], ["most(x) == x"], KNOWN)], "has no parameters with names"),
    "a condition as a number": ([_node("a", {"n": "int"}, ["n >= 1"], ["least(n) == 1"], KNOWN)], "min or max of a condition"),
    "a condition as an integer": (
        [
            _node("a", {"f": "int -> int"}, [], ["f(1) == f(1)"], KNOWN),
            _node("b", {}, [], FALSE, _with("a", f="lambda i: 1 <= 2")),
        ],
        "an integer is no condition",
    ),
}


@pytest.mark.parametrize("called", CALLS)
def test_calls_that_raise_have_no_value(called: str, tmp_path: Path) -> None:
    nodes, why = CALLS[called]
    (tmp_path / "impl").mkdir()
    (tmp_path / "impl" / "forged.py").write_text(PARTIAL)
    names = {name: f"finitedp.impl.forged.{name}" for name in ("check", "g", "h", "shift", "most", "least")}
    with pytest.raises(pc.Refused, match=why):
        pc.check(_document(*nodes, names=names), tmp_path, stale=True)


def test_lambdas_of_other_places_and_tuples_have_keys_of_their_own() -> None:
    one, two = (pc.Lambda(pc.parsed(text), {}) for text in ("lambda x: 0", "lambda x, y: 0"))
    assert pc.key(one) != pc.key(two)
    assert pc.key(("symbol", "f")) != pc.key(pc.Symbol("f", 1, "rat"))
