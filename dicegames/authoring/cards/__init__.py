"""The best strategy that fits on a card: few lines, in the words of the rules."""
