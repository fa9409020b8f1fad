"""Dyadic tables, our own mechanism: the tables, the counting mechanism on them, and histograms."""
