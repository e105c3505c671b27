"""The scope of a classical task: the objects, furniture and appliances a goal needs, and where missing objects may be."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from core.goals.literals import Goal, Literal, is_a, progress
from core.planning.regression import LAST_STATES, Regression
from core.world.known_world import KnownWorld, is_open
from core.world.vocabulary import BREWS, CONTAINER, CUTS, GRABBABLE, HEATS, OPENABLE, RINSES, SURFACE, TAKES_SLICES, Entity

TREATMENTS = {"cooked": HEATS, "clean": RINSES, "filled": BREWS}
KNIFE = "knife?"
"""Placeholder for a cutting tool that has not been seen yet."""
Place = tuple[str, str]
"""A location: (id of furniture, inside or on), or (id of a room, floor)."""


@dataclass(frozen=True, slots=True)
class Need:
    """One subject of a literal: a known object, or one still to be found (its class and a question mark)."""

    literal: Literal
    thing: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything a task refers to.

    Attributes:
        needs: one for each subject the goal counts.
        things: movable objects of the task, found or not.
        lost: the objects whose location is unknown.
        places: possible locations of lost objects.
        furniture: furniture that objects are put on or in, or that is opened or switched.
        unknown: classes of furniture the goal needs that were never seen; no task can be stated without them.
    """

    needs: tuple[Need, ...]
    things: tuple[str, ...]
    lost: frozenset[str]
    places: tuple[Place, ...]
    furniture: tuple[Entity, ...]
    unknown: tuple[str, ...]


