"""ScienceWorld's sentences as our actions (`pour jug in cup` is pour(jug, cup)), which are valid now, and which were refused.

The engine's interface returns a text and no success flag. Internally its actions return (text, false) for the texts listed as
refusals, and true for a broken device. Patterns match the whole answer, because what is read or seen may quote any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from core.world.vocabulary import ADMISSIBLE, Action, ActionSchema, Verdict
from sim.needs import wrong_call
from sim.scienceworld import java_process, observation
from sim.scienceworld.java_process import Machine
from sim.scienceworld.observation import Moment, Names

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
VOID = "reset task"
"""The sentence that would void the score."""


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
        self.verbs = {schema.verb: schema for schema in self.schemas}

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


class Offers:
    """The valid actions.

    Java is asked once per moment and only on demand, because listing takes several times as long as a step.
    """

    def __init__(self, java: Machine, grammar: Grammar):
        self.grammar = grammar
        self._java = java
        self._listed: tuple[Moment, Mapping[Action, str]] | None = None

    def verdict(self, action: Action, now: Moment, names: Names, patience: float) -> Verdict:
        """Returns whether an action is listed. Free sentences are only judged when they are tried.

        Raises:
            SimulatorError: Java has ended, or is busy for longer than `patience` seconds.
        """
        refusal = wrong_call(action, self.grammar.verbs.get(action.verb), self.grammar.verbs)
        if refusal is not None:
            return refusal
        if action.verb == RESTART.verb:
            return ADMISSIBLE
        if action.verb == FREE.verb:
            return _free(action.args[0])
        if action in self.sentences(now, names, patience):
            return ADMISSIBLE
        things = {*now.ids.values(), *now.held.values()}
        absent = [a for a in action.args if a not in things]
        if absent:
            return Verdict(False, "in sight", f"{absent[0].replace('_', ' ')} is not in sight")
        return Verdict(False, "valid", f"ScienceWorld does not offer '{self._phrase(action)}' here")

    def sentence(self, action: Action, now: Moment, names: Names, patience: float) -> str:
        """Returns the sentence that ScienceWorld is sent for an admissible action."""
        return action.args[0] if action.verb == FREE.verb else self.sentences(now, names, patience)[action]

    def sentences(self, now: Moment, names: Names, patience: float) -> Mapping[Action, str]:
        """Returns every valid action with its sentence.

        Raises:
            SimulatorError: Java has ended, or is busy for longer than `patience` seconds.
        """
        if self._listed is None or self._listed[0] is not now:
            self._listed = now, self._actions(self._java.ask(java_process.valid, patience), now, names)
        return self._listed[1]

    def _actions(self, found: list[tuple[str, int, tuple[str, ...]]], now: Moment, names: Names) -> dict[Action, str]:
        """Returns sentences by action, in a fixed order.

        ScienceWorld also lists sentences about objects that are out of sight (bees in a closed hive). They are left out.
        """
        things, text = {*now.ids.values(), *now.held.values()}, f"{now.look}\n{now.inventory}"
        actions: dict[Action, str] = {}
        for sentence, number, objects in sorted(found):
            phrases = dict(zip(objects, self.grammar.phrases(number, sentence), strict=False))
            if not all(names.known(o, p) in things or observation.mentions(text, p) for o, p in phrases.items()):
                continue
            ids = {o: names.known(o, p) for o, p in phrases.items()}
            action = self.grammar.action(number, objects, ids) if len(ids) == len(set(objects)) else None
            if action is not None:
                actions.setdefault(action, sentence)
        return actions

    def _phrase(self, action: Action) -> str:
        return self.grammar.verbs[action.verb].phrase(tuple(a.replace("_", " ") for a in action.args))


def _free(text: str) -> Verdict:
    if not text.strip():
        return Verdict(False, "sentence", "say what to do, such as 'open door to kitchen'")
    if " ".join(text.split()) == VOID:
        return Verdict(False, "sentence", f"'{VOID}' would void the score: go back to an earlier turn instead")
    return ADMISSIBLE


THING = r"[^\n.:]+?"
NOT_UNDERSTOOD = "sentence"
PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (NOT_UNDERSTOOD, (
        r"No known action matches that input\.", r"Unknown action\..*", r"Ambiguous request:.*",
        r"I'm not sure what that means", r"ERROR: .*", r"<ERROR> .*", r"<unknown catch>", r"Empty action \(.*\)\.",
    )),
    ("open", (
        rf"That can't be moved there, because the {THING} isn't open\.", rf"The {THING} isn't open, so you can't see inside\.",
        rf"The {THING} can't be poured out, because it's not open\.", rf"The {THING} is not open\.",
        rf"The {THING} is (?:locked|not currently passable)\.",
    )),
    ("moveable", (
        rf"The {THING} is not moveable\.", rf"The {THING} the {THING} is in is not movable\.",
        rf"The liquids in {THING} aren't able to move\.", r"You can't pick up a liquid directly\..*",
        r"You can't pick up a gas directly\.", r"I'm not sure how to pour a solid\.", r"You can't pour a gas directly\.",
    )),
    ("container", (
        r"That can't be moved there\.", r"That can't be moved there, because it's not a container\.",
        rf"The {THING} is not a container\.",
        rf"The {THING} can't be poured out because it doesn't appear to be in a container\.",
        r"It's not clear how to look inside of that\.",
    )),
    ("another thing", (
        r"You can't move something into itself\.", r"You can't dunk something into itself\.",
        r"Something can't be connected to itself\.",
    )),
    ("filled", (
        rf"The {THING} is empty, so there's nothing to pour\.", rf"The {THING} does not contain any liquids to dunk into\.",
        r"That container is empty, so there are no items to mix\.", rf"There is only one thing \({THING}\)",
    )),
    ("not already so", (
        rf"The {THING} is already (?:open|closed|activated|deactivated)\.", r"That is already flushing\.",
        r"That object already appears to be in the inventory\.",
        rf"{THING} is already connected, and must be disconnected before it can be connected to something else",
    )),
    ("held", (r"That object does not appear to be in the inventory\.",)),
    ("working", (rf"The {THING} appears broken, and can't be activated or deactivated\.",)),
    ("a way", (
        r"It's not clear how to get there from here\.", rf"Its not clear how to go to(?:/through a)? {THING}\.",
        r"The door doesn't appear to go anywhere\.",
    )),
    ("made for it", (
        rf"The {THING} is not (?:openable|closeable|edible)\.", rf"The {THING} is not something that can be activated\.",
        rf"I'm not sure how to use the {THING}\.", r"I'm not sure how to use those two things together\.",
        r"It's not clear how to (?:flush|read|disconnect) that\.?", rf"It's not clear how to connect something to {THING}",
        r"Connections must specify specific points of contact on [^\n]+", r"That is not flammable\.",
        rf"You must disconnect entire objects \({THING}\) instead of just single terminals",
        r"It's not clear how to (?:use an axe with|shovel) that\.",
    )),
)
"""Short name of what is missing -> the answers that say so."""
COMPILED = tuple((missing, re.compile("|".join(f"(?:{p})" for p in patterns), re.DOTALL)) for missing, patterns in PATTERNS)


def missing_for(reply: str) -> str:
    """Returns the short name of what was missing if an answer is a refusal; empty if something was done."""
    whole = re.sub(" +", " ", reply).strip()
    return next((missing for missing, pattern in COMPILED if pattern.fullmatch(whole)), "")
