"""Brings action_numbers.json up to date: the numbers that LeRobot datasets give verbs and classes of things.

    python resources/export/build_action_numbers.py

Verbs are read from the action schemas of every simulator that is installed, in every setting that changes them; classes from
what is in their scenes. What has a number keeps it: new names are added at the end, and none is ever removed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.common.errors import DataError, MissingPart
from core.simulator.base import Simulator
from sim.registry import SIMULATORS, simulator_class

FILE = Path(__file__).with_name("action_numbers.json")
SETTINGS: dict[str, tuple[dict[str, str], ...]] = {
    "household": ({}, {"seeing": "camera"}), "virtualhome-graph": ({}, {"rules": "package"}),
    "scienceworld": ({}, {"simplification": "easy"}), "decision-lab": ({},),
}
"""Simulators whose scenes can be opened without a player, and the settings in which their verbs differ."""
SEEDS = {"household": 3}
"""Draws over which classes are gathered, where what a scene holds is drawn."""
FIRST_SCENES = {"scienceworld": 1}
"""Scenes that are opened, where not all are: ScienceWorld names things in words, which have no classes."""


def main() -> None:
    """Add what is new, and say what that was."""
    table = json.loads(FILE.read_text("utf-8")) if FILE.is_file() else {"verbs": [], "classes": []}
    verbs: list[str] = []
    classes: set[str] = set()
    for name in (name for name in SIMULATORS if name in SETTINGS):
        try:
            for found, things in _scenes(name):
                verbs += found
                classes |= things
        except MissingPart as error:
            sys.stderr.write(f"left out: {error}\n")
    added = {"verbs": _new(table["verbs"], verbs), "classes": _new(table["classes"], sorted(classes))}
    FILE.write_text(json.dumps({key: table[key] + added[key] for key in added}, indent=1) + "\n", "utf-8")
    sys.stdout.writelines(f"{key}: {len(names)} added: {', '.join(names)}\n" for key, names in added.items())


def _scenes(name: str) -> Iterator[tuple[list[str], set[str]]]:
    """Verbs, and classes of things, of each scene in each setting."""
    cls = simulator_class(name)
    if missing := cls.missing():
        raise MissingPart(missing)
    for place, (scene, _) in enumerate(cls.scenes()[:FIRST_SCENES.get(name)]):
        for options in SETTINGS[name][:None if place == 0 else 1]:
            try:
                with cls.open(scene, options) as world:
                    yield [schema.verb for schema in world.schemas], _classes(world, SEEDS.get(name, 1))
            except DataError as error:  # some of VirtualHome's own apartments are damaged
                sys.stderr.write(f"left out: {error}\n")


def _classes(world: Simulator, seeds: int) -> set[str]:
    """Classes of all that is there."""
    found: set[str] = set()
    for seed in range(seeds) if world.kind == "rooms" else ():
        world.reset(seed)
        found |= {entity.cls for entity in world.reveal().entities}
    return found


def _new(known: Iterable[str], found: Iterable[str]) -> list[str]:
    """The names that have no number yet, each once, in the order they were found."""
    taken = set(known)
    return [name for name in dict.fromkeys(found) if name not in taken]


if __name__ == "__main__":
    main()
