"""The registry of panels: our own, and those of other packages (entry points of the group `belvedere.panels`)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from core.common import registry
from core.planners.bcr.recorded_types import BlockingTable, BlockingTree
from core.planners.llm_state.recorded_types import StateDictionary, StateHistory
from core.planners.neoplanner.recorded_types import Learnings, Scores, StateGraph
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.facets import Facet, Frame, GoalProgress, Program, Steps
from core.planning.search_facets import PolicyMixture, Ranking, SearchTree
from core.planning.simulation_facets import Simulations
from gui.control.context import Context
from gui.panels.base import BrokenPanel, Panel

log = logging.getLogger(__name__)
Kinds = type[Facet] | tuple[type[Facet], ...] | None
_OURS: Mapping[str, tuple[str, str, Kinds]] = {
    "frames": ("gui.panels.frames.panel:FramesPanel", "Frames", None),
    "state_graph": ("gui.panels.state_graph.panel:StateGraphPanel", "State graph", StateGraph),
    "learnings": ("gui.panels.learnings:LearningsPanel", "Learnings", Learnings),
    "score": ("gui.panels.score.panel:ScorePanel", "Score", Scores),
    "ranking": ("gui.panels.ranking.panel:RankingPanel", "Ranking", (Ranking, PolicyMixture)),
    "belief": ("gui.panels.belief.panel:BeliefPanel", "Belief", (Belief, PositionAnswers)),
    "tree": ("gui.panels.tree.panel:TreePanel", "Search tree", SearchTree),
    "blocking": ("gui.panels.blocking.panel:BlockingPanel", "Blocking tree", BlockingTree),
    "blocking_table": ("gui.panels.blocking_table:BlockingTablePanel", "Conditions", BlockingTable),
    "candidates": ("gui.panels.candidates:CandidatesPanel", "Candidates", BlockingTree),
    "simulations": ("gui.panels.simulations.panel:SimulationsPanel", "Simulations", Simulations),
    "why": ("gui.panels.why.panel:WhyPanel", "Why", None),
    "scatter": ("gui.panels.scatter.panel:ScatterPanel", "Value and visits", Ranking),
    "dictionary": ("gui.panels.dictionary.panel:DictionaryPanel", "LLM-State", (StateDictionary, StateHistory)),
    "calls": ("gui.panels.calls.panel:CallsPanel", "LLM calls", None),
    "scene": ("gui.panels.scene.panel:ScenePanel", "Scene", None),
    "goal": ("gui.panels.goal:GoalPanel", "Goal", GoalProgress),
    "program": ("gui.panels.program:ProgramPanel", "Program", Program),
    "plan": ("gui.panels.program:PlanPanel", "Plan", Steps),
    "compare": ("gui.panels.compare.panel:ComparePanel", "Compare", None),
    "log": ("gui.panels.log:LogPanel", "Log", None),
    "runs": ("gui.panels.runs:RunsPanel", "Runs", None),
    "breakpoints": ("gui.panels.breakpoints:BreakpointsPanel", "Breakpoints", None),
    "parameters": ("gui.panels.parameters:ParametersPanel", "Parameters", None),
    "facets": ("gui.panels.facet_tree:FacetTreePanel", "Other planner data", None),
}
"""Our panels by name: where the class is defined, and what is known before its module is loaded: the title of its tab, and the
kinds of facet without which it stays empty. Both equal the `title` and `facets` of the class."""
PANELS = registry.Registry("panel", "belvedere.panels", {name: row[0] for name, row in _OURS.items()},
                           titles={name: row[1] for name, row in _OURS.items()}, base=Panel)
NEEDS: Mapping[str, frozenset[type[Facet]]] = MappingProxyType(
    {name: frozenset(kinds if isinstance(kinds, tuple) else (kinds,)) for name, (_, _, kinds) in _OURS.items()
     if kinds is not None})
"""The kinds of facet without which one of our panels stays empty."""
CLAIMED: frozenset[type[Facet]] = frozenset({Frame}).union(*NEEDS.values())
"""The kinds of facet that our panels show. Other kinds are shown as a plain tree."""


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
    facets: object = frozenset() if PANELS.problem(name) else panel_class(name).facets
    return facets if isinstance(facets, frozenset) else frozenset()


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
        cls = panel_class(name)
        missing = cls.missing()
        return BrokenPanel(context, missing) if missing else cls(context)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an error in another package must not hurt the window
        return broken_panel(name, context, "cannot be made", error)


def broken_panel(name: str, context: Context, what: str, error: BaseException) -> BrokenPanel:
    """Returns the panel that replaces one of another package after an error, and writes the error to the log.

    Args:
        name: the panel's name in the registry.
        context: what the panel shares with the rest of the window.
        what: what happened to the panel, as the end of a sentence.
        error: what it raised.
    """
    package = PANELS.foreign[name].package
    log.error("the panel %s of %s %s", name, package, what, exc_info=error)
    return BrokenPanel(context, f"The panel '{name}' of {package} {what}: {type(error).__name__}: {error}. "
                                "Repair or remove that package.")
