"""Solutions and tables on disk, and what they belong to."""
