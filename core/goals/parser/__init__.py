"""Reads a task in English and returns its goal."""
