"""The offline answer to BCR's selection requests: rules on what the prompt says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from core.goals.literals import Literal
from core.planners.bcr.recorded_types import CandidateFact, SelectionFacts
from core.planning.offline_answers import Prior, register
from core.planning.regression import work_order

WALK_AND_OPEN, OPEN = 2.0, 1.0
"""The number of actions it takes to search a distant closed place, and one within reach."""
GLANCE = 0.25
"""The value of looking around once more, relative to the probability of a place."""

MEANT = {"?cuts": "knife"}
"""Wanted property -> the class that most likely has it."""

RESOLVES: Mapping[str, str] = MappingProxyType({
    "near": "walk", "held": "grab", "open": "open", "shut": "close", "slices": "slice", "plugged": "plug_in",
    "inside": "put_in", "on": "put_on",
})
"""Condition -> the verb that surely resolves it, if the action concerns the same object."""
SEARCHES = frozenset({"scan", "open", "walk", "turn_left", "turn_right", "move_ahead", "move_back", "look_up", "look_down"})
"""Verbs that may bring an object into view."""


def select(facts: SelectionFacts, prior: Prior) -> int | None:
    """Returns the index of the selected candidate, or None if there are none.

    Literals with held objects come first, then preparing before placing, then deeper candidates. Among candidates that search
    for an object, the one with the highest probability for its effort is selected.
    """
    if not facts.candidates:
        return None
    facts = with_guesses(facts)
    order = [_order(k, literal, facts) for k, literal in enumerate(facts.goal.literals)]
    chances = _chances(facts, prior)

    def merit(index: int) -> tuple[float, ...]:
        one = facts.candidates[index]
        begun = -one.depth, not one.certain
        return (*order[one.goal], *begun, -chances[index], index)

    return min(range(len(facts.candidates)), key=merit)


def with_guesses(facts: SelectionFacts) -> SelectionFacts:
    """Returns the facts with a guess of what each candidate resolves, if the prompt does not say it."""
    return replace(facts, candidates=tuple(c if c.goal >= 0 else _guessed(c, facts) for c in facts.candidates))


def _guessed(one: CandidateFact, facts: SelectionFacts) -> CandidateFact:
    verb, *args = one.action.split()
    for kind, term, cls in facts.blocked:
        if RESOLVES.get(kind) == verb and term in args:
            return replace(one, goal=_served(cls, facts), resolves=kind, subject=cls)
    hidden = [cls for kind, _, cls in facts.blocked if kind == "seen"]
    if verb in SEARCHES and hidden:
        return replace(one, goal=_served(hidden[0], facts), resolves="seen", subject=hidden[0], certain=False)
    return replace(one, goal=_served(one.subject, facts))


def _served(cls: str, facts: SelectionFacts) -> int:
    """Returns the first literal that is left and about a class; else the first one left."""
    left = [k for k in range(len(facts.goal.literals)) if k not in facts.done] or [0]
    return next((k for k in left if cls in (facts.goal.literals[k].subject, facts.goal.literals[k].target)), left[0])


def _order(index: int, literal: Literal, facts: SelectionFacts) -> tuple[int, int, int]:
    """Returns the sort key of a literal: slicing, cooking and washing, then moving, doors and switches, and holding."""
    in_hand = any(literal.subject in held for held in facts.holding)
    return work_order(literal), not in_hand, index


def _chances(facts: SelectionFacts, prior: Prior) -> list[float]:
    """Returns the probability that each candidate brings about its need, divided by its effort."""
    values = [0.0] * len(facts.candidates)
    for subject in {c.subject for c in facts.candidates}:
        mine = [k for k, c in enumerate(facts.candidates) if c.subject == subject]
        _weigh(subject, mine, facts, prior, values)
    return values


def _weigh(subject: str, mine: list[int], facts: SelectionFacts, prior: Prior, values: list[float]) -> None:
    """Sets the values of the candidates for one class. Each earlier execution reduces the value of a candidate."""
    subject = MEANT.get(subject, subject)
    furniture = prior.kind_of_thing(subject) is None
    closed = [k for k in mine if (place := facts.candidates[k].place) is not None and place.id != place.room]
    places = [place for k in closed if (place := facts.candidates[k].place) is not None]
    shares = prior.over(subject, places).tolist() if places else []
    for k, share in zip(closed, shares, strict=True):
        opens = facts.candidates[k].action.startswith("open ")
        values[k] = float(share) / (OPEN if opens else WALK_AND_OPEN) * (0.1 if furniture else 1.0)
    rooms = [k for k in mine if (place := facts.candidates[k].place) is not None and place.id == place.room]
    classes = [place.room_cls for k in rooms if (place := facts.candidates[k].place) is not None]
    for k, share in zip(rooms, prior.rooms(subject, classes) if classes else [], strict=True):
        values[k] = 0.5 * float(share)
    for k in mine:
        done = facts.history.count(facts.candidates[k].action)
        values[k] = _glance(facts, furniture=furniture) if facts.candidates[k].action == "scan" else values[k] / 4 ** done


def _glance(facts: SelectionFacts, *, furniture: bool) -> float:
    """Returns the value of looking around: high at first and for furniture, then growing with the time since the last scan."""
    if "scan" not in facts.history:
        return 1.0
    since = [*reversed(facts.history)].index("scan")
    return (1.0 if furniture else GLANCE) * min(1.0, since / 8)


def selected(facts: SelectionFacts, prior: Prior) -> str:
    """Returns the choice in the format of the prompt; empty if there is none."""
    index = select(facts, prior)
    return "" if index is None else f"$$ {facts.candidates[index].phrase} $$"


register(SelectionFacts, lambda facts, ask, prior: selected(facts, prior))
