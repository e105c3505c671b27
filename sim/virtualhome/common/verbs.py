"""The verbs as lines of VirtualHome scripts, and what each needs as far as the robot can know.

VirtualHome needs less: it walks to what is not in sight and puts objects on lamps. Our checks come before its own; the first
need that fails is the verdict. VirtualHome knows no sizes, so there is always room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from core.world.vocabulary import (
    CONTAINER,
    GRABBABLE,
    OPENABLE,
    SURFACE,
    SWITCHABLE,
    Action,
    ActionSchema,
    Verdict,
)
from sim import needs
from sim.needs import SCHEMAS, THING, Needs, first, named, no, wrong_call
from sim.virtualhome.common.apartment_state import Home, Node, name_of


class Verb(NamedTuple):
    """A verb and the script action that does it."""

    schema: ActionSchema
    script: str


def _verb(verb: str, script: str, roles: tuple[str, ...], template: str, words: str) -> Verb:
    return Verb(ActionSchema(verb, roles, template, words), script)


COMMON: tuple[Verb, ...] = (
    _verb("walk", "WALK", ("room or thing",), "walk to the {0}", "to a room, or to something in sight"),
    _verb("grab", "GRAB", THING, "grab the {0}", "needs it within reach, and a free hand"),
    Verb(SCHEMAS["put_in"], "PUTIN"),
    Verb(SCHEMAS["put_on"], "PUTBACK"),
    _verb("open", "OPEN", THING, "open the {0}", "needs it within reach and closed; a running one is switched off first"),
    Verb(SCHEMAS["close"], "CLOSE"),
    _verb("switch_on", "SWITCHON", THING, "switch on the {0}", "needs it within reach, plugged in and off"),
    Verb(SCHEMAS["switch_off"], "SWITCHOFF"),
    _verb("plug_in", "PLUGIN", THING, "plug in the {0}", "needs it within reach and unplugged"),
)
"""The verbs the adapters offer by default."""
_WORDS = {
    "find": "FIND", "run": "RUN", "sit": "SIT", "turn_to": "TURNTO", "look_at": "LOOKAT", "drink": "DRINK", "wipe": "WIPE",
    "wear": "PUTON", "take_off": "PUTOFF", "greet": "GREET", "drop": "DROP", "read": "READ", "point_at": "POINTAT",
    "touch": "TOUCH", "lie": "LIE", "put_back": "PUTOBJBACK", "type": "TYPE", "watch": "WATCH", "push": "PUSH", "pull": "PULL",
    "move": "MOVE", "rinse": "RINSE", "wash": "WASH", "scrub": "SCRUB", "squeeze": "SQUEEZE", "plug_out": "PLUGOUT",
    "cut": "CUT", "eat": "EAT", "release": "RELEASE",
}
FURTHER: tuple[Verb, ...] = (
    *(_verb(verb, script, THING, f"{verb.replace('_', ' ')} the {{0}}", "as VirtualHome allows")
      for verb, script in _WORDS.items()),
    _verb("pour", "POUR", ("liquid", "vessel"), "pour the {0} into the {1}", "as VirtualHome allows"),
    _verb("stand_up", "STANDUP", (), "stand up", "needs to sit or lie"),
    _verb("sleep", "SLEEP", (), "sleep", "needs to sit or lie"),
    _verb("wake_up", "WAKEUP", (), "wake up", "needs to sit or lie"),
)
"""The other verbs of VirtualHome's programs."""


def script_line(script: str, nodes: Iterable[Node]) -> str:
    """Returns a line such as `[PUTIN] <cup> (12) <freezer> (306)`."""
    return " ".join((f"[{script}]", *(f"<{n.cls}> ({n.id})" for n in nodes)))


def action_of(line: str, names: dict[int, str]) -> Action:
    """Returns the action of a program's line: `[WALK] <cupboard> (1.229)` is `walk cupboard_229`.

    Raises:
        KeyError: an unknown action or object.
    """
    verbs = {verb.script: verb.schema.verb for verb in (*COMMON, *FURTHER)}
    numbers = [part.strip("()").split(".")[-1] for part in line.split() if part.startswith("(")]
    return Action(verbs[line[1:line.index("]")].upper()], tuple(names[int(n)] for n in numbers))


BECOMES = {"open": ("OPEN", "open"), "close": ("CLOSED", "closed"), "switch_on": ("ON", "on"), "switch_off": ("OFF", "off"),
           "plug_in": ("PLUGGED_IN", "plugged in")}
"""Verb -> the state it leads to: VirtualHome's name, ours."""


class Case(NamedTuple):
    """What a verb is checked with.

    Attributes:
        home: the apartment.
        nodes: the verb's arguments.
        hands: number of hands.
    """

    home: Home
    nodes: tuple[int, ...]
    hands: int

    def name(self, node: int) -> str:
        """Returns the id of a node."""
        return name_of(self.home.graph.nodes[node])

    def sight(self, node: int) -> Verdict | None:
        """Refuses what is not in sight, and rooms."""
        if node in self.home.rooms:
            return no("in sight", f"{named(self.name(node))} is a room, not a thing")
        return needs.sight(self.name(node), node in self.home.catalogue and self.home.is_in_sight(node))

    def made_for(self, node: int, flag: str, words: str) -> Verdict | None:
        """Refuses an entity without a property."""
        return needs.made_for(self.name(node), flag, self.home.catalogue[node].properties, words)

    def reach(self, node: int) -> Verdict | None:
        """Refuses what is not within reach."""
        return needs.reach(self.name(node), self.home.is_near(node), self.home.body.seat)


