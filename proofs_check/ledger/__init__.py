"""What a claim is, and how claims are run."""
