"""Questions about where things are (LLM-MCTS, Listing 2 and appendix C.2), their answers as text, and reading such text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.effects import Reply
from core.language.facts import PlaceFact
from core.world import spaced

Vector = npt.NDArray[np.float64]
LONGEST = 4000
"""Characters of a reply that are read: nobody lists positions for pages."""


@dataclass(frozen=True, slots=True)
class Position:
    """All places of one class in rooms of one class: what a language model can tell apart.

    Attributes:
        phrase: `inside the kitchen cabinet in the kitchen`.
        members: indices of the places.
    """

    phrase: str
    cls: str
    room: str
    inside: bool
    members: tuple[int, ...]


def positions(places: Sequence[PlaceFact]) -> tuple[Position, ...]:
    """Places grouped, in the order of the map."""
    groups: dict[tuple[str, str, bool], list[int]] = {}
    for k, place in enumerate(places):
        groups.setdefault((spaced(place.cls), spaced(place.room_cls), place.inside), []).append(k)
    return tuple(Position(f"{'inside' if inside else 'on'} the {cls} in the {room}", cls, room, inside, tuple(members))
                 for (cls, room, inside), members in groups.items())


def counted(reply: Reply, places: Sequence[PlaceFact]) -> Vector | None:
    """(n,) how often each place was named over all samples, or its probability where there are scores; None: nothing usable.

    A class named without its room counts for all its places, shared evenly.
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
        for text in reply.texts:
            for members in _named(text[:LONGEST], groups):
                counts[members] += 1.0 / len(members)
    return counts if counts.sum() > 0 else None


def _named(text: str, groups: Sequence[Position]) -> list[list[int]]:
    """For each position a text names, the places it may mean."""
    answer = re.split(r"answer\s*:", text, flags=re.IGNORECASE)[-1]
    found = []
    for piece in re.split(r"[,;.\n]|\bor\b|\band\b", answer.lower()):
        members = _meant(" ".join(re.sub(r"[^a-z0-9 ]", " ", piece.replace("_", " ")).split()), groups)
        if members:
            found.append(members)
    return found


def _meant(piece: str, groups: Sequence[Position]) -> list[int]:
    """The places a phrase such as `inside the fridge` or `on kitchen table in the kitchen` means."""
    match = re.match(r"(?:(inside|in|on|at|under|near|next to)\s+)?(?:of\s+|top of\s+)?(?:the\s+|a\s+|an\s+)?(.+)", piece)
    if match is None:
        return []
    noun, _, room = match.group(2).partition(" in the ")
    inside = {"inside": True, "in": True, "on": False}.get(match.group(1) or "")
    joined = noun.replace(" ", "")
    named = [g for g in groups if g.cls.replace(" ", "") in (joined, joined.removesuffix("s"))]
    if not named:
        close = difflib.get_close_matches(noun, sorted({g.cls for g in groups}), n=1, cutoff=0.82)
        named = [g for g in groups if g.cls in close]
    named = [g for g in named if room and g.room == room.strip()] or named
    named = [g for g in named if inside is None or g.inside == inside] or named
    return [m for g in named for m in g.members]


def listed(vector: Vector, places: Sequence[PlaceFact], samples: int) -> tuple[str, ...]:
    """Answers in the paper's format whose counts over all samples follow a distribution as closely as whole samples can.

    Args:
        vector: (n,) probability of each place.
        places: the n places.
        samples: number of texts.
    """
    groups = positions(places)
    shares = np.array([vector[list(g.members)].sum() for g in groups])
    ends = np.cumsum(shares) / shares.sum()
    draws = (np.arange(samples) + 0.5) / samples
    picks = np.minimum(np.searchsorted(ends, draws), len(groups) - 1)
    return tuple(f"{groups[k].phrase.capitalize()}." for k in picks)


def scored(vector: Vector, places: Sequence[PlaceFact]) -> tuple[tuple[str, float], ...]:
    """Log-probabilities of the phrases."""
    return tuple((g.phrase, float(np.log(max(vector[list(g.members)].sum(), 1e-12)))) for g in positions(places))


def read_rooms(reply: Reply, rooms: Sequence[str]) -> Vector | None:
    """(n,) how often each room class was named; None: nothing usable."""
    counts = np.zeros(len(rooms))
    for text in reply.texts:
        answer = re.split(r"answer\s*:", text[:LONGEST], flags=re.IGNORECASE)[-1].lower().replace("_", " ")
        for k, room in enumerate(rooms):
            counts[k] += spaced(room).lower() in answer
    return counts if counts.sum() > 0 else None
