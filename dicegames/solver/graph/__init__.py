"""What is read off a model before it is solved: turns, layers, states, equal parts."""
