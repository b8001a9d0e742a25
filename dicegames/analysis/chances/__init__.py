"""What may come of a game that is played as a solution says: laws, distributions, samples."""
