"""The start of an episode: where objects lie, what is dirty, where the robot stands, and the options that change this.

Everything follows from the seed and the options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

import numpy as np

from core.common.errors import UsageError
from core.common.registry import near_misses
from core.goals.kinds import LIGHT, is_a
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, WASHABLE, RelationKind
from sim.geometry.grid import Grid, free_space
from sim.geometry.model import Thing
from sim.geometry.sizes import SIZES
from sim.household import spots
from sim.household.catalogue import object_properties
from sim.household.geometry import Floor, house_of
from sim.household.household import Household
from sim.household.scene import FLOOR, IN_HAND, Draw, Item, Place, Scene, Spot, State

DIRTY_SHARE = 0.5
"""Share of the washable objects that start dirty."""
GLANCE = 0.5
"""Largest angle by which the first view misses the middle of the room's furniture, radians."""


def begin(scene: Scene, seed: int, floor: Floor, extra: tuple[tuple[str, int], ...] = (), *, lit: bool = False) -> Household:
    """Returns the household at the start of an episode.

    The robot's start pose has a random generator of its own, so a change in the stock does not move the robot.

    Args:
        scene: rooms, furniture and stock.
        seed: of the episode.
        floor: the free floor of the scene.
        extra: (class, number) of objects there must be at least.
        lit: switch all lamps on.
    """
    home = laid_out(scene, seed, extra)
    _enter(home, floor, np.random.default_rng((seed, 1)))
    home.state.seed = seed
    for item in home.items.values():
        if lit and is_a(home.entity(item.id), LIGHT):
            home.set_states(item.id, add=frozenset({"on"}), drop=frozenset({"off"}))
    return home


def laid_out(scene: Scene, seed: int, extra: tuple[tuple[str, int], ...]) -> Household:
    """Returns a new household with its objects in place. The robot has no pose yet."""
    items, start = _laid_out(scene, seed, extra)
    return Household(scene, items, replace(start, places=dict(start.places), states=dict(start.states)))


@lru_cache(maxsize=64)
def _laid_out(scene: Scene, seed: int, extra: tuple[tuple[str, int], ...]) -> tuple[tuple[Item, ...], State]:
    """Returns the items of an episode, and a state with their places.

    The result is cached, because a run begins the same episode several times: to read the task, to list the objects, to play,
    and to go back to an earlier turn.
    """
    things = np.random.default_rng((seed, 0))
    home = _furnished(scene, things, extra, np.random.default_rng((seed, 3)))
    _shuffle(home, things)
    _soil(home, things)
    return tuple(home.items.values()), home.state


@lru_cache(maxsize=16)
def free_grid(scene: Scene, extra: tuple[tuple[str, int], ...]) -> Grid:
    """Returns where the robot can stand, computed for seed 0: only furniture is an obstacle, so all seeds give the same."""
    return free_space(house_of(laid_out(scene, 0, extra)))


def _furnished(scene: Scene, rng: np.random.Generator, extra: tuple[tuple[str, int], ...],
               others: np.random.Generator) -> Household:
    """Returns a household with the furniture, the listed objects and those drawn from the stock.

    A drawn object for which no furniture has room is left out.
    """
    furniture = tuple(i for i in scene.items if i.category == "furniture")
    listed = tuple(i for i in scene.items if i.category == "object")
    draws = scene.stock(rng) if scene.stock else ()
    draws += _extra(scene, [i.cls for i in listed] + [d.cls for d in draws], extra, others)
    drawn = _number(draws, {i.id for i in scene.items})
    state = State(states={i.id: i.states for i in scene.items if i.states})
    state.places = {**{i.id: _listed_place(i, scene.items) for i in listed}, **{i.id: IN_HAND for i in drawn}}
    home = Household(scene, (*furniture, *listed, *drawn), state)
    homeless = {i.id for i, draw in zip(drawn, draws, strict=True) if not _place_drawn(home, i, draw, rng)}
    if not homeless:
        return home
    state.places = {i: place for i, place in state.places.items() if i not in homeless}
    return Household(scene, (*furniture, *listed, *(i for i in drawn if i.id not in homeless)), state)


def _extra(scene: Scene, there: list[str], extra: tuple[tuple[str, int], ...], rng: np.random.Generator) -> tuple[Draw, ...]:
    """Returns draws for the missing extra objects: where the stock puts their class, otherwise on any surface."""
    usual = {draw.cls: draw for draw in scene.stock(rng)} if scene.stock and extra else {}
    pieces = [i for i in scene.items if i.category == "furniture" and SURFACE in i.properties
              and CONTAINER not in i.properties]
    draws = []
    for cls, number in extra:
        for _ in range(number - there.count(cls)):
            order = rng.permutation(len(pieces))
            draws.append(usual[cls] if cls in usual else Draw(cls, tuple(pieces[k].id for k in order), (1.0,) * len(pieces)))
    return tuple(draws)


def _number(draws: Iterable[Draw], taken: set[str]) -> tuple[Item, ...]:
    """Returns items for the drawn objects, numbered by class after those the scene lists."""
    counts: dict[str, int] = {}
    items = []
    for draw in draws:
        while True:
            counts[draw.cls] = counts.get(draw.cls, 0) + 1
            name = f"{draw.cls}_{counts[draw.cls]}"
            if name not in taken:
                break
        thing = Thing(name, draw.cls, 0, (0.0, 0.0, 0.0), SIZES[draw.cls])
        items.append(Item(draw.cls, "object", object_properties(draw.cls), frozenset(), thing))
    return tuple(items)


