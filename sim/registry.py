"""The simulators: ours, and those of other packages (entry points of the group belvedere.simulators)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from core.common import registry

if TYPE_CHECKING:
    from core.simulator.base import Simulator

SIMULATORS = registry.Registry("simulator", "belvedere.simulators", {
    "household": "sim.household.simulator:HouseholdSimulator",
    "virtualhome-graph": "sim.virtualhome.graph.simulator:VirtualHomeGraph",
    "virtualhome-unity": "sim.virtualhome.unity.simulator:VirtualHomeUnity",
    "thor": "sim.thor.simulator:ThorSimulator",
    "scienceworld": "sim.scienceworld.simulator:ScienceWorldSimulator",
    "decision-lab": "sim.decision_lab.simulator:DecisionLab",
}, base="core.simulator.base:Simulator")


def simulator_class(name: str) -> type[Simulator]:
    """Returns the class of a simulator by name.

    Raises:
        UsageError: no such simulator.
        MissingPart: it needs a package that is not installed.
    """
    return cast("type[Simulator]", SIMULATORS.load(name))
