"""A language model as a policy, and as a world model that an algorithm searches (LLM-MCTS, sections 1 and 4)."""

from core.planners.decision_lab import offline as offline
