"""Histograms: basic, stability, sparse, pure sparse and compact."""
