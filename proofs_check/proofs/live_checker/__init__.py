"""The live checker of proofs: read numbers, kernel, live and language in this order, and labels for the histograms."""
