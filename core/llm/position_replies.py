"""Replies about object positions (LLM-MCTS, Listing 2 and appendix C.2): their format and their interpretation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.llm.grounding.places import Places, ground_places, ground_rooms
from core.planning.model_requests import Reply
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import spaced

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Position:
    """All places of one class in rooms of one class, which a language model cannot distinguish.

    Attributes:
        phrase: `inside the kitchen cabinet in the kitchen`.
        cls: the class in words.
        room: the class of the room in words.
        inside: True for the inside, False for the top.
        members: indices of the places.
    """

    phrase: str
    cls: str
    room: str
    inside: bool
    members: tuple[int, ...]


def positions(places: Sequence[PlaceFact]) -> tuple[Position, ...]:
    """Returns the places grouped, in the order of the map."""
    groups: dict[tuple[str, str, bool], list[int]] = {}
    for k, place in enumerate(places):
        groups.setdefault((spaced(place.cls), spaced(place.room_cls), place.inside), []).append(k)
    return tuple(Position(f"{'inside' if inside else 'on'} the {cls} in the {room}", cls, room, inside, tuple(members))
                 for (cls, room, inside), members in groups.items())


def counted(reply: Reply, places: Sequence[PlaceFact]) -> Vector | None:
    """Returns how often each place was named in all samples, or its probability if there are scores: (n,); None if unusable.

    A class named without its room counts for all its places, divided evenly.
    """
    groups = positions(places)
    scores = {choice: score for choice, score in reply.scores if np.isfinite(score)}
    counts = np.zeros(len(places))
    if scores:
        top = max(scores.values())
        for group in groups:
            if group.phrase in scores:
                counts[list(group.members)] += np.exp(scores[group.phrase] - top) / len(group.members)
    else:
        for answers in read_places(reply, groups):
            for answer in [a for a in answers.answers if not a.landmark] or answers.answers:
                members = [m for k in answer.spots for m in groups[k].members]
                counts[members] += 1.0 / len(members)
    return counts if counts.sum() > 0 else None


def read_places(reply: Reply, groups: Sequence[Position]) -> list[Places]:
    """Returns the places that each text of a reply names."""
    alike = reply.alike if len(reply.alike) == len(reply.texts) else ((),) * len(reply.texts)
    return [ground_places(text, groups, row) for text, row in zip(reply.texts, alike, strict=True)]


def listed(vector: Vector, places: Sequence[PlaceFact], samples: int) -> tuple[str, ...]:
    """Returns replies in the paper's format whose counts follow a distribution as closely as the number of samples allows.

    Args:
        vector: (n,) probability of each place.
        places: the n places.
        samples: the number of texts.
    """
    groups = positions(places)
    shares = np.array([vector[list(g.members)].sum() for g in groups])
    ends = np.cumsum(shares) / shares.sum()
    draws = (np.arange(samples) + 0.5) / samples
    picks = np.minimum(np.searchsorted(ends, draws), len(groups) - 1)
    return tuple(f"{groups[k].phrase.capitalize()}." for k in picks)


def scored(vector: Vector, places: Sequence[PlaceFact]) -> tuple[tuple[str, float], ...]:
    """Returns the log-probabilities of the phrases."""
    return tuple((g.phrase, float(np.log(max(vector[list(g.members)].sum(), 1e-12)))) for g in positions(places))


def read_rooms(reply: Reply, rooms: Sequence[str]) -> Vector | None:
    """Returns how often each room class was named: (n,); None if no reply is usable."""
    counts = np.zeros(len(rooms))
    names = [spaced(room) for room in rooms]
    for text in reply.texts:
        counts[list(ground_rooms(text, names))] += 1.0
    return counts if counts.sum() > 0 else None
