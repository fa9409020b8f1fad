"""Section 1 of Balcer and Vadhan: the definition of privacy, and the five theorems that the paper announces."""
