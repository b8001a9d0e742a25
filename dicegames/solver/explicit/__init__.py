"""The explicit method: all states in a list, for games of any form; counters without limit."""
