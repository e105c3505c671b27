"""The scatter panel: value against visits."""
