"""The texts of states, edges and paths."""

from __future__ import annotations

from core.planners.neoplanner.recorded_types import StateGraph, StateNode
from gui.widgets import numbers as say

ENDS = {"leaf": "nothing is known beyond", "exploring": "doing something new is worth more",
        "loop": "the path returns to a known state",
        "no graph": "the graph is not used"}
MOST = 14


def node_words(node: StateNode) -> str:
    """Returns a state as one line of text."""
    parts = [node.title, *([node.detail] if node.detail else []), say.count(node.visits, "visit"), f"V {say.value(node.value)}",
             f"with exploring {say.value(node.bound)}", f"{say.whole(node.tried)} of {say.whole(node.menu)} actions tried"]
    parts += [f"{say.whole(node.refused)} refused"] if node.refused else []
    parts += ["frontier"] if node.frontier else []
    return " · ".join(parts)


def tip_words(graph: StateGraph, node: StateNode) -> str:
    """Returns a state and where its actions led, one line each."""
    names = {n.id: n.title for n in graph.nodes}
    lines = [node_words(node)]
    for edge in (e for e in graph.edges if e.source == node.id):
        where = "itself" if edge.target == node.id else names.get(edge.target, "refused")
        rest = f" and {len(edge.actions) - 3} more" if len(edge.actions) > 3 else ""
        gain = f", reward {say.value(edge.reward)}" if edge.reward else ""
        lines.append(f"{', '.join(edge.actions[:3])}{rest} → {where}{gain}")
    return "\n".join([*lines[:MOST], *([f"… {len(lines) - MOST} more"] if len(lines) > MOST else [])])


def path_words(graph: StateGraph) -> str:
    """Returns the length of the path ahead and why it ends, or ""."""
    steps = max(0, len(graph.path) - 1)
    if not graph.because:
        return ""
    ahead = f"{say.count(steps, 'step')} ahead" if steps else "no known next step"
    return f"{ahead}: {ENDS.get(graph.because, graph.because)}"


def headline(graph: StateGraph) -> str:
    """Returns the numbers of states, frontier states and refused actions, and the path ahead."""
    frontier = sum(n.frontier for n in graph.nodes)
    refused = sum(n.refused for n in graph.nodes)
    parts = [say.count(len(graph.nodes), "state"), f"{say.whole(frontier)} at the frontier",
             f"{say.whole(refused)} refused", path_words(graph)]
    return " · ".join(p for p in parts if p)
