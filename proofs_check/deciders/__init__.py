"""Exact verdicts on laws that are known, in full or in part: privacy, Renyi divergence, accuracy, equality."""
