"""The frames panel: the first-person picture and the dollhouse picture (the house from above)."""
