"""What holds of a goal: which objects satisfy its literals now, and what the past adds to that.

A `GoalWatch` keeps the record of the past up to date; `progress` judges a goal by an observation and a record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.goals.kinds import FLOOR, is_a
from core.goals.literals import NOT_LASTING, ROBOT, UNKNOWN, Goal, GoalRecord, Literal, LiteralProgress
from core.world.vocabulary import TREATED_BY, Action, AgentState, Entity, Observation


def progress(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN) -> tuple[LiteralProgress, ...]:
    """Returns the progress of each literal.

    Args:
        goal: the goal.
        world: the objects to count; objects not in it do not count.
        record: what happened since the goal was given. Without one, literals about the past are lenient: an object in the
            source now counts as having been there, any appliance counts, and all stages count at once.
    """
    stage = record.stage(goal)
    return tuple(_progress(goal, k, world, record, stage) for k in range(len(goal.literals)))


def reached(goal: Goal, world: Observation, record: GoalRecord = UNKNOWN) -> bool:
    """Returns True if all literals hold at the same time."""
    return all(p.reached for p in progress(goal, world, record))


def without_held(goal: Goal, world: Observation) -> Goal:
    """Returns the goal without the literals that hold already: these are possible, unless they name an appliance."""
    return replace(goal, literals=tuple(x for x in goal.literals if x.never or x.by or not held_now(x, world, UNKNOWN).reached))


def meant(literal: Literal, world: Observation, record: GoalRecord = UNKNOWN) -> Iterator[Entity]:
    """Yields the entities a literal refers to, whether or not they satisfy it."""
    rooms = {e.id for e in rooms_in(world) if literal.room and is_a(e, literal.room)} | {literal.room}
    for entity in world.entities:
        if is_a(entity, literal.subject) and (literal.room is None or entity.room in rooms) \
                and (literal.source is None or _came_from(literal, entity, world, record)) \
                and (not literal.was or literal.was <= record.first_states(entity)) \
                and (literal.holding is None or _has_within(entity, literal.holding, world)):
            yield entity


def _has_within(holder: Entity, name: str, world: Observation) -> bool:
    """Returns True if something of this class or id lies in or on an entity."""
    return any(lies(world, e.id, relation, holder.id) for e in world.entities if is_a(e, name) for relation in ("on", "inside"))


def satisfying(literal: Literal, world: Observation, record: GoalRecord = UNKNOWN) -> Iterator[str]:
    """Yields the ids of the subjects for which the literal holds; of `standing`, `ROBOT`."""
    if literal.predicate == "standing" and world.agent.posture == "standing":
        yield ROBOT
    for entity in meant(literal, world, record):
        if literal.is_about_robot:
            if _of_robot(literal, entity, world.agent):
                yield entity.id
        elif literal.states <= entity.states and _placed(literal, entity.id, world) and _treated(literal, entity, record):
            yield entity.id


def _of_robot(literal: Literal, entity: Entity, agent: AgentState) -> bool:
    """Returns True if the robot is in, near, facing, sitting or lying on an entity, or has done the act to it."""
    match literal.predicate:
        case "robot_in":
            return agent.room == entity.id
        case "robot_near":
            return entity.id in agent.near or entity.id in agent.holding or entity.id == agent.seat
        case "robot_facing":
            return agent.facing == entity.id
        case "sitting" | "lying":
            return agent.posture == literal.predicate and agent.seat == entity.id
        case "done":
            return Action(literal.act, (entity.id,)) in agent.acts
        case _:
            return False


def _came_from(literal: Literal, entity: Entity, world: Observation, record: GoalRecord) -> bool:
    source = literal.source or ""
    if not record.known and source == FLOOR:
        return entity.category == "object" and not lies_at(entity.id, world) and entity.id not in world.agent.holding
    if not record.known:
        return lies(world, entity.id, "on", source) or lies(world, entity.id, "inside", source)
    return any(source == holder or (holder in world.by_id and is_a(world.by_id[holder], source))
               for holder in record.sources_of(entity.id))


def _treated(literal: Literal, entity: Entity, record: GoalRecord) -> bool:
    """Returns True if the states that appliances give came from the required one; no appliance slices or opens."""
    if literal.by is None or not record.known:
        return True
    given = [state for state in literal.states if state in TREATED_BY]
    return all(record.given_by(entity.id, state, literal.by) for state in given)


def _progress(goal: Goal, index: int, world: Observation, record: GoalRecord, stage: int) -> LiteralProgress:
    literal = goal.literals[index]
    if literal.never:
        kept = index not in record.broken if record.known else not any(satisfying(literal, world))
        return LiteralProgress(literal, literal.count if kept else 0, ())
    if record.known and literal.stage > stage:
        return LiteralProgress(literal, 0, ())
    if record.known and literal.stage < stage and literal.predicate in NOT_LASTING:
        return LiteralProgress(literal, literal.count, ())
    return held_now(literal, world, record)


def held_now(literal: Literal, world: Observation, record: GoalRecord) -> LiteralProgress:
    """Returns the progress of a literal at this moment, whatever its stage."""
    subjects = tuple(satisfying(literal, world, record))
    if literal.every:
        wanted = {e.id for e in meant(literal, world, record)}
        return LiteralProgress(literal, int(wanted <= set(subjects) and bool(wanted or literal.source)), subjects)
    return LiteralProgress(literal, min(len(subjects), literal.count), subjects)


def _placed(literal: Literal, entity_id: str, world: Observation) -> bool:
    if literal.predicate == "is":
        return True
    held = entity_id in world.agent.holding
    if literal.predicate == "holds":
        return held
    target = literal.target or ""
    if literal.predicate == "away":
        return not held and not lies(world, entity_id, "on", target) and not lies(world, entity_id, "inside", target)
    if literal.predicate == "inside" and any(r.id == world.by_id[entity_id].room and is_a(r, target) for r in rooms_in(world)):
        return not held
    return lies(world, entity_id, literal.predicate, target)


def rooms_in(world: Observation) -> Iterator[Entity]:
    """Yields the rooms."""
    return (e for e in world.entities if e.category == "room")


def lies(world: Observation, entity_id: str, relation: str, target: str) -> bool:
    """Returns True if an object is in or on a target, directly or through objects that carry it.

    An apple on a plate inside the fridge is inside the fridge; an egg in a bowl on the table is on the table. But an object
    inside a microwave on a counter is not on the counter.
    """
    for link in world.holders(entity_id):
        holder = world.by_id.get(link.object)
        if holder is None:
            return False
        if is_a(holder, target):
            return link.kind == relation
        if holder.category != "object":
            return False
    return False


class GoalWatch:
    """Keeps the record of a goal up to date with each observation."""

    def __init__(self, goal: Goal, record: GoalRecord = UNKNOWN):
        self.record = record
        self._goal = goal
        self._refers = any(x.was for x in goal.literals)
        self._before: Observation | None = None

    def see(self, world: Observation) -> GoalRecord:
        """Adds an observation and returns the record."""
        before = self._before or world
        known = self.record if self.record.known else replace(self.record, known=True)
        record = after(known, before, world)
        if self._refers:
            record = _with_first_states(record, world)
        self.record, self._before = _with_latches(record, self._goal, before, world), world
        return self.record


def after(record: GoalRecord, before: Observation, now: Observation) -> GoalRecord:
    """Returns the record with the sources of objects seen for the first time, and with new states and what caused them."""
    seen = {thing for thing, _ in record.sources}
    fresh = [e.id for e in now.entities if e.category == "object" and e.id not in seen and e.id not in now.agent.holding]
    sources = record.sources.union((t, holder) for t in fresh for holder in lies_at(t, now) or (FLOOR,))
    treated = record.treated.union(
        (e.id, state, name) for e in now.entities if e.category == "object"
        for state in e.states & TREATED_BY.keys() if e.id in before.by_id and state not in before.by_id[e.id].states
        for link in now.holders(e.id) if link.object in now.by_id
        for name in (link.object, now.by_id[link.object].cls))
    if (len(sources), len(treated)) == (len(record.sources), len(record.treated)):
        return record  # most turns add nothing: they share one record
    return replace(record, sources=sources, treated=treated)


def _with_first_states(record: GoalRecord, now: Observation) -> GoalRecord:
    """Returns the record with the states of entities whose states are seen for the first time; a map shows no states."""
    fresh = [e for e in now.entities if e.id not in record.begun and (e.states or e.category == "object")]
    if not fresh:
        return record
    return replace(record, begun=record.begun.union(e.id for e in fresh),
                   began=record.began.union((e.id, state) for e in fresh for state in e.states))


def _with_latches(record: GoalRecord, goal: Goal, before: Observation, now: Observation) -> GoalRecord:
    """Returns the record with literals that were reached in their stage, and with forbidden ones that became true."""
    passed, broken = set(record.passed), set(record.broken)
    if goal.last_stage:
        for stage in range(record.stage(goal), goal.last_stage + 1):
            due = [k for k, x in enumerate(goal.literals) if x.stage == stage and not x.never]
            done = {k for k in due if held_now(goal.literals[k], now, record).reached}
            passed |= done if done == set(due) else set()
            if done != set(due):
                break
    for k, literal in enumerate(goal.literals):
        if literal.never and k not in broken and _became(literal, before, now, record):
            broken.add(k)
    if (len(passed), len(broken)) == (len(record.passed), len(record.broken)):
        return record
    return replace(record, passed=frozenset(passed), broken=frozenset(broken))


def _became(literal: Literal, before: Observation, now: Observation, record: GoalRecord) -> bool:
    """Returns True if a literal became true for a subject. A state seen for the first time did not change."""
    def was_known(subject: str) -> bool:
        old = before.by_id.get(subject)
        return literal.predicate != "is" or (old is not None and bool(old.states))

    holding = set(satisfying(literal, now, record)) - set(satisfying(literal, before, record))
    return any(map(was_known, holding))


def lies_at(thing: str, world: Observation) -> list[str]:
    """Returns the ids of the holders of an object, up to the furniture, but not what the furniture stands on, and no room."""
    found: list[str] = []
    for link in world.holders(thing):
        holder = world.by_id.get(link.object)
        if holder is not None and holder.category == "room":
            break
        found.append(link.object)
        if holder is None or holder.category != "object":
            break
    return found
