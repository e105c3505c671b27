"""Answers in one sentence where something is: as seen, or as believed with how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.goals.kinds import alternatives, is_a
from core.goals.reading import Question
from core.planning.belief_facets import Belief
from core.planning.offline_answers import prior
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import CONTAINER, SURFACE, Entity, Observation, spaced

MOST_SEEN, MOST_PLACES = 3, 2
"""The maximum number of things that are named with their places, and of places where one may be."""
LEAST_SHARE = 0.05
"""The least probability of a place that is worth naming second."""


def where_is(question: Question, known: Observation, belief: Belief | None = None) -> str:
    """Returns one sentence that says where something is.

    Args:
        question: what is asked.
        known: all that has been observed.
        belief: what the planner believes about objects not found yet; None: the prior over the known places counts.
    """
    seen = [e for e in known.entities if e.category != "room" and is_a(e, question.about)]
    if seen:
        places = "; ".join(f"{_called(e, known)} is {_place(e, known)}" for e in seen[:MOST_SEEN])
        more = f", and {len(seen) - MOST_SEEN} more are known" if len(seen) > MOST_SEEN else ""
        return f"{places[:1].upper()}{places[1:]}{more}."
    if belief is not None and (found := _found(question.about, known, belief)):
        return f"{found[:1].upper()}{found[1:]}."
    likely = sorted(_shares(question.about, known, belief), key=lambda one: -one[1])[:MOST_PLACES]
    noun = question.noun[:1].upper() + question.noun[1:]
    if not likely:
        return f"{noun}: nothing is known about where to look."
    first, *rest = [f"{words} ({share:.0%})" for k, (words, share) in enumerate(likely) if not k or share >= LEAST_SHARE]
    return f"{noun}: not seen yet, most likely {first}{f', or {rest[0]}' if rest else ''}."


def _found(about: str, known: Observation, belief: Belief) -> str:
    """Returns where things are that were found and are out of sight now; empty if there are none."""
    furniture = {e.id: e for e in (*known.entities, *known.landmarks)}
    rows = [k for k, thing in enumerate(belief.located) if thing is not None and (
        thing in about.split("|") or belief.classes[k] in alternatives(about))]
    told = []
    for row in rows[:MOST_SEEN]:
        place = belief.places[int(belief.probability[row].argmax())] if belief.probability[row].any() else ""
        told.append(f"{spaced(belief.called(row))} was last seen {_at(place, furniture.get(place), known)}" if place
                    else f"{spaced(belief.called(row))} was found")
    return "; ".join(told)


def _called(thing: Entity, known: Observation) -> str:
    """Returns "the mug", or "mug 2" of several."""
    alone = {e.id for e in (*known.entities, *known.landmarks) if e.cls == thing.cls} <= {thing.id}
    return f"the {spaced(thing.cls)}" if alone else spaced(thing.id)


def _place(thing: Entity, known: Observation) -> str:
    """Returns where something known is: in the robot's hand, on the desk in the bedroom."""
    if thing.id in known.agent.holding:
        return "in the robot's hand"
    held = known.holder.get(thing.id)
    holder = known.by_id.get(held.object) if held is not None else None
    at = holder.room if holder is not None and holder.category == "furniture" else thing.room
    room = next((f"in the {spaced(e.cls)}" for e in known.entities if e.id == at), "here")
    if held is None or holder is None or holder.category == "room":
        return room
    return f"{'in' if held.kind == 'inside' else 'on'} {_called(holder, known)} {room}"


def _shares(about: str, known: Observation, belief: Belief | None) -> Iterator[tuple[str, float]]:
    """Yields (place in words, probability) of something not seen yet."""
    furniture = {e.id: e for e in (*known.entities, *known.landmarks)}
    if belief is not None:
        row = next((k for k, cls in enumerate(belief.classes)
                    if belief.located[k] is None and cls in alternatives(about)), -1)
        if row >= 0:
            for place, share in zip(belief.places, belief.probability[row], strict=True):
                yield _at(place, furniture.get(place), known), float(share)
            return
    places = [e for e in furniture.values() if e.category == "furniture" and e.properties & {CONTAINER, SURFACE}]
    rooms = {e.id: e.cls for e in known.entities if e.category == "room"}
    facts = [PlaceFact(e.id, e.cls, e.room or "", rooms.get(e.room or "", ""), CONTAINER in e.properties) for e in places]
    classes = alternatives(about)
    if facts and classes:
        for one, chance in zip(places, _mean(classes, facts), strict=True):
            yield _at(one.id, one, known), chance


def _mean(classes: Iterable[str], facts: list[PlaceFact]) -> list[float]:
    found = [prior().over(cls, facts) for cls in classes]
    return [float(sum(shares) / len(found)) for shares in zip(*found, strict=True)]


def _at(place: str, entity: Entity | None, known: Observation) -> str:
    """Returns a place in words: in the fridge, on the desk."""
    if entity is None:
        return f"at {spaced(place)}"
    return f"{'in' if CONTAINER in entity.properties else 'on'} {_called(entity, known)}"
