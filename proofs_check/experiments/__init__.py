"""The six experiments of the paper on flexible accuracy (Section 6 and Appendix L), from exact laws."""
