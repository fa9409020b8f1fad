"""How each proof object is found: one module for each object."""
