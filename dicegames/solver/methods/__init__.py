"""For each method what it fits, what it costs, how it solves, how its values are kept."""
