"""Two counts that differ by several: the worst ratio of their noisy counts on a dyadic table, and what dominates them.

Of weights w_j and tails S_j the laws at c and c + d give, at the ends, S_c and S_(c+d), between 0 and c w_i and w_(i+d), and
between the two counts w_k and w_(d-k). For gamma >= 1 the curve does not fall with c, since (a + b)+ <= a+ + b+, so that
c = n - d is the worst, and it does not fall with d either where 2 d <= n; below 1 the mirror images do the same.
"""

from functools import lru_cache

from gmpy2 import mpq

from finitedp.curve import Pair
from finitedp.exact import integer
from finitedp.impl.accounting.pairs import either_way
from finitedp.impl.counting.dyadic_table import DyadicTable

__all__ = ["group_pair", "group_ratio"]


@lru_cache(maxsize=64)
def group_ratio(table: DyadicTable, d: int) -> mpq:
    """The worst ratio of two noisy counts that differ by at most d, exactly.

    The larger of max S_j/S_(j+d) over j <= n - d and max w_j/w_(j+d) over j < n - d; for d >= n that of S_0/S_n and the ratio
    of n - 1. Where the weights are constant the last j decides.
    Source: FD.Group.ratio. Parameters: d >= 0. Cost: two look-ups for each entry of the table.
    """
    n = table.n
    changed = min(integer(d, "d", at_least=0), n)
    if changed == n:
        return max(mpq(table.upper(0), table.upper(n)), group_ratio(table, n - 1))
    steps = [(table.weight(j), table.weight(j + changed)) for j in range(min(table.first, n - changed - 1) + 1)]
    ends = [(table.upper(j), table.upper(j + changed)) for j in (*range(min(table.first, n - changed) + 1), n - changed)]
    p, q = 1, 1
    for a, b in (*steps, *ends):
        if a * q > p * b:
            p, q = a, b
    return mpq(p, q)


@lru_cache(maxsize=64)
def group_pair(table: DyadicTable, d: int) -> Pair:
    """What dominates any two counts that differ by at most d: the laws at n - d and n, and their mirror image.

    Source: FD.Group.pair. Parameters: d in 1..n/2. Raises: ParameterError. Cost: d + O(bits / epsilon) atoms.
    """
    n = table.n
    integer(d, "d", 1, n // 2)
    between = [(table.weight(k), table.weight(d - k)) for k in range(d)]
    varied = min(table.first, n - d - 1)  # from the weight after that on, both are those of the constant stretch
    below = [(table.weight(i), table.weight(i + d)) for i in range(1, varied + 1)]
    rest = table.tail * (n - d - 1 - varied)
    ends = [(table.upper(n - d), table.upper(n)), (table.upper(d), table.upper(0))]
    return either_way(Pair([*between, *below, (rest, rest), *ends]))
