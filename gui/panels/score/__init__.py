"""The score panel: the score over interactions."""
