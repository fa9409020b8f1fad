"""Samplers taken alone: a declared sampler is explored once for each arguments, and its law is then drawn at once."""
