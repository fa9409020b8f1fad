"""BlanketHistogram, our own: a pure sparse histogram in linear time."""
