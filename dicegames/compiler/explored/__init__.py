"""What is read off a control graph that is explored, and rewritten in it."""
