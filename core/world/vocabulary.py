"""The vocabulary shared by all worlds: entities, relations, actions with their schemas, observations, outcomes.

All values are immutable, so they can be shown, recorded and passed between threads without copies.

Actions as English phrases, as used in lists, logs, reasons and annotations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from core.common.recorded import ADDED

Category = Literal["room", "furniture", "object"]
RelationKind = Literal["inside", "on", "controls"]
Posture = Literal["standing", "sitting", "lying"]
WorldKind = Literal["rooms", "sentences", "questions"]
"""Whether actions concern objects in rooms, are sentences of a text world, or give the answer to a question."""

# Properties of an entity: what it can do, or what can be done to it. A world may add its own.
GRABBABLE, SURFACE, CONTAINER, OPENABLE, SWITCHABLE = "grabbable", "surface", "container", "openable", "switchable"
SLICEABLE, COOKABLE, WASHABLE, CUTS = "sliceable", "cookable", "washable", "cuts"
HEATS, RINSES, BREWS, RUNS_CLOSED, TAKES_SLICES = "heats", "rinses", "brews", "runs closed", "takes slices"
SITTABLE, LIEABLE, DRINKABLE, EATABLE = "sittable", "lieable", "drinkable", "eatable"
READABLE, WATCHABLE, TYPABLE = "readable", "watchable", "typable"


TREATED_BY = {"cooked": (COOKABLE, HEATS), "clean": (WASHABLE, RINSES), "filled": ("", BREWS)}
"""State -> the property an object needs to get it (empty: none), and the property of the appliance that causes it."""
TURNED = {"open": OPENABLE, "closed": OPENABLE, "on": SWITCHABLE, "off": SWITCHABLE}
"""State -> the property an object needs so that the state can be set by hand."""
ACTS: Mapping[str, str] = MappingProxyType({
    "drink": DRINKABLE, "eat": EATABLE, "read": READABLE, "watch": WATCHABLE, "type": TYPABLE, "wash_hands": RINSES,
    "look_at": "", "touch": "",
})
"""Verb of an act -> the property its object needs; empty: none. An act changes nothing but `AgentState.acts`."""
HELD_ACTS = frozenset({"drink", "eat", "read"})
"""Acts for which the object must be in the hand."""
POSTURES: Mapping[str, str] = MappingProxyType({"sit": SITTABLE, "lie": LIEABLE})
"""Verb of a posture -> the property of what the robot sits or lies on."""
BODY_VERBS = frozenset({*ACTS, *POSTURES, "stand_up", "turn_to"})
"""Verbs that move no object and set no state. They are of use only to goals that name the robot or an act."""
UNPLUGGED = "unplugged"
"""The state of an appliance that must be plugged in before it can be switched on."""


def spaced(cls: str) -> str:
    """Returns a class as readable text: `kitchen_table` -> `kitchen table`."""
    return cls.replace("_", " ")


class Value:
    """Base class of immutable values: a deep copy returns the value itself. Planners hold many and are copied each turn."""

    __slots__ = ()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Entity(Value):
    """An object, a piece of furniture or a room.

    Attributes:
        id: unique in its world and stable within an episode, such as `kitchen_table_2`.
        cls: the class that goals refer to, such as `kitchen_table`.
        name: the class in words for people and language models, such as `kitchen table`.
        category: room, furniture (stays in its place) or object (can be carried).
        room: id of the room it is in; None for a room, or if unknown.
        states: its current states: open, closed, on, off, sliced, cooked, clean, dirty, filled.
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
    """`subject` is inside, is on, or controls `object` (a tap its sink, a knob its burner)."""

    kind: RelationKind
    subject: str
    object: str

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


FloorPoint = tuple[float, float]
"""A point on the floor: x and y in metres."""


