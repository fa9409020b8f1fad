"""Suresh, Differentially private anonymized histograms: its claims, a module for each part of the paper."""
