"""The planners: ours, each declared by its folder, and those of other packages (entry points of belvedere.planners)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

from core.common import registry
from core.common.errors import MissingPart, UsageError
from core.common.parameters import Parameters, Value, changed
from core.planners.folders import folders, targets, titles

if TYPE_CHECKING:
    from core.planning.facets import Facet
    from core.planning.planner import Planner

PAIR = re.compile(r"\+(?=[A-Za-z_]\w*=)")
"""What stands before each parameter; not the plus in 1e+5."""
PLANNERS = registry.Registry("planner", "belvedere.planners", targets(lambda folder: folder.planners),
                             titles=titles(lambda folder: folder.planners), base="core.planning.planner:Planner")


def recorded_modules() -> tuple[str, ...]:
    """Returns the modules in which our planners define the facets and facts that they add to recordings."""
    modules = (f"{package}.recorded_types" for package in folders())
    return tuple(module for module in modules if find_spec(module) is not None)


@cache
def facet_kinds() -> tuple[type[Facet], ...]:
    """Returns the kinds of facet of ours: those of any planner, then those that a single one adds."""
    from core.planning.facet_kinds import SHARED, facets_in  # imported here: a start needs no facets

    return (*SHARED, *(kind for module in recorded_modules() for kind in facets_in(import_module(module))))


def planner_of(module: str) -> str:
    """Returns the title of the planner of ours in whose folder a module is; empty if it is in none."""
    folder = folders().get(module.rpartition(".")[0])
    return "" if folder is None else folder.planners[0].title


def planner_class(name: str) -> type[Planner]:
    """Returns the class of a planner.

    Raises:
        UsageError: there is no such planner.
        MissingPart: it needs a package that is not installed.
    """
    return cast("type[Planner]", PLANNERS.load(name))


@dataclass(frozen=True, slots=True)
class Choice:
    """A planner as commands, plans and tables name it: `planner[:preset][+name=value …]`.

    Attributes:
        preset: empty: the default.
        settings: single parameters, which override the preset.
    """

    planner: str
    preset: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def parted(text: str) -> Choice:
    """Returns the parts of the text that names a planner, of whatever form it is: a table may come from elsewhere."""
    head, *pairs = PAIR.split(text)
    planner, _, preset = head.partition(":")
    return Choice(planner, preset, tuple((name, value) for name, _, value in (pair.partition("=") for pair in pairs)))


def read_choice(text: str) -> Choice:
    """Returns the planner that a text names. Whether there is such a planner is not checked.

    Raises:
        UsageError: the text has another form.
    """
    choice = parted(text)
    if not choice.planner or "+" in choice.planner + choice.preset:
        raise UsageError(f"planner '{text}': write planner:preset+name=value, such as llm-mcts:tuned+simulations=25")
    return choice


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


def contestant(name: str, parameters: Parameters) -> str:
    """Returns a planner as `planner:preset+name=value`, with the preset that differs least from the parameters."""
    if name not in PLANNERS or PLANNERS.problem(name):
        return name
    mine, rows = vars(parameters), []
    for preset, values in planner_class(name).presets.items():
        if type(values) is type(parameters):
            rows.append((preset, [f"+{key}={value}" for key, value in mine.items() if value != vars(values)[key]]))
    if not rows:
        return name
    preset, other = min(rows, key=lambda row: len(row[1]))
    return f"{name}:{preset}{''.join(other)}"
