"""The parts of a search: its options, what is known, what is asked, nodes and trials."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.search.model import WHERE, Macro, Problem, State, copied

Key = Hashable


@dataclass(frozen=True, slots=True)
class Options:
    """How to search; each field is explained at the planner's parameter of the same name."""

    exploration: float = 1.0
    discount: float = 0.95
    depth: int = 0
    precision: float = 0.0
    actions: str = "macros"
    rollout: str = "greedy"
    reward: str = "literals"
    urgency: bool = True
    worlds: str = "common"
    final: str = "visits"
    batch: int = 1


class Knowledge(NamedTuple):
    """What the robot knows: a state whose ghosts are NOWHERE, the slots located, the places looked into."""

    state: State
    known: int
    looked: int


class Request(NamedTuple):
    """A policy's word is wanted on what to do in a knowledge state, one of `actions`, after `path`."""

    key: Key
    knowledge: Knowledge
    actions: tuple[Macro, ...]
    path: tuple[Macro, ...]


class Policy(Protocol):
    """The heuristic policy of PUCT."""

    def distribution(self, key: Key, actions: Sequence[Macro]) -> list[float] | None:
        """A probability for each action; None: it has to be asked for first."""


class Node:
    """A history: edges sorted by prior, each with its count, the total of its returns, and its children by observation."""

    __slots__ = ("actions", "children", "counts", "priors", "reached", "totals", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.reached = False
        self.actions: list[Macro] | None = None
        self.priors: list[float] = []
        self.counts: list[int] = []
        self.totals: list[float] = []
        self.children: list[dict[tuple[tuple[int, int], ...], Node]] = []

    def fill(self, actions: list[Macro], priors: list[float]) -> None:
        """Give the node its edges, likeliest first."""
        order = sorted(range(len(actions)), key=lambda k: -priors[k])
        self.actions = [actions[k] for k in order]
        self.priors = [priors[k] for k in order]
        self.counts, self.totals = [0] * len(order), [0.0] * len(order)
        self.children = [{} for _ in order]

    def value(self, edge: int) -> float | None:
        """Mean return of an edge; None before its first visit."""
        return self.totals[edge] / self.counts[edge] if self.counts[edge] else None


class Trial:
    """One simulation on its way down."""

    __slots__ = ("depth", "done", "drawn", "known", "looked", "node", "path", "satisfied", "state")

    def __init__(self, knowledge: Knowledge, node: Node, satisfied: int):
        self.state, self.known, self.looked = copied(knowledge.state), knowledge.known, knowledge.looked
        self.node, self.satisfied = node, satisfied
        self.path: list[tuple[Node, int, float, float]] = []
        self.depth, self.done, self.drawn = 0, False, False


def knowledge_key(problem: Problem, knowledge: Knowledge) -> Key:
    """What matters of a knowledge state: where the robot is, what is open, seen and held, and where goal things are."""
    state, known, looked = knowledge
    where = state[WHERE]
    placed = tuple(where[i] if known >> i & 1 else -2 for i in range(problem.task))
    return (state[0], state[1], state[2], state[3], state[4], looked, placed)
