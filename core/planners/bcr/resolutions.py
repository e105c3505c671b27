"""The actions that bring about a goal literal (`Goals`) or a need of another action (`ways`) in the current situation.

Some do so surely, others possibly: opening a cabinet may bring the mug into view.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.goals.progress import satisfying
from core.planners.bcr.conditions import Need, Situation
from core.planning.goal_work import CARRIED, is_claimed, is_made_for
from core.planning.regression import LAST_STATES, PREPARED
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    SURFACE,
    TAKES_SLICES,
    TREATED_BY,
    Action,
    Entity,
)

# --- goal literals ----------------------------------------------------------------
BY_HAND = {"open": "open", "closed": "close", "on": "switch_on", "off": "switch_off", "sliced": "slice",
           "plugged in": "plug_in"}
"""State -> the verb that sets it."""


ROBOT_VERBS = {"robot_in": "walk", "robot_near": "walk", "robot_facing": "turn_to", "sitting": "sit", "lying": "lie"}
"""Predicate about the robot -> the verb that brings it about."""


def _verb_of(literal: Literal) -> str:
    """Returns the verb that brings about a literal about the robot or an act."""
    return literal.act if literal.predicate == "done" else ROBOT_VERBS[literal.predicate]


class Way(NamedTuple):
    """An action that brings about a literal or a need.

    Attributes:
        action: the action.
        also: needs beyond those of its verb: to cook bread, the bread must be in the toaster that is switched on.
        certain: True if it surely has the desired effect, False if possibly.
    """

    action: Action
    also: tuple[Need, ...] = ()
    certain: bool = True


class Goals:
    """The literals of a goal and the objects chosen for them. A choice is kept as long as the object can be used."""

    def __init__(self, goal: Goal):
        self.goal = goal
        self._named = {literal.subject for literal in goal.literals}
        self._chosen: dict[tuple[int, str], str] = {}

    def roots(self, index: int, now: Situation) -> list[Way]:
        """Returns the actions that bring a literal closer (alternatives); empty if no known action does."""
        literal = self.goal.literals[index]
        subject = self._subject(index, literal, now)
        states = now.view.by_id[subject].states if subject in now.view.by_id else frozenset()
        pending = [s for s in PREPARED if s in literal.states - states]
        if pending:
            return self._prepared(subject, pending[0], literal, now)
        if literal.predicate in ("inside", "on") and not self._placed(subject, literal, now):
            verb = "put_in" if literal.predicate == "inside" else "put_on"
            return [Way(Action(verb, (subject, self._target(index, literal, subject, now))))]
        if literal.is_about_robot:
            return [Way(Action("stand_up") if literal.predicate == "standing" else Action(_verb_of(literal), (subject,)))]
        if literal.predicate == "holds" and subject not in now.view.agent.holding:
            return [Way(Action("grab", (subject,)))]
        last = [s for s in sorted(literal.states - states) if s in LAST_STATES]
        return [Way(self._turned(subject, last[0], now))] if last else []

    def _placed(self, subject: str, literal: Literal, now: Situation) -> bool:
        bare = Literal(literal.predicate, literal.subject, literal.target)
        return subject in set(satisfying(bare, now.view))

    def _turned(self, subject: str, state: str, now: Situation) -> Action:
        return Action(BY_HAND[state], (now.switch(subject) if state in ("on", "off") else subject,))

    # --- choice of objects ------------------------------------------------------
    def _subject(self, index: int, literal: Literal, now: Situation) -> str:
        """Returns the subject to work on: the easiest one that does not satisfy the literal yet and is not needed elsewhere.

        A literal that keeps its source refers to objects that have not been seen there yet.
        """
        if literal.source:
            return f"+{literal.subject}@{literal.source}"
        done = set(satisfying(literal, now.view))
        carried = literal.predicate in CARRIED
        settled = self.settled(now, but=index) if carried else frozenset()
        instances = now.rooms_called(literal.subject) if literal.predicate == "robot_in" else now.instances(literal.subject)
        able = [e for e in instances
                if e.id not in done | settled and is_made_for(literal, e, now.controllers)
                and not self._refused_by_all(e.id, literal, now)
                and not (carried and self._is_claimed(e.id, literal, now))]
        return self._choose((index, "subject"), able, literal.subject, now, literal)

    def _refused_by_all(self, thing: str, literal: Literal, now: Situation) -> bool:
        """Returns True if every known target has refused the object permanently."""
        targets = now.instances(literal.target) if literal.target else []
        return bool(targets) and all((thing, t.id) in now.memory.too_small for t in targets)

    def settled(self, now: Situation, but: int = -1) -> frozenset[str]:
        """Returns the objects that satisfy a literal about their place; they must stay there."""
        return frozenset(thing for k, literal in enumerate(self.goal.literals)
                         if literal.predicate in CARRIED and k != but
                         for thing in tuple(satisfying(literal, now.view))[:literal.count]
                         if not self._is_claimed(thing, literal, now))

    def _is_claimed(self, thing: str, literal: Literal, now: Situation) -> bool:
        return thing in self._named and is_claimed(thing, literal, self.goal.literals, now.view.by_id)

    def _target(self, index: int, literal: Literal, subject: str, now: Situation) -> str:
        """Returns the target of an object, if possible one that has not refused it."""
        able = [e for e in now.instances(literal.target or "")
                if e.id != subject and (subject, e.id) not in now.memory.too_small]
        free = [e for e in able if (subject, e.id) not in now.memory.no_space]
        return self._choose((index, "target"), free or able, literal.target or "", now, literal)

    def _choose(self, key: tuple[int, str], able: list[Entity], otherwise: str, now: Situation, literal: Literal) -> str:
        ids = [e.id for e in able]
        if not ids:
            self._chosen.pop(key, None)
            return f"+{otherwise}" if any(is_a(e, otherwise) for e in now.view.entities) else otherwise
        if self._chosen.get(key) not in ids:
            wanted = literal.states if key[1] == "subject" else frozenset()
            self._chosen[key] = min(able, key=lambda e: (*self._effort(e, now), -len(wanted & e.states), e.id)).id
        return self._chosen[key]

    def _effort(self, entity: Entity, now: Situation) -> tuple[bool, bool, bool, int]:
        agent = now.view.agent
        return (entity.id not in agent.holding, now.cover(entity.id) is not None, entity.room != agent.room,
                len(now.view.contents.get(entity.id, ())))

    # --- states set by appliances -----------------------------------------------
    def _prepared(self, subject: str, state: str, literal: Literal, now: Situation) -> list[Way]:
        if state in BY_HAND:
            return [Way(Action(BY_HAND[state], (subject,)))]
        machines = list(self._machines(subject, state, literal, now))
        if not machines:
            return [Way(Action("switch_on", (f"?{TREATED_BY[state][1]}",)))]
        return [self._treated(subject, machine, now) for machine in machines]

    def _machines(self, subject: str, state: str, literal: Literal, now: Situation) -> Iterator[Entity]:
        """Yields appliances that set a state: the one the object is in, else one of each class that has not refused it.

        If the literal names an appliance, only that one.
        """
        thing = now.entity(subject)
        slices = thing is not None and ("sliced" in thing.states or thing.cls.endswith("slice"))
        found = [m for m in now.having(TREATED_BY[state][1]) if now.usable(m) and (slices or TAKES_SLICES not in m.properties)
                 and (subject, m.id) not in now.memory.too_small and (literal.by is None or is_a(m, literal.by))]
        found.sort(key=lambda m: (not self._in(subject, m, now), (subject, m.id) in now.memory.no_space, m.id))
        if found and self._in(subject, found[0], now):
            found = found[:1]  # moving it between appliances would never end
        for number, machine in enumerate(found):
            if machine.cls not in {m.cls for m in found[:number]}:
                yield machine

    def _treated(self, subject: str, machine: Entity, now: Situation) -> Way:
        """Returns switching the appliance on with the object in it; if it is running, putting the object into it."""
        kind = "inside" if CONTAINER in machine.properties else "on"
        if now.running(machine.id) and not self._in(subject, machine, now):
            return Way(Action("put_in" if kind == "inside" else "put_on", (subject, machine.id)))
        return Way(Action("switch_on", (now.switch(machine.id),)), (Need(kind, (subject, machine.id)),))

    def _in(self, subject: str, machine: Entity, now: Situation) -> bool:
        return any(r.object == machine.id for r in now.view.holders(subject))


# --- needs ------------------------------------------------------------------------
CAMERA = ("turn_left", "turn_right", "move_ahead", "move_back", "look_up", "look_down")
"""Verbs that only change the camera view."""
SURFACES = 4
"""The maximum number of places offered at once to put down an object that is in the way."""


@dataclass(frozen=True, slots=True)
class ResolutionOptions:
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


def ways(need: Need, now: Situation, options: ResolutionOptions) -> list[Way]:
    """Returns the resolution actions for a need, each once, limited to the verbs of this world.

    A remedy that the world suggested comes first.
    """
    found: dict[Action, Way] = {}
    remedy = now.remedies.get(need)
    if remedy is not None and remedy.verb in now.verbs:
        found[remedy] = Way(remedy)
    for entry in now.family.resolved_by.get(need.kind, ()):
        possibly, entry = entry.startswith("? "), entry.removeprefix("? ")
        for action in _actions(entry, need, now, options):
            if action.verb in now.verbs:
                found.setdefault(action, Way(action, certain=not possibly))
    return list(found.values())


def _actions(entry: str, need: Need, now: Situation, options: ResolutionOptions) -> Iterable[Action]:
    """Returns the actions of a table entry: a function in SOURCES with arguments, or a verb with arguments."""
    words = entry.split()
    about = [need.args[int(w)] for w in words if w.isdigit() and int(w) < len(need.args)]
    name = " ".join(w for w in words if not w.isdigit())
    if name in SOURCES:
        return SOURCES[name](now, options, *about)
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
def search(now: Situation, options: ResolutionOptions, thing: str) -> Iterator[Action]:
    """Yields the actions that search for an object: look around, open containers, enter rooms, finally look at surfaces.

    An object from a known source is searched only there.
    """
    among = now.sources(thing)
    found = list(_look_into(now, options, among))
    if options.again or now.standpoint not in now.scanned:
        yield Action("scan")
    if now.partial and options.camera:
        yield from (Action(verb) for verb in CAMERA)
    yield from found
    rooms = list(_other_rooms(now, options, among))
    yield from rooms
    if not found and not rooms:
        yield from _look_over(now, among)


def _look_into(now: Situation, options: ResolutionOptions, among: Collection[str] = ()) -> Iterator[Action]:
    """Yields a walk to each distant closed place and the opening of each near one, alternating between classes.

    Args:
        now: the situation.
        options: which actions are offered.
        among: ids of the places to search; empty: all.
    """
    agent = now.view.agent
    places = [e for e in now.having(OPENABLE) if CONTAINER in e.properties and e.category == "furniture"
              and (options.again or not _looked_into(e, now)) and (e.room == agent.room or e.room is None)
              and now.cover(e.id) is None and (not among or e.id in among)]
    places = sorted(_in_turn(places, agent.near), key=lambda e: now.runs_around(e.id) is not None)  # running appliances last
    for place in places[:options.places]:
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


def _other_rooms(now: Situation, options: ResolutionOptions, among: Collection[str] = ()) -> Iterator[Action]:
    """Yields rooms not entered yet and rooms with unsearched closed places; if `among` is given, only rooms of its places."""
    left = {e.room for e in now.having(OPENABLE) if CONTAINER in e.properties and not _looked_into(e, now)
            and (not among or e.id in among)}
    named = {e.room for e in now.view.entities if e.id in among}
    for room in now.view.entities:
        if room.category == "room" and room.id != now.view.agent.room and (not among or room.id in named) and (
                options.again or room.id not in now.rooms or room.id in left):
            yield Action("walk", (room.id,))


def _look_over(now: Situation, among: Collection[str] = ()) -> Iterator[Action]:
    """Yields walks to surfaces, where the camera may have missed objects."""
    if now.partial:
        open_ones = (e for e in now.view.entities if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}
                     and e.id not in now.searched and "closed" not in e.states and (not among or e.id in among))
        yield from (Action("walk", (e.id,)) for e in open_ones)


# --- reaching, hands, doors, space -----------------------------------------------
def approach(now: Situation, options: ResolutionOptions, thing: str) -> Iterator[Action]:
    """Yields the walk to an object's room, then to the object; if that was refused, a scan and walks to its holders."""
    del options
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


