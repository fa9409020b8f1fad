"""What is counted of columns: the labels that values have, and sums of clipped values."""
