"""What open values are, where conditions hold: tables, ranges, what is known."""
