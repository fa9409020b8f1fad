"""The exact law of running code, and exact verdicts on laws."""
