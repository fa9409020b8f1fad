"""Labels that are more than a value of one column: tuples of several columns, bins, and one label for all other values."""
