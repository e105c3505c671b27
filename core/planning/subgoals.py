"""The literals a search does not reach: doors, switches, slicing, cooking, washing, holding.

They are reached by regression over what is known (`core.planning.regression`), after the objects are in their places.
"""

from __future__ import annotations

from core.goals.literals import Goal, Literal, is_a, progress, satisfying
from core.goals.tracker import concrete
from core.planning.regression import LAST_STATES, Memory, Regression, Stuck
from core.world.vocabulary import GRABBABLE, Action, Observation


def next_chore(goal: Goal, world: Observation, memory: Memory, verbs: frozenset[str]) -> Action | None:
    """Returns the first action towards the first literal that does not hold; None if all hold.

    Args:
        goal: the goal; objects that its satisfied literals need stay where they are.
        world: all that is known.
        memory: what was learned from refusals.
        verbs: the verbs of the world.

    Raises:
        Stuck: no literal can be worked on with what is known; the message says why.
    """
    goal = concrete(goal, world, full=memory.no_space)
    reports = progress(goal, world)
    keep = frozenset(s for r in reports for s in r.subjects[: r.literal.count])
    regression = Regression(world, memory, keep, verbs)
    pending = [r.literal for r in reports if not r.reached]
    reasons = []
    for literal in sorted(pending, key=lambda x: _order(x, world)):
        try:
            action = _towards(literal, regression)
        except Stuck as stuck:
            reasons.append(f"{literal}: {stuck}")
            continue
        if action is not None:
            return action
    if reasons:
        raise Stuck("; ".join(reasons))
    return None


def _order(literal: Literal, world: Observation) -> tuple[int, int, str]:
    """Returns the sort key of a literal: placement, states, doors and switches, holding; objects already in the hand first."""
    held = [world.by_id[h] for h in world.agent.holding if h in world.by_id]
    in_hand = any(is_a(thing, literal.subject) for thing in held)
    rank = {"inside": 0, "on": 0, "is": 1, "holds": 3}[literal.predicate]
    if literal.predicate == "is" and literal.states & LAST_STATES:
        rank = 2
    return rank, not in_hand, str(literal)


def _towards(literal: Literal, regression: Regression) -> Action | None:
    """Returns the first action towards a literal, with the easiest subject that no other literal needs."""
    done = set(satisfying(literal, regression.world))
    stuck: Stuck | None = None
    for subject in regression.instances(literal.subject):
        movable = literal.predicate == "is" or GRABBABLE in subject.properties
        if subject.id in regression.keep or subject.id in done or not movable:
            continue
        try:
            action = regression.worked_on(literal, subject.id)
        except Stuck as error:
            stuck = error
            continue
        return action
    raise stuck or Stuck(f"no {literal.subject} is known that could be used")
