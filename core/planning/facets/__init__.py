"""Facets: what a planner or a world shows. Frozen values, safe to pass between threads. Each kind has a file here."""

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree, ResolvedBranch
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planners.neoplanner.recorded_types import Axiom, Learnings, Scores, StateEdge, StateGraph, StateNode
from core.planning.facets.base import Facet
from core.planning.facets.belief import Belief
from core.planning.facets.frame import Frame, Phase, View
from core.planning.facets.intent import GoalProgress, Grounded, Grounding, Plan
from core.planning.facets.program import LineState, Program, ProgramLine, Steps
from core.planning.facets.search import RankedAction, Ranking, SearchTree, TreeNode

__all__ = [
    "Axiom",
    "Belief",
    "BlockingNode",
    "BlockingTree",
    "Facet",
    "Frame",
    "GoalProgress",
    "Grounded",
    "Grounding",
    "Learnings",
    "LineState",
    "Phase",
    "Plan",
    "Program",
    "ProgramLine",
    "RankedAction",
    "Ranking",
    "ResolvedBranch",
    "Scores",
    "SearchTree",
    "StateDictionary",
    "StateEdge",
    "StateEntry",
    "StateGraph",
    "StateNode",
    "Steps",
    "TreeNode",
    "View",
]
