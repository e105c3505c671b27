"""Parses a task in English into a goal."""
