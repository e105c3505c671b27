"""Counts how the code hangs together: `python -m tests.house` prints it. `test_house` holds the counts."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parent.parent
TOP = "core", "gui", "sim"
WITHOUT_PLANNERS = "core.session", "core.recording", "core.evaluation", "core.library", "gui"
"""Packages that only the registry of planners should tell of a planner."""
REGISTRIES = "core.planners.registry", "core.planners.folders"


@cache
def modules() -> Mapping[str, Path]:
    """Returns all modules with their files."""
    found = {}
    for path in (path for top in TOP for path in (ROOT / top).rglob("*.py")):
        found[".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")] = path
    return found


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Returns the modules of ours that each module imports when it is loaded or used; not those only for types."""
    found = {}
    for name, path in modules().items():
        tree = ast.parse(path.read_text("utf-8"))
        found[name] = frozenset(_imported(tree.body)) & modules().keys() - {name}
    return found


def _imported(nodes: Iterable[ast.stmt]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for full in (f"{module}.{alias.name}" for alias in names):
                    yield full if full in modules() else module
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=others):
                yield from _imported(others)
            case ast.If() | ast.Try() | ast.With() | ast.FunctionDef() | ast.ClassDef():
                yield from _imported(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
            case _:
                pass


def circles() -> list[list[str]]:
    """Returns the groups of modules that import one another, also within functions."""
    graph = nx.DiGraph([(name, other) for name, others in imports().items() for other in others])
    return [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]


def leaks() -> dict[str, list[str]]:
    """Returns the modules that import a planner though only the registry should, each with what it imports."""
    found = {name: sorted(other for other in others if other.startswith("core.planners.") and other not in REGISTRIES)
             for name, others in imports().items() if name.startswith(WITHOUT_PLANNERS)}
    return {name: others for name, others in found.items() if others}


def fan_out(module: str) -> int:
    """Returns how many modules of ours a module imports."""
    return len(imports()[module])


def facet_modules() -> dict[str, list[str]]:
    """Returns, for each class of facets, the modules that name it: its own and those that import it from there."""
    trees = {name: ast.parse(path.read_text("utf-8")) for name, path in modules().items()}
    found = {(name, node.name): [name] for name, tree in trees.items() for node in tree.body if isinstance(node, ast.ClassDef)
             and any(isinstance(base, ast.Name) and base.id == "Facet" for base in node.bases)}
    for name, tree in trees.items():
        taken = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        for known in (found.get((str(node.module), alias.name)) for node in taken for alias in node.names):
            if known is not None and name not in known:
                known.append(name)
    return {cls: sorted(names) for (_, cls), names in sorted(found.items(), key=lambda item: -len(item[1]))}


def places(text: str) -> list[str]:
    """Returns the modules of core and gui whose code holds a text."""
    return sorted(name for name, path in modules().items() if text in path.read_text("utf-8"))


def lines() -> dict[str, int]:
    """Returns the lines of each package, and of all."""
    found = {top: sum(len(path.read_text("utf-8").splitlines()) for path in (ROOT / top).rglob("*.py")) for top in TOP}
    return {**found, "all": sum(found.values())}


def main() -> int:
    """Prints all counts."""
    told = leaks()
    print("lines", lines())
    print("circles", circles())
    print("modules that import a planner", len(told), *(f"\n  {name}: {', '.join(others)}" for name, others in told.items()))
    named = facet_modules()
    print("modules that name a facet", sum(map(len, named.values())), {cls: len(names) for cls, names in named.items()})
    print("fan-out", {module: fan_out(module) for module in ("gui.app", "core.session.session")})
    print("loops over a planner's generator", places("thought.send("))
    return 0


if __name__ == "__main__":
    sys.exit(main())
