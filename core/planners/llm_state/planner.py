"""LLM-State: a language model maintains objects with open attributes and a retrospective summary, and plans from them.

Chen, Xiao, Hsu: LLM-State: Open World State Representation for Long-horizon Task Planning with Large Language Model (2024),
algorithm 1. Attention adds objects, the estimator processes the whole history each time, the policy writes a plan of calls. The
state is estimated again when an action failed or the plan is used up.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.llm.grounding.choices import CallNames
from core.planners.llm_state import offline as offline  # registers the offline answers
from core.planners.llm_state.calls import DONE, Vocabulary, read_calls
from core.planners.llm_state.prompts import ParsedReply, PromptBuilder
from core.planners.llm_state.recorded_types import PastSummary, StateDictionary, StateHistory
from core.planners.llm_state.state import (
    ATTENTION,
    REASONS,
    UPDATES,
    Memory,
    PlanProgress,
    checked,
    related,
    with_attention,
    with_estimate,
    with_things,
)
from core.planners.llm_state.why import why
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Grounded, Plan, Steps
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, RestartingPlanner, Sent, Turn, Yielded
from core.world.affordances import useful
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

USED_UP, FAILED, FIRST, OPERATOR = "the plan is used up", "an action failed", "the first look", "the operator changed something"
AS_PLANNED = "as planned"
NOTE = "\n(The last answer held no call that could be followed: use the functions above, with names from the lists.)"
MOST_SUMMARIES = 200
"""The maximum number of summaries that are kept to be shown."""
LOST = 12
"""Refusals in a row after which the planner makes a random move instead of following the model."""


@dataclass(frozen=True)
class LlmStateParameters(Parameters):
    """Parameters of the state, the prompts and the plans."""

    states: bool = parameter(True, "keep a state at all: off, the policy gets the observation and the history alone")
    summary: bool = parameter(True, "keep the retrospective summary, where failures are thought about")
    objects: bool = parameter(True, "keep entries of objects with their attributes")
    feedback: str = parameter("reasons", "what the history tells of a failure: the world's reason, or just the failure (paper)",
                              choices=("reasons", "binary"))
    affordances: bool = parameter(True, "prompts list what can be opened, switched and so on, not only containers and surfaces")
    approach: bool = parameter(True, "a call about something out of reach walks there first")
    attend: str = parameter("news", "ask for related objects when there is something new, or always (the paper)",
                            choices=("news", "always"))
    sources: bool = parameter(True, "the history says where a picked-up object lay; off in the paper")
    open_names: bool = parameter(False, "names that match no object seen so far are kept in the dictionary; on in the paper")
    hypotheses: bool = parameter(False, "calls about objects not seen yet stay in the plan and are tried; on in the paper")
    finish: bool = parameter(True, "plans may call done() when the task is finished; the paper has no such function")
    plan_length: int = parameter(19, "most calls of a plan", low=1, high=60)
    tries: int = parameter(3, "rounds of questions in one turn before it looks around by chance instead", low=1, high=10)
    temperature: float = parameter(0.0, "temperature of all answers; -1: as the model is set", low=-1, high=2)


TUNED = LlmStateParameters()
PAPER = LlmStateParameters(feedback="binary", affordances=False, approach=False, attend="always", sources=False,
                           open_names=True, hypotheses=True, finish=False)
PRESETS = {
    "tuned": TUNED,
    "paper": PAPER,
    "no-states": replace(TUNED, states=False),
    "no-summary": replace(TUNED, summary=False),
    "no-objects": replace(TUNED, objects=False),
    "paper-no-states": replace(PAPER, states=False),
    "paper-no-summary": replace(PAPER, summary=False),
    "paper-no-objects": replace(PAPER, objects=False),
}
"""The presets without states, summary or objects are the ablations of table II: of `tuned`, and of `paper`."""


class LlmState(RestartingPlanner):
    """Plans from a dictionary of objects and attributes that a language model maintains."""

    name: ClassVar[str] = "llm-state"
    title: ClassVar[str] = "LLM-State"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({StateDictionary, StateHistory, Steps, Plan, GoalProgress, Grounded})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({StateDictionary})
    presets: ClassVar[Mapping[str, Parameters]] = PRESETS
    asks: ClassVar[bool] = True
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    parameters: LlmStateParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the plan, the call that wrote it, and what that call was told."""
        return why(decision, other)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        self._schemas = schemas
        self._goal, self._words = goal, Vocabulary(useful(schemas, goal.verbs))
        self._memory = Memory(goal, self._words)
        self._dictionary, self._progress = StateDictionary(), PlanProgress()
        self._summaries: tuple[PastSummary, ...] = ()
        self._shown_history: StateHistory | None = None
        self._queue: tuple[tuple[str, tuple[str, ...]], ...] = ()
        self._attended: frozenset[str] = frozenset()
        self._because = FIRST
        self._estimated = 0
        """How many actions of the history the last estimate knew."""
        self._turn = 0
        self.reseed(seed)

    def reseed(self, round_: int) -> None:
        """Switches to another stream of random numbers."""
        self._rng = np.random.default_rng((round_, 223))

    # --- operator edits -------------------------------------------------------
    def accept(self, facet: Facet) -> None:
        """Applies an operator's dictionary and restarts a decision in progress.

        What was done since the last estimate is estimated first, which keeps the operator's edits. Otherwise the dictionary is
        not estimated again.

        Raises:
            UsageError: the dictionary is not valid.
        """
        if not isinstance(facet, StateDictionary):
            super().accept(facet)
            return
        self._dictionary = with_things(checked(facet), CallNames(self._memory.world.entities.values()))
        self._keep_summary("")
        self._memory.drop()
        self._queue = ()
        self.restart()
        self._because = OPERATOR if self._memory.deeds[self._estimated:] else ""
        self._progress.end(OPERATOR)

    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal; dictionary and history are kept."""
        self._goal, self._queue = goal, ()
        self._words = Vocabulary(useful(self._schemas, goal.verbs))
        self.restart()
        self._because, self._attended = OPERATOR, frozenset()
        self._memory.new_goal(goal, self._words)
        self._progress.end(OPERATOR)

    def ban(self, actions: frozenset[Action]) -> None:
        """Bans actions. The decision in progress goes on: a banned action of its plan fails when its turn comes."""
        Planner.ban(self, actions)

    def update(self, outcome: Outcome) -> None:
        """Records the executed action, no matter who chose it."""
        p = self.parameters
        self._memory.update(outcome, reasons=p.feedback == "reasons", sources=p.sources)
        if not outcome.ok:
            self._queue, self._because = (), FAILED
            mine = self._memory.as_planned
            self._progress.end(outcome.reason if mine else OPERATOR, failed=mine)
        elif not self._memory.as_planned:
            self._queue, self._because = (), OPERATOR
            self._progress.end(OPERATOR)
        elif not self._queue and not self._memory.under_way:
            self._progress.end()

    # --- a turn -----------------------------------------------------------------
    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal and the history. Updating the dictionary would take a model request."""
        self._memory.see(observation)
        return GoalProgress(self._memory.progress()), *self._history()

    def look(self, observation: Observation) -> None:
        """Processes the observation of the next turn."""
        self._turn += 1
        self._memory.see(observation)

    def attempt(self) -> Turn:
        """Follows the plan, or requests another one; after too many failures, decides for a random walk."""
        reports = GoalProgress(self._memory.progress())
        yield reports
        yield from self._history()
        if reports.reached:
            return Decision(None, "the goal is reached")
        if self._memory.failures >= LOST:
            return self._random_walk(f"{self._memory.failures} actions in a row failed")
        for tried in range(self.parameters.tries):
            if not self._queue and not self._memory.under_way:
                over = yield from self._replan(NOTE if tried else "")
                if over or self.interrupted():
                    return Decision(None, over) if over else None
            if self._start_next_call():
                action = self._memory.under_way[0]
                yield from self._history()
                yield self._progress.steps
                yield Plan(self._remaining_actions(), self._because or AS_PLANNED)
                return Decision(action, f"{AS_PLANNED}, {len(self._queue)} more to do")
        return self._random_walk("the model gave no plan that could be followed")

    def _start_next_call(self) -> bool:
        """Starts the next action of the plan. Returns True if there is one; an action the operator forbids fails."""
        memory = self._memory
        while not memory.under_way and self._queue:
            self._progress.reach(len(self._progress.steps.lines) - len(self._queue))
            (call, args), self._queue = self._queue[0], self._queue[1:]
            memory.start(call, self._found_since(args), approach=self.parameters.approach)
        if memory.under_way and memory.under_way[0] in self.banned:
            memory.deny(reasons=self.parameters.feedback == "reasons")
            self._queue, self._because = (), FAILED
            self._progress.end("denied by the operator", failed=True)
        return bool(memory.under_way)

    def _found_since(self, args: tuple[str, ...]) -> tuple[str, ...]:
        """Returns the arguments of a call, hypothesised names replaced by ids if such objects were seen since the plan."""
        world = self._memory.world.entities
        if not self.parameters.hypotheses or all(arg in world for arg in args):
            return args
        names = CallNames(world.values())
        return tuple(arg if arg in world else names.find(arg) or arg for arg in args)

    def _remaining_actions(self) -> tuple[Action, ...]:
        """Returns the rest of the plan as actions of the world."""
        verbs = self._words.verbs
        return (*self._memory.under_way, *(Action(verbs[call], args) for call, args in self._queue if call in verbs))

    def _random_walk(self, why: str) -> Decision:
        """Decides for a random walk, which is harmless and may show something new."""
        world, near = self._memory.world.merged(), self._memory.world.agent.near
        here = world.agent.room
        goals = [e.id for e in world.entities if (e.category == "room" and e.id != here)
                 or (e.category == "furniture" and e.room == here and e.id not in near[:1])]
        goals = [g for g in goals if Action("walk", (g,)) not in self.banned]
        self._memory.drop()
        self._progress.end(why)
        self._queue, self._because = (), USED_UP
        if not goals or "move" not in self._words.verbs:
            return Decision(None, f"{why}, and there is nowhere to go")
        target = goals[int(self._rng.integers(len(goals)))]
        self._memory.start("move", (target,), approach=False)
        return Decision(self._memory.under_way[0], f"looking around by chance: {why}")

    # --- model requests -----------------------------------------------------------
    def _replan(self, note: str) -> Generator[Yielded, Sent, str]:
        """Requests attention, estimate and plan. Returns why the episode is over, if the model says so twice; else ""."""
        p = self.parameters
        yield self._progress.steps
        view = self._memory.prompt_view(affordances=p.affordances)
        questions = PromptBuilder(self._goal, view, self._memory.deeds, p.temperature, p.states, p.summary, p.objects,
                                  p.finish)
        names = CallNames(self._memory.world.entities.values())
        if p.states:
            yield from self._attend(questions, names)
            if not self.interrupted():
                yield from self._estimate(questions, names)
            if self.interrupted():
                return ""
            yield self._dictionary
            yield from self._history()
        ask = questions.policy(self._dictionary, self._words, p.plan_length, note)
        parsed = yield from self._request(ask, self._words.names if p.finish else self._words.names - {DONE})
        if self.interrupted():
            return ""
        found = [(c.name, self._words.grounded(c, names, hypotheses=p.hypotheses)) for c in parsed.calls]
        known = [(call, args) for call, args in found if args is not None][: p.plan_length]
        yield Grounded((parsed.grounding(len([1 for _, args in found if args is not None])),))
        self._because = USED_UP
        if known and known[0][0] == DONE:
            return self._handle_done()
        self._queue = tuple(k for k in known if k[0] != DONE)
        self._progress.begin(self._queue)
        return ""

    def _handle_done(self) -> str:
        """Handles the model's claim that the task is finished. The first time, the next prompt says that it is not."""
        if self._memory.last_was(DONE):
            return "the model says that nothing is left to do"
        self._memory.note(DONE, (), ok=False, note="the task is not finished yet")
        return ""

    def _attend(self, questions: PromptBuilder, names: CallNames) -> Generator[Yielded, Sent, None]:
        known = frozenset(self._memory.world.entities)
        if not self.parameters.objects or (known <= self._attended and self.parameters.attend == "news"):
            return
        parsed = yield from self._request(questions.attention(self._dictionary), ATTENTION)
        if self.interrupted():
            return
        self._attended = known
        things = related(parsed.calls, names, self._dictionary, open_names=self.parameters.open_names)
        self._dictionary = with_attention(self._dictionary, things, self._turn)
        yield Grounded((parsed.grounding(),))

    def _estimate(self, questions: PromptBuilder, names: CallNames) -> Generator[Yielded, Sent, None]:
        p = self.parameters
        if not self._because or not (p.summary or p.objects):
            return
        parsed = yield from self._request(questions.estimate(self._dictionary), UPDATES | REASONS)
        if self.interrupted():
            return
        self._estimated = len(self._memory.deeds)
        self._dictionary = with_estimate(self._dictionary, parsed.calls, names, self._turn, self._because,
                                         summary=p.summary, objects=p.objects, open_names=p.open_names)
        self._keep_summary(self._because)
        yield Grounded((parsed.grounding(),))

    def _history(self) -> Iterator[StateHistory]:
        """Yields the history, unless it was shown already."""
        now = StateHistory(self._memory.deeds, self._summaries)
        if now != self._shown_history:
            self._shown_history = now
            yield now

    def _keep_summary(self, because: str) -> None:
        """Adds the present summary to those of the episode, if it is another one than the last."""
        text = self._dictionary.summary
        if text != (self._summaries[-1].text if self._summaries else ""):
            self._summaries = (*self._summaries[1 - MOST_SUMMARIES:], PastSummary(text, self._turn, because))

    @staticmethod
    def _request(ask: ModelRequest, allowed: frozenset[str]) -> Generator[Yielded, Sent, ParsedReply]:
        reply = yield ask
        assert isinstance(reply, ModelReply), "one question, one reply"
        said = reply.texts[0] if reply.texts else ""
        return ParsedReply(ask, said, *read_calls(said, allowed), reply.note if reply.misfit == "empty" else "")
