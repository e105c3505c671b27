"""Tracks a goal against the objects known so far and rewrites it into literals about them that a planner can work on.

"Every light", "a fruit", "what lay on the table" and "away" are grounded in known objects. Literals about the robot and acts
stay as they are. What must never be is no literal to work on but a ban (`core.goals.prohibitions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from core.goals.kinds import alternatives, is_a, is_several
from core.goals.literals import NOT_LASTING, UNKNOWN, Goal, GoalRecord, Literal, LiteralProgress
from core.goals.progress import GoalWatch, held_now, meant, progress, rooms_in, satisfying
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import BREWS, CONTAINER, GRABBABLE, HEATS, RINSES, SURFACE, Entity, Observation

TEMPORARY = frozenset({HEATS, RINSES, BREWS})
"""Appliances that objects are put into only temporarily, so they are no target for "away"."""

OFTEN = 3
"""The number of places that refused an object after which another object is preferred."""


def concrete(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN,
             full: Collection[tuple[str, str]] = ()) -> Goal:
    """Returns the literals to work on now, in terms of the known objects.

    They are those of the open stage and those of earlier ones that must still hold, without `every`, `room`, `source`, `was`,
    `never`, kinds and `away`.

    Args:
        goal: the goal as given.
        world: all that is known.
        record: what is known of the past.
        full: (object, holder) pairs that were refused.
    """
    stage = record.stage(goal) if record.known else goal.last_stage
    due = [x for x in goal.literals
           if not x.never and x.stage <= stage and (x.stage == stage or x.predicate not in NOT_LASTING)]
    placing = [x for x in due if x.predicate in ("inside", "on", "away")]
    wants = [_Want.of(x, world, record) for x in placing] if len(placing) > 1 else []
    literals = [part for literal in due for part in _plain(replace(literal, stage=0), world, record, full,
                                                           [w for w in wants if w.literal != literal])]
    return Goal(tuple(dict.fromkeys(literals)), goal.text)


@dataclass(frozen=True, slots=True)
class _Want:
    """Where another literal of the goal wants objects: one object may have to be where several literals allow it.

    Attributes:
        literal: it is about a place.
        things: ids of the objects it means.
        missing: those of them that still have to be brought there; none if the literal holds.
    """

    literal: Literal
    things: frozenset[str]
    missing: frozenset[str]

    @classmethod
    def of(cls, literal: Literal, world: Observation, record: GoalRecord) -> _Want:
        """Returns what a literal wants now."""
        things = frozenset(e.id for e in meant(literal, world, record))
        report = held_now(literal, world, record)
        return cls(literal, things, frozenset() if report.reached else things.difference(report.subjects))

    def allows(self, place: Entity, world: Observation) -> bool:
        """Returns True if the literal holds for an object in or on a place."""
        target = self.literal.target or ""
        if self.literal.predicate == "away":
            return not is_a(place, target)
        if self.literal.predicate == "inside" and place.room in world.by_id and is_a(world.by_id[place.room], target):
            return True
        return (SURFACE if self.literal.predicate == "on" else CONTAINER) in place.properties and is_a(place, target)


def _refusing(wants: Collection[_Want], place: Entity, world: Observation) -> int:
    """Returns how many of the other literals do not hold for an object in or on a place."""
    return sum(not want.allows(place, world) for want in wants)


def _is_lasting(place: Entity, wants: Collection[_Want], world: Observation) -> bool:
    """Returns True for furniture in which objects stay, and for what another literal names as their place."""
    named = (w for w in wants if w.literal.predicate != "away" and is_a(place, w.literal.target or ""))
    return (place.category == "furniture" and not place.properties & TEMPORARY) or any(w.allows(place, world) for w in named)


def _plain(literal: Literal, world: Observation, record: GoalRecord, full: Collection[tuple[str, str]],
           wants: Collection[_Want]) -> list[Literal]:
    if _is_ground(literal, world) or (literal.is_about_robot and not literal.every):
        return [literal]
    done = set(satisfying(literal, world, record))
    known = sorted(meant(literal, world, record), key=lambda e: (e.id not in done, e.id not in world.agent.holding, e.id))
    chosen = known if literal.every else _takeable(literal, known, done, full)[: literal.count]
    found = [_of(literal, entity, world, full, done, [w for w in wants if entity.id in w.things]) for entity in chosen]
    missing = literal.count - len(chosen)
    known_by = literal.every or literal.source or literal.room or literal.was or literal.holding
    if missing > 0 and not known_by and alternatives(literal.subject):
        found.append(_with_place(replace(literal, subject=_likeliest(literal.subject, world), count=missing), world, full))
    return found


def _is_ground(literal: Literal, world: Observation) -> bool:
    """Returns True if a literal can be worked on as it is."""
    in_room = literal.predicate == "inside" and any(is_a(e, literal.target or "") for e in rooms_in(world))
    return literal.is_plain and not in_room


def _likeliest(subject: str, world: Observation) -> str:
    """Returns the class to look for of several: the first one of which nothing has been seen."""
    seen = {e.cls for e in world.entities}
    names = alternatives(subject)
    return next((name for name in names if name not in seen), names[0])


def _with_place(literal: Literal, world: Observation, full: Collection[tuple[str, str]],
                wants: Collection[_Want] = ()) -> Literal:
    """Returns the literal with one known entity as its target if it allows several, or if it is a room.

    Places that suit the other literals about the object (`wants`) come first.
    """
    target = literal.target or ""
    rooms = {e.id for e in rooms_in(world) if is_a(e, target)}
    if not is_several(target) and not rooms:
        return literal
    flags = {SURFACE} if literal.predicate == "on" else {SURFACE, CONTAINER} if rooms else {CONTAINER}
    places = [e for e in world.entities if flags & e.properties and e.category != "room"
              and (is_a(e, target) or (e.room in rooms and _is_lasting(e, wants, world)))]
    free = [e for e in places if (literal.subject, e.id) not in full] or places
    here = world.agent.room
    nearest = min(free, key=lambda e: (_refusing(wants, e, world), e.room != here, SURFACE not in e.properties, e.id),
                  default=None)
    if nearest is None:
        return literal
    inside = literal.predicate == "inside" and CONTAINER in nearest.properties and not (rooms and SURFACE in nearest.properties)
    return replace(literal, predicate="inside" if inside else "on", target=nearest.id)


def _takeable(literal: Literal, known: list[Entity], done: set[str], full: Collection[tuple[str, str]]) -> list[Entity]:
    """Returns the objects with those that cannot be taken last (pairs without holder), and those refused often before them."""
    carried = literal.target is not None or literal.predicate == "holds"
    stuck = {thing for thing, holder in full if not holder} | {
        e.id for e in known if carried and GRABBABLE not in e.properties}
    refused = Counter(thing for thing, _ in full)
    return sorted(known, key=lambda e: (e.id not in done, e.id in stuck, refused[e.id] >= OFTEN))


def _of(literal: Literal, entity: Entity, world: Observation, full: Collection[tuple[str, str]], done: set[str],
        wants: Collection[_Want]) -> Literal:
    one = replace(literal, subject=entity.id, count=1, every=False, room=None, source=None, was=frozenset(), holding=None)
    if literal.predicate != "away":
        link = world.holder.get(entity.id) if entity.id in done and literal.target is not None else None
        better = _with_place(one, world, full, wants)
        due = [w for w in wants if entity.id in w.missing]
        if link is None or (due and better.target in world.by_id and _refusing(due, world.by_id[better.target], world)
                            < _refusing(due, world.by_id[link.object], world)):
            return better
        return replace(one, predicate="inside" if link.kind == "inside" else "on", target=link.object)
    if entity.id in done:
        return replace(one, predicate="is", target=None)
    place = _elsewhere(entity, literal.target or "", world, full, wants)
    if place is None:
        return replace(one, predicate="holds", target=None)
    return replace(one, predicate="on" if SURFACE in place.properties else "inside", target=place.id)


def _elsewhere(entity: Entity, source: str, world: Observation, full: Collection[tuple[str, str]],
               wants: Collection[_Want]) -> Entity | None:
    """Returns the nearest other place that has not refused the object, first one that suits the other literals about it."""
    def fits(place: Entity) -> bool:
        return (bool(place.properties & {SURFACE, CONTAINER}) and place.id != entity.id
                and _is_lasting(place, wants, world) and not is_a(place, source) and (entity.id, place.id) not in full)

    here = world.agent.room
    found = sorted((p for p in world.entities if fits(p)),
                   key=lambda p: (_refusing(wants, p, world), p.room != here, SURFACE not in p.properties,
                                  len(world.contents.get(p.id, ())), p.id))
    return found[0] if found else None


class GoalTracker:
    """A goal as given, and its meaning in terms of the objects known so far.

    Attributes:
        asked: the goal as it was given.
        plain: the same without "every", rooms, sources and "away", for the objects known at the last observation.
        sought: literals with a source for which too few objects are known while some place at the source has not been searched.
            Each keeps its source and counts only the missing objects.
    """

    def __init__(self, asked: Goal):
        self.asked, self.plain = asked, asked
        self.sought: tuple[Literal, ...] = ()
        self._special = any(x.by or not x.is_plain for x in asked.literals)
        self._watch = GoalWatch(asked)
        self._known: object = None
        self._world = KnownWorld().merged()
        self._hidden: tuple[str, ...] = ()
        self._open: frozenset[Literal] = frozenset()

    def see(self, world: KnownWorld, full: Collection[tuple[str, str]] = ()) -> bool:
        """Processes what is known. Returns True if `plain` or `sought` changed.

        Args:
            world: all that has been observed.
            full: (object, holder) pairs that were refused.
        """
        self._world = world.merged()
        if not self._special and all(_is_ground(x, self._world) for x in self.asked.literals):
            return False
        record = self._watch.see(self._world)
        missing = {x: _missing(x, self._world, record, full) for x in self.asked.literals}
        unseen = {x: hidden(x, world) if missing[x] else () for x in self.asked.literals}
        self._hidden = tuple(dict.fromkeys(place for places in unseen.values() for place in places))
        self._open = frozenset(x for x in self.asked.literals if x.every and unseen[x])
        sought = tuple(replace(x, count=missing[x]) for x in self.asked.literals if x.source and not x.every and unseen[x])
        subjects = [(sorted(e.id for e in meant(x, self._world, record)), sorted(satisfying(x, self._world, record)))
                    for x in self.asked.literals]
        known = record.passed, subjects, sorted(full)
        before, self.sought = (self.plain, self.sought), sought
        if known != self._known:
            self._known = known
            self.plain = concrete(self.asked, self._world, record, full)
        return (self.plain, self.sought) != before

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress of each literal as far as is known.

        A literal about every object does not count as reached while some may be in places not searched yet.
        """
        reports = progress(self.asked, self._world, self._watch.record if self._special else UNKNOWN)
        return tuple(replace(r, have=0) if r.literal in self._open else r for r in reports)

    @property
    def pursued(self) -> Goal:
        """The goal to plan for: literals about known objects, and those about objects still sought, which keep their source."""
        return replace(self.plain, literals=self.plain.literals + self.sought)

    @property
    def hidden(self) -> tuple[str, ...]:
        """Ids of places and rooms that have not been searched and may contain objects of the goal."""
        return self._hidden