def come_closer(now: Situation, options: ResolutionOptions, thing: str = "") -> Iterator[Action]:
    """Yields actions that change the robot's position, for refusals without a known reason."""
    if thing and now.entity(thing) is not None and now.view.agent.near[:1] != (thing,):
        yield from approach(now, options, thing)
    yield Action("move_back")


def put_down(now: Situation, options: ResolutionOptions, *_: str) -> Iterator[Action]:
    """Yields ways to put the held object on a surface within reach, else walks to surfaces."""
    del options
    for thing in now.view.agent.holding[:1]:
        places = [e for e in now.view.entities if _takes(e, thing, now)]
        near = [e for e in places if e.id in now.view.agent.near]
        for place in sorted(near, key=lambda e: e.properties.isdisjoint({SURFACE}))[:SURFACES]:
            yield Action("put_on" if SURFACE in place.properties else "put_in", (thing, place.id))
        if not near:
            here = sorted(places, key=lambda e: (e.room != now.view.agent.room, SURFACE not in e.properties,
                                                 len(now.view.contents.get(e.id, ()))))
            far = [a for e in here[:SURFACES] for a in approach(now, ResolutionOptions(), e.id)]
            yield from dict.fromkeys(far)


def _takes(place: Entity, thing: str, now: Situation) -> bool:
    """Returns True for furniture that can temporarily hold an object: no appliance, not full, not being cleared."""
    usable = SURFACE in place.properties or (CONTAINER in place.properties and "closed" not in place.states)
    return (place.category == "furniture" and usable and not place.properties & {HEATS, BREWS, RINSES}
            and (thing, place.id) not in now.memory.no_space and place.id not in now.memory.clearing
            and place.id not in now.unreachable)


