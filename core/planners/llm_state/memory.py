"""The memory that LLM-State itself keeps: observations, action history, and the current call."""

from __future__ import annotations

from core.goals.literals import Goal, LiteralProgress
from core.goals.tracker import GoalTracker
from core.planners.llm_state.calls import Vocabulary
from core.planners.llm_state.prompts import seen_only
from core.planners.llm_state.recorded_types import Deed
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, Observation, Outcome

MOST_DEEDS = 400
"""The maximum number of calls in the prompt: the latest. An episode in the paper has fewer than 200."""
DENIED = "denied"


class Memory:
    """The accumulated observation and the action history A_h.

    Attributes:
        world: all observations, merged.
        deeds: every call with its result, oldest first.
        under_way: the remaining world actions of the current call, the next one first.
        failures: the number of consecutive failed calls.
        as_planned: True if the last action was the one this planner chose.
    """

    def __init__(self, goal: Goal, words: Vocabulary):
        self.world = KnownWorld()
        self.deeds: tuple[Deed, ...] = ()
        self.under_way: tuple[Action, ...] = ()
        self.failures, self.as_planned = 0, True
        self._words = words
        self._aim = GoalTracker(goal)
        self._call: tuple[str, tuple[str, ...]] = ("", ())

    def see(self, observation: Observation) -> None:
        """Processes an observation."""
        self.world.see(observation)
        self._aim.see(self.world)

    def new_goal(self, goal: Goal) -> None:
        """Replaces the goal; the record of the past for goals starts again."""
        self._aim, self.under_way = GoalTracker(goal), ()
        self._aim.see(self.world)

    def progress(self) -> tuple[LiteralProgress, ...]:
        """Returns the progress of the goal, as far as it is known."""
        return self._aim.progress()

    def told(self, *, affordances: bool) -> Observation:
        """Returns the part of the observation that prompts contain."""
        return seen_only(self.world.merged(), affordances=affordances)

    def start(self, call: str, args: tuple[str, ...], *, approach: bool) -> bool:
        """Starts a call. Returns False, and records the call as done, if it needs no action."""
        self.under_way = self._words.steps(call, args, self.world.merged(), approach=approach)
        self._call = (call, args)
        if not self.under_way:
            self.note(call, args, ok=True)
        return bool(self.under_way)

    def drop(self) -> None:
        """Discards the current call: its next action was denied, or a new plan is made."""
        self.under_way = ()

    def deny(self) -> None:
        """Records the current call as failed because the operator forbids its next action (paper, section V-B)."""
        self.under_way = ()
        self.note(*self._call, ok=False, why=DENIED, note="denied by the operator")
        self.failures += 1

    def hear(self, outcome: Outcome, *, reasons: bool) -> None:
        """Processes the outcome of the expected action or of the operator's action."""
        action = outcome.action
        self.as_planned = bool(self.under_way) and action == self.under_way[0]
        call, args = self._call if self.as_planned else (self._words.call_of(action), action.args)
        self.under_way = self.under_way[1:] if self.as_planned and outcome.ok else ()
        self.failures = 0 if outcome.ok else self.failures + 1
        if self.under_way:
            return
        grabbed = outcome.ok and action.verb == "grab" and action.args
        place = self.world.place_of(action.args[0]) if grabbed else None
        why, note = (outcome.precondition, outcome.reason) if reasons and not outcome.ok else ("", "")
        self.note(call, args, ok=outcome.ok, why=why, note=note, source=place[0] if place else "")

    def note(self, call: str, args: tuple[str, ...], *, ok: bool, why: str = "", note: str = "", source: str = "") -> None:
        """Appends a call to the history."""
        self.deeds = (*self.deeds[1 - MOST_DEEDS:], Deed(call, args, ok, why, note, source))

    def last_was(self, call: str) -> bool:
        """Returns True if this was the last call."""
        return bool(self.deeds) and self.deeds[-1].call == call
