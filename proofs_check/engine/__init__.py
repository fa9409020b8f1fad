"""The exact law of running code."""
