"""Baselines without a language model: the oracle, and UCT."""

from core.planners.folders import Folder, Part

FOLDER = Folder(
    planners=(Part("oracle", "Oracle", "planner:Oracle", 0),
              Part("uct", "UCT", "planner:Uct", 30)),
)
