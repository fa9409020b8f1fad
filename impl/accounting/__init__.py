"""What releases cost: pairs of laws, their curves, and composition between proved bounds."""
