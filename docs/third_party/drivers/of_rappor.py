"""Calls of Google's RAPPOR client, of which there is no package: its folder has to be on the path of Python.

It is Python 2, where range is xrange and an item of bytes is text; here its module has names that mend that.
"""

from random import Random
from typing import Any

import rappor

vars(rappor).update(xrange=range, ord=int)


def _params(bits: int, hashes: int, p: float, q: float, f: float) -> Any:
    params = rappor.Params()
    params.num_bloombits, params.num_hashes = bits, hashes
    params.prob_p, params.prob_q, params.prob_f = p, q, f
    return params


INSTANTANEOUS = _params(4, 2, 0.25, 0.75, 0.0)
PERMANENT = _params(2, 1, 0.0, 1.0, 0.5)


def instantaneous(data: tuple[str, ...], rng: Random) -> tuple[int, int]:
    """One report of a word, and the cohort, of four, that the client chose: the instantaneous response by itself."""
    cohort = rng.randrange(4)
    encoder = rappor.Encoder(INSTANTANEOUS, cohort, b"none", rappor.SecureIrrRand(INSTANTANEOUS))
    return cohort, encoder.encode(data[0].encode())


def permanent(data: tuple[int, ...], rng: Random) -> int:
    """The permanent response to one of two bits, which a secret of one byte randomises."""
    secret = bytes([rng.randrange(256)])
    encoder = rappor.Encoder(PERMANENT, 0, secret, rappor.SecureIrrRand(PERMANENT))
    return int(encoder.encode_bits(1 << data[0]))
