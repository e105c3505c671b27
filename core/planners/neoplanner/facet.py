"""Converts the state space to a facet."""

from __future__ import annotations

import re
from collections.abc import Collection

from core.planners.neoplanner.graph import INVALID, StateSpace
from core.planners.neoplanner.parameters import NeoParameters
from core.planners.neoplanner.recorded_types import StateEdge, StateGraph, StateNode
from core.planners.neoplanner.selection import Selection
from core.planners.neoplanner.values import bonus, exploring, untried, worth

LONGEST = 90
CARRIED = re.compile(r"^\s+(?:an?|the|some)?\s*(.+?)(?:[,.(].*)?$")


def shown(space: StateSpace, here: int, selection: Selection, p: NeoParameters) -> StateGraph:
    """Returns all states, the current state, and the selected path."""
    nodes = tuple(_node(space, n, p) for n in space)
    edges = tuple(edge for n in space for edge in _edges(space, n))
    path = (here, *(leg.target for leg in selection.path))
    refused = tuple(a for a in selection.avoid if _refused(space, selection.end, a))
    return StateGraph(nodes, edges, here, path, selection.avoid, refused, tuple(space.starts()), selection.because)


def _refused(space: StateSpace, node: int, action: str) -> bool:
    tried = space[node].tried.get(action)
    return tried is not None and tried.target == INVALID


def _node(space: StateSpace, node: int, p: NeoParameters) -> StateNode:
    state = space[node]
    refused = sum(t.target == INVALID for t in state.tried.values())
    return StateNode(node, state.title, detail(state.key), state.value, state.value + bonus(space, node, p), state.visits,
                     len(state.tried), refused, state.menu, _frontier(space, node, p))


def _frontier(space: StateSpace, node: int, p: NeoParameters) -> bool:
    """Returns True if a plan that reaches this state ends here."""
    bounds = [worth(space, t, p) + untried(space, node, p) * bonus(space, t.target, p) for _, t in space.valid(node)]
    return not bounds or exploring(space, node, p) > max(bounds)


def _edges(space: StateSpace, node: int) -> Collection[StateEdge]:
    found: dict[int, list[str]] = {}
    rewards: dict[int, float] = {}
    for action, tried in space[node].tried.items():
        found.setdefault(tried.target, []).append(action)
        rewards[tried.target] = max(tried.reward, rewards.get(tried.target, tried.reward))
    return [StateEdge(node, target, tuple(actions), rewards[target]) for target, actions in found.items()]


def detail(key: str) -> str:
    """Returns the carried objects and notes from the text of a state."""
    scene, _, notes = key.partition("\nNOTES ")
    lines = scene.rpartition("\nACCESS ")[2].splitlines()
    carried = [found.group(1).removeprefix("substance called ") for line in lines if (found := CARRIED.match(line))]
    parts = [notes, f"carrying {', '.join(carried)}" if carried else ""]
    return " · ".join(part for part in parts if part)[:LONGEST]
