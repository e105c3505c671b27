"""What prompts are built from, as frozen values: a provider of plain rules answers these without parsing prose.

One class a prompt family. Facts hold only what the prompt itself says; they never carry the simulator's truth.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.goals.literals import Goal
from core.goals.vocabulary import Word
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class PlaceFact(Value):
    """A container or surface as the planner knows it from the map."""

    id: str
    cls: str
    room: str
    room_cls: str
    inside: bool
    """Things are inside it rather than on it."""


@dataclass(frozen=True, slots=True)
class ObjectPositionsFacts:
    """Where may a thing of this class be? See LLM-MCTS, Listing 2."""

    cls: str
    places: tuple[PlaceFact, ...]


@dataclass(frozen=True, slots=True)
class PlaceRoomsFacts:
    """In which rooms may a container or surface of this class stand? See LLM-MCTS, appendix C.2."""

    cls: str
    rooms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoalFacts:
    """An instruction to be read as literals. See LLM-MCTS, Listing 3."""

    text: str
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """What to do next? See LLM-MCTS, Listing 1.

    Attributes:
        goal: the literals.
        done: how many subjects of each literal are where they should be, as far as is known.
        room: id of the robot's room.
        at: ids the robot stands at.
        holding: (id, class) of what it holds.
        seen: (id, class, relation, place id) of every movable thing of a goal class that is known to lie somewhere.
        places: all places of the map.
        open: ids of containers known to be open.
        searched: ids of places whose contents have been seen.
        belief: class -> (place id, probability) of goal classes not found yet, likeliest first; may be empty.
        choices: admissible actions as `verb id id`, in the order of the prompt.
        history: what was done so far, as `verb id id`.
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
