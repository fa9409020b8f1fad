"""Cases that an implementation in any language can run, each with the bug that it hunts: made from the definitions alone."""
