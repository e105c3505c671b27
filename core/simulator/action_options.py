"""The list of actions an operator chooses from: admissible ones, and inadmissible ones with the reason."""

from __future__ import annotations

from collections.abc import Iterator

from core.simulator.base import Simulator
from core.world.vocabulary import (
    CONTAINER,
    GRABBABLE,
    OPENABLE,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Action,
    ActionSchema,
    Observation,
    Verdict,
)

MADE_FOR = frozenset({
    GRABBABLE, OPENABLE, SLICEABLE, SURFACE, SWITCHABLE, WASHABLE, CONTAINER, "verb", "arguments", "another thing",
})
"""Preconditions that say the object does not support the verb at all (opening an apple). Such actions are not listed."""
MOST = 600


def options(simulator: Simulator, thing: str = "") -> tuple[tuple[Action, Verdict], ...]:
    """Returns all admissible actions, then inadmissible ones with their verdicts.

    Args:
        simulator: the world.
        thing: id of an entity; only actions with it are listed. Empty: all.
    """
    found: dict[Action, Verdict] = {a: simulator.verdict(a) for a in simulator.admissible()}
    seen = simulator.observe()
    for action in _thinkable(seen, simulator.schemas, thing):
        if len(found) >= MOST:
            break
        if action not in found:
            verdict = simulator.verdict(action)
            if verdict.ok or verdict.precondition not in MADE_FOR:
                found[action] = verdict
    chosen = [(a, v) for a, v in found.items() if not thing or thing in a.args]
    return tuple(sorted(chosen, key=lambda pair: not pair[1].ok))


def _thinkable(seen: Observation, schemas: tuple[ActionSchema, ...], thing: str) -> Iterator[Action]:
    """Yields every verb with every entity in sight, and two-argument verbs with each held object."""
    rooms = {e.id for e in seen.entities if e.category == "room"}
    ids = [thing] if thing else [e.id for e in seen.entities]
    for schema in schemas:
        if len(schema.roles) == 1:
            yield from (Action(schema.verb, (i,)) for i in ids if i not in rooms or "room" in schema.roles[0])
        elif len(schema.roles) == 2:
            yield from (Action(schema.verb, (held, i)) for held in seen.agent.holding for i in ids if i != held)
