"""Looking for counterexamples of the ledger's statements, beyond their grids and below them."""
