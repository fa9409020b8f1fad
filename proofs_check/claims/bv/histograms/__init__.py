"""Section 5: histograms of small universes, and stability-based ones."""
