"""Floor 0: source text, diagnostics and exact dice; it knows nothing of games."""
