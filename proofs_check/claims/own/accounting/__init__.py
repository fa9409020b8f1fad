"""Our own: curves of releases, and what they cost together."""
