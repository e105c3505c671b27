"""The execution state of a program: the next line and the result of each line.

Deep-copyable; an edit keeps the lines above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.common.errors import UsageError
from core.planners.progprompt.program import LONGEST_LINE, MOST_LINES, Instruction, holds, read_program
from core.planners.progprompt.recorded_types import Program
from core.planners.progprompt.stepper import Interpretation, Move, StepContext
from core.planning.facets import LineState, ProgramLine
from core.world.vocabulary import Action, Observation


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
        return Program(tuple(lines), self._at)

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
            self._end_line("done", "holds" if true else "does not hold")

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

    def hear(self, action: Action, reason: str, *, ok: bool) -> None:
        """Processes the outcome of the current line's action.

        After another action (the operator's), the line is evaluated again.
        """
        if action != self._expected or self.ended:
            return
        self._spent, self._expected = self._spent + 1, None
        if not self._goes_on:
            self._end_line("done" if ok else "failed", reason)
