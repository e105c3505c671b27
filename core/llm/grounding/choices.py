"""Resolves a model's words to one of the offered choices: a plan of several actions, or a name.

`alike_to` computes the similarity to each choice by sentence embeddings: the last method, for words that no other resolves.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from core.goals.word_forms import PREPOSITIONS, spaced_name, words
from core.llm.embeddings import Embedder
from core.llm.grounding import actions, places
from core.llm.grounding.actions import by_meaning, ground_action
from core.llm.grounding.household_synonyms import MOVERS, SEARCHES, SWITCHES
from core.llm.grounding.match import MOST_CLAUSES, PART, SCANNED, SURE, SYNONYM, Match, clauses
from core.llm.grounding.name_finder import Finder, Mention, finder_of
from core.world.vocabulary import Entity

LONGEST = 2000
"""The maximum number of characters of a reply that are read as a list of actions; the first ones are at its beginning."""


def ground_choice(text: str, options: Sequence[tuple[str, ...]], alike: Sequence[float] = ()) -> Match[int]:
    """Resolves a reply to a choice: by its list of actions, else by the first action it names, finally by sentence embeddings.

    A choice is identified by its last action, which determines its purpose, then by its first.

    Args:
        text: the reply.
        options: the phrases of each choice's actions.
        alike: the similarity to each choice; empty if it was not computed.
    """
    said = text.strip()
    sentences = {", ".join(option): k for k, option in reversed(tuple(enumerate(options)))}
    for exact in (said, said.removesuffix(".")):
        if exact in sentences:
            return Match(sentences[exact], 1.0, "exact")
    listed = read_choice(text, options)
    if listed is not None:
        return Match(listed, 0.98, "normalised")
    found = ground_action(text, [(k, option[-1]) for k, option in enumerate(options) if option])
    if found.candidate is None and found.how != "refused":
        first = ground_action(text, [(k, option[0]) for k, option in enumerate(options) if len(option) > 1])
        found = first if first.candidate is not None else found
    if found.candidate is not None or found.how == "refused":
        return found
    near = by_meaning(alike, range(len(options)))
    return near if near.candidate is not None or found.runner_up is None else found


def steps_of(text: str) -> list[str]:
    """Returns the actions a reply lists in lower case, without leading numbers, quotes and full stops."""
    answer = re.split(r"next actions?\s*:", text[:LONGEST], flags=re.IGNORECASE)[-1]
    parts = re.split(r"[,;\n]|\bthen\b|\band then\b", answer.lower())
    cleaned = (plain(re.sub(r"^\s*(?:\d+\s*[.):]|[-*•])\s*", "", part)) for part in parts)
    return [part for part in cleaned if part]


def plain(text: str) -> str:
    """Returns the text in lower case with letters and digits only."""
    return " ".join(re.sub(r"[^a-z0-9 ]", " ", text.lower().replace("_", " ")).split())


def read_choice(text: str, options: Sequence[tuple[str, ...]]) -> int | None:
    """Returns the option that a reply starts with, literally; None if it names none.

    The longest sequence of equal first actions wins; else the reply's first action may be the last (the decisive) one of an
    option.

    Args:
        text: a reply; may be empty, very long or in another format.
        options: for each option the phrases of its actions in order.
    """
    steps = steps_of(text)
    if not steps:
        return None
    known = [[plain(phrase) for phrase in option] for option in options]
    best, length = None, 0
    for k, option in enumerate(known):
        same = 0
        while same < min(len(option), len(steps)) and option[same] == steps[same]:
            same += 1
        whole = same == len(option) or same == len(steps)
        if whole and same > length:
            best, length = k, same
    if best is not None:
        return best
    ends = [k for k, option in enumerate(known) if option and option[-1] == steps[0]]
    return ends[0] if ends else None


LEADING = frozenset(("i", "we", "you", "robot", "will", "would", "should", "must", "can", "could", "shall", "i'll", "i'd",
                     "let's", "first", "next", "then", "now", "and"))
TO_DO = frozenset(("need", "needs", "have", "has", "want", "wants", "going", "is", "try", "action", "step", "be"))
"""Words before a verb that names an action: `the robot should walk`, `you need to walk`."""


def first_action(text: str) -> str:
    """Returns the first action of a free plan in lower case without list marks and articles, α of Zhao et al., section 2.3.

    It is the first clause that begins with a verb of action, or names one after words such as "I would". If there is none,
    the first clause: the comparison then shows how little it resembles an action. Empty if the reply says nothing, is done, or
    declines to answer.
    """
    cut = clauses(text[:SCANNED])
    spoken = [said for part in cut.affirmed[:MOST_CLAUSES] if (said := words(part)[:actions.MOST_WORDS])]
    for said in spoken:
        if said == ["done"]:
            return ""
        for k, word in enumerate(said):
            if word in actions.KINDS or word in MOVERS or word in SEARCHES or word in SWITCHES:
                before = said[:k]
                if not before or before[-1] in LEADING or (before[-1] == "to" and before[-2:-1] and before[-2] in TO_DO):
                    return " ".join(said[k:])
                break
    return "" if cut.refused or not spoken else " ".join(spoken[0])


COUNTED = 4096
"""The number of texts whose word counts are cached: the phrases of a home's actions recur in each request."""


