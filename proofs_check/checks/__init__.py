"""What the checks of the ledger share, beside the explorer and the deciders: strict time, symmetric pairs, counted work."""
