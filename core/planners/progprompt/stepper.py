"""Resolves a call of a program in the current situation: to an action, to done, or to failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.grounding import ground, ground_action
from core.planners.progprompt.name_resolution import NameResolver
from core.planners.progprompt.program import Step
from core.planning.exploration import next_look, remembered
from core.planning.facets import LineState
from core.planning.regression import Regression, Stuck
from core.search.translation import Names
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, ActionSchema, Observation

FIND, WALK = "find", "walk"
SURE = 0.7
"""The minimum score at which an interpretation is accepted."""
ALIASES = {
    "turnon": "switch on", "turnoff": "switch off", "goto": "walk", "walkto": "walk", "walktowards": "walk", "moveto": "walk",
    "navigate": "walk", "walktoobject": "walk", "walktoroom": "walk", "pickup": "grab", "take": "grab", "pick": "grab",
    "putback": "put on", "placein": "put in", "placeon": "put on", "putinside": "put in", "cut": "slice", "scanroom": "scan",
    "put": "put on", "place": "put on", "search": FIND, "locate": FIND, "lookfor": FIND,
}


@dataclass(frozen=True, slots=True)
class Interpretation:
    """How the words of a line were interpreted, with the score."""

    said: str
    meant: str
    score: float
    how: str


@dataclass(frozen=True, slots=True)
class Move:
    """What to do about a line: an action, or its end with the reason.

    Attributes:
        action: the action; None if the line ends.
        state: the state of the line.
        note: the reason or a remark.
        taken: how the names were interpreted.
        goes_on: True if the line continues after this action, until it finds that it is done.
    """

    action: Action | None = None
    state: LineState = "done"
    note: str = ""
    taken: Interpretation | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class StepContext:
    """The situation of a turn.

    Attributes:
        world: all that is known.
        seen: the observation.
        possible: the possible actions.
        schemas: the verbs.
        names: the display names.
        means: resolves names to ids.
        regression: plans ways to an entity.
        without: banned and refused actions.
        finds: True if `find` may be used.
    """

    world: KnownWorld
    seen: Observation
    possible: tuple[Action, ...]
    schemas: tuple[ActionSchema, ...]
    names: Names
    means: NameResolver
    regression: Regression
    without: frozenset[Action]
    finds: bool

    def move(self, step: Step, tried: frozenset[Action]) -> Move:
        """Returns the next action of a step; `tried` are the walks its search has already made."""
        wanted = ALIASES.get(step.verb.lower().replace("_", ""), step.verb)
        if wanted == FIND:
            return self._find(step, tried) if self.finds else Move(None, "failed", "there is no find here")
        verbs = {s.verb.replace("_", " "): s for s in self.schemas}
        match = ground(wanted, tuple(verbs))
        if match.candidate is None or match.score < SURE:
            return Move(None, "failed", f"no action is called {step.verb[:40]}")
        schema = verbs[match.candidate]
        return self._walk(step) if schema.verb == WALK and step.names else self._act(step, schema)

    # --- movement -----------------------------------------------------------------
    def _find(self, step: Step, tried: frozenset[Action]) -> Move:
        """Walks to an object; if no usable one is known, searches for it first."""
        name = step.names[0] if step.names else ""
        ids = self.means.free(name)
        if ids:
            return self._approach(ids, name, uncover=True)
        action = next_look(self.world, frozenset(s.verb for s in self.schemas), self.without, tried,
                           partial=self.seen.partial)
        if action is not None:
            return Move(action, "waiting", f"looking for {name}", goes_on=True)
        if self.means(name):
            return self._approach(self.means(name), name, uncover=True)
        return Move(None, "failed", "not found anywhere")

    def _walk(self, step: Step) -> Move:
        name = step.names[-1]
        ids = self.means.free(name) or self.means(name)
        return self._approach(ids, name, uncover=False) if ids else Move(None, "failed", "not seen yet")

    def _approach(self, ids: Sequence[str], name: str, *, uncover: bool) -> Move:
        """Returns the way to the first of these entities that can be reached."""
        room, reason = self.world.agent.room, ""
        for target in ids:
            entity = self.world.entities[target]
            if target in self.world.agent.holding or (entity.category == "room" and target == room):
                return Move(None, "done", "", Interpretation(name, self.names(target), 1.0, "exact"))
            try:
                action = self._towards(target, uncover=uncover)
            except Stuck as stuck:
                reason = str(stuck)
                continue
            taken = Interpretation(name, self.names(target), 1.0, "exact")
            if action is None:
                return Move(None, "done", "", taken)
            if action not in self.without:
                return Move(action, "waiting", f"to the {self.names(target)}", taken, goes_on=True)
            reason = f"cannot {self.names.phrase(action)} now"
        return Move(None, "failed", reason)

    def _towards(self, target: str, *, uncover: bool) -> Action | None:
        if self.world.entities[target].category == "room":
            return Action(WALK, (target,))
        first = self.regression.uncovered(target) if uncover else None
        return first or self.regression.touched(target)

    # --- other actions --------------------------------------------------------------
    def _act(self, step: Step, schema: ActionSchema) -> Move:
        """Returns the possible action of this verb that the names refer to."""
        if len(step.names) < len(schema.roles):
            return Move(None, "failed", f"{schema.verb.replace('_', ' ')} needs {' and '.join(schema.roles)}")
        said = schema.phrase(tuple(step.names[:len(schema.roles)]))
        mine = [action for action in self.possible if action.verb == schema.verb]
        ordered = sorted(mine, key=lambda a: self._rank(a, step))
        match = ground_action(said, [(a, self.names.phrase(a)) for a in ordered])
        exact = next((a for a in ordered if self._names_all(a, step)), None)
        action, score = (exact, max(match.score, SURE)) if exact is not None else (match.candidate, match.score)
        if action is None or score < SURE or (exact is None and step.names and not self._names_all(action, step)):
            return Move(None, "failed", f"cannot {said[:60]} now", Interpretation(said, "", match.score, "none"))
        return Move(action, "waiting", "", Interpretation(said, self.names.phrase(action), score, match.how))

    def _rank(self, action: Action, step: Step) -> tuple[int, ...]:
        """Returns the sort key of an action: preferred ids of the names first."""
        return tuple(ids.index(arg) if arg in (ids := self.means(name)) else len(ids) + 1
                     for arg, name in zip(action.args, step.names, strict=False))

    def _names_all(self, action: Action, step: Step) -> bool:
        return all(arg in self.means(name) for arg, name in zip(action.args, step.names, strict=False))

    def tried(self, action: Action) -> Action:
        """Returns the key under which a search stores an action."""
        return remembered(action, self.world.agent.room)
