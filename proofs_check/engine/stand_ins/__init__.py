"""What explored code gets in place of a source of randomness: the same methods, with exact laws, drawn from lazy coins."""
