"""Mechanisms of the literature, good and broken, with their true verdicts."""
