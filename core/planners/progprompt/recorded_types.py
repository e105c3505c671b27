"""The types of ProgPrompt that a recording holds: the facts of its prompt."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.common.recorded import ADDED
from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact


@dataclass(frozen=True, slots=True)
class ThingFact:
    """An entry of the prompt's list of objects.

    Attributes:
        name: its name in programs.
        cls: its class.
        category: its category; "wanted" if it was never seen.
        properties: what it can do, as in `core.world.vocabulary`.
        switch: the name of its switch: itself, or its knob or tap.
    """

    name: str
    cls: str
    category: str
    properties: frozenset[str]
    switch: str


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Request: a program for a goal.

    Attributes:
        goal: the literals.
        done: for each literal, how many of its subjects are known to be where they should be.
        verbs: the actions that can be imported, with or without `find`.
        things: the list of objects.
        places: the furniture with its rooms, by name.
        rooms: (name, class) of every room.
        failed: failed lines of the previous program, with the reason.
        unseen: names of unsearched places and rooms that may contain objects of the goal.
    """

    goal: Goal
    done: tuple[int, ...]
    verbs: tuple[str, ...]
    things: tuple[ThingFact, ...]
    places: tuple[PlaceFact, ...]
    rooms: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]
    unseen: tuple[str, ...] = field(default=(), metadata=ADDED)
