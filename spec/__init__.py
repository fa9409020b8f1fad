"""What the law is: exact laws and distances, written from the papers' definitions, as rational PMFs.

Nothing here draws randomness, reads a file or holds a float.
"""
