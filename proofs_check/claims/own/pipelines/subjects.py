"""Programs that draw noise, as their paths, made here without the explorer: trees of comparisons with labels at the leaves."""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gmpy2 import mpq

from finitedp.exact import sign_of_exponentials
from finitedp.proofs_check.audit.pipelines.paths import Path
from finitedp.proofs_check.audit.pipelines.regions import Region
from finitedp.proofs_check.engine.noise.rows import Form, Row, contradiction, supports
from finitedp.proofs_check.engine.noise.runs import Draw
from finitedp.proofs_check.pipeline_certificate import Sum, probability

Law = Mapping[Any, Sum]


class Program(NamedTuple):
    """A tree made of a seed: noisy values of a count, a + b count + scale * draw, are compared with each other and numbers.

    kinds: the laws of its draws. coin: the probabilities at 0 and 1 of a discrete draw, which is told beside the label.
    """

    seed: int
    kinds: tuple[str, ...]
    coin: tuple[mpq, mpq] | None = None

    def paths(self, count: int) -> tuple[Path, ...]:
        """Its paths at a count."""
        pick = random.Random(self.seed)  # noqa: S311  # instances are reproducible
        forms = [
            Form(((k, mpq(pick.choice([1, 2, 4]))),), mpq(pick.randint(-1, 2) + pick.choice([-1, 0, 1, 1]) * count))
            for k in range(len(self.kinds))
        ]
        draws = tuple(Draw(kind) for kind in self.kinds)
        found = list[Path]()

        def grow(rows: tuple[Row, ...], answers: tuple[bool, ...], depth: int) -> None:
            if not depth or pick.random() < 0.15:
                label = pick.choice("abc")
                if contradiction((*supports(enumerate(self.kinds)), *rows)) is None:
                    for value, weight in self._coin(count):
                        found.append(Path(draws, rows, answers, (label, value), (), weight))
                return
            left, right, other = pick.choice(forms), pick.choice([None, *forms]), pick.randint(-1, 2)
            own, apart = (Form((), mpq(other)), ()) if right is None or right == left else (right, right.items)
            items = tuple(sorted((*left.items, *((k, -v) for k, v in apart))))
            row = Row.of(Form(items, left.constant - own.constant))
            grow((*rows, row), (*answers, True), depth - 1)
            grow((*rows, row.opposite()), (*answers, False), depth - 1)

        grow((), (), pick.randint(1, 3))
        return tuple(found)

    def _coin(self, count: int) -> Iterable[tuple[bool | None, mpq]]:
        if self.coin is None:
            return [(None, mpq(1))]
        return [(True, self.coin[count]), (False, 1 - self.coin[count])]


def law_of(regions: Sequence[Region]) -> Law:
    """The probability of each output."""
    found = dict[Any, dict[mpq, mpq]]()
    for region in regions:
        mass = probability({k: draw.kind for k, draw in region.draws.items()}, region.rows)
        assert mass is not None  # noqa: S101  # such programs are made
        total = found.setdefault(region.shape, {})
        for x, c in mass.items():
            total[x] = total.get(x, mpq(0)) + c * region.weight
    return {x: {y: c for y, c in total.items() if c} for x, total in found.items()}


def excess(left: Sum, right: Sum, factor: mpq, exponent: mpq) -> int:
    """The sign of P - factor * e^exponent * P'."""
    return sign_of_exponentials([*((c, x) for x, c in left.items()), *((-factor * c, x + exponent) for x, c in right.items())])
