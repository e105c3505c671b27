"""The suites by name: ours, each in its planner's folder, and those of other packages (entry points of belvedere.suites)."""

from __future__ import annotations

from typing import cast

from core.common import registry
from core.suites.suite import Suite

SUITES = registry.Registry("suite", "belvedere.suites", {
    "blocking": "core.planners.bcr.suite:Blocking",
    "rearrangement": "core.planners.llm_mcts.suite:Rearrangement",
    "llm-state": "core.planners.llm_state.suite:LlmStateSuite",
    "scienceworld": "core.planners.neoplanner.suite:ScienceWorld",
    "decision-complexity": "core.planners.decision_lab.suite:DecisionComplexity",
    "flight-routes": "core.planners.decision_lab.suite:FlightRoutes",
}, base=Suite)


def suite(name: str) -> Suite:
    """Returns a suite by name.

    Raises:
        UsageError: there is no such suite.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Suite], SUITES.load(name))()
