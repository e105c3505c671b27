"""State graphs, learnings and scores, small and huge, made without a planner."""

from __future__ import annotations

from core.planners.neoplanner.recorded_types import Axiom, Learnings, Scores, StateEdge, StateGraph, StateNode


def node(number: int, title: str, *, value: float = 0.0, visits: int = 1, tried: int = 1, refused: int = 0,
         frontier: bool = False) -> StateNode:
    """A state."""
    return StateNode(number, title, "carrying an orange", value, value + 0.5, visits, tried, refused, 40, frontier)


def usual() -> StateGraph:
    """Two rooms and a side room, the way back, a refused action; the plan goes on from the kitchen."""
    nodes = (node(2, "hallway", value=1.2, visits=6, tried=3, refused=1), node(3, "hallway", value=1.9, visits=5),
             node(4, "kitchen", value=2.8, visits=4, tried=4, refused=2), node(5, "kitchen", value=0.9, visits=2),
             node(6, "bedroom", frontier=True, visits=1, tried=0), node(7, "kitchen", frontier=True, visits=1, tried=0))
    edges = (StateEdge(2, 3, ("open door to kitchen",), 0.0), StateEdge(2, 1, ("eat picture",), 0.0),
             StateEdge(3, 4, ("go kitchen",), 0.0), StateEdge(4, 5, ("focus on thermometer",), 1.4),
             StateEdge(4, 3, ("go hallway",), 0.0), StateEdge(3, 6, ("go bedroom",), 0.0),
             StateEdge(5, 7, ("pick up thermometer", "move thermometer to agent"), 0.7),
             StateEdge(4, 1, ("eat stove", "eat sink"), 0.0), StateEdge(5, 5, ("look around",), 0.0))
    return StateGraph(nodes, edges, 4, (4, 5, 7), ("look around", "eat sink"), ("eat sink",), (2,), "leaf")


def huge(count: int = 2000) -> StateGraph:
    """As large as graphs get and larger: bushy, deep in one place, with ways back and many refusals."""
    nodes, edges = [node(2, "hallway", visits=count)], []
    for k in range(1, count):
        title = f"room {k % 9} with a name that is rather long"
        nodes.append(node(2 + k, title, value=(k % 11) / 3, visits=1 + count // (k + 1), tried=k % 60,
                          refused=k % 17, frontier=k % 5 == 0))
        parent = 1 + k if k < 40 else 2 + (k * 7) % (k // 2)
        edges.append(StateEdge(parent, 2 + k, (f"go somewhere with a long name {k}",), (k % 4) / 2))
        if k % 3 == 0:
            edges.append(StateEdge(2 + k, 2 + k // 2, ("go back",), 0.0))
    avoid = tuple(f"open door number {k}" for k in range(90))
    return StateGraph(tuple(nodes), tuple(edges), 30, tuple(range(30, 40)), avoid, avoid[::3], (2,), "exploring")


def learnings(count: int = 4) -> Learnings:
    """Lines of several kinds."""
    own = (Axiom("thermometer is in kitchen", True, "operator", 0), Axiom("sink gives water", False, "operator", 1))
    rest = (Axiom(f"room {k} leads to hallway, kitchen, art studio, living room and {k} others", False, "model", 1 + k % 3)
            for k in range(count - 2))
    return Learnings((*own, *rest), ("stove is cold",), 3)


def scores(count: int = 120) -> Scores:
    """Episodes that rise, one that fails."""
    points, ends, at, score = [(0, 0.0)], [], 0, 0.0
    for k in range(count):
        at += 4
        score = -100.0 if k % 17 == 16 else min(95.0, score + 7 * (k % 3))
        points.append((at, score))
        if k % 8 == 7 or score < 0:
            ends.append((at, score))
            score = 0.0
            points.append((at, 0.0))
    best = max(points, key=lambda p: p[1])
    return Scores(tuple(points), tuple(ends), at + 3, score, best[1], best[0])
