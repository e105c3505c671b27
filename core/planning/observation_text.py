"""The observation as the paper's policy prompt states it: every visible object with its place, and whether it is open.

Objects are those that can be carried, containers and surfaces (Zhao et al., section 2.2); pictures and rugs are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from core.world.vocabulary import CONTAINER, OPENABLE, SURFACE, Entity, Observation

SEPARATOR = ", "
TOLD = frozenset({CONTAINER, SURFACE, OPENABLE})
"""Furniture with one of these properties is mentioned."""


def observation_text(seen: Observation, names: Callable[[str], str]) -> str:
    """Returns the visible objects, containers and surfaces, each with its place, as one sentence.

    Only the relations inside and on, and the states open and closed are mentioned. Nothing out of sight is mentioned.
    Source: Zhao et al., appendix A.5 and Listing 1.

    Args:
        seen: the observation.
        names: id -> display name.
    """
    return SEPARATOR.join(_clauses(seen, names)) + "."


def _clauses(seen: Observation, names: Callable[[str], str]) -> Iterator[str]:
    told = [e for e in seen.entities if e.category == "object" or (e.category == "furniture" and e.properties & TOLD)]
    for entity in sorted(told, key=lambda e: e.category == "object"):
        place = _place(entity, seen, names)
        if place:
            yield f"the {names(entity.id)} is {place}{_state(entity)}"


def _place(entity: Entity, seen: Observation, names: Callable[[str], str]) -> str:
    """Returns where an entity is; empty if that is not visible."""
    if entity.id in seen.agent.holding:
        return "in your hand"
    if holder := seen.holder.get(entity.id):
        return f"{holder.kind} the {names(holder.object)}"
    return f"inside the {names(entity.room)}" if entity.room else ""


def _state(entity: Entity) -> str:
    return "".join(f" and is {state}" for state in ("open", "closed") if state in entity.states)
