"""The facts of LLM-State's prompts. They contain only what the prompts say."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.planners.llm_state.history import Deed
from core.world.vocabulary import Observation


@dataclass(frozen=True, slots=True)
class AttentionFacts:
    """Request: which objects are relevant to the task? LLM-State, listing 3.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        names: objects already in the dictionary.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EstimateFacts:
    """Request: what holds for the objects after the history? LLM-State, listing 4.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        names: the objects of the dictionary.
        deeds: the history of the episode.
        summary: True if a retrospective summary is requested.
        objects: True if attributes of the objects are requested.
    """

    goal: Goal
    seen: Observation
    names: tuple[str, ...]
    deeds: tuple[Deed, ...]
    summary: bool
    objects: bool


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """Request: what are the next calls? LLM-State, listing 5.

    Attributes:
        goal: the literals.
        seen: all observations, without states.
        entries: (object, attributes) of the dictionary.
        summary: the retrospective summary, or empty.
        deeds: the history of the episode.
        verbs: verbs of the world.
        most: the maximum number of calls in a plan.
    """

    goal: Goal
    seen: Observation
    entries: tuple[tuple[str, tuple[str, ...]], ...]
    summary: str
    deeds: tuple[Deed, ...]
    verbs: frozenset[str]
    most: int
