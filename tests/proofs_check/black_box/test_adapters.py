"""Adapters to other libraries: each runs where its package is installed, and tells how to get it where it is not."""

import importlib
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
from gmpy2 import mpq

from finitedp.errors import ParameterError, SamplerError
from finitedp.proofs_check.black_box.adapters import (
    ADAPTERS,
    Adapter,
    adapted,
    diffprivlib_geometric,
    opendp_thresholded_histogram,
)
from finitedp.proofs_check.black_box.samplers import Source

PACKAGES = {"opendp": "opendp", "diffprivlib": "diffprivlib", "pydp": "pydp"}
PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
SURE = "999999999999/1000000000000"  # a false alarm has probability 10^-12


def installed(name: str) -> Callable[..., Adapter]:
    """An adapter, where its package can be imported."""
    pytest.importorskip(PACKAGES[name.split("-", maxsplit=1)[0]], exc_type=ImportError)
    return ADAPTERS[name]


@pytest.mark.parametrize("name", ADAPTERS)
def test_no_violation_where_none_is_known(name: str) -> None:
    adapter = installed(name)(1)
    if name in ("opendp-thresholded-histogram", "diffprivlib-laplace"):
        return
    found = adapter.audit(6000, SURE)
    assert found.private == "no violation found", found.says
    assert found.law in ("no difference found", "not specified")
    assert found.name.startswith(adapter.package)


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_claim_is_the_library_s(name: str) -> None:
    make = installed(name)
    for epsilon in ("1/10", "2"):
        claim = make(epsilon).claim
        assert abs(claim.epsilon - mpq(epsilon)) < mpq(1, 10**15)
        assert (claim.delta > 0) == (name == "opendp-thresholded-histogram")


@pytest.mark.parametrize("name", ["opendp-discrete-laplace", "opendp-geometric", "diffprivlib-geometric", "pydp-integers"])
def test_a_smaller_claim_and_another_law_are_refuted(name: str) -> None:
    """The negative twin: the same samples against half of epsilon."""
    make = installed(name)
    right, wrong = make(1), make("1/2")
    twin = Adapter(right.package, right.says, right.sampler, wrong.claim, right.n, right.universe, wrong.law)
    found = twin.audit(100_000, SURE)  # 40,000 were too few for PyDP's in one of two runs
    assert (found.private, found.law) == ("violated", "differs")


def test_opendp_s_delta_is_too_small() -> None:
    """OpenDP's issue 2922: counts equal to the threshold are listed, and delta leaves them out."""
    adapter = installed("opendp-thresholded-histogram")(1, threshold=3)
    if version("opendp") != "0.16.0":
        pytest.skip("measured with 0.16.0")
    found = adapter.audit(30_000, SURE)
    assert found.violated
    assert found.law == "no difference found"
    assert (found.left, found.right) == (("a",), ())


def test_opendp_s_thresholded_law() -> None:
    installed("opendp-thresholded-histogram")
    law = opendp_thresholded_histogram(1, 3, 2).law
    assert law is not None
    for rows in ((), ("a",), ("a", "a")):
        masses = [law(rows).mass(()), *(law(rows).mass((("a", x),)) for x in range(-5, 99))]
        assert sum((low for low, _ in masses), mpq(0)) <= 1 <= sum((high for _, high in masses), mpq(1, 10**20))
        assert masses[1:9] == [(mpq(0), mpq(0))] * 8
    assert law(()).mass(()) == (mpq(1), mpq(1))


def test_diffprivlib_s_laplace_shows_its_lowest_bits() -> None:
    """Its issues 19 and 94."""
    adapter = installed("diffprivlib-laplace")(1)
    if version("diffprivlib") != "0.6.6":
        pytest.skip("measured with 0.6.6")
    assert adapter.audit(6000, SURE).violated


def test_diffprivlib_s_geometric_beyond_what_a_float_counts() -> None:
    adapter = installed("diffprivlib-geometric")(1)
    if version("diffprivlib") != "0.6.6":
        pytest.skip("measured with 0.6.6")
    for left, right in ((2**53 + 2, 2**53 + 3), (2**60 + 128, 2**60 + 129)):
        assert adapter.audit(40_000, SURE, pairs=[(left, right)]).violated
    assert not adapter.audit(6000, SURE, pairs=[(2**52, 2**52 + 1)]).violated


def test_counts_are_multiplied_by_the_sensitivity() -> None:
    installed("diffprivlib-geometric")
    assert not diffprivlib_geometric(1, sensitivity=3).audit(6000, SURE).violated


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_missing_package_is_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> Any:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(importlib, "import_module", missing)
    extra = name.split("-", maxsplit=1)[0]
    wanted = " ".join(quote(requirement.partition(">=")[0]) for requirement in EXTRAS[extra])
    with pytest.raises(SamplerError, match=rf"is not installed \(no module {extra}.*\): pip install {wanted}$"):
        adapted(name)


def test_a_package_that_does_not_fit_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_module: str) -> Any:
        raise ImportError("cannot import name 'DOUBLE'")

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(SamplerError, match=r"cannot be imported \(cannot import name 'DOUBLE'\): pip install"):
        adapted("diffprivlib-geometric")


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="adapter = 'x' is unknown; accepted: opendp-discrete-laplace"):
        adapted("x")


@pytest.mark.parametrize("name", ADAPTERS)
def test_bad_parameters(name: str) -> None:
    make = installed(name)
    for epsilon in (0, "-1", 1000, "1/10000000000"):
        with pytest.raises(ParameterError, match="epsilon = "):
            make(epsilon)
    with pytest.raises(ParameterError, match="n = 0"):
        adapted(name, 1, 0)
    assert Source(adapted(name, 1, 2).sampler).draw(("a",) if "histogram" in name else 1, 9).total() == 9
