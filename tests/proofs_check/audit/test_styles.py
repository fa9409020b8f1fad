"""What a mechanism draws from, found in its signature, or asked for."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from finitedp import Coins, PrivacyClaim
from finitedp.errors import ExplorationError, ParameterError
from finitedp.impl.counting.geometric import GeoSample
from finitedp.proofs_check.audit import laws
from finitedp.proofs_check.audit.auditing import audit
from finitedp.proofs_check.audit.styles import source_of


def annotated(rows: Any, x: random.Random) -> None: ...
def said_in_words(rows: Any, x: "random.SystemRandom | None" = None) -> None: ...
def of_numpy(rows: Any, x: np.random.Generator) -> None: ...
def of_old_numpy(rows: Any, x: "np.random.RandomState") -> None: ...
def of_coins(rows: Any, x: Coins) -> None: ...
def named_against_its_note(rows: Any, coins: random.Random) -> None: ...


FOUND: list[tuple[Callable[..., Any], str]] = [
    (lambda rows, rng: None, "random"),
    (lambda rows, _rng: None, "random"),
    (lambda rows, coins: None, "coins"),
    (lambda rows, _: None, "coins"),
    (lambda rows, random_state: None, "numpy"),
    (lambda rows: None, "none"),
    (lambda rows, scale=1: None, "none"),
    (lambda rows, *, rng=None: None, "random"),
    (annotated, "random"),
    (said_in_words, "random"),
    (of_numpy, "numpy"),
    (of_old_numpy, "numpy"),
    (of_coins, "coins"),
    (named_against_its_note, "random"),
    (GeoSample(3, 1).release, "coins"),
]


@pytest.mark.parametrize(("function", "style"), FOUND)
def test_a_style_is_found_in_the_signature(function: Callable[..., Any], style: str) -> None:
    assert source_of(function, None, {})[0] == style


@pytest.mark.parametrize("function", [lambda rows, x: x, lambda rows, scale, x: x, lambda: None, dict.__getitem__, len])
def test_where_the_signature_does_not_tell_the_question_is_one_line(function: Any) -> None:
    if function is len:
        assert source_of(function, None, {})[0] == "none"  # one parameter: the data
        return
    with pytest.raises(ParameterError, match=r"style = 'random' \(a random.Random\), 'numpy'") as error:
        source_of(function, None, {})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("function", "old"),
    [(of_old_numpy, True), (lambda rows, random_state: None, True), (of_numpy, False), (min, False), (3, False)],
)
def test_which_generator_of_numpy_a_mechanism_says_that_it_takes(function: Any, old: bool) -> None:
    """What has no signature, as min, says nothing."""
    assert laws._is_legacy(function) is old


def test_what_is_said_is_kept_and_a_table_is_a_table() -> None:
    assert source_of(lambda rows, rng: None, "coins", {})[0] == "coins"
    assert source_of({0: {0: 1}}, None, {})[0] == "table"


def later(count: int, scale: int, rng: random.Random) -> int:
    return count + rng.randrange(scale)


def by_name(count: int, *, scale: int = 2, rng: random.Random) -> int:
    return count + rng.randrange(scale)


@pytest.mark.parametrize("function", [later, by_name])
def test_a_source_in_another_place_is_given_by_its_name(function: Any) -> None:
    found = audit(function, PrivacyClaim(0, "counts", 1), n=1, parameters={"scale": 3})
    assert found.derived["style"] == "random"
    assert {x: str(p) for x, p in found.laws[1].probabilities.items()} == {1: "1/3", 2: "1/3", 3: "1/3"}


def test_the_kind_of_numpy_s_generator_is_seen_in_any_place() -> None:
    def release(count: int, scale: int, state: np.random.RandomState) -> int:
        return count + int(state.randint(scale))  # a Generator has no randint

    found = audit(release, PrivacyClaim(0, "counts", 1), n=1, parameters={"scale": 2})
    assert found.laws[0].probabilities.keys() == {0, 1}
    assert any("numpy" in words for words in found.derived["assumptions"])


# What is called on a source whose kind a name alone tells


def integers(data: Any, rng: Any) -> Any:
    return data[0] if rng.integers(4) < 3 else 1 - data[0]


def weighted(data: Any, rng: Any) -> Any:
    return data[0] if rng.choice([0, 1], p=[0.25, 0.75]) else 1 - data[0]


def of_a_range(data: Any, rng: Any) -> Any:
    return data[0] if rng.choice(4) < 3 else 1 - data[0]


def of_a_size(data: Any, rng: Any) -> Any:
    return data[0] if rng.random(1)[0] < 0.75 else 1 - data[0]


def in_a_helper(data: Any, rng: Any) -> Any:
    return integers(data, rng)


def at_last(data: Any, rng: Any) -> Any:
    """At the first input random.Random has all that is asked."""
    return data[0] if rng.random() < 0.75 or (data[0] and rng.integers(2) > 3) else 1 - data[0]


def of_the_standard_library(data: Any, gen: Any) -> Any:
    return data[0] if gen.randrange(4) < 3 else 1 - data[0]


def of_both(data: Any, rng: Any) -> Any:
    return data[0] if rng.random() < 0.75 else 1 - data[0]


CLAIM = PrivacyClaim("2", "replace-one")


@pytest.mark.parametrize(
    ("function", "style"),
    [
        (integers, "numpy"),
        (weighted, "numpy"),
        (of_a_range, "numpy"),
        (of_a_size, "numpy"),
        (in_a_helper, "numpy"),
        (at_last, "numpy"),
        (of_the_standard_library, "random"),
        (of_both, "random"),
    ],
)
def test_what_is_called_on_a_source_decides_where_a_name_alone_tells(function: Any, style: Any) -> None:
    found = audit(function, CLAIM, n=1, universe=[0, 1])
    assert found.derived["style"] == style
    assert found.worst_ratio == 3
    assert found.laws == audit(function, CLAIM, n=1, universe=[0, 1], style=style).laws


def misspelt(data: Any, rng: Any) -> Any:
    return data[0] + rng.integer(2)


def raising(data: Any, rng: Any) -> Any:
    return data[0] + rng.randrange(2) + None


def of_another_kind(data: Any, rng: random.Random) -> Any:
    return data[0] + rng.integers(2)  # type: ignore[attr-defined]


def of_no_attribute(data: Any, rng: Any) -> Any:
    return data[0] + rng.randrange(2).real_part


def continuous(data: Any, rng: Any) -> Any:
    return data[0] + rng.standard_cauchy()


@pytest.mark.parametrize(
    ("function", "style", "said"),
    [
        (misspelt, None, r"AttributeError: integer; rng was taken for random.Random; numpy\? --style numpy .*random_state"),
        (integers, "random", r"AttributeError: integers; its style says random.Random; numpy\? --style numpy "),
        (of_the_standard_library, "numpy", r"randrange; its style says numpy's generator; random.Random\? --style random "),
        (of_another_kind, None, r"AttributeError: integers; its style says random.Random; numpy\? --style numpy "),
        (continuous, None, r"uses numpy's Generator\.standard_cauchy, which is not followed"),
    ],
)
def test_where_that_does_not_decide_the_line_says_what_it_was_taken_for(function: Any, style: Any, said: str) -> None:
    with pytest.raises(ExplorationError, match=said) as error:
        audit(function, CLAIM, n=1, universe=[0, 1], style=style)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("function", [raising, of_no_attribute])
def test_errors_that_are_not_about_the_source_are_as_they_are(function: Any) -> None:
    with pytest.raises(ExplorationError, match="the mechanism raised") as error:
        audit(function, CLAIM, n=1, universe=[0, 1])
    assert "--style" not in str(error.value)
    assert f"; in {function.__name__}, {__file__}:{function.__code__.co_firstlineno + 1}" in str(error.value)
