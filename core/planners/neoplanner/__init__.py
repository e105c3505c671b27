"""NeoPlanner: a state-space graph with values, and a language model where the graph has no knowledge. Paul (2023)."""
