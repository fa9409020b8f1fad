"""Privacy units: which rows of each unit count, chosen in the engine that holds the frame, and counts by label of those."""
