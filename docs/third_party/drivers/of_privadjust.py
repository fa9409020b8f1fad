"""Calls of privadjust's clients, without their constructors, which would read a whole dataset."""

from typing import Any

from privadjust.count_mean.private_cms_client import privateCMSClient
from privadjust.hadamard_count_mean.private_hcms_client import privateHCMSClient


def _item(item: int) -> int:
    return item


class _Client(privateCMSClient):  # type: ignore[misc]
    def __init__(self) -> None:
        self.epsilon, self.k, self.m = 2.0, 1, 2
        self.H, self.client_matrix = [_item], list[Any]()


def sketch(data: tuple[int, ...]) -> Any:
    """One report of the count-mean sketch with one hash function and two cells."""
    return _Client().client(data[0])


def _other(item: int) -> int:
    return 1 - item


class _HadamardClient(privateHCMSClient):  # type: ignore[misc]
    def __init__(self) -> None:
        self.epsilon, self.k, self.m = 1.0, 2, 4
        self.H, self.hashes, self.client_matrix = self.hadamard_matrix(4), [_item, _other], list[Any]()


def hadamard(data: tuple[int, ...]) -> tuple[int, ...]:
    """One report of the count-mean sketch with a Hadamard matrix, two hash functions and four cells."""
    return tuple(map(int, _HadamardClient().client(data[0])))
