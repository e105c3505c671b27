"""What each turn of a run brought, by the observations alone: progress, a find, a look, an approach, or nothing.

A turn is lost if it was refused, is part of a loop that changed and showed nothing, undid progress, or had nothing to do with
the next turn that brought something. Why it was lost is a question of its own (`causes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from core.goals.kinds import is_a
from core.goals.literals import Goal, LiteralProgress
from core.planning.belief_facets import Belief
from core.recording.failures.run import RecordedRun, RecordedTurn
from core.world.known_world import KnownWorld
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, Action, Entity, Observation, in_words, named, spaced

Kind = Literal["progress", "find", "look", "approach", "refused", "loop", "undone", "aimless"]
LOST: frozenset[Kind] = frozenset({"refused", "loop", "undone", "aimless"})
ON_THE_WAY = 3
"""The maximum number of turns at the end of a run that count as on the way to something: to a room, to a place, opening it."""


@dataclass(frozen=True, slots=True)
class Yield:
    """What one turn brought.

    Attributes:
        why: for a lost turn, what its action did, as the end of a sentence.
        compared: for a lost turn, what was compared.
        looked: ids of the furniture whose contents were observed in it for the first time.
        missing: classes of the goal of which objects were still to be found when it began.
        serves: the index of the later turn that an approach, or a look on the way, leads to; -1: none.
        to_goal: whether its action is about an object that the goal names, a place for one in the hand, a place for one that is
            still to be opened, or the room of one of them.
        loop: the number of the loop it is part of; -1: none.
        ends_elsewhere: whether it is the last turn of a loop and leads to another thing than the one where the loop began, in
            the same room. It is not lost if it serves a later turn.
        is_sure: False if it is only assumed to be progress: objects were handled that the goal does not name.
    """

    turn: RecordedTurn
    kind: Kind
    why: str = ""
    compared: str = ""
    looked: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    serves: int = -1
    to_goal: bool = False
    loop: int = -1
    ends_elsewhere: bool = False
    is_sure: bool = True

    @property
    def is_lost(self) -> bool:
        """Whether it brought nothing."""
        return self.kind in LOST


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a run.

    Attributes:
        yields: what each turn brought.
        found: (class, id of the place, number of the turn) of every object of the goal that came into sight at a place, in the
            order they were seen. The robot had not moved them before. Turn 0: in sight from the beginning.
        missing: classes of the goal of which objects were still to be found at the end.
        rooms: False for worlds without rooms, or in which actions change nothing that is observed; then only refusals are
            known.
        unlooked: ids of the closed places that were in sight and never looked into.
        names: id of each entity that was seen -> its name, with its number if another one shares the name.
    """

    yields: tuple[Yield, ...]
    found: tuple[tuple[str, str, int], ...]
    missing: tuple[str, ...]
    rooms: bool
    unlooked: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def in_names(self, text: str) -> str:
        """Returns a sentence with names in place of ids, as the window shows them."""
        return named(text, lambda entity: self.names.get(entity, spaced(entity)))


def course_of(run: RecordedRun) -> Course:
    """Returns what each turn brought."""
    seen = [run.turns[0].seen, *(_after(t) for t in run.turns)] if run.turns else []
    if not _shows_rooms(seen):
        refusals = tuple(_refusal(turn, ()) or Yield(turn, "approach") for turn in run.turns)
        return Course(refusals, (), (), False, names=_names(seen))
    walker = _Walker(run.goal, seen[0])
    ends = [turn.progress for turn in run.turns[1:]]
    ends.append(run.last.progress if run.last is not None else run.ended.progress if run.ended is not None else ())
    walked = [walker.walk(turn, sum(p.have for p in end) if end else None) for turn, end in zip(run.turns, ends, strict=True)]
    last = run.every_turn[-1]
    missing = walker.missing(last.belief, last.progress if run.ended is None else run.ended.progress)
    yields = tuple(_justified(_without_loops(walked, walker.states)))
    return Course(yields, tuple(walker.found), missing, True, walker.unlooked(), _names(seen))


def _shows_rooms(seen: Sequence[Observation]) -> bool:
    """Returns True if what actions do can be observed: there are rooms, and furniture or any change."""
    kinds = {entity.category for now in seen for entity in (*now.entities, *now.landmarks)}
    return "room" in kinds and ("furniture" in kinds or any(
        (now.agent, now.entities, now.relations) != (seen[0].agent, seen[0].entities, seen[0].relations) for now in seen))


def _names(seen: Iterable[Observation]) -> Mapping[str, str]:
    """Returns id -> name of all entities in sight or on the map; those that share a name have their number."""
    plain = {e.id: e.name for now in seen for e in (*now.landmarks, *now.entities)}
    alike = Counter(plain.values())
    numbered = {i: f"{name} {i.rpartition('_')[2]}" for i, name in plain.items() if alike[name] > 1}
    return MappingProxyType(plain | numbered)


