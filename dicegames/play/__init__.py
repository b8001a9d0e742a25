"""Floor 4: a game being played: its dice, its players, what they type."""
