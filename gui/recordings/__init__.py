"""Recordings in the window: making, replaying and labelling them, and taking examples from them."""
