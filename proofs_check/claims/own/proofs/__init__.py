"""Statements that are proved for all parameters, by proof objects that are re-checked."""
