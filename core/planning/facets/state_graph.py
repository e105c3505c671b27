"""What a planner learnt of a world over episodes: the state-space graph, the axioms it believes, the scores it got."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.planning.facets.base import Facet
from core.world.vocabulary import Value


@dataclass(frozen=True, slots=True)
class StateNode(Value):
    """A state that was seen.

    Attributes:
        id: its number, from 2; 1 is the fixed node that refused actions lead to.
        title: the room.
        detail: what tells it from other states of the room, in a few words.
        value: V(s).
        bound: V(s) with its exploration term.
        visits: n_s.
        tried: actions tried in it; refused: those of them that led to the invalid node.
        menu: how many actions there may be.
        frontier: nothing known leads on from here, or doing something new is worth more.
    """

    id: int
    title: str
    detail: str
    value: float
    bound: float
    visits: int
    tried: int
    refused: int
    menu: int
    frontier: bool


@dataclass(frozen=True, slots=True)
class StateEdge(Value):
    """Actions that lead from one state to another, with the best reward on the way (log-transformed)."""

    source: int
    target: int
    actions: tuple[str, ...]
    reward: float


@dataclass(frozen=True, slots=True)
class StateGraph(Facet):
    """The state-space graph, in the order in which states were first seen.

    Attributes:
        here: the state the robot is in, or -1.
        path: the states the plan goes through, `here` first.
        avoid: actions not to be proposed at the end of the path; they were tried.
        refused: those of them that were refused.
        start: states in which episodes began.
        because: why the path ends: leaf, exploring, loop; empty while nothing is selected.
    """

    nodes: tuple[StateNode, ...]
    edges: tuple[StateEdge, ...]
    here: int
    path: tuple[int, ...] = ()
    avoid: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    start: tuple[int, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Axiom(Value):
    """One line of what was learnt, `X Y Z`: what stands in what relation to what.

    Attributes:
        pinned: kept whatever the model writes.
        by: who wrote it.
        episode: in which episode it was written, from 1; 0: before.
    """

    text: str
    pinned: bool = False
    by: Literal["model", "operator"] = "model"
    episode: int = 0


@dataclass(frozen=True, slots=True)
class Learnings(Facet):
    """The belief axioms; `struck` are those an operator deleted: they stay out if the model writes them again."""

    axioms: tuple[Axiom, ...]
    struck: tuple[str, ...] = ()
    episodes: int = 0


@dataclass(frozen=True, slots=True)
class Scores(Facet):
    """The score over interactions (every action sent to the world but beginning anew).

    Attributes:
        points: (interactions, score), where it changed.
        ends: (interactions, score) at the end of every finished episode.
        interactions: so many until now; `score` is the present one.
        best: the best score so far, reached first after `best_at` interactions.
        most: the score of a task that is done.
    """

    points: tuple[tuple[int, float], ...]
    ends: tuple[tuple[int, float], ...]
    interactions: int
    score: float
    best: float
    best_at: int
    most: float = 100.0
