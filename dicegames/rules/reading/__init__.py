"""From the syntax tree to a checked game: a module for each kind of sentence."""
