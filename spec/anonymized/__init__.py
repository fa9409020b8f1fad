"""Anonymized histograms: what they are, and the laws of the mechanisms that release them."""
