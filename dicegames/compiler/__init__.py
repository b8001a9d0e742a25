"""Floor 3: from a checked game and an objective to the solver's model."""
