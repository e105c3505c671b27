"""What verbs need, and the reason given when a need fails. As in the household; AI2-THOR has the last word."""

from __future__ import annotations

from collections.abc import Callable

from core.world.vocabulary import ADMISSIBLE, RUNS_CLOSED, TAKES_SLICES, Action, Verdict
from sim.thor.observation import Moment

Need = Callable[[], Verdict | None]


def named(entity_id: str) -> str:
    """Returns an entity as it is named in a sentence: `the apple 2`."""
    return f"the {entity_id.replace('_', ' ')}"


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """Returns a refusal."""
    return Verdict(False, precondition, reason, remedy)


def first(*needs: Need) -> Verdict:
    """Returns the first refusal, or ADMISSIBLE."""
    for need in needs:
        verdict = need()
        if verdict is not None:
            return verdict
    return ADMISSIBLE


def sight(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not in sight now."""
    return None if thing in now.visible else no("in sight", f"{named(thing)} is not in sight")


def near(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not within reach."""
    if thing in now.near:
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def made_for(now: Moment, thing: str, flag: str, words: str) -> Verdict | None:
    """Refuses an entity without the property that the verb needs."""
    return None if flag in now.entities[thing].properties else no(flag, f"{named(thing)} {words}")


def state(now: Moment, thing: str, absent: str) -> Verdict | None:
    """Refuses an entity that is already in the state the verb leads to."""
    if absent in now.entities[thing].states:
        return no(f"not {absent}", f"{named(thing)} is already {absent}")
    return None


def held(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is not in the hand."""
    if thing in now.held:
        return None
    return no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def not_held(now: Moment, thing: str, words: str) -> Verdict | None:
    """Refuses what is in the hand."""
    return no("not held", f"{named(thing)} {words}") if thing in now.held else None


def hand(now: Moment) -> Verdict | None:
    """Refuses if the hand is full."""
    if not now.held:
        return None
    return no("a free hand", f"the hand is full with {named(now.held[0])}: put it down first")


def still(now: Moment, thing: str) -> Verdict | None:
    """Refuses a running appliance that must stay closed while it runs (a microwave)."""
    if RUNS_CLOSED not in now.entities[thing].properties or "on" not in now.entities[thing].states:
        return None
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (thing,)))


def opened(now: Moment, holder: str) -> Verdict | None:
    """Refuses what is closed or running."""
    if "closed" in now.entities[holder].states:
        return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,)))
    return still(now, holder)


def closed_to_run(now: Moment, thing: str) -> Verdict | None:
    """Refuses what is open and runs only closed."""
    if RUNS_CLOSED in now.entities[thing].properties and "open" in now.entities[thing].states:
        return no("closed", f"{named(thing)} is open: close it first", Action("close", (thing,)))
    return None


def kind(now: Moment, thing: str, holder: str) -> Verdict | None:
    """Refuses what is not sliced for a holder that takes slices (a toaster)."""
    if TAKES_SLICES not in now.entities[holder].properties or "sliced" in now.entities[thing].states:
        return None
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first")


def fits(now: Moment, thing: str, holder: str) -> Verdict | None:
    """Refuses to put an object into itself or into what it carries."""
    inside = thing == holder or any(r.object == thing for r in now.layout.holders(holder))
    return no("another thing", f"{named(thing)} cannot be put into itself") if inside else None

