"""The LLM-State panel: objects with their attributes as chips, recent changes, the summary, and the operator's edits."""
