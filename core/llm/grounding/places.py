"""From a model's words to places: `in the refrigerator` is inside the fridge in the kitchen. Rooms likewise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from core.goals.word_forms import words
from core.llm.grounding.clauses import clauses
from core.llm.grounding.household_synonyms import PARTS, ROOMS
from core.llm.grounding.match import EMBEDDING_FLOOR, PART, SYNONYM, How, least_sure
from core.llm.grounding.name_finder import Finder, Mention, finder_of, is_elsewhere

PLACE_SETS = 64
"""Sets of places whose names stay prepared."""
MOST_WORDS = 60
"""Words of a clause that are read."""
MOST_ANSWERS = 12
"""Places of one reply that count."""
INSIDE, ON = frozenset(("in", "inside", "into", "within")), frozenset(("on", "onto", "upon", "atop"))
NEAR = frozenset(("near", "beside", "by", "behind", "under", "underneath", "beneath", "above", "opposite", "against", "below",
                  "around", "outside", "close", "next", "front", "beyond"))
"""Before a landmark: the place itself is another, if one is named."""


class Spot(Protocol):
    """A place, or all places of one class in rooms of one class."""

    @property
    def cls(self) -> str:
        """What it is called."""
        ...

    @property
    def room(self) -> str:
        """What its room is called."""
        ...

    @property
    def inside(self) -> bool:
        """Things are inside it rather than on it."""
        ...


@dataclass(frozen=True, slots=True)
class Placed:
    """One answer of a reply.

    Attributes:
        spots: indices of the places it may mean, all alike likely.
        score: 0..1.
        landmark: it was only said what the place is next to.
        room_only: nothing but a room was said.
    """

    spots: tuple[int, ...]
    score: float
    how: How
    landmark: bool = False
    room_only: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """What a reply says of where something is.

    Attributes:
        answers: the places it names, in its order; empty where it names none.
        how: that of the first answer; `refused` or `none` where there is none.
        nearest: indices of what comes nearest where there is no answer, with its `nearest_score`.
    """

    answers: tuple[Placed, ...] = ()
    how: How = "none"
    nearest: tuple[int, ...] = ()
    nearest_score: float = 0.0


@dataclass
class _Reading:
    """What was read so far: answers, and a room that was said before its place."""

    answers: list[Placed] = field(default_factory=list)
    rooms: list[Placed] = field(default_factory=list)
    room: str = ""
    open_end: bool = False


class PlaceBook:
    """Some places by name. Make it by `book_of`, which remembers."""

    def __init__(self, spots: Sequence[tuple[str, str, bool]]):
        self._spots = tuple(spots)
        self._classes = tuple(dict.fromkeys(cls for cls, _, _ in spots))
        self._rooms = tuple(dict.fromkeys(room for _, room, _ in spots))
        self.finder: Finder = finder_of(self._classes + self._rooms)
        self._absent = tuple(tuple(room[0].split()) for room in ROOMS if not set(room) & set(self._rooms)
                             and not self.finder.mentions(room[0].split()))

    def read(self, parts: Sequence[str], *, respell: bool = False) -> list[Placed]:
        """The answers in some clauses, in order: places, else landmarks, else rooms."""
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
                pass  # another place than those on offer
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
        """Whether a word is a place or a room of households that is not on offer."""
        return is_elsewhere(word) or (word,) in self._absent

    def _in_absent_room(self, said: Sequence[str], mention: Mention) -> bool:
        """Whether a room that is not there is said with a place: the bathroom counter, in a kitchen."""
        for room in self._absent:
            behind = [word for word in said[mention.end:mention.end + 1 + len(room)] if word not in ("in", "of")]
            if tuple(said[max(0, mention.start - len(room)):mention.start]) == room or tuple(behind[:len(room)]) == room:
                return True
        return False

    def _say_room(self, mention: Mention, room: str, reading: _Reading, *, follows: bool) -> None:
        """A room narrows the place before it, or the one after it."""
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
        """The room a mention means; empty where it means a place."""
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
    """Without parts of furniture (a shelf of the fridge) and first words of compounds (desk drawer)."""
    kept = []
    for k, mention in enumerate(mentions):
        after = mentions[k + 1] if k + 1 < len(mentions) else None
        place = mention.meanings[0].name < classes
        if after is not None and place and after.meanings[0].name < classes:
            between = said[mention.end:after.start]
            weaker = after.meanings[0].how == "part" and mention.meanings[0].how != "part"
            if not between and weaker and said[after.start] in PARTS:
                mentions[k + 1] = mention  # the drawer of a nightstand, where no drawer is on offer
                continue
            if not between or (list(between) == ["of"] and said[mention.end - 1].rstrip("s") in PARTS):
                continue
        kept.append(mention)
    return kept


def _relation(before: Sequence[str]) -> tuple[bool | None, bool]:
    """Whether "inside" (True) or "on" (False) was said last, and whether it was but a nearness."""
    for word in reversed(before):
        if word in INSIDE:
            return True, "close" in before or ("front" in before and word == "in")
        if word in ON:
            return False, False
        if word in NEAR:
            return None, True
    nearness = not NEAR.isdisjoint(before)
    return None, nearness


@lru_cache(PLACE_SETS)
def book_of(spots: tuple[tuple[str, str, bool], ...]) -> PlaceBook:
    """The named places; the same places give the same book."""
    return PlaceBook(spots)


def ground_places(text: str, spots: Sequence[Spot], alike: Sequence[float] = ()) -> Places:
    """The places a reply names: `**Answer:** in the fridge or on the counter` -> two answers, in this order.

    A class without its room means all its places. What is denied ("not in the sink") is no answer; a landmark ("next to the
    sink") is one only behind those that are named themselves; a room alone stands for all its places.

    Args:
        text: the reply.
        spots: the places on offer.
        alike: how alike it is to each (`alike_to`); empty where they were not compared.
    """
    book = book_of(tuple((spot.cls, spot.room, spot.inside) for spot in spots))
    cut = clauses(text)
    answers = book.read(cut.affirmed)
    if not answers or answers[0].score <= PART:
        answers = max(answers, book.read(cut.affirmed, respell=True), key=lambda found: found[0].score if found else 0.0)
    if answers:
        return Places(tuple(answers), answers[0].how)
    denied = book.read(cut.denied) if cut.denied else []
    if cut.refused or denied or any(book.is_absent(word) for part in cut.affirmed for word in words(part)[:MOST_WORDS]):
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
    """Indices of the rooms a reply names, in its order; those it denies are left out."""
    finder, cut, found = finder_of(tuple(rooms)), clauses(text), dict[int, None]()
    for part in cut.affirmed:
        for mention in finder.mentions(words(part)[:MOST_WORDS]):
            found.setdefault(mention.meanings[0].name)
    return tuple(found)
