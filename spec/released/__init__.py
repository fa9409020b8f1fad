"""What releases of data frames are compared with: sums of noisy counts, units of several rows."""
