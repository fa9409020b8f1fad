"""BlanketHistogram: pure differential privacy for sparse histograms, in time that is linear in the rows."""
