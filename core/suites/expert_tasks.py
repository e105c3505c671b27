"""The tasks of the expert set: how they are drawn, and which kinds of task are in it and which are novel.

A part is (class of object, class of furniture); the kind of a task is the sorted tuple of its parts, one per object.
Source: Zhao et al., section 3.1 (Data) and appendix A.2.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

import numpy as np

from core.common.installation import RESOURCES
from core.goals.literals import Literal
from core.planning.trajectories import field_of, literals, read_lines
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, Observation

PLACINGS = RESOURCES / "scenes" / "placings.json"
"""Class of object -> furniture where it usually is. Used only to draw tasks. Planners and providers must not read it."""
TASKS = RESOURCES / "expert" / "tasks.jsonl.gz"
"""The tasks of the expert set, made by `examples expert make` with its defaults."""
SEEN_HOMES = ("four-rooms-1", "four-rooms-2")
"""The homes of the expert set. Those marked unseen are never in it."""
PASSED_OVER = frozenset({"sink", "coffee_machine", "toaster"})
"""Furniture that is never a goal, because objects stay there only for a moment."""
DOUBLES = 0.1
"""Probability that a further object of a composed task is a second one of the last class."""

Part = tuple[str, str]
Kind = tuple[Part, ...]


def kind_of(goal: Iterable[Literal]) -> Kind:
    """Returns the kind of a goal: its parts, sorted, each as often as its count."""
    return kind_of_parts((x.subject, x.target or "") for x in goal for _ in range(x.count))


def kind_of_parts(parts: Iterable[Part]) -> Kind:
    """Returns the kind of a task with these parts."""
    return tuple(sorted(parts))


@dataclass(frozen=True)
class ExpertKinds:
    """What the expert set contains.

    Attributes:
        kinds: the kinds of all its tasks.
        parts: the parts of these tasks.
        subjects: the classes of objects that are moved.
        targets: the classes of furniture they are moved to.
    """

    kinds: frozenset[Kind]
    parts: frozenset[Part]
    subjects: frozenset[str]
    targets: frozenset[str]

    @classmethod
    def of(cls, kinds: Iterable[Kind]) -> ExpertKinds:
        """Returns the contents of a set with tasks of these kinds."""
        known = frozenset(kinds)
        parts = frozenset(chain.from_iterable(known))
        return cls(known, parts, frozenset(s for s, _ in parts), frozenset(t for _, t in parts))

    def is_novel(self, kind: Kind) -> bool:
        """Returns True if no task of the set is of this kind, although each object and each piece of furniture occurs in it."""
        return bool(kind) and kind not in self.kinds and all(s in self.subjects and t in self.targets for s, t in kind)

    @cached_property
    def _by_size(self) -> Mapping[int, tuple[Kind, ...]]:
        return {size: tuple(sorted(kind for kind in self.kinds if len(kind) == size)) for size in {len(k) for k in self.kinds}}

    def of_size(self, size: int) -> tuple[Kind, ...]:
        """Returns the kinds with so many objects, sorted."""
        return self._by_size.get(size, ())


@lru_cache(1)
def expert_kinds(path: Path = TASKS) -> ExpertKinds:
    """Returns what the shipped expert set contains.

    Raises:
        DataError: the file of its tasks is damaged.
    """
    return ExpertKinds.of(kind_of(literals(field_of(line, where).field("goal"))) for line, where in read_lines(path))


@lru_cache(1)
def _usual() -> Mapping[str, tuple[str, ...]]:
    table = json.loads(PLACINGS.read_text(encoding="utf-8"))
    return {cls: tuple(places) for cls, places in table.items()}


def usual_parts(world: Observation) -> tuple[Part, ...]:
    """Returns the parts that are possible in a home and usual: the object often is at such furniture."""
    places = places_of(world)
    return tuple((cls, place) for cls in objects_of(world) for place in places if place in _usual().get(cls, ()))


def objects_of(world: Observation) -> Counter[str]:
    """Returns the classes of objects that can be moved, in alphabetical order, with their numbers."""
    return Counter(sorted(e.cls for e in world.entities if e.category == "object" and GRABBABLE in e.properties))


def places_of(world: Observation) -> dict[str, bool]:
    """Returns the classes of furniture that objects can be brought to, and whether they go inside."""
    furniture = sorted((e.cls, CONTAINER in e.properties) for e in world.entities
                       if e.category == "furniture" and {SURFACE, CONTAINER} & e.properties and e.cls not in PASSED_OVER)
    return dict(furniture)


def composed(options: Mapping[str, tuple[str, ...]], have: Mapping[str, int], size: int,
             rng: np.random.Generator) -> tuple[Part, ...]:
    """Returns random parts for `size` objects of different classes, sometimes two of one class; () if the classes run out.

    Args:
        options: class of object -> furniture it may be brought to. Each class has the same probability.
        have: the number of objects of each class.
        size: the number of objects.
        rng: the random numbers.
    """
    classes, found = sorted(cls for cls in options if options[cls]), list[Part]()
    while len(found) < size:
        last = found[-1] if found else None
        if last and found.count(last) == 1 and have[last[0]] > 1 and rng.random() < DOUBLES:
            found.append(last)
            continue
        free = [cls for cls in classes if all(cls != subject for subject, _ in found)]
        if not free:
            return ()
        cls = free[int(rng.integers(len(free)))]
        found.append((cls, options[cls][int(rng.integers(len(options[cls])))]))
    return tuple(found)


def by_subject(parts: Iterable[Part]) -> dict[str, tuple[str, ...]]:
    """Returns class of object -> its furniture, in alphabetical order."""
    found: dict[str, list[str]] = {}
    for subject, target in sorted(parts):
        found.setdefault(subject, []).append(target)
    return {subject: tuple(targets) for subject, targets in found.items()}


def literals_of(parts: Iterable[Part], places: Mapping[str, bool]) -> tuple[Literal, ...]:
    """Returns parts as literals. `places`: class of furniture -> whether objects go inside."""
    return tuple(Literal("inside" if places[target] else "on", subject, target, count)
                 for (subject, target), count in Counter(parts).items())
