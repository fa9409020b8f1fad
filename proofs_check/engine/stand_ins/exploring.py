"""Which run this thread explores: its coins, and the random bytes that it has drawn and not read."""

import threading
from typing import Any

__all__ = ["coins_here", "exploring"]

exploring = threading.local()
"""coins: those of the run, in a thread that explores. unread: bytes drawn in the run and not read, by id."""


def coins_here() -> Any:
    """The coins of the run that this thread explores, or None."""
    return getattr(exploring, "coins", None)