def _after(turn: RecordedTurn) -> Observation:
    assert turn.outcome is not None, "completed turns have an outcome"
    return turn.outcome.observation


class _Walker:
    """Follows the observations and judges turn by turn."""

    def __init__(self, goal: Goal, first: Observation):
        self._goal, self._world = goal, KnownWorld()
        self._handles_tools = any(x.states or x.by or not x.is_plain for x in goal.literals)
        """Whether reaching the goal may take objects that it does not name, such as a knife."""
        self._first_seen: set[str] = set()
        self.found: list[tuple[str, str, int]] = []
        self.states: list[tuple[str | None, Hashable, Hashable]] = []
        self._helpful: set[str] = set()
        """Actions that the world proposed when it refused another one."""
        self._refused: set[str] = set()
        self._score = first.score
        self._world.see(first)
        self._meet(first, 0)
        self.states.append(self._state())

    def walk(self, turn: RecordedTurn, after: int | None) -> Yield:
        """Returns what a turn brought. `after` is the progress after it, the sum over all literals; None if it is unknown."""
        missing = self.missing(turn.belief, turn.progress)
        seen, outcome = _after(turn), turn.outcome
        looked, held = set(self._world.looked), set(turn.seen.agent.holding)
        score, self._score = self._score or 0.0, seen.score
        known = self._wanted()
        self._world.see(seen)
        new = tuple(dict.fromkeys(place for place, _ in sorted(self._world.looked - looked)))
        self._meet(seen, turn.number)
        assert outcome is not None, "completed turns have an outcome"
        if not outcome.ok:
            self._refused.add(str(outcome.action))
        self.states.append(self._state())
        if (refusal := _refusal(turn, missing)) is not None:
            if outcome.remedy is not None:
                self._helpful.add(str(outcome.remedy))
            return refusal
        if (changed := _changed(turn, score, seen.score, after)) is not None:
            return replace(changed, looked=new, missing=missing)
        taken, put = set(seen.agent.holding) - held, held - set(seen.agent.holding)
        if taken | put:
            return self._handled(turn, taken, put, missing, new)
        if any(is_a(self._world.entities[new_one], cls) for new_one in self._wanted() - known for cls in missing):
            return Yield(turn, "find", looked=new, missing=missing)
        if new and (missing or self._handles_tools):  # the search may be for a tool that the goal does not name
            return Yield(turn, "look", looked=new, missing=missing)
        if self._handles_tools and outcome.action.verb not in ("walk", "open", "close"):
            return Yield(turn, "progress", looked=new, missing=missing, is_sure=False)
        return Yield(turn, "approach", looked=new, missing=missing, to_goal=self._to_goal(outcome.action))

    def _to_goal(self, action: Action) -> bool:
        """Returns True if an action is about something that the goal names, or the room it is in.

        A place where the goal wants an object counts only if it is still to be opened, or if the robot holds such an object.
        """
        held = [e for i in self._world.agent.holding if (e := self._world.entities.get(i)) is not None]
        named = [e for e in self._objects() if self._is_subject(e) or any(self._wants(thing, e.id) for thing in held)
                 or (self._in_goal(e) and (action.verb == "open" or "closed" in e.states))]
        return not {e.id for e in named}.union(e.room for e in named).isdisjoint(action.args)

    def _handled(self, turn: RecordedTurn, taken: set[str], put: set[str], missing: tuple[str, ...], new: tuple[str, ...]
                 ) -> Yield:
        """Judges grabbing and putting down. Objects of the goal may be grabbed; everything else must be of use."""
        action = turn.action
        entities = [e for i in taken | put if (e := self._entity(i, turn)) is not None]
        helps = self._handles_tools or str(action) in self._helpful
        is_sure = bool(taken) and any(self._in_goal(e, turn.progress) for e in entities)
        if helps or is_sure:
            return Yield(turn, "progress", looked=new, missing=missing, is_sure=is_sure)
        assert action is not None, "completed turns have an outcome"
        why, compared = "handled what the goal does not name", "the action and the goal"
        if any(self._in_goal(e) for e in entities):
            compared = "the action and the progress before and after it"
            fits = put and any(self._wants(e, action.args[-1]) for e in entities)
            why = ("put an object where the goal wants one, but that part of the goal had been reached" if fits
                   else "put an object of the goal where the goal does not want it" if put
                   else "took an object of a part of the goal that had been reached")
        return Yield(turn, "aimless", why, compared, new, missing)

    def _wants(self, thing: Entity, place: str) -> bool:
        """Returns True if a part of the goal wants an object like this at this place."""
        holder = self._world.entities.get(place)
        return holder is not None and any(is_a(thing, x.subject) and x.target is not None and is_a(holder, x.target)
                                          for x in self._goal.literals if x.predicate in ("inside", "on"))

    def missing(self, belief: Belief | None, progress: tuple[LiteralProgress, ...]) -> tuple[str, ...]:
        """Returns the classes of which objects are still to be found now: by a belief, and by the goal."""
        found = []
        if belief is not None:
            rows = zip(belief.classes, belief.wanted, belief.located, strict=True)
            found = [cls for cls, wanted, located in rows if wanted and located is None]
        for p in progress:
            literal = p.literal
            usable = [e for e in self._objects() if is_a(e, literal.subject) and (
                e.id in p.subjects or literal.predicate == "is" or GRABBABLE in e.properties)]
            if not p.reached and not literal.every and len(usable) < literal.count:
                found.append(literal.subject)
        return tuple(dict.fromkeys(found))

    def unlooked(self) -> tuple[str, ...]:
        """Returns the ids of the closed places that were in sight and never looked into."""
        return tuple(e.id for e in self._world.entities.values() if e.category == "furniture" and "closed" in e.states
                     and {CONTAINER, OPENABLE} <= e.properties and (e.id, "inside") not in self._world.looked)

    def _wanted(self) -> set[str]:
        return {x.id for x in self._objects() if self._in_goal(x)}

    def _in_goal(self, entity: Entity, progress: Sequence[LiteralProgress] = ()) -> bool:
        """Returns True if the goal names an object or place; with its progress, only if a part that is not reached does."""
        literals = [p.literal for p in progress if not p.reached] if progress else self._goal.literals
        return any(is_a(entity, name) for x in literals for name in (x.subject, x.target) if name is not None)

    def _is_subject(self, entity: Entity) -> bool:
        """Returns True if the goal says something about an object, and not only where other objects are to be put."""
        return any(is_a(entity, x.subject) for x in self._goal.literals)

    def _objects(self) -> list[Entity]:
        return [e for e in self._world.entities.values() if e.category != "room"]

    def _entity(self, thing: str, turn: RecordedTurn) -> Entity | None:
        return self._world.entities.get(thing) or turn.seen.by_id.get(thing)

    def _meet(self, seen: Observation, number: int) -> None:
        """Notes where objects of the goal come into sight for the first time."""
        for entity in seen.entities:
            if entity.id in self._first_seen or entity.category != "object":
                continue
            self._first_seen.add(entity.id)
            place = self._world.place_of(entity.id)
            if place is not None and entity.id not in seen.agent.holding and self._in_goal(entity):
                self.found.append((entity.cls, place[0], number))

    def _state(self) -> tuple[str | None, Hashable, Hashable]:
        """Returns the room, what is known (also by refusals) and held, and the same with what is within reach."""
        world, agent = self._world, self._world.agent
        states = frozenset((e.id, e.states) for e in world.entities.values())
        rest = (agent.holding, frozenset(world.relations.values()), states, len(world.looked), frozenset(self._refused),
                self._score)
        return agent.room, hash(rest), hash((rest, agent.room, frozenset(agent.near)))


