"""Privacy budgets: what several releases may cost together, charged before each is drawn."""
