"""Blocking conditions and resolutions (BCR): what stands in an action's way, and what takes it out of the way."""

from core.planners.bcr import offline as offline
