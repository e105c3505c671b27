"""What a planner means to do, how far it is, and how it understood its replies."""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import LiteralProgress
from core.planning.facets.base import Facet
from core.world.vocabulary import Action


@dataclass(frozen=True, slots=True)
class Plan(Facet):
    """The actions a planner means to take next, first one first, and what they are for."""

    actions: tuple[Action, ...]
    because: str = ""


@dataclass(frozen=True, slots=True)
class GoalProgress(Facet):
    """How far each literal of the goal is reached."""

    literals: tuple[LiteralProgress, ...]

    @property
    def reached(self) -> bool:
        """Whether all literals hold."""
        return all(p.reached for p in self.literals)


@dataclass(frozen=True, slots=True)
class Grounding:
    """What a planner took one reply for.

    Attributes:
        prompt: `Ask.digest` of the question.
        said: the reply's words that were looked at.
        meant: the choice they were taken for; empty when they fit none.
        score: 0..1, how well they fit; of the nearest choice when they fit none.
        how: exact, normalised, synonym, part (of a name), edit (misspelt), embedding, probability, refused (it declines to
            answer), or none.
        runner_up: the second best choice, and `runner_up_score` how well that fits.
        words_only: only words were compared, for sentence embeddings are not installed.
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
    """How the replies that just came were understood."""

    replies: tuple[Grounding, ...]
