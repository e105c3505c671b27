"""Which of several things a noun is taken for: the guesses that a reading tells."""

from __future__ import annotations

import re

from core.goals.kinds import KINDS
from core.goals.parser.context import Context
from core.goals.parser.determiners import OWNED
from core.goals.vocabulary import SPOKEN, Fits, singulars
from core.world.vocabulary import spaced

CLASSES = frozenset(cls.replace("_", " ") for classes in KINDS.values() for cls in classes)
"""The names of classes of all worlds."""


def told(noun: str, senses: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """Returns the meanings; that a cup is taken for the mug that this world has is told, as cups are other things elsewhere."""
    lexicon = context.lexicon
    forms = {noun, *singulars(noun)}
    named = any(form in lexicon.words or form in lexicon.ids or lexicon.headed(form) for form in forms)
    if len(senses) == 1 and senses[0] not in KINDS and forms & CLASSES and not named:
        context.tell(noun, spaced(senses[0]))
    return senses


KITCHEN_CLUES = re.compile(r"\b(?:dishwasher|sink|wash|rinse|clean|fill|drink\w*|kitchen\w*|dining\w*|dinner|wine|water|fridge"
                           r"|plates?|mugs?|cutlery|counter\w*|stove|tray|(?:two|three|four|\d+) glasses)\b")
"""Words in whose company glasses are for drinking."""


def homonym(noun: str, context: Context, fits: Fits) -> str:
    """Returns the likelier name of "glasses", spectacles or drinking glasses, if the world has both."""
    own = context.lexicon.words.get(noun)
    if own is None or own.cls not in SPOKEN:
        return noun
    others = [cls for cls in context.lexicon.senses(noun, fits) if cls != own.cls]
    if not others or not fits(own.cls):
        return noun
    meanings = [(SPOKEN[own.cls], SPOKEN[own.cls]), ("drinking glasses", "drinking glasses")]
    owned = re.search(rf"\b(?:{'|'.join(sorted(OWNED))}) {noun}\b", context.sentence)
    if not owned and KITCHEN_CLUES.search(context.sentence):
        meanings.reverse()
    return context.choose(noun, meanings)


def any_of(noun: str, senses: tuple[str, ...], context: Context, *, definite: bool) -> str:
    """Returns the class meant; of several, any of them: "a table" may be any of them, "the table" is a guess."""
    if len(senses) == 1 or senses[0] in SPOKEN:
        return senses[0]
    lexicon = context.lexicon
    every = "|".join(senses)
    each = [(spaced(one), one) for one in senses]
    if any(form in lexicon.words for form in (noun, *singulars(noun))):
        return context.choose(noun, [*each, (f"any {noun}", every)]) if definite else senses[0]
    return context.choose(noun, [(f"any {noun}", every), *each]) if definite else every
