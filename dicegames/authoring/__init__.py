"""What authors and teachers ask of a game: what a rule is worth, what a game is like, a card."""
