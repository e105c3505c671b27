"""Resolves a model's text to one of the offered actions, by its verb and the objects it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.goals.word_forms import PREPOSITIONS, words
from core.llm.grounding.household_synonyms import MOVERS, SEARCHES, SWITCHES, VERBS
from core.llm.grounding.match import (
    EMBEDDING_FLOOR,
    NORMALISED,
    PART,
    PRONOUN,
    SCANNED,
    SURE,
    SYNONYM,
    WITHOUT_NUMBER,
    How,
    Match,
    T,
    clauses,
    least_sure,
)
from core.llm.grounding.name_finder import LEMMAS, Finder, Mention, finder_of

ACTION_SETS = 64
"""The number of action sets whose parsed phrases are cached: a search grounds thousands of replies with few sets."""
MOST_WORDS = 60
"""The maximum number of words of a clause that are read."""
KINDS = {verb: kind for kind, verbs in VERBS.items() for verb in verbs}
JOINING = frozenset(("and", "to", "then"))
"""Words before a verb that starts another action."""
PRONOUNS = frozenset(("it", "them", "that"))
RELATIONS = {"in": "in", "inside": "in", "into": "in", "within": "in", "on": "on", "onto": "on", "upon": "on", "under": "in",
             "to": "", "at": "", "with": ""}
TOWARDS = frozenset(("to", "towards", "toward", "into", "over", "up", "back", "in", "inside"))
FROM = frozenset(("from", "off", "out", "in", "inside", "on", "at", "with", "under", "near"))
"""Prepositions. In `the lid on the pot` the action is about the unknown word before the preposition, not the name after it."""
WITHOUT_TO = {"get": "grab", "take": "grab", "run": "switch on", "step": "go", "come": "go"}
"""The meaning of a verb of `MOVERS` without a following "to"; the others mean putting."""
SMALL = PREPOSITIONS | TOWARDS | FROM | PRONOUNS
OTHER_RELATION = 0.1
"""The deduction for "in" instead of "on" and vice versa."""
NEAREST = 0.5
"""The score of a candidate that shares all words but is not named."""
FEW = 8
"""In a reply of at most this many clauses, adjacent ones are also read as one."""
COMPARED = 24
"""The number of clauses whose words are compared if no action is found."""
LEAST = 0.65
"""The minimum score of an action named by words."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb and its arguments.

    Attributes:
        kind: the kind of action, or the verb itself if its kind is unknown.
        verb: the verb in its base form.
        rest: the words after the verb, up to the next verb.
    """

    kind: str
    verb: str
    rest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Offer:
    """An offered action; `objects` are indices of names."""

    kind: str
    verb: str
    objects: tuple[int, ...]
    relation: str


@dataclass(frozen=True, slots=True)
class _Hit:
    """An action that the words may refer to."""

    score: float
    how: How
    index: int


class ActionSet:
    """A set of parsed actions. Create it with `action_set`, which caches."""

    def __init__(self, phrases: Sequence[str]):
        self.phrases = tuple(phrases)
        self.exact = {phrase: i for i, phrase in reversed(tuple(enumerate(phrases))) if phrase}
        self.plain: dict[str, int] = {}
        self.own_words: list[frozenset[str]] = []
        parsed = []
        for index, phrase in enumerate(phrases):
            said = words(phrase)
            self.plain.setdefault(" ".join(said), index)
            self.own_words.append(frozenset(said))
            parsed.append(_parsed(said))
        self._longest = max((len(key.split()) for key in self.plain), default=0)
        names = tuple(dict.fromkeys(name for _, objects, _ in parsed for name in objects))
        numbers = {name: k for k, name in enumerate(names)}
        self._finder: Finder = finder_of(names)
        self._names = names
        self._offers = [_Offer(frame.kind, frame.verb, tuple(numbers[t] for t in objects), relation)
                        for frame, objects, relation in parsed]
        self._by_kind: dict[str, list[int]] = {}
        for index, offer in enumerate(self._offers):
            self._by_kind.setdefault(offer.kind, []).append(index)
        self._own_verbs = frozenset(offer.verb for offer in self._offers)

    # --- words ----------------------------------------------------------------------
    def find(self, parts: Sequence[str]) -> list[_Hit]:
        """Returns the possible actions of the first clause that has any, best first.

        Empty if no clause names an action clearly.
        """
        for part in parts:
            hits = self._of_clause(words(part)[:MOST_WORDS])
            if hits:
                return hits
        if len(parts) > FEW:
            return []
        for at in range(len(parts) - 1):  # a verb and its object on separate lines, or "open: fridge"
            for last in (at + 2, at + 3):
                hits = self._of_clause(words(" ".join(parts[at:last]))[:MOST_WORDS])
                if hits:
                    return [_Hit(min(hit.score, SYNONYM), least_sure(hit.how, "synonym"), hit.index) for hit in hits]
        return []

    def misspelt(self, parts: Sequence[str]) -> list[_Hit]:
        """Returns the same with misspelt words corrected."""
        for part in parts:
            right = self._finder.respelt(words(part)[:MOST_WORDS])
            hits = self._of_clause(right) if right is not None else []
            if hits:
                return [_Hit(min(hit.score, SYNONYM), "edit", hit.index) for hit in hits]
        return []

    def _of_clause(self, said: Sequence[str]) -> list[_Hit]:
        for at in range(len(said)):
            for end in range(min(len(said), at + self._longest), at, -1):
                index = self.plain.get(" ".join(said[at:end]))
                if index is not None and not (end < len(said) and said[end].isdigit()):
                    return [_Hit(NORMALISED, "normalised", index)]
            frame = self._frame_at(said, at)
            if frame is not None:
                hits = self._meant(frame)
                if hits:
                    return hits
        return []

    def frames(self, said: Sequence[str]) -> Iterator[Frame]:
        """Yields the verbs of a clause with their arguments."""
        for at in range(len(said)):
            frame = self._frame_at(said, at)
            if frame is not None:
                yield frame

    def _frame_at(self, said: Sequence[str], at: int) -> Frame | None:
        if not self._is_verb(said[at]):
            return None
        end = next((k for k in range(at + 1, len(said)) if said[k - 1] in JOINING and self._is_verb(said[k])), len(said))
        if end < len(said) and said[end - 1] == "to" and KINDS.get(LEMMAS.get(said[at], "")) == "go":
            end = len(said)
        return _framed(said[at], tuple(said[at + 1:end]))

    def _is_verb(self, word: str) -> bool:
        return word in LEMMAS or word in self._own_verbs

    def _meant(self, frame: Frame) -> list[_Hit]:
        """Returns the actions that a frame may refer to, best first."""
        offered = self._by_kind.get(frame.kind, ())
        if not offered:
            return []
        mentions = self._finder.mentions(frame.rest)
        hits = [hit for index in offered if (hit := self._fits(index, frame, mentions)) is not None]
        hits.sort(key=lambda hit: (-hit.score, hit.index))
        if not hits:
            return []
        top = [hit for hit in hits if hit.score == hits[0].score]
        if len(top) == 1 and top[0].how == "part" and top[0].score == PART:
            hits[0] = _Hit(SURE, "part", top[0].index)
        elif len(top) > 1:
            hits[:len(top)] = [_Hit(min(hit.score, WITHOUT_NUMBER), hit.how, hit.index) for hit in top]
        return [hit for hit in hits if hit.score >= LEAST]

    def _fits(self, index: int, frame: Frame, mentions: Sequence[Mention]) -> _Hit | None:
        offer = self._offers[index]
        score, how = (NORMALISED, "normalised") if offer.verb == frame.verb else (SYNONYM, "synonym")
        found: tuple[float, How] = (score, how)  # type: ignore[assignment]
        if frame.verb in SEARCHES and offer.verb != frame.verb:
            found = PART, "part"
        if not offer.objects:
            return _Hit(*found, index) if not mentions else None
        first = self._first(offer, frame, mentions)
        if first is None:
            return None
        found = min(found[0], first[0]), least_sure(found[1], first[1])
        if len(offer.objects) == 1:
            return _Hit(*found, index)
        second = self._second(offer, frame, mentions, after=first[2])
        if second is None:
            return None
        return _Hit(min(found[0], second[0]), least_sure(found[1], second[1]), index)

    def _first(self, offer: _Offer, frame: Frame, mentions: Sequence[Mention]) -> tuple[float, How, int] | None:
        """Returns how the first object of an action is named, and where the words after it start."""
        rest = frame.rest
        for mention in mentions[:1]:
            before = rest[:mention.start]
            unknown = [k for k, word in enumerate(before) if word not in SMALL]
            if unknown and FROM.intersection(before[unknown[0] + 1:]):
                break
            meaning = next((m for m in mention.meanings if m.name == offer.objects[0]), None)
            if meaning is None:
                break
            return meaning.score, meaning.how, mention.end
        if len(offer.objects) == 2 and any(word in PRONOUNS for word in rest[:2]):
            return PRONOUN, "part", 0
        return None

    def _second(self, offer: _Offer, frame: Frame, mentions: Sequence[Mention], after: int) -> tuple[float, How] | None:
        for mention in mentions:
            if mention.start < after:
                continue
            meaning = next((m for m in mention.meanings if m.name == offer.objects[1]), None)
            if meaning is None:
                return None
            said = next((RELATIONS[w] for w in reversed(frame.rest[:mention.start]) if RELATIONS.get(w)), "")
            said = said or ("in" if frame.verb.endswith("in") else "on" if frame.verb.endswith("on") else "")
            cost = OTHER_RELATION if said and said != offer.relation else 0.0
            return meaning.score - cost, "part" if cost else meaning.how
        return None

    # --- embeddings ------------------------------------------------------------------
    def comparable(self, part: str) -> tuple[str, tuple[tuple[int, str], ...]] | None:
        """Returns what to compare by meaning; None if the words exclude all candidates.

        Returns:
            The words to compare, and (index, words) of each action that they do not contradict.
        """
        said = words(part)[:MOST_WORDS]
        frame = next(self.frames(said), None)
        if frame is None:
            mentions = self._finder.mentions(said)
            if not mentions or mentions[0].best[0].how == "part":  # neither action nor object is known
                return None
            named = {m.name for m in mentions[0].best}
            fitting = [i for i, offer in enumerate(self._offers) if offer.objects and offer.objects[0] in named]
            return " ".join(said), tuple((i, " ".join(words(self.phrases[i]))) for i in fitting)
        offered = self._by_kind.get(frame.kind, ())
        if not offered or self._finder.mentions(frame.rest):
            return None
        noun = " ".join(word for word in frame.rest if word not in PREPOSITIONS and word not in TOWARDS)
        fitting = [i for i in offered if len(self._offers[i].objects) == 1]
        return (noun, tuple((i, " ".join(words(self._names[self._offers[i].objects[0]]))) for i in fitting)) if noun else None


def _framed(word: str, rest: tuple[str, ...]) -> Frame:
    """Returns a verb with its particle: turn … on, pick … up, move to."""
    verb = LEMMAS.get(word, word)
    if verb in SWITCHES:
        particle = next((w for w in rest if w in ("on", "off")), "")
        at = rest.index(particle) if particle else -1
        return Frame(f"switch {particle}" if particle else verb, verb, rest[:at] + rest[at + 1:] if particle else rest)
    if verb in ("shut", "power") and rest[:1] in (("off",), ("down",)):
        return Frame("switch off", verb, rest[1:])
    if verb in SEARCHES:
        into = verb not in ("look", "peek") or rest[:1] in (("in",), ("inside",), ("into",))
        return Frame("open" if into and rest[:1] != ("for",) else verb, verb, rest)
    if verb in MOVERS:
        forward = next((k for k, w in enumerate(rest) if w not in ("over", "up", "back")), len(rest))
        goes = forward < len(rest) and rest[forward] in ("to", "towards", "toward", "into")
        kind = "go" if goes else WITHOUT_TO.get(verb, "put")
        return Frame(kind, verb, rest)
    return Frame(KINDS.get(verb, verb), verb, rest)


def _parsed(said: list[str]) -> tuple[Frame, tuple[str, ...], str]:
    """Returns the frame of an offered action, the names of its objects and the relation between two."""
    if not said:
        return Frame("", "", ()), (), ""
    frame = _framed(said[0], tuple(said[1:]))
    rest = frame.rest
    while rest and rest[0] in ("to", "up"):
        rest = rest[1:]
    at = next((k for k, word in enumerate(rest) if k and word in RELATIONS), len(rest))
    relation = RELATIONS[rest[at]] if at < len(rest) else ""
    objects = tuple(" ".join(part) for part in (rest[:at], rest[at + 1:]) if part)
    return frame, objects, relation


@lru_cache(ACTION_SETS)
def action_set(phrases: tuple[str, ...]) -> ActionSet:
    """Returns the parsed actions; cached for equal phrases."""
    return ActionSet(phrases)


def ground_action(text: str, actions: Sequence[tuple[T, str]], alike: Sequence[float] = ()) -> Match[T]:
    """Resolves a reply to the first action it names: `Next actions: grab the apple, walk to …` -> grab apple_1.

    The whole reply is searched, since models repeat the question first; text after "next actions" is searched before the rest.
    Negated text names nothing. Of a very long reply, the beginning and the end are searched.

    Args:
        text: the reply.
        actions: (action, phrase) pairs of the candidates.
        alike: the similarity to each action (`alike_to`); empty if it was not computed.
    """
    known, values = action_set(tuple(phrase for _, phrase in actions)), [action for action, _ in actions]
    stripped = text[:SCANNED].strip()
    for exact in (stripped, stripped.removesuffix(".")):
        if exact in known.exact:
            return Match(values[known.exact[exact]], 1.0, "exact")
    cut = clauses(text)
    hits = known.find(cut.affirmed)
    if not hits or hits[0].score < PART:
        hits = max(hits, known.misspelt(cut.affirmed), key=lambda found: found[0].score if found else 0.0)
    if hits:
        return _match(hits, values)
    denied = known.find(cut.denied) if cut.denied else []
    if cut.refused or denied:
        near = denied[0] if denied else None
        return Match(None, near.score if near else 0.0, "refused" if cut.refused else "none",
                     values[near.index] if near else None, near.score if near else 0.0)
    found = by_meaning(alike, values)
    return found if found.runner_up is not None or found.candidate is not None else _nearest(known, cut.affirmed, values)


def _nearest(known: ActionSet, parts: Sequence[str], values: Sequence[T]) -> Match[T]:
    """Returns no match, with the action that shares most words as the runner-up."""
    said = {word for part in parts[:COMPARED] for word in words(part)[:MOST_WORDS]}
    shared = ((2 * len(said & own) / (len(said) + len(own)), -i) for i, own in enumerate(known.own_words) if own)
    best = max(shared, default=(0.0, 0))
    if best[0] <= 0:
        return Match(None, 0.0, "none")
    score = min(best[0], 1.0) * NEAREST
    return Match(None, score, "none", values[-best[1]], score)


def _match(hits: Sequence[_Hit], values: Sequence[T]) -> Match[T]:
    first = hits[0]
    second = next((hit for hit in hits[1:] if values[hit.index] != values[first.index]), None)
    if second is None:
        return Match(values[first.index], first.score, first.how)
    return Match(values[first.index], first.score, first.how, values[second.index], min(second.score, first.score))


def by_meaning(alike: Sequence[float], values: Sequence[T]) -> Match[T]:
    """Returns the most similar candidate by sentence embeddings, or no match with it as the runner-up."""
    if not values or len(alike) != len(values):
        return Match(None, 0.0, "none")
    order = sorted(range(len(alike)), key=lambda k: (-alike[k], k))
    first, score = values[order[0]], min(1.0, max(0.0, alike[order[0]]))
    if score <= 0:
        return Match(None, 0.0, "none")
    if score < EMBEDDING_FLOOR:
        return Match(None, score, "none", first, score)
    second = next((k for k in order if values[k] != first), None)
    if second is None:
        return Match(first, score, "embedding")
    return Match(first, score, "embedding", values[second], min(score, max(0.0, alike[second])))
