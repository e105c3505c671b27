"""One moment of an episode, read from AI2-THOR's answer: our names for its objects, its state in our terms, its pictures.

A moment is frozen, so any thread may query it while the player works.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from core.common.errors import RendererError
from core.planning.facets import Frame, View
from core.world.vocabulary import OPENABLE, SWITCHABLE, AgentState, Category, Entity, Observation, Pose, Relation, spaced
from sim import ithor_types
from sim.ithor_types import UNSEEN, Meta, snake
from sim.rendering.cameras import boxes_of, ids_of, packed

PIECES = ("Sliced", "Cracked")
"""Endings of the types that slicing makes."""


def whole_kind(kind: str) -> str:
    """Returns the type a piece was cut from: `AppleSliced` -> `Apple`."""
    for ending in PIECES:
        if kind.endswith(ending):
            return kind.removesuffix(ending)
    return kind


def is_piece(meta: Meta) -> bool:
    """Returns True for what slicing left."""
    return bool(whole_kind(meta["objectType"]) != meta["objectType"])


class Names:
    """Our ids, numbered by class in the order of AI2-THOR's ids, which are the same in every run. Names are kept.

    Slicing ends one object and makes several. The first piece gets the name of the whole, so a goal about the whole is met.
    """

    def __init__(self) -> None:
        self._ours: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._passed_on: set[str] = set()

    def named(self, objects: Iterable[Meta]) -> dict[str, Meta]:
        """Returns our id -> the object, in the order of AI2-THOR's ids. Floors, windows and cut wholes are left out."""
        there = {o["objectId"]: o for o in objects if o["objectType"] not in UNSEEN}
        cut = {i.rsplit("|", 1)[0] for i, o in there.items() if is_piece(o)}
        found = {}
        for object_id in sorted(there):
            if object_id not in cut:
                found[self._name(object_id, there[object_id])] = there[object_id]
        return found

    def _name(self, object_id: str, meta: Meta) -> str:
        if object_id not in self._ours:
            whole = object_id.rsplit("|", 1)[0]
            if is_piece(meta) and whole in self._ours and whole not in self._passed_on:
                self._passed_on.add(whole)
                self._ours[object_id] = self._ours[whole]
            else:
                cls = snake(whole_kind(meta["objectType"]))
                self._counts[cls] = self._counts.get(cls, 0) + 1
                self._ours[object_id] = f"{cls}_{self._counts[cls]}"
        return self._ours[object_id]

    def ours(self, object_id: str) -> str | None:
        """Returns our id for one of AI2-THOR's. A basin has the id of its sink."""
        return self._ours.get(object_id) or self._ours.get(object_id.rsplit("|", 1)[0])


ARM = 1.75
"""Distance from the robot to an object's side within which it can use the object, metres (the authors' wrapper of AI2-THOR).

It is AI2-THOR's `visibilityDistance` too: what the metadata calls visible and interactable is what the robot can use. What it
sees further away is in its picture.
"""
Cell = tuple[float, float]
"""x and z in AI2-THOR's frame, metres."""


