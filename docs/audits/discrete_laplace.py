"""Noise from the discrete Laplace law, in plain Python: the exact sampler of Canonne, Kamath and Steinke.

The Discrete Gaussian for Differential Privacy (2020), Algorithms 1 and 2, written here from their text. It draws integers
alone, never a float, and loops until a trial succeeds, so it takes a random time.
"""

from random import Random


def bernoulli_exp(numerator: int, denominator: int, rng: Random) -> bool:
    """True with probability e^-(numerator/denominator), which lies between 0 and 1."""
    k = 1
    while rng.randrange(denominator * k) < numerator:
        k += 1
    return k % 2 == 1


def discrete_laplace(t: int, s: int, rng: Random) -> int:
    """An integer y with probability proportional to e^-(|y| s/t)."""
    while True:
        u = rng.randrange(t)
        if not bernoulli_exp(u, t, rng):
            continue
        v = 0
        while bernoulli_exp(1, 1, rng):
            v += 1
        y = (u + t * v) // s
        negative = rng.randrange(2) == 1
        if negative and y == 0:
            continue  # zero must not count twice
        return -y if negative else y


def noisy_count(count: int, rng: Random, t: int = 1, s: int = 1, most: int = 2) -> int:
    """A count from 0 to `most` with noise, clamped to that range: (s/t, 0)-differentially private."""
    return min(max(count + discrete_laplace(t, s, rng), 0), most)
