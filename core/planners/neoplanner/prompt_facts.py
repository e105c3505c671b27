"""What NeoPlanner's two prompts are built from. They say no more than the prompts themselves."""

from __future__ import annotations

from dataclasses import dataclass

from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class RoomSeen(Value):
    """A room as it was seen last in this episode: its description, and the names of the things in sight."""

    name: str
    look: str
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepTaken(Value):
    """A step of the episode.

    Attributes:
        reply: what the world said.
        room: where the robot was then.
        ok: it was not refused.
        reward: by how much the score changed.
    """

    action: str
    reply: str
    room: str
    ok: bool
    reward: float


@dataclass(frozen=True, slots=True)
class ActionPlanFacts:
    """What to do from here? See NeoPlanner, section V-A and the appendix.

    Attributes:
        task: the objective in words.
        room: where the robot is; look, inventory, things: what it sees, carries, and can act on.
        templates: kinds of action, such as `pour OBJ in OBJ`.
        avoid: actions that were tried from here.
        rooms: all rooms seen in this episode.
        trace: the episode so far.
        learnings: what was learnt in earlier ones, as `X Y Z` lines.
        explore: the objective is to explore, for once.
        stand_in: how the offline provider is to answer: words, rules, random.
        draw: a number that makes the offline provider's choice by chance repeatable.
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
    """What was learnt in an episode? See NeoPlanner, section V-B and the appendix."""

    task: str
    rooms: tuple[RoomSeen, ...]
    trace: tuple[StepTaken, ...]
    learnings: tuple[str, ...]
    score: float
