"""Playing for the chance to win where the rules count points."""
