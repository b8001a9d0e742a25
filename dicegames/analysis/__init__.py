"""Floor 4: what follows from a solved game: values, the best move, what a mistake costs."""