def _missing(literal: Literal, world: Observation, record: GoalRecord, full: Collection[tuple[str, str]]) -> int:
    """Returns how many more objects a literal needs than are known and can be held; for "every", always one more."""
    if literal.every:
        return 1
    slips = {thing for thing, holder in full if not holder}
    return max(0, literal.count - sum(e.id not in slips for e in meant(literal, world, record)))


def hidden(literal: Literal, world: KnownWorld) -> tuple[str, ...]:
    """Returns ids of places and rooms not searched yet that may contain more objects of a literal.

    Only of one with `every`, `source`, `was` or `room`: other objects are looked for by their class.

    A source that is not known yet may be in any room. Furniture is on the map, so a goal about every piece of some furniture
    leaves nothing to search.
    """
    if literal.source:
        sources = origins(literal, world)
        if sources:
            return tuple(e.id for e in sources if not looked_at(e, world))
    elif not _is_searched(literal) or any(
            is_a(e, literal.subject) and e.category == "furniture" for e in world.entities.values()):
        return ()
    looked = {place for place, _ in world.looked}
    rooms = tuple(e.id for e in world.entities.values() if e.category == "room" and e.id not in looked)
    return rooms + tuple(e.id for e in world.entities.values() if e.category == "furniture" and CONTAINER in e.properties
                         and not looked_at(e, world))


def _is_searched(literal: Literal) -> bool:
    """Returns True if a literal is about objects that cannot be looked for by their class alone."""
    return not literal.never and (literal.every or literal.room is not None or bool(literal.was))


def origins(literal: Literal, world: KnownWorld) -> tuple[Entity, ...]:
    """Returns the known entities that a literal names as its source."""
    return tuple(e for e in world.entities.values() if literal.source and is_a(e, literal.source))


def looked_at(place: Entity, world: KnownWorld) -> bool:
    """Returns True if everything in and on an entity has been observed; the top of a cabinet does not show its inside."""
    if place.category == "room":
        return (place.id, "floor") in world.looked
    if place.category == "object":  # an object is known only if it was seen, and then also what is on it
        return CONTAINER not in place.properties or is_open(place)
    parts = [kind for kind, flag in (("on", SURFACE), ("inside", CONTAINER)) if flag in place.properties]
    return all((place.id, part) in world.looked for part in parts)
