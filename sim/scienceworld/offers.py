"""The admissible sentences: what ScienceWorld lists as valid, and the reason if an action is refused."""

from __future__ import annotations

from collections.abc import Mapping

from core.world.vocabulary import ADMISSIBLE, Action, Verdict
from sim.scienceworld import machine, reading
from sim.scienceworld.machine import Machine
from sim.scienceworld.moment import Moment, Names
from sim.scienceworld.sentences import FREE, RESTART, Grammar

VOID = "reset task"


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
        count = self.grammar.arity.get(action.verb)
        if count is None:
            return Verdict(False, "verb", f"unknown verb '{action.verb}': this world knows {', '.join(self.grammar.arity)}")
        if len(action.args) != count:
            words = "name" if count == 1 else "names"
            return Verdict(False, "arguments", f"'{action.verb}' takes {count} {words}, not {len(action.args)}")
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
            self._listed = now, self._actions(self._java.ask(machine.valid, patience), now, names)
        return self._listed[1]

    def _actions(self, found: list[tuple[str, int, tuple[str, ...]]], now: Moment, names: Names) -> dict[Action, str]:
        """Returns sentences by action, in a fixed order.

        ScienceWorld also lists sentences about objects that are out of sight (bees in a closed hive). They are left out.
        """
        things, text = {*now.ids.values(), *now.held.values()}, f"{now.look}\n{now.inventory}"
        actions: dict[Action, str] = {}
        for sentence, number, objects in sorted(found):
            phrases = dict(zip(objects, self.grammar.phrases(number, sentence), strict=False))
            if not all(names.known(o, p) in things or reading.mentions(text, p) for o, p in phrases.items()):
                continue
            ids = {o: names.known(o, p) for o, p in phrases.items()}
            action = self.grammar.action(number, objects, ids) if len(ids) == len(set(objects)) else None
            if action is not None:
                actions.setdefault(action, sentence)
        return actions

    def _phrase(self, action: Action) -> str:
        schema = next(s for s in self.grammar.schemas if s.verb == action.verb)
        return schema.phrase(tuple(a.replace("_", " ") for a in action.args))


def _free(text: str) -> Verdict:
    if not text.strip():
        return Verdict(False, "sentence", "say what to do, such as 'open door to kitchen'")
    if " ".join(text.split()) == VOID:
        return Verdict(False, "sentence", f"'{VOID}' would void the score: go back to an earlier turn instead")
    return ADMISSIBLE
