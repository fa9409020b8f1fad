"""Section 6 and Appendix A: sparse histograms."""
