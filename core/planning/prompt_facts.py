"""The facts that prompts are built from, as frozen values: rules can answer a request without parsing its prompt.

There is one class for each prompt family. Facts contain only what the prompt itself says, never the simulator's ground truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from core.goals.literals import Goal
from core.goals.vocabulary import Word
from core.world.vocabulary import CONTAINER, SURFACE, Entity, Value


class AskedFact(ABC):
    """What a request for a fact about the world asks; the planner computes its answer from such facts."""

    __slots__ = ()

    @property
    @abstractmethod
    def is_checked(self) -> bool:
        """Whether the request states what is needed to tell a right reply from a wrong one."""

    @abstractmethod
    def wrong(self, said: str) -> str:
        """Returns how a reply is wrong, in words; empty if it is right, or cannot be checked."""


@dataclass(frozen=True, slots=True)
class PlaceFact(Value):
    """A container or surface on the map, as the planner knows it."""

    id: str
    cls: str
    room: str
    room_cls: str
    inside: bool
    """True for the inside of it, False for its top."""


def place_facts(entities: Iterable[Entity]) -> tuple[PlaceFact, ...]:
    """Returns the furniture of a map in its order: the inside of each container, the top of each surface."""
    known = list(entities)
    rooms = {e.id: e.cls for e in known if e.category == "room"}
    return tuple(PlaceFact(e.id, e.cls, e.room, rooms[e.room], inside)
                 for e in known if e.category == "furniture" and e.room in rooms
                 for inside, holds in ((True, CONTAINER), (False, SURFACE)) if holds in e.properties)


@dataclass(frozen=True, slots=True)
class ObjectPositionsFacts:
    """Request: where may an object of this class be? LLM-MCTS, Listing 2."""

    cls: str
    places: tuple[PlaceFact, ...]


@dataclass(frozen=True, slots=True)
class PlaceRoomsFacts:
    """Request: in which rooms may a container or surface of this class be? LLM-MCTS, appendix C.2."""

    cls: str
    rooms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalFacts:
    """Request: translate an instruction into literals, given the names of a home. Only language models answer it."""

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class InstructionFacts:
    """Request: translate an instruction into formal text, from its words alone. LLM-MCTS, Listing 3."""

    text: str


@dataclass(frozen=True, slots=True)
class VisibleFact(Value):
    """A visible object, container or surface.

    Attributes:
        id: its id.
        cls: its class.
        name: its name in the prompt.
        category: "object" or "furniture".
        relation: "inside" or "on" its holder, or "held" by the robot.
        holder: id of the furniture, object or room; "" if held.
        holder_name: its name in the prompt.
        state: "open", "closed", or "" if it cannot be opened.
    """

    id: str
    cls: str
    name: str
    category: str
    relation: str
    holder: str
    holder_name: str
    state: str


@dataclass(frozen=True, slots=True)
class VisiblePolicyFacts:
    """Request: which actions are next, given only what is visible? LLM-MCTS, Listing 1.

    Attributes:
        goal: the literals of the instruction.
        rooms: (id, class, name) of every room.
        visible: what the observation mentions, in its order.
        history: the completed actions, as `verb id id`.
    """

    goal: Goal
    rooms: tuple[tuple[str, str, str], ...]
    visible: tuple[VisibleFact, ...]
    history: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """Request: which of the admissible actions is next, given what is known and believed?

    Attributes:
        goal: the literals.
        done: for each literal, how many of its subjects are known to be where they should be.
        room: id of the robot's room.
        at: ids within the robot's reach.
        holding: (id, class) of the held objects.
        seen: (id, class, relation, place id) of every located object of a goal class.
        places: all places of the map.
        open: ids of containers known to be open.
        searched: ids of places whose contents have been observed.
        belief: class -> (place id, probability) of goal classes not found yet, likeliest first; may be empty.
        choices: admissible actions as `verb id id`, in the order of the prompt.
        history: the executed actions, as `verb id id`.
    """

    goal: Goal
    done: tuple[int, ...]
    room: str
    at: tuple[str, ...]
    holding: tuple[tuple[str, str], ...]
    seen: tuple[tuple[str, str, str, str], ...]
    places: tuple[PlaceFact, ...]
    open: frozenset[str]
    searched: frozenset[str]
    belief: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    choices: tuple[str, ...]
    history: tuple[str, ...]