class Pose(NamedTuple):
    """The robot's pose: x and y in metres, yaw in radians counter-clockwise from +y, camera pitch in radians (down: < 0)."""

    x: float
    y: float
    yaw: float
    pitch: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentState:
    """The state of the robot.

    Attributes:
        room: id of its room; None if unknown.
        near: ids of the entities within reach.
        holding: ids of the held objects, the oldest first.
        hands: the number of objects it can hold.
        pose: where it is, if the world has positions.
        posture: whether it stands, sits or lies.
        seat: id of what it sits or lies on; empty if it stands.
        facing: id of what it turned to last; empty once it walks or turns away.
        acts: the acts done in this episode, each once, in the order in which they were first done.
    """

    room: str | None
    near: tuple[str, ...] = ()
    holding: tuple[str, ...] = ()
    hands: int = 1
    pose: Pose | None = None
    posture: Posture = field(default="standing", metadata=ADDED)
    seat: str = field(default="", metadata=ADDED)
    facing: str = field(default="", metadata=ADDED)
    acts: tuple[Action, ...] = field(default=(), metadata=ADDED)

    @property
    def hand_free(self) -> bool:
        """Whether it can grab one more object."""
        return len(self.holding) < self.hands


@dataclass(frozen=True)
class Observation(Value):
    """What is known at one moment.

    Attributes:
        agent: the robot.
        entities: the entities in sight, including held objects and all rooms.
        relations: the relations between them.
        landmarks: furniture known from the map but not in sight; its states are unknown (empty).
        text: the text output of the environment.
        step: the number of executed actions.
        score: the environment's own score, if it has one.
        partial: True if objects of the room may be outside the picture; False if the whole room is visible except the inside of
            closed furniture.
    """

    agent: AgentState
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    landmarks: tuple[Entity, ...] = ()
    text: str = ""
    step: int = 0
    score: float | None = None
    partial: bool = field(default=False, metadata=ADDED)

    @cached_property
    def by_id(self) -> dict[str, Entity]:
        """Entities in sight, by id."""
        return {e.id: e for e in self.entities}

    @cached_property
    def holder(self) -> dict[str, Relation]:
        """The relation of each entity to its holder: `holder["apple_1"] == Relation("inside", "apple_1", "fridge_1")`."""
        return {r.subject: r for r in self.relations if r.kind != "controls"}

    @cached_property
    def contents(self) -> dict[str, tuple[str, ...]]:
        """Id of a holder -> ids of the entities directly on or in it."""
        found: dict[str, list[str]] = {}
        for relation in self.relations:
            if relation.kind != "controls":
                found.setdefault(relation.object, []).append(relation.subject)
        return {holder: tuple(ids) for holder, ids in found.items()}

    def holders(self, entity_id: str) -> Iterator[Relation]:
        """Yields the relations from an entity outwards: on the plate, inside the fridge."""
        seen: set[str] = set()
        while entity_id in self.holder and entity_id not in seen:
            seen.add(entity_id)
            yield self.holder[entity_id]
            entity_id = self.holder[entity_id].object


@dataclass(frozen=True, slots=True)
class Action(Value):
    """A verb and the ids of its arguments: `Action("put_in", ("apple_2", "fridge_1"))`."""

    verb: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.verb, *self.args))