@dataclass(frozen=True)
class Moment:
    """AI2-THOR's state in our terms.

    Attributes:
        room: the only room of the scene.
        metas: our id -> AI2-THOR's object.
        names: AI2-THOR's ids -> ours.
        event: AI2-THOR's own record, with the pictures.
        steps: actions so far.
        focus: what the robot walked to last.
        remembered: ids it saw before this moment.
        cells: where it can stand.
        glanced: ids it saw in the scan just done.
        mapped: whether it knows from a map where the furniture stands, in sight or not.
    """

    room: Entity
    metas: Mapping[str, Meta] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    event: Any = field(repr=False)
    steps: int
    focus: str | None
    remembered: frozenset[str] = field(repr=False)
    cells: tuple[Cell, ...] = field(repr=False)
    mapped: bool = True
    glanced: frozenset[str] = frozenset()

    # --- contents -----------------------------------------------------------
    @cached_property
    def entities(self) -> dict[str, Entity]:
        """Returns everything but the room, by id."""
        return {name: self._entity(name, meta) for name, meta in self.metas.items()}

    def _entity(self, name: str, meta: Meta) -> Entity:
        cls = snake(whole_kind(meta["objectType"]))
        category: Category = "object" if meta["pickupable"] else "furniture"
        properties = ithor_types.properties(meta)
        return Entity(name, cls, spaced(cls), category, self.room.id, _states(meta, properties), properties)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Returns what lies where, and what controls what."""
        theirs = {meta["objectId"]: meta for meta in self.metas.values()}
        found = []
        for name, meta in self.metas.items():
            place = ithor_types.holder(meta, theirs) if meta["pickupable"] and name not in self.held else None
            if place is not None:
                found.append(Relation(place[0], name, self.names[place[1]]))
        switches = ithor_types.controls(theirs).items()
        return (*found, *(Relation("controls", self.names[i], self.names[j]) for i, j in switches))

    @cached_property
    def everything(self) -> Observation:
        """Returns everything, including what is in closed containers."""
        return Observation(self.agent, (self.room, *self.entities.values()), self.relations, (), "", self.steps)

    @cached_property
    def layout(self) -> Observation:
        """Returns what lies where, without a robot."""
        return Observation(AgentState(self.room.id), (self.room, *self.entities.values()), self.relations)

    @cached_property
    def controllers(self) -> dict[str, tuple[str, ...]]:
        """Returns object id -> ids of its switches elsewhere."""
        found: dict[str, tuple[str, ...]] = {}
        for relation in self.relations:
            if relation.kind == "controls":
                found[relation.object] = (*found.get(relation.object, ()), relation.subject)
        return found

    @cached_property
    def held(self) -> tuple[str, ...]:
        """Returns what is in the hand."""
        return tuple(name for name, meta in self.metas.items() if meta["isPickedUp"])

    # --- observations --------------------------------------------------------
    @cached_property
    def pose(self) -> Pose:
        """Returns the robot's pose. In AI2-THOR y is up and angles turn clockwise; ours turn counter-clockwise."""
        agent = self.event.metadata["agent"]
        yaw = -math.radians(agent["rotation"]["y"])
        return Pose(agent["position"]["x"], agent["position"]["z"], (yaw + math.pi) % (2 * math.pi) - math.pi,
                    -math.radians(agent["cameraHorizon"]))

    @cached_property
    def hidden(self) -> frozenset[str]:
        """Returns what is in closed containers."""
        found = set()
        for name in self.metas:
            around = (r.object for r in self.layout.holders(name) if r.kind == "inside")
            if any("closed" in self.entities[h].states for h in around):
                found.add(name)
        return frozenset(found)

    @cached_property
    def at(self) -> tuple[str, ...]:
        """Returns what the robot stands at, and what that lies on or in, outwards."""
        if self.focus is None or self.focus in self.held or self.focus not in self.metas:
            return ()
        return (self.focus, *(r.object for r in self.layout.holders(self.focus)))

    @cached_property
    def beside(self) -> frozenset[str]:
        """Returns what the robot stands at and its open contents: the robot bends over what it uses."""
        return frozenset(i for i in (*self.at, *self._within(self.at)) if i not in self.hidden)

    @cached_property
    def visible(self) -> frozenset[str]:
        """Returns what the camera sees, what is held, and what lies where the robot stands."""
        theirs = {o["objectId"] for o in self.event.metadata["objects"] if o["visible"]} | in_picture(self.event)
        seen = {self.names[i] for i in theirs if i in self.names} & self.metas.keys()
        return frozenset(seen | set(self.held) | set(self._within(self.held)) | self.beside)

    @cached_property
    def interactable(self) -> frozenset[str]:
        """Returns what AI2-THOR lets the robot use: near enough, in the picture, not behind glass.

        The basin of a sink counts as the sink.
        """
        theirs = (o["objectId"] for o in self.event.metadata["objects"] if o["isInteractable"])
        return frozenset({self.names[i] for i in theirs if i in self.names} & self.metas.keys())

    def _within(self, holders: Sequence[str]) -> Iterator[str]:
        for holder in holders:
            inside = self.layout.contents.get(holder, ())
            yield from inside
            yield from self._within(inside)

    @cached_property
    def known(self) -> frozenset[str]:
        """Returns everything seen so far."""
        return self.remembered | self.visible | {e.id for e in self.landmarks}

    @cached_property
    def landmarks(self) -> tuple[Entity, ...]:
        """Returns furniture known only from the map, without its states."""
        if not self.mapped:
            return ()
        unseen = (e for i, e in self.entities.items() if e.category == "furniture" and i not in self.visible)
        return tuple(replace(e, states=frozenset()) for e in unseen)

    @cached_property
    def near(self) -> tuple[str, ...]:
        """Returns what is within reach, beginning with what the robot stands at."""
        here = self.pose.x, self.pose.y
        usable = self.interactable | self.beside
        reach = (i for i in self.metas if i in usable and i not in self.at and self.distance(i, here) <= ARM)
        return tuple(i for i in (*self.at, *reach) if i in self.visible and i not in self.held)

    @cached_property
    def agent(self) -> AgentState:
        """Returns the robot."""
        return AgentState(self.room.id, self.near, self.held, 1, self.pose)

    def seen(self, text: str) -> Observation:
        """Returns what the robot knows now, with `text`."""
        shown = self.visible | self.glanced
        entities = tuple(e for i, e in self.entities.items() if i in shown)
        relations = tuple(r for r in self.relations if r.subject in shown and r.object in shown)
        return Observation(self.agent, (self.room, *entities), relations, self.landmarks, text, self.steps, partial=True)

    # --- distances -----------------------------------------------------------
    def distance(self, name: str, point: Cell) -> float:
        """Returns the distance over the floor from a point to an object's box, metres."""
        box = self.metas[name]["axisAlignedBoundingBox"]
        away = (max(abs(p - box["center"][k]) - box["size"][k] / 2, 0.0) for p, k in zip(point, "xz", strict=True))
        return math.hypot(*away)

    def footing(self, name: str) -> list[Cell]:
        """Returns the cells from which the robot can use an object, nearest to its middle first."""
        centre = self.metas[name]["axisAlignedBoundingBox"]["center"]
        near = [c for c in self.cells if self.distance(name, c) <= ARM]
        return sorted(near, key=lambda c: (math.dist(c, (centre["x"], centre["z"])), c))


