"""The parameter classes of all planners, found through the registry so that a new planner needs no line here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from core.common.errors import MissingPart
from core.common.parameters import Parameters
from core.common.registry import load
from core.planning.planner import Planner

TABLES = {"planners": "core.planners.registry:PLANNERS"}
"""Loaded only if parameters occur: reading a recording does not require the planners."""


@cache
def is_parameter_set(cls: type) -> bool:
    """Returns True if a class is the parameters of a registered planner."""
    return issubclass(cls, Parameters) and (cls is Parameters or any(cls in _sets(name) for name in _names()))


def parameter_set(name: str) -> type[Parameters] | None:
    """Returns the parameter class with a name; None if no planner that can be loaded here has it."""
    return next((cls for planner in _names() for cls in _sets(planner) if cls.__name__ == name), None)


def _names() -> Iterator[str]:
    """Yields planners, those with loaded modules first. Loading all takes a second, and a run needs only its own."""
    planners = _planners()
    yield from sorted(planners, key=lambda name: planners[name].split(":")[0] not in sys.modules)


@cache
def _planners() -> Mapping[str, str]:
    return cast(Mapping[str, str], load("table", "planners", TABLES))


@cache
def _sets(name: str) -> frozenset[type[Parameters]]:
    try:
        planner = cast(type[Planner], load("planner", name, _planners()))
    except MissingPart:
        return frozenset()  # its recordings cannot be read here either; the error says so
    return frozenset(type(preset) for preset in planner.presets.values())
