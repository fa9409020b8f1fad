"""The worker of hunts, with toys for a ledger, which is ended after five seconds."""

import sys

from finitedp.proofs_check.hunting import worker
from finitedp.proofs_check.ledger import entry
from tests.proofs_check.hunting.toys import TOYS

if __name__ == "__main__":
    entry._LEDGER.update(TOYS)
    worker.most_seconds = lambda seconds: 5
    worker.main(*sys.argv[1:])
