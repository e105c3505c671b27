"""NeoPlanner's parts: the state-space graph, its values, what is learnt, and how the model is asked. Paul (2023)."""

from core.planners.neoplanner import offline as offline
