"""The referee, the authority on what the rules mean, and what is done with it alone."""