def word_overlap(text: str, phrase: str) -> float:
    """Returns the cosine of the word counts of two phrases without articles, 0..1; used if there are no sentence embeddings."""
    (a, long), (b, wide) = _word_counts(text), _word_counts(phrase)
    dot = sum(n * b[word] for word, n in a.items() if word in b)
    return dot / (long * wide) if dot else 0.0


@lru_cache(COUNTED)
def _word_counts(text: str) -> tuple[Mapping[str, int], float]:
    """Returns the number of each word, and the Euclidean length of these numbers."""
    counts = Counter(words(text))
    return counts, math.sqrt(sum(n * n for n in counts.values()))


EMBEDDED = 6
"""The maximum number of clauses of a reply that are embedded."""
CLEAR_CUT = 0.6
"""The cosine from which the first clause with it decides; below, the best of all clauses wins."""
PLACE = re.compile(r"(inside|on) the (.+) in the (.+)")
"""The format of a place offered as a choice."""
NEVER = -1.0
"""The similarity to a choice that the words contradict."""


def alike_to(text: str, phrases: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    """Returns the similarity of a text to each phrase, -1..1: of its first decisive clause, or of the best one.

    Words that already exclude candidates are not compared: with `grab`, only objects that can be grabbed; of a place, only its
    name. If nothing is left to compare, all are -1. Slow (the embedder may have to be loaded first): for threads that may wait.
    """
    cut = clauses(text[:SCANNED])
    if not phrases or not text.strip():
        return ()
    if cut.refused:
        return (NEVER,) * len(phrases)
    spots = [PLACE.fullmatch(phrase) for phrase in phrases]
    found = [match for match in spots if match is not None]
    if len(found) == len(phrases):
        names = tuple(match.group(2) for match in found)
        rows = [(said, tuple(enumerate(names))) for part in cut.affirmed[:EMBEDDED] if (said := _place_words(part))]
    elif any(" " in phrase for phrase in phrases):
        known = actions.action_set(tuple(phrase.rsplit(", ", 1)[-1] for phrase in phrases))
        rows = [row for part in cut.affirmed[:EMBEDDED] if (row := known.comparable(part)) is not None and row[1]]
    else:
        rows = [(said, tuple((k, spaced_name(p)) for k, p in enumerate(phrases))) for part in cut.affirmed[:EMBEDDED]
                if (said := spaced_name(part))]
    return _compared(rows, len(phrases), embedder) or (NEVER,) * len(phrases)


def cosines(text: str, phrases: Sequence[str], embedder: Embedder) -> tuple[float, ...]:
    """Returns CosineSim of a reply's first action with each whole phrase, -1..1: for a prior, not grounding.

    Empty if the reply names no action. Source: Zhao et al., section 2.3.
    """
    said = first_action(text)
    if not said or not phrases:
        return ()
    row = embedder.encode([said]) @ embedder.encode([spaced_name(phrase) for phrase in phrases]).T
    return tuple(float(value) for value in row[0])


def _place_words(part: str) -> str:
    return " ".join(word for word in words(part)[:places.MOST_WORDS] if word not in PREPOSITIONS and word not in places.NEAR)


def _compared(rows: Sequence[tuple[str, Sequence[tuple[int, str]]]], count: int, embedder: Embedder) -> tuple[float, ...]:
    best: tuple[float, tuple[float, ...]] = NEVER, ()
    for said, choices in rows:
        likenesses = (embedder.encode([said]) @ embedder.encode([name for _, name in choices]).T)[0]
        row = [NEVER] * count
        for (index, _), value in zip(choices, likenesses, strict=True):
            row[index] = float(value)
        top = max(row)
        if top > best[0]:
            best = top, tuple(row)
        if top >= CLEAR_CUT:
            break
    return best[1]


NAME_SCANNED = 4_000  # the maximum number of characters of a text that are searched


def ground(text: str, candidates: Sequence[str], alike: Sequence[float] = ()) -> Match[str]:
    """Resolves a name to a candidate: `the kitchen tables` -> `kitchen_table`. Candidates may be names, classes or ids.

    Args:
        text: the name as written.
        candidates: the known names.
        alike: the similarity to each candidate (`alike_to`); empty if it was not computed.
    """
    text = text[:NAME_SCANNED].strip()
    if text and text in candidates:
        return Match(text, 1.0, "exact")
    finder, cut = finder_of(tuple(candidates)), clauses(text)
    parts = [text, *cut.affirmed] if text and not cut.denied else cut.affirmed
    mention = _first(finder, parts)
    if mention is None or mention.meanings[0].score <= PART:
        right = _first(finder, parts, respell=True)
        if right is not None and (mention is None or right.meanings[0].score > mention.meanings[0].score):
            return _match(right, candidates, misspelt=True)
    if mention is not None:
        return _match(mention, candidates)
    return Match(None, 0.0, "refused") if cut.refused else by_meaning(alike, candidates)


def _first(finder: Finder, parts: Sequence[str], *, respell: bool = False) -> Mention | None:
    for part in parts:
        said: list[str] | None = words(part)[:60]
        if respell:
            said = finder.respelt(said or [])
        found = finder.mentions(said) if said else []
        if found:
            return found[0]
    return None


def _match(mention: Mention, candidates: Sequence[str], *, misspelt: bool = False) -> Match[str]:
    best, first = mention.best, mention.meanings[0]
    score, how = (min(first.score, SYNONYM), first.how) if misspelt else (first.score, first.how)
    if how == "part" and len(best) == 1 and not misspelt:
        score = SURE if first.score >= PART else first.score
    second = next((m for m in mention.meanings if candidates[m.name] != candidates[first.name]), None)
    found = Match(candidates[first.name], score, "edit" if misspelt else how)
    if second is None:
        return found
    return Match(found.candidate, found.score, found.how, candidates[second.name], min(second.score, score))


def call_name(entity_id: str) -> str:
    """Returns an id without the separators between its words."""
    return re.sub(r"[\W_]+", "", entity_id).lower()


class CallNames:
    """Finds ids by the names that models write."""

    def __init__(self, entities: Iterable[Entity]):
        self._ids: dict[str, str] = {}
        for entity in entities:
            self._ids.setdefault(call_name(entity.id), entity.id)

    def find(self, text: str) -> str | None:
        """Returns the id of a name: exact, the first of a class named without number, or misspelt; None if it is unknown."""
        name = call_name(text)
        if not name:
            return None
        if name in self._ids:
            return self._ids[name]
        if re.search(r"\d$", name):
            return None  # a number that does not exist: the model made it up
        first = next((i for key, i in self._ids.items() if key.rstrip("0123456789") == name), None)
        return first or ground(text, list(self._ids.values())).candidate
