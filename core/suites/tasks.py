"""Draws tasks from the content of a scene: rearrangement of one to three objects, and work with appliances.

A task is a sentence and its goal. Drawn tasks are possible without clearing anything away first, and no literal is reached at
the start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.common.errors import DataError
from core.goals.literals import Goal, Literal
from core.goals.progress import progress, satisfying
from core.goals.vocabulary import SPOKEN, plural_of
from core.simulator.base import Simulator
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    COOKABLE,
    CUTS,
    HEATS,
    OPENABLE,
    RINSES,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Entity,
    Observation,
    spaced,
)

TRIES = 400
MOST_THINGS = 3
PAIRED = frozenset({"glasses", "boots", "slippers", "shoes", "clothes_pants", "pants", "headphones"})
"""Classes of which one entity is a pair."""
COUNT_WORDS = {1: "one", 2: "two", 3: "three"}
STATE_VERBS = {"sliced": "slice", "cooked": "cook", "clean": "wash", "filled": "fill", "open": "open", "closed": "close",
               "on": "switch on", "off": "switch off"}


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a literal is drawn from.

    Attributes:
        world: everything in the scene.
        rng: draws.
        places: returns the classes of furniture where an object of a class may go; None: anywhere.
    """

    world: Observation
    rng: np.random.Generator
    places: Callable[[str], Sequence[str]] | None = None

    def pick(self, options: list[str]) -> str | None:
        """Returns one of the options, each with equal probability; None if there are none."""
        return options[int(self.rng.integers(len(options)))] if options else None

    def classes(self, test: Callable[[Entity], bool]) -> list[str]:
        """Returns the classes with at least one entity that passes the test, in a fixed order."""
        return sorted({e.cls for e in self.world.entities if test(e)})

    def has(self, flag: str) -> bool:
        """Returns True if an entity here has the property."""
        return any(flag in e.properties for e in self.world.entities)


def draw_task(simulator: Simulator, seed: int, places: Callable[[str], Sequence[str]] | None = None) -> Goal:
    """Returns a task for the simulator's present state. The same seed gives the same task.

    Args:
        simulator: the world.
        seed: chooses the task.
        places: returns the classes of furniture where an object of a class may go; None: anywhere.

    Raises:
        DataError: no task is possible in this scene.
    """
    drawing = Drawing(simulator.reveal(), np.random.default_rng((seed, 77)), places)
    for _ in range(TRIES):
        literals = _draw(drawing)
        if literals and _unlike(literals) and sum(x.count for x in literals) <= MOST_THINGS:
            goal = Goal(literals, sentence(literals))
            if not any(p.reached for p in progress(goal, drawing.world)) and simulator.possible(goal, tidy=True):
                return goal
    raise DataError("no task can be drawn in this scene: it needs things to carry and places to put them")


def _draw(drawing: Drawing) -> tuple[Literal, ...]:
    kind = drawing.rng.random()
    if kind < 0.25:
        literal = _work(drawing)
        return (literal,) if literal else ()
    count = 1 if kind < 0.6 else 2 if kind < 0.85 else 3
    found = [_placement(drawing) for _ in range(count)]
    return tuple(x for x in found if x is not None)


def _unlike(literals: tuple[Literal, ...]) -> bool:
    return len({x.subject for x in literals}) == len(literals)


def _placement(drawing: Drawing) -> Literal | None:
    subject = drawing.pick(drawing.classes(lambda e: e.category == "object"))
    allowed = drawing.places(subject or "") if drawing.places is not None else None
    target = drawing.pick(drawing.classes(lambda e: bool(e.properties & {CONTAINER, SURFACE}) and e.category == "furniture"
                                          and (allowed is None or e.cls in allowed)))
    if subject is None or target is None:
        return None
    relation = "inside" if any(e.cls == target and CONTAINER in e.properties for e in drawing.world.entities) else "on"
    there = Counter(e.cls for e in drawing.world.entities)[subject]
    count = 2 if there >= 2 and drawing.rng.random() < 0.1 else 1
    return Literal("inside" if relation == "inside" else "on", subject, target, count)


def _work(drawing: Drawing) -> Literal | None:
    """Returns a literal for one object sliced, cooked, cleaned or filled, or one piece of furniture opened or switched."""
    flags = {"sliced": (SLICEABLE, CUTS), "cooked": (COOKABLE, HEATS), "clean": (WASHABLE, RINSES), "filled": ("", BREWS),
             "open": (OPENABLE, ""), "on": (SWITCHABLE, "")}
    state = drawing.pick(list(flags))
    own, other = flags[state or ""]
    if other and not drawing.has(other):
        return None

    def suits(entity: Entity) -> bool:
        if state == "filled":
            return entity.cls in ("mug", "cup")
        return own in entity.properties and (entity.category == "furniture") == (state in ("open", "on"))

    subject = drawing.pick(drawing.classes(suits))
    if subject is None or state is None:
        return None
    literal = Literal("is", subject, None, 1, frozenset({state}))
    return literal if not any(satisfying(literal, drawing.world)) else None


def sentence(literals: tuple[Literal, ...]) -> str:
    """Returns the task as an operator would say it."""
    parts = [_phrase(literal) for literal in literals]
    return (parts[0][:1].upper() + parts[0][1:]) + "".join(f" and {p}" for p in parts[1:])


def _phrase(literal: Literal) -> str:
    noun = spaced(literal.subject)
    if literal.predicate == "is":
        return " and ".join(f"{STATE_VERBS[s]} one {noun}" for s in sorted(literal.states))
    return f"put {_counted(literal.subject, literal.count)} {literal.predicate} the {spaced(literal.target or '')}"


def _counted(cls: str, count: int) -> str:
    """Returns a counted noun: `one apple`, `two knives`, `one pair of spectacles`, `the crackers`."""
    noun, number = SPOKEN.get(cls, spaced(cls)), COUNT_WORDS.get(count, str(count))
    if plural_of(noun) != noun:
        return f"{number} {noun if count == 1 else plural_of(noun)}"
    if cls in PAIRED:
        return f"{number} {'pair' if count == 1 else 'pairs'} of {noun}"
    return f"the {noun}" if count == 1 else f"{number} {noun}"
