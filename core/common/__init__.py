"""Utilities without knowledge of planning: errors, limits, registries, JSON, redaction, shared lists."""