@dataclass(frozen=True, slots=True)
class ActionSchema(Value):
    """A verb of a world.

    Attributes:
        verb: the verb.
        roles: what each argument is, in words, such as `("thing", "container")`.
        template: the phrase, with `{0}` and `{1}` for the arguments' names.
        help: preconditions and effect in one line.
    """

    verb: str
    roles: tuple[str, ...]
    template: str
    help: str = ""

    def phrase(self, names: tuple[str, ...]) -> str:
        """Returns the action as a phrase: `put the apple inside the fridge`."""
        return self.template.format(*names)

    def phrase_of(self, things: tuple[str, ...]) -> str:
        """Returns the action as a phrase, given its arguments as they stand in a sentence: `the apple`, `cabinet 3`."""
        return _SLOT.sub(lambda slot: things[int(slot["k"])].removeprefix("" if slot["the"] else "the "), self.template)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an action is admissible, or which precondition fails, as far as the robot can know.

    Attributes:
        ok: True if it is admissible.
        precondition: the short name of the failed precondition (`in sight`, `within reach`, `open`, `a free hand` …); empty if
            ok.
        reason: the explanation as a sentence.
        remedy: an action that helps to make it possible, if one is known.
    """

    ok: bool
    precondition: str = ""
    reason: str = ""
    remedy: Action | None = None


ADMISSIBLE = Verdict(True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an action. A failed action changes nothing but the step count.

    Attributes:
        action: the action.
        ok: True if it succeeded.
        reason: the explanation as a sentence; empty if ok.
        observation: the observation after it.
        precondition: the short name of the failed precondition, as in `Verdict`; empty if ok.
        way: the corners of the robot's path; empty if it did not move or the path was not requested.
        remedy: an action that helps to make it possible, as in `Verdict`.
    """

    action: Action
    ok: bool
    reason: str
    observation: Observation = field(repr=False)
    precondition: str = ""
    way: tuple[FloorPoint, ...] = field(default=(), repr=False, metadata=ADDED)
    remedy: Action | None = field(default=None, metadata=ADDED)

    @classmethod
    def of(cls, action: Action, verdict: Verdict, observation: Observation) -> Self:
        """Returns the outcome of an action with this verdict."""
        return cls(action, verdict.ok, verdict.reason, observation, verdict.precondition, remedy=verdict.remedy)


@dataclass(frozen=True, slots=True)
class Done(Value):
    """An outcome without its observation. It is kept for every turn of a run, so it must stay small."""

    action: Action
    ok: bool
    reason: str
    precondition: str = ""
    way: tuple[FloorPoint, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, outcome: Outcome) -> Self:
        """Returns the part of an outcome that is kept."""
        return cls(outcome.action, outcome.ok, outcome.reason, outcome.precondition, outcome.way)


TEMPLATES: Mapping[str, str] = MappingProxyType({
    "walk": "walk to {0}",
    "go": "go {0}",
    "put_in": "put {0} in {1}",
    "put_on": "put {0} on {1}",
    "switch_on": "switch on {0}",
    "switch_off": "switch off {0}",
    "do": "{0}",
    "sit": "sit on {0}",
    "lie": "lie on {0}",
    "type": "type on {0}",
    "wash_hands": "wash the hands at {0}",
})
_SLOT = re.compile(r"(?P<the>the )?\{(?P<k>\d)\}")
_NUMBERED = re.compile(r"\d$")
_ID = re.compile(r"(?P<the>\bthe )?\b(?P<id>[a-z][a-z0-9_]*_\d+)\b")


def verb_words(verb: str) -> str:
    """Returns a verb as readable text: `put_in` -> put in."""
    return verb.replace("_", " ")


def phrase(verb: str, names: Sequence[str]) -> str:
    """Returns a verb and its names as a phrase: put the apple in fridge 1."""
    template = TEMPLATES.get(verb, "")
    if template and template.count("{") == len(names):
        return template.format(*names)
    return " ".join((verb_words(verb), *names))


def definite(name: str) -> str:
    """Returns a display name as part of a sentence: the fridge, cabinet 3."""
    return name if _NUMBERED.search(name) else f"the {name}"


def in_words(action: Action | str) -> str:
    """Returns an action, or one written as its verb and ids, as a phrase with ids: put apple_1 in fridge_1.

    `named` replaces the ids by names.
    """
    verb, *args = (action.verb, *action.args) if isinstance(action, Action) else action.split()
    return phrase(verb, args)


def named(text: str, name_of: Callable[[str], str]) -> str:
    """Returns a sentence with names instead of ids: before put the apple in cabinet 3.

    Args:
        text: with ids such as `cabinet_3`.
        name_of: returns the display name of an id.
    """
    return _ID.sub(lambda found: definite(name_of(found["id"])), text)
