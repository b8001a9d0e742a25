"""A game under many settings of its rules, and the setting that gives it some number."""
