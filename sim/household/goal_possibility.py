"""Decides whether a goal can be reached in a household at all: by sizes, by what there is, and by what works on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.goals.possibility import (
    POSSIBLE,
    Possibility,
    cannot_be_carried,
    cannot_be_used,
    cannot_become,
    fits_no_appliance,
    no_room,
    no_target,
    out_of_reach,
    slips,
    too_few,
)
from core.world.vocabulary import (
    ACTS,
    CONTAINER,
    CUTS,
    GRABBABLE,
    HELD_ACTS,
    LIEABLE,
    SITTABLE,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    TREATED_BY,
    TURNED,
)
from sim.changes import FILLABLE
from sim.household import spots
from sim.household.acts import FROM_AFAR
from sim.household.household import Household
from sim.household.scene import FLOOR, Item, Spot

SEATS = {"sitting": SITTABLE, "lying": LIEABLE}
"""Posture -> the property of what the robot sits or lies on."""
Solids = dict[str, list[spots.Solid]]
"""Holder -> boxes of what lies on and in it."""


def possible(home: Household, goal: Goal, usable: Callable[[str], bool], slipping: frozenset[str] = frozenset(), *,
             tidy: bool) -> Possibility:
    """Returns whether all literals can hold together.

    Args:
        home: the household.
        goal: what is asked.
        usable: says whether the robot can get within reach of an entity where it is now.
        slipping: ids of objects that the robot cannot carry.
        tidy: leave everything else as it is; otherwise it counts as cleared away first.
    """
    stays = {i: home.solids_on(i, slipping) for i in home.contents} if slipping else {}
    taken = {i: home.solids_on(i) for i in home.contents} if tidy else {i: [*solids] for i, solids in stays.items()}
    within_reach = tuple(i for i in home.items.values() if usable(i.id))
    case = _Case(home, within_reach, taken, slipping, stays)
    judged = (_of_robot(case, x) if x.is_about_robot else _possible(case, x) for x in goal.literals if not x.never)
    return next((why for why in judged if not why), POSSIBLE)


@dataclass(frozen=True, slots=True)
class _Case:
    """What literals are judged by.

    Attributes:
        home: the household.
        items: what the robot can reach.
        taken: boxes of what lies where, to which each literal adds what it puts down.
        slips: ids that cannot be carried.
        stays: boxes of what cannot be moved away.
    """

    home: Household
    items: tuple[Item, ...]
    taken: Solids
    slips: frozenset[str]
    stays: Solids


def _possible(case: _Case, literal: Literal) -> Possibility:
    """Judges one literal beside what the earlier literals have put down (`taken`) and what cannot be moved."""
    home = case.home

    def can_become(item: Item) -> bool:
        return all(_can_become(home, item, state, literal, case.stays) for state in literal.states)

    subjects = [i for i in case.items if _is_subject(home, i, literal)]
    able = [i for i in subjects if can_become(i)]
    if literal.every:
        moved = literal.source is not None or literal.target is not None
        if moved and any(i.id in case.slips for i in subjects):
            return slips(literal)
        if len(able) < len(subjects):
            return cannot_become(literal, len(able), len(subjects))
        if subjects if literal.target is None else literal.source is not None and not subjects:
            return POSSIBLE
    least = max(1, len(subjects)) if literal.every else literal.count
    if len(subjects) < least:
        return _too_few(case, literal, len(subjects), least)
    if len(able) < least:
        return _unable(home, literal, subjects, len(able), least)
    return _enough(case, literal, least, able)


def _unable(home: Household, literal: Literal, subjects: list[Item], able: int, least: int) -> Possibility:
    """Returns why too few subjects can get the states: they are not made for it, or are too large for the appliances."""
    made = sum(all(_is_made_for(home, item, state, literal) for state in literal.states) for item in subjects)
    treated = sorted(state for state in literal.states if state in TREATED_BY)
    machines = sorted({m.cls for state in treated for m in _machines(home, state, literal.by)})
    if made >= least and machines:
        return fits_no_appliance(literal, machines)
    return cannot_become(literal, able, least, tools=_has_tools(home, literal))


def _of_robot(case: _Case, literal: Literal) -> Possibility:
    """Judges a literal about the robot or an act: whether its room, seat or object is there and made for it."""
    home, predicate = case.home, literal.predicate
    if predicate == "standing":
        return POSSIBLE
    if predicate == "robot_in":
        rooms = any(is_a(room, literal.subject) for room in home.room_entities)
        return POSSIBLE if rooms else too_few(literal, 0, 1)
    afar = predicate == "robot_facing" or literal.act in FROM_AFAR
    subjects = [i for i in (home.items.values() if afar else case.items) if _is_subject(home, i, literal)]
    least = max(1, len(subjects)) if literal.every else literal.count
    if len(subjects) < least:
        return _too_few(case, literal, len(subjects), least)
    flag = ACTS[literal.act] if predicate == "done" else SEATS.get(predicate, "")
    flags = {flag} - {""} | ({GRABBABLE} if literal.act in HELD_ACTS else set())
    able = [i for i in subjects if flags <= i.properties]
    if literal.act == "wash_hands":
        able = [i for i in able if i.id in home.controllers]
    if len(able) < least:
        return cannot_be_used(literal)
    if literal.act in HELD_ACTS and sum(i.id not in case.slips for i in able) < least:
        return slips(literal)
    return POSSIBLE


def _is_subject(home: Household, item: Item, literal: Literal) -> bool:
    """Returns True if the literal is about this item."""
    return is_a(home.entity(item.id), literal.subject) and _meant(home, item, literal)


def _too_few(case: _Case, literal: Literal, have: int, least: int) -> Possibility:
    """Returns the reason: there are too few objects, or the robot cannot get to enough of them."""
    there = sum(_is_subject(case.home, i, literal) for i in case.home.items.values())
    return out_of_reach(literal) if there >= least else too_few(literal, have, least)


def _has_tools(home: Household, literal: Literal) -> bool:
    """Returns True if the appliances and knives that the wanted states need are there."""
    flags = {TREATED_BY[s][1] for s in literal.states & TREATED_BY.keys()} | ({CUTS} if "sliced" in literal.states else set())
    return all(any(flag in i.properties for i in home.items.values()) for flag in flags)


def _enough(case: _Case, literal: Literal, least: int, able: list[Item]) -> Possibility:
    """Judges whether enough of the objects that can have the wanted states can also be where they are wanted."""
    if literal.predicate == "holds" or literal.target is not None:
        able = [i for i in able if i.category == "object"]
        if len(able) < least:
            return cannot_be_carried(literal)
    if literal.predicate != "is" or literal.states & TREATED_BY.keys():
        able = [i for i in able if i.id not in case.slips]
        if len(able) < least:
            return slips(literal)
    if literal.target is None or literal.predicate == "away":
        return POSSIBLE
    targets = [(i, literal.predicate) for i in case.items if is_a(case.home.entity(i.id), literal.target)]
    rooms = {k for k, room in enumerate(case.home.room_entities) if is_a(room, literal.target)}
    if rooms and literal.predicate == "inside":
        targets = [(i, "on" if SURFACE in i.properties else "inside") for i in case.items
                   if i.category == "furniture" and i.thing.room in rooms and i.properties & {SURFACE, CONTAINER}]
    if not any((CONTAINER if relation == "inside" else SURFACE) in t.properties for t, relation in targets):
        return no_target(literal, there=bool(targets))
    laid = 0
    for thing in able:
        laid += laid < least and (any(_lies(case.home, t, relation, thing) for t, relation in targets) or any(
            _lay(case.home, t, relation, literal, thing, case.taken) for t, relation in targets))
    return POSSIBLE if laid >= least else no_room(literal, laid, least)


def _meant(home: Household, item: Item, literal: Literal) -> bool:
    """Returns True if the item is in the literal's room, lies at its source, and has the states it must have had."""
    room = home.room_entities[home.room_of(item.id)]
    if (literal.room is not None and not is_a(room, literal.room)) or not literal.was <= home.states(item.id):
        return False
    if literal.source == FLOOR and item.category == "object" and home.state.places[item.id].relation == FLOOR:
        return True
    return literal.source is None or any(
        p.holder and is_a(home.entity(p.holder), literal.source) for p in home.holders(item.id))


