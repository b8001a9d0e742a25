"""What solutions are asked beside each other: strategies, house rules, matches, openings."""
