"""Finds what a task asks for and forbids: commands, requests, wishes, states, places without a verb, and prohibitions.

A clause is told by its closed-class words: subject, modal, negation, copula. Each finding is an edge over the tokens; which of
them make up the task is decided in `core.goals.parser.cover`.
"""

from __future__ import annotations

from core.goals.parser.bans import forbidden, kept_out
from core.goals.parser.edges import Edge
from core.goals.parser.needs import made_so
from core.goals.parser.requests import imperative, meanwhile, requested
from core.goals.parser.tokens import Tokens
from core.goals.parser.wishes import brief, stated, wished


def asked(t: Tokens, i: int) -> list[Edge]:
    """Returns what the words from a token on may ask for or forbid."""
    if i not in t.asked:
        rules = (forbidden, imperative, requested, wished, stated, meanwhile, brief, kept_out, made_so)
        t.asked[i] = [edge for find in rules for edge in find(t, i)]
    return t.asked[i]
