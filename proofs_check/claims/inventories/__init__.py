"""What the papers state, in their order, and which entries of the ledger speak of it: a module for each paper."""
