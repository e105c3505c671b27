"""The registry of panels: our own, those of other packages, and one for each kind of facet that none of them claims.

Panels of other packages are entry points of the group `belvedere.panels`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import cast

from core.common import registry
from core.planning.belief_facets import Belief, PositionAnswers
from core.planning.facets import Facet, Frame, GoalProgress, Grounded, Plan
from core.planning.search_facets import PolicyMixture, Ranking, SearchTree
from core.planning.simulation_facets import Margins, Simulations, SimulationSteps
from core.recording.types import FACETS, registered_facets
from gui.control.context import Context
from gui.panels.base import BrokenPanel, Panel
from gui.panels.view_panel import ViewPanel, panel_for

log = logging.getLogger(__name__)
Kinds = type[Facet] | tuple[type[Facet], ...] | None
_OURS: Mapping[str, tuple[str, str, Kinds]] = {
    "frames": ("gui.panels.frames.panel:FramesPanel", "Frames", None),
    "ranking": ("gui.panels.ranking:RankingPanel", "Ranking", (Ranking, PolicyMixture)),
    "belief": ("gui.panels.belief.panel:BeliefPanel", "Belief", (Belief, PositionAnswers)),
    "tree": ("gui.panels.tree.panel:TreePanel", "Search tree", SearchTree),
    "simulations": ("gui.panels.simulations:SimulationsPanel", "Simulations", Simulations),
    "why": ("gui.panels.why.panel:WhyPanel", "Why", None),
    "scatter": ("gui.panels.scatter.panel:ScatterPanel", "Value and visits", Ranking),
    "calls": ("gui.panels.calls.panel:CallsPanel", "LLM calls", None),
    "scene": ("gui.panels.state_panels:ScenePanel", "Scene", None),
    "goal": ("gui.panels.state_panels:GoalPanel", "Goal", GoalProgress),
    "compare": ("gui.panels.compare.panel:ComparePanel", "Compare", None),
    "log": ("gui.panels.log:LogPanel", "Log", None),
    "runs": ("gui.panels.runs:RunsPanel", "Runs", None),
    "breakpoints": ("gui.panels.breakpoints:BreakpointsPanel", "Breakpoints", None),
    "parameters": ("gui.panels.parameters:ParametersPanel", "Parameters", None),
}
"""Our panels by name: where the class is defined, and what is known before its module is loaded: the title of its tab, and the
kinds of facet without which it stays empty. Both equal the `title` and `facets` of the class."""
_KINDS: Mapping[str, tuple[type[Facet], ...]] = MappingProxyType(
    {name: kinds if isinstance(kinds, tuple) else (kinds,) for name, (_, _, kinds) in _OURS.items() if kinds is not None})
NEEDS: Mapping[str, frozenset[type[Facet]]] = MappingProxyType({name: frozenset(kinds) for name, kinds in _KINDS.items()})
"""The kinds of facet without which one of our panels stays empty."""
CLAIMED: frozenset[type[Facet]] = frozenset({Frame}).union(*NEEDS.values())
"""The kinds of facet that our panels show. Each other kind has a panel made from its view."""
DRAWN_WITHIN: frozenset[type[Facet]] = frozenset({Plan, Grounded, SimulationSteps, Margins})
"""Kinds that our panels and the timeline draw among other things, and that therefore have no panel of their own."""


class PanelRegistry(registry.Registry):
    """The panels by name. Kinds of facet that no panel claims have one made from their view, named by their class."""

    @cached_property
    def derived(self) -> Mapping[str, type[ViewPanel]]:
        """The panels made from views, by name."""
        found: dict[str, type[ViewPanel]] = {}
        kinds = (*FACETS, *registered_facets())
        beside = {other for kind in kinds for panel in kind.panels for other in panel.beside}
        claimed = CLAIMED | DRAWN_WITHIN | claimed_by_others() | beside
        for kind in kinds:
            own = [panel_for(kind, *panel.beside, panel=panel) for panel in kind.panels]
            for cls in own or ([] if kind in claimed else [panel_for(kind)]):
                if self.is_declared(cls.name) or cls.name in found:
                    cls.name = f"{cls.name}_facet"
                found[cls.name] = cls
        return MappingProxyType(found)

    def is_declared(self, name: object) -> bool:
        """Returns whether a panel of this name is ours or another package's, not made from a view."""
        return name in self.ours or name in self.foreign

    def of_others(self) -> Iterator[str]:
        """Yields the names of the panels of other packages, and of those made for their facets."""
        yield from self.foreign
        yield from (name for name, cls in self.derived.items() if cls.facets.isdisjoint(FACETS))

    def __contains__(self, name: object) -> bool:
        return self.is_declared(name) or name in self.derived

    def __getitem__(self, name: str) -> str:
        if self.is_declared(name) or name not in self.derived:
            return super().__getitem__(name)
        return f"{ViewPanel.__module__}:{ViewPanel.__name__}"

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from self.derived

    def __len__(self) -> int:
        return super().__len__() + len(self.derived)

    def load(self, name: str) -> object:
        """Returns the class of a panel."""
        return super().load(name) if self.is_declared(name) or name not in self.derived else self.derived[name]

    def title(self, name: str) -> str:
        """Returns the title of a panel."""
        return super().title(name) if self.is_declared(name) or name not in self.derived else self.derived[name].title

    def package(self, name: str) -> str:
        """Returns the package that a panel comes from."""
        return self.foreign[name].package if name in self.foreign else "Belvedere"


PANELS = PanelRegistry("panel", "belvedere.panels", {name: row[0] for name, row in _OURS.items()},
                       titles={name: row[1] for name, row in _OURS.items()}, base=Panel)


def needs(name: str) -> frozenset[type[Facet]]:
    """Returns the kinds of facet without which a panel stays empty, or an empty set if it needs none.

    Args:
        name: the panel's name in the registry.
    """
    return NEEDS.get(name, frozenset()) if name in PANELS.ours else _claimed(name)


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
    package = PANELS.package(name)
    log.error("the panel %s of %s %s", name, package, what, exc_info=error)
    return BrokenPanel(context, f"The panel '{name}' of {package} {what}: {type(error).__name__}: {error}. "
                                "Repair or remove that package.")
