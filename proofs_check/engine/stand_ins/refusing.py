"""How a stand-in refuses: one line with the line of code, what it cannot follow there, and the next step."""

from typing import Any, NoReturn

from finitedp.errors import ExplorationError
from finitedp.proofs_check.engine.lazy.frames import caller_line

NEXT = (
    "next: draw with integers, declare the function that does this as a sampler (samplers = [...]) if its output is "
    "discrete, or look for a violation in samples: finitedp black-box --command '...' --epsilon P/Q"
)


MANY = "needs the value of a float that is one of very many"
"""What the exact audit refuses of a uniform float, which a pipeline may follow."""


class ContinuousNoiseError(ExplorationError):
    """The code draws continuous noise, whose law has no list of outputs: an audit of a pipeline follows it."""


def may_be_followed(refused: ExplorationError) -> bool:
    """Whether an audit of a pipeline may follow what the exact one refused."""
    return isinstance(refused, ContinuousNoiseError) or MANY in str(refused)


def refuse(
    coins: Any, what: str, accepted: str = "", *, following: str = NEXT, kind: type[ExplorationError] = ExplorationError
) -> NoReturn:
    """Refuse at the explored code's line, so that it cannot swallow it."""
    message = (
        f"{caller_line()} {what}" + (f"; accepted: {accepted}" if accepted else "") + (f"; {following}" if following else "")
    )
    by_coins = getattr(coins, "refuse", None)
    if by_coins is not None:
        by_coins(message, kind)
    raise kind(message)
