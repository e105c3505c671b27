"""The simulators. A new one is one file and one line here."""

from __future__ import annotations

from typing import cast

from core.common import registry
from core.simulator.base import Simulator

SIMULATORS = {
    "household": "sim.household.simulator:HouseholdSimulator",
    "virtualhome-graph": "sim.virtualhome.graph.simulator:VirtualHomeGraph",
    "virtualhome-unity": "sim.virtualhome.unity.simulator:VirtualHomeUnity",
    "thor": "sim.thor.simulator:ThorSimulator",
    "scienceworld": "sim.scienceworld.simulator:ScienceWorldSimulator",
}


def simulator_class(name: str) -> type[Simulator]:
    """Returns the class of a simulator by name.

    Raises:
        UsageError: no such simulator.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Simulator], registry.load("simulator", name, SIMULATORS))
