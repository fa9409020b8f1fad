"""Why to believe it: the exact law of the running code, exact verdicts, and the ledger of published claims."""
