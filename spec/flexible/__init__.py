"""Flexible accuracy: distances of laws that forgive lost mass, distortions of data, and statistics of histograms."""
