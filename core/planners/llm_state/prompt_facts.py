"""What LLM-State's prompts are built from. Facts hold only what the prompts say."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planners.llm_state.history import Deed
from core.world.vocabulary import Observation


@dataclass(frozen=True, slots=True)
class AttentionFacts:
    """Which objects matter to the task? See LLM-State, listing 3.

    Attributes:
        seen: all that was seen, without states.
        names: objects already attended to.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EstimateFacts:
    """What is true of the objects after all that was done? See LLM-State, listing 4.

    Attributes:
        names: the objects of the dictionary.
        deeds: everything done since the episode began.
        summary: a retrospective summary is wanted.
        objects: attributes of the objects are wanted.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]
    deeds: tuple[Deed, ...]
    summary: bool
    objects: bool


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What to do next? See LLM-State, listing 5.

    Attributes:
        entries: (object, attributes) of the dictionary.
        summary: the retrospective summary, or empty.
        deeds: everything done since the episode began.
        verbs: verbs of the world.
        most: calls a plan may have.
    """

    goal: Goal
    seen: Observation
    entries: tuple[tuple[str, tuple[str, ...]], ...]
    summary: str
    deeds: tuple[Deed, ...]
    verbs: frozenset[str]
    most: int
