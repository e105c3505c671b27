"""Goals as formal text, as in LLM-MCTS, Listing 3: `(INSIDE, apple, fridge, 1)-(ON, plate, kitchentable, 2)`."""

from __future__ import annotations

import re
from typing import Literal as Choice

from core.common.errors import UsageError
from core.goals.literals import Goal, Literal
from core.goals.tracker import plain
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import spaced

Relation = Choice["inside", "on"]
TUPLE = r"\(\s*(\w+)\s*,\s*([^,()]+?)\s*,\s*([^,()]*?)\s*,\s*(\d+)\s*\)"
LONGEST = 4000
"""The maximum number of characters of a reply that are parsed."""


def formal(goal: Goal) -> str:
    """Returns a goal as formal text.

    States and holding use the same form: `(CLOSED, fridge, , 1)`, `(HOLDS, apple, , 1)`.

    Raises:
        UsageError: a literal refers to all objects, to rooms or to the past, for which there is no form.
    """
    return "-".join(part for literal in goal.literals for part in _formal(literal))


def _formal(literal: Literal) -> list[str]:
    if literal.by or not plain(literal):
        raise UsageError(f"formal text cannot say “{literal}”: it speaks of numbers of things and of where they are in the end")
    states = [f"({state.upper()}, {spaced(literal.subject)}, , {literal.count})" for state in sorted(literal.states)]
    if literal.predicate == "is":
        return states
    target = spaced(literal.target) if literal.target else ""
    return [*states, f"({literal.predicate.upper()}, {spaced(literal.subject)}, {target}, {literal.count})"]


def read_formal(text: str, lexicon: Lexicon) -> tuple[Literal, ...]:
    """Returns the literals of a formal goal. Unreadable parts are left out.

    Raises:
        UsageError: a word is not in this world, or nothing can be read.
    """
    found = []
    for word, subject, target, count in re.findall(TUPLE, text[:LONGEST]):
        predicate, number = word.lower(), min(max(int(count[:4]), 1), 50)
        if predicate in ("inside", "on") and target:
            relation: Relation = "inside" if predicate == "inside" else "on"
            found.append(Literal(relation, lexicon.find(subject), lexicon.find(target), number))
        elif predicate == "holds":
            found.append(Literal("holds", lexicon.find(subject), None, number))
        elif not target:
            found.append(Literal("is", lexicon.find(subject), None, number, frozenset({predicate})))
    if not found:
        raise UsageError(f"no goal can be read from “{text[:80]}”")
    return tuple(found)
