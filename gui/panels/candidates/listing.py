"""Which candidates a blocking tree offers, in which order, and what is said of each. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from core.planning.facets import BlockingNode, BlockingTree
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action

LEAVES = ("chosen", "candidate", "banned")
MOST_TURNS = 200
"""Turns looked back for what was tried before."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One pill: a leaf of the tree.

    Attributes:
        why: what it may bring about.
        tried: the last turn it was done in, 0 if it was not.
    """

    node: BlockingNode
    why: str
    tried: int = 0

    @property
    def note(self) -> str:
        """What is said at the right end."""
        if self.node.state == "chosen":
            return "your choice" if self.node.by_operator else "chosen"
        if self.node.state == "banned":
            return "banned"
        return f"tried in turn {self.tried}" if self.tried else self.why


def candidates_of(tree: BlockingTree, snapshot: Snapshot) -> tuple[Candidate, ...]:
    """The chosen one first, then as in the tree, banned ones last."""
    texts = {n.id: n.text for n in tree.nodes}
    tried = _tried(snapshot)
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES]
    leaves.sort(key=lambda n: LEAVES.index(n.state))
    return tuple(Candidate(n, _why(n, texts.get(n.parent, "")), tried.get(n.action, 0) if n.action else 0) for n in leaves)


def wanted(tree: BlockingTree) -> str:
    """What the chosen candidate, or the first one, is to bring about; empty where there is none."""
    leaves = [n for n in tree.nodes if n.kind == "action" and n.state in LEAVES[:2]]
    first = next((n for n in leaves if n.state == "chosen"), leaves[0] if leaves else None)
    return next((n.text for n in tree.nodes if first is not None and n.id == first.parent), "")


def _why(node: BlockingNode, resolution: str) -> str:
    if node.by_operator and node.state == "candidate":
        return "added by you"
    if not resolution:
        return ""
    return f"{'leads to' if node.certain else 'may lead to'} {resolution}"


def _tried(snapshot: Snapshot) -> dict[Action, int]:
    """The last turn of each action on this branch, as far back as is looked."""
    found: dict[Action, int] = {}
    for turn in islice(reversed(snapshot.turns), MOST_TURNS):
        if turn.branch == snapshot.branch and turn.outcome is not None:
            found.setdefault(turn.outcome.action, turn.number)
    return found
