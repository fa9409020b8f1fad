"""Two laws side by side: their Renyi divergences at one order and at all, known in part too, and their products."""
