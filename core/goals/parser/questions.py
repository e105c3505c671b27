"""Recognizes a question about where something is: where is my teddy bear, have you seen my keys, I can't find it, where is it?

What it asks about is a name of this world. `core.planning.whereabouts` answers from what is known.
"""

from __future__ import annotations

from core.common.errors import GoalError
from core.goals.parser import word_classes as words
from core.goals.parser.context import Context
from core.goals.parser.noun_phrases import items
from core.goals.parser.phrases import Phrase, noun_phrase
from core.goals.parser.tokens import Tokens, tokenized
from core.goals.reading import Question
from core.goals.vocabulary import Lexicon

ASKS_WHETHER = (("have", "you", "seen"), ("has", "anyone", "seen"), ("has", "anybody", "seen"), ("did", "you", "see"),
                ("do", "we", "have"), ("do", "you", "have"), ("is", "there"), ("are", "there"), ("have", "we", "got"))
"""Words before a thing that somebody looks for."""

BEFORE_WHERE = words.word_set("know you_know me us remember out wonder wondering idea forgot forgotten say guess ask see seen")
"""Words before "where" in a question: do you know where; in "put it where the plate is" it is a place."""


def asked_about(text: str, lexicon: Lexicon) -> Question | None:
    """Returns what a text asks the whereabouts of; None if it asks for nothing here, or is no such question.

    Args:
        text: the text as typed. A task that the robot can do is no question: read it as a task first.
        lexicon: the words of the world.
    """
    try:
        t = tokenized(text, lexicon)
        start = _asks_at(t)
        thing = _named(t, start) if start >= 0 else None
        named = items(thing.words, Context(lexicon, t.plain)) if thing is not None else []
    except GoalError:  # it names nothing that is here
        return None
    if not named or thing is None:
        return None
    return Question(" ".join(text.split()), "|".join(dict.fromkeys(one.what for one in named)), _noun(t, thing))


def _asks_at(t: Tokens) -> int:
    """Returns the index after the words that ask; -1 if none do."""
    if "how" in t.texts:
        return -1
    where = next((k for k in range(len(t)) if t.at(k) == "where" and (
        not k or t.is_stop(k - 1) or t.at(k - 1) in BEFORE_WHERE | words.COORDINATORS | words.GREETINGS)), -1)
    if where >= 0:
        return where + 1
    return next((k + len(said) for k in range(len(t)) for said in ASKS_WHETHER
                 if tuple(t.texts[k:k + len(said)]) == said), -1)


def _named(t: Tokens, start: int) -> Phrase | None:
    """Returns the thing that is asked for: the first one after the words that ask, or for a pronoun the last one before."""
    after = (noun_phrase(t, k) for k in range(start, len(t)) if t.is_noun(k) or t.at(k) in words.DETERMINERS)
    before = (noun_phrase(t, k) for k in range(start - 1, -1, -1) if t.is_noun(k) or t.at(k) in words.DETERMINERS)
    return next((one for one in (*after, *before) if one is not None and one.known and t.is_noun(one.head)), None)


def _noun(t: Tokens, thing: Phrase) -> str:
    """Returns the thing with "the" in place of its own determiners."""
    said = [word for word in thing.words.split() if word not in words.DETERMINERS]
    return f"the {' '.join(said)}".replace("_", " ") if said else t.at(thing.head)