def _changed(turn: RecordedTurn, score: float, score_after: float | None, after: int | None) -> Yield | None:
    """Returns a turn that changed the score or the progress; None if it changed neither."""
    if score_after is not None and score_after != score:
        if score_after > score:
            return Yield(turn, "progress")
        why = f"lowered the score from {score:g} to {score_after:g}"
        return Yield(turn, "undone", why, "the score before and after the turn")
    before = sum(p.have for p in turn.progress)
    if after is None or after == before:
        return None
    if after > before:
        return Yield(turn, "progress")
    return Yield(turn, "undone", "undid a part of the goal that held", "progress before and after the turn")


def _refusal(turn: RecordedTurn, missing: tuple[str, ...]) -> Yield | None:
    outcome = turn.outcome
    if outcome is None or outcome.ok:
        return None
    reason = f": {outcome.reason.rstrip('.')}" if outcome.reason else ""
    return Yield(turn, "refused", f"was refused{reason}", "the action and the world's verdict", missing=missing)


def _without_loops(yields: list[Yield], states: Sequence[tuple[str | None, Hashable, Hashable]]) -> list[Yield]:
    """Returns the turns with loops marked: the robot is back in an earlier state, or in an earlier room with nothing changed.

    A loop of one turn is an action that changed nothing.

    Args:
        yields: the turns.
        states: the state before the first turn, and after each turn.
    """
    new = list(yields)
    first_full: dict[Hashable, int] = {}
    first_rest: dict[tuple[str | None, Hashable], int] = {}
    left = [0] * len(states)  # the last state index at which the robot was in another room
    for k in range(1, len(states)):
        left[k] = k - 1 if states[k - 1][0] != states[k][0] else left[k - 1]
    loops: list[tuple[int, int]] = []
    for k, (room, rest, full) in enumerate(states):
        start = first_full.setdefault(full, k)
        if start == k:
            early = first_rest.setdefault((room, rest), k)
            start = early if left[k] > early else k
        if start < k and new[k - 1].kind != "refused":
            while loops and loops[-1][1] > start:
                start = min(start, loops.pop()[0])
            loops.append((start, k))
    for loop, (start, end) in enumerate(loops):
        began, until = new[start].turn.number, new[end - 1].turn.number
        why = f"led back to where the robot had been (turns {began} to {until}); nothing had changed or been seen"
        compared = f"what was known and held, and the room or what was in reach, before turn {began} and up to turn {until}"
        for k in range(start, end):
            if new[k].kind not in ("approach", "aimless", "progress"):
                continue
            elsewhere = k == end - 1 and states[start][2] != states[end][2]
            if end - start == 1:
                new[k] = replace(new[k], kind="aimless", why="changed nothing and showed nothing new",
                                 compared=f"what was known, in reach and held before and after turn {began}")
            else:
                new[k] = replace(new[k], kind="loop", why=why, compared=compared, loop=loop, ends_elsewhere=elsewhere)
    return new


