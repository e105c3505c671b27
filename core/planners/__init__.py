"""Planners, one a file. They know the world vocabulary and their own search, never each other."""
