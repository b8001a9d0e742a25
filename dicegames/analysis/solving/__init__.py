"""From a compiled game to its solution: what it will take, what refuses it, and its values."""
