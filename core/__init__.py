"""The mind and its session: world vocabulary, goals, planners. Pure Python: no Qt, no simulator package, no GUI."""