def _lies(home: Household, holder: Item, relation: str, thing: Item) -> bool:
    """Returns True if the object lies there already, however little room there is."""
    place = home.place(thing.id)
    return place is not None and (place.holder, place.relation) == (holder.id, relation)


def _lay(home: Household, holder: Item, relation: str, literal: Literal, thing: Item, taken: Solids) -> bool:
    """Adds the object's box to `taken` if the holder has room for it. Returns whether it has."""
    others = taken.setdefault(holder.id, [])
    spot = spot_for(home, holder, relation, thing, literal.states, others)
    if spot is not None:
        others.append(spots.solid(spot, thing.thing.size))
    return spot is not None


def spot_for(home: Household, holder: Item, relation: str, thing: Item, states: frozenset[str] = frozenset(),
             taken: Iterable[spots.Solid] = ()) -> Spot | None:
    """Returns where an object would lie on or in a holder from which everything but `taken` was cleared; None without room."""
    if holder.id == thing.id or (CONTAINER if relation == "inside" else SURFACE) not in holder.properties:
        return None
    if TAKES_SLICES in holder.properties and not (thing.cls.endswith("slice") or "sliced" in states):
        return None
    if holder.only and thing.cls not in holder.only:
        return None
    return home.spot_when_cleared(thing.id, relation, holder.id, taken)


def _can_become(home: Household, item: Item, state: str, literal: Literal, stays: Solids) -> bool:
    """Returns True if an item has a state of the literal or can get it, from the appliance that the literal names."""
    if not _is_made_for(home, item, state, literal):
        return False
    if state not in TREATED_BY or (state in home.states(item.id) and literal.by is None):
        return True
    machines = _machines(home, state, literal.by)
    relations = ((m, "inside" if CONTAINER in m.properties else "on") for m in machines)
    return any(spot_for(home, m, relation, item, literal.states, stays.get(m.id, ())) is not None for m, relation in relations)


def _is_made_for(home: Household, item: Item, state: str, literal: Literal) -> bool:
    """Returns True if an item has a state or something here gives it, whether or not the item fits there."""
    if state in home.states(item.id) and (literal.by is None or state not in TREATED_BY):
        return True
    if state in TURNED:
        return TURNED[state] in item.properties
    if state == "sliced":
        return SLICEABLE in item.properties and any(CUTS in i.properties for i in home.items.values())
    if state not in TREATED_BY or (state == "filled" and item.cls not in FILLABLE):
        return False
    need = TREATED_BY[state][0]
    sliced = item.cls.endswith("slice") or "sliced" in literal.states
    return (not need or need in item.properties) and any(
        sliced or TAKES_SLICES not in m.properties for m in _machines(home, state, literal.by))


def _machines(home: Household, state: str, by: str | None) -> list[Item]:
    """Returns the appliances that give a state, of the class `by` if it is given."""
    flag = TREATED_BY[state][1]
    return [i for i in home.items.values()
            if flag in i.properties and _works(home, i) and (by is None or is_a(home.entity(i.id), by))]


def _works(home: Household, machine: Item) -> bool:
    """Returns True if an appliance has a switch or something that controls it."""
    return SWITCHABLE in machine.properties or machine.id in home.controllers
