"""The panels there are. A new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from core.common import registry
from core.planning.facets import (
    Belief,
    BlockingTree,
    Facet,
    GoalProgress,
    Learnings,
    Program,
    Ranking,
    Scores,
    SearchTree,
    StateDictionary,
    StateGraph,
    Steps,
)
from gui.control.context import Context
from gui.panels.base import Panel

PANELS: Mapping[str, str] = MappingProxyType({
    "frames": "gui.panels.frames:FramesPanel",
    "state_graph": "gui.panels.state_graph:StateGraphPanel",
    "learnings": "gui.panels.learnings:LearningsPanel",
    "score": "gui.panels.score:ScorePanel",
    "ranking": "gui.panels.ranking:RankingPanel",
    "belief": "gui.panels.belief:BeliefPanel",
    "tree": "gui.panels.tree:TreePanel",
    "blocking": "gui.panels.blocking:BlockingPanel",
    "candidates": "gui.panels.candidates:CandidatesPanel",
    "scatter": "gui.panels.scatter:ScatterPanel",
    "dictionary": "gui.panels.dictionary:DictionaryPanel",
    "calls": "gui.panels.calls:CallsPanel",
    "scene": "gui.panels.scene:ScenePanel",
    "goal": "gui.panels.goal:GoalPanel",
    "program": "gui.panels.program:ProgramPanel",
    "plan": "gui.panels.plan:PlanPanel",
    "compare": "gui.panels.compare:ComparePanel",
    "log": "gui.panels.log:LogPanel",
    "runs": "gui.panels.runs:RunsPanel",
    "breakpoints": "gui.panels.breakpoints:BreakpointsPanel",
    "parameters": "gui.panels.parameters:ParametersPanel",
    "facets": "gui.panels.facet_tree:FacetTreePanel",
})
TITLES: Mapping[str, str] = MappingProxyType({
    "frames": "Frames",
    "state_graph": "State graph",
    "learnings": "Learnings",
    "score": "Score",
    "ranking": "Ranking",
    "belief": "Belief",
    "tree": "Search tree",
    "blocking": "Blocking tree",
    "candidates": "Candidates",
    "scatter": "Value and visits",
    "dictionary": "LLM-State",
    "calls": "LLM calls",
    "scene": "Scene",
    "goal": "Goal",
    "program": "Program",
    "plan": "Plan",
    "compare": "Compare",
    "log": "Log",
    "runs": "Runs",
    "breakpoints": "Breakpoints",
    "parameters": "Parameters",
    "facets": "Other planner data",
})
"""What a panel's tab says before its module is loaded; equal to its class's `title`."""
NEEDS: Mapping[str, frozenset[type[Facet]]] = MappingProxyType({
    "state_graph": frozenset({StateGraph}),
    "learnings": frozenset({Learnings}),
    "score": frozenset({Scores}),
    "ranking": frozenset({Ranking}),
    "belief": frozenset({Belief}),
    "tree": frozenset({SearchTree}),
    "blocking": frozenset({BlockingTree}),
    "candidates": frozenset({BlockingTree}),
    "scatter": frozenset({Ranking}),
    "dictionary": frozenset({StateDictionary}),
    "goal": frozenset({GoalProgress}),
    "program": frozenset({Program}),
    "plan": frozenset({Steps}),
})
"""Kinds of facet without which a panel stays empty; equal to its class's `facets`. Panels not listed need none."""


def panel_class(name: str) -> type[Panel]:
    """A panel's class by name.

    Raises:
        UsageError: no such panel.
    """
    return cast(type[Panel], registry.load("panel", name, PANELS))


def make_panel(name: str, context: Context) -> Panel:
    """A panel by name."""
    return panel_class(name)(context)
