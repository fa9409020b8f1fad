"""Section 8: compact histograms."""