def _listed_place(item: Item, items: tuple[Item, ...]) -> Place:
    """Returns the place of a listed object in the frame of its holder."""
    if item.holder is None:
        return Place(FLOOR, "", Spot(*item.thing.base, item.thing.yaw))
    holder = next(i for i in items if i.id == item.holder.id)
    spot = spots.local(holder.thing, item.thing.base, item.thing.yaw)
    surfaces = spots.surfaces_of(holder, item.holder.relation)
    number = min(surfaces, key=lambda n: abs(n[1].centre[2] - spot.z))[0]
    return Place(item.holder.relation, holder.id, spot._replace(surface=number))


def _place_drawn(home: Household, item: Item, draw: Draw, rng: np.random.Generator) -> bool:
    """Puts an object on a place drawn by weight, then on any furniture of the home. Returns False if all are full."""
    weights = np.array(draw.weights, float)
    left = [k for k in range(len(draw.places)) if weights[k] > 0]
    while left:
        pick = int(rng.choice(left, p=weights[left] / weights[left].sum()))
        if _lay(home, item.id, draw.places[pick]):
            return True
        left.remove(pick)
    return any(_lay(home, item.id, other.id) for other in receptacles(home))


def _lay(home: Household, thing: str, holder: str) -> bool:
    """Puts an object on or in a holder. Returns False if there is no room."""
    place = home.free_place(thing, relation_to(home.items[holder]), holder)
    if place is not None:
        home.put(thing, place)
    return place is not None


def receptacles(home: Household) -> list[Item]:
    """Returns the furniture that objects can lie on or in."""
    return [i for i in home.items.values() if i.category == "furniture" and i.properties & {SURFACE, CONTAINER}]


def relation_to(holder: Item) -> RelationKind:
    """Returns how objects usually lie at a holder: inside a container, otherwise on it."""
    return "inside" if CONTAINER in holder.properties else "on"


def _shuffle(home: Household, rng: np.random.Generator) -> None:
    """Moves a share of the listed objects to furniture where their class is found in rooms of this kind."""
    scene = home.scene
    for item in (i for i in scene.items if i.category == "object"):
        if rng.random() >= scene.shuffled or home.contents.get(item.id):
            continue
        haunts = scene.haunts.get(item.cls, frozenset())
        now = home.state.places[item.id].holder
        options = [i.id for i in receptacles(home) if i.cls in haunts and i.id != now]
        for pick in rng.permutation(len(options)):
            if _lay(home, item.id, options[int(pick)]):
                break


def _soil(home: Household, rng: np.random.Generator) -> None:
    """Makes half of the washable objects dirty."""
    for item in home.items.values():
        if item.category == "object" and WASHABLE in item.properties:
            name = "dirty" if rng.random() < DIRTY_SHARE else "clean"
            home.set_states(item.id, add=frozenset({name}), drop=frozenset({"clean", "dirty"}))


def _enter(home: Household, floor: Floor, rng: np.random.Generator) -> None:
    """Puts the robot on a random free cell of a random room, facing roughly the middle of the room's furniture."""
    room = int(rng.integers(len(home.room_ids)))
    cells = floor.of_room(room)
    x, y = (float(v) for v in cells[int(rng.integers(len(cells)))])
    home.state.room = room
    home.state.pose = floor.overlooking(home, room, x, y, float(rng.uniform(-GLANCE, GLANCE)))


OPTIONS = ("extra", "lit", "free_hand", "slippery")
MOST_EXTRA = 12


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Settings of a household, read from its options.

    Attributes:
        extra: (class, number): the home holds at least this number of each class.
        lit: lamps are on when the episode begins.
        free_hand: opening, closing and switching need a free hand (VirtualHome's rule; LLM-State's "two hands").
        slippery: share of the movable objects, drawn by seed, that slip from the gripper every time. They look like any other.
    """

    extra: tuple[tuple[str, int], ...] = ()
    lit: bool = False
    free_hand: bool = False
    slippery: float = 0.0

    @classmethod
    def read(cls, options: Mapping[str, str]) -> Self:
        """Reads texts such as `extra=bread_slice=4+milk=1`, `lit=yes`, `free_hand=yes`, `slippery=0.2`.

        Raises:
            UsageError: a value makes no sense.
        """
        return cls(_extra_objects(options.get("extra", "")), _yes("lit", options), _yes("free_hand", options),
                   _share(options.get("slippery", "0")))

    def slips(self, home: Household, seed: int) -> frozenset[str]:
        """Returns the ids of the objects that slip from the gripper in an episode."""
        things = sorted(i.id for i in home.items.values() if GRABBABLE in i.properties)
        drawn = np.random.default_rng((seed, 2)).random(len(things)) < self.slippery
        return frozenset(t for t, slips in zip(things, drawn, strict=True) if slips)


def _extra_objects(text: str) -> tuple[tuple[str, int], ...]:
    found = []
    for part in filter(None, text.split("+")):
        cls, _, number = part.partition("=")
        if cls not in SIZES:
            raise UsageError(f"extra={text}: there is no kind of thing '{cls}'{near_misses(cls, SIZES)}")
        if not number.isdecimal() or not 1 <= int(number[:4]) <= MOST_EXTRA:
            raise UsageError(f"extra={text}: write class=number, 1 to {MOST_EXTRA}, joined by +, such as bread_slice=4+milk=1")
        found.append((cls, int(number)))
    return tuple(found)


def _yes(name: str, options: Mapping[str, str]) -> bool:
    value = options.get(name, "no")
    if value not in ("yes", "no"):
        raise UsageError(f"{name}={value}: write yes or no")
    return value == "yes"


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"slippery={text}: give a share from 0 to 1")
    return value
