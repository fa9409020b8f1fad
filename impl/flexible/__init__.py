"""Statistics of data whose accuracy forgives a few rows left out: one-sided noise on integer tables, and what follows."""
