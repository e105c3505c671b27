"""What a mind or a world can show: frozen values, safe to hand to another thread. A new kind is one file here."""

from core.facets.base import Facet
from core.facets.belief import Belief
from core.facets.frame import Frame, View
from core.facets.intent import GoalProgress, Grounded, Grounding, Plan
from core.facets.search import RankedAction, Ranking, SearchTree, TreeNode
from core.facets.state_graph import Axiom, Learnings, Scores, StateEdge, StateGraph, StateNode

__all__ = [
    "Axiom",
    "Belief",
    "Facet",
    "Frame",
    "GoalProgress",
    "Grounded",
    "Grounding",
    "Learnings",
    "Plan",
    "RankedAction",
    "Ranking",
    "Scores",
    "SearchTree",
    "StateEdge",
    "StateGraph",
    "StateNode",
    "TreeNode",
    "View",
]
