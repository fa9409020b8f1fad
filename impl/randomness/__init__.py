"""Where random bits come from: the coins, and sources of random words."""
