"""Monte Carlo tree search (PUCT) for rearrangement tasks, on a model with integer states and actions."""