def _states(meta: Meta, properties: frozenset[str]) -> frozenset[str]:
    found = set()
    if OPENABLE in properties:
        found.add("open" if meta["isOpen"] else "closed")
    if SWITCHABLE in properties:
        found.add("on" if meta["isToggled"] else "off")
    if meta["dirtyable"]:
        found.add("dirty" if meta["isDirty"] else "clean")
    flags = {"sliced": is_piece(meta), "cooked": meta["isCooked"], "filled": meta["isFilledWithLiquid"],
             "broken": meta["isBroken"] and not is_piece(meta)}
    return frozenset(found | {state for state, holds in flags.items() if holds})


def read(event: Any, names: Names, room: Entity, steps: int, focus: str | None, remembered: frozenset[str],
         cells: tuple[Cell, ...], mapped: bool, glanced: frozenset[str] = frozenset()) -> Moment:
    """Returns a moment made from AI2-THOR's answer."""
    objects = event.metadata["objects"]
    metas = names.named(objects)
    ids = {o["objectId"]: ours for o in objects if (ours := names.ours(o["objectId"])) is not None}
    return Moment(room, metas, ids, event, steps, focus, remembered & metas.keys(), cells, mapped,
                  glanced & metas.keys())


LEAST = 1e-4
"""Share of a picture that an object must fill to be recognised: 31 pixels of 640 by 480."""
STRIDE = 2
"""Every second pixel of every second row is used."""
BACKGROUND = 40
"""Grey beside a picture of other proportions."""
Pixels = npt.NDArray[np.uint8]
Ids = npt.NDArray[np.uint16]


def in_picture(event: Any) -> frozenset[str]:
    """Returns AI2-THOR's ids of what can be recognised in the first-person picture; none if there is no picture."""
    segments = event.instance_segmentation_frame
    if segments is None:
        return frozenset()
    looked_at = packed(np.asarray(segments)[::STRIDE, ::STRIDE])
    values, counts = np.unique(looked_at, return_counts=True)
    shown = {int(value) for value, count in zip(values, counts, strict=True) if count >= LEAST * looked_at.size}
    colours = event.object_id_to_color.items()
    return frozenset(i for i, colour in colours if packed(np.array(colour, np.uint8)).item() in shown)


def shot(event: Any, names: Mapping[str, str], view: View, width: int, height: int) -> Callable[[], Frame]:
    """Captures the pictures of a moment. The returned function makes the frame."""
    if view == "first person":
        pixels, segments = event.frame, event.instance_segmentation_frame
    else:
        pixels = next(iter(event.third_party_camera_frames), None)
        segments = next(iter(event.third_party_instance_segmentation_frames), None)
    colours = event.object_id_to_color

    def draw() -> Frame:
        if pixels is None:
            raise RendererError(f"AI2-THOR sent no {view} picture of this moment")
        ids, known = _ids(segments, colours, names)
        return _frame(view, pixels[:, :, :3], ids, known, width, height)

    return draw


def _ids(segments: Any, colours: Mapping[str, tuple[int, ...]], names: Mapping[str, str]) -> tuple[Ids | None, tuple[str, ...]]:
    """Returns the segmentation picture as indices into a list of our ids, and the list. A basin counts as its sink."""
    if segments is None:
        return None, ("",)
    known = ["", *sorted(set(names.values()))]
    numbers = {name: k for k, name in enumerate(known)}
    table = {packed(np.array(c, np.uint8)).item(): numbers[names[i]] for i, c in colours.items() if i in names}
    return ids_of(np.asarray(segments), table), tuple(known)


def _frame(view: View, pixels: Pixels, ids: Ids | None, known: tuple[str, ...], width: int, height: int) -> Frame:
    """Returns a frame with both pictures in the middle."""
    scale = min(width / pixels.shape[1], height / pixels.shape[0])
    size = max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale))
    left, top = (width - size[0]) // 2, (height - size[1]) // 2
    canvas = np.full((height, width, 3), BACKGROUND, np.uint8)
    scaled = Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.BILINEAR)
    canvas[top:top + size[1], left:left + size[0]] = np.asarray(scaled)
    canvas.flags.writeable = False
    if ids is None:
        return Frame(view, canvas, None, ("",))
    numbers = np.zeros((height, width), np.uint16)
    rows = (np.arange(size[1]) * pixels.shape[0] // size[1])[:, None]
    columns = np.arange(size[0]) * pixels.shape[1] // size[0]
    numbers[top:top + size[1], left:left + size[0]] = ids[rows, columns]
    numbers.flags.writeable = False
    return Frame(view, canvas, numbers, known, tuple(boxes_of(numbers, known, least=1).items()))
