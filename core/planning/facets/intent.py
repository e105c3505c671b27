"""Facets of a planner's intent: its plan, the progress of its goal, and how it interpreted replies."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import LiteralProgress
from core.planning.facets.base import Facet
from core.world.vocabulary import Action


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner intends to take, in order, and the reason."""

    actions: tuple[Action, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """The progress of each literal of the goal."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)


@dataclass(frozen=True, slots=True)
class Grounding:
    """How a planner interpreted one reply.

    Attributes:
        prompt: `Ask.digest` of the request.
        said: the part of the reply that was interpreted.
        meant: the choice it was resolved to; empty if none matches.
        score: 0..1, how well it matches; the score of the nearest choice if none matches.
        how: exact, normalised, synonym, part (of a name), edit (misspelt), embedding, probability, refused (the reply declines
            to answer), or none.
        runner_up: the second best choice.
        runner_up_score: 0..1, how well that matches.
        words_only: True if only words were compared because sentence embeddings are not installed.
    """

    prompt: str
    said: str
    meant: str
    score: float
    how: str
    runner_up: str = ""
    runner_up_score: float = 0.0
    words_only: bool = False


@dataclass(frozen=True, slots=True)
class Grounded(Facet):
    """How the latest replies were interpreted."""

    replies: tuple[Grounding, ...]
