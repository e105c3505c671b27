"""Blocking conditions and resolutions (BCR): which conditions block an action, and which actions resolve them."""

from core.planners.bcr import offline as offline
