"""The time columns of Figures 3 to 6 of Balcer and Vadhan, measured: asymptotic bounds against counted work."""
