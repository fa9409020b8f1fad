"""What code that is run again and again keeps from one run to the next."""
