"""Need -> the resolution actions that surely, or possibly, make it hold in the present situation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.planners.bcr.blocking_table import Need
from core.planners.bcr.root_conditions import Way
from core.planners.bcr.situation import Situation
from core.world.vocabulary import BREWS, CONTAINER, GRABBABLE, HEATS, OPENABLE, RINSES, SURFACE, Action, Entity

CAMERA = ("turn_left", "turn_right", "move_ahead", "move_back", "look_up", "look_down")
"""Verbs that change only what the camera shows."""
SURFACES = 4
"""Places offered at once for putting down what is in the way."""


@dataclass(frozen=True, slots=True)
class Manner:
    """What is offered (see the planner's parameters).

    Attributes:
        camera: turning, stepping and tilting may bring a thing into view.
        places: closed places offered at once for looking into.
        again: places already looked into are offered again.
        clear: what lies in a full place is carried away.
        keep: things that must stay where they are.
    """

    camera: bool = False
    places: int = 8
    again: bool = False
    clear: bool = True
    keep: frozenset[str] = frozenset()


Source = Callable[..., Iterable[Action]]


def ways(need: Need, now: Situation, manner: Manner) -> list[Way]:
    """Resolution actions for a need, each once; only verbs this world has. What the world itself named comes first."""
    found: dict[Action, Way] = {}
    remedy = now.remedies.get(need)
    if remedy is not None and remedy.verb in now.verbs:
        found[remedy] = Way(remedy)
    for entry in now.family.resolved_by.get(need.kind, ()):
        possibly, entry = entry.startswith("? "), entry.removeprefix("? ")
        for action in _actions(entry, need, now, manner):
            if action.verb in now.verbs:
                found.setdefault(action, Way(action, certain=not possibly))
    return list(found.values())


def _actions(entry: str, need: Need, now: Situation, manner: Manner) -> Iterable[Action]:
    """An entry of the table is a source of this module with arguments, or a verb with arguments."""
    words = entry.split()
    about = [need.args[int(w)] for w in words if w.isdigit() and int(w) < len(need.args)]
    name = " ".join(w for w in words if not w.isdigit())
    if name in SOURCES:
        return SOURCES[name](now, manner, *about)
    return _known(Action(name, tuple(about)), now)


def _known(action: Action, now: Situation) -> Iterator[Action]:
    """With every thing that has a wanted property, one a class, once any is known."""
    if not action.args or not action.args[0].startswith("?"):
        yield action
        return
    classes: dict[str, Entity] = {}
    for entity in now.instances(action.args[0]):
        if GRABBABLE in entity.properties or action.verb != "grab":
            classes.setdefault(entity.cls, entity)
    yield from (Action(action.verb, (e.id, *action.args[1:])) for e in classes.values())
    if not classes:
        yield action


# --- looking for things ---------------------------------------------------------
def search(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Look around, look into what is closed, look elsewhere; over surfaces at last.

    What comes from a known source is looked for there and nowhere else.
    """
    among = now.sources(thing)
    found = list(_look_into(now, manner, among))
    if manner.again or now.standpoint not in now.scanned:
        yield Action("scan")
    if now.partial and manner.camera:
        yield from (Action(verb) for verb in CAMERA)
    yield from found
    rooms = list(_other_rooms(now, manner, among))
    yield from rooms
    if not found and not rooms:
        yield from _look_over(now, among)


def _look_into(now: Situation, manner: Manner, among: Collection[str] = ()) -> Iterator[Action]:
    """Walk to each far closed place, open each near one; classes in turn, so that a short list shows every kind.

    `among`: only into places with these ids; empty: into any.
    """
    agent = now.view.agent
    places = [e for e in now.having(OPENABLE) if CONTAINER in e.properties and e.category == "furniture"
              and (manner.again or not _looked_into(e, now)) and (e.room == agent.room or e.room is None)
              and now.cover(e.id) is None and (not among or e.id in among)]
    places = sorted(_in_turn(places, agent.near), key=lambda e: now.runs_around(e.id) is not None)  # what runs, last
    for place in places[:manner.places]:
        # A picture shows what is in a place only to who stands before it, so being within reach is not enough there.
        if place.id not in (agent.near[:1] if now.partial else agent.near):
            yield Action("walk", (place.id,))
        elif "closed" in place.states:
            yield Action("open", (place.id,))


def _looked_into(place: Entity, now: Situation) -> bool:
    return place.id in now.searched or (not now.partial and (place.id, "inside") in now.world.looked)


def _in_turn(places: list[Entity], near: tuple[str, ...]) -> list[Entity]:
    """Near ones first, then the first of each class, then the second of each."""
    ranks: dict[str, int] = {}
    order = []
    for place in places:
        ranks[place.cls] = ranks.get(place.cls, -1) + 1
        order.append((place.id not in near, ranks[place.cls], place))
    return [place for _, _, place in sorted(order, key=lambda row: row[:2])]


def _other_rooms(now: Situation, manner: Manner, among: Collection[str] = ()) -> Iterator[Action]:
    """Rooms not entered yet, and those with closed places not looked into; only those with a place of `among`, if any are."""
    left = {e.room for e in now.having(OPENABLE) if CONTAINER in e.properties and not _looked_into(e, now)
            and (not among or e.id in among)}
    named = {e.room for e in now.view.entities if e.id in among}
    for room in now.view.entities:
        if room.category == "room" and room.id != now.view.agent.room and (not among or room.id in named) and (
                manner.again or room.id not in now.rooms or room.id in left):
            yield Action("walk", (room.id,))


def _look_over(now: Situation, among: Collection[str] = ()) -> Iterator[Action]:
    """Bend over what things lie on, where the picture may have missed something."""
    if now.partial:
        open_ones = (e for e in now.view.entities if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}
                     and e.id not in now.searched and "closed" not in e.states and (not among or e.id in among))
        yield from (Action("walk", (e.id,)) for e in open_ones)


