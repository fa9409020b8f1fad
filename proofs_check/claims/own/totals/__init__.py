"""Sums of clipped values, and numbers of rows."""
