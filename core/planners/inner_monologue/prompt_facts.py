"""What an Inner Monologue prompt says."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import Observation


@dataclass(frozen=True, slots=True)
class MonologueFacts:
    """Which action is next, given what is seen and how the last actions went?

    Attributes:
        goal: the literals.
        seen: what is in sight now, and the furniture of the map.
        places: the furniture with its rooms.
        verbs: the allowed verbs.
        recent: the last actions as `verb id id`, oldest first, with their success; nothing older is told.
        choices: the actions offered, as `verb id id`, in the order of the prompt.
    """

    goal: Goal
    seen: Observation
    places: tuple[PlaceFact, ...]
    verbs: tuple[str, ...]
    recent: tuple[tuple[str, bool], ...]
    choices: tuple[str, ...]
