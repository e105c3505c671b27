"""Executes a program in the current situation: each call becomes an action, is done, or has failed.

An `Execution` can be deep-copied; an edit keeps the lines above it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.common.errors import UsageError
from core.goals.literals import Goal
from core.llm.grounding import ground, ground_action
from core.planners.progprompt.program import LONGEST_LINE, MOST_LINES, Instruction, Step, holds, read_program, witnesses
from core.planning.exploration import next_look, remembered
from core.planning.facets import LineState, Program, ProgramLine
from core.planning.names import Names
from core.planning.regression import Regression, Stuck
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, ActionSchema, Observation, definite, spaced


# --- names ------------------------------------------------------------------------
class NameResolver:
    """Resolves names among known entities and the words of the goal.

    Args:
        world: all that is known.
        goal: the goal.
        names: the display names.
        regression: estimates the effort to use an entity.
        kept: ids that are already where the goal requires them; they come last.
    """

    def __init__(self, world: KnownWorld, goal: Goal, names: Names, regression: Regression, kept: Collection[str]):
        self._kept, self._regression, self._world = kept, regression, world
        self._ids: dict[str, list[str]] = {spaced(x): [] for literal in goal.literals
                                           for x in (literal.subject, literal.target) if x is not None}
        for entity in world.entities.values():
            for name in dict.fromkeys((entity.name, spaced(entity.cls), spaced(entity.id), names(entity.id))):
                self._ids.setdefault(name, []).append(entity.id)

    def __call__(self, name: str) -> tuple[str, ...]:
        """Returns all ids a name may refer to: those not kept first, then the easiest to use."""
        match = ground(name, tuple(self._ids))
        found = self._ids.get(match.candidate or "", [])
        return tuple(sorted(found, key=lambda i: (i in self._kept, self._regression.effort(self._world.entities[i]), i)))

    def free(self, name: str) -> tuple[str, ...]:
        """Returns the ids of a name that may still be moved."""
        return tuple(i for i in self(name) if i not in self._kept)


# --- one line ---------------------------------------------------------------------
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
            obstacle = self._obstacle(step, schema)
            unread = None if obstacle else Interpretation(said, "", match.score, "none")  # otherwise it was understood
            return Move(None, "failed", f"cannot {said[:60]} now{obstacle}", unread)
        return Move(action, "waiting", "", Interpretation(said, self.names.phrase(action), score, match.how))

    def _obstacle(self, step: Step, schema: ActionSchema) -> str:
        """Returns why a step with the preferred objects is not admissible (`: the fridge is closed`); empty if unknown."""
        agent, puts = self.world.agent, schema.verb.startswith("put")
        for place, name in enumerate(step.names[:len(schema.roles)]):
            known = self.means(name)
            if not known:
                return f": no {name[:60]} is known"
            entity, called = self.world.entities[known[0]], definite(self.names(known[0]))
            is_held = entity.id in agent.holding
            if is_held and schema.verb == "grab":
                return f": {called} is already in hand"
            if puts and place == 0 and not is_held:
                return f": {called} is not in hand"
            if entity.id not in agent.near and not is_held:
                return f": {called} is not in reach"
            if schema.verb == "put_in" and place == 1 and "closed" in entity.states:
                return f": {called} is closed"
        if schema.verb == "grab" and agent.holding:
            return f": {definite(self.names(agent.holding[0]))} is in hand"
        return ""

    def _rank(self, action: Action, step: Step) -> tuple[int, ...]:
        """Returns the sort key of an action: preferred ids of the names first."""
        return tuple(ids.index(arg) if arg in (ids := self.means(name)) else len(ids) + 1
                     for arg, name in zip(action.args, step.names, strict=False))

    def _names_all(self, action: Action, step: Step) -> bool:
        return all(arg in self.means(name) for arg, name in zip(action.args, step.names, strict=False))

    def tried(self, action: Action) -> Action:
        """Returns the key under which a search stores an action."""
        return remembered(action, self.world.agent.room)


# --- the program ------------------------------------------------------------------
class Execution:
    """Executes a program one action at a time.

    Args:
        lines: the code.
    """

    def __init__(self, lines: Sequence[str]):
        self._at = 0
        self._results: dict[int, bool] = {}
        self._tried: frozenset[Action] = frozenset()
        self._spent = 0
        self._expected: Action | None = None
        self._goes_on = False
        self._states: list[LineState] = []
        self._notes: list[str] = []
        self._take(tuple(lines))

    def _take(self, lines: tuple[str, ...]) -> None:
        self.lines = lines
        self._code = read_program(lines)
        fresh: list[LineState] = ["plain" if i.kind == "plain" else "waiting" for i in self._code]
        self._states = [*self._states[:self._at], *fresh[self._at:]]
        self._notes = [*self._notes[:self._at], *("" for _ in lines[self._at:])]

    @property
    def steps(self) -> int:
        """The number of lines with a step."""
        return sum(i.step is not None for i in self._code)

    @property
    def ended(self) -> bool:
        """Whether no line is left."""
        return self._at >= len(self._code)

    def facet(self) -> Program:
        """Returns the program with the state of each line."""
        lines = (ProgramLine(*line) for line in zip(self.lines, self._states, self._notes, strict=True))
        return Program(tuple(lines), self._at, self._spent)

    def failures(self) -> tuple[str, ...]:
        """Returns the failed lines with the reason."""
        found = ((text.strip(), note) for text, state, note in zip(self.lines, self._states, self._notes, strict=True)
                 if state == "failed")
        return tuple(f"{text}: {note}" for text, note in found)

    # --- operator edits ---------------------------------------------------------
    def edit(self, program: Program) -> None:
        """Replaces the program. Lines above the first difference keep their state; lines below are executed again.

        Raises:
            UsageError: there are too many lines, or a line is too long.
        """
        texts = tuple(line.text for line in program.lines)
        if len(texts) > MOST_LINES or any(len(t) > LONGEST_LINE or "\n" in t for t in texts):
            raise UsageError(f"a program has at most {MOST_LINES} lines of {LONGEST_LINE} characters: shorten it")
        same = next((k for k, (a, b) in enumerate(zip(texts, self.lines, strict=False)) if a != b),
                    min(len(texts), len(self.lines)))
        if same <= self._at:
            self._at = same
            self._begin_line()
        self._results = {k: v for k, v in self._results.items() if k < same}
        self._take(texts)

    # --- running ----------------------------------------------------------------
    def run(self, context: StepContext, world: Observation, most: int) -> tuple[Action | None, tuple[Interpretation, ...]]:
        """Continues to the next action.

        Args:
            context: the situation of this turn.
            world: all that is known, merged.
            most: the maximum number of actions of a line; a search that takes longer fails.

        Returns:
            The action, or None if the program has ended; and how names were interpreted on the way.
        """
        interpretations: list[Interpretation] = []
        while not self.ended:
            instruction = self._code[self._at]
            if not self._wanted(instruction):
                self._end_line("skipped", "not needed")
            elif instruction.kind == "plain":
                self._end_line("plain", "")
            elif instruction.kind == "unread":
                self._end_line("skipped", "not understood")
            elif instruction.kind == "check" and self._at not in self._results:
                self._check(instruction, context, world)
            else:
                move = self._step(instruction, context, most)
                if move.taken is not None and not self._spent:
                    interpretations.append(move.taken)
                if move.action is not None:
                    self._expected, self._goes_on, self._notes[self._at] = move.action, move.goes_on, move.note
                    self._tried |= {context.tried(move.action)}
                    return move.action, tuple(interpretations)
                self._end_line(move.state, move.note)
        return None, tuple(interpretations)

    def _wanted(self, instruction: Instruction) -> bool:
        return all(self._results.get(number) == wanted for number, wanted in instruction.guards)

    def _check(self, instruction: Instruction, context: StepContext, world: Observation) -> None:
        """Evaluates the line's condition.

        A condition that is not understood has no result, and the lines under it are skipped.
        """
        if instruction.condition is None:
            self._end_line("skipped", "not understood")
            return
        self._results[self._at] = true = holds(instruction.condition, world, context.means)
        if not true or instruction.step is None:
            known = witnesses(instruction.condition, world, context.means)[:1] if not instruction.condition.negated else ()
            named = f" ({', '.join(map(context.names, known))})" if known else ""
            self._end_line("done", f"holds{named}" if true else "does not hold")

    def _step(self, instruction: Instruction, context: StepContext, most: int) -> Move:
        assert instruction.step is not None, "steps and answered checks with a step"
        if self._spent >= most:
            return Move(None, "failed", f"no success in {most} actions")
        return context.move(instruction.step, self._tried)

    def _end_line(self, state: LineState, note: str) -> None:
        self._states[self._at], self._notes[self._at] = state, note
        self._at += 1
        self._begin_line()

    def _begin_line(self) -> None:
        self._tried, self._spent, self._expected = frozenset(), 0, None

    def update(self, action: Action, reason: str, *, ok: bool) -> None:
        """Processes the outcome of the current line's action.

        After another action (the operator's), the line is evaluated again.
        """
        if action != self._expected or self.ended:
            return
        self._spent, self._expected = self._spent + 1, None
        if not self._goes_on:
            self._end_line("done" if ok else "failed", reason)
