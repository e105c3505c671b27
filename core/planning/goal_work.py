"""The next action towards a goal whose objects are known: which literal comes first, and which object serves it.

The oracle, the planners that search and the offline rules work on literals in this one way. The order is that of
`regression.work_order`: an object is prepared and used before it is put in its place, doors and switches are set after that,
and last come the hand and the robot itself. So nothing that was reached is undone for what comes later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from core.goals.kinds import is_a
from core.goals.literals import ABOUT_ROBOT, Literal, LiteralProgress
from core.goals.progress import satisfying
from core.planning.regression import Banned, Memory, Regression, Stuck, work_order
from core.world.vocabulary import (
    ACTS,
    GRABBABLE,
    HELD_ACTS,
    POSTURES,
    SLICEABLE,
    TREATED_BY,
    TURNED,
    Action,
    Entity,
    Observation,
    spaced,
)

CARRIED = frozenset({"inside", "on", "away", "holds"})
"""Predicates about where an object is: its place or the hand."""
SEATS = {"sitting": POSTURES["sit"], "lying": POSTURES["lie"]}
"""Predicate -> the property of what the robot sits or lies on."""
MADE_FOR = {**TURNED, **{state: need for state, (need, _) in TREATED_BY.items()}, "sliced": SLICEABLE}
"""State -> the property that a thing needs to get it; empty: none."""
PLACING = 2
"""The rank of placements in the order of work."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done next.

    Attributes:
        action: the first action; None if all literals hold or none can be worked on.
        literal: the literal that it is for.
        reasons: for each literal before it that cannot be worked on, why; if it is about the robot itself, also for those after
            it whose subjects are not known.
        ruled_out: (subject, target) of the literals that a ban rules out.
    """

    action: Action | None = None
    literal: Literal | None = None
    reasons: tuple[tuple[Literal, str], ...] = ()
    ruled_out: tuple[tuple[str, str], ...] = ()


def next_step(reports: Collection[LiteralProgress], world: Observation, memory: Memory, verbs: frozenset[str],
              chosen: dict[Literal, str], banned: frozenset[Action] = frozenset()) -> Step:
    """Returns the first action towards the first literal that does not hold and can be worked on.

    Args:
        reports: the progress of literals about known objects; the subjects of those that hold stay where they are.
        world: all that is known.
        memory: what was learned from refusals.
        verbs: the verbs of the world.
        chosen: literal -> the subject it is worked on with, which is kept as long as it can be used; it is updated.
        banned: actions that must not be done.
    """
    literals = tuple(r.literal for r in reports)
    named = {x.subject for x in literals}
    placed = {r.literal: [s for s in r.subjects if s not in named or not is_claimed(s, r.literal, literals, world.by_id)]
              for r in reports if r.literal.predicate in CARRIED}
    keep = frozenset(s for literal, subjects in placed.items() for s in subjects[: literal.count])
    open_ones = [r.literal for r in reports if not r.reached or len(placed.get(r.literal, r.subjects)) < min(
        r.have, len(r.subjects))]  # also those that hold only by an object that another one wants elsewhere
    pending = sorted(open_ones, key=lambda x: _order(x, world, open_ones))
    waiting = frozenset(e.id for x in pending for e in world.entities if _waits(x, e, world))
    step = Step()
    for left in (waiting, frozenset[str]()) if waiting else (waiting,):
        step = _first(pending, Regression(world, memory, keep, verbs, free_hand=world.agent.hands > 1, banned=banned,
                                          waiting=left), chosen, literals)
        if step.action is not None:
            break
    return step


def why_stuck(step: Step) -> str:
    """Returns why nothing can be done."""
    return "; ".join(f"{stuck} (goal part: {literal})" for literal, stuck in step.reasons) or "no action brings the goal nearer"


def _first(pending: Collection[Literal], regression: Regression, chosen: dict[Literal, str],
           literals: Collection[Literal]) -> Step:
    reasons: list[tuple[Literal, str]] = []
    ruled_out: list[tuple[str, str]] = []
    for literal in pending:
        try:
            action = _towards(literal, regression, chosen, literals)
        except Stuck as stuck:
            reasons.append((literal, str(stuck)))
            if isinstance(stuck, Banned):
                ruled_out.append((literal.subject, literal.target or ""))
            continue
        if action is not None:
            if literal.predicate in ABOUT_ROBOT:  # opening or looking for what a later one is about would undo it
                opening = next(filter(None, (_uncovering(x, regression) for x in pending)), None)
                reasons += [(x, _unknown(x)) for x in pending if not regression.instances(x.subject)]
                return Step(opening or action, literal, tuple(dict.fromkeys(reasons)))
            return Step(action, literal, tuple(reasons))
    return Step(reasons=tuple(reasons), ruled_out=tuple(ruled_out))


def _towards(literal: Literal, regression: Regression, chosen: dict[Literal, str],
             literals: Collection[Literal]) -> Action | None:
    """Returns the next action for a literal, with the easiest subject; one that another literal needs in its place comes last.

    Raises:
        Stuck: no subject can be worked on.
    """
    stuck: Stuck | None = None
    usual = chosen.get(literal)
    for subject in sorted(_usable(literal, regression, literals), key=lambda s: (s.id in regression.keep, s.id != usual)):
        try:
            action = regression.first_allowed([subject.id], lambda s: regression.worked_on(literal, s))
        except Stuck as error:
            stuck = stuck if isinstance(stuck, Banned) else error
            continue
        if literal.predicate not in ABOUT_ROBOT:  # of several seats the one in the room it must be in anyway
            chosen[literal] = subject.id
        return action
    raise stuck or Stuck(_unknown(literal))


def _unknown(literal: Literal) -> str:
    return f"no {spaced(literal.subject)} is known that could be used"


def _uncovering(literal: Literal, regression: Regression) -> Action | None:
    """Returns the action that opens what is around the entity that the robot shall be at or face."""
    if literal.predicate not in ("robot_near", "robot_facing"):
        return None
    with suppress(Stuck):
        return next((regression.uncovered(subject.id) for subject in _usable(literal, regression, ())), None)
    return None


def _usable(literal: Literal, regression: Regression, literals: Collection[Literal]) -> Iterator[Entity]:
    """Yields the subjects that do not satisfy a literal yet and could: to carry one must not take it from where it must be."""
    done = set(satisfying(literal, regression.world))
    carried = literal.predicate in CARRIED
    for subject in regression.instances(literal.subject):
        slips = (subject.id, "") in regression.memory.no_space
        taken = carried and (subject.id in regression.keep or is_claimed(subject.id, literal, literals, regression.world.by_id))
        if subject.id not in done and not slips and not taken and is_made_for(literal, subject, regression.controllers):
            yield subject


def is_claimed(thing: str, literal: Literal, literals: Collection[Literal], known: Mapping[str, Entity]) -> bool:
    """Returns True if one of the other literals names just this object and wants it elsewhere than a literal does.

    Args:
        thing: id of the object.
        literal: the literal.
        literals: all literals of the goal.
        known: id -> entity.
    """
    def elsewhere(other: Literal) -> bool:
        place = known.get(other.target or "")
        within = other.target == literal.target or (place is not None and is_a(place, literal.target or ""))
        return other.predicate != literal.predicate or not within

    return literal.subject != thing and any(x.subject == thing and x.predicate in CARRIED and elsewhere(x) for x in literals)


def is_made_for(literal: Literal, thing: Entity, controlled: Collection[str]) -> bool:
    """Returns True if an entity can serve a literal by its properties: not every mat is made to lie on.

    Args:
        literal: the literal.
        thing: the entity.
        controlled: ids of what something else switches on and off: a sink by its tap.
    """
    held = literal.predicate in CARRIED or literal.act in HELD_ACTS
    flags = {GRABBABLE} if held else set()
    flags |= {SEATS.get(literal.predicate, ""), ACTS.get(literal.act, "")}
    for state in literal.states - thing.states:
        switched = state in ("on", "off") and thing.id in controlled
        flags.add("" if switched else MADE_FOR.get(state, ""))
    return flags - {""} <= thing.properties


def is_first_used(thing: Entity, pending: Collection[Literal]) -> bool:
    """Returns True if a pending literal prepares or uses an object, which comes before it is put in its place."""
    return any(work_order(x) < PLACING and is_a(thing, x.subject) for x in pending)


def _waits(literal: Literal, thing: Entity, world: Observation) -> bool:
    """Returns True if an object lies in an appliance that can give it the states that a literal wants."""
    flags = {TREATED_BY[state][1] for state in (literal.states - thing.states) & TREATED_BY.keys()}
    return bool(flags) and is_a(thing, literal.subject) and any(
        flags & machine.properties and (literal.by is None or is_a(machine, literal.by))
        for machine in (world.by_id[link.object] for link in world.holders(thing.id)))


def _order(literal: Literal, world: Observation, pending: Collection[Literal]) -> tuple[int, bool, bool, str]:
    """Returns the sort key of a literal: the order of work, closing after what is taken out; held objects first."""
    in_hand = any(is_a(world.by_id[h], literal.subject) for h in world.agent.holding if h in world.by_id)
    later = [work_order(x) for x in pending if is_shut_in(x, literal, world)]
    return max((work_order(literal), *later)), bool(later), not in_hand, str(literal)


def is_shut_in(literal: Literal, closing: Literal, world: Observation) -> bool:
    """Returns True if a literal about the hand or the robot needs an object out of what another literal wants closed."""
    return "closed" in closing.states and literal.predicate in ("holds", "robot_near", "robot_facing") and any(
        is_a(world.by_id[link.object], closing.subject) for thing in world.entities if is_a(thing, literal.subject)
        for link in world.holders(thing.id) if link.object in world.by_id)
