"""Audits of anybody's mechanism, and their certificates."""
