"""Section 4: counting queries."""
