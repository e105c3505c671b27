"""Planners, one package each. They use the world vocabulary and the shared search, and never import each other."""
