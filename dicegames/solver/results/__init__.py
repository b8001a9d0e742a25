"""Rows over all results of a game, and turns with given values at their ends."""
