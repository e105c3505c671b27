"""Returns the resolution actions that surely, or possibly, bring about a need in the current situation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.planners.bcr.blocking_table import Need
from core.planners.bcr.root_conditions import Way
from core.planners.bcr.situation import Situation
from core.world.vocabulary import BREWS, CONTAINER, GRABBABLE, HEATS, OPENABLE, RINSES, SURFACE, Action, Entity

CAMERA = ("turn_left", "turn_right", "move_ahead", "move_back", "look_up", "look_down")
"""Verbs that only change the camera view."""
SURFACES = 4
"""The maximum number of places offered at once to put down an object that is in the way."""


@dataclass(frozen=True, slots=True)
class Manner:
    """Which actions are offered (see the planner's parameters).

    Attributes:
        camera: turning, stepping and tilting, to bring an object into view.
        places: the maximum number of closed places offered at once for searching.
        again: places already searched.
        clear: taking objects out of full places.
        keep: ids of objects that must stay in place.
    """

    camera: bool = False
    places: int = 8
    again: bool = False
    clear: bool = True
    keep: frozenset[str] = frozenset()


Source = Callable[..., Iterable[Action]]


def ways(need: Need, now: Situation, manner: Manner) -> list[Way]:
    """Returns the resolution actions for a need, each once, limited to the verbs of this world.

    A remedy that the world suggested comes first.
    """
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
    """Returns the actions of a table entry: a function in SOURCES with arguments, or a verb with arguments."""
    words = entry.split()
    about = [need.args[int(w)] for w in words if w.isdigit() and int(w) < len(need.args)]
    name = " ".join(w for w in words if not w.isdigit())
    if name in SOURCES:
        return SOURCES[name](now, manner, *about)
    return _known(Action(name, tuple(about)), now)


def _known(action: Action, now: Situation) -> Iterator[Action]:
    """Yields the action; if it names a property, once for each known class that has it."""
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


# --- searching for objects ------------------------------------------------------
def search(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Yields the actions that search for an object: look around, open containers, enter rooms, finally look at surfaces.

    An object from a known source is searched only there.
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
    """Yields a walk to each distant closed place and the opening of each near one, alternating between classes.

    Args:
        now: the situation.
        manner: which actions are offered.
        among: ids of the places to search; empty: all.
    """
    agent = now.view.agent
    places = [e for e in now.having(OPENABLE) if CONTAINER in e.properties and e.category == "furniture"
              and (manner.again or not _looked_into(e, now)) and (e.room == agent.room or e.room is None)
              and now.cover(e.id) is None and (not among or e.id in among)]
    places = sorted(_in_turn(places, agent.near), key=lambda e: now.runs_around(e.id) is not None)  # running appliances last
    for place in places[:manner.places]:
        # With a camera, the contents of a place are visible only from directly in front of it; being within reach is not
        # enough.
        if place.id not in (agent.near[:1] if now.partial else agent.near):
            yield Action("walk", (place.id,))
        elif "closed" in place.states:
            yield Action("open", (place.id,))


def _looked_into(place: Entity, now: Situation) -> bool:
    return place.id in now.searched or (not now.partial and (place.id, "inside") in now.world.looked)


def _in_turn(places: list[Entity], near: tuple[str, ...]) -> list[Entity]:
    """Returns near places first, then the first of each class, then the second of each."""
    ranks: dict[str, int] = {}
    order = []
    for place in places:
        ranks[place.cls] = ranks.get(place.cls, -1) + 1
        order.append((place.id not in near, ranks[place.cls], place))
    return [place for _, _, place in sorted(order, key=lambda row: row[:2])]


def _other_rooms(now: Situation, manner: Manner, among: Collection[str] = ()) -> Iterator[Action]:
    """Yields rooms not entered yet and rooms with unsearched closed places; if `among` is given, only rooms of its places."""
    left = {e.room for e in now.having(OPENABLE) if CONTAINER in e.properties and not _looked_into(e, now)
            and (not among or e.id in among)}
    named = {e.room for e in now.view.entities if e.id in among}
    for room in now.view.entities:
        if room.category == "room" and room.id != now.view.agent.room and (not among or room.id in named) and (
                manner.again or room.id not in now.rooms or room.id in left):
            yield Action("walk", (room.id,))


def _look_over(now: Situation, among: Collection[str] = ()) -> Iterator[Action]:
    """Yields walks to surfaces, where the camera may have missed objects."""
    if now.partial:
        open_ones = (e for e in now.view.entities if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}
                     and e.id not in now.searched and "closed" not in e.states and (not among or e.id in among))
        yield from (Action("walk", (e.id,)) for e in open_ones)


# --- reaching, hands, doors, space -----------------------------------------------
def approach(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Yields the walk to an object's room, then to the object; if that was refused, a scan and walks to its holders."""
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
    """Yields actions that change the robot's position, for refusals without a known reason."""
    if thing and now.entity(thing) is not None and now.view.agent.near[:1] != (thing,):
        yield from approach(now, manner, thing)
    yield Action("move_back")


def put_down(now: Situation, manner: Manner, *_: str) -> Iterator[Action]:
    """Yields ways to put the held object on a surface within reach, else walks to surfaces."""
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
    """Returns True for furniture that can temporarily hold an object: no appliance, not full, not being cleared."""
    usable = SURFACE in place.properties or (CONTAINER in place.properties and "closed" not in place.states)
    return (place.category == "furniture" and usable and not place.properties & {HEATS, BREWS, RINSES}
            and (thing, place.id) not in now.memory.no_space and place.id not in now.memory.clearing
            and place.id not in now.unreachable)


def open_cover(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Yields opening the outermost closed container around an object."""
    del manner
    cover = now.cover(thing)
    if cover is not None:
        yield Action("open", (cover,))


def stop(now: Situation, manner: Manner, thing: str) -> Iterator[Action]:
    """Yields switching off the appliance around an object."""
    del manner
    machine = now.runs_around(thing)
    if machine is not None:
        yield Action("switch_off", (now.switch(machine),))


def clear(now: Situation, manner: Manner, thing: str, holder: str) -> Iterator[Action]:
    """Yields grabbing an object in a full place that no literal needs there; if none is known, actions to see it first."""
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
"""The functions of the table's entries that are not verbs."""
