"""What is seen of an audit while it runs: how much mass is still open."""

from collections.abc import Callable
from math import log2

from finitedp.proofs_check.board import Board


def open_mass_on(board: Board) -> Callable[[], str]:
    """A function that says the largest open mass of the inputs that are explored, as a power of two for a glance only."""

    def say() -> str:
        if board.stopped is not None:
            return "stopping; Ctrl-C again leaves at once"
        masses = [mass for mass in board.open_masses() if mass > 0]
        return f"open: 2^{log2(masses[0]):.1f} of an input" if masses else ""

    return say
