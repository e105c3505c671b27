"""Makes thor_parents.json: on and in what the movable things of AI2-THOR's rooms lie, counted room by room.

    python resources/priors/build_priors.py

The source is resources/scenes/ithor_scenes.json.gz: object metadata of the 120 iTHOR rooms and the 75 RoboTHOR apartments
(Apache-2.0,
Allen Institute for AI). Counts are kept per room, so that a room that is being played can be left out of its own prior.
ProcTHOR's
receptacles.json adds nothing to them: its counts are sums over these same rooms, and sums cannot leave one out (checked by
`--compare receptacles.json`, which prints the largest difference).

VirtualHome's placings fill the four-room homes; they are not read here, nor by anything that answers questions.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCENES = HERE.parent / "scenes" / "ithor_scenes.json.gz"
FIRST = {"kitchens": ("kitchen", 1), "living_rooms": ("living_room", 201), "bedrooms": ("bedroom", 301),
         "bathrooms": ("bathroom", 401), "robothor": ("living_room", 1)}
"""Group of the file -> (room class, number of its first room). RoboTHOR's apartments have no room kinds."""
Count = tuple[str, str, int]


def snake(kind: str) -> str:
    """AI2-THOR's type as our class: `TVStand` -> `tv_stand`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()


def parents(objects: list[dict[str, Any]]) -> list[Count]:
    """(type, type of what it lies on or in, how many) of one room."""
    counts: Counter[tuple[str, str]] = Counter()
    for thing in objects:
        if thing["pickupable"]:
            for parent in thing["parentReceptacles"] or ():
                counts[snake(thing["objectType"]), snake(parent.split("|")[0])] += 1
    return [(kind, parent, n) for (kind, parent), n in sorted(counts.items())]


def read_rooms(path: Path) -> dict[str, dict[str, Any]]:
    """Room name -> its class and counts."""
    groups = json.loads(gzip.decompress(path.read_bytes()))
    rooms = {}
    for group, (cls, first) in FIRST.items():
        for k, objects in enumerate(groups[group]):
            name = f"RoboTHOR{k + 1}" if group == "robothor" else f"FloorPlan{first + k}"
            rooms[name] = {"class": cls, "parents": parents(objects)}
    return rooms


def compare(rooms: dict[str, dict[str, Any]], receptacles: Path) -> str:
    """How ProcTHOR's sums differ from ours."""
    ours: Counter[tuple[str, str]] = Counter()
    for room in rooms.values():
        for kind, parent, n in room["parents"]:
            ours[parent, kind] += n
    theirs = {(snake(p), snake(k)): int(v["count"]) for p, kinds in json.loads(receptacles.read_text()).items()
              for k, v in kinds.items()}
    worst = sorted(theirs, key=lambda pair: -abs(theirs[pair] - ours[pair]))[:10]
    return "\n".join(f"{k} at {p}: ProcTHOR {theirs[p, k]}, here {ours[p, k]}" for p, k in worst)


def main() -> int:
    """Write the file, or compare."""
    parser = argparse.ArgumentParser(description="Count where things lie in AI2-THOR's rooms.")
    parser.add_argument("--compare", type=Path, help="ProcTHOR's receptacles.json (package procthor 0.0.1.dev2, Apache-2.0)")
    arguments = parser.parse_args()
    rooms = read_rooms(SCENES)
    if arguments.compare:
        sys.stdout.write(compare(rooms, arguments.compare) + "\n")
        return 0
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(room, separators=(',', ':'))}" for name, room in rooms.items())
    (HERE / "thor_parents.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
