"""Calls of pure-ldp's clients. Data items are 1, 2, ...: index_mapper takes 1 off."""

from typing import Any

from pure_ldp.frequency_oracles.apple_cms import CMSClient
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_mechanism import HadamardMechClient
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.local_hashing import FastLHClient, LHClient
from pure_ldp.frequency_oracles.priv_count_sketch import PCSClient
from pure_ldp.frequency_oracles.rappor import RAPPORClient
from pure_ldp.frequency_oracles.sketch_response import SketchResponseClient
from pure_ldp.frequency_oracles.unary_encoding import UEClient
from pure_ldp.heavy_hitters.apple_sfp import SFPClient
from pure_ldp.heavy_hitters.prefix_extending import PEMClient
from pure_ldp.heavy_hitters.treehistogram import TreeHistClient


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


def _low(text: str) -> int:
    return int(text) % 2


def _high(text: str) -> int:
    return int(text) // 2


def count_mean(data: tuple[int, ...]) -> Any:
    """A report of the count-mean sketch: two hash functions, two cells."""
    return CMSClient(1, [_low, _high], 2).privatise(data[0])


def hadamard_count_mean(data: tuple[int, ...]) -> tuple[int, ...]:
    """The same with a Hadamard matrix, of which one entry is sent."""
    return tuple(map(int, CMSClient(1, [_low, _high], 2, is_hadamard=True).privatise(data[0])))


def count_sketch(data: tuple[int, ...]) -> Any:
    """A report of the private count sketch: two pairs of hash functions, two cells."""
    return PCSClient(1, 2, 2, [(_low, _high), (_high, _low)]).privatise(data[0])


def sketch_response(data: tuple[int, ...]) -> tuple[int, int]:
    """A report of a sketch of two hash functions, by direct encoding."""
    return SketchResponseClient(1, 2, [_low, _high], index_mapper=str, fo_client=DEClient(1, 2)).privatise(data[0])


def hadamard_response(data: tuple[int, ...]) -> int:
    """Hadamard response on three items, at high privacy."""
    return HadamardResponseClient(1, 3, None).privatise(data[0])


def hadamard_response_low(data: tuple[int, ...]) -> int:
    """Hadamard response on three items, at low privacy; the order of the items is public."""
    return int(HadamardResponseClient(2, 3, [0, 1, 2]).privatise(data[0]))


def prefix_extending(data: tuple[str, ...]) -> tuple[int, int]:
    """A prefix of a string of three bits, by direct encoding, and its group."""
    return PEMClient(1, 1, 3, 1, fo_client=DEClient(1, 4)).privatise(data[0])


def tree_histogram(data: tuple[str, ...]) -> tuple[int, int]:
    """A random prefix of a string of three bits, and the whole string, by direct encoding."""
    return TreeHistClient(1, 1, 3, fo_client=DEClient(1, 8)).privatise(data[0])


def _sum(text: str) -> int:
    return sum(map(ord, text)) % 2


def fragments(data: tuple[str, ...]) -> Any:
    """A random bit of a string of two, with a hash of the string, and the whole string, by count-mean sketches."""
    return SFPClient(1, 1, 2, fo_client=CMSClient(1, [_sum], 2)).privatise(data[0])


def hadamard_response_estimate(data: tuple[int, ...]) -> list[float]:
    """What the server estimates of Hadamard response from several users."""
    client, server = HadamardResponseClient(1, 3, None), HadamardResponseServer(1, 3)
    for item in data:
        server.aggregate(client.privatise(item))
    return [float(server.estimate(item, suppress_warnings=True)) for item in (1, 2, 3)]
