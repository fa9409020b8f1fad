"""From a claim to its specification: what a check uses is found however it is written."""

from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import Any

import pytest
from attrs import evolve

from finitedp.proofs_check.claims import entries, find
from finitedp.proofs_check.ledger import references
from finitedp.proofs_check.ledger.references import establishes, mechanisms_of, source_file, specification
from finitedp.proofs_check.mechanisms import MECHANISMS
from finitedp.spec import counting as spec
from finitedp.spec.histogram import histogram
from finitedp.spec.pmf import Pmf

GEO, FAST, HISTOGRAM = (
    "finitedp.spec.counting.geo_sample",
    "finitedp.spec.counting.fast_sample",
    "finitedp.spec.histogram.histogram",
)


def plain(_subject: Any, n: int) -> object:
    return spec.geo_sample(n, "1/2", 0)


def by_a_helper(subject: Any, n: int) -> object:
    return plain(subject, n), histogram


@cache
def kept(n: int) -> object:
    return spec.geo_sample(n, "1/2", 0)


def by_what_is_kept(_subject: Any, n: int) -> object:
    return kept(n)


def inside(_subject: Any, n: int) -> object:
    return sorted(range(n), key=lambda m: len(spec.geo_sample(m + 1, "1/2", 0)))


def closed_over(law: Callable[..., object]) -> Callable[[Any, int], object]:
    def check(_subject: Any, n: int) -> object:
        return law(n)

    return check


TABLE = {"geo": (spec.geo_sample, [spec.fast_sample])}


def from_a_table(_subject: Any, _n: int) -> object:
    return TABLE


class Maker:
    def law(self, n: int) -> object:
        return spec.geo_sample(n, "1/2", 0)

    @property
    def other(self) -> object:
        return spec.fast_sample


def by_methods(_subject: Any, n: int) -> object:
    return Maker().law(n)


def nothing(_subject: Any, n: int) -> object:
    return Pmf({n: 1}), len(str(n))


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (plain, {GEO}),
        (by_a_helper, {GEO, HISTOGRAM}),
        (by_what_is_kept, {GEO}),
        (inside, {GEO}),
        (closed_over(spec.geo_sample), {GEO}),
        (partial(by_a_helper, None), {GEO, HISTOGRAM}),
        (from_a_table, {GEO, FAST}),
        (by_methods, {GEO, FAST}),
        (nothing, set()),
    ],
)
def test_the_specification_is_what_the_check_uses(check: Any, expected: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(references, "_HELPERS", (__name__,))
    entry = evolve(find("BV.Thm4.7.i.private")[0], code=("finitedp.impl.counting.geometric.GeoSample",))
    assert set(specification(evolve(entry, check=check))) == expected
    no_check: Any = nothing
    assert set(specification(evolve(entry, check=no_check, subject=spec.fast_sample))) == {FAST}
    assert set(specification(evolve(entry, check=no_check, code=(HISTOGRAM,)))) == {HISTOGRAM}


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("finitedp.spec.pmf", "spec/pmf.py"),
        ("finitedp.proofs_check.claims.own.coins", "proofs_check/claims/own/coins.py"),
        ("finitedp.exact", "src/finitedp/exact.py"),
        ("finitedp.cli.verify", "src/finitedp/cli/verify.py"),
    ],
)
def test_files_are_named_as_the_repository_has_them(module: str, file: str) -> None:
    assert source_file(module) == file


def test_what_a_run_establishes_is_said_in_words() -> None:
    entry = find("BV.Thm4.7.i.private")[0]
    assert establishes(entry) == "the statement holds on every instance of the grid"
    assert "more than the instances: every n" in establishes(evolve(entry, reach="every n"))
    assert "the same check refutes the printed text, x" in establishes(evolve(entry, repairs="x"))
    assert "counterexample" in establishes(evolve(entry, expects="refuted"))
    derived = establishes(evolve(entry, derived_from=("x", "y"), by="a lemma"))
    assert "follows at the parameters of the grid from x, y, by a lemma; no run explores all of it" in derived
    assert establishes(evolve(entry, sampled="ten words")).endswith(
        "on a sample of what it speaks of, on every instance of the grid: ten words"
    )
    assert establishes(evolve(entry, measured="calls")).endswith(
        "at the sizes of the grid, which decides nothing beyond: calls"
    )


def test_a_claim_names_the_mechanisms_that_it_covers() -> None:
    covered = {id: mechanisms_of(entry) for id, entry in entries().items()}  # noqa: A001  # the field's name
    assert covered["BV.Thm4.7.i.private"] == ("geo-sample",)
    assert covered["FD.ExactCoins"] == ()
    assert {id for id, names in covered.items() if names} == {id for m in MECHANISMS.values() for id in m.claims}  # noqa: A001


def test_modules_are_not_asked_for_names() -> None:
    class Old(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise DeprecationWarning(name)

    assert references._used({"module": Old("old")}) == set()