class Surveyor:
    """Determines the scope of a goal from what is known.

    Args:
        world: all that is known.
        goal: the goal.
        regression: estimates the effort to use an entity.
        limited: True if objects not in sight count as lost and may be anywhere (the paper's FF-Replan-limited).
        partial: True if the camera may miss objects in the room.
        in_sight: ids in sight.
        ruled_out: (object, location) pairs where a search found nothing.
        no_space: (object, holder) pairs that were refused.
    """

    def __init__(self, world: KnownWorld, goal: Goal, regression: Regression, *, limited: bool, partial: bool,
                 in_sight: frozenset[str], ruled_out: frozenset[tuple[str, Place]], no_space: Collection[tuple[str, str]]):
        self.world, self.goal, self.regression = world, goal, regression
        self.limited, self.partial, self._in_sight, self._ruled_out = limited, partial, in_sight, ruled_out
        self._no_space = no_space
        self.switches = {r.object: r.subject for r in world.merged().relations if r.kind == "controls"}

    def scope(self) -> Scope:
        """Returns the current scope."""
        needs = tuple(self._needs())
        held = self.world.agent.holding
        named = [n.thing for n in needs if self._movable(n.thing) and not self._turned_only(n)]
        tools = [self._knife()] if any("sliced" in n.literal.states for n in needs) else []
        things = tuple(dict.fromkeys((*named, *tools, *held)))
        lost = frozenset(t for t in things if self._is_lost(t))
        furniture, unknown = self._furniture(needs, things)
        return Scope(needs, things, lost, self._places() if lost else (), furniture, unknown)

    # --- subjects -------------------------------------------------------------------
    def _needs(self) -> Iterator[Need]:
        taken: set[str] = set(self._unfit())
        for report in progress(self.goal, self.world.merged()):
            literal = report.literal
            known = [e.id for e in self.regression.instances(literal.subject) if e.id not in taken
                     and (literal.predicate == "is" or GRABBABLE in e.properties)]
            ordered = sorted(known, key=lambda i: i not in report.subjects)[:literal.count]
            missing = (f"{literal.subject}?{k + 1}" for k in range(literal.count - len(ordered)))
            for thing in (*ordered, *missing):
                taken.add(thing)
                yield Need(literal, thing)

    def _unfit(self) -> Iterator[str]:
        """Yields objects that all target places have refused; other objects of their class must be used."""
        for literal in self.goal.literals:
            if literal.target is not None:
                targets = [e.id for e in self._of(literal.target)]
                for entity in self._of(literal.subject):
                    if targets and all((entity.id, t) in self._no_space for t in targets):
                        yield entity.id

    def _movable(self, thing: str) -> bool:
        """Returns True if an object can be carried; unseen ones are assumed to be movable."""
        return thing not in self.world.entities or GRABBABLE in self.world.entities[thing].properties

    def _turned_only(self, need: Need) -> bool:
        """Returns True for unseen furniture that only has to be opened or switched: no plan can assume where it is."""
        return need.literal.predicate == "is" and need.thing not in self.world.entities and need.literal.states <= LAST_STATES

    def _knife(self) -> str:
        found = [e for e in self.world.entities.values() if CUTS in e.properties]
        return min(found, key=lambda e: (self.regression.effort(e), e.id)).id if found else KNIFE

    def _is_lost(self, thing: str) -> bool:
        if thing not in self.world.entities:
            return True
        return self.limited and thing not in self._in_sight and thing not in self.world.agent.holding

    # --- locations --------------------------------------------------------------------
    def _places(self) -> tuple[Place, ...]:
        """Returns the possible locations of lost objects: unsearched ones, or all if the planner is limited."""
        found: list[Place] = []
        for entity in self.world.entities.values():
            if entity.category == "furniture":
                kinds = [kind for kind, flag in (("on", SURFACE), ("inside", CONTAINER)) if flag in entity.properties]
                found += [(entity.id, kind) for kind in kinds if self._may_hold((entity.id, kind))]
            elif entity.category == "room" and ((entity.id, "floor") not in self.world.looked or self.partial):
                found.append((entity.id, "floor"))
        return tuple(found)

    def _may_hold(self, place: Place) -> bool:
        return self.limited or self.partial or place not in self.world.looked

    def hopes(self, thing: str, scope: Scope) -> Iterator[Place]:
        """Yields locations not searched for a lost object yet, except its targets in the goal (it would be reached already)."""
        literals = [n.literal for n in scope.needs if n.thing == thing and n.literal.target is not None and "?" in thing]
        goals = {(e.id, x.predicate) for x in literals for e in self._of(x.target or "")}
        return (place for place in scope.places if (thing, place) not in self._ruled_out and place not in goals)

    # --- furniture ----------------------------------------------------------------------
    def _furniture(self, needs: tuple[Need, ...], things: tuple[str, ...]) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
        found: dict[str, Entity] = {}
        unknown: list[str] = []

        def add(entities: list[Entity], name: str) -> None:
            found.update({e.id: e for e in entities})
            if not entities:
                unknown.append(name)

        for need in needs:
            if need.literal.target is not None:
                add(self._of(need.literal.target), need.literal.target)
            if need.literal.predicate == "is" and need.thing in self.world.entities:
                add([self.world.entities[need.thing]], need.thing)
            if self._turned_only(need):
                unknown.append(need.literal.subject)
            for state in need.literal.states & TREATMENTS.keys():
                add(self.machines(TREATMENTS[state], sliced="sliced" in need.literal.states), state)
        for thing in things:
            found.update({h.id: h for h in self._holders(thing)})
        found.update({e.id: e for e in self._tops()})
        if self.limited or any(t not in self.world.entities for t in things):
            found.update({e.id: e for e in self.world.entities.values()
                          if e.category == "furniture" and e.properties & {CONTAINER, SURFACE}})
        found.update({s: self.world.entities[s] for f in tuple(found) if (s := self.switches.get(f, f)) in self.world.entities})
        return tuple(found.values()), tuple(unknown)

    def _of(self, cls_or_id: str) -> list[Entity]:
        return [e for e in self.world.entities.values() if is_a(e, cls_or_id)]

    def machines(self, flag: str, *, sliced: bool) -> list[Entity]:
        """Returns switchable appliances that heat, rinse or brew; if the goal names one, only that."""
        named = [x.by for x in self.goal.literals if x.by]
        return [e for e in self.world.entities.values() if flag in e.properties and (sliced or TAKES_SLICES not in e.properties)
                and (e.id in self.switches or e.states & {"on", "off"}) and (not named or any(is_a(e, by) for by in named))]

    def _holders(self, thing: str) -> Iterator[Entity]:
        for link in self.world.merged().holders(thing):
            if link.object in self.world.entities:
                yield self.world.entities[link.object]

    def _tops(self) -> list[Entity]:
        """Returns some furniture to put objects on temporarily."""
        tops = [e for e in self.world.entities.values() if e.category == "furniture" and SURFACE in e.properties
                and not e.properties & {HEATS, BREWS, RINSES}]
        return sorted(tops, key=lambda e: (self.regression.effort(e), e.id))[:None if self.limited else 3]


def shut(entity: Entity) -> bool:
    """Returns True if an entity can be closed, which hides and blocks its contents."""
    return OPENABLE in entity.properties and CONTAINER in entity.properties


def opened(entity: Entity) -> bool:
    """Returns True if the inside of an entity can be reached now."""
    return is_open(entity)
