"""Blocking conditions and resolutions (BCR): which conditions block an action, and which actions resolve them."""
