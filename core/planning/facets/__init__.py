"""Facets: what a planner or a world shows. Frozen values, safe to pass between threads. Each kind has a file here."""

from core.planning.facets.base import Facet
from core.planning.facets.belief import Belief
from core.planning.facets.frame import Frame, Phase, View
from core.planning.facets.intent import GoalProgress, Grounded, Grounding, Plan
from core.planning.facets.program import LineState, ProgramLine, Steps
from core.planning.facets.search import RankedAction, Ranking, SearchTree, TreeNode

__all__ = [
    "Belief",
    "Facet",
    "Frame",
    "GoalProgress",
    "Grounded",
    "Grounding",
    "LineState",
    "Phase",
    "Plan",
    "ProgramLine",
    "RankedAction",
    "Ranking",
    "SearchTree",
    "Steps",
    "TreeNode",
    "View",
]
