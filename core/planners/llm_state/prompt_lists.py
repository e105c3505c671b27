"""The robot's knowledge as the lists in LLM-State's prompts (paper, listings 3 to 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.llm.grounding.choices import call_name
from core.planning.facets import StateEntry
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, AgentState, Entity, Observation, spaced

LISTED = frozenset({CONTAINER, SURFACE})


def seen_only(world: Observation, *, affordances: bool) -> Observation:
    """Returns the part of the knowledge that prompts contain: names and positions, no states, and only some properties.

    The paper's detector provides names only. What is open, on or cooked must be derived from the history.
    """
    def bare(entity: Entity) -> Entity:
        kept = entity.properties if affordances else entity.properties & LISTED
        return replace(entity, states=frozenset(), properties=kept)

    agent = world.agent
    plain = AgentState(agent.room, agent.near, agent.holding, agent.hands)
    return Observation(plain, tuple(map(bare, world.entities)), world.relations, step=world.step)


def observation_text(seen: Observation) -> str:
    """Returns the lists of objects, containers, surfaces and rooms, and the robot's position."""
    things = [e for e in seen.entities if e.category != "room"]
    rooms = [call_name(e.id) for e in seen.entities if e.category == "room"]
    agent = seen.agent
    return "\n".join([
        f"Object List: {_placed((e for e in things if not e.properties & LISTED or e.category == 'object'), seen)}",
        f"Container List: {_placed((e for e in things if CONTAINER in e.properties), seen)}",
        f"Surface List: {_placed((e for e in things if SURFACE in e.properties), seen)}",
        *_uses(things), *_controls(seen),
        f"Room List: {_listed(rooms)}",
        f"Current Holding: {_listed(map(call_name, agent.holding))}",
        f"You are close to: {_listed(map(call_name, agent.near))}",
        f"Current Room: {call_name(agent.room or 'unknown')}",
    ])


def _listed(names: Iterable[str]) -> str:
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


def _placed(things: Iterable[Entity], seen: Observation) -> str:
    return _listed(_where(e, seen) for e in things if e.id not in seen.agent.holding)


def _where(entity: Entity, seen: Observation) -> str:
    link = seen.holder.get(entity.id)
    if link is not None:
        return f"{call_name(entity.id)} {'IN' if link.kind == 'inside' else 'ON'} {call_name(link.object)}"
    return f"{call_name(entity.id)} IN {call_name(entity.room or 'unknown')}"


def _uses(things: Sequence[Entity]) -> list[str]:
    """Returns a line for each property other than container and surface."""
    uses = sorted({p for e in things for p in e.properties} - LISTED - {GRABBABLE})
    if not uses:
        return []
    fixed = [call_name(e.id) for e in things if e.category == "object" and GRABBABLE not in e.properties]
    lines = [f"{use.capitalize()}: {_listed(call_name(e.id) for e in things if use in e.properties)}" for use in uses]
    return [*lines, f"Not to be carried: {_listed(fixed)}"]


def _controls(seen: Observation) -> list[str]:
    found = [f"{call_name(r.subject)} CONTROLS {call_name(r.object)}" for r in seen.relations if r.kind == "controls"]
    return [f"Switches of others: {_listed(found)}"] if found else []


def state_text(entries: Sequence[StateEntry]) -> str:
    """Returns the dictionary with one line for each object."""
    return "\n".join(f"{e.name}: {' | '.join(e.attributes) if e.attributes else '[]'}" for e in entries) or "(no objects yet)"


def goal_text(text: str, literals: Iterable[object]) -> str:
    """Returns the task as it was given as text, else its literals."""
    return spaced(text) if text else "; ".join(map(str, literals))
