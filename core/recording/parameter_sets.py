"""The parameter sets of the planners there are, found through their registry so that a new planner needs no line here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import cast

from core.errors import MissingPart
from core.parameters import Parameters
from core.planner import Planner
from core.registry import load

TABLES = {"planners": "core.planners.registry:PLANNERS"}
"""Loaded only when some are met: whoever reads a recording need not know planners."""


def parameter_sets(extra: Iterable[type]) -> frozenset[type[Parameters]]:
    """All kinds of parameters that a recording may hold; those of planners that cannot be loaded here are left out."""
    return _registered() | {cls for cls in extra if issubclass(cls, Parameters)}


@cache
def _registered() -> frozenset[type[Parameters]]:
    found: set[type[Parameters]] = {Parameters}
    planners = cast(Mapping[str, str], load("table", "planners", TABLES))
    for name in planners:
        try:
            planner = cast(type[Planner], load("planner", name, planners))
            found.update(type(preset) for preset in planner.presets.values())
        except MissingPart:
            continue  # its recordings cannot be read here either, and say so
    return frozenset(found)
