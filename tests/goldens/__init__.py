"""Recorded behaviour that a change of structure must leave as it is."""
