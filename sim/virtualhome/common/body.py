"""Postures and acts as lines of VirtualHome scripts, and what each needs before the package decides.

The package changes nothing by most acts, so what was done is kept beside its state. It counts a seat as taken by all that was
put on it, and by the robot itself, also after it stood up: it sits on a chair only once.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.world.vocabulary import ACTS, HELD_ACTS, POSTURES, SWITCHABLE, Action
from sim import needs
from sim.needs import SCHEMAS, UNFIT, Needs
from sim.virtualhome.common.apartment_state import Body, Home
from sim.virtualhome.common.verbs import Case, Verb, script_line

BODY: tuple[Verb, ...] = tuple(Verb(SCHEMAS[verb], script) for verb, script in (
    ("sit", "SIT"), ("lie", "LIE"), ("stand_up", "STANDUP"), ("turn_to", "TURNTO"), ("look_at", "LOOKAT"), ("touch", "TOUCH"),
    ("drink", "DRINK"), ("eat", "EAT"), ("read", "READ"), ("watch", "WATCH"), ("type", "TYPE"), ("wash_hands", "WASH"),
))
"""The verbs of postures and acts."""
FACED = frozenset({"look_at", "watch"})
"""Acts for which VirtualHome wants the robot to face the object. It turns there first."""
SEES = FACED | {"turn_to"}
"""Verbs that need the object in sight, not within reach."""
HANDS = "hands_both"
"""The class of the robot's hands, in apartments that have them."""


def body_needs(verb: str, case: Case) -> Needs:
    """Yields what a verb of `BODY` needs, as far as the robot can know."""
    home = case.home
    if verb == "stand_up":
        yield needs.seated(home.posture)
        return
    (node,) = case.nodes
    name, flag = case.name(node), {**POSTURES, **ACTS}.get(verb, "")
    yield case.sight(node)
    yield case.made_for(node, flag, UNFIT[verb]) if flag else None
    if verb in POSTURES:
        yield needs.standing(home.posture, home.body.seat)
    if verb in HELD_ACTS:
        yield needs.held(name, node in home.graph.held)
    elif verb in SEES:
        yield needs.here(name, home.room_of(node) == home.room)
    elif not home.is_held(node):
        yield case.reach(node)
    if verb in ("watch", "type"):
        off = SWITCHABLE in home.catalogue[node].properties and not home.has_state(node, "ON")
        yield needs.running(name, name if off else None)
    if verb == "wash_hands":
        yield needs.free_hand(tuple(map(case.name, home.graph.held)), case.hands)


def body_lines(verb: str, script: str, home: Home, nodes: tuple[int, ...]) -> list[str]:
    """Returns the script of a verb: it turns to what it looks at, and washes the hands themselves where a graph has them."""
    known = home.graph.nodes
    if verb == "wash_hands":
        hands = [n for i, n in known.items() if n.cls == HANDS and home.is_near(i)]
        return [script_line(script, hands[:1] or [known[nodes[0]]])]
    line = script_line(script, [known[n] for n in nodes])
    return [script_line("TURNTO", [known[nodes[0]]]), line] if verb in FACED else [line]


def body_after(body: Body, action: Action, *, turns: bool) -> Body:
    """Returns what is remembered of the robot after an action.

    Args:
        body: what was remembered before it.
        action: the action, which succeeded.
        turns: looking at something turns the robot to it.
    """
    verb, first = action.verb, action.args[0] if action.args else ""
    if verb in POSTURES:
        body = body._replace(seat=first)
    elif verb == "stand_up":
        body = body._replace(seat="")
    elif verb in ("walk", "run", "find"):
        body = body._replace(facing="")
    if verb == "turn_to" or (turns and verb in FACED):
        body = body._replace(facing=first)
    if verb in ACTS and action not in body.acts:
        body = body._replace(acts=(*body.acts, action))
    return body


def body_candidates(home: Home) -> Iterator[Action]:
    """Yields postures and acts worth checking. All admissible ones are among them."""
    yield Action("stand_up")
    near = {*home.near, *home.graph.held}
    for node, kind in home.catalogue.items():
        if node in home.rooms or not home.is_in_sight(node):
            continue
        suited = (verb for verb, flag in {**POSTURES, **ACTS}.items() if not flag or flag in kind.properties)
        yield from (Action(verb, (kind.id,)) for verb in suited if node in near or verb in SEES or home.is_held(node))
        yield Action("turn_to", (kind.id,))


