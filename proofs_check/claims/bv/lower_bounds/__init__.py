"""Section 7: lower bounds."""
