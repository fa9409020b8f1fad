"""Continuous noise while code is explored: a draw of an ideal primitive is a symbol, and a comparison of symbols forks."""
