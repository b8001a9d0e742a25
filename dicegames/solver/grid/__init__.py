"""Solving on a grid: values at some totals, turns played out as a whole; matches."""
