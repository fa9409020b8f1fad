"""Balcer and Vadhan, Differential Privacy on Finite Computers."""
