"""Claims of our own, beyond the papers."""
