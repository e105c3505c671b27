"""Postures and acts: sit, lie, stand up, turn to, and what is done to an object without changing it (drink, read, touch …).

What lies on a seat does not hinder, and an act uses nothing up: it is only remembered that it was done (`State.acts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from core.world.vocabulary import ACTS, HELD_ACTS, POSTURES, RINSES, SWITCHABLE, Action, Posture, Verdict
from sim import needs
from sim.geometry.seats import seat_pose
from sim.household.geometry import facing_pose
from sim.household.household import Household
from sim.household.rules import RULES, Case, Rule
from sim.needs import SCHEMAS, UNFIT, Needs

FROM_AFAR = frozenset({"watch", "look_at"})
"""Acts that need the object in sight, not within reach."""


def _settle_down(case: Case, verb: str) -> Needs:
    """Needs a seat or bed within reach, and a robot that stands."""
    (seat,) = case.args
    yield case.sight(seat)
    yield case.made_for(seat, POSTURES[verb], UNFIT[verb])
    yield case.stands()
    yield case.reach(seat, near=case.seeing.near(seat))


def _in_view(case: Case) -> Needs:
    """Needs an object in sight in the same room, or in the hand."""
    (thing,) = case.args
    yield case.sight(thing)
    yield needs.here(thing, case.home.room_of(thing) == case.home.state.room)


def _done_in_hand(case: Case, verb: str) -> Needs:
    """Needs a held object made for it."""
    (thing,) = case.args
    yield case.sight(thing)
    yield case.made_for(thing, ACTS[verb], UNFIT[verb])
    yield needs.held(thing, thing in case.home.state.held)


def _watch(case: Case) -> Needs:
    """Needs a screen in sight that is on. It need not be within reach."""
    (thing,) = case.args
    yield case.sight(thing)
    yield case.made_for(thing, ACTS["watch"], UNFIT["watch"])
    yield needs.here(thing, case.home.room_of(thing) == case.home.state.room)
    yield _running(case, thing)


def _type(case: Case) -> Needs:
    """Needs keys within reach or in the hand; a computer must be on."""
    (thing,) = case.args
    yield case.sight(thing)
    yield case.made_for(thing, ACTS["type"], UNFIT["type"])
    yield case.reach(thing, near=_at_hand(case, thing))
    yield _running(case, thing)


def _running(case: Case, thing: str) -> Verdict | None:
    off = SWITCHABLE in case.home.items[thing].properties and not case.home.is_running(thing)
    return needs.running(thing, thing if off else None)


def _at_hand(case: Case, thing: str) -> bool:
    return case.home.is_held(thing) or case.seeing.near(thing)


def _touch(case: Case) -> Needs:
    """Needs an object within reach or in the hand."""
    (thing,) = case.args
    yield case.sight(thing)
    yield case.reach(thing, near=_at_hand(case, thing))


def _wash_hands(case: Case) -> Needs:
    """Needs a sink within reach, its tap running, and a free hand."""
    home, (sink,) = case.home, case.args
    yield case.sight(sink)
    yield case.made_for(sink, RINSES, UNFIT["wash_hands"])
    tap = next(iter(home.controllers.get(sink, ())), None)
    yield needs.tap_on(sink, None, on=tap is not None)
    yield case.reach(sink, near=case.seeing.near(sink))
    yield needs.free_hand(home.state.held, case.hands)
    yield needs.tap_on(sink, tap, on=home.is_running(sink))


def _sits(posture: Posture) -> Callable[[Case], None]:
    """Returns the effect that the robot sits or lies on the first argument, facing forward."""
    def apply(case: Case) -> None:
        state, (seat,) = case.home.state, case.args
        if seat not in case.seeing.at():
            state.focus = seat
        item = case.home.items[seat]
        case.home.walk_into(case.home.room_of(seat))
        state.pose = seat_pose(item.thing, item.cls, posture, case.seeing.floor.beside(case.home, seat))
        state.posture, state.seat, state.facing = posture, seat, ""
    return apply


def _stand_up(case: Case) -> None:
    """Puts the robot where it stands to use the seat."""
    state = case.home.state
    state.pose = case.seeing.floor.beside(case.home, state.seat)
    state.posture, state.seat, state.facing = "standing", "", ""


def _turn_to(case: Case) -> None:
    """Turns the robot, or the head of one that lies."""
    state, (thing,) = case.home.state, case.args
    state.facing = thing
    if state.pose is not None and state.posture != "lying" and not case.home.is_held(thing):
        state.pose = facing_pose(case.home, thing, state.pose)


def _done(verb: str) -> Callable[[Case], None]:
    """Returns the effect that an act is remembered."""
    def apply(case: Case) -> None:
        state, act = case.home.state, Action(verb, case.args)
        if act not in state.acts:
            state.acts = (*state.acts, act)
    return apply


def _held_rule(verb: str) -> Rule:
    return Rule(SCHEMAS[verb], lambda case: _done_in_hand(case, verb), _done(verb))


ACT_RULES: dict[str, Rule] = {rule.schema.verb: rule for rule in (
    Rule(SCHEMAS["sit"], lambda case: _settle_down(case, "sit"), _sits("sitting")),
    Rule(SCHEMAS["lie"], lambda case: _settle_down(case, "lie"), _sits("lying")),
    Rule(SCHEMAS["stand_up"], lambda case: iter((needs.seated(case.home.state.posture),)), _stand_up),
    Rule(SCHEMAS["turn_to"], _in_view, _turn_to),
    Rule(SCHEMAS["look_at"], _in_view, _done("look_at")),
    Rule(SCHEMAS["touch"], _touch, _done("touch")),
    *map(_held_rule, sorted(HELD_ACTS)),
    Rule(SCHEMAS["watch"], _watch, _done("watch")),
    Rule(SCHEMAS["type"], _type, _done("type")),
    Rule(SCHEMAS["wash_hands"], _wash_hands, _done("wash_hands")),
)}
ALL_RULES = {**RULES, **ACT_RULES}


def candidates(home: Household, near: Iterable[str], seen: Iterable[str]) -> Iterator[Action]:
    """Yields postures and acts worth checking. All admissible ones are among them.

    Args:
        home: the household.
        near: ids within reach.
        seen: ids in sight.
    """
    yield Action("stand_up")
    near = {*near}
    for thing in dict.fromkeys((*near, *seen)):
        properties, at_hand = home.items[thing].properties, thing in near or home.is_held(thing)
        suited = (verb for verb, flag in {**POSTURES, **ACTS}.items() if not flag or flag in properties)
        yield from (Action(verb, (thing,)) for verb in suited if at_hand or verb in FROM_AFAR)
        yield Action("turn_to", (thing,))
