"""What verbs need, and the reason given when a need fails. The first need that fails is the verdict.

Needs ask a `Reach` what the robot sees and can touch, so they are the same for both ways of seeing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from core.world.vocabulary import ADMISSIBLE, TAKES_SLICES, Action, Verdict
from sim.household.household import Household


class Reach(Protocol):
    """What the robot sees and can touch in one way of seeing."""

    def in_sight(self, entity_id: str) -> bool:
        """Returns True if the robot sees or holds the entity, or remembers it."""

    def can_walk_to(self, entity_id: str) -> Verdict:
        """Returns whether the robot can go there now."""

    def near(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to use the entity."""

    def can_pick(self, entity_id: str) -> bool:
        """Returns True if the robot stands close enough to take the object itself, not only to use its holder."""

    def walk(self, entity_id: str) -> None:
        """Moves the robot there."""


class Case(NamedTuple):
    """What a rule is applied to.

    Attributes:
        home: the household.
        reach: what the robot sees and can touch.
        args: ids, as many as the verb has roles.
    """

    home: Household
    reach: Reach
    args: tuple[str, ...]


def named(entity_id: str) -> str:
    """Returns an entity as it is named in a sentence: `the apple 2`."""
    return f"the {entity_id.replace('_', ' ')}"


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """Returns a refusal."""
    return Verdict(False, precondition, reason, remedy)


def needs_sight(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not in sight."""
    if thing in case.home.items and case.reach.in_sight(thing):
        return None
    return no("in sight", f"{named(thing)} is not in sight")


def needs_near(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not within reach."""
    if case.reach.near(thing):
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def needs_property(case: Case, thing: str, flag: str, words: str) -> Verdict | None:
    """Refuses an entity without the property that the verb needs."""
    if flag in case.home.items[thing].properties:
        return None
    return no(flag, f"{named(thing)} {words}")


def needs_open(case: Case, holder: str) -> Verdict | None:
    """Refuses a container that is closed or running."""
    if case.home.is_closed(holder):
        return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,)))
    return needs_still(case, holder)


def needs_still(case: Case, thing: str) -> Verdict | None:
    """Refuses an appliance that must stay closed while it runs (a microwave)."""
    if not case.home.runs_shut(thing):
        return None
    switch = thing if "on" in case.home.states(thing) else case.home.controllers[thing][0]
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (switch,)))


def needs_held(case: Case, thing: str) -> Verdict | None:
    """Refuses what is not in a hand itself. Lying on a held plate does not count."""
    if thing in case.home.state.held:
        return None
    return no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def first(*checks: Callable[[], Verdict | None]) -> Verdict:
    """Returns the first refusal, or ADMISSIBLE."""
    for check in checks:
        verdict = check()
        if verdict is not None:
            return verdict
    return ADMISSIBLE


def needs_kind(case: Case, thing: str, holder: str) -> Verdict | None:
    """Refuses objects of a class that the holder does not take: toasters take slices, towel holders towels."""
    only = case.home.items[holder].only
    if only and case.home.items[thing].cls not in only:
        return no("kind", f"{named(holder)} only takes a {' or a '.join(c.replace('_', ' ') for c in sorted(only))}")
    if TAKES_SLICES not in case.home.items[holder].properties:
        return None
    if "sliced" in case.home.states(thing) or case.home.items[thing].cls.endswith("slice"):
        return None
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first")


def needs_room(case: Case, thing: str, relation: str, holder: str) -> Verdict | None:
    """Refuses a holder without a free spot, and names what is in the way."""
    if case.home.free_place(thing, relation, holder) is not None:
        return None
    occupants = case.home.contents.get(holder, ())
    if not occupants:
        return no("size", f"{named(thing)} does not fit {'in' if relation == 'inside' else 'on'} {named(holder)}")
    way = ", ".join(named(o) for o in occupants[:3])
    return no("room", f"no room {'in' if relation == 'inside' else 'on'} {named(holder)}: {way} in the way",
              Action("grab", (occupants[0],)))


def needs_touch(case: Case, thing: str) -> Verdict | None:
    """Refuses an object that is not within reach itself. Reaching the table it lies on is not enough."""
    if case.reach.can_pick(thing):
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))
