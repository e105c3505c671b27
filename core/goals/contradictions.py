"""Finds two parts of a goal that cannot hold together, whatever the robot does.

A literal needs a number of subjects. Two literals exclude each other for one subject if it would have to be in two places or in
two states. They can hold together if there are enough subjects for both. The last stage of a goal holds together with all that
lasts of the stages before it. What is judged is logic, not size: `Simulator.possible` judges that as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from core.goals.kinds import is_a
from core.goals.literals import ABOUT_ROBOT, NOT_LASTING, Goal, Literal
from core.goals.possibility import POSSIBLE, Possibility
from core.goals.progress import meant, without_held
from core.world.vocabulary import Entity, Observation, spaced

AT_ONCE = {"sitting": "sit on", "lying": "lie on", "robot_in": "be in", "robot_facing": "face"}
"""What the robot does with one entity at a time -> the verb."""
EXCLUSIVE = ({"open", "closed"}, {"on", "off"}, {"clean", "dirty"})
"""States of which a thing has one."""
POSTURES = {"sitting", "lying", "standing"}


@dataclass(frozen=True, slots=True)
class _Part:
    """A literal in a world: the entities that it may be about, those it may be in or on, and how many subjects it needs."""

    literal: Literal
    subjects: Mapping[str, Entity]
    targets: Mapping[str, Entity]

    @property
    def needs(self) -> int:
        return len(self.subjects) if self.literal.every else self.literal.count


def judged(goal: Goal, reveal: Callable[[], Observation], possible: Callable[[Goal], Possibility]) -> Possibility:
    """Returns the obstacle of a goal; of literals that hold already there is none.

    Args:
        goal: the goal.
        reveal: returns everything in the world when the goal is given.
        possible: returns the obstacle that a world sees in a goal without contradictions.
    """
    verdict = opposed(goal, reveal) and possible(goal)
    if verdict:
        return verdict
    pending = without_held(goal, reveal())
    if all(literal.never for literal in pending.literals):
        return POSSIBLE
    return verdict if verdict.cause == "contradictory" else possible(pending)


def opposed(goal: Goal, reveal: Callable[[], Observation]) -> Possibility:
    """Returns the obstacle that two parts of a goal contradict each other; the reason names both.

    Args:
        goal: the goal.
        reveal: returns everything in the world when the goal is given; called only if the goal can contradict itself.
    """
    if len(goal.literals) == 1 and goal.literals[0].count == 1 and not goal.literals[0].every and not goal.literals[0].target:
        return POSSIBLE
    world = reveal()
    parts = [_part(x, world) for x in goal.literals]
    wanted = [part for part in parts if not part.literal.never]
    for part in wanted:
        if part.literal.predicate in AT_ONCE and part.needs > 1:
            verb = AT_ONCE[part.literal.predicate]
            return Possibility("contradictory", f"the robot cannot {verb} {part.needs} things at once", part.literal)
    found = [*_forbidden(parts, wanted), *(why for moment in _moments(wanted, goal.last_stage) for why in _at(moment, world))]
    return found[0] if found else POSSIBLE


def _part(literal: Literal, world: Observation) -> _Part:
    everywhere = literal.predicate != "is" and not literal.every
    subjects = {e.id: e for e in world.entities if is_a(e, literal.subject)}
    if literal.source or literal.was or literal.room:
        at_first = {e.id for e in meant(literal, world)}
        moves = everywhere and not literal.source and not literal.was  # it may get into the room
        subjects = {i: e for i, e in subjects.items() if i in at_first or (moves and e.category == "object")}
    targets = {e.id: e for e in world.entities if literal.target and is_a(e, literal.target)}
    return _Part(literal, subjects, targets)


def _moments(wanted: list[_Part], last: int) -> Iterator[list[_Part]]:
    """Yields what must hold at the same moment: at the end, and at the end of each stage before it."""
    yield [p for p in wanted if p.literal.stage == last or p.literal.predicate not in NOT_LASTING]
    for stage in range(last):
        yield [p for p in wanted if p.literal.stage == stage]


def _both(one: _Part, other: _Part, why: str) -> Possibility:
    return Possibility("contradictory", f"“{one.literal}” and “{other.literal}” cannot both be: {why}", one.literal,
                       (one.literal, other.literal))


def _forbidden(parts: list[_Part], wanted: list[_Part]) -> Iterator[Possibility]:
    """Yields what is wanted although it, or a part of it, must never be."""
    for never in (part for part in parts if part.literal.never):
        for part in wanted:
            if _implies(part, never):
                yield _both(part, never, "the goal both asks for and forbids it")


def _implies(part: _Part, never: _Part) -> bool:
    """Returns True if a literal cannot hold without something that is forbidden."""
    one, ban = part.literal, never.literal
    if ban.predicate == "robot_in" and one.predicate in ABOUT_ROBOT - {"standing", "robot_facing", "robot_in"}:
        return bool(part.subjects) and all(_is_fixed(e) and e.room in never.subjects for e in part.subjects.values())
    free = len(part.subjects.keys() - never.subjects.keys())
    same = one.predicate == ban.predicate or (ban.predicate == "is" and one.predicate in ("on", "inside", "holds"))
    there = ban.target is None or (bool(part.targets) and part.targets.keys() <= never.targets.keys())
    return same and there and one.act == ban.act and ban.states <= one.states and (ban.by is None or ban.by == one.by) \
        and free < part.needs <= max(len(part.subjects), one.subject == ban.subject)


def _at(moment: list[_Part], world: Observation) -> Iterator[Possibility]:
    """Yields the contradictions among literals that must hold at one moment."""
    robot = [p for p in moment if p.literal.predicate in ABOUT_ROBOT]
    for one, other in combinations(robot, 2):
        if why := _robot_cannot(one, other):
            yield _both(one, other, why)
    things = [p for p in moment if not p.literal.is_about_robot and p.needs <= len(p.subjects)]
    for k, part in enumerate(things):
        group = [part]
        for other in things[k + 1:]:
            whys = [_excludes(one, other) for one in group]
            if all(whys):
                group.append(other)
                if not _enough(group):
                    yield _both(part, other, whys[0])
                    break
    yield from _in_hand([p for p in things if p.literal.predicate == "holds"], world.agent.hands)
    yield from _circle(things)


def _robot_cannot(one: _Part, other: _Part) -> str:
    """Returns why the robot cannot satisfy both; empty if it can."""
    first, second = one.literal.predicate, other.literal.predicate
    if {first, second} <= POSTURES and first != second:
        return "it has one posture at a time"
    if first == second and first in AT_ONCE:
        return "" if one.subjects.keys() & other.subjects.keys() else f"it can {AT_ONCE[first]} one at a time"
    if "standing" in (first, second) or "robot_facing" in (first, second):
        return ""
    rooms = [{e.id if e.category == "room" else e.room if _is_fixed(e) else "" for e in p.subjects.values()}
             for p in (one, other)]
    return "they are in different rooms" if all(rooms) and not any("" in r for r in rooms) and not rooms[0] & rooms[1] else ""


def _is_fixed(entity: Entity) -> bool:
    return entity.category != "object"


def _excludes(one: _Part, other: _Part) -> str:
    """Returns why no single object can satisfy both literals; empty if one can."""
    for states in EXCLUSIVE:
        first, second = one.literal.states & states, other.literal.states & states
        if first and second and first != second:
            return f"a thing is either {' or '.join(sorted(first | second))}"
    predicates = {one.literal.predicate, other.literal.predicate}
    if "holds" in predicates and predicates & {"on", "inside", "away"}:
        return "what is in the hand is nowhere else"
    if predicates <= {"on", "inside"} and one.targets and other.targets:
        meet = any(_meet(one.literal.predicate, a, other.literal.predicate, b)
                   for a in one.targets.values() for b in other.targets.values())
        return "" if meet else f"a {spaced(one.literal.subject.split('|')[0])} is in one place at a time"
    if "away" in predicates and predicates & {"on", "inside"}:
        away, put = (one, other) if one.literal.predicate == "away" else (other, one)
        return "it is to be there and elsewhere" if put.targets and put.targets.keys() <= away.targets.keys() \
            and all(e.category != "room" for e in put.targets.values()) else ""
    return ""


def _meet(first: str, a: Entity, second: str, b: Entity) -> bool:
    """Returns True if an object can be on or in both, such as on a plate that is in the fridge."""
    if a.id == b.id:
        return first == second
    rooms = [e.id if e.category == "room" else e.room for e in (a, b)]
    if "room" in (a.category, b.category):
        return rooms[0] == rooms[1] or "object" in (a.category, b.category)
    return "object" in (a.category, b.category)


def _enough(group: list[_Part]) -> bool:
    """Returns True if each literal can have subjects of its own (bipartite matching by augmenting paths)."""
    taken: dict[str, int] = {}
    slots = [part for part in group for _ in range(part.needs)]

    def place(slot: int, tried: set[str]) -> bool:
        for subject in slots[slot].subjects.keys() - tried:
            tried.add(subject)
            if subject not in taken or place(taken[subject], tried):
                taken[subject] = slot
                return True
        return False

    return all(place(k, set()) for k in range(len(slots)))


def _in_hand(held: list[_Part], hands: int) -> Iterator[Possibility]:
    """Yields that the hands do not hold enough objects for all literals: the last one is told with the first."""
    for end in range(2, len(held) + 1):
        some = held[:end]
        alike: dict[tuple[int, ...], list[str]] = {}
        for thing in sorted({i for p in some for i in p.subjects}):
            alike.setdefault(tuple(k for k, p in enumerate(some) if thing in p.subjects), []).append(thing)
        things = [thing for same in alike.values() for thing in same[:hands]]
        apart = any(_excludes(*pair) and sum(p.needs for p in pair) > hands for pair in combinations(some, 2))
        if things and (apart or not any(_fills(chosen, some) for chosen in combinations(things, min(hands, len(things))))):
            yield _both(some[0], some[-1], f"the robot has {'one hand' if hands == 1 else f'{hands} hands'}")
            return


def _fills(chosen: Iterable[str], held: list[_Part]) -> bool:
    ids = set(chosen)
    return all(len(ids & p.subjects.keys()) >= p.needs for p in held)


def _circle(things: list[_Part]) -> Iterator[Possibility]:
    """Yields that objects would have to be on or in each other: whatever holds them would have to be held by them."""
    carried = {i: part for part in things if part.targets and part.literal.predicate in ("on", "inside")
               and part.needs >= len(part.subjects) for i in part.subjects}
    placed: set[str] = set()
    while fresh := {i for part in carried.values() for i in part.targets if i not in placed and i not in carried} | {
            i for i, part in carried.items() if i not in placed and part.targets.keys() & placed - {i}}:
        placed |= fresh
    for part in (part for i, part in carried.items() if i not in placed):
        holder = next(i for i in part.targets if i in carried)
        yield _both(part, carried[holder], "one would have to be on or in the other, and the other way round")
        return
