"""Mechanisms that release anonymized histograms, and estimates from noisy counts."""
