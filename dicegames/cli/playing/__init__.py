"""A game on the table: who sits there, who judges, where it is kept."""
