"""Draws that are not decided yet, the integers made of them, relations between them, and the coins that hand them out."""
