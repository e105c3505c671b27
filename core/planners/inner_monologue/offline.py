"""The offline answer to Inner Monologue's requests: what the goal needs from what is in sight, else a search."""

from __future__ import annotations

from dataclasses import replace

from core.goals.kinds import is_a
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.planners.inner_monologue.recorded_types import MonologueFacts
from core.planning.exploration import next_chore
from core.planning.offline_answers import Prior, register, worded
from core.planning.regression import Memory, Stuck
from core.world.vocabulary import CUTS, Action, Observation

DONE = "done"


def next_action(facts: MonologueFacts, prior: Prior) -> str | None:
    """Returns one of the choices, "done", or None if the rules find no action.

    It uses only what the prompt says: places searched before the window are forgotten and searched again.
    """
    world = replace(facts.seen, entities=(*facts.seen.entities, *facts.seen.landmarks))
    facts = replace(facts, goal=_in_hand(facts.goal, world))
    try:
        action = next_chore(facts.goal, world, _memory(facts), frozenset(facts.verbs))
    except Stuck:
        return _look(facts, world, prior)
    if action is None:
        return DONE if _done(facts, world) else _look(facts, world, prior)
    return str(action) if str(action) in facts.choices else _look(facts, world, prior)


def _in_hand(goal: Goal, world: Observation) -> Goal:
    """Returns the goal with held objects as subjects of literals with a source, since their source is no longer visible."""
    held = [world.by_id[i] for i in world.agent.holding if i in world.by_id]

    def meant(literal: Literal) -> Literal:
        thing = next((e.id for e in held if literal.source and is_a(e, literal.subject)), None)
        return literal if thing is None else replace(literal, subject=thing, count=1, every=False, source=None)

    return replace(goal, literals=tuple(map(meant, goal.literals)))


def _done(facts: MonologueFacts, world: Observation) -> bool:
    """Returns True if all literals hold as far as is known; unknown if a source is not in sight."""
    goal, held = facts.goal, [world.by_id[i] for i in world.agent.holding if i in world.by_id]
    if any(is_a(thing, x.subject) for thing in held for x in goal.literals if x.every and x.target):
        return False
    sources = [e for x in goal.literals if x.source for e in world.entities if is_a(e, x.source)]
    shown = bool(sources) or not any(x.source for x in goal.literals)
    shut = any(e.id not in facts.seen.by_id or "closed" in e.states for e in sources)
    return shown and not shut and all(p.reached for p in progress(goal, world))


def _memory(facts: MonologueFacts) -> Memory:
    """Returns the memory of the failures in the window."""
    memory = Memory()
    for text, ok in facts.recent:
        verb, *args = text.split(" ")
        if ok:
            memory.refused.clear()
            continue
        memory.refused.add(Action(verb, tuple(args)))
        if verb in ("put_in", "put_on") and len(args) == 2:
            memory.no_space.add((args[0], args[1]))
    return memory


def _look(facts: MonologueFacts, world: Observation, prior: Prior) -> str | None:
    """Returns the search action with the highest probability per step that is not in the window."""
    recent = {text for text, _ in facts.recent}
    shown, hidden = _worth(facts, world, prior)
    found: list[tuple[float, str]] = []
    for choice in facts.choices:
        verb, *args = choice.split(" ")
        target = args[0] if args else ""
        if verb == "open":
            found.append((1.0 + hidden.get(target, 0.0), choice))
        elif verb == "scan" and choice not in recent:
            found.append((0.9, choice))
        elif verb == "walk" and choice not in recent:
            closed = target in world.by_id and "closed" in world.by_id[target].states
            of_room = [p.id for p in facts.places if p.room == target]
            room = sum(shown.get(i, 0.0) for i in of_room) + max((hidden.get(i, 0.0) for i in of_room), default=0.0) / 3
            found.append(((hidden.get(target, 0.0) / 2 if closed else shown.get(target, 0.0) / 10) + room, choice))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _worth(facts: MonologueFacts, world: Observation, prior: Prior) -> tuple[dict[str, float], dict[str, float]]:
    """Returns, for each piece of furniture, the probability that a needed unseen object is on it, and inside it."""
    here = {e.cls for e in world.entities}
    wanted = {x.subject for x in facts.goal.literals if x.subject not in here and x.subject not in world.by_id}
    if any("sliced" in x.states for x in facts.goal.literals) and not any(CUTS in e.properties for e in world.entities):
        wanted.add("knife")
    shown: dict[str, float] = {}
    hidden: dict[str, float] = {}
    sources = {x.subject: x.source for x in facts.goal.literals if x.source}
    for cls in sorted(wanted | sources.keys()) or sorted({x.subject for x in facts.goal.literals}):
        places = [p for p in facts.places if cls not in sources or sources[cls] in (p.cls, p.id)]
        for place, share in zip(places, prior.over(cls, places) if places else (), strict=True):
            table = hidden if place.inside else shown
            table[place.id] = table.get(place.id, 0.0) + float(share)
    return shown, hidden


register(MonologueFacts, lambda facts, ask, prior: worded(next_action(facts, prior), facts.choices, ask))
