"""What play does once every choice is made: exact distributions, and simulated games."""
