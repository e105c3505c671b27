"""Panels: each shows part of a snapshot and says commands."""
