"""The offline answers to LLM-State's attention and estimation requests: rules on what the prompts say.

Failures are analysed in the retrospective summary, as in the paper (appendix B). Without a summary, attributes follow from
successful actions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.goals.achieved import lies_at
from core.goals.literals import Goal, Literal, is_a
from core.llm.grounding.choices import call_name
from core.planners.llm_state.history import Deed
from core.planners.llm_state.imagined_world import ImaginedWorld, with_uses
from core.planners.llm_state.prompt_facts import AttentionFacts, EstimateFacts
from core.planners.llm_state.vocabulary import VERBS
from core.planning.offline_answers import register
from core.world.known_world import is_open
from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    CUTS,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    UNPLUGGED,
    Action,
    Entity,
    Observation,
)

TOLD = 12
"""The number of latest actions that a summary describes individually; of older ones it keeps permanent failures."""
TOOLS = {"cooked": HEATS, "clean": RINSES, "filled": BREWS, "sliced": CUTS}
MOST_WORDS = 60


# --- attention --------------------------------------------------------------
def attend(facts: AttentionFacts) -> str:
    """Returns calls for the relevant objects.

    These are objects and places in the goal, their appliances, possible places of missing objects, rooms, and held objects.
    """
    seen = with_uses(facts.seen)
    missing = any(_missing(literal, seen) for literal in facts.goal.literals)
    new = [e for e in seen.entities if _matters(e, facts.goal, seen, missing) and call_name(e.id) not in facts.names]
    return "\n".join(f'add_related_objects("{call_name(e.id)}")' for e in new)


def sought(literal: Literal, seen: Observation) -> bool:
    """Returns True if more objects of the literal may always exist: it refers to all movable objects of a kind, anywhere."""
    furniture = any(is_a(e, literal.subject) and e.category == "furniture" for e in seen.entities)
    return literal.every and literal.source is None and not furniture


def _missing(literal: Literal, seen: Observation) -> bool:
    found = [e for e in seen.entities if is_a(e, literal.subject)]
    return len(found) < literal.count or sought(literal, seen)


def _matters(entity: Entity, goal: Goal, seen: Observation, missing: bool) -> bool:
    if entity.category == "room" or entity.id in seen.agent.holding:
        return True
    if {OPENABLE, CONTAINER} <= entity.properties and (missing or entity.id in seen.agent.near[:1]):
        return True  # it may have been searched here, which must not be forgotten
    return any(_named(entity, literal, seen) for literal in goal.literals)


def _named(entity: Entity, literal: Literal, seen: Observation) -> bool:
    places = [name for name in (literal.target, literal.source, literal.by) if name]
    if any(is_a(entity, name) for name in places):
        return True
    if any(TOOLS[state] in entity.properties for state in literal.states & TOOLS.keys()):
        return True
    if not is_a(entity, literal.subject):
        return False
    if literal.source is None:
        return True
    return any(h in seen.by_id and is_a(seen.by_id[h], literal.source) for h in lies_at(entity.id, seen))


# --- estimation -------------------------------------------------------------
def estimate(facts: EstimateFacts) -> str:
    """Returns the state after the whole history, simulated from the first action."""
    mind = _Retrospect(facts)
    for deed in facts.deeds:
        mind.follow(deed)
    lines = []
    if facts.summary:
        lines.append(f'update_reasoning("{mind.summary()}")')
    if facts.objects:
        lines += [f'update_state("{name}", "{" | ".join(found)}")' for name in facts.names if (found := mind.attributes(name))]
    return "\n".join(lines)


class _Retrospect:
    """Simulates the history and collects attributes for each object."""

    def __init__(self, facts: EstimateFacts):
        self.facts = facts
        self.seen = with_uses(facts.seen)
        self._world = ImaginedWorld(Observation(self.seen.agent, self.seen.entities, self.seen.relations))
        self._verbs = VERBS
        self._held: list[str] = []
        self._marks: dict[str, dict[str, None]] = {}
        self._story: list[tuple[str, bool]] = []

    def follow(self, deed: Deed) -> None:
        """Processes one action."""
        if deed.ok:
            said = self._done(deed)
        elif self.facts.summary:
            said = self._failed(deed)
        else:
            said = ""
        self._story.append((said, not deed.ok))

    # --- successful actions ------------------------------------------------------
    def _done(self, deed: Deed) -> str:
        before = set(self._world.treated)
        thing = deed.args[0] if deed.args else ""
        if deed.call in ("placein", "placeon"):
            self._drop_marks(thing, "in_hand")
            self._held = [h for h in self._held if h != thing]
        elif deed.call == "pickup":
            self._held.append(thing)
            self._taken(thing, deed.source)
        if deed.call != "move" and all(a in self._world.entities for a in deed.args) and self._doable(deed):
            self._world.apply(Action(self._verbs.get(deed.call, deed.call), deed.args))
        says = [f"did {deed.named}", *self._follows(deed, thing)]
        for one, state, machine in sorted(self._world.treated - before):
            if machine in self._world.entities:
                self._mark(one, f"{state}_in_{call_name(machine)}")
                says.append(f"{call_name(one)} is {state}")
                says.append(f"{call_name(one)} was {state} in {call_name(machine)}")
        return "; ".join(says)

    def _doable(self, deed: Deed) -> bool:
        """Returns True unless a put action lacks an argument."""
        return deed.call not in ("placein", "placeon") or len(deed.args) == 2

    def _follows(self, deed: Deed, thing: str) -> list[str]:
        name = call_name(thing)
        match deed.call:
            case "open":
                self._mark(thing, "searched")
                return [f"{name} is open", f"{name} was searched"]
            case "close":
                return [f"{name} is closed"]
            case "switchon":
                return [f"{name} is on"]
            case "switchoff":
                return [f"{name} is off"]
            case "plugin":
                return [f"{name} is plugged_in"]
            case "pickup" if deed.source:
                return [f"{name} was taken from {call_name(deed.source)}"]
            case "move" if thing in self.seen.by_id and self.seen.by_id[thing].category == "room":
                self._mark(thing, "visited")
                return [f"{name} was visited"]
        return []

    def _taken(self, thing: str, source: str) -> None:
        if source:
            self._mark(thing, f"from_{call_name(source)}")
        for holder, marks in self._marks.items():
            if holder == source:
                for mark in [m for m in marks if m.startswith("no_room_for_")]:
                    del marks[mark]

    def _mark(self, thing: str, mark: str) -> None:
        self._marks.setdefault(thing, {})[mark] = None

    def _drop_marks(self, thing: str, mark: str) -> None:
        self._marks.get(thing, {}).pop(mark, None)

    # --- failed actions -------------------------------------------------------------
    def _failed(self, deed: Deed) -> str:
        """Returns the sentence about a failed action, with its likely cause."""
        if deed.why == "denied":
            return f"the operator denied {deed.named.replace(' ', '')}, it must not be tried again"
        because = self._cause(deed)
        return f"{deed.named} failed" + (f" because {because}" if because else "")

    def _cause(self, deed: Deed) -> str:
        thing = deed.args[0] if deed.args else ""
        name = call_name(thing)
        why = deed.why or self._guess(deed, thing)
        match why, deed.call:
            case ("a free hand", _):
                return "no hand was free"
            case ("not open" | "not closed" | "not on" | "not off") as state, _:
                return self._is(thing, state.removeprefix("not "))
            case "closed", _:
                return self._is(thing, "open")
            case "open", "placein" if len(deed.args) == 2:
                return self._is(deed.args[1], "closed")
            case ("plugged in" | "switched off"), _:
                return self._is(deed.args[-1], UNPLUGGED if why == "plugged in" else "on")
            case ("room" | "sliced"), ("placein" | "placeon") if len(deed.args) == 2:
                self._mark(deed.args[1], f"no_room_for_{name}")
                return f"{call_name(deed.args[1])} has no room for {name}"
            case ("size" | "kind"), ("placein" | "placeon") if len(deed.args) == 2:
                self._mark(deed.args[1], f"never_takes_{name}")
                return f"{call_name(deed.args[1])} never takes {name}"
            case ("grip" | "grabbable"), _:
                self._mark(thing, "not_graspable")
                return f"{name} cannot be carried"
            case (("openable" | "switchable") as need), _:
                self._mark(thing, f"not_{need}")
                return f"{name} is not {need}"
        return deed.note.replace('"', "'")

    def _is(self, thing: str, state: str) -> str:
        pair = {"open": "closed", "closed": "open", "on": "off", "off": "on", UNPLUGGED: "plugged_in"}
        self._world.set(thing, state, pair[state])
        if state == "open":
            self._mark(thing, "searched")
        return f"{call_name(thing)} is {state}"

    def _guess(self, deed: Deed, thing: str) -> str:
        """Returns the likeliest cause if the world only reported the failure."""
        entity = self._world.entities.get(thing)
        if entity is None:
            return ""
        full = len(self._held) >= self.seen.agent.hands
        if full and deed.call in ("pickup", "open", "close", "switchon", "switchoff"):
            return "a free hand"
        match deed.call:
            case "open":
                return "switched off" if RUNS_CLOSED in entity.properties and "on" in entity.states else "not open"
            case "close":
                return "not closed"
            case "switchoff":
                return "not off"
            case "switchon":
                return "closed" if RUNS_CLOSED in entity.properties and "closed" not in entity.states else "not on"
            case "placein" if len(deed.args) == 2:
                holder = self._world.entities.get(deed.args[1])
                shut = holder is not None and OPENABLE in holder.properties and "open" not in holder.states
                return "open" if shut else "room"
            case "placeon":
                return "room"
            case "pickup" if thing in self.seen.agent.near[:1]:
                return "grip"
        return ""

    # --- output ---------------------------------------------------------------------
    def summary(self) -> str:
        """Returns the history in one paragraph: the latest actions individually, and the lasting facts of older ones."""
        if not self._story:
            return "Nothing was done yet."
        older, latest = self._story[:-TOLD], self._story[-TOLD:]
        lasting = [said for said, bad in older if bad and "denied" in said] + [
            f"{call_name(thing)} {words}" for thing, marks in self._marks.items() for mark in marks
            if (words := _sentence(mark))]
        parts = [f"Earlier the robot did {len(older)} things."] if older else []
        parts += [f"The robot {said}." if not bad else f"Then {said}." for said, bad in latest if said]
        parts += [f"Still true: {said}." for said in dict.fromkeys(lasting)]
        return " ".join(parts)

    def attributes(self, name: str) -> list[str]:
        """Returns the attributes of an object in a fixed order."""
        thing = next((e.id for e in self.seen.entities if call_name(e.id) == name), None)
        if thing is None:
            return []
        entity = self._world.entities[thing]
        found = list(self._place(entity))
        found += sorted(entity.states)
        found += [m for m in self._marks.get(thing, {}) if m not in found]
        if entity.category == "room" and thing == self.seen.agent.room:
            found += ["robot_inside"] + (["visited"] if "visited" not in found else [])
        if {OPENABLE, CONTAINER} <= entity.properties and "open" not in entity.states and "searched" not in found:
            found.append("contents_unknown")
        elif entity.category == "furniture":
            found += _contents(self.seen, thing, opened="open" in entity.states or is_open(entity))
        return found

    def _place(self, entity: Entity) -> Iterable[str]:
        if entity.id in self.seen.agent.holding:
            return ("in_hand",)
        link = self.seen.holder.get(entity.id)
        if link is None:
            return () if entity.category == "room" or entity.room is None else (f"in_{call_name(entity.room)}",)
        return (f"{'in' if link.kind == 'inside' else 'on'}_{call_name(link.object)}",)


def _sentence(mark: str) -> str:
    """Returns a permanent failure in words; empty for other marks."""
    for start, words in (("no_room_for_", "has no room for "), ("never_takes_", "never takes "),
                         ("not_graspable", "cannot be carried")):
        if mark.startswith(start):
            return words + mark.removeprefix(start)
    return ""


def _contents(seen: Observation, holder: str, *, opened: bool) -> Sequence[str]:
    """Returns the known contents of a holder as attributes; `empty` if it was searched."""
    things = seen.contents.get(holder, ())
    if things:
        return [f"contains_{call_name(t)}" for t in things[:4]]
    entity = seen.by_id[holder]
    return ["empty"] if opened and CONTAINER in entity.properties and OPENABLE in entity.properties else []


register(AttentionFacts, lambda facts, ask, prior: attend(facts))
register(EstimateFacts, lambda facts, ask, prior: estimate(facts))