def open_cover(now: Situation, options: ResolutionOptions, thing: str) -> Iterator[Action]:
    """Yields opening the outermost closed container around an object."""
    del options
    cover = now.cover(thing)
    if cover is not None:
        yield Action("open", (cover,))


def stop(now: Situation, options: ResolutionOptions, thing: str) -> Iterator[Action]:
    """Yields switching off the appliance around an object."""
    del options
    machine = now.runs_around(thing)
    if machine is not None:
        yield Action("switch_off", (now.switch(machine),))


def start(now: Situation, options: ResolutionOptions, thing: str) -> Iterator[Action]:
    """Yields switching something on, by its own switch or by what controls it."""
    del options
    yield Action("switch_on", (now.switch(thing),))


def clear(now: Situation, options: ResolutionOptions, thing: str, holder: str) -> Iterator[Action]:
    """Yields grabbing an object in a full place that no literal needs there; if none is known, actions to see it first."""
    if options.clear:
        there = [occupant for occupant in now.view.contents.get(holder, ())
                 if occupant != thing and GRABBABLE in now.view.by_id[occupant].properties]
        yield from (Action("grab", (occupant,)) for occupant in there if occupant not in options.keep)
        if not there:
            yield from come_closer(now, options, holder)


SOURCES: Mapping[str, Source] = MappingProxyType({
    "search": search, "approach": approach, "come closer": come_closer, "put down": put_down, "open cover": open_cover,
    "stop": stop, "start": start, "clear": clear,
})
"""The functions of the table's entries that are not verbs."""
