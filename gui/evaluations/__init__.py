"""The page of evaluations: what is played, how it goes, and the episodes of each cell."""
