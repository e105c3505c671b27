"""The ranking panel: the actions the planner could choose now, best first, and how the prior of each is made."""
