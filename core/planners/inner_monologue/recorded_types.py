"""The type of Inner Monologue that a recording holds: the facts of its prompt."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import Observation


@dataclass(frozen=True, slots=True)
class MonologueFacts:
    """Request: which action is next, given the scene and the last results?

    Attributes:
        goal: the literals.
        seen: what is in sight, and the furniture of the map.
        places: the furniture with its rooms.
        verbs: the allowed verbs.
        recent: the last actions as `verb id id` with their success, oldest first; older ones are not included.
        choices: the offered actions as `verb id id`, in the order of the prompt.
    """

    goal: Goal
    seen: Observation
    places: tuple[PlaceFact, ...]
    verbs: tuple[str, ...]
    recent: tuple[tuple[str, bool], ...]
    choices: tuple[str, ...]
