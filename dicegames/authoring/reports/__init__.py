"""What a game is like: fairness, skill, length, what each rule is worth; as tables and a page."""
