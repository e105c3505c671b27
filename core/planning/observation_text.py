"""The observation as the paper's policy prompt states it: every visible object with its place, and whether it is open.

Objects are those that can be carried, containers and surfaces (Zhao et al., section 2.2); pictures and rugs are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.planning.prompt_facts import VisibleFact
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
    return text_of(visible_facts(seen, names))


def text_of(facts: Iterable[VisibleFact]) -> str:
    """Returns the sentence that states these facts, in their order."""
    return SEPARATOR.join(map(_clause, facts)) + "."


def _clause(fact: VisibleFact) -> str:
    place = "in your hand" if fact.relation == "held" else f"{fact.relation} the {fact.holder_name}"
    return f"the {fact.name} is {place}{f' and is {fact.state}' if fact.state else ''}"


def visible_facts(seen: Observation, names: Callable[[str], str]) -> tuple[VisibleFact, ...]:
    """Returns what the sentence on an observation mentions: furniture first. What has no visible place is left out.

    Args:
        seen: the observation.
        names: id -> display name.
    """
    told = [e for e in seen.entities if e.category == "object" or (e.category == "furniture" and e.properties & TOLD)]
    facts = []
    for e in sorted(told, key=lambda e: e.category == "object"):
        place = _place(e, seen)
        if place is not None:
            relation, holder = place
            state = next((s for s in ("open", "closed") if s in e.states), "")
            facts.append(VisibleFact(e.id, e.cls, names(e.id), e.category, relation, holder, holder and names(holder), state))
    return tuple(facts)


def _place(entity: Entity, seen: Observation) -> tuple[str, str] | None:
    """Returns the relation of an entity to its holder, and the holder's id; None if that is not visible."""
    if entity.id in seen.agent.holding:
        return "held", ""
    if holder := seen.holder.get(entity.id):
        return holder.kind, holder.object
    return ("inside", entity.room) if entity.room else None