def phrase_of(action: Action | None) -> str:
    """Returns an action as a phrase with ids: `walk to kitchen_table_2`; empty for None."""
    return "" if action is None else in_words(action)


def _justified(yields: list[Yield]) -> list[Yield]:
    """Returns the turns with what approaches and looks lead to; approaches that lead to nothing are marked as aimless.

    A place that is opened serves the next progress that puts something there, whatever is done in between.
    """
    new, useful, refused = list(yields), -1, -1
    filled: dict[str, int] = {}
    for k in range(len(new) - 1, -1, -1):
        one = new[k]
        led = next((later for later in (refused, useful) if later >= 0 and _leads_to(one.turn, new[later].turn)), -1)
        action = one.turn.action
        if one.kind == "progress" and action is not None and action.verb.startswith("put"):
            filled[action.args[-1]] = k
        if one.kind == "look" and action is not None and action.verb == "open" and action.args[0] in filled:
            new[k] = replace(one, serves=filled[action.args[0]])
        elif one.kind == "look" and led >= 0 and new[led].kind in ("progress", "refused"):
            new[k] = replace(one, serves=led)
        elif one.ends_elsewhere and led >= 0 and _leads_to(one.turn, new[led].turn, by_room=False):
            new[k] = replace(one, kind="approach", why="", compared="", loop=-1, serves=led)
        elif one.kind == "approach":
            if led >= 0:
                new[k] = replace(one, serves=led)
            elif useful < 0 and len(new) - k > ON_THE_WAY and not one.to_goal:
                new[k] = _aimless(one, "nothing came of it until the end")
            elif useful >= 0 and not one.to_goal:
                later = new[useful].turn
                next_one = f"“{phrase_of(later.action)}” in turn {later.number}"
                new[k] = _aimless(one, f"the next turn that brought anything, {next_one}, is about something else")
        useful = k if one.kind in ("progress", "find", "look") else useful
        refused = k if one.kind == "refused" else -1 if one.kind in ("progress", "find", "look") else refused
    return new


def _aimless(one: Yield, why: str) -> Yield:
    return replace(one, kind="aimless", why=f"led to nothing: {why}",
                   compared="the action and the next turn that showed or changed something")


def _leads_to(turn: RecordedTurn, later: RecordedTurn, *, by_room: bool = True) -> bool:
    """Returns True if an approach is part of the way to a later action: its object, what that lies at, or the room.

    Args:
        turn: the approach.
        later: the later turn.
        by_room: whether going to its room counts.
    """
    if turn.action is None or later.action is None:
        return False
    room = _after(later).agent.room
    about = {*later.action.args, room}
    for arg in later.action.args:
        about.update(link.object for link in later.seen.holders(arg))
    about.update(later.seen.agent.near[:1] if later.action.verb != "walk" else ())
    return not (about if by_room else about - {room}).isdisjoint(turn.action.args)


def furniture_words(ids: Sequence[str], most: int = 3) -> str:
    """Returns places in words, with ids; of many, the first ones and the number of the others."""
    shown = ", ".join(f"the {i}" for i in ids[:most])
    return f"{shown} and {len(ids) - most} more" if len(ids) > most else shown
