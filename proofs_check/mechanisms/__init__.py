"""The registry of mechanisms: what `finitedp law` and `privacy` offer, each by one entry.

An entry names the mechanism, its options, its law by definition and its running code, its claim, and the claims of the ledger
that cover it. The command line builds its commands from here.
"""

from finitedp.proofs_check.mechanisms.anonymized import ANONYMIZED
from finitedp.proofs_check.mechanisms.blanket import BLANKET
from finitedp.proofs_check.mechanisms.counting import COUNTING
from finitedp.proofs_check.mechanisms.flexible import FLEXIBLE
from finitedp.proofs_check.mechanisms.histograms import HISTOGRAMS
from finitedp.proofs_check.mechanisms.kinds import Mechanism

__all__ = ["MECHANISMS"]

_LISTED = (*COUNTING, *HISTOGRAMS, BLANKET, ANONYMIZED, *FLEXIBLE)

MECHANISMS: dict[str, Mechanism] = {mechanism.name: mechanism for mechanism in _LISTED}
"""By name, in the order in which they are listed."""
