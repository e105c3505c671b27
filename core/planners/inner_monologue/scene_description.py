"""Describes the scene in sentences for prompts."""

from __future__ import annotations

from core.search.translation import Names
from core.world.vocabulary import Entity, Observation


def scene_words(seen: Observation, names: Names) -> str:
    """Returns the robot's room, position and held objects, then everything in sight with its place and states, then the map."""
    room = seen.agent.room
    at = next((i for i in seen.agent.near if i in seen.by_id), None)
    first = [f"in the {names(room)}"] if room else []
    first += [f"at the {names(at)}"] if at else []
    first.append(f"holding the {' and the '.join(map(names, seen.agent.holding))}" if seen.agent.holding else "holding nothing")
    things = [_thing(e, seen, names) for e in seen.entities if e.category != "room" and e.id not in seen.agent.holding]
    sentences = [f"The robot is {', '.join(first)}.", *(f"The {thing}." for thing in dict.fromkeys(things))]
    others = [names(e.id) for e in seen.entities if e.category == "room" and e.id != room]
    sentences += [f"Other rooms: {', '.join(others)}."] if others else []
    known = [f"{names(e.id)} in the {names(e.room)}" for e in seen.landmarks if e.room]
    sentences += [f"Furniture elsewhere: {', '.join(known)}."] if known else []
    return " ".join(sentences)


def _thing(entity: Entity, seen: Observation, names: Names) -> str:
    link = seen.holder.get(entity.id)
    parts = [f"{link.kind} the {names(link.object)}"] if link is not None else []
    parts += sorted(entity.states) or ([] if parts else ["here"])
    return f"{names(entity.id)} is {', '.join(parts)}"
