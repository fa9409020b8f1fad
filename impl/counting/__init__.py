"""Noisy counts: GeoSample, FastSample, and DyadicSample on dyadic tables."""
