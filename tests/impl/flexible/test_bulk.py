"""Whole arrays have the law of the scalar path, since they are equal to it on the same words."""

import random
from typing import Any

import numpy as np
import pytest

from finitedp.errors import DataError, ParameterError
from finitedp.impl.flexible.bulk import CHUNK, apply_array, release_array
from finitedp.impl.flexible.shifted_truncated import ShiftedTruncated
from finitedp.impl.randomness.words import SeededWords


@pytest.mark.parametrize(
    ("q", "epsilon", "word"), [(1, 1, 64), (2, 1, 64), (28, 1, 64), (219, "1/10", 64), (4, 1, 6), (9, 1, 63)]
)
def test_arrays_equal_the_scalar_path(q: int, epsilon: str, word: int) -> None:
    ends = ShiftedTruncated(1, q, epsilon, word).table.ends
    near = {x + step for x in (0, *ends) for step in (-1, 0, 1)}
    rng = random.Random(7)
    words = sorted(x for x in near if 0 <= x < 1 << word) + [rng.getrandbits(word) for _ in range(300)]
    mechanism = ShiftedTruncated(len(words), q, epsilon, word)
    counts = [rng.choice([0, 1, q - 1, q, 10**6, 2**62]) for _ in words]
    found = apply_array(mechanism, np.array(counts, np.int64), np.array(words, np.uint64))
    assert found.tolist() == [mechanism.apply(x, w) for x, w in zip(counts, words, strict=True)]


@pytest.mark.parametrize("word", [64, 20])
def test_a_release_takes_one_word_a_bar_in_order(word: int) -> None:
    bars = CHUNK + 100
    mechanism = ShiftedTruncated(bars, 12, 1, word)
    counts = np.arange(bars, dtype=np.int64) % 30
    found = release_array(mechanism, counts, SeededWords(5, not_private=True))
    again = SeededWords(5, not_private=True)
    drawn = np.frombuffer(again.read(8 * CHUNK) + again.read(8 * 100), "<u8").astype(np.uint64) >> np.uint64(64 - word)
    assert found.tolist() == apply_array(mechanism, counts, drawn).tolist()
    assert (found <= counts).all()
    assert (counts - found <= 11).all()


def test_refusals() -> None:
    mechanism = ShiftedTruncated(3, 4, 1, 6)
    good, words = np.array([1, 2, 3]), np.zeros(3, np.uint64)
    wrong: list[Any] = [
        [1, 2, 3],
        np.array([1, 2]),
        np.array([1, -2, 3]),
        np.array([1.0, 2, 3]),
        np.ma.masked_array([1, 2, 3]),
    ]
    for bad in wrong:
        with pytest.raises(DataError):
            apply_array(mechanism, bad, words)
    with pytest.raises(ParameterError, match="more than 6 bits"):
        apply_array(mechanism, good, words + np.uint64(64))
    with pytest.raises(ParameterError, match="not an array"):
        apply_array(mechanism, good, words.astype(np.int64))
    with pytest.raises(ParameterError, match="word = 64"):
        release_array(ShiftedTruncated(3, 4, 1, 128), good)
