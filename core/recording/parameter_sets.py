"""The parameter sets of the planners there are, found through their registry so that a new planner needs no line here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from core.errors import MissingPart
from core.parameters import Parameters
from core.planners.registry import PLANNERS, planner_class


def parameter_sets(extra: Iterable[type]) -> frozenset[type[Parameters]]:
    """All kinds of parameters that a recording may hold; those of planners that cannot be loaded here are left out."""
    return _registered() | {cls for cls in extra if issubclass(cls, Parameters)}


@cache
def _registered() -> frozenset[type[Parameters]]:
    found: set[type[Parameters]] = {Parameters}
    for name in PLANNERS:
        try:
            found.update(type(preset) for preset in planner_class(name).presets.values())
        except MissingPart:
            continue  # its recordings cannot be read here either, and say so
    return frozenset(found)
