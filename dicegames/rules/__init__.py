"""Floor 2: the checked game and the referee, the authority on what the rules mean."""
