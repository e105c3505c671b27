"""Small and huge snapshots for the panels that show the world, made without a simulator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QApplication

from core.common.parameters import Parameters
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.planning.belief import BeliefTable
from core.planning.belief_facets import Belief
from core.planning.facets import Frame, View
from core.session.commands import Command
from core.session.events import Acted, Began, Decided, Event, Payload, Shown, TurnBegan
from core.session.snapshot import Snapshot, fold_all
from core.world.vocabulary import Action, AgentState, Entity, Observation, Outcome, Pose, Relation
from gui.control.context import Context
from gui.theme import theme_named

GOAL = Goal((Literal("on", "apple", "kitchen_table"), Literal("inside", "mug", "cabinet")), "Put an apple on the kitchen table")
ROOMS = ("kitchen_1", "living_room_1")
PLACES = ("fridge_1", "cabinet_1", "cabinet_2", "kitchen_table_1", "coffee_table_1", "desk_1")
WALK = Action("walk", ("fridge_1",))
LEVEL = (0.2, 0.0, 0.0, -1.0, 0.0, 0.2, 0.0, -1.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0)
"""A camera straight above a floor of ten metres."""


def dressed(context: Context) -> Context:
    """The context, with the application in its theme."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    context.theme.apply(app)
    return context


def context() -> tuple[Context, list[Command]]:
    """A context that keeps what was said."""
    said: list[Command] = []
    return dressed(Context(theme_named("dark"), said.append)), said


def entity(entity_id: str, category: str = "furniture", room: str | None = "kitchen_1", *states: str) -> Entity:
    cls = entity_id.rsplit("_", 1)[0]
    assert category in ("room", "furniture", "object")
    kind = "room" if category == "room" else "furniture" if category == "furniture" else "object"
    return Entity(entity_id, cls, cls.replace("_", " "), kind, room, frozenset(states))  # type: ignore[arg-type]


def seen(*, fridge: str = "closed", held: tuple[str, ...] = (), pose: Pose | None = None, step: int = 0) -> Observation:
    """A kitchen in sight and a living room on the map."""
    rooms = tuple(entity(r, "room", None) for r in ROOMS)
    kitchen = (entity("fridge_1", "furniture", "kitchen_1", fridge), *(entity(p) for p in PLACES[1:4]))
    things = (entity("plate_1", "object"), entity("mug_1", "object", "kitchen_1", "clean"), entity("apple_1", "object"))
    relations = (Relation("on", "plate_1", "kitchen_table_1"), Relation("on", "apple_1", "plate_1"),
                 *(() if "mug_1" in held else (Relation("inside", "mug_1", "cabinet_1"),)))
    landmarks = tuple(entity(p, "furniture", "living_room_1") for p in PLACES[4:])
    agent = AgentState("kitchen_1", ("fridge_1",), held, 1, pose or Pose(2.0, 3.0, 0.0))
    return Observation(agent, (*rooms, *kitchen, *things), relations, landmarks, step=step)


def table() -> BeliefTable:
    made = BeliefTable(PLACES)
    made.add("apple", np.array([0.46, 0.11, 0.08, 0.2, 0.1, 0.05]))
    made.add("mug", np.array([0.1, 0.5, 0.1, 0.1, 0.1, 0.1]))
    made.add("book", np.array([0.05, 0.05, 0.05, 0.05, 0.4, 0.4]))
    made.look([3])
    made.locate(1, "mug_1", 1)
    return made


def belief() -> Belief:
    """An apple that is looked for, a mug that was found, and a book nobody wants."""
    return table().facet({"apple": True, "mug": True, "book": False})


def frame(view: View = "first person", width: int = 160, height: int = 120, turn: int = 1) -> Frame:
    """A grey picture of a turn with a fridge on its left, a table on its right and a lawn around the dollhouse."""
    pixels, ids = np.full((height, width, 3), 120, np.uint8), np.zeros((height, width), np.uint16)
    if view == "dollhouse":
        pixels[:] = (120, 160, 90)
        pixels[10:-10, 10:-10] = 150
    ids[20:60, 20:50], ids[60:100, 90:140] = 1, 2
    boxes = (("fridge_1", (20, 20, 50, 60)), ("kitchen_table_1", (90, 60, 140, 100)))
    return Frame(view, pixels, ids, ("", "fridge_1", "kitchen_table_1"), boxes, matrix=LEVEL, turn=turn)


class Story:
    """Events one after the other."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.turn = 0
        self.tell(Began("mcts", "household", "toy", "commonsense", 7, GOAL, Parameters(), 30))

    def tell(self, *payloads: Payload) -> Story:
        for payload in payloads:
            self.events.append(Event(len(self.events), len(self.events) / 2, self.turn, 0, payload))
        return self

    def begin(self, now: Observation | None = None) -> Story:
        self.turn += 1
        now = now or seen()
        return self.tell(TurnBegan(now, progress(GOAL, now)))

    def act(self, after: Observation) -> Story:
        return self.tell(Decided(WALK, "planner"), Acted(Outcome(WALK, True, "", after), "planner"))

    @property
    def snapshot(self) -> Snapshot:
        return fold_all(self.events)


def usual() -> Snapshot:
    """Two turns, pictures and a belief."""
    story = Story().begin(seen(pose=Pose(1.0, 1.0, 0.0))).act(seen()).begin()
    return story.tell(Shown(belief()), Shown(frame(turn=2)), Shown(frame("dollhouse", turn=2))).snapshot


def huge(things: int = 5000, places: int = 300) -> Snapshot:
    """A world of many things, and a belief about thirty of them."""
    rooms = tuple(entity(f"room_{k}", "room", None) for k in range(12))
    furniture = tuple(entity(f"shelf_{k}", "furniture", f"room_{k % 12}") for k in range(places))
    objects = tuple(entity(f"book_{k}", "object", f"room_{k % 12}", "clean") for k in range(things))
    relations = tuple(Relation("on", f"book_{k}", f"shelf_{k % places}") for k in range(things))
    made, rng = BeliefTable([e.id for e in furniture]), np.random.default_rng(0)
    for _ in range(30):
        made.add("book", rng.random(places))
    now = Observation(AgentState("room_0"), (*rooms, *furniture, *objects), relations)
    return replace(Story().begin(now).tell(Shown(made.facet())).snapshot, goal=Goal((Literal("on", "book", "shelf"),), "Tidy"))
