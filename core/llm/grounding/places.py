"""Resolves a model's text to places: `in the refrigerator` is inside the fridge in the kitchen. Rooms likewise.

Also the replies about object positions (LLM-MCTS, Listing 2 and appendix C.2): their format and their interpretation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from core.goals.word_forms import words
from core.llm.grounding.household_synonyms import PARTS, ROOMS
from core.llm.grounding.match import EMBEDDING_FLOOR, PART, SYNONYM, How, clauses, least_sure
from core.llm.grounding.name_finder import Finder, Mention, finder_of, is_elsewhere
from core.planning.model_requests import ModelReply
from core.planning.prompt_facts import PlaceFact
from core.world.vocabulary import spaced

PLACE_SETS = 64
"""The number of place sets that are cached."""
MOST_WORDS = 60
"""The maximum number of words of a clause that are read."""
MOST_ANSWERS = 12
"""The maximum number of places of one reply that count."""
INSIDE, ON = frozenset(("in", "inside", "into", "within")), frozenset(("on", "onto", "upon", "atop"))
NEAR = frozenset(("near", "beside", "by", "behind", "under", "underneath", "beneath", "above", "opposite", "against", "below",
                  "around", "outside", "close", "next", "front", "beyond"))
"""Words before a landmark: the place itself is another one, if one is named."""


Offered = tuple[str, str, bool]
"""A place, or all places of one class in rooms of one class: its class and its room in words, and whether objects are inside it
rather than on it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One answer of a reply.

    Attributes:
        spots: indices of the places it may refer to, equally likely.
        score: 0..1.
        how: the method.
        landmark: True if the reply only says what the place is next to.
        room_only: True if only a room is named.
    """

    spots: tuple[int, ...]
    score: float
    how: How
    landmark: bool = False
    room_only: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """The locations that a reply names.

    Attributes:
        answers: the places in the order of the reply; empty if it names none.
        how: the method of the first answer; `refused` or `none` if there is none.
        nearest: indices of the most similar places if there is no answer.
        nearest_score: their score.
    """

    answers: tuple[Placed, ...] = ()
    how: How = "none"
    nearest: tuple[int, ...] = ()
    nearest_score: float = 0.0


@dataclass
class _Reading:
    """The state of parsing: the answers so far, and a room named before its place."""

    answers: list[Placed] = field(default_factory=list)
    rooms: list[Placed] = field(default_factory=list)
    room: str = ""
    open_end: bool = False


class PlaceSet:
    """A set of named places. Create it with `place_set`, which caches."""

    def __init__(self, spots: Sequence[Offered]):
        self._spots = tuple(spots)
        self._classes = tuple(dict.fromkeys(cls for cls, _, _ in spots))
        self._rooms = tuple(dict.fromkeys(room for _, room, _ in spots))
        self.finder: Finder = finder_of(self._classes + self._rooms)
        self._absent = tuple(tuple(room[0].split()) for room in ROOMS if not set(room) & set(self._rooms)
                             and not self.finder.mentions(room[0].split()))

    def read(self, parts: Sequence[str], *, respell: bool = False) -> list[Placed]:
        """Returns the answers in some clauses, in order: places, else landmarks, else rooms."""
        reading = _Reading()
        for part in parts:
            said = words(part)[:MOST_WORDS]
            right = self.finder.respelt(said) if respell else None
            self._clause(right or said, reading, misspelt=right is not None)
            if len(reading.answers) >= MOST_ANSWERS:
                break
        direct = [a for a in reading.answers if not a.landmark]
        unique: dict[tuple[int, ...], Placed] = {}
        for answer in (*direct, *(a for a in reading.answers if a.landmark)) if reading.answers else reading.rooms:
            unique.setdefault(answer.spots, answer)
        return list(unique.values())[:MOST_ANSWERS]

    def _clause(self, said: list[str], reading: _Reading, *, misspelt: bool) -> None:
        mentions = _heads(self.finder.mentions(said), said, len(self._classes))
        rooms = [self._room(m) for m in mentions]
        end = 0
        for k, mention in enumerate(mentions):
            if self._in_absent_room(said, mention):
                pass  # a place that is not offered
            elif rooms[k]:
                self._say_room(mention, rooms[k], reading, follows=k > 0 and not rooms[k - 1])
            else:
                room = reading.room or (rooms[k + 1] if k + 1 < len(mentions) else "")
                reading.answers.append(self._placed(mention, said[end:mention.start], room, misspelt=misspelt))
                reading.room, reading.open_end = "", True
            end = mention.end
        if not mentions:
            reading.room = ""

    def is_absent(self, word: str) -> bool:
        """Returns True if a word is a household place or room that is not offered."""
        return is_elsewhere(word) or (word,) in self._absent

    def _in_absent_room(self, said: Sequence[str], mention: Mention) -> bool:
        """Returns True if a place is named together with a room that does not exist: the bathroom counter, in a kitchen."""
        for room in self._absent:
            behind = [word for word in said[mention.end:mention.end + 1 + len(room)] if word not in ("in", "of")]
            if tuple(said[max(0, mention.start - len(room)):mention.start]) == room or tuple(behind[:len(room)]) == room:
                return True
        return False

    def _say_room(self, mention: Mention, room: str, reading: _Reading, *, follows: bool) -> None:
        """Restricts the place before a room, or the one after it, to that room."""
        if reading.answers and reading.open_end:
            last = reading.answers[-1]
            within = tuple(s for s in last.spots if self._spots[s][1] == room)
            if within or follows:
                if within:
                    reading.answers[-1] = Placed(within, last.score, last.how, last.landmark)
                reading.open_end = False
                return
        members = tuple(k for k, spot in enumerate(self._spots) if spot[1] == room)
        reading.rooms.append(Placed(members, min(PART, mention.meanings[0].score), "part", room_only=True))
        reading.room, reading.open_end = room, False

    def _room(self, mention: Mention) -> str:
        """Returns the room of a mention; empty if it refers to a place."""
        best = mention.meanings[0].name - len(self._classes)
        return self._rooms[best] if best >= 0 else ""

    def _placed(self, mention: Mention, before: Sequence[str], room: str, *, misspelt: bool) -> Placed:
        relation, landmark = _relation(before)
        meanings = [m for m in mention.meanings if m.name < len(self._classes)]
        found: list[tuple[float, How, int]] = []
        for meaning in meanings:
            cls = self._classes[meaning.name]
            found += [(meaning.score, meaning.how, k) for k, spot in enumerate(self._spots) if spot[0] == cls]
        kept = [f for f in found if self._spots[f[2]][1] == room] if room else found
        kept = kept or found
        top = max(score for score, _, _ in kept)
        best = [f for f in kept if f[0] == top]
        fitting = [f for f in best if relation is None or self._spots[f[2]][2] == relation] or best
        score, how = (min(top, SYNONYM), least_sure("edit", best[0][1])) if misspelt else (top, best[0][1])
        return Placed(tuple(sorted(k for _, _, k in fitting)), score, how, landmark)


def _heads(mentions: list[Mention], said: Sequence[str], classes: int) -> list[Mention]:
    """Removes parts of furniture (a shelf of the fridge) and first words of compounds (desk drawer)."""
    kept = []
    for k, mention in enumerate(mentions):
        after = mentions[k + 1] if k + 1 < len(mentions) else None
        place = mention.meanings[0].name < classes
        if after is not None and place and after.meanings[0].name < classes:
            between = said[mention.end:after.start]
            weaker = after.meanings[0].how == "part" and mention.meanings[0].how != "part"
            if not between and weaker and said[after.start] in PARTS:
                mentions[k + 1] = mention  # the drawer of a nightstand, if no drawer is offered
                continue
            if not between or (list(between) == ["of"] and said[mention.end - 1].rstrip("s") in PARTS):
                continue
        kept.append(mention)
    return kept


def _relation(before: Sequence[str]) -> tuple[bool | None, bool]:
    """Returns the last relation, "inside" (True) or "on" (False), and whether only nearness is stated."""
    for word in reversed(before):
        if word in INSIDE:
            return True, "close" in before or ("front" in before and word == "in")
        if word in ON:
            return False, False
        if word in NEAR:
            return None, True
    return None, not NEAR.isdisjoint(before)


@lru_cache(PLACE_SETS)
def place_set(spots: tuple[Offered, ...]) -> PlaceSet:
    """Returns the named places; cached for equal places."""
    return PlaceSet(spots)


def ground_places(text: str, spots: Sequence[Offered], alike: Sequence[float] = ()) -> Places:
    """Resolves a reply to the places it names: `**Answer:** in the fridge or on the counter` -> two answers, in this order.

    A class without a room refers to all its places. Negated places ("not in the sink") are no answers; landmarks ("next to the
    sink") come after places that are named themselves; a room alone refers to all its places.

    Args:
        text: the reply.
        spots: the offered places.
        alike: the similarity to each (`alike_to`); empty if it was not computed.
    """
    known = place_set(tuple(spots))
    cut = clauses(text)
    answers = known.read(cut.affirmed)
    if not answers or answers[0].score <= PART:
        answers = max(answers, known.read(cut.affirmed, respell=True), key=lambda found: found[0].score if found else 0.0)
    if answers:
        return Places(tuple(answers), answers[0].how)
    denied = known.read(cut.denied) if cut.denied else []
    if cut.refused or denied or any(known.is_absent(word) for part in cut.affirmed for word in words(part)[:MOST_WORDS]):
        return Places((), "refused" if cut.refused else "none", denied[0].spots if denied else (),
                      denied[0].score if denied else 0.0)
    return _by_meaning(alike, len(spots))


def _by_meaning(alike: Sequence[float], count: int) -> Places:
    if not count or len(alike) != count:
        return Places()
    score = min(1.0, max(0.0, *alike)) if count > 1 else min(1.0, max(0.0, alike[0]))
    best = tuple(k for k, value in enumerate(alike) if min(1.0, max(0.0, value)) == score)
    if score < EMBEDDING_FLOOR:
        return Places((), "none", best, score) if score > 0 else Places()
    return Places((Placed(best, score, "embedding"),), "embedding")


def ground_rooms(text: str, rooms: Sequence[str]) -> tuple[int, ...]:
    """Returns indices of the rooms a reply names, in its order, without negated ones."""
    finder, cut, found = finder_of(tuple(rooms)), clauses(text), dict[int, None]()
    for part in cut.affirmed:
        for mention in finder.mentions(words(part)[:MOST_WORDS]):
            found.setdefault(mention.meanings[0].name)
    return tuple(found)


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


def counted(reply: ModelReply, places: Sequence[PlaceFact]) -> Vector | None:
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


def read_places(reply: ModelReply, groups: Sequence[Position]) -> list[Places]:
    """Returns the places that each text of a reply names."""
    alike = reply.alike if len(reply.alike) == len(reply.texts) else ((),) * len(reply.texts)
    offered = [(group.cls, group.room, group.inside) for group in groups]
    rows = dict(zip(reply.texts, alike, strict=True))  # equal texts have equal rows
    read = {text: ground_places(text, offered, row) for text, row in rows.items()}
    return [read[text] for text in reply.texts]


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


def read_rooms(reply: ModelReply, rooms: Sequence[str]) -> Vector | None:
    """Returns how often each room class was named: (n,); None if no reply is usable."""
    counts = np.zeros(len(rooms))
    names = [spaced(room) for room in rooms]
    for text in reply.texts:
        counts[list(ground_rooms(text, names))] += 1.0
    return counts if counts.sum() > 0 else None
