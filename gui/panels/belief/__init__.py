"""The belief panel: where a planner believes objects are, with the operator's edits."""
