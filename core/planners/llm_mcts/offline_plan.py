"""The offline answer to Listing 1 of LLM-MCTS: a plan from what the prompt says, without belief, map or memory of other rooms.

The rules see what the prompt states: the goal, the completed actions and the visible objects. Where things and furniture out of
sight may be comes from the placement prior. A room entered before counts little, because its surfaces were in sight then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from core.goals.literals import Literal
from core.planning.model_requests import ModelRequest
from core.planning.offline_answers import Prior, register
from core.planning.prompt_facts import PlaceFact, VisibleFact, VisiblePolicyFacts
from core.search.model import HELD, IN_HAND, Flags, Floats
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.translation import targets_of, to_actions
from core.world.vocabulary import Action, spaced

ENTERED, AGAIN = 1 / 32, 0.5
"""The factor of a room's weight once it was entered, and for each further time. A new room shows all its surfaces in one step.
In a room that was entered before, only the inside of one of several closed containers is new, after two more steps."""
PUTS = {"put_in": "inside", "put_on": "on"}


class _Reading:
    """What a prompt says, as a search problem: the visible furniture, and assumed furniture for goals out of sight.

    Attributes:
        layout: the furniture and all rooms.
        things: ids of the visible objects; the held one is among them.
        problem: the goal on that map; literals that the history has fulfilled out of sight are left out.
    """

    def __init__(self, facts: VisiblePolicyFacts, prior: Prior):
        self._facts, self._prior = facts, prior
        self._room_ids = [r for r, _, _ in facts.rooms]
        self._done = [action.split(" ") for action in facts.history]
        self._by_id = {v.id: v for v in facts.visible}
        self._room = self._present_room()
        objects = [v for v in facts.visible if v.category == "object"]
        self.things = [v.id for v in objects]
        self._literals = tuple(self._remaining(objects))
        seen = tuple(self._places(objects))
        self.layout = Layout(tuple((r, cls) for r, cls, _ in facts.rooms), (*seen, *self._assumed(seen), *self._floors()))
        where = [IN_HAND if v.relation == "held" else self._location(v) for v in objects]
        wants = tuple(Want(tuple(k for k, v in enumerate(objects) if x.subject in (v.cls, v.id)), targets_of(self.layout, x), n)
                      for x, n in self._literals)
        self.problem = Problem(self.layout, wants, len(objects), self._refused(objects))
        opened = np.array([p.openable and self._state(p.id) == "open" for p in self.layout.places], np.bool_)
        looked = np.array([self._is_looked(p) for p in self.layout.places], np.bool_)
        held = next((k for k, place in enumerate(where) if place == IN_HAND), -1)
        self.knowledge = knowledge_of((self._room_ids.index(self._room), *self._standing(), held), opened, where, looked)

    def plan(self) -> tuple[Action, ...]:
        """Returns the actions of the greedy policy up to its next aim; () if it has nothing to do."""
        macro = self.problem.greedy(self.knowledge, self._weights())
        actions = to_actions(self.layout, self.things, macro, int(self.knowledge.robot[HELD]))
        first = self._by_id.get(actions[0].args[0]) if actions else None
        if first is None or len(self._rooms_in_sight()) < 2 or self._entered():
            return actions
        return Action("walk", (self._room_of(first),)), *actions  # the prompt does not say which of the rooms it is in

    def phrase(self, action: Action) -> str:
        """Returns an action in the words of the prompt."""
        names = [self._name(i) for i in action.args]
        if action.verb in PUTS:
            return f"put the {names[0]} {PUTS[action.verb]} the {names[1]}"
        return f"{'walk to' if action.verb == 'walk' else action.verb} the {names[0]}"

    def _name(self, entity_id: str) -> str:
        room = next((name for r, _, name in self._facts.rooms if r == entity_id), "")
        return room or (self._by_id[entity_id].name if entity_id in self._by_id else spaced(entity_id))

    # --- where the robot is ------------------------------------------------------
    def _present_room(self) -> str:
        """Returns the room that most visible furniture is in; else the one entered last; else the first."""
        holders, entered = self._rooms_in_sight(), self._entered()
        if entered and (not holders or entered[-1] in holders):
            return entered[-1]
        return holders.most_common(1)[0][0] if holders else entered[-1] if entered else self._room_ids[0]

    def _rooms_in_sight(self) -> Counter[str]:
        """Returns the number of visible pieces of furniture in each room."""
        return Counter(v.holder for v in self._facts.visible if v.holder in self._room_ids)

    def _entered(self) -> list[str]:
        """Returns the rooms that were walked to, in order."""
        return [args[0] for verb, *args in self._done if verb == "walk" and args and args[0] in self._room_ids]

    def _standing(self) -> tuple[int, int]:
        """Returns the indices of the furniture and of the object that the robot walked to last, or -1."""
        last = next((args[0] for verb, *args in reversed(self._done) if verb == "walk" and args), "")
        near = self.things.index(last) if last in self.things else -1
        at = self._by_id[last].holder if near >= 0 else last
        spots = self.layout.spots
        return spots.index(at) if at in spots and at not in self._room_ids else -1, near

    # --- the map ------------------------------------------------------------------
    def _places(self, objects: Sequence[VisibleFact]) -> Iterator[Place]:
        """Yields the insides and tops of the visible furniture, as far as the prompt shows that there are such."""
        used = {(v.holder, v.relation) for v in objects}
        for v in (v for v in self._facts.visible if v.category == "furniture"):
            wanted = {x.predicate for x in self._facts.goal.literals if x.target in (v.id, v.cls)}
            if v.state or (v.id, "inside") in used or "inside" in wanted:
                yield Place(v.id, v.cls, "inside", self._room_ids.index(self._room_of(v)), bool(v.state))
            if not v.state or (v.id, "on") in used or "on" in wanted:
                yield Place(v.id, v.cls, "on", self._room_ids.index(self._room_of(v)), False)

    def _room_of(self, v: VisibleFact) -> str:
        holder, steps = v.holder, 0
        while holder in self._by_id and holder not in self._room_ids and steps < len(self._by_id):
            holder, steps = self._by_id[holder].holder, steps + 1
        return holder if holder in self._room_ids else self._room

    def _assumed(self, seen: Sequence[Place]) -> Iterator[Place]:
        """Yields the goal's furniture that is out of sight, in the room where such furniture usually is."""
        for x in dict.fromkeys((x.target, x.predicate) for x, _ in self._literals):
            target, relation = x
            if target is None or relation not in ("inside", "on") or any(target in (p.id, p.cls) for p in seen):
                continue
            cls = _class_of(target)
            weights = self._prior.rooms(cls, [c for _, c, _ in self._facts.rooms]) * self._freshness()
            weights[self._room_ids.index(self._room)] *= len(self._room_ids) == 1
            yield Place(target, cls, "inside" if relation == "inside" else "on", int(np.argmax(weights)), False)

    def _floors(self) -> list[Place]:
        return [Place(r, cls, "floor", k, False) for k, (r, cls, _) in enumerate(self._facts.rooms)]

    def _freshness(self) -> Floats:
        """Returns (rooms,) the factor for the times that each room was entered."""
        entered = Counter(self._entered())
        return np.array([ENTERED * AGAIN ** (entered[r] - 1) if entered[r] else 1.0 for r in self._room_ids])

    def _location(self, v: VisibleFact) -> int:
        """Returns the location of a visible object: of what holds it, directly or through other objects; else the floor."""
        exact, seen = self.layout.index(v.holder, v.relation), {v.id}
        while exact < 0 and v.holder in self._by_id and v.holder not in seen:
            seen.add(v.holder)
            v = self._by_id[v.holder]
            exact = self.layout.index(v.holder, v.relation)
        return exact if exact >= 0 else self.layout.index(self._room, "floor")

    def _state(self, entity_id: str) -> str:
        return self._by_id[entity_id].state if entity_id in self._by_id else ""

    def _is_looked(self, place: Place) -> bool:
        """Returns True if the contents are in sight, or were after an action of the history."""
        if self._room_ids[place.room] != self._room:
            return False
        return not place.openable or self._state(place.id) == "open" or ["open", place.id] in self._done

    # --- the goal -------------------------------------------------------------------
    def _remaining(self, objects: Sequence[VisibleFact]) -> Iterator[tuple[Literal, int]]:
        """Yields the literals about places that are not fulfilled by objects put down out of sight, with the missing number."""
        put: dict[str, tuple[str, str]] = {}
        for verb, *args in self._done:
            if verb in PUTS and len(args) == 2:
                put[args[0]] = args[1], PUTS[verb]
            elif verb == "grab" and args:
                put.pop(args[0], None)
        visible = {v.id for v in objects}
        for x in self._facts.goal.literals:
            if x.predicate in ("inside", "on") and not x.states:
                done = sum(1 for thing, (holder, relation) in put.items() if thing not in visible and relation == x.predicate
                           and x.subject in (thing, _class_of(thing)) and x.target in (holder, _class_of(holder)))
                if x.count > done:
                    yield x, x.count - done

    def _refused(self, objects: Sequence[VisibleFact]) -> Flags:
        """Returns (objects, places) where an object that is still held was put in vain; floors are never targets."""
        tried: dict[str, set[tuple[str, str]]] = {}
        for verb, *args in self._done:
            if verb == "grab" and args:
                tried[args[0]] = set()
            elif verb in PUTS and len(args) == 2:
                tried.setdefault(args[0], set()).add((args[1], PUTS[verb]))
        rows = [[p.relation == "floor" or (v.relation == "held" and (p.id, p.relation) in tried.get(v.id, set()))
                 for p in self.layout.places] for v in objects]
        return np.array(rows, np.bool_).reshape(len(objects), len(self.layout.places))

    def _weights(self) -> Floats:
        """Returns (places,) the expected number of wanted objects at each place that was not looked into."""
        weights = np.zeros(len(self.layout.places))
        classes, room = [c for _, c, _ in self._facts.rooms], self._room_ids.index(self._room)
        here = [k for k, p in enumerate(self.layout.places) if p.room == room and p.relation != "floor"]
        facts = [PlaceFact(p.id, p.cls, self._room, classes[room], p.relation == "inside")
                 for p in (self.layout.places[k] for k in here)]
        for (literal, number), want in zip(self._literals, self.problem.wants, strict=True):
            missing = number - len(want.slots)
            if missing > 0:
                cls = _class_of(literal.subject)
                shares = self._prior.rooms(cls, classes)
                for k, place in enumerate(self.layout.places):
                    if place.relation == "floor" and place.room != room:
                        weights[k] += missing * shares[place.room] * self._freshness()[place.room]
                if here:
                    weights[here] += missing * shares[room] * self._prior.over(cls, facts)
        return weights


def _class_of(name: str) -> str:
    return re.sub(r"_\d+$", "", name)


def _answer(facts: VisiblePolicyFacts, ask: ModelRequest, prior: Prior) -> str:
    """Returns the plan in the prompt's format; empty if the rules have nothing to do."""
    del ask
    if not facts.rooms:
        return ""
    reading = _Reading(facts, prior)
    actions = reading.plan()
    return f"{', '.join(map(reading.phrase, actions))}." if actions else ""


register(VisiblePolicyFacts, _answer)
