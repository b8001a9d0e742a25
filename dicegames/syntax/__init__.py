"""Floor 1: from the text of a rules file to its syntax tree."""
