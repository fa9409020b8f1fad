"""Calls of pure-ldp's clients. Data items are 1, 2, ...: index_mapper takes 1 off."""

from typing import Any

from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, LHClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient
from pure_ldp.frequency_oracles.unary_encoding import UEClient


def direct_encoding(data: tuple[int, ...]) -> int:
    """Generalised randomised response on three items."""
    return DEClient(epsilon=1, d=3).privatise(data[0])


def symmetric_unary(data: tuple[int, ...]) -> Any:
    """A bit vector of two items."""
    return UEClient(epsilon=1, d=2).privatise(data[0])


def optimal_unary(data: tuple[int, ...]) -> Any:
    """The same with the optimised probabilities."""
    return UEClient(epsilon=1, d=2, use_oue=True).privatise(data[0])


def _one_bit(text: str) -> int:
    return int(text)


def _first_bit(text: str) -> int:
    return 2 * int(text)


def _second_bit(text: str) -> int:
    return 2 * int(text) + 1


def rappor(data: tuple[int, ...]) -> tuple[list[int], int]:
    """RAPPOR with one hash function and the f that the client computes for epsilon = 3."""
    client = RAPPORClient(0, 2, [[_one_bit]], num_of_cohorts=1)
    client.update_params(f=client.convert_eps_to_f(3), hash_funcs=[[_one_bit]])
    return client.privatise(data[0])


def rappor_two_hashes(data: tuple[int, ...]) -> tuple[list[int], int]:
    """RAPPOR with two hash functions and the f that the client computes for epsilon = 1."""
    functions = [[_first_bit, _second_bit]]
    client = RAPPORClient(0, 4, functions, num_of_cohorts=1)
    client.update_params(f=client.convert_eps_to_f(1), hash_funcs=functions)
    return client.privatise(data[0])


def fast_local_hashing(data: tuple[int, ...]) -> tuple[int, int]:
    """Optimised local hashing with two hash functions."""
    return FastLHClient(epsilon=1, d=2, k=2, use_olh=True).privatise(data[0])


def local_hashing(data: tuple[int, ...]) -> tuple[int, int]:
    """Optimised local hashing with a seed of 63 bits."""
    return LHClient(epsilon=1, d=2, use_olh=True).privatise(data[0])


def hadamard(data: tuple[int, ...]) -> list[Any]:
    """The values of the Hadamard mechanism, whatever holds them."""
    return list(HadamardMechClient(epsilon=1, d=2, t=2).privatise(data[0]))


def hadamard_as_returned(data: tuple[int, ...]) -> tuple[str, list[Any]]:
    """The same, with the type of what holds them."""
    found = HadamardMechClient(epsilon=1, d=2, t=2).privatise(data[0])
    return type(found).__name__, list(found)
