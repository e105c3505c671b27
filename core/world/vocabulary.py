"""The one vocabulary for all worlds: entities, relations, actions with their schemas, observations, outcomes.

Every value is immutable, so it may be shown, recorded and handed between threads as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

Category = Literal["room", "furniture", "object"]
RelationKind = Literal["inside", "on", "controls"]
WorldKind = Literal["rooms", "sentences"]
"""Whether actions are done to things in rooms, or are sentences to a world of texts."""

# What an entity can do or have done to it; a world may add its own.
GRABBABLE, SURFACE, CONTAINER, OPENABLE, SWITCHABLE = "grabbable", "surface", "container", "openable", "switchable"
SLICEABLE, COOKABLE, WASHABLE, CUTS = "sliceable", "cookable", "washable", "cuts"
HEATS, RINSES, BREWS, RUNS_CLOSED, TAKES_SLICES = "heats", "rinses", "brews", "runs closed", "takes slices"


TREATED_BY = {"cooked": (COOKABLE, HEATS), "clean": (WASHABLE, RINSES), "filled": ("", BREWS)}
"""State -> what a thing needs to get it (empty: nothing), and what an appliance needs to give it."""
TURNED = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}
"""State -> what a thing needs to be brought into it by hand."""
UNPLUGGED = "unplugged"
"""State of an appliance that has to be plugged in before it can be switched on."""


def spaced(cls: str) -> str:
    """A class as people read it: `kitchen_table` -> `kitchen table`."""
    return cls.replace("_", " ")


class Value:
    """Base of what never changes: a copy of it is itself, however deep. Planners, which are copied at each turn, hold many."""

    __slots__ = ()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Entity(Value):
    """One thing, piece of furniture or room.

    Attributes:
        id: unique in its world and stable through an episode, such as `kitchen_table_2`.
        cls: the class goals speak of, such as `kitchen_table`.
        name: the class spaced for people and language models, such as `kitchen table`.
        category: room, furniture (stays where it is) or object (can be carried).
        room: id of the room it is in; None for a room, or when unknown.
        states: what holds of it now: open, closed, on, off, sliced, cooked, clean, dirty, filled.
        properties: what it can do: see the constants of this module.
    """

    id: str
    cls: str
    name: str
    category: Category
    room: str | None = None
    states: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()


class Relation(NamedTuple):
    """`subject` is inside, on, or controls `object` (a tap its sink, a knob its burner)."""

    kind: RelationKind
    subject: str
    object: str

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


Spot = tuple[float, float]
"""A point of the floor: x and y in metres."""


class Pose(NamedTuple):
    """Where the robot stands: metres, radians counter-clockwise from +y, and the camera's tilt (negative looks down)."""

    x: float
    y: float
    yaw: float
    pitch: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentState:
    """The robot: the room it is in, what is within reach, what it holds (oldest first), where it stands."""

    room: str | None
    near: tuple[str, ...] = ()
    holding: tuple[str, ...] = ()
    hands: int = 1
    pose: Pose | None = None

    @property
    def hand_free(self) -> bool:
        """Whether it can grab one thing more."""
        return len(self.holding) < self.hands


@dataclass(frozen=True)
class Observation(Value):
    """What is known at one moment.

    Attributes:
        entities: what is in sight, held things and all rooms included.
        relations: what holds between them.
        landmarks: furniture known from the map but not in sight now; its states are unknown (empty).
        text: what the environment said.
        score: the environment's own score, where it keeps one.
        partial: what is out of the picture may still be there; otherwise all of the room is seen but what closed doors hide.
    """

    agent: AgentState
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    landmarks: tuple[Entity, ...] = ()
    text: str = ""
    step: int = 0
    score: float | None = None
    partial: bool = False

    @cached_property
    def by_id(self) -> dict[str, Entity]:
        """Entities in sight, by id."""
        return {e.id: e for e in self.entities}

    @cached_property
    def holder(self) -> dict[str, Relation]:
        """What each entity lies on or in: `holder["apple_1"] == Relation("inside", "apple_1", "fridge_1")`."""
        return {r.subject: r for r in self.relations if r.kind != "controls"}

    @cached_property
    def contents(self) -> dict[str, tuple[str, ...]]:
        """What lies directly on or in each entity."""
        found: dict[str, list[str]] = {}
        for relation in self.relations:
            if relation.kind != "controls":
                found.setdefault(relation.object, []).append(relation.subject)
        return {holder: tuple(ids) for holder, ids in found.items()}

    def holders(self, entity_id: str) -> Iterator[Relation]:
        """From the thing outwards: on the plate, inside the fridge."""
        seen: set[str] = set()
        while entity_id in self.holder and entity_id not in seen:
            seen.add(entity_id)
            yield self.holder[entity_id]
            entity_id = self.holder[entity_id].object


@dataclass(frozen=True, slots=True)
class Action(Value):
    """A verb and the ids it is done to: `Action("put_in", ("apple_2", "fridge_1"))`."""

    verb: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb, *self.args))


@dataclass(frozen=True, slots=True)
class ActionSchema(Value):
    """A verb a world understands.

    Attributes:
        roles: what each argument is, in words, such as `("thing", "container")`.
        template: the sentence, with `{0}` and `{1}` for the arguments' names.
        help: preconditions and effect in one line.
    """

    verb: str
    roles: tuple[str, ...]
    template: str
    help: str = ""

    def phrase(self, names: tuple[str, ...]) -> str:
        """The action as a sentence: `put the apple inside the fridge`."""
        return self.template.format(*names)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Admissible, or the precondition that fails, as far as the robot can know.

    Attributes:
        precondition: a short name of what failed (`in sight`, `within reach`, `open`, `a free hand` …), empty when ok.
        reason: the sentence people read.
        remedy: a step towards making it possible, where one is known.
    """

    ok: bool
    precondition: str = ""
    reason: str = ""
    remedy: Action | None = None


ADMISSIBLE = Verdict(True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action. A failed one says why and has changed nothing but the step count.

    Attributes:
        reason: the sentence people read; empty when ok.
        precondition: the short name of what failed, as in `Verdict`; empty when ok.
        way: where it went, corner by corner; empty where it did not move, or nobody asked.
        remedy: a step towards making it possible, as in `Verdict`.
    """

    action: Action
    ok: bool
    reason: str
    observation: Observation = field(repr=False)
    precondition: str = ""
    way: tuple[Spot, ...] = field(default=(), repr=False)
    remedy: Action | None = None

    @classmethod
    def of(cls, action: Action, verdict: Verdict, observation: Observation) -> Self:
        """What came of an action that got this verdict."""
        return cls(action, verdict.ok, verdict.reason, observation, verdict.precondition, remedy=verdict.remedy)


@dataclass(frozen=True, slots=True)
class Done(Value):
    """An outcome without what is seen after it: this much is kept of every turn of a run, however long."""

    action: Action
    ok: bool
    reason: str
    precondition: str = ""
    way: tuple[Spot, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """What is kept of it."""
        return cls(outcome.action, outcome.ok, outcome.reason, outcome.precondition, outcome.way)