def check_arguments(verbs: dict[str, Verb], names: dict[str, int], action: Action) -> Verdict:
    """Refuses unknown verbs, a wrong number of names, and unknown names."""
    verb = verbs.get(action.verb)
    refusal = wrong_call(action, verb and verb.schema, verbs)
    return refusal or first(needs.sight(name, name in names) for name in action.args)


def check(verb: str, case: Case) -> Verdict:
    """Returns whether one of the common verbs is admissible. Whatever needs a walk is refused to a robot on a seat."""
    if verb == "walk":
        return first(_walk(case))
    if verb == "grab":
        return first(_grab(case))
    if verb in ("put_in", "put_on"):
        return first(_put(case, inside=verb == "put_in"))
    return first(_turn(case, verb))


def _walk(case: Case) -> Needs:
    home, (node,) = case.home, case.nodes
    name = named(case.name(node))
    yield needs.standing(home.posture, home.body.seat)
    if node in home.rooms:
        yield no("another room", f"the robot is already in {name}") if node == home.room else None
        return
    yield case.sight(node)
    yield no("not held", f"{name} is in the hand") if home.is_held(node) else None
    yield no("elsewhere", f"the robot already stands at {name}") if node == home.focus and home.is_near(node) else None


def _grab(case: Case) -> Needs:
    home, (node,) = case.home, case.nodes
    held = home.graph.held
    yield case.sight(node)
    yield case.made_for(node, GRABBABLE, "cannot be carried")
    if home.is_held(node) and node in held:
        yield no("not held", f"{named(case.name(node))} is already in the hand")
    yield needs.free_hand(tuple(map(case.name, held)), case.hands)
    yield case.reach(node)


def _put(case: Case, *, inside: bool) -> Needs:
    home, (node, holder) = case.home, case.nodes
    yield case.sight(node)
    yield needs.held(case.name(node), node in home.graph.held)
    yield case.sight(holder)
    yield needs.other(case.name(node), node == holder)
    if home.is_held(holder):
        yield no("not held", f"{named(case.name(holder))} is in the hand itself: put it down first")
    yield case.made_for(holder, *((CONTAINER, "holds nothing inside") if inside else (SURFACE, "is nothing to put things on")))
    yield case.reach(holder)
    yield needs.opened(case.name(holder), inside and home.is_closed(holder))


def _turn(case: Case, verb: str) -> Needs:
    home, (node,) = case.home, case.nodes
    state, word = BECOMES[verb]
    name = named(case.name(node))
    yield case.sight(node)
    if verb in ("open", "close"):
        yield case.made_for(node, OPENABLE, "cannot be opened or closed")
    elif verb == "plug_in":
        plugged = home.can_plug_in(node) or home.has_state(node, "PLUGGED_IN")
        yield None if plugged else no(SWITCHABLE, f"{name} has no plug")
    else:
        yield case.made_for(node, SWITCHABLE, "has no switch")
    yield case.reach(node)
    yield needs.change(case.name(node), word, frozenset({word} if home.has_state(node, state) else ()))
    if verb == "switch_on" and home.has_state(node, "PLUGGED_OUT"):
        if home.can_plug_in(node):
            yield no("plugged in", f"{name} is unplugged: plug it in first", Action("plug_in", (case.name(node),)))
        yield no("plugged in", f"{name} is unplugged and cannot be plugged in")


CANDIDATES: dict[str, Callable[[Home, int], bool]] = {
    "grab": lambda home, node: GRABBABLE in home.catalogue[node].properties,
    "open": lambda home, node: OPENABLE in home.catalogue[node].properties and home.has_state(node, "CLOSED"),
    "close": lambda home, node: OPENABLE in home.catalogue[node].properties and home.has_state(node, "OPEN"),
    "switch_on": lambda home, node: SWITCHABLE in home.catalogue[node].properties and home.has_state(node, "OFF"),
    "switch_off": lambda home, node: SWITCHABLE in home.catalogue[node].properties and home.has_state(node, "ON"),
    "plug_in": lambda home, node: home.can_plug_in(node),
}
"""Verb -> the entities it is worth checking with. All admissible ones are among them."""


def candidates(home: Home) -> Iterator[Action]:
    """Yields walks to other rooms, walks to what is in sight, then what can be done with what is within reach."""
    seen = [i for i in home.catalogue if i not in home.rooms and home.is_in_sight(i)]
    for node in (*home.rooms, *seen):
        yield Action("walk", (home.catalogue[node].id,))
    for node in home.near:
        kind = home.catalogue[node]
        yield from (Action(verb, (kind.id,)) for verb, suits in CANDIDATES.items() if suits(home, node))
        for held in home.graph.held:
            if CONTAINER in kind.properties:
                yield Action("put_in", (home.catalogue[held].id, kind.id))
            if SURFACE in kind.properties:
                yield Action("put_on", (home.catalogue[held].id, kind.id))
