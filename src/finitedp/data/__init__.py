"""Columns of files and of data frames, their counts, and releases of them."""
