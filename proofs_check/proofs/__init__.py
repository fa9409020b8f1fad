"""Proofs for all parameters: the objects, their lone checkers, and what finds them."""
