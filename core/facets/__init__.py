"""What a mind or a world can show: frozen values, safe to hand to another thread. A new kind is one file here."""

from core.facets.base import Facet
from core.facets.belief import Belief
from core.facets.blocking import BlockingNode, BlockingTree, ResolvedBranch
from core.facets.frame import Frame, Phase, View
from core.facets.intent import GoalProgress, Grounded, Grounding, Plan
from core.facets.program import LineState, Program, ProgramLine, Steps
from core.facets.search import RankedAction, Ranking, SearchTree, TreeNode
from core.facets.state_dictionary import StateDictionary, StateEntry
from core.facets.state_graph import Axiom, Learnings, Scores, StateEdge, StateGraph, StateNode

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
