"""What verbs need, and how a need that fails is worded: the household's words, for a world that judges itself in the end."""

from __future__ import annotations

from collections.abc import Callable

from core.world.vocabulary import ADMISSIBLE, RUNS_CLOSED, TAKES_SLICES, Action, Verdict
from sim.thor.moment import Moment

Need = Callable[[], Verdict | None]


def named(entity_id: str) -> str:
    """An entity in a sentence: `the apple 2`."""
    return f"the {entity_id.replace('_', ' ')}"


def no(precondition: str, reason: str, remedy: Action | None = None) -> Verdict:
    """A refusal."""
    return Verdict(False, precondition, reason, remedy)


def first(*needs: Need) -> Verdict:
    """The first failing need, or admissible."""
    for need in needs:
        verdict = need()
        if verdict is not None:
            return verdict
    return ADMISSIBLE


def sight(now: Moment, thing: str) -> Verdict | None:
    """In sight now."""
    return None if thing in now.visible else no("in sight", f"{named(thing)} is not in sight")


def near(now: Moment, thing: str) -> Verdict | None:
    """Within reach."""
    if thing in now.near:
        return None
    return no("within reach", f"{named(thing)} is not within reach: walk to it first", Action("walk", (thing,)))


def made_for(now: Moment, thing: str, flag: str, words: str) -> Verdict | None:
    """The kind of thing the verb is for."""
    return None if flag in now.entities[thing].properties else no(flag, f"{named(thing)} {words}")


def state(now: Moment, thing: str, absent: str) -> Verdict | None:
    """Not yet as the verb would make it."""
    if absent in now.entities[thing].states:
        return no(f"not {absent}", f"{named(thing)} is already {absent}")
    return None


def held(now: Moment, thing: str) -> Verdict | None:
    """In the hand."""
    if thing in now.held:
        return None
    return no("held", f"{named(thing)} is not in the hand: grab it first", Action("grab", (thing,)))


def not_held(now: Moment, thing: str, words: str) -> Verdict | None:
    """Not in the hand."""
    return no("not held", f"{named(thing)} {words}") if thing in now.held else None


def hand(now: Moment) -> Verdict | None:
    """A free hand."""
    if not now.held:
        return None
    return no("a free hand", f"the hand is full with {named(now.held[0])}: put it down first")


def still(now: Moment, thing: str) -> Verdict | None:
    """Not a running machine: nobody reaches into a running microwave."""
    if RUNS_CLOSED not in now.entities[thing].properties or "on" not in now.entities[thing].states:
        return None
    return no("switched off", f"{named(thing)} is running: switch it off first", Action("switch_off", (thing,)))


def opened(now: Moment, holder: str) -> Verdict | None:
    """Not closed, and not running."""
    if "closed" in now.entities[holder].states:
        return no("open", f"{named(holder)} is closed: open it first", Action("open", (holder,)))
    return still(now, holder)


def closed_to_run(now: Moment, thing: str) -> Verdict | None:
    """What only runs closed is closed."""
    if RUNS_CLOSED in now.entities[thing].properties and "open" in now.entities[thing].states:
        return no("closed", f"{named(thing)} is open: close it first", Action("close", (thing,)))
    return None


def kind(now: Moment, thing: str, holder: str) -> Verdict | None:
    """A toaster takes slices."""
    if TAKES_SLICES not in now.entities[holder].properties or "sliced" in now.entities[thing].states:
        return None
    return no("sliced", f"{named(holder)} only takes slices: slice {named(thing)} first")


def fits(now: Moment, thing: str, holder: str) -> Verdict | None:
    """Nothing is put into itself or into what it carries."""
    inside = thing == holder or any(r.object == thing for r in now.layout.holders(holder))
    return no("another thing", f"{named(thing)} cannot be put into itself") if inside else None

