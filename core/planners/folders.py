"""What a planner's folder holds. It declares its planners and suites in its `__init__.py`, and nothing else names them."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType

PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Part:
    """A planner or a suite.

    Attributes:
        name: as commands name it.
        title: what people call it before it is loaded; equal to the `title` of its class. Empty: its name.
        target: where its class is: "module:class" within the folder.
        rank: its place in lists, which are sorted by it.
    """

    name: str
    title: str
    target: str
    rank: int


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder declares as `FOLDER`."""

    planners: tuple[Part, ...]
    suites: tuple[Part, ...] = ()


@cache
def folders() -> Mapping[str, Folder]:
    """Returns the folders beside this module that declare something, by their packages, in the order of lists.

    Only their `__init__.py` is imported.
    """
    packages = (f"{PACKAGE}.{found.name}" for found in pkgutil.iter_modules(import_module(PACKAGE).__path__) if found.ispkg)
    declared = {package: vars(import_module(package)).get("FOLDER") for package in packages}
    found = [(package, folder) for package, folder in declared.items() if isinstance(folder, Folder)]
    return MappingProxyType(dict(sorted(found, key=lambda one: min(part.rank for part in one[1].planners))))


def targets(parts: Callable[[Folder], tuple[Part, ...]]) -> Mapping[str, str]:
    """Returns where the classes of parts of one kind are, as "module:class", by name, in the order of lists."""
    return MappingProxyType({part.name: f"{package}.{part.target}" for package, part in _ranked(parts)})


def titles(parts: Callable[[Folder], tuple[Part, ...]]) -> Mapping[str, str]:
    """Returns the titles of parts of one kind by their names."""
    return MappingProxyType({part.name: part.title for _, part in _ranked(parts) if part.title})


def _ranked(parts: Callable[[Folder], tuple[Part, ...]]) -> Iterator[tuple[str, Part]]:
    found = [(package, part) for package, folder in folders().items() for part in parts(folder)]
    yield from sorted(found, key=lambda one: (one[1].rank, one[1].name))
