"""How the law is sampled: strict-time integer code that draws from one randomness port, `Coins`, and from nowhere else.

Nothing here holds a float, and nothing is imported from finitedp.spec: that the two agree is checked, not built in.
"""
