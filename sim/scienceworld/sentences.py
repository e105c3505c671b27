"""Converts between ScienceWorld's sentences and our actions: `pour jug in cup` is pour(jug, cup)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from core.world.vocabulary import Action, ActionSchema

LEFT_OUT = frozenset({"reset task", "task", "inventory"})
"""Templates without an action. `reset task` voids the score; what the others return is in every observation."""
ROLES = {1: ("thing",), 2: ("thing", "other thing")}
SPECIAL = {"go": ("room",), "pour": ("thing", "vessel"), "move": ("thing", "place"), "dunk": ("thing", "vessel")}
HELP = {
    "focus_on": "says what the experiment is about; a wrong one ends the episode at -100", "wait": "lets ten moments pass",
    "wait1": "lets one moment pass", "look_around": "costs no move", "connect": "joins two terminals",
}
RESTART = ActionSchema("restart", (), "restart", "starts the episode over; costs no move")
FREE = ActionSchema("do", ("sentence",), "{0}", "any sentence that ScienceWorld understands")


def verb_of(template: str) -> str:
    """Returns the verb of a template: `pour OBJ in OBJ` -> `pour`; `pick up OBJ` -> `pick_up`."""
    return template.split(" OBJ", 1)[0].replace(" ", "_")


class Grammar:
    """The templates of one world."""

    def __init__(self, templates: Iterable[tuple[int, str]]):
        kept = sorted((verb_of(text), number, text) for number, text in templates if text not in LEFT_OUT)
        self._verbs = {number: verb for verb, number, _ in kept}
        self._patterns = {number: re.compile(re.escape(text).replace("OBJ", "(.+)")) for _, number, text in kept}
        self.schemas = (*(_schema(verb, text) for verb, _, text in kept), FREE, RESTART)
        self.arity = {schema.verb: len(schema.roles) for schema in self.schemas}

    def phrases(self, number: int, sentence: str) -> tuple[str, ...]:
        """Returns the names of the objects in a valid sentence."""
        found = self._patterns[number].fullmatch(sentence) if number in self._patterns else None
        return found.groups() if found else ()

    def action(self, number: int, objects: Iterable[str], ids: Mapping[str, str]) -> Action | None:
        """Returns a valid combination as an action; None if its template is left out."""
        verb = self._verbs.get(number)
        return Action(verb, tuple(ids[o] for o in objects)) if verb is not None else None


def _schema(verb: str, text: str) -> ActionSchema:
    count = text.count("OBJ")
    roles = SPECIAL.get(verb, ROLES.get(count, ()))
    return ActionSchema(verb, roles, text.replace("OBJ", "{0}", 1).replace("OBJ", "{1}", 1), HELP.get(verb, ""))
