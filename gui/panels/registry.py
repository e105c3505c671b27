"""The registry of panels: our own, and those of other packages (entry points of the group `belvedere.panels`)."""

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
from gui.panels.broken import BrokenPanel

_OURS = {
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
    "plan": "gui.panels.program:PlanPanel",
    "compare": "gui.panels.compare:ComparePanel",
    "log": "gui.panels.log:LogPanel",
    "runs": "gui.panels.runs:RunsPanel",
    "breakpoints": "gui.panels.breakpoints:BreakpointsPanel",
    "parameters": "gui.panels.parameters:ParametersPanel",
    "facets": "gui.panels.facet_tree:FacetTreePanel",
}
_TITLES = {
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
}
"""The title of each panel's tab, known before the panel's module is loaded. Equals the `title` of its class."""
PANELS = registry.Registry("panel", "belvedere.panels", _OURS, titles=_TITLES, base=Panel)
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
"""The kinds of facet without which a panel stays empty, known before its module is loaded. Equals the class's `facets`."""


def needs(name: str) -> frozenset[type[Facet]]:
    """Returns the kinds of facet without which a panel stays empty, or an empty set if it needs none.

    Args:
        name: the panel's name in the registry.
    """
    return NEEDS.get(name, frozenset()) if name not in PANELS.foreign else _claimed(name)


def claimed_by_others() -> frozenset[type[Facet]]:
    """Returns the kinds of facet that panels of other packages claim."""
    return frozenset().union(*(_claimed(name) for name in PANELS.foreign))


def _claimed(name: str) -> frozenset[type[Facet]]:
    return frozenset() if PANELS.problem(name) else panel_class(name).facets


def panel_class(name: str) -> type[Panel]:
    """Returns a panel's class. Loads its module if necessary.

    Args:
        name: the panel's name in the registry.

    Raises:
        UsageError: if there is no panel of that name.
    """
    return cast(type[Panel], PANELS.load(name))


def make_panel(name: str, context: Context) -> Panel:
    """Returns a new panel.

    Args:
        name: the panel's name in the registry.
        context: what the panel shares with the rest of the window.

    Returns:
        The panel. If a panel of another package cannot be made, a `BrokenPanel` that shows the reason.
    """
    if name not in PANELS.foreign:
        return panel_class(name)(context)
    if problem := PANELS.problem(name):
        return BrokenPanel(context, problem)
    try:
        return panel_class(name)(context)
    except Exception as error:  # noqa: BLE001 - an error in another package must not prevent the window from opening
        package = PANELS.foreign[name].package
        return BrokenPanel(context, f"The panel '{name}' of {package} cannot be made: {type(error).__name__}: {error}. "
                                    "Repair or remove that package.")
