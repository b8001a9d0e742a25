"""The block method: layers from the end of the game on, in vectors, for large games."""
