"""NeoPlanner: a state-space graph where transitions are known, a language model where they are not. Paul (2023).

An episode consists of rounds of planning and execution (`solve`). After it, the learner writes down what was learned, and the
world is restarted. Every action is a turn. In `paper` the model is asked at the start of a round for what follows the known
way, and way and proposal are executed without a check. In `tuned` it is asked at the end of the way, and an unexpected result
causes replanning.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.common.parameters import Parameters
from core.goals.literals import Goal
from core.goals.progress import progress
from core.planners.neoplanner import memory
from core.planners.neoplanner import offline as offline  # registers the offline answers
from core.planners.neoplanner.memory import checked, rewritten
from core.planners.neoplanner.prompts import (
    FREE,
    RESTART,
    Notes,
    Situation,
    actions_in,
    axioms_in,
    described,
    filled,
    harmless,
    learner_ask,
    plan_ask,
    plan_in,
    refused,
    room_seen,
    sentence,
    situation,
    templates,
)
from core.planners.neoplanner.recorded_types import (
    ActionPlanFacts,
    LearnerFacts,
    Learnings,
    RoomSeen,
    Scores,
    StateGraph,
    StepTaken,
)
from core.planners.neoplanner.state_space import (
    INVALID,
    NOTHING,
    PAPER,
    TUNED,
    Leg,
    NeoParameters,
    Selection,
    after_action,
    after_episode,
    explore_chance,
    select,
    shown,
    sweep,
    transformed,
)
from core.planners.neoplanner.why import GUESS, KNOWN_WAY, PROPOSED, reasons, why
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Decision, Planner, Sent, Thought, Turn, Yielded
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind


def no_plan(unusable: int, empty: int) -> str:
    """Returns why there is nothing to do after so many unusable replies, of which some were empty."""
    if not unusable:
        return "nothing is left to try"
    replies = f"all {unusable} replies were empty" if empty == unusable else f"none of {unusable} replies was a list of actions"
    return f"{replies}, and no known way leads on: try another model"


class NeoPlanner(Planner):
    """Plans on a state-space graph, with a language model for exploration; learns over episodes (ScienceWorld)."""

    name: ClassVar[str] = "neoplanner"
    title: ClassVar[str] = "NeoPlanner"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({StateGraph, Learnings, Scores, Plan, GoalProgress})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({Learnings})
    presets: ClassVar[Mapping[str, Parameters]] = {"tuned": TUNED, "paper": PAPER}
    asks: ClassVar[bool] = True
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"sentences"})
    parameters: NeoParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the values of the state graph, or the call that proposed it."""
        return why(decision, other)

    @classmethod
    def reasons(cls, decision: DecisionEvidence) -> tuple[Sentence, ...]:
        """Returns the same without another action."""
        return reasons(decision)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new run, with an empty memory or the one in the file.

        Raises:
            DataError: the memory's file is damaged.
        """
        self._goal, self._schemas = goal, schemas
        verbs = {s.verb for s in schemas}
        self._speaks, self._restarts, self._templates = FREE in verbs, RESTART in verbs, templates(schemas)
        self._rng, self._seed = np.random.default_rng((seed, 401)), seed
        self._space, self._learnings = memory.resumed(self.parameters.memory, goal.text)
        self._scores, self._explored = NOTHING, 0
        self._shown_learnings: Learnings | None = None
        self._names: dict[str, str] = {}
        self._begin_episode()

    def _text(self, action: Action) -> str:
        return sentence(action, self._schemas, self._names)

    def _begin_episode(self) -> None:
        self._now: Situation | None = None
        self._here, self._notes = -1, Notes()
        self._trace: tuple[StepTaken, ...] = ()
        self._rooms: dict[str, RoomSeen] = {}
        self._rounds, self._current = 0, True
        self._unusable = self._empty = 0  # replies since the last action: the prompt is the same, and another reply is wanted
        self._end_round()

    def _end_round(self) -> None:
        self._selection: Selection | None = None
        self._path: tuple[Leg, ...] = ()
        self._proposal: tuple[str, ...] = ()
        self._because = PROPOSED
        self._done, self._asked, self._exploring = 0, False, False

    # --- operator edits -------------------------------------------------------
    def accept(self, facet: Facet) -> None:
        """Applies an operator's learnings; the next prompt contains them.

        Raises:
            UsageError: a line is empty, too long, or duplicate.
        """
        if not isinstance(facet, Learnings):
            super().accept(facet)
            return
        self._learnings = checked(facet)

    def set_goal(self, goal: Goal) -> None:
        """Replaces the objective; states and learnings are kept."""
        self._goal = goal
        self._end_round()

    def reseed(self, round_: int) -> None:
        """Switches to another stream of random numbers."""
        self._rng = np.random.default_rng((self._seed, 401, round_))

    # --- outcomes ---------------------------------------------------------------
    def update(self, outcome: Outcome) -> None:
        """Records the executed action, no matter who chose it."""
        text = self._text(outcome.action)
        self._unusable = self._empty = 0
        self._names.update({e.id: e.name for e in outcome.observation.entities})
        if outcome.ok and outcome.action.verb == RESTART:
            self._scores = after_episode(self._scores)
            self._begin_episode()
            return
        before, now = self._now, situation(outcome.observation)
        self._scores = after_action(self._scores, now.score)
        if before is None:
            return
        valid = outcome.ok and now.score >= 0 and not refused(now.said)
        reward = now.score - before.score
        self._notes = self._notes.after(text, valid=valid, changed=now.scene != before.scene, scored=bool(reward))
        source = self._here
        self._arrive(now)
        self._space.record(source, text, self._here if valid else INVALID, transformed(reward) if valid else 0.0,
                           best=self.parameters.best_reward)
        self._current = False
        self._trace = (*self._trace, StepTaken(text, now.said, now.room, valid, reward))
        self._advance_plan(text, now.said, valid)
        self._update_if_done()

    def _arrive(self, now: Situation) -> None:
        """Sets the current state. Time passes even if an action is refused, so that state is added as well."""
        self._now = now
        self._rooms[now.room] = room_seen(now)
        self._here = self._space.add(now.key(self._notes), now.room, self._menu(now))

    def _menu(self, now: Situation) -> int:
        """Returns |a_s|: the number of actions worth trying, or of all possible sentences."""
        count = len(now.things) + now.carried
        if self.parameters.menu_per_thing > 0:
            return round(self.parameters.menu_per_thing * count)
        return sum(count ** t.count("OBJ") for t in self._templates)

    def _advance_plan(self, text: str, said: str, valid: bool) -> None:
        """Advances the plan. Another action ends it; an unexpected result does so unless the plan is executed open-loop."""
        unchecked = self.parameters.open_loop
        if self._path and self._path[0].action == text:
            self._path = self._path[1:] if unchecked or self._path[0].target == self._here else ()
        elif not self._path and self._proposal and self._proposal[0] == text:
            self._done += 1
            self._proposal = self._proposal[1:] if unchecked or valid or harmless(said) else ()
        else:
            self._path, self._proposal = (), ()

    def _update_if_done(self) -> None:
        """Updates values and memory if the task is complete, which ends the run."""
        if self._scores.score >= self._scores.most:
            self._sweep()
            self._save_memory()

    def _sweep(self) -> None:
        """Updates the values (eq. 5). Open-loop planning does so once for each executed plan, as in `solve`."""
        if not (self.parameters.open_loop and self._current):
            sweep(self._space, self.parameters)
        self._current = True

    def memory(self) -> str:
        """Returns graph and learnings as JSON."""
        return memory.written(self._space, self._learnings, self._goal.text)

    def _save_memory(self) -> None:
        if self.parameters.memory:
            memory.keep(self.parameters.memory, self.memory())

    def _process(self, observation: Observation) -> None:
        """Processes an observation. An unexpected scene ends the plan, unless that is executed open-loop."""
        self._names.update({e.id: e.name for e in observation.entities})
        now = situation(observation)
        began = self._now is None
        if self._now is not None and now.scene == self._now.scene and now.score == self._now.score:
            return
        if not self.parameters.open_loop:
            self._path, self._proposal = (), ()
        self._arrive(now)
        self._scores = replace(self._scores, score=now.score)
        if began:
            self._space.begin(self._here)

    # --- a turn -----------------------------------------------------------------
    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Yields the progress, the score and the final graph."""
        yield GoalProgress(progress(self._goal, observation))
        if self._speaks:
            self._process(observation)
            yield from self._facets()

    def plan(self, observation: Observation) -> Thought:
        """Decides for the next action of a known path or of a proposal; at the end of an episode, for a restart."""
        report = GoalProgress(progress(self._goal, observation))
        yield report
        if report.reached:
            if self._speaks and self.parameters.lessons and self._trace:
                yield from self._learn()
                self._trace = ()
                self._save_memory()
            return Decision(None, "the goal is reached")
        if not self._speaks:
            return Decision(None, "NeoPlanner acts by sentences, and this world takes none: choose scienceworld")
        self._process(observation)
        while True:
            decision = yield from self._step()
            if decision is not None:
                return decision

    def _step(self) -> Turn:
        p = self.parameters
        if self._scores.score < 0 or self._rounds >= p.rounds:
            return (yield from self._end_episode())
        if self._selection is None:
            self._choose_way()
        if p.open_loop and not self._asked:
            yield from self._propose()
        self._drop_banned()
        yield from self._facets()
        if self._path:
            ahead = self._proposal[:p.horizon]  # empty unless the plan is executed open-loop
            return (yield from self._decided((*(leg.action for leg in self._path), *ahead), KNOWN_WAY))
        if self._done < p.horizon and not self._proposal and (p.ask_again or not self._asked):
            yield from self._propose()
        if self._done < p.horizon and self._proposal:
            return (yield from self._decided(self._proposal, self._because))
        self._sweep()
        self._rounds += 1
        self._end_round()
        return None

    def _choose_way(self) -> None:
        """Starts a round: selects the path through the graph, and whether the objective is to explore."""
        p = self.parameters
        banned = set(map(self._text, self.banned))
        self._selection = select(self._space, self._here, p, banned) if p.graph else Selection((), self._here, (), "no graph")
        self._path = self._selection.path
        self._chance, self._chance_of = explore_chance(p, self._explored), p.explore_from + self._explored
        self._exploring = bool(self._rng.random() < self._chance)
        self._explored += self._exploring

    def _drop_banned(self) -> None:
        """Ends plans at actions that have been banned since. What was proposed for the end of a way is dropped with the way."""
        banned = set(map(self._text, self.banned))
        if self._path and self._path[0].action in banned:
            self._path, self._proposal = (), ()
        self._proposal = tuple(text for text in self._proposal if text not in banned)

    def _facets(self) -> Generator[Facet, None, None]:
        if self._shown_learnings is not self._learnings:
            self._shown_learnings = self._learnings
            yield self._learnings
        yield self._scores
        end = self._path[-1].target if self._path else self._here
        because, bounds = ("", ()) if self._selection is None else (self._selection.because, self._selection.bounds)
        ahead = Selection(self._path, end, tuple(self._space[end].tried), because, bounds)
        graph = shown(self._space, self._here, ahead, self.parameters)
        yield graph if self._selection is None else replace(graph, explore_chance=self._chance, explored=self._chance_of,
                                                            exploring=self._exploring)

    def _decided(self, ahead: tuple[str, ...], because: str) -> Turn:
        yield Plan(tuple(Action(FREE, (text,)) for text in ahead), because)
        return Decision(Action(FREE, (ahead[0],)), because)

    # --- model requests -----------------------------------------------------------
    def _propose(self) -> Generator[Yielded, Sent, None]:
        """Requests until a reply contains a usable action (`generateactionplan`).

        After some attempts takes a random one, so that the run continues, or none.
        """
        p, (node, now) = self.parameters, self._start_of_proposal()
        avoid = set(self._space[node].tried) if p.graph else set()
        banned = set(map(self._text, self.banned))
        draw = int(self._rng.integers(2**31))
        self._proposal, self._because = (), PROPOSED
        for attempt in range(p.tries):
            sent = yield self._question(now, avoid, draw + attempt, self._unusable)
            assert isinstance(sent, ModelReply), "one question is answered by one reply"
            self._proposal = self._usable(sent, avoid, banned)
            if self._proposal:
                break
            self._unusable += 1
            self._empty += not "".join(sent.texts[:1]).strip()
        else:
            guess = filled(self._templates, now.things, avoid | banned, self._rng) if p.guess else None
            self._proposal, self._because = (() if guess is None else (guess,)), GUESS
        self._asked = True

    def _start_of_proposal(self) -> tuple[int, Situation]:
        """Returns the state from which actions are proposed: the end of the known way, as the graph describes it."""
        assert self._now is not None, "seen before it is proposed"
        node = self._path[-1].target if self._path else self._here
        return node, self._now if node == self._here else described(self._space[node].key, self._space[node].title)

    def _usable(self, reply: ModelReply, avoid: set[str], banned: set[str]) -> tuple[str, ...]:
        """Returns the actions of a reply that are executed."""
        text = "".join(reply.texts[:1])
        if not self.parameters.only_known_kinds:
            return tuple(a for a in plan_in(text) if a not in banned)
        found = [a for a in actions_in(text, self._templates) if a not in banned]
        while found and found[0] in avoid:
            found = found[1:]
        return tuple(found)

    def _question(self, now: Situation, avoid: set[str], draw: int, attempt: int) -> ModelRequest:
        p = self.parameters
        facts = ActionPlanFacts(
            self._goal.text, now.room, now.look, now.inventory, now.things, self._templates, tuple(sorted(avoid)),
            *self._episode(), self._lines(), self._exploring, p.stand_in, draw)
        return plan_ask(facts, p.trace, p.temperature, attempt, listed=p.listed)

    def _episode(self) -> tuple[tuple[RoomSeen, ...], tuple[StepTaken, ...]]:
        """Returns rooms and steps for a prompt: with remarks, or actions and observations only (x_AO)."""
        if self.parameters.remarks:
            return tuple(self._rooms.values()), self._trace
        return (), tuple(replace(step, reward=0.0) for step in self._trace)

    def _lines(self) -> tuple[str, ...]:
        return tuple(a.text for a in self._learnings.axioms)

    def _learn(self) -> Generator[Yielded, Sent, None]:
        """Requests what was learned in this episode (`learner`)."""
        if not self.parameters.learner:
            return
        episode = len(self._scores.ends) + 1
        sent = yield learner_ask(LearnerFacts(self._goal.text, *self._episode(), self._lines(), self._scores.score), episode)
        assert isinstance(sent, ModelReply), "one question is answered by one reply"
        lines = [line for text in sent.texts[:1] for line in axioms_in(text)]
        self._learnings = rewritten(self._learnings, lines, episode, self.parameters.most_learnings)

    # --- episodes ---------------------------------------------------------------
    def _end_episode(self) -> Turn:
        """Learns, saves the memory and restarts. If no action was taken, nothing is left to do."""
        self._sweep()
        if not self._trace:
            return Decision(None, no_plan(self._unusable, self._empty))
        yield from self._learn()
        yield from self._facets()
        self._save_memory()
        if self._restarts and Action(RESTART) not in self.banned:
            episode = len(self._scores.ends) + 1
            return Decision(Action(RESTART), f"episode {episode} ended with a score of {self._scores.score:g}")
        if self._scores.score < 0:
            return Decision(None, "the task has failed, and this world cannot start over")
        self._rounds, self._trace = 0, ()
        self._end_round()
        return None
