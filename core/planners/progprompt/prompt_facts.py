"""What a ProgPrompt prompt says."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact


@dataclass(frozen=True, slots=True)
class ThingFact:
    """Something in the prompt's list of objects.

    Attributes:
        name: what programs call it.
        properties: what it can do, as `core.world.vocabulary` names it.
        switch: the name of what switches it on and off; its own, unless it has a knob or a tap.
    """

    name: str
    cls: str
    category: str
    properties: frozenset[str]
    switch: str


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """A program for a goal?

    Attributes:
        goal: the literals.
        done: how many subjects of each literal are where they should be, as far as is known.
        verbs: the actions that can be imported; `find` is one of them, or it is not.
        things: the list of objects.
        places: the furniture with its rooms, by name.
        rooms: (name, class) of every room.
        failed: lines of the program before that failed, with the reason.
        unseen: names of the places and rooms that may hold more of what the goal means, not looked into yet.
    """

    goal: Goal
    done: tuple[int, ...]
    verbs: tuple[str, ...]
    things: tuple[ThingFact, ...]
    places: tuple[PlaceFact, ...]
    rooms: tuple[tuple[str, str], ...]
    failed: tuple[str, ...]
    unseen: tuple[str, ...] = ()
