"""The facts of NeoPlanner's two prompts. They contain only what the prompts say."""

from __future__ import annotations

from dataclasses import dataclass

from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class RoomSeen(Value):
    """A room as last seen in this episode: its description, and the names of the objects in sight."""

    name: str
    look: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepTaken(Value):
    """A step of the episode.

    Attributes:
        action: the sentence.
        reply: the world's answer.
        room: the room the robot was in.
        ok: True if it was not refused.
        reward: the change of the score.
    """

    action: str
    reply: str
    room: str
    ok: bool
    reward: float


@dataclass(frozen=True, slots=True)
class ActionPlanFacts:
    """Request: which actions are next? NeoPlanner, section V-A and the appendix.

    Attributes:
        task: the objective as text.
        room: the robot's room.
        look: the description of the room.
        inventory: the description of what is carried.
        things: names of the objects that can be acted on.
        templates: kinds of action, such as `pour OBJ in OBJ`.
        avoid: actions already tried in this state.
        rooms: all rooms seen in this episode.
        trace: the episode so far.
        learnings: the axioms of earlier episodes, as `X Y Z` lines.
        explore: True if the objective of this round is to explore.
        stand_in: how the offline provider answers: words, rules, random.
        draw: the random seed of the offline provider.
    """

    task: str
    room: str
    look: str
    inventory: str
    things: tuple[str, ...]
    templates: tuple[str, ...]
    avoid: tuple[str, ...]
    rooms: tuple[RoomSeen, ...]
    trace: tuple[StepTaken, ...]
    learnings: tuple[str, ...]
    explore: bool
    stand_in: str
    draw: int


@dataclass(frozen=True, slots=True)
class LearnerFacts:
    """Request: what was learned in an episode? NeoPlanner, section V-B and the appendix."""

    task: str
    rooms: tuple[RoomSeen, ...]
    trace: tuple[StepTaken, ...]
    learnings: tuple[str, ...]
    score: float
