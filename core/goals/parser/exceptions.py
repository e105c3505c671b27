"""Leaves things out of a clause about all of something: "all lights except the desk lamp".

Goals have no exceptions: what is left over is named, class by class, and of a class of which only some are left out, thing by
thing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from core.common.errors import GoalError
from core.goals.literals import ROBOT, Literal
from core.goals.parser.context import Context, refuse
from core.goals.parser.earlier import TURNED, Earlier
from core.goals.parser.noun_phrases import items
from core.world.vocabulary import spaced


def _is_about_all(literal: Literal, context: Context) -> bool:
    """Returns True if a literal is about all things of its kind, or about the only one."""
    lone = len(context.lexicon.ids_of(literal.subject)) == 1
    return literal.subject != ROBOT and not literal.never and (literal.every or lone)


def without(literals: list[Literal], words: str, context: Context) -> list[Literal]:
    """Returns the literals without the things that words name, and tells the operator what is left.

    Raises:
        GoalError: the clause is not about all of something, nothing of what is left out is among it, or nothing is left.
    """
    lexicon = context.lexicon
    if literals and literals[0].subject != ROBOT:  # except the one on the desk
        words = re.sub(r"^the ones?\b", f"the {spaced(literals[0].subject.split('|')[0])}", words)
    out = {one for item in items(words, context) for one in lexicon.ids_of(item.what, item.room, item.source)}
    if not literals or not all(_is_about_all(x, context) for x in literals):
        raise refuse(words, "exceptions are from all of something: say “all” before it, or name what is to be done")
    kept: list[Literal] = []
    found = False
    for literal in literals:
        ids = lexicon.ids_of(literal.subject, literal.room, literal.source)
        found = found or bool(out & set(ids))
        left = [one for one in ids if one not in out]
        if len(left) == len(ids):
            kept.append(literal)
        elif left:
            kept.append(replace(literal, subject=lexicon.shortened(left)))
    if not found:
        raise refuse(words, "this is not among what the task is about")
    if not kept:
        raise refuse(words, "then nothing is left to do")
    rest = dict.fromkeys(spaced(name) for x in kept for name in x.subject.split("|"))
    context.tell(f"except {words}", f"left are {', '.join(rest)}")
    return kept


def apart_from(literals: list[Literal], words: str, context: Context) -> list[Literal]:
    """Returns the literals without the things that words set against them, as far as these are among all of something.

    What is set against one thing of several narrows which one is meant: the mug, not the dirty one.

    Raises:
        GoalError: after "but", something else is left out of what is about one thing.
    """
    lexicon = context.lexicon
    but, words = words.startswith("but "), words.removeprefix("but ")
    if literals and literals[0].subject != ROBOT:
        words = re.sub(r"\bones?$", spaced(literals[0].subject.split("|")[0]), words)
    try:
        out = {one for item in items(words, context) for one in lexicon.ids_of(item.what, item.room, item.source)}
    except GoalError:
        return literals  # nothing here has that name
    kept: list[Literal] = []
    for x in literals:
        ids = lexicon.ids_of(x.subject, x.room, x.source)
        left = [one for one in ids if one not in out]
        enough = len(left) >= x.count and len(left) < len(ids) and x.subject != ROBOT
        kept.append(replace(x, subject=lexicon.shortened(left)) if enough else x)
    alike = {lexicon.entities[one].cls for one in out} & {cls for x in literals for cls in lexicon.classes_of(x.subject)}
    if but and kept == literals and not alike:
        raise refuse(words, "exceptions are from all of something: say “all” before it, or name what is to be done")
    return kept


def kept_as_is(words: str, earlier: Earlier, context: Context) -> list[Literal]:
    """Returns the literals of things that are to stay as they are, and leaves them out of what was asked of all of their kind.

    What can be carried is not to be picked up; what is open, closed, on or off is to be so in the end.
    """
    lexicon = context.lexicon
    found: list[Literal] = []
    for item in items(words, context):
        ids = set(lexicon.ids_of(item.what, item.room, item.source))
        for n, group in enumerate(earlier.groups):
            if any(x.every and ids & set(lexicon.ids_of(x.subject, x.room, x.source)) for x in group):
                earlier.groups[n] = without(group, words, context)
        now = frozenset.intersection(*(lexicon.entities[one].states for one in ids)) & TURNED if ids else frozenset[str]()
        if lexicon.classes_of(item.what) & lexicon.movable:
            found.append(Literal("holds", item.what, never=True, source=item.source))
        elif now:
            found.append(Literal("is", item.what, None, item.count, now, every=item.every, room=item.room, source=item.source))
    if not found:
        context.tell(words, "it stays as it is")
    return found
