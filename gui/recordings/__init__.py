"""Recordings in the window: being made, replayed, labelled, learnt from."""
