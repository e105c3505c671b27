"""The planners there are. A new one is one file and one line here."""

from __future__ import annotations

from typing import cast

from core import registry
from core.planner import Planner

PLANNERS = {
    "oracle": "core.planners.oracle:Oracle",
}


def make_planner(name: str) -> Planner:
    """A planner by name.

    Raises:
        UsageError: no such planner.
        MissingPart: it needs a package that is not installed.
    """
    return cast(type[Planner], registry.load("planner", name, PLANNERS))()
