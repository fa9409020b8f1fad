"""finitedp."""