# --- getting there, hands, doors, room -------------------------------------------
def approach(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """To its room, then to it; where that was refused, to what it lies on, and look around."""
    del manner
    entity = now.entity(thing)
    if entity is None:
        return
    if entity.room not in (None, now.view.agent.room):
        yield Action("walk", (str(entity.room),))
        return
    walk = Action("walk", (thing,))
    yield walk
    if walk in now.memory.refused:
        yield Action("scan")
        yield from (Action("walk", (r.object,)) for r in now.view.holders(thing))


def come_closer(now: Situation, manner: Manner, thing: str = "") -> Iterator[Action]:
    """Try from elsewhere: what a world refused without a reason that is known here."""
    if thing and now.entity(thing) is not None and now.view.agent.near[:1] != (thing,):
        yield from approach(now, manner, thing)
    yield Action("move_back")


def put_down(now: Situation, manner: Manner, *_: str) -> Iterator[Action]:
    """What is held, on a surface within reach; else walk to one."""
    del manner
    for thing in now.view.agent.holding[:1]:
        places = [e for e in now.view.entities if _takes(e, thing, now)]
        near = [e for e in places if e.id in now.view.agent.near]
        for place in sorted(near, key=lambda e: e.properties.isdisjoint({SURFACE}))[:SURFACES]:
            yield Action("put_on" if SURFACE in place.properties else "put_in", (thing, place.id))
        if not near:
            here = sorted(places, key=lambda e: (e.room != now.view.agent.room, SURFACE not in e.properties,
                                                 len(now.view.contents.get(e.id, ()))))
            far = [a for e in here[:SURFACES] for a in approach(now, Manner(), e.id)]
            yield from dict.fromkeys(far)


def _takes(place: Entity, thing: str, now: Situation) -> bool:
    """Furniture to put a thing on for the time being: no appliance, not full, not what is just being cleared."""
    usable = SURFACE in place.properties or (CONTAINER in place.properties and "closed" not in place.states)
    return (place.category == "furniture" and usable and not place.properties & {HEATS, BREWS, RINSES}
            and (thing, place.id) not in now.memory.no_space and place.id not in now.memory.clearing
            and place.id not in now.unreachable)


def open_cover(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """The outermost closed door around a thing."""
    del manner
    cover = now.cover(thing)
    if cover is not None:
        yield Action("open", (cover,))


def stop(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Switch off what runs around a thing."""
    del manner
    machine = now.runs_around(thing)
    if machine is not None:
        yield Action("switch_off", (now.switch(machine),))


def clear(now: Situation, manner: Manner, thing: str, holder: str) -> Iterator[Action]:
    """Take something out of a full place that no literal needs there; what is not known to be there has to be seen first."""
    if manner.clear:
        there = [occupant for occupant in now.view.contents.get(holder, ())
                 if occupant != thing and GRABBABLE in now.view.by_id[occupant].properties]
        yield from (Action("grab", (occupant,)) for occupant in there if occupant not in manner.keep)
        if not there:
            yield from come_closer(now, manner, holder)


SOURCES: Mapping[str, Source] = MappingProxyType({
    "search": search, "approach": approach, "come closer": come_closer, "put down": put_down, "open cover": open_cover,
    "stop": stop, "clear": clear,
})
"""What the table's entries mean that are not verbs."""
