"""Returns the actions whose effects achieve a goal literal, for subjects chosen among the known objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from core.goals.literals import Goal, Literal, is_a, satisfying
from core.planners.bcr.blocking_table import Need
from core.planners.bcr.situation import Situation
from core.planning.regression import LAST_STATES, PREPARED
from core.world.vocabulary import CONTAINER, GRABBABLE, TAKES_SLICES, TREATED_BY, Action, Entity

BY_HAND = {"open": "open", "closed": "close", "on": "switch_on", "off": "switch_off", "sliced": "slice"}
"""State -> the verb that sets it."""


class Way(NamedTuple):
    """An action that brings about a literal or a need.

    Attributes:
        action: the action.
        also: needs beyond those of its verb: to cook bread, the bread must be in the toaster that is switched on.
        certain: True if it surely has the desired effect, False if possibly.
    """

    action: Action
    also: tuple[Need, ...] = ()
    certain: bool = True


class Goals:
    """The literals of a goal and the objects chosen for them. A choice is kept as long as the object can be used."""

    def __init__(self, goal: Goal):
        self.goal = goal
        self._chosen: dict[tuple[int, str], str] = {}

    def roots(self, index: int, now: Situation) -> list[Way]:
        """Returns the actions that bring a literal closer (alternatives); empty if no known action does."""
        literal = self.goal.literals[index]
        subject = self._subject(index, literal, now)
        states = now.view.by_id[subject].states if subject in now.view.by_id else frozenset()
        pending = [s for s in PREPARED if s in literal.states - states]
        if pending:
            return self._prepared(subject, pending[0], literal, now)
        if literal.predicate in ("inside", "on") and not self._placed(subject, literal, now):
            verb = "put_in" if literal.predicate == "inside" else "put_on"
            return [Way(Action(verb, (subject, self._target(index, literal, subject, now))))]
        if literal.predicate == "holds" and subject not in now.view.agent.holding:
            return [Way(Action("grab", (subject,)))]
        last = [s for s in sorted(literal.states - states) if s in LAST_STATES]
        return [Way(self._turned(subject, last[0], now))] if last else []

    def _placed(self, subject: str, literal: Literal, now: Situation) -> bool:
        bare = Literal(literal.predicate, literal.subject, literal.target)
        return subject in set(satisfying(bare, now.view))

    def _turned(self, subject: str, state: str, now: Situation) -> Action:
        return Action(BY_HAND[state], (now.switch(subject) if state in ("on", "off") else subject,))

    # --- choice of objects ------------------------------------------------------
    def _subject(self, index: int, literal: Literal, now: Situation) -> str:
        """Returns the subject to work on: the easiest one that does not satisfy the literal yet and is not needed elsewhere.

        A literal that keeps its source refers to objects that have not been seen there yet.
        """
        if literal.source:
            return f"+{literal.subject}@{literal.source}"
        done = set(satisfying(literal, now.view))
        settled = self.settled(now, but=index) if literal.predicate != "is" else frozenset()
        carried = literal.predicate != "is"
        able = [e for e in now.instances(literal.subject)
                if e.id not in done | settled and (not carried or GRABBABLE in e.properties)
                and not self._never(e.id, literal, now)]
        return self._choose((index, "subject"), able, literal.subject, now, literal)

    def _never(self, thing: str, literal: Literal, now: Situation) -> bool:
        """Returns True if every known target has refused the object permanently."""
        targets = now.instances(literal.target) if literal.target else []
        return bool(targets) and all((thing, t.id) in now.memory.too_small for t in targets)

    def settled(self, now: Situation, but: int = -1) -> frozenset[str]:
        """Returns the objects that satisfy a literal about their place; they must stay there."""
        return frozenset(thing for k, literal in enumerate(self.goal.literals) if literal.predicate != "is" and k != but
                         for thing in tuple(satisfying(literal, now.view))[:literal.count])

    def _target(self, index: int, literal: Literal, subject: str, now: Situation) -> str:
        """Returns the target of an object, if possible one that has not refused it."""
        able = [e for e in now.instances(literal.target or "")
                if e.id != subject and (subject, e.id) not in now.memory.too_small]
        free = [e for e in able if (subject, e.id) not in now.memory.no_space]
        return self._choose((index, "target"), free or able, literal.target or "", now, literal)

    def _choose(self, key: tuple[int, str], able: list[Entity], otherwise: str, now: Situation, literal: Literal) -> str:
        ids = [e.id for e in able]
        if not ids:
            self._chosen.pop(key, None)
            return f"+{otherwise}" if any(is_a(e, otherwise) for e in now.view.entities) else otherwise
        if self._chosen.get(key) not in ids:
            wanted = literal.states if key[1] == "subject" else frozenset()
            self._chosen[key] = min(able, key=lambda e: (*self._effort(e, now), -len(wanted & e.states), e.id)).id
        return self._chosen[key]

    def _effort(self, entity: Entity, now: Situation) -> tuple[bool, bool, bool, int]:
        agent = now.view.agent
        return (entity.id not in agent.holding, now.cover(entity.id) is not None, entity.room != agent.room,
                len(now.view.contents.get(entity.id, ())))

    # --- states set by appliances -----------------------------------------------
    def _prepared(self, subject: str, state: str, literal: Literal, now: Situation) -> list[Way]:
        if state in BY_HAND:
            return [Way(Action(BY_HAND[state], (subject,)))]
        machines = list(self._machines(subject, state, literal, now))
        if not machines:
            return [Way(Action("switch_on", (f"?{TREATED_BY[state][1]}",)))]
        return [self._treated(subject, machine, now) for machine in machines]

    def _machines(self, subject: str, state: str, literal: Literal, now: Situation) -> Iterator[Entity]:
        """Yields appliances that set a state: the one the object is in, else one of each class that has not refused it.

        If the literal names an appliance, only that one.
        """
        thing = now.entity(subject)
        slices = thing is not None and ("sliced" in thing.states or thing.cls.endswith("slice"))
        found = [m for m in now.having(TREATED_BY[state][1]) if now.usable(m) and (slices or TAKES_SLICES not in m.properties)
                 and (subject, m.id) not in now.memory.too_small and (literal.by is None or is_a(m, literal.by))]
        found.sort(key=lambda m: (not self._in(subject, m, now), (subject, m.id) in now.memory.no_space, m.id))
        if found and self._in(subject, found[0], now):
            found = found[:1]  # moving it between appliances would never end
        for number, machine in enumerate(found):
            if machine.cls not in {m.cls for m in found[:number]}:
                yield machine

    def _treated(self, subject: str, machine: Entity, now: Situation) -> Way:
        """Returns switching the appliance on with the object in it; if it is running, putting the object into it."""
        kind = "inside" if CONTAINER in machine.properties else "on"
        if now.running(machine.id) and not self._in(subject, machine, now):
            return Way(Action("put_in" if kind == "inside" else "put_on", (subject, machine.id)))
        return Way(Action("switch_on", (now.switch(machine.id),)), (Need(kind, (subject, machine.id)),))

    def _in(self, subject: str, machine: Entity, now: Situation) -> bool:
        return any(r.object == machine.id for r in now.view.holders(subject))
