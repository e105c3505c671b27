"""BCR: sequential action selection by blocking conditions and resolutions (Merz Hoffmeister, Scassellati and Rakita)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from core.common.errors import UsageError
from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.goals.progress import progress
from core.goals.tracker import GoalTracker
from core.planners.bcr import offline as offline  # registers the offline answers
from core.planners.bcr.conditions import Situation
from core.planners.bcr.presentation import Choice, Words, edited, shown
from core.planners.bcr.recorded_types import BlockingTable, BlockingTree
from core.planners.bcr.resolutions import Goals, ResolutionOptions
from core.planners.bcr.table import facet_of, family_from
from core.planners.bcr.tree import GoalTrees, Node
from core.planners.bcr.why import why
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.exploration import next_look, remembered
from core.planning.facets import Facet, GoalProgress, Grounded, Plan
from core.planning.model_requests import ModelReply
from core.planning.planner import Decision, RestartingPlanner, Sent, Turn, Yielded
from core.planning.search_facets import Ranking, considered
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

MOST_HISTORY = 1000
MOST_REPEATS = 3
"""The maximum number of times an action is repeated in the same situation."""
NOTES = 3
"""The maximum number of refusals in the prompt: the last ones."""


@dataclass(frozen=True)
class BcrParameters(Parameters):
    """Parameters of the tree and of the model requests."""

    tries: int = parameter(5, "answers asked for at a decision before the candidate tried least often is taken", low=1, high=20)
    most_actions: int = parameter(100, "actions after which it gives up", low=1, high=1000)
    places: int = parameter(8, "closed places offered at once when something is looked for", low=1, high=100)
    camera_moves: bool = parameter(False, "turning, stepping and tilting are offered when something is looked for")
    look_again: bool = parameter(False, "places already looked into are offered again")
    break_loops: bool = parameter(True, "what was done before in the same situation is not offered again")
    recheck: bool = parameter(True, "a part of the goal that held once is checked again")
    clear_full: bool = parameter(True, "what lies in a full place is carried away")
    hints: bool = parameter(True, "the prompt says beside each candidate what it achieves or resolves; off in the paper")
    listed: bool = parameter(True, "servers that can are asked to answer only with a candidate")
    prompt_history: int = parameter(30, "actions shown in the prompt, the last ones", low=0, high=1000)
    table: str = parameter("", "file (JSON) with the table of conditions and resolutions, saved from its panel; empty: the "
                               "table of the world's family")


TUNED = BcrParameters()
PAPER = BcrParameters(places=100, camera_moves=True, look_again=True, break_loops=False, recheck=False, clear_full=False,
                      hints=False, listed=False, prompt_history=1000)


class Bcr(RestartingPlanner):
    """Selects an action, adds what blocks it to a tree, and continues with a resolution. A model selects among the leaves."""

    name: ClassVar[str] = "bcr"
    title: ClassVar[str] = "BCR"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTree, BlockingTable, GoalProgress, Grounded, Plan, Ranking})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({BlockingTree, BlockingTable})
    presets: ClassVar[Mapping[str, Parameters]] = {"tuned": TUNED, "paper": PAPER}
    asks: ClassVar[bool] = True
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    parameters: BcrParameters

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the condition it resolves, and who selected it."""
        return why(decision, other)

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode. No random numbers are used, so the seed is ignored.

        Raises:
            DataError: the file with the table is damaged, or not for this world.
        """
        del seed
        self._schemas = schemas
        self._now = Situation(frozenset(s.verb for s in schemas))
        self._table = facet_of(self._now.family, schemas)
        if self.parameters.table:
            self._table = self._table.with_file(Path(self.parameters.table))
            self._now.family = family_from(self._table, self._table)
        self._shown_table: BlockingTable | None = None
        self._aim = GoalTracker(goal)
        self._trees = GoalTrees(Goals(goal))
        self._history: tuple[Action, ...] = ()
        self._refusals: tuple[str, ...] = ()
        self._done: dict[tuple[int, Action], int] = {}
        self._tried: dict[Action, int] = {}
        self._last: Action | None = None
        self._looks: frozenset[Action] = frozenset()
        self._loops, self._round = 0, 0
        self._shown = BlockingTree(())

    # --- operator edits ---------------------------------------------------------
    def accept(self, facet: Facet) -> None:
        """Applies an operator's tree (an action chosen or banned, a condition marked as resolved, a resolution added) or table.

        Raises:
            UsageError: the edit refers to nodes that are no longer in the tree, or the table has an entry that cannot be used.
        """
        if isinstance(facet, BlockingTable):
            self._now.family = family_from(facet, self._table)
            self._table = replace(facet, conditions=self._table.conditions, actions=self._table.actions)
            self._trees = self._trees.regrown()
            self._shown = BlockingTree(())
            self.restart()
            return
        if not isinstance(facet, BlockingTree):
            super().accept(facet)
            return
        added = {node.action.verb for node in facet.nodes if node.id < 0 and node.action is not None}
        if strange := added - self._now.verbs:
            raise UsageError(f"this world has no action “{min(strange)}”: add another one")
        self._trees.marks, self._shown = edited(facet.nodes, self._shown.nodes, self._trees), facet
        self.restart()

    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal and the trees; observations and refusals are kept."""
        self._aim, self._trees = GoalTracker(goal), GoalTrees(Goals(goal))
        self._aim.see(self._now.world)
        self._done, self._tried = {}, {}
        self._shown = BlockingTree(())
        self.restart()

    def reseed(self, round_: int) -> None:
        """Requests new replies instead of reusing earlier ones."""
        self._round = round_

    def update(self, outcome: Outcome) -> None:
        """Records the executed action, no matter who chose it."""
        action = outcome.action
        self._done[self._now.digest, action] = self._done.get((self._now.digest, action), 0) + 1
        self._now.update(outcome)
        self._history = (*self._history[1 - MOST_HISTORY:], action)
        self._last = action if outcome.ok else self._last
        if not outcome.ok:
            self._refusals = (*self._refusals[1 - NOTES:], f"{self._words().action(action)}: {outcome.reason}")
        if action == self._trees.marks.chosen:
            self._trees.marks.chosen = None

    # --- a turn -------------------------------------------------------------------
    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal and the final tree."""
        self.look(observation)
        self._trees.grow(self._now, self._resolution_options(), self._last, recheck=self.parameters.recheck)
        return GoalProgress(self._aim.progress()), self._show(None)

    def look(self, observation: Observation) -> None:
        """Processes an observation, and replaces the trees if the goal now refers to other objects."""
        self._now.see(observation)
        if self._aim.see(self._now.world, self._now.memory.no_space):
            self._trees = GoalTrees(Goals(self._aim.pursued), self._trees.marks)

    def attempt(self) -> Turn:
        """Selects and assesses actions until one is not known to be blocked."""
        trees, now, p = self._trees, self._now, self.parameters
        reports = GoalProgress(self._aim.progress())
        yield reports
        yield from self._table_if_new()
        if reports.reached:
            return Decision(None, "the goal is reached")
        if len(self._history) >= p.most_actions:
            return Decision(None, f"{p.most_actions} actions were not enough")
        trees.grow(now, self._resolution_options(), self._last, recheck=p.recheck)
        while not self.interrupted():
            nodes = self._candidates()
            yield self._show(None)
            if self.interrupted():
                return None
            if not nodes:
                return (yield from self._search_hidden()) if self._aim.hidden else Decision(None, self._why_stuck())
            action = yield from self._select(nodes)
            if action is None or self.interrupted():
                return None
            yield self._show(action)
            if self.interrupted():
                return None
            self._tried[action] = self._tried.get(action, 0) + 1
            if trees.attempt(action, now, self._resolution_options()) is None:
                return (yield from self._decided(action))
            if trees.marks.chosen == action:
                trees.marks.chosen = None
        return None

    def _search_hidden(self) -> Turn:
        """Searches the places where objects of the goal may be, if no literal has an action yet."""
        now, names = self._now, ", ".join(map(self._words().thing, self._aim.hidden))
        without = self.banned | self._trees.marks.banned | now.memory.refused
        action = next_look(now.world, now.verbs, without, self._looks, partial=now.partial, among=self._aim.hidden)
        if action is None:
            return Decision(None, f"no way to look at {names} is left")
        self._looks |= {remembered(action, now.view.agent.room)}
        return (yield from self.decide((action,), f"to see what lies at {names}"))

    def _table_if_new(self) -> Iterator[BlockingTable]:
        if self._shown_table is not self._table:
            self._shown_table = self._table
            yield self._table

    def _resolution_options(self) -> ResolutionOptions:
        p = self.parameters
        return ResolutionOptions(p.camera_moves, p.places, p.look_again, p.clear_full, self._trees.goals.settled(self._now))

    def _words(self) -> Words:
        return Words(self._now, self._schemas)

    def _show(self, chosen: Action | None) -> BlockingTree:
        done = {action: step for step, action in enumerate(self._history, 1)}
        self._shown = BlockingTree(*shown(self._trees, self._words(), chosen, self.banned, done), self._loops)
        return self._shown

    def _decided(self, action: Action) -> Turn:
        """Decides for an action with its reason, and marks the places that are being cleared."""
        nodes = [n for n in self._trees.tree.leaves(self._trees.marks.resolved) if n.action == action]
        needs = [need for n in nodes if (need := self._trees.tree.nodes[n.parent].need) is not None]
        because = self._words().resolved(needs[0]) if needs else str(self._trees.goals.goal.literals[nodes[0].goal])
        self._now.memory.clearing.update(need.args[1] for need in needs if need.kind == "room")
        return (yield from self.decide((action,), because))

    # --- candidates and selection -----------------------------------------------------
    def _candidates(self) -> list[Node]:
        """Returns the leaves that are not banned.

        Actions already executed in this situation are included only if no others are left.
        """
        nodes = self._trees.candidates(self.banned, self._now)
        if not self.parameters.break_loops:
            return nodes
        digest = self._now.digest
        fresh = [n for n in nodes if n.action is not None and not self._done.get((digest, n.action))]
        self._loops += len(fresh) < len(nodes)
        return fresh or [n for n in nodes if n.action is not None and self._done[digest, n.action] < MOST_REPEATS]

    def _select(self, nodes: list[Node]) -> Generator[Yielded, Sent, Action | None]:
        """Returns the operator's choice, the only candidate, or the model's selection.

        None if an operator changed something.
        """
        actions = [n.action for n in nodes if n.action is not None]
        chosen = self._trees.marks.chosen if self._trees.marks.chosen in actions else None
        if chosen is None:
            chosen = actions[0] if len(actions) == 1 else (yield from self._select_by_model(nodes))
        if self.interrupted():
            return None
        if chosen is None:
            chosen = min(actions, key=lambda a: (self._tried.get(a, 0), actions.index(a)))
        yield considered(actions, chosen)
        return None if self.interrupted() else chosen

    def _select_by_model(self, nodes: list[Node]) -> Generator[Yielded, Sent, Action | None]:
        """Requests until a reply names a candidate, each time with notes about earlier replies.

        Returns:
            The action; None after `tries` requests.
        """
        done = tuple(k for k, r in enumerate(progress(self._trees.goals.goal, self._now.view)) if r.reached)
        most = self.parameters.prompt_history
        choice = Choice(self._trees.goals.goal, self._now, self._trees.tree, tuple(nodes), self._schemas, done,
                        self._history[-most:] if most else (), self._refusals)
        complaints: tuple[str, ...] = ()
        for number in range(self.parameters.tries):
            if number >= self.parameters.tries:
                break
            p = self.parameters
            ask = choice.ask(complaints, hints=p.hints, listed=p.listed, fresh=self._round)
            reply = yield ask
            assert isinstance(reply, ModelReply), "the answer to one question"
            action, grounding = choice.understand(ask, reply)
            yield Grounded((grounding,))
            if action is not None or self.interrupted():
                return action
            complaints = (*complaints, f"your answer {number + 1}, “{grounding.said[:60]}”, is not in the list: read the list "
                                       "carefully and copy one of its actions")
        return None

    def _why_stuck(self) -> str:
        """Returns why there is no candidate."""
        tree, words = self._trees.tree, self._words()
        needs = dict.fromkeys(n.need for n in tree.nodes.values() if n.need is not None and not tree.children(n.id))
        return "nothing is left to try: " + ("; ".join(words.blocks(n) for n in needs if n) or "no action achieves the goal")
