"""Tools that know nothing of planning: errors, limits, registries, JSON, redaction, shared lists."""
