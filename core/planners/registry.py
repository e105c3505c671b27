"""The registry of planners. A new planner is a package and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from core.common import registry
from core.common.errors import MissingPart, UsageError
from core.common.parameters import Value, changed
from core.planning.planner import Planner

PLANNERS = {
    "oracle": "core.planners.baselines.oracle:Oracle",
    "llm-mcts": "core.planners.llm_mcts.planner:LlmMcts",
    "llm-mcts-fully-observable": "core.planners.llm_mcts.planner:LlmMctsFullyObservable",
    "uct": "core.planners.baselines.uct:Uct",
    "llm-policy": "core.planners.baselines.llm_policy:LlmPolicy",
    "bcr": "core.planners.bcr.planner:Bcr",
    "llm-state": "core.planners.llm_state.planner:LlmState",
    "neoplanner": "core.planners.neoplanner.planner:NeoPlanner",
    "greedy": "core.planners.baselines.greedy:Greedy",
    "progprompt": "core.planners.progprompt.planner:ProgPrompt",
    "ff-replan": "core.planners.ff_replan.planner:FfReplan",
    "inner-monologue": "core.planners.inner_monologue.planner:InnerMonologue",
}


def planner_class(name: str) -> type[Planner]:
    """Returns the class of a planner.

    Raises:
        UsageError: there is no such planner.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Planner], registry.load("planner", name, PLANNERS))


def make_planner(name: str, preset: str = "", settings: Mapping[str, Value] | None = None) -> Planner:
    """Returns a planner with a preset's parameters, some of them replaced.

    Args:
        name: its name in the registry.
        preset: the name of the preset; empty: the default.
        settings: parameter -> value.

    Raises:
        UsageError: there is no such planner, preset or parameter.
        MissingPart: it needs a package that is not installed.
    """
    cls = planner_class(name)
    if missing := cls.missing():
        raise MissingPart(missing)
    if preset and preset not in cls.presets:
        hint = registry.near_misses(preset, cls.presets) or f"; there is {', '.join(cls.presets)}"
        raise UsageError(f"planner '{name}' has no preset '{preset}'{hint}")
    parameters = cls.presets[preset] if preset else next(iter(cls.presets.values()))
    return cls(changed(parameters, settings or {}))
