"""Whether libraries do what was read: their functions on given words, beside what stands in for them."""
