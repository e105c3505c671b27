"""A house as geometry, and its pictures. Knows shapes and places, never rules."""
