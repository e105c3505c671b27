"""A language model as a policy, and as a world model with an algorithm, on the problems of the decision lab.

LLM-MCTS, sections 1 and 4. The policy asks for the whole answer: one entry of a table with an entry for each problem. The model
asks for small facts (products of two digits, the direct flights of one city) and computes the answer from them (written
multiplication, uniform-cost search).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.decision_lab import offline as offline  # registers the offline answers
from core.planners.decision_lab import uniform_cost
from core.planners.decision_lab.problem import Answer, Journey, Multiplication, Problem, problem_in
from core.planners.decision_lab.questions import (
    flights_answer,
    flights_request,
    product_answer,
    product_request,
    whole_answer,
    whole_request,
)
from core.planners.decision_lab.written_multiplication import entries_for, multiplied
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Facet, LineState, Plan, ProgramLine, Steps
from core.planning.model_requests import ModelReply
from core.planning.planner import Decision, Planner, Sent, Thought, Yielded
from core.planning.sentences import replied, said, words
from core.views.wording import count
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

NO_PROBLEM = "this planner answers the questions of the decision lab, and this world asks none"
Work = Generator[Yielded, Sent, tuple[str, ...]]
"""Works out an answer: the product as one item, or the cities of a path; empty if there is none."""


@dataclass(frozen=True)
class LabParameters(Parameters):
    """Parameters of the model requests."""

    temperature: float = parameter(0.0, "temperature of the answers; -1: as the model is set", low=-1, high=2)


@dataclass(frozen=True)
class LabModelParameters(LabParameters):
    """Parameters of the model requests and of the search."""

    expansions: int = parameter(200, "cities whose flights are asked before the search gives up", low=1, high=300)


class LabPlanner(Planner):
    """Works out the answer in the first turn, then carries it out: one digit, or one flight, a turn.

    Attributes:
        answers: the language model's answers in this episode, in order.
    """

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Plan, Steps})
    asks: ClassVar[bool] = True
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"questions"})
    presets: ClassVar[Mapping[str, Parameters]] = {"paper": LabParameters()}
    parameters: LabParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the answer that it carries out, and the model's reply."""
        return tuple(_reasons(decision, other))

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new problem. The goal and the seed are not used: the observation states the problem."""
        del goal, seed
        self._schemas = {schema.verb: schema for schema in schemas}
        self.answers: tuple[Answer, ...] = ()
        self._actions: tuple[Action, ...] | None = None
        self._done, self._refused, self._trouble = 0, "", ""
        self._lines: tuple[str, ...] = ()

    def plan(self, observation: Observation) -> Thought:
        """Returns the next action of the answer."""
        if self._actions is None:
            problem = problem_in(observation.text)
            if problem is None:
                return Decision(None, NO_PROBLEM)
            result = yield from self._solve(problem)
            self._actions = _actions(problem, result, observation)
            yield Plan(self._actions, f"the answer is {' → '.join(result)}" if result else "there is no usable answer")
            names = {entity.id: entity.name for entity in observation.entities}
            self._lines = tuple(self._schemas[a.verb].phrase(tuple(names[i] for i in a.args)) for a in self._actions)
        yield self._steps()
        if not self._actions:
            return Decision(None, self._trouble or "the language model gave no usable answer")
        if self._refused:
            return Decision(None, f"the answer cannot be carried out: {self._refused}")
        if self._done == len(self._actions):
            return Decision(None, "the answer is carried out")
        action = self._actions[self._done]
        if action in self.banned:
            return Decision(None, "the next action of the answer is banned")
        return Decision(action, f"step {self._done + 1} of {len(self._actions)} of the answer")

    def update(self, outcome: Outcome) -> None:
        """Advances if the outcome is that of the next action. After a refused action the answer is given up."""
        if self._actions is None or self._done == len(self._actions) or outcome.action != self._actions[self._done]:
            return
        self._done += outcome.ok
        self._refused = "" if outcome.ok else outcome.reason

    @abstractmethod
    def _solve(self, problem: Problem) -> Work:
        """Works out the answer. Yields requests and facets, and adds to `answers`."""

    def _steps(self) -> Steps:
        """Returns the actions of the answer, and how far they are carried out."""
        present: LineState = "failed" if self._refused else "waiting"
        states: tuple[LineState, ...] = tuple("done" if k < self._done else present if k == self._done else "waiting"
                                              for k in range(len(self._lines)))
        notes = (self._refused if state == "failed" else "" for state in states)
        return Steps(tuple(map(ProgramLine, self._lines, states, notes)), min(self._done, len(self._lines) - 1))


class LabPolicy(LabPlanner):
    """Asks a language model for the whole answer at once: the language model as policy (LLM-MCTS, section 4)."""

    name: ClassVar[str] = "lab-policy"
    title: ClassVar[str] = "LLM as policy (lab)"

    def _solve(self, problem: Problem) -> Work:
        reply = yield whole_request(problem, self.parameters.temperature)
        assert isinstance(reply, ModelReply), "one request is answered by one reply"
        answer = whole_answer(problem, reply)
        self.answers = (answer,)
        return answer.said


class LabModel(LabPlanner):
    """Asks a language model for small facts, and computes the answer: the language model as world model (section 4)."""

    name: ClassVar[str] = "lab-model"
    title: ClassVar[str] = "LLM as model (lab)"
    presets: ClassVar[Mapping[str, Parameters]] = {"paper": LabModelParameters()}
    parameters: LabModelParameters

    def _solve(self, problem: Problem) -> Work:
        return self._multiply(problem) if isinstance(problem, Multiplication) else self._travel(problem)

    def _multiply(self, problem: Multiplication) -> Work:
        """Fills the entries of the table of digits that the written algorithm needs, then runs it."""
        entries = entries_for(problem.first, problem.second)
        replies = yield tuple(product_request(a, b, self.parameters.temperature) for a, b in entries)
        assert isinstance(replies, tuple), "several requests are answered by several replies"
        self.answers = tuple(product_answer(a, b, reply) for (a, b), reply in zip(entries, replies, strict=True))
        if not all(answer.said for answer in self.answers):
            return ()
        table = {entry: int(answer.said[0]) for entry, answer in zip(entries, self.answers, strict=True)}
        return (multiplied(problem.first, problem.second, table),)

    def _travel(self, problem: Journey) -> Work:
        """Runs the search; the language model names the neighbours of each city that is expanded."""
        search = uniform_cost.search(problem.start, problem.goal, self.parameters.expansions)
        try:
            city = next(search)
            while True:
                reply = yield flights_request(city, problem, self.parameters.temperature)
                assert isinstance(reply, ModelReply), "one request is answered by one reply"
                answer = flights_answer(city, problem, reply)
                self.answers = (*self.answers, answer)
                city = search.send(answer.said)
        except StopIteration as end:
            path: tuple[str, ...] = end.value
            asked, most = len(self.answers), self.parameters.expansions
            cities = count(asked, "city")
            if not path:
                self._trouble = (f"the search gave up after {cities}, as the parameter expansions says" if asked == most
                                 else f"the flights of {cities} do not lead to {problem.goal}")
            return path


def _actions(problem: Problem, result: tuple[str, ...], observation: Observation) -> tuple[Action, ...]:
    """Returns the actions that carry out an answer; empty if there is none."""
    if not result:
        return ()
    ids = {entity.name: entity.id for entity in observation.entities}
    if isinstance(problem, Multiplication):
        return (*(Action("write", (ids[digit],)) for digit in result[0]), Action("hand_in"))
    if len(result) == 1:
        return ()
    return tuple(Action("travel", (ids[there],)) for _, there in pairwise(result))


def _reasons(decision: DecisionEvidence, other: Action) -> Iterator[Sentence]:
    """Yields which step of the answer the action is, whether the other one is in it, and the last reply it is made of."""
    plan, steps, chosen = decision.newest(Plan), decision.fresh(Steps), decision.chosen
    if plan is None or steps is None or chosen is None or not 0 <= steps.current < len(plan.actions):
        return
    places = [k for k, action in enumerate(plan.actions, 1) if action == other]
    where = f"is step {places[0]}" if places else "is no step"
    yield said("step", f"{words(chosen)} is step {steps.current + 1} of {count(len(plan.actions), 'step')} of the answer; "
                       f"{words(other)} {where} of it.", Evidence("plan", "plan", chosen),
               figures={"step": steps.current + 1, "steps": len(plan.actions), **({"other_step": places[0]} if places else {})})
    calls = (*decision.earlier, *decision.calls)
    if calls:
        yield replied(calls[-1])
