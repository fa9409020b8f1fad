"""Sections 2 and 3: privacy, accuracy, distance, sampling, mixing."""
