"""PrivHist as it runs: its law, its worst ratios, and what it says of itself."""
